"""Seeded random walks over git: agents and people commit, rewrite, copy and share; no record may be lost, or
put on a wrong commit.

``walk_world`` runs every command twice, with git-traj and without; ``walk_model`` says which works each
commit must have; ``walk_deeds``, ``walk_rewrites`` and ``walk_sharing`` are what may happen;
``walk_recorder`` is git-traj, or another recorder to be tested.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.integration import walk_deeds, walk_rewrites, walk_sharing
from tests.integration.walk_model import Model
from tests.integration.walk_place import Names, Worktree
from tests.integration.walk_recorder import Recorder, log_by
from tests.integration.walk_world import LATER, Clock, World

Deed = Callable[[Worktree], None]

DEEDS: dict[Deed, int] = {
    walk_deeds.agent_commits: 10,
    walk_deeds.agent_commits_twice: 2,
    walk_deeds.agent_amends: 2,
    walk_deeds.agent_merges: 1,
    walk_deeds.person_commits: 3,
    walk_deeds.person_commits_an_agents_work: 3,
    walk_deeds.person_amends_with_an_agents_work: 1,
    walk_deeds.stash_across_branches: 1,
    walk_deeds.merge: 3,
    walk_deeds.new_branch: 3,
    walk_deeds.switch: 3,
    walk_deeds.delete_branch: 1,
    walk_rewrites.amend: 4,
    walk_rewrites.rebase: 5,
    walk_rewrites.rebase_by_hand: 6,
    walk_rewrites.cherry_pick: 4,
    walk_rewrites.cherry_pick_by_hand: 1,
    walk_rewrites.merge_squash: 2,
    walk_rewrites.revert: 2,
    walk_rewrites.recommit: 2,
    walk_rewrites.reset_and_split: 1,
    walk_rewrites.throw_away: 1,
    walk_sharing.push: 3,
    walk_sharing.fetch: 1,
    walk_sharing.take_a_branch: 2,
    walk_sharing.pull_rebase: 2,
    walk_sharing.sync: 2,
}
_HALF_DONE = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "MERGE_HEAD": "merge",
}


@dataclass(slots=True)
class Found:
    """The result of a walk. ``works``: how many were done; ``due``: the number of pairs of a work and a
    commit on which it had to be recorded; the lists are the faults found."""

    steps: int = 0
    works: int = 0
    due: int = 0
    commands: int = 0
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)


class Walk:
    """One walk below ``root``. The same seed does the same, with any recorder."""

    def __init__(
        self, root: Path, seed: int, recorder: Recorder, *, alone: bool = False, began: float = LATER
    ) -> None:
        self.random = random.Random(seed)
        self.recorder = recorder
        self.world = World(root, Clock(began), alone)
        self.model = Model(self._diff)
        self.names = Names()
        self.dense = self.random.random() < 0.25  # several deeds in each second
        self.trees: list[Worktree] = []

    def run(self, steps: int) -> Found:
        with log_by(self.world.clock.now):
            self._create_repository()
            for _ in range(steps):
                self._step()
            unsound = self.recorder.finish(self.clones())
            return self._check(steps, unsound)

    def clones(self) -> dict[str, Path]:
        return {tree.clone: self.world.ours / tree.clone for tree in self.trees}

    # ------------------------------------------------------------ steps

    def _create_repository(self) -> None:
        """Make two servers, two clones, and a second work tree of the first clone."""
        world = self.world
        for side in (world.ours, world.plain):
            side.mkdir(parents=True, exist_ok=True)
        for server in walk_sharing.REMOTES:
            world.git(".", "init", "--quiet", "--bare", server)
        world.clone("origin", "one")
        world.write("one", "base.py", "".join(f"base{n} = {n}\n" for n in range(5)))
        world.git("one", "add", "--all")
        world.git("one", "commit", "--quiet", "--message", "Begin")
        world.git("one", "push", "--quiet", "origin", "HEAD")
        world.git("one", "worktree", "add", "--quiet", "-b", "aside", "../tree")
        world.clone("origin", "two")
        for clone in ("one", "two"):
            world.git(clone, "remote", "add", "backup", "../backup")
            self.recorder.install(world.ours / clone)
        for name, clone, git_dir in self.worktrees():
            tree = Worktree(
                name=name,
                clone=clone,
                world=world,
                model=self.model,
                recorder=self.recorder,
                random=self.random,
                names=self.names,
                git_dir=git_dir,
            )
            self.trees.append(tree)
            walk_deeds.agent_commits(tree)

    def worktrees(self) -> Iterator[tuple[str, str, str]]:
        """Yield the folder, the clone and the git directory of each work tree."""
        yield "one", "one", "one/.git"
        yield "tree", "one", "one/.git/worktrees/tree"
        yield "two", "two", "two/.git"

    def _step(self) -> None:
        tree = self.random.choices(self.trees, (4, 1, 2, 1)[: len(self.trees)])[0]
        deed = self.random.choices([*DEEDS], [*DEEDS.values()])[0]
        clock = self.world.clock
        clock.time += self.random.uniform(0.0, 0.4) if self.dense else self.random.uniform(2, 90)
        before = tree.head()
        deed(tree)
        self._recover(tree)
        self.world.log(f"{tree.name}: {deed.__name__}: {before[:8]} to {tree.head()[:8]}")
        if self.random.random() < 0.6:
            self.world.log(f"  {tree.clone} is recorded")
            self.recorder.record(self.world.ours / tree.clone)

    def _recover(self, tree: Worktree) -> None:
        """Abort whatever a deed left half done."""
        for name, command in _HALF_DONE.items():
            if tree.is_unfinished(name):
                tree.git(command, "--abort")
        if tree.ask("status", "--porcelain"):
            tree.git("reset", "--quiet", "--hard")
            tree.git("clean", "--quiet", "-fd")
        if tree.chance(0.5) and not tree.branch():
            tree.git("checkout", "--quiet", "-b", f"b-{self.names.other()}")

    # ------------------------------------------------------------ the result

    def _diff(self, commit: str) -> str:
        for clone in dict.fromkeys(tree.clone for tree in self.trees):
            done = self.world.ask(clone, "log", "-1", "-p", "-U0", "--no-renames", "--format=", commit)
            if done:
                return done
        return ""

    def _check(self, steps: int, unsound: list[str]) -> Found:
        found = Found(steps=steps, works=self.names.works, commands=len(self.world.statuses))
        carried = self.recorder.carried(self.clones(), self.model.born)
        living = self.living()
        for commit in sorted({*living, *self.model.born}):
            due = self.model.due(commit) if commit in living else self.model.own(commit)
            found.due += len(due)
            lost = due - carried.whole.get(commit, set())
            found.lost += [f"{commit[:8]} lacks {work}" for work in sorted(lost)]
        for commit, parts in carried.parts.items():
            may = self.model.may(commit)
            wrong = [works for works in parts if not works & may]
            found.wrong += [f"{commit[:8]} has {sorted(works)}, may {sorted(may)}" for works in wrong]
        differences = [] if self.world.alone else (self.world.differences(p.name) for p in self.trees)
        found.broken = [*self.world.broken, *(each for some in differences for each in some)]
        found.unsound = unsound
        return found

    def living(self) -> set[str]:
        """Return all commits that a branch or a HEAD reaches, in any clone."""
        return {
            commit
            for tree in self.trees
            for commit in self.world.ask(tree.name, "rev-list", "HEAD", "--branches", "--remotes").split()
        }
