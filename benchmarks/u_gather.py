"""(u) Many repositories in one database: gathered, gathered again, queried.

``python -m benchmarks.u_gather [--repositories N] [--records N] [--into URL] [--multiply K] [--keep FOLDER]``
runs it; ``python -m benchmarks`` does not. ``benchmarks.make_repo`` makes the repositories, each with a seed.
``--multiply`` copies the rows under other ``project_id`` before the queries (only with DuckDB): their cost
depends on the number of rows, whatever the source.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb

from benchmarks.make_repo import Size, make_repo
from benchmarks.table import Row, render
from gittraj.gather.schema import TABLES, names
from gittraj.model.values import Decision
from gittraj.notes.store import NotesRef
from tests.integration.repository import Git
from tests.integration.story import Story, record

_ROUNDS = 5
_WORD = "cormorant"
ASKED = {
    "rejected, a word that nobody rejected": ["search", "--in", "decision", "heron"],
    "rejected, a word of ten records": ["search", "--in", "decision", _WORD],
    "two words that are everywhere": ["search", "token", "bucket"],
    "statistics by repository": ["stats", "--by", "repository"],
    "the last twenty commits": ["log", "-n", "20"],
    "context of a folder": ["context", "src/pkg07"],
}


def make_team(folder: Path, repositories: int, records: int) -> None:
    """Make repositories below ``folder``, with a record on every commit; ten of them reject a rare word."""
    for number in range(repositories):
        out = folder / f"team{number % 10}" / f"repository{number:04d}"
        if out.exists():
            continue
        out.parent.mkdir(parents=True, exist_ok=True)
        make_repo(out, Size(commits=records, files=60, records=records, seed=number))
        if number % max(repositories // 10, 1) == 0:
            change(out, f"traj_rare{number}")


def change(root: Path, trajectory: str) -> None:
    """Add a record."""
    with Git(root).open() as repository:
        decision = Decision(chosen="a heap", alternatives=(f"a {_WORD}",), by="agent")
        commit = next(iter(NotesRef(repository).items()))[0]
        Story(repository).note(commit, record(trajectory, decisions=(decision,)))


def measure(folder: Path, repositories: int, records: int, url: str, multiply: int) -> Iterator[Row]:
    make_team(folder, repositories, records)
    size = f"{repositories:,} x {records}"
    yield Row.of(f"(u) {size}: gathered", [_run("gather", str(folder), "--into", url)])
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    yield Row.of("… memory of the largest process", [most], 500, "MB")
    yield Row.of("… again, nothing new", [_run("gather", str(folder), "--into", url)])
    for number in range(0, repositories, max(repositories // 10, 1)):
        change(folder / f"team{number % 10}" / f"repository{number:04d}", f"traj_new{time.time_ns()}")
    yield Row.of("… again, ten changed", [_run("gather", str(folder), "--into", url)])
    if not url.startswith(("postgres", "parquet:")):
        if multiply > 1:
            _multiply(url, multiply)
        yield Row.of("… the file", [Path(url).stat().st_size / 1e6], None, "MB")
    for what, words in ASKED.items():
        taken = [_run(*words, "--team", url) for _ in range(_ROUNDS)]
        yield Row.of(f"{what}, of {repositories * multiply * records:,} records", taken, 1000)


def _run(*args: str) -> float:
    """Run a command; returns milliseconds."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "gittraj", *args]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, args
    return 1000 * (time.perf_counter() - begin)


def _multiply(url: str, times: int) -> None:
    with closing(duckdb.connect(url)) as connection:
        connection.execute("CREATE TEMP TABLE first AS SELECT project_id FROM repositories")
        for table in TABLES:
            columns = ", ".join(names(table)[1:])
            for number in range(1, times):
                connection.execute(
                    f"INSERT INTO {table} SELECT substr(md5(project_id || '{number}'), 1, 16), {columns}"
                    f" FROM {table} WHERE project_id IN (SELECT * FROM first)"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description="Gather many repositories, and ask.")
    parser.add_argument("--repositories", type=int, default=30)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--into", default="")
    parser.add_argument("--multiply", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="git-traj-gather-", ignore_cleanup_errors=True) as temporary:
        folder = given.keep or Path(temporary)
        url = given.into or str(Path(temporary) / "team.duckdb")
        rows = []
        for row in measure(folder, given.repositories, given.records, url, given.multiply):
            print(f"{row.what}: {' '.join(row.cells()[1:])}", file=sys.stderr, flush=True)
            rows.append(row)
        print(render(rows))


if __name__ == "__main__":
    main()
