"""Many texts in several processes: the same is found, whatever becomes of them."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest

from gittraj.errors import RedactionError
from gittraj.redact import Options, Redactor, Span, scan
from gittraj.redact.examples import draw, expand
from gittraj.redact.spread import spread
from tests.integration.waiting import wait_until

TOKEN = "ghp_" + "x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi"
SEVERAL = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="no second processor, or no quick fork",
)


def texts(count: int, say: Callable[[int], str] = "line {}".format) -> list[str]:
    """Texts of a thousand characters and more, no two alike."""
    return [
        f"{say(n)}\n" + f"what is said here is of number {n} alone, and harmless\n" * 20 for n in range(count)
    ]


def begin(begun: Path, first: int) -> None:
    """The process ``first`` waits until another has begun."""
    if os.getpid() == first:
        wait_until(begun.exists, "another process")
    begun.touch()


@SEVERAL
def test_each_text_is_found_once_and_not_only_here(tmp_path: Path) -> None:
    many = texts(400)
    here, begun = os.getpid(), tmp_path / "begun"

    def find(some: Sequence[str]) -> list[tuple[str, int]]:
        begin(begun, here)
        return [(text[:6], os.getpid()) for text in some]

    found = [*spread(many, find)]
    assert sorted(text for text, _ in found) == sorted(many)
    assert all(text.startswith(said) for text, (said, _) in found)
    assert {process for _, (_, process) in found} - {here}, "a helper took part; it may have taken all"


def who(some: Sequence[str]) -> list[int]:
    return [os.getpid() for _ in some]


def test_few_texts_take_one_process() -> None:
    assert [process for _, process in spread(texts(10), who)] == [os.getpid()] * 10
    assert [*spread([], who)] == []


def test_beside_threads_nobody_forks() -> None:
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        assert {process for _, process in spread(texts(400), who)} == {os.getpid()}
    finally:
        done.set()
        other.join()


def test_where_no_process_is_to_be_had_this_one_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr("os.fork", fail, raising=False)
    before = open_files()
    assert [process for _, process in spread(texts(400), who)] == [os.getpid()] * 400
    assert open_files() == before


def open_files() -> int:
    return len([*Path("/proc/self/fd").iterdir()]) if sys.platform == "linux" else 0


@SEVERAL
@pytest.mark.parametrize("end", [lambda: os._exit(1), lambda: os.kill(os.getpid(), 9), lambda: 1 / 0])
def test_of_a_process_that_dies_nothing_is_said(end: Callable[[], object], tmp_path: Path) -> None:
    """Its shares are scanned where they are asked for."""
    here, begun = os.getpid(), tmp_path / "begun"

    def find(some: Sequence[str]) -> list[int]:
        begin(begun, here)
        if os.getpid() != here:
            end()
        return [len(text) for text in some]

    many = texts(400)
    found = dict(spread(many, find))
    assert 0 < len(found) < len(many)
    assert all(len(text) == size for text, size in found.items())


@SEVERAL
def test_what_was_foreseen_is_what_is_found() -> None:
    many = texts(200, lambda n: f"it was {TOKEN[:-4]}{n:04}" if n % 3 else "nothing")
    foreseeing, other = Redactor(key=b"k" * 32), Redactor(key=b"k" * 32)
    foreseeing.foresee([many, "and a word"])
    found = [foreseeing.find(text) for text in many]
    from gittraj.redact import engine

    engine._found.of(engine._PLAIN).clear()
    assert found == [other.find(text) for text in many]
    assert sum(map(len, found)) == 133


@SEVERAL
def test_what_cannot_be_scanned_is_said_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    many = texts(200, "number {} cannot be scanned".format)

    def fail(text: str, **_: object) -> list[Span]:
        raise ValueError(text)

    redactor = Redactor(key=b"k" * 32)
    with monkeypatch.context() as broken:
        broken.setattr("gittraj.redact.engine.scan", fail)
        redactor.foresee(many)
        with pytest.raises(RedactionError, match="ValueError"):
            redactor.text(many[0])
    assert redactor.text(many[0]) == many[0]


def test_words_that_nobody_need_scan() -> None:
    redactor = Redactor(key=b"k" * 32)
    redactor.foresee(["2f1b0c4e-1d2a-4b3c-8d4e-5f6a7b8c9d0e", {"toolu_01AbCdEf": ["msg_7"]}])
    assert redactor.text("toolu_01AbCdEf") == "toolu_01AbCdEf"
    redactor.foresee([TOKEN])
    assert TOKEN not in redactor.text(TOKEN)


def test_foreseeing_fails_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it was to save is done where it is asked for."""

    def fail(_: object) -> None:
        raise OSError(errno.EMFILE, TOKEN)

    monkeypatch.setattr("gittraj.redact.engine.prepare", fail)
    redactor = Redactor(key=b"k" * 32)
    redactor.foresee([f"it was {TOKEN} in here"])
    assert TOKEN not in redactor.text(f"it was {TOKEN} in here")


@SEVERAL
def test_after_an_error_no_share_is_taken_any_more(tmp_path: Path) -> None:
    here = os.getpid()

    def find(some: Sequence[str]) -> list[int]:
        if os.getpid() == here:
            raise KeyboardInterrupt
        with (tmp_path / "taken").open("a") as stream:
            stream.write("x")
        time.sleep(0.2)
        return [len(text) for text in some]

    before = open_files()
    with pytest.raises(KeyboardInterrupt):
        list(spread(texts(800), find))
    assert len((tmp_path / "taken").read_text() if (tmp_path / "taken").exists() else "") < 40  # of 54
    assert open_files() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@SEVERAL
def test_helpers_do_not_outlive_who_waits_for_them(tmp_path: Path) -> None:
    """They have its locks open."""
    program = (
        "import os, pathlib, signal, sys, time\n"
        "from gittraj.redact.spread import spread\n"
        "here, taken = os.getpid(), pathlib.Path(sys.argv[1])\n"
        "def find(some):\n"
        "    if os.getpid() == here:\n"
        "        while not taken.exists(): time.sleep(0.01)\n"
        "        os.kill(here, signal.SIGKILL)\n"
        "    with taken.open('a') as stream: stream.write('x')\n"
        "    time.sleep(0.05)\n"
        "    return [0 for _ in some]\n"
        "list(spread([f'{n} ' * 4000 for n in range(200)], find))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "taken")], capture_output=True, text=True, check=False
    )  # until all have closed their ends of the pipes
    assert (done.returncode, done.stdout, done.stderr) == (-9, "", "")
    assert 0 < len((tmp_path / "taken").read_text()) < 100  # of 150


def test_a_percent_encoded_word_is_read_decoded() -> None:
    redactor = Redactor(key=b"k" * 32)
    key = draw("hex", 32, 7)
    address = f"https%3A%2F%2F{key}%40o1.ingest.sentry.io%2F42"
    redactor.foresee([address, [address]])
    assert key not in redactor.text(address)
    assert not redactor.is_plain([address])


def test_a_word_that_need_not_be_scanned_has_no_secret() -> None:
    examples = {expand(good, n)[0] for rule in scan.rules() for n, good in enumerate(rule.good)}
    parts = {word for example in examples for word in example.split()} | examples
    idle = set(scan.plain().idle(parts | {quote(part, safe="") for part in parts}))
    assert len(idle) > 100
    assert not any(Redactor(key=b"k" * 32).find(word) for word in idle)


def test_what_a_text_has_does_not_depend_on_others() -> None:
    text = 'pincrypt(`Smmer328`\nκωδικό"'
    alone = [(span.start, span.end) for span in Redactor(key=b"k" * 32).find(text)]
    scan._ledger.cache_clear()
    scan._known.cache_clear()
    scan.prepare([text, "pin", "İ"])
    found = scan.scan(text, name=None, strict=False, options=Options(), tick=lambda: None)
    assert [(span.start, span.end) for span in found] == alone
