"""(r) Full-text search: building and querying the index of text.

``python -m benchmarks.r_search FOLDER``: FOLDER is a repository that ``benchmarks.make_repo`` made; its index
of text is deleted first. Its vocabulary is 60 words: nearly every part has every word, the worst case.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.table import Row, Timing, render, rounds, timed
from gittraj.git import open_repository
from gittraj.index import file
from gittraj.index.answers import open_index
from gittraj.index.schema import FOLDER
from gittraj.index.text import TEXTS

_ROUNDS = 15
_BUILD = (
    "import resource, sys\n"
    "from pathlib import Path\n"
    "from gittraj.git import open_repository\n"
    "from gittraj.index.search import keep_text\n"
    "with open_repository(Path('.')) as repository: keep_text(repository, seconds=3600)\n"
    "Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))\n"
)
_ASKED = {
    "two words": ["token", "bucket"],
    "a phrase": ['"token bucket"'],
    "a prefix": ["tok*"],
    "a word without matches": ["cormorant"],
    "something like a sentence": ["--similar", "requests that never end until the worker is out of buffers"],
}


def measure(root: Path) -> Iterator[Row]:
    with open_repository(root) as repository, open_index(repository):
        pass  # update the rest of the index first: it is measured elsewhere
    file.drop(root / ".git", TEXTS)
    memory_file = root / ".git" / "memory"
    took = timed([sys.executable, "-c", _BUILD, str(memory_file)], root)
    yield from _rows("(r) the text of events: built", [took])
    yield Row.of("… memory, git's packs included", [float(memory_file.read_text()) / 1000], 200, "MB")
    yield Row.of("… on the disk", [(root / ".git" / FOLDER / TEXTS.name).stat().st_size / 1e6], None, "MB")
    commands = {
        name: lambda words=words: timed([sys.executable, "-m", "gittraj", "search", *words], root)
        for name, words in _ASKED.items()
    }
    for name, taken in rounds(commands, _ROUNDS).items():
        yield from _rows(f"search for {name}", taken, 150 if name == "two words" else None)


def _rows(what: str, taken: list[Timing], target: float | None = None) -> Iterator[Row]:
    yield Row.of(what, [took.clock for took in taken], target)
    yield Row.of("… processor time", [took.processor for took in taken])


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure full-text search.")
    parser.add_argument("root", type=Path)
    rows = list(measure(parser.parse_args().root))
    print(render(rows))
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
