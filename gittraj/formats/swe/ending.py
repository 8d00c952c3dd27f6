"""The ending of a run: its exit status, submission and error; and the files that a submitted diff changes.

Diffs are what ``git diff`` prints, also without its ``diff --git`` lines, with the line ends of a terminal,
and with the wrong counts of a diff that a model wrote. Paths are relative to the repository's root, as git
means them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gittraj.formats.base.position import facts
from gittraj.model.session_items import Edit, Entry, Fact
from gittraj.model.values import Artifact, FileKind, NoteEvent, ToolCall, ToolResult

_CAUSE = re.compile(r"submitted \((.*)\)")
_LIMITS = frozenset(
    (
        *("LimitsExceeded", "TimeExceeded"),
        *("exit_cost", "exit_context", "exit_total_execution_time", "exit_command_timeout"),
        *("early_exit", "exit_forfeit", "skipped"),
    )
)
"""The reasons that stopped a run without a failure. All others, except ``submitted``, are failures."""


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
        """Its events: the failure, and the submission."""
        if self.status == "failed":
            text = self.error or f"The run ended with {self.exit_status}"
            yield Entry(event=NoteEvent(id=f"{prefix}exit:0", ts=ts, content=text, kind="error"), end=end)
        if self.submission:
            kind = "text/x-diff" if diff_edits(self.submission) else "text/plain"
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

    Files that another call is known to have written only stay on that call.
    """
    credited = list(entries)
    last = next((n for n in reversed(range(len(credited))) if isinstance(credited[n].event, ToolCall)), None)
    if last is not None and submission:
        failed = {e.call_id for entry in credited if isinstance(e := entry.event, ToolResult) and e.is_error}
        written = {edit.path for entry in credited for edit in entry.edits
                   if isinstance(entry.event, ToolCall) and entry.event.call_id not in failed}  # fmt: skip
        left = tuple(edit for edit in diff_edits(submission) if edit.path not in written)
        if left:
            credited[last] = replace(credited[last], edits=(*credited[last].edits, *left))
    return credited


_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_NOWHERE = "/dev/null"


def diff_edits(text: str) -> tuple[Edit, ...]:
    """One edit per file, and one more for the old name of a renamed one; empty if this is not a diff."""
    return tuple(edit for file in _files(text) for edit in file.edits())


class _File:
    def __init__(self) -> None:
        self.kind: FileKind = "update"
        self.old: str | None = None
        self.new: str | None = None
        self.added: list[str] = []
        self.removed: list[str] = []
        self.open_end = False
        self.started = False

    def edits(self) -> Iterator[Edit]:
        path = self.old if self.kind == "delete" or self.new is None else self.new
        if path is None:
            return
        if self.kind == "rename" and self.old:
            yield Edit(path=self.old, kind="delete")
        whole = "\n".join(self.added) + ("" if self.open_end else "\n")
        yield Edit(
            path=path,
            kind=self.kind,
            added=tuple(self.added),
            removed=tuple(self.removed),
            whole=whole if self.kind == "add" and self.added else None,
        )

    def header(self, line: str) -> None:
        """Read a line before the file's hunks."""
        if line.startswith("new file mode "):
            self.kind = "add"
        elif line.startswith("deleted file mode "):
            self.kind = "delete"
        elif line.startswith("rename from "):
            self.kind, self.old = "rename", _unquoted(line[12:])
        elif line.startswith("rename to "):
            self.new = _unquoted(line[10:])
        elif line.startswith("--- "):
            self.started = True
            if (path := _path(line[4:], "a/")) == _NOWHERE:
                self.kind = "add"
            else:
                self.old = path
        elif line.startswith("+++ "):
            if (path := _path(line[4:], "b/")) == _NOWHERE:
                self.kind = "delete"
            else:
                self.new = path

    def body(self, line: str) -> None:
        if line.startswith("+"):
            self.added.append(line[1:])
        elif line.startswith("-"):
            self.removed.append(line[1:])


def _files(text: str) -> list[_File]:
    found: list[_File] = []
    old = new = 0  # lines of the hunk that are still to come
    for line in text.replace("\r\n", "\n").split("\n"):
        file = found[-1] if found else None
        if file is not None and (old > 0 or new > 0) and line[:1] in " +-":
            file.body(line)
            old -= line[:1] != "+"
            new -= line[:1] != "-"
            continue
        if line.startswith("\\") and file is not None:
            file.open_end = True
            continue
        if match := _HUNK.match(line):
            old, new = (int(number) if number else 1 for number in match.groups())
            continue
        old = new = 0
        if line.startswith("diff --git ") or (line.startswith("--- ") and (file is None or file.started)):
            found.append(_named(line) if line.startswith("diff") else _File())
        if found:
            found[-1].header(line)
    return found


def _named(line: str) -> _File:
    """A file from its ``diff --git`` line, in case no other line names it (an empty or binary one)."""
    file = _File()
    _, between, new = line.rpartition(" b/")
    if between and not new.endswith('"'):
        file.old = file.new = new
    return file


def _path(written: str, prefix: str) -> str:
    path = _unquoted(written.partition("\t")[0])
    return path.removeprefix(prefix)


def _unquoted(path: str) -> str:
    """Undo git's quoting of unusual names: octal bytes and letters after a backslash."""
    path = path.strip()
    if len(path) < 2 or path[0] != '"' or path[-1] != '"':
        return path
    octets = b""
    position = 1
    for match in _ESCAPE.finditer(path, 1, len(path) - 1):
        octets += path[position : match.start()].encode("utf-8", "replace")
        sign = match[1]
        octets += bytes([int(sign, 8) & 255]) if sign.isdigit() and len(sign) == 3 else _LETTERS.get(
            sign, sign).encode("utf-8", "replace")  # fmt: skip
        position = match.end()
    return (octets + path[position:-1].encode("utf-8", "replace")).decode("utf-8", "replace")
