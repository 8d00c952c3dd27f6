"""Records an author's statements, redacted, in the active trajectory.

Inside a session the session's own trajectory is active: the session's log gets the id that the command
prints, and the drain finds the event by this id. Outside of a session it is a trajectory that a person began
by hand in this worktree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gittraj.agents import all_agents
from gittraj.config import Environ, read_config
from gittraj.decisions.commands import TASK, Call
from gittraj.decisions.wording import UnclearError, author_of, decisions_of
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.codec import to_json
from gittraj.model.session_items import trajectory_id
from gittraj.model.values import AnyEvent, Decided, Link, Participant, Record, TaskRef
from gittraj.notes.merge import iter_records, order, records_on
from gittraj.notes.store import NotesRef
from gittraj.notes.unjoined import find_hint
from gittraj.query.log.filters import task_names
from gittraj.record.add_later import draft_addition, locked, new_event_id, now, random_name
from gittraj.record.drain.composition import make_pipeline
from gittraj.redact.events import cleaner, map_event, map_plain
from gittraj.state.active import Active, Header, load_active, place_of, save_active
from gittraj.state.folder import LocalState

_ENDED = {"complete": "completed", "abandon": "abandoned"}
_AFTERWARDS = "git traj complete TRAJECTORY adds to one that is on commits (git traj log --trajectories)"
_REDACTED = ("agent", "title", "task", "tags", "participants")
"""The fields of a header that are redacted: those with a person's or an agent's words, not a commit's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The ids of the events that one command recorded, and their trajectory. ``begins``: the command began
    the trajectory, outside of a session; ``by_hand``: the trajectory will not be in any log."""

    events: tuple[str, ...]
    trajectory: str
    title: str | None = None
    begins: bool = False
    by_hand: bool = False


def record(
    repository: Repository,
    call: Call,
    *,
    environ: Environ,
    task: TaskRef | None = None,
    trajectory: str | None = None,
) -> Recorded:
    """Record the statements of ``call``, which are about ``task`` if it is given. ``trajectory`` is the
    active trajectory to add to; by default it is the session's, else this worktree's. Raises TrajError if no
    trajectory is active, or several are."""
    with locked(repository, environ) as local:
        pipeline = make_pipeline(repository, read_config(repository), environ)
        session = None if trajectory else _session(environ)
        if trajectory is None:
            known = _find(repository, environ, session, call)
        else:
            known = _find_active(local, trajectory)
            if known is None:
                raise TrajError(f"{trajectory} is no longer active", "git traj status")
        active = known or _begin(repository, environ, session, call)
        redact = cleaner(pipeline.redactor(), pipeline.localise)
        unredacted = _events(call, by=author(environ), task=task)
        events = [map_event(event, redact, strict=False) for event in unredacted]
        header = _update(active.header, call, task)
        clean = map_plain(header, redact)
        header = replace(header, **{name: getattr(clean, name) for name in _REDACTED})
        save_active(local.folder, Active(header=header, events=(*active.events, *events)))
    return Recorded(
        events=tuple(event.id for event in events),
        trajectory=header.trajectory,
        title=header.title,
        begins=known is None and header.session is None,
        by_hand=header.by_hand,
    )


def _find_active(local: LocalState, trajectory: str) -> Active | None:
    return next((a for a in load_active(local.folder) if a.header.trajectory == trajectory), None)


def name_task(repository: Repository, trajectory: str, task: TaskRef, *, environ: Environ) -> bool:
    """Set the task of an active trajectory; return whether it had another task. Raises TrajError."""
    with locked(repository, environ) as local:
        pipeline = make_pipeline(repository, read_config(repository), environ)
        clean = map_plain(task, cleaner(pipeline.redactor(), pipeline.localise))
        active = _find_active(local, trajectory)
        if active is None or active.header.task == clean:
            return False
        save_active(local.folder, replace(active, header=replace(active.header, task=clean)))
    return True


def amend(repository: Repository, trajectory: str, call: Call, *, environ: Environ) -> Recorded:
    """Add the statements of ``call``, as a part of its own, to a trajectory that is already on commits (the
    beginning of its id is enough). Raises TrajError."""
    with locked(repository, environ):
        chosen, links, last = _find_last_part(repository, trajectory)
        pipeline = make_pipeline(repository, read_config(repository), environ)
        events = _events(call, by=author(environ))
        drafts = [draft_addition(chosen, e, links, last, status=_ENDED.get(call.verb)) for e in events]
        written = pipeline.write(drafts)
        if written.parked:
            raise TrajError(f"not recorded: {written.parked[0].why}", "git traj doctor says more")
    return Recorded(events=tuple(event.id for event in events), trajectory=chosen)


def _agent(environ: Environ) -> str | None:
    session = _session(environ)
    return session[0] if session else environ.agent_without_session


def author(environ: Environ) -> str:
    """Return ``agent`` in a shell that an agent runs, else ``human``."""
    return "agent" if _agent(environ) else "human"


def _session(environ: Environ) -> tuple[str, str] | None:
    """Return the agent and the id of the session that runs this command."""
    sessions = ((agent.name, agent.current(environ)) for agent in all_agents().values())
    return next(((name, session) for name, session in sessions if session is not None), None)


def list_active(repository: Repository) -> list[Active]:
    """Return the active trajectories of this worktree that have not ended."""
    worktree = place_of(repository.git_dir, repository.common_dir)
    known = load_active(LocalState.of(repository).folder)
    return [a for a in known if a.header.worktree == worktree and not a.header.ended]


def _find(
    repository: Repository, environ: Environ, session: tuple[str, str] | None, call: Call
) -> Active | None:
    """Return the active trajectory that ``call`` is about; None if the call begins a trajectory."""
    if session is not None:
        return _find_active(LocalState.of(repository), trajectory_id(*session))
    active = list_active(repository)
    if environ.agent_without_session is None:
        return _find_by_hand([a for a in active if a.header.by_hand], call)
    active = [a for a in active if a.header.awaits_log and a.header.agent == environ.agent_without_session]
    return active[-1] if active and call.verb != "start" else None


def _find_by_hand(begun: list[Active], call: Call) -> Active | None:
    """Return which of the trajectories ``begun`` by hand ``call`` is about; None if the call begins a new
    one. Raises TrajError."""
    author = author_of(call.said)
    same = [a for a in begun if a.header.agent == (author.name if author else None)]
    if call.verb == "start":
        if same:
            title = f"'{same[0].header.title}' ({same[0].header.trajectory})"
            raise TrajError(f"{title} is active here already", "git traj complete, or abandon, ends it")
        return None
    matching = same or begun
    if not matching:
        why = "no trajectory is active in this worktree"
        raise TrajError(why, f"git traj start TITLE begins one, for the commits from now on; {_AFTERWARDS}")
    if len(matching) > 1:
        names = sorted(f"--agent {a.header.agent}" if a.header.agent else "no --agent" for a in matching)
        raise TrajError(
            "several trajectories are active in this worktree", f"say which: {' or '.join(names)}"
        )
    return matching[0]


def _begin(repository: Repository, environ: Environ, session: tuple[str, str] | None, call: Call) -> Active:
    author = author_of(call.said) if call.verb == "start" and session is None else None
    return Active(
        header=Header(
            trajectory=trajectory_id(*session) if session else f"traj_{random_name(10)}",
            worktree=place_of(repository.git_dir, repository.common_dir, create=True),
            agent=_agent(environ) or (author.name if author else None),
            session=session[1] if session else None,
            awaits_log=session is None and environ.agent_without_session is not None,
            started_at=now(),
            commit=repository.head(),
        )
    )


def _events(call: Call, *, by: str, task: TaskRef | None = None) -> list[AnyEvent]:
    """Return the event that a command records, preceded by events for a retrospective's decisions."""
    at = now()
    decided = decisions_of(call.said, by=by) if call.verb == "complete" else []
    try:
        event = call.event(by=by, id=new_event_id(), ts=at)
    except UnclearError as error:
        raise TrajError(f"git traj {call.verb}: {error}", f"git traj {call.verb} -h") from None
    if task is not None:
        event = replace(event, raw={TASK: to_json(task)})
    return [*(Decided(id=new_event_id(), ts=at, decision=each) for each in decided), event]


def _update(header: Header, call: Call, task: TaskRef | None) -> Header:
    """Return the header with a command's statements about the trajectory itself."""
    values = call.said
    header = replace(header, participants=_add_participants(header.participants, values))
    if call.verb == "start":
        tags = tuple(dict.fromkeys((*header.tags, *values.get("tags", ()))))
        return replace(header, title=values.get("title") or header.title, task=task or header.task, tags=tags)
    if call.verb in _ENDED and header.by_hand:
        return replace(header, status=_ENDED[call.verb])
    return header


def _add_participants(known: Sequence[Participant], values: Mapping[str, Any]) -> tuple[Participant, ...]:
    """Return the ``known`` participants and those that a command names, with the roles that it states."""
    author = author_of(values)
    others = [Participant(name=values[end]) for end in ("from", "to") if values.get(end)]
    named = {each.name: each for each in (*others, *([author] if author else []))}
    # a name may be known in two roles
    updated = [named.get(p.name, p) if p.role is None else p for p in known]
    names = {p.name for p in known}
    return (*updated, *(each for each in named.values() if each.name not in names))


def _find_last_part(repository: Repository, prefix: str) -> tuple[str, dict[str, Link], Record]:
    """Return the id of the trajectory that ``prefix`` names, the links of its last part by commit, and that
    part's record. Raises TrajError."""
    if not prefix:
        raise TrajError("the trajectory's name is empty", "git traj log --trajectories lists them")
    notes = NotesRef(repository)
    matching = _find_records(notes, prefix)
    if not matching and (of_task := _of_task(notes, prefix)):
        return _find_last_part(repository, of_task)
    if not matching:
        hint = find_hint(
            repository,
            lambda theirs: _find_records(theirs, prefix) or _of_task(theirs, prefix),
            "git traj log --trajectories lists them",
        )
        raise TrajError(f"no trajectory '{prefix}' is recorded here", hint)
    if len(matching) > 1:
        raise TrajError(f"'{prefix}' is ambiguous: {' or '.join(sorted(matching))}", "give more of the id")
    [(name, records)] = matching.items()
    last = max((each for _, each in records), key=order)
    return name, {commit: each.link for commit, each in records if each.key == last.key}, last


def _find_records(notes: NotesRef, prefix: str) -> dict[str, list[tuple[str, Record]]]:
    """Return the records, each with its commit, of every trajectory whose id begins with ``prefix``."""
    matching: dict[str, list[tuple[str, Record]]] = {}
    for commit, body in notes.items():
        for each in records_on(commit, body) if prefix.encode() in body else ():
            if each.id.startswith(prefix):
                matching.setdefault(each.id, []).append((commit, each))
    return matching


def _of_task(notes: NotesRef, task: str) -> str | None:
    """Return the latest trajectory for a task, which is named by its id, ``SYSTEM:ID`` or title."""
    records = (r for _, r in iter_records(notes.items()) if task in _task_names(r.whole.task))
    latest = max(records, key=lambda record: record.figures.started_at or "", default=None)
    return latest.id if latest else None


def _task_names(task: TaskRef | None) -> list[str]:
    source = task.source if task else None
    return task_names(task.title, (source.system, source.id) if source else None) if task else []


def is_active_for(repository: Repository, task: str) -> bool:
    """Return whether a trajectory that is active in this worktree is for the task."""
    return any(task in _task_names(active.header.task) for active in list_active(repository))


def task_of_active(repository: Repository, environ: Environ) -> TaskRef | None:
    """Return the task of the latest active trajectory of this session or this worktree that has a task."""
    session = _session(environ)
    name = trajectory_id(*session) if session else None
    worktree = place_of(repository.git_dir, repository.common_dir)
    for active in reversed(load_active(LocalState.of(repository).folder)):
        header = active.header
        if header.task and (header.trajectory == name or header.worktree == worktree):
            return header.task
    return None
