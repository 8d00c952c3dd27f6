"""Decisions that a Claude Code log states: answered questions, approved plans, refused calls.

Only what is explicit in the log; nothing is inferred.
"""

from __future__ import annotations

import re
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.outcomes import Outcome, Refusal, answered
from gittraj.formats.claude import results
from gittraj.model.values import Decision

_APPROVED = re.compile(r"User has approved\b")
_REASON = re.compile(
    r"#+\s*(?:\d+[.)]\s*)?(?:why|context|reason(?:s|ing)?|rationale|background|motivation)\b", re.I
)


def decisions(
    name: str | None, arguments: Any, detail: Any, result: Outcome
) -> tuple[Decision | Refusal, ...]:
    """What was said by the answer to a call of tool ``name`` (``None``: not known)."""
    advice = results.declined(result.text) if result.is_error else None
    if advice is not None:
        return (Refusal(name, arguments, advice),)
    if result.is_error:
        return ()
    fields = coerce.mapping(detail)
    match name:
        case "AskUserQuestion":
            return _answers(coerce.mapping(arguments) | fields)
        case "ExitPlanMode" if fields.get("awaitingLeaderApproval") is not True:
            plan = coerce.text(coerce.mapping(arguments).get("plan")) or coerce.text(fields.get("plan"))
            if plan is None and _APPROVED.match(result.text):  # the plan itself lies in a file
                return (Decision(chosen="approved the plan", by="human"),)
            return _plan(plan or "")
        case _:
            return ()


def _answers(fields: dict[str, Any]) -> tuple[Decision, ...]:
    answers = coerce.mapping(fields.get("answers"))
    notes = coerce.mapping(fields.get("annotations"))
    output = []
    for asked in coerce.objects(fields.get("questions")):
        question = coerce.text(asked.get("question"))
        if question is None or (answer := coerce.text(answers.get(question))) is None:
            continue
        why = coerce.text(coerce.mapping(notes.get(question)).get("notes"))
        output.append(answered(asked, answer, reasoning=why))
    return tuple(output)


def _plan(plan: str) -> tuple[Decision, ...]:
    """The approved plan by its title; its reason is the text below a heading for it."""
    title, _, rest = plan.strip().partition("\n")
    if not title:
        return ()
    return (Decision(chosen=title.lstrip("# ") or title, by="agent", reasoning=_reason(rest)),)


def _reason(text: str) -> str | None:
    lines = text.splitlines()
    at = next((i for i, line in enumerate(lines, 1) if _REASON.match(line)), None)
    for paragraph in "\n".join(lines[at:]).split("\n\n") if at is not None else ():
        if paragraph.strip():
            return None if paragraph.lstrip().startswith("#") else paragraph.strip()
    return None
