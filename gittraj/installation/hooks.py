"""Puts the hooks where git looks for them, in front of whatever stands there, and takes them away.

A foreign hook is moved to ``NAME.traj-orig`` and run first. It must not write outside the repository: a
hooks folder that several repositories share is not ours.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from gittraj.errors import TrajError
from gittraj.git import Repository, open_repository
from gittraj.installation.book import Book
from gittraj.installation.shims import (
    HOOKS,
    KEPT,
    SHEBANG,
    Found,
    find_block,
    find_interpreter,
    is_shell_script,
    render,
)
from gittraj.installation.steps import Did, Step

_LATER = "capture happens at the next git traj command"
_FRAMEWORK = b"https://pre-commit.com"


@dataclass(frozen=True, slots=True)
class HooksFolder:
    """Where git looks for hooks; ``refused`` says why nothing is written there."""

    path: Path
    refused: str | None = None
    tracked: bool = False


def find_hooks_folder(repository: Repository) -> HooksFolder:
    """That of the main worktree, for a relative ``core.hooksPath`` means another folder in each."""
    main = repository.worktrees()[0]
    with open_repository(
        main.path if main.path and main.present else repository.common_dir, environ=repository.environ
    ) as opened:
        asked = opened.run("rev-parse", "--path-format=absolute", "--git-path", "hooks").out
        path = Path(asked.decode("utf-8", "surrogateescape").removesuffix("\n"))
        inside = [tree.path for tree in repository.worktrees() if tree.path] + [repository.common_dir]
        if not any(path.resolve().is_relative_to(folder.resolve()) for folder in inside):
            return HooksFolder(path, f"{path} lies outside this repository")
        if path.exists() and not path.is_dir():
            return HooksFolder(path, f"{path} is no folder")
        tracked = opened.work_tree is not None and path.is_relative_to(opened.work_tree)
        return HooksFolder(
            path, tracked=tracked and bool(opened.run("ls-files", "--", str(path), check=False).out)
        )


def install_hooks(repository: Repository, book: Book, *, dry_run: bool) -> tuple[Book, list[Step]]:
    """Raises TrajError when this interpreter cannot be started from a hook."""
    folder = find_hooks_folder(repository)
    if folder.refused:
        why = f"not installed: {folder.refused}; {_LATER}"
        if repository.config("core.hooksPath"):
            why += " (or set core.hooksPath to a folder of this repository, and install again)"
        return book, [Step(what="hook", name="hooks", did="skipped", text=why)]
    interpreter = find_interpreter()
    steps = []
    for name in HOOKS:
        path = folder.path / name
        try:
            if not dry_run:
                book = _make_folder(folder.path, book)
            step = _install_hook(path, render(name, interpreter), dry_run=dry_run)
        except OSError as error:
            reason = f"not installed: {path.parent} cannot be written ({error.strerror}); {_LATER}"
            step = Step(what="hook", name=name, did="skipped", text=reason)
        if step.did != "skipped" and str(path) not in book.hooks:
            book = replace(book, hooks=(*book.hooks, str(path)))
        steps.append(step)
    if folder.tracked:
        note = f"git tracks files in {folder.path}: keep the three hooks out of your commits"
        steps.append(Step(what="hook", name="hooks", did="unchanged", text=note))
    return book, steps


def _make_folder(path: Path, book: Book) -> Book:
    missing = [str(folder) for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    return replace(book, folders=(*book.folders, *reversed(missing)))


def _install_hook(path: Path, text: bytes, *, dry_run: bool) -> Step:
    def say(did: Did, words: str, write: Callable[[], None] | None = None) -> Step:
        if write is not None and not dry_run:
            write()
        return Step(what="hook", name=path.name, did=did, text=words)

    kept = path.with_name(path.name + KEPT)
    if not os.path.lexists(path):
        chained = f"installed, {kept.name} runs first" if os.path.lexists(kept) else "installed"
        return say("added", chained, lambda: _write(path, text))
    content = _read(path)
    try:
        found = find_block(content)
    except TrajError as error:
        return say("skipped", f"not installed: {error.message}; {error.hint}")
    if found is not None:
        block = find_block(text)
        renewed = found.before + (block.block if block else b"") + found.after
        if renewed == content and os.access(path, os.X_OK):
            return say("unchanged", "already there")
        return say("renewed", "renewed", lambda: _renew(path, renewed))
    if runs_ours(path):
        return say("unchanged", "already there, run by another tool's hook")
    if os.path.lexists(kept) and _read(kept) != content:
        words = f"not installed: another tool wrote this hook, and {kept.name} stands beside it; {_LATER}"
        return say("skipped", f"{words}. Remove the one that is not needed, and install again")
    return say("added", f"installed; yours is kept as {kept.name} and runs first", lambda: _chain(path, text))


def runs_ours(path: Path) -> bool:
    """Whether another tool moved our hook aside and runs it (the pre-commit framework does)."""
    return _legacy(path).is_file() and find_block(_read(_legacy(path))) is not None


def _legacy(path: Path) -> Path:
    return path.with_name(path.name + ".legacy")


def _chain(path: Path, text: bytes) -> None:
    fresh = _prepare(path, text)
    kept = path.with_name(path.name + KEPT)
    path.replace(kept)
    try:
        fresh.replace(path)
    except OSError:
        kept.replace(path)
        raise


def uninstall_hook(path: Path) -> Step | None:
    """Take our block out of the hook at ``path``, and put the one back that stood there before.

    None when nothing of ours is there. Raises OSError.
    """

    def say(words: str) -> Step:
        return Step(what="hook", name=path.name, did="removed", text=words)

    kept = path.with_name(path.name + KEPT)
    chained = os.path.lexists(kept)
    content = _read(path) if path.is_file() else None
    try:
        found = find_block(content) if content is not None else None
    except TrajError as error:
        return Step(what="hook", name=path.name, did="failed", text=f"left: {error.message}; {error.hint}")
    if found is None:
        if content is not None and runs_ours(path):
            return say(_leave_legacy(path, kept if chained else None, content))
        if not chained:
            return None
        if os.path.lexists(path):
            words = f"left: another tool's hook stands there; what it replaced is {kept.name}"
            return Step(what="hook", name=path.name, did="skipped", text=words)
        kept.replace(path)
        return say(f"was gone; {kept.name} put back")
    if found.pure and chained:
        kept.replace(path)
        return say("yours is back")
    if found.pure:
        path.unlink()
        return say("removed")
    return say(_leave_edits(path, kept if chained else None, found))


def _leave_edits(path: Path, kept: Path | None, found: Found) -> str:
    """Somebody wrote lines around our block: they stay, and so does what it chained, in its place."""
    if kept is None:
        _write(path, found.before + found.after)
        return "removed; the lines that were added to it stay"
    original = _read(kept)
    first, _, body = original.partition(b"\n")
    if is_shell_script(original) and os.access(kept, os.X_OK):
        before = found.before.removeprefix(SHEBANG)
        inside = b"(\n%s\n)\nkept_rc=$?\n" % body.removesuffix(b"\n")  # whatever it does to its shell
        ends = b'[ "$kept_rc" = 0 ] || exit "$kept_rc"\n'
        _write(path, first + b"\n" + before + inside + ends + found.after)
        kept.unlink()
        return "yours is back in it, beside the lines that were added"
    run = b'if [ -x "$0%s" ]; then\n\t"$0%s" "$@" || exit\nfi\n' % (KEPT.encode(), KEPT.encode())
    _write(path, found.before + run + found.after)
    return f"taken out; the lines that were added to it stay, and still run {kept.name} first"


def _leave_legacy(path: Path, kept: Path | None, content: bytes) -> str:
    """Another tool moved our hook aside and runs it: what we had kept takes our place there.

    Unless that is the tool's own hook, which must not run itself.
    """
    legacy = _legacy(path)
    original = _read(kept) if kept else None
    if kept and original is not None and _FRAMEWORK not in original:
        kept.replace(legacy)
        return f"yours is back, as {legacy.name}"
    legacy.unlink()
    if kept and original == content:
        kept.unlink()
    return f"removed ({legacy.name})"


def _read(path: Path) -> bytes:
    return path.read_bytes()


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all; a file that stands there gives its mode."""
    fresh = _prepare(path, content)
    if path.exists():
        fresh.chmod(stat.S_IMODE(path.stat().st_mode))
    fresh.replace(path)


def _renew(path: Path, content: bytes) -> None:
    _write(path, content)
    mode = stat.S_IMODE(path.stat().st_mode)
    path.chmod(mode | (mode & 0o444) >> 2)  # who may read it may run it


def _prepare(path: Path, content: bytes) -> Path:
    """The new file, runnable, beside ``path``."""
    fresh = path.with_name(f"{path.name}.traj-new")
    fresh.unlink(missing_ok=True)
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    return fresh
