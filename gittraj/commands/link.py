"""Links a session to a commit by hand, and unlinks a trajectory from one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gittraj.agents import SessionFile, all_agents
from gittraj.capture.own import Anchor, Part, own
from gittraj.capture.repo_paths import RepoPaths
from gittraj.capture.session import Commit
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository, read_changes
from gittraj.model.codec import decode_note
from gittraj.model.session_items import Cursor, trajectory_id
from gittraj.model.values import Line, Link, Record, Tombstone
from gittraj.notes.merge import deletes, merge_lines, records_on
from gittraj.notes.store import NotesRef
from gittraj.notes.unjoined import find_hint
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.drain.forgotten import is_forgotten
from gittraj.record.drain.open_log import find_sessions, read_log
from gittraj.record.drain.parts import Drafter
from gittraj.record.drain.plan import remaining_parts, to_steps
from gittraj.record.drain.reading import Reading
from gittraj.record.pipeline import Pipeline
from gittraj.state.cursors import Away, State, load_state, load_suspension
from gittraj.state.folder import LocalState


def find_commit(repository: Repository, rev: str) -> str:
    """The full id of a commit. Raises TrajError if ``rev`` is not a commit."""
    found = repository.find_commit(rev)
    if found is None:
        raise TrajError(f"'{rev}' is not a commit here", "git log shows those that are")
    return found


def list_commits(repository: Repository, revisions: str, *options: str) -> list[str]:
    """The commits of ``A..B``, the newest first, or all that a revision reaches; ``options`` are rev-list's.
    Raises TrajError."""
    found = repository.run("rev-list", *options, "--end-of-options", revisions, "--", check=False)
    if found.code:
        raise TrajError(f"'{revisions}' names no commits here", "name a range A..B, or one revision")
    return found.text.split()


def reachable(repository: Repository, revisions: str | None) -> frozenset[str] | None:
    """The commits of ``revisions`` as a set; None, which means everything, stays None."""
    return None if revisions is None else frozenset(list_commits(repository, revisions))


def link_session(repository: Repository, rev: str, session: str, *, environ: Environ) -> tuple[str, str, int]:
    """Link all of a session (its id, or its log's path) to a commit, with evidence ``manual``.

    Returns commit, trajectory and the number of parts. Parts that are on other commits already are linked by
    copies of the same records. Raises TrajError.
    """
    commit = find_commit(repository, rev)
    local = LocalState.of(repository)
    file = _find(environ, session, load_state(local.folder))
    with local.writing():
        config = read_config(repository)
        state = load_state(local.folder)
        trajectory = trajectory_id(file.agent, file.session)
        known = state.sessions.get(trajectory) if state else None
        territory = RepoPaths(repository, home=environ.home)
        switched = load_suspension(local.folder)
        if is_forgotten(file, switched.forgotten):
            raise TrajError(
                f"session {file.session} was removed with git traj forget",
                "nothing of it will be stored again",
            )
        off = switched.away(file.name, subagent=file.subagent)
        log, size, _ = read_log(
            file, Cursor(), facts={}, territory=territory, config=config, off=off, now=time.time()
        )
        if not log.entries:
            why = "all of it was switched off" if off != Away() else "is it a session's log?"
            raise TrajError(f"{file.path}: no event may be read", why)
        target = Commit(id=commit, changes=read_changes(repository, [commit]).get(commit))
        drafter = Drafter(log, commits={commit: target}, ci=environ.ci)
        stored = known.parts if known else ()
        anchor = Anchor(call=-1, commits=(commit,), evidence="manual")
        reading = Reading.of(log, file.path, size, known, idle=False)
        drafted = drafter.draft(_allowed_parts(reading, anchor), stored)
        pipeline = make_pipeline(repository, config, environ, rewrites=state.rewrites if state else {})
        notes = NotesRef(repository)
        link = Link(evidence="manual")
        copies: list[tuple[str, Line]] = [
            (commit, replace(record, link=link, role="produced", origin=None))
            for record in _records(notes, trajectory, [c for part in stored for c in part.commits])
        ]
        written = pipeline.write([d.draft for d in drafted], lines=copies)
        if written.parked:
            raise TrajError(f"not linked: {written.parked[0].why}", "git traj doctor says more")
        outlive(pipeline, notes, commit, lambda record: record.id == trajectory)
    return commit, trajectory, len(drafted) + len(copies)


def _allowed_parts(reading: Reading, anchor: Anchor) -> list[Part]:
    """All of a log, except the events of commits made while recording was switched off."""
    silent = {c for a in reading.known.anchors if not a.stored for c in a.commits}
    steps = to_steps(reading.log)
    closed = [p for p in own(steps, reading.anchors) if silent & set(p.anchor.commits)]
    dropped = {i for p in closed for i in range(p.first, p.last + 1)}
    parts = remaining_parts(steps, 0, anchor)
    return [replace(p, dropped=p.dropped | dropped & set(range(p.first, p.last + 1))) for p in parts]


def unlink(repository: Repository, rev: str, trajectory: str | None) -> tuple[str, list[str]]:
    """Unlink one trajectory (a prefix of its id is enough), or all, from a commit: by tombstones, which
    survive every merge. Returns commit and ids. Raises TrajError when there are none."""
    commit = find_commit(repository, rev)
    notes = NotesRef(repository)
    body = notes.read(commit) or b""

    def choose(theirs: bytes) -> list[Record]:
        return [r for r in records_on(commit, body + b"\n" + theirs) if r.id.startswith(trajectory or "")]

    records = choose(b"")
    chosen = sorted({r.id for r in records})
    if not chosen:
        what = f"no trajectory '{trajectory}'" if trajectory else "no trajectory"
        hint = find_hint(
            repository,
            lambda theirs: choose(theirs.read(commit) or b""),
            "git traj show lists its trajectories",
        )
        raise TrajError(f"{commit[:12]} has {what}", hint)
    if trajectory and len(chosen) > 1:
        raise TrajError(f"'{trajectory}' could be {' or '.join(chosen)}", "type more of it")
    LocalState.of(repository).create()
    config = read_config(repository)
    stones: list[tuple[str, Line]] = [
        (commit, Tombstone(id=i, rev=max(r.rev for r in records if r.id == i), deleted="unlinked by hand"))
        for i in chosen
    ]
    make_pipeline(repository, config, Environ(home=None), live={}).write([], lines=stones)
    return commit, chosen


def _find(environ: Environ, session: str, state: State | None) -> SessionFile:
    path = Path(session)
    if path.is_file():
        found = find_sessions(path.resolve())
        if len(found) > 1:
            raise TrajError(f"{session}: contains {len(found)} sessions", "name one by its id")
        return found[0]
    known = (each.session for each in (state or State()).sessions.values())
    full = sorted({name for name in known if name.startswith(session)}) or [session]
    if len(full) > 1 and session not in full:
        raise TrajError(f"'{session}' could be {' or '.join(full[:3])}", "type more of it")
    name = session if session in full else full[0]
    for agent in all_agents().values():
        if (log := agent.find(environ, name)) is not None:
            return SessionFile(agent=agent.name, session=name, path=log)
    raise TrajError(f"there is no session '{session}' on this machine", "name its log's file instead")


def _records(notes: NotesRef, trajectory: str, commits: Sequence[str]) -> Iterator[Record]:
    seen = set()
    for commit in dict.fromkeys(commits):
        for record in records_on(commit, notes.read(commit)):
            if record.id == trajectory and record.key not in seen:
                seen.add(record.key)
                yield record


def outlive(pipeline: Pipeline, notes: NotesRef, commit: str, chosen: Callable[[Record], bool]) -> None:
    """Raise the ``rev`` of ``chosen`` records above that of tombstones, for a link made after an unlink."""
    lines = merge_lines(commit, decode_note(notes.read(commit) or b""))
    records = [ln for ln in lines if isinstance(ln, Record) and chosen(ln) and not ln.incomplete]
    stones = [line for line in lines if isinstance(line, Tombstone) and line.scope == "commit"]
    dead = [(r, revs) for r in records if (revs := [s.rev for s in stones if deletes(s, r)])]
    pipeline.write([], lines=[(commit, replace(r, rev=max(revs) + 1)) for r, revs in dead])
