"""The real command-line agents, each started as a person would start it, but with a scripted model behind it.

An agent's own tools, its log and its way to run a shell are the real thing; this module only turns a neutral
script into the agent's tool calls and finds the log again. It must not read the log's content, but for
whether it is whole.
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
    """What the harness must know of an agent; `programs` is the folder it is started from."""

    name: str  # as `git traj` calls it
    model: str
    settles: float  # seconds; see Run.settles
    programs: Path

    def call(self, step: Step, folder: Path) -> ToolCall:
        """The step in the agent's own tool call."""
        ...

    def command(self, url: str, prompt: str, resume: str | None) -> list[str]:
        """How to start one run against the model at `url`."""
        ...

    def environment(self, url: str) -> dict[str, str]:
        """What the run needs in its environment beside HOME and PATH."""
        ...

    def reply(self, turn: Turn, folder: Path) -> Reply:
        """What the model answers."""
        calls = (self.call(step, folder) for step in turn.steps)
        return Reply(turn.think, turn.say, (*turn.own, *calls))

    def find_session(self, stdout: str) -> tuple[str, Path]:
        """The session that ran, and its log."""
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
        """Play `turns` in `folder`, as a new session or as a further turn of `resume`'s.

        `before_turn(n)` is called while the agent waits for its n-th response, so that a test can act then.

        Raises:
            AssertionError: the agent failed, did not play the whole script, or did not log its last words.
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
        said = f"{done.stdout[-500:]}{done.stderr[-500:]}"
        assert len(server.script.served) == len(turns), f"{self.name} stopped early: {said}"
        session, log = self.find_session(done.stdout)
        _check_words(log, turns[-1].say)
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
        again = ["--resume", resume] if resume else []
        output = ["--output-format", "stream-json", "--verbose"]
        trust = ["--permission-mode", "bypassPermissions"]
        return [str(self.programs / "claude"), "-p", prompt, "--model", self.model, *again, *output, *trust]

    def environment(self, url: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "no-key",
            "IS_SANDBOX": "1",  # otherwise it refuses bypassPermissions to root
            # on a busy machine `claude -p` would end before its last message is in the log
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
        again = ["resume", resume] if resume else []
        return [str(self.programs / "codex"), "exec", "--json", *model, *trust, *again, prompt]

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
    settles = 3.5  # its log does not say that a turn is over

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
        again = ["--resume", resume] if resume else []
        output = ["--output-format", "stream-json"]
        return [str(self.programs / "gemini"), "-p", prompt, "-m", self.model, *again, *output, "--yolo"]

    def environment(self, url: str) -> dict[str, str]:
        # a base URL alone makes it look for a gateway: how to log in, only its settings can say
        settings = Path.home() / ".gemini" / "settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        return {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "no-key",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            # its commands see no global git configuration, where people's names stand
            **{f"GIT_{role}_NAME": "A U Thor" for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_EMAIL": "author@example.com" for role in ("AUTHOR", "COMMITTER")},
        }

    def session(self, first: Mapping[str, Any]) -> str:
        return str(first["session_id"])

    def log(self, session: str) -> Path:
        found = (Path.home() / ".gemini" / "tmp").glob(f"*/chats/session-*-{session[:8]}.jsonl")
        return max(found, key=lambda path: path.stat().st_size)  # a resume leaves an empty one


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
        again = ["--session", resume] if resume else []
        output = ["--format", "json", "--thinking", "--auto"]
        titled = ["--title", "A story"]  # or it asks the model for one
        # it would put quotes around an argument with blanks, and joins words with one blank
        return [str(self.programs / self.name), "run", *output, *titled, *again, *prompt.split(" ")]

    def environment(self, url: str) -> dict[str, str]:
        options = {"baseURL": f"{url}/v1", "apiKey": "no-key"}
        model = {"reasoning": True, "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
        provider = {"anthropic": {"options": options, "models": {self.model: model}}}
        config = {"provider": provider, "model": f"anthropic/{self.model}", "share": "disabled"}
        nowhere = "http://127.0.0.1:9"  # it fetches the types of its plugins in the background
        own = {"CONFIG_CONTENT": json.dumps({**config, "enabled_providers": ["anthropic"]})}
        quiet = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        own |= {f"DISABLE_{what}": "1" for what in quiet}
        return {
            **{f"{self.name.upper()}_{name}": value for name, value in own.items()},
            "npm_config_registry": nowhere,
            "npm_config_offline": "true",
        }

    def session(self, first: Mapping[str, Any]) -> str:
        return str(first["sessionID"])

    def log(self, session: str) -> Path:
        return _only(Path.home() / ".local" / "share" / self.name, f"{self.name}.db")


def _check_words(log: Path, last: str) -> None:
    """No story can be told of a session that its agent did not log. Gemini CLI drops the blanks around it."""
    words = json.dumps(last.strip(), ensure_ascii=False)[1:-1].encode()
    assert log.suffix != ".jsonl" or words in log.read_bytes(), f"no last words in {log.name}"


def _patch(head: str, lines: Sequence[str]) -> ToolCall:
    return ToolCall("apply_patch", "\n".join(["*** Begin Patch", head, *lines, "*** End Patch", ""]))


def _marked(sign: str, text: str) -> list[str]:
    return [sign + line for line in text.splitlines()]


def _only(place: Path, pattern: str) -> Path:
    found = list(place.glob(pattern))
    assert len(found) == 1, f"expected one {pattern} under {place}, found {found}"
    return found[0]
