"""Checks a plug-in in its author's own tests: each function raises AssertionError with the fault.

    from gittraj import testing

    def test_format():
        testing.check_reader(my_package.LOG, SAMPLE)

The object is called as git-traj would call it, with the same limits; docs/example-plugin has a test of each
kind.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from gittraj.agents import SessionFile
from gittraj.agents.plugged import SHAPE as AGENT
from gittraj.commands.export import SHAPE as EXPORTER
from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.formats import shape_of
from gittraj.formats.base.exported import Exported
from gittraj.model.session_items import Damage, Entry, Item
from gittraj.plugins import Shape, reason
from gittraj.plugins.guard import Guarded, guard
from gittraj.tasks.system import SHAPE as TASKS
from gittraj.tasks.system import Site

_NUMBERS = count(1)
_OTHER_FILES = (b"", b"\0\1\2", b"{}\n", b'{"type": "session"}\n', b"[]")


def check_agent(agent: Any, environ: Mapping[str, str], *, session: str, folder: Path) -> SessionFile:
    """Check that the agent finds the log of ``session``, which worked in ``folder``, and lists it only there
    and only if it is new enough; and that it names no other session in ``environ``, the environment of a
    shell that the session opened. Return the session's file."""
    with _guarded(agent, AGENT) as guarded:
        here = Environ.of(environ)
        current = guarded.current(here)
        assert current in (None, session), f"current: {current!r}"
        files: list[SessionFile] = [
            f for f in guarded.sessions(here, [folder], since=0.0) if f.session == session
        ]
        assert len(files) == 1, f"sessions: {session!r} is listed {len(files)} times in {folder}"
        assert files[0].agent == guarded.name, f"sessions: a session of {files[0].agent!r}"
        assert guarded.find(here, session) == files[0].path, "find: not the path that sessions returns"
        assert guarded.find(here, "../*") is None, "find: an id that is a pattern finds something"
        assert not [*guarded.sessions(here, [folder / "not there"], since=9e12)], "sessions: ignores since"
        assert not [*guarded.sessions(Environ.of({}), [folder], since=0.0)], "sessions: some without a home"
        [*guarded.subagents(files[0])]
    return files[0]


def check_reader(reader: Any, body: bytes) -> list[Item]:
    """Check that the reader detects ``body``, a session's log, and no other file; reads it without damage,
    twice with the same result, each event with another id; and never fails if bytes are cut off or changed.
    Return the items."""
    with _guarded(reader, shape_of(reader)) as guarded:
        assert guarded.detect(body[:65536]), "detect: does not accept its own log"
        assert not any(map(guarded.detect, _OTHER_FILES)), "detect: accepts a file of another format"
        items = _read(guarded, body)
        damage = [item for item in items if isinstance(item, Damage)]
        assert not damage, f"read: {damage[0]}"
        assert items == _read(guarded, body), "read: another result the second time"
        ids = [item.event.id for item in items if isinstance(item, Entry)]
        assert ids, "read: no event"
        assert len({*ids}) == len(ids), "read: two events with one id"
        _read_damaged(guarded, body)
    return items


def _read_damaged(reader: Guarded, body: bytes) -> None:
    for at in range(0, len(body), max(1, len(body) // 50)):
        _read(reader, body[:at])
        _read(reader, body[:at] + b"\xff{[" + body[at + 3 :])


def check_exporter(exporter: Any) -> bytes:
    """Check that the exporter can write a small trajectory. Return the output."""
    trajectory = {"id": "traj_1", "agent": "example", "session": "s1", "prompt": "Greet", "chapters": []}
    with _guarded(exporter, EXPORTER) as guarded:
        parts = [*guarded.write(Exported(trajectories=[trajectory]))]
    return b"".join(part.encode() if isinstance(part, str) else part for part in parts)


def check_tasks(system: Any, task: str) -> None:
    """Check that ``task``, also at the end of a branch's name, is an id, and that other words are not."""
    site = Site()
    with _guarded(system, TASKS) as guarded:
        source = guarded.parse(task, site, named=True)
        assert source is not None, f"parse: does not accept {task}"
        assert source.system == guarded.name, f"parse: a task of {source.system!r}"
        assert guarded.find(f"feature/{task}", site) == source, f"find: not in feature/{task}"
        assert guarded.parse("some words", site) is None, "parse: accepts some words as a task"
        assert guarded.is_here(site) in (True, False)


def _read(reader: Guarded, body: bytes) -> list[Item]:
    return [*reader.read(io.BytesIO(body), session="s1")]


@contextmanager
def _guarded(plugged: Any, shape: Shape | Callable[[Any], Shape]) -> Iterator[Guarded]:
    """Yield the object, guarded; raise AssertionError if it is refused or left out."""
    name = f"under-test-{next(_NUMBERS)}"
    try:
        yield guard(name, plugged, shape)
    except TrajError as error:
        raise AssertionError(error.message) from None
    why = reason(name)
    assert why is None, why
