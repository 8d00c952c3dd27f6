"""Short constructors of session logs and commits: one line per call."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from gittraj.capture.session import Commit, Kind, Log, Place, assemble
from gittraj.git import CommitChanges, PathChange
from gittraj.git.changes import ChangeKind
from gittraj.model.session_items import Edit, Entry, Item
from gittraj.model.values import Message, Prompt, ToolCall, ToolResult

ME = "claude-code:s"
Items = list[Item]


def oid(name: str) -> str:
    """Return the commit id that a test refers to as ``name``."""
    return hashlib.sha1(name.encode()).hexdigest()


def asked(name: str, text: str = "do it") -> Items:
    return [Entry(event=Prompt(id=name, content=text), end=0)]


def said(name: str, text: str = "done") -> Items:
    return [Entry(event=Message(id=name, content=text), end=0)]


def ran(
    name: str,
    command: str,
    output: str | None = "",
    *,
    commits: Sequence[str] = (),
    failed: bool = False,
    paths: Sequence[str] = (),
) -> Items:
    """Return a shell call and its result; ``output`` is None while the call is running."""
    call = Entry(event=ToolCall(id=name, name="sh", call_id=name), end=0, command=command, paths=tuple(paths))
    if output is None:
        return [call]
    event = ToolResult(id=f"{name}.out", call_id=name, content=output, is_error=failed)
    return [call, Entry(event=event, end=0, commits=tuple(oid(c)[:7] for c in commits))]


def wrote(
    name: str,
    path: str,
    text: str = "",
    *,
    kind: ChangeKind = "update",
    whole: str | None = None,
    failed: bool = False,
) -> Items:
    """Return an edit: ``text`` is the added lines, ``whole`` the entire file if the log has it."""
    edit = Edit(path=path, kind=kind, added=tuple(text.splitlines()), whole=whole)
    call = Entry(event=ToolCall(id=name, name="edit", call_id=name), end=0, edits=(edit,))
    return [call, Entry(event=ToolResult(id=f"{name}.out", call_id=name, is_error=failed), end=0)]


def log(*parts: Items, name: str = ME, elsewhere: Iterable[str] = ()) -> Log:
    """Return a log; the calls named in ``elsewhere`` worked in another repository."""
    agent, _, session = name.partition(":")
    away = set(elsewhere)

    def place(entry: Entry) -> Place:
        return "elsewhere" if entry.event.id in away else "here"

    items = [item for part in parts for item in part]
    return assemble(items, agent=agent, session=session, trajectory=f"traj_{session}", place=place)


def index(of: Log, name: str) -> int:
    return next(i for i, entry in enumerate(of.entries) if entry.event.id == name)


def changed(path: str, text: str = "", *, kind: ChangeKind = "update", blob: str | None = None) -> PathChange:
    """Return a path of a commit: ``text`` is its added lines, ``blob`` its content (default: unknown)."""
    body = (blob or "").encode()
    known = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest() if blob is not None else "0" * 40
    return PathChange(path, kind, None, None if kind == "delete" else known, tuple(text.splitlines()))


def commit(
    name: str,
    *changes: PathChange,
    subject: str = "",
    kind: Kind = "commit",
    by: str | None = None,
    call: str | None = None,
    stored: bool = True,
    parents: int = 1,
    time: float = 0,
) -> Commit:
    """Return a commit; ``by`` is the session that the hook's environment named."""
    return Commit(
        id=oid(name),
        kind=kind,
        sessions=(by,) if by else (),
        call=call,
        stored=stored,
        changes=CommitChanges(oid(name), tuple(oid(f"p{n}") for n in range(parents)), subject, changes, time),
    )
