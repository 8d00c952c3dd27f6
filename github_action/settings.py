"""What the runner and the workflow's author said: the only reader of the environment here.

Inputs come as ``INPUT_…`` variables, never as text in a script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from github_action.errors import EventError
from github_action.sticky import check_key
from github_action.token import Token

Wanted = Literal["auto", "always", "off"]
Missing = Literal["quiet", "comment"]
Require = Literal["off", "warn", "fail"]
T = TypeVar("T", bound=str)
_WANTED: tuple[Wanted, ...] = ("auto", "always", "off")
_MISSING: tuple[Missing, ...] = ("quiet", "comment")
_REQUIRE: tuple[Require, ...] = ("off", "warn", "fail")
_REF = re.compile(r"refs/notes/[\w./-]+", re.ASCII)
_WAIT = 300
"""Seconds that records may be waited for, at the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``foreign_token``: it is not the job's own, which the runner hides. ``api`` and ``server`` are the
    host's addresses, ``run`` the number of this run; ``folder`` is ours to write in. ``coverage``: percent of
    the commits, ``wait``: seconds for records that arrive after their branch."""

    token: Token
    foreign_token: bool
    event: str
    payload: Path
    repository: str
    actor: str
    api: str
    server: str
    run: int
    folder: Path
    summary: Path | None
    output: Path | None
    mode: str = "auto"
    pr: str = ""
    notes: str = "refs/notes/traj"
    comment: Wanted = "auto"
    missing: Missing = "quiet"
    prompts: bool = False
    cost: bool = True
    key: str = "default"
    author: str = ""
    require: Require = "off"
    coverage: float = 100.0
    bypass: str = ""
    wait: float = 0.0
    strict: bool = False


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Raises EventError for an input that means nothing, or a runner that is none."""

    def given(name: str, default: str = "") -> str:
        return environ.get(f"INPUT_{name}", "").strip() or default

    def there(name: str) -> str:
        if not environ.get(name):
            raise EventError(f"{name} is not set", "run this in a workflow of GitHub Actions")
        return environ[name]

    def place(name: str) -> Path | None:
        return Path(environ[name]) if environ.get(name) else None

    server, repository, run = there("GITHUB_SERVER_URL"), there("GITHUB_REPOSITORY"), there("GITHUB_RUN_ID")
    notes = given("NOTES_REF", "refs/notes/traj")
    if not _REF.fullmatch(notes) or ".." in notes:
        raise EventError("'notes-ref' is no notes ref", "such as refs/notes/traj")
    return Settings(
        token=Token(given("TOKEN")),
        foreign_token=given("TOKEN") not in ("", environ.get("DEFAULT_TOKEN")),
        event=there("GITHUB_EVENT_NAME"),
        payload=Path(there("GITHUB_EVENT_PATH")),
        repository=repository,
        actor=environ.get("GITHUB_ACTOR", ""),
        api=there("GITHUB_API_URL"),
        server=server.rstrip("/"),
        run=int(run) if run.isdecimal() else 0,
        folder=Path(there("RUNNER_TEMP")),
        summary=place("GITHUB_STEP_SUMMARY"),
        output=place("GITHUB_OUTPUT"),
        mode=given("MODE", "auto"),
        pr=given("PR"),
        notes=notes,
        comment=_one_of(_WANTED, "comment", given("COMMENT", "auto")),
        missing=_one_of(_MISSING, "when-missing", given("WHEN_MISSING", "quiet")),
        prompts=_flag("show-prompts", given("SHOW_PROMPTS", "false")),
        cost=_flag("show-cost", given("SHOW_COST", "true")),
        key=check_key(given("KEY", "default")),
        author=given("COMMENT_AUTHOR"),
        require=_one_of(_REQUIRE, "require", given("REQUIRE", "off")),
        coverage=_number("min-coverage", given("MIN_COVERAGE", "100"), most=100),
        bypass=given("BYPASS_LABEL"),
        wait=_number("max-wait-notes", given("MAX_WAIT_NOTES", "0"), most=_WAIT),
        strict=_flag("fail-on-error", given("FAIL_ON_ERROR", "false")),
    )


def _one_of(words: tuple[T, ...], name: str, value: str) -> T:
    for word in words:
        if word == value:
            return word
    raise EventError(f"'{name}' is none of {', '.join(words)}")


def _flag(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise EventError(f"'{name}' is neither true nor false")
    return value.lower() == "true"


def _number(name: str, value: str, *, most: float) -> float:
    try:
        number = float(value.removesuffix("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise EventError(f"'{name}' is no number from 0 to {most:g}")
    return number
