"""git as the rest of git-traj sees it: a repository, its objects and refs, its reflog, its commits' changes.

The only importer of pygit2 (and only once objects are touched: it costs 60 ms), the only runner of git. It
must not know of notes, sessions or trajectories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gittraj.startup import lazy_names

if TYPE_CHECKING:
    from gittraj.git.blame import Blame, BlamedLine, read_blob, start_blame
    from gittraj.git.changes import (
        CommitChanges,
        PathChange,
        patch_ids,
        read_changes,
        read_present,
    )
    from gittraj.git.common_lines import find_common
    from gittraj.git.discovery import from_top, open_for_hook, open_repository
    from gittraj.git.encoding import BLOB, COMMIT, SYMLINK, TREE, CommitInfo, Entry, ObjectFormat
    from gittraj.git.interface import Objects, is_oid
    from gittraj.git.process import Result, clean_environment
    from gittraj.git.reflog import Position, ReflogEntry, read_reflog
    from gittraj.git.repository import Backend, Repository, Setting, Worktree

__all__ = [
    "BLOB",
    "COMMIT",
    "SYMLINK",
    "TREE",
    "Backend",
    "Blame",
    "BlamedLine",
    "CommitChanges",
    "CommitInfo",
    "Entry",
    "ObjectFormat",
    "Objects",
    "PathChange",
    "Position",
    "ReflogEntry",
    "Repository",
    "Result",
    "Setting",
    "Worktree",
    "clean_environment",
    "find_common",
    "from_top",
    "is_oid",
    "open_for_hook",
    "open_repository",
    "patch_ids",
    "read_blob",
    "read_changes",
    "read_present",
    "read_reflog",
    "start_blame",
]

__getattr__ = lazy_names(
    __name__,
    {
        "blame": "Blame BlamedLine read_blob start_blame",
        "changes": "CommitChanges PathChange patch_ids read_changes read_present",
        "common_lines": "find_common",
        "discovery": "from_top open_for_hook open_repository",
        "encoding": "BLOB COMMIT SYMLINK TREE CommitInfo Entry ObjectFormat",
        "interface": "Objects is_oid",
        "process": "Result clean_environment",
        "reflog": "Position ReflogEntry read_reflog",
        "repository": "Backend Repository Setting Worktree",
    },
)
