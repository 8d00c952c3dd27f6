"""Deeds of agents and people in a walk that rewrite nothing: commits, uncommitted work, merges, branches."""

from __future__ import annotations

from dataclasses import dataclass

from tests.e2e.scenario import Edit, Shell, Step, Write
from tests.integration.walk_model import Patch
from tests.integration.walk_place import Place
from tests.integration.walk_world import NO_HOOKS


def agent_commits(place: Place) -> None:
    """Commit one file or two; sometimes quietly, or with git's hooks off."""
    work = place.names.work()
    steps: list[Step] = [place.plan(work)]
    if place.chance(0.35):
        steps.append(place.plan(work, [steps[0].path]))  # type: ignore[union-attr]
    paths = " ".join(step.path for step in steps)  # type: ignore[union-attr]
    if place.chance(0.1):
        commit = f"git {' '.join(NO_HOOKS)} commit -m '{work}: add'"
    else:
        commit = f"git commit {place.pick(('-qm', '-m'))} '{work}: add'"
    if place.work([work], *steps, Shell(f"git add {paths} && {commit}")):
        place.model.bear(place.head(), work)


def agent_commits_twice(place: Place) -> None:
    """Make two commits in one call, which is work for both."""
    works = [place.names.work(), place.names.work()]
    one = place.plan(works[0])
    two = place.plan(works[1], [one.path])
    before = place.head()
    adds = (f"git add {s.path} && git commit -qm '{w}: add'" for w, s in zip(works, (one, two), strict=True))
    place.work(works, one, two, Shell(" && ".join(adds)))
    for work, commit in zip(works, place.commits(f"{before}.."), strict=True):
        place.model.bear(commit, work)


def agent_amends(place: Place) -> None:
    if place.mine(1):
        work = place.names.work()
        step = place.plan(work)
        command = f"git add {step.path} && git commit -q --amend --no-edit"
        if place.work([work], step, Shell(command)):
            if place.is_named():
                place.model.bear(place.head(), work)
            else:
                _explained(place, _left(place, work, step))


def agent_merges(place: Place) -> None:
    others = place.others()
    if others:
        work = place.names.work()
        before = place.head()
        other = place.pick(others)
        merged = f"git merge -q --no-ff --no-commit {other} && git commit -qm '{work}: merge'"
        command = f"{merged} || git merge --abort"  # nothing explains what `git merge` commits by itself
        if place.work([work], Shell(command)):
            place.model.bear(place.head(), work, sure=place.is_named())
            place.model.merged[work] = Patch.of(place.ask("diff", "-U0", before, "HEAD")).works


def person_commits(place: Place) -> None:
    path = place.scribble()
    place.git("add", path)
    place.git("commit", "--quiet", "--message", f"{place.names.other()}: mine")


@dataclass(frozen=True, slots=True)
class Left:
    """What an agent wrote and did not commit."""

    work: str
    path: str
    text: str
    whole: bool
    """Whether the agent's log has the file's whole text."""


_TELL_ALL = ("claude-code", "gemini-cli")
"""Agents whose logs have the whole text of a file that was edited."""


def _leave(place: Place) -> Left:
    work = place.names.work()
    step = place.plan(work)
    place.work([work], step)
    return _left(place, work, step)


def _left(place: Place, work: str, step: Write | Edit) -> Left:
    whole = place.spoke is not None and place.spoke.agent in _TELL_ALL
    return Left(work, step.path, place.world.read(place.name, step.path), whole or isinstance(step, Write))


def _explained(place: Place, left: Left) -> None:
    """Record HEAD as a result of the work; it is sure by rule 6 of the design: the file is what the session
    last wrote, or at least half of HEAD's added lines in it are the work's (an earlier work's may count)."""
    shown = place.ask("diff-tree", "-p", "-U0", "--no-commit-id", "--root", "HEAD", "--", left.path)
    added = [line for line in shown.splitlines() if line.startswith("+") and not line.startswith("+++")]
    ours = [line for line in added if line.startswith(f"+{left.work}x")]
    if ours:
        same = left.whole and place.ask("show", f"HEAD:{left.path}") == left.text.rstrip("\n")
        place.model.bear(place.head(), left.work, sure=same or 2 * len(ours) >= len(added))


def person_commits_an_agents_work(place: Place) -> None:
    """Let a person commit it as it is, or with a file of their own."""
    left = _leave(place)
    if place.chance(0.4):
        name = f"{place.names.other()}.py"
        place.world.write(place.name, name, place.lines(name.removesuffix(".py")))
        place.git("add", name)
    place.git("add", left.path)
    if place.git("commit", "--quiet", "--message", f"{left.work}: taken"):
        _explained(place, left)


def person_amends_with_an_agents_work(place: Place) -> None:
    if place.mine(1):
        left = _leave(place)
        place.git("add", left.path)
        if place.git("commit", "--quiet", "--amend", "--no-edit"):
            _explained(place, left)


def stash_across_branches(place: Place) -> None:
    others = place.others()
    branch = place.branch()
    if not others or not branch:
        return
    left = _leave(place)
    place.git("add", left.path)
    place.git("stash", "push", "--quiet")
    other = place.pick(others)
    if not place.git("checkout", "--quiet", other):
        place.git("stash", "pop", "--quiet")
        return
    if not place.git("stash", "pop", "--quiet"):
        place.world.settle(place.name)
        place.git("stash", "drop", "--quiet")
    place.git("add", "--all")
    if place.git("commit", "--quiet", "--message", f"{left.work}: from the stash"):
        _explained(place, left)


def merge(place: Place) -> None:
    others = place.others("refs/heads", "refs/remotes")
    if not others:
        return
    way = place.pick(("--ff", "--no-ff", "octopus"))
    name = place.names.other()
    if way == "octopus":
        if len(others) > 1:
            some = place.random.sample(others, 2)
            if not place.git("merge", "--quiet", "--message", f"{name}: octopus", *some):
                place.git("reset", "--quiet", "--hard")
        return
    if place.git("merge", "--quiet", way, "--message", f"{name}: merge", place.pick(others)):
        return
    if place.chance(0.3):
        place.git("merge", "--abort")
    else:
        place.world.settle(place.name)
        place.git("commit", "--quiet", "--message", f"{name}: merge, settled")


def new_branch(place: Place) -> None:
    mine = place.mine(4)
    start = place.pick([*mine, "HEAD"])
    place.git("checkout", "--quiet", "-b", f"b-{place.names.other()}", start)


def switch(place: Place) -> None:
    others = place.others()
    if others:
        place.git("checkout", "--quiet", place.pick(others))


def delete_branch(place: Place) -> None:
    others = [b for b in place.others() if b != "main"]
    if len(others) > 2:
        place.git("branch", "--quiet", "-D", place.pick(others))
