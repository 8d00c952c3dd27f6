"""Every error that git-traj raises on purpose.

::

    TrajError                   one ``error:`` line, a ``hint:`` line when there is one, status 1
    ├── UsageError              the command line is wrong, status 2
    ├── GitError                git, or a repository, refused
    │   └── NotARepository
    ├── FormatError             a stored note, segment or a session log cannot be understood
    ├── StoreError              a record could not be written (nothing half-written remains)
    └── RedactionError          a text could not be scanned, so it must not be stored

Anything else that reaches the top is a bug (status 3).
"""

from __future__ import annotations


class TrajError(Exception):
    """An expected failure.

    ``message`` says what and where on one line; ``hint`` says what to do; ``exit_code`` is the
    process status that the command line ends with.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(TrajError):
    exit_code = 2


class GitError(TrajError):
    pass


class NotARepository(GitError):  # noqa: N818 - reads as what it says
    pass


class FormatError(TrajError):
    pass


class StoreError(TrajError):
    pass


class RedactionError(TrajError):
    pass
