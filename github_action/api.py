"""The connection to GitHub: PyGithub, set up to retry no write and to send no needless request.

Every exception of PyGithub and its libraries becomes a ``ForgeError`` here. This module must not read the
environment, nor decide how to handle an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from github import Auth, Github, GithubException
from github.GithubException import BadAttributeException, RateLimitExceededException
from github.Repository import Repository
from requests import RequestException

from github_action.errors import ForgeError, Refused, Unreachable
from github_action.retry import RetryBudget, RetryPolicy, check_address, refusal
from github_action.token import Token
from gittraj import __version__

VERSION = "2022-11-28"
"""https://docs.github.com/en/rest/about-the-rest-api/api-versions: without a version, GitHub picks one."""
_TIMEOUT = 10  # seconds for one response


class Api:
    """One repository, with one token. A context manager that closes the connection.

    ``repository`` and its objects are lazy: they send a request when an unknown value is read.
    """

    def __init__(self, github: Github, *, repository: str, budget: RetryBudget) -> None:
        self._github = github
        self.budget = budget
        self.repository: Repository = github.get_repo(repository)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._github.close()

    def viewer(self) -> str:
        """The login that the token writes under, ``github-actions[bot]`` for a workflow's own token.

        Uses GraphQL, because ``GET /user`` is closed to a workflow's token. Raises ForgeError.
        """

        def ask() -> str:
            with translated("asking who we are"):
                _, data = self._github.requester.graphql_query("query { viewer { login } }", {})
                return str(data["data"]["viewer"]["login"])

        return self.budget.retry(ask)


def connect(token: Token, *, repository: str, url: str, budget: RetryBudget) -> Api:
    """Return a connection. ``url`` is ``GITHUB_API_URL``, which is ``https://HOST/api/v3`` on an Enterprise
    Server. Raises EventError for a URL that the token must not be sent to."""
    github = Github(
        auth=Auth.Token(token.reveal()),
        base_url=check_address(url),
        timeout=_TIMEOUT,
        user_agent=f"git-traj/{__version__}",
        per_page=100,
        retry=RetryPolicy(budget=budget),
        seconds_between_requests=0,
        seconds_between_writes=0,  # see RetryBudget.pace
        lazy=True,
        api_version=VERSION,
    )
    return Api(github, repository=repository, budget=budget)


@contextmanager
def translated(doing: str, *, missing: type[ForgeError] = Refused) -> Iterator[None]:
    """Translate exceptions of PyGithub and requests into ForgeErrors. ``doing`` begins the message, such as
    "listing comments"; ``missing`` is the error for a 404."""
    try:
        yield
    except GithubException as error:
        raise _refusal(error, doing, missing) from None
    except RequestException:
        raise Unreachable(f"{doing}: no response from GitHub", "run the job again later", wait=2.0) from None
    except (
        BadAttributeException,
        AssertionError,  # PyGithub raises it for a URL on another host
        RuntimeError,  # for a redirect to another host; RecursionError is one, too
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ):
        raise Unreachable(f"{doing}: GitHub's response cannot be read", wait=2.0) from None


def _refusal(error: GithubException, doing: str, missing: type[ForgeError]) -> ForgeError:
    headers: Mapping[str, str] = {k.lower(): str(v) for k, v in (error.headers or {}).items()}
    is_limit = _is_limit(error)
    return refusal(error.status, headers, doing=doing, missing=missing, limit=is_limit, hint=_PERMISSIONS)


_PERMISSIONS = "the job needs 'permissions: {contents: read, pull-requests: write}'"


def _is_limit(error: GithubException) -> bool:
    message: Any = error.data.get("message") if isinstance(error.data, dict) else None
    return isinstance(error, RateLimitExceededException) or "rate limit" in str(message).lower()
