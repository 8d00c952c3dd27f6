"""A session with ``GIT_TRAJ=0`` is not recorded until it runs without that variable."""

from __future__ import annotations

from pathlib import Path

from gittraj.record.drain.switched_off import follow_switches
from gittraj.state.cursors import Pause, Span, State, Suspension
from gittraj.state.spool import Spooled

ME = "claude-code:s"


def line(kind: str, log: Path | None = None, *, commit: str = "") -> Spooled:
    return Spooled(kind=kind, id=commit, git_dir=Path("/g"), sessions=(ME,), log=log)  # type: ignore[arg-type]


def test_a_session_is_off_from_its_last_stored_event_until_it_runs_without_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("ten bytes\n")
    off = follow_switches([line("off"), line("off")], State(), Suspension(), 5.0)
    assert off.sessions == {ME: (Span(start=0),)}
    assert off.away(ME, subagent="a").pauses[0].covers(4.0)
    on = follow_switches([line("session", log)], State(), off, 9.0)
    assert on.sessions == {ME: (Span(start=0, end=10),)}
    assert not on.pauses[0].covers(9.5)
    assert follow_switches([line("session", log)], State(), on, 11.0) == on


def test_a_commit_alone_does_not_switch_a_session_off() -> None:
    off = follow_switches([line("off", commit="a" * 40)], State(), Suspension(), 5.0)
    assert off == Suspension()


def test_events_of_a_pauses_first_millisecond_are_in_it() -> None:
    """Logs truncate their times to milliseconds."""
    pause = Pause(since=5.0007, until=6.0)
    assert [time for time in (4.999, 5.0, 5.001, 6.0, 6.001) if pause.covers(time)] == [5.0, 5.001, 6.0]
