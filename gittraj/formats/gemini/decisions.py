"""Decisions that a Gemini CLI log states: answered questions, plans approved or rejected, refused calls.

Only what is explicit in the log; nothing is inferred.
"""

from __future__ import annotations

from gittraj.formats.base import coerce
from gittraj.formats.base.outcomes import Call, Outcome, Refusal, answered
from gittraj.model.values import Decision

_APPROVED = "Plan approved."
_REJECTED = "Plan rejected."
_FEEDBACK = "User feedback:"


def decisions(call: Call | None, result: Outcome) -> tuple[Decision | Refusal, ...]:
    """What was said by the answer to a call (``None``: not known)."""
    if result.declined:
        return (Refusal(call.name, call.arguments) if call else Refusal(None),)
    if result.is_error or call is None:
        return ()
    match call.name:
        case "ask_user":
            return _answers(call, result)
        case "exit_plan_mode" if result.text.startswith(_APPROVED):
            return (Decision(chosen="approved the plan", by="human"),)
        case "exit_plan_mode" if result.text.startswith(_REJECTED):
            feedback = result.text.partition("\n")[0].partition(_FEEDBACK)[2].strip()
            return (Refusal("the plan", words=feedback),)
        case _:
            return ()


def _answers(call: Call, result: Outcome) -> tuple[Decision, ...]:
    """The answers are keyed by the index of their question."""
    answers = coerce.mapping(coerce.mapping(coerce.parsed(result.text)).get("answers"))
    output: list[Decision] = []
    for ordinal, asked in enumerate(coerce.objects(coerce.mapping(call.arguments).get("questions"))):
        answer = coerce.text(answers.get(str(ordinal)))
        if answer is not None:
            output.append(answered(asked, answer))
    return tuple(output)
