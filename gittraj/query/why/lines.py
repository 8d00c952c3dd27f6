"""Explains lines: the commits that git blames, their records, and the calls that wrote the lines.

Only the notes of these commits are read, so that a trajectory's totals and its number of commits are unknown,
and null. This module must not know how anything is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import chain, groupby

from gittraj.git import Blame, BlamedLine, Repository, read_blob
from gittraj.model.codec import decode_note
from gittraj.model.header import Header
from gittraj.model.values import Record
from gittraj.notes.store import NotesRef
from gittraj.query.log.description import describe_all
from gittraj.query.log.reverted import Reverts
from gittraj.query.notes import NotesInMemory
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments, event_to_document
from gittraj.query.why.changes import normalize, show_change
from gittraj.query.why.origins import Origin, find_origins, headers, leave_strangers
from gittraj.query.why.reasons import find_doubts, find_pinned, find_prompt, find_reasons, find_said
from gittraj.query.why.session import Part, Session
from gittraj.query.why.written import Edit

Read = Callable[[NotesInMemory, Collection[str]], Recorded]
"""Makes records from our notes on some commits, and from those of remotes."""
Ask = Callable[[Callable[[Segments], list[Header]]], list[Header]]
"""Calls a function that reads segments, and fetches those that are missing if necessary."""

_COMMIT = ("commit", "short", "subject", "author", "date")
_SHORT = 7


def answer(
    repository: Repository,
    blame: Blame,
    blamed: Sequence[BlamedLine],
    lines: Sequence[str],
    *,
    ask: Ask,
    read: Read,
    find_noted: Callable[[Collection[str]], Collection[str] | None],
    later: bool,
) -> list[Header]:
    """Return one entry for each distinct origin of the ``blamed`` lines, in the order of their first lines.

    ``lines`` are all lines of the file. ``find_noted`` returns the commits with a note that touched one of
    the given paths, under earlier names too, or None if they are unknown; it saves git a walk. If the only
    origin has no record, git blames again, with the lines around, which takes longer. ``later``: mark the
    commits that were reverted since, whose lines the work tree no longer has. Nothing is written or fetched.
    """

    def explain(blamed: Sequence[BlamedLine]) -> list[Header]:
        read_entries = partial(_explain_lines, repository, blamed, lines, read=read, find_noted=find_noted)
        return ask(partial(read_entries, respaced=blame.find_respaced(blamed, lines)))

    entries = explain(blamed)
    if len(entries) == 1 and entries[0]["commit"] and not entries[0]["trajectory"]:
        around = blame.read_around(blamed)
        entries = entries if around == blamed else explain(around)
    if later:
        Reverts(repository).mark(entry for entry in entries if entry["commit"])
    _leave_unknown(entries, repository.edge)
    return entries


def _explain_lines(
    repository: Repository,
    blamed: Sequence[BlamedLine],
    lines: Sequence[str],
    segments: Segments,
    *,
    read: Read,
    find_noted: Callable[[Collection[str]], Collection[str] | None],
    respaced: Mapping[int, str],
) -> list[Header]:
    """Return the entries of ``answer``. ``respaced`` has, by a line's number, the commit that only changed
    its white space since."""
    commits = {*filter(None, (line.commit for line in blamed))}
    recorded = _read_records(repository, commits, read)
    origins = find_origins(repository, recorded, blamed, lines, segments)
    silent = {o.commit: o.blamed for o in origins if o.session is None and o.commit}
    previous: dict[str, tuple[str, bool]] = {}
    if silent:
        from gittraj.query.why.previous import find_all_previous  # noqa: PLC0415 - most commits have a record

        read_records = partial(_read_records, repository, read=read)
        previous = find_all_previous(repository, silent, read_records, find_noted)
    others = {*respaced.values(), *(commit for commit, _ in previous.values())}
    described = describe_all(repository, [*{*commits, *others}])
    known = _read_records(repository, others, read)
    first_headers = {other: _first_header(known, other) for other in others}
    nearest: dict[str | None, Header] = {
        commit: {**described[other], "trajectory": first_headers[other], "ofLines": of_lines}
        for commit, (other, of_lines) in previous.items()
    }
    Reverts(repository).mark(nearest.values())
    unread = recorded.unread(silent)
    entries = [
        {
            **_begin(origin, described),
            **_explain_origin(repository, origin),
            "places": origin.places,
            "nearest": nearest.get(origin.commit),
            "unread": origin.commit in unread,
            "respaced": _list_respaced(origin, respaced, described, first_headers),
        }
        for origin in origins
    ]
    return sorted(entries, key=lambda entry: entry["lines"][0])


def _read_records(repository: Repository, commits: Collection[str], read: Read) -> Recorded:
    """Return the records of these commits, and of those that they were carried from, which may have
    tombstones."""
    over: list[str] = []
    notes = dict(NotesRef(repository).pick(commits, over=over))
    lines = chain.from_iterable(decode_note(body) for body in notes.values())
    former = {c for line in lines if isinstance(line, Record) for c in line.link.carried_from}
    notes |= NotesRef(repository).pick(sorted(former - notes.keys()), over=over)
    return read(NotesInMemory(notes.items(), over), commits)


def _first_header(recorded: Recorded, commit: str) -> Header | None:
    return next((header for _, header in headers(recorded.on(commit), commit)), None)


def _list_respaced(
    origin: Origin,
    respaced: Mapping[int, str],
    described: Mapping[str, Header],
    first_headers: Mapping[str, Header | None],
) -> list[Header]:
    """Return the commits that changed the white space of lines since, each with the lines' numbers."""
    since: dict[str, list[int]] = {}
    for number in origin.numbers:
        if by := respaced.get(number):
            since.setdefault(by, []).append(number)
    return [
        {**described[by], "lines": _join(numbers), "recorded": first_headers[by] is not None}
        for by, numbers in since.items()
    ]


def _begin(origin: Origin, described: Mapping[str, Header]) -> Header:
    """Return the fields of an entry without a record."""
    commit = described[origin.commit] if origin.commit else dict.fromkeys(_COMMIT)
    nothing: Header = {"trajectory": None, "prompt": None, "decisions": [], "said": None, "change": []}
    more: Header = {"changeMore": 0, "doubts": [], "beside": [], "events": [], "movedBy": []}
    more["revertedBy"] = None
    return {"lines": _join(origin.numbers), **commit, **nothing, **more}


def _explain_origin(repository: Repository, origin: Origin) -> Header:
    """Explain the lines by decisions, those about exactly these lines first, and by caveats about them."""
    session = origin.session
    if session is None:
        return {}
    pinned = find_pinned(origin)
    doubts = find_doubts(origin, session.header)
    explained = {"trajectory": session.header, "decisions": pinned, "doubts": doubts}
    if origin.edit is None:
        return explained | _list_sessions(origin.sessions)
    part = next(part for part in session.parts if origin.edit.call in part.events)
    edited = _explain_edit(session, part, origin.edit, origin)
    known = {decision["chosen"] for decision in pinned}
    explained["decisions"] = [*pinned, *(d for d in edited["decisions"] if d["chosen"] not in known)]
    return {**edited, **explained, "movedBy": _list_moves(repository, part, origin)}


def _list_sessions(sessions: Sequence[Session]) -> Header:
    """Return the commit's sessions, for lines whose session is unknown: no decision is the reason for
    them."""
    beside = [
        {"id": s.header["id"], "prompt": s.header["prompt"], "read": not s.parts or any(s.events)}
        for s in leave_strangers(sessions)
    ]
    return {"prompt": beside[0]["prompt"] if len(beside) == 1 else None, "beside": beside}


def _explain_edit(session: Session, part: Part, edit: Edit, origin: Origin) -> Header:
    """Return a session's explanation of the lines: ``events`` has the prompt above the call that wrote them,
    the nearest stated decision, and the call itself."""
    at = part.events.index(edit.call)
    prompt = find_prompt(session, part, at)
    reasons, decided = find_reasons(session, part, at, origin)
    chosen = {event.id for event in (prompt, edit.call) if event} | decided
    change, more = show_change(edit, origin.lines)
    return {
        "prompt": prompt.content if prompt else part.prompt,
        "decisions": reasons,
        # a decision against something does not explain why the lines are as they are
        "said": None if any(not d["chosen"].startswith("not: ") for d in reasons) else find_said(part, at),
        "change": change,
        "changeMore": more,
        "events": [event_to_document(e, session.header["agent"]) for e in session.events if e.id in chosen],
    }


def _list_moves(repository: Repository, part: Part, origin: Origin) -> list[Header]:
    """Return the commits that the edit's record was carried from, the original first; a commit that is in
    this clone but lacks the lines is left out."""
    first = {record.origin.commit for record in part.records if record.origin}
    former = {commit for record in part.records for commit in record.link.carried_from}
    return [
        {"commit": commit, "short": commit[:_SHORT], "first": commit in first}
        for commit in sorted(former, key=lambda commit: (commit not in first, commit))
        if not repository.objects.exists(commit) or _has_lines(repository, commit, origin)
    ]


def _has_lines(repository: Repository, commit: str, origin: Origin) -> bool:
    wanted = {normalize(line) for line in origin.lines}
    return any(wanted <= {*map(normalize, read_blob(repository, commit, path))} for path in origin.paths)


def _join(numbers: Sequence[int]) -> list[list[int]]:
    """Sorted line numbers as ranges, both ends included."""
    runs = groupby(enumerate(numbers), lambda each: each[1] - each[0])
    return [[run[0], run[-1]] for run in ([number for _, number in each] for _, each in runs)]


def _leave_unknown(entries: Sequence[Header], edge: Collection[str]) -> None:
    """For commits at the ``edge`` of a shallow clone, which git blames for all that is older, keep only known
    edits, and decisions about exactly these lines."""
    for entry in entries:
        places, old = entry.pop("places"), entry["commit"] in edge and not entry["events"]
        pinned = [decision for decision in entry["decisions"] if decision["line"] in places]
        entry["shallow"] = old and not pinned
        if old or (entry["nearest"] and entry["nearest"]["commit"] in edge):
            entry["nearest"] = None
        if old:
            trajectory = entry["trajectory"] if pinned else None
            entry.update(trajectory=trajectory, prompt=None, decisions=pinned, doubts=[], beside=[])
