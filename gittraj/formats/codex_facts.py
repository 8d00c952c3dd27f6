"""What the records of a Codex rollout say of the session itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gittraj.formats import loose
from gittraj.formats.place import Place
from gittraj.log import Fact


def identify(place: Place, meta: dict[str, Any]) -> Iterator[Fact]:
    """The facts in the first ``session_meta`` of a file, which is the file's own."""
    git = loose.mapping(meta.get("git"))
    yield from place.learn("session", loose.text(meta.get("id")))
    yield from place.learn("started_at", loose.stamp(meta.get("timestamp")))
    yield from place.learn("agent_version", loose.text(meta.get("cli_version")))
    yield from place.learn("folder", loose.text(meta.get("cwd")))
    yield from place.learn("branch", loose.text(git.get("branch")))
    yield from place.learn("start_commit", loose.text(git.get("commit_hash")))
    yield from place.learn("entrypoint", loose.text(meta.get("originator")))
    parent, kind = _parent(meta)
    if parent:
        yield from place.learn("parent_session", parent)
        yield from place.learn("parent_kind", kind)


def _parent(meta: dict[str, Any]) -> tuple[str | None, str]:
    source = loose.mapping(meta.get("source"))
    spawn = loose.mapping(loose.mapping(source.get("subagent")).get("thread_spawn"))
    starter = loose.text(meta.get("parent_thread_id")) or loose.text(spawn.get("parent_thread_id"))
    if starter is None and ("subagent" in source or meta.get("thread_source") == "subagent"):
        shared = loose.text(meta.get("session_id"))
        starter = shared if shared != meta.get("id") else None
    if starter:
        return starter, "subagent"
    base = loose.mapping(meta.get("history_base"))
    return loose.text(meta.get("forked_from_id")) or loose.text(base.get("thread_id")), "fork"


def is_subagent(place: Place) -> bool:
    return place.facts.get("parent_kind") == "subagent"


def began_later(turn: str | None, session: str | None) -> bool | None:
    """Whether a turn began after the session did, by the time in their ids (UUID version 7, RFC 9562).

    ``None`` if they are no such ids.
    """
    if turn is None or session is None or not (_is_v7(turn) and _is_v7(session)):
        return None
    return turn[:13] >= session[:13]


def _is_v7(name: str) -> bool:
    return len(name) == 36 and name[14] == "7"
