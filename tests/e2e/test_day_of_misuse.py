"""A day of three real agents and a person in one repository, and then everything that can go wrong: refs
are pruned, processes are killed, another user commits, many write at once, an interpreter hangs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.e2e.agents import Agent
from tests.e2e.scenario import Fact, Run, Shell, Write, facts, turn
from tests.e2e.workshop import Workshop, events
from tests.integration.repository import Git

NOBODY = 65534
TRAJ = [sys.executable, "-m", "gittraj"]


def work(agent: Agent, workshop: Workshop, name: str, command: str) -> Run:
    turns = [
        turn(Write(f"{name}.py", f"{name} = 1\n" * 4), say=f"I write {name}"),
        turn(Shell(command)),
        turn(say="Made."),
    ]
    return agent.run(turns, folder=workshop.path, prompt=f"Write {name}")


def recorded_agents(workshop: Workshop) -> dict[str, set[str]]:
    """Return the agents recorded for each commit, by its subject."""
    return {c["subject"]: {t["agent"] for t in c["trajectories"]} for c in workshop.log()}


def faults(workshop: Workshop, *options: str) -> list[str]:
    done = subprocess.run(
        [*TRAJ, "doctor", "--json", *options], cwd=workshop.path, capture_output=True, text=True, check=False
    )
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return [each["code"] for each in findings if each["severity"] == "wrong" and not each["fixed"]]


def at_once(workshop: Workshop, count: int, *arguments: str) -> list[str]:
    """Run ``count`` commands at the same time; return the output of those that failed."""
    started = [
        subprocess.Popen(
            [*TRAJ, *arguments],
            cwd=workshop.path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    ended = [(each.communicate()[1], each.returncode) for each in started]
    return [stderr for stderr, status in ended if status]


def prune_refs(workshop: Workshop, tmp_path: Path) -> None:
    """Fetch with a mirror's refspec from a server that has no notes."""
    Git.init(tmp_path / "empty.git", "--bare")
    workshop.git("push", "-q", str(tmp_path / "empty.git"), "HEAD")
    workshop.git("fetch", "-q", "--prune", str(tmp_path / "empty.git"), "+refs/notes/*:refs/notes/*")
    assert workshop.git("for-each-ref", "refs/notes") == ""


def leave_locks(workshop: Workshop) -> None:
    git = workshop.path / ".git"
    for name in ("refs/notes-remote/origin/traj.lock", "refs/notes/traj.lock", "traj/drain.lock"):
        (git / name).parent.mkdir(parents=True, exist_ok=True)
        (git / name).touch()
        os.utime(git / name, (1, 1))


def commit_as_another(workshop: Workshop, tmp_path: Path) -> None:
    """Commit as another user of the same group; if the tests do not run as root, as the same user."""
    workshop.git("config", "core.sharedRepository", "group")
    own = tmp_path / "home of another"
    own.mkdir()
    (own / ".gitconfig").write_text(
        "[safe]\n\tdirectory = *\n[user]\n\tname = Another\n\temail = another@example.com\n"
    )
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": [0]}
        subprocess.run(["chmod", "-R", "g+rwX", str(workshop.path)], check=True)
        os.chown(own, NOBODY, NOBODY)
        for folder in (own, *own.parents):
            if folder.stat().st_uid in (0, NOBODY) and folder != Path("/"):
                folder.chmod(folder.stat().st_mode | 0o011)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_CONFIG")}
    env: Mapping[str, str] = {**kept, "HOME": str(own), "XDG_CONFIG_HOME": str(own / ".config")}
    for command in (
        ["touch", "theirs"],
        ["git", "add", "theirs"],
        ["git", "commit", "-qm", "By another user"],
    ):
        subprocess.run(command, cwd=workshop.path, env=env, check=True, umask=0o002, **user)


def commit_while_interpreters_hang(workshop: Workshop) -> float:
    """Return the seconds that a commit takes while every interpreter that a hook starts hangs."""
    hook = workshop.path / ".git/hooks/post-commit"
    original = hook.read_text()
    (workshop.path / ".git/hangs").write_text("#!/bin/sh\nexec sleep 20\n")
    (workshop.path / ".git/hangs").chmod(0o755)
    hook.write_text(re.sub(r"py='.*'", f"py='{workshop.path}/.git/hangs'", original))
    assert hook.read_text() != original
    begin = time.monotonic()
    workshop.commit("hanging", "a person's\n")
    took = time.monotonic() - begin
    hook.write_text(original)
    return took


def test_records_survive_a_day_and_everything_that_goes_wrong_after_it(
    claude: Agent, codex: Agent, gemini: Agent, workshop: Workshop, tmp_path: Path
) -> None:
    workshop.git("config", "traj.push", "auto")
    Git.init(tmp_path / "server.git", "--bare")
    workshop.git("remote", "add", "origin", str(tmp_path / "server.git"))
    runs = [
        work(claude, workshop, "one", "git add one.py && git commit -qm one"),
        work(codex, workshop, "two", "git add two.py && git commit -m two"),
        work(gemini, workshop, "three", "git add three.py && git commit -m three"),
    ]
    workshop.commit("mine.py", "mine = 1\n" * 4)
    left = work(claude, workshop, "four", "true")
    workshop.git("add", "four.py")
    workshop.git("commit", "-qm", "four")
    workshop.settle(*runs, left)
    expected = {"one": {"claude-code"}, "two": {"codex"}, "three": {"gemini-cli"}, "four": {"claude-code"}}
    assert recorded_agents(workshop) == expected
    assert faults(workshop) == []

    prune_refs(workshop, tmp_path)
    assert faults(workshop) == ["records-deleted"]
    assert faults(workshop, "--fix") == []
    assert recorded_agents(workshop) == expected

    leave_locks(workshop)
    assert {*faults(workshop)} == {"ref-lock", "lock-stale"}
    assert faults(workshop, "--fix") == []

    commit_as_another(workshop, tmp_path)
    assert recorded_agents(workshop) == expected

    logs = [str(run.log) for run in runs]
    assert at_once(workshop, 6, "import", *logs) == []
    assert at_once(workshop, 2, "sync") == []
    assert commit_while_interpreters_hang(workshop) < 10

    workshop.settle()
    assert recorded_agents(workshop) == expected
    assert faults(workshop) == []
    for run, subject in (*zip(runs, ("one", "two", "three"), strict=True), (left, "four")):
        (commit,) = (c["commit"] for c in workshop.log() if c["subject"] == subject)
        (shown,) = workshop.show(commit)
        recorded: list[Fact] = facts(events(shown))
        assert sorted(recorded) == sorted(run.facts()), subject
