"""Cursors are a cache; which sessions are switched off must not be lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from gittraj.errors import FormatError, StoreError
from gittraj.state.cursors import VERSION, Span, State, Suspension, load_state, load_suspension, save
from tests.conftest import SHARING
from tests.unit.strategies import values_of


@given(state=values_of(State), off=values_of(Suspension))
@settings(SHARING, max_examples=15)
def test_saved_state_is_loaded(tmp_path: Path, state: State, off: Suspension) -> None:
    state = replace(state, reflogs=dict.fromkeys(state.reflogs, ("7", "digest")))
    save(tmp_path, state)
    save(tmp_path, off)
    assert load_state(tmp_path) == (state if state.version == VERSION else None)
    assert load_suspension(tmp_path) == off
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cursors.json", "off.json"]


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"{", b"[]", b'{"spool":"x"}', b'{"version":99}', b"\xff", b'{"waiting":[{}]}'),
        *(b'{"version":%d,"reflogs":{"a":%s}}' % (VERSION, row) for row in (b"[]", b'["7"]', b'["x","y"]')),
    ],
)
def test_damaged_cursors_are_created_again(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "cursors.json").write_bytes(text)
    assert load_state(tmp_path) is None


def test_without_files_the_state_is_empty_and_nothing_is_off(tmp_path: Path) -> None:
    assert load_state(tmp_path) is None
    assert load_suspension(tmp_path) == Suspension()


@pytest.mark.parametrize("text", [b"", b"{", b"null", b'{"sessions":{"a":[{}]}}', b'{"paused":"yes"}'])
def test_a_damaged_list_of_switched_off_sessions_stops_everything(tmp_path: Path, text: bytes) -> None:
    """It is better to read nothing than what must stay unread."""
    (tmp_path / "off.json").write_bytes(text)
    with pytest.raises(FormatError, match=r"off\.json is damaged"):
        load_suspension(tmp_path)


def test_no_half_written_file_remains(tmp_path: Path) -> None:
    save(tmp_path, Suspension(sessions={"claude-code:s": (Span(start=3),)}))
    before = (tmp_path / "off.json").read_bytes()
    (tmp_path / "cursors.json").mkdir()
    with pytest.raises(StoreError, match=r"cursors\.json cannot be written"):
        save(tmp_path, State())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cursors.json", "off.json"]
    assert (tmp_path / "off.json").read_bytes() == before
    with pytest.raises(StoreError):
        save(tmp_path / "gone", Suspension())
