"""Events for a tool's result and what a person said to a call or a question, the same for every agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from gittraj.formats.base import coerce
from gittraj.model.arguments import main_argument
from gittraj.model.values import Artifact, Decided, Decision, NoteEvent, ToolResult

_LONGEST = 200
"""Characters of the call in a refusal: the call itself stands before it."""


class Outcome(Protocol):
    """A tool's result before it becomes an event."""

    @property
    def text(self) -> str: ...
    @property
    def exit_code(self) -> int | None: ...
    @property
    def is_error(self) -> bool: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def artifact(self) -> Artifact | None: ...


def tool_result(outcome: Outcome, *, call_id: str | None, **common: Any) -> ToolResult:
    """The event; ``common`` are the fields of its record."""
    return ToolResult(
        **common,
        content=outcome.text,
        call_id=call_id,
        exit_code=outcome.exit_code,
        is_error=outcome.is_error,
        truncated=outcome.truncated,
        artifact=outcome.artifact,
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """A person did not let a call run. It decides nothing about the work: ``words`` may."""

    tool: str | None
    arguments: Any = None
    words: str | None = None


def ruling(found: Decision | Refusal, **common: Any) -> Decided | NoteEvent:
    """The event of what a person said; ``common`` are the fields of its record."""
    if isinstance(found, Decision):
        return Decided(**common, decision=found)
    call = f"{found.tool or 'a tool call'} {' '.join(main_argument(found.arguments).split())}".strip()
    call = call if len(call) <= _LONGEST else call[: _LONGEST - 1] + "…"
    return NoteEvent(**common, kind="refusal", content=f"{call}\n{found.words}" if found.words else call)


def answered(asked: dict[str, Any], answer: str, *, reasoning: str | None = None) -> Decision:
    """The option of a question that a human chose (``question``, ``options[{label}]``, ``multiSelect``)."""
    several = asked.get("multiSelect") is True
    labels = [label for o in coerce.objects(asked.get("options")) if (label := coerce.text(o.get("label")))]
    return Decision(
        chosen=answer,
        by="human",
        question=coerce.text(asked.get("question")),
        alternatives=tuple(
            x for x in labels if x != answer and not (several and f", {x}, " in f", {answer}, ")
        ),
        reasoning=reasoning,
    )
