"""The spool: one line per hook, git's or an agent's, written by the shims, taken and read here.

It is only a wake-up and a memory of what no repository keeps (the environment of a hook, the pairs of a
rewrite): a lost line costs evidence, never a commit, since the reflog has those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gittraj.git import is_oid

_NAME = re.compile(r"[\w.:-]{1,128}")
"""Of a session or a call; what an environment holds besides is no business of a record."""
_KINDS = ("commit", "off", "rewrite", "picked", "squashed", "session")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spooled:
    """``id`` is the commit; for ``rewrite`` the old one, and ``other`` the new; for ``picked`` and
    ``squashed`` the source, and ``other`` the parent that the copy was about to get. ``sessions`` are
    those that the hook's environment named, as ``agent:session``. For ``session`` an agent's own hook told
    of the one of ``sessions``: its ``event``, and where it says that the log is. For ``rewrite`` the
    ``event`` is ``rebase`` or ``amend``."""

    kind: Literal["commit", "off", "rewrite", "picked", "squashed", "session"]
    id: str
    git_dir: Path
    other: str = ""
    sessions: tuple[str, ...] = ()
    call: str | None = None
    event: str = ""
    log: Path | None = None


def read_spool(state: Path, offset: int) -> tuple[list[Spooled], int]:
    """The lines after ``offset``, and the offset after them. The file stays as it is: whoever renamed it
    under a shim that has just opened it would lose that line."""
    try:
        with (state / "spool").open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(offset if offset <= size else 0)
            data = stream.read()
    except FileNotFoundError:
        return [], 0
    whole = data.rfind(b"\n") + 1
    start = offset if offset <= size else 0
    return list(parse_spool(data[:whole])), start + whole


def parse_spool(data: bytes) -> Iterable[Spooled]:
    """Lines that make no sense are passed over."""
    seen: set[bytes] = set()
    for line in data.split(b"\n"):
        fields = line.decode("utf-8", "surrogateescape").split("\t", 5)
        if len(fields) < 6 or fields[0] not in _KINDS or line in seen:
            continue
        seen.add(line)
        if fields[0] == "session":
            yield from _parse_session(fields)
            continue
        kind, commit, second, third, fourth, git_dir = fields
        named = kind == "commit"
        if not all(is_oid(oid) for oid in (commit, second if kind == "rewrite" else "") if oid):
            continue  # two lines that were torn into one: no ref takes such a name
        yield Spooled(
            kind=kind,  # type: ignore[arg-type]
            id=commit,
            git_dir=Path(git_dir),
            other="" if named else second,
            sessions=tuple(
                f"{agent}:{session}"
                for agent, session in (("codex", third), ("claude-code", second))
                if named and _NAME.fullmatch(session)
            ),
            call=fourth if _NAME.fullmatch(fourth) else None,
            event=third if kind == "rewrite" else "",
        )


def _parse_session(fields: list[str]) -> Iterable[Spooled]:
    _, agent, session, event, log, git_dir = fields
    if _NAME.fullmatch(agent) and _NAME.fullmatch(session):
        yield Spooled(
            kind="session",
            id="",
            git_dir=Path(git_dir),
            sessions=(f"{agent}:{session}",),
            event=event,
            log=Path(log) if log.startswith("/") or ":" in log[:2] else None,
        )


def find_told(spooled: Iterable[Spooled]) -> tuple[dict[str, str], frozenset[str]]:
    """What agents' hooks told: each session's log, and the sessions that ended and did not go on."""
    logs: dict[str, str] = {}
    ended: set[str] = set()
    for line in spooled:
        if line.kind == "session":
            name = line.sessions[0]
            if line.log is not None:
                logs[name] = str(line.log)
            (ended.add if line.event == "SessionEnd" else ended.discard)(name)
    return logs, frozenset(ended)
