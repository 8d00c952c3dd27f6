"""Finds the folder of each worktree that git runs hooks from (``core.hooksPath``), and knows how other hook
managers treat our hooks there, observed in their releases of 2026.

husky 9 rewrites its folder, lefthook 2 moves a hook to ``NAME.old`` and never runs it, the pre-commit
framework 4 moves it to ``NAME.legacy`` and runs it first, without stdin except for ``pre-push``.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

from gittraj.commands.install.shims import KEPT, find_block
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository, open_repository


@dataclass(frozen=True, slots=True)
class HooksFolder:
    """``refused``: the reason if nothing may be written there; ``own``: the repository's default folder, not
    another tool's; ``configured``: the hooks are run by git's configuration (``hook.*``)."""

    path: Path
    refused: str | None = None
    tracked: bool = False
    own: bool = False
    configured: bool = False


def find_hooks_folders(repository: Repository) -> tuple[HooksFolder, ...]:
    """The main worktree's folder, then those of linked worktrees that differ: ``core.hooksPath`` may be
    relative, or set in one worktree's configuration."""
    main, *linked = repository.worktrees()
    asked = [main.path if main.path and main.present else repository.common_dir]
    named = repository.config("core.hooksPath")
    if repository.config("extensions.worktreeConfig") or (named and not named.startswith(("/", "~"))):
        asked += [tree.path for tree in linked if tree.path and tree.present]
    folders = [_find(repository, place) for place in asked]
    return tuple({folder.path: folder for folder in reversed(folders)}.values())[::-1]


def _ask(opened: Repository) -> Path:
    if opened.config("core.hooksPath") is None:
        return opened.common_dir / "hooks"
    output = opened.run("rev-parse", "--path-format=absolute", "--git-path", "hooks").out
    return Path(output.decode("utf-8", "surrogateescape").removesuffix("\n"))


def _find(repository: Repository, place: Path) -> HooksFolder:
    here = place == repository.work_tree
    with nullcontext(repository) if here else open_repository(place, environ=repository.environ) as opened:
        path = _ask(opened)
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
    """Whether the file contains a block of ours, complete or damaged."""
    try:
        return path.is_file() and find_block(path.read_bytes()) is not None
    except TrajError:
        return True


def runs_ours(path: Path) -> bool:
    """Whether another tool's hook runs ours."""
    return is_ours(legacy_of(path)) and os.path.lexists(path)


def is_foreign(path: Path) -> bool:
    """Whether the hook there is another tool's and does not run ours."""
    return path.is_file() and not is_ours(path) and not runs_ours(path)


def goes_behind(path: Path, content: bytes) -> bool:
    """Whether ours can become the framework's ``.legacy`` hook, so that ``pre-commit install`` and
    ``uninstall`` work as usual."""
    return FRAMEWORK in content and path.name not in _STDIN and not os.path.lexists(legacy_of(path))


def take_turn(path: Path, content: bytes, *, dry_run: bool) -> bool:
    """Whether the present hook replaces the one that we had kept: that is an earlier version by the same
    tool, or lefthook moved ours aside, as it would have moved the kept one. Removes or moves the kept one
    unless ``dry_run``."""
    kept, old = path.with_name(path.name + KEPT), old_of(path)
    before = kept.read_bytes()
    outdated = any(mark in before and mark in content for mark in (FRAMEWORK, _LEFTHOOK, _HUSKY))
    moved = _LEFTHOOK in content and _is_pure(old)
    if not dry_run and outdated:
        kept.unlink()
    elif not dry_run and moved:
        kept.replace(old)
    return outdated or moved


def drop_old(path: Path) -> None:
    """Remove our hook that lefthook moved aside: lefthook refuses to install again while it exists. Raises
    OSError."""
    if _is_pure(old_of(path)):
        old_of(path).unlink()


def _is_pure(path: Path) -> bool:
    try:
        found = find_block(path.read_bytes()) if path.is_file() else None
    except TrajError:
        return False
    return found is not None and found.pure
