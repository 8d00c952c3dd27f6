"""Explains lines: the commits that git blames, their records, and the calls that wrote the lines.

Only the notes of these commits are read, so a trajectory's totals and its number of commits are unknown here,
and null. It must not know how anything is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from gittraj.frozen import dataclass
from gittraj.git import BlamedLine, Repository
from gittraj.model.codec import decode_note
from gittraj.model.header import Header
from gittraj.model.values import Record
from gittraj.notes.store import NotesRef
from gittraj.query.header import Folded
from gittraj.query.log.description import describe_all
from gittraj.query.notes import NotesInMemory
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments, spell_event
from gittraj.query.why.line_origin import find_writers, show_change
from gittraj.query.why.reasons import About, find_prompt, find_reasons, find_said
from gittraj.query.why.session import Session
from gittraj.query.why.written import Edit

Explanation = Header
"""An entry of ``why --json``."""

FindNoted = Callable[[Collection[str]], Collection[str] | None]
"""Given paths, the commits with a note that touched one of them, under earlier names too; None: not known."""

_COMMIT = ("commit", "short", "subject", "author", "date")
_SHORT = 7


@dataclass(frozen=True, slots=True)
class _Origin:
    """What the lines with these ``numbers`` come from; ``line`` is the first. ``beside``: the sessions of
    the commit, where no edit of theirs is known to have written the lines."""

    line: BlamedLine
    session: Session | None
    edit: Edit | None
    numbers: list[int]
    beside: Sequence[Session]


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
    origins = _find_origins(recorded, blamed, lines, segments)
    silent = {origin.line.commit for origin in origins if origin.session is None} - {None}
    asked = {c: {line.path for line in blamed if line.commit == c} for c in commits if c in silent}
    previous = _find_previous(repository, asked, find_noted) if asked else {}
    described = describe_all(repository, list(dict.fromkeys((*commits, *previous.values()))))
    unread = recorded.unread(asked)
    recorded = _read_records(repository, list(previous.values()), read)
    entries = [_explain_origin(origin, lines, described) for origin in origins]
    for origin, entry in zip(origins, entries, strict=True):
        commit = origin.line.commit
        if origin.session is None and commit in previous:
            headers = _headers(recorded.on(previous[commit]), previous[commit])
            entry["nearest"] = {**described[previous[commit]], "trajectory": next(headers, None)}
        entry["unread"] = origin.session is None and commit in unread
    return sorted(entries, key=lambda entry: entry["lines"][0])


def _find_origins(
    recorded: Recorded, blamed: Iterable[BlamedLine], lines: Sequence[str], segments: Segments
) -> list[_Origin]:
    by_commit: dict[str | None, list[BlamedLine]] = {}
    for line in blamed:
        by_commit.setdefault(line.commit, []).append(line)
    origins: dict[Any, _Origin] = {}
    for commit, own in by_commit.items():
        sessions = _read_sessions(recorded, commit, segments)
        for line, session, edit in _attribute(own, lines, sessions):
            key = (commit, session and session.header["id"], edit and edit.call.id)
            origin = origins.setdefault(key, _Origin(line, session, edit, [], () if edit else sessions))
            origin.numbers.append(line.number)
    return list(origins.values())


def _explain_origin(
    origin: _Origin, lines: Sequence[str], described: Mapping[str, Mapping[str, Any]]
) -> Explanation:
    commit, session = origin.line.commit, origin.session
    entry = _begin(sorted(origin.numbers), described[commit] if commit else dict.fromkeys(_COMMIT))
    if session is None:
        return entry
    entry |= {"trajectory": session.header, "movedBy": _list_moves(session)}
    if origin.edit is None:
        return entry | _tell_beside(origin.beside)
    written = [lines[number - 1] for number in origin.numbers]
    return entry | _explain_line(session, origin.edit, origin.line, written)


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
    notes |= NotesRef(repository).pick(sorted(former - notes.keys()), over=over)
    return read(NotesInMemory(notes.items(), over), commits)


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
        read = [(session, session.events) for session in sessions]
        found = find_writers(lines, [line.number - 1 for line in own], read, paths)
        ours = _ours(sessions)
        fallback = next((s for s in ours if _wrote(s, paths)), ours[0] if ours else None)
        for line in own:
            yield line, *found.get(line.number - 1, (fallback, None))


def _ours(sessions: Sequence[Session]) -> Sequence[Session]:
    """Those that are not only a remote's, if there are any: a stranger's records explain nothing of ours."""
    return [session for session in sessions if not session.header.get("remote")] or sessions


def _wrote(session: Session, paths: set[str]) -> bool:
    return any(file["path"] in paths for file in session.header["filesChanged"])


# ---------------------------------------------------------------- entries


def _begin(numbers: Sequence[int], commit: Mapping[str, Any]) -> Explanation:
    """An entry without a record."""
    nothing: Header = {"trajectory": None, "prompt": None, "decisions": [], "said": None, "change": []}
    nothing |= {"changeMore": 0, "beside": [], "events": [], "movedBy": [], "nearest": None, "unread": False}
    return {"lines": _join(numbers), **commit, **nothing}


def _tell_beside(sessions: Sequence[Session]) -> Header:
    """What the commit carries where nobody knows who wrote the lines: no decision is their reason."""
    beside = [
        {"id": s.header["id"], "prompt": s.header["prompt"], "read": not s.parts or any(s.events)}
        for s in _ours(sessions)
    ]
    return {"prompt": beside[0]["prompt"] if len(beside) == 1 else None, "beside": beside}


def _explain_line(session: Session, edit: Edit, line: BlamedLine, lines: Sequence[str]) -> Header:
    """A session's explanation of the lines: in ``events`` the prompt above the call that wrote them, the
    nearest stated decision, and the call itself."""
    call = edit.call
    part = next(part for part in session.parts if call in part.events)
    at = part.events.index(call)
    prompt = find_prompt(session, part, at)
    paths = {path for path in (line.path, line.was) if path}
    reasons, decided = find_reasons(session, part, at, About.of(session, paths, lines))
    chosen = {event.id for event in (prompt, call) if event} | decided
    events = [event for event in session.events if event.id in chosen]
    change, more = show_change(edit, lines)
    return {
        "prompt": prompt.content if prompt else part.prompt,
        "decisions": reasons,
        "said": None if reasons or session.header["why"] else find_said(part, at),
        "change": change,
        "changeMore": more,
        "events": [spell_event(event, session.header["agent"]) for event in events],
    }


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
