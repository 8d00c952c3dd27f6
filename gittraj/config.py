"""What the user, and the repository's team, have set: git config ``traj.*``, then ``.gittraj.yml``.

With ``cli`` the only reader of the environment. A cloned repository's file is untrusted: it can make
things stricter, never looser.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from gittraj.errors import TrajError
from gittraj.git import Repository

Thinking = Literal["clear", "seal", "drop"]
_STRICTNESS: tuple[Thinking, ...] = ("clear", "seal", "drop")
TEAM_FILE = ".gittraj.yml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environ:
    """What git-traj takes from the environment of a process, and nothing else of it."""

    home: Path | None
    claude_dir: Path | None = None
    codex_dir: Path | None = None
    claude_session: str | None = None
    codex_thread: str | None = None
    off: bool = False
    foreground: bool = False
    ci: str | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Environ:
        def folder(name: str) -> Path | None:
            return Path(environ[name]) if environ.get(name) else None

        home = folder("HOME") or folder("USERPROFILE")
        return cls(
            home=home,
            claude_dir=folder("CLAUDE_CONFIG_DIR") or (home / ".claude" if home else None),
            codex_dir=folder("CODEX_HOME") or (home / ".codex" if home else None),
            claude_session=environ.get("CLAUDE_CODE_SESSION_ID") or None,
            codex_thread=environ.get("CODEX_THREAD_ID") or None,
            off=environ.get("GIT_TRAJ") == "0",
            foreground=environ.get("GIT_TRAJ_SYNC") == "1",
            ci="github-actions" if environ.get("GITHUB_ACTIONS") else ("ci" if environ.get("CI") else None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value in force and where it comes from: ``git config``, the team's file, or the default."""

    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    thinking: Thinking = "seal"
    exclude: tuple[str, ...] = ()
    sessions: tuple[Path, ...] = ()
    prices: Mapping[str, Any] | None = None
    settings: Mapping[str, Setting] | None = None

    def excludes(self, *, agent: str, path: str) -> bool:
        """Whether ``traj.exclude`` names this agent, or a glob of it this file."""
        return any(p == agent or fnmatch.fnmatchcase(path, p) for p in self.exclude)


def read_config(repository: Repository) -> Config:
    """Raises TrajError, naming key and place, for a value that means nothing."""
    own = _git_values(repository)
    team = _team_values(repository)
    settings: dict[str, Setting] = {}
    thinking = _thinking(own.get("traj.thinking", [""])[-1], "git config traj.thinking")
    source = "git config" if thinking else "default"
    shared = _thinking(team.get("thinking") or "", f"{TEAM_FILE}: thinking")
    if shared and _STRICTNESS.index(shared) > _STRICTNESS.index(thinking or "seal"):
        thinking, source = shared, TEAM_FILE
    settings["thinking"] = Setting(value=thinking or "seal", source=source)
    shared_exclude = team.get("exclude") or []
    if not isinstance(shared_exclude, list) or not all(isinstance(p, str) for p in shared_exclude):
        raise TrajError(f"{TEAM_FILE}: exclude is not a list of patterns", "write each on a line, after '- '")
    return Config(
        thinking=thinking or "seal",
        exclude=(*own.get("traj.exclude", []), *shared_exclude),
        sessions=tuple(_folder(p) for p in own.get("traj.sessions.path", [])),
        settings=settings,
    )


def _thinking(value: Any, where: str) -> Thinking | None:
    if not value:
        return None
    if value not in _STRICTNESS:
        # a list may be made of references to lists of references: its text would never end
        said = f"'{value}'" if isinstance(value, str) else "not a text"
        raise TrajError(f"{where} is {said}", "it can be seal, clear or drop")
    return cast(Thinking, value)


def _folder(value: str) -> Path:
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise TrajError(f"git config traj.sessions.path: no home is known for '{value}'") from None


def _git_values(repository: Repository) -> dict[str, list[str]]:
    listed = repository.run("config", "-z", "--get-regexp", r"^traj\.", check=False).out
    values: dict[str, list[str]] = {}
    for pair in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        key, _, value = pair.partition("\n")
        values.setdefault(key.lower(), []).append(value)
    return values


def _team_values(repository: Repository) -> dict[str, Any]:
    path = (repository.work_tree or repository.common_dir) / TEAM_FILE
    if not path.is_file():
        return {}
    import yaml  # noqa: PLC0415 - 10 ms that only repositories with the file pay

    try:
        loaded = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = str(error).splitlines()[0] if str(error) else "unreadable"
        raise TrajError(f"{TEAM_FILE} cannot be read: {reason}", "mend it or remove it") from None
    if loaded is not None and not isinstance(loaded, dict):
        raise TrajError(f"{TEAM_FILE} is not a mapping", "write 'key: value' lines")
    return loaded or {}
