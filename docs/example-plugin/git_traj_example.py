"""An agent that git-traj does not know, and all that it needs to: each thing that a package may add."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from gittraj.agents import InstructionFile
from gittraj.agents.logged import LoggedAgent
from gittraj.errors import TaskError
from gittraj.formats.base.exported import Exported
from gittraj.formats.base.outcomes import printed_commits
from gittraj.model.session_items import Cursor, Damage, Edit, Entry, Fact, Item
from gittraj.model.values import Message, Prompt, TaskSource, ToolCall, ToolResult
from gittraj.tasks.system import Known, Site

AGENT = LoggedAgent(
    name="example",
    option="example",
    home=".example",
    variables=("EXAMPLE_HOME",),  # may name that folder
    log="sessions/{0}.jsonl",
    session="EXAMPLE_SESSION",  # its commands' environment has the session's id
    instructions=InstructionFile(own="EXAMPLE.md"),
)


_START = Cursor()


class Log:
    """A line of JSON for each event, after one with the session's id and folder."""

    name = "example"
    agent = "example"

    def detect(self, head: bytes) -> bool:
        return head.startswith(b'{"example": ')

    def read(
        self, stream: BinaryIO, *, session: str | None = None, cursor: Cursor = _START
    ) -> Iterator[Item]:
        end = 0
        for number, line in enumerate(stream):
            end += len(line)
            try:
                yield from self._read(json.loads(line), f"{session}-{number}", end)
            except (ValueError, LookupError, TypeError) as error:
                yield Damage(at=end - len(line), why=type(error).__name__)

    def _read(self, line: dict[str, Any], name: str, end: int) -> Iterator[Item]:
        if "example" in line:
            yield Fact(name="session", value=line["example"])
            yield Fact(name="folder", value=line["cwd"])
            return
        ts, text = line["at"], line.get("text", "")
        match line["kind"]:
            case "asked":
                yield Entry(event=Prompt(id=name, ts=ts, content=text), end=end)
            case "said":
                yield Entry(event=Message(id=name, ts=ts, content=text), end=end)
            case "wrote":
                edit = Edit(path=line["path"], added=tuple(text.splitlines()), whole=text)
                call = ToolCall(id=name, ts=ts, name="write", call_id=name, arguments={"path": line["path"]})
                yield Entry(event=call, end=end, edits=(edit,))
                yield Entry(event=ToolResult(id=f"{name}-r", ts=ts, call_id=name), end=end)
            case "ran":
                command = line["command"]
                call = ToolCall(id=name, ts=ts, name="shell", call_id=name, arguments={"command": command})
                yield Entry(event=call, end=end, command=command)
                result = ToolResult(id=f"{name}-r", ts=line.get("ended", ts), call_id=name, content=text)
                yield Entry(event=result, end=end, commits=printed_commits(text))


class Exporter:
    """A line for each trajectory: its agent, session and first prompt."""

    suffix = ".example.txt"
    each = False

    def write(self, exported: Exported) -> Iterator[str]:
        for told in exported.trajectories:
            yield f"{told['agent']} {told['session']}: {told.get('prompt')}\n"


class Tasks:
    """Tasks are EX-1, EX-2 …, in a file of the repository."""

    name = "example"
    local = True
    variables = ()

    def is_here(self, site: Site) -> bool:
        return any((folder / "EXAMPLE-TASKS").is_file() for folder in site.folders)

    def parse(self, text: str, site: Site, *, named: bool = False) -> TaskSource | None:
        found = text.startswith("EX-") and text.removeprefix("EX-").isdecimal()
        return TaskSource(system=self.name, id=text) if found else None

    def find(self, branch: str, site: Site) -> TaskSource | None:
        return self.parse(branch.rpartition("/")[2], site)

    def fetch(self, source: TaskSource, site: Site, *, timeout: float) -> Known:
        for folder in site.folders:
            for line in (folder / "EXAMPLE-TASKS").read_text("utf-8").splitlines():
                if line.startswith(f"{source.id} "):
                    return Known(title=line.partition(" ")[2])
        raise TaskError(f"there is no {source.id}", reason="unknown")

    def report(self, source: TaskSource, status: str, site: Site, *, timeout: float) -> None:
        raise TaskError("the file of tasks is changed by hand", reason="unsupported")


LOG, EXPORTER, TASKS = Log(), Exporter(), Tasks()
