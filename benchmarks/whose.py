"""(w) To which session each commit is credited, in random histories of two agents and a person.

    python -m benchmarks.whose [HISTORIES [FIRST]]

The histories are those of ``tests/integration/misuse.py``. Each is captured at the time, afterwards without
hooks, and by a backfill in a fresh clone; for each kind of commit, the
table shows how many of those that an agent made, or wrote most of, were recorded, and how many commits were
credited to a session that had no part in them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.place import home
from tests.integration.misuse import Misuse, Recorded, imported, late, read_recorded

WAYS = ("live", "late", "imported")
STORIES = 6  # pieces of work in each history


@dataclass(slots=True)
class Counted:
    """Counts of pairs of a commit and a session, by kind of commit (and way of capture): ``expected`` ones,
    those of them that were ``found``, and ``false`` ones. ``odd`` lists the cases to examine: false, missed
    live, or found only by a later capture."""

    commits: Counter[str] = field(default_factory=Counter)
    expected: Counter[str] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    false: Counter[tuple[str, str]] = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)

    def add(self, seed: int, day: Misuse, reached: set[str], recorded: Mapping[str, Recorded]) -> None:
        for commit in reached & day.truth.keys():
            truth = day.truth[commit]
            self.commits[truth.kind] += 1
            self.expected[truth.kind] += len(truth.owed)
            for way, pairs in recorded.items():
                sessions = {s for c, s in pairs if c == commit}
                self.found[way, truth.kind] += len(sessions & truth.owed)
                self.false[way, truth.kind] += len(sessions - truth.mine)
                self.odd += [f"{seed} {way} false {truth.kind}"] * len(sessions - truth.mine)
                more = sessions - {s for c, s in recorded["live"] if c == commit}
                self.odd += [f"{seed} {way} more {truth.kind}"] * len(more)
                self.odd += [
                    f"{seed} live missed {truth.kind}" for _ in truth.owed - sessions if way == "live"
                ]


def measure(folder: Path, seeds: range) -> Counted:
    counted = Counted()
    for seed in seeds:
        with home(folder / f"home{seed}") as place:
            os.environ["GIT_CONFIG_GLOBAL"] = str(place / ".gitconfig")
            day = Misuse(folder / str(seed) / "repo", seed)
            day.live(STORIES)
            recorded = {"live": read_recorded(day.root), "late": late(day)}
            reached = {*day.git("rev-list", "--branches").split()}
            recorded["imported"] = imported(day)
            counted.add(seed, day, reached, recorded)
    return counted


def render(counted: Counted) -> str:
    lines = [("kind of commit", "commits", *WAYS, "false"), ("---", "---:", *("---:" for _ in WAYS), "---:")]
    kinds = [*sorted(counted.commits)]
    groups = {kind: [kind] for kind in kinds} | {"**all**": kinds}
    groups["**agents' commits**"] = [kind for kind in kinds if kind.startswith("agent")]
    for name, of in groups.items():
        expected = sum(counted.expected[kind] for kind in of)
        shares = (sum(counted.found[way, kind] for kind in of) for way in WAYS)
        row = [f"{100 * share / expected:.0f} %" if expected else "" for share in shares]
        false = sum(counted.false[way, kind] for kind in of for way in WAYS)
        lines.append((name, f"{sum(counted.commits[kind] for kind in of):,}", *row, str(false)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: list[str]) -> int:
    """Returns 1 if a commit was credited to a session that had no part in it."""
    count, first = ([int(each) for each in arguments] + [100, 1][len(arguments) :])[:2]
    with tempfile.TemporaryDirectory(prefix="git-traj-whose-", ignore_cleanup_errors=True) as folder:
        counted = measure(Path(folder), range(first, first + count))
    print(f"{count} histories\n\n{render(counted)}")
    print(*counted.odd, sep="\n", file=sys.stderr)
    return int(counted.false.total() > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
