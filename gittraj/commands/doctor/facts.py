"""Gathers the facts about git-traj in this repository from local state, refs and reflogs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from gittraj import plugins
from gittraj.commands.doctor.live_sessions import LiveSession, find_live
from gittraj.commands.doctor.recorded import (
    Recorded,
    Remote,
    compare_remote,
    find_made,
    find_open,
    find_recorded,
    find_unhooked,
    unreadable,
)
from gittraj.commands.install.hooks_path import HooksFolder
from gittraj.commands.install.inspection import (
    AgentState,
    HookState,
    find_hooks_folder,
    inspect_agents,
    inspect_hooks,
)
from gittraj.commands.install.manifest import FILE
from gittraj.commands.install.refspecs import find_remotes, find_unfetching
from gittraj.config import TEAM_FILE, Config, Environ, read_config, stamp
from gittraj.errors import GitError, LargeObjectError, StoreError, TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.index.answers import Answers, open_index
from gittraj.notes.recovery import find_deleted
from gittraj.notes.refs import refuse_broken
from gittraj.notes.store import RECORDS_REF, NotesRef
from gittraj.notes.unjoined import find_unjoined
from gittraj.notes.unstamped import remote_tips, unstamped
from gittraj.query.notes import NotesInMemory
from gittraj.state.active import Active, load_active
from gittraj.state.cursors import State, Suspension, load_state, load_suspension
from gittraj.state.folder import LocalState, installed_positions
from gittraj.state.spool import find_reported, read_spool
from gittraj.summarizer.runs import Runs, Summarizer, load_runs, read_summarizer

if TYPE_CHECKING:
    from gittraj.seal.readers import Readers

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The condition of git-traj in a repository. ``off``: GIT_TRAJ=0 is set.

    ``since`` and ``paused`` are the times of the installation and of the pause, in seconds since the epoch;
    ``since`` is None if git-traj is not installed. ``parked`` counts the parts that were not stored, because
    redaction failed. ``waiting`` are commits whose session was named but whose call is not in its log yet;
    ``unlinked`` are those that were given up, without a record. ``without_hook`` are the commits made since
    the installation that no hook reported, oldest first; None with reftable. ``recorded`` are the commits
    that have records. ``complaints`` are the errors of damaged data. ``config`` is None if it cannot be read.
    ``unstamped`` counts the parts that older rules redacted and that were not pushed yet; ``exposed`` are
    trajectories in which a secret became known after they were pushed. ``actives`` are trajectories with
    events from git-traj's commands that no commit has yet. ``readers`` are those for whom thinking is sealed;
    None if it is not sealed. ``summarizer`` is the program that writes summaries, ``runs`` how often it ran
    today. ``team``: the project has a file of settings for all clones.

    ``unfetching`` are the remotes whose records git fetch should bring and does not. ``beside`` counts for
    each remote the commits with records that are not joined with ours. ``plugins`` are those that are
    switched on, each with the reason if it is left out. ``rule_files`` are remarks on what is ignored in the
    rule files that settings name. ``deleted`` are git-traj's refs that were deleted, set back or overwritten,
    each with the commit, which still exists, to restore it to.
    """

    since: float | None
    paused: float | None
    off: bool
    folder: HooksFolder
    hooks: tuple[HookState, ...]
    agents: tuple[AgentState, ...]
    sessions: tuple[LiveSession, ...]
    parked: int
    waiting: tuple[str, ...]
    unlinked: tuple[str, ...]
    without_hook: tuple[str, ...] | None
    recorded: Recorded
    unstamped: int
    exposed: tuple[str, ...]
    actives: tuple[Active, ...]
    remotes: tuple[Remote, ...]
    config: Config | None
    readers: Readers | None
    complaints: tuple[TrajError, ...]
    team: bool
    unfetching: tuple[str, ...]
    summarizer: Summarizer | None
    runs: Runs
    beside: Mapping[str, int]
    plugins: Mapping[str, str | None]
    deleted: Mapping[str, str]
    rule_files: tuple[str, ...]
    shallow: bool


def gather(repository: Repository, environ: Environ) -> Facts:
    """Collect the facts. Damaged data raises no error, but is reported in ``complaints``."""
    local = LocalState.of(repository)
    state = load_state(local.folder) or State()
    complaints: list[TrajError] = []
    since = _read_since(local, complaints)
    is_installed = since is not None
    off = _attempt(lambda: load_suspension(local.folder), Suspension(), complaints)
    config = _attempt(lambda: read_config(repository), None, complaints)
    notes = NotesRef(repository)
    lines = read_spool(local.folder, 0)[0]
    made = find_made(repository, local, lines) if is_installed else []
    deleted = _attempt(lambda: find_deleted(repository, state.tips), dict[str, str](), complaints)
    with open_index(repository, build=False) as index:
        recorded, unstamped = _count(repository, config, index, complaints)
        waiting, unlinked = find_open(repository, config, state, off, made=made, recorded=recorded)
    folder = find_hooks_folder(repository)
    return Facts(
        since=since,
        paused=off.paused,
        off=environ.off,
        folder=folder,
        hooks=inspect_hooks(repository, folder),
        agents=inspect_agents(repository, environ),
        sessions=tuple(find_live(state, notes, off, find_reported(lines)[1], since or 0.0)),
        parked=sum(part.parked for s in state.sessions.values() for part in s.parts),
        waiting=waiting,
        unlinked=() if RECORDS_REF in deleted else unlinked,
        without_hook=find_unhooked(repository, made, lines),
        recorded=recorded,
        unstamped=unstamped,
        exposed=tuple(sorted(local.exposed())),
        actives=tuple(load_active(local.folder)),
        unfetching=tuple(find_unfetching(repository)),
        remotes=tuple(compare_remote(repository, n, guess=is_installed) for n in find_remotes(repository)),
        config=config,
        readers=_read_readers(repository, environ, config),
        complaints=tuple({error.message: error for error in complaints}.values()),
        summarizer=_attempt(lambda: read_summarizer(repository), None, complaints),
        runs=load_runs(local),
        beside=_attempt(lambda: _count_beside(repository), {}, complaints),
        plugins=_load_plugins(),
        deleted=deleted,
        rule_files=_read_remarks(config, complaints),
        shallow=bool(repository.edge),
        team=repository.work_tree is not None and (repository.work_tree / TEAM_FILE).is_file(),
    )


def _read_since(local: LocalState, complaints: list[TrajError]) -> float | None:
    # no complaint if the file does not exist: git-traj is not installed
    errors = complaints if (local.folder / FILE).exists() else []
    return _attempt(lambda: installed_positions(local.read(FILE))[0], None, errors)


def _read_remarks(config: Config | None, complaints: list[TrajError]) -> tuple[str, ...]:
    if config is None or not config.gitleaks():
        return ()
    from gittraj.record.drain.redactor import remarks_of  # noqa: PLC0415 - the rules take a while

    return tuple(_attempt(lambda: remarks_of(config), [], complaints))


def _load_plugins() -> dict[str, str | None]:
    """Load all plug-ins, and return for each the reason if it is left out."""
    if names := plugins.names():
        from gittraj.agents import all_agents  # noqa: PLC0415 - few users have a plug-in
        from gittraj.commands.export import exchanges  # noqa: PLC0415
        from gittraj.formats import formats  # noqa: PLC0415
        from gittraj.tasks.system import systems  # noqa: PLC0415

        for load in (all_agents, formats, systems, exchanges):
            load()
    return {name: plugins.reason(name) for name in names}


def _count_beside(repository: Repository) -> Mapping[str, int]:
    if not find_unjoined(repository):
        return {}
    from gittraj.index.remote_records import count_unjoined  # noqa: PLC0415 - most have joined what they fetched

    return count_unjoined(repository)


def _attempt(read: Callable[[], T], default: T, complaints: list[TrajError]) -> T:
    try:
        return read()
    except TrajError as error:
        complaints.append(unreadable(error) if isinstance(error, LargeObjectError) else error)
        return default


def _read_readers(repository: Repository, environ: Environ, config: Config | None) -> Readers | None:
    if config is None or config.thinking != "seal":
        return None
    from gittraj.seal.readers import read_readers  # noqa: PLC0415 - keys take 40 ms

    return read_readers(repository, environ)


def _count(
    repository: Repository, config: Config | None, index: Answers | None, complaints: list[TrajError]
) -> tuple[Recorded, int]:
    """Return the commits that have records, and the number of unpushed parts that older rules redacted."""
    try:
        refuse_broken(repository, RECORDS_REF)
        over: list[str] = []
        notes = index.notes if index else NotesInMemory(NotesRef(repository).items(over=over), over)
        recorded = find_recorded(repository, notes, index)
    except (GitError, StoreError) as error:
        complaints.append(unreadable(error) if isinstance(error, GitError) else error)
        recorded = find_recorded(repository, NotesInMemory(()), None)
    if not recorded.number or config is None:
        return recorded, 0
    return recorded, _count_unstamped(repository, config, index, complaints)


def _count_unstamped(
    repository: Repository, config: Config, index: Answers | None, complaints: list[TrajError]
) -> int:
    try:
        if config.shapes or config.allow:
            from gittraj.record.drain.redactor import options_of  # noqa: PLC0415 - the rules take a while

            options_of(config)
        tips = sorted(remote_tips(repository).items())
        key = json.dumps([stamp(config), index and index.tip, tips])
        known = index.recall("unstamped", key) if index else None
        if known is not None:
            return int(known)
        number = len({record.key for _, record in unstamped(repository, stamp(config))})
        if index:
            index.keep("unstamped", key, str(number))
        return number
    except GitError:
        return 0  # a note is missing: fsck reports it
    except TrajError as error:
        complaints.append(error)
        return 0
