"""Ranks what the next author of a file should know, most useful first. Pure.

A takeaway is one statement of a record: an item of ``git traj context --json``, in the record's words, which
renderers escape. The weights below only order takeaways.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.sides import sides
from gittraj.model.words_of_tests import is_bad, tests
from gittraj.query.context.neighbours import Near

Takeaway = dict[str, Any]

_WORTH = {
    "rejected": 1.0,  # not visible in the code
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
_UNSURE = 0.5  # added for a decision with low confidence
_SURE = 0.7  # the least confidence that answers a question
_REVERTED = 0.3  # its commit was reverted
_NAMED = 1.4  # its text names the file or something in it
_OLDEST = 0.7  # for the oldest commit; 1 for the newest
_HALF = 10  # newer commits that halve the bonus for being new
_AGAIN = 0.85  # for each further takeaway of a kind, so that one kind does not drown the others


@dataclass(frozen=True, slots=True)
class Source:
    """A trajectory on a commit that is near: its HEADER there, how many such commits are newer, and which
    commit reverted it."""

    near: Near
    short: str
    date: str
    newer: int
    header: Header
    reverted: str | None = None


def rank_takeaways(sources: Iterable[Source], names: Collection[str] = ()) -> list[Takeaway]:
    """Return the takeaways of ``sources``, which may be in any order: each once, the most useful first.

    ``names`` are words that identify the paths: their last names, and what they define.
    """
    ordered = sorted(sources, key=lambda s: (s.newer, s.near.commit, s.header["id"]))
    words = frozenset(names)
    answers = _find_answers(ordered)
    rated = [
        (_rate(takeaway, source, words), takeaway)
        for source in ordered
        for takeaway in _read(source, answers)
    ]
    rated += [(_rate(takeaway, source, words), takeaway) for source, takeaway in _failing(ordered)]
    rated.sort(key=_sort_key)  # stable: the newer first
    kinds: dict[str, int] = defaultdict(int)
    mixed: list[tuple[float, Takeaway]] = []
    for rate, takeaway in _unique(rated):
        mixed.append((rate * _AGAIN ** kinds[takeaway["kind"]], takeaway))
        kinds[takeaway["kind"]] += 1
    return [takeaway for _, takeaway in sorted(mixed, key=_sort_key)]


def _sort_key(rated: tuple[float, Takeaway]) -> tuple[bool, bool, float]:
    """Return the sort key: takeaways about the files themselves, except prompts, come first; of these, the
    clone's own before those of a remote, which anybody may have written."""
    rate, takeaway = rated
    return takeaway["neighbour"] or takeaway["kind"] == "asked", "remote" in takeaway, -rate


def _find_answers(sources: Sequence[Source]) -> dict[str, Source]:
    """Return for each question the latest commit that answers it: an agent or a person decided, and was
    sure."""
    answers: dict[str, Source] = {}
    for source in sources:
        trusted = not (source.reverted or source.header.get("remote"))
        for decision in source.header["decisions"] if trusted else ():
            if decision["question"] and decision["by"] in ("agent", "human") and not _is_unsure(decision):
                answers.setdefault(decision["question"], source)
    return answers


def _is_unsure(decision: Mapping[str, Any]) -> bool:
    return decision["confidence"] is not None and decision["confidence"] < _SURE


def _read(source: Source, answers: Mapping[str, Source]) -> Iterator[Takeaway]:
    yield from _read_decisions(source, answers)
    sources = source.header["caveatSources"]
    for doubt, origin in zip(source.header["caveats"], sources, strict=True):
        yield _takeaway(source, "doubt", doubt, about=origin and origin["path"])
    yield from _read_retrospective(source)
    yield from _read_work(source)


def _read_decisions(source: Source, answers: Mapping[str, Source]) -> Iterator[Takeaway]:
    for decision in source.header["decisions"]:
        others = " or ".join(filter(None, decision["alternatives"]))
        later = answers.get(decision["question"] or "") if _is_unsure(decision) else None
        yield _takeaway(
            source,
            "rejected" if others else "decided",
            others or decision["chosen"],
            about=decision["path"],
            chosen=decision["chosen"] if all(sides(decision)) else None,
            answeredIn=later.near.commit if later and later.newer < source.newer else None,
            **{key: decision[key] for key in ("question", "reasoning", "by", "confidence")},
        )


def _read_retrospective(source: Source) -> Iterator[Takeaway]:
    retrospective = source.header["retrospective"] or {}
    author = {key: retrospective.get(key) for key in ("by", "confidence")}
    for kind, key in (("challenge", "challenges"), ("learned", "learnings"), ("suggested", "suggestions")):
        for text in retrospective.get(key, ()):
            yield _takeaway(source, kind, text, **author)


def _read_work(source: Source) -> Iterator[Takeaway]:
    """Yield the approach that was tried, or the prompt and its result."""
    header = source.header
    retrospective = header["retrospective"] or {}
    # not by status: commits of a trajectory that was abandoned later remain
    if header["link"]["role"] == "explored":
        tried = retrospective.get("approach") or header["summary"] or header["prompt"]
        takeaway = _takeaway(source, "tried", tried)
    elif not source.near.neighbour:
        done = header["result"] or header["summary"] or retrospective.get("summary")
        takeaway = _takeaway(source, "asked", header["prompt"] or header["title"], summary=done)
    else:
        return
    if takeaway["text"]:
        yield takeaway


def _failing(sources: Sequence[Source]) -> Iterator[tuple[Source, Takeaway]]:
    """Yield the tests that failed in their last run: older runs do not matter."""
    ran = (source for source in sources if source.header["tests"] and not source.near.neighbour)
    for source in islice(ran, 1):
        last = source.header["tests"]
        if is_bad(last) and (summary := tests(last)):
            yield source, _takeaway(source, "tests", summary)


def _takeaway(source: Source, kind: str, text: str, *, about: str | None = None, **more: Any) -> Takeaway:
    """Return a takeaway; ``about`` is the file that the statement names, which counts if the commit touched
    it."""
    about = about if about in source.near.files else None
    wrote = {file["path"] for file in source.header["filesChanged"]}
    nearest = next((path for path in source.near.files if path in wrote), source.near.path)
    optional = dict.fromkeys(("chosen", "question", "reasoning", "summary", "by", "confidence", "answeredIn"))
    return {
        "commit": source.near.commit,
        "short": source.short,
        "date": source.date,
        "kind": kind,
        "text": text,
        **optional,
        **more,
        "trajectory": source.header["id"],
        "path": about or (nearest if source.near.neighbour else source.near.path),
        "paths": [about] if about else list(source.near.paths),
        "neighbour": source.near.neighbour,
        "revertedBy": source.reverted,
        **({"remote": source.header["remote"]} if source.header.get("remote") else {}),
    }


def _rate(takeaway: Takeaway, source: Source, names: frozenset[str]) -> float:
    rate: float = _WORTH[takeaway["kind"]] * source.near.weight
    rate *= _OLDEST + (1 - _OLDEST) * 0.5 ** (source.newer / _HALF)
    rate *= _REVERTED if source.reverted else 1
    by = takeaway["by"] or ""
    rate *= _MODEL if by.startswith("model:") else _STATED.get(by, 1)
    if takeaway["kind"] in ("rejected", "decided") and takeaway["confidence"] is not None:
        rate *= 1 + _UNSURE * (1 - min(max(takeaway["confidence"], 0), 1))
    return rate * _NAMED if names & set(_words(takeaway)) else rate


def _words(takeaway: Mapping[str, Any]) -> Iterator[str]:
    for key in ("text", "chosen", "question", "reasoning"):
        for word in re.findall(r"[\w.-]+", takeaway[key] or ""):
            yield word.rstrip(".")
            yield from re.split(r"[.-]", word)


def _unique(rated: Iterable[tuple[float, Takeaway]]) -> Iterator[tuple[float, Takeaway]]:
    """Yield each text once, at its highest rating: copies of a commit repeat texts. If one caveat continues
    the words of another, only the longer one is kept."""
    known = [(*pair, _spell(pair[1])) for pair in rated]
    doubts = "\n".join(f"\n{words[0]}" for _, takeaway, words in known if takeaway["kind"] == "doubt")
    seen = set()
    for rate, takeaway, words in known:
        continued = takeaway["kind"] == "doubt" and f"\n{words[0].rstrip('.')} " in doubts
        if words not in seen and words[0] and not continued:
            seen.add(words)
            yield rate, takeaway


def _spell(takeaway: Takeaway) -> tuple[str, ...]:
    return tuple(" ".join((takeaway[key] or "").split()).casefold() for key in ("text", "chosen"))
