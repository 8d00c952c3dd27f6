"""(k) The same random walks recorded by git-traj, by AgentNote and by plain notes that git itself rewrites.

    AGENT_NOTE=folder python -m benchmarks.k_walks [SEEDS [STEPS]]

``folder`` is where ``npm install @wasabeef/agentnote`` was run. Every tool has its own walk, with sessions of
Claude Code; a walk without any tool shows the expected exit status of each command.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from benchmarks.agent_note import AgentNote
from benchmarks.noted import Noted, Rewritten
from benchmarks.place import home
from tests.integration.session_writer import SessionWriter
from tests.integration.walk import Walk
from tests.integration.walk_recorder import Ours, Recorder


class OnlyClaude(Ours):
    """git-traj, with the same kind of sessions as the other tools."""

    def hire(self, agent: str, folder: Path, name: str) -> SessionWriter:
        return super().hire("claude", folder, name)


@dataclass(slots=True)
class Sum:
    """Counts of one tool over all walks. ``works`` counts the pieces of work that led to commits, ``written``
    those whose record was at any time on such a commit. ``due`` counts, for each commit, the written pieces
    that led to it or that rewrites brought to it; ``lost``, those whose record it lacks at the end.
    ``wrong`` records are on commits that they do not explain. ``broken`` commands ended with a different
    status than without the tool."""

    works: int = 0
    written: int = 0
    due: int = 0
    lost: int = 0
    wrong: int = 0
    commands: int = 0
    broken: int = 0

    def add(self, walk: Walk, statuses: list[int]) -> None:
        model = walk.model
        # ``born``: by commit, the pieces of work that led to it; ``may``: those that its records may explain;
        # ``whole``: by commit, those whose records are all there at the end (in ``ever``: at any time)
        carried = walk.recorder.carried(walk.clones(), model.born)
        ever = walk.recorder.ever.whole if isinstance(walk.recorder, Noted) else carried.whole
        births = {(commit, work) for commit, works in model.born.items() for work in works}
        written = {work for commit, work in births if work in ever.get(commit, ())}
        self.works += len({work for _, work in births})
        self.written += len(written)
        for commit in {*walk.living(), *model.born}:
            due = model.due(commit) & written
            self.due += len(due)
            self.lost += len(due - carried.whole.get(commit, set()))
        for commit, parts in carried.parts.items():
            may = model.may(commit)
            self.wrong += sum(not part & may for part in parts)
        mine = walk.world.statuses
        self.commands += len(mine)
        self.broken += sum(a != b for a, b in zip(mine, statuses, strict=False)) + abs(
            len(mine) - len(statuses)
        )


def measure(folder: Path, seeds: int, steps: int) -> dict[str, Sum]:
    tools: dict[str, type[Recorder]] = {
        "git-traj": OnlyClaude,
        "AgentNote": AgentNote,
        "notes.rewriteRef": Rewritten,
    }
    sums = {name: Sum() for name in tools}
    for seed in range(seeds):
        began = time.time() + 10  # after the installation; some tools compare with the time of day
        expected_statuses = _walk(folder / f"{seed} nobody", seed, steps, began)
        for name, tool in tools.items():
            place = folder / f"{seed} {name}"
            with home(place / "home"):
                walk = Walk(place / "walk", seed, tool(), alone=True, began=began)
                walk.run(steps)
                sums[name].add(walk, expected_statuses)
        print(seed, sums, file=sys.stderr, flush=True)
    return sums


def _walk(folder: Path, seed: int, steps: int, began: float) -> list[int]:
    with home(folder / "home"):
        walk = Walk(folder / "walk", seed, Noted(), alone=True, began=began)  # alone: no second repository
        walk.run(steps)
        return walk.world.statuses


def render(sums: Mapping[str, Sum]) -> str:
    names = [field.name for field in fields(Sum)]
    lines = [["tool", *names], ["---", *("---:" for _ in names)]]
    lines += [[tool, *(f"{getattr(found, name):,}" for name in names)] for tool, found in sums.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: list[str]) -> int:
    seeds, steps = (int(a) for a in (*arguments, *("20", "40")[len(arguments) :]))
    with tempfile.TemporaryDirectory(prefix="git-traj-walks-", ignore_cleanup_errors=True) as folder:
        sums = measure(Path(folder), seeds, steps)
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{git}, {seeds} seeds of {steps} steps\n")
    print(render(sums))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
