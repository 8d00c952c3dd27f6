"""Makes a commit and its trajectory, in the form that the renderers take."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from gittraj.model.header import Header
from gittraj.model.values import (
    Counts,
    Decision,
    FileChanged,
    Link,
    Retrospective,
    SessionInfo,
    Summary,
    TestRuns,
    Usage,
)
from gittraj.query.header import fold
from tests.integration.story import record

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
COMMIT = "9b440cb568f1f77c81a2689ad1638b9797809874"
_WHY = "Fixed delays would re-align the bursts, so retries are spread out."
HOSTILE = "\x1b]0;owned\x07\r<script>x</script> [click](http://evil) @octocat \u202etxt"


def entry(*headers: Header, subject: str = "Retry in the client, with jitter") -> Header:
    return {
        "commit": COMMIT,
        "short": COMMIT[:7],
        "subject": subject,
        "author": {"name": "Ada Lovelace", "email": "ada@example.com"},
        "date": "2026-03-01T09:00:00+00:00",
        "files": ["src/retry.py"],
        "trajectories": list(headers),
    }


def full_header(**changes: Any) -> Header:
    """Return a header with a value in every field that is shown to a person."""
    whole = SessionInfo(
        title="Retry with backoff",
        agent="claude-code",
        models=("claude-sonnet-4-5",),
        status="completed",
        retrospective=Retrospective(by="agent", summary="Bursts are spread out.", confidence=0.8),
    )
    return {**fold({COMMIT: [_first(whole)], "b" * 40: [record(at=9)]}).header(COMMIT), **changes}


def bare_header() -> Header:
    return fold({COMMIT: [record(whole=SessionInfo())]}).header(COMMIT)


def hostile_header() -> Header:
    """Return a header in which every text of an agent or user is hostile."""
    whole = SessionInfo(title=HOSTILE, agent=HOSTILE, models=(HOSTILE,), status=HOSTILE)
    evil = record(
        whole=whole,
        prompt=HOSTILE,
        summary=Summary(text=HOSTILE, by=HOSTILE),
        decisions=(Decision(chosen=HOSTILE, by=HOSTILE, alternatives=(HOSTILE,), reasoning=HOSTILE),),
        caveats=(HOSTILE,),
        files=(FileChanged(path=HOSTILE, edits=1),),
    )
    return fold({COMMIT: [evil]}).header(COMMIT)


def event(kind: str, content: str = "", **fields: Any) -> Header:
    given: Header = {"id": f"{kind}-{content[:4]}", "ts": None, "type": kind, "agent": "claude-code"}
    return {**given, "content": content, **fields}


def call(name: str, ts: str | None = None, **arguments: Any) -> Header:
    return event("tool_call", ts=ts, tool={"name": name, "arguments": arguments, "callId": "c1"})


def result(content: str, *, code: int | None = None) -> Header:
    fields = {"callId": "c1", "exitCode": code, "isError": bool(code), "truncated": False, "bytes": None}
    return event("tool_result", content, result=fields)


def chapter(title: str, *events: Header) -> Header:
    return {
        "id": events[0]["id"],
        "title": title,
        "agentName": "claude-code",
        "startedAt": None,
        "endedAt": None,
        "events": list(events),
    }


def _first(whole: SessionInfo) -> Any:
    return record(
        at=0,
        n=9,
        link=Link(evidence="agent", carried_from=("f" * 40,)),
        whole=whole,
        prompt="The API answers 429 in bursts.\nRetry with backoff, and add no dependency.",
        summary=Summary(text=_WHY, by="agent"),
        why=_WHY,
        result="The client retries.",
        started_at="2026-03-01T08:55:00.000Z",
        ended_at="2026-03-01T08:59:00.000Z",
        usage=Usage(input_tokens=12_300, cache_read_tokens=98_000, output_tokens=1_200),
        cost_usd=0.041,
        cost_source="reported",
        counts=Counts(prompts=1, thinking=2),
        decisions=(
            Decision(
                chosen="full jitter",
                alternatives=("a fixed delay",),
                reasoning="fixed delays re-align the bursts",
                by="inferred",
            ),
            Decision(chosen="retry in the client", alternatives=("a queue",), by="agent", confidence=0.9),
        ),
        caveats=("Retry-After given as a date is not tested.",),
        tests=TestRuns(
            runs=3, ran=True, kind="test", outcome="failed", last_passed=12, last_failed=1, last_exit=1
        ),
        files=(FileChanged(path="src/retry.py", kind="add", edits=2, reverts=1),),
        redactions_by_rule={"token": 3},
        thinking="dropped",
    )
