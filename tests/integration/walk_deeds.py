"""Deeds of agents and people in a walk that rewrite nothing: commits, uncommitted work, merges, branches."""

from __future__ import annotations

from dataclasses import dataclass

from tests.e2e.scenario import Edit, Shell, Step, Write
from tests.integration.walk_model import Patch
from tests.integration.walk_place import Worktree
from tests.integration.walk_world import NO_HOOKS


def agent_commits(tree: Worktree) -> None:
    """Commit one file or two; sometimes quietly, or with git's hooks off."""
    work = tree.names.work()
    steps: list[Step] = [tree.plan(work)]
    if tree.chance(0.35):
        steps.append(tree.plan(work, [steps[0].path]))  # type: ignore[union-attr]
    paths = " ".join(step.path for step in steps)  # type: ignore[union-attr]
    if tree.chance(0.1):
        commit = f"git {' '.join(NO_HOOKS)} commit -m '{work}: add'"
    else:
        commit = f"git commit {tree.pick(('-qm', '-m'))} '{work}: add'"
    if tree.work([work], *steps, Shell(f"git add {paths} && {commit}")):
        tree.model.bear(tree.head(), work)


def agent_commits_twice(tree: Worktree) -> None:
    """Make two commits in one call, which is work for both."""
    works = [tree.names.work(), tree.names.work()]
    one = tree.plan(works[0])
    two = tree.plan(works[1], [one.path])
    before = tree.head()
    adds = (f"git add {s.path} && git commit -qm '{w}: add'" for w, s in zip(works, (one, two), strict=True))
    tree.work(works, one, two, Shell(" && ".join(adds)))
    for work, commit in zip(works, tree.commits(f"{before}.."), strict=True):
        tree.model.bear(commit, work)


def agent_amends(tree: Worktree) -> None:
    if tree.rewritable(1):
        work = tree.names.work()
        step = tree.plan(work)
        command = f"git add {step.path} && git commit -q --amend --no-edit"
        if tree.work([work], step, Shell(command)):
            if tree.is_named():
                tree.model.bear(tree.head(), work)
            else:
                _credit(tree, _left(tree, work, step))


def agent_merges(tree: Worktree) -> None:
    others = tree.others()
    if others:
        work = tree.names.work()
        before = tree.head()
        other = tree.pick(others)
        merged = f"git merge -q --no-ff --no-commit {other} && git commit -qm '{work}: merge'"
        command = f"{merged} || git merge --abort"  # nothing explains what `git merge` commits by itself
        if tree.work([work], Shell(command)):
            tree.model.bear(tree.head(), work, sure=tree.is_named())
            tree.model.merged[work] = Patch.of(tree.ask("diff", "-U0", before, "HEAD")).works


def person_commits(tree: Worktree) -> None:
    path = tree.scribble()
    tree.git("add", path)
    tree.git("commit", "--quiet", "--message", f"{tree.names.other()}: mine")


@dataclass(frozen=True, slots=True)
class Left:
    """What an agent wrote and did not commit."""

    work: str
    path: str
    text: str
    whole: bool
    """Whether the agent's log has the file's whole text."""


_FULL_TEXT_AGENTS = ("claude-code", "gemini-cli")
"""Agents whose logs have the whole text of a file that was edited."""


def _leave(tree: Worktree) -> Left:
    work = tree.names.work()
    step = tree.plan(work)
    tree.work([work], step)
    return _left(tree, work, step)


def _left(tree: Worktree, work: str, step: Write | Edit) -> Left:
    whole = tree.last_agent is not None and tree.last_agent.agent in _FULL_TEXT_AGENTS
    return Left(work, step.path, tree.world.read(tree.name, step.path), whole or isinstance(step, Write))


def _credit(tree: Worktree, left: Left) -> None:
    """Record HEAD as a result of the work: surely if the file is what the session last wrote, or at least
    half of the lines that HEAD adds to it are the work's. If not, an earlier work's lines may count, too."""
    shown = tree.ask("diff-tree", "-p", "-U0", "--no-commit-id", "--root", "HEAD", "--", left.path)
    added = [line for line in shown.splitlines() if line.startswith("+") and not line.startswith("+++")]
    ours = [line for line in added if line.startswith(f"+{left.work}x")]
    if ours:
        same = left.whole and tree.ask("show", f"HEAD:{left.path}") == left.text.rstrip("\n")
        tree.model.bear(tree.head(), left.work, sure=same or 2 * len(ours) >= len(added))


def person_commits_an_agents_work(tree: Worktree) -> None:
    """Let a person commit an agent's work as it is, or with a file of their own."""
    left = _leave(tree)
    if tree.chance(0.4):
        name = f"{tree.names.other()}.py"
        tree.world.write(tree.name, name, tree.lines(name.removesuffix(".py")))
        tree.git("add", name)
    tree.git("add", left.path)
    if tree.git("commit", "--quiet", "--message", f"{left.work}: taken"):
        _credit(tree, left)


def person_amends_with_an_agents_work(tree: Worktree) -> None:
    if tree.rewritable(1):
        left = _leave(tree)
        tree.git("add", left.path)
        if tree.git("commit", "--quiet", "--amend", "--no-edit"):
            _credit(tree, left)


def stash_across_branches(tree: Worktree) -> None:
    others = tree.others()
    branch = tree.branch()
    if not others or not branch:
        return
    left = _leave(tree)
    tree.git("add", left.path)
    tree.git("stash", "push", "--quiet")
    other = tree.pick(others)
    if not tree.git("checkout", "--quiet", other):
        tree.git("stash", "pop", "--quiet")
        return
    if not tree.git("stash", "pop", "--quiet"):
        tree.world.settle(tree.name)
        tree.git("stash", "drop", "--quiet")
    tree.git("add", "--all")
    if tree.git("commit", "--quiet", "--message", f"{left.work}: from the stash"):
        _credit(tree, left)


def merge(tree: Worktree) -> None:
    others = tree.others("refs/heads", "refs/remotes")
    if not others:
        return
    way = tree.pick(("--ff", "--no-ff", "octopus"))
    name = tree.names.other()
    if way == "octopus":
        if len(others) > 1:
            some = tree.random.sample(others, 2)
            if not tree.git("merge", "--quiet", "--message", f"{name}: octopus", *some):
                tree.git("reset", "--quiet", "--hard")
        return
    if tree.git("merge", "--quiet", way, "--message", f"{name}: merge", tree.pick(others)):
        return
    if tree.chance(0.3):
        tree.git("merge", "--abort")
    else:
        tree.world.settle(tree.name)
        tree.git("commit", "--quiet", "--message", f"{name}: merge, settled")


def new_branch(tree: Worktree) -> None:
    mine = tree.rewritable(4)
    start = tree.pick([*mine, "HEAD"])
    tree.git("checkout", "--quiet", "-b", f"b-{tree.names.other()}", start)


def switch(tree: Worktree) -> None:
    others = tree.others()
    if others:
        tree.git("checkout", "--quiet", tree.pick(others))


def delete_branch(tree: Worktree) -> None:
    others = [b for b in tree.others() if b != "main"]
    if len(others) > 2:
        tree.git("branch", "--quiet", "-D", tree.pick(others))
