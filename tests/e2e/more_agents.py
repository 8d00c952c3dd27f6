"""Further agents, each started as a person would start it, but connected to a scripted model."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.agents import Agent, OpenCode
from tests.e2e.model_server import Reply, ToolCall
from tests.e2e.scenario import Edit, Shell, Step, Turn, Write


class LoggingAgent(Agent):
    """An agent that prints no events: a run's session is found by its new log."""

    settles = 4.0
    logs: str
    """The glob pattern of the logs, below HOME."""

    def __init__(self, program: Path) -> None:
        self.programs = program.parent
        self.program = str(program)

    def name_of(self, log: Path) -> str:
        return log.stem

    def find_session(self, stdout: str) -> tuple[str, Path]:
        log = max(Path.home().glob(self.logs), key=lambda path: path.stat().st_mtime_ns)
        return self.name_of(log), log


def _write(path: str, text: str) -> str:
    return f"printf %s {shlex.quote(text)} > {shlex.quote(path)}"


def _replace(path: str, old: str, new: str) -> str:
    change = f"p.write_text(p.read_text().replace({old!r}, {new!r}))"
    return shlex.join([sys.executable, "-c", f"import pathlib; p = pathlib.Path({path!r}); {change}"])


class Copilot(LoggingAgent):
    """`copilot -p`, see https://docs.github.com/copilot/concepts/agents/about-copilot-cli."""

    name = "copilot"
    model = "claude-sonnet-4-5"
    logs = ".copilot/session-state/*/events.jsonl"

    def name_of(self, log: Path) -> str:
        return log.parent.name

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return ToolCall("create", {"path": str(folder / path), "file_text": text})
            case Edit(path, old, new):
                return ToolCall("edit", {"path": str(folder / path), "old_str": old, "new_str": new})
            case Shell(command):
                return ToolCall("bash", {"command": command, "description": "A step of the script"})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        return [self.program, "-p", prompt]

    def environment(self, url: str) -> dict[str, str]:
        provider = {"TYPE": "anthropic", "BASE_URL": url, "API_KEY": "no-key"}
        return {
            **{f"COPILOT_PROVIDER_{key}": value for key, value in provider.items()},
            "COPILOT_OFFLINE": "true",
            "COPILOT_MODEL": self.model,
            "COPILOT_ALLOW_ALL": "true",
        }


class Pi(LoggingAgent):
    """`pi -p`, see the README of @mariozechner/pi-coding-agent."""

    name = "pi"
    model = "scripted-1"
    logs = ".pi/agent/sessions/*/*.jsonl"

    def name_of(self, log: Path) -> str:
        return log.stem.rpartition("_")[2]

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return ToolCall("write", {"path": path, "content": text})
            case Edit(path, old, new):
                return ToolCall("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})
            case Shell(command):
                return ToolCall("bash", {"command": command})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        return [self.program, "-p", prompt, "--provider", "script", "--model", self.model]

    def environment(self, url: str) -> dict[str, str]:
        cost = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)
        model = {"id": self.model, "name": "s", "reasoning": True, "input": ["text"], "cost": cost}
        model |= {"contextWindow": 200_000, "maxTokens": 8_000}
        provider = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "no-key", "models": [model]}
        _put(".pi/agent/models.json", {"providers": {"script": provider}})
        return {}


class Qwen(LoggingAgent):
    """`qwen -p`, see https://qwenlm.github.io/qwen-code-docs/."""

    name = "qwen-code"
    model = "scripted-1"
    logs = ".qwen/projects/*/chats/*.jsonl"

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return ToolCall("write_file", {"file_path": str(folder / path), "content": text})
            case Edit(path, old, new):
                change = {"old_string": old, "new_string": new}
                return ToolCall("edit", {"file_path": str(folder / path), **change})
            case Shell(command):
                options = {"is_background": False, "description": "A step of the script"}
                return ToolCall("run_shell_command", {"command": command, **options})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        return [self.program, "--auth-type", "anthropic", "--yolo", "-p", prompt]

    def environment(self, url: str) -> dict[str, str]:
        return {"ANTHROPIC_API_KEY": "no-key", "ANTHROPIC_BASE_URL": url, "ANTHROPIC_MODEL": self.model}


class Cline(LoggingAgent):
    """`cline -y`, see https://docs.cline.bot/cline-cli. A run ends with a call."""

    name = "cline"
    model = "scripted-1"
    logs = ".cline/data/sessions/*/*.messages.json"

    def name_of(self, log: Path) -> str:
        return log.parent.name

    def reply(self, turn: Turn, folder: Path) -> Reply:
        reply = super().reply(turn, folder)
        ending = {
            "summary": "The script was followed",
            "verified": True,
            "result": "It was followed to its end",
        }
        return (
            reply if turn.steps else Reply(reply.thinking, reply.text, (ToolCall("submit_and_exit", ending),))
        )

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return ToolCall("editor", {"path": str(folder / path), "new_text": text})
            case Edit(path, old, new):
                return ToolCall("editor", {"path": str(folder / path), "old_text": old, "new_text": new})
            case Shell(command):
                return ToolCall("run_commands", {"commands": [command]})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        return [self.program, "-y", prompt]

    def environment(self, url: str) -> dict[str, str]:
        own = "openai-compatible"
        settings = {"provider": own, "apiKey": "no-key", "model": self.model, "baseUrl": f"{url}/v1"}
        provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
        settings_file = {"version": 1, "lastUsedProvider": own, "modes": {}, "providers": {own: provider}}
        _put(".cline/data/settings/providers.json", settings_file)
        return {}


class Kilo(OpenCode):
    """`kilo run`, a fork of OpenCode."""

    name = "kilo"

    def __init__(self, program: Path) -> None:
        super().__init__(program.parent)


class Mini(LoggingAgent):
    """`mini`, see https://mini-swe-agent.com. It has no tool but a shell, and runs without a session id."""

    name = "mini-swe-agent"
    model = "openai/scripted-1"
    logs = ".config/mini-swe-agent/last_mini_run.traj.json"

    def reply(self, turn: Turn, folder: Path) -> Reply:
        reply = super().reply(turn, folder)
        ending = ToolCall("bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"})
        return reply if turn.steps else Reply(reply.thinking, reply.text, (ending,))

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return ToolCall("bash", {"command": _write(path, text)})
            case Edit(path, old, new):
                return ToolCall("bash", {"command": _replace(path, old, new)})
            case Shell(command):
                return ToolCall("bash", {"command": command})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        return [self.program, "-m", self.model, "-y", "--exit-immediately", "-t", prompt]

    def environment(self, url: str) -> dict[str, str]:
        own = {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors"}
        return {**own, "OPENAI_API_BASE": f"{url}/v1", "OPENAI_API_KEY": "no-key"}


class Aider(LoggingAgent):
    """`aider --message`, see https://aider.chat/docs/scripting.html. Aider has no tools: it writes the file
    that the model prints, commits it, and asks the model for the message. So a run is one turn with one
    ``Write``, and the model's text begins with the commit's subject."""

    name = "aider"
    model = "openai/scripted-1"
    settles = 4.0
    logs = "*/.aider.chat.history.md"

    def __init__(self, program: Path, folder: Path) -> None:
        super().__init__(program)
        self._folder = folder
        self.logs = os.path.relpath(folder / ".aider.chat.history.md", Path.home())

    def reply(self, turn: Turn, folder: Path) -> Reply:
        (step,) = turn.steps
        assert isinstance(step, Write)
        return Reply("", f"{turn.say}\n\n{step.path}\n```\n{step.text}```\n")

    def call(self, step: Step, folder: Path) -> ToolCall:
        raise NotImplementedError

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        quiet = ["--no-check-update", "--no-show-model-warnings", "--no-analytics", "--no-gitignore"]
        options = ["--model", self.model, "--edit-format", "whole", "--yes-always", "--no-show-release-notes"]
        return [self.program, *options, *quiet, "--message", prompt]

    def environment(self, url: str) -> dict[str, str]:
        return {"OPENAI_API_BASE": f"{url}/v1", "OPENAI_API_KEY": "no-key"}


def _put(path: str, value: Any) -> None:
    file = Path.home() / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value))


MORE: dict[str, Callable[[Path], Agent]] = {  # in an ordinary run only the first two, which are small
    "pi": Pi,
    "qwen-code": Qwen,
    "copilot": Copilot,
    "cline": Cline,
    "kilo": Kilo,
    "mini-swe-agent": Mini,
}
