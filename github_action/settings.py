"""The action's inputs and the runner's variables: only this module reads the environment.

Inputs come as ``INPUT_…`` variables, never as text in a script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from github_action.errors import EventError
from github_action.token import Token
from github_action.upsert_comment import check_key

Wanted = Literal["auto", "always", "off"]
Missing = Literal["quiet", "comment"]
Require = Literal["off", "warn", "fail"]
T = TypeVar("T", bound=str)
_WANTED: tuple[Wanted, ...] = ("auto", "always", "off")
_MISSING: tuple[Missing, ...] = ("quiet", "comment")
_REQUIRE: tuple[Require, ...] = ("off", "warn", "fail")
_REF = re.compile(r"refs/notes/[\w./-]+", re.ASCII)
_WAIT = 300
"""Upper limit for ``max-wait-notes``, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``foreign_token``: not the job's own, which the runner masks already. ``api``, ``server``: the host's
    URLs; ``run``: the number of this run; ``folder``: for our temporary files; ``coverage``: percent of the
    commits; ``wait``: seconds to wait for records that arrive after their branch."""

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
    """Raises EventError for an input that is not valid, or outside of a GitHub runner."""

    def text(name: str, default: str = "") -> str:
        return environ.get(f"INPUT_{name}", "").strip() or default

    def required(name: str) -> str:
        if not environ.get(name):
            raise EventError(f"{name} is not set", "run this in a workflow of GitHub Actions")
        return environ[name]

    def path(name: str) -> Path | None:
        return Path(environ[name]) if environ.get(name) else None

    server, repository, run = (
        required("GITHUB_SERVER_URL"),
        required("GITHUB_REPOSITORY"),
        required("GITHUB_RUN_ID"),
    )
    notes = text("NOTES_REF", "refs/notes/traj")
    if not _REF.fullmatch(notes) or ".." in notes:
        raise EventError("'notes-ref' is not a notes ref", "such as refs/notes/traj")
    return Settings(
        token=Token(text("TOKEN")),
        foreign_token=text("TOKEN") not in ("", environ.get("DEFAULT_TOKEN")),
        event=required("GITHUB_EVENT_NAME"),
        payload=Path(required("GITHUB_EVENT_PATH")),
        repository=repository,
        actor=environ.get("GITHUB_ACTOR", ""),
        api=required("GITHUB_API_URL"),
        server=server.rstrip("/"),
        run=int(run) if run.isdecimal() else 0,
        folder=Path(required("RUNNER_TEMP")),
        summary=path("GITHUB_STEP_SUMMARY"),
        output=path("GITHUB_OUTPUT"),
        mode=text("MODE", "auto"),
        pr=text("PR"),
        notes=notes,
        comment=_one_of(_WANTED, "comment", text("COMMENT", "auto")),
        missing=_one_of(_MISSING, "when-missing", text("WHEN_MISSING", "quiet")),
        prompts=_flag("show-prompts", text("SHOW_PROMPTS", "false")),
        cost=_flag("show-cost", text("SHOW_COST", "true")),
        key=check_key(text("KEY", "default")),
        author=text("COMMENT_AUTHOR"),
        require=_one_of(_REQUIRE, "require", text("REQUIRE", "off")),
        coverage=_number("min-coverage", text("MIN_COVERAGE", "100"), most=100),
        bypass=text("BYPASS_LABEL"),
        wait=_number("max-wait-notes", text("MAX_WAIT_NOTES", "0"), most=_WAIT),
        strict=_flag("fail-on-error", text("FAIL_ON_ERROR", "false")),
    )


def _one_of(words: tuple[T, ...], name: str, value: str) -> T:
    for word in words:
        if word == value:
            return word
    raise EventError(f"'{name}' is not one of {', '.join(words)}")


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
        raise EventError(f"'{name}' is not a number from 0 to {most:g}")
    return number
