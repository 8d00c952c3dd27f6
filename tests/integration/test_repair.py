"""Records are never lost: repaired after any rewrite, carried by hand, or forgotten for good.

Docstrings that begin with "Edge cases" name lines of ``docs/edge-cases.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.git import patch_ids, read_reflog
from gittraj.history.find import find_rewrites
from gittraj.model.codec import decode_note, encode_line, encode_note
from gittraj.model.values import Link, Origin, Range, Record, SessionInfo, Tombstone
from gittraj.notes.merge import merge_notes, standing
from gittraj.notes.store import NotesRef
from gittraj.record.drain import moved
from tests.e2e.scenario import Shell, Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.records import install
from tests.integration.repository import Git
from tests.sizes import in_turn

NOTES = "refs/notes/traj"
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


@dataclass(frozen=True)
class Output:
    """A command's output."""

    out: str
    err: str
    status: int

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def traj(git: Git, *arguments: str) -> Output:
    done = command.traj(git.root, *arguments)
    return Output(done.stdout, done.stderr, done.returncode)


def repair(git: Git, *arguments: str) -> dict[tuple[str, str], str]:
    """Repair; return the pairs (old, new) with their evidence."""
    output = traj(git, "repair", "--json", *arguments)
    assert output.status == 0, output.err
    return {(row["old"], row["new"]): row["evidence"] for row in output.json["carried"]}


def stranded(git: Git, *arguments: str) -> list[str]:
    return [row["commit"] for row in traj(git, "repair", "--json", *arguments).json["stranded"]]


def tip(git: Git) -> str:
    return git("for-each-ref", "--format=%(objectname)", NOTES)


def record(git: Git, commit: str, name: str = "traj_a", **fields: Any) -> None:
    """Write a record as a drain would: not carried, and with the commit's patch-id."""
    with git.open() as repository:
        origin = Origin(commit=commit, patch_id=patch_ids(repository, [commit]).get(commit))
        first = f"e{commit[:6]}"
        line = Record(
            id=name,
            link=Link(evidence="agent", call="c1"),
            range=Range(first=first, last=first, n=1, at=0),
            origin=origin,
            whole=SessionInfo(agent="codex", session="s1"),
            **fields,
        )
        NotesRef(repository).write(
            {commit: lambda body: merge_notes(commit, body, encode_note([line]))}, message="x"
        )


def records_on(git: Git, rev: str) -> list[Record]:
    commit = git("rev-parse", rev)
    with git.open() as repository:
        return standing(commit, decode_note(NotesRef(repository).read(commit) or b""))


def origins(git: Git, rev: str) -> list[str]:
    """Return the commits on which a commit's records were first written."""
    return sorted({r.origin.commit for r in records_on(git, rev) if r.origin})


def forget_reflogs(git: Git) -> None:
    git("reflog", "expire", "--expire=now", "--all")


@pytest.fixture
def topic(git: Git) -> list[str]:
    """``main`` has ``base`` and ``upstream``; ``topic`` is checked out, with two recorded commits a and b."""
    git.commit({"base": "1\n"}, "base")
    git("checkout", "-q", "-b", "topic")
    made = [git.commit({name: f"{name}\n" * 3}, name) for name in "ab"]
    git("checkout", "-q", "main")
    git.commit({"upstream": "1\n"}, "upstream")
    git("checkout", "-q", "topic")
    for commit in made:
        record(git, commit)
    return made


def rebase(git: Git) -> None:
    git("rebase", "-q", "main")


def squash(git: Git) -> None:
    git("checkout", "-q", "main")
    git("merge", "-q", "--squash", "topic")
    git("commit", "-q", "-m", "Both (#7)")
    git("branch", "-q", "-D", "topic")


def pick(git: Git) -> None:
    git("checkout", "-q", "main")
    git("cherry-pick", "topic~1", "topic")
    git("branch", "-q", "-D", "topic")


def recommit(git: Git) -> None:
    git("reset", "-q", "--soft", "main~1")
    git("commit", "-q", "-m", "all of it")


def plumb(git: Git) -> None:
    """Rewrite as tools for stacked branches do: no hook, and no kind in the reflog."""
    parent = git("rev-parse", "main")
    aside = {"GIT_INDEX_FILE": str(git.root / ".git" / "aside")}
    for old in git("rev-list", "--reverse", "main..topic").splitlines():
        git("read-tree", parent, env=aside)
        git("apply", "--cached", input=git.raw("diff", f"{old}^", old), env=aside)
        message = git("log", "-1", "--format=%s", old)
        parent = git("commit-tree", git("write-tree", env=aside), "-p", parent, "-m", message)
    git("update-ref", "-m", "stack", "refs/heads/topic", parent)
    git("reset", "-q", "--hard")


def expect(git: Git, way: Any, made: Sequence[str]) -> dict[str, list[str]]:
    """Return the commits that each original commit must have become."""
    if way in (squash, recommit):
        return {old: [git.head()] for old in made}
    return {made[0]: [git("rev-parse", "HEAD~1")], made[1]: [git.head()]}


WAYS = {way.__name__: way for way in (rebase, squash, pick, recommit, plumb)}


@in_turn("way", "kept", WAYS, {"reflog": True, "expired": False})
def test_repair_follows_a_rewrite(git: Git, topic: list[str], way: Any, kept: bool) -> None:
    """Edge cases, line on amend and rebase, and line on cherry-pick, reset, squash and stacked branches."""
    way(git)
    if not kept:
        forget_reflogs(git)
    expected = {(old, new) for old, news in expect(git, way, topic).items() for new in news}
    assert repair(git, "--dry-run").keys() == expected
    before = tip(git)
    assert repair(git).keys() == expected
    assert tip(git) != before
    for old, new in expected:
        assert old in origins(git, new)
        for carried in records_on(git, new):
            assert carried.link.evidence == "agent"
            assert set(carried.link.carried_from) <= set(topic)
            assert carried.link.carried_from
    after = tip(git)
    assert repair(git) == {}
    assert tip(git) == after


def test_a_dry_run_writes_no_ref_and_no_state(git: Git, topic: list[str]) -> None:
    rebase(git)
    refs = git("for-each-ref")
    output = traj(git, "repair", "--dry-run")
    assert output.out.count("would carry") == 2
    assert git("for-each-ref") == refs
    assert not (git.root / ".git" / "traj").exists()


def test_the_output_of_repair(git: Git, topic: list[str]) -> None:
    git("checkout", "-q", "main")
    git("cherry-pick", topic[0])
    git("branch", "-q", "-D", "topic")
    output = traj(git, "repair", "--json", "--dry-run").json
    assert output == {
        "version": 1,
        "dryRun": True,
        "carried": [{"old": topic[0], "new": git.head(), "evidence": "reflog"}],
        "stranded": [{"commit": topic[1], "trajectories": ["traj_a"], "here": True}],
    }
    done = traj(git, "repair")
    assert done.err.endswith("; git traj unlink COMMIT removes those of a discarded commit\n")
    assert done.out.splitlines() == [
        f"carried {topic[0][:12]} to {git.head()[:12]} (reflog)",
        f"left on {topic[1][:12]}: traj_a; no evidence of where it went",
    ]
    status = traj(git, "status", "--json").json
    assert status["stranded"] == [topic[1]]
    assert "1 commit no longer reachable" in traj(git, "status").out
    git("branch", "again", topic[1])
    output = traj(git, "repair")
    assert (output.out, output.status) == ("", 0)
    assert output.err == "nothing to repair: every record, or a copy of it, is on a reachable commit\n"


def test_a_range_limits_the_targets_or_the_originals(git: Git, topic: list[str]) -> None:
    rebase(git)
    a, b = git("rev-parse", "HEAD~1", "HEAD").splitlines()
    assert repair(git, "--dry-run", "HEAD~1..HEAD").keys() == {(topic[1], b)}
    assert repair(git, "--dry-run", f"{topic[0]}~1..{topic[0]}").keys() == {(topic[0], a)}
    assert repair(git, "--dry-run", "main") == {}
    output = traj(git, "repair", "nothing..here")
    assert (output.status, output.out, output.err.count("\n")) == (1, "", 2)
    assert "'nothing..here' names no commits here" in output.err


def test_a_fresh_clone_knows_old_commits_by_their_patches(git: Git, topic: list[str], tmp_path: Path) -> None:
    """Edge cases, line on merging when a note's commit is absent: the rewritten commits were never pushed."""
    rebase(git)
    git("push", "-q", str(git.root / ".git"), "HEAD:refs/heads/shown")
    Git(tmp_path)("clone", "-q", "--no-local", str(git.root), "clone")
    clone = Git(tmp_path / "clone")
    clone("fetch", "-q", "origin", f"{NOTES}:{NOTES}")
    assert not clone.succeeds("cat-file", "-e", topic[0])
    expected = {(topic[0], git("rev-parse", "HEAD~1")), (topic[1], git.head())}
    assert set(repair(clone).items()) == {(pair, "patch-id") for pair in expected}
    after = tip(clone)
    assert (repair(clone), stranded(clone), tip(clone)) == ({}, [], after)


def test_a_fresh_clone_reports_missing_commits(git: Git, topic: list[str], tmp_path: Path) -> None:
    squash(git)
    Git(tmp_path)("clone", "-q", "--no-local", str(git.root), "clone")
    clone = Git(tmp_path / "clone")
    clone("fetch", "-q", "origin", f"{NOTES}:{NOTES}")
    output = traj(clone, "repair", "--json").json
    assert output["carried"] == []
    assert {(row["commit"], row["here"]) for row in output["stranded"]} == {(c, False) for c in topic}
    assert traj(clone, "status", "--json").json["stranded"] == []


@pytest.mark.parametrize("ref", ["refs/pull/7/head", "refs/merge-requests/7/head", "refs/remotes/o/pr/7"])
def test_a_server_s_squash_in_a_clone_that_fetched_the_pull_request(
    git: Git, topic: list[str], tmp_path: Path, ref: str
) -> None:
    """Edge cases, line on server-side merges and a deleted branch."""
    git("update-ref", "refs/pull/7/head", topic[1])
    squash(git)
    Git(tmp_path)("clone", "-q", "--no-local", str(git.root), "clone")
    clone = Git(tmp_path / "clone")
    clone("fetch", "-q", "origin", f"{NOTES}:{NOTES}", f"refs/pull/7/head:{ref}")
    found = repair(clone)
    assert found == {(old, git.head()): "squash" for old in topic}
    assert origins(clone, "HEAD") == sorted(topic)
    assert repair(clone) == {}


def test_a_server_s_squash_with_a_different_patch_is_found_by_the_pull_requests_number(git: Git) -> None:
    """A neighbouring line moved: the number in the subject and the same paths identify a single commit."""
    lines = [f"{n}\n" for n in range(12)]
    git.commit({"f": "".join(lines)}, "base")
    git("checkout", "-q", "-b", "topic")
    old = [git.commit({"f": "".join(lines[:10]) + "ten\n" + last}, last) for last in ("11\n", "eleven\n")]
    git("checkout", "-q", "main")
    git.commit({"f": "".join([*lines[:8], "eight\n", *lines[9:]])}, "upstream")
    git.commit({"g": "1\n"}, "names it too (#8)")
    git("merge", "-q", "--squash", "topic")
    git("commit", "-q", "-m", "Both (#7)")
    squashed = git.head()
    git.commit({"g": "2\n"}, "Later (#9)")
    git("branch", "-q", "-D", "topic")

    def find() -> list[tuple[str, str, str]]:
        with git.open() as repository:
            return [(found.old, found.new, found.source) for found in find_rewrites(repository, old)]

    assert find() == []
    git("update-ref", "refs/pull/8/head", old[1])
    assert find() == []
    git("update-ref", "refs/pull/7/head", old[1])
    assert find() == [(c, squashed, "pull") for c in old]
    git.commit({"f": "other\n"}, "A fix after the merge (#7)")
    assert find() == []


def test_a_server_rebases_a_pull_request(git: Git, topic: list[str], tmp_path: Path) -> None:
    git("update-ref", "refs/pull/7/head", topic[1])
    pick(git)
    forget_reflogs(git)
    assert repair(git) == {
        (topic[0], git("rev-parse", "HEAD~1")): "patch-id",
        (topic[1], git.head()): "patch-id",
    }


def test_upstream_commits_get_nothing(git: Git, topic: list[str]) -> None:
    """Edge cases, line on upstream commits brought in by a rebase."""
    rebase(git)
    repair(git)
    assert records_on(git, "main") == []


def test_a_revert_does_not_count_as_a_copy(git: Git, topic: list[str]) -> None:
    git("revert", "--no-edit", topic[1])
    git("revert", "--no-edit", "HEAD")
    assert (repair(git), stranded(git)) == ({}, [])


def test_a_record_on_the_target_is_kept(git: Git, topic: list[str]) -> None:
    """Edge cases, line on an authoritative record on the target of a carry."""
    rebase(git)
    record(git, git.head(), "traj_b")
    repair(git)
    assert {r.id: r.link.carried_from for r in records_on(git, "HEAD")}["traj_b"] == ()
    assert {r.id for r in records_on(git, "HEAD")} == {"traj_a", "traj_b"}


def test_unborn_root_empty_octopus_and_detached(git: Git, tmp_path: Path) -> None:
    """Edge cases, the line of that name."""
    assert (repair(git), stranded(git)) == ({}, [])
    root = git.commit({"a": "1\n"}, "root")
    record(git, root)
    git("commit", "-q", "--amend", "-m", "root again")
    empty = git.commit(message="empty")
    record(git, empty)
    git("commit", "-q", "--amend", "--allow-empty", "-m", "empty again")
    for name in "xy":
        git("checkout", "-q", "-b", name, "main")
        git.commit({name: "1\n"}, name)
    git("checkout", "-q", "--detach", "main")
    git.commit({"z": "1\n"}, "z")
    git("merge", "-q", "--no-edit", "x", "y")
    octopus = git.head()
    record(git, octopus)
    git("commit", "-q", "--amend", "-m", "octopus again")
    new = git("rev-parse", "HEAD~2", "HEAD~3").splitlines()
    assert repair(git).keys() == {(octopus, git.head()), (empty, new[0]), (root, new[1])}
    assert repair(git) == {}


def test_a_rewrite_in_one_worktree_is_repaired_from_another(
    git: Git, topic: list[str], tmp_path: Path
) -> None:
    """Edge cases, line on two worktrees: rewritten in one, repaired from the other."""
    git("checkout", "-q", "main")
    git("worktree", "add", "-q", str(tmp_path / "tree"), "topic")
    linked = Git(tmp_path / "tree")
    rebase(linked)
    linked("checkout", "-q", "--detach")
    git("branch", "-q", "-D", "topic")
    assert repair(git).keys() == {(topic[0], linked("rev-parse", "HEAD~1")), (topic[1], linked.head())}
    assert repair(linked) == {}


def test_carry_by_hand(git: Git, topic: list[str]) -> None:
    git("checkout", "-q", "main")
    output = traj(git, "carry", "--from", f"{topic[0]}~1..{topic[1]}", "--onto", "main")
    assert output.out.splitlines() == [f"carried {c[:12]} to {git.head()[:12]}: traj_a" for c in topic[::-1]]
    assert origins(git, "main") == sorted(topic)
    assert [(r.link.evidence, r.link.carried_from) for r in records_on(git, "main")] == [
        ("agent", (r.origin.commit,)) for r in records_on(git, "main") if r.origin
    ]
    after = tip(git)
    assert traj(git, "carry", "--from", f"{topic[0]}~1..{topic[1]}", "--onto", "main").status == 0
    assert tip(git) == after
    traj(git, "unlink", "main")
    assert records_on(git, "main") == []
    traj(git, "carry", "--from", topic[0], "--onto", "main")
    assert origins(git, "main") == [topic[0]]


@pytest.mark.parametrize(
    ("source", "onto", "complaint"),
    [
        ("a..nothing", "main", "'a..nothing' names no commits here"),
        ("a", "--x", "'--x' is not a commit here"),
    ],
)
def test_carry_of_a_bad_revision(git: Git, topic: list[str], source: str, onto: str, complaint: str) -> None:
    output = traj(git, "carry", f"--from={source}", f"--onto={onto}")
    assert (output.status, output.out) == (1, "")
    assert output.err.startswith(f"error: {complaint}\nhint: ")


def test_carry_of_nothing(git: Git, topic: list[str]) -> None:
    output = traj(git, "carry", "--from", "main", "--onto", "topic")
    assert (output.status, output.out) == (0, "")
    assert output.err == "nothing to carry: no commit of main has a trajectory\n"


def test_unlink_on_the_old_commit_removes_nothing_else_from_the_new(git: Git, topic: list[str]) -> None:
    traj(git, "unlink", topic[0])
    squash(git)
    repair(git)
    assert origins(git, "HEAD") == [topic[1]]


# ---------------------------------------------------------------- the drain


@pytest.fixture
def session(git: Git) -> ClaudeSession:
    return ClaudeSession(git.root)


@pytest.fixture
def begun(git: Git, session: ClaudeSession) -> Git:
    """Install hooks that git does not run; a session made two commits on a branch; ``main`` has a new one."""
    git.commit({"base": "1\n"}, "base")
    install(git)
    git("config", "core.hooksPath", "/dev/null")
    git("checkout", "-q", "-b", "topic")
    session.run(
        [
            turn(Write("a", "a\n" * 3), Shell("git add . && git commit -m a")),
            turn(Write("b", "b\n" * 3), Shell("git add . && git commit -m b")),
            turn(say="Done"),
        ],
        prompt="Write",
    )
    git("checkout", "-q", "main")
    git.commit({"upstream": "1\n"}, "upstream")
    git("checkout", "-q", "topic")
    return git


@in_turn("way", "drained", WAYS, {"later": True, "at once": False})
def test_a_drain_finds_what_dead_hooks_missed(begun: Git, way: Any, drained: bool) -> None:
    made = begun("rev-parse", "HEAD~1", "HEAD").splitlines()
    if drained:
        traj(begun, "log")
        assert origins(begun, made[0]) == [made[0]]
    way(begun)
    shown = traj(begun, "log", "--json").json["commits"]
    expected = expect(begun, way, made)
    assert {c["commit"] for c in shown} == {new for news in expected.values() for new in news}
    for old, news in expected.items():
        assert all(old in {c for r in records_on(begun, new) for c in r.link.carried_from} for new in news)
    assert repair(begun) == {}
    after = tip(begun)
    traj(begun, "log")
    assert tip(begun) == after


def test_a_drain_after_pull_rebase_and_a_second_pick(begun: Git, tmp_path: Path) -> None:
    """Edge cases, line on pull --rebase; another branch gets a copy, upstream commits nothing."""
    traj(begun, "log")
    made = begun("rev-parse", "HEAD~1", "HEAD").splitlines()
    begun("remote", "add", "origin", str(begun.root))
    begun("pull", "-q", "--rebase", "origin", "main")
    assert [c["subject"] for c in traj(begun, "log", "--json").json["commits"]] == ["b", "a"]
    assert records_on(begun, "HEAD")[0].link.carried_from == (made[1],)
    begun("checkout", "-q", "-b", "release", "main~1")
    later = {"GIT_COMMITTER_DATE": "2026-02-02T03:04:05Z"}  # else it would equal the rebased commit
    begun("cherry-pick", "topic~1", env=later)
    begun("checkout", "-q", "topic")
    traj(begun, "log")
    assert records_on(begun, "release")[0].link.carried_from
    assert records_on(begun, "main") == []


def test_a_drain_reads_no_history_for_an_ordinary_commit(begun: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    begun("checkout", "-q", "main")
    begun("merge", "-q", "--no-edit", "topic")
    traj(begun, "log")
    begun.commit({"mine": "1\n"}, "mine")
    traj(begun, "log")
    with begun.open() as repository:
        entries = read_reflog(repository, repository.git_dir, None)[0][-1:]
        monkeypatch.setattr(moved, "find_rewrites", lambda *_, **__: pytest.fail("it read history"))
        fresh = moved.find_fresh(repository, entries)
        assert [*fresh] == [begun.head()]
        assert moved.find_moved(repository, fresh, (), rewrites={}, taken=(), silent=()) == []


def test_commits_rewritten_while_off_get_no_records(begun: Git) -> None:
    traj(begun, "log")
    begun("config", "--unset", "core.hooksPath")
    begun("commit", "-q", "--amend", "-m", "b, quietly", env={"GIT_TRAJ": "0"})
    traj(begun, "log")
    begun("config", "core.hooksPath", "/dev/null")
    begun("rebase", "-q", "main")
    assert [c["subject"] for c in traj(begun, "log", "--json").json["commits"]] == ["a"]
    traj(begun, "repair")
    assert records_on(begun, "HEAD") == []


def test_a_squash_that_was_given_up_is_not_a_source_of_the_next_commit(begun: Git) -> None:
    """git keeps its SQUASH_MSG until the next commit, whatever that is."""
    begun("config", "--unset", "core.hooksPath")
    begun("checkout", "-q", "main")
    begun("cherry-pick", "topic~1", "topic")
    traj(begun, "log")
    begun("merge", "-q", "--squash", "topic")
    assert not begun.succeeds("commit", "-q", "-m", "squashed")
    assert (begun.root / ".git" / "SQUASH_MSG").exists()
    begun.commit({"mine": "1\n"}, "mine")
    traj(begun, "log")
    assert records_on(begun, "HEAD") == []
    assert records_on(begun, "HEAD~1") != []


@pytest.mark.parametrize("drained", [True, False], ids=["later", "at once"])
def test_each_piece_of_a_split_commit_gets_the_work_in_it(begun: Git, drained: bool) -> None:
    """A person's lines and two calls' work are in one commit, which becomes a commit for each file."""
    made = begun("rev-parse", "HEAD~1", "HEAD").splitlines()
    begun("reset", "-q", "--soft", "HEAD~2")
    begun.commit({"mine": "1\n"}, "all of it")
    if drained:
        traj(begun, "log")
    begun("reset", "-q", "HEAD^")
    for path in ("a", "b", "mine"):
        begun("add", path)
        begun("commit", "-q", "-m", path)
    traj(begun, "log")
    traj(begun, "repair")
    assert origins(begun, "HEAD~2") == [made[0]]
    assert origins(begun, "HEAD~1") == [made[1]]
    assert records_on(begun, "HEAD") == []
    assert repair(begun) == {}


def test_installed_in_the_middle_of_a_rebase(git: Git, topic: list[str]) -> None:
    """Edge cases, the line of that name; and a pruned reflog."""
    git("checkout", "-q", "main")
    git.commit({"b": "theirs\n"}, "theirs")
    git("checkout", "-q", "topic")
    assert not git.succeeds("rebase", "-q", "main")
    install(git)
    git.write({"b": "both\n"})
    git("add", "b")
    git(*NO_HOOKS, "rebase", "--continue", env={"GIT_EDITOR": "true"})
    traj(git, "log")
    forget_reflogs(git)
    repair(git)
    assert origins(git, "HEAD~1") == [topic[0]]
    assert origins(git, "HEAD") in ([topic[1]], [])


# ---------------------------------------------------------------- forget and unlink


def test_forget_removes_a_trajectory_from_every_commit(begun: Git) -> None:
    traj(begun, "log")
    rebase(begun)
    traj(begun, "log")
    (trajectory,) = {r.id for r in records_on(begun, "HEAD")}
    output = traj(begun, "forget", trajectory)
    assert output.out.splitlines() == [
        f"{trajectory} was removed from every commit and will not be stored again",
        "unlinked from 4 commits",
    ]
    assert traj(begun, "log", "--all", "--json").json["commits"] == []
    after = tip(begun)
    assert traj(begun, "forget", trajectory[:12]).out.splitlines()[-1] == "unlinked from 0 commits"
    assert tip(begun) == after


def test_a_forgotten_session_is_never_stored_again(begun: Git, session: ClaudeSession) -> None:
    traj(begun, "log")
    (trajectory,) = {r.id for r in records_on(begun, "HEAD")}
    traj(begun, "forget", session.session)
    state = begun.root / ".git" / "traj"
    for lost in ((), ("cursors.json",), ("cursors.json", "off.json")):  # the tombstones are enough
        for name in lost:
            (state / name).unlink()
        session.run([turn(Write("c", f"{lost}\n"), Shell("git add . && git commit -m c"))], prompt="More")
        assert traj(begun, "log", "--all", "--json").json["commits"] == []
        assert records_on(begun, "HEAD") == []
    traj(begun, "pause")
    traj(begun, "resume")
    assert (
        "was removed with git traj forget" in traj(begun, "link", "HEAD", "--session", str(session.log)).err
    )
    assert traj(begun, "backfill", "--json").status == 0
    traj(begun, "import", str(session.log))
    assert traj(begun, "log", "--all", "--json").json["commits"] == []
    assert {r.id for body in [*_bodies(begun)] for r in body} == {trajectory}


def test_forget_before_anything_is_stored(begun: Git, session: ClaudeSession) -> None:
    output = traj(begun, "forget", f"claude-code:{session.session}")
    assert output.out.splitlines()[-1] == "unlinked from 0 commits"
    assert traj(begun, "log", "--all", "--json").json["commits"] == []


def test_forget_withdraws_explored_and_carried_work(git: Git, topic: list[str]) -> None:
    record(git, git("rev-parse", "main"), role="explored")
    squash(git)
    repair(git)
    traj(git, "forget", "s1")
    assert [records_on(git, rev) for rev in (*topic, "main", "main~1")] == [[], [], [], []]


def test_forget_an_unknown_trajectory(git: Git, topic: list[str]) -> None:
    output = traj(git, "forget", "nobody")
    assert (output.status, output.out) == (1, "")
    assert output.err.startswith("error: no trajectory or session 'nobody' is known here\nhint: ")


@pytest.mark.parametrize("command", ["unlink", "forget"])
def test_forgetting_survives_git_s_own_union(git: Git, topic: list[str], command: str) -> None:
    """Another clone still has the records, with later revisions; plain git joins both, either way round."""
    before = tip(git)
    traj(git, *((command, "topic") if command == "unlink" else (command, "traj_a")))
    mine = tip(git)
    git("update-ref", NOTES, before)
    record(git, git("rev-parse", "main"), "traj_c")
    with git.open() as repository:
        head = git.head()
        more = records_on(git, "topic")[0]
        line = encode_line(replace(more, range=Range(first="z", last="z", n=1, at=9)))
        NotesRef(repository).write({head: lambda body: body + line + b"\n"}, message="theirs")
    theirs = tip(git)
    for ours, other in ((mine, theirs), (theirs, mine)):
        git("update-ref", NOTES, ours)
        git("update-ref", "refs/notes/other", other)
        git("notes", "--ref=traj", "merge", "-q", "-s", "cat_sort_uniq", "other")
        assert records_on(git, "topic") == []
        assert len(records_on(git, "topic~1")) == (command == "unlink")
        assert [r.id for r in records_on(git, "main")] == ["traj_c"]


def test_a_session_forgotten_in_another_clone_is_withdrawn_here_too(
    begun: Git, session: ClaudeSession
) -> None:
    traj(begun, "log")
    first = tip(begun)
    (trajectory,) = {r.id for r in records_on(begun, "HEAD")}
    traj(begun, "forget", trajectory)
    forgotten = tip(begun)
    state = begun.root / ".git" / "traj"
    begun("update-ref", NOTES, first)
    begun("reflog", "expire", "--expire=now", NOTES)  # otherwise the old records would be restored from it
    (state / "off.json").unlink()
    (state / "cursors.json").unlink()
    session.run([turn(Write("c", "c\n"), Shell("git add . && git commit -m c"))], prompt="More")
    traj(begun, "log")
    assert {r.id for r in records_on(begun, "HEAD")} == {trajectory}
    begun("update-ref", "refs/notes/other", forgotten)
    begun("notes", "--ref=traj", "merge", "-q", "-s", "cat_sort_uniq", "other")
    assert records_on(begun, "HEAD") != []
    begun.commit({"mine": "1\n"}, "mine")
    assert traj(begun, "log", "--all", "--json").json["commits"] == []
    assert records_on(begun, "HEAD~1") == []


def _bodies(git: Git) -> Iterator[list[Record]]:
    with git.open() as repository:
        for _, body in NotesRef(repository).items():
            lines = decode_note(body)
            assert any(isinstance(line, Tombstone) for line in lines)
            yield [line for line in lines if isinstance(line, Record)]
