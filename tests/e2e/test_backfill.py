"""A repository that agents and people made before git-traj was installed, and what a backfill records.

The test itself knows the truth: every file belongs to the session (or the person) that wrote it, and a commit
to the owners of the files that it changes. None of that is read from a log.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.agents import Agent
from tests.e2e.scenario import Run, Shell, Turn, Write, turn
from tests.e2e.workshop import Workshop
from tests.sizes import size

PERSON = "a person"
Pairs = set[tuple[str, str]]


@dataclass
class Village:
    """A repository with agents and people, which knows who wrote each file."""

    workshop: Workshop
    owners: dict[str, str] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    _files: int = 0

    def person(self, *, message: str | None = None) -> str:
        """Let a person write a file and commit it."""
        path = self.name()
        self.owners[path] = PERSON
        (self.workshop.path / path).write_text(self.text(path))
        self.workshop.git("add", path)
        self.workshop.git("commit", "-q", "-m", message or f"By hand: {path}")
        return path

    def agent(self, agent: Agent, *commands: str, last: str = "") -> Run:
        """Run a session that writes a file before each command (``{0}``: its path), and ``last`` one more."""
        turns: list[Turn] = []
        paths: list[str] = []
        for command in commands:
            paths.append(self.name())
            turns.append(turn(Write(paths[-1], self.text(paths[-1]))))
            turns.append(turn(Shell(command.format(paths[-1]))))
        if last:
            paths.append(self.name(last))
            turns.append(turn(Write(paths[-1], self.text(paths[-1]))))
        run = agent.run([*turns, turn(say="That is all.")], folder=self.workshop.path)
        self.owners |= dict.fromkeys(paths, run.session)
        self.runs.append(run)
        return run

    def name(self, name: str = "") -> str:
        self._files += 1
        return f"{name or 'file'}{self._files:02}.py"

    def text(self, path: str) -> str:
        stem = path.removesuffix(".py")
        return "".join(f"def {stem}_{n}():\n    return '{stem} {n}'\n" for n in range(4))

    def truth(self) -> Pairs:
        """Return (commit, session) for every commit that a branch reaches, by the files that it changes."""
        git = self.workshop.git
        pairs: Pairs = set()
        for commit in git("rev-list", "--branches", "--no-merges").split():
            changed = git("diff-tree", "-r", "--root", "--no-commit-id", "--name-only", commit).split()
            sessions = {self.owners.get(path, PERSON) for path in changed} - {PERSON}
            pairs |= {(commit, session) for session in sessions}
        return pairs

    def recorded(self) -> Pairs:
        """Return the (commit, session) pairs that git-traj has recorded."""
        pairs: Pairs = set()
        for branch in self.workshop.git("for-each-ref", "--format=%(refname)", "refs/heads").split():
            for commit in self.workshop.log(branch):
                pairs |= {(commit["commit"], header["session"]) for header in commit["trajectories"]}
        return pairs


@pytest.fixture
def village(repository: Workshop) -> Village:
    return Village(repository)


COMMITS = [
    "git add {0} && git commit -m 'Add {0}'",
    "git add {0} && git commit -qm 'Add {0} quietly'",
    "git add {0} && git commit -m 'Add {0}' && git commit --amend -m 'Add {0}, said better'",
    "git add {0} && git commit -q -F - <<'END'\nAdd {0} with a body\n\nMore words.\nEND",
]


def build(village: Village, claude: Agent, codex: Agent) -> None:
    """Make more than 30 commits (half unless nightly): two agents, a person, two branches, many rewrites."""
    git = village.workshop.git
    main = git("symbolic-ref", "--short", "HEAD").strip()
    for n in range(size(1, 4)):
        village.agent(claude, COMMITS[n], COMMITS[(n + 1) % 4])
        village.person()
        village.agent(codex, COMMITS[(n + 2) % 4], COMMITS[(n + 3) % 4])
        village.person()
    # a person commits files that agents wrote but did not commit
    for agent in (claude, codex):
        village.agent(agent, last="left")
        git("add", "-A")
        git("commit", "-q", "-m", "Take what is there")
    # a person rewords one agent commit, and adds a file to another
    village.agent(claude, COMMITS[0])
    git("commit", "-q", "--amend", "-m", "Reworded by hand")
    village.agent(codex, COMMITS[1])
    (village.workshop.path / "more.txt").write_text("more\n")
    git("add", "-A")
    git("commit", "-q", "--amend", "--no-edit")
    # a branch that is rebased onto work committed meanwhile
    git("checkout", "-q", "-b", "topic")
    village.agent(claude, COMMITS[0], COMMITS[1])
    village.agent(codex, COMMITS[2])
    git("checkout", "-q", main)
    village.person()
    git("checkout", "-q", "topic")
    git("rebase", "-q", main)
    git("checkout", "-q", main)
    git("merge", "-q", "--ff-only", "topic")
    # a branch that is squashed into one commit
    git("checkout", "-q", "-b", "squashed")
    village.agent(claude, COMMITS[1], COMMITS[0])
    village.agent(codex, COMMITS[0])
    git("checkout", "-q", main)
    village.person()
    git("merge", "-q", "--squash", "squashed")
    git("commit", "-q", "-m", "All of it at once (#12)")
    git("branch", "-q", "-D", "squashed")
    # a reordering, and a fixup
    village.agent(codex, COMMITS[0], COMMITS[1], COMMITS[0])
    todo = "sed -i -e '1{h;d}' -e '2G'"
    git("-c", f"sequence.editor={todo}", "rebase", "-q", "-i", "HEAD~2")
    village.agent(claude, COMMITS[0], COMMITS[0])
    todo = "sed -i -e '2s/^pick/fixup/'"
    git("-c", f"sequence.editor={todo}", "rebase", "-q", "-i", "HEAD~2")
    # a cherry-pick onto another branch
    village.agent(codex, COMMITS[0])
    picked = village.workshop.head()
    git("checkout", "-q", "-b", "release", "HEAD~3")
    village.person()
    git("cherry-pick", picked)
    git("checkout", "-q", main)
    village.person(message="Add file01.py")


def check(village: Village, truth: Pairs, *, known: float = 0.95) -> None:
    """Backfill: no pair is false, at least ``known`` of the true are found; a second run adds nothing."""
    workshop = village.workshop
    report = json.loads(workshop.traj("backfill", "--json"))
    recorded = village.recorded()
    assert recorded - truth == set(), "a commit was credited to a session that wrote nothing in it"
    missing = {workshop.git("log", "-1", "--format=%h %s", commit) for commit, _ in truth - recorded}
    assert len(truth & recorded) >= known * len(truth), missing
    assert {(row["commit"], row["session"]) for row in report["linked"]} >= recorded
    assert all(row["why"] for row in report["unlinked"])

    before = workshop.git("rev-parse", "refs/notes/traj")
    assert json.loads(workshop.traj("backfill", "--json"))["parts"] == 0
    assert workshop.git("rev-parse", "refs/notes/traj") == before


def test_a_backfill_finds_who_made_each_commit_of_a_village(
    village: Village, claude: Agent, codex: Agent, tmp_path: Path
) -> None:
    """Backfill with the reflogs, without them, in a folder that was moved, and in a fresh clone."""
    build(village, claude, codex)
    truth = village.truth()
    assert len(truth) > size(15, 30)
    path, copy = village.workshop.path, tmp_path / "copy"
    shutil.copytree(path, copy, symlinks=True)

    check(village, truth)

    shutil.rmtree(path)
    shutil.copytree(copy, path, symlinks=True)
    village.workshop.git("reflog", "expire", "--expire=now", "--all")
    check(village, truth)

    shutil.rmtree(path)
    village.workshop = Workshop(tmp_path / "elsewhere" / "moved")
    shutil.copytree(copy, village.workshop.path, symlinks=True)
    check(village, truth)

    shutil.rmtree(village.workshop.path)
    village.workshop.path.parent.joinpath("fresh").mkdir()
    village.workshop = Workshop(tmp_path / "elsewhere" / "fresh")
    village.workshop.git("clone", "-q", "--no-local", str(copy), ".")
    village.workshop.git("branch", "-q", "release", "origin/release")
    check(village, truth)
