"""Finds out which texts in the user role of Codex's logs a human typed, and what exactly.

The program puts its own context into the same role. A rollout has first a message of the user and then, in
most versions, a record that a human typed it. Only that record is proof: until it is read all items are held
back, so that they come in the log's order.
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
    """A record says that a human typed ``text``; ``None``: the agent went on without such a record."""

    text: str | None = None


class Held:
    """Passes items on, except a candidate and the items after it, which wait for the verdict.

    ``confirms``: whether this log has records of what was typed; ``None`` as long as that is not known. If it
    has them, a message without such a record was injected by the program; if not, every message whose text is
    not known to be injected counts as typed.
    """

    def __init__(self, position: Position, confirms: bool | None) -> None:
        self._position = position
        self.waiting: list[Item | Candidate] = []
        """The items that were held back. While empty, only candidates and verdicts need :meth:`take`."""
        self.confirms = confirms

    @property
    def candidates(self) -> list[Candidate]:
        return [held for held in self.waiting if isinstance(held, Candidate)]

    def take(self, item: Item | Candidate | Verdict) -> Iterator[Item]:
        """Yield the items that are certain now that ``item`` is known."""
        if isinstance(item, Verdict):
            yield from self._judge(item.text)
        elif self.waiting or isinstance(item, Candidate):
            self.waiting.append(item)
        else:
            yield from self._position.count([item])

    def end(self) -> Iterator[Item]:
        """Yield the items that are certain at the present end of the log."""
        if self.confirms is False:
            yield from self._judge(None)

    def _judge(self, text: str | None) -> Iterator[Item]:
        if not self.waiting and text is None:
            return
        prompts = self._choose(text)
        self.confirms = text is not None or bool(self.confirms)
        waiting, self.waiting = self.waiting, []
        for held in waiting:
            if not isinstance(held, Candidate):
                yield from self._position.count([held])
            elif held in prompts:
                yield from self._prompt(held, text)

    def _choose(self, text: str | None) -> list[Candidate]:
        """The candidates that a human typed, by the verdict on ``text``."""
        candidates = self.candidates
        if text is None:
            return [] if self.confirms else candidates
        same = [candidate for candidate in candidates if candidate.entry.event.content == text]
        return (same or candidates)[-1:]

    def _prompt(self, candidate: Candidate, text: str | None) -> Iterator[Item]:
        event = candidate.entry.event
        if isinstance(event, Prompt):
            yield from self._mark(candidate.cursor)
        typed = replace(event, content=text or event.content)
        yield from self._position.count([replace(candidate.entry, event=typed)])

    def _mark(self, cursor: Cursor) -> Iterator[Mark]:
        yield from self._position.mark(replace(cursor, ordinal=self._position.ordinal))
