"""The ending of a run: its exit status, submission and error; and the files that a submitted diff changes.

A diff is one that ``git diff`` prints, or one without ``diff --git`` lines, with the line ends of a terminal,
or with wrong line counts, as models write them. Paths are relative to the repository's root.
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
"""Exit statuses of runs that were stopped without a failure. All others except ``submitted`` are failures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run ended; the three texts are as the log states them."""

    exit_status: str | None = None
    submission: str | None = None
    error: str | None = None

    @property
    def status(self) -> str | None:
        """``completed``, ``abandoned`` or ``failed``; ``None`` for a run that did not end.

        A run is not completed if a limit stopped the agent and its work was submitted automatically
        (``submitted (exit_cost)``).
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
        """Yield the events of the ending: an error if the run failed, and the submission if there is one."""
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
    """Return the entries with the edits of a submitted diff added to the last call, which made the diff.

    The edit of a file that a call is known to have written is not added.
    """
    credited = list(entries)
    last = next((n for n in reversed(range(len(credited))) if isinstance(credited[n].event, ToolCall)), None)
    if last is not None and submission:
        written = _written_paths(entries)
        unwritten = tuple(edit for edit in diff_edits(submission) if edit.path not in written)
        if unwritten:
            credited[last] = replace(credited[last], edits=(*credited[last].edits, *unwritten))
    return credited


def _written_paths(entries: Sequence[Entry]) -> set[str]:
    """The paths of the files that calls without an error wrote."""
    failed = {e.call_id for entry in entries if isinstance(e := entry.event, ToolResult) and e.is_error}
    calls = (
        entry for entry in entries if isinstance(entry.event, ToolCall) and entry.event.call_id not in failed
    )
    return {edit.path for entry in calls for edit in entry.edits}


_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_NOWHERE = "/dev/null"


def diff_edits(text: str) -> tuple[Edit, ...]:
    """Return one edit per file of a diff, and one for the old name of a renamed file; none for other text."""
    return tuple(edit for file in _files(text) for edit in file.edits())


class _File:
    """The part of a diff about one file."""

    def __init__(self) -> None:
        self.kind: FileKind = "update"
        self.old: str | None = None
        self.new: str | None = None
        self.added: list[str] = []
        self.removed: list[str] = []
        self.has_old_name = False  # whether its line ``---`` was read
        self._no_newline_at_end = False
        self._old_left = self._new_left = 0  # lines of the hunk that are still to come

    def edits(self) -> Iterator[Edit]:
        path = self.old if self.kind == "delete" or self.new is None else self.new
        if path is None:
            return
        if self.kind == "rename" and self.old:
            yield Edit(path=self.old, kind="delete")
        whole = "\n".join(self.added) + ("" if self._no_newline_at_end else "\n")
        yield Edit(
            path=path,
            kind=self.kind,
            added=tuple(self.added),
            removed=tuple(self.removed),
            whole=whole if self.kind == "add" and self.added else None,
        )

    def read_header(self, line: str) -> None:
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
            self.has_old_name = True
            if (path := _path(line[4:], "a/")) == _NOWHERE:
                self.kind = "add"
            else:
                self.old = path
        elif line.startswith("+++ "):
            if (path := _path(line[4:], "b/")) == _NOWHERE:
                self.kind = "delete"
            else:
                self.new = path

    def read_hunk(self, line: str) -> bool:
        """Read a line of a hunk, or its header; False if the line is neither."""
        if (self._old_left > 0 or self._new_left > 0) and line[:1] in " +-":
            self._old_left -= line[:1] != "+"
            self._new_left -= line[:1] != "-"
            if line.startswith("+"):
                self.added.append(line[1:])
            elif line.startswith("-"):
                self.removed.append(line[1:])
        elif line.startswith("\\"):
            self._no_newline_at_end = True
        elif match := _HUNK.match(line):
            self._old_left, self._new_left = (int(number) if number else 1 for number in match.groups())
        else:
            self._old_left = self._new_left = 0
            return False
        return True


def _files(text: str) -> list[_File]:
    files: list[_File] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if files and files[-1].read_hunk(line):
            continue
        if line.startswith("diff --git "):
            files.append(_begin_file(line))
        elif line.startswith("--- ") and (not files or files[-1].has_old_name):
            files.append(_File())
        if files:
            files[-1].read_header(line)
    return files


def _begin_file(line: str) -> _File:
    """Begin a file with its ``diff --git`` line. The name in it is for files without another line that names
    them: empty and binary ones."""
    file = _File()
    _, separator, new = line.rpartition(" b/")
    if separator and not new.endswith('"'):
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
        escaped = match[1]
        if escaped.isdigit() and len(escaped) == 3:
            octets += bytes([int(escaped, 8) & 255])
        else:
            octets += _LETTERS.get(escaped, escaped).encode("utf-8", "replace")
        position = match.end()
    return (octets + path[position:-1].encode("utf-8", "replace")).decode("utf-8", "replace")
