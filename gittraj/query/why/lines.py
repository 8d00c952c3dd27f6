"""Explains lines: the commits that git blames, their records, and the calls that wrote the lines.

Only the notes of these commits are read, so a trajectory's totals and its number of commits are unknown here,
and null. It must not know how anything is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from gittraj.frozen import dataclass
from gittraj.git import BlamedLine, Repository, read_blob
from gittraj.model.codec import decode_note
from gittraj.model.header import Header
from gittraj.model.values import Record
from gittraj.notes.store import NotesRef
from gittraj.query.header import Folded
from gittraj.query.log.description import describe_all
from gittraj.query.log.reverted import Reverts
from gittraj.query.notes import NotesInMemory
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments, spell_event
from gittraj.query.why.line_origin import find_writers, normalize, show_change
from gittraj.query.why.reasons import About, find_pinned, find_prompt, find_reasons, find_said
from gittraj.query.why.session import Part, Session
from gittraj.query.why.written import Edit

Explanation = Header
"""An entry of ``why --json``."""

FindNoted = Callable[[Collection[str]], Collection[str] | None]
"""Given paths, the commits with a note that touched one of them, under earlier names too; None: not known."""

_COMMIT = ("commit", "short", "subject", "author", "date")
_SEEN = ("manual", "agent", "output", "order")
"""On what evidence a session is known to have made a commit."""
_SHORT = 7


@dataclass(frozen=True, slots=True)
class _Origin:
    """What the ``blamed`` lines come from. ``sessions``: those of their commit, of which ``session`` tells
    about them; ``edit``: that is known to have written them."""

    session: Session | None
    edit: Edit | None
    sessions: Sequence[Session]
    blamed: list[BlamedLine]

    @property
    def paths(self) -> set[str]:
        return {path for path in (self.blamed[0].path, self.blamed[0].was) if path}

    @property
    def numbers(self) -> list[int]:
        return sorted(line.number for line in self.blamed)


Read = Callable[[NotesInMemory, Collection[str]], Recorded]
"""Makes records of our notes of some commits; with those of remotes beside them."""


def explain(
    repository: Repository,
    blamed: Sequence[BlamedLine],
    lines: Sequence[str],
    segments: Segments,
    *,
    read: Read,
    find_noted: FindNoted,
    respaced: Mapping[int, str],
) -> list[Explanation]:
    """One entry for each distinct origin of the ``blamed`` lines, in the order of their first lines.

    ``lines`` are all of the file. ``find_noted`` spares git a walk; ``respaced`` are the commits that changed
    the white space of lines since. Nothing is written, nothing fetched.
    """
    commits = list(dict.fromkeys(line.commit for line in blamed if line.commit))
    recorded = _read_records(repository, commits, read)
    origins = _find_origins(repository, recorded, blamed, lines, segments)
    silent = {c: o.blamed for o in origins if o.session is None and (c := o.blamed[0].commit)}
    unread = recorded.unread(silent)
    read_on = partial(_read_records, repository, read=read)
    of_lines: dict[str, str] = {}
    previous: dict[str, str] = {}
    if silent:
        from gittraj.query.why.previous import find_all_previous  # noqa: PLC0415 - most commits have a record

        of_lines, previous = find_all_previous(repository, silent, read_on, find_noted)
    described = describe_all(repository, [*{*commits, *previous.values(), *respaced.values()}])
    recorded = read_on({*previous.values(), *respaced.values()})
    entries = []
    for origin in origins:
        commit = origin.blamed[0].commit
        entry = _begin(origin.numbers, described[commit] if commit else dict.fromkeys(_COMMIT))
        since: dict[str, list[int]] = {}
        for number in origin.numbers:
            if by := respaced.get(number):
                since.setdefault(by, []).append(number)
        entry["respaced"] = [
            {**described[by], "lines": _join(numbers), "recorded": any(_headers(recorded.on(by), by))}
            for by, numbers in since.items()
        ]
        if origin.session is not None:
            told = _explain_line(repository, origin.session, origin, lines)
            entry |= {"trajectory": origin.session.header, **told}
        elif commit in previous:
            headers = _headers(recorded.on(previous[commit]), previous[commit])
            found = {"trajectory": next(headers, None), "ofLines": commit in of_lines}
            entry["nearest"] = {**described[previous[commit]], **found}
        entry["unread"] = origin.session is None and commit in unread
        entries.append(entry)
    Reverts(repository).mark(entry["nearest"] for entry in entries if entry["nearest"])
    return sorted(entries, key=lambda entry: entry["lines"][0])


def _find_origins(
    repository: Repository,
    recorded: Recorded,
    blamed: Iterable[BlamedLine],
    lines: Sequence[str],
    segments: Segments,
) -> list[_Origin]:
    by_commit: dict[str | None, list[BlamedLine]] = {}
    for line in blamed:
        by_commit.setdefault(line.commit, []).append(line)
    origins: dict[Any, _Origin] = {}
    for commit, own in by_commit.items():
        sessions = _read_sessions(recorded, commit, segments)
        for line, session, edit in _attribute(repository, own, lines, sessions):
            key = (commit, session and session.header["id"], edit and edit.call.id)
            origins.setdefault(key, _Origin(session, edit, sessions, [])).blamed.append(line)
    return list(origins.values())


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
    repository: Repository, blamed: Sequence[BlamedLine], lines: Sequence[str], sessions: Sequence[Session]
) -> Iterator[tuple[BlamedLine, Session | None, Edit | None]]:
    """Each line with its session, and with the edit that wrote it where there is one: of a session that is
    known to have made the commit before one that may have."""
    for parent, path, was in dict.fromkeys((line.parent, line.path, line.was) for line in blamed):
        own = [line for line in blamed if (line.parent, line.path, line.was) == (parent, path, was)]
        paths = {name for name in (path, was) if name}
        before = partial(read_blob, repository, parent or "", was or "")
        found: dict[int, tuple[Session, Edit]] = {}
        for some in ([s for s in sessions if s.header["link"]["evidence"] in _SEEN], sessions):
            wanted = [line.number - 1 for line in own if line.number - 1 not in found]
            if wanted and some:
                read = ((session, session.events) for session in some)
                found |= find_writers(lines, wanted, read, paths, before)
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
    nothing |= {
        "changeMore": 0,
        "doubts": [],
        "beside": [],
        "events": [],
        "movedBy": [],
        "nearest": None,
        "unread": False,
    }
    return {"lines": _join(numbers), **commit, **nothing}


def _explain_line(repository: Repository, session: Session, origin: _Origin, lines: Sequence[str]) -> Header:
    """What is known of the lines: what was decided about just them first, and who doubted them."""
    paths, numbers = origin.paths, {line.first for line in origin.blamed}
    asked = [lines[number - 1] for number in origin.numbers]
    about = About(session, paths, numbers, asked, origin.edit)
    pinned = find_pinned(_ours(origin.sessions), paths, numbers, anywhere=origin.edit is None)
    told = {"decisions": pinned, "doubts": about.doubts(session.header)}
    if origin.edit is None:
        return told | _tell_beside(origin.sessions)
    edited = _explain_edit(session, origin.edit, about, asked)
    known = {decision["chosen"] for decision in pinned}
    told["decisions"] = [*pinned, *(d for d in edited["decisions"] if d["chosen"] not in known)]
    return {**edited, **told, "movedBy": _list_moves(repository, session, origin, asked)}


def _tell_beside(sessions: Sequence[Session]) -> Header:
    """What the commit carries where nobody knows who wrote the lines: no decision is their reason."""
    beside = [
        {"id": s.header["id"], "prompt": s.header["prompt"], "read": not s.parts or any(s.events)}
        for s in _ours(sessions)
    ]
    return {"prompt": beside[0]["prompt"] if len(beside) == 1 else None, "beside": beside}


def _explain_edit(session: Session, edit: Edit, about: About, lines: Sequence[str]) -> Header:
    """A session's explanation of the lines: in ``events`` the prompt above the call that wrote them, the
    nearest stated decision, and the call itself."""
    call = edit.call
    part = _part_of(session, edit)
    at = part.events.index(call)
    prompt = find_prompt(session, part, at)
    reasons, decided = find_reasons(session, part, at, about)
    chosen = {event.id for event in (prompt, call) if event} | decided
    events = [event for event in session.events if event.id in chosen]
    change, more = show_change(edit, lines)
    return {
        "prompt": prompt.content if prompt else part.prompt,
        "decisions": reasons,
        "said": None if reasons else find_said(part, at),
        "change": change,
        "changeMore": more,
        "events": [spell_event(event, session.header["agent"]) for event in events],
    }


def _part_of(session: Session, edit: Edit) -> Part:
    return next(part for part in session.parts if edit.call in part.events)


def _list_moves(
    repository: Repository, session: Session, origin: _Origin, lines: Sequence[str]
) -> list[Header]:
    """The commits that the edit's record was carried from, the original first; none that is here and has not
    the lines."""
    records = _part_of(session, origin.edit).records if origin.edit else []
    first = {record.origin.commit for record in records if record.origin}
    former = {commit for record in records for commit in record.link.carried_from}
    wanted = {normalize(line) for line in lines}
    return [
        {"commit": commit, "short": commit[:_SHORT], "first": commit in first}
        for commit in sorted(former, key=lambda c: (c not in first, c))
        if not repository.objects.exists(commit)
        or any(wanted <= {*map(normalize, read_blob(repository, commit, path))} for path in origin.paths)
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


def leave_unknown(entries: Sequence[Explanation], edge: Collection[str]) -> Sequence[Explanation]:
    """Without what git blames on the ``edge`` of a shallow clone for want of older commits."""
    nothing: Header = dict.fromkeys(("trajectory", "prompt", "nearest"))
    nothing |= {"decisions": [], "doubts": [], "beside": []}
    for entry in entries:
        entry["shallow"] = entry["commit"] in edge and not entry["events"]
        if entry["nearest"] and entry["nearest"]["commit"] in edge:
            entry["nearest"] = None
        if entry["shallow"]:
            entry.update(nothing)
    return entries
