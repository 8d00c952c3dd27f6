"""An agent that runs with ``GIT_TRAJ=0`` is off until it runs without."""

from __future__ import annotations

from pathlib import Path

from gittraj.record.drain.switched_off import follow_switches
from gittraj.state.cursors import Pause, Span, State, Suspension
from gittraj.state.spool import Spooled

ME = "claude-code:s"


def line(kind: str, log: Path | None = None, *, commit: str = "") -> Spooled:
    return Spooled(kind=kind, id=commit, git_dir=Path("/g"), sessions=(ME,), log=log)  # type: ignore[arg-type]


def test_off_from_where_nothing_was_stored_until_it_runs_without(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("ten bytes\n")
    off = follow_switches([line("off"), line("off")], State(), Suspension(), 5.0)
    assert off.sessions == {ME: (Span(start=0),)}
    assert off.away(ME, subagent="a").pauses[0].covers(4.0)
    on = follow_switches([line("session", log)], State(), off, 9.0)
    assert on.sessions == {ME: (Span(start=0, end=10),)}
    assert not on.pauses[0].covers(9.5)
    assert follow_switches([line("session", log)], State(), on, 11.0) == on


def test_a_commit_alone_switches_no_session_off() -> None:
    off = follow_switches([line("off", commit="a" * 40)], State(), Suspension(), 5.0)
    assert off == Suspension()


def test_what_was_said_in_the_first_millisecond_of_a_pause_is_in_it() -> None:
    """A log cuts its times to milliseconds."""
    pause = Pause(since=5.0007, until=6.0)
    assert [time for time in (4.999, 5.0, 5.001, 6.0, 6.001) if pause.covers(time)] == [5.0, 5.001, 6.0]
