"""A3S Code's store, written again from what was read of it, and from any session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

from gittraj.formats.a3s import store, write
from gittraj.formats.base.exported import Exported
from gittraj.model.session_items import Entry, Fact
from gittraj.model.values import AnyEvent, Message, Prompt, ToolCall, ToolResult
from tests.unit.formats import test_a3s as a3s
from tests.unit.formats.interchange.trajectories import some_events, told


def keep(folder: Path, files: dict[str, Any]) -> Path:
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value) if not isinstance(value, str) else value)
    return folder


def events(folder: Path, session: str) -> list[AnyEvent]:
    return [item.event for item in store.read(folder, session) if isinstance(item, Entry)]


def again(folder: Path, found: list[AnyEvent], session: str, **header: Any) -> list[AnyEvent]:
    trajectory = told(found, agent="a3s", session=session, **header)
    keep(folder, dict(write.files(Exported(trajectories=[trajectory]))))
    assert list(store.sessions(folder)) == [session]
    return events(folder, session)


def test_what_was_read_is_written_as_it_was(tmp_path: Path) -> None:
    """But for the run before the first prompt, whose messages are gone: it has some now."""
    given_ = keep(tmp_path / "given", a3s.OLDER)
    found = events(given_, "s/1")
    written = again(tmp_path / "again", found, "s/1", models=["kimi-k2.5"], title="Parser")
    kinds = [type(event).__name__ for event in found]
    assert sorted(kinds) == sorted(type(event).__name__ for event in written)
    for event in found:
        like = [e for e in written if (type(e), e.content) == (type(event), event.content)]
        assert like, event
        if isinstance(event, ToolResult):
            ended = [(e.exit_code, e.is_error, e.ts) for e in like if isinstance(e, ToolResult)]
            assert (event.exit_code, event.is_error, event.ts) in ended
    facts = {i.name: i.value for i in store.read(tmp_path / "again", "s/1") if isinstance(i, Fact)}
    assert (facts["title"], facts["model"]) == ("Parser", "kimi-k2.5")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(some_events())
def test_what_was_asked_said_called_and_answered_comes_back(tmp_path: Path, given_: list[AnyEvent]) -> None:
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    written = again(folder, given_, "S")
    for kind in (Prompt, Message):
        wanted = [_plain(e.content) for e in given_ if isinstance(e, kind) and e.content]
        assert [e.content for e in written if isinstance(e, kind)] == wanted
    calls = [e for e in given_ if isinstance(e, ToolCall) and not e.id.startswith("task:")]
    names = [_plain(e.name or "unknown") for e in calls]
    assert [e.name for e in written if isinstance(e, ToolCall)] == names


def _plain(text: str) -> str:
    """As a file can have it, which has no lone surrogate."""
    return text.replace("\ud83d", "\ufffd")
