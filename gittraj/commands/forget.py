"""Forgets a trajectory: withdraws it from every commit, and never reads its session again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gittraj.agents import all_agents
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.session_items import trajectory_id
from gittraj.model.values import Record
from gittraj.notes.merge import every_record, iter_records
from gittraj.notes.store import NotesRef
from gittraj.notes.unjoined import find_hint
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.drain.forgotten import find_tombstones
from gittraj.state.cursors import Suspension, load_state, load_suspension, save
from gittraj.state.folder import LocalState

_SHORTEST = 8
"""The minimum number of characters of an id's prefix: a shorter prefix could match by accident."""


def forget(repository: Repository, name: str, *, environ: Environ) -> tuple[list[str], list[str]]:
    """Withdraw what ``name`` names from every commit, together with its subagents, for good and in every
    clone that gets the tombstones: a trajectory (its id, or a prefix), a session (its id, or ``agent:id``),
    or a benchmark's run or instance.

    Returns the trajectories and the commits that had them. Raises TrajError.
    """
    choose(repository, name, environ=environ)  # an unknown name must fail before anything is created
    local = LocalState.of(repository)
    with local.writing():
        notes = dict(NotesRef(repository).items())
        off = load_suspension(local.folder)
        chosen = _choose_all(repository, notes.items(), off, name, environ)
        save(local.folder, replace(off, forgotten=tuple(dict.fromkeys((*off.forgotten, *chosen)))))
        state = load_state(local.folder)
        if state is not None:
            ended = {
                t: replace(s, settled=True, waiting=0, open_paths=(), left=())
                for t, s in state.sessions.items()
                if t in chosen
            }
            save(local.folder, replace(state, sessions={**state.sessions, **ended}))
        tombstones = list(find_tombstones(notes.items(), chosen))
        make_pipeline(repository, read_config(repository), environ).write([], lines=tombstones)
    return sorted(chosen), list(dict.fromkeys(commit for commit, _ in tombstones))


def choose(repository: Repository, name: str, *, environ: Environ) -> list[str]:
    """Return the trajectories that ``forget`` would withdraw. Raises TrajError."""
    off = load_suspension(LocalState.of(repository).folder)
    return sorted(_choose_all(repository, NotesRef(repository).items(), off, name, environ))


def _choose_all(
    repository: Repository,
    notes: Iterable[tuple[str, bytes]],
    off: Suspension,
    name: str,
    environ: Environ,
) -> set[str]:
    records = [*every_record(notes)]
    known = _choose(records, name) or _recall(off.forgotten, name) or _find(environ, name)
    if not known:
        hint = find_hint(
            repository,
            lambda theirs: _choose((each for _, each in iter_records(theirs.items())), name),
            "git traj log --trajectories lists them",
        )
        raise TrajError(f"no trajectory or session '{name}' is known here", hint)
    return _with_subagents(known, records)


def _choose(records: Iterable[Record], name: str) -> set[str]:
    """Return the recorded trajectories that ``name`` names. Raises TrajError if the name is ambiguous."""
    exact: set[str] = set()
    by_prefix: set[str] = set()
    for record in records:
        whole = record.whole
        run = whole.run
        of_run = (run.id, run.solve, run.instance) if run else ()
        if name in (record.id, whole.session, f"{whole.agent}:{whole.session}", *of_run):
            exact.add(record.id)
        elif len(name) >= _SHORTEST and record.id.startswith(name):
            by_prefix.add(record.id)
    if not exact and len(by_prefix) > 1:
        raise TrajError(f"'{name}' is ambiguous: {' or '.join(sorted(by_prefix))}", "give more of the id")
    return exact or by_prefix


def _recall(forgotten: Iterable[str], name: str) -> set[str]:
    """Return the matches among the trajectories that were forgotten before, even without records."""
    session = name.partition(":")[2] or name
    names = {name, *(trajectory_id(agent, session) for agent in all_agents())}
    return {each for each in forgotten if each in names or (len(name) >= _SHORTEST and each.startswith(name))}


def _find(environ: Environ, name: str) -> set[str]:
    """Return the trajectory of a session on this machine that is not recorded yet."""
    prefix, colon, rest = name.partition(":")
    for agent in all_agents().values():
        session = rest if colon and prefix == agent.name else name
        if agent.find(environ, session) is not None:
            return {trajectory_id(agent.name, session)}
    return set()


def _with_subagents(chosen: set[str], records: Iterable[Record]) -> set[str]:
    """Return the ``chosen`` trajectories and their subagents, whose records have the same session id."""
    parents = {r.id: r.whole.parent.id for r in records if r.whole.parent is not None}
    sessions = {r.id: r.whole.session for r in records}
    before = -1
    while before < len(chosen):
        before = len(chosen)
        chosen = chosen | {
            child
            for child, parent in parents.items()
            if parent in chosen and sessions[child] and sessions[child] == sessions.get(parent)
        }
    return chosen
