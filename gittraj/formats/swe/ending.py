"""What a run ended with: its exit status, what it submitted, what went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gittraj.formats.base.position import facts
from gittraj.formats.swe import diff
from gittraj.model.session_items import Entry, Fact
from gittraj.model.values import Artifact, NoteEvent, ToolCall, ToolResult

_CAUSE = re.compile(r"submitted \((.*)\)")
_LIMITS = frozenset(
    (
        *("LimitsExceeded", "TimeExceeded"),
        *("exit_cost", "exit_context", "exit_total_execution_time", "exit_command_timeout"),
        *("early_exit", "exit_forfeit", "skipped"),
    )
)
"""What stopped a run that did not fail. All other words but ``submitted`` are names of failures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """``exit_status``, ``submission`` and ``error`` are the log's own words."""

    exit_status: str | None = None
    submission: str | None = None
    error: str | None = None

    @property
    def status(self) -> str | None:
        """``completed``, ``abandoned`` or ``failed``; ``None`` for a run that did not end.

        A submission that was made for the agent when a limit stopped it (``submitted (exit_cost)``) does
        not make the run a completed one.
        """
        if not self.exit_status:
            return None
        cause = _CAUSE.fullmatch(self.exit_status)
        word = cause[1] if cause else self.exit_status
        if word.lower() == "submitted":
            return "completed"
        return "abandoned" if word in _LIMITS else "failed"

    def facts(self) -> Iterator[Fact]:
        yield from facts(
            exit_status=self.exit_status,
            exit_error=self.error,
            submission=self.submission,
            status=self.status,
        )

    def entries(self, end: int, ts: str | None = None, prefix: str = "") -> Iterator[Entry]:
        """Its events: what failed, and the submission."""
        if self.status == "failed":
            text = self.error or f"The run ended with {self.exit_status}"
            yield Entry(event=NoteEvent(id=f"{prefix}exit:0", ts=ts, content=text, kind="error"), end=end)
        if self.submission:
            kind = "text/x-diff" if diff.edits(self.submission) else "text/plain"
            event = NoteEvent(
                id=f"{prefix}submission:0",
                ts=ts,
                content=self.submission,
                kind="note",
                tags=("submission",),
                artifact=Artifact(media_type=kind, bytes=0, sha256=""),
            )
            yield Entry(event=event, end=end)


def credit(entries: Sequence[Entry], submission: str | None) -> list[Entry]:
    """``entries`` with the files of a submitted diff on the last call, which made the diff.

    Files that a call is known to have written stay that call's alone.
    """
    credited = list(entries)
    last = next((n for n in reversed(range(len(credited))) if isinstance(credited[n].event, ToolCall)), None)
    if last is not None and submission:
        failed = {e.call_id for entry in credited if isinstance(e := entry.event, ToolResult) and e.is_error}
        written = {edit.path for entry in credited for edit in entry.edits
                   if isinstance(entry.event, ToolCall) and entry.event.call_id not in failed}  # fmt: skip
        left = tuple(edit for edit in diff.edits(submission) if edit.path not in written)
        if left:
            credited[last] = replace(credited[last], edits=(*credited[last].edits, *left))
    return credited
