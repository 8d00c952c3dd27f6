"""Finds the folder from which git runs hooks in each worktree (``core.hooksPath``), and knows how other hook
managers treat git-traj's hooks there, as observed in their releases of 2026.

husky 9 rewrites its folder; lefthook 2 moves a hook to ``NAME.old`` and never runs it; the pre-commit
framework 4 moves a hook to ``NAME.legacy`` and runs it first, without stdin except for ``pre-push``.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

from gittraj.commands.install.shims import HOOKS, KEPT, PUSHING, find_block
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository, open_repository


@dataclass(frozen=True, slots=True)
class HooksFolder:
    """A folder for hooks. ``refused`` is the reason if git-traj must not write there; ``tracked``: git tracks
    files in it; ``own``: it is the repository's default folder, not another tool's; ``configured``: git's
    configuration (``hook.*``) runs the hooks."""

    path: Path
    refused: str | None = None
    tracked: bool = False
    own: bool = False
    configured: bool = False


def find_hooks_folders(repository: Repository) -> tuple[HooksFolder, ...]:
    """Return the main worktree's folder, then the different folders of linked worktrees: ``core.hooksPath``
    may be relative, or set in one worktree's configuration."""
    main, *linked = repository.worktrees()
    trees = [main.path if main.path and main.present else repository.common_dir]
    setting = repository.config("core.hooksPath")
    if repository.config("extensions.worktreeConfig") or (setting and not setting.startswith(("/", "~"))):
        trees += [tree.path for tree in linked if tree.path and tree.present]
    folders: dict[Path, HooksFolder] = {}
    for folder in (_find_folder(repository, tree) for tree in trees):
        folders.setdefault(folder.path, folder)
    return tuple(folders.values())


def list_hook_paths(repository: Repository) -> list[Path]:
    """Return where git-traj's hooks are, or would be, in all hooks folders."""
    folders = [folder.path for folder in find_hooks_folders(repository) if not folder.refused]
    return [folder / name for folder in folders for name in (*HOOKS, PUSHING)]


def _read_path(repository: Repository) -> Path:
    if repository.config("core.hooksPath") is None:
        return repository.common_dir / "hooks"
    output = repository.run("rev-parse", "--path-format=absolute", "--git-path", "hooks").text
    return Path(output.removesuffix("\n"))


def _find_folder(repository: Repository, tree: Path) -> HooksFolder:
    is_open = tree == repository.work_tree
    with nullcontext(repository) if is_open else open_repository(tree, environ=repository.environ) as opened:
        path = _read_path(opened)
        if not repository.owns(path):
            return HooksFolder(path, f"{path} lies outside this repository")
        if path.exists() and not path.is_dir():
            return HooksFolder(path, f"{path} is not a folder")
        if path.resolve() == (opened.common_dir / "hooks").resolve():
            return HooksFolder(path, own=True)
        tracked = opened.work_tree is not None and path.is_relative_to(opened.work_tree)
        return HooksFolder(
            path, tracked=tracked and bool(opened.run("ls-files", "--", str(path), check=False).out)
        )


FRAMEWORK = b"https://pre-commit.com"
_LEFTHOOK = b"LEFTHOOK"
_HUSKY = b'. "$(dirname "$0")/h"'
_STDIN = ("post-rewrite",)
"""Hooks that need stdin, which the framework does not pass on."""


def legacy_of(path: Path) -> Path:
    return path.with_name(path.name + ".legacy")


def old_of(path: Path) -> Path:
    return path.with_name(path.name + ".old")


def is_ours(path: Path) -> bool:
    """Return whether the file contains git-traj's block, complete or damaged."""
    try:
        return path.is_file() and find_block(path.read_bytes()) is not None
    except TrajError:
        return True


def runs_ours(path: Path) -> bool:
    """Return whether another tool's hook at ``path`` runs git-traj's hook."""
    return is_ours(legacy_of(path)) and os.path.lexists(path)


def is_foreign(path: Path) -> bool:
    """Return whether the hook at ``path`` is another tool's and does not run git-traj's hook."""
    return path.is_file() and not is_ours(path) and not runs_ours(path)


def can_be_legacy(path: Path, content: bytes) -> bool:
    """Return whether git-traj's hook can become the pre-commit framework's ``.legacy`` hook, so that
    ``pre-commit install`` and ``uninstall`` work as usual."""
    return FRAMEWORK in content and path.name not in _STDIN and not os.path.lexists(legacy_of(path))


def supersede_kept(path: Path, content: bytes, *, dry_run: bool) -> bool:
    """Remove the kept hook (the one that git-traj's replaced), or move it to where lefthook would have, if
    the present hook supersedes it: if the kept hook is an older version by the same tool, or if lefthook
    moved git-traj's hook aside. Return whether it is superseded; with ``dry_run``, change nothing."""
    kept, old = path.with_name(path.name + KEPT), old_of(path)
    before = kept.read_bytes()
    outdated = any(mark in before and mark in content for mark in (FRAMEWORK, _LEFTHOOK, _HUSKY))
    moved = _LEFTHOOK in content and _has_only_ours(old)
    if not dry_run and outdated:
        kept.unlink()
    elif not dry_run and moved:
        kept.replace(old)
    return outdated or moved


def drop_old(path: Path) -> None:
    """Remove git-traj's hook that lefthook moved aside: while it exists, lefthook refuses to install."""
    if _has_only_ours(old_of(path)):
        old_of(path).unlink()


def _has_only_ours(path: Path) -> bool:
    try:
        hook = find_block(path.read_bytes()) if path.is_file() else None
    except TrajError:
        return False
    return hook is not None and hook.pure
