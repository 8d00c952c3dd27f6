"""A tool's call and its result before they become events, a person's answer to a call or a question, and the
ids of the commits that a command reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from gittraj.formats.base import coerce
from gittraj.formats.base.edits import texts
from gittraj.model.session_items import Edit
from gittraj.model.values import Artifact, Decided, Decision, NoteEvent, ToolCall, ToolResult
from gittraj.model.words import main_argument

_LONGEST = 200
"""The maximum number of characters of the call in a refusal: the call itself is the event before it."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a call does, from its arguments; ``edits`` are the changes that it requests."""

    name: str
    arguments: Any = None
    command: str | None = None
    folder: str | None = None
    edits: tuple[Edit, ...] = ()
    paths: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        arguments: Any,
        folder: str | None,
        *,
        is_shell: bool,
        paths: Iterable[str],
        edits: tuple[Edit, ...],
    ) -> Self:
        """Make a call from its arguments. ``paths`` names those that are paths; a shell has a ``command``."""
        command = coerce.text(coerce.mapping(arguments).get("command")) if is_shell else None
        return cls(name, arguments, command, folder, edits, tuple(texts(arguments, paths)))

    def event(self, call_id: str | None, **common: Any) -> ToolCall:
        """The call's event; ``common`` are the fields that all events of its record have."""
        return ToolCall(**common, name=self.name, arguments=self.arguments, call_id=call_id)

    @property
    def known(self) -> dict[str, Any]:
        """The fields of the call's :class:`Entry` that are not in its event."""
        return {name: getattr(self, name) for name in ("edits", "command", "folder", "paths")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a call ended. ``bytes`` is the size of the whole output, if the log has only some of it;
    ``declined``: a human refused the call."""

    text: str
    exit_code: int | None = None
    is_error: bool = False
    truncated: bool = False
    artifact: Artifact | None = None
    commits: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    declined: bool = False
    duration_ms: int | None = None
    bytes: int | None = None

    @property
    def known(self) -> dict[str, Any]:
        """The fields of the result's :class:`Entry` that are not in its event."""
        return {"edits": self.edits, "commits": self.commits}


def tool_result(outcome: Outcome, *, call_id: str | None, **common: Any) -> ToolResult:
    """The result's event; ``common`` are the fields that all events of its record have."""
    return ToolResult(
        **common,
        content=outcome.text,
        call_id=call_id,
        exit_code=outcome.exit_code,
        is_error=outcome.is_error,
        truncated=outcome.truncated,
        artifact=outcome.artifact,
        duration_ms=outcome.duration_ms,
        bytes=outcome.bytes,
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """A person did not allow a call. This alone decides nothing about the work; their ``words`` may."""

    tool: str | None
    arguments: Any = None
    words: str | None = None


def ruling(answer: Decision | Refusal, **common: Any) -> Decided | NoteEvent:
    """The event for a person's answer; ``common`` are the fields that all events of its record have."""
    if isinstance(answer, Decision):
        return Decided(**common, decision=answer)
    call = f"{answer.tool or 'a tool call'} {' '.join(main_argument(answer.arguments).split())}".strip()
    call = call if len(call) <= _LONGEST else call[: _LONGEST - 1] + "…"
    return NoteEvent(**common, kind="refusal", content=f"{call}\n{answer.words}" if answer.words else call)


def answered(asked: dict[str, Any], *chosen: str, reasoning: str | None = None) -> Decision:
    """The decision of a human who answered the question ``asked`` (``question``, ``options[{label}]``,
    ``multiSelect``). ``chosen`` are options, or one text with several options, joined by commas."""
    several = asked.get("multiSelect") is True and len(chosen) == 1
    labels = [label for o in coerce.objects(asked.get("options")) if (label := coerce.text(o.get("label")))]
    answer = ", ".join(chosen)
    among = f", {answer}, "
    return Decision(
        chosen=answer,
        by="human",
        question=coerce.text(asked.get("question")),
        alternatives=tuple(x for x in labels if x not in chosen and not (several and f", {x}, " in among)),
        reasoning=reasoning,
    )


_SUMMARY = re.compile(
    r"^\[(?:detached HEAD|[^\s\[\]]+)(?: \(root-commit\))? ([0-9a-f]{4,64})\] ", re.MULTILINE
)


def printed_commits(output: str) -> tuple[str, ...]:
    """The commit ids, mostly short ones, that git printed in ``output``, in its order, each once.

    git prints an id after ``git commit``, ``git cherry-pick``, ``git revert`` and ``git merge --squash``
    (``print_commit_summary`` in its sequencer.c): ``[branch 1a2b3c4] subject``, also with ``(root-commit)``,
    and ``detached HEAD`` for the branch. Whether such a commit exists is not checked.
    """
    return tuple(dict.fromkeys(_SUMMARY.findall(output))) if "] " in output else ()  # the check is fast
