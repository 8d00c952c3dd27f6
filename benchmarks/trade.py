"""(j) Measures which secrets each group of the redactor's readers finds, and its cost.

Run as ``python -m benchmarks.trade CORPUS FOLDER``.

``CORPUS`` has one JSON object per line: ``text``, ``kind`` and ``secrets``; ``FOLDER`` has session logs
(``*.jsonl``). Each row is a redactor with one more group of readers than the row above; the last has all.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.place import MB
from benchmarks.redaction import Case, read
from benchmarks.table import Row, render
from gittraj.redact import Redactor, engine, scan
from gittraj.redact.decide import Reader
from gittraj.redact.filter import clean_lines

_GROUPS = (
    ("known forms", ("token", "private-key")),
    ("names and commands", ("cookie", "named-value", "command", "call")),
    ("lines and tables", ("line", "printed", "row")),
    ("sentences", ("nearby",)),
)


def measure(corpus: Path, sessions: Path) -> Iterator[Row]:
    cases = read(corpus)
    logs = [
        line
        for path in sorted(sessions.rglob("*.jsonl"))
        for line in path.open(encoding="utf-8", errors="replace")
    ]
    every = scan._READERS
    try:
        for n, (name, _) in enumerate(_GROUPS, 1):
            ids = {one for _, group in _GROUPS[:n] for one in group}
            _use_readers(tuple(reader for reader in every if reader.id in ids))
            yield from _measured(name if n == 1 else f"and {name}", cases, logs)
    finally:
        _use_readers(every)


def _measured(name: str, cases: Sequence[Case], logs: Sequence[str]) -> Iterator[Row]:
    remained, touched = [], []
    for case in cases:
        clean = Redactor(key=b"k" * 32, seconds_per_text=60).text(case.text)
        if case.secrets:
            remained.append(any(secret in clean for secret in case.secrets))
        else:
            touched.append(clean != case.text)
    one = Redactor(key=b"k" * 32, seconds_per_text=60)
    begin = time.process_time()
    for _ in clean_lines(one, logs):
        pass
    seconds = time.process_time() - begin
    yield Row.of(f"(j) {name}: secrets that remain", [100 * sum(remained) / len(remained)], None, "%")
    yield Row.of("… harmless texts that are altered", [100 * sum(touched) / len(touched)], None, "%")
    yield Row.of("… speed, one process", [sum(map(len, logs)) / MB / seconds], None, "MB/s")


def _use_readers(readers: tuple[Reader, ...]) -> None:
    """Make all redactors use these readers from now on, and clear their caches."""
    scan._READERS = readers
    engine.forget()


if __name__ == "__main__":
    print(render(list(measure(*map(Path, sys.argv[1:3])))))
