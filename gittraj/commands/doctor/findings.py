"""What is wrong in a repository, each thing with its remedy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gittraj.commands.doctor.facts import Facts
from gittraj.commands.doctor.finding import Finding
from gittraj.commands.doctor.fsck import fsck
from gittraj.commands.doctor.leftovers import check_leftovers
from gittraj.commands.doctor.recorded import UNREADABLE, unreadable
from gittraj.commands.doctor.refuted import check_refuted
from gittraj.commands.doctor.remotes import check_purges, check_removed
from gittraj.commands.install.agent_hooks import find_hooks
from gittraj.commands.install.configuration import is_supported
from gittraj.commands.install.global_install import find_dead, install_globally
from gittraj.commands.install.hooks_path import legacy_of
from gittraj.commands.install.inspection import AgentLife, HookState, Life
from gittraj.commands.install.install import install
from gittraj.commands.install.manifest import FILE
from gittraj.commands.install.refspecs import find_remotes, refspecs
from gittraj.commands.install.shims import find_block, read_interpreter
from gittraj.config import TEAM_FILE
from gittraj.errors import GitError, TrajError
from gittraj.git import Repository
from gittraj.git.commit_graph import WRITE, lacks_filters
from gittraj.index.fast_open import FOLDER
from gittraj.index.file import UnusableError
from gittraj.index.update import refresh
from gittraj.notes.recovery import unfinished_merges
from gittraj.notes.refs import MENDED
from gittraj.notes.store import RECORDS_REF
from gittraj.state.active import find_damaged
from gittraj.state.cursors import load_state
from gittraj.state.folder import EXPOSED, LocalState
from gittraj.state.sharing import own_folder

STALE = 60.0
"""Seconds after which a lock that a hook made for its worker is a dead worker's."""
_INSTALL = "git traj install"
_HOOKS: dict[Life, tuple[str, str]] = {
    "missing": ("is gone", _INSTALL),
    "foreign": ("was replaced by another tool's", _INSTALL),
    "dead": ("can no longer start git-traj: its Python is gone, or the hook is not executable", _INSTALL),
    "damaged": ("has a git-traj block without an end marker", f"remove those lines, then {_INSTALL}"),
}

_ILL: dict[AgentLife, str] = {
    "changed": "are not as they were installed",
    "missing": "are gone",
    "dead": "can no longer start git-traj: its script or its Python is gone",
    "damaged": "cannot be read: not strict JSON",
}


def examine(repository: Repository, facts: Facts) -> Iterator[Finding]:
    """Everything, from the installation to the last segment."""
    if (
        facts.since is None
        and not facts.complaints
        and not (LocalState.of(repository).folder / FILE).exists()
    ):
        text = "git-traj is not installed here"
        reads = not facts.team and bool(facts.recorded or facts.beside)
        if facts.team:
            text += f", and {TEAM_FILE} says that this project records"
        elif reads:
            text += ": records can be read, and nothing is recorded from here"
        yield Finding(code="not-installed", text=text, remedy=_INSTALL, severity="note" if reads else "wrong")
    else:
        yield from _check_hooks(repository, facts)
        yield from _check_agents(repository, facts)
        yield from _check_local(repository, facts)
        yield from _check_commits(facts)
    for name, why in facts.plugins.items():
        if why:
            text = f"plug-in {name} is left out: {why}"
            yield Finding(code="plugin", text=text, remedy="git config --global --edit, or install it again")
    yield from _check_template(repository)
    yield from _check_refspecs(repository)
    yield from _check_merge(repository)
    yield from check_leftovers(repository, facts.deleted)
    for check in (check_removed, check_purges, check_refuted, fsck):
        try:
            yield from check(repository)
        except GitError as error:
            if not any(error.message in told.message for told in facts.complaints):
                told = unreadable(error)
                yield Finding(code="notes-damaged", text=told.message, remedy=told.hint or "")
    yield from _check_index(repository)
    if lacks_filters(repository):
        yield Finding(
            code="no-path-filters",
            severity="note",
            text="history is long and has no changed-path filters: git log -- FILE and blame are slow",
            remedy=WRITE,
        )


def _check_index(repository: Repository) -> Iterator[Finding]:
    try:
        refresh(repository, repository.head())
    except UnusableError as error:
        yield Finding(
            code="no-index",
            severity="note",
            text=f"there is no index: {error.message}; listings are complete, but slower",
            remedy=f"look at {repository.common_dir / FOLDER}: it can be deleted at any time",
        )


def _check_hooks(repository: Repository, facts: Facts) -> Iterator[Finding]:
    for remote in facts.unfetching:
        yield Finding(
            code="refspec-missing",
            severity="note",
            text=f"git fetch {remote} does not bring its records: the remote came after the installation",
            remedy="git traj doctor --fix",
            fix=partial(install, repository),
        )
    renew = partial(_reinstall, repository)
    if facts.folder.refused:
        yield Finding(
            code="hooks-elsewhere",
            severity="note",
            text=f"no hooks: {facts.folder.refused}; capture happens at the next git traj command",
            remedy=f"with git 2.54: {_INSTALL}; else first set core.hooksPath to a folder of this repository",
            fix=renew if is_supported(repository) else None,
        )
    for hook in facts.hooks:
        if hook.state == "off":
            yield Finding(
                code="hook-off",
                severity="note",
                text=f"hook {hook.name} is switched off in git's configuration",
                remedy=f"git config --unset hook.git-traj-{hook.name}.enabled, or hook.{hook.name}.enabled",
            )
        elif hook.state in _HOOKS:
            words, remedy = _HOOKS[hook.state]
            text = f"hook {hook.name} {words} ({hook.path})"
            yield Finding(code=f"hook-{hook.state}", text=text, remedy=remedy, fix=renew)
        elif hook.state in ("installed", "chained") and not _works(hook):
            text = f"hook {hook.name} starts a Python that does not find gittraj ({hook.path})"
            yield Finding(code="hook-interpreter", text=text, remedy=_INSTALL, fix=renew)


def _check_agents(repository: Repository, facts: Facts) -> Iterator[Finding]:
    for agent in facts.agents:
        if agent.state == "untrusted":
            yield Finding(
                code="agent-hook-untrusted",
                severity="note",
                text=f"hooks of {agent.name} do not run before you trust them ({agent.path})",
                remedy="start codex there, trust the folder, choose 'Trust all and continue' (later: /hooks)",
            )
        elif agent.state != "installed":
            tree = repository.work_tree
            hooks = find_hooks().get(agent.name)  # None: left out meanwhile
            here = tree is not None and hooks is not None and agent.path == tree / hooks.file
            fixable = here and agent.state != "damaged"
            again = f"{_INSTALL} --agent {agent.name}"
            yield Finding(
                code=f"agent-hook-{agent.state}",
                text=f"hooks of {agent.name} {_ILL[agent.state]} ({agent.path})",
                remedy=f"fix it, then {again}" if agent.state == "damaged" else f"{again}, in that work tree",
                fix=partial(_reinstall, repository, agent.name) if fixable else None,
            )


def _works(hook: HookState) -> bool:
    path = legacy_of(hook.path) if hook.state == "chained" else hook.path
    # gone: mended while this was asked
    found = find_block(path.read_bytes()) if path.exists() else None
    interpreter = read_interpreter(found.block) if found else None
    return interpreter is None or interpreter.works()


def _check_template(repository: Repository) -> Iterator[Finding]:
    dead = find_dead(repository.environ)
    if dead:
        yield Finding(
            code="template-dead",
            text=f"the hooks that new repositories get can no longer start git-traj ({dead})",
            remedy=f"{_INSTALL} --global",
            fix=partial(install_globally, repository.environ),
        )


def _check_local(repository: Repository, facts: Facts) -> Iterator[Finding]:
    local = LocalState.of(repository)
    for error in facts.complaints:
        if error.hint == MENDED:
            continue  # ``check_leftovers`` tells more
        damaged = FILE in error.message
        yield Finding(
            code="installed-damaged" if damaged else _code(error),
            text=error.message,
            remedy=error.hint or "mend it",
            fix=partial(_reinstall, repository) if damaged else None,
        )
    if facts.exposed:
        yield Finding(
            code="secret-pushed",
            text=f"a secret that was already pushed became known, in {', '.join(facts.exposed)}",
            remedy=f"rotate it where it was issued, then remove {local.folder / EXPOSED}",
        )
    if facts.config is not None and facts.config.unknown:
        yield Finding(
            code="team-file-key",
            text=f"{TEAM_FILE}: unknown settings: {', '.join(facts.config.unknown)}",
            remedy="fix or remove it; settings that redact less (redact.allow) belong in git config only",
        )
    lock = local.folder / "drain.lock"
    age = _age(lock)
    if age is not None and age > STALE:
        text = f"a worker died {age:.0f} s ago and left {lock}: hooks cannot start another"
        yield Finding(code="lock-stale", text=text, remedy=f"remove {lock}", fix=partial(_remove, lock))
    cursors = own_folder(local.folder) / "cursors.json"
    if cursors.exists() and load_state(local.folder) is None:
        text = f"{cursors} cannot be read; it will be rebuilt from the notes"
        yield Finding(code="cursors", text=text, remedy=f"remove {cursors}", fix=partial(_remove, cursors))
    for path in find_damaged(local.folder):
        text = f"{path} cannot be read: what was recorded there is not on a commit yet"
        yield Finding(code="active-damaged", text=text, remedy="fix the JSON, or remove the file")
    if facts.parked:
        yield Finding(
            code="parked",
            text=f"not stored, because redaction failed: {facts.parked} parts",
            remedy="git traj link REV --session ID tries again, while the agent keeps its log",
        )


def _code(error: TrajError) -> str:
    return "notes-damaged" if error.message.startswith(UNREADABLE) else "setting"


def _check_commits(facts: Facts) -> Iterator[Finding]:
    for code, commits, text, remedy in (
        (
            "without-hook",
            facts.without_hook,
            "made without a hook: {} of the commits since the installation",
            "nothing to do while the hooks above are OK: the next git traj command finds them",
        ),
        (
            "unlinked",
            facts.unlinked,
            "without a record: {} of the agents' commits",
            "git traj link REV --session ID",
        ),
        (
            "stranded",
            facts.stranded,
            "only on unreachable commits: records of {}",
            "git traj repair; by hand: git traj carry --from OLD --onto REV",
        ),
    ):
        if commits:
            found = f"{text.format(len(commits))}, {commits[-1][:12]} last"
            yield Finding(code=code, severity="note", text=found, remedy=remedy)


def _check_refspecs(repository: Repository) -> Iterator[Finding]:
    """What a plain ``git fetch`` would overwrite: a forced mapping onto our own notes."""
    for remote in find_remotes(repository):
        for value in repository.config_all(f"remote.{remote}.fetch"):
            target = value.partition(":")[2]
            prefix, star, _ = target.partition("*")
            if value.startswith("+") and (
                target == RECORDS_REF or (star and RECORDS_REF.startswith(prefix) and prefix != "refs/")
            ):
                yield Finding(
                    code="refspec-clobbers",
                    text=f"git fetch {remote} overwrites records that were not pushed ({value})",
                    remedy=f"git config --fixed-value --unset remote.{remote}.fetch '{value}'; "
                    f"{refspecs(remote)[0]} is enough",
                )


def _check_merge(repository: Repository) -> Iterator[Finding]:
    for folder in unfinished_merges(repository):
        text = f"a git notes merge into {RECORDS_REF} was not finished ({folder})"
        yield Finding(code="notes-merge", text=text, remedy="git notes merge --abort")


def _reinstall(repository: Repository, *agents: str) -> None:
    """Everything that was there: refspecs only if they were wanted."""
    install(repository, agents=agents, fetch_refspec=None)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _age(path: Path) -> float | None:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return None
