"""The interface of a pull request host, the same for GitHub, GitLab, Gitea and Forgejo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from github_action.api import Api, connect
from github_action.comments import Thread
from github_action.gitea import Gitea
from github_action.gitlab import GitLab
from github_action.pull_request import PullDetails, read_details, read_files, read_pull
from github_action.rest import Rest
from github_action.retry import RetryBudget
from github_action.settings import Settings
from github_action.upsert_comment import Comments


class Forge(Protocol):
    """One repository on a host, with one token. Its methods raise ForgeError."""

    @property
    def budget(self) -> RetryBudget: ...

    def details(self, number: int) -> PullDetails: ...

    def head(self, number: int) -> str:
        """The current head commit of the pull request."""

    def files_of(self, commit: str) -> tuple[str, ...] | None:
        """The first files that a commit changed; None on any error, without a retry."""

    def viewer(self) -> str:
        """The login that the token writes under."""

    def thread(self, number: int) -> Comments: ...

    def relabel(self, number: int, labels: Mapping[str, bool]) -> None:
        """Add the labels whose value is true, and remove the others."""


class GitHub:
    """GitHub and its Enterprise Server."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.budget = api.budget

    def details(self, number: int) -> PullDetails:
        return read_details(self.api, number)

    def head(self, number: int) -> str:
        return read_pull(self.api, number).head

    def files_of(self, commit: str) -> tuple[str, ...] | None:
        return read_files(self.api, commit)

    def viewer(self) -> str:
        return self.api.viewer()

    def thread(self, number: int) -> Comments:
        return Thread(self.api, number)

    def relabel(self, number: int, labels: Mapping[str, bool]) -> None:
        Thread(self.api, number).relabel(labels)


@contextmanager
def open_forge(settings: Settings, *, repository: str, budget: RetryBudget) -> Iterator[Forge]:
    """Connect to the host of ``repository``, of the kind ``settings.host``. Raises EventError for an address
    that the token must not be sent to."""
    if settings.host == "github":
        with connect(settings.token, repository=repository, url=settings.api, budget=budget) as api:
            yield GitHub(api)
        return
    kind = GitLab if settings.host == "gitlab" else Gitea
    with Rest(settings.api, kind.headers(settings.token), budget=budget) as rest:
        yield kind(rest, server=settings.server, repository=repository)
