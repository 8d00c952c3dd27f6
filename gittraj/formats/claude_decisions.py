"""Decisions that a Claude Code log states: answered questions, approved plans, refused calls.

Only what stands in the log; nothing is read between its lines.
"""

from __future__ import annotations

from typing import Any

from gittraj.formats import claude_results, loose
from gittraj.model import Decision


def decisions(
    name: str | None, arguments: Any, detail: Any, result: claude_results.Result
) -> tuple[Decision, ...]:
    """What was decided by the answer to a call of tool ``name`` (``None``: not known)."""
    advice = claude_results.declined(result.text) if result.is_error else None
    if advice is not None:
        return (Decision(chosen=f"declined {name or 'a tool call'}", by="human", reasoning=advice or None),)
    if result.is_error:
        return ()
    given = loose.mapping(detail)
    match name:
        case "AskUserQuestion":
            return _answers(loose.mapping(arguments) | given)
        case "ExitPlanMode":
            plan = loose.mapping(arguments).get("plan") or given.get("plan")
            return _plan(plan) if isinstance(plan, str) else ()
        case _:
            return ()


def _answers(given: dict[str, Any]) -> tuple[Decision, ...]:
    answers = loose.mapping(given.get("answers"))
    notes = loose.mapping(given.get("annotations"))
    found = []
    for asked in loose.objects(given.get("questions")):
        question = loose.text(asked.get("question"))
        if question is None or (answer := loose.text(answers.get(question))) is None:
            continue
        several = asked.get("multiSelect") is True
        labels = [label for o in loose.objects(asked.get("options")) if (label := loose.text(o.get("label")))]
        found.append(
            Decision(
                chosen=answer,
                by="human",
                question=question,
                alternatives=tuple(x for x in labels if x != answer and not (several and x in answer)),
                reasoning=loose.text(loose.mapping(notes.get(question)).get("notes")),
            )
        )
    return tuple(found)


def _plan(plan: str) -> tuple[Decision, ...]:
    """The approved plan by its title, with the first paragraph below as its reason."""
    title, _, rest = plan.strip().partition("\n")
    if not title:
        return ()
    paragraphs = ("\n".join(x for x in p.splitlines() if not x.startswith("#")) for p in rest.split("\n\n"))
    reason = next((p.strip() for p in paragraphs if p.strip()), None)
    return (Decision(chosen=title.lstrip("# ") or title, by="agent", reasoning=reason),)
