"""Several worktrees, agents and repositories at once, and repositories of other shapes: edge case 16 of
``docs/edge-cases.md``.
``desk``: a repository where agents commit, recorded at once. ``each_desk``: at once, or only at the end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.e2e.scenario import Fact, Shell, Write
from tests.integration.desk import Desk
from tests.integration.past import recorded
from tests.integration.records import read_records
from tests.integration.repository import Git


def test_edge_16_commits_at_once_in_two_worktrees(each_desk: Desk, tmp_path: Path) -> None:
    """Two agents commit at the same time, each in its worktree, with the same subjects."""
    trees = [each_desk.git, Git(tmp_path / "tree")]
    each_desk.git("worktree", "add", "-q", "-b", "side", str(trees[1].root))

    def work(number: int) -> None:
        for n in range(3):
            name = f"{number}.{n}"
            steps = Write(f"f{n}", f"{name}\n"), Shell("git add . && git commit -q -m same")
            each_desk.work(name, *steps, by=f"agent {number}", git=trees[number])

    waits, each_desk.waits = each_desk.waits, True
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    each_desk.waits = waits
    made = {
        commit: {f"{number}.{n}"}
        for number, tree in enumerate(trees)
        for n, commit in enumerate(tree("rev-list", "--reverse", "-3", "HEAD").splitlines())
    }
    each_desk.check(made)


def test_edge_16_rewritten_in_a_worktree_that_is_gone(each_desk: Desk, tmp_path: Path) -> None:
    each_desk.branch_off("a", "b")
    each_desk.git("checkout", "-q", "main")
    tree = Git(tmp_path / "tree")
    each_desk.git("worktree", "add", "-q", str(tree.root), "topic")
    assert each_desk.run_git("rebase", "main", git=tree) == 0
    each_desk.work("c", Write("c", "c\n"), Shell("git add . && git commit -m c"), by="two", git=tree)
    each_desk.git("worktree", "remove", str(tree.root))
    each_desk.check({"a": {"a"}, "b": {"b"}, "c": {"c"}})


def test_edge_16_merged_at_once_from_another_worktree(desk: Desk, tmp_path: Path) -> None:
    """A person commits an agent's edits in one worktree; an agent in another merges them within a second."""
    desk.waits = True
    tree = Git(tmp_path / "tree")
    desk.git("worktree", "add", "-q", "-b", "side", str(tree.root))
    desk.work("edits", Write("e", "e\n" * 3), by="two", git=tree)
    tree("add", "e")
    assert desk.run_git("commit", "--message", "mine", git=tree) == 0
    desk.work("merge", Shell("git merge -q --no-ff --no-commit side && git commit -qm merge"))
    desk.check({"mine": {"edits"}, "merge": {"merge"}})


def test_edge_16_picked_at_once_from_another_worktree(desk: Desk, tmp_path: Path) -> None:
    desk.waits = True
    tree = Git(tmp_path / "tree")
    desk.git("worktree", "add", "-q", "-b", "side", str(tree.root))
    desk.git.commit({"mine": "mine\n"}, "mine")
    desk.work("a", Write("a", "a\n" * 3), Shell("git add a && git commit -qm a"), git=tree)
    assert desk.run_git("cherry-pick", "side") == 0
    desk.check({"a": {"a"}}, "main")
    desk.check({"a": {"a"}}, "side")


def test_edge_16_two_agents_in_one_worktree(each_desk: Desk) -> None:
    """The agents take turns, each with its own files; one commits while the other is at work."""
    each_desk.commit("a", by="one")
    each_desk.work("begun", Write("begun", "begun\n" * 3), by="two")
    each_desk.work("b", Write("b", "b\n"), Shell("git add b && git commit -m b"), by="one")
    each_desk.work("done", Shell("git add begun && git commit -qm done"), by="two")
    each_desk.check({"a": {"a"}, "b": {"b"}, "done": {"begun", "done"}})


def test_edge_16_one_agent_commits_the_work_of_two(desk: Desk) -> None:
    """The commit is credited to the agent that made it; the other has a part on it, for its lines."""
    desk.work("theirs", Write("theirs", "theirs\n" * 3), by="two")
    desk.commit("all", by="one")
    desk.check({"all": {"theirs", "all"}})


def test_edge_16_a_nested_repository(desk: Desk) -> None:
    """An agent commits in both repositories in one session: each gets only the records of its own commit."""
    inner = Git.init(desk.git.root / "inner")
    inner.commit({"f": "1\n"}, "inner base")
    (desk.git.root / ".git" / "info" / "exclude").write_text("inner\n")
    nested = Desk(inner).install()
    desk.commit("a")
    desk.work("in", Write("inner/i", "i\n"), Shell("git -C inner add . && git -C inner commit -m in"))
    desk.commit("b")
    nested.drain()
    desk.drain()
    session = desk.sessions["one"].session
    assert (recorded(desk.git), recorded(inner)) == ({"a": {session}, "b": {session}}, {"in": {session}})
    there, here = calls(inner), calls(desk.git)
    assert there == {fact for fact in desk.works["in"] if fact[0].startswith("tool")}
    assert here == {fact for name in "ab" for fact in desk.works[name] if fact[0].startswith("tool")}


def calls(git: Git) -> set[Fact]:
    """Return the calls recorded on HEAD, and their results."""
    facts = (fact for each in read_records(git).values() for fact in each.facts)
    return {fact for fact in facts if fact[0].startswith("tool")}


def test_edge_16_a_submodule(desk: Desk, tmp_path: Path) -> None:
    """git-traj is installed in both; a commit is made inside, and one outside that updates the submodule."""
    library = Git.init(tmp_path / "library")
    library.commit({"l": "1\n"}, "library")
    allow = ("-c", "protocol.file.allow=always")
    desk.git(*allow, "submodule", "--quiet", "add", str(library.root), "lib")
    desk.git.commit(message="add lib")
    inner = Desk(Git(desk.git.root / "lib")).install()
    inner.work("inside", Write("l", "2\n"), Shell("git commit -qam inside"), by="two")
    inner.check({"inside": {"inside"}})
    desk.work("take up", Shell("git commit -qam 'take up'"), by="one")
    desk.check({"take up": {"take up"}})


def test_edge_16_a_bare_repository_with_worktrees(tmp_path: Path) -> None:
    seed = Git.init(tmp_path / "seed")
    seed.commit({"base": "1\n"}, "base")
    bare = Git(tmp_path / "bare.git")
    seed("clone", "-q", "--bare", str(seed.root), str(bare.root))
    desk = Desk(bare).install()
    tree = Git(tmp_path / "tree")
    bare("worktree", "add", "-q", str(tree.root), "main")
    steps = Write("a", "a\n"), Shell("git add . && git commit -m a")
    desk.work("a", *steps, git=tree)
    assert desk.run_git("commit", "--amend", "--message", "amended", git=tree) == 0
    desk.check({"amended": {"a"}})


def test_edge_16_a_bare_repository_that_is_pushed_to(desk: Desk, tmp_path: Path) -> None:
    """Nobody commits in a bare repository; the pushed commits were recorded where they were made."""
    desk.commit("a")
    bare = Git.init(tmp_path / "bare.git", "--bare")
    there = Desk(bare).install()
    assert desk.run_git("push", str(bare.root), "main") == 0
    there.check({}, "main")


def test_edge_16_separate_git_dir(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "repo", f"--separate-git-dir={tmp_path / 'elsewhere.git'}")
    git.commit({"base": "1\n"}, "base")
    desk = Desk(git).install()
    desk.branch_off("a", "b")
    assert desk.run_git("rebase", "main") == 0
    assert (tmp_path / "elsewhere.git" / "traj" / "spool").is_file()
    desk.check({"a": {"a"}, "b": {"b"}})
