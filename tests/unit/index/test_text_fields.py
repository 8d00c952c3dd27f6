"""The texts of a part that can be searched."""

from __future__ import annotations

from typing import Any

from gittraj.index.text import Part
from gittraj.index.text_fields import LONGEST, MOST, PRINTED, PRINTED_MOST, read_part
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    FileChanged,
    FileTouched,
    Foreign,
    Message,
    Prompt,
    Retrospective,
    RetrospectiveEvent,
    SessionInfo,
    Summary,
    TaskRef,
    TaskSource,
    Thinking,
    ToolCall,
    ToolResult,
)
from tests.integration.story import record


def part_of(*events: AnyEvent, **fields: Any) -> Part:
    return read_part(record("traj_one", **fields), events, ["ab" * 20])


def texts_of(part: Part) -> list[tuple[str, str | None, str]]:
    return [(field.kind, field.event, field.text) for field in part.fields]


def test_each_text_has_its_kind() -> None:
    decision = Decision(
        chosen="a bucket", question="how?", alternatives=("a window",), reasoning="bursts", by="agent"
    )
    part = part_of(
        Prompt(id="p", content="Limit the rate"),
        Thinking(id="t", content="a thought in clear"),
        Message(id="m", content="Done."),
        ToolCall(
            id="c", name="Bash", arguments={"command": ["ls", "-l"], "path": "src", "timeout": 9}, call_id="1"
        ),
        ToolCall(
            id="w",
            name="Write",
            arguments={"file_path": "a.py", "content": "what the file holds"},
            files=(FileTouched(path="a.py"),),
        ),
        ToolCall(id="x", name="apply_patch", arguments="+what it holds", files=(FileTouched(path="b.py"),)),
        ToolResult(id="r", content="total 0", call_id="1"),
        Decided(id="d", content="", decision=decision),
        RetrospectiveEvent(
            id="f", retrospective=Retrospective(by="agent", summary="went well", learnings=("ask",))
        ),
        Foreign(id="z", type="dream", content="of a later version"),
        prompt="Limit the rate",
        summary=Summary(text="Requests are limited", by="agent"),
        decisions=(decision,),
        caveats=("not tested",),
        files=(FileChanged(path="a.py"),),
        whole=SessionInfo(
            title="Rates",
            tags=("api",),
            task=TaskRef(title="Slow", source=TaskSource(system="github", id="#12")),
        ),
    )
    assert texts_of(part) == [
        ("title", None, "Rates"),
        ("title", None, "api"),
        ("title", None, "Slow"),
        ("title", None, "#12"),
        *(("decision", None, text) for text in ("a bucket", "how?", "a window", "bursts")),
        ("message", None, "Requests are limited"),
        ("doubt", None, "not tested"),
        ("file", None, "a.py"),
        ("prompt", "p", "Limit the rate"),
        ("thinking", "t", "a thought in clear"),
        ("message", "m", "Done."),
        ("tool", "c", "Bash"),
        ("tool", "c", "ls -l"),
        ("file", "c", "src"),
        ("tool", "w", "Write"),
        ("tool", "x", "apply_patch"),
        ("file", "x", "b.py"),
        ("output", "r", "total 0"),
        ("retrospective", "f", "went well"),
        ("retrospective", "f", "ask"),
    ]
    assert [field.text for field in part.fields if field.rejected] == ["a window"]
    assert part.about["task"] == ["Slow", "#12", "github:#12"]


def test_sealed_thinking_is_not_searchable() -> None:
    sealed = Thinking(id="t", content="never", seal="0123", sealed_bytes=9, payload=b"never")
    assert texts_of(part_of(sealed, Thinking(id="u", seal="0123", content="never"), prompt="asked")) == [
        ("prompt", None, "asked")
    ]


def test_long_texts_are_shortened() -> None:
    letters = "a" * 5_000 + "z" * 5_000
    printed = [ToolResult(id=f"r{n}", content=f"{n} {letters} {n}") for n in range(100)]
    fields = part_of(*printed).fields
    assert sum(len(field.text) for field in fields) <= PRINTED_MOST
    assert fields[0].text.startswith("0 a")
    assert fields[0].text.endswith("z 0")
    assert len(fields[0].text) == sum(PRINTED) + 3
    messages = [Message(id=f"m{n}", content=f"{n} {letters * 9}") for n in range(100)]
    fields = part_of(*messages).fields
    assert max(len(field.text) for field in fields) == LONGEST
    assert sum(len(field.text) for field in fields) == MOST


def test_output_of_git_traj_context_is_not_searchable() -> None:
    printed = "$ git traj context a.py\n# git traj context: what was said\n1f442bd doubt slow\n"
    printed += "# end of git traj context; 0 more\nok\n"
    part = part_of(ToolResult(id="r", content=printed), ToolResult(id="s", content=printed[:70]))
    assert [text for kind, _, text in texts_of(part) if kind == "output"] == [
        "$ git traj context a.py\n\nok",
        "$ git traj context a.py",
    ]
