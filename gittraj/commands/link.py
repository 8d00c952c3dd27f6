"""Links a session to a commit by hand, and unlinks a trajectory from one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
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
from gittraj.state.cursors import Away, State, load_state, load_suspension, save
from gittraj.state.folder import LocalState


def find_commit(repository: Repository, rev: str) -> str:
    """Return the full id of a commit. Raises TrajError if ``rev`` is not a commit."""
    commit = repository.find_commit(rev)
    if commit is None:
        raise TrajError(f"'{rev}' is not a commit here", "git log shows those that are")
    return commit


def list_commits(repository: Repository, revisions: str, *options: str) -> list[str]:
    """Return the commits of ``A..B``, or all that a revision reaches, the newest first. Raises TrajError."""
    result = repository.run("rev-list", *options, "--end-of-options", revisions, "--", check=False)
    if result.code:
        raise TrajError(f"'{revisions}' names no commits here", "name a range A..B, or one revision")
    return result.text.split()


def reachable(repository: Repository, revisions: str | None) -> frozenset[str] | None:
    """Return the commits of ``revisions`` as a set; None, which means all commits, stays None."""
    return None if revisions is None else frozenset(list_commits(repository, revisions))


def link_session(repository: Repository, rev: str, session: str, *, environ: Environ) -> tuple[str, str, int]:
    """Link all of a session (its id, or its log's path) to a commit, with evidence ``manual``.

    Returns commit, trajectory and the number of parts. If parts are already on other commits, their records
    are copied. Raises TrajError.
    """
    commit = find_commit(repository, rev)
    local = LocalState.of(repository)
    file = _find_log(environ, session, load_state(local.folder) or State())
    with local.writing():
        config = read_config(repository)
        state = load_state(local.folder) or State()
        trajectory = trajectory_id(file.agent, file.session)
        known = state.sessions.get(trajectory)
        territory = RepoPaths(repository, home=environ.home)
        suspension = load_suspension(local.folder)
        if is_forgotten(file, suspension.forgotten):
            raise TrajError(
                f"session {file.session} was removed with git traj forget",
                "nothing of it will be stored again",
            )
        off = suspension.away(file.name, subagent=file.subagent)
        log, size, _ = read_log(
            file, Cursor(), facts={}, territory=territory, config=config, off=off, now=time.time()
        )
        if not log.entries:
            why = "recording was off for all of it" if off != Away() else "is it a session's log?"
            raise TrajError(f"{file.path}: no event may be read", why)
        target = Commit(id=commit, changes=read_changes(repository, [commit]).get(commit))
        drafter = Drafter(log, commits={commit: target}, ci=environ.ci)
        stored = [part for part in known.parts if not part.parked] if known else []
        anchor = Anchor(call=-1, commits=(commit,), evidence="manual")
        reading = Reading.of(log, file.path, size, known, idle=False)
        drafted = drafter.draft(_allowed_parts(reading, anchor), stored)
        pipeline = make_pipeline(repository, config, environ, rewrites=state.rewrites)
        notes = NotesRef(repository)
        records = _list_records(notes, trajectory, chain.from_iterable(part.commits for part in stored))
        link = Link(evidence="manual")
        copies = [(commit, replace(each, link=link, role="produced", origin=None)) for each in records]
        written = pipeline.write([d.draft for d in drafted], lines=copies)
        if written.parked:
            raise TrajError(f"not linked: {written.parked[0].why}", "its log has it; it cannot be stored")
        if known and len(stored) < len(known.parts):
            # what was parked is on this commit now
            parts = (replace(p, parked=False, commits=(commit,)) if p.parked else p for p in known.parts)
            sessions = {**state.sessions, trajectory: replace(known, parts=tuple(parts))}
            save(local.folder, replace(state, sessions=sessions))
        outlive_tombstones(pipeline, notes, commit, lambda record: record.id == trajectory)
        if known:  # its events wait for no commit now
            sessions = {**state.sessions, trajectory: replace(known, waiting=0)}
            save(local.folder, replace(state, sessions=sessions))
    return commit, trajectory, len(drafted) + len(copies)


def _allowed_parts(reading: Reading, anchor: Anchor) -> list[Part]:
    """Return the parts of a log, without the events of commits made while recording was switched off."""
    unrecorded = {c for a in reading.known.anchors if not a.stored for c in a.commits}
    steps = to_steps(reading.log)
    closed = [p for p in own(steps, reading.anchors) if unrecorded & set(p.anchor.commits)]
    dropped = {i for p in closed for i in range(p.first, p.last + 1)}
    parts = remaining_parts(steps, 0, anchor)
    return [replace(p, dropped=p.dropped | dropped & set(range(p.first, p.last + 1))) for p in parts]


def unlink(repository: Repository, rev: str, trajectory: str | None) -> tuple[str, list[str]]:
    """Unlink one trajectory (the beginning of its id is enough), or all, from a commit: by tombstones, which
    survive every merge. Returns the commit and the trajectories. Raises TrajError if there are none."""
    commit = find_commit(repository, rev)
    body = NotesRef(repository).read(commit) or b""
    choose = partial(_choose, commit, trajectory or "")
    revs: dict[str, int] = {}
    for record in choose(body):
        revs[record.id] = max(record.rev, revs.get(record.id, record.rev))
    if not revs:
        what = f"no trajectory '{trajectory}'" if trajectory else "no trajectory"
        hint = find_hint(
            repository,
            lambda theirs: choose(body + b"\n" + (theirs.read(commit) or b"")),
            "git traj show lists its trajectories",
        )
        raise TrajError(f"{commit[:12]} has {what}", hint)
    if trajectory and len(revs) > 1:
        raise TrajError(f"'{trajectory}' is ambiguous: {' or '.join(sorted(revs))}", "give more of the id")
    LocalState.of(repository).create()
    pipeline = make_pipeline(repository, read_config(repository), Environ(home=None), live={})
    why = "unlinked by hand"
    pipeline.write([], lines=[(commit, Tombstone(id=i, rev=revs[i], deleted=why)) for i in sorted(revs)])
    return commit, sorted(revs)


def _choose(commit: str, prefix: str, body: bytes) -> list[Record]:
    return [record for record in records_on(commit, body) if record.id.startswith(prefix)]


def _find_log(environ: Environ, session: str, state: State) -> SessionFile:
    path = Path(session)
    if path.is_file():
        files = find_sessions(path.resolve())
        if len(files) > 1:
            raise TrajError(f"{session}: contains {len(files)} sessions", "name one by its id")
        return files[0]
    name = _complete_id(session, state)
    for agent in all_agents().values():
        if (log := agent.find(environ, name)) is not None:
            return SessionFile(agent=agent.name, session=name, path=log)
    raise TrajError(f"there is no session '{session}' on this machine", "give the path of its log instead")


def _complete_id(prefix: str, state: State) -> str:
    """Return the id of the known session that begins with ``prefix``, or ``prefix`` itself if it is the id of
    a known session, or begins none. Raises TrajError if several do."""
    names = {known.session for known in state.sessions.values() if known.session.startswith(prefix)}
    if prefix in names or not names:
        return prefix
    if len(names) > 1:
        raise TrajError(f"'{prefix}' is ambiguous: {' or '.join(sorted(names)[:3])}", "give more of the id")
    return names.pop()


def _list_records(notes: NotesRef, trajectory: str, commits: Iterable[str]) -> Iterator[Record]:
    """Yield each record of a trajectory on the commits once."""
    seen = set()
    for commit in dict.fromkeys(commits):
        for record in records_on(commit, notes.read(commit)):
            if record.id == trajectory and record.key not in seen:
                seen.add(record.key)
                yield record


def outlive_tombstones(
    pipeline: Pipeline, notes: NotesRef, commit: str, chosen: Callable[[Record], bool]
) -> None:
    """If tombstones delete ``chosen`` records on a commit, give these records a higher ``rev`` than the
    tombstones have: they were linked again after an unlink."""
    lines = merge_lines(commit, decode_note(notes.read(commit) or b""))
    tombstones = [line for line in lines if isinstance(line, Tombstone) and line.scope == "commit"]
    raised: list[tuple[str, Line]] = []
    for line in lines:
        if isinstance(line, Record) and chosen(line) and not line.incomplete:
            revs = [tombstone.rev for tombstone in tombstones if deletes(tombstone, line)]
            raised += [(commit, replace(line, rev=max(revs) + 1))] if revs else []
    pipeline.write([], lines=raised)
