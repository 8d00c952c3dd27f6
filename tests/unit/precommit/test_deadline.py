"""Work that is done in time counts, and nothing waits for the remaining work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Event

import pytest

from gittraj.precommit.deadline import say, take


def test_work_done_in_time_gives_its_result() -> None:
    assert take(iter("ab"), time.monotonic() + 5) == (["a", "b"], True)


def test_work_that_is_too_slow_is_not_waited_for() -> None:
    over = Event()

    def work() -> Iterator[int]:
        yield 1
        over.wait(60)
        yield 2

    assert take(work(), time.monotonic() + 1) == ([1], False)
    over.set()


def test_an_error_in_the_work_is_raised() -> None:
    def work() -> Iterator[int]:
        raise ValueError("x")
        yield 1

    with pytest.raises(ValueError, match="x"):
        take(work(), time.monotonic() + 5)


def test_a_message_is_one_harmless_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\nb\x1b[31m")
    assert capsys.readouterr().err == "git-traj: a b^[[31m\n"
