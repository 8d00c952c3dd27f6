"""What a Gemini CLI session file says of the session itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.base.position import Place
from gittraj.formats.base.session_id import shape_id
from gittraj.formats.gemini import prompts
from gittraj.formats.gemini.parts import parts, text
from gittraj.model.session_items import Fact

_WORKSPACE = re.compile(r"\*\*Workspace Directories:\*\*\n {2}- ([^\n]+)")


def learn(place: Place, metadata: dict[str, Any]) -> Iterator[Fact]:
    """From a metadata record, or from what ``$set`` changes of it. A resumed session begins anew in its
    metadata; the first beginning counts."""
    session = coerce.text(metadata.get("sessionId"))
    yield from place.learn_once("session", session)
    yield from place.learn_once("started_at", coerce.stamp(metadata.get("startTime")))
    yield from place.learn("title", coerce.text(metadata.get("summary")))
    directories = metadata.get("directories")
    if isinstance(directories, list) and directories:
        yield from place.learn_once("folder", coerce.text(directories[0]))
    if metadata.get("kind") == "subagent" and session is not None:
        yield from place.learn_once("subagent", session)
        yield from place.learn_once("parent_kind", "subagent")


def identify(place: Place, message: dict[str, Any], named: str | None, format: str) -> Iterator[Fact]:  # noqa: A002
    """The session of a log that begins with a message: by its file's name, else by this message."""
    if "session" not in place.facts:
        words = sum(len(text(part) or "") for part in parts(message.get("content")))
        shape = [coerce.text(message.get("type")), coerce.text(message.get("timestamp")), words]
        yield from place.learn("session", named or shape_id(format, [shape]))
    yield from place.learn_once("started_at", coerce.stamp(message.get("timestamp")))
    yield from locate(place, message)


def locate(place: Place, message: dict[str, Any]) -> Iterator[Fact]:
    """Where the session works, from the context that the program puts before the first prompt."""
    if "folder" not in place.facts and (context := prompts.aside(message, prompts.CONTEXT)):
        folder = _WORKSPACE.search(context)
        yield from place.learn("folder", folder[1].strip() if folder else None)


def is_subagent(place: Place) -> bool:
    return "subagent" in place.facts
