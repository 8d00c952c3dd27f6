"""Finds the recording commands in an agent's shell line, and the ids that they printed. Pure.

An id in the result proves that a command ran, and gives its event a position in the log. The arguments are
read from the shell line, which does not contain the value of a variable, nor always which of several commands
printed an id: that may depend on their exit statuses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gittraj.decisions.shell import SHELLS, Command, read_commands
from gittraj.decisions.wording import RETROSPECTIVE, UnclearError, author_of, parse_event
from gittraj.events.runs.tokens import Word
from gittraj.model.values import AnyEvent, NoteEvent

ID = re.compile(r"^(?:Output: ?)?(ev_[a-z2-7]{24})(?= |\r?$)", re.M)
"""An event's id as a recording command prints it: first in the line. Gemini CLI puts a word before it."""
STARTED = re.compile(r"^(?:Output: ?)?ev_[a-z2-7]{24} begins (traj_[a-z2-7]{16})", re.M)
"""The trajectory that ``start`` begins if the session has no id yet: the session's log is recognised by this
id, which is printed in it."""
TASK = "task"
"""The key in an event's ``raw`` of the task that ``start`` looked up."""
COMPLETED, ABANDONED = "completed", "abandoned"
_VERB = "start|chapter|decision|event|complete|abandon"
_CALL = re.compile(
    rf"(?:\bgit(?:-traj[\"']?|\s[^\n;|&]{{0,200}}?\btraj)|-m\s+gittraj)\s+(?:-\S+\s+)*({_VERB})\b"
)
_LINE_LIMIT = 100_000
_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")
"""Git's options whose value is the next word."""

_OPTIONS = {
    "start": "task agent tag",
    "chapter": "agent",
    "decision": "question alternative reasoning path line confidence agent",
    "event": "significance tag agent from to",
    "complete": "summary approach challenge learning suggestion confidence retrospective agent",
    "abandon": "reason agent",
}
"""The options of each verb, which set the fields of :mod:`wording`; ``gittraj.cli`` has the same."""
_SEVERAL = ("tag", "alternative", "challenge", "learning", "suggestion")
"""Options that may be repeated: the fields that they set are lists, and have the plural as their name."""
_POSITIONAL = {
    "start": ("title",),
    "chapter": ("title",),
    "decision": ("chosen",),
    "event": ("type", "content"),
}


@dataclass(frozen=True, slots=True)
class Call:
    """A recording command: its ``verb``, and its arguments ``said`` as the fields of :mod:`wording`."""

    verb: str
    said: dict[str, Any] = field(default_factory=dict)
    loose: bool = False
    """The command may have run several times, or in parallel."""

    def event(self, *, by: str, **common: Any) -> AnyEvent:
        """Return the event that the command records. Raises UnclearError."""
        if author := author_of(self.said):
            common["agent"] = author.name
        if self.verb == "abandon":
            return NoteEvent(
                **common, kind="note", content=self.said.get("reason") or "abandoned", tags=(ABANDONED,)
            )
        kind = {"start": "chapter", "complete": RETROSPECTIVE}.get(self.verb, self.verb)
        try:
            return parse_event(kind, self.said, by=by, **common)
        except UnclearError:
            if self.verb != "complete" or self.said.keys() - {"agent"}:
                raise
            return NoteEvent(**common, kind="note", content="completed", tags=(COMPLETED,))


def find_calls(line: str) -> list[Call]:
    """Return the recording commands of a shell line whose output is not redirected, in order."""
    if "traj" not in line or not _CALL.search(line):
        return []
    try:
        commands = [each for each in read_commands(line[:_LINE_LIMIT]) if not each.silent]
    except ValueError:  # an open quote
        return [Call(match[1]) for match in _CALL.finditer(line)]
    return [call for each in commands if (call := _call(each))]


def match_calls(calls: Sequence[Call], ids: Sequence[str]) -> list[Call | None]:
    """Return for each id the call that printed it; None if the line alone does not show which call did."""
    one = all((call.verb, call.said) == (calls[0].verb, calls[0].said) for call in calls)
    if one and (len(ids) <= len(calls) or calls[0].loose or calls[0].verb == "complete"):
        return [calls[0]] * len(ids)
    if len(ids) == len(calls) and not any(call.loose for call in calls):
        return [*calls]
    return [None] * len(ids)


def _call(command: Command) -> Call | None:
    words = _after_program(command)
    while words and words[0].text.startswith("-"):
        words.pop(0)
    if not words or words[0].text not in _OPTIONS:
        return None
    return Call(words[0].text, _read(words[0].text, words[1:]), command.loose)


def _after_git(words: list[Word]) -> list[Word]:
    """Return the words after ``traj``; empty if git runs another command."""
    while words and words[0].text.startswith("-"):
        words = words[2 if words[0].text in _VALUED else 1 :]
    return words[1:] if words and words[0].text == "traj" else []


def _after_program(command: Command) -> list[Word]:
    """Return the words after ``git traj``, however it is called; empty for another program."""
    words = list(command.words[1:])
    if command.name == "git":
        return _after_git(words)
    if command.runs_python and [word.text for word in words[:2]] == ["-m", "gittraj"]:
        return words[2:]
    if command.name in SHELLS and words and words[0].text.endswith("/traj/git-traj"):  # our script
        return words[1:]
    return words if command.name == "git-traj" else []


def _read(verb: str, words: Sequence[Word]) -> dict[str, Any]:
    """Return the arguments, without those whose value the shell computes."""
    arguments: dict[str, Any] = {}
    positional = list(_POSITIONAL.get(verb, ()))
    options = {f"--{name}" for name in _OPTIONS[verb].split()}
    remaining = iter(words)
    for word in remaining:
        name, sign, text = word.text.partition("=")
        if name in options:
            value = replace(word, text=text) if sign else next(remaining, Word("", varies=True))
            key = name.removeprefix("--")
        elif word.text.startswith("-") or not positional:
            continue
        else:
            key, value = positional.pop(0), word
        if value.varies or key == "retrospective":  # its value is a file or standard input
            continue
        if key in _SEVERAL:
            arguments.setdefault(f"{key}s", []).append(value.text)
        else:
            arguments[key] = value.text
    return arguments
