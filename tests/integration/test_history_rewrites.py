"""Amends and rebases, by people and by agents: edge cases 10 and 11 of ``docs/edge-cases.md``.

``desk``: a repository where agents commit, recorded at once. ``each_desk``: at once, or only at the end."""

from __future__ import annotations

import json

import pytest

from tests.e2e.scenario import Edit, Shell, Write
from tests.integration.desk import Desk
from tests.integration.todo import edit_todo

QUIET = {"GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true"}
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
EACH = {name: {name} for name in "abc"}


@pytest.fixture
def topic(desk: Desk) -> Desk:
    return desk.branch_off("a", "b", "c")


@pytest.fixture
def clash(desk: Desk) -> Desk:
    """Like ``topic``, but ``main`` has another ``b``."""
    desk.git.write({"b": "theirs\n"})
    desk.git("stash", "-q", "--include-untracked")
    desk.branch_off("a", "b", "c")
    desk.git("checkout", "-q", "main")
    desk.git("stash", "pop", "-q")
    desk.git.commit(message="their b")
    desk.git("checkout", "-q", "topic")
    return desk


def test_edge_10_a_person_amends_three_times(each_desk: Desk) -> None:
    each_desk.commit("a")
    for n in range(3):
        each_desk.git.write({"a": f"a\na\na\nmore {n}\n", f"left out {n}": "mine\n"})
        each_desk.git("add", "a")
        assert each_desk.run_git("commit", "--amend", "--no-edit") == 0
    each_desk.check({"a": {"a"}})


@pytest.mark.parametrize("commit", ["", "git add a && git commit -m a"], ids=["person", "agent"])
def test_edge_10_a_person_amends_a_commit_whose_date_is_before_the_work(desk: Desk, commit: str) -> None:
    """The amended commit has the first one's records, and none of its own."""
    desk.work("a", Write("a", "a\n" * 3), *([Shell(commit)] if commit else []))
    first = desk.git.head() if commit else desk.git.commit({}, "a")
    desk.drain()
    desk.git.write({"mine": "mine\n"})
    desk.git("add", "mine")
    assert desk.run_git("commit", "--amend", "--no-edit") == 0
    desk.commit("b")
    desk.check({"a": {"a"}, "b": {"b"}})
    records = [json.loads(line) for line in desk.git("notes", "--ref", "traj", "show", "HEAD~1").splitlines()]
    assert {record["origin"]["commit"] for record in records} == {first}


def test_edge_10_a_person_amends_with_a_part_of_a_file(each_desk: Desk) -> None:
    lines = [f"{n}\n" for n in range(20)]
    each_desk.commit("a", "".join(lines))
    lines[0], lines[19] = "staged\n", "not staged\n"
    each_desk.git.write({"a": "".join(lines)})
    each_desk.git("add", "--patch", "a", input="y\nn\n")
    assert each_desk.run_git("commit", "--amend", "--message", "b") == 0
    assert each_desk.git("status", "--short") == " M a"
    each_desk.check({"b": {"a"}})


def test_edge_10_an_agent_amends_three_times(each_desk: Desk) -> None:
    each_desk.commit("a")
    for n in range(3):
        step = Write("a", f"a\nmore {n}\n" * 3), Shell("git commit --all --amend --no-edit")
        each_desk.work(f"amend {n}", *step)
    each_desk.check({"a": {"a", "amend 0", "amend 1", "amend 2"}})


@pytest.mark.parametrize("way", ["--merge", "--apply", "--rebase-merges", "--exec=true"])
def test_edge_10_rebase(each_desk: Desk, way: str) -> None:
    each_desk.branch_off("a", "b", "c")
    assert each_desk.run_git("rebase", way, "main") == 0
    each_desk.check(EACH)


def test_edge_10_an_agent_rebases_and_resolves(clash: Desk) -> None:
    clash.work("rebase", Shell("git rebase main"))
    resolve = Shell("git add b && GIT_EDITOR=true git rebase --continue")
    clash.work("resolve", Write("b", "both\n"), resolve)
    clash.commit("d")
    assert clash.git("log", "--format=%s", "main..") == "d\nc\nb\na"
    works = clash.recorded()
    assert {name: works[name] & {*"abcd"} for name in "abcd"} == {**EACH, "d": {"d"}}
    assert {"resolve", "rebase"} <= set.union(*works.values())


@pytest.mark.parametrize("way", ["--merge", "--apply"])
def test_edge_10_rebase_that_skips(clash: Desk, way: str) -> None:
    assert clash.run_git("rebase", way, "main") == 1
    assert clash.run_git("rebase", "--skip") == 0
    clash.check({"a": {"a"}, "c": {"c"}})


@pytest.mark.parametrize(
    ("resolved", "works", "options"),
    [
        ("one\ntwo\nthree\n", {"a", "b"}, ()),
        ("three\n", {"b"}, ()),
        ("one, by hand\nthree\n", {"b"}, ()),
        ("one\ntwo\nthree\n", {"a", "b"}, NO_HOOKS),
    ],
    ids=["whole", "without", "other", "no hooks"],
)
def test_edge_10_rebase_that_skips_a_commit_resolved_before(
    each_desk: Desk, resolved: str, works: set[str], options: tuple[str, ...]
) -> None:
    """``b`` comes first, and is resolved with the lines of ``a``, which is then empty."""
    each_desk.commit("a", "one\ntwo\n", path="f")
    each_desk.commit("b", "one\ntwo\nthree\n", path="f")
    swap = {"GIT_SEQUENCE_EDITOR": "sed -i '1{h;d};2{G}'"}
    assert each_desk.run_git(*options, "rebase", "--interactive", "HEAD~2", env=swap) == 1
    each_desk.git.write({"f": resolved})
    each_desk.git("add", "f")
    assert each_desk.run_git(*options, "rebase", "--continue", env=QUIET) == 1
    assert each_desk.run_git(*options, "rebase", "--skip") == 0
    each_desk.check({"b": works})


def test_edge_10_rebase_of_twins(desk: Desk) -> None:
    """``b`` is on both sides of a merge; only the parents differ. In a linear rebase one copy conflicts and
    is resolved, and the other becomes empty: git reports that both became the same commit."""
    desk.branch_off("a", "b")
    desk.git("checkout", "-q", "main")
    desk.git.commit({"b": "theirs\n"}, "their b")
    desk.git("checkout", "-q", "-b", "other", "topic~1")
    assert desk.run_git("commit", "--amend", "--message", "a again") == 0
    assert desk.run_git("cherry-pick", "topic") == 0
    assert desk.run_git("merge", "--no-edit", "topic") == 0
    desk.git("branch", "-q", "-D", "topic")
    desk.drain()
    status = desk.run_git("rebase", "main")
    while status:
        desk.git.write({"b": "theirs\nb\n"})
        desk.git("add", "--all")
        status = desk.run_git("rebase", "--continue", env=QUIET)
    desk.check({"a again": {"a"}, "b": {"b"}})


def test_edge_10_rebase_of_lines_copied_by_hand(each_desk: Desk) -> None:
    """A person put the lines of ``a``, most of them not the agent's, into a new commit, and merged ``a``. In
    a linear rebase ``a`` becomes empty, and git reports that it became the person's commit."""
    later = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-03T03:04:05Z")
    each_desk.commit("a", "a\n")
    each_desk.git.write({"a": "a\nmine\nall of it\n"})
    assert each_desk.run_git("commit", "--all", "--amend", "--no-edit") == 0
    each_desk.git("checkout", "-q", "-b", "topic", "HEAD~1")
    each_desk.git.commit({"mine": "mine\n"}, "mine")
    assert each_desk.run_git("cherry-pick", "--no-commit", "main") == 0
    assert each_desk.run_git("commit", "--message", "by hand", env=later) == 0
    each_desk.drain()
    assert "by hand" not in each_desk.recorded()
    assert each_desk.run_git("merge", "--no-edit", "main", env=later) == 0
    each_desk.git("checkout", "-q", "-b", "up", "main~1")
    each_desk.git.commit({"theirs": "theirs\n"}, "theirs")
    assert each_desk.run_git("rebase", "up", "topic", env=later) == 0
    each_desk.check({"a": {"a"}, "by hand": {"a"}})


@pytest.mark.parametrize("way", ["--merge", "--apply"])
def test_edge_10_rebase_that_is_resolved(clash: Desk, way: str) -> None:
    assert clash.run_git("rebase", way, "main") == 1
    clash.git.write({"b": "both\n"})
    clash.git("add", "b")
    assert clash.run_git("rebase", "--continue", env=QUIET) == 0
    clash.check(EACH)


@pytest.mark.parametrize("way", ["--merge", "--apply"])
def test_edge_10_rebase_that_is_aborted(clash: Desk, way: str) -> None:
    before = clash.git.head()
    assert clash.run_git("rebase", way, "main") == 1
    assert clash.run_git("rebase", "--abort") == 0
    assert clash.git.head() == before
    clash.check(EACH)


def test_edge_10_rebase_that_edits(topic: Desk) -> None:
    edit_todo(topic.git, "main", "edit a,pick b,pick c")
    topic.git.write({"a": "a\nmine\n"})
    assert topic.run_git("commit", "--all", "--amend", "--message", "a, edited") == 0
    assert topic.run_git("rebase", "--continue") == 0
    topic.check({"a, edited": {"a"}, "b": {"b"}, "c": {"c"}})


def test_edge_10_rebase_that_splits(desk: Desk) -> None:
    desk.git("checkout", "-q", "-b", "topic")
    desk.work("both", Write("p", "p\n" * 3), Write("q", "q\n" * 3), Shell("git add . && git commit -m both"))
    desk.commit("c")
    desk.git("checkout", "-q", "main")
    desk.git.commit({"upstream": "theirs\n"}, "upstream")
    desk.git("checkout", "-q", "topic")
    edit_todo(desk.git, "main", "edit both,pick c")
    desk.git("reset", "-q", "HEAD~1")
    for name in "pq":
        desk.git("add", name)
        assert desk.run_git("commit", "--message", name) == 0
    assert desk.run_git("rebase", "--continue") == 0
    desk.check({"p": {"both"}, "q": {"both"}, "c": {"c"}})


def test_edge_10_one_half_of_a_split_is_amended(each_desk: Desk) -> None:
    """The other half does not change, so together the halves differ from the original commit."""
    files = Write("p", "p\n" * 3), Write("q", "q\n" * 3)
    each_desk.work("both", *files, Shell("git add . && git commit -m both"))
    each_desk.git("reset", "-q", "HEAD~1")
    for name in "pq":
        each_desk.git("add", name)
        assert each_desk.run_git("commit", "--message", f"half-{name}") == 0
    each_desk.git.write({"q": "q\nmine\nq\nq\n"})
    assert each_desk.run_git("commit", "--all", "--amend", "--no-edit") == 0
    each_desk.check({"half-p": {"both"}, "half-q": {"both"}})


def test_edge_10_committed_again_as_one_and_rebased_onto_a_part(
    each_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commits that were combined do not count as fragments of the new one."""
    git = each_desk.git
    git("checkout", "-q", "-b", "topic")
    each_desk.commit("a")
    git("checkout", "-q", "-b", "part", "main")
    each_desk.commit("b")
    assert each_desk.run_git("rebase", "topic") == 0
    git("checkout", "-q", "-B", "topic")
    mine = git.commit({"c": "mine\n"}, "mine")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-02T04:04:05Z")
    assert each_desk.run_git("reset", "--soft", "main") == 0
    assert each_desk.run_git("commit", "-m", "again") == 0
    assert each_desk.run_git("rebase", "part") == 0
    edit_todo(git, "main", "pick a,pick b,fixup again")
    assert each_desk.run_git("rebase", "part") == 0
    each_desk.check({}, "--no-walk", mine)


def test_edge_10_one_half_of_a_split_is_dropped(each_desk: Desk) -> None:
    """The remaining half does not get the record of the dropped half's work."""
    each_desk.commit("p")
    each_desk.work("q", Write("q", "q\n" * 3), Shell("git add q && git commit --amend --no-edit"))
    each_desk.git("reset", "-q", "HEAD~1")
    for name in "pq":
        each_desk.git("add", name)
        assert each_desk.run_git("commit", "--message", f"half-{name}") == 0
    edit_todo(each_desk.git, "HEAD~2", "drop half-p,pick half-q")
    each_desk.check({"half-q": {"q"}})


@pytest.mark.parametrize(
    ("todo", "expected"),
    [
        ("pick c,pick a,pick b", EACH),
        ("pick a,drop b,pick c", {"a": {"a"}, "c": {"c"}}),
        ("pick a,fixup c,pick b", {"a": {"a", "c"}, "b": {"b"}}),
        ("pick a,squash b,squash c", {"a": {"a", "b", "c"}}),
        ("reword a,pick b,exec true,pick c", EACH),
    ],
    ids=["reorder", "drop", "fixup", "squash", "reword"],
)
def test_edge_10_interactive_rebase(topic: Desk, todo: str, expected: dict[str, set[str]]) -> None:
    edit_todo(topic.git, "main", todo)
    topic.check(expected)


def test_edge_10_autosquash(topic: Desk) -> None:
    topic.work("better", Write("a", "better\n"), Shell("git commit --all --message 'fixup! a'"))
    assert topic.run_git("rebase", "--interactive", "--autosquash", "main", env=QUIET) == 0
    topic.check({**EACH, "a": {"a", "better"}})


def test_edge_10_autosquash_that_takes_the_lines_of_another(each_desk: Desk) -> None:
    """``b`` was moved without hooks, and nothing was drained. The fixup's lines are next to those of ``b``,
    so the conflict is resolved with both; ``b`` becomes empty, and git reports that it became ``a``."""
    each_desk.git.commit({"f": "1\n2\n"}, "mine")
    each_desk.commit("a")
    each_desk.git.commit({"m": "m\n"}, "m")
    each_desk.work("b", Edit("f", "1\n", "1\nb\n"), Shell("git commit -qam b"))
    swap = {"GIT_SEQUENCE_EDITOR": "sed -i '2{h;d};3{G}'"}
    assert each_desk.run_git(*NO_HOOKS, "rebase", "--interactive", "HEAD~3", env=swap) == 0
    each_desk.git.write({"f": "1\nb\nbetter\n2\n"})
    assert each_desk.run_git("commit", "--all", "--message", "fixup! a") == 0
    assert each_desk.run_git("rebase", "--interactive", "--autosquash", "HEAD~4", env=QUIET) == 1
    for _ in range(2):
        each_desk.git.write({"f": "1\nb\nbetter\n2\n"})
        each_desk.git("add", "f")
        each_desk.run_git("rebase", "--continue", env=QUIET)
    each_desk.check({"a": {"a", "b"}})


def test_edge_10_rebase_onto(topic: Desk) -> None:
    assert topic.run_git("rebase", "--onto", "main", "topic~1") == 0
    topic.check({"c": {"c"}})


def test_edge_10_rebase_onto_a_branch_that_has_the_commit(each_desk: Desk) -> None:
    """The commit was reverted there, and is applied again; no hook reports that, and the drain compares only
    the neighbouring commits."""
    each_desk.commit("a")
    first = each_desk.git.head()
    assert each_desk.run_git("revert", "--no-edit", "HEAD") == 0
    each_desk.git("branch", "kept")
    each_desk.commit("b")
    assert each_desk.run_git(*NO_HOOKS, "rebase", "--onto", "kept", f"{first}^") == 0
    again = each_desk.git("rev-parse", "HEAD~2")
    each_desk.check({first: {"a"}, again: {"a"}, "b": {"b"}}, repaired=True)


@pytest.mark.parametrize(
    "way", ["pull.rebase", "branch.topic.rebase", "pull --rebase", "!git fetch && git rebase"]
)
def test_edge_10_pull_rebase_by_config_and_by_alias(topic: Desk, way: str) -> None:
    git = topic.git
    git("remote", "add", "origin", str(git.root))
    git("fetch", "-q", "origin", "main")
    git("branch", "-q", "--set-upstream-to", "origin/main")
    git("config", *((way, "true") if way.endswith(".rebase") else ("alias.up", way)))
    assert topic.run_git("pull" if way.endswith(".rebase") else "up") == 0
    assert git("rev-parse", "HEAD~3") == git("rev-parse", "main")
    topic.check(EACH)


# ---------------------------------------------------------------- upstream


@pytest.mark.parametrize("way", ["rebase", "merge", "pull --rebase=merges", "pull --no-rebase --no-edit"])
def test_edge_11_upstream_commits_get_no_record(topic: Desk, way: str) -> None:
    """They get none even if they change the files that the open session writes."""
    git = topic.git
    git("checkout", "-q", "main")
    git.commit({"a": "a\n" * 3, "later": "theirs\n"}, "upstream writes what the agent wrote")
    git("checkout", "-q", "topic")
    topic.work("half", Write("half", "begun\n"))
    git("remote", "add", "origin", str(git.root))
    named = ["main"] if not way.startswith("pull") else ["origin", "main"]
    assert topic.run_git(*way.split(), *named) == 0
    expected = EACH if "merge" in way.split() or "--no-rebase" in way else {"b": {"b"}, "c": {"c"}}
    topic.check(expected, waiting=["half"])


def test_edge_11_a_pull_that_brings_the_lines_that_the_agent_left(desk: Desk) -> None:
    """Somebody else committed the same lines; a fast-forward creates no commit."""
    git = desk.git
    desk.work("left", Write("x", "the same\n" * 3))
    git("checkout", "-q", "-b", "elsewhere")
    git("add", "x")
    tree = git("write-tree")
    git("reset", "-q", "--hard")
    git("update-ref", "refs/heads/elsewhere", git("commit-tree", tree, "-p", "main", "-m", "theirs"))
    git("checkout", "-q", "main")
    assert desk.run_git("merge", "--ff-only", "elsewhere") == 0
    desk.check({}, waiting=["left"])
