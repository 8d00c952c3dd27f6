"""The time for a text is linear in its length, even for a hostile one."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

import pytest

from gittraj.errors import RedactionError
from gittraj.events.sensitive import patched, written
from gittraj.redact import Options
from gittraj.redact.scan import scan
from tests.sizes import some

from .test_engine import HOSTILE

PIECES = [
    *HOSTILE, "| password |", "a,password\n", "curl -u a:", "<<<", "echo x | ",
    "$ pass show x\n", "value: ", " / ",
    "use ", "send(", "connect(\"", "{\"value\":\"", "[", "{\"", "-p ", "password is ",
    "密码", "seed word ", "\t", "&lt;",
    "'\n  '", "abcdefgh1\n", "://", "-----END ", "1,", "MIIE", "</",
    "password x ", "(user, password)\n", "password, ", '"value":"a1b2c3d4",', '{"value":"a1b2c3d4"',
    "password: ", "12→a\n", "echo a1b2c3 ", "fill('a', 'b1c2d3e4')\n", "pass\n", "     1\tx\n", "a.py:1:x\n",
    "curl ", "docker ",
    "@@ -1\n+x\n", "@@ -1\n+password: ", "cookie ", "code ", "login ",
    "abcd efgh ijkl mnop ", "login a1b2:c3d4e5 ", "ghp_" + "a1B2c3D4e5F6" * 3 + "\n",
]  # fmt: skip
_SHORT = 20_000
_FLOOR = 0.06  # seconds: shorter times vary too much
_ROUNDS = 9  # until one is quick: other processes only make it slower


STRICT = ['"NAME1=value1",', "'k=v", "'a=b ", '"k":v,', "a=[", "a=b" + " " * 400 + "\n", "#a=b "]
COMMANDS = [
    "sed -", "cat <<E ", "'",
    'echo "a\\', "echo $(", "echo a", "> ", "cat <<E\n", "} > .env\n", "echo a=b > .env;",
]  # fmt: skip
PATCHES = ["+++ .env\n", "/.gnupg", "/.gnupg/a"]


@pytest.mark.parametrize("piece", some((*PIECES[::2], *PIECES[1::2]), 5))
def test_twice_the_text_takes_about_twice_the_time(piece: str) -> None:
    assert_linear(lambda text: read(text, strict=False), piece)


@pytest.mark.parametrize("piece", some(STRICT, 2))
def test_twice_the_strict_text_takes_about_twice_the_time(piece: str) -> None:
    assert_linear(lambda text: read(text, strict=True), piece)


@pytest.mark.parametrize("piece", COMMANDS)
def test_twice_the_command_takes_about_twice_the_time(piece: str) -> None:
    assert_linear(lambda text: written(text, "command"), piece)


@pytest.mark.parametrize("piece", PATCHES)
def test_twice_the_patch_takes_about_twice_the_time(piece: str) -> None:
    assert_linear(lambda text: patched(f"*** Add File: {text}…\n", None), piece)


def assert_linear(work: Callable[[str], object], piece: str) -> None:
    once = twice = inf
    for _ in range(_ROUNDS):
        once, twice = min(once, took(work, piece, _SHORT)), min(twice, took(work, piece, 2 * _SHORT))
        if twice <= 2.5 * max(once, _FLOOR):
            return
    raise AssertionError((once, twice))


def took(work: Callable[[str], object], piece: str, length: int) -> float:
    text = piece * (length // len(piece))
    begin = time.process_time()
    work(text)
    return time.process_time() - begin


def read(text: str, *, strict: bool) -> None:
    for _ in scan(text, name=None, strict=strict, options=Options(), tick=lambda: None):
        pass


def test_a_scan_stops_when_its_time_is_over() -> None:
    def tick() -> None:
        raise RedactionError("no time")

    with pytest.raises(RedactionError):
        list(scan("password=x1", name=None, strict=False, options=Options(), tick=tick))
