"""Explains lines: the commits that git blames, their records, and the calls that wrote the lines.

Only the notes of these commits are read, so a trajectory's totals and its number of commits are unknown here,
and null. It must not know how anything is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Any

from gittraj.events.part_summary import PROMPT_LIMIT, shorten
from gittraj.frozen import dataclass
from gittraj.git import BlamedLine, Repository
from gittraj.model.codec import decode_note
from gittraj.model.header import Header
from gittraj.model.values import AnyEvent, Decided, Message, Prompt, Record, SegmentRef
from gittraj.notes.store import NotesRef
from gittraj.query.account import STATED, spell
from gittraj.query.header import Folded
from gittraj.query.log.description import describe_all
from gittraj.query.notes import NotesInMemory
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments, spell_event
from gittraj.query.why.line_origin import Edit, find_edits, read_edits, show_change

Explanation = Header
"""An entry of ``why --json``."""

FindNoted = Callable[[Collection[str]], Collection[str] | None]
"""Given paths, the commits with a note that touched one of them, under earlier names too; None: not known."""

_COMMIT = ("commit", "short", "subject", "author", "date")
_SHORT = 7
_SAID = 2  # sentences of a message above an edit
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'*])")


@dataclass(slots=True)
class Part:
    """Events that were recorded together, in the log's order; ``prompt`` is their record's (None for an
    earlier part, whose record is on another commit)."""

    events: list[AnyEvent]
    prompt: str | None


@dataclass(slots=True)
class Session:
    """A trajectory on a commit, with its events from the segments there."""

    header: Header
    records: Sequence[Record]
    parts: list[Part] = field(default_factory=list)

    def read(self, segments: Segments) -> None:
        """Its parts there, and those of ``also``, each event once, in the log's order."""
        groups = {record.segments: record.figures.prompt for record in self.records if record.segments}
        own = {ref for refs in groups for ref in refs}
        earlier: set[SegmentRef] = {ref for record in self.records for ref in record.also} - own
        groups |= {(ref,): None for ref in earlier}
        known: set[str] = set()
        for refs in sorted(groups, key=lambda refs: refs[0].name):  # names begin with a position in the log
            found = segments.read(self.header["id"], refs)
            events = [event for event in found if event.id not in known]
            known.update(event.id for event in events)
            self.parts.append(Part(events, groups[refs]))

    @property
    def events(self) -> Iterator[AnyEvent]:
        return chain.from_iterable(part.events for part in self.parts)


@dataclass(frozen=True, slots=True)
class _Origin:
    """What the lines with these ``numbers`` come from; ``line`` is the first of them."""

    line: BlamedLine
    session: Session | None
    edit: Edit | None
    numbers: list[int]


Read = Callable[[NotesInMemory, Collection[str]], Recorded]
"""Makes records of our notes of some commits; with those of remotes beside them."""


def explain(
    repository: Repository,
    blamed: Sequence[BlamedLine],
    lines: Sequence[str],
    segments: Segments,
    *,
    read: Read = lambda notes, _: Recorded(notes),
    find_noted: FindNoted | None = None,
) -> list[Explanation]:
    """One entry for each distinct origin of the ``blamed`` lines, in the order of their first lines.

    ``lines`` are all of the file. ``find_noted`` spares git a walk. Nothing is written, nothing fetched.
    """
    commits = list(dict.fromkeys(line.commit for line in blamed if line.commit))
    recorded = _read_records(repository, commits, read)
    by_commit = _by_commit(blamed)
    origins: dict[Any, _Origin] = {}
    for commit, own in by_commit.items():
        sessions = _read_sessions(recorded, commit, segments)
        for line, session, edit in _attribute(own, lines, sessions):
            key = (commit, session and session.header["id"], edit and edit.call.id)
            origins.setdefault(key, _Origin(line, session, edit, [])).numbers.append(line.number)
    silent = {origin.line.commit for origin in origins.values() if origin.session is None}
    asked = {c: {line.path for line in by_commit[c]} for c in commits if c in silent}
    previous = _find_previous(repository, asked, find_noted) if asked else {}
    unread = recorded.unread(asked)
    described = describe_all(repository, list(dict.fromkeys((*commits, *previous.values()))))
    recorded = _read_records(repository, list(previous.values()), read)
    entries = []
    for origin in origins.values():
        commit = origin.line.commit
        entry = _begin(sorted(origin.numbers), described[commit] if commit else dict.fromkeys(_COMMIT))
        if origin.session is not None:
            written = [lines[number - 1] for number in origin.numbers]
            entry |= _explain_line(origin.session, origin.edit, written)
        elif commit in previous:
            headers = _headers(recorded.on(previous[commit]), previous[commit])
            entry["nearest"] = {**described[previous[commit]], "trajectory": next(headers, None)}
        entry["unread"] = origin.session is None and commit in unread
        entries.append(entry)
    return sorted(entries, key=lambda entry: entry["lines"][0])


def _find_previous(
    repository: Repository, asked: Mapping[str, Collection[str]], find_noted: FindNoted | None
) -> dict[str, str]:
    from gittraj.query.why.previous import find_previous  # noqa: PLC0415 - most commits have a record

    known = find_noted({path for paths in asked.values() for path in paths}) if find_noted else None
    return find_previous(repository, asked, known)


def _read_records(repository: Repository, commits: Collection[str], read: Read) -> Recorded:
    """The records of these commits, and of those that they were carried from, which may have tombstones."""
    over: list[str] = []
    notes = dict(NotesRef(repository).pick(commits, over=over))
    lines = chain.from_iterable(decode_note(body) for body in notes.values())
    former = {c for line in lines if isinstance(line, Record) for c in line.link.carried_from}
    notes |= NotesRef(repository).pick(sorted(former - notes.keys())) if former - notes.keys() else {}
    return read(NotesInMemory(notes.items(), over), commits)


def _by_commit(blamed: Iterable[BlamedLine]) -> dict[str | None, list[BlamedLine]]:
    found: dict[str | None, list[BlamedLine]] = {}
    for line in blamed:
        found.setdefault(line.commit, []).append(line)
    return found


def _read_sessions(recorded: Recorded, commit: str | None, segments: Segments) -> list[Session]:
    sessions = [
        Session(header, folded.records(commit))
        for folded in (recorded.on(commit) if commit else ())
        for header in _headers([folded], commit)
    ]
    for session in sessions:
        session.read(segments)
    return sessions


def _headers(found: Iterable[Folded], commit: str | None) -> Iterator[Header]:
    """Headers without the fields that need the notes of all commits."""
    for folded in found:
        if folded.records(commit):
            header = folded.header(commit)
            yield {**header, "part": {**header["part"], "number": None, "of": None}, "total": None}


def _attribute(
    blamed: Sequence[BlamedLine], lines: Sequence[str], sessions: Sequence[Session]
) -> Iterator[tuple[BlamedLine, Session | None, Edit | None]]:
    """Each line with its session, and with the edit that wrote it where there is one."""
    for place in dict.fromkeys((line.path, line.was) for line in blamed):
        own = [line for line in blamed if (line.path, line.was) == place]
        paths = {path for path in place if path}
        found = _find_writers([line.number - 1 for line in own], lines, sessions, paths)
        ours = [s for s in sessions if not s.header.get("remote")] or sessions
        fallback = next((s for s in ours if _wrote(s, paths)), ours[0] if ours else None)
        for line in own:
            yield line, *found.get(line.number - 1, (fallback, None))


def _find_writers(
    asked: Sequence[int], lines: Sequence[str], sessions: Sequence[Session], paths: Collection[str]
) -> dict[int, tuple[Session, Edit]]:
    """The edit that wrote each of the ``asked`` lines (their indexes): an edit proper before one that only
    mentions its text."""
    found: dict[int, tuple[Session, Edit]] = {}
    for session in sessions:
        for at, edit in find_edits(lines, asked, read_edits(session.events, paths)).items():
            if at not in found or (found[at][1].mentioned and not edit.mentioned):
                found[at] = session, edit
    return found


def _wrote(session: Session, paths: set[str]) -> bool:
    return any(file["path"] in paths for file in session.header["filesChanged"])


# ---------------------------------------------------------------- entries


def _begin(numbers: Sequence[int], commit: Mapping[str, Any]) -> Explanation:
    """An entry without a record."""
    nothing: Header = {"trajectory": None, "prompt": None, "decisions": [], "said": None, "change": []}
    nothing |= {"events": [], "movedBy": [], "nearest": None, "unread": False}
    return {"lines": _join(numbers), **commit, **nothing}


def _explain_line(session: Session, edit: Edit | None, lines: Sequence[str]) -> Header:
    """A session's explanation of the lines: in ``events`` the prompt above the call that wrote them, the
    nearest stated decision, and the call itself."""
    explanation: Header = {"trajectory": session.header, "movedBy": _list_moves(session)}
    stated = [d for d in session.header["decisions"] if d["by"] in STATED]
    decisions = stated or session.header["decisions"]
    if edit is None:
        return explanation | {"prompt": session.header["prompt"], "decisions": decisions}
    call = edit.call
    part = next(part for part in session.parts if call in part.events)
    at = part.events.index(call)
    prompt = _find_prompt(session, part, at)
    decided = _find_decided(part, at)
    inferred = [] if decided else _infer(session, part, at)
    reasons = [spell(decided.decision)] if decided else inferred or decisions
    chosen = {event.id for event in (prompt, decided, call) if event}
    events = [event for event in session.events if event.id in chosen]
    return explanation | {
        "prompt": prompt.content if prompt else part.prompt,
        "decisions": reasons,
        "said": None if reasons or session.header["why"] else _find_said(part, at),
        "change": show_change(edit, lines),
        "events": [spell_event(event, session.header["agent"]) for event in events],
    }


def _find_prompt(session: Session, part: Part, at: int) -> Prompt | None:
    """The last prompt above the call: in its part, else the one that matches its record's prompt."""
    for event in reversed(part.events[:at]):
        if isinstance(event, Prompt):
            return event
    prompts = (event for event in session.events if isinstance(event, Prompt))
    return next((p for p in prompts if part.prompt == shorten(p.content, PROMPT_LIMIT)), None)


def _find_said(part: Part, at: int) -> str | None:
    """The first sentences of the agent's last message above the call, in the same turn."""
    own = part.events[at].agent
    for event in reversed([event for event in part.events[:at] if event.agent == own]):
        if isinstance(event, Prompt):
            return None
        if isinstance(event, Message) and event.content.strip():
            return _first_sentences(event.content) or None
    return None


def _first_sentences(message: str) -> str:
    """Headings, tables and code left out; a parser of Markdown takes longer to import than the answer."""
    lines = (line.strip() for line in message[:PROMPT_LIMIT].splitlines())
    text = " ".join(" ".join(line for line in lines if not line.startswith(("#", "|", "`" * 3))).split())
    return " ".join(_SENTENCE_END.split(text)[:_SAID])


def _find_decided(part: Part, at: int) -> Decided | None:
    """The stated decision nearest to event ``at``."""
    near = [(abs(i - at), i, event) for i, event in enumerate(part.events) if isinstance(event, Decided)]
    return min(near)[2] if near else None


def _infer(session: Session, part: Part, at: int) -> list[Header]:
    """The decisions that were inferred from the message nearest to event ``at`` that has any."""
    inferred = [d for d in session.header["decisions"] if d["by"] == "inferred" and d["event"]]
    messages = [(abs(i - at), i, e.id) for i, e in enumerate(part.events) if isinstance(e, Message)]
    found = ([d for d in inferred if d["event"] == event] for _, _, event in sorted(messages))
    return next(filter(None, found), [])


def _list_moves(session: Session) -> list[Header]:
    """The commits that the records were carried from, the original first."""
    origins = {record.origin.commit for record in session.records if record.origin}
    former = session.header["link"]["carriedFrom"]
    return [
        {"commit": commit, "short": commit[:_SHORT], "first": commit in origins}
        for commit in sorted(former, key=lambda c: (c not in origins, c))
    ]


def _join(numbers: Sequence[int]) -> list[list[int]]:
    """Sorted line numbers as ranges, both ends included."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges
