"""A change under review, in the form that the renderers take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gittraj.model.values import (
    Counts,
    Decision,
    FileChanged,
    PartSummary,
    Record,
    Retrospective,
    SessionInfo,
    Summary,
    TestRuns,
    Usage,
)
from gittraj.query.change import Change, Reviewed
from gittraj.query.header import Folded, fold
from tests.integration.story import record

A, B, C = "a1" * 20, "b2" * 20, "c3" * 20


def figures(**given: Any) -> dict[str, Any]:
    """Return the fields of a part's summary, with those ``given``."""
    basis = PartSummary(
        summary=Summary(text="The client retries with jitter.", by="agent"),
        result="The client retries with jitter.",
        started_at="2026-03-01T09:00:00Z",
        ended_at="2026-03-01T09:20:00Z",
        usage=Usage(input_tokens=10, output_tokens=900),
        cost_usd=0.5,
        cost_source="reported",
        counts=Counts(prompts=1, tool_calls=7),
        tests=TestRuns(
            runs=2, ran=True, kind="test", outcome="passed", last_passed=12, last_failed=0, last_exit=0
        ),
    )
    fields = {name: getattr(basis, name) for name in PartSummary.__dataclass_fields__}
    return {**fields, **given}


def whole(**given: Any) -> SessionInfo:
    """Return what is known of a session, with the fields ``given``."""
    basis = SessionInfo(title="Retry in the client", agent="claude-code", models=("claude-sonnet-4-5",))
    return replace(basis, **given)


def change_of(parts: dict[str, list[Record]], **given: Any) -> Change:
    """Return a change of three commits; ``parts`` are their records by commit."""
    by_id: dict[str, dict[str, list[Record]]] = {}
    for commit, records in parts.items():
        for each in records:
            by_id.setdefault(each.id, {}).setdefault(commit, []).append(each)
    folded: dict[str, Folded] = {name: fold(by_commit) for name, by_commit in by_id.items()}
    files = {A: ("src/retry.py",), B: ("src/retry.py", "tests/test_retry.py"), C: ("src/pool.py",)}
    commits = tuple(
        Reviewed(
            commit=commit,
            subject=subject,
            files=files[commit],
            trajectories=tuple(f.header(commit) for f in folded.values() if commit in f.parts),
        )
        for commit, subject in ((A, "Retry"), (B, "Test it"), (C, "Tune the pool"))
    )
    basis = Change(
        head=C,
        commits=commits,
        sessions=tuple(f.across([A, B, C]) for f in folded.values()),
        files=("src/pool.py", "src/retry.py", "tests/test_retry.py"),
        notes="d" * 40,
    )
    return replace(basis, **given)


def full_change(**given: Any) -> Change:
    """Return a change with two of three commits by agents, with doubts, decisions and churn."""
    first = record(
        "traj_one",
        whole=whole(
            retrospective=Retrospective(by="agent", summary="The 429s came in bursts.", confidence=0.8)
        ),
        **figures(
            decisions=(
                Decision(
                    chosen="full jitter",
                    by="agent",
                    alternatives=("a fixed delay",),
                    reasoning="bursts",
                    confidence=0.9,
                ),
                Decision(chosen="retry-after as seconds only", by="agent", confidence=0.55),
                Decision(chosen="five attempts", by="inferred", alternatives=("no end",)),
            ),
            caveats=("Retry-After as an HTTP date is not covered by test_retry.py.",),
            files=(FileChanged(path="src/retry.py", edits=7, reverts=2),),
        ),
    )
    second = record(
        "traj_two",
        whole=whole(agent="codex", title="Test it"),
        **figures(files=(FileChanged(path="src/retry.py", edits=1),), cost_usd=None, cost_source="unknown"),
    )
    return change_of({A: [first], B: [first, second]}, **given)
