"""Reduces a log to what linking many sessions at once needs, almost without its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from gittraj.agents import SessionFile
from gittraj.capture.commit_command import can_commit, find_no_commit
from gittraj.capture.content import Writings
from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.model.session_items import Edit, Entry
from gittraj.model.values import AnyEvent, Message, Prompt, ToolCall, ToolResult
from gittraj.record.drain.reading import is_output_log
from gittraj.state.cursors import SessionState

_OTHER = Entry(event=Message(id=""), end=0)
_PROMPT = Entry(event=Prompt(id=""), end=0)
_ENDS = 400
"""How many characters are kept at both ends of a result, where the id of a started agent is."""
_STARTERS = {"Task", "Agent", "spawn_agent", "task"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDigest:
    """A log for linking: ``log`` has the entries that may link the session to a commit, at their own index,
    and placeholders for the others. ``head`` is the id of the first event; ``started`` and ``ended`` are the
    times of the first and the last event; ``age`` is how many seconds ago the log last grew."""

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


def make_digest(file: SessionFile, log: Log, size: int, age: float) -> LogDigest:
    """Return the digest of a log of ``size`` bytes that last grew ``age`` seconds ago."""
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
    """Return a log with only what linking needs: the other entries become placeholders."""
    kept = _keep_linking(log)
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


def _keep_linking(log: Log) -> dict[int, Entry]:
    """Return the entries that may link a log to a commit or to another log, by their index."""
    kept: dict[int, Entry] = {}
    for index, entry in enumerate(log.entries):
        event = entry.event
        if isinstance(event, ToolCall):
            starts_agent = event.name in _STARTERS
            if entry.command or entry.prints or entry.edits or starts_agent:
                kept[index] = _thin_call(entry, event)
                result = log.result_of(index)
                if result is not None:
                    kept[result] = _thin_result(log.entries[result], keep_ends=starts_agent)
        if entry.on:  # the log itself names a commit
            kept[index] = Entry(event=Message(id=event.id), end=0, on=entry.on, edits=_thin_edits(entry))
    return kept


def _thin_call(entry: Entry, event: ToolCall) -> Entry:
    call = ToolCall(id=event.id, ts=event.ts, name=event.name, call_id=event.call_id, response=event.response)
    return replace(
        Entry(event=call, end=0, edits=_thin_edits(entry)),
        command=entry.command,
        folder=entry.folder,
        prints=entry.prints,
    )


def _thin_result(entry: Entry, *, keep_ends: bool) -> Entry:
    event: AnyEvent = entry.event
    if isinstance(event, ToolResult):
        text = event.content
        ends = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
        event = ToolResult(
            id=event.id,
            ts=event.ts,
            call_id=event.call_id,
            is_error=event.is_error,
            content=ends if keep_ends else find_no_commit(text),  # git's words that it made no commit
        )
    return Entry(event=event, end=0, edits=_thin_edits(entry), commits=entry.commits)


def _thin_edits(entry: Entry) -> tuple[Edit, ...]:
    return tuple(Edit(path=edit.path, kind=edit.kind) for edit in entry.edits)


def find_commit_calls(log: Log) -> Iterator[int]:
    """Yield the index of each call that may have committed in this repository."""
    for index, entry in enumerate(log.entries):
        ran_here = log.places[index] != "elsewhere"
        if entry.command and ran_here and can_commit(entry.command) and not log.failed(index):
            yield index


def is_stored(digest: LogDigest, known: SessionState, commits: set[str]) -> bool:
    """Return whether all of a log is stored already, and on all of ``commits``. False for the log of an
    agent's printed output, which has only one of a session's runs."""
    if is_output_log(digest.log) or not commits <= _linked_commits(known):
        return False
    stored = sum(part.range.n for part in known.parts if not part.output)
    return stored >= len(digest.log.entries) > 0


def _linked_commits(known: SessionState) -> set[str]:
    """Return the commits on which parts of a session are stored, and those that must not get any."""
    stored = (part.commits for part in known.parts if not part.output and not part.explored)
    suspended = (anchor.commits for anchor in known.anchors if not anchor.stored)
    return {*chain.from_iterable(stored), *chain.from_iterable(suspended)}


def find_touched(digest: LogDigest, commits: Mapping[str, Commit]) -> list[str]:
    """Return the commits that changed a file which the session wrote."""
    written = digest.writings.by_path
    return [c.id for c in commits.values() if c.changes and any(p.path in written for p in c.changes.paths)]


def find_noted(log: Log) -> Iterator[Anchor]:
    """Yield the entries for which the log itself names a commit, as anchors."""
    for index, entry in enumerate(log.entries):
        if entry.on:
            yield Anchor(call=index, commits=(entry.on,), evidence="imported")
