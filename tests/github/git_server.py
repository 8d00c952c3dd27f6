"""Git over HTTP as GitHub lets it be read and written: everybody reads all but what is hidden; the token of a
job writes to its own repository, and reads it where it is hidden."""

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
        """Name and, where there was one, the token, of each request."""
        return [(each.name, each.token) for each in self.exchanges]

    def may(self, name: str, token: str | None, *, write: bool) -> bool:
        own = token == self.token and name == self.home
        return token in (None, self.token) and (own or (name not in self.hidden and not write))
