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
from github_action.upsert_comment import check_key, owner_of

Wanted = Literal["auto", "always", "off"]
Missing = Literal["quiet", "comment"]
Require = Literal["off", "warn", "fail"]
Annotations = Literal["true", "false", "check", "review"]
Host = Literal["github", "gitlab", "gitea"]
T = TypeVar("T", bound=str)
_WANTED: tuple[Wanted, ...] = ("auto", "always", "off")
_MISSING: tuple[Missing, ...] = ("quiet", "comment")
_ANNOTATIONS: tuple[Annotations, ...] = ("true", "false", "check", "review")
_REQUIRE: tuple[Require, ...] = ("off", "warn", "fail")
_REF = re.compile(r"refs/notes/[\w./-]+", re.ASCII)
_WAIT = 300
"""Upper limit for ``max-wait-notes``, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``foreign_token``: not the job's own, which the runner masks already. ``api``, ``server``: the host's
    URLs; ``run``: the number of this run; ``folder``: for our temporary files; ``coverage``: percent of the
    commits; ``wait``: seconds to wait for records that arrive after their branch (None: as long as a push
    of them takes, where one may be under way); ``forks``: whether records of forks are carried; ``owner``:
    see ``owner_of``; ``page``: of this run, where its summary is; ``git_user``, ``git_token``: for git, where
    it is not ``token``."""

    token: Token
    foreign_token: bool
    event: str
    payload: Path | None
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
    wait: float | None = None
    strict: bool = False
    forks: bool = False
    owner: str = ""
    annotations: Annotations = "true"
    labels: bool = False
    host: Host = "github"
    page: str = ""
    git_user: str = "x-access-token"
    git_token: Token | None = None


def is_strict(environ: Mapping[str, str]) -> bool:
    """Whether an error fails the job: also where ``require`` is a word that nobody knows, since a gate that
    cannot be evaluated is closed."""
    require = environ.get("INPUT_REQUIRE", environ.get("GIT_TRAJ_REQUIRE", "")).strip().lower()
    fails = environ.get("INPUT_FAIL_ON_ERROR", "").strip().lower()
    return fails not in ("", "false") or require not in ("", "off", "warn")


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
    host = _host(environ)
    notes = text("NOTES_REF", "refs/notes/traj")
    if not _REF.fullmatch(notes) or ".." in notes:
        raise EventError("'notes-ref' is not a notes ref", "such as refs/notes/traj")
    return Settings(
        token=Token(text("TOKEN")),
        foreign_token=text("TOKEN") not in ("", environ.get("DEFAULT_TOKEN")),
        event=required("GITHUB_EVENT_NAME"),
        payload=path("GITHUB_EVENT_PATH"),
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
        wait=_wait(text("MAX_WAIT_NOTES", "auto")),
        strict=_flag("fail-on-error", text("FAIL_ON_ERROR", "false")),
        annotations=_one_of(_ANNOTATIONS, "annotations", text("ANNOTATIONS", "true")),
        labels=_flag("labels", text("LABELS", "false")),
        host=host,
        page=_page(environ, host),
        git_user="gitlab-ci-token" if host == "gitlab" else "x-access-token",
        git_token=_git_token(environ) if host == "gitlab" else None,
        forks=_flag("carry-forks", text("CARRY_FORKS", "false")),
        owner=owner_of(
            environ.get("GITHUB_REPOSITORY_ID") or repository,
            # OWNER/NAME/PATH@REF: a repository that is renamed keeps its id
            environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0].split("/", 2)[-1],
        ),
    )


def _host(environ: Mapping[str, str]) -> Host:
    if environ.get("GITLAB_CI") == "true":
        return "gitlab"
    return "gitea" if environ.get("GITHUB_API_URL", "").rstrip("/").endswith("/api/v1") else "github"


def _page(environ: Mapping[str, str], host: Host) -> str:
    """The address of this run's page; Gitea's has a number that no variable names."""
    server, run = environ["GITHUB_SERVER_URL"].rstrip("/"), environ["GITHUB_RUN_ID"]
    if host == "github":
        return f"{server}/{environ['GITHUB_REPOSITORY']}/actions/runs/{run if run.isdecimal() else 0}"
    page = environ.get("CI_JOB_URL", "")
    return page if re.fullmatch(r"[\w./:-]+", page) and page.startswith(f"{server}/") else ""


def _git_token(environ: Mapping[str, str]) -> Token:
    """A job's own reads its own project; of another one what everybody reads."""
    own = environ.get("CI_PROJECT_ID") == environ.get("GITHUB_REPOSITORY_ID")
    return Token(environ.get("CI_JOB_TOKEN", "") if own else "")


def _one_of(words: tuple[T, ...], name: str, value: str) -> T:
    for word in words:
        if word == value.lower():
            return word
    raise EventError(f"'{name}' is not one of {', '.join(words)}: {value[:50]}")


def _wait(value: str) -> float | None:
    return None if value.lower() == "auto" else _number("max-wait-notes", value, most=_WAIT)


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
