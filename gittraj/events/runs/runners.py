"""Reads the table of runners, and finds the runner that a command starts: ``uv run pytest`` starts one,
``grep pytest`` does not."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from gittraj.events.runs.wrappers import unwrap
from gittraj.model.values import RunKind, RunOutcome

Pattern = re.Pattern[str]
_WORDS_LIMIT = 400
"""How many characters of a command are examined to find its runner."""
_STARTERS = ("yarn", "pnpm", "bun")
"""Programs that run a package's program by its bare name if no script of the project has that name."""
_CALLED = re.compile(r"^[^#\n]*\b(pytest|unittest)\.main\(", re.M)
_OWN_OPTION = re.compile(r"(?P<valued>-[WX])|-[WX]\S+|-[uBIEsSObdqPvi]+")
_INTERPRETER = re.compile(r"(?:python|py|pypy)[\d.]*(?:\.exe)?")


@dataclass(frozen=True, slots=True)
class Runner:
    """A row of ``runners.toml``, which explains its fields at the top."""

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
    findings: Pattern | None = None
    statuses: dict[int, RunOutcome] = field(default_factory=dict)


@cache
def all_runners() -> tuple[Runner, ...]:
    """Return the runners, in the order of the table."""
    text = files("gittraj.events.runs").joinpath("runners.toml").read_text("utf-8")
    table = tomllib.loads(text)
    never = table["not_with"]
    return tuple(_row(row | {"not_with": f"{never}|{row.get('not_with', never)}"}) for row in table["runner"])


def _row(row: dict[str, Any]) -> Runner:
    def joined(patterns: Sequence[str]) -> Pattern:
        return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.M)

    patterns: dict[str, Any] = {
        key: joined(row[key])
        for key in ("passed", "failed", "error", "none", "blocked", "findings")
        if key in row
    }
    if "items" in row:
        patterns["items"] = re.compile(row["items"])
    patterns |= {
        "command": re.compile(row["command"]),
        "not_with": re.compile(row.get("not_with", "--version")),
        "summary": tuple(re.compile(pattern, re.M) for pattern in row.get("summary", ())),
        "tally": {name: re.compile(pattern, re.M) for name, pattern in row.get("tally", {}).items()},
        "statuses": {int(code): outcome for code, outcome in row.get("statuses", {}).items()},
    }
    return Runner(**row | patterns)


def find_runner(words: Sequence[str]) -> Runner | None:
    """Return the runner that a simple command starts, or None."""
    words = unwrap(words)
    if not words or words[0] in ("test", "["):
        return None
    name = words[0].replace("\\", "/").rpartition("/")[2]
    if _only_parses(name, words[1:]):
        return None
    program = "python" if _INTERPRETER.fullmatch(name) else name
    if program == "python":
        words = [words[0], *_without_options(words[1:])]
        if words[1:2] == ["-c"]:  # the code may call a runner's main()
            words = ["python", "-m", *_CALLED.findall("".join(words[2:3]))[:1]]
    if runner := _match_row(program, words):
        return None if any(map(runner.not_with.fullmatch, words[1:])) else runner
    return find_runner(words[1:]) if program in _STARTERS else None


def _match_row(program: str, words: Sequence[str]) -> Runner | None:
    rows = ((runner, line) for line in _spellings(program, words) for runner in all_runners())
    return next((runner for runner, line in rows if runner.command.match(line)), None)


def _only_parses(program: str, options: Sequence[str]) -> bool:
    """Whether the command does not run anything, as ``bash -n``."""
    shell = program in ("bash", "sh", "zsh", "dash")
    return shell and any(re.fullmatch(r"-\w*n\w*", word) for word in options)


def _spellings(program: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the command as a row of the table may match it: by the program's name, or by its path."""
    path = words[0].replace("\\", "/")
    is_path = "/" in path and program == path.rpartition("/")[2]
    arguments = [re.sub(r"\s+", "_", word) for word in words[1:]]
    for first in (program, path.removeprefix("./"), path) if is_path else (program,):
        yield " ".join([first, *arguments])[:_WORDS_LIMIT]


def _without_options(words: Sequence[str]) -> list[str]:
    """Return the words without the interpreter's own options, as in ``python -X dev -W error -m pytest``."""
    left = list(words)
    while left and (match := _OWN_OPTION.fullmatch(left[0])):
        left = left[2 if match["valued"] else 1 :]
    return left
