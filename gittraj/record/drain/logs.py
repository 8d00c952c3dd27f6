"""The logs that a drain reads: each from where the last drain stopped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from gittraj.agents import SessionFile, all_agents
from gittraj.capture.session import Log
from gittraj.errors import FormatError, TrajError
from gittraj.model.session_items import Cursor, is_unique
from gittraj.model.values import AnyEvent, Message, Prompt, ToolCall, ToolResult
from gittraj.notes.read_segments import read_segments
from gittraj.record.drain.context import Context
from gittraj.record.drain.open_log import read_log
from gittraj.record.drain.reading import Reading
from gittraj.record.drain.sessions import Wanted
from gittraj.record.drain.waiting import IDLE
from gittraj.state.cursors import SessionState, State, Stored, Suspension


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumingReader:
    """``ended``: sessions whose agent reported their end; ``recorded``: the events that commands recorded in
    full, by id."""

    context: Context
    state: State
    off: Suspension
    ended: frozenset[str]
    recorded: Mapping[str, AnyEvent]

    def read(self, wanted: Iterable[Wanted]) -> Iterator[Reading]:
        """A log that cannot be read is no reason to stop: its commits wait."""
        for each in wanted:
            try:
                yield self._read(each)
            except (OSError, TrajError):
                continue

    def _read(self, wanted: Wanted) -> Reading:
        file = wanted.file
        known = self.state.sessions.get(file.trajectory)
        cursor = known.cursor if known and not wanted.whole else Cursor()
        facts = known.facts if known else {}
        log, size, age = self._read_log(file, cursor, facts)
        if getattr(all_agents()[file.agent], "reuses_log", False) and log.fact("session") != file.session:
            raise FormatError(f"{file.path}: another session's log by now")
        skipped, place = self._told_before(log, known) if known and log.start == 0 else ((), 0)
        if skipped:
            log, size, age = self._read_log(file, Cursor(added=place), facts, skip=skipped)
        known = self._cut_back(log, known) if known else None
        source = self._copied_from(log) if cursor.offset == 0 else None
        if source is not None:
            copies = {entry.event.id for entry in self._read_log(source, Cursor(), {})[0].entries}
            facts = {**facts, "parent_session": (source.session,), "parent_kind": ("fork",)}
            log, size, age = self._read_log(file, cursor, facts, skip=copies)
        ended = file.subagent is None and file.name in self.ended
        if ended and log.entries and isinstance(log.entries[-1].event, Message):
            # its agent reported the end: no need to wait until the file rests
            log = replace(log, quiet=True, facts={"status": ("completed",), **log.facts})
        return replace(Reading.of(log, file.path, size, known, idle=age > IDLE), age=age)

    def _read_log(
        self,
        file: SessionFile,
        cursor: Cursor,
        facts: Mapping[str, Sequence[str]],
        *,
        skip: Collection[str] = (),
    ) -> tuple[Log, int, float]:
        return read_log(
            file,
            cursor,
            facts=facts,
            territory=self.context.territory,
            config=self.context.config,
            off=self.off.away(file.name, subagent=file.subagent),
            skip=skip,
            recall=self.recorded.get,
            now=self.context.now,
        )

    def _told_before(self, log: Log, known: SessionState) -> tuple[Collection[str], int]:
        """The events of a log that are stored under other ids, and how far those parts go: Gemini CLI writes
        a resumed session's history anew, with fresh ids. A call is its call id; of what was said after the
        last one that is stored, as much is stored as parts have."""
        ids = {entry.event.id for entry in log.entries}
        lost = sorted(
            (p.range.at, p)
            for p in known.parts
            if not p.output and p.range.at is not None and ids.isdisjoint((p.range.first, p.range.last))
        )
        found = read_segments(
            self.context.repository, log.trajectory, (s for _, p in lost for s in p.segments)
        )
        matched = _match_stored(
            [entry.event for entry in log.entries], [e for _, events in found for e in events]
        )
        return matched, max((at + p.range.n for at, p in lost), default=0)

    def _cut_back(self, log: Log, known: SessionState) -> SessionState:
        """Of a log that was cut back and went on otherwise, a stored part ends with the last event that is
        still there: what stands in the place of the others now is not stored."""
        positions = {entry.event.id: i for i, entry in enumerate(log.entries)}

        def cut(part: Stored) -> Stored:
            first = positions.get(part.range.first)
            if first is None or part.range.last in positions or part.output:
                return part
            stored = read_segments(self.context.repository, log.trajectory, part.segments)
            ids = {event.id for _, events in stored for event in events}
            still = log.entries[first : first + part.range.n]
            n = max((i for i, entry in enumerate(still) if entry.event.id in ids), default=0) + 1
            return replace(part, range=replace(part.range, n=n, last=still[n - 1].event.id))

        return replace(known, parts=tuple(map(cut, known.parts)))

    def _copied_from(self, log: Log) -> SessionFile | None:
        """The session that a log begins with a copy of, if parts of that one are stored: a fork."""
        if log.subagent is not None:
            return None
        ids = {entry.event.id for entry in log.entries}
        for trajectory, other in self.state.sessions.items():
            ours = trajectory == log.trajectory or other.agent != log.agent or not other.path
            firsts = (p.range.first for p in other.parts)
            if not ours and any(is_unique(first) and first in ids for first in firsts):
                return SessionFile(agent=other.agent, session=other.session, path=Path(other.path))
        return None


def _match_stored(events: Sequence[AnyEvent], stored: Sequence[AnyEvent]) -> set[str]:
    """The ids of the ``events`` that are ``stored`` under others."""
    calls = {event.call_id for event in stored if isinstance(event, ToolCall)}
    last = max((i for i, event in enumerate(events) if _call(event) in calls), default=-1)
    if not stored or (calls and last < 0):
        return set()
    spoken = [*takewhile(lambda event: _call(event) is None, reversed(stored))][::-1]
    said = [event for event in spoken if isinstance(event, Prompt | Message)]
    rest = [event for event in events[last + 1 :] if isinstance(event, Prompt | Message)]
    again = takewhile(lambda pair: _is_same(*pair), zip(said, rest, strict=False))
    return {*(event.id for event in events[: last + 1]), *(event.id for _, event in again)}


def _is_same(stored: Prompt | Message, read: Prompt | Message) -> bool:
    """Whether a stored text, perhaps redacted, is that of the log."""
    return type(stored) is type(read) and (stored.content == read.content or "REDACTED-" in stored.content)


def _call(event: AnyEvent) -> str | None:
    return event.call_id if isinstance(event, ToolCall | ToolResult) else None
