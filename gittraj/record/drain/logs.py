"""Reads the logs of a drain, each from where the last drain stopped."""

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
from gittraj.state.changed import IDLE
from gittraj.state.cursors import SessionState, State, Stored, Suspension


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumingReader:
    """Reads logs. ``ended`` are sessions whose agent reported their end; ``recorded`` are the events that
    commands recorded in full, by id."""

    context: Context
    state: State
    off: Suspension
    ended: frozenset[str]
    recorded: Mapping[str, AnyEvent]

    def read(self, wanted: Iterable[Wanted]) -> Iterator[Reading]:
        """Read the logs. A log that cannot be read is skipped, and its commits wait."""
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
            raise FormatError(f"{file.path}: is now another session's log")
        if known:
            skipped, end = self._stored_under_other_ids(log, known)
            if skipped:
                log, size, age = self._read_log(file, Cursor(added=end), facts, skip=skipped)
            known = self._cut_back(log, known)
        source = self._copied_from(log) if cursor.offset == 0 else None
        if source is not None:
            copies = {entry.event.id for entry in self._read_log(source, Cursor(), {})[0].entries}
            facts = {**facts, "parent_session": (source.session,), "parent_kind": ("fork",)}
            log, size, age = self._read_log(file, cursor, facts, skip=copies)
        log = self._end(log, file)
        return replace(Reading.of(log, file.path, size, known, idle=age > IDLE), age=age)

    def _end(self, log: Log, file: SessionFile) -> Log:
        """Mark the log as ended if its agent reported that: the last message then waits for nothing more."""
        ended = file.subagent is None and file.name in self.ended
        if ended and log.entries and isinstance(log.entries[-1].event, Message):
            return replace(log, quiet=True, facts={"status": ("completed",), **log.facts})
        return log

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

    def _stored_under_other_ids(self, log: Log, known: SessionState) -> tuple[Collection[str], int]:
        """The ids of a log's events that are stored under other ids, and the position at which their parts
        end: Gemini CLI writes a resumed session's history again, with new ids. Calls are matched by their
        call id, and the texts after the last stored call with the stored texts, in order."""
        if log.start > 0:
            return (), 0
        lost = _find_lost(log, known.parts)
        segments = (segment for _, part in lost for segment in part.segments)
        read = read_segments(self.context.repository, log.trajectory, segments)
        stored = [event for _, events in read for event in events]
        matched = _match_stored([entry.event for entry in log.entries], stored)
        return matched, max((at + part.range.n for at, part in lost), default=0)

    def _cut_back(self, log: Log, known: SessionState) -> SessionState:
        """End each stored part with the last of its events that is still in the log: if the log was cut back
        and continued differently, the new events are not stored yet."""
        positions = {entry.event.id: i for i, entry in enumerate(log.entries)}

        def cut(part: Stored) -> Stored:
            first = positions.get(part.range.first)
            # ``output``: the part is not from the session's own log
            if first is None or part.range.last in positions or part.output:
                return part
            stored = read_segments(self.context.repository, log.trajectory, part.segments)
            ids = {event.id for _, events in stored for event in events}
            entries = log.entries[first : first + part.range.n]
            n = max((i for i, entry in enumerate(entries) if entry.event.id in ids), default=0) + 1
            return replace(part, range=replace(part.range, n=n, last=entries[n - 1].event.id))

        return replace(known, parts=tuple(map(cut, known.parts)))

    def _copied_from(self, log: Log) -> SessionFile | None:
        """The session whose copy a log begins with (a fork), if parts of that session are stored."""
        if log.subagent is not None:
            return None
        ids = {entry.event.id for entry in log.entries}
        for trajectory, other in self.state.sessions.items():
            if trajectory == log.trajectory or other.agent != log.agent or not other.path:
                continue
            if any(is_unique(p.range.first) and p.range.first in ids for p in other.parts):
                return SessionFile(agent=other.agent, session=other.session, path=Path(other.path))
        return None


def _find_lost(log: Log, parts: Iterable[Stored]) -> list[tuple[int, Stored]]:
    """The parts from a session's log, with their positions and in order, of which neither end is in
    ``log``."""
    ids = {entry.event.id for entry in log.entries}
    return sorted(
        (part.range.at, part)
        for part in parts
        if not part.output
        and part.range.at is not None
        and ids.isdisjoint((part.range.first, part.range.last))
    )


def _match_stored(events: Sequence[AnyEvent], stored: Sequence[AnyEvent]) -> set[str]:
    """The ids of those ``events`` that are ``stored`` under other ids."""
    calls = {event.call_id for event in stored if isinstance(event, ToolCall)}
    last = max((i for i, event in enumerate(events) if _call(event) in calls), default=-1)
    if not stored or (calls and last < 0):
        return set()
    after = [*takewhile(lambda event: _call(event) is None, reversed(stored))][::-1]
    pairs = zip(_texts(after), _texts(events[last + 1 :]), strict=False)
    same = takewhile(lambda pair: _is_same(*pair), pairs)
    return {*(event.id for event in events[: last + 1]), *(event.id for _, event in same)}


def _texts(events: Iterable[AnyEvent]) -> list[Prompt | Message]:
    return [event for event in events if isinstance(event, Prompt | Message)]


def _is_same(stored: Prompt | Message, read: Prompt | Message) -> bool:
    """Whether a stored text, which may be redacted, is the same as the one in the log."""
    return type(stored) is type(read) and (stored.content == read.content or "REDACTED-" in stored.content)


def _call(event: AnyEvent) -> str | None:
    return event.call_id if isinstance(event, ToolCall | ToolResult) else None
