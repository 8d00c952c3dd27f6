"""(m) Building, updating and querying the index, compared with plain git, which has no index.

``python -m benchmarks.m_index [--keep FOLDER] [RECORDS …]`` makes a repository for each number of records
(twice as many commits, 5,000 files) or uses the one that an earlier run kept. ``AGENT_NOTE``: the folder
into which npm installed ``@wasabeef/agentnote``, to measure it too. Both elapsed and processor times are
given: processor time hardly changes when the machine is busy, and counts git's processes too.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.agent_note import PROGRAM, AgentNote
from benchmarks.hostile import record_both
from benchmarks.make_repo import Size, make_repo
from benchmarks.place import home
from benchmarks.table import Row, Timing, render, rounds, timed
from gittraj.git import open_repository
from gittraj.git.blame import BLAME
from gittraj.index.file import LISTINGS
from gittraj.index.schema import FOLDER
from gittraj.model.codec import encode_note
from gittraj.notes.store import NotesRef
from tests.integration.story import record

SIZES = (1_000, 10_000, 50_000)
ROUNDS = 9
_LISTED = 2_000  # records in the repository in which all of them are listed
_SCRIPT = f"""#!{sys.executable}
import sys
from gittraj.cli import main
if __name__ == '__main__':
    sys.exit(main())
"""
_REFRESH = (
    "import resource, sys\n"
    "from pathlib import Path\n"
    "from gittraj.git import open_repository\n"
    "from gittraj.index.update import refresh\n"
    "with open_repository(Path('.')) as repository: refresh(repository, repository.head())\n"
    "if sys.argv[1:]: Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))\n"
)


def measure(folder: Path, sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    for size in sizes:
        root = folder / str(size)
        if not (root / ".git").is_dir():
            make_repo(root, Size(commits=2 * size, files=5_000, records=size))
        yield from _build(root, size)
        yield from _ask(root, size)
        yield from _why(root, size)
    yield from _list(folder / str(_LISTED))


def _rows(what: str, taken: Sequence[Timing], target: float | None = None) -> Iterator[Row]:
    yield Row.of(what, [took.clock for took in taken], target)
    yield Row.of("… processor time", [took.processor for took in taken])


def _build(root: Path, size: int) -> Iterator[Row]:
    taken, memory = [], 0.0
    for _ in range(3):
        shutil.rmtree(root / ".git" / FOLDER, ignore_errors=True)
        taken.append(timed([sys.executable, "-c", _REFRESH, str(root / ".git" / "memory")], root))
        memory = float((root / ".git" / "memory").read_text()) / 1000
    yield from _rows(f"(m) {size:,} records: built", taken, 8_000 if size == 50_000 else None)
    yield Row.of("… memory", [memory], 200 if size == 50_000 else None, "MB")
    yield Row.of("… on the disk", [(root / ".git" / FOLDER / LISTINGS.name).stat().st_size / 1e6], None, "MB")
    changed = []
    for _ in range(5):
        _write_notes(root, 100)
        took, bare = (timed([sys.executable, "-c", _REFRESH], root) for _ in range(2))
        changed.append(Timing(took.clock - bare.clock, took.processor - bare.processor))
    yield from _rows("… 100 more notes, indexed", changed, 200)


def _write_notes(root: Path, number: int) -> None:
    with open_repository(root) as repository:
        listed = repository.run("rev-list", "-2000", "HEAD").out.decode().split()
        rng = random.Random(len(listed))
        edits = {}
        for commit in rng.sample(listed, min(number, len(listed))):
            line = encode_note([record(f"traj_more{random.random()}", prompt="One more")])
            edits[commit] = lambda old, line=line: old + line
        NotesRef(repository).write(edits, message="a benchmark")


def traj_script(root: Path) -> str:
    """The script that pip makes for ``git-traj``; scripts made by older versions of pip import
    ``re``, and ``python -m`` imports even more, which costs 4 to 6 ms."""
    script = root / ".git" / "git-traj"
    script.write_text(_SCRIPT)
    script.chmod(0o755)
    return str(script)


def _ask(root: Path, size: int) -> Iterator[Row]:
    traj = traj_script(root)
    for name, path in _files(root).items():
        asked = ["log", "--file", path, "-n", "20"]
        variants = {
            "log": [traj, *asked],
            "git": ["git", "-c", "core.commitGraph=false", "log", "--format=%H", "--", path],
        }
        timed(variants["log"], root)  # adds to the index the records that no command has read yet
        found = rounds({n: lambda c=c: timed(c, root) for n, c in variants.items()}, ROUNDS)  # type: ignore[misc]
        yield from _rows(f"{size:,} records: `log --file` of a {name} file", found["log"], 90)
        yield from _rows("… `git log -- FILE`, no Bloom filters", found["git"])
        ratio = [100 * q.clock / g.clock for q, g in zip(found["log"], found["git"], strict=True)]
        yield Row.of("… ours compared with it", ratio, 10 if size >= 50_000 else None, "%")


def _why(root: Path, size: int) -> Iterator[Row]:
    """Measure ``why`` on an old line: for a recent one, git needs less time than Python needs to start."""
    rng = random.Random(size)
    files = _output(root, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    asked = {path: ["git", *BLAME, "-L1,1", "HEAD", "--", path] for path in rng.sample(files, 40)}
    path = max(asked, key=lambda path: timed(asked[path], root).clock)
    ours = [traj_script(root), "why", f"{path}:1", "--rev", "HEAD"]
    found = rounds({"ours": lambda: timed(ours, root), "git": lambda: timed(asked[path], root)}, ROUNDS)
    yield from _rows(f"{size:,} records: `why` of an old line", found["ours"])
    yield from _rows("… `git blame -w -C` of it", found["git"])
    ratio = [a.clock / b.clock for a, b in zip(found["ours"], found["git"], strict=True)]
    yield Row.of("… ours compared with it", ratio, 1.3 if size >= 50_000 else None, "x")


def _files(root: Path) -> dict[str, str]:
    """Choose a file that the last commits changed often, one that they changed less, and a renamed one."""
    listed = _output(root, "log", "--format=", "--name-only", "-n", "4000").split()
    counted = [path for path, _ in Counter(listed).most_common() if "/moved/" not in path]
    renamed = _output(root, "log", "--format=", "--name-only", "--diff-filter=R", "-M", "-n", "4000").split()
    chosen = {"hot": counted[0], "warm": counted[20]}
    return {**chosen, "renamed": renamed[0]} if renamed else chosen


def _list(root: Path) -> Iterator[Row]:
    if not (root / ".git").is_dir():
        make_repo(root, Size(commits=2 * _LISTED, files=500, records=_LISTED))
    commands = {
        "`git traj log`": [traj_script(root), "log"],
        "`git log --notes`": ["git", "log", "--notes=traj"],
    }
    if PROGRAM.exists():
        _write_agent_notes(root)
        commands["AgentNote 1.0.8, `agent-note log`"] = ["node", str(PROGRAM), "log", str(2 * _LISTED)]
    timed(commands["`git traj log`"], root)
    found = rounds({n: lambda c=c: timed(c, root) for n, c in commands.items()}, ROUNDS)  # type: ignore[misc]
    for name, taken in found.items():
        yield from _rows(f"all of {_LISTED:,} records: {name}", taken)
    ours, theirs = found["`git traj log`"], found["`git log --notes`"]
    ratio = [a.clock / b.clock for a, b in zip(ours, theirs, strict=True)]
    yield Row.of("… ratio of ours to git's", ratio, 10, "x")


def _write_agent_notes(root: Path) -> None:
    """Put a note that AgentNote wrote on each commit that has one of git-traj's."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a worker may still write
        place = Path(folder)
        with home(place / "home"):
            body = record_both(place / "work")("notes", f"--ref={AgentNote.ref}", "show", "main")
    first, *rest = (line.split()[1] for line in _output(root, "notes", "--ref=traj", "list").splitlines())
    for words, given in (
        (("add", "-f", "-F", "-", first), body),
        (("copy", "-f", "--stdin"), "".join(f"{first} {commit}\n" for commit in rest)),
    ):
        command = ["git", "notes", f"--ref={AgentNote.ref}", *words]
        subprocess.run(command, cwd=root, input=given, text=True, capture_output=True, check=True)


def _output(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the index.")
    parser.add_argument("--keep", type=Path, help="folder in which the repositories are kept")
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES, metavar="RECORDS")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="git-traj-benchmarks-") as temporary:
        rows = []
        for row in measure(given.keep or Path(temporary), given.sizes):
            print(" ".join(row.cells()), file=sys.stderr, flush=True)
            rows.append(row)
    print(render(rows))
    return int(not all(row.passed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
