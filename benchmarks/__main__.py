"""``python -m benchmarks [a-j l p …]``: runs all, or those named by their letters. Takes some minutes."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import (
    backfill,
    commit,
    drain,
    notes,
    pull,
    readers,
    rebase,
    record,
    redaction,
    sealing,
    sharing,
    startup,
)
from benchmarks.table import Row, render

MEASURES = {
    "a": commit.measure,
    "b": rebase.measure,
    "c": record.measure,
    "d": drain.measure,
    "e": startup.measure,
    "f": notes.measure,
    "g": readers.measure,
    "h": backfill.measure,
    "i": sharing.measure,
    "j": redaction.measure,
    "l": sealing.measure,
    "p": pull.measure,
}


def main(letters: list[str]) -> int:
    """Run the benchmarks; returns 1 if a target was missed."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="git-traj-benchmarks-", ignore_cleanup_errors=True) as folder:
        for letter in letters or list(MEASURES):
            for row in MEASURES[letter](Path(folder) / letter):
                print(f"{row.what}: {' '.join(row.cells()[1:])}", file=sys.stderr, flush=True)
                rows.append(row)
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    load = f"{os.cpu_count()} cores, load {os.getloadavg()[1]:.1f}"
    print(f"{git}, Python {platform.python_version()}, {platform.system()}, {load}\n")
    print(render(rows))
    return int(not all(row.passed for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
