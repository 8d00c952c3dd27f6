"""Finds the origin of blamed lines: the sessions of their commits, and the edits that wrote them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gittraj.frozen import dataclass
from gittraj.git import BlamedLine, Repository, read_blob
from gittraj.model.header import Header
from gittraj.model.values import RetrospectiveEvent
from gittraj.query.header import Folded
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments
from gittraj.query.why.line_origin import find_writers
from gittraj.query.why.session import Session, read_session
from gittraj.query.why.written import Edit, Hunk, is_one_of

_PROOF = ("manual", "agent", "output", "order", "content")
"""The kinds of evidence that prove that a session made a commit, or wrote its content."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of some lines of a ``file``: the ``blamed`` lines, all of one commit. ``sessions`` are
    those of the commit, ``session`` is the one that explains the lines, and ``edit`` the edit that is known
    to have written them."""

    session: Session | None
    edit: Edit | None
    sessions: Sequence[Session]
    file: Sequence[str]
    blamed: list[BlamedLine]

    @property
    def commit(self) -> str | None:
        return self.blamed[0].commit

    @property
    def paths(self) -> set[str]:
        return _paths(self.blamed[0])

    @property
    def others(self) -> set[str]:
        """The other files that the session changed."""
        if self.session is None:
            return set()
        touched = {file["path"] for file in self.session.header["filesChanged"]}
        return (touched | {file.path for event in self.session.events for file in event.files}) - self.paths

    @property
    def numbers(self) -> list[int]:
        return sorted(line.number for line in self.blamed)

    @property
    def places(self) -> set[int]:
        """The lines' numbers in the commit."""
        return {line.first for line in self.blamed}

    @property
    def lines(self) -> list[str]:
        return [self.file[number - 1] for number in self.numbers]

    @property
    def hunks(self) -> Sequence[Hunk]:
        return self.edit.hunks if self.edit else ()


def _paths(line: BlamedLine) -> set[str]:
    return {path for path in (line.path, line.was) if path}


def find_origins(
    repository: Repository,
    recorded: Recorded,
    blamed: Iterable[BlamedLine],
    lines: Sequence[str],
    segments: Segments,
) -> list[Origin]:
    """Return the distinct origins of the ``blamed`` lines; ``lines`` are all lines of the file. A line that a
    decision or caveat names has an origin of its own: they are not about its neighbours."""
    groups: dict[Any, list[BlamedLine]] = {}
    for line in blamed:
        groups.setdefault((line.commit, line.parent, line.path, line.was), []).append(line)
    commits = dict.fromkeys(commit for commit, *_ in groups)
    sessions = {commit: _read_sessions(recorded, commit, segments) for commit in commits}
    origins: dict[Any, Origin] = {}
    for (commit, *_), own in groups.items():
        named = _find_named(sessions[commit], _paths(own[0]))
        for line, session, edit in _attribute(repository, own, lines, sessions[commit]):
            place = line.first if line.first in named else None
            key = (commit, session and session.header["id"], edit and edit.call.id, place)
            origins.setdefault(key, Origin(session, edit, sessions[commit], lines, [])).blamed.append(line)
    return [*origins.values()]


def _find_named(sessions: Iterable[Session], paths: Collection[str]) -> set[int]:
    """Return the lines of the commit that decisions and caveats about one of ``paths`` name."""
    said = (each for s in sessions for each in (*s.header["decisions"], *s.header["caveatSources"]))
    return {p["line"] for p in said if p and p["line"] and p["path"] and is_one_of(p["path"], paths)}


def _read_sessions(recorded: Recorded, commit: str | None, segments: Segments) -> list[Session]:
    trajectories = recorded.on(commit) if commit else ()
    return [
        _without_earlier_words(read_session(header, folded.records(commit), segments))
        for folded, header in headers(trajectories, commit)
    ]


def _without_earlier_words(session: Session) -> Session:
    """Return the session without a retrospective that was not said in its parts on the commit, if their
    events are there: it was said before them, about other work."""
    events = [*session.events]
    if not events or any(isinstance(event, RetrospectiveEvent) for event in events):
        return session
    return replace(session, header={**session.header, "confidence": None, "retrospective": None})


def headers(trajectories: Iterable[Folded], commit: str | None) -> Iterator[tuple[Folded, Header]]:
    """Yield headers without the fields that need the notes of all commits."""
    for folded in trajectories:
        if folded.records(commit):
            header = folded.header(commit)
            part = {**header["part"], "number": None, "of": None}
            yield folded, {**header, "part": part, "total": None}


def _attribute(
    repository: Repository, blamed: Sequence[BlamedLine], lines: Sequence[str], sessions: Sequence[Session]
) -> Iterator[tuple[BlamedLine, Session | None, Edit | None]]:
    """Yield each of the lines, all of one file, with its session and the edit that wrote it, if they are
    known. Sessions that certainly made the commit are tried before the other ones."""
    paths = _paths(blamed[0])
    before = partial(read_blob, repository, blamed[0].parent or "", blamed[0].was or "")
    proven = [session for session in sessions if session.header["link"]["evidence"] in _PROOF]
    writers: dict[int, tuple[Session, Edit]] = {}
    for some in (proven, sessions):
        wanted = {line.number - 1 for line in blamed} - writers.keys()
        if wanted:
            writers |= find_writers(lines, wanted, ((one, one.events) for one in some), paths, before)
    default = _find_default(sessions, paths)
    yield from ((line, *writers.get(line.number - 1, (default, None))) for line in blamed)


def _find_default(sessions: Sequence[Session], paths: Collection[str]) -> Session | None:
    """Return the session to show for lines without a known writer: preferably one that edited their file."""
    ours = leave_strangers(sessions)
    wrote = (s for s in ours if any(file["path"] in paths for file in s.header["filesChanged"]))
    return next(wrote, next(iter(ours), None))


def leave_strangers(sessions: Sequence[Session]) -> Sequence[Session]:
    """Return the sessions without those that only a remote recorded, unless there are no others: strangers'
    records do not explain our work."""
    return [session for session in sessions if not session.header.get("remote")] or sessions
