"""Converts OpenCode's sessions, messages and parts to items, wherever they are stored.

The shapes are those of ``packages/opencode/src/session`` in github.com/sst/opencode, versions 0.6 to 1.18.
Parts are rewritten in place while a session runs, but the items of a session must only grow. So the first
message or text that is not complete ends it for now, and a result comes at its time: after what began before
it, though it is stored with its call. Reads no file itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gittraj.formats.base import coerce
from gittraj.formats.opencode.answer import Answer, Context, start
from gittraj.formats.opencode.calls import file_image
from gittraj.model.session_items import Damage, Entry, Fact, Item
from gittraj.model.values import PeerMessage, Prompt

Json = dict[str, Any]
_NO_TITLE = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\d")
"""The title of a session until a model has made one."""


def items(
    info: Json, messages: Iterable[Json], parts: Callable[[str], Iterable[Json | Damage]]
) -> Iterator[Item]:
    """The items of a session: its record, its messages' records, and the parts of each message by its id."""
    context = Context(child=coerce.text(info.get("parentID")) is not None)
    yield from _facts(context, info)
    reverted = _Reverted(coerce.mapping(info.get("revert")))
    ordered = sorted((m for m in messages if coerce.text(m.get("id"))), key=lambda m: (_created(m), m["id"]))
    yield from context.learn("started_at", coerce.stamp(_created(ordered[0])) if ordered else None, once=True)
    seen: set[str] = set()
    last = max((n for n, m in enumerate(ordered) if m.get("role") == "assistant"), default=-1)
    for number, message in enumerate(ordered):
        loaded = list(parts(message["id"]))
        yield from (part for part in loaded if isinstance(part, Damage))
        named = list(_named(message["id"], loaded, seen))
        context.tags = reverted.tags(message["id"], None)
        if message.get("role") == "user":
            yield from _user(context, message, named)
        elif message.get("role") == "assistant":
            answer = Answer(context, message)
            is_open = number == last and not answer.is_finished
            yield from _answer(context, answer, message["id"], named, reverted, is_open=is_open)
            if is_open:
                return


def _named(message: str, parts: Iterable[Json | Damage], seen: set[str]) -> Iterator[Json]:
    """The parts in their order, each with an id that no other of the session has."""
    for part in sorted((p for p in parts if not isinstance(p, Damage)), key=lambda p: str(p.get("id"))):
        own = str(part.get("id"))
        yield {**part, "id": f"{message}:{own}"} if own in seen else part
        seen.add(own)


def _answer(
    context: Context,
    answer: Answer,
    message: str,
    parts: Sequence[Json],
    reverted: _Reverted,
    *,
    is_open: bool,
) -> Iterator[Item]:
    stays = _lasting(parts) if is_open else len(parts)
    if stays:
        yield from answer.begin()
    for part, changed in zip(parts[:stays], _changed(parts), strict=False):
        context.tags = reverted.tags(message, coerce.text(part.get("id")))
        yield from answer.read(part, changed=changed)
    if not is_open or (stays and parts[stays - 1].get("type") == "step-finish"):
        # a result waits for the end of its step, so that the step's cost has an event
        yield from answer.settle(start(parts[stays]) if stays < len(parts) else None)
    if not is_open:
        yield from answer.end()


def _facts(context: Context, info: Json) -> Iterator[Fact]:
    parent, title = coerce.text(info.get("parentID")), coerce.text(info.get("title"))
    yield from context.learn("session", coerce.text(info.get("id")))
    yield from context.learn("started_at", coerce.stamp(_created(info) or None))
    yield from context.learn("agent_version", coerce.text(info.get("version")))
    yield from context.learn("folder", coerce.text(info.get("directory")))
    yield from context.learn("title", None if title and _NO_TITLE.match(title) else title)
    yield from context.learn("parent_session", parent)
    yield from context.learn("parent_kind", "subagent" if parent else None)


def _created(record: Json) -> int:
    return coerce.count(coerce.at(record, "time", "created"))


def _lasting(parts: Sequence[Json]) -> int:
    """How many parts of an answer that is being written will not change: up to its last call, or to the last
    step that has ended. Texts after it wait, so that they come with their cost."""
    count = next((n for n, part in enumerate(parts) if _grows(part)), len(parts))
    while count and parts[count - 1].get("type") not in ("tool", "step-finish"):
        count -= 1
    return count


def _grows(part: Json) -> bool:
    """Whether the part is still being written. A call that runs is complete as a call."""
    if part.get("type") in ("text", "reasoning"):
        return isinstance(part.get("time"), dict) and "end" not in part["time"]
    return part.get("type") == "tool" and coerce.at(part, "state", "status") == "pending"


def _changed(parts: Sequence[Json]) -> list[list[str]]:
    """For each part the files that its step changed, by whatever means: a ``patch`` part after the step names
    them."""
    files: list[str] = []
    output: list[list[str]] = []
    for part in reversed(parts):
        if part.get("type") == "patch" and isinstance(part.get("files"), list):
            files = [path for path in part["files"] if coerce.text(path)]
        output.append(files)
        if part.get("type") == "step-start":
            files = []
    return output[::-1]


class _Reverted:
    """The messages and parts that a revert undid: from the named one on. They stay until the next prompt."""

    def __init__(self, revert: Json) -> None:
        self._message, self._part = (
            coerce.text(revert.get("messageID")),
            coerce.text(revert.get("partID")),
        )
        self._reached = False

    def tags(self, message: str, part: str | None) -> tuple[str, ...]:
        if message == self._message and self._part in (None, part):
            self._reached = True
        return ("abandoned-branch",) if self._reached else ()


def _user(context: Context, message: Json, parts: Sequence[Json]) -> Iterator[Entry]:
    """Yield one prompt for all that a human typed and attached; what the program added is left out."""
    shown = [(part, text) for part in parts if (text := _typed(part)) is not None]
    if not shown:
        return
    pictures = [file_image(part)[1] for part, _ in shown if part.get("type") == "file"]
    common: Json = {
        "id": f"{shown[0][0].get('id')}:0",
        "ts": coerce.stamp(_created(message) or None),
        "content": "\n".join(text for _, text in shown),
        "tags": context.tags,
        "artifact": next((picture for picture in pictures if picture), None),
    }
    event = PeerMessage(**common, direction="received") if context.child else Prompt(**common)
    yield Entry(event=event, end=context.place(_created(message)))


def _typed(part: Json) -> str | None:
    text = coerce.text(part.get("text"))
    match part.get("type"):
        case "text" if text and not text.isspace() and not part.get("synthetic") and not part.get("ignored"):
            return text
        case "file" if not str(part.get("mime")).startswith(("text/", "application/x-directory")):
            return file_image(part)[0]  # a text file's name is in the prompt
        case "subtask":
            command = coerce.text(part.get("command"))
            return f"/{command}" if command else coerce.text(part.get("prompt"))
        case _:
            return None
