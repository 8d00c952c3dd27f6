"""What A3S Code keeps beside its messages, each as the event that holds it.

A run is a note after its prompt, a report a verification, a checkpoint a checkpoint; a delegated task is a
call of ``Task`` and its result, as other agents have it; an artifact passes through. The object itself,
without what the event says and without digests of texts that may be redacted, is ``raw``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.values import AnyEvent, Foreign, Remark, ToolCall, ToolResult

_UNTOLD = frozenset(
    ("messages", "verification_reports", "patch_base64", "patch_digest", "effect_digest", "schema")
)
_DONE = frozenset(("completed", "failed", "cancelled"))

Object = dict[str, Any]


def run(own: str, told: Object) -> Remark:
    changes = coerce.mapping(told.get("workspace_change_set"))
    raw = _rest(told, "prompt", "result_text", "error", "workspace_change_set")
    raw |= {"workspace_change_set": _rest(changes)} if changes else {}
    said = f"Run {own}: {_status(told)}, {coerce.count(told.get('event_count'))} events"
    ts = coerce.stamp(told.get("created_at_ms"))
    return Remark(id=f"{own}:run", ts=ts, content=said, kind="note", tags=("run",), raw=raw)


def reports(found: Iterable[Object], checkpoints: Iterable[Object]) -> Iterator[Remark]:
    """The reports, each once: a checkpoint repeats those made until then."""
    seen: list[Object] = []
    everywhere = [
        *found,
        *(r for c in checkpoints for r in coerce.objects(c.get("verification_reports"))),
    ]
    for report in everywhere:
        if report not in seen:
            yield _report(len(seen), report)
            seen.append(report)


def _report(number: int, report: Object) -> Remark:
    lines = [f"{coerce.text(report.get('subject')) or 'report'}: {_status(report)}"]
    for check in coerce.objects(report.get("checks")):
        told = coerce.text(check.get("description")) or coerce.text(check.get("id")) or "check"
        risk = coerce.text(check.get("residual_risk"))
        lines.append(f"- {_status(check)}: {told}{f' ({risk})' if risk else ''}")
    risks = report.get("residual_risks")
    lines += [f"- risk: {risk}" for risk in risks if isinstance(risk, str)] if isinstance(risks, list) else []
    return Remark(
        id=f"verification:{number}", content="\n".join(lines), kind="verification", raw=_rest(report)
    )


def checkpoints(found: Iterable[Object]) -> Iterator[Remark]:
    for number, each in enumerate(found):
        run = coerce.text(each.get("run_id")) or str(number)
        made = coerce.count(each.get("tool_calls_count"))
        said = f"Round {coerce.count(each.get('turn'))} of {run}, after {made} tool calls"
        ts = coerce.stamp(each.get("checkpoint_ms"))
        yield Remark(id=f"checkpoint:{run}", ts=ts, content=said, kind="checkpoint", raw=_rest(each))


def tasks(found: Iterable[Object], *, started: Sequence[str]) -> Iterator[AnyEvent]:
    """The delegated tasks that no call of the messages tells of; ``started`` is what those calls said."""
    for number, task in enumerate(sorted(found, key=lambda task: coerce.count(task.get("started_ms")))):
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


def artifact(each: Object) -> Foreign:
    uri = coerce.text(each.get("artifact_uri")) or coerce.text(each.get("artifact_id")) or "without a name"
    text = coerce.text(each.get("content")) or ""
    return Foreign(id=f"artifact:{uri}", content=text, type="artifact", raw=_rest(each, "content"))


def trace(number: int, each: Object) -> Foreign:
    ended = "succeeded" if each.get("success") is True else "failed"
    code, took = coerce.number(each.get("exit_code")), coerce.number(each.get("duration_ms"))
    told = f"{coerce.text(each.get('name')) or 'program'} {ended}{f', exit {code}' if code else ''}"
    return Foreign(id=f"trace:{number}", content=told, type="a3s.trace", duration_ms=took, raw=_rest(each))


def todo(session: Object) -> Iterator[Remark]:
    listed = coerce.objects(session.get("tasks") or session.get("todos"))
    lines = [
        f"[{coerce.text(task.get('status')) or 'open'}] {coerce.text(task.get('content'))}" for task in listed
    ]
    if lines:
        yield Remark(id="todo:0", content="\n".join(lines), kind="note", tags=("plan",))


def _status(value: Object) -> str:
    return coerce.text(value.get("status")) or "unknown"


def _rest(value: Object, *told: str) -> Object:
    return {key: given for key, given in value.items() if key not in {*told, *_UNTOLD} and given is not None}
