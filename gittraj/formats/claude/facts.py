"""Finds facts about a Claude Code session in its records."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.position import Position
from gittraj.model.session_items import Fact

_SUBAGENT_FILE = "agent-"
_COMPACTION = "acompact-"
_SESSION_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_WAITING = 64
"""The most summaries that wait for their record; a file may begin with many from other sessions."""
_FACTS = {"agent_version": "version", "folder": "cwd", "branch": "gitBranch", "entrypoint": "entrypoint"}
_RANKS = {"summary": 1, "ai-title": 2, "custom-title": 3}
"""Kinds of titles: a title never replaces one of a higher rank."""


def is_subagent(record: dict[str, Any], stem: str | None) -> bool:
    """Whether the record belongs to an agent that another one started."""
    sidechain = record.get("isSidechain") is True or coerce.text(record.get("agentId")) is not None
    return sidechain or (stem is not None and stem.startswith(_SUBAGENT_FILE))


class SessionFacts:
    """Reports every fact once, when it is first known or when it changes.

    ``stem`` is the file's name without suffix. As a session id it has precedence, since after a resume or a
    fork a file begins with records that were copied from another session; only a subagent's file is named
    after the subagent. A renamed log is recognised by its content: a record's session id that is a UUID
    overrides a name that is not, and a log without a name has the first id that it contains. That can be the
    id of the session that it was copied from, but no other choice stays the same when the log grows.

    ``object_at`` reads the record at an offset again: only the offset of a waiting summary is kept, since a
    cursor must not contain text.
    """

    def __init__(
        self,
        position: Position,
        stem: str | None,
        state: dict[str, Any],
        object_at: Callable[[int], dict[str, Any]],
    ) -> None:
        self._position = position
        self._stem = stem
        self._object_at = object_at
        self._summaries: dict[str, int] = dict(state.get("summaries", {}))
        """The offsets of waiting summaries, by the ids of the records that they wait for."""
        self._rank: int = state.get("title_rank", 0)

    def state(self) -> dict[str, Any]:
        return {"summaries": dict(self._summaries), "title_rank": self._rank}

    def foreign(self, record: dict[str, Any]) -> str | None:
        """The session that the record names, if it is not the file's."""
        copied = coerce.text(coerce.at(record, "forkedFrom", "sessionId"))
        named = copied or coerce.text(record.get("sessionId"))
        return self._position.foreign(named)

    def report(self, record: dict[str, Any], seen: Collection[str], at: int) -> Iterator[Fact]:
        """Yield the new facts in the record at offset ``at``; ``seen`` are the ids of records before it."""
        position = self._position
        if "session" not in position.facts:
            yield from self._identify(record, coerce.text(record.get("sessionId")))
        if other := self.foreign(record):
            yield from self._report_parent(record, other)
        else:
            yield from position.report_once("started_at", coerce.stamp(record.get("timestamp")))
        if record.get("isSidechain") is not True or "subagent" in position.facts:
            yield from position.report_fields(record, _FACTS)
        yield from self._title(record, seen, at)
        match record.get("type"):
            case "pr-link":
                yield from position.report("task_url", coerce.text(record.get("prUrl")))
            case "tag":
                yield from position.report("tag", coerce.text(record.get("tag")))

    def _report_parent(self, record: dict[str, Any], other: str) -> Iterator[Fact]:
        """Yield the session that this one continues, from the first record that was copied from there."""
        position = self._position
        if "parent_session" in position.facts:
            return
        kind = "fork" if "forkedFrom" in record else "resumed"
        if kind == "fork" or self._stem == position.facts.get("session"):
            yield from position.report("parent_session", other)
            yield from position.report("parent_kind", kind)

    def _identify(self, record: dict[str, Any], named: str | None) -> Iterator[Fact]:
        subagent = self._subagent(record, named)
        session = named if subagent else self._own_session(record, named)
        yield from self._position.report("session", session)
        if subagent and session:
            yield from self._position.report("subagent", subagent)
            yield from self._position.report("parent_session", session)
            yield from self._position.report("parent_kind", "subagent")
            if subagent.startswith(_COMPACTION):  # the program started it, not a person
                yield from self._position.report("tag", "compaction")

    def _subagent(self, record: dict[str, Any], named: str | None) -> str | None:
        if self._stem is not None and self._stem.startswith(_SUBAGENT_FILE):
            return self._stem.removeprefix(_SUBAGENT_FILE)
        if self._stem is not None and (self._stem == named or _SESSION_ID.fullmatch(self._stem)):
            return None
        return coerce.text(record.get("agentId")) if record.get("isSidechain") is True else None

    def _own_session(self, record: dict[str, Any], named: str | None) -> str | None:
        stem = self._stem
        if stem is None or _SESSION_ID.fullmatch(stem):
            return stem or named
        if named is None:  # a summary or a snapshot names no session, but a later record will
            return stem if record.get("type") in ("user", "assistant") else None
        return named if _SESSION_ID.fullmatch(named) else stem

    def _title(self, record: dict[str, Any], seen: Collection[str], at: int) -> Iterator[Fact]:
        kind = record.get("type")
        if kind in ("custom-title", "ai-title"):
            key = "customTitle" if kind == "custom-title" else "aiTitle"
            yield from self._titled(kind, coerce.text(record.get(key) or record.get("title")))
        elif kind == "summary":
            leaf, summary = coerce.text(record.get("leafUuid")), coerce.text(record.get("summary"))
            if leaf in seen:
                yield from self._titled(kind, summary)
            elif leaf and summary and len(self._summaries) < _WAITING:
                self._summaries[leaf] = at
        elif self._summaries:
            offset = self._summaries.pop(coerce.string(record.get("uuid")), None)
            if offset is not None:
                yield from self._titled("summary", coerce.text(self._object_at(offset).get("summary")))

    def _titled(self, kind: str, title: str | None) -> Iterator[Fact]:
        if title and _RANKS[kind] >= self._rank:
            self._rank = _RANKS[kind]
            yield from self._position.report("title", title)
