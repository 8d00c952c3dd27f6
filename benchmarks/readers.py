"""(g) The time to read a session's log, compared with only decoding its JSON.

``python -m benchmarks.readers [format …]``. It needs sample sessions: ``GIT_TRAJ_SAMPLES``, or
``../shared/samples/given`` from the repository's root. For each format the larger samples are read, and for
JSON Lines a log of 20 MB, a sample's turns with new ids, which also shows whether memory grows. Times are
processor times. 25 ms/MB are 40 MB/s.
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.place import MB
from benchmarks.table import Row, render, rounds
from gittraj.formats import HEAD, Reader, detect, formats

ROUNDS = 9
LARGE = 100_000
_LONG = 20 * MB
_AT_LEAST = 0.02
"""Seconds of one measurement: a shorter log is read several times."""
_TARGET = 25.0
_UNIT = "ms/MB"
_IDS = re.compile(rb'("(?:call_|msg_|rs_|fc_|item_|toolu_|uuid":"|parentUuid":")\w)')


def measure(folder: Path) -> Iterator[Row]:
    """Measure every format that has a sample."""
    yield from _measure(folder, formats())


def _measure(folder: Path, names: tuple[str, ...]) -> Iterator[Row]:
    found = _samples()
    for name in names:
        logs = sorted(found.get(name, []), key=lambda log: log[1].stat().st_size)
        for reader, path in [log for log in logs if log[1].stat().st_size >= LARGE] or logs[-1:]:
            yield from _rows(reader, path, f"{name}, {path.name[:60]}")
        if logs and logs[-1][1].suffix == ".jsonl":
            reader, path = logs[-1]
            yield from _rows(reader, _lengthen(path, folder / f"{name}.jsonl"), f"{name}, 20 MB")


def _samples() -> dict[str, list[tuple[Reader, Path]]]:
    named = os.environ.get("GIT_TRAJ_SAMPLES")
    place = Path(named) if named else Path(__file__).parents[2] / "shared" / "samples" / "given"
    found: dict[str, list[tuple[Reader, Path]]] = {}
    for path in sorted(place.rglob("*")):
        if path.is_file() and (reader := detect(_head(path))):
            found.setdefault(reader.name, []).append((reader, path))
    return found


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(HEAD)


def _lengthen(path: Path, target: Path) -> Path:
    """Write the log's first record, then the others again and again with new ids."""
    first, _, rest = path.read_bytes().rstrip(b"\r\n").partition(b"\n")
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as stream:
        stream.write(first + b"\n")
        for number in range(_LONG // len(rest or first) + 1):
            fresh = b"%06x" % number
            stream.write(_IDS.sub(lambda match, fresh=fresh: match[1] + fresh, rest) + b"\n")  # type: ignore[misc]
    return target


def _rows(reader: Reader, path: Path, what: str) -> Iterator[Row]:
    size = path.stat().st_size / MB
    before = _memory()
    _read(reader, path)
    grown = _memory() - before
    found = rounds(
        {
            "read": lambda: _per_mb(lambda: _read(reader, path), size),
            "decode": lambda: _per_mb(lambda: _decode(path), size),
        },
        ROUNDS if size < 2 else 3,
    )
    yield Row.of(f"(g) {what}", found["read"], _TARGET, _UNIT)
    ratios = [a / b for a, b in zip(found["read"], found["decode"], strict=True)]
    yield Row.of("… compared with decoding", ratios, None, "x")
    if path.stat().st_size >= _LONG:
        yield Row.of("… memory that it took more", [grown], None, "MB")


def _per_mb(work: Callable[[], None], size: float) -> float:
    """Milliseconds of the processor for each megabyte."""
    begin = time.process_time()
    times = 0
    while not times or time.process_time() - begin < _AT_LEAST:
        work()
        times += 1
    return 1000 * (time.process_time() - begin) / times / size


def _read(reader: Reader, path: Path) -> None:
    with path.open("rb") as stream:
        deque(reader.read(stream), maxlen=0)


def _decode(path: Path) -> None:
    """Decode every line, or the whole document, and do nothing with it."""
    data = path.read_bytes()
    for text in io.BytesIO(data) if path.suffix == ".jsonl" else (data,):
        try:
            json.loads(text)
        except ValueError:
            continue


def _memory() -> float:
    """The peak memory of this process, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="git-traj-benchmarks-") as temporary:
        found = list(_measure(Path(temporary), tuple(sys.argv[1:]) or formats()))
    print(render(found))
    sys.exit(int(not all(row.passed for row in found)))
