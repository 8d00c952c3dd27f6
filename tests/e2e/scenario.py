"""A session as a script, independent of agents: what the model thinks, says and does, turn by turn.

The script also determines what the session must leave behind, so that a test compares what git-traj stored
with the script itself and never with another reading of the same log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.model_server import Served, ToolCall, Usage

Fact = tuple[str, str]  # an event's type, and what identifies it: its text, or the id of its call


@dataclass(frozen=True, slots=True)
class Write:
    """Create a file; `path` is relative to the agent's folder."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace lines of a file that the session wrote (agents refuse to edit files they have not read)."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Shell:
    """Run a command in the agent's folder."""

    command: str


Step = Write | Edit | Shell


@dataclass(frozen=True, slots=True)
class Turn:
    """One response of the model; one without steps ends the run. ``own``: calls of an agent's own tools."""

    steps: tuple[Step, ...]
    think: str = ""
    say: str = ""
    own: tuple[ToolCall, ...] = ()


def turn(*steps: Step, think: str = "", say: str = "", own: Sequence[ToolCall] = ()) -> Turn:
    """Make a turn of the script."""
    return Turn(steps, think=think, say=say, own=tuple(own))


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of an agent did, from a prompt to the last message."""

    agent: str
    model: str
    session: str
    log: Path
    stdout: str
    prompt: str
    turns: Sequence[Turn]
    served: Sequence[Served]
    settles: float  # seconds after the run's end until its turn is certainly over

    def facts(self, first: int = 0, end: int | None = None) -> list[Fact]:
        """Every fact that the turns [first, end) must leave, in the log's order; the first has the prompt."""
        facts: list[Fact] = [("prompt", self.prompt)] if first == 0 else []
        for each, served in list(zip(self.turns, self.served, strict=True))[first:end]:
            facts += [("message", each.say)] if each.say else []
            facts += [("tool_call", call) for call in served.call_ids]
            facts += [("tool_result", call) for call in served.call_ids]
        return facts

    def usage(self, first: int = 0, end: int | None = None) -> Usage:
        """The tokens of the turns [first, end)."""
        return sum((s.usage for s in self.served[first:end]), Usage(0, 0, 0))


def facts(events: Iterable[Mapping[str, Any]]) -> list[Fact]:
    """The facts in events from `git traj show --json`."""
    identified: list[Fact] = []
    for event in events:
        match event["type"]:
            case "prompt" | "message":
                identified.append((event["type"], event["content"]))
            case "tool_call":
                identified.append(("tool_call", event["tool"]["callId"]))
            case "tool_result":
                identified.append(("tool_result", event["result"]["callId"]))
    return identified
