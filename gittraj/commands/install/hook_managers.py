"""How other hook managers treat our hooks, observed in their releases of 2026.

husky 9 rewrites its folder, lefthook 2 moves a hook to ``NAME.old`` and never runs it, the pre-commit
framework 4 moves it to ``NAME.legacy`` and runs it first, without stdin but for ``pre-push``.
"""

from __future__ import annotations

import os
from pathlib import Path

from gittraj.commands.install.shims import KEPT, find_block
from gittraj.errors import TrajError

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
    """Whether the hook that we had kept gives way to the present one: an earlier release of the same tool's;
    or lefthook moved ours aside, as it would have moved the kept one. Removes or moves it unless
    ``dry_run``."""
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
    """Remove our hook that lefthook moved aside: lefthook refuses to install again beside it. Raises
    OSError."""
    if _is_pure(old_of(path)):
        old_of(path).unlink()


def _is_pure(path: Path) -> bool:
    try:
        found = find_block(path.read_bytes()) if path.is_file() else None
    except TrajError:
        return False
    return found is not None and found.pure
