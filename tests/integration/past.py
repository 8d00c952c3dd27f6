"""A repository in which agents worked before git-traj was installed, and what a backfill prints."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from typing import Any

from tests.e2e.scenario import Shell, Turn, Write, turn
from tests.integration.records import traj
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter

DAY = 86_400.0


def begin(git: Git) -> Git:
    """Make a repository without git-traj."""
    git.commit({"README": "here\n"}, "Begin")
    git("config", "traj.thinking", "clear")
    return git


def age(*sessions: SessionWriter, days: float = 2) -> None:
    """Make the logs look unchanged for ``days``: these sessions are over."""
    then = time.time() - days * DAY
    for session in sessions:
        os.utime(session.log, (then, then))


def commit_turns(*names: str, where: str = "") -> list[Turn]:
    """Make turns that write a file for each name, commit it as ``Add NAME``, and print the commit's id."""
    steps = (
        (Write(f"{where}{name}", text(name)), Shell(f"git add -A && git commit -m 'Add {name}'"))
        for name in names
    )
    return [turn(*each) for each in steps] + [turn(say="Done")]


def text(name: str) -> str:
    return "".join(f"{name}, line {n}, as the agent wrote it\n" for n in range(4))


def backfill(git: Git, *options: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(traj(git, "backfill", "--json", *options))
    return report


def recorded(git: Git, *revisions: str) -> dict[str, set[str]]:
    """Map the subject of each commit that has records to its sessions."""
    commits = json.loads(traj(git, "log", "--json", *revisions))["commits"]
    return {c["subject"]: {t["session"] for t in c["trajectories"]} for c in commits}


def evidence(git: Git, rows: Iterable[dict[str, Any]]) -> dict[str, str]:
    """How each commit was linked, by its subject."""
    return {git("log", "-1", "--format=%s", row["commit"]): row["evidence"] for row in rows}


def refs(git: Git) -> str:
    """List everything that is recorded: our refs and their object ids."""
    return git("for-each-ref", "--format=%(refname) %(objectname)", "refs/notes")
