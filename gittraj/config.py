"""The settings of the user and of the repository's team: git config ``traj.*``, then ``.gittraj.yml``.

What decides alone is read where it decides: ``precommit`` in ``state``, ``identity``, ``recipient`` and
``trust`` in ``seal``. docs/configuration.md has all.

Only this module, ``cli`` and the processes of hooks read the environment. A cloned repository's file is
untrusted: it can make settings stricter, never looser.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from gittraj import limits
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.rule_files import RuleBody, RulePaths
from gittraj.model.ruleset import RULESET
from gittraj.model.signs import LOGGED
from gittraj.startup import sha256

T = TypeVar("T")
Thinking = Literal["clear", "seal", "drop"]
_STRICTNESS: tuple[Thinking, ...] = ("clear", "seal", "drop")
TEAM_FILE = ".gittraj.yml"
_TEAM_KEYS = ("thinking", "exclude", "paranoid", "pii", "redact")
"""All that ``.gittraj.yml`` may set; other keys are named and have no effect."""
_CHOICES = {
    "push": ("ask", "never", "auto"),
    "share": ("all", "records"),
    "retrospective": ("off", "ask"),
}
_OWN = ("precommit", "push", "share", "tasks")
"""Choices of the user that ``status`` shows where they are set."""
_REDACT_LISTS = ("names", "shapes", "strict")
_REDACT_KEYS = (*_REDACT_LISTS, "gitleaks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Environ:
    """Everything that git-traj reads from the environment of a process."""

    home: Path | None
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """All of them: which of them an agent sets or reads, only the agent says."""
    config_dir: Path | None = None
    identity: str | None = field(default=None, repr=False)
    """A private key, or the path of a file with private keys."""
    trust: str | None = None
    """Digests of trusted lists of readers, where git config cannot have them."""
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
            variables=environ,
            config_dir=folder("XDG_CONFIG_HOME") or (home / ".config" if home else None),
            identity=environ.get("GIT_TRAJ_IDENTITY") or None,
            trust=environ.get("GIT_TRAJ_TRUST") or None,
            off=environ.get("GIT_TRAJ") == "0",
            foreground=environ.get("GIT_TRAJ_SYNC") == "1",
            ci="github-actions" if environ.get("GITHUB_ACTIONS") else ("ci" if environ.get("CI") else None),
        )

    def folder(self, below: str, *variables: str) -> Path | None:
        """The folder that the first of ``variables`` that is set names, which may begin with ``~``; else
        the one ``below`` the home folder."""
        value = next((self.variables[name] for name in variables if self.variables.get(name)), None)
        if self.home and value and (value == "~" or value.startswith("~/")):
            return self.home / value[2:]
        return Path(value) if value else self.home and self.home / below

    @property
    def nameless(self) -> str | None:
        """The agent that runs this process, if its environment only says that it does."""
        off = ("", "0", "false")
        return next((a for name, a in LOGGED.items() if self.variables.get(name, "") not in off), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value and its source: ``git config``, the team's file, or the default."""

    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """For redaction: ``paranoid`` and ``pii`` remove more; ``names`` have secret values; ``shapes`` are
    regular expressions of secrets; ``strict`` are globs of files with secret content; ``allow`` is never
    removed; ``gitleaks`` reads the files with rules in gitleaks' form, once. ``unknown``: keys of the team's
    file without a meaning."""

    thinking: Thinking = "seal"
    paranoid: bool = False
    pii: bool = False
    names: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    gitleaks: Callable[[], tuple[RuleBody, ...]] = field(default=tuple, repr=False)
    unknown: tuple[str, ...] = ()
    retrospective: Literal["off", "ask"] = "off"
    """Whether a session that made commits is asked for one. Only the user decides: it costs their tokens."""
    tasks: str | None = None
    """The preferred task system, for ids that several might have."""
    exclude: tuple[str, ...] = ()
    sessions: tuple[Path, ...] = ()
    max_segment_bytes: int | None = None
    """Of the events of one part; None: any number."""
    max_session_bytes: int | None = None
    """Of the events of all parts of a session."""
    settings: Mapping[str, Setting] | None = None

    def excludes(self, *, agent: str, path: str, agents: Collection[str]) -> bool:
        """Whether ``traj.exclude`` names this agent, or a glob of it this file or a folder that it is in. The
        name of one of the ``agents`` is no glob."""
        patterns = (p for p in self.exclude if p not in agents)
        globs = {g for p in patterns for g in (p, p.rstrip("/*"), f"{p.rstrip('/*')}/*")} - {"", "/*"}
        return agent in self.exclude or any(fnmatch.fnmatchcase(path, glob) for glob in globs)


def read_choice(repository: Repository, key: str) -> str:
    """What the user alone decides of sharing: ``traj.push`` (ask, never or auto) or ``traj.share`` (all or
    records); the first is the default. ``sync.consent`` has the answers for a remote. Raises TrajError."""
    return _choice(key, (repository.config(f"traj.{key}") or "").lower())


def stamp(config: Config) -> str:
    """What records carry: the version of the redaction rules, and of the settings if not as delivered."""
    lists = [sorted(each) for each in (config.names, config.shapes, config.allow, config.strict)]
    rules = config.gitleaks()
    if not (config.pii or config.paranoid or rules or any(lists)):
        return RULESET
    import json  # noqa: PLC0415
    from importlib.util import find_spec  # noqa: PLC0415

    files: list[Any] = [[body and sha256(body).hexdigest(), trusted] for _, body, trusted in rules]
    files += [find_spec("re2") is not None] if files else []  # without it none of their rules runs
    said = json.dumps([config.pii, config.paranoid, *lists, *files])
    return f"{RULESET}+{sha256(said.encode()).hexdigest()[:8]}"


def read_config(repository: Repository) -> Config:
    """Raises TrajError for an invalid value, with its key and file."""
    own = _git_values(repository)
    team = _team_values(repository)
    thinking, source = _stricter_thinking(own, team)
    redact = team.get("redact") or {}
    if not isinstance(redact, dict):
        raise TrajError(f"{TEAM_FILE}: redact is not a mapping", f"it can have {', '.join(_REDACT_KEYS)}")
    switches = {key: _switch(own, team, key) for key in ("paranoid", "pii")}
    retrospective = _choice("retrospective", _last(own, "retrospective"))
    limits = {key: _size(own, key) for key in _LIMITS}
    shown = {"thinking": Setting(value=thinking, source=source)}
    shown |= {key: _of_user(_last(own, key)) for key in _OWN}
    shown |= {key: setting for key, setting in switches.items() if setting.value == "true"}
    shown |= {"retrospective": _of_user("" if retrospective == "off" else retrospective)}
    shown |= {key: _of_user("" if limit is None else str(limit)) for key, limit in limits.items()}
    names, shapes, strict = (
        (*own.get(f"traj.redact.{key}", []), *_patterns(redact.get(key), f"redact.{key}"))
        for key in _REDACT_LISTS
    )
    rules = RulePaths(
        top=repository.work_tree or repository.common_dir,
        own={name: _folder(name, "traj.redact.gitleaks") for name in own.get("traj.redact.gitleaks", [])},
        shared=_patterns(redact.get("gitleaks"), "redact.gitleaks"),
        trusted=own.get("traj.redact.gitleakstrust", []),
    )
    shown |= {
        "gitleaks": Setting(value=", ".join(rules.names), source="git config" if rules.own else TEAM_FILE)
    }
    return Config(
        thinking=thinking,
        paranoid=switches["paranoid"].value == "true",
        pii=switches["pii"].value == "true",
        names=names,
        shapes=shapes,
        strict=strict,
        allow=tuple(own.get("traj.redact.allow", [])),
        gitleaks=cache(rules.read) if rules.names else tuple,
        unknown=tuple(_unknown(team, redact)),
        retrospective=cast(Literal["off", "ask"], retrospective),
        tasks=_last(own, "tasks") or None,
        exclude=(*own.get("traj.exclude", []), *_patterns(team.get("exclude"), "exclude")),
        sessions=tuple(_folder(p, "traj.sessions.path") for p in own.get("traj.sessions.path", [])),
        max_segment_bytes=limits["maxSegmentBytes"],
        max_session_bytes=limits["maxSessionBytes"],
        settings={key: setting for key, setting in shown.items() if setting.value},
    )


def _of_user(value: str) -> Setting:
    return Setting(value=value, source="git config")


def _last(own: Mapping[str, list[str]], key: str, otherwise: str = "") -> str:
    return own.get(f"traj.{key.lower()}", [otherwise])[-1]


def _choice(key: str, value: str) -> str:
    return _one_of(_CHOICES[key], value or _CHOICES[key][0], f"git config traj.{key}")


def _one_of(choices: Sequence[T], value: Any, where: str) -> T:
    if value in choices:
        return cast(T, value)
    # a YAML list may nest references to lists: its text could be endless
    said = f"'{value}'" if isinstance(value, str) else "not a text"
    raise TrajError(f"{where} is {said}", f"it can be {', '.join(map(str, choices))}")


def _stricter_thinking(own: Mapping[str, list[str]], team: Mapping[str, Any]) -> tuple[Thinking, str]:
    """The user's setting, or the team's where that is stricter; and its source."""
    mine, shared = _last(own, "thinking"), team.get("thinking")
    chosen = _one_of(_STRICTNESS, mine or "seal", "git config traj.thinking")
    if shared:
        strict = _one_of(_STRICTNESS, shared, f"{TEAM_FILE}: thinking")
        if _STRICTNESS.index(strict) > _STRICTNESS.index(chosen):
            return strict, TEAM_FILE
    return chosen, "git config" if mine else "default"


def _size(own: Mapping[str, list[str]], key: str) -> int | None:
    """A number of bytes, with a unit of 1024 as in git-config(1)."""
    value = _last(own, key)
    number, unit = (value[:-1], value[-1:].lower()) if value[-1:].isalpha() else (value, "")
    if not value:
        return None
    short = number.isascii() and number.isdigit() and len(number) < limits.SETTING_DIGITS
    if unit not in _UNITS or not short:
        raise TrajError(
            f"git config traj.{key} is '{value}'", "it can be a number of bytes, such as 500k or 2m"
        )
    return int(number) * _UNITS[unit]


_LIMITS = ("maxSegmentBytes", "maxSessionBytes")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _patterns(value: Any, where: str) -> list[str]:
    """A list of the team's file."""
    if not isinstance(value or [], list) or not all(isinstance(p, str) for p in value or []):
        raise TrajError(f"{TEAM_FILE}: {where} is not a list of patterns", "write each on a line, after '- '")
    return value or []


def _switch(own: Mapping[str, list[str]], team: Mapping[str, Any], key: str) -> Setting:
    """A switch that either file can turn on; git config cannot turn off what the team turned on."""
    shared = team.get(key)
    if shared is not None and not isinstance(shared, bool):
        raise TrajError(f"{TEAM_FILE}: {key} is neither true nor false")
    said = _last(own, key, "false").lower()
    if said not in (*_YES, "false", "no", "off", "0"):
        raise TrajError(f"git config traj.{key} is '{said}'", "it can be true or false")
    if said in _YES:
        return Setting(value="true", source="git config")
    return Setting(value="true", source=TEAM_FILE) if shared else Setting(value="false", source="default")


_YES = ("true", "yes", "on", "1", "")
"""As git-config(1) spells true; a key without a value is true, too."""


def _unknown(team: Mapping[Any, Any], redact: Mapping[Any, Any]) -> Iterator[str]:
    yield from (_name(key) for key in team if key not in _TEAM_KEYS)
    yield from (f"redact.{_name(key)}" for key in redact if key not in _REDACT_KEYS)


def _name(key: Any) -> str:
    return key if isinstance(key, str) else f"a key that is not text ({type(key).__name__})"


def _folder(value: str, key: str) -> Path:
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise TrajError(f"git config {key}: cannot expand '{value}': no such home directory") from None


def _git_values(repository: Repository) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for setting in repository.settings(r"traj\."):
        values.setdefault(setting.key.lower(), []).append(setting.value)
    return values


def _team_values(repository: Repository) -> dict[str, Any]:
    path = (repository.work_tree or repository.common_dir) / TEAM_FILE
    if not path.is_file():
        return {}
    import yaml  # noqa: PLC0415 - 10 ms that only repositories with the file pay

    try:
        with path.open("rb") as stream:
            text = stream.read(limits.SETTINGS + 1)
        if len(text) > limits.SETTINGS:
            raise ValueError(f"it has more than {limits.SETTINGS // 1024} kB")
        loaded = yaml.safe_load(text.decode("utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = str(error).splitlines()[0] if str(error) else "unreadable"
        raise TrajError(f"{TEAM_FILE} cannot be read: {reason}", "mend it or remove it") from None
    if loaded is not None and not isinstance(loaded, dict):
        raise TrajError(f"{TEAM_FILE} is not a mapping", "write 'key: value' lines")
    return loaded or {}
