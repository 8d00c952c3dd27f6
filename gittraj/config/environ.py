"""The variables of a process's environment that git-traj reads, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from gittraj.frozen import dataclass
from gittraj.model.signs import LOGGED


@dataclass(frozen=True, slots=True, kw_only=True)
class Environ:
    """The settings in the environment of one process."""

    home: Path | None
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """All variables, because only the modules of agents know which of them an agent sets or reads."""
    config_dir: Path | None = None
    identity: str | None = field(default=None, repr=False)
    """A private key, or the path of a file with private keys."""
    trust: str | None = None
    """Digests of trusted lists of readers, for a machine whose git config cannot be written."""
    off: bool = False
    ci: str | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Environ:
        def folder(name: str) -> Path | None:
            return Path(environ[name]) if environ.get(name) else None

        home = folder("HOME") or folder("USERPROFILE")
        return cls(
            home=home,
            variables=environ,
            config_dir=folder("XDG_CONFIG_HOME") or (home / ".config" if home else None),
            identity=environ.get("GIT_TRAJ_IDENTITY") or None,
            trust=environ.get("GIT_TRAJ_TRUST") or None,
            off=environ.get("GIT_TRAJ") == "0",
            ci="github-actions" if environ.get("GITHUB_ACTIONS") else ("ci" if environ.get("CI") else None),
        )

    def folder(self, below: str, *variables: str) -> Path | None:
        """The folder that the first set one of ``variables`` names, in which ``~`` is expanded; if none is
        set, the folder ``below`` the home folder."""
        value = next((self.variables[name] for name in variables if self.variables.get(name)), None)
        if self.home and value and (value == "~" or value.startswith("~/")):
            return self.home / value[2:]
        return Path(value) if value else self.home and self.home / below

    @property
    def agent_without_session(self) -> str | None:
        """The agent that runs this process, if its variables name only the agent and not the session."""
        off = ("", "0", "false")
        return next((a for name, a in LOGGED.items() if self.variables.get(name, "") not in off), None)
