"""The real command-line agents, each started as a person would start it, but connected to a scripted model.

An agent's own tools, log and way to run a shell are real; this module only turns a neutral
script into the agent's tool calls and finds the log. It must not read the log's content, except to check
whether it is complete.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from tests.e2e.model_server import Reply, ToolCall, serving
from tests.e2e.scenario import Edit, Run, Shell, Step, Turn, Write
from tests.integration.waiting import LONG


class Agent(Protocol):
    """What the harness must know about an agent; `programs` is the folder that contains its program."""

    name: str  # as `git traj` calls it
    model: str
    settles: float  # seconds after a run's end until its turn is certainly over
    programs: Path

    def call(self, step: Step, folder: Path) -> ToolCall:
        """The call of one of the agent's own tools that takes the step."""
        ...

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        """The command that starts one run with the model at `url`."""
        ...

    def environment(self, url: str) -> dict[str, str]:
        """The variables that a run needs besides HOME and PATH."""
        ...

    def reply(self, turn: Turn, folder: Path) -> Reply:
        """The model's answer in this turn."""
        calls = (self.call(step, folder) for step in turn.steps)
        return Reply(turn.think, turn.say, (*turn.own, *calls))

    def find_session(self, stdout: str) -> tuple[str, Path]:
        """The id of the session that ran, and the path of its log."""
        session = self.session(json.loads(stdout.partition("\n")[0]))
        return session, self.log(session)

    def session(self, first: Mapping[str, Any]) -> str:
        """The session's id, from the first event on stdout."""
        raise NotImplementedError

    def log(self, session: str) -> Path:
        """The session's log under this HOME."""
        raise NotImplementedError

    def run(
        self,
        turns: Sequence[Turn],
        *,
        folder: Path,
        prompt: str = "Do what the script says",
        resume: Run | None = None,
        env: Mapping[str, str] | None = None,
        before_turn: Callable[[int], None] = lambda _: None,
    ) -> Run:
        """Play `turns` in `folder`, as a new session, or as a continuation of the session of `resume`.

        `before_turn(n)` is called while the agent waits for its n-th response, so that a test can act then.

        Raises:
            AssertionError: the agent failed, did not play the whole script, or did not log its last message.
        """
        with serving([self.reply(t, folder) for t in turns], before_turn=before_turn) as server:
            done = subprocess.run(
                self.command(server.url, prompt, resume.session if resume else None),
                cwd=folder,
                env={**os.environ, **self.environment(server.url), **(env or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LONG,
                check=False,
            )
        assert done.returncode == 0, f"{self.name} failed: {done.stdout[-500:]}{done.stderr[-500:]}"
        output = f"{done.stdout[-500:]}{done.stderr[-500:]}"
        assert len(server.script.served) == len(turns), f"{self.name} stopped early: {output}"
        session, log = self.find_session(done.stdout)
        _check_last_message(log, turns[-1].say)
        return Run(
            agent=self.name,
            model=self.model,
            session=session,
            log=log,
            stdout=done.stdout,
            prompt=prompt,
            turns=turns,
            served=server.script.served,
            settles=self.settles,
        )


class ClaudeCode(Agent):
    """`claude -p`, see https://docs.anthropic.com/en/docs/claude-code/cli-reference."""

    name = "claude-code"
    model = "claude-sonnet-4-5"
    settles = 0.5

    def __init__(self, programs: Path) -> None:
        self.programs = programs

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return ToolCall("Write", {"file_path": str(folder / path), "content": text})
            case Edit(path, old, new):
                return ToolCall(
                    "Edit", {"file_path": str(folder / path), "old_string": old, "new_string": new}
                )
            case Shell(command):
                return ToolCall("Bash", {"command": command, "description": "A step of the script"})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        resumed = ["--resume", resume] if resume else []
        output = ["--output-format", "stream-json", "--verbose"]
        trust = ["--permission-mode", "bypassPermissions"]
        return [str(self.programs / "claude"), "-p", prompt, "--model", self.model, *resumed, *output, *trust]

    def environment(self, url: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "no-key",
            "IS_SANDBOX": "1",  # otherwise it refuses bypassPermissions to root
            # otherwise on a busy machine `claude -p` ends before its last message is in the log
            "CLAUDE_CODE_EAGER_FLUSH": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def session(self, first: Mapping[str, Any]) -> str:
        return str(first["session_id"])

    def log(self, session: str) -> Path:
        return _only(Path.home() / ".claude" / "projects", f"*/{session}.jsonl")


class Codex(Agent):
    """`codex exec`, see https://developers.openai.com/codex/cli/reference."""

    name = "codex"
    model = "gpt-5.5"  # a model that Codex doesn't know gets no apply_patch tool
    settles = 0.5

    def __init__(self, programs: Path) -> None:
        self.programs = programs

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return _patch(f"*** Add File: {path}", _marked("+", text))
            case Edit(path, old, new):
                return _patch(f"*** Update File: {path}", ["@@", *_marked("-", old), *_marked("+", new)])
            case Shell(command):
                return ToolCall("exec_command", {"cmd": command, "yield_time_ms": 10_000})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        provider = f'{{name="script", base_url="{url}/v1", wire_api="responses", env_key="SCRIPT_KEY"}}'
        model = ["-m", self.model, "-c", "model_provider=script", "-c", f"model_providers.script={provider}"]
        trust = ["--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"]
        resumed = ["resume", resume] if resume else []
        return [str(self.programs / "codex"), "exec", "--json", *model, *trust, *resumed, prompt]

    def environment(self, url: str) -> dict[str, str]:
        return {"SCRIPT_KEY": "no-key"}

    def session(self, first: Mapping[str, Any]) -> str:
        return str(first["thread_id"])

    def log(self, session: str) -> Path:
        return _only(Path.home() / ".codex" / "sessions", f"*/*/*/rollout-*-{session}.jsonl")


class GeminiCli(Agent):
    """`gemini -p`, see https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/headless.md."""

    name = "gemini-cli"
    model = "gemini-2.5-pro"
    settles = 3.5  # its log does not mark the end of a turn

    def __init__(self, programs: Path) -> None:
        self.programs = programs

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return ToolCall("write_file", {"file_path": str(folder / path), "content": text})
            case Edit(path, old, new):
                change = {"old_string": old, "new_string": new, "instruction": "A step of the script"}
                return ToolCall("replace", {"file_path": str(folder / path), **change})
            case Shell(command):
                return ToolCall("run_shell_command", {"command": command})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        resumed = ["--resume", resume] if resume else []
        output = ["--output-format", "stream-json"]
        return [str(self.programs / "gemini"), "-p", prompt, "-m", self.model, *resumed, *output, "--yolo"]

    def environment(self, url: str) -> dict[str, str]:
        # with only a base URL, Gemini CLI looks for a gateway: a login method can only be set in its settings
        settings = Path.home() / ".gemini" / "settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        return {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "no-key",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            # its commands do not see the global git configuration, which has the author's name
            **{f"GIT_{role}_NAME": "A U Thor" for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_EMAIL": "author@example.com" for role in ("AUTHOR", "COMMITTER")},
        }

    def session(self, first: Mapping[str, Any]) -> str:
        return str(first["session_id"])

    def log(self, session: str) -> Path:
        matches = (Path.home() / ".gemini" / "tmp").glob(f"*/chats/session-*-{session[:8]}.jsonl")
        return max(matches, key=lambda path: path.stat().st_size)  # a resumed run leaves an empty one


class OpenCode(Agent):
    """`opencode run`, see https://opencode.ai/docs/cli/."""

    name = "opencode"
    model = "claude-sonnet-4-5"
    settles = 0.5

    def __init__(self, programs: Path) -> None:
        self.programs = programs

    def call(self, step: Step, folder: Path) -> ToolCall:
        match step:
            case Write(path, text):
                return ToolCall("write", {"filePath": str(folder / path), "content": text})
            case Edit(path, old, new):
                change = {"oldString": old, "newString": new}
                return ToolCall("edit", {"filePath": str(folder / path), **change})
            case Shell(command):
                return ToolCall("bash", {"command": command, "description": "A step of the script"})

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        resumed = ["--session", resume] if resume else []
        output = ["--format", "json", "--thinking", "--auto"]
        title = ["--title", "A story"]  # otherwise it asks the model for one
        # it would quote an argument that contains spaces, and joins words with a space
        return [str(self.programs / self.name), "run", *output, *title, *resumed, *prompt.split(" ")]

    def environment(self, url: str) -> dict[str, str]:
        options = {"baseURL": f"{url}/v1", "apiKey": "no-key"}
        model = {"reasoning": True, "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
        provider = {"anthropic": {"options": options, "models": {self.model: model}}}
        config = {"provider": provider, "model": f"anthropic/{self.model}", "share": "disabled"}
        nowhere = "http://127.0.0.1:9"  # it fetches the types of its plugins in the background
        settings = {"CONFIG_CONTENT": json.dumps({**config, "enabled_providers": ["anthropic"]})}
        quiet = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        settings |= {f"DISABLE_{what}": "1" for what in quiet}
        return {
            **{f"{self.name.upper()}_{name}": value for name, value in settings.items()},
            "npm_config_registry": nowhere,
            "npm_config_offline": "true",
        }

    def session(self, first: Mapping[str, Any]) -> str:
        return str(first["sessionID"])

    def log(self, session: str) -> Path:
        return _only(Path.home() / ".local" / "share" / self.name, f"{self.name}.db")


def _check_last_message(log: Path, last: str) -> None:
    """Check that the agent logged its last message. Gemini CLI strips the spaces around it."""
    words = json.dumps(last.strip(), ensure_ascii=False)[1:-1].encode()
    assert log.suffix != ".jsonl" or words in log.read_bytes(), f"no last words in {log.name}"


def _patch(head: str, lines: Sequence[str]) -> ToolCall:
    return ToolCall("apply_patch", "\n".join(["*** Begin Patch", head, *lines, "*** End Patch", ""]))


def _marked(sign: str, text: str) -> list[str]:
    return [sign + line for line in text.splitlines()]


def _only(folder: Path, pattern: str) -> Path:
    matches = list(folder.glob(pattern))
    assert len(matches) == 1, f"expected one {pattern} under {folder}, matches {matches}"
    return matches[0]
