"""Decides what to do for an event: one table, no side effects.

======================= ==================================================================================
``pull_request``        writes its comment, unless the token is read-only: for a fork or for Dependabot
``pull_request_target`` writes its comment, also for forks: none of their code is checked out or run
``workflow_run``        writes the comment of the pull request whose head that run was for, looked up on
                        GitHub; no artifact or number that a fork's workflow could have forged is read
``push``                to the base branch: carries records to squashed or rebased commits
``workflow_dispatch``   writes the comment of the pull request in ``pr``, an input that works for any event
anything else           writes a notice with the reason; also for ``merge_group``: a queue ends in a push
======================= ==================================================================================

When the token may write: https://docs.github.com/en/actions/reference/workflows-and-actions/
events-that-trigger-workflows, and https://docs.github.com/en/code-security/dependabot/
troubleshooting-dependabot/troubleshooting-dependabot-on-github-actions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from github_action.errors import EventError
from github_action.payload import Payload

Mode = Literal["auto", "comment", "carry", "check"]
_DEPENDABOT = "dependabot[bot]"
_NUMBER = re.compile(r"#?([1-9]\d{0,9})")
_ZERO_ID = "0" * 40
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPull:
    """Report on a pull request of ``repository``. ``head`` is None when only the number is known.
    ``check``: report without the pull request's comment and labels; annotations are made as configured.
    ``read_only``: why the token probably cannot write."""

    repository: str
    number: int
    head: str | None = None
    fork: bool = False
    check: bool = False
    read_only: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnRun:
    """Report on the pull requests from ``branch`` of ``head_repository`` whose head is ``head``: see
    ``pull_request.find_pulls``."""

    repository: str
    head: str
    head_repository: str
    branch: str
    fork: bool
    check: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPush:
    """Carry records to the commits of ``branch`` after ``before``, up to ``after``."""

    repository: str
    branch: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing to do: a notice, and success."""

    why: str


Activity = OnPull | OnRun | OnPush | Idle
_IDLE = {
    "workflow_dispatch": "the input 'pr' is empty: set it to the number of a pull request",
    "merge_group": "nothing to do for a merge queue: records are carried on the push at its end",
}


def decide(
    event: str, payload: Payload, *, repository: str, actor: str = "", mode: str = "auto", pr: str = ""
) -> Activity:
    """Decide what to do. ``event``, ``repository`` and ``actor`` are ``GITHUB_EVENT_NAME``,
    ``GITHUB_REPOSITORY`` and ``GITHUB_ACTOR``; ``mode`` and ``pr`` are the action's inputs. Raises EventError
    for an input or a payload that is not valid."""
    if mode not in get_args(Mode):
        raise EventError(f"'mode' is not one of {', '.join(get_args(Mode))}")
    number = _read_number(pr.strip())
    if mode == "carry" and event != "push":
        return Idle("records are carried on a push to the base branch; this is not one")
    if mode != "carry" and number and number != payload.number("pull_request.number"):
        return OnPull(repository=repository, number=number, check=mode == "check")
    if event in ("pull_request", "pull_request_target"):
        target, check = event != "pull_request", mode == "check"
        return _pull(payload, repository, target=target, actor=actor, check=check)
    if event == "workflow_run":
        return _run(payload, repository, check=mode == "check")
    if event == "push":
        return _push(payload, repository, mode)
    return Idle(_IDLE.get(event, f"nothing to do on '{event}' without the input 'pr'"))


def _read_number(pr: str) -> int | None:
    match = _NUMBER.fullmatch(pr)
    if pr and not match:
        raise EventError("'pr' is not the number of a pull request")
    return int(match[1]) if match else None


def _pull(payload: Payload, repository: str, *, target: bool, actor: str, check: bool) -> OnPull:
    home = payload.repository("pull_request.head.repo.full_name")  # null when the fork was deleted
    fork = home != repository
    read_only = None
    if not target and fork:
        read_only = "the token is read-only in a workflow run for a fork"
    elif not target and _DEPENDABOT in (actor, payload.text("sender.login")):
        read_only = "the token is read-only in a workflow run for Dependabot"
    return OnPull(
        repository=repository,
        number=_required(payload.number("pull_request.number")),
        head=_required(payload.sha("pull_request.head.sha")),
        fork=fork,
        check=check,
        read_only=read_only,
    )


def _run(payload: Payload, repository: str, *, check: bool) -> OnRun | Idle:
    if payload.text("workflow_run.event") != "pull_request":
        return Idle("the workflow did not run for a pull request")
    home, branch = (
        payload.repository("workflow_run.head_repository.full_name"),
        payload.text("workflow_run.head_branch"),
    )
    if not home or not branch:
        return Idle("the branch that the workflow ran for is gone")
    head = _required(payload.sha("workflow_run.head_sha"))
    return OnRun(
        repository=repository,
        head=head,
        head_repository=home,
        branch=branch,
        fork=home != repository,
        check=check,
    )


def _push(payload: Payload, repository: str, mode: str) -> OnPush | Idle:
    kind, _, branch = (payload.text("ref") or "").partition("refs/heads/")
    if mode not in ("auto", "carry"):
        return Idle(f"a push is not a pull request: mode '{mode}' has nothing to do")
    if kind or not branch or payload.flag("deleted"):
        return Idle("the push brought no commits to a branch")
    if mode == "auto" and branch != payload.text("repository.default_branch"):
        return Idle("records are carried on the default branch, and on others with 'mode: carry'")
    before, after = _required(payload.sha("before")), _required(payload.sha("after"))
    if before == _ZERO_ID:
        return Idle("the branch is new: nothing was merged to it yet")
    return OnPush(repository=repository, branch=branch, before=before, after=after)


def _required(value: T | None) -> T:
    if value is None:
        raise EventError("the event lacks a required field", "run this in a workflow of GitHub Actions")
    return value
