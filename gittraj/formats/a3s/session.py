"""Reads a session of A3S Code: the messages, and its runs, reports, artifacts and checkpoints.

Messages have no times and no ids: times come from those events of runs that name a call. A run comes after
its prompt, with which a chapter begins; what belongs to no message comes at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gittraj.formats.a3s import records
from gittraj.formats.a3s.messages import CallRecords, Messages, answered
from gittraj.formats.base import coerce
from gittraj.formats.base.position import facts
from gittraj.model.session_items import Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import Message, NoteEvent, Prompt, Usage

_STATUS = {"Completed": "completed", "Error": "failed"}
_RUN_STATUS = {"completed": "completed", "failed": "failed", "cancelled": "abandoned"}
_TOKENS = ("prompt_tokens", "cache_read_tokens", "cache_write_tokens", "completion_tokens")

Objects = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """Everything that a store has about the session ``id``, as JSON objects."""

    id: str
    session: dict[str, Any]
    artifacts: Objects
    traces: Objects
    reports: Objects
    runs: Objects
    tasks: Objects
    checkpoints: Objects


def items(stored: StoredSession) -> Iterator[Item]:
    """Yield the items of a session in the order of its messages."""
    session = stored.session
    config = coerce.mapping(session.get("config"))
    parent = coerce.either(session.get("parent_id"), config.get("parent_id"))
    workspace = coerce.text(config.get("workspace"))
    model = coerce.either(session.get("model_name"), coerce.at(session, "llm_config", "model"))
    yield from facts(
        session=stored.id,
        started_at=coerce.stamp(session.get("created_at")),
        folder=workspace,
        model=model,
        title=coerce.text(config.get("name")),
        parent_session=parent,
        parent_kind="subagent" if parent else None,
        status=_status(stored),
    )
    if cost := coerce.cost(session.get("total_cost")):  # 0 if it was not counted
        yield Fact(name="cost_usd", value=cost)
    messages = Messages(stored.artifacts, _call_records(stored), folder=workspace, model=model)
    yield from _Reading(stored, messages).items()


class _Reading:
    def __init__(self, stored: StoredSession, messages: Messages) -> None:
        self._stored = stored
        self._messages = messages
        self._runs = _snapshots(stored)
        self._open: dict[str, Any] | None = None  # the run that began with the last prompt
        self._end = 0

    def items(self) -> Iterator[Item]:
        messages = _all_messages(self._stored)
        for number, message in enumerate(messages):
            self._end = number + 1
            for entry in self._messages.entries(number, message):
                if isinstance(entry.event, Prompt):
                    yield from self._begin(entry)
                else:
                    yield entry
        yield from self._close()
        for run in self._runs:
            yield from self._run_without_messages(run)
        stored = self._stored
        events = [
            *self._messages.unplaced(),
            *records.tasks(stored.tasks, started=self._messages.started),
            *records.reports(stored.reports, stored.checkpoints),
            *records.checkpoints(stored.checkpoints),
            *records.todo(stored.session),
        ]
        yield from (Entry(event=event, end=self._end) for event in events)
        yield from self._spent()

    # ------------------------------------------------------------ runs

    def _begin(self, prompt: Entry) -> Iterator[Item]:
        """Yield earlier runs, which have no messages, then a prompt and the run that began with it."""
        yield from self._close()
        texts = [coerce.text(run.get("prompt")) for run in self._runs]
        if prompt.event.content in texts:
            at = texts.index(prompt.event.content)
            before, self._open = self._runs[:at], self._runs[at]
            del self._runs[: at + 1]
            for run in before:
                yield from self._run_without_messages(run)
        yield prompt
        if self._open is not None:
            yield self._run_note(self._open)

    def _close(self) -> Iterator[Item]:
        """Yield the end of the open run, if there is one."""
        run, self._open = self._open, None
        if run is not None:
            yield from self._failure(run)
            yield TurnEnd(end=self._end)

    def _run_without_messages(self, run: dict[str, Any]) -> Iterator[Item]:
        """Yield a run whose messages are missing (compacted, or never saved), from the run's own texts."""
        run_id, ts = _run_id(run), coerce.stamp(run.get("created_at_ms"))
        prompt = Prompt(id=f"{run_id}:prompt", ts=ts, content=coerce.string(run.get("prompt")))
        yield Entry(event=prompt, end=self._end)
        yield self._run_note(run)
        if result := coerce.text(run.get("result_text")):
            ts = coerce.stamp(run.get("updated_at_ms"))
            yield Entry(event=Message(id=f"{run_id}:result", ts=ts, content=result), end=self._end)
        yield from self._failure(run)
        yield TurnEnd(end=self._end)

    def _run_note(self, run: dict[str, Any]) -> Entry:
        return Entry(event=records.run(_run_id(run), run), end=self._end)

    def _failure(self, run: dict[str, Any]) -> Iterator[Item]:
        if error := coerce.text(run.get("error")):
            ts = coerce.stamp(run.get("updated_at_ms"))
            event = NoteEvent(id=f"{_run_id(run)}:error", ts=ts, content=error, kind="error")
            yield Entry(event=event, end=self._end)

    def _spent(self) -> Iterator[Item]:
        usage = _usage(self._stored.session.get("total_usage"))
        if self._messages.last and usage != Usage():
            yield Spent(response=self._messages.last, usage=usage, cumulative=True)


def _all_messages(stored: StoredSession) -> Objects:
    """The session's messages, and later ones that only a checkpoint has, as after a crash."""
    messages = coerce.objects(stored.session.get("messages"))
    for checkpoint in stored.checkpoints:
        more = coerce.objects(checkpoint.get("messages"))
        if len(more) > len(messages) and more[: len(messages)] == messages:
            messages = more
    return messages


def _call_records(stored: StoredSession) -> CallRecords:
    """What the runs' events and the traces record about calls, by call id."""
    known = CallRecords()
    for run in stored.runs:
        for record in coerce.objects(run.get("events")):
            known.add(coerce.mapping(record.get("event")), coerce.stamp(record.get("timestamp_ms")))
    known.add_traces(stored.traces, answered(_all_messages(stored)))
    return known


def _status(stored: StoredSession) -> str | None:
    if status := _STATUS.get(str(stored.session.get("state"))):
        return status
    last = max(_snapshots(stored), key=_begun, default={})
    status = _RUN_STATUS.get(str(last.get("status")))
    return status or ("abandoned" if stored.checkpoints else None)


def _snapshots(stored: StoredSession) -> Objects:
    """The last state of each run, in the order in which the runs began."""
    return sorted((coerce.mapping(run.get("snapshot")) for run in stored.runs), key=_begun)


def _begun(run: dict[str, Any]) -> int:
    """When a run began, in milliseconds since 1970."""
    return coerce.count(run.get("created_at_ms"))


def _run_id(run: dict[str, Any]) -> str:
    return coerce.text(run.get("id")) or f"run-{_begun(run)}"


def _usage(value: Any) -> Usage:
    """Return the token counts. The prompt's tokens include the cached ones, as with OpenAI, unless the total
    is large enough to count these separately."""
    counts = coerce.mapping(value)
    total, *parts = (coerce.count(counts.get(name)) for name in ("total_tokens", *_TOKENS))
    return coerce.usage(counts, _TOKENS, cached_in_input=total < sum(parts))
