"""Lines of a later version of the format that this one cannot read."""

from __future__ import annotations

from gittraj.model.codec import decode_line
from gittraj.model.values import ForeignLine, Record


def test_a_record_of_a_newer_version_is_newer_and_not_damaged() -> None:
    line = decode_line(b'{"id":"t","v":2,"link":["agent"]}')
    assert isinstance(line, ForeignLine)
    assert (line.newer, line.why) == (True, "of a newer version, 2")


def test_a_record_of_a_newer_version_that_can_be_read_is_read() -> None:
    assert isinstance(decode_line(b'{"id":"t","v":2,"link":{"evidence":"agent"}}'), Record)


def test_the_same_damage_in_our_version_is_damage() -> None:
    line = decode_line(b'{"id":"t","v":1,"link":["agent"]}')
    assert isinstance(line, ForeignLine)
    assert not line.newer
