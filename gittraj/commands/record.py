"""Records what an author states, redacted, in the trajectory that is active here.

Inside a session that is the session's own: its log gets the id that the command prints, and the drain finds
the event there. Outside of a session it is one that a person began by hand in this worktree.
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
from gittraj.record.add_later import closing, locked, new_event_id, now, random_name
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.pipeline import Pipeline
from gittraj.redact.events import Change, map_event, map_plain
from gittraj.state.active import Active, Header, load_active, place_of, save_active
from gittraj.state.folder import LocalState

_ENDED = {"complete": "completed", "abandon": "abandoned"}
_AFTERWARDS = "git traj complete TRAJECTORY adds to one that is on commits (git traj log --trajectories)"
_SAID = ("agent", "title", "task", "tags", "participants")
"""Fields of a header with a person's or agent's words, to be redacted; a commit's id is never one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The ids of the events that one command recorded, and their trajectory; ``begins``: nothing else names
    that trajectory yet; ``by_hand``: no log will have it."""

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
    """Record what ``call`` says; ``task``: the task that it is for; ``trajectory``: the active one to add to,
    by default the session's, else this worktree's. Raises TrajError unless exactly one is active."""
    with locked(repository, environ) as local:
        pipeline = make_pipeline(repository, read_config(repository), environ)
        known = load_active(local.folder)
        session = None if trajectory else _session(environ)
        if trajectory is None:
            found = _find(known, repository, environ, session, call)
        else:
            found = next((a for a in known if a.header.trajectory == trajectory), None)
            if found is None:
                raise TrajError(f"{trajectory} is no longer active", "git traj status")
        active = found or _begin(repository, environ, session, call)
        redact = _redacting(pipeline)
        said = _events(call, by=author(environ), task=task)
        events = [map_event(event, redact, strict=False) for event in said]
        header = _update(active.header, call, task)
        clean = map_plain(header, redact)
        header = replace(header, **{name: getattr(clean, name) for name in _SAID})
        save_active(local.folder, Active(header=header, events=(*active.events, *events)))
    return Recorded(
        events=tuple(event.id for event in events),
        trajectory=header.trajectory,
        title=header.title,
        begins=found is None and header.session is None,
        by_hand=header.by_hand,
    )


def name_task(repository: Repository, trajectory: str, task: TaskRef, *, environ: Environ) -> bool:
    """Rename the task of an active trajectory to ``task``; returns whether it had another name. Raises
    TrajError."""
    with locked(repository, environ) as local:
        clean = map_plain(task, _redacting(make_pipeline(repository, read_config(repository), environ)))
        for active in load_active(local.folder):
            if active.header.trajectory == trajectory and active.header.task != clean:
                save_active(local.folder, replace(active, header=replace(active.header, task=clean)))
                return True
    return False


def _redacting(pipeline: Pipeline) -> Change:
    redactor = pipeline.redactor()
    return lambda text, name, _: redactor.text(pipeline.localise(text), name=name)


def amend(repository: Repository, trajectory: str, call: Call, *, environ: Environ) -> Recorded:
    """Add what ``call`` says to a trajectory that is on commits already (the beginning of its id is enough),
    as a part of its own. Raises TrajError."""
    with locked(repository, environ):
        chosen, links, last = _standing(repository, trajectory)
        pipeline = make_pipeline(repository, read_config(repository), environ)
        events = _events(call, by=author(environ))
        drafts = [closing(chosen, event, links, last, status=_ENDED.get(call.verb)) for event in events]
        written = pipeline.write(drafts)
        if written.parked:
            raise TrajError(f"not recorded: {written.parked[0].why}", "git traj doctor says more")
    return Recorded(events=tuple(event.id for event in events), trajectory=chosen)


def _agent(environ: Environ) -> str | None:
    session = _session(environ)
    return session[0] if session else environ.agent_without_session


def author(environ: Environ) -> str:
    """``agent`` in a shell that an agent runs, else ``human``."""
    return "agent" if _agent(environ) else "human"


def _session(environ: Environ) -> tuple[str, str] | None:
    found = ((agent.name, agent.current(environ)) for agent in all_agents().values())
    return next(((name, session) for name, session in found if session is not None), None)


def _find(
    known: list[Active],
    repository: Repository,
    environ: Environ,
    session: tuple[str, str] | None,
    call: Call,
) -> Active | None:
    """The active trajectory that ``call`` is about; None when it begins one."""
    if session is not None:
        name = trajectory_id(*session)
        return next((a for a in known if a.header.trajectory == name), None)
    place = place_of(repository.git_dir, repository.common_dir)
    here = [a for a in known if a.header.worktree == place and not a.header.ended]
    if environ.agent_without_session is not None:
        here = [a for a in here if a.header.awaits_log and a.header.agent == environ.agent_without_session]
        return here[-1] if here and call.verb != "start" else None
    return _find_by_hand([a for a in here if a.header.by_hand], call)


def _find_by_hand(here: list[Active], call: Call) -> Active | None:
    """The one that ``call`` is about, among those that a person began in this worktree; None to begin one."""
    author = author_of(call.said)
    same = [a for a in here if a.header.agent == (author.name if author else None)]
    if call.verb == "start":
        if same:
            title = f"'{same[0].header.title}' ({same[0].header.trajectory})"
            raise TrajError(f"already active here: {title}", "git traj complete, or abandon, ends it")
        return None
    found = same or here
    if not found:
        what = "no trajectory is active in this worktree"
        raise TrajError(what, f"git traj start TITLE begins one, for the commits from now on; {_AFTERWARDS}")
    if len(found) > 1:
        names = sorted(f"--agent {a.header.agent}" if a.header.agent else "no --agent" for a in found)
        raise TrajError(
            "several trajectories are active in this worktree", f"say which: {' or '.join(names)}"
        )
    return found[0]


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
    """The event that a command records, after the decisions of a retrospective."""
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
    """Return the header with what a command says about the trajectory itself."""
    said = call.said
    header = replace(header, participants=_join(header.participants, said))
    if call.verb == "start":
        tags = tuple(dict.fromkeys((*header.tags, *said.get("tags", ()))))
        return replace(header, title=said.get("title") or header.title, task=task or header.task, tags=tags)
    if call.verb in _ENDED and header.by_hand:
        return replace(header, status=_ENDED[call.verb])
    return header


def _join(known: Sequence[Participant], said: Mapping[str, Any]) -> tuple[Participant, ...]:
    """Whoever a command names joins those that are ``known``; a role that it tells is kept."""
    author = author_of(said)
    others = [Participant(name=said[end]) for end in ("from", "to") if said.get(end)]
    joined = {each.name: each for each in (*others, *([author] if author else []))}
    told = [joined.get(p.name, p) if p.role is None else p for p in known]  # a name may be there in two roles
    names = {p.name for p in known}
    return (*told, *(each for each in joined.values() if each.name not in names))


def _standing(repository: Repository, prefix: str) -> tuple[str, dict[str, Link], Record]:
    """The trajectory's id, the commits that have its last part, with their links, and that part's record."""
    if not prefix:
        raise TrajError("the trajectory's name is empty", "git traj log --trajectories lists them")
    found: dict[str, list[tuple[str, Record]]] = {}
    for commit, body in NotesRef(repository).items():
        if prefix.encode() in body:
            for each in records_on(commit, body):
                if each.id.startswith(prefix):
                    found.setdefault(each.id, []).append((commit, each))
    if not found and (of_task := _of_task(repository, prefix)):
        return _standing(repository, of_task)
    if not found:
        hint = find_hint(
            repository, lambda theirs: _has(theirs, prefix), "git traj log --trajectories lists them"
        )
        raise TrajError(f"no trajectory '{prefix}' is recorded here", hint)
    if len(found) > 1:
        raise TrajError(f"'{prefix}' could be {' or '.join(sorted(found))}", "type more of it")
    [(name, records)] = found.items()
    last = max((each for _, each in records), key=order)
    return name, {commit: each.link for commit, each in records if each.key == last.key}, last


def _has(notes: NotesRef, prefix: str) -> bool:
    return any(
        each.id.startswith(prefix) or prefix in _task_names(each.whole.task)
        for _, each in iter_records(notes.items())
    )


def _of_task(repository: Repository, task: str) -> str | None:
    """The latest trajectory for a task: its id, ``SYSTEM:ID`` or title."""
    records = (
        record
        for _, record in iter_records(NotesRef(repository).items())
        if task in _task_names(record.whole.task)
    )
    latest = max(records, key=lambda record: record.figures.started_at or "", default=None)
    return latest.id if latest else None


def _task_names(task: TaskRef | None) -> list[str]:
    source = task.source if task else None
    return task_names(task.title, (source.system, source.id) if source else None) if task else []


def is_active_for(repository: Repository, task: str) -> bool:
    """Whether a trajectory that is active in this worktree is for that task."""
    place = place_of(repository.git_dir, repository.common_dir)
    return any(
        active.header.worktree == place
        and not active.header.ended
        and task in _task_names(active.header.task)
        for active in load_active(LocalState.of(repository).folder)
    )


def task_of_active(repository: Repository, environ: Environ) -> TaskRef | None:
    """The task of the trajectory that is active here, if the local state has it."""
    session = _session(environ)
    name = trajectory_id(*session) if session else None
    place = place_of(repository.git_dir, repository.common_dir)
    for active in reversed(load_active(LocalState.of(repository).folder)):
        header = active.header
        if header.task and (header.trajectory == name or header.worktree == place):
            return header.task
    return None
