"""Decides how long one run waits, what a response's status means, and which requests are retried.

PyGithub's own policy does not fit: it retries a POST whose 502 came after the write, which makes a second
comment, and it waits until a rate limit ends, up to an hour. This one retries reads and deletions, but never
POST and PATCH: the caller first checks whether the write arrived (``upsert_comment``). All waits of a run
share one budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from github import GithubRetry

from github_action.errors import EventError, ForgeError, Gone, Invalid, Limited, Refused, Unreachable

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

T = TypeVar("T")
SECONDARY = 60.0
"""Seconds to wait after a response to a secondary rate limit that does not say how long: "wait for at least
one minute",
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit."""
_ATTEMPTS = 5
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(slots=True)
class RetryBudget:
    """The time that a run may wait, in seconds: ``left`` is what remains of it, ``rate_limit_wait`` the time
    spent so far waiting for the host's rate limit; ``between_writes`` is the pause that GitHub asks for in
    https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api."""

    left: float = 90.0
    rate_limit_wait: float = 0.0
    between_writes: float = 1.0
    sleep: Callable[[float], None] = time.sleep

    def wait(self, error: ForgeError) -> None:
        """Wait as long as ``error`` asks; raise it if that exceeds the budget."""
        if error.wait > self.left:
            raise error
        self.left -= error.wait
        self.rate_limit_wait += error.wait if isinstance(error, Limited) else 0.0
        self.sleep(error.wait)

    def pace(self) -> None:
        """Pause after a write. PyGithub would pause before it, and what was read before that pause
        may be out of date."""
        self.sleep(self.between_writes)

    def retry(self, ask: Callable[[], T]) -> T:
        """Return ``ask()``, tried again after Limited and Unreachable. Only for requests that may be
        repeated: reads and deletions of ``rest``, and GraphQL queries, which PyGithub does not retry, because
        they are POSTs. Raises the last error."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return ask()
            except (Limited, Unreachable) as error:
                self.wait(error)
        return ask()


class RetryPolicy(GithubRetry):
    """Retries GET and DELETE. Raises Limited or Unreachable if the budget runs out before the attempts do.

    With ``raise_on_status`` off, PyGithub gets the last answer and raises its usual error for it.
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
            self.budget.wait(Unreachable("the host does not answer", "run the job again later", wait=wait))
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
    return Limited(f"rate limit reached: try again after {wait:.0f} s at the earliest", hint, wait=wait)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read the seconds to wait from a response's headers, whose names are in lower case or case-insensitive.

    GitHub sends whole numbers: seconds in ``retry-after``, a time in ``x-ratelimit-reset``.
    """
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdecimal() and len(after) < 12:
        return float(after)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal() and len(reset) < 12:
        return max(1.0, int(reset) + 1 - time.time())
    return None


def refusal(
    status: int,
    headers: Mapping[str, str],
    *,
    doing: str,
    missing: type[ForgeError],
    limit: bool = False,
    hint: str = "the token lacks a permission: see docs/pull-requests.md",
) -> ForgeError:
    """The error for a response with this ``status``; ``headers`` as for ``retry_after``. ``limit``: the
    response says that a 403 is due to a rate limit."""
    wait = retry_after(headers)
    if status == 429 or (status == 403 and (wait is not None or limit)):
        return limited(SECONDARY if wait is None else wait)
    if status >= 500:
        message = f"{doing}: the host reported an error ({status})"
        return Unreachable(message, "run the job again later", wait=wait or 2.0)
    kinds: dict[int, tuple[type[ForgeError], str]] = {
        404: (missing, "not found, or hidden from the token"),
        410: (Gone, "it was deleted"),
        422: (Invalid, "the host does not accept it"),
    }
    kind, what = kinds.get(status, (Refused, "the token lacks the permission"))
    return kind(f"{doing}: {what} ({status})", hint if status not in (410, 422) else None)


def check_address(url: str) -> str:
    """Return an API's address, to which the token may be sent. Raises EventError."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise EventError("GITHUB_API_URL is not an https address", "run this in a workflow of GitHub Actions")
    return url.rstrip("/")
