"""Runs AgentNote as a recorder of random walks: its own ``init`` installs the hooks that report to it.

``AGENT_NOTE`` is the folder into which npm installed ``@wasabeef/agentnote``. Its hooks are called as Claude
Code calls them, but one after the other, while Claude Code does not wait for most.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.noted import Noted
from tests.e2e.model_server import Usage
from tests.e2e.scenario import Edit, Shell, Write
from tests.integration.session_writer import Change, Json, SessionWriter
from tests.integration.walk_recorder import Quick

PROGRAM = Path(os.environ.get("AGENT_NOTE", "."), "node_modules", "@wasabeef", "agentnote", "dist", "cli.js")
_WORK = re.compile(r"\bw\d+\b")


class Hooked(Quick):
    """A session of Claude Code with AgentNote's hooks in its settings."""

    def write_prompt(self, text: str) -> None:
        if self._last is None:
            self._hook("SessionStart", source="startup", model=self.model)
        self._hook("UserPromptSubmit", prompt=text)
        super().write_prompt(text)

    def finish(self) -> None:
        super().finish()
        self._hook("Stop", stop_hook_active=False)

    def change(self, step: Write | Edit) -> Change:
        self._hook("PreToolUse", **self._tool(step), tool_use_id=self._call)
        return super().change(step)

    def _assistant(self, block: Json, reason: str, usage: Usage) -> str:
        self._call = str(block.get("id"))
        return super()._assistant(block, reason, usage)

    def _changed(self, change: Change, step: Write | Edit, call: str, source: str) -> None:
        super()._changed(change, step, call, source)
        self._hook("PostToolUse", **self._tool(step), tool_use_id=call, tool_response={})

    def _shell(
        self, step: Shell, call: str, block: Json, reason: str, usage: Usage, env: Mapping[str, str]
    ) -> None:
        if "git commit" in step.command:
            answer = self._hook("PreToolUse", **self._tool(step), tool_use_id=call)
            if answer:
                step = Shell(answer["hookSpecificOutput"]["updatedInput"]["command"])
                block = {**block, "input": self._input(step)}
        super()._shell(step, call, block, reason, usage, env)
        self._hook("PostToolUse", **self._tool(step), tool_use_id=call, tool_response={})

    def _tool(self, step: Write | Edit | Shell) -> Json:
        return {"tool_name": _TOOLS[type(step)], "tool_input": self._input(step)}

    def _hook(self, event: str, **fields: Any) -> Json:
        common = {
            "session_id": self.session,
            "transcript_path": str(self.log),
            "cwd": str(self.folder),
            "permission_mode": "bypassPermissions",
            "hook_event_name": event,
        }
        done = subprocess.run(
            ["node", str(PROGRAM), "hook", "--agent", "claude"],
            cwd=self.folder,
            input=json.dumps(common | fields),
            capture_output=True,
            text=True,
            check=False,
        )
        answer: Json = json.loads(done.stdout) if done.stdout.strip() else {}
        return answer


_TOOLS = {Write: "Write", Edit: "Edit", Shell: "Bash"}


class AgentNote(Noted):
    """AgentNote as its ``init`` installs it: its git hooks record, and a walk does nothing else for it."""

    ref = "refs/notes/agentnote"

    def __init__(self) -> None:
        super().__init__()
        if not PROGRAM.exists():
            raise FileNotFoundError(f"{PROGRAM}: set AGENT_NOTE to where npm installed @wasabeef/agentnote")

    def install(self, root: Path) -> None:
        subprocess.run(
            ["node", str(PROGRAM), "init", "--agent", "claude", "--no-action"],
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        with (root / ".git" / "info" / "exclude").open("a") as exclude:
            exclude.write(".claude/\n")  # its settings are not part of the walk

    def hire(self, agent: str, folder: Path, name: str) -> SessionWriter:
        return Hooked(folder, name=name)

    def read(self, note: str) -> list[frozenset[str]]:
        """Return the pieces of work in the prompts of each part of a note: they are named ``w1``, ``w2`` …"""
        return [frozenset(_WORK.findall(each["prompt"])) for each in json.loads(note).get("interactions", ())]
