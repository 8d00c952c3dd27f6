"""What the result of one of OpenCode's tools says, and what a human decided by it.

Only what stands in the log: a question and its answer, an approved plan, a refused call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gittraj.formats.base import coerce, commits, images
from gittraj.formats.base.outcomes import Outcome, Refusal
from gittraj.formats.opencode import calls
from gittraj.model.values import Artifact, Decision

REJECTED = "The user rejected permission to use this specific tool call"
_ADVICE = " with the following feedback: "
_DISMISSED = "The user dismissed this question"
_NO_SUCH_CALL = "invalid"
"""The tool that answers in place of one that does not exist, or that was called wrongly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Outcome):
    """``time`` is its end, in ms since 1970."""

    decisions: tuple[Decision | Refusal, ...]
    time: int | None


def result(tool: str, state: dict[str, Any]) -> Result | None:
    """The result in a tool part's ``state``; ``None`` while there is none."""
    if state.get("status") not in ("completed", "error"):
        return None
    detail, times = coerce.mapping(state.get("metadata")), coerce.mapping(state.get("time"))
    failed = state["status"] == "error"
    texts = [state.get("error"), detail.get("output")] if failed else [state.get("output")]
    images = [file_image(file) for file in coerce.objects(state.get("attachments"))]
    exit_code = coerce.number(detail.get("exit")) if tool in calls.SHELLS else None
    text = "\n".join([*filter(None, map(coerce.text, texts)), *(stands for stands, _ in images)])
    begun, ended = coerce.number(times.get("start")), coerce.number(times.get("end"))
    return Result(
        text=text,
        exit_code=exit_code,
        is_error=failed or exit_code not in (None, 0) or tool == _NO_SUCH_CALL,
        truncated=detail.get("truncated") is True,
        artifact=next((image for _, image in images if image), None),
        commits=commits.printed(text) if tool in calls.SHELLS else (),
        decisions=_declined(tool, state) if failed else _decided(tool, state, detail),
        time=ended,
        duration_ms=max(0, ended - begun) if begun is not None and ended is not None else None,
    )


def file_image(part: dict[str, Any]) -> tuple[str, Artifact | None]:
    """What stands for a file part in a text, and its bytes' size and hash where the log has them."""
    image = images.from_uri(part.get("url"))
    if image is not None:
        return images.placeholder(image), image
    return f"[{coerce.text(part.get('filename')) or coerce.text(part.get('mime')) or 'file'}]", None


def _declined(tool: str, state: dict[str, Any]) -> tuple[Refusal, ...]:
    message = coerce.text(state.get("error")) or ""
    if not message.startswith((REJECTED, _DISMISSED)):
        return ()
    advice = message.partition(_ADVICE)[2].strip()
    return (Refusal(tool, state.get("input"), advice),)


def _decided(tool: str, state: dict[str, Any], detail: dict[str, Any]) -> tuple[Decision, ...]:
    if tool == "plan_exit":  # it ends without error only where the user said yes
        return (Decision(chosen="the plan, to be built now", by="human", alternatives=("refine the plan",)),)
    answers = detail.get("answers")
    if tool != "question" or not isinstance(answers, list):
        return ()
    asked = coerce.objects(coerce.mapping(state.get("input")).get("questions"))
    decisions: list[Decision] = []
    for question, answer in zip(asked, answers, strict=False):
        chosen = [text for text in answer if coerce.text(text)] if isinstance(answer, list) else []
        labels = [coerce.text(option.get("label")) for option in coerce.objects(question.get("options"))]
        if chosen:
            decisions.append(
                Decision(
                    chosen=", ".join(chosen),
                    by="human",
                    question=coerce.text(question.get("question")),
                    alternatives=tuple(label for label in labels if label and label not in chosen),
                )
            )
    return tuple(decisions)
