"""Chooses the events of a part that are sealed, and puts opened texts back; ``gittraj.seal.seal`` encrypts.

A part's thinking becomes one seal, or several if it is long. A seal is written once and then copied byte for
byte. Each of its events has the seal's name, the first one also the payload; the header, which shows who can
open it, is in the record. No I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from gittraj.model.values import AnyEvent, Thinking
from gittraj.startup import sha256

Seals = Mapping[str, tuple[str, ...]]
"""The headers of each seal, by the seal's name, as in a record."""
LIMIT = 600_000
"""The maximum number of bytes of text in one seal, so that the event with its payload fits into a segment."""


Sealer = Callable[[str, Mapping[str, str]], tuple[str, bytes]]
"""Encrypts the texts of a trajectory (event: text) into a header and a payload. Raises SealError."""


class Opener(Protocol):
    def open(
        self, trajectory: str, events: Collection[str], headers: Sequence[str], payload: bytes
    ) -> Mapping[str, str] | None:
        """Decrypt the texts of exactly these ``events``; None if no key fits, or if they were tampered
        with."""


class Sealing(Protocol):
    """How thinking is sealed in a repository. ``remark`` is one line for the user, once :meth:`sealer` was
    called."""

    @property
    def remark(self) -> str | None: ...
    def sealer(self) -> Sealer | None:
        """Return the sealer; None if there are no readers."""


def seal_events(
    trajectory: str, events: Sequence[AnyEvent], sealer: Sealer
) -> tuple[list[AnyEvent], dict[str, tuple[str, ...]]]:
    """Return the events of a part with their thinking sealed, and the headers. Raises SealError."""
    sealed = [
        _bare(event) if isinstance(event, Thinking) and not event.content else event for event in events
    ]
    seals: dict[str, tuple[str, ...]] = {}
    for group in _groups(events):
        header, payload = sealer(trajectory, {event.id: event.content for event in group.values()})
        name = sha256(payload).hexdigest()[:16]
        seals[name] = (header,)
        for index, event in group.items():
            sealed[index] = _hide(event, name, payload, is_first=index == min(group))
    return sealed, seals


def open_events(trajectory: str, events: Sequence[AnyEvent], seals: Seals, opener: Opener) -> list[AnyEvent]:
    """Return the events, with the texts that ``opener`` can read; the others stay sealed."""
    members: dict[str | None, list[Thinking]] = {}
    for event in events:
        if isinstance(event, Thinking):
            members.setdefault(event.seal, []).append(event)
    texts: dict[str, str] = {}
    for name, thoughts in members.items():
        if name and name in seals:
            texts |= _open_seal(trajectory, thoughts, seals[name], opener)
    return [
        _show(event, texts[event.id]) if isinstance(event, Thinking) and event.id in texts else event
        for event in events
    ]


def _open_seal(
    trajectory: str, thoughts: Sequence[Thinking], headers: Sequence[str], opener: Opener
) -> Mapping[str, str]:
    """Open one seal, which all of the ``thoughts`` are in; without its payload, or a key, return nothing."""
    payload = next((event.payload for event in thoughts if event.payload), None)
    if payload is None:
        return {}
    return opener.open(trajectory, {event.id for event in thoughts}, headers, payload) or {}


def is_sealable(event: AnyEvent) -> bool:
    return isinstance(event, Thinking) and event.seal is None and bool(event.content)


def count_readers(headers: Sequence[str]) -> int:
    """Count the readers of a seal: each is a stanza of its header, which is text (age-encryption.org/v1)."""
    return max((header.count("\n-> ") for header in headers), default=0)


def _groups(events: Sequence[AnyEvent]) -> Iterator[dict[int, Thinking]]:
    """Yield the events that go into each seal, by their index."""
    group: dict[int, Thinking] = {}
    size = 0
    for index, event in enumerate(events):
        if not isinstance(event, Thinking) or not is_sealable(event):
            continue
        length = len(event.content.encode("utf-8", "replace"))
        if group and size + length > LIMIT:
            yield group
            group, size = {}, 0
        group[index] = event
        size += length
    if group:
        yield group


def _hide(event: Thinking, name: str, payload: bytes, *, is_first: bool) -> Thinking:
    """Return the event without anything that depends on its text: no size, no hash."""
    return replace(_bare(event), seal=name, sealed_bytes=len(payload), payload=payload if is_first else None)


def _bare(event: Thinking) -> Thinking:
    return replace(event, content="", raw=None, artifact=None, extra={})


def _show(event: Thinking, text: str) -> Thinking:
    return replace(event, content=text, seal=None, sealed_bytes=None, payload=None)
