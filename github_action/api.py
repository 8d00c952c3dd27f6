"""The connection to GitHub: PyGithub, set up so that nothing is asked twice, nor asked that is not used.

Everything that PyGithub and what is below it raise becomes a ``GitHubError`` here. It must not read the
environment, nor decide what is done about an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from github import Auth, Github, GithubException
from github.GithubException import BadAttributeException, RateLimitExceededException
from github.Repository import Repository
from requests import RequestException

from github_action.errors import EventError, GitHubError, Gone, Invalid, Refused, Unreachable
from github_action.patience import SECONDARY, Patience, Repeating, limited, told
from github_action.token import Token
from gittraj import __version__

VERSION = "2022-11-28"
"""https://docs.github.com/en/rest/about-the-rest-api/api-versions: without one, GitHub picks it."""
_TIMEOUT = 10  # seconds for one answer
_HERE = ("localhost", "127.0.0.1", "::1")


class Api:
    """One repository, by one token. A context manager, which closes the connection.

    ``repository``: lazy, as is all that comes from it: no request before a value is read that is not there
    yet.
    """

    def __init__(self, github: Github, *, repository: str, patience: Patience) -> None:
        self._github = github
        self.patience = patience
        self.repository: Repository = github.get_repo(repository)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._github.close()

    def viewer(self) -> str:
        """The login that the token writes under, ``github-actions[bot]`` for a workflow's own.

        By GraphQL: ``GET /user`` is closed to that one. Raises GitHubError.
        """

        def ask() -> str:
            with translated("asking who we are"):
                _, data = self._github.requester.graphql_query("query { viewer { login } }", {})
                return str(data["data"]["viewer"]["login"])

        return self.patience.insist(ask)


def connect(token: Token, *, repository: str, url: str, patience: Patience) -> Api:
    """``url``: ``GITHUB_API_URL``, which is ``https://HOST/api/v3`` on an Enterprise Server. Raises
    EventError for one that the token must not go to."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _HERE):
        raise EventError("GITHUB_API_URL is no https address", "run this in a workflow of GitHub Actions")
    github = Github(
        auth=Auth.Token(token.reveal()),
        base_url=url.rstrip("/"),
        timeout=_TIMEOUT,
        user_agent=f"git-traj/{__version__}",
        per_page=100,
        retry=Repeating(patience=patience),
        seconds_between_requests=0,
        seconds_between_writes=0,  # see Patience.pace
        lazy=True,
        api_version=VERSION,
    )
    return Api(github, repository=repository, patience=patience)


@contextmanager
def translated(doing: str, *, missing: type[GitHubError] = Refused) -> Iterator[None]:
    """What PyGithub and requests raise, as GitHubErrors; ``missing`` is what 404 means here."""
    try:
        yield
    except GithubException as error:
        raise _refusal(error, doing, missing) from None
    except RequestException:
        raise Unreachable(f"{doing}: no answer from GitHub", "run the job again later", wait=2.0) from None
    except (
        BadAttributeException,
        AssertionError,  # PyGithub's word for an address on another host
        RuntimeError,  # its word for a redirection there; RecursionError is one too
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ):
        raise Unreachable(f"{doing}: GitHub's answer cannot be read", wait=2.0) from None


def _refusal(error: GithubException, doing: str, missing: type[GitHubError]) -> GitHubError:
    headers: Mapping[str, str] = {k.lower(): str(v) for k, v in (error.headers or {}).items()}
    status, wait = error.status, told(headers)
    if status == 429 or (status == 403 and (wait is not None or _is_limit(error))):
        return limited(SECONDARY if wait is None else wait)
    if status >= 500:
        return Unreachable(f"{doing}: GitHub fails ({status})", "run the job again later", wait=wait or 2.0)
    if status == 404:
        return missing(f"{doing}: not found, or hidden from the token (404)", _PERMISSIONS)
    if status == 410:
        return Gone(f"{doing}: it is gone (410)")
    if status == 422:
        return Invalid(f"{doing}: GitHub does not take it (422)")
    return Refused(f"{doing}: the token may not ({status})", _PERMISSIONS)


_PERMISSIONS = "the job needs 'permissions: {contents: read, pull-requests: write}'"


def _is_limit(error: GithubException) -> bool:
    said: Any = error.data.get("message") if isinstance(error.data, dict) else None
    return isinstance(error, RateLimitExceededException) or "rate limit" in str(said).lower()
