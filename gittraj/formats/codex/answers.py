"""What a human decided when Codex asked: the questions of ``request_user_input``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.values import Decision

ASKING = "request_user_input"
_OTHER = "user_note: "
"""The prefix of a free text among the chosen labels."""


def answered(arguments: Any, output: str) -> Iterator[Decision]:
    """The questions of a call and the answers in its output, both of codex-rs/protocol,
    ``request_user_input.rs``: ``{questions: [{id, question, options}]}`` and
    ``{answers: {id: {answers: [label]}}}``."""
    replies = coerce.mapping(coerce.mapping(coerce.parsed(output)).get("answers"))
    for question in coerce.objects(coerce.mapping(arguments).get("questions")):
        answer = coerce.mapping(replies.get(str(question.get("id")))).get("answers")
        chosen = [text for text in answer if isinstance(text, str)] if isinstance(answer, list) else []
        if not chosen or question.get("isSecret") is True:
            continue
        labels = [coerce.text(option.get("label")) for option in coerce.objects(question.get("options"))]
        yield Decision(
            question=coerce.text(question.get("question")) or coerce.text(question.get("header")),
            chosen=", ".join(text.removeprefix(_OTHER) for text in chosen),
            by="human",
            alternatives=tuple(label for label in labels if label and label not in chosen),
        )
