"""Round trips through every format that, by ``docs/exchange.md``, keeps the whole trajectory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from gittraj.commands.export import EXCHANGES, documents
from gittraj.errors import FormatError
from gittraj.formats import detect_store
from gittraj.formats.base.exported import Exported
from gittraj.model.codec import dump, event_to_json
from gittraj.model.session_items import Entry
from gittraj.model.values import AnyEvent
from gittraj.record.drain.open_log import find_sessions, read_items
from tests.sizes import size
from tests.unit.formats.interchange.trajectories import build_trajectory, some_events, stored

FORMS = sorted(EXCHANGES.keys() - {"agent-trace", "otel", "csv", "a3s"})
"""The other formats keep less or cannot be read; A3S's store has its own tests."""


def write_and_read(form: str, trajectory: dict[str, Any], folder: Path) -> list[bytes]:
    """Write a trajectory and return the events read back."""
    for name, body in documents(EXCHANGES[form], Exported(trajectories=[trajectory])):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)
    return [dump(event_to_json(event)) for event in read(folder)]


def read(path: Path) -> Iterator[AnyEvent]:
    """Yield the events of a store, or of all files below ``path`` that a reader knows."""
    files = [path] if detect_store(path) else sorted(each for each in path.rglob("*") if each.is_file())
    for file in files:
        try:
            sessions = find_sessions(file)
        except FormatError:
            continue
        for session in sessions:
            yield from (item.event for item in read_items(session) if isinstance(item, Entry))


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=size(10, 25))
@given(events=some_events())
def test_any_trajectory_survives_a_round_trip(form: str, events: list[AnyEvent]) -> None:
    with TemporaryDirectory() as folder:
        read_events = write_and_read(form, build_trajectory(events), Path(folder))
    if events:  # without events, a note says that there are none
        assert read_events == [dump(stored(event)) for event in events]


FRAME = ("content", "schema_version", "trajectory_id", "model_name")
LOST: dict[str, tuple[str, ...]] = {
    "atif": FRAME,
    "atif-1.8": FRAME,
    "openagents": FRAME,
    "trajectory-bundle": ("$schema",),
    "trajectory-sqlite": ("description", "url"),
}
"""The fields of a document outside its steps that a format does not keep (``docs/exchange.md``)."""


def framed(form: str, event: bytes) -> Any:
    """Parse an event; if it contains a document's fields, leave out those that the format does not keep."""
    value = json.loads(event)
    frame = "root" in value.get("atif", value.get("trail", ()))
    return without(value, LOST.get(form, ())) if frame else value


def without(value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [without(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {name: without(each, names) for name, each in value.items() if name not in names}
    return {name: each for name, each in kept.items() if each not in ({}, [], None)}


@pytest.mark.shared
@pytest.mark.parametrize("form", FORMS)
def test_every_sample_survives_a_round_trip(form: str, samples: Path) -> None:
    seen = 0
    files = sorted(each for each in samples.rglob("*") if each.is_file())
    for path in files[FORMS.index(form) % size(3, 1) :: size(3, 1)]:
        large = path.stat().st_size > size(20_000, 3_000_000)
        if large or "invalid" in path.name or (form == "trajectory-sqlite" and "compact" in path.name):
            continue  # invalid files come back repaired; a compaction has no row
        try:
            session, *_ = find_sessions(path)
        except FormatError:
            continue
        events = [item.event for item in read_items(session) if isinstance(item, Entry)]
        if events:
            trajectory = build_trajectory(
                events, id=session.trajectory, agent=session.agent, session=session.session
            )
            with TemporaryDirectory() as folder:
                read_events = write_and_read(form, trajectory, Path(folder))
            wanted = [dump(stored(event)) for event in events]
            assert [framed(form, e) for e in read_events] == [framed(form, e) for e in wanted], path
            seen += 1
    assert seen > size(5, 20)
