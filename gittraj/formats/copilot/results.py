"""A record of Copilot's event stream; the result of a call in it, and the human's decision, if any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce, commits, position
from gittraj.formats.base.outcomes import Refusal, ruling
from gittraj.formats.copilot import calls
from gittraj.model.session_items import Entry
from gittraj.model.values import Decision, ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(position.Record):
    kind: str
    data: dict[str, Any]


_REFUSED = ("rejected", "denied")
_NOT_ASKED = "could not request permission from user"
_FAILED = (*_REFUSED, "failure", "error", "timeout")
_ANSWER = re.compile(r"User (?:selected|responded|answered|chose)[^:\n]{0,40}: *")


def entries(record: Record, tool: str, arguments: Any) -> Iterator[Entry]:
    """The result of a call of ``tool``; ``arguments``: None if the call was not read."""
    data = record.data
    result, error = coerce.mapping(data.get("result")), data.get("error")
    kind = result.get("result_type") or coerce.mapping(error).get("code")
    text = _output(data.get("result")) or _output(error)
    code = calls.exit_code(text) if tool in calls.SHELLS else None
    event = ToolResult(
        **record.common(),
        content=text,
        call_id=coerce.text(data.get("toolCallId")),
        exit_code=code,
        is_error=data.get("success") is False or bool(error) or kind in _FAILED or code not in (None, 0),
    )
    yield record.entry(event, commits=commits.printed(text))
    by_rule = kind == "denied" and ("user" not in text or _NOT_ASKED in text)
    if kind in _REFUSED and not by_rule:
        yield record.entry(ruling(Refusal(tool, arguments), **record.common(1)))
    elif tool == "ask_user" and text and not event.is_error:
        asked = coerce.mapping(arguments)
        if question := coerce.text(asked.get("question")):
            answer = _answer(question, asked.get("choices"), text)
            yield record.entry(ruling(answer, **record.common(1)))


def _answer(question: str, choices: Any, text: str) -> Decision:
    chosen = _ANSWER.sub("", text, count=1).strip()
    others = [c for c in choices if isinstance(c, str) and c != chosen] if isinstance(choices, list) else []
    return Decision(chosen=chosen, by="human", question=question, alternatives=tuple(others))


def _output(value: Any) -> str:
    """What the model saw of a result or of an error."""
    if isinstance(value, str):
        return value
    keys = ("content", "text_result_for_llm", "textResultForLlm", "message", "detailedContent")
    fields = coerce.mapping(value)
    return next((text for key in keys if (text := coerce.text(fields.get(key)))), "")
