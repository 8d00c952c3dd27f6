"""The summary of a part, folded from its (already redacted) events. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

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
    TestRuns,
    Thinking,
    ThinkingState,
    ToolCall,
    ToolResult,
    Usage,
)

PROMPT_LIMIT = 2_000
SUMMARY_LIMIT = 1_200
_SUBAGENTS = {"Task", "Agent", "spawn_agent", "task"}
_TEST_RUN = re.compile(
    r"(?:^|[;&|(\n]\s*)(?:(?:bash|sh|zsh)\s+-\w*c\s+|\w+=\S*\s+|(?:uv|poetry|pipenv|hatch|pdm)\s+run\s+|npx\s+|bunx\s+|timeout\s+\S+\s+)*"
    r"(?:[\w./~-]*/)?(?:pytest|py\.test|tox|nox|jest|vitest|mocha|phpunit|rspec|ctest|bats|"
    r"python[\d.]*\s+-m\s+(?:pytest|unittest)|(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?test|"
    r"cargo\s+(?:nex)?test|go\s+test|dotnet\s+test|mvn\s+(?:-\S+\s+)*test|gradlew?\s+test|make\s+(?:test|check))\b"
)
_PASSED = re.compile(r"(\d+) pass(?:ed|ing)")
_FAILED = re.compile(r"(\d+) fail(?:ed|ing|ures?)")


def summarize_part(
    events: Sequence[AnyEvent],
    *,
    prompt: str | None,
    files: Sequence[FileChanged],
    thinking: ThinkingState,
    dropped: int = 0,
    omitted: int = 0,
) -> PartSummary:
    """The summary of one part.

    ``prompt`` is that of the enclosing turn, for a part without its own; ``files`` are those that its calls
    wrote; ``dropped`` counts its calls that worked in another repository, ``omitted`` its events that are not
    stored.
    """
    from gittraj.events.inference import find_caveats, infer_decisions  # noqa: PLC0415 - readers only shorten

    prompts = [e.content for e in events if isinstance(e, Prompt)]
    said = [e.content for e in events if isinstance(e, Message) and e.content.strip()]
    stated = [e.decision for e in events if isinstance(e, Decided)]
    spent = [e.usage for e in events if e.usage is not None]
    times = sorted(e.ts for e in events if e.ts)
    asked = prompts[0] if prompts else prompt
    return PartSummary(
        prompt=shorten(asked, PROMPT_LIMIT) if asked else None,
        summary=Summary(text=shorten(said[-1], SUMMARY_LIMIT), by="agent") if said else None,
        started_at=times[0] if times else None,
        ended_at=times[-1] if times else None,
        usage=reduce(Usage.__add__, spent) if spent else None,
        counts=_count(events, api_calls=len(spent), dropped=dropped, omitted=omitted),
        decisions=(*stated, *infer_decisions(said)),
        caveats=find_caveats(said),
        tests=_fold_tests(events),
        files=tuple(files),
        thinking=thinking,
    )


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, with an ellipsis at the end of a shortened text."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _count(events: Sequence[AnyEvent], *, api_calls: int, dropped: int, omitted: int) -> Counts:
    def number(kind: type) -> int:
        return sum(isinstance(e, kind) for e in events)

    return Counts(
        prompts=number(Prompt),
        messages=number(Message),
        thinking=number(Thinking),
        tool_calls=number(ToolCall),
        api_calls=api_calls,
        errors=sum(
            (isinstance(e, ToolResult) and e.is_error) or (isinstance(e, NoteEvent) and e.kind == "error")
            for e in events
        ),
        subagents=sum(isinstance(e, ToolCall) and e.name in _SUBAGENTS for e in events),
        dropped=dropped,
        omitted=omitted,
        runs=sum(isinstance(e, NoteEvent) and "run" in e.tags for e in events),
        verifications=sum(isinstance(e, NoteEvent) and e.kind == "verification" for e in events),
        artifacts=sum(isinstance(e, Foreign) and e.type == "artifact" for e in events),
        checkpoints=sum(isinstance(e, NoteEvent) and e.kind == "checkpoint" for e in events),
    )


def _fold_tests(events: Sequence[AnyEvent]) -> TestRuns | None:
    """The number of test runs (test commands and reports of checks), and the result of the last one."""
    results = {e.call_id: e for e in events if isinstance(e, ToolResult)}
    runs = [e for e in events if _verdicts(e) or (isinstance(e, ToolCall) and _TEST_RUN.search(_command(e)))]
    if not runs:
        return None
    if verdicts := _verdicts(runs[-1]):
        passed, failed = verdicts.count("passed"), verdicts.count("failed")
        return TestRuns(runs=len(runs), last_passed=passed, last_failed=failed)
    calls = [e for e in runs if isinstance(e, ToolCall)]
    last = next((r for e in reversed(calls) if (r := results.get(e.call_id))), None)
    text = last.content[-4_000:] if last else ""
    return TestRuns(
        runs=len(runs),
        last_passed=int(found[-1]) if (found := _PASSED.findall(text)) else None,
        last_failed=int(found[-1]) if (found := _FAILED.findall(text)) else None,
        last_exit=last.exit_code if last else None,
    )


def _verdicts(event: AnyEvent) -> list[str]:
    """The status of each check of a verification; empty unless one passed or failed."""
    report = event.raw if isinstance(event, NoteEvent) and event.kind == "verification" else None
    checks = report.get("checks") if isinstance(report, dict) else None
    found = [str(c.get("status")) for c in checks if isinstance(c, dict)] if isinstance(checks, list) else []
    return found if {"passed", "failed"} & {*found} else []


def _command(call: ToolCall) -> str:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    said = arguments.get("command") or arguments.get("cmd") or ""
    return (" ".join(map(str, said)) if isinstance(said, list) else str(said))[:4_000]
