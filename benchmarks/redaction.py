"""(j) The redactor: what it removes and what it leaves alone, how fast, and how long it takes to load.

``python -m benchmarks.redaction [CORPUS] [FOLDER]``. ``CORPUS`` has one JSON object per line: ``text``,
``kind`` (``secret`` or ``harmless``) and ``secrets``. By default texts are drawn from the rules' examples, so
recall shows only that nothing is broken, not how the rules do on unknown texts. Other installed scanners
are measured in the same run. ``FOLDER`` has session logs (``*.jsonl``), to measure the speed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.place import MB
from benchmarks.scanners import Ourselves, Scanner, scanners
from benchmarks.table import Row, render
from gittraj.redact import Redactor, rules
from gittraj.redact.examples import expand

ROUNDS = 5
_SEEDS = 4
_KEY = b"k" * 32
_PROSE = "The worker reads the log from where it stopped, and writes what is new into a note of the commit.\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A text and the secrets in it; none, if it is harmless."""

    text: str
    secrets: tuple[str, ...]


def measure(folder: Path, corpus: Path | None = None, sessions: Path | None = None) -> Iterator[Row]:
    """Measure all scanners; in ``folder`` they find the texts as files."""
    cases = read(corpus) if corpus else _drawn()
    for scanner in scanners():
        yield from _compared(scanner, cases, folder / scanner.name, ours=corpus is None)
    text = "".join([_PROSE * 40, *[f"{case.text}\n" for case in _drawn() if case.secrets][:200]])
    lines = [
        json.dumps({"type": "text", "n": n, "text": _PROSE * 8}) for n in range(int(MB / len(_PROSE) / 8))
    ]
    yield Row.of(
        "(j) a megabyte of prose with secrets",
        _times(lambda n: _redacted(f"{n}{text}"), len(text)),
        None,
        "ms/MB",
    )
    yield Row.of("… a megabyte of JSON lines", _times(lambda n: _redact_lines(n, lines), MB), 67.0, "ms/MB")
    if sessions:
        logs = [
            line
            for path in sorted(sessions.rglob("*.jsonl"))
            for line in path.open(encoding="utf-8", errors="replace")
        ]
        size = sum(map(len, logs))
        yield Row.of("… a megabyte of sessions, never seen", [_cold(logs) / (size / MB)], 67.0, "ms/MB")
    warm, seen = Redactor(key=_KEY), _PROSE * 2000
    warm.text(seen)
    again = [_took(lambda: warm.find(seen[:1] + seen[1:])) for _ in range(ROUNDS)]
    yield Row.of("… seen before", [1000 * one / (len(seen) / MB) for one in again], 4.0, "ms/MB")
    load = [_start("import gittraj.redact", folder / "bytecode") for _ in range(ROUNDS + 1)]
    yield Row.of("… to load", load[1:], 30.0)


def _compared(scanner: Scanner, cases: list[Case], folder: Path, *, ours: bool) -> Iterator[Row]:
    start = scanner.clean(["nothing to see here\n"], folder / "start").seconds
    cleaned = scanner.clean([case.text for case in cases], folder / "texts")
    pairs = list(zip(cases, cleaned.texts, strict=True))
    stay = [any(secret in text for secret in case.secrets) for case, text in pairs if case.secrets]
    touched = [text != case.text for case, text in pairs if not case.secrets]
    target = 1.0 if ours and isinstance(scanner, Ourselves) else None
    size = sum(len(case.text) for case in cases) / MB
    yield Row.of(f"(j) {scanner.name}: secrets that remain", [100 * sum(stay) / len(stay)], target, "%")
    yield Row.of("… harmless texts that are altered", [100 * sum(touched) / len(touched)], target, "%")
    yield Row.of("… speed", [size / max(1e-6, cleaned.seconds - start)], None, "MB/s")
    yield Row.of("… to start", [1000 * start])


def read(corpus: Path) -> list[Case]:
    found = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    return [Case(one["text"], tuple(one["secrets"]) if one["kind"] == "secret" else ()) for one in found]


def _drawn() -> list[Case]:
    drawn = [expand(good, seed) for rule in rules() for good in rule.good for seed in range(_SEEDS)]
    return [
        *(Case(text, tuple(secrets)) for text, secrets in drawn if secrets),
        *(Case(bad, ()) for rule in rules() for bad in rule.bad),
    ]


def _cold(logs: list[str]) -> float:
    """Milliseconds to redact the lines in a new process, which has cached none of them."""
    program = (
        "import sys, time; from gittraj.redact import Redactor\n"
        "from gittraj.redact.filter import clean_line\n"
        "one, logs = Redactor(key=b'k' * 32, seconds_per_text=60), list(sys.stdin)\n"
        "begin = time.process_time()\n"
        "for line in logs: clean_line(one, line)\n"
        "print(1000 * (time.process_time() - begin))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input="".join(logs), capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _redacted(text: str) -> str:
    return Redactor(key=_KEY, seconds_per_text=60).text(text)


def _redact_lines(number: int, lines: list[str]) -> None:
    redactor = Redactor(key=_KEY)
    for line in lines:
        redactor.text(line.replace('"n": ', f'"n": {number}'))


def _times(work: Callable[[int], object], size: float) -> list[float]:
    return [1000 * _took(lambda n=n: work(n)) / (size / MB) for n in range(ROUNDS)]  # type: ignore[misc]


def _took(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _start(statement: str, bytecode: Path) -> float:
    """Milliseconds of a statement in a new interpreter, without its start; from the second time on with
    bytecode, as in an installation, even if the environment forbids writing it."""
    program = (
        "import sys; sys.dont_write_bytecode = False; import time; begin = time.process_time(); "
        f"{statement}; print(1000 * (time.process_time() - begin))"
    )
    command = [sys.executable, "-X", f"pycache_prefix={bytecode}", "-c", program]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    given = [Path(one) for one in sys.argv[1:]]
    chosen = next((one for one in given if one.is_file()), None)
    logs = next((one for one in given if one.is_dir()), None)
    with tempfile.TemporaryDirectory(prefix="git-traj-benchmarks-") as temporary:
        rows = list(measure(Path(temporary), chosen, logs))
    print(render(rows))
    sys.exit(int(not all(row.passed for row in rows)))
