"""JSON values that need no reading as a whole: no string in them can be part of anything beside it.

Each text is read for itself, as always. What a document says by its structure is looked for in its dump, in
which long texts and those with a space are blank (``documents``): there only keys and other words matter. A
word is plain when it has no anchor, or only the stem of a name that names no secret, as ``sessionId`` has:
whatever else reads such a name needs a space after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .anchors import Anchorage
from .documents import is_blank
from .lazy import lazy
from .memory import Met
from .names import grade
from .phrases import EDGE, is_live
from .rules import Text
from .values import is_password

# In ASCII; no space, quote, escape, comma, bar or angle. What is percent-encoded is read decoded.
_WORD = lazy(r"[!#$(-+\--;=?-\[\]-_a-z{}~]{0,200}")
# a UUID, a time or a number: hardly ever the same, and in all of them no anchor
_NUMBER = lazy(
    r"(?!.*2fa)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)|\d{1,20}"
)
_SENTENCE = lazy(r"[a-z]+(?: [a-z]+){3,11}")  # not blank in a dump
_NAMES = (lazy(r"[\w.-]+"), lazy(r"[\w.:/-]+"))
_LONGEST_NAME = 64
_SPARED = lazy(r"[/=#]|\.\d|\(|\[|--|\*\*|-\w+-|^[0-9.]*$")  # can't be a password: found soon
_DIGITLESS = lazy(r"[^0-9]*")
_CODES = lazy(r"recover|backup|scratch|emergency|one-time|rescue|2fa|wiederherst", re.IGNORECASE)
_TOGETHER = 16  # words: of more, one mostly has an anchor
_MOST_LISTED, _LONGEST_LIST = 40, 4000  # of a list that is read as one text


def strings(value: Any) -> tuple[set[str], set[str]]:
    """The strings of a JSON value, keys and small lists too, and the keys under which no text is."""
    words: set[str] = set()
    aside: set[str] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if type(one) is dict:
            for name, each in one.items():
                kind = type(each)
                (words if kind is str or kind is list else aside).add(name)
                if kind is str:
                    words.add(each)
                elif kind in _NESTED:
                    todo.append(each)
        elif type(one) is list:
            listed = [each for each in one if type(each) is str]
            words.update(listed)
            if 1 < len(listed) <= _MOST_LISTED and sum(map(len, listed)) <= _LONGEST_LIST:
                words.add(" ".join(listed))
            todo += [each for each in one if type(each) in _NESTED]
        elif type(one) is str:
            words.add(one)
    return words, aside


_NESTED = frozenset((dict, list))


class Plain:
    """Which strings are plain, each judged once."""

    def __init__(self, anchorage: Anchorage) -> None:
        self._anchorage = anchorage
        self._plain = Met()
        self._other = Met()
        self._clean = Met()

    def holds(self, found: set[str], aside: set[str], is_clean: Callable[[str], bool]) -> bool:
        """Whether all of a JSON value's strings are plain, or clean if they are ``aside``. ``is_clean`` reads
        a text by all rules."""
        new = found - self._plain.texts
        if not self._other.texts.isdisjoint(new):
            return False
        words: list[str] = []
        texts: list[str] = []
        for text in new:
            if not _NUMBER.fullmatch(text):
                (words if _WORD.fullmatch(text) else texts).append(text)
        return (
            (not words or self._are_plain(words))
            and all(self._is_plain(text, is_clean) for text in texts)
            and all(self._is_clean(key, is_clean) for key in aside - self._clean.texts)
        )

    def idle(self, texts: Iterable[str]) -> Iterator[str]:
        """Those of the texts that are one word in which no rule has an anchor."""
        words = []
        for text in texts:
            if _NUMBER.fullmatch(text):
                yield text
            elif _WORD.fullmatch(text):
                words.append(text)
        idle = [*self._anchorless(words)]
        self._plain.add([word for word in idle if _is_spared(word)])
        yield from idle

    def _anchorless(self, words: list[str]) -> Iterator[str]:
        for at in range(0, len(words), _TOGETHER):
            some = words[at : at + _TOGETHER]
            if not self._has_anchors(some):
                yield from some
            else:
                yield from (word for word in some if not self._has_anchors([word]))

    def _is_clean(self, key: str, is_clean: Callable[[str], bool]) -> bool:
        clean = key in self._plain.texts or is_clean(key)
        if clean:
            self._clean.add([key])
        return clean

    def _are_plain(self, words: list[str]) -> bool:
        if self._has_anchors(words):
            verdicts = [self._is_plain_word(word) for word in words]
        else:
            verdicts = [_is_spared(word) for word in words]
        self._plain.add([word for word, plain in zip(words, verdicts, strict=True) if plain])
        self._other.add([word for word, plain in zip(words, verdicts, strict=True) if not plain])
        return all(verdicts)

    def _has_anchors(self, words: list[str]) -> bool:
        dump = _dump(words)
        return bool(dump.hits or self._anchorage.open(dump, names=False))

    def _is_plain_word(self, word: str) -> bool:
        dump = _dump([word])
        return (
            _is_spared(word)
            and not self._anchorage.open(dump, names=False)
            and not any(is_live(dump, hit) for hit in dump.hits)
            and not _CODES.search(word)
            and not any(
                len(name) > _LONGEST_NAME or grade(name) for names in _NAMES for name in names.findall(word)
            )
        )

    def _is_plain(self, text: str, is_clean: Callable[[str], bool]) -> bool:
        if not is_blank(text) and not (_SENTENCE.fullmatch(text) and not self._has_anchors([text])):
            plain = False
        else:
            plain = is_clean(text)
        (self._plain if plain else self._other).add([text])
        return plain


def _dump(words: list[str]) -> Text:
    return Text('{"' + '":"'.join((*words, words[0])) + '","')


def _is_spared(word: str) -> bool:
    """Whether talk of passwords around the word does not make it one."""
    word = word.rpartition(":")[2].strip(EDGE)
    return _DIGITLESS.fullmatch(word) is not None or _SPARED.search(word) is not None or not is_password(word)
