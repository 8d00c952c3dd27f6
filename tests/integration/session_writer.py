"""Sessions of agents without the agents: real files, real git commands, and the logs that agents would write.

A test states what the model thinks, says and does (``tests.e2e.scenario``); a writer does it in a real
folder, with the agent's environment variables, and writes each record in the shape and order in which the
agent writes it. Nothing here reads git-traj, so that what a test expects never comes from what it tests.
"""

from __future__ import annotations

import difflib
import json
import os
import random
import subprocess
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.e2e.model_server import Served, Usage
from tests.e2e.scenario import Edit, Fact, Run, Shell, Step, Turn, Write

Json = dict[str, Any]
_USAGES = 20  # Usage.of() doubles with every response; after 20 responses it starts over


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after a call; ``before`` is None if it did not exist."""

    path: Path
    before: str | None
    after: str

    def hunks(self, context: int) -> Iterator[tuple[str, list[str]]]:
        """Yield the ``@@`` line and the lines of each hunk."""
        old, new = (self.before or "").splitlines(), self.after.splitlines()
        lines: list[str] = []
        for line in [*[*difflib.unified_diff(old, new, n=context, lineterm="")][2:], "@@"]:
            if line.startswith("@@") and lines:
                yield lines[0], lines[1:]
                lines = []
            lines.append(line)


@dataclass(frozen=True, slots=True)
class Ran:
    """A shell command that ended."""

    output: str
    status: int
    seconds: float


class SessionWriter(ABC):
    """One session in ``folder``, logged under HOME. The same ``name`` gives the same ids.

    ``facts`` are all facts logged so far, in order, thinking included; ``usage`` the tokens used;
    ``settles``: the seconds after a run until its turn is certainly over.
    """

    agent: str
    model: str
    settles: float

    def __init__(self, folder: Path, *, name: str = "session") -> None:
        self.folder = folder
        self.random = random.Random(f"{self.agent} {name}")
        self.session = self.new_session()
        self.facts: list[Fact] = []
        self.usage = Usage(0, 0, 0)
        self.responses = 0
        self.log = self.place(Path(os.environ["HOME"]))
        self.log.parent.mkdir(parents=True, exist_ok=True)

    def run(self, turns: Sequence[Turn], *, prompt: str, env: Mapping[str, str] | None = None) -> Run:
        """Play a prompt, the responses to it, and the end of the turn; a second run resumes the session."""
        self.prompt(prompt)
        served = [self.respond(each, last=each is turns[-1], env=env) for each in turns]
        self.finish()
        return Run(
            agent=self.agent,
            model=self.model,
            session=self.session,
            log=self.log,
            stdout="",
            prompt=prompt,
            turns=turns,
            served=served,
            settles=self.settles,
        )

    def prompt(self, text: str) -> None:
        """Let a human type ``text``."""
        self.facts.append(("prompt", text))
        self.write_prompt(text)

    def respond(self, turn: Turn, *, last: bool = False, env: Mapping[str, str] | None = None) -> Served:
        """Play one response of the model and run its calls. ``last``: it ends the turn."""
        calls = tuple(self.new_call() for _ in turn.steps)
        served = Served(Usage.of(self.responses % _USAGES), calls)
        self.responses += 1
        self.usage += served.usage
        self.facts += [("thinking", turn.think)] if turn.think else []
        self.facts += [("message", turn.say)] if turn.say else []
        self.facts += [("tool_call", call) for call in calls] + [("tool_result", call) for call in calls]
        self.write_response(turn, served, last=last, env=env or {})
        return served

    @abstractmethod
    def new_session(self) -> str:
        """A session id in the agent's style."""

    @abstractmethod
    def new_call(self) -> str:
        """A call id in the style of the agent's vendor."""

    @abstractmethod
    def place(self, home: Path) -> Path:
        """The log's path."""

    @abstractmethod
    def write_prompt(self, text: str) -> None: ...

    @abstractmethod
    def write_response(self, turn: Turn, served: Served, *, last: bool, env: Mapping[str, str]) -> None: ...

    @abstractmethod
    def finish(self) -> None:
        """Write what the agent logs at the end of a turn."""

    # ------------------------------------------------------------ what all writers do

    def append(self, *records: Json) -> None:
        """Append records to the log, each by its own write, as the agents do."""
        with self.log.open("ab") as stream:
            for record in records:
                text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
                os.write(stream.fileno(), text.encode() + b"\n")

    def change(self, step: Write | Edit) -> Change:
        """Write or edit a file, as the agent's tool does."""
        path = self.folder / step.path
        before = path.read_text() if path.exists() else None
        if isinstance(step, Write):
            after = step.text
        else:
            assert before is not None and step.old in before, f"{step.path} does not contain {step.old!r}"
            after = before.replace(step.old, step.new, 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after)
        return Change(path, before, after)

    @contextmanager
    def running(self, step: Shell, env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
        """Run the command in a process group of its own."""
        process = subprocess.Popen(
            ["/bin/bash", "-c", step.command],
            cwd=self.folder,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        with process:
            yield process

    def hex(self, digits: int) -> str:
        return f"{self.random.getrandbits(4 * digits):0{digits}x}"

    def uuid(self, version: int = 4) -> str:
        made = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        return f"{made[:14]}{version}{made[15:]}"  # Python 3.11 has no uuid7


Writer = Callable[..., SessionWriter]
"""A function that begins a session in a folder."""


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def branch(folder: Path) -> str:
    """The branch, or ``HEAD`` outside of a repository; starts no process, as it is called for each record."""
    for place in (folder / ".git", *(parent / ".git" for parent in folder.parents)):
        if place.is_file():  # a linked work tree
            place = place.parent / place.read_text().removeprefix("gitdir: ").rstrip("\n")  # noqa: PLW2901
        if (place / "HEAD").is_file():
            head = (place / "HEAD").read_text().strip()
            return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else "HEAD"
    return "HEAD"


def steps_with_calls(turn: Turn, served: Served) -> Iterator[tuple[Step, str]]:
    yield from zip(turn.steps, served.call_ids, strict=True)
