"""Installs git-traj's hooks where git looks for hooks, in front of existing hooks, and removes them.

A hook of another tool is moved to ``NAME.traj-orig``, and git-traj's hook runs it: ``post-commit`` after its
own work, so that commits which the other hook makes come later in the spool, the others before it. Nothing is
written outside the repository, so not in a hooks folder that several repositories share.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from gittraj.commands.install.configuration import configure, is_supported, read_configured, take_out
from gittraj.commands.install.edits import make_folder
from gittraj.commands.install.hooks_path import (
    FRAMEWORK,
    HooksFolder,
    can_be_legacy,
    drop_old,
    find_hooks_folders,
    is_foreign,
    legacy_of,
    list_hook_paths,
    runs_ours,
    supersede_kept,
)
from gittraj.commands.install.manifest import Did, Manifest, Step
from gittraj.commands.install.shims import (
    HOOKS,
    KEPT,
    PUSHING,
    SHEBANG,
    HookFile,
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
    """Install the hooks in the hooks folder, or in git's configuration if the folder belongs to another tool
    and this git supports it. Never in both, or the hooks would run twice.

    Raises TrajError if a hook cannot start this interpreter, or ``traj.push`` is not valid.
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
    """Return whether another tool owns a folder, or overwrote a hook of git-traj, as it would do again."""
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
    """Remove git-traj's hooks from all hooks folders. A failure is reported as a step."""
    for path in map(Path, dict.fromkeys((*manifest.hooks, *map(str, list_hook_paths(repository))))):
        try:
            step = _foresee(path) if dry_run else uninstall_hook(path)
        except OSError as error:
            step = Step(what="hook", name=path.name, did="failed", text=f"{path}: {error.strerror}")
        if step is not None:
            yield step


def _foresee(path: Path) -> Step | None:
    """Return the step that ``uninstall_hook`` would return, by calling it for a copy of the hook."""
    import shutil  # noqa: PLC0415 - it imports all compressors
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    with TemporaryDirectory() as folder:
        for each in path.parent.glob(f"{path.name}*"):
            if each.is_file():
                shutil.copy(each, folder)
        return uninstall_hook(Path(folder, path.name))


def install_hook(path: Path, text: bytes, *, dry_run: bool) -> Step:
    """Install the hook ``text`` at ``path``. Raises OSError."""
    do = partial(_do, path.name, dry_run=dry_run)
    kept = path.with_name(path.name + KEPT)
    if not os.path.lexists(path):
        result = f"installed, {kept.name} runs first" if os.path.lexists(kept) else "installed"
        return do("added", result, lambda: _write(path, text))
    content = path.read_bytes()
    try:
        hook = find_block(content)
    except TrajError as error:
        return do("skipped", f"not installed: {error.message}; {error.hint}")
    if hook is not None:
        return _renew_ours(path, text, do)
    if runs_ours(path):
        return _renew_ours(legacy_of(path), text, do, run_by=", run by another tool's hook")
    if can_be_legacy(path, content):
        result = f"installed; the pre-commit framework runs it ({legacy_of(path).name})"
        return do("added", result, lambda: _write(legacy_of(path), text))
    conflicts = os.path.lexists(kept) and kept.read_bytes() != content
    if conflicts and not supersede_kept(path, content, dry_run=dry_run):
        why = f"not installed: another tool wrote this hook, and {kept.name} already exists; {_LATER}"
        return do("skipped", f"{why}. Remove the one that is not needed, and install again")
    return do("added", f"installed; yours is kept as {kept.name} and runs first", lambda: _chain(path, text))


def _do(name: str, did: Did, text: str, write: Callable[[], None] | None = None, *, dry_run: bool) -> Step:
    """Call ``write`` unless this is a dry run, and return the step."""
    if write is not None and dry_run:
        text = f"would be {text}"
    elif write is not None:
        write()
    return Step(what="hook", name=name, did=did, text=text)


def _renew_ours(path: Path, text: bytes, do: Callable[..., Step], *, run_by: str = "") -> Step:
    """Replace git-traj's block in a hook: the path of its interpreter may have changed."""
    content = path.read_bytes()
    hook, block = find_block(content), find_block(text)
    renewed = hook.before + (block.block if block else b"") + hook.after if hook else text
    if renewed == content and os.access(path, os.X_OK):
        return do("unchanged", f"already there{run_by}")
    return do("renewed", f"renewed{run_by}", lambda: _renew(path, renewed))


def _chain(path: Path, text: bytes) -> None:
    """Write a hook, and keep the existing one as the hook that it runs."""
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
    """Remove git-traj's block from the hook at ``path``, and restore the hook that was there before.

    Returns None if git-traj has nothing there. Raises OSError.
    """
    kept = path.with_name(path.name + KEPT)
    content = path.read_bytes() if path.is_file() else None
    try:
        hook = find_block(content) if content is not None else None
    except TrajError as error:
        return Step(what="hook", name=path.name, did="failed", text=f"kept: {error.message}; {error.hint}")
    if hook is None and content is not None and os.path.lexists(kept):
        supersede_kept(path, content, dry_run=False)
    drop_old(path)
    chained = kept if os.path.lexists(kept) else None
    if hook is None:
        return _uninstall_beside(path, chained, content)
    return Step(what="hook", name=path.name, did="removed", text=_remove_block(path, chained, hook))


def _uninstall_beside(path: Path, kept: Path | None, content: bytes | None) -> Step | None:
    """Remove what git-traj has next to another tool's hook, or to a deleted one (``content`` is None)."""
    did: Did = "removed"
    if content is not None and runs_ours(path):
        text = _remove_legacy(path, kept, content)
    elif kept is None:
        return None
    elif os.path.lexists(path):
        did, text = "skipped", f"kept: another tool's hook is there now; the one it replaced is {kept.name}"
    else:
        kept.replace(path)
        text = f"was gone; {kept.name} put back"
    return Step(what="hook", name=path.name, did=did, text=text)


def _remove_block(path: Path, kept: Path | None, hook: HookFile) -> str:
    """Remove git-traj's block from a hook. The hook that it runs, and lines that somebody added, stay."""
    if hook.pure and kept:
        kept.replace(path)
        return "yours is back"
    if hook.pure:
        path.unlink()
        return "removed"
    if kept is None:
        _write(path, hook.before + hook.after)
        return "removed; the lines that were added to it stay"
    original = kept.read_bytes()
    first, _, body = original.partition(b"\n")
    if is_shell_script(original) and os.access(kept, os.X_OK):
        before = hook.before.removeprefix(SHEBANG)
        # in a subshell, as the kept hook may exit, or set options
        inside = b"(\n%s\n)\nkept_rc=$?\n" % body.removesuffix(b"\n")
        ends = b'[ "$kept_rc" = 0 ] || exit "$kept_rc"\n'
        _write(path, first + b"\n" + before + inside + ends + hook.after)
        kept.unlink()
        return "yours is back in it, next to the lines that were added"
    run = b'if [ -x "$0%s" ]; then\n\t"$0%s" "$@" || exit\nfi\n' % (KEPT.encode(), KEPT.encode())
    _write(path, hook.before + run + hook.after)
    return f"taken out; the lines that were added to it stay, and still run {kept.name} first"


def _remove_legacy(path: Path, kept: Path | None, content: bytes) -> str:
    """Remove git-traj's hook that another tool moved aside and runs. The kept hook takes its place, unless
    that is the tool's own hook, which must not run itself."""
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
    """Write a file atomically, with the mode of the existing file if there is one."""
    fresh = _prepare(path, content)
    if path.exists():
        fresh.chmod(stat.S_IMODE(path.stat().st_mode))
    fresh.replace(path)


def _renew(path: Path, content: bytes) -> None:
    _write(path, content)
    mode = stat.S_IMODE(path.stat().st_mode)
    path.chmod(mode | (mode & 0o444) >> 2)  # all who may read the hook may run it


def _prepare(path: Path, content: bytes) -> Path:
    """Write a new, executable file next to ``path``."""
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
