"""What the records of a Claude Code session say of the session itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from gittraj.formats import loose
from gittraj.formats.place import Place
from gittraj.log import Fact

_SUBAGENT_FILE = "agent-"
_WAITING = 64
"""Summaries that wait for the record they speak of; a file may begin with many of other sessions."""
_RANKS = {"summary": 1, "ai-title": 2, "custom-title": 3}


def is_subagent(record: dict[str, Any], stem: str | None) -> bool:
    """Whether the record belongs to an agent that another one started."""
    sidechain = record.get("isSidechain") is True or loose.text(record.get("agentId")) is not None
    return sidechain or (stem is not None and stem.startswith(_SUBAGENT_FILE))


class SessionFacts:
    """Tells every fact once, when it is first known or when it changes.

    ``stem`` is the file's name without suffix. It wins as session id, since a file may hold records
    copied from another session; only a subagent's file is named for the subagent.
    """

    def __init__(self, place: Place, stem: str | None, state: dict[str, Any]) -> None:
        self._place = place
        self._in_subagent_file = stem is not None and stem.startswith(_SUBAGENT_FILE)
        self._stem = stem
        self._summaries: dict[str, str] = dict(state.get("summaries", {}))
        self._rank: int = state.get("title_rank", 0)

    def state(self) -> dict[str, Any]:
        return {"summaries": dict(self._summaries), "title_rank": self._rank}

    def foreign(self, record: dict[str, Any]) -> str | None:
        """The session that the record names, if that is another than the file's."""
        copied = loose.text(loose.mapping(record.get("forkedFrom")).get("sessionId"))
        named = copied or loose.text(record.get("sessionId"))
        return named if named != self._place.facts.get("session") else None

    def learn(self, record: dict[str, Any], seen: Collection[str]) -> Iterator[Fact]:
        """The facts that are new with ``record``; ``seen`` are the ids of records before it."""
        place = self._place
        named = loose.text(record.get("sessionId"))
        if "session" not in place.facts:
            yield from self._identify(record, named)
        if other := self.foreign(record):
            kind = "fork" if "forkedFrom" in record else "resumed"
            if "parent_session" not in place.facts:
                yield from place.learn("parent_session", other)
                yield from place.learn("parent_kind", kind)
        yield from place.learn_once("started_at", loose.stamp(record.get("timestamp")))
        if record.get("isSidechain") is not True or self._in_subagent_file:
            yield from place.learn("agent_version", loose.text(record.get("version")))
            yield from place.learn("folder", loose.text(record.get("cwd")))
            yield from place.learn("branch", loose.text(record.get("gitBranch")))
            yield from place.learn("entrypoint", loose.text(record.get("entrypoint")))
        yield from self._title(record, seen)

    def _identify(self, record: dict[str, Any], named: str | None) -> Iterator[Fact]:
        subagent = None
        if self._stem is None and record.get("isSidechain") is True:
            subagent = loose.text(record.get("agentId"))
        elif self._in_subagent_file and self._stem is not None:
            subagent = self._stem.removeprefix(_SUBAGENT_FILE)
        session = named if subagent else self._stem or named
        yield from self._place.learn("session", session)
        if subagent and session:
            yield from self._place.learn("subagent", subagent)
            yield from self._place.learn("parent_session", session)
            yield from self._place.learn("parent_kind", "subagent")

    def _title(self, record: dict[str, Any], seen: Collection[str]) -> Iterator[Fact]:
        kind = record.get("type")
        if kind in ("custom-title", "ai-title"):
            key = "customTitle" if kind == "custom-title" else "aiTitle"
            yield from self._titled(kind, loose.text(record.get(key) or record.get("title")))
        elif kind == "summary":
            leaf, summary = loose.text(record.get("leafUuid")), loose.text(record.get("summary"))
            if leaf in seen:
                yield from self._titled(kind, summary)
            elif leaf and summary and len(self._summaries) < _WAITING:
                self._summaries[leaf] = summary
        elif self._summaries and (own := self._summaries.pop(loose.text(record.get("uuid")) or "", None)):
            yield from self._titled("summary", own)

    def _titled(self, kind: str, title: str | None) -> Iterator[Fact]:
        if title and _RANKS[kind] >= self._rank:
            self._rank = _RANKS[kind]
            yield from self._place.learn("title", title)
