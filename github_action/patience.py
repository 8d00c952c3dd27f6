"""How long one run waits for GitHub, and which requests are repeated without looking.

PyGithub's own policy is not ours: it repeats a POST whose 502 came after the write, which makes a second
comment, and it sleeps out a rate limit, for an hour. Here reads and deletions are repeated; POST and PATCH
never are, since who writes looks first at what became of it (``sticky``). All waiting of a run comes out of
one purse.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from github import GithubRetry

from github_action.errors import GitHubError, Limited, Unreachable

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

T = TypeVar("T")
SECONDARY = 60.0
"""Seconds after a secondary limit that names none: "wait for at least one minute",
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit."""
_ATTEMPTS = 5


@dataclass(slots=True)
class Patience:
    """``left``: seconds that this run may still wait for answers, in all. ``between_writes``: seconds, see
    https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api.
    ``sleep`` does it."""

    left: float = 90.0
    between_writes: float = 1.0
    sleep: Callable[[float], None] = time.sleep

    def wait(self, error: GitHubError) -> None:
        """Wait as long as ``error`` says; raise it when that is longer than what is left."""
        if error.wait > self.left:
            raise error
        self.left -= error.wait
        self.sleep(error.wait)

    def pace(self) -> None:
        """After a write. Not PyGithub's, which waits before one: then what was asked before it is out of
        date."""
        self.sleep(self.between_writes)

    def insist(self, ask: Callable[[], T]) -> T:
        """What ``ask`` returns: a question that is a POST (GraphQL), put again. Raises what it raises."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return ask()
            except (Limited, Unreachable) as error:
                self.wait(error)
        return ask()


class Repeating(GithubRetry):
    """Repeats GET and DELETE. Raises Limited or Unreachable when patience ends before the attempts do.

    With ``raise_on_status`` off, the last answer reaches PyGithub, which makes the same exception of it as
    of a first one.
    """

    def __init__(self, *, patience: Patience, **kwargs: Any) -> None:
        self.patience = patience
        super().__init__(**_POLICY | kwargs)

    def new(self, **kwargs: Any) -> Self:
        return super().new(patience=self.patience, **kwargs)

    def sleep(self, response: BaseHTTPResponse | None = None) -> None:
        wait = None if response is None else told(response.headers)
        if wait is None:
            wait = self.get_backoff_time()
        if response is None or response.status >= 500:
            self.patience.wait(Unreachable("GitHub does not answer", "run the job again later", wait=wait))
        else:
            self.patience.wait(limited(wait))


_POLICY: dict[str, Any] = {
    "total": _ATTEMPTS,
    "backoff_factor": 1,  # 0, 2, 4, 8, 16 seconds
    "secondary_rate_wait": SECONDARY,
    "allowed_methods": frozenset(("GET", "HEAD", "DELETE")),
    "status_forcelist": [429, 500, 502, 503, 504],  # and 403, which GithubRetry adds and looks into
    "raise_on_status": False,
}


def limited(wait: float) -> Limited:
    hint = "run the job again then, or give the action a token of its own"
    return Limited(f"GitHub limits the rate: not before {wait:.0f} s", hint, wait=wait)


def told(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, by the headers of an answer, whose names are in small letters or regardless of case.

    GitHub's are whole numbers: seconds in ``retry-after``, a time in ``x-ratelimit-reset``.
    """
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdecimal() and len(after) < 12:
        return float(after)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal() and len(reset) < 12:
        return max(1.0, int(reset) + 1 - time.time())
    return None
