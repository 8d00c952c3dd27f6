"""A run ends in time, whatever it waits for."""

from __future__ import annotations

import threading

from github_action.watchdog import Watchdog


def test_a_run_that_takes_too_long_is_ended_with_its_message() -> None:
    ended = threading.Event()
    statuses: list[int] = []

    def end(status: int) -> None:
        statuses.append(status)
        ended.set()

    with Watchdog(late=lambda: 7, seconds=0.05, end=end):
        assert ended.wait(30)
    assert statuses == [7]


def test_a_run_that_ends_within_its_extended_time_is_left_alone() -> None:
    statuses: list[int] = []
    with Watchdog(late=lambda: 7, seconds=0.0, granted=lambda: 3600.0, end=statuses.append):
        pass
    assert statuses == []
