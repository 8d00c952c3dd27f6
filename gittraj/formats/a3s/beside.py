"""Makes events from the records that A3S Code keeps in addition to its messages.

A run becomes a note after its prompt, a report a verification, a checkpoint a checkpoint; a delegated task
becomes a call of ``Task`` and its result, as with other agents; an artifact stays one. ``raw`` is the object
without what the event has, and without digests of texts that may be redacted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.values import AnyEvent, Foreign, NoteEvent, ToolCall, ToolResult

_OMITTED = frozenset(
    ("messages", "verification_reports", "patch_base64", "patch_digest", "effect_digest", "schema")
)
_DONE = frozenset(("completed", "failed", "cancelled"))

Object = dict[str, Any]


def run(own: str, record: Object) -> NoteEvent:
    changes = coerce.mapping(record.get("workspace_change_set"))
    raw = _rest(record, "prompt", "result_text", "error", "workspace_change_set")
    raw |= {"workspace_change_set": _rest(changes)} if changes else {}
    text = f"Run {own}: {_status(record)}, {coerce.count(record.get('event_count'))} events"
    ts = coerce.stamp(record.get("created_at_ms"))
    return NoteEvent(id=f"{own}:run", ts=ts, content=text, kind="note", tags=("run",), raw=raw)


def reports(records: Iterable[Object], checkpoints: Iterable[Object]) -> Iterator[NoteEvent]:
    """Yield each report once: a checkpoint repeats the earlier ones."""
    seen: list[Object] = []
    everywhere = [
        *records,
        *(r for c in checkpoints for r in coerce.objects(c.get("verification_reports"))),
    ]
    for report in everywhere:
        if report not in seen:
            yield _report(len(seen), report)
            seen.append(report)


def _report(number: int, report: Object) -> NoteEvent:
    lines = [f"{coerce.text(report.get('subject')) or 'report'}: {_status(report)}"]
    for check in coerce.objects(report.get("checks")):
        label = coerce.first(check, "description", "id") or "check"
        risk = coerce.text(check.get("residual_risk"))
        lines.append(f"- {_status(check)}: {label}{f' ({risk})' if risk else ''}")
    risks = coerce.sequence(report.get("residual_risks"))
    lines += [f"- risk: {risk}" for risk in risks if isinstance(risk, str)]
    return NoteEvent(
        id=f"verification:{number}", content="\n".join(lines), kind="verification", raw=_rest(report)
    )


def checkpoints(records: Iterable[Object]) -> Iterator[NoteEvent]:
    for number, record in enumerate(records):
        run = coerce.text(record.get("run_id")) or str(number)
        made = coerce.count(record.get("tool_calls_count"))
        text = f"Round {coerce.count(record.get('turn'))} of {run}, after {made} tool calls"
        ts = coerce.stamp(record.get("checkpoint_ms"))
        yield NoteEvent(id=f"checkpoint:{run}", ts=ts, content=text, kind="checkpoint", raw=_rest(record))


def tasks(records: Iterable[Object], *, started: Sequence[str]) -> Iterator[AnyEvent]:
    """Yield the delegated tasks without a call in the messages; ``started``: the texts of those calls."""
    for number, task in enumerate(sorted(records, key=lambda task: coerce.count(task.get("started_ms")))):
        names = [coerce.text(task.get(key)) for key in ("task_id", "child_session_id", "description")]
        if any(name and name in text for name in names for text in started):
            continue
        own = f"task:{names[0] or number}"
        asked = {key: task.get(key) for key in ("agent", "description", "child_session_id")}
        yield ToolCall(
            id=own, ts=coerce.stamp(task.get("started_ms")), name="Task", arguments=asked, call_id=own
        )
        if (status := coerce.text(task.get("status"))) in _DONE:
            output = coerce.text(task.get("output")) or status
            yield ToolResult(
                id=f"{own}:result",
                ts=coerce.stamp(task.get("finished_ms") or task.get("updated_ms")),
                content=f"{output}\n[session {names[1]}]" if names[1] else output,
                call_id=own,
                is_error=task.get("success") is False or status == "failed",
                raw=_rest(task, "output", *asked),
            )


def artifact(record: Object) -> Foreign:
    uri = coerce.first(record, "artifact_uri", "artifact_id") or "without a name"
    text = coerce.text(record.get("content")) or ""
    return Foreign(id=f"artifact:{uri}", content=text, type="artifact", raw=_rest(record, "content"))


def trace(number: int, record: Object) -> Foreign:
    ended = "succeeded" if record.get("success") is True else "failed"
    code, took = coerce.number(record.get("exit_code")), coerce.number(record.get("duration_ms"))
    label = f"{coerce.text(record.get('name')) or 'program'} {ended}{f', exit {code}' if code else ''}"
    return Foreign(id=f"trace:{number}", content=label, type="a3s.trace", duration_ms=took, raw=_rest(record))


def todo(session: Object) -> Iterator[NoteEvent]:
    listed = coerce.objects(session.get("tasks") or session.get("todos"))
    lines = [
        f"[{coerce.text(task.get('status')) or 'open'}] {coerce.text(task.get('content'))}" for task in listed
    ]
    if lines:
        yield NoteEvent(id="todo:0", content="\n".join(lines), kind="note", tags=("plan",))


def _status(value: Object) -> str:
    return coerce.text(value.get("status")) or "unknown"


def _rest(value: Object, *shown: str) -> Object:
    return {key: item for key, item in value.items() if key not in {*shown, *_OMITTED} and item is not None}
