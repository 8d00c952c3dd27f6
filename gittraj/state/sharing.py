"""Decides who owns the state's files if several people commit in one repository (``core.sharedRepository``,
sudo).

The spool, the lock and what is switched off belong to all of them; everybody has their own redactor's key,
keyed hashes and cursors.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path


def own_folder(folder: Path) -> Path:
    """The folder of this user's own files: the state folder, or a private one in it if another user owns
    that."""
    me = os.geteuid() if hasattr(os, "geteuid") else None
    owner = _owner(folder)
    if me is None or owner is None or owner == me:
        return folder
    return folder / f"of-{me}"


def is_guest(folder: Path, environ: Mapping[str, str]) -> bool:
    """Whether root works in somebody else's repository by sudo: its owner could no longer write the files
    that root wrote. Root without sudo, if git was told to trust the repository, counts as its user."""
    me = os.geteuid() if hasattr(os, "geteuid") else None
    return me == 0 and "SUDO_UID" in environ and _owner(folder) not in (None, 0)


def share(path: Path, *, like: Path) -> None:
    """Give a file or folder to the group, or to everybody, as git did with the folder ``like``."""
    try:
        given = stat.S_IMODE(like.stat().st_mode)
        mode = stat.S_IMODE(path.stat().st_mode)
        writers = given & 0o022
        more = writers | writers << 1 | (writers >> 1 | given & 0o2000 if path.is_dir() else 0)
        if writers and mode | more != mode:
            path.chmod(mode | more)
    except OSError:
        pass  # it is another user's, who has shared it, or the file system has no modes


def _owner(folder: Path) -> int | None:
    try:
        return folder.stat().st_uid
    except OSError:
        return None
