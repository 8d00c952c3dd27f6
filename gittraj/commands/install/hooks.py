"""Installs the hooks where git looks for them, in front of any that are there, and removes them.

A foreign hook is moved to ``NAME.traj-orig``, and ours runs it: before its own work, but ``post-commit``
after it, so that the commits which a kept hook makes come later in the spool. Nothing is written outside
the repository: a hooks folder that several repositories share is not ours.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gittraj.commands.install.configuration import configure, is_supported, read_configured, take_out
from gittraj.commands.install.edits import make_folder
from gittraj.commands.install.hooks_path import (
    FRAMEWORK,
    HooksFolder,
    drop_old,
    find_hooks_folders,
    goes_behind,
    is_foreign,
    legacy_of,
    runs_ours,
    take_turn,
)
from gittraj.commands.install.manifest import Did, Manifest, Step
from gittraj.commands.install.shims import (
    HOOKS,
    KEPT,
    PUSHING,
    SHEBANG,
    Found,
    find_block,
    find_interpreter,
    is_shell_script,
    render,
)
from gittraj.config import read_choice
from gittraj.errors import StoreError, TrajError
from gittraj.git import Repository

_LATER = "capture happens at the next git traj command"


def install_hooks(
    repository: Repository, manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, list[Step]]:
    """Install in the hooks folder, or, if that is another tool's and this git supports it, in git's
    configuration. Never in both, or they would run twice.

    Raises TrajError when this interpreter cannot be started from a hook, or ``traj.push`` is not valid.
    """
    interpreter = find_interpreter()
    pushing = (PUSHING,) if read_choice(repository, "push") == "auto" else ()
    names = (*HOOKS, *pushing)
    folders = find_hooks_folders(repository)
    if is_supported(repository) and _are_elsewhere(repository, folders, manifest):
        try:
            manifest, steps = configure(repository, manifest, names, interpreter, dry_run=dry_run)
        except OSError as error:
            raise StoreError(f"{error.filename} cannot be written: {error.strerror}") from None
        if not dry_run:
            steps += [step for step in leave_folders(repository, manifest) if step.did == "removed"]
        return (manifest if dry_run else replace(manifest, hooks=())), steps
    steps = []
    if not dry_run:
        manifest, steps = take_out(repository, manifest)
    for folder in folders:
        manifest, done = _install_in(repository, folder, names, manifest, dry_run=dry_run)
        steps += done
    return manifest, steps


def _are_elsewhere(repository: Repository, folders: Sequence[HooksFolder], manifest: Manifest) -> bool:
    """Whether another tool owns a folder, or has overwritten a hook of ours: it will do so again."""
    if read_configured(repository) or not all(folder.own for folder in folders):
        return True
    return any(is_foreign(Path(path)) for path in manifest.hooks)


def _install_in(
    repository: Repository, folder: HooksFolder, names: Sequence[str], manifest: Manifest, *, dry_run: bool
) -> tuple[Manifest, list[Step]]:
    if folder.refused:
        why = f"not installed: {folder.refused}; {_LATER}"
        if repository.config("core.hooksPath"):
            why += " (with git 2.54, or core.hooksPath set to a folder of this repository: install again)"
        return manifest, [Step(what="hook", name="hooks", did="skipped", text=why)]
    steps = []
    for name in names:
        path = folder.path / name
        try:
            if not dry_run:
                manifest = make_folder(folder.path, manifest)
            step = install_hook(path, render(name, find_interpreter()), dry_run=dry_run)
        except OSError as error:
            reason = f"not installed: {path.parent} cannot be written ({error.strerror}); {_LATER}"
            step = Step(what="hook", name=name, did="skipped", text=reason)
        if step.did != "skipped" and str(path) not in manifest.hooks:
            manifest = replace(manifest, hooks=(*manifest.hooks, str(path)))
        steps.append(step)
    if folder.tracked:
        note = f"git tracks files in {folder.path}: keep our hooks out of your commits"
        steps.append(Step(what="hook", name="hooks", did="unchanged", text=note))
    return manifest, steps


def leave_folders(repository: Repository, manifest: Manifest, *, dry_run: bool = False) -> Iterator[Step]:
    """Remove our hooks from every folder that has some. A failure is a step of its own."""
    here = [folder.path for folder in find_hooks_folders(repository) if not folder.refused]
    paths = [str(path / name) for path in here for name in (*HOOKS, PUSHING)]
    for path in map(Path, dict.fromkeys((*manifest.hooks, *paths))):
        try:
            step = _foresee(path) if dry_run else uninstall_hook(path)
        except OSError as error:
            step = Step(what="hook", name=path.name, did="failed", text=f"{path}: {error.strerror}")
        if step is not None:
            yield step


def _foresee(path: Path) -> Step | None:
    """The step that ``uninstall_hook`` would return, found by running it on a copy."""
    import shutil  # noqa: PLC0415 - with all of its compressors
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    with TemporaryDirectory() as folder:
        for each in path.parent.glob(f"{path.name}*"):
            if each.is_file():
                shutil.copy(each, folder)
        return uninstall_hook(Path(folder, path.name))


def install_hook(path: Path, text: bytes, *, dry_run: bool) -> Step:
    """Install the hook ``text`` at ``path``. Raises OSError."""

    def say(did: Did, words: str, write: Callable[[], None] | None = None) -> Step:
        if write is not None and dry_run:
            words = f"would be {words}"
        elif write is not None:
            write()
        return Step(what="hook", name=path.name, did=did, text=words)

    kept = path.with_name(path.name + KEPT)
    if not os.path.lexists(path):
        chained = f"installed, {kept.name} runs first" if os.path.lexists(kept) else "installed"
        return say("added", chained, lambda: _write(path, text))
    content = path.read_bytes()
    try:
        found = find_block(content)
    except TrajError as error:
        return say("skipped", f"not installed: {error.message}; {error.hint}")
    if found is not None:
        return _renew_ours(path, text, say)
    if runs_ours(path):
        return _renew_ours(legacy_of(path), text, say, run_by=", run by another tool's hook")
    if goes_behind(path, content):
        words = f"installed; the pre-commit framework runs it ({legacy_of(path).name})"
        return say("added", words, lambda: _write(legacy_of(path), text))
    taken = os.path.lexists(kept) and kept.read_bytes() != content
    if taken and not take_turn(path, content, dry_run=dry_run):
        words = f"not installed: another tool wrote this hook, and {kept.name} already exists; {_LATER}"
        return say("skipped", f"{words}. Remove the one that is not needed, and install again")
    return say("added", f"installed; yours is kept as {kept.name} and runs first", lambda: _chain(path, text))


def _renew_ours(path: Path, text: bytes, say: Callable[..., Step], *, run_by: str = "") -> Step:
    """Its interpreter may have moved."""
    content = path.read_bytes()
    found, block = find_block(content), find_block(text)
    renewed = found.before + (block.block if block else b"") + found.after if found else text
    if renewed == content and os.access(path, os.X_OK):
        return say("unchanged", f"already there{run_by}")
    return say("renewed", f"renewed{run_by}", lambda: _renew(path, renewed))


def _chain(path: Path, text: bytes) -> None:
    drop_old(path)
    fresh = _prepare(path, text)
    kept = path.with_name(path.name + KEPT)
    path.replace(kept)
    try:
        fresh.replace(path)
    except OSError:
        kept.replace(path)
        raise


def uninstall_hook(path: Path) -> Step | None:
    """Remove our block from the hook at ``path``, and restore the hook that was there before.

    Returns None when nothing of ours is there. Raises OSError.
    """

    def say(words: str) -> Step:
        return Step(what="hook", name=path.name, did="removed", text=words)

    kept = path.with_name(path.name + KEPT)
    content = path.read_bytes() if path.is_file() else None
    try:
        found = find_block(content) if content is not None else None
    except TrajError as error:
        return Step(what="hook", name=path.name, did="failed", text=f"left: {error.message}; {error.hint}")
    if found is None and content is not None and os.path.lexists(kept):
        take_turn(path, content, dry_run=False)
    drop_old(path)
    chained = os.path.lexists(kept)
    if found is None:
        if content is not None and runs_ours(path):
            return say(_leave_legacy(path, kept if chained else None, content))
        if not chained:
            return None
        if os.path.lexists(path):
            words = f"left: another tool's hook is there now; the one it replaced is {kept.name}"
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
    """Remove our block from between lines that somebody added: they stay, and the hook that we kept, too."""
    if kept is None:
        _write(path, found.before + found.after)
        return "removed; the lines that were added to it stay"
    original = kept.read_bytes()
    first, _, body = original.partition(b"\n")
    if is_shell_script(original) and os.access(kept, os.X_OK):
        before = found.before.removeprefix(SHEBANG)
        inside = b"(\n%s\n)\nkept_rc=$?\n" % body.removesuffix(b"\n")  # it may exit, or set options
        ends = b'[ "$kept_rc" = 0 ] || exit "$kept_rc"\n'
        _write(path, first + b"\n" + before + inside + ends + found.after)
        kept.unlink()
        return "yours is back in it, beside the lines that were added"
    run = b'if [ -x "$0%s" ]; then\n\t"$0%s" "$@" || exit\nfi\n' % (KEPT.encode(), KEPT.encode())
    _write(path, found.before + run + found.after)
    return f"taken out; the lines that were added to it stay, and still run {kept.name} first"


def _leave_legacy(path: Path, kept: Path | None, content: bytes) -> str:
    """Remove our hook that another tool moved aside and runs: the one that we had kept takes its place,
    unless that is the tool's own hook, which must not run itself.
    """
    legacy = legacy_of(path)
    original = kept.read_bytes() if kept else None
    if kept and original is not None and FRAMEWORK not in original:
        kept.replace(legacy)
        return f"yours is back, as {legacy.name}"
    legacy.unlink()
    if kept and original == content:
        kept.unlink()
    return f"removed ({legacy.name})"


def _write(path: Path, content: bytes) -> None:
    """Write atomically, with the mode of the file that is there, if any."""
    fresh = _prepare(path, content)
    if path.exists():
        fresh.chmod(stat.S_IMODE(path.stat().st_mode))
    fresh.replace(path)


def _renew(path: Path, content: bytes) -> None:
    _write(path, content)
    mode = stat.S_IMODE(path.stat().st_mode)
    path.chmod(mode | (mode & 0o444) >> 2)  # who may read it may run it


def _prepare(path: Path, content: bytes) -> Path:
    """Write the new file, executable, next to ``path``."""
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
