"""A log without its text: what linking many sessions at once needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gittraj.agents import SessionFile
from gittraj.capture.commit_command import can_commit, find_no_commit
from gittraj.capture.content import Writings
from gittraj.capture.session import Commit, Log
from gittraj.model.session_items import Edit, Entry
from gittraj.model.values import AnyEvent, Message, Prompt, ToolCall, ToolResult
from gittraj.record.drain.reading import is_output_log
from gittraj.state.cursors import SessionState

_OTHER = Entry(event=Message(id=""), end=0)
_PROMPT = Entry(event=Prompt(id=""), end=0)
_ENDS = 400
"""Characters kept at both ends of a result, where a started agent's id is."""
_STARTERS = {"Task", "Agent", "spawn_agent", "task"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDigest:
    """``log`` has the entries that may link, at their own index, and placeholders for the others. ``head``:
    the id of the first event; ``age``: seconds since the log grew."""

    file: SessionFile
    log: Log
    writings: Writings
    size: int
    age: float
    head: str | None
    started: str | None
    ended: str | None

    @property
    def printed(self) -> Iterator[str]:
        """The commit ids that the log printed as new."""
        return (short for entry in self.log.entries for short in entry.commits)

    def committing(self) -> Iterator[int]:
        """The calls that may have committed here."""
        for index, entry in enumerate(self.log.entries):
            here = self.log.places[index] != "elsewhere"
            if entry.command and here and can_commit(entry.command) and not self.log.failed(index):
                yield index


def make_digest(file: SessionFile, log: Log, size: int, age: float) -> LogDigest:
    times = [entry.event.ts for entry in log.entries if entry.event.ts]
    return LogDigest(
        file=file,
        log=_thin(log),
        writings=Writings.of(log),
        size=size,
        age=age,
        head=log.entries[0].event.id if log.entries else None,
        started=min(times, default=None),
        ended=max(times, default=None),
    )


def _thin(log: Log) -> Log:
    kept: dict[int, Entry] = {}
    for index, entry in enumerate(log.entries):
        event = entry.event
        starts = isinstance(event, ToolCall) and event.name in _STARTERS
        if isinstance(event, ToolCall) and (entry.command or entry.prints or entry.edits or starts):
            kept[index] = _thin_call(entry, event)
            result = log.result_of(index)
            if result is not None:
                kept[result] = _thin_result(log.entries[result], named=starts)
        if entry.on:
            kept[index] = Entry(event=Message(id=event.id), end=0, on=entry.on, edits=_thin_edits(entry))
    if log.entries:  # the format of the first event's id identifies the kind of log
        first = log.entries[0].event
        kind = Prompt if isinstance(first, Prompt) else Message
        kept.setdefault(0, Entry(event=kind(id=first.id, ts=first.ts), end=0))
    entries = (
        kept.get(i) or (_PROMPT if isinstance(entry.event, Prompt) else _OTHER)
        for i, entry in enumerate(log.entries)
    )
    results = {call: index for call, index in log.results.items() if index in kept}
    return replace(log, entries=tuple(entries), marks={}, spent={}, results=results)


def _thin_call(entry: Entry, event: ToolCall) -> Entry:
    call = ToolCall(id=event.id, ts=event.ts, name=event.name, call_id=event.call_id, response=event.response)
    return replace(
        Entry(event=call, end=0, edits=_thin_edits(entry)),
        command=entry.command,
        folder=entry.folder,
        prints=entry.prints,
    )


def _thin_result(entry: Entry, *, named: bool) -> Entry:
    event: AnyEvent = entry.event
    if isinstance(event, ToolResult):
        text = event.content
        ends = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
        event = ToolResult(
            id=event.id,
            ts=event.ts,
            call_id=event.call_id,
            is_error=event.is_error,
            content=ends if named else find_no_commit(text),
        )
    return Entry(event=event, end=0, edits=_thin_edits(entry), commits=entry.commits)


def _thin_edits(entry: Entry) -> tuple[Edit, ...]:
    return tuple(Edit(path=edit.path, kind=edit.kind) for edit in entry.edits)


def is_stored(digest: LogDigest, known: SessionState, commits: set[str]) -> bool:
    """Whether all of a log is stored already, and on all of ``commits``. False for an output log, which has
    only one run of a thread."""
    if is_output_log(digest.log):
        return False
    parts = [part for part in known.parts if not part.output]
    on = {commit for part in parts if not part.explored for commit in part.commits}
    on |= {commit for anchored in known.anchors if not anchored.stored for commit in anchored.commits}
    return commits <= on and sum(part.range.n for part in parts) >= len(digest.log.entries) > 0


def find_touched(digest: LogDigest, commits: Mapping[str, Commit]) -> list[str]:
    """The commits that changed a file which the session wrote."""
    written = digest.writings.by_path
    return [c.id for c in commits.values() if c.changes and any(p.path in written for p in c.changes.paths)]
