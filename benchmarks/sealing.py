"""(l) Seals: the time to make one, to open it and to count its readers, and to load the code for that."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.table import Row, rounds
from gittraj.seal import age

ROUNDS = 200
_READERS = 5
_TEXT = os.urandom(200_000)
_TARGET = 5.0


def measure(folder: Path) -> Iterator[Row]:
    """Measure; writes nothing to ``folder``."""
    identities = [age.parse_identity(age.generate_identity()) for _ in range(_READERS)]
    lines = [one.recipient() for one in identities]
    recipients = [age.parse_recipient(line) for line in lines]
    sealed = age.encrypt(_TEXT, recipients)
    found = rounds(
        {
            f"(l) 200 kB sealed for {_READERS} readers": lambda: _took(
                lambda: age.encrypt(_TEXT, recipients)
            ),
            "… opened by the first of them": lambda: _opened(sealed, identities[:1]),
            "… opened by the last of them": lambda: _opened(sealed, identities[-1:]),
            "… other readers of the same payload": lambda: _took(
                lambda: age.rewrap(sealed.header, identities[-1:], recipients)
            ),
            "… readers counted": lambda: _took(lambda: age.stanzas(sealed.header)),
            f"… {_READERS} lines of recipients read": lambda: _took(
                lambda: [age.parse_recipient(line) for line in lines]
            ),
        },
        ROUNDS,
    )
    for name, taken in found.items():
        yield Row.of(name, taken, _TARGET)
    for name, statement in {
        "… to load what counts readers": "from gittraj.seal import age",
        "… to load what opens": "from gittraj.seal.age import decrypt, parse_identity",
    }.items():
        yield Row.of(name, [_start(statement) for _ in range(ROUNDS // 10)], 100.0)


def _opened(sealed: age.Sealed, identities: list[age.Identity]) -> float:
    return _took(lambda: age.decrypt(sealed.header, sealed.payload, identities))


def _took(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begin)


def _start(statement: str) -> float:
    """Milliseconds of processor time of a statement in a new interpreter, without its start."""
    clock = "time.process_time()"
    program = f"import time; begin = {clock}; {statement}; print(1000 * ({clock} - begin))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout)
