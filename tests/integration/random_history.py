"""Random histories: files that are renamed, deleted and made again, branches that are merged any way, wrong
clocks; with records on half of the commits."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from gittraj.git import open_repository
from gittraj.model.codec import encode_note
from gittraj.model.values import Line, Tombstone
from gittraj.notes.store import NotesRef
from tests.integration.story import record

FOLDERS = ("", "src/", "src/deep/", "lib/", "c/", "source code/")
NAMES = ("a.py", "b.py", "ü.txt", "c", "d.md")
_START = 1_700_000_000


@dataclass(slots=True)
class RandomHistory:
    """``commits`` are in the order in which they were made; ``paths`` are all paths that ever existed."""

    root: Path
    rng: random.Random
    commits: list[str] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    _trees: list[dict[str, str]] = field(default_factory=list)

    def grow(self, count: int) -> None:
        """Make ``count`` more commits; the last of them becomes HEAD."""
        first = len(self._trees)
        stream: list[bytes] = []
        for number in range(first, first + count):
            stream.append(self._commit(number))
        if not first:
            subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        marks = self.root / ".git" / "marks"
        options = [f"--export-marks={marks}", *([f"--import-marks={marks}"] if first else [])]
        command = ["git", "fast-import", "--quiet", "--force", *options]
        subprocess.run(command, cwd=self.root, input=b"".join(stream), check=True)
        rows = (line.split() for line in marks.read_text().splitlines())
        found = {int(mark[1:]): oid for mark, oid in rows}
        self.commits = [found[number + 1] for number in range(len(self._trees))]
        self.set_head(self.commits[-1])

    def set_head(self, commit: str) -> None:
        subprocess.run(["git", "update-ref", "refs/heads/main", commit], cwd=self.root, check=True)
        subprocess.run(["git", "symbolic-ref", "HEAD", "refs/heads/main"], cwd=self.root, check=True)

    def add_records(self, share: float) -> None:
        """Put records onto that share of the commits; a few are withdrawn again, or led to no commit."""
        notes: dict[str, list[Line]] = {}
        for commit in self.commits:
            if self.rng.random() < share:
                trajectory = f"traj_{self.rng.randrange(len(self.commits) // 3 + 1)}"
                at = self.rng.randrange(1000)
                lines = notes.setdefault(commit, [])
                role = "explored" if self.rng.random() < 0.1 else "produced"
                lines.append(
                    record(trajectory, at=at, role=role, prompt=f"Do {at}\x1b[1m ü", cost_usd=at / 7)
                )
                if self.rng.random() < 0.1:
                    lines.append(Tombstone(id=trajectory, deleted="unlinked", rev=2))
        with open_repository(self.root) as repository:
            edits = {c: lambda old, lines=lines: old + encode_note(lines) for c, lines in notes.items()}
            NotesRef(repository).write(edits, message="a test")

    def _commit(self, number: int) -> bytes:
        rng = self.rng
        parents = self._choose_parents(number)
        tree: dict[str, str] = {}
        for parent in reversed(parents):  # a merge takes each file from either side
            theirs = self._trees[parent]
            tree |= {
                path: text for path, text in theirs.items() if parent == parents[0] or rng.random() < 0.7
            }
        for _ in range(rng.randrange(4)):
            self._change(tree, number)
        self._trees.append(tree)
        self.paths |= tree.keys()
        time = _START + 100 * number + rng.choice((0, 0, 0, -350, 350, -100))
        lines = [
            f"commit refs/heads/r{number}\nmark :{number + 1}\n",
            f"author A U Thor {number % 3} <a@example.com> {time} +0000\n",
            f"committer C O Mitter <c@example.com> {time} +0000\n",
            f"data <<END\nChange {number} {'long ' * rng.randrange(20)}\nEND\n",
            *(f"{'merge' if at else 'from'} :{parent + 1}\n" for at, parent in enumerate(parents)),
            "deleteall\n",
        ]
        for path, text in sorted(tree.items()):
            quoted = path.replace('"', '\\"')
            lines.append(f'M 644 inline "{quoted}"\ndata {len(text.encode())}\n{text}\n')
        return "".join([*lines, "\n"]).encode()

    def _choose_parents(self, number: int) -> list[int]:
        if not number:
            return []
        recent = range(max(0, number - 6), number)
        first = number - 1 if self.rng.random() < 0.6 else self.rng.choice(recent)
        others = [p for p in recent if p != first and self.rng.random() < 0.08]
        return [first, *others[:2]]

    def _change(self, tree: dict[str, str], number: int) -> None:
        rng = self.rng
        kind = rng.random()
        path = rng.choice(FOLDERS) + rng.choice(NAMES)
        known = sorted(tree)
        if kind < 0.25 and known:
            old = rng.choice(known)
            text = tree.pop(old)
            self._put(tree, path, text if rng.random() < 0.6 else f"{text}and {number}\n")
        elif kind < 0.35 and known:
            del tree[rng.choice(known)]
        elif kind < 0.75 and known:
            some = rng.choice(known)
            tree[some] += f"line {number}\n"
        else:
            self._put(tree, path, "".join(f"{path} {rng.randrange(9)} {n}\n" for n in range(8)))

    def _put(self, tree: dict[str, str], path: str, text: str) -> None:
        """Add a file; remove what is in its way: files below it, or a file that would be its folder."""
        for other in [*tree]:
            if other.startswith(f"{path}/") or path.startswith(f"{other}/"):
                del tree[other]
        tree[path] = text
