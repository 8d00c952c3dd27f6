"""The contract of a plug-in, for its author's own tests: each function raises AssertionError with what is
wrong.

    from gittraj import testing

    def test_format():
        testing.check_reader(my_package.LOG, SAMPLE)

It asks the object as git-traj would, with the same limits; docs/example-plugin has a test of each kind.
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
_NOT_OURS = (b"", b"\0\1\2", b"{}\n", b'{"type": "session"}\n', b"[]")


def check_agent(agent: Any, environ: Mapping[str, str], *, session: str, folder: Path) -> SessionFile:
    """With the environment of a shell that ``session`` opened, which worked in ``folder``: the agent names
    it, finds its log, lists it there and nowhere else, and not when it is older."""
    with _guarded(agent, AGENT) as asked:
        here = Environ.of(environ)
        current = asked.current(here)
        assert current in (None, session), f"current: {current!r}"
        found: list[SessionFile] = [
            f for f in asked.sessions(here, [folder], since=0.0) if f.session == session
        ]
        assert len(found) == 1, f"sessions: {session!r} is listed {len(found)} times in {folder}"
        assert found[0].agent == asked.name, f"sessions: a session of {found[0].agent!r}"
        assert asked.find(here, session) == found[0].path, "find: not the path that sessions gives"
        assert asked.find(here, "../*") is None, "find: an id that is a pattern finds something"
        assert not [*asked.sessions(here, [folder / "not there"], since=9e12)], (
            "sessions: since does not count"
        )
        assert not [*asked.sessions(Environ.of({}), [folder], since=0.0)], "sessions: found without a home"
        [*asked.subagents(found[0])]
    return found[0]


def check_reader(reader: Any, body: bytes) -> list[Item]:
    """It knows ``body``, a session, and no other bytes; reads it without damage, twice alike, each event with
    an id of its own; and never fails, whatever is cut off or changed."""
    with _guarded(reader, shape_of(reader)) as asked:
        assert asked.detect(body[:65536]), "detect: not its own"
        assert not [head for head in _NOT_OURS if asked.detect(head)], "detect: what is not its own"
        items = _read(asked, body)
        damage = [item for item in items if isinstance(item, Damage)]
        assert not damage, f"read: {damage[0]}"
        assert items == _read(asked, body), "read: another result the second time"
        ids = [item.event.id for item in items if isinstance(item, Entry)]
        assert ids, "read: no event"
        assert len({*ids}) == len(ids), "read: two events with one id"
        _harm(asked, body)
    return items


def _harm(reader: Guarded, body: bytes) -> None:
    for at in range(0, len(body), max(1, len(body) // 50)):
        _read(reader, body[:at])
        _read(reader, body[:at] + b"\xff{[" + body[at + 3 :])


def check_exporter(exporter: Any) -> bytes:
    """What it writes of a small trajectory."""
    told = {"id": "traj_1", "agent": "example", "session": "s1", "prompt": "Greet", "chapters": []}
    with _guarded(exporter, EXPORTER) as asked:
        parts = [*asked.write(Exported(trajectories=[told]))]
    return b"".join(part.encode() if isinstance(part, str) else part for part in parts)


def check_tasks(system: Any, task: str) -> None:
    """``task`` is an id of it, also as the last part of a branch's name; other words are none."""
    site = Site()
    with _guarded(system, TASKS) as asked:
        source = asked.parse(task, site, named=True)
        assert source is not None, f"parse: {task} is none of its tasks"
        assert source.system == asked.name, f"parse: a task of {source.system!r}"
        assert asked.find(f"feature/{task}", site) == source, f"find: not in feature/{task}"
        assert asked.parse("some words", site) is None, "parse: some words are a task"
        assert asked.is_here(site) in (True, False)


def _read(reader: Guarded, body: bytes) -> list[Item]:
    return [*reader.read(io.BytesIO(body), session="s1")]


@contextmanager
def _guarded(plugged: Any, shape: Shape | Callable[[Any], Shape]) -> Iterator[Guarded]:
    name = f"under-test-{next(_NUMBERS)}"
    try:
        asked = guard(name, plugged, shape)
        yield asked
    except TrajError as error:
        raise AssertionError(error.message) from None
    why = reason(name)
    assert why is None, why
