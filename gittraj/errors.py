"""Every error that git-traj raises on purpose.

::

    TrajError                   one ``error:`` line, a ``hint:`` line when there is one, status 1
    ├── UsageError              the command line is wrong, status 2
    ├── DeclinedError           the user was asked and said no: a line without ``error:``
    ├── GitError                git failed, or the repository does not have what was asked for
    │   ├── NotARepository
    │   └── LargeObjectError    an object is larger than any that git-traj writes
    ├── FormatError             a stored note, segment or a session log cannot be understood
    ├── StoreError              a record could not be written (nothing half-written remains)
    ├── RedactionError          a text could not be scanned, so it must not be stored
    ├── SealError               thinking could not be sealed, so it is dropped; or a seal could not be opened
    │   └── AgeError            the age data of a seal: ``gittraj.seal.age.errors`` has the subclasses
    └── TaskError               a task system did not answer or refused; the record is still written

Anything else that reaches the top is a bug (status 3).
"""

from __future__ import annotations

import errno
import os
from typing import Literal

_THEN = "recording then catches up; repeat any other command"
_DISK = {
    os.strerror(errno.ENOSPC): f"make room there: {_THEN}",
    os.strerror(errno.EDQUOT): f"make room there: {_THEN}",
    os.strerror(errno.EROFS): f"make it writable: {_THEN}",
    os.strerror(errno.EACCES): f"make it writable: {_THEN}",
}
"""The system's messages for a disk that cannot be written for a while, and what the user can do."""


class TrajError(Exception):
    """An expected failure. ``message`` says on one line what failed and where; ``hint`` says what the user
    can do; ``exit_code`` is the status that the process ends with."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def one_line(self) -> str:
        """Message and hint on one line, for a command that continues."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(TrajError):
    exit_code = 2


class DeclinedError(TrajError):
    """The user was asked and said no; the message is printed without ``error:``."""


class GitError(TrajError):
    pass


class NotARepository(GitError):  # noqa: N818 - the name already says what is wrong
    pass


class FormatError(TrajError):
    pass


class LargeObjectError(GitError):
    """An object is larger than any that git-traj writes."""


class StoreError(TrajError):
    pass


class RedactionError(TrajError):
    pass


def unwritable(where: object, why: OSError | str) -> StoreError:
    """Return the error for a failed write. ``why`` may be git's message, which contains the system's."""
    reason = why if isinstance(why, str) else why.strerror or str(why)
    hint = next((hint for word, hint in _DISK.items() if word in reason), None)
    return StoreError(f"{where} cannot be written: {reason}", hint)


class SealError(TrajError):
    pass


TaskReason = Literal["key", "network", "limit", "unknown", "answer", "unsupported"]


class TaskError(TrajError):
    """A task system failed. ``reason`` says why: the key is missing or wrong (``key``), no answer in time
    (``network``), too many requests (``limit``), no such task (``unknown``), an unreadable answer
    (``answer``), or the system cannot do it (``unsupported``)."""

    def __init__(self, message: str, hint: str | None = None, *, reason: TaskReason) -> None:
        super().__init__(message, hint)
        self.reason: TaskReason = reason
