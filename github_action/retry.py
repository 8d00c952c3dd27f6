"""How long one run waits for GitHub, and which requests are repeated blindly.

PyGithub's own policy does not fit: it repeats a POST whose 502 came after the write, which makes a second
comment, and it sleeps out a rate limit, for an hour. Here reads and deletions are repeated; POST and PATCH
never are: the writer first looks whether the write arrived (``upsert_comment``). All waits of a run share one
budget.
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
"""Seconds to wait after a secondary limit without a time: "wait for at least one minute",
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit."""
_ATTEMPTS = 5


@dataclass(slots=True)
class RetryBudget:
    """``left``: seconds that this run may still wait, in total. ``between_writes``: seconds, see
    https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api."""

    left: float = 90.0
    between_writes: float = 1.0
    sleep: Callable[[float], None] = time.sleep

    def wait(self, error: GitHubError) -> None:
        """Wait as long as ``error`` asks; raise it if that exceeds the budget."""
        if error.wait > self.left:
            raise error
        self.left -= error.wait
        self.sleep(error.wait)

    def pace(self) -> None:
        """Pause after a write. PyGithub pauses before one, when the preceding read goes out of date."""
        self.sleep(self.between_writes)

    def retry(self, ask: Callable[[], T]) -> T:
        """Return ``ask()``, repeated on errors: for a query by POST (GraphQL). Raises its last error."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return ask()
            except (Limited, Unreachable) as error:
                self.wait(error)
        return ask()


class RetryPolicy(GithubRetry):
    """Repeats GET and DELETE. Raises Limited or Unreachable if the budget ends before the attempts.

    With ``raise_on_status`` off, PyGithub gets the last answer and raises for it as for a first one.
    """

    def __init__(self, *, budget: RetryBudget, **kwargs: Any) -> None:
        self.budget = budget
        super().__init__(**_POLICY | kwargs)

    def new(self, **kwargs: Any) -> Self:
        return super().new(budget=self.budget, **kwargs)

    def sleep(self, response: BaseHTTPResponse | None = None) -> None:
        wait = None if response is None else retry_after(response.headers)
        if wait is None:
            wait = self.get_backoff_time()
        if response is None or response.status >= 500:
            self.budget.wait(Unreachable("GitHub does not answer", "run the job again later", wait=wait))
        else:
            self.budget.wait(limited(wait))


_POLICY: dict[str, Any] = {
    "total": _ATTEMPTS,
    "backoff_factor": 1,  # 0, 2, 4, 8, 16 seconds
    "secondary_rate_wait": SECONDARY,
    "allowed_methods": frozenset(("GET", "HEAD", "DELETE")),
    "status_forcelist": [429, 500, 502, 503, 504],  # and 403, which GithubRetry adds and examines
    "raise_on_status": False,
}


def limited(wait: float) -> Limited:
    hint = "run the job again then, or give the action a token of its own"
    return Limited(f"GitHub limits the rate: not before {wait:.0f} s", hint, wait=wait)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from an answer's headers, whose names are in lower case or case-insensitive.

    GitHub sends whole numbers: seconds in ``retry-after``, a time in ``x-ratelimit-reset``.
    """
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdecimal() and len(after) < 12:
        return float(after)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal() and len(reset) < 12:
        return max(1.0, int(reset) + 1 - time.time())
    return None
