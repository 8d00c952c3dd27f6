"""The time for a text is linear in its length, even for a hostile one."""

from __future__ import annotations

import time
from math import inf

import pytest

from gittraj.errors import RedactionError
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


@pytest.mark.parametrize("piece", some((*PIECES[::2], *PIECES[1::2]), 5))
def test_twice_the_text_takes_about_twice_the_time(piece: str) -> None:
    once = twice = inf
    for _ in range(_ROUNDS):
        once, twice = min(once, took(piece, _SHORT)), min(twice, took(piece, 2 * _SHORT))
        if twice <= 2.5 * max(once, _FLOOR):
            return
    raise AssertionError((once, twice))


def took(piece: str, length: int) -> float:
    text = piece * (length // len(piece))
    begin = time.process_time()
    for _ in scan(text, name=None, strict=False, options=Options(), tick=lambda: None):
        pass
    return time.process_time() - begin


def test_a_scan_stops_when_its_time_is_over() -> None:
    def tick() -> None:
        raise RedactionError("no time")

    with pytest.raises(RedactionError):
        list(scan("password=x1", name=None, strict=False, options=Options(), tick=tick))
