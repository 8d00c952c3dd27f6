"""A person types ``! git commit`` into Claude Code, in a terminal: the commit is the person's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.agents import Agent
from tests.e2e.model_server import Reply, serving
from tests.e2e.scenario import Write, turn
from tests.e2e.test_misuse import evidence
from tests.e2e.workshop import Workshop

KEY = "no-key"
_PATIENCE = 60.0


@contextmanager
def terminal(command: list[str], folder: Path, env: dict[str, str]) -> Iterator[Callable[..., str]]:
    """Run a command in its own tmux; yield a function that types words and returns the screen."""
    tmux = ["tmux", "-L", f"traj-{os.getpid()}"]
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "120", "-y", "40", *command], cwd=folder, env=env, check=True
    )

    def typed(*keys: str) -> str:
        if keys:
            subprocess.run([*tmux, "send-keys", *keys], env=env, check=True)
            time.sleep(0.5)
        return subprocess.run(
            [*tmux, "capture-pane", "-p"], env=env, check=True, capture_output=True, text=True
        ).stdout

    try:
        yield typed
    finally:
        subprocess.run([*tmux, "kill-server"], env=env, check=False)


def wait(until: Callable[[], bool], screen: Callable[[], str]) -> None:
    end = time.monotonic() + _PATIENCE
    while not until():
        assert time.monotonic() < end, screen()
        time.sleep(0.3)


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_a_commit_typed_in_bash_mode_is_the_persons(claude: Agent, workshop: Workshop) -> None:
    known = {"hasCompletedOnboarding": True, "theme": "dark", "bypassPermissionsModeAccepted": True}
    trusted = {str(workshop.path): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}
    approved = {"customApiKeyResponses": {"approved": [KEY], "rejected": []}, "projects": trusted}
    (Path.home() / ".claude.json").write_text(json.dumps(known | approved))
    turns = [turn(Write("a.py", "a = 1\n" * 4)), turn(say="It is written.")]
    replies = [Reply(t.think, t.say, tuple(claude.call(s, workshop.path) for s in t.steps)) for t in turns]
    with serving(replies, before_turn=lambda _: None) as server:
        env = {
            **os.environ,
            **claude.environment(server.url),
            "ANTHROPIC_API_KEY": KEY,
            "TERM": "xterm-256color",
        }
        command = [
            str(claude.programs / "claude"),
            "--model",
            claude.model,
            "--permission-mode",
            "bypassPermissions",
        ]
        with terminal(command, workshop.path, env) as typed:
            wait(lambda: "❯" in typed() or ">" in typed(), typed)
            time.sleep(2)
            typed("Write a", "Enter")
            wait(lambda: "It is written." in typed(), typed)
            time.sleep(3)
            (workshop.path / "mine").write_text("a person's\n")
            for name in ("mine", "a.py"):
                typed("!")
                typed(f"git add {name} && git commit -qm 'By me: {name}'", "Enter")
                wait(lambda name=name: f"By me: {name}" in workshop.git("log", "--format=%s"), typed)
                time.sleep(3)
            typed("C-c")
    workshop.settle()
    assert evidence(workshop) == {"By me: a.py": ["content"]}
