"""Finding the call that made a commit, rule by rule."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gittraj.capture.anchor import commits_elsewhere, match_commits
from gittraj.capture.commit_command import can_commit
from gittraj.capture.own import Anchor
from gittraj.capture.plausibility import ran_at
from gittraj.capture.session import Commit, Log
from gittraj.git import CommitChanges
from gittraj.model.values import Evidence
from tests.sizes import some
from tests.unit.capture.logs import ME, asked, changed, commit, index, log, oid, ran, said, wrote

OTHER = "claude-code:other"


def matched(of: Log, *commits: Commit) -> dict[str, tuple[str, Evidence]]:
    """Return for each commit the name of the call that made it, and the evidence."""
    return {m.commit: (of.entries[m.call].event.id, m.evidence) for m in match_commits(of, commits)}


def test_the_environment_names_the_call() -> None:
    of = log(ran("c1", "git commit -qm x"), ran("c2", "git commit -qm x"), name="codex:s")
    made = commit("A", subject="x", by="codex:s", call="c1")
    assert matched(of, made) == {oid("A"): ("c1", "agent")}


def test_the_named_call_counts_more_than_a_result_with_the_id() -> None:
    of = log(ran("c1", "git commit -qm x"), ran("c2", "cat log", commits=["A"]), name="codex:s")
    assert matched(of, commit("A", by="codex:s", call="c1")) == {oid("A"): ("c1", "agent")}


def test_a_result_with_the_id_names_the_call() -> None:
    of = log(ran("c1", "git commit -m x", commits=["A"]))
    assert matched(of, commit("A", by=ME)) == {oid("A"): ("c1", "agent")}
    assert matched(of, commit("A")) == {oid("A"): ("c1", "output")}


def test_an_id_printed_twice_belongs_to_the_first_call() -> None:
    of = log(ran("c1", "./x", commits=["A"]), ran("c2", "git rebase --quit", commits=["A"]))
    assert matched(of, commit("A")) == {oid("A"): ("c1", "output")}


def test_an_id_of_an_unknown_commit_is_ignored() -> None:
    of = log(ran("c1", "cat README", commits=["Z"]))
    assert matched(of, commit("A")) == {}


def test_an_id_printed_in_another_repository_is_ignored() -> None:
    of = log(ran("c1", "git commit -m x", commits=["A"]), elsewhere=["c1"])
    assert matched(of, commit("A")) == {}


def test_a_result_with_the_id_does_not_count_if_the_hook_named_another_sessions_call() -> None:
    of = log(ran("c1", "git cherry-pick x", commits=["A"]))
    assert matched(of, commit("A", by="codex:other", call="call_9")) == {}


def test_a_commit_with_another_sessions_environment_is_not_matched() -> None:
    of = log(ran("c1", "git commit -qm x"))
    assert matched(of, commit("A", subject="x", by=OTHER)) == {}


def test_without_environment_and_id_no_call_is_guessed() -> None:
    of = log(ran("c1", "git commit -qm x"))
    assert matched(of, commit("A", subject="x")) == {}


def test_quiet_commits_are_matched_in_their_order() -> None:
    of = log(ran("c1", "git commit -q"), ran("r", "ls"), ran("c2", "git commit -q"))
    assert matched(of, commit("A", by=ME), commit("B", by=ME)) == {
        oid("A"): ("c1", "agent"),
        oid("B"): ("c2", "agent"),
    }


def test_a_call_that_is_still_running_is_matched() -> None:
    of = log(ran("c1", "git commit -qm one", failed=True), ran("c2", "git commit -qm one", None))
    assert matched(of, commit("A", subject="one", by=ME)) == {oid("A"): ("c2", "agent")}


def test_two_commits_in_one_call_are_matched_to_it() -> None:
    of = log(ran("c1", "git commit -qm one && git commit -qm two"), ran("c2", "git commit -qm three"))
    commits = [commit(n, subject=s, by=ME) for n, s in (("A", "one"), ("B", "two"), ("C", "three"))]
    found = matched(of, *commits)
    assert [found[oid(n)][0] for n in "ABC"] == ["c1", "c1", "c2"]


def test_a_commit_and_its_amend_in_one_call_are_matched_to_it() -> None:
    of = log(ran("c1", "git commit -qm one && git commit -q --amend --no-edit"), ran("c2", "git status"))
    found = matched(of, commit("A", subject="one", by=ME), commit("B", subject="one", kind="amend", by=ME))
    assert [found[oid(n)][0] for n in "AB"] == ["c1", "c1"]


def test_an_amend_is_matched_to_the_call_that_amends() -> None:
    of = log(ran("c1", "git commit -qm one"), ran("c2", "git commit -q --amend --no-edit"))
    assert matched(of, commit("B", subject="one", kind="amend", by=ME)) == {oid("B"): ("c2", "agent")}


@pytest.mark.parametrize(
    "between",
    [
        pytest.param(ran("no", "git commit -qm x", "hook failed", failed=True), id="refused by a hook"),
        pytest.param(ran("no", "git commit -qm x; true", "nothing to commit, clean"), id="nothing staged"),
        pytest.param(ran("no", "git commit -qm other", commits=["Z"]), id="it made another one"),
        pytest.param(ran("no", "git commit -qm x --dry-run"), id="a dry run"),
        pytest.param(ran("no", "git merge-base x main"), id="a word that begins like a verb"),
    ],
)
def test_a_call_nearby_that_made_no_commit_is_not_matched(between: list[object]) -> None:
    for parts in ([between, ran("c", "git commit -qm x")], [ran("c", "git commit -qm x"), between]):
        of = log(*parts)  # type: ignore[arg-type]
        assert matched(of, commit("A", subject="x", by=ME)) == {oid("A"): ("c", "agent")}


def test_commits_of_a_loop_are_matched_to_its_call() -> None:
    of = log(ran("c", "for f in *; do git add $f; git commit -qm $f; done"), ran("d", "git commit -qm end"))
    commits = [commit(f"A{n}", subject=f"f{n}", by=ME) for n in range(20)]
    found = matched(of, *commits, commit("E", subject="end", by=ME))
    assert {found[c.id][0] for c in commits} == {"c"}
    assert found[oid("E")] == ("d", "agent")


@pytest.mark.parametrize(
    "command",
    ["./release.sh", "make release", "cd x && npm run release", "set -e\nbash tool/release", "a; (just go)"],
)
def test_a_script_is_matched_while_it_runs_or_by_content(command: str) -> None:
    """Otherwise a person may have made the commit."""
    assert matched(log(ran("l", "ls"), ran("c", command, None)), commit("A", by=ME)) == {
        oid("A"): ("c", "agent")
    }
    over = log(wrote("w", "f", "x\n"), ran("c", command))
    assert matched(over, commit("A", changed("f", "x"), by=ME)) == {oid("A"): ("c", "agent")}
    assert matched(over, commit("A", changed("g", "x"), by=ME)) == {}


def test_a_command_that_names_git_is_likelier_than_a_script() -> None:
    of = log(ran("s1", "python x.py"), ran("c", "git commit -q"), ran("s2", "make"))
    assert matched(of, commit("A", by=ME)) == {oid("A"): ("c", "agent")}


def test_the_call_with_the_subject_in_its_command_is_matched() -> None:
    of = log(ran("c1", "git commit -qm 'Fix it'"), ran("c2", "git commit -qm 'Test it'"))
    assert matched(of, commit("A", subject="Test it", by=ME)) == {oid("A"): ("c2", "agent")}


@pytest.mark.parametrize(
    "command",
    [
        "git commit -qmfix",
        "git commit -qF - <<< $'\\nfix'",
        "printf 'fix\\n\\nx' > m; git commit -qF m",
        "git commit -qF - <<E && git push\n\n  fix \nE",
        "git commit -qm \"$(cat <<'E'\nfix\n\nBecause\nE\n)\"",
        "git commit -qm '\nfix\n' -m Because",
        "git commit -qm @'\nfix\n\nBecause\n'@",
        "git commit -qm \\\n 'fix' \\\n -m 'Because'",
        "git commit -qm one && git commit -qm fix",
    ],
)
def test_the_subject_is_found_in_a_command_in_any_notation(command: str) -> None:
    of = log(ran("c1", command), ran("c2", "git commit -qF prefix"))
    assert matched(of, commit("A", subject="fix", by=ME)) == {oid("A"): ("c1", "agent")}


@pytest.mark.parametrize(
    "other",
    [
        "git commit -qam 'Parse sizes without regex'",
        "git commit -qam 'Parse sizes \"kB\" only'",
        "git commit -qam 'fixup! Parse sizes'",
        "git commit -qam 'Read them' -m 'Parse sizes'",
        "git commit -qam Read \\\n -m 'Parse sizes'",
        "git commit -qam 'Read' \\\n -m 'Parse sizes'",
        "git commit -qam \"$(cat <<'E'\nRead them\n\nParse sizes\n\nRefs: #1\nE\n)\"",
        "printf 'Read them\\n\\nParse sizes\\n' | git commit -qaF -",
        "git commit -qa --fixup ':/Parse sizes'",
    ],
)
def test_a_call_whose_message_only_contains_the_subject_gives_another_one(other: str) -> None:
    """Once, the first of two such commits got the second one's call, which was still running."""
    message = "git commit -qm 'Parse sizes'"
    one = commit("A", subject="Parse sizes", by=ME, time=100)
    running = dated(log(ran("c1", message), ran("c2", other, None)), 100.2, 100.4, 101)
    assert matched(running, one) == {oid("A"): ("c1", "agent")}
    before = dated(log(ran("c1", other), ran("c2", message)), 99.2, 99.6, 99.8, 100.2)
    assert matched(before, one) == {oid("A"): ("c2", "agent")}
    by_a_person = replace(one, terminal=True)
    assert matched(dated(log(ran("c1", other, None)), 99), by_a_person) == {}


@pytest.mark.parametrize("verb", ["cherry-pick", "revert", "am"])
def test_the_call_with_the_commits_kind_of_command_is_matched(verb: str) -> None:
    of = log(ran("c1", "git commit -q"), ran("c2", f"git {verb} x"), ran("c3", "git commit -q"))
    assert matched(of, commit("A", kind=verb, by=ME)) == {oid("A"): ("c2", "agent")}  # type: ignore[arg-type]


def test_a_matched_commit_limits_the_calls_of_the_commits_before_and_after() -> None:
    of = log(
        ran("c1", "git commit -q"), ran("c2", "git commit -m b", commits=["B"]), ran("c3", "git commit -q")
    )
    assert matched(of, commit("B", by=ME), commit("C", by=ME))[oid("C")][0] == "c3"
    assert matched(of, commit("A", by=ME), commit("B", by=ME))[oid("A")][0] == "c1"


def test_a_call_whose_commits_are_known_is_not_matched_again() -> None:
    """The next drain reads the turn again: a call whose commits are known made no others."""
    of = log(ran("c1", "git commit -qm one"), ran("c2", "./release"), ran("c3", "./release", None))
    known = [Anchor(call=0, commits=(oid("A"),))]
    found = match_commits(of, [commit("B", subject="one", by=ME)], known=known)
    assert [(m.commit, of.entries[m.call].event.id) for m in found] == [(oid("B"), "c3")]
    again = match_commits(of, [commit("A", subject="one", by=ME)], known=known)
    assert [(m.commit, m.call) for m in again] == [(oid("A"), 0)]


def test_an_anchor_by_content_does_not_use_up_its_call() -> None:
    of = log(ran("c1", "git commit -qm one"))
    known = [Anchor(call=0, commits=(oid("A"),), evidence="content")]
    assert [m.evidence for m in match_commits(of, [commit("A", by=ME)], known=known)] == ["agent"]


def test_a_call_in_another_repository_is_not_matched() -> None:
    of = log(ran("c1", "git commit -qm x"), ran("c2", "git commit -q"), elsewhere=["c1"])
    assert matched(of, commit("A", subject="x", by=ME)) == {oid("A"): ("c2", "agent")}


def test_calls_that_committed_in_another_repository_are_listed() -> None:
    of = log(
        asked("p"),
        ran("c1", "git commit -qm a; git commit -qm b"),
        ran("o", "git commit -m c"),
        ran("f", "git commit -m d", failed=True),
        said("m"),
        elsewhere=["o", "f"],
    )
    assert commits_elsewhere(of) == [index(of, "o")]


@pytest.mark.parametrize(
    ("command", "can"),
    [
        ("git commit -m x", True),
        ("cd /r && git -C sub commit", True),
        ('git -c user.name="A B" -c user.email=a@b commit', True),
        ("git -c 'core.editor=true' commit", True),
        ('git --git-dir="/a b/.git" --work-tree=/a commit', True),
        ("git --no-pager -P commit", True),
        ("git rebase -i main", True),
        ("git pull --rebase", True),
        ("git commit --dry-run", False),
        ("git commit --dry-run; git commit", True),
        ("git log --grep commit", False),
        ("git commit-tree x", False),
        ("git merge-base a b", False),
        ("legit commit", False),
        ("git status", False),
    ],
)
def test_commands_that_can_commit_are_recognized(command: str, can: bool) -> None:
    assert can_commit(command) is can


@pytest.mark.parametrize(
    "unit",
    some(
        [
            *(
                " --aa",
                "git commit ",
                "git -c ",
                'git -c "',
                "git -c '\"\"'",
                "git -c a'b'",
                " --a=b",
                " --a='",
                "-m",
            ),
            *(" ", "\n", ";", "; ", "\t;\n", "git ", "git  -", "'", "for ", " -mm", "git --git-dir="),
        ],
        7,
    ),
)
def test_a_hostile_command_is_read_quickly(unit: str) -> None:
    hostile = f"git{unit * (100_000 // len(unit))}"
    of = log(ran("c1", hostile), ran("c2", hostile[3:]), ran("c3", hostile, None))
    start = time.process_time()
    match_commits(of, [commit(f"A{n}", subject="x", by=ME) for n in range(10)])
    assert time.process_time() - start < 10.0


def test_a_verb_at_either_end_of_a_long_command_is_found() -> None:
    body = "text " * 50_000
    assert can_commit(f"cat > f <<'E'\n{body}\nE\ngit commit -qm x")
    assert can_commit(f"git commit -F - <<'E'\n{body}\nE")


def test_a_long_session_is_matched_quickly() -> None:
    of = log(*(ran(f"c{n}", f"for f in a b; do git commit -qm 'part {n}'; done") for n in range(300)))
    commits = [commit(f"A{n}", subject=f"part {n}", by=ME) for n in range(0, 300, 10)]
    start = time.process_time()
    found = matched(of, *commits)
    assert time.process_time() - start < 10.0
    assert [found[c.id][0] for c in commits] == [f"c{n}" for n in range(0, 300, 10)]


def test_many_scripts_and_edits_are_compared_quickly() -> None:
    parts = [[*wrote(f"w{n}", f"f{n}", "x"), *ran(f"r{n}", "make test")] for n in range(400)]
    of = log(*parts)
    commits = [commit(f"A{n}", changed("other", "y"), by=ME) for n in range(20)]
    start = time.process_time()
    assert matched(of, *commits, commit("B", changed("f399"), by=ME)) == {oid("B"): ("r399", "agent")}
    assert time.process_time() - start < 2.0


def dated(of: Log, *times: float) -> Log:
    """Return the log with these times of its entries, in seconds since 1970."""
    stamps = (datetime.fromtimestamp(at, UTC).isoformat() for at in times)
    entries = (replace(e, event=replace(e.event, ts=ts)) for e, ts in zip(of.entries, stamps, strict=True))
    return replace(of, entries=tuple(entries))


@pytest.mark.parametrize("second", ["for i in 1 2; do git commit -qm a && break; done", "./release"])
@pytest.mark.parametrize("whole_seconds", [False, True])
def test_of_two_equally_fitting_calls_the_one_that_ran_at_the_time_is_matched(
    second: str, whole_seconds: bool
) -> None:
    first = "git commit -qm a" if "git" in second else "./release"
    of = dated(log(ran("c1", first), ran("c2", second)), 100.2, 100.6, 101.4, 101.8)
    times = (100, 101) if whole_seconds else (100.5, 101.7)
    one, two = (commit(name, subject="a", by=ME, time=at) for name, at in zip("AB", times, strict=True))
    assert matched(of, one, two) == {oid("A"): ("c1", "agent"), oid("B"): ("c2", "agent")}


def test_a_short_subject_is_not_found_in_other_words() -> None:
    of = log(ran("c1", "git commit -qm 'a'"), ran("c2", "git add -A && git commit -qF message"))
    assert matched(of, commit("A", subject="a", by=ME)) == {oid("A"): ("c1", "agent")}


@pytest.mark.parametrize(
    ("start", "known", "expected"),
    [
        (0, (), None),
        (0, ("2026-03-01T10:00:00Z",), False),
        (9, (), False),
        (9, ("2026-03-01T12:00:00Z",), None),
    ],
)
def test_whether_a_commit_older_than_a_log_fits_its_calls(
    start: int, known: tuple[str, ...], expected: bool | None
) -> None:
    """If a commit is older than the whole log, its time was set by hand and proves nothing (None). If it is
    older only than the events read now, because the log began earlier, no call of these made it."""
    read = log(ran("a", "./build"))
    dated = tuple(replace(e, event=replace(e.event, ts="2026-03-01T12:00:00Z")) for e in read.entries)
    rest = replace(read, entries=dated, start=start, facts={"started_at": known} if known else {})
    changes = CommitChanges(commit=oid("c"), subject="c", parents=(), time=1772362800, paths=())  # 11:00
    assert ran_at(rest, 0, Commit(id=oid("c"), changes=changes)) is expected
    elsewhere = Commit(id=oid("c"), changes=changes, seen=False)
    assert ran_at(rest, 0, elsewhere) is False


@pytest.mark.parametrize(("second", "by_hook"), [(101, True), (102, True), (104, False)])
def test_a_commit_by_a_users_hook_is_matched_to_the_call_until_that_ends(
    second: float, by_hook: bool
) -> None:
    """A commit made after the call ended is that of another process with the session's environment."""
    of = dated(log(ran("c1", "git commit -qm one")), 100, 103)
    one = commit("A", subject="one", by=ME, time=101)
    changes = CommitChanges(oid("B"), (oid("A"),), "bump", (), second)
    bump = replace(commit("B", by=ME), changes=changes)
    assert (oid("B") in matched(of, one, bump)) is by_hook
    assert oid("B") not in matched(of, one, replace(bump, terminal=True))


@pytest.mark.parametrize("call", ["c1", None])
def test_a_persons_commit_with_a_sessions_environment_is_not_matched(call: str | None) -> None:
    """The person commits in a terminal that a call opened, or types into the agent, after the call ended."""
    of = dated(log(ran("c1", "git commit -qm x")), 100, 101)
    now, later = (commit("A", subject="x", by=ME, call=call, time=at) for at in (101, 200))
    assert matched(of, now) == {oid("A"): ("c1", "agent")}
    assert matched(of, later) == {}
