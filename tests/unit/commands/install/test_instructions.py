"""Adding our instruction to a user's file and removing it: every other byte stays the same."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.commands.install.instructions import TEXT, digest, put, take_out
from gittraj.commands.install.manifest import Instruction
from gittraj.decisions.blocks import parse_blocks
from gittraj.decisions.commands import find_calls
from gittraj.errors import TrajError
from gittraj.model.values import Decided, RetrospectiveEvent

BLOCK = TEXT.encode()
FILES = st.text(st.sampled_from("a# é\r\n")).map(str.encode)


@given(FILES)
def test_removing_the_instruction_restores_the_file(before: bytes) -> None:
    after, instruction = put(before, None)
    assert TEXT in after.decode().replace("\r\n", "\n")
    assert after.startswith(before)
    assert take_out(after, instruction) == before
    assert put(after, instruction) == (after, instruction), "safe to repeat"


@given(FILES, st.sampled_from(["", "above\n"]), st.text(st.sampled_from("c \n")))
def test_text_added_around_the_instruction_stays(before: bytes, above: str, below: str) -> None:
    after, instruction = put(before, None)
    joined = before and below and not before.endswith(b"\n")
    line = (b"\r\n" if b"\r\n" in before else b"\n") if joined else b""
    out = take_out(above.encode() + after + below.encode(), instruction)
    assert out == above.encode() + before + line + below.encode()


def test_the_instruction_starts_on_a_new_line() -> None:
    after, instruction = put(b"no end of line", None)
    assert take_out(after + b"more\n", instruction) == b"no end of line\nmore\n"


def test_line_ends_changed_by_git_do_not_prevent_removal() -> None:
    after, instruction = put(b"mine\n", None)
    assert take_out(after.replace(b"\n", b"\r\n"), instruction) == b"mine\r\n"


def test_an_instruction_edited_by_the_user_is_left_alone() -> None:
    after, instruction = put(b"mine\n", None)
    theirs = after.replace(b"PATH", b"PATH --budget 500")
    for known in (instruction, None):
        with pytest.raises(TrajError, match="was edited"):
            put(theirs, known)
    assert take_out(theirs, instruction) is None


def test_an_earlier_wording_of_ours_is_replaced_in_place() -> None:
    after, instruction = put(b"above\n", None)
    earlier = after.replace(b"PATH", b"FILE")
    known = dataclasses.replace(instruction, digest=digest(earlier[earlier.index(b"<!--") :]))
    assert put(earlier + b"below\n", known) == (after + b"below\n", instruction)


@pytest.mark.parametrize("harm", [b"<!-- git-traj: begin -->\n", BLOCK[:-9]])
def test_a_block_without_its_end_marker_is_left_alone(harm: bytes) -> None:
    with pytest.raises(TrajError, match="no end"):
        put(b"mine\n" + harm, None)
    assert take_out(b"mine\n" + harm, Instruction(made=True, gap=1, digest="")) is None


def test_the_instruction_is_short_and_its_examples_can_be_parsed() -> None:
    assert len(TEXT.splitlines()) <= 15
    (call,) = (c for line in re.findall("`([^`]+)`", TEXT) for c in find_calls(line) if c.said)
    assert call.said == {
        "chosen": "CHOSEN",
        "alternatives": ["REJECTED"],
        "reasoning": "WHY",
        "confidence": "0.8",
    }
    assert parse_blocks(TEXT, name="x").events == (), "if an agent repeats the text, it records nothing"
    events = parse_blocks(TEXT.replace("…", "because"), name="x").events
    assert [type(event) for event in events] == [Decided, RetrospectiveEvent]
