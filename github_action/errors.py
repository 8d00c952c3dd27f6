"""What can go wrong between the action and GitHub, told apart by what the action does about it.

::

    TrajError
    ├── EventError        the event, or an input, does not say what to do
    └── GitHubError
        ├── Refused       the token may not (401, 403), or must not know that it is there (404)
        ├── Invalid       GitHub understood and said no (422): a body that is too long
        ├── Gone          what was there a moment ago is not (410; 404 for a comment that was listed)
        ├── Limited       asked too often (429, 403 with a rate limit), for longer than we wait
        └── Unreachable   no answer, 5xx, or one that cannot be read: a write may have happened all the same

Their texts hold nothing of what GitHub answered: that may quote a pull request.
"""

from __future__ import annotations

from gittraj.errors import TrajError


class EventError(TrajError):
    pass


class GitHubError(TrajError):
    """``wait``: seconds after which asking again makes sense."""

    def __init__(self, message: str, hint: str | None = None, *, wait: float = 0.0) -> None:
        super().__init__(message, hint)
        self.wait = wait


class Refused(GitHubError):  # noqa: N818 - these read as what they say
    pass


class Invalid(GitHubError):  # noqa: N818
    pass


class Gone(GitHubError):  # noqa: N818
    pass


class Limited(GitHubError):  # noqa: N818
    pass


class Unreachable(GitHubError):  # noqa: N818
    pass
