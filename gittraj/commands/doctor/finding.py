"""One thing that a check found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Literal

from gittraj.errors import FormatError, GitError
from gittraj.frozen import dataclass

UNREADABLE = "records cannot be read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``wrong`` needs somebody to do something, a ``note`` is good to know. ``code`` is stable, for scripts.

    ``fix``, where there is one, is safe: it loses nothing and can be repeated. It may raise TrajError.
    """

    code: str
    text: str
    remedy: str
    severity: Literal["wrong", "note"] = "wrong"
    fix: Callable[[], object] | None = field(default=None, repr=False, compare=False)


def unreadable(error: GitError) -> FormatError:
    """The error for records whose objects are missing."""
    return FormatError(f"{UNREADABLE}: {error.message}", "git fsck, then fetch from a clone that is whole")
