"""Visits the texts of a trajectory, in the same way for redacting, searching and auditing.

It decides which texts are read, which of them strictly, and which belong together; only the redactor decides
what a secret is. No text may be visited by one of the three and not by the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gittraj.errors import RedactionError
from gittraj.events.sensitive import patched, replacements, writes_body, written
from gittraj.events.stream_join import find_runs, split_text
from gittraj.model.codec import dump
from gittraj.model.texts import map_texts
from gittraj.model.values import AnyEvent, ToolCall, Trajectory

if TYPE_CHECKING:
    from gittraj.redact.page import Span

T = TypeVar("T")
Change = Callable[[str, str | None, bool], str]
"""Returns the new text, given the text, its field or key, and whether to be strict: anything may be a
secret."""


class Redact(Protocol):
    """The interface of a redactor. Each method may raise RedactionError."""

    def replaced(self) -> dict[str, str]:
        """The rule of each secret that was replaced since the last call, by placeholder."""

    def learn(self, text: str, *, name: str | None = None, strict: bool = False) -> None: ...
    def text(self, text: str, *, name: str | None = None, strict: bool = False) -> str: ...
    def find(self, text: str, *, name: str | None = None, strict: bool = False) -> Sequence[Span]: ...
    def hashes(self) -> frozenset[str]: ...


def teach(redactor: Redact, trajectories: Sequence[Trajectory], strict: Collection[str]) -> None:
    """Let a redactor learn the secrets in ``trajectories``. A text that cannot be scanned is skipped: the
    same error is raised when the text is redacted."""
    for text, name, strictly in _distinct_texts(trajectories, strict):
        _learn(redactor, text, name, strictly)
    for event in (event for trajectory in trajectories for event in trajectory.events):
        for value in (event.arguments if isinstance(event, ToolCall) else None, event.raw):
            with suppress(RecursionError):
                for text in neighbours(value) if value else ():
                    _learn(redactor, text, None, event.id in strict)
        with suppress(RecursionError):
            for old, new in replacements(event.arguments) if isinstance(event, ToolCall) else ():
                _learn_replacement(redactor, old, new)


def _learn(redactor: Redact, text: str, name: str | None, strictly: bool) -> None:
    with suppress(RedactionError):
        redactor.learn(text, name=name, strict=strictly)


def _learn_replacement(redactor: Redact, old: str, new: str) -> None:
    """Let a redactor learn the text of ``new`` that takes the place of a secret of ``old`` which only its value
    shows, if the rest of the line is equal. If the line shows a secret in ``old``, it does so in ``new``."""
    with suppress(RedactionError):
        for span in (each for each in redactor.find(old) if each.rule in ("learned", "live")):
            start, end = old.rfind("\n", 0, span.start) + 1, (old + "\n").find("\n", span.end)
            before, after = old[start : span.start], old[span.end : end]
            line = "".join(new.split("\n")[old.count("\n", 0, start) :][:1])
            value = line[len(before) : len(line) - len(after)]
            if before + value + after == line and not re.search(r"[\s(){}\[\]<>]", value):
                redactor.learn(value, name="password" if span.kind == "live" else span.kind)


TextToScan = tuple[str, str | None, bool]


def _distinct_texts(trajectories: Sequence[Trajectory], strict: Collection[str]) -> Collection[TextToScan]:
    """The distinct texts, each with the other arguments of ``Change``."""
    texts: dict[TextToScan, None] = {}

    def note(text: str, name: str | None, strictly: bool) -> str:
        texts[text, name, strictly] = None
        return text

    for trajectory in trajectories:
        with suppress(RecursionError):
            map_trajectory(trajectory, note, strict)
        for run in find_runs(trajectory.events):
            note("".join(trajectory.events[i].content for i in run), "content", False)
    return texts


def cleaner(redactor: Redact, localise: Callable[[str], str] = str) -> Change:
    """Return the change that removes secrets, and what ``localise`` removes. It raises RedactionError."""
    return lambda text, name, strictly: redactor.text(localise(text), name=name, strict=strictly)


LEFT_OUT = "REDACTED-unscannable-n0"
"""The placeholder of a text that could not be scanned."""
_IDS = frozenset(("id", "call_id", "parent"))
"""The fields by which events refer to each other: these need their values."""


def clean_trajectory(
    redactor: Redact, trajectory: Trajectory, strict: Collection[str], localise: Callable[[str], str]
) -> tuple[Trajectory, int]:
    """``trajectory`` without secrets and this machine's folders; a text that cannot be scanned is replaced by
    ``LEFT_OUT``, and the result has the number of such texts. Raises RedactionError if an id cannot be
    scanned, and RecursionError if the trajectory is nested too deeply."""
    clean = cleaner(redactor, localise)
    left_out = 0

    def spare(text: str, name: str | None, strictly: bool) -> str:
        nonlocal left_out
        try:
            return clean(text, name, strictly)
        except RedactionError:
            if name in _IDS:
                raise
            left_out += 1
            return LEFT_OUT

    joined = tuple(
        replace(chapter, events=tuple(clean_fragments(redactor, chapter.events, localise, change=spare)))
        for chapter in trajectory.chapters
    )
    return map_trajectory(replace(trajectory, chapters=joined), spare, strict), left_out


def map_trajectory(trajectory: Trajectory, change: Change, strict: Collection[str]) -> Trajectory:
    """``trajectory`` with each text changed; ``strict`` are the ids of the events to be strict with."""
    chapters = tuple(
        replace(
            map_plain(replace(chapter, events=()), change),
            events=tuple(map_event(event, change, strict=event.id in strict) for event in chapter.events),
        )
        for chapter in trajectory.chapters
    )
    # the field is called session, but an agent's session id, unlike a web site's, is not a secret
    whole = trajectory.whole
    session = None if whole.session is None else change(whole.session, None, False)
    plain = map_plain(replace(trajectory, chapters=(), whole=replace(whole, session=None)), change)
    return replace(plain, chapters=chapters, whole=replace(plain.whole, session=session))


def map_plain(value: T, change: Change) -> T:
    return map_texts(value, lambda text, name: change(text, name, False))


def map_event(event: AnyEvent, change: Change, *, strict: bool) -> AnyEvent:
    """An event with each text changed; ``strict``: be strict with its output or the text that it writes to a
    file. What a command or a patch writes into a secret file is always changed strictly."""
    if isinstance(event, ToolCall):
        return map_texts(event, lambda text, name: _map_argument(text, name, change, strict=strict))
    if not strict:
        return map_plain(event, change)
    content = change(event.content, "content", True)
    raw = map_texts(event.raw, lambda text, name: change(text, name, name is not None), "raw")
    return replace(map_plain(replace(event, content="", raw=None), change), content=content, raw=raw)


def _map_argument(text: str, name: str | None, change: Change, *, strict: bool) -> str:
    text = change(text, name, strict and writes_body(name))
    for find in (written, patched):
        for start, end, is_value in reversed(find(text, name)):
            lead = "_=" if is_value else ""  # so that it is read as a value: its name is not here
            part = change(lead + text[start:end], None, True)
            text = text[:start] + part.removeprefix(lead) + text[end:]
    return text


_MAX_NEIGHBOURS = 40
_LONGEST = 4_000  # characters


def neighbours(value: Any) -> Iterator[str]:
    """Yield small lists and objects as one text each, because a secret's name may be next to its value, as in
    ``["--password", …]`` and ``{"name": "PASSWORD", "value": …}``. Raises RecursionError."""
    if not isinstance(value, Mapping | list | tuple):
        return
    inner = list(value.values() if isinstance(value, Mapping) else value)
    plain = [each for each in inner if isinstance(each, str)]
    if 1 < len(plain) <= _MAX_NEIGHBOURS and sum(map(len, plain)) <= _LONGEST:
        if isinstance(value, Mapping):
            yield dump({k: v for k, v in value.items() if isinstance(v, str)}).decode()
        else:
            yield " ".join(plain)
            yield dump(plain).decode()
    for each in inner:
        yield from neighbours(each)


def clean_fragments(
    redactor: Redact,
    events: Sequence[AnyEvent],
    localise: Callable[[str], str] = str,
    *,
    change: Change | None = None,
) -> Sequence[AnyEvent]:
    """The events without secrets that are visible only when their fragments are joined. ``change`` removes
    them (None: ``cleaner``). Raises RedactionError."""
    change = change or cleaner(redactor)
    result = list(events)
    for run in find_runs(events):
        fragments = [localise(events[i].content) for i in run]
        whole = "".join(fragments)
        clean = change(whole, "content", False)
        if clean != whole:
            found = list[tuple[int, int]]()
            with suppress(RedactionError):
                found = [(each.start, each.end) for each in redactor.find(whole, name="content")]
            for i, text in zip(run, split_text(fragments, found, clean), strict=True):
                result[i] = replace(events[i], content=text)
    return result
