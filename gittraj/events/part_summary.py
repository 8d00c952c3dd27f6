"""The summary of a part, folded from its (already redacted) events. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from gittraj.events.given_later import model_summary, struck
from gittraj.model.values import (
    AnyEvent,
    Counts,
    Decided,
    FileChanged,
    Foreign,
    Message,
    NoteEvent,
    PartSummary,
    Prompt,
    Summary,
    Thinking,
    ThinkingState,
    ToolCall,
    ToolResult,
    Usage,
)

PROMPT_LIMIT = 2_000
SUMMARY_LIMIT = 1_200
_SUBAGENTS = {"Task", "Agent", "spawn_agent", "task"}


def summarize_part(
    events: Sequence[AnyEvent],
    *,
    prompt: str | None,
    files: Sequence[FileChanged],
    thinking: ThinkingState,
    calls: Iterable[ToolCall] = (),
    dropped: int = 0,
    outside: int = 0,
    omitted: int = 0,
) -> PartSummary:
    """The summary of one part.

    ``prompt`` is that of the enclosing turn, for a part without its own; ``files`` are those that its calls
    wrote; ``calls`` those outside the part whose results are in it; ``dropped`` counts its calls that worked
    in another repository, ``outside`` outputs not stored as they may be of elsewhere, ``omitted`` its
    events that are not stored.
    """
    # those who only shorten do not pay for these
    from gittraj.events.prose.reader import read_prose  # noqa: PLC0415
    from gittraj.events.runs.fold import fold_runs  # noqa: PLC0415

    prompts = [e.content for e in events if isinstance(e, Prompt)]
    said = [e.content for e in events if isinstance(e, Message) and e.content.strip()]
    stated = [e.decision for e in events if isinstance(e, Decided)]
    spent = [e.usage for e in events if e.usage is not None]
    times = sorted(e.ts for e in events if e.ts)
    asked = prompts[0] if prompts else prompt
    prose = read_prose(events, stated, asked)
    told = model_summary(events)
    return PartSummary(
        prompt=shorten(asked, PROMPT_LIMIT) if asked else None,
        summary=Summary(text=shorten(said[-1], SUMMARY_LIMIT), by="agent") if said else told.summary,
        started_at=times[0] if times else None,
        ended_at=times[-1] if times else None,
        usage=reduce(Usage.__add__, spent) if spent else None,
        counts=_count(events, api_calls=len(spent), dropped=dropped, outside=outside, omitted=omitted),
        decisions=(*stated, *prose.decisions, *told.decisions),
        caveats=(*prose.caveats, *told.doubts),
        caveat_sources=(*prose.sources, *told.sources),
        result=_why_abandoned(events) or prose.result,
        why=prose.why or told.why,
        tests=fold_runs(events, calls),
        struck=tuple(struck(events)),
        files=tuple(files),
        thinking=thinking,
    )


def _why_abandoned(events: Sequence[AnyEvent]) -> str | None:
    """What came of work that was given up."""
    notes = (e.content for e in reversed(events) if isinstance(e, NoteEvent) and "abandoned" in e.tags)
    reason = next(notes, "abandoned")
    return None if reason == "abandoned" else f"Abandoned: {reason}"


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, with an ellipsis at the end of a shortened text."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _count_errors(events: Sequence[AnyEvent]) -> int:
    """Failed calls, and the errors that a log reports beside them: each of these once, as agents repeat the
    last one at the end."""
    failed = [e.content.strip() for e in events if isinstance(e, ToolResult) and e.is_error]
    told = {e.content.strip() for e in events if isinstance(e, NoteEvent) and e.kind == "error"}
    return len(failed) + len(told.difference(failed))


def _count(events: Sequence[AnyEvent], *, api_calls: int, dropped: int, outside: int, omitted: int) -> Counts:
    def number(kind: type) -> int:
        return sum(isinstance(e, kind) for e in events)

    return Counts(
        prompts=number(Prompt),
        messages=number(Message),
        thinking=number(Thinking),
        tool_calls=number(ToolCall),
        api_calls=api_calls,
        errors=_count_errors(events),
        subagents=sum(isinstance(e, ToolCall) and e.name in _SUBAGENTS for e in events),
        dropped=dropped,
        outside=outside,
        omitted=omitted,
        runs=sum(isinstance(e, NoteEvent) and "run" in e.tags for e in events),
        verifications=sum(isinstance(e, NoteEvent) and e.kind == "verification" for e in events),
        artifacts=sum(isinstance(e, Foreign) and e.type == "artifact" for e in events),
        checkpoints=sum(isinstance(e, NoteEvent) and e.kind == "checkpoint" for e in events),
        malformed=sum(isinstance(e, NoteEvent) and "malformed" in e.tags for e in events),
    )
