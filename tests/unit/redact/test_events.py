"""How each text of a trajectory is redacted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gittraj.errors import RedactionError
from gittraj.model.values import (
    AnyEvent,
    Chapter,
    Foreign,
    Message,
    SessionInfo,
    ToolCall,
    ToolResult,
    Trajectory,
)
from gittraj.redact import Redactor
from gittraj.redact.events import clean_trajectory, map_event, map_trajectory, neighbours, teach

TOKEN = "ghp_" + "x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi"
PASSWORD = "Tr0ub4" + "dor-and-3"


def trajectory_of(*events: AnyEvent) -> Trajectory:
    return Trajectory(id="traj_a", whole=SessionInfo(), chapters=(Chapter(id="c", title="t", events=events),))


def clean(*events: AnyEvent, strict: frozenset[str] = frozenset()) -> tuple[AnyEvent, ...]:
    redactor = Redactor(key=b"k" * 32)
    trajectory = trajectory_of(*events)
    teach(redactor, [trajectory], strict)
    return clean_trajectory(redactor, trajectory, strict, lambda text: text).events


def strictness_of(event: AnyEvent, *, strict: bool) -> dict[str, bool]:
    """Return each text of an event, and whether it is redacted strictly."""
    found: dict[str, bool] = {}

    def look(text: str, name: str | None, strictly: bool) -> str:
        found[text] = strictly
        return text

    assert map_event(event, look, strict=strict) == event
    return found


def test_only_the_output_of_a_strict_result_is_redacted_strictly() -> None:
    event = ToolResult(id="id", ts="time", content="printed", call_id="call", raw={"key": ["deep"]})
    found = strictness_of(event, strict=True)
    assert {text for text, strictly in found.items() if strictly} == {"printed", "deep"}
    assert found.keys() - {""} == {"id", "time", "printed", "call", "key", "deep"}
    assert not any(strictness_of(event, strict=False).values())


def test_only_the_written_text_of_a_strict_call_is_redacted_strictly() -> None:
    event = ToolCall(id="id", name="Write", arguments={"file_path": ".env", "content": "A=1"})
    assert {text for text, strictly in strictness_of(event, strict=True).items() if strictly} == {"", "A=1"}


def test_a_token_split_over_two_fragments_of_one_message_is_redacted() -> None:
    half = len(TOKEN) // 2
    one, other = clean(
        Message(id="1", response="r", content=f"It is {TOKEN[:half]}"),
        Message(id="2", response="r", content=f"{TOKEN[half:]}, keep it."),
    )
    assert one.content.startswith("It is REDACTED-")
    assert other.content == ", keep it."


def test_fragments_of_two_messages_are_not_joined() -> None:
    half = len(TOKEN) // 2
    events = (
        Message(id="1", response="r", content=TOKEN[:half]),
        Message(id="2", response="s", content=TOKEN[half:]),
    )
    assert clean(*events) == events


@pytest.mark.parametrize(
    "arguments",
    [
        {"argv": ["mysql", f"--password={PASSWORD}"]},
        {"argv": ["tool", "--password", PASSWORD]},
        {"env": [{"name": "DB_PASSWORD", "value": PASSWORD}]},
    ],
)
def test_a_value_is_redacted_by_its_neighbours(arguments: dict[str, object]) -> None:
    (event,) = clean(ToolCall(id="1", name="x", arguments=arguments))  # type: ignore[arg-type]
    assert PASSWORD not in repr(event)


def test_only_short_neighbours_are_joined() -> None:
    assert (
        list(neighbours({"a": "x", "b": ["y", "z"], "c": {"d": "w"}}))
        == ['{"a":"x"}', "y z", '["y","z"]'][1:]
    )
    assert list(neighbours(["x" * 5_000, "y"])) == []
    assert list(neighbours("text")) == []


class Failing(Redactor):
    def text(self, text: str, *, name: str | None = None, strict: bool = False) -> str:
        raise RedactionError("a text could not be scanned")

    def learn(self, text: str, *, name: str | None = None, strict: bool = False) -> None:
        raise RedactionError("a text could not be scanned")


def test_a_text_that_cannot_be_scanned_raises() -> None:
    redactor, trajectory = Failing(key=b"k" * 32), trajectory_of(Message(id="1", content="x"))
    teach(redactor, [trajectory], frozenset())
    with pytest.raises(RedactionError):
        clean_trajectory(redactor, trajectory, frozenset(), lambda text: text)


def test_a_session_id_is_not_redacted_by_its_field_name() -> None:
    names: dict[str, str | None] = {}

    def look(text: str, name: str | None, strictly: bool) -> str:
        names[text] = name
        return f"<{text}>"

    whole = SessionInfo(session="tg-1", title="t")
    found = map_trajectory(replace(trajectory_of(), whole=whole), look, ())
    assert (found.whole.session, found.whole.title, names["tg-1"]) == ("<tg-1>", "<t>", None)


def test_a_secret_over_the_cut_of_a_raw_log_is_redacted() -> None:
    halves = (f"a long line {TOKEN[:20]}", f"{TOKEN[20:]} goes on")
    first, second = clean(
        *(Foreign(id=f"raw:{n}", type="raw", content=half) for n, half in enumerate(halves))
    )
    assert TOKEN[4:20] not in first.content and second.content == " goes on"
