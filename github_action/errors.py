"""Errors between the action and the host, one class for each way in which the action handles them.

::

    TrajError
    ├── EventError        the event or an input is missing or not valid
    └── ForgeError
        ├── Refused       the token lacks a permission (401, 403), or cannot even see the object (404)
        ├── Invalid       the host understood and said no (422): a body that is too long
        ├── Gone          deleted meanwhile (410; 404 for a comment that was listed)
        ├── Limited       rate limited (429, or 403 with a limit) for longer than we wait
        └── Unreachable   no response, 5xx, or an unreadable one: a write may still have happened

Their messages never quote the host's response, which may contain text of a pull request.
"""

from __future__ import annotations

from gittraj.errors import TrajError


class EventError(TrajError):
    pass


class ForgeError(TrajError):
    """A request to the host failed; ``wait`` is the number of seconds before the next attempt."""

    def __init__(self, message: str, hint: str | None = None, *, wait: float = 0.0) -> None:
        super().__init__(message, hint)
        self.wait = wait


class Refused(ForgeError):  # noqa: N818 - the names read well without it
    pass


class Invalid(ForgeError):  # noqa: N818
    pass


class Gone(ForgeError):  # noqa: N818
    pass


class Limited(ForgeError):  # noqa: N818
    pass


class Unreachable(ForgeError):  # noqa: N818
    pass
