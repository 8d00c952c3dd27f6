"""The settings of the user and of the repository's team: git config ``traj.*``, then ``.gittraj.yml``.

Settings that only one room uses are read in that room: ``precommit`` in ``state``, ``identity``,
``recipient`` and ``trust`` in ``seal``. docs/configuration.md lists all of them.

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
from gittraj.config.environ import Environ as Environ
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.rule_files import RuleBody, RulePaths
from gittraj.model.ruleset import RULESET
from gittraj.startup import sha256

T = TypeVar("T")
Thinking = Literal["clear", "seal", "drop"]
_STRICTNESS: tuple[Thinking, ...] = ("clear", "seal", "drop")
TEAM_FILE = ".gittraj.yml"
_TEAM_KEYS = ("thinking", "exclude", "paranoid", "pii", "redact")
"""All keys that ``.gittraj.yml`` may set; others are reported and have no effect."""
_CHOICES = {
    "push": ("ask", "never", "auto"),
    "share": ("all", "records"),
    "retrospective": ("off", "ask"),
}
_USER_KEYS = ("precommit", "push", "share", "tasks")
"""Choices of the user that ``status`` shows if they are set."""
_REDACT_LISTS = ("names", "shapes", "strict")
_REDACT_KEYS = (*_REDACT_LISTS, "gitleaks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value and its source: ``git config``, the team's file, or the default."""

    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings.

    Seven of them are for the redactor, which removes more with ``paranoid`` and ``pii``: ``names`` are those
    of secret values, ``shapes`` regular expressions of secrets, ``strict`` globs of files with secret
    content, ``allow`` regular expressions of values that stay; ``gitleaks`` reads the files with rules in
    gitleaks' form, once. ``unknown`` are keys of the team's file that have no meaning.
    """

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
    """Whether a session that made commits is asked for a retrospective. Only the user decides, because the
    answer costs their tokens."""
    tasks: str | None = None
    """The preferred task system, for ids that several systems might have."""
    exclude: tuple[str, ...] = ()
    sessions: tuple[Path, ...] = ()
    """More files and folders in which to look for sessions: ``traj.sessions.path``."""
    max_segment_bytes: int | None = None
    """The limit for the events of one part; None: no limit."""
    max_session_bytes: int | None = None
    """The limit for the events of all parts of a session."""
    settings: Mapping[str, Setting] | None = None
    """``thinking``, those of ``_USER_KEYS`` that are set, and others that differ from their defaults."""

    def excludes(self, path: str, *, agent: str, agents: Collection[str]) -> bool:
        """Whether ``traj.exclude`` names ``agent``, or has a glob for the file ``path`` or a folder around
        it. A name of one of ``agents`` is not used as a glob."""
        patterns = (p for p in self.exclude if p not in agents)
        globs = {g for p in patterns for g in (p, p.rstrip("/*"), f"{p.rstrip('/*')}/*")} - {"", "/*"}
        return agent in self.exclude or any(fnmatch.fnmatchcase(path, glob) for glob in globs)


def read_choice(repository: Repository, key: str) -> str:
    """Read a setting that only the user decides: ``traj.push`` (ask, never or auto) or ``traj.share`` (all or
    records); the first value is the default. ``sync.consent`` stores what was answered for one remote. Raises
    TrajError."""
    repository.forget_settings()
    return _choice(key, (repository.config(f"traj.{key}") or "").lower())


def stamp(config: Config) -> str:
    """Return the ruleset for a record: the version of the rules, and, if the redactor's settings differ from
    the defaults, a digest of them."""
    lists = [sorted(each) for each in (config.names, config.shapes, config.allow, config.strict)]
    rules = config.gitleaks()
    if not (config.pii or config.paranoid or rules or any(lists)):
        return RULESET
    import json  # noqa: PLC0415
    from importlib.util import find_spec  # noqa: PLC0415

    files: list[Any] = [[body and sha256(body).hexdigest(), trusted] for _, body, trusted in rules]
    files += [find_spec("re2") is not None] if files else []  # without re2 none of the files' rules is used
    settings = json.dumps([config.pii, config.paranoid, *lists, *files])
    return f"{RULESET}+{sha256(settings.encode()).hexdigest()[:8]}"


def read_config(repository: Repository) -> Config:
    """Read all settings as they are now: a worker or a program's caller may have begun long ago. Raises
    TrajError for an invalid value, with its key and file."""
    repository.forget_settings()
    own = _git_values(repository)
    team = _team_values(repository)
    thinking = _stricter_thinking(own, team)
    redact = _redact_mapping(team)
    switches = {key: _switch(own, team, key) for key in ("paranoid", "pii")}
    retrospective = _choice("retrospective", _last(own, "retrospective"))
    sizes = {key: _size(own, key) for key in _SIZE_KEYS}
    names, shapes, strict = (
        (*own.get(f"traj.redact.{key}", []), *_patterns(redact.get(key), f"redact.{key}"))
        for key in _REDACT_LISTS
    )
    rules = _rule_paths(repository, own, redact)
    settings = {
        "thinking": thinking,
        **{key: _user_setting(_last(own, key)) for key in _USER_KEYS},
        **switches,
        "retrospective": _user_setting(retrospective if retrospective != "off" else None),
        **{key: _user_setting(size) for key, size in sizes.items()},
        "gitleaks": Setting(value=", ".join(rules.names), source="git config" if rules.own else TEAM_FILE),
    }
    return Config(
        thinking=cast(Thinking, thinking.value),
        paranoid=bool(switches["paranoid"].value),
        pii=bool(switches["pii"].value),
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
        max_segment_bytes=sizes["maxSegmentBytes"],
        max_session_bytes=sizes["maxSessionBytes"],
        settings={key: setting for key, setting in settings.items() if setting.value},
    )


def _user_setting(value: str | int | None) -> Setting:
    return Setting(value="" if value is None else str(value), source="git config")


def _redact_mapping(team: Mapping[str, Any]) -> dict[Any, Any]:
    redact = team.get("redact") or {}
    if not isinstance(redact, dict):
        raise TrajError(f"{TEAM_FILE}: redact is not a mapping", f"allowed keys: {', '.join(_REDACT_KEYS)}")
    return redact


def _rule_paths(repository: Repository, own: Mapping[str, list[str]], redact: Mapping[Any, Any]) -> RulePaths:
    return RulePaths(
        top=repository.work_tree or repository.common_dir,
        own={name: _folder(name, "traj.redact.gitleaks") for name in own.get("traj.redact.gitleaks", [])},
        shared=_patterns(redact.get("gitleaks"), "redact.gitleaks"),
        trusted=own.get("traj.redact.gitleakstrust", []),
    )


def _last(own: Mapping[str, list[str]], key: str, otherwise: str = "") -> str:
    return own.get(f"traj.{key.lower()}", [otherwise])[-1]


def _choice(key: str, value: str) -> str:
    return _one_of(_CHOICES[key], value or _CHOICES[key][0], f"git config traj.{key}")


def _one_of(choices: Sequence[T], value: Any, where: str) -> T:
    if value in choices:
        return cast(T, value)
    # a YAML list may refer to other lists many times, level after level: its text could be endless
    shown = f"'{value}'" if isinstance(value, str) else "not a string"
    raise TrajError(f"{where} is {shown}", f"allowed values: {', '.join(map(str, choices))}")


def _stricter_thinking(own: Mapping[str, list[str]], team: Mapping[str, Any]) -> Setting:
    """The user's setting, or the team's if that is stricter."""
    mine, shared = _last(own, "thinking"), team.get("thinking")
    chosen = _one_of(_STRICTNESS, mine or "seal", "git config traj.thinking")
    if shared:
        strict = _one_of(_STRICTNESS, shared, f"{TEAM_FILE}: thinking")
        if _STRICTNESS.index(strict) > _STRICTNESS.index(chosen):
            return Setting(value=strict, source=TEAM_FILE)
    return Setting(value=chosen, source="git config" if mine else "default")


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


_SIZE_KEYS = ("maxSegmentBytes", "maxSessionBytes")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _patterns(value: Any, where: str) -> list[str]:
    """Check and return ``value``, a list that the team's file has at the key ``where``."""
    if not isinstance(value or [], list) or not all(isinstance(p, str) for p in value or []):
        raise TrajError(f"{TEAM_FILE}: {where} is not a list of patterns", "write each on a line, after '- '")
    return value or []


def _switch(own: Mapping[str, list[str]], team: Mapping[str, Any], key: str) -> Setting:
    """Read a switch that either file can turn on; git config cannot turn off what the team turned on."""
    shared = team.get(key)
    if shared is not None and not isinstance(shared, bool):
        raise TrajError(f"{TEAM_FILE}: {key} is neither true nor false")
    value = _last(own, key, "false").lower()
    if value not in (*_YES, "false", "no", "off", "0"):
        raise TrajError(f"git config traj.{key} is '{value}'", "it can be true or false")
    if value in _YES:
        return Setting(value="true", source="git config")
    return Setting(value="true" if shared else "", source=TEAM_FILE)


_YES = ("true", "yes", "on", "1", "")
"""The spellings of true in git-config(1), where a key without a value is true, too."""


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
        raise TrajError(f"{TEAM_FILE} cannot be read: {reason}", "fix it or remove it") from None
    if loaded is not None and not isinstance(loaded, dict):
        raise TrajError(f"{TEAM_FILE} is not a mapping", "write 'key: value' lines")
    return loaded or {}
