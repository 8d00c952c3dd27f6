"""Converts OpenCode's sessions, messages and parts to items, wherever they are stored.

The records have the form of ``packages/opencode/src/session`` in github.com/sst/opencode, versions 0.6 to
1.18. OpenCode rewrites parts in place while a session runs, but the items that are read must only grow. So
reading ends before the first message or text that is not complete; and a result, though stored with its call,
is yielded by its own time, after whatever began before it. This module does not read files.
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
"""Matches the title that a session has until a model has made one."""


def items(
    info: Json, messages: Iterable[Json], parts: Callable[[str], Iterable[Json | Damage]]
) -> Iterator[Item]:
    """Yield the items of a session. ``info`` is the session's record, ``messages`` are the records of its
    messages, and ``parts`` returns the parts of the message with an id."""
    context = Context(child=coerce.text(info.get("parentID")) is not None)
    yield from _facts(context, info)
    reverted = _Reverted(coerce.mapping(info.get("revert")))
    ordered = _ordered(messages)
    yield from context.learn("started_at", coerce.stamp(_created(ordered[0])) if ordered else None, once=True)
    seen: set[str] = set()
    last = max((n for n, m in enumerate(ordered) if m.get("role") == "assistant"), default=-1)
    for number, message in enumerate(ordered):
        loaded = list(parts(message["id"]))
        yield from (part for part in loaded if isinstance(part, Damage))
        unique = list(_with_unique_ids(message["id"], loaded, seen))
        context.tags = reverted.tags(message["id"], None)
        if message.get("role") == "user":
            yield from _user(context, message, unique)
        elif message.get("role") == "assistant":
            answer = Answer(context, message)
            is_open = number == last and not answer.is_finished
            yield from _answer(context, answer, message["id"], unique, reverted, is_open=is_open)
            if is_open:
                return


def _ordered(messages: Iterable[Json]) -> list[Json]:
    """The messages that have an id, by time."""
    return sorted((m for m in messages if coerce.text(m.get("id"))), key=lambda m: (_created(m), m["id"]))


def _with_unique_ids(message: str, parts: Iterable[Json | Damage], seen: set[str]) -> Iterator[Json]:
    """Yield the parts in the order of their ids; an id that is in ``seen`` already gets the message's id as
    a prefix. All ids are added to ``seen``."""
    for part in sorted((p for p in parts if not isinstance(p, Damage)), key=lambda p: str(p.get("id"))):
        part_id = str(part.get("id"))
        yield {**part, "id": f"{message}:{part_id}"} if part_id in seen else part
        seen.add(part_id)


def _answer(
    context: Context,
    answer: Answer,
    message: str,
    parts: Sequence[Json],
    reverted: _Reverted,
    *,
    is_open: bool,
) -> Iterator[Item]:
    """Yield the items of a message by the model; while it ``is_open``, only those that will not change."""
    count = _count_unchanging(parts) if is_open else len(parts)
    if count:
        yield from answer.begin()
    for part, changed in zip(parts[:count], _changed_files(parts), strict=False):
        context.tags = reverted.tags(message, coerce.text(part.get("id")))
        yield from answer.read(part, changed=changed)
    if not is_open or (count and parts[count - 1].get("type") == "step-finish"):
        # a result waits for the end of its step, so that the step's cost has an event
        yield from answer.yield_results(start(parts[count]) if count < len(parts) else None)
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


def _count_unchanging(parts: Sequence[Json]) -> int:
    """Count the parts of an unfinished answer up to its last call or the end of its last step: they will not
    change. Later texts wait, so that they are yielded with their cost."""
    count = next((n for n, part in enumerate(parts) if _is_growing(part)), len(parts))
    while count and parts[count - 1].get("type") not in ("tool", "step-finish"):
        count -= 1
    return count


def _is_growing(part: Json) -> bool:
    """Whether the part is still being written. A call that is running is already complete as a call."""
    if part.get("type") in ("text", "reasoning"):
        return isinstance(part.get("time"), dict) and "end" not in part["time"]
    return part.get("type") == "tool" and coerce.at(part, "state", "status") == "pending"


def _changed_files(parts: Sequence[Json]) -> list[list[str]]:
    """Return for each part the files that its step changed: a later ``patch`` part names them."""
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
    """The messages and parts that the user undid; OpenCode keeps them until the next prompt."""

    def __init__(self, revert: Json) -> None:
        self._message, self._part = (coerce.text(revert.get("messageID")), coerce.text(revert.get("partID")))
        self._is_reached = False

    def tags(self, message: str, part: str | None) -> tuple[str, ...]:
        if message == self._message and self._part in (None, part):
            self._is_reached = True
        return ("abandoned-branch",) if self._is_reached else ()


def _user(context: Context, message: Json, parts: Sequence[Json]) -> Iterator[Entry]:
    """Yield one prompt for all that a human typed and attached. Text that OpenCode added is left out."""
    typed = [(part, text) for part in parts if (text := _typed_text(part)) is not None]
    if not typed:
        return
    images = [file_image(part)[1] for part, _ in typed if part.get("type") == "file"]
    common: Json = {
        "id": f"{typed[0][0].get('id')}:0",
        "ts": coerce.stamp(_created(message) or None),
        "content": "\n".join(text for _, text in typed),
        "tags": context.tags,
        "artifact": next(filter(None, images), None),
    }
    event = PeerMessage(**common, direction="received") if context.child else Prompt(**common)
    yield Entry(event=event, end=context.item_end(_created(message)))


def _typed_text(part: Json) -> str | None:
    """The text or the placeholder of a part that a human typed or attached, else None."""
    text = coerce.text(part.get("text"))
    match part.get("type"):
        case "text" if text and not text.isspace() and not part.get("synthetic") and not part.get("ignored"):
            return text
        case "file" if not str(part.get("mime")).startswith(("text/", "application/x-directory")):
            return file_image(part)[0]  # not for a text file: the prompt has its name
        case "subtask":
            command = coerce.text(part.get("command"))
            return f"/{command}" if command else coerce.text(part.get("prompt"))
        case _:
            return None
