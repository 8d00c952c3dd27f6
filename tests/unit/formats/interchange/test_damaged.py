"""Damaged files of foreign formats: the intact part is read, and the damage is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats.agent_trajectories import write as agent_trajectories
from gittraj.formats.agent_trajectories.markdown import summarise
from gittraj.formats.atif import write as atif
from gittraj.formats.base.carried import facts, to_event
from gittraj.formats.base.exported import Exported
from gittraj.model.codec import dump
from gittraj.model.session_items import Damage, Entry, Fact, Item
from gittraj.record.drain.open_log import find_sessions, read_items
from tests.conftest import SHARING
from tests.sizes import size
from tests.unit.formats.interchange.test_atif import FOREIGN, SESSION
from tests.unit.formats.interchange.test_trajectory import THEIRS
from tests.unit.formats.interchange.trajectories import build_trajectory
from tests.unit.formats.reading import spoiled
from tests.unit.formats.test_agent_trace import lines, record

OURS = Exported(trajectories=[build_trajectory(SESSION)])
DOCUMENTS: dict[str, Any] = {
    "atif": FOREIGN,
    "atif of ours": json.loads("".join(atif.write(OURS))),
    "trail": THEIRS,
    "trail of ours": json.loads("".join(agent_trajectories.write(OURS))),
    "agent-trace": record(lines(1, 2), lines(4, 4)),
}
QUIET = settings(
    SHARING,
    max_examples=60,
    phases=[Phase.explicit, Phase.generate],
)


def items(path: Path, body: bytes) -> Iterator[Item]:
    """Yield all items of a file; a file of an unknown format is refused with a reason."""
    path.write_bytes(body)
    try:
        for file in find_sessions(path):
            yield from read_items(file)
    except FormatError as error:
        assert "its reader failed" not in error.message


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_file_cut_at_any_byte_gives_events_and_a_damage(tmp_path: Path, name: str) -> None:
    body = dump(DOCUMENTS[name])
    count = sum(isinstance(item, Entry) for item in items(tmp_path / "f", body))
    assert count
    for end in range(0, len(body), max(len(body) // size(25, 150), 1)):
        found_items = list(items(tmp_path / "f", body[:end]))
        entries = sum(isinstance(item, Entry) for item in found_items)
        assert entries <= count + 1  # an incomplete step may give an additional event
        assert not entries or name == "agent-trace" or any(isinstance(item, Damage) for item in found_items)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_other_line_ends_and_invalid_bytes_are_read(tmp_path: Path, name: str) -> None:
    body = json.dumps(DOCUMENTS[name], indent=1).encode()
    plain = list(items(tmp_path / "f", body))
    odd = b"\xef\xbb\xbf" + body.replace(b"\n", b"\r\n") + b"\0\0"
    assert len(list(items(tmp_path / "f", odd))) == len(plain)
    wrong = body.replace(b'"x"', b'"\xff\\ud83d"')
    for item in items(tmp_path / "f", wrong):
        assert not isinstance(item, Entry) or dump(item.event.content)


def test_a_cost_beyond_any_number_is_unknown() -> None:
    assert [*facts({"title": "Mend it", "costUsd": 10**400})] == [Fact(name="title", value="Mend it")]


@QUIET
@given(data=st.data())
def test_no_value_of_an_unexpected_type_stops_a_reader(tmp_path: Path, data: st.DataObject) -> None:
    document = spoiled(data, DOCUMENTS[data.draw(st.sampled_from(sorted(DOCUMENTS)))], 3)
    for item in items(tmp_path / "f", json.dumps(document).encode()):
        assert not isinstance(item, Entry) or to_event_again(item)


def to_event_again(entry: Entry) -> bool:
    """Whether an event that was read can be stored."""
    from gittraj.model.codec import event_to_json

    return to_event(json.loads(dump(event_to_json(entry.event)))) is not None


@QUIET
@given(data=st.data())
def test_whatever_was_read_can_be_written(tmp_path: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["atif", "trail"]))
    document = spoiled(data, DOCUMENTS[name], 3)
    read_events = [
        i.event for i in items(tmp_path / "f", json.dumps(document).encode()) if isinstance(i, Entry)
    ]
    exported = Exported(trajectories=[build_trajectory(read_events)])
    for writer in (atif, agent_trajectories):
        written = json.loads("".join(writer.write(exported)))
        assert isinstance(written, dict)
        if writer is agent_trajectories and written.get("type") != "compacted":
            assert summarise(written)


@pytest.mark.parametrize("depth", [300, 100_000])
def test_deep_nesting_is_read_without_an_error(tmp_path: Path, depth: int) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth
    for document in (FOREIGN, THEIRS):
        body = json.dumps({**document, "extra": "DEEP"}).replace('"DEEP"', deep)
        assert list(items(tmp_path / "f", body.encode())) is not None
