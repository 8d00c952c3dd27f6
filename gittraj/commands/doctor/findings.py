"""Finds what is wrong in a repository, each problem with its remedy; a ``note`` is only information."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from gittraj.commands.doctor.facts import Facts
from gittraj.commands.doctor.finding import Finding, check_login_shell, note
from gittraj.commands.doctor.fsck import fsck
from gittraj.commands.doctor.leftovers import check_leftovers, check_purges, check_refspecs, check_removed
from gittraj.commands.doctor.recorded import UNREADABLE, unreadable
from gittraj.commands.doctor.refuted import check_refuted
from gittraj.commands.install.agent_hooks import find_hooks
from gittraj.commands.install.configuration import is_supported
from gittraj.commands.install.global_install import find_dead, install_globally
from gittraj.commands.install.inspection import AgentLife, Life
from gittraj.commands.install.install import install
from gittraj.commands.install.manifest import FILE
from gittraj.config import TEAM_FILE
from gittraj.errors import GitError, TrajError
from gittraj.git import Repository
from gittraj.git.commit_graph import WRITE, lacks_filters
from gittraj.index.file import UnusableError
from gittraj.index.schema import FOLDER
from gittraj.index.update import refresh
from gittraj.notes.recovery import unfinished_merges
from gittraj.notes.refs import BrokenRefError
from gittraj.notes.store import RECORDS_REF
from gittraj.state.active import find_damaged
from gittraj.state.cursors import load_state
from gittraj.state.folder import EXPOSED, LocalState
from gittraj.state.sharing import own_folder

STALE = 60.0
"""Seconds after which a hook's lock for its worker counts as left by a dead worker."""
_INSTALL = "git traj install"
_HOOK_STATES: dict[Life, tuple[str, str]] = {
    "missing": ("is gone", _INSTALL),
    "foreign": ("was replaced by another tool's", _INSTALL),
    "dead": ("can no longer start git-traj: its Python is gone, or the hook is not executable", _INSTALL),
    "damaged": ("has a git-traj block without an end marker", f"remove those lines, then {_INSTALL}"),
}

_AGENT_STATES: dict[AgentLife, str] = {
    "changed": "are not as they were installed",
    "missing": "are gone",
    "dead": "can no longer start git-traj: its script or its Python is gone",
    "damaged": "cannot be read: not strict JSON",
}


def examine_all(
    repository: Repository, facts: Facts, raw: Mapping[str, str], *, unrecorded: TrajError | None
) -> list[Finding]:
    """Return all findings, also whether agents find ``git traj``. ``raw`` is the environment; ``unrecorded``
    is the error because of which new work was not recorded, if there was one."""
    findings = [*examine(repository, facts), *(check_login_shell(repository, raw) if facts.agents else ())]
    if unrecorded and not any(unrecorded.message in finding.text for finding in findings):
        text = f"new work could not be recorded: {unrecorded.message}"
        remedy = unrecorded.hint or "fix that; nothing is lost"
        findings.insert(0, Finding("not-recorded", text, remedy))
    return findings


def examine(repository: Repository, facts: Facts) -> Iterator[Finding]:
    """Yield the findings on everything in a repository, from the installation to the segments."""
    is_installed = facts.since is not None or (LocalState.of(repository).folder / FILE).exists()
    if is_installed or facts.complaints:
        yield from _check_hooks(repository, facts)
        yield from _check_agents(repository, facts)
        yield from _check_settings(repository, facts)
        yield from _check_state(LocalState.of(repository).folder, facts)
        yield from _check_commits(facts)
    else:
        yield _not_installed(facts)
    yield from _check_extensions(facts)
    yield from _check_template(repository)
    yield from check_refspecs(repository)
    for folder in unfinished_merges(repository):
        text = f"a git notes merge into {RECORDS_REF} was not finished ({folder})"
        yield Finding("notes-merge", text, "git notes merge --abort")
    yield from check_leftovers(repository, facts.deleted)
    yield from _check_records(repository, " ".join(error.message for error in facts.complaints))
    yield from _check_history(repository)


def _check_records(repository: Repository, reported: str) -> Iterator[Finding]:
    """Check the notes, the segments and their index; damage that is already ``reported`` is left out."""
    for check in (check_removed, check_purges, check_refuted, fsck):
        try:
            yield from check(repository)
        except GitError as error:
            if error.message not in reported:
                damage = unreadable(error)
                reported += damage.message
                yield Finding("notes-damaged", damage.message, damage.hint or "")
    yield from _check_index(repository, reported)


def _check_extensions(facts: Facts) -> Iterator[Finding]:
    for name, why in facts.plugins.items():
        if why:
            text = f"plug-in {name} is left out: {why}"
            yield Finding("plugin", text, "git config --global --edit, or install it again")
    for remark in facts.rule_files:
        yield note("rule-file", f"rule file {remark}", "the other rules work: docs/redaction.md")


def _not_installed(facts: Facts) -> Finding:
    text = "git-traj is not set up here"
    if facts.team:
        return Finding("not-installed", f"{text}, and {TEAM_FILE} says that this project records", _INSTALL)
    if facts.recorded.listed or facts.beside:
        return note(
            "not-installed", f"{text}: records can be read, and nothing is recorded from here", _INSTALL
        )
    return Finding("not-installed", text, _INSTALL)


def _check_history(repository: Repository) -> Iterator[Finding]:
    if repository.edge:
        text = "this clone is shallow: what older commits did is not known here"
        yield note("shallow", text, "git fetch --unshallow")
    if lacks_filters(repository):
        text = "history is long and has no changed-path filters: git log -- FILE and blame are slow"
        yield note("no-path-filters", text, WRITE)


def _check_index(repository: Repository, reported: str = "") -> Iterator[Finding]:
    """Report if there is no index for listings, except if the reason is already ``reported``."""
    try:
        refresh(repository, repository.head())
    except UnusableError as error:
        if error.message not in reported:
            yield note(
                "no-index",
                f"there is no index: {error.message}; listings are complete, but slower",
                f"look at {repository.common_dir / FOLDER}: it can be deleted at any time",
            )


def _check_hooks(repository: Repository, facts: Facts) -> Iterator[Finding]:
    for remote in facts.unfetching:
        yield note(
            "refspec-missing",
            f"git fetch {remote} does not bring its records: the remote came after the installation",
            "git traj doctor --fix",
            fix=partial(install, repository),
        )
    renew = partial(_reinstall, repository)
    if facts.folder.refused:
        yield note(
            "hooks-elsewhere",
            f"no hooks: {facts.folder.refused}; capture happens at the next git traj command",
            f"with git 2.54: {_INSTALL}; else first set core.hooksPath to a folder of this repository",
            fix=renew if is_supported(repository) else None,
        )
    for hook in facts.hooks:
        if hook.state == "off":
            yield note(
                "hook-off",
                f"hook {hook.name} is switched off in git's configuration",
                f"git config --unset hook.git-traj-{hook.name}.enabled, or hook.{hook.name}.enabled",
            )
        elif hook.state in _HOOK_STATES:
            what_is_wrong, remedy = _HOOK_STATES[hook.state]
            text = f"hook {hook.name} {what_is_wrong} ({hook.path})"
            yield Finding(f"hook-{hook.state}", text, remedy, fix=renew)
        elif (file := hook.read()) and file.interpreter and not file.interpreter.works():
            text = f"hook {hook.name} starts a Python that does not find gittraj ({hook.path})"
            yield Finding("hook-interpreter", text, _INSTALL, fix=renew)


def _check_agents(repository: Repository, facts: Facts) -> Iterator[Finding]:
    for agent in facts.agents:
        if agent.state == "untrusted":
            yield note(
                "agent-hook-untrusted",
                f"hooks of {agent.name} do not run before you trust them ({agent.path})",
                "start codex there, trust the folder, choose 'Trust all and continue' (later: /hooks)",
            )
        elif agent.state != "installed":
            tree = repository.work_tree
            hooks = find_hooks().get(agent.name)  # None: the agent's plug-in was switched off meanwhile
            is_in_this_tree = tree is not None and hooks is not None and agent.path == tree / hooks.file
            fixable = is_in_this_tree and agent.state != "damaged"
            command = f"{_INSTALL} --agent {agent.name}"
            yield Finding(
                f"agent-hook-{agent.state}",
                f"hooks of {agent.name} {_AGENT_STATES[agent.state]} ({agent.path})",
                f"fix it, then {command}" if agent.state == "damaged" else f"{command}, in that work tree",
                fix=partial(_reinstall, repository, agent.name) if fixable else None,
            )


def _check_template(repository: Repository) -> Iterator[Finding]:
    if dead := find_dead(repository.environ):
        text = f"the hooks that new repositories get can no longer start git-traj ({dead})"
        fix = partial(install_globally, repository.environ)
        yield Finding("template-dead", text, f"{_INSTALL} --global", fix=fix)


def _check_settings(repository: Repository, facts: Facts) -> Iterator[Finding]:
    """Report what could not be read, and unknown settings."""
    for error in facts.complaints:
        if isinstance(error, BrokenRefError):
            continue  # ``check_leftovers`` reports it in more detail
        is_manifest, is_records = FILE in error.message, error.message.startswith(UNREADABLE)
        yield Finding(
            "installed-damaged" if is_manifest else "notes-damaged" if is_records else "setting",
            error.message,
            error.hint or "fix it",
            fix=partial(_reinstall, repository) if is_manifest else None,
        )
    if facts.config is not None and facts.config.unknown:
        yield Finding(
            "team-file-key",
            f"{TEAM_FILE}: unknown settings: {', '.join(facts.config.unknown)}",
            "fix or remove it; settings that redact less (redact.allow) belong in git config only",
        )


def _check_state(folder: Path, facts: Facts) -> Iterator[Finding]:
    """Report problems in the local state in ``folder``, such as stale locks and damaged files."""
    if facts.exposed:
        text = f"a secret that was already pushed became known, in {', '.join(facts.exposed)}"
        remedy = f"rotate it where it was issued, then remove {folder / EXPOSED}"
        yield Finding("secret-pushed", text, remedy)
    lock = folder / "drain.lock"
    age = 0.0
    with suppress(OSError):
        age = time.time() - lock.stat().st_mtime
    if age > STALE:
        text = f"a worker died {age:.0f} s ago and left {lock}: hooks cannot start another"
        yield Finding("lock-stale", text, f"remove {lock}", fix=partial(lock.unlink, missing_ok=True))
    cursors = own_folder(folder) / "cursors.json"
    if cursors.exists() and load_state(folder) is None:
        text = f"{cursors} cannot be read; it will be rebuilt from the notes"
        yield Finding("cursors", text, f"remove {cursors}", fix=partial(cursors.unlink, missing_ok=True))
    for path in find_damaged(folder):
        text = f"{path} cannot be read: what was recorded there is not on a commit yet"
        yield Finding("active-damaged", text, "fix the JSON, or remove the file")
    if facts.parked:
        yield Finding(
            "parked",
            f"not stored, because redaction failed: {facts.parked} parts",
            "git traj link REV --session ID tries again, or says why not, while the agent still has its log",
        )


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
            facts.recorded.stranded,
            "only on unreachable commits: records of {}",
            "git traj repair; by hand: git traj carry --from OLD --onto REV",
        ),
    ):
        if commits:
            yield note(code, f"{text.format(len(commits))}, {commits[-1][:12]} last", remedy)


def _reinstall(repository: Repository, *agents: str) -> None:
    """Repeat the installation, with refspecs only if they were wanted."""
    install(repository, agents=agents, fetch_refspec=None)
