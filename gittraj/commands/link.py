"""Links a session to a commit by hand, and unlinks a trajectory from one."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from gittraj.agents import SessionFile, all_agents
from gittraj.capture.own import Anchor, Part, own
from gittraj.capture.repo_paths import RepoPaths
from gittraj.capture.session import Commit, Log
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository, read_changes
from gittraj.model.codec import decode_note
from gittraj.model.session_items import Cursor
from gittraj.model.values import Key, Line, Link, Record, Tombstone
from gittraj.notes.merge import deletes, merge_lines, records_on
from gittraj.notes.store import NotesRef
from gittraj.notes.unjoined import find_hint
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.drain.forgotten import is_forgotten
from gittraj.record.drain.open_log import find_sessions, read_log
from gittraj.record.drain.parts import Drafted, Drafter
from gittraj.record.drain.plan import find_replaced, remaining_parts, stored_parts, to_steps, tombstones
from gittraj.record.drain.reading import Reading
from gittraj.record.pipeline import Pipeline
from gittraj.state.cursors import Away, SessionState, State, load_state, load_suspension, save
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
        # no path, as if it was imported: a drain has not read the log yet
        unread = SessionState(agent=log.agent, session=log.session, path="")
        known = state.sessions.get(log.trajectory, unread)
        known = replace(
            known, parts=tuple(part for part in known.parts if not part.parked)
        )  # try those again
        anchor = Anchor(call=-1, commits=(commit,), evidence="manual")
        reading = Reading.of(log, file.path, size, known, idle=False)
        drafter = Drafter(log, commits={commit: target}, ci=environ.ci)
        drafted = drafter.draft(_allowed_parts(reading, anchor), known.parts)
        pipeline = make_pipeline(repository, config, environ, rewrites=state.rewrites)
        after, number = _write(pipeline, log, known, drafted, commit)
        save(local.folder, replace(state, sessions={**state.sessions, log.trajectory: after}))
    return commit, log.trajectory, number


def _write(
    pipeline: Pipeline, log: Log, known: SessionState, drafted: Sequence[Drafted], commit: str
) -> tuple[SessionState, int]:
    """Write the parts, and copies of the records that are stored already, onto a commit. Return the session's
    state, in which its events wait for no commit, and the number of parts. Raises TrajError."""
    notes, link = NotesRef(pipeline.repository), Link(evidence="manual")
    records = _list_records(notes, log.trajectory, chain.from_iterable(p.commits for p in known.parts))
    replaced = find_replaced(log, drafted, known.parts)
    moved = {(log.trajectory, part.range.first) for part in replaced}
    stay = (each for each in records if each.key not in moved)
    copies = [(commit, replace(each, link=link, role="produced", origin=None)) for each in stay]
    gone = chain.from_iterable(tombstones(log.trajectory, part, "linked by hand") for part in replaced)
    written = pipeline.write([d.draft for d in drafted], lines=[*copies, *gone])
    if written.parked:
        raise TrajError(f"not linked: {written.parked[0].why}", "only the agent's own log has that part")
    outlive_tombstones(pipeline, notes, commit, lambda record: record.id == log.trajectory)
    kept = [part for part in known.parts if part not in replaced]
    parts = stored_parts(log.trajectory, kept, drafted, written)
    return replace(known, waiting=0, parts=parts), len(drafted) + len(copies)


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
    by_hand: set[Key] = set()
    for record in choose(body):
        revs[record.id] = max(record.rev, revs.get(record.id, record.rev))
        by_hand |= {record.key} if record.link.evidence == "manual" else set()
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
    local, why = LocalState.of(repository), "unlinked by hand"
    with local.writing():
        pipeline = make_pipeline(repository, read_config(repository), Environ(home=None), live={})
        pipeline.write([], lines=[(commit, Tombstone(id=i, rev=revs[i], deleted=why)) for i in sorted(revs)])
        state = load_state(local.folder)
        if state is not None:
            sessions = {t: _wait_again(t, s, commit, by_hand) for t, s in state.sessions.items()}
            save(local.folder, replace(state, sessions=sessions))
    return commit, sorted(revs)


def _wait_again(trajectory: str, known: SessionState, commit: str, by_hand: Collection[Key]) -> SessionState:
    """The state of a session in which parts that were linked to a commit ``by_hand`` wait for one again."""
    gone = [p for p in known.parts if p.commits == (commit,) and (trajectory, p.range.first) in by_hand]
    waiting = known.waiting + sum(part.range.n for part in gone)
    return replace(known, waiting=waiting, parts=tuple(p for p in known.parts if p not in gone))


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
