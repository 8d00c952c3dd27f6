"""The summary of a part, folded from its (already redacted) events. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce

from gittraj.events.given_later import model_summary, struck
from gittraj.model.values import (
    AnyEvent,
    Counts,
    Decided,
    FileChanged,
    Foreign,
    Link,
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
    links: Iterable[Link] = (),
    **left_out: int,
) -> PartSummary:
    """The summary of one part.

    ``prompt`` is that of the enclosing turn, for a part without its own; ``files`` are those that its calls
    wrote; ``calls`` those outside the part whose results are in it; ``links`` those to its commits;
    ``left_out`` counts what is not stored, by the names in :class:`Counts`.
    """
    # those who only shorten do not pay for these
    from gittraj.events.prose.reader import read_prose  # noqa: PLC0415
    from gittraj.events.runs.fold import fold_runs  # noqa: PLC0415

    prompts = (e.content for e in events if isinstance(e, Prompt))
    said = (e.content for e in reversed(events) if isinstance(e, Message) and e.content.strip())
    last = next(said, None)
    stated = [e.decision for e in events if isinstance(e, Decided)]
    spent = [e.usage for e in events if e.usage is not None]
    times = [e.ts for e in events if e.ts]
    asked = next(prompts, prompt)
    prose = read_prose(events, stated, asked, committing={link.maker for link in links if link.maker})
    later = model_summary(events)
    return PartSummary(
        prompt=shorten(asked, PROMPT_LIMIT) if asked else None,
        summary=Summary(text=shorten(last, SUMMARY_LIMIT), by="agent") if last else later.summary,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        usage=reduce(Usage.__add__, spent) if spent else None,
        counts=_count(events, api_calls=len(spent), **left_out),
        decisions=(*stated, *prose.decisions, *later.decisions),
        caveats=(*prose.caveats, *later.doubts),
        caveat_sources=(*prose.sources, *later.sources),
        result=_why_abandoned(events) or prose.result,
        why=prose.why or later.why,
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
    noted = {e.content.strip() for e in events if isinstance(e, NoteEvent) and e.kind == "error"}
    return len(failed) + len(noted.difference(failed))


def _count(events: Sequence[AnyEvent], **known: int) -> Counts:
    """``known``: what the events do not show."""
    kinds = Counter(map(type, events))
    notes = [e for e in events if isinstance(e, NoteEvent)]
    noted, tagged = Counter(e.kind for e in notes), Counter(tag for e in notes for tag in {*e.tags})
    return Counts(
        prompts=kinds[Prompt],
        messages=kinds[Message],
        thinking=kinds[Thinking],
        tool_calls=kinds[ToolCall],
        errors=_count_errors(events),
        subagents=sum(isinstance(e, ToolCall) and e.name in _SUBAGENTS for e in events),
        runs=tagged["run"],
        verifications=noted["verification"],
        artifacts=sum(isinstance(e, Foreign) and e.type == "artifact" for e in events),
        checkpoints=noted["checkpoint"],
        malformed=tagged["malformed"],
        **known,
    )
