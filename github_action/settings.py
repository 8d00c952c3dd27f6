"""Reads the action's inputs and the runner's variables; only this module reads the environment.

Inputs come as ``INPUT_…`` variables, never as text in a script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from github_action.errors import EventError
from github_action.token import Token
from github_action.upsert_comment import check_key, owner_of

Wanted = Literal["auto", "always", "off"]
Missing = Literal["quiet", "comment"]
Require = Literal["off", "warn", "fail"]
Annotations = Literal["true", "false", "check", "review"]
Host = Literal["github", "gitlab", "gitea"]
_REF = re.compile(r"refs/notes/[\w./-]+", re.ASCII)
_MAX_WAIT = 300
"""The upper limit for ``max-wait-notes``, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a run. Those whose names are not self-explanatory:

    ``foreign_token``: ``token`` is not the job's own token, which the runner masks. ``api`` and ``server``
    are the host's URLs; ``run`` is the number of this run; ``folder`` is for our temporary files;
    ``coverage`` is a percentage of the commits. ``wait`` is how many seconds to wait for records that arrive
    after their branch (None: a default time, but only if a push may still be under way). ``forks``: records
    are also carried from merged forks. ``owner``: see ``owner_of``. ``page`` is the URL of this run's page,
    with its summary. ``git_user`` and ``git_token`` are for git, if it does not use ``token``.
    """

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
    """Whether an error fails the job: also if ``require`` has an unknown value, since a gate that cannot be
    evaluated fails."""
    require = environ.get("INPUT_REQUIRE", environ.get("GIT_TRAJ_REQUIRE", "")).strip().lower()
    fails = environ.get("INPUT_FAIL_ON_ERROR", "").strip().lower()
    return fails not in ("", "false") or require not in ("", "off", "warn")


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Read the settings. Raises EventError for an input that is not valid, or outside of a GitHub runner."""

    def required(name: str) -> str:
        if not environ.get(name):
            raise EventError(f"{name} is not set", "run this in a workflow of GitHub Actions")
        return environ[name]

    def path(name: str) -> Path | None:
        return Path(environ[name]) if environ.get(name) else None

    server, repository, run = map(required, ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"))
    host, token = _host(environ), _input(environ, "token")
    inputs = {
        field: read(name, text) for name, (field, read) in INPUTS.items() if (text := _input(environ, name))
    }
    return Settings(
        token=Token(token),
        foreign_token=token not in ("", environ.get("DEFAULT_TOKEN")),
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
        host=host,
        page=_page(environ, host),
        git_user="gitlab-ci-token" if host == "gitlab" else "x-access-token",
        git_token=_git_token(environ) if host == "gitlab" else None,
        owner=owner_of(
            environ.get("GITHUB_REPOSITORY_ID") or repository,
            # OWNER/NAME/PATH@REF; only PATH is used, because a renamed repository keeps its id
            environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0].split("/", 2)[-1],
        ),
        **inputs,
    )


def variable(name: str) -> str:
    """An input's name as it is spelled in environment variables: ``MAX_WAIT_NOTES``."""
    return name.upper().replace("-", "_")


def _input(environ: Mapping[str, str], name: str) -> str:
    return environ.get(f"INPUT_{variable(name)}", "").strip()


def _host(environ: Mapping[str, str]) -> Host:
    if environ.get("GITLAB_CI") == "true":
        return "gitlab"
    return "gitea" if environ.get("GITHUB_API_URL", "").rstrip("/").endswith("/api/v1") else "github"


def _page(environ: Mapping[str, str], host: Host) -> str:
    """The URL of this run's page; empty on Gitea, where the URL has a number that no variable contains."""
    server, run = environ["GITHUB_SERVER_URL"].rstrip("/"), environ["GITHUB_RUN_ID"]
    if host == "github":
        return f"{server}/{environ['GITHUB_REPOSITORY']}/actions/runs/{run if run.isdecimal() else 0}"
    page = environ.get("CI_JOB_URL", "")
    return page if re.fullmatch(r"[\w./:-]+", page) and page.startswith(f"{server}/") else ""


def _git_token(environ: Mapping[str, str]) -> Token:
    """The job's own token, which can read only its own project; empty for another project."""
    own = environ.get("CI_PROJECT_ID") == environ.get("GITHUB_REPOSITORY_ID")
    return Token(environ.get("CI_JOB_TOKEN", "") if own else "")


def _text(_: str, value: str) -> str:
    return value


def _one_of(kind: Any) -> Callable[[str, str], str]:
    def read(name: str, value: str) -> str:
        if value.lower() not in get_args(kind):
            raise EventError(f"'{name}' is not one of {', '.join(get_args(kind))}: {value[:50]}")
        return value.lower()

    return read


def _flag(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise EventError(f"input '{name}' is neither true nor false")
    return value.lower() == "true"


def _number(name: str, value: str, *, most: float = 100) -> float:
    try:
        number = float(value.removesuffix("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise EventError(f"input '{name}' is not a number from 0 to {most:g}")
    return number


def _wait(name: str, value: str) -> float | None:
    return None if value.lower() == "auto" else _number(name, value, most=_MAX_WAIT)


def _ref(name: str, value: str) -> str:
    if not _REF.fullmatch(value) or ".." in value:
        raise EventError(f"input '{name}' is not a notes ref", "such as refs/notes/traj")
    return value


INPUTS: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "mode": ("mode", _text),
    "pr": ("pr", _text),
    "notes-ref": ("notes", _ref),
    "comment": ("comment", _one_of(Wanted)),
    "when-missing": ("missing", _one_of(Missing)),
    "show-prompts": ("prompts", _flag),
    "show-cost": ("cost", _flag),
    "annotations": ("annotations", _one_of(Annotations)),
    "labels": ("labels", _flag),
    "key": ("key", lambda _, value: check_key(value)),
    "comment-author": ("author", _text),
    "require": ("require", _one_of(Require)),
    "min-coverage": ("coverage", _number),
    "bypass-label": ("bypass", _text),
    "max-wait-notes": ("wait", _wait),
    "carry-forks": ("forks", _flag),
    "fail-on-error": ("strict", _flag),
}
"""For each input of the Action: its field of ``Settings``, which has the default, and what reads it."""
