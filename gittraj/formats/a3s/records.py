"""Makes events from the records that A3S Code keeps in addition to its messages.

A run becomes a note, a report a verification, a checkpoint a checkpoint event, an artifact an artifact event;
a delegated task becomes a call of ``Task`` and its result, as with other agents. An event's ``raw`` is the
record without the fields that the event already has, and without digests of texts that may be redacted.
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


def run(run_id: str, record: Object) -> NoteEvent:
    changes = coerce.mapping(record.get("workspace_change_set"))
    raw = _without(record, "prompt", "result_text", "error", "workspace_change_set")
    raw |= {"workspace_change_set": _without(changes)} if changes else {}
    text = f"Run {run_id}: {_status(record)}, {coerce.count(record.get('event_count'))} events"
    ts = coerce.stamp(record.get("created_at_ms"))
    return NoteEvent(id=f"{run_id}:run", ts=ts, content=text, kind="note", tags=("run",), raw=raw)


def reports(records: Iterable[Object], checkpoints: Iterable[Object]) -> Iterator[NoteEvent]:
    """Yield an event for each report in ``records`` and in the checkpoints, which repeat earlier reports."""
    seen: list[Object] = []
    of_checkpoints = (r for c in checkpoints for r in coerce.objects(c.get("verification_reports")))
    for report in (*records, *of_checkpoints):
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
        id=f"verification:{number}", content="\n".join(lines), kind="verification", raw=_without(report)
    )


def checkpoints(records: Iterable[Object]) -> Iterator[NoteEvent]:
    for number, record in enumerate(records):
        run = coerce.text(record.get("run_id")) or str(number)
        calls = coerce.count(record.get("tool_calls_count"))
        text = f"Round {coerce.count(record.get('turn'))} of {run}, after {calls} tool calls"
        ts = coerce.stamp(record.get("checkpoint_ms"))
        yield NoteEvent(id=f"checkpoint:{run}", ts=ts, content=text, kind="checkpoint", raw=_without(record))


def tasks(records: Iterable[Object], *, started: Sequence[str]) -> Iterator[AnyEvent]:
    """Yield the calls and results of those delegated tasks that no message mentions. ``started`` has the
    texts of the messages' calls that start tasks, and of their results."""
    by_time = sorted(records, key=lambda task: coerce.count(task.get("started_ms")))
    for number, task in enumerate(by_time):
        names = [coerce.text(task.get(key)) for key in ("task_id", "child_session_id", "description")]
        if not any(name and name in text for name in names for text in started):
            yield from _task(f"task:{names[0] or number}", task)


def _task(call_id: str, task: Object) -> Iterator[AnyEvent]:
    """Yield a call that starts the task and, if the task has ended, its result."""
    arguments = {key: task.get(key) for key in ("agent", "description", "child_session_id")}
    ts = coerce.stamp(task.get("started_ms"))
    yield ToolCall(id=call_id, ts=ts, name="Task", arguments=arguments, call_id=call_id)
    if (status := coerce.text(task.get("status"))) in _DONE:
        output = coerce.text(task.get("output")) or status
        child = coerce.text(task.get("child_session_id"))
        yield ToolResult(
            id=f"{call_id}:result",
            ts=coerce.stamp(task.get("finished_ms") or task.get("updated_ms")),
            content=f"{output}\n[session {child}]" if child else output,
            call_id=call_id,
            is_error=task.get("success") is False or status == "failed",
            raw=_without(task, "output", *arguments),
        )


def artifact(record: Object) -> Foreign:
    uri = coerce.first(record, "artifact_uri", "artifact_id") or "without a name"
    text = coerce.text(record.get("content")) or ""
    return Foreign(id=f"artifact:{uri}", content=text, type="artifact", raw=_without(record, "content"))


def trace(number: int, record: Object) -> Foreign:
    ended = "succeeded" if record.get("success") is True else "failed"
    code, duration = coerce.number(record.get("exit_code")), coerce.number(record.get("duration_ms"))
    label = f"{coerce.text(record.get('name')) or 'program'} {ended}{f', exit {code}' if code else ''}"
    raw = _without(record)
    return Foreign(id=f"trace:{number}", content=label, type="a3s.trace", duration_ms=duration, raw=raw)


def todo(session: Object) -> Iterator[NoteEvent]:
    """Yield a note with the session's to-do list, one task on each line; nothing if the list is empty."""
    todos = coerce.objects(session.get("tasks") or session.get("todos"))
    lines = [
        f"[{coerce.text(todo.get('status')) or 'open'}] {coerce.text(todo.get('content'))}" for todo in todos
    ]
    if lines:
        yield NoteEvent(id="todo:0", content="\n".join(lines), kind="note", tags=("plan",))


def _status(value: Object) -> str:
    return coerce.text(value.get("status")) or "unknown"


def _without(value: Object, *fields: str) -> Object:
    """The object without these fields, those of ``_OMITTED`` and those that are null."""
    return {key: item for key, item in value.items() if key not in {*fields, *_OMITTED} and item is not None}
