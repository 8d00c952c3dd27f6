"""Looks up and updates Beads' issues, in ``.beads/`` (https://github.com/steveyegge/beads).

The issues are in a database (formerly SQLite, now Dolt) that belongs to the ``bd`` command, which migrates it
and allows one writer at a time; ``issues.jsonl`` is an export of it, one issue per line. So an issue is read
from the export, or by ``bd`` if the export lacks it, and only ``bd`` sets a status. This module never writes
a file of Beads.

An id is ``PREFIX-`` and base-36 digits; the id of a child ends in ``.1`` and so on: ``bd-a1b2.1``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from gittraj.errors import TaskError
from gittraj.git import clean_environment
from gittraj.model.values import TaskSource
from gittraj.tasks import wire
from gittraj.tasks.system import Known, Site, Status, one_line

name = "beads"
local = True  # the repository itself shows that the system is in use
variables = ("BEADS_DIR", "PATH")
_ID = r"[0-9a-z]{1,12}(?:\.[0-9]{1,4})*"
_WHOLE = re.compile(rf"([A-Za-z][\w-]*)-{_ID}", re.ASCII)
_PREFIX = re.compile(rb"^issue[-_]prefix:[ \t]*[\"']?([A-Za-z][\w-]*)", re.MULTILINE)
_EXPORTS = ("issues.jsonl", "beads.jsonl")  # the second in older repositories
_SAMPLE = 20  # issues whose ids are read for prefixes; there are several only if repositories were joined
_LONGEST = 1 << 22  # bytes of a line


def is_here(site: Site) -> bool:
    return _folder(site) is not None


def parse(text: str, site: Site, *, named: bool = False) -> TaskSource | None:
    match = _WHOLE.fullmatch(text)
    if not match or not (named or match[1] in _prefixes(site)):
        return None
    return TaskSource(system=name, id=text)


def find(branch: str, site: Site) -> TaskSource | None:
    prefixes = "|".join(map(re.escape, _prefixes(site)))
    match = re.search(rf"(?:^|[/_])((?:{prefixes})-({_ID}))(?![0-9A-Za-z.])", branch)
    folder = _folder(site)
    if not match or not folder:
        return None
    # an id without digits, such as app-startup, may be just words: it counts if there is such an issue
    is_id = any(map(str.isdigit, match[2])) or _exported(match[1], folder)
    return TaskSource(system=name, id=match[1]) if is_id else None


def fetch(source: TaskSource, site: Site, *, timeout: float) -> Known:
    folder = _folder(site)
    issue = _exported(source.id, folder) if folder else None
    if issue is None:
        issue = _show(source.id, site, timeout)
    title, status = issue.get("title"), issue.get("status")
    if not isinstance(title, str):
        raise wire.unreadable(name)
    return Known(
        title=title,
        status=status if isinstance(status, str) else None,
        begun=status == "in_progress",
        closed=status == "closed",
    )


def report(source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
    # show the issue first: bd accepts a partial id, and could change another issue
    current = _show(source.id, site, timeout).get("status")
    if status == "started" and current != "in_progress":
        _bd(site, "update", source.id, "--status", "in_progress", "--json", timeout=timeout)
    if status == "completed" and current != "closed":
        _bd(site, "close", source.id, "--reason", "Completed", "--json", timeout=timeout)


def changed_at(site: Site) -> float:
    """When the export was last written, in seconds since 1970; 0.0 without an export."""
    folder = _folder(site)
    files = [folder / file for file in _EXPORTS] if folder else []
    return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)


def _folder(site: Site) -> Path | None:
    """Find the folder that ``BEADS_DIR`` names, else ``.beads`` in this work tree or in the main one."""
    configured = site.variable("BEADS_DIR")
    folders = [*([Path(configured)] if configured else []), *(tree / ".beads" for tree in site.folders)]
    return next((folder for folder in folders if folder.is_dir()), None)


def _prefixes(site: Site) -> tuple[str, ...]:
    """The prefixes of ids in this repository: ``bd``, the configured one, those of the first issues."""
    folder = _folder(site)
    if folder is None:
        return ("bd",)
    try:
        configured = _PREFIX.findall((folder / "config.yaml").read_bytes())
    except OSError:
        configured = []
    ids = (str(issue.get("id")).rpartition("-")[0] for issue in islice(_issues(folder), _SAMPLE))
    return tuple(dict.fromkeys(("bd", *(p.decode() for p in configured), *filter(None, ids))))


def _exported(task: str, folder: Path) -> dict[str, Any] | None:
    """The issue from the export, unless it is a tombstone: older versions mark deleted issues that way."""
    matches = (issue for issue in _issues(folder, task.encode()) if issue.get("id") == task)
    return next((issue for issue in matches if issue.get("status") != "tombstone"), None)


def _issues(folder: Path, having: bytes = b"") -> Iterator[dict[str, Any]]:
    """The issues of the export whose lines contain ``having``; damaged lines are skipped."""
    for file in _EXPORTS:
        try:
            with (folder / file).open("rb") as stream:
                while line := stream.readline(_LONGEST):
                    if having in line and (issue := wire.parse_object(line)):
                        yield issue
        except OSError:
            continue


def _show(task: str, site: Site, timeout: float) -> dict[str, Any]:
    """Return the issue that ``bd show`` prints: alone, in an array, or in an object's ``items``."""
    out = _bd(site, "show", task, "--json", timeout=timeout)
    try:
        value = json.loads(out)
    except (ValueError, RecursionError):
        raise wire.unreadable("bd") from None
    inner = value.get("items", value) if isinstance(value, dict) else value
    issues = inner if isinstance(inner, list) else [inner]
    for issue in issues:
        if isinstance(issue, dict) and issue.get("id") == task:
            return issue
    raise wire.unknown(name, task)


def _bd(site: Site, verb: str, task: str, *options: str, timeout: float) -> bytes:
    """Run ``bd`` and return its output. Raises TaskError."""
    program = shutil.which("bd", path=site.variable("PATH") or "")
    folder = _folder(site)
    if program is None:
        why = f"bd is not on PATH, so it cannot {verb} {one_line(task, 80)}"
        raise TaskError(
            why, f"install it, or run where it is: bd {verb} {one_line(task, 80)}", reason="network"
        )
    if folder is None or not _WHOLE.fullmatch(task):
        raise wire.unknown(name, task)
    code, out, err = _finish([program, verb, task, *options], folder.parent, timeout)
    complaint = one_line(err.decode(errors="replace"), 200)
    if code and re.search(r"not found|no issues? found", complaint, re.IGNORECASE):
        raise wire.unknown(name, task)
    if code:
        detail = f": {complaint}" if complaint else ", without a message"
        raise TaskError(f"bd {verb} {task} exited with status {code}{detail}", reason="answer")
    return out


def _finish(command: list[str], folder: Path, timeout: float) -> tuple[int, bytes, bytes]:
    """Run a command in a new session, without a terminal to prompt on; its child processes end with it."""
    pipe = subprocess.PIPE
    try:
        with subprocess.Popen(
            command, cwd=folder, env=clean_environment(), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe,
        ) as process:  # fmt: skip
            try:
                out, err = process.communicate(timeout=timeout)
            except BaseException:  # also for Ctrl-C: no process may outlive this one
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
                raise
    except subprocess.TimeoutExpired:
        raise wire.late("bd", timeout) from None
    except OSError as error:
        raise TaskError(f"bd could not be started: {error.strerror}", reason="network") from None
    return process.returncode, out, err
