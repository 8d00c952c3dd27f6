"""git as the rest of git-traj sees it: a repository, its objects and refs, its reflog, its commits' changes.

The only importer of pygit2 (and only once objects are touched: it costs 60 ms), the only runner of git. It
must not know of notes, sessions or trajectories.
"""

from __future__ import annotations

from gittraj.git.changes import CommitChanges, PathChange, read_changes
from gittraj.git.discovery import open_repository
from gittraj.git.encoding import BLOB, COMMIT, SYMLINK, TREE, CommitInfo, Entry, ObjectFormat
from gittraj.git.interface import Objects, is_oid
from gittraj.git.patch_id import patch_id, patch_ids
from gittraj.git.process import Result, clean_environment
from gittraj.git.reflog import Position, ReflogEntry, read_reflog
from gittraj.git.repository import Backend, Repository, Worktree

__all__ = [
    "BLOB",
    "COMMIT",
    "SYMLINK",
    "TREE",
    "Backend",
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
    "Worktree",
    "clean_environment",
    "is_oid",
    "open_repository",
    "patch_id",
    "patch_ids",
    "read_changes",
    "read_reflog",
]
