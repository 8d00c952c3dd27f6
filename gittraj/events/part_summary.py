"""Computes the summary of a part from its (already redacted) events. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from operator import attrgetter

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
_SUBAGENT_TOOLS = {"Task", "Agent", "spawn_agent", "task"}


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
    """Return the summary of one part.

    ``prompt`` is the prompt of the enclosing turn, for a part without its own; ``files`` are the files that
    its calls wrote; ``calls`` are calls outside the part whose results are in it; ``links`` are the links to
    its commits; ``left_out`` counts what is not stored, by the names in :class:`Counts`.
    """
    # imported here, since callers of shorten() need not load these
    from gittraj.events.prose.reader import read_prose  # noqa: PLC0415
    from gittraj.events.runs.fold import fold_runs  # noqa: PLC0415

    prompt = next((e.content for e in events if isinstance(e, Prompt)), prompt)
    stated = [e.decision for e in events if isinstance(e, Decided)]
    times = sorted(filter(None, map(attrgetter("ts"), events)))
    prose = read_prose(events, stated, prompt, committing={*filter(None, (link.maker for link in links))})
    later = model_summary(events)
    return PartSummary(
        prompt=shorten(prompt, PROMPT_LIMIT) if prompt else None,
        summary=_quote_last_message(events) or later.summary,
        started_at=next(iter(times), None),
        ended_at=next(reversed(times), None),
        usage=sum_usage(events),
        counts=_count(events, **left_out),
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


def _quote_last_message(events: Sequence[AnyEvent]) -> Summary | None:
    messages = (e.content for e in reversed(events) if isinstance(e, Message) and e.content.strip())
    last = next(messages, None)
    return Summary(text=shorten(last, SUMMARY_LIMIT), by="agent") if last else None


def sum_usage(events: Iterable[AnyEvent]) -> Usage | None:
    usages = [e.usage for e in events if e.usage is not None]
    return reduce(Usage.__add__, usages) if usages else None


def _why_abandoned(events: Sequence[AnyEvent]) -> str | None:
    """Return the result of work that was abandoned, if a reason was given."""
    notes = (e.content for e in reversed(events) if isinstance(e, NoteEvent) and "abandoned" in e.tags)
    reason = next(notes, "abandoned")
    return None if reason == "abandoned" else f"Abandoned: {reason}"


def shorten(text: str, limit: int) -> str:
    """Return the text, cut to at most ``limit`` characters, with an ellipsis at the end if it was longer."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _count_errors(events: Sequence[AnyEvent]) -> int:
    """Count failed calls, and the other errors that a log reports: each of these once, because agents repeat
    the last one at the end."""
    failed = [e.content.strip() for e in events if isinstance(e, ToolResult) and e.is_error]
    noted = {e.content.strip() for e in events if isinstance(e, NoteEvent) and e.kind == "error"}
    return len(failed) + len(noted.difference(failed))


def _count(events: Sequence[AnyEvent], **known: int) -> Counts:
    """Count the events; ``known`` are counts that the events do not show."""
    kinds = Counter(map(type, events))
    notes = [e for e in events if isinstance(e, NoteEvent)]
    noted, tagged = Counter(e.kind for e in notes), Counter(chain.from_iterable({*e.tags} for e in notes))
    return Counts(
        prompts=kinds[Prompt],
        messages=kinds[Message],
        thinking=kinds[Thinking],
        tool_calls=kinds[ToolCall],
        errors=_count_errors(events),
        api_calls=sum(e.usage is not None for e in events),
        subagents=sum(isinstance(e, ToolCall) and e.name in _SUBAGENT_TOOLS for e in events),
        runs=tagged["run"],
        verifications=noted["verification"],
        artifacts=sum(isinstance(e, Foreign) and e.type == "artifact" for e in events),
        checkpoints=noted["checkpoint"],
        malformed=tagged["malformed"],
        **known,
    )
