"""What the next one who changes a file should know, most useful first. Pure.

A lesson is one thing that a record says: an item of ``git traj context --json``. It keeps the record's words;
what may be shown where is for a renderer. The figures below order lessons, and mean nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gittraj.model.words import tests
from gittraj.query.context.neighbours import Near
from gittraj.query.header import Header

Lesson = dict[str, Any]

_WORTH = {
    "rejected": 1.0,  # nobody sees in the code what is not there
    "tried": 0.75,
    "doubt": 0.7,
    "challenge": 0.65,
    "learned": 0.6,
    "tests": 0.6,
    "decided": 0.5,
    "suggested": 0.4,
    "asked": 0.2,
}
_STATED = {"inferred": 0.75}
_MODEL = 0.85  # by model:NAME, a summary made later
_UNSURE = 0.5  # more for a decision that nobody was sure of
_NAMED = 1.4  # its text names the file or something in it
_OLDEST = 0.7
_HALF = 10  # commits: newer ones that halve the worth of being new
_AGAIN = 0.85  # each further lesson of a kind, so that one kind does not drown the others


@dataclass(frozen=True, slots=True)
class Source:
    """A trajectory on a commit that is near: its HEADER there, and how many such commits are newer."""

    near: Near
    short: str
    date: str
    newer: int
    header: Header


def rank_lessons(sources: Iterable[Source], names: Collection[str] = ()) -> list[Lesson]:
    """The lessons of ``sources``, each once, most useful first; in which order sources come means nothing.

    ``names`` are words that speak of the paths: their last names, and what they define.
    """
    found = sorted(sources, key=lambda s: (s.newer, s.near.commit, s.header["id"]))
    words = frozenset(names)
    told = [(_rate(lesson, source, words), lesson) for source in found for lesson in _read(source)]
    told += [(_rate(lesson, source, words), lesson) for source, lesson in _failing(found)]
    told.sort(key=lambda pair: -pair[0])  # stable: the newer first
    kinds: dict[str, int] = defaultdict(int)
    mixed: list[tuple[float, Lesson]] = []
    for rate, lesson in _once(told):
        mixed.append((rate * _AGAIN ** kinds[lesson["kind"]], lesson))
        kinds[lesson["kind"]] += 1
    mixed.sort(key=lambda pair: -pair[0])
    return [lesson for _, lesson in mixed]


def _read(source: Source) -> Iterator[Lesson]:
    header = source.header
    for decision in header["decisions"]:
        others = " or ".join(filter(None, decision["alternatives"]))
        yield _lesson(
            source,
            "rejected" if others else "decided",
            others or decision["chosen"],
            chosen=decision["chosen"] if others else None,
            **{key: decision[key] for key in ("question", "reasoning", "by", "confidence")},
        )
    for doubt in header["caveats"]:
        yield _lesson(source, "doubt", doubt)
    retrospective = header["retrospective"] or {}
    said = {key: retrospective.get(key) for key in ("by", "confidence")}
    for kind, key in (("challenge", "challenges"), ("learned", "learnings"), ("suggested", "suggestions")):
        for text in retrospective.get(key, ()):
            yield _lesson(source, kind, text, **said)
    if header["link"]["role"] == "explored":  # not by status: the commits of what was abandoned later stand
        for text in filter(None, [retrospective.get("approach") or header["summary"] or header["prompt"]]):
            yield _lesson(source, "tried", text)
    elif not source.near.neighbour:
        done = header["summary"] or retrospective.get("summary")
        for text in filter(None, [header["prompt"] or header["title"]]):
            yield _lesson(source, "asked", text, summary=done)


def _failing(sources: Sequence[Source]) -> Iterator[tuple[Source, Lesson]]:
    """Tests that failed when last they ran: an older run tells nothing."""
    ran = (source for source in sources if source.header["tests"] and not source.near.neighbour)
    for source in islice(ran, 1):
        last = source.header["tests"]
        failed = last["lastExit"] if last["lastFailed"] is None else last["lastFailed"]
        if failed and (told := tests(last)):
            yield source, _lesson(source, "tests", told)


def _lesson(source: Source, kind: str, text: str, **more: Any) -> Lesson:
    told = dict.fromkeys(("chosen", "question", "reasoning", "summary", "by", "confidence"))
    return {
        "commit": source.near.commit,
        "short": source.short,
        "date": source.date,
        "kind": kind,
        "text": text,
        **told,
        **more,
        "trajectory": source.header["id"],
        "path": source.near.path,
        "neighbour": source.near.neighbour,
    }


def _rate(lesson: Lesson, source: Source, names: frozenset[str]) -> float:
    rate: float = _WORTH[lesson["kind"]] * source.near.weight
    rate *= _OLDEST + (1 - _OLDEST) * 0.5 ** (source.newer / _HALF)
    by = lesson["by"] or ""
    rate *= _MODEL if by.startswith("model:") else _STATED.get(by, 1)
    if lesson["kind"] in ("rejected", "decided") and lesson["confidence"] is not None:
        rate *= 1 + _UNSURE * (1 - min(max(lesson["confidence"], 0), 1))
    return rate * _NAMED if names & set(_words(lesson)) else rate


def _words(lesson: Mapping[str, Any]) -> Iterator[str]:
    for key in ("text", "chosen", "question", "reasoning"):
        for word in re.findall(r"[\w.-]+", lesson[key] or ""):
            yield word.rstrip(".")
            yield from re.split(r"[.-]", word)


def _once(told: Iterable[tuple[float, Lesson]]) -> Iterator[tuple[float, Lesson]]:
    """The same words once, where they are worth most: copies of a commit carry them too."""
    seen = set()
    for rate, lesson in told:
        words = tuple(" ".join((lesson[key] or "").split()).casefold() for key in ("text", "chosen"))
        if words not in seen and words[0]:
            seen.add(words)
            yield rate, lesson
