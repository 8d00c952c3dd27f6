"""Git over HTTP with GitHub's permissions: everybody can read all repositories that are not hidden; a job's
token can write to its own repository, and read it even if it is hidden."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.integration.git_host import GitHost


@dataclass(kw_only=True)
class GitServer(GitHost):
    """``home`` is the repository (OWNER/NAME) of the ``token``."""

    token: str
    home: str
    hidden: set[str] = field(default_factory=set)

    @property
    def asked(self) -> list[tuple[str, str | None]]:
        """The repository's name and the token (None: without one) of each request."""
        return [(each.name, each.token) for each in self.exchanges]

    def may(self, name: str, token: str | None, *, write: bool) -> bool:
        own = token == self.token and name == self.home
        return token in (None, self.token) and (own or (name not in self.hidden and not write))
