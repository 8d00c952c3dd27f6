"""JSON Lines, damaged in every way that was seen in agents' logs."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.errors import FormatError
from gittraj.formats.base import lines
from gittraj.formats.base.lines import Fragment, Lines
from gittraj.model.session_items import Cursor, Damage

START = Cursor()


def read(data: bytes, cursor: Cursor = START) -> list[Fragment | Damage]:
    return list(Lines(io.BytesIO(data), cursor, trusted=frozenset(("type",))))


def values(data: bytes) -> list[dict[str, Any]]:
    return [found.value for found in read(data) if isinstance(found, Fragment)]


def damages(data: bytes) -> list[Damage]:
    return [found for found in read(data) if isinstance(found, Damage)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b'\xef\xbb\xbf{"a":1}\r\n\r\n{"b":2}\r\n', [{"a": 1}, {"b": 2}]),
        (b'\0\0{"a":1}\0\n\0\n', [{"a": 1}]),
        (b'{"a":"x\0y"}\n', [{"a": "x\0y"}]),
        (b'{"a":1}{"b":2} \0 {"c":3}\n{"d":4}', [{"a": 1}, {"b": 2}, {"c": 3}, {"d": 4}]),
        (b'{"id":"first","id":"last"}\n', [{"id": "last"}]),
        (b'{"a":"caf\xe9"}\n', [{"a": "caf\ufffd"}]),
        (b'{"a":"caf\xe9"}{"b":"\xff"}\n', [{"a": "caf\ufffd"}, {"b": "\ufffd"}]),
        (b'{"a":"\\ud83d and \\ud83d\\ude00"}\n', [{"a": "\ufffd and \U0001f600"}]),
        (b'{"a":NaN,"b":-Infinity,"c":1e999,"d":1.5}\n', [{"a": None, "b": None, "c": None, "d": 1.5}]),
        (b'{"a":' + b"9" * 5000 + b',"b":1}\n', [{"a": None, "b": 1}]),
    ],
)
def test_unusual_but_readable_lines_are_read_without_a_damage(
    data: bytes, expected: list[dict[str, Any]]
) -> None:
    assert values(data) == expected
    assert damages(data) == []


def test_a_broken_record_is_reported_at_its_offset_and_the_rest_is_read() -> None:
    data = b'{"type":1}\n{"type":"torn","x":{"a{"type":2}\nnonsense\n{"type":3}\n'
    assert values(data) == [{"type": 1}, {"type": 2}, {"type": 3}]
    assert [d.at for d in damages(data)] == [11, data.index(b"nonsense")]


def test_a_value_that_is_not_an_object_is_reported_as_damage() -> None:
    data = b'"text"\n42\n[1]\nnull\n{"a":1}\n4'
    assert values(data) == [{"a": 1}]
    assert [d.at for d in damages(data)] == [0, 7, 10, 14]


def test_no_part_of_a_broken_record_is_read_as_a_record() -> None:
    data = b'{"type":"torn","message":{"role":"user","content":"x"}\n{"type":1}\n'
    assert values(data) == [{"type": 1}]
    assert [d.at for d in damages(data)] == [0]


def test_too_deep_nesting_is_a_damage() -> None:
    deep = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    assert values(deep + b'{"type":1}\n') == [{"type": 1}]
    assert len(damages(deep)) == 1


def test_a_line_beyond_the_limit_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LIMIT", 32)
    data = b'{"a":1}\n{"b":"' + b"x" * 100 + b'"}\n{"c":3}\n'
    assert values(data) == [{"a": 1}, {"c": 3}]
    assert [d.at for d in damages(data)] == [8]


def test_an_incomplete_last_line_is_not_a_damage() -> None:
    assert read(b'{"a":1}\n{"type":"b') == read(b'{"a":1}\n')
    assert values(b'{"a":1}\n{"b":2}{"type":"c","d":{"type":1}') == [{"a": 1}, {"b": 2}]


def test_offsets_count_bytes() -> None:
    first, second, third = '{"a":"é€"}'.encode(), b'{"b":"\xff"}', b'{"c":3}'
    data = first + b"\r\n" + second + b"  " + third + b"\n"
    found = [f for f in read(data) if isinstance(f, Fragment)]
    assert [data[f.start : f.end].strip() for f in found] == [first, second, third]


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    read(data)


@given(
    st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), min_size=1),
    st.sampled_from(["\n", "\r\n", "\n\n", "", "\0\n"]),
    st.data(),
)
def test_a_cut_gives_a_beginning_of_the_whole(
    objects: list[dict[str, Any]], separator: str, data: st.DataObject
) -> None:
    log = separator.join(json.dumps(o, ensure_ascii=True) for o in objects).encode()
    assert values(log) == objects
    part = read(log[: data.draw(st.integers(0, len(log)))])
    assert part == read(log)[: len(part)]


def test_reading_resumes_at_a_cursor_only_in_the_same_log() -> None:
    data = b"".join(b'{"n":%d}\n' % n for n in range(2000))
    log = Lines(io.BytesIO(data), START, trusted=frozenset())
    found = [(f, log.print(f.start)) for f in log if isinstance(f, Fragment)]
    fragment, fingerprint = found[1500]
    cursor = Cursor(offset=fragment.start, print=fingerprint)
    assert read(data, cursor) == [f for f, _ in found[1500:]]

    for rewritten in (data.replace(b'"n":1400', b'"n":1409'), data[: fragment.start - 5], b""):
        with pytest.raises(FormatError, match="rewritten"):
            read(rewritten, cursor)
    distant = data.replace(b'{"n":3}', b'{"n":4}')  # the fingerprint covers 4 kB, not the whole log
    assert read(distant, cursor) == read(data, cursor)
