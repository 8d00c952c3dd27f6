"""The table of runners, and which command starts one: ``uv run pytest`` is pytest, ``grep pytest`` is not."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import cast

from gittraj.model.values import RunKind, RunOutcome

Pattern = re.Pattern[str]
_WORDS_LIMIT = 400
"""Characters of a command that are looked at to know its runner."""
_NO_RUN = "--version|--help|--list|--dry-run|--collect-only"
_PLAIN = (
    "command builtin nohup setsid unbuffer caffeinate chronic bunx pnpx corepack dotenvx cross-env winpty"
)
_WRAPPERS = {
    **dict.fromkeys(_PLAIN.split(), "(?!)"),
    "exec": "-a",
    "env": "-u|-C|-S",
    "nice": "-n",
    "ionice": "-c|-n",
    "time": "-f|-o",
    "timeout": "-s|-k",
    "gtimeout": "-s|-k",
    "stdbuf": "-i|-o|-e",
    "sudo": "-u|-g",
    "doas": "-u",
    "xvfb-run": "-s|-n",
    "xargs": "-n|-P|-I|-L|-d|-a",
    "npx": "-p|--package",
    "dotenv": "-e|-f",
}
"""Commands that run the command behind them, and their options that take a value."""
_RUN_WRAPPERS = re.compile(
    r"(?:uv|poetry|pipenv|hatch|pdm|rye|pixi|conda|mamba|micromamba|volta|mise|fnm|asdf|bundle|direnv|coverage|dotenvx"
    r"|devbox|nix|dotenv|uv tool)(?: -\S+)* (?:run|exec|x)|(?:pnpm|yarn|npm|bun)(?: -\S+)* (?:exec|dlx|x)"
    r"|uvx|pipx run|docker[ -]compose (?:exec|run)|docker (?:exec|run)|podman (?:exec|run)|kubectl exec"
)
_VALUED = re.compile(
    r"--?(?:with|with-requirements|extra|group|only-group|package|python|project|directory|env|workdir|user|name"
    r"|[pewuvnfc])"
)
_STARTERS = ("yarn", "pnpm", "bun")
"""They run a package's program by its bare name, where no script of the project has it."""
_INTERPRETER = re.compile(r"(?:python|py|pypy)[\d.]*(?:\.exe)?")


@dataclass(frozen=True, slots=True)
class Runner:
    """A row of ``runners.toml``."""

    name: str
    kind: RunKind
    command: Pattern
    not_with: Pattern
    silent: bool = False
    items: Pattern | None = None
    last: bool = False
    any: bool = False
    also: bool = False
    full: bool = False
    failures: str = ""
    summary: tuple[Pattern, ...] = ()
    tally: dict[str, Pattern] = field(default_factory=dict)
    passed: Pattern | None = None
    failed: Pattern | None = None
    error: Pattern | None = None
    none: Pattern | None = None
    blocked: Pattern | None = None
    statuses: dict[int, RunOutcome] = field(default_factory=dict)


@cache
def all_runners() -> tuple[Runner, ...]:
    """In the order of the table."""
    text = files("gittraj.events.runs").joinpath("runners.toml").read_text("utf-8")
    return tuple(_row(row) for row in tomllib.loads(text)["runner"])


def _row(row: dict[str, object]) -> Runner:
    def listed(key: str) -> list[str]:
        found = row.get(key)
        return [str(each) for each in found] if isinstance(found, list) else []

    def compiled(key: str) -> Pattern | None:
        return re.compile("|".join(f"(?:{p})" for p in listed(key)), re.M) if key in row else None

    def mapping(key: str) -> dict[str, str]:
        found = row.get(key)
        return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}

    return Runner(
        name=str(row["name"]),
        kind=cast(RunKind, row["kind"]),
        command=re.compile(str(row["command"])),
        not_with=re.compile(f"{_NO_RUN}|{row.get('not_with', '--version')}"),
        silent=row.get("silent") is True,
        items=re.compile(str(row["items"])) if "items" in row else None,
        last=row.get("last") is True,
        any=row.get("any") is True,
        also=row.get("also") is True,
        full=row.get("full") is True,
        failures=str(row.get("failures", "")),
        summary=tuple(re.compile(p, re.M) for p in listed("summary")),
        tally={name: re.compile(p, re.M) for name, p in mapping("tally").items()},
        passed=compiled("passed"),
        failed=compiled("failed"),
        error=compiled("error"),
        none=compiled("none"),
        blocked=compiled("blocked"),
        statuses={int(code): cast(RunOutcome, outcome) for code, outcome in mapping("statuses").items()},
    )


def find_runner(words: Sequence[str]) -> Runner | None:
    """The runner that a simple command starts, or None."""
    words = unwrap(words)
    if not words or words[0] in ("test", "["):
        return None
    name = words[0].replace("\\", "/").rpartition("/")[2]
    program = "python" if _INTERPRETER.fullmatch(name) else name
    if program in ("bash", "sh", "zsh", "dash") and any(
        re.fullmatch(r"-\w*n\w*", word) for word in words[1:]
    ):
        return None
    path = words[0].replace("\\", "/")
    candidates = [program] if "/" not in path or program != name else [program, path.removeprefix("./"), path]
    rest = [re.sub(r"\s+", "_", word) for word in words[1:]]
    for first in candidates:
        line = " ".join([first, *rest])[:_WORDS_LIMIT]
        for runner in all_runners():
            if runner.command.match(line):
                return None if any(runner.not_with.fullmatch(word) for word in words[1:]) else runner
    return find_runner(words[1:]) if program in _STARTERS else None


def unwrap(words: Sequence[str]) -> list[str]:
    """Without ``timeout 60``, ``uv run``, ``npx`` and their like."""
    left = list(words)
    while left:
        name = left[0].rpartition("/")[2]
        joined = " ".join(left[:6])
        if match := _RUN_WRAPPERS.match(joined):
            left = _skip_options(left[len(match[0].split()) :], _VALUED)
            if match[0].startswith(("docker", "podman", "kubectl")):
                left = left[1:]
        elif name == "command" and left[1:2] in (["-v"], ["-V"]):
            return []
        elif name not in _WRAPPERS:
            return left
        else:
            left = _skip_options(left[1:], re.compile(_WRAPPERS[name]))
            if name in ("timeout", "gtimeout"):
                left = left[1:]
            while left and re.fullmatch(r"[A-Za-z_]\w*=.*", left[0], re.S):
                left = left[1:]
    return left


def _skip_options(words: list[str], valued: Pattern) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            return words[at + 1 :]
        at += 2 if valued.fullmatch(words[at]) else 1
    return words[at:]
