"""What is wrong in a repository, each thing with its remedy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gittraj.capture.state import load_state
from gittraj.git import Repository
from gittraj.health.facts import Facts
from gittraj.health.finding import Finding
from gittraj.health.fsck import fsck
from gittraj.installation import install
from gittraj.installation.book import FILE, read_book
from gittraj.installation.inspection import HookState, Life
from gittraj.installation.refspecs import find_remotes, refspecs
from gittraj.installation.shims import find_block, read_interpreter
from gittraj.local import LocalState
from gittraj.notes.store import RECORDS_REF

STALE = 60.0
"""Seconds after which a lock that a hook made for its worker is a dead worker's."""
_INSTALL = "git traj install"
_HOOKS: dict[Life, tuple[str, str]] = {
    "missing": ("is gone", _INSTALL),
    "foreign": ("was replaced by another tool's", _INSTALL),
    "dead": ("cannot start git-traj any more: its Python is gone, or its run bit", _INSTALL),
    "damaged": ("holds a git-traj block without its end", f"remove those lines, then {_INSTALL}"),
}


def examine(repository: Repository, facts: Facts) -> Iterator[Finding]:
    """Everything, from the installation to the last segment."""
    if (
        facts.since is None
        and not facts.complaints
        and not (LocalState.of(repository).folder / FILE).exists()
    ):
        yield Finding(code="not-installed", text="git-traj is not installed here", remedy=_INSTALL)
    else:
        yield from _check_hooks(repository, facts)
        yield from _check_local(repository, facts)
        yield from _check_commits(facts)
    yield from _check_refspecs(repository)
    yield from _check_merge(repository)
    yield from fsck(repository)


def _check_hooks(repository: Repository, facts: Facts) -> Iterator[Finding]:
    renew = partial(_reinstall, repository)
    if facts.folder.refused:
        yield Finding(
            code="hooks-elsewhere",
            severity="note",
            text=f"no hooks: {facts.folder.refused}; capture happens at the next git traj command",
            remedy=f"set core.hooksPath to a folder of this repository, then {_INSTALL}",
        )
    for hook in facts.hooks:
        if hook.state in _HOOKS:
            words, remedy = _HOOKS[hook.state]
            text = f"hook {hook.name} {words} ({hook.path})"
            yield Finding(code=f"hook-{hook.state}", text=text, remedy=remedy, fix=renew)
        elif hook.state == "installed" and not _works(hook):
            text = f"hook {hook.name} starts a Python that does not find gittraj ({hook.path})"
            yield Finding(code="hook-interpreter", text=text, remedy=_INSTALL, fix=renew)


def _works(hook: HookState) -> bool:
    found = find_block(hook.path.read_bytes())
    interpreter = read_interpreter(found.block) if found else None
    return interpreter is None or interpreter.works()


def _check_local(repository: Repository, facts: Facts) -> Iterator[Finding]:
    local = LocalState.of(repository)
    for error in facts.complaints:
        damaged = FILE in error.message
        yield Finding(
            code="installed-damaged" if damaged else "setting",
            text=error.message,
            remedy=error.hint or "mend it",
            fix=partial(_reinstall, repository) if damaged else None,
        )
    lock = local.folder / "drain.lock"
    age = _age(lock)
    if age is not None and age > STALE:
        text = f"a worker died {age:.0f} s ago and left {lock}: no hook wakes another"
        yield Finding(code="lock-stale", text=text, remedy=f"remove {lock}", fix=partial(_remove, lock))
    cursors = local.folder / "cursors.json"
    if cursors.exists() and load_state(local.folder) is None:
        text = f"{cursors} cannot be read; it is made anew from the notes"
        yield Finding(code="cursors", text=text, remedy=f"remove {cursors}", fix=partial(_remove, cursors))
    if facts.parked:
        yield Finding(
            code="parked",
            text=f"parked: {facts.parked} of the parts could not be redacted, so they were not stored",
            remedy="git traj link REV --session ID tries again, while the agent keeps its log",
        )


def _check_commits(facts: Facts) -> Iterator[Finding]:
    if facts.without_hook:
        count, last = len(facts.without_hook), facts.without_hook[-1][:12]
        yield Finding(
            code="without-hook",
            severity="note",
            text=f"made without a hook: {count} of the commits since the installation, {last} last",
            remedy="none is needed while the hooks above are well: the next git traj command finds them",
        )
    if facts.unlinked:
        count, last = len(facts.unlinked), facts.unlinked[-1][:12]
        yield Finding(
            code="unlinked",
            severity="note",
            text=f"without a record: {count} of the agents' commits, {last} last",
            remedy="git traj link REV --session ID",
        )


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
    for tree in repository.worktrees():
        name = tree.git_dir / "NOTES_MERGE_REF"
        if name.is_file() and name.read_bytes().split() in (
            [RECORDS_REF.encode()],
            [b"ref:", RECORDS_REF.encode()],
        ):
            text = f"a git notes merge into {RECORDS_REF} was left in its middle ({tree.git_dir})"
            yield Finding(code="notes-merge", text=text, remedy="git notes merge --abort")


def _reinstall(repository: Repository) -> None:
    """Everything that was there: refspecs only if this clone had them."""
    book = read_book(LocalState.of(repository))
    install(repository, fetch_refspec=bool(book and book.refspecs))


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _age(path: Path) -> float | None:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return None
