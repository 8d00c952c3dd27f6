"""Reads the files with rules in gitleaks' form that settings name. Only redaction needs them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gittraj import limits
from gittraj.frozen import dataclass
from gittraj.startup import sha256

RuleBody = tuple[str, bytes | None, bool]
"""A file's name in the settings, its content (None: it cannot be read), and whether its allowlists apply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePaths:
    """The user's ``own`` files by name, and the names of the team's ``shared`` files, which must be in the
    folder ``top``. The allowlists of a file apply if its digest is ``trusted``, whoever names the file."""

    top: Path
    own: Mapping[str, Path]
    shared: Sequence[str]
    trusted: Collection[str]

    @property
    def names(self) -> Sequence[str]:
        return [*dict.fromkeys((*self.own, *self.shared))]

    def read(self) -> tuple[RuleBody, ...]:
        bodies = ((name, self._read(name)) for name in self.names)
        return tuple(
            (n, body, body is not None and sha256(body).hexdigest() in self.trusted) for n, body in bodies
        )

    def _read(self, name: str) -> bytes | None:
        path = self.top / self.own.get(name, name)
        with suppress(OSError, RuntimeError, ValueError):
            if path.is_file() and (name in self.own or path.resolve().is_relative_to(self.top.resolve())):
                with path.open("rb") as stream:
                    body = stream.read(limits.GITLEAKS + 1)
                return body if len(body) <= limits.GITLEAKS else None
        return None
