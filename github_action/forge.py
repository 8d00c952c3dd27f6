"""What the report needs of a host of pull requests: GitHub, GitLab, Gitea and Forgejo look the same here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from github_action.gitea import Gitea
from github_action.github import GitHub
from github_action.gitlab import GitLab
from github_action.pull_request import PullDetails
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
        """The commit that the pull request ends in now."""

    def files_of(self, commit: str) -> tuple[str, ...] | None:
        """The first files that a commit changed; None on any error: not worth another."""

    def viewer(self) -> str:
        """The login that the token writes under."""

    def thread(self, number: int) -> Comments: ...

    def relabel(self, number: int, labels: Mapping[str, bool]) -> None:
        """Add the labels that are true, and take the others off."""


_KINDS: dict[str, type[GitHub] | type[GitLab] | type[Gitea]] = {
    "github": GitHub,
    "gitlab": GitLab,
    "gitea": Gitea,
}


@contextmanager
def open_forge(settings: Settings, *, repository: str, budget: RetryBudget) -> Iterator[Forge]:
    """The host of ``repository``, by the ``host`` of the settings. Raises EventError for an address that the
    token must not be sent to."""
    kind = _KINDS[settings.host]
    with Rest(settings.api, kind.headers(settings.token), budget=budget, hint=kind.hint) as rest:
        yield kind(rest, server=settings.server, repository=repository)
