"""Finds out which texts of Codex's user role a human typed, and what exactly.

The program puts its own context into the same role. A rollout has a user message first and then, in most
versions, a record that a human typed it: that decides, and until then everything is held back, so that the
order of the items is the log's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gittraj.formats.base import coerce, images
from gittraj.formats.base.position import Position
from gittraj.model.session_items import Cursor, Entry, Item, Mark
from gittraj.model.values import Artifact, Prompt

_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions for ",
    "<permissions instructions>",
    "<skills_instructions>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<collaboration_mode>",
    "<model_switch>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "<INSTRUCTIONS>",
)
_WRAPPER = "# Context from my IDE setup:"
_REQUEST = "## My request for Codex:"


def content(items: Any) -> list[str]:
    """The texts of a message's content items, with a placeholder for each image."""
    return parts(items)[0]


def parts(items: Any) -> tuple[list[str], Artifact | None]:
    """The texts of a message's content items, and the first image among them."""
    if isinstance(items, str):
        return [items], None
    texts: list[str] = []
    first: Artifact | None = None
    for item in coerce.objects(items):
        if text := coerce.text(item.get("text")):
            texts.append(text)
        elif item.get("type") in ("input_image", "image", "local_image"):
            image = images.from_uri(item.get("image_url"))
            first = first or image
            texts.append(images.placeholder(image))
    return texts, first


def typed(texts: list[str]) -> str | None:
    """The prompt in the texts of a user message, or ``None`` if all of them are injected."""
    kept = [text for text in texts if not text.lstrip().startswith(_INJECTED)]
    return unwrapped("\n".join(kept)) or None


def unwrapped(text: str) -> str:
    """The prompt without the text that an editor puts around it."""
    if text.lstrip().startswith(_WRAPPER):
        text = text.partition(_REQUEST)[2] or text
    return text.strip()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A user message that may be a prompt, and the cursor before it."""

    entry: Entry
    cursor: Cursor


@dataclass(frozen=True, slots=True)
class Verdict:
    """A human typed ``text``; or, if it is ``None``, the agent continued without such a record."""

    text: str | None = None


class Held:
    """Passes items on, except those after a candidate, which wait for the verdict.

    ``confirms``: whether this log has records of what was typed; ``None`` as long as that is not known. If it
    has them, a message without one was injected by the program; if not, every message counts whose text is
    not known to be injected.
    """

    def __init__(self, position: Position, confirms: bool | None) -> None:
        self._position = position
        self.waiting: list[Item | Candidate] = []
        """As long as it is empty, items other than candidates need not go through ``take``."""
        self.confirms = confirms

    @property
    def candidates(self) -> list[Candidate]:
        return [held for held in self.waiting if isinstance(held, Candidate)]

    def take(self, item: Item | Candidate | Verdict) -> Iterator[Item]:
        """The items that are certain now that ``item`` is known."""
        if isinstance(item, Verdict):
            yield from self._judge(item.text)
        elif self.waiting or isinstance(item, Candidate):
            self.waiting.append(item)
        else:
            yield from self._position.count([item])

    def end(self) -> Iterator[Item]:
        """The items that are certain at the end of the log so far."""
        if self.confirms is False:
            yield from self._judge(None)

    def _judge(self, text: str | None) -> Iterator[Item]:
        candidates = self.candidates
        if not self.waiting and text is None:
            return
        if text is not None:
            same = [c for c in candidates if c.entry.event.content == text]
            prompts = (same or candidates)[-1:]
            self.confirms = True
        else:
            prompts = [] if self.confirms else candidates
            self.confirms = self.confirms or False
        waiting, self.waiting = self.waiting, []
        for held in waiting:
            if not isinstance(held, Candidate):
                yield from self._position.count([held])
            elif held in prompts:
                yield from self._prompt(held, text)

    def _prompt(self, candidate: Candidate, text: str | None) -> Iterator[Item]:
        event = candidate.entry.event
        if isinstance(event, Prompt):
            yield from self._mark(candidate.cursor)
        typed = replace(event, content=text or event.content)
        yield from self._position.count([replace(candidate.entry, event=typed)])

    def _mark(self, cursor: Cursor) -> Iterator[Mark]:
        yield from self._position.mark(replace(cursor, ordinal=self._position.ordinal))
