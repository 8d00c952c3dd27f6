"""Ranks parts by similarity to a text: "how did we solve this before?", without a network.

Every significant word of the text adds its score (bm25 over weighted columns), or that of a synonym,
whichever is better. Words that many parts have are left out. ``docs/adr/0020-similar.md`` compares this with
the alternatives, with measurements.
"""

from __future__ import annotations

import re
import sqlite3
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib.resources import files

from gittraj.errors import UsageError
from gittraj.index import text, words
from gittraj.index.language import HINT, spell_word

_SYNONYM_WEIGHT = 0.7
"""The weight of a synonym."""
_MOST = 24
"""Maximum number of words of a text that are used: the rarest ones."""
_COMMON = 0.2
"""A word in a larger share of all parts is left out: it has little meaning, and takes most time."""
_RARE = 5
"""A word in at most this many parts is never left out, however few parts there are."""
_FEW = 2
"""This many words are used even if all of them are common."""
_DEEP = 400
"""The maximum number of parts that one word may add to the result."""
_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
Ask = Callable[[str, int], Iterable[tuple[int, float]]]
"""Called with a query and the most parts to return; returns matching parts with their scores."""


def rank_like(connection: sqlite3.Connection, asked: str, ask: Ask) -> tuple[list[tuple[int, float]], str]:
    """Return the parts that are similar to the text ``asked``, the best first, and the query for their
    excerpts. Raises UsageError for a text without a word."""
    meanings = _choose(connection, _read(asked))
    scores: dict[int, float] = {}
    for own, others in meanings:
        best = dict(ask(own, _DEEP))
        for doc, score in ask(others, _DEEP) if others else ():
            best[doc] = max(best.get(doc, 0), _SYNONYM_WEIGHT * score)
        for doc, score in best.items():
            scores[doc] = scores.get(doc, 0) + score
    sought = " OR ".join(match for pair in meanings for match in pair if match)
    return text.in_order(connection, scores), sought


def _read(asked: str) -> list[tuple[str, str]]:
    """Return a query for each significant word of the text ``asked``, and one for the word's synonyms."""
    spelt = dict.fromkeys(_WORD.findall(words.uncut(words.cut(asked))))
    significant = [word for word in spelt if word.lower() not in _words()[0] and len(word) > 1] or list(spelt)
    pairs = [(spell_word(word), map(spell_word, synonyms(word.lower()))) for word in significant]
    meanings = [(own, " OR ".join(filter(None, others))) for own, others in pairs if own]
    if not meanings:
        raise UsageError("the text contains no words", hint=HINT)
    return meanings


def _choose(connection: sqlite3.Connection, meanings: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Choose the rarest words, and common ones only if there are too few of the others."""
    parts, _ = text.count(connection)
    often = {own: text.frequency(connection, own) for own, _ in meanings}
    rare = sorted(meanings, key=lambda pair: often[pair[0]])[:_MOST]
    return [
        pair for at, pair in enumerate(rare) if at < _FEW or often[pair[0]] <= max(_COMMON * parts, _RARE)
    ]


@cache
def _words() -> tuple[Collection[str], Mapping[str, tuple[str, ...]]]:
    """Load the stop words, and the synonyms of other words."""
    table = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
    meanings = [line.split() for line in table["synonyms"].splitlines()]
    same: dict[str, dict[str, None]] = {}
    for meaning in meanings:
        for word in meaning:
            same.setdefault(word, {}).update(dict.fromkeys(other for other in meaning if other != word))
    return frozenset(table["stop"].split()), {word: tuple(others) for word, others in same.items()}


def synonyms(word: str) -> tuple[str, ...]:
    """The synonyms of a word in lower case, also of its plural and simple past."""
    table = _words()[1]
    forms = (word, *(word.removesuffix(ending) for ending in ("s", "es", "d", "ed", "ing", "ly")), f"{word}e")
    return next((table[form] for form in forms if form in table), ())
