"""The repositories of an organisation or a user on GitHub, by PyGithub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gittraj.errors import TrajError

if TYPE_CHECKING:
    from github import Github

_RETRIES = 2
"""Of a request that no one answers; PyGithub asks ten times, and sleeps out a rate limit."""


def list_organisation(name: str, environ: Mapping[str, str], *, api: Github | None = None) -> Iterator[str]:
    """Addresses, without archived repositories. The token is ``GH_TOKEN``'s or ``GITHUB_TOKEN``'s. Raises
    TrajError."""
    from github import Auth, Github, GithubException  # noqa: PLC0415 - 160 ms
    from requests import RequestException  # noqa: PLC0415

    token = environ.get("GH_TOKEN") or environ.get("GITHUB_TOKEN")
    asked = api or Github(
        auth=Auth.Token(token) if token else None,
        base_url=environ.get("GITHUB_API_URL") or "https://api.github.com",
        retry=_RETRIES,
    )
    try:
        for repository in asked.get_organization(name).get_repos():
            if not repository.archived:
                yield repository.clone_url
    except GithubException as error:
        raise TrajError(
            f"github:{name}: GitHub answered {error.status}",
            "is GH_TOKEN set, and may it list the organisation?",
        ) from None
    except RequestException:
        raise TrajError(f"github:{name}: GitHub could not be reached", "is there a network?") from None
