"""What a human decided when Codex asked: questions of ``request_user_input`` and refused calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats import loose
from gittraj.model import Decision

ASKING = "request_user_input"
_OTHER = "user_note: "
"""How a text of one's own stands among the chosen labels."""


def refused(tool: str | None) -> Decision:
    """The decision that a call is not to run."""
    return Decision(chosen=f"declined {tool or 'a tool call'}", by="human")


def answered(arguments: Any, output: str) -> Iterator[Decision]:
    """The questions of a call and the answers in its output, both of codex-rs/protocol,
    ``request_user_input.rs``: ``{questions: [{id, question, options}]}`` and
    ``{answers: {id: {answers: [label]}}}``."""
    given = loose.mapping(loose.mapping(loose.parsed(output)).get("answers"))
    for question in loose.objects(loose.mapping(arguments).get("questions")):
        answer = loose.mapping(given.get(str(question.get("id")))).get("answers")
        chosen = [text for text in answer if isinstance(text, str)] if isinstance(answer, list) else []
        if not chosen or question.get("isSecret") is True:
            continue
        labels = [loose.text(option.get("label")) for option in loose.objects(question.get("options"))]
        yield Decision(
            question=loose.text(question.get("question")) or loose.text(question.get("header")),
            chosen=", ".join(text.removeprefix(_OTHER) for text in chosen),
            by="human",
            alternatives=tuple(label for label in labels if label and label not in chosen),
        )
