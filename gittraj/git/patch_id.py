"""A commit's patch-id: the same for the same change on another parent.

The command is part of the record's format (``origin.patchId``): another option makes old records unmatchable.
"""

from __future__ import annotations

from gittraj.git.process import Result
from gittraj.git.repository import Repository

_LIMIT = 20 * 1024 * 1024  # bytes of patch
_DIFF = (
    *("-c", "diff.suppressBlankEmpty=false"),
    *("diff-tree", "-p", "--no-renames", "--full-index", "--no-ext-diff", "--no-textconv"),
)


def patch_id(repository: Repository, commit: str) -> str | None:
    """The id of the change of ``commit``; None for a merge, a root or empty commit, or over 20 MB."""
    patch = _read_patch(repository, commit)
    if not patch:
        return None
    found: Result = repository.run("patch-id", "--verbatim", input=patch)
    return found.out.split(b" ")[0].decode() or None


def _read_patch(repository: Repository, commit: str) -> bytes:
    """Empty for a merge, for which diff-tree without -m prints nothing, and when over the limit."""
    process = repository.runner.start(*_DIFF, commit)
    assert process.stdout is not None  # noqa: S101 - tells the type checker what PIPE means
    with process:
        patch = process.stdout.read(_LIMIT + 1)
        process.kill()
    return patch if len(patch) <= _LIMIT else b""
