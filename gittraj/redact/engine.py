"""The redactor: finds the secrets of a text and puts placeholders in their place, or fails.

It must not return a text that wasn't scanned to its end, nor say in an error what a text holds.
"""

from __future__ import annotations

import hmac
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from ..errors import RedactionError
from .assignments import assignments
from .cookies import cookies
from .credentials import CREDENTIALS
from .image import image_of, vocabulary
from .live import LiveValues, needles, places, word_hash, words
from .names import grade, kind
from .private_keys import private_keys
from .rules import Span
from .tokens import TOKENS
from .values import PLACEHOLDER, Style, is_plain, is_secret

RULESET = "1"

_TOKENS = tuple((anchor, rule) for rule in TOKENS for anchor in rule.anchors)
_CREDENTIALS = tuple((anchor, rule) for rule in CREDENTIALS for anchor in rule.anchors)
_READERS = (private_keys, cookies, assignments)
_ROUNDS = 8
_LOW_ENTROPY = 16  # characters: a tag of a shorter value could be told from another's by what it equals
_LEARNED_LENGTH = 8
_MOST_LEARNED = 2000
_CACHE = 16 << 20  # characters


class Redactor:
    """Redacts the texts of one trajectory.

    ``key`` is the secret that tags are made with: it is never stored beside them, as a tag could else be
    tested against guesses. A text may take ``seconds_per_text``, and half as much again per 10**6 characters.
    """

    def __init__(self, *, key: bytes, live: LiveValues | None = None, seconds_per_text: float = 2.0) -> None:
        self.counts: Counter[str] = Counter()
        self._key = key
        self._live = live or LiveValues()
        self._hashes = self._live.hashes(key) if self._live.known else frozenset()
        self._seconds = seconds_per_text
        self._needles = {value: needles(value) for value in self._live.values}
        self._learned: dict[str, str] = {}
        self._ordinals: dict[str, int] = {}
        self._cache: dict[tuple[str, str | None], tuple[Span, ...]] = {}
        self._cached = 0
        self._harmless: set[str] = set()

    def learn(self, text: str, *, name: str | None = None) -> None:
        """Remember the secrets of ``text``, so that ``text()`` finds them wherever else they stand.

        :raises RedactionError: the text could not be scanned.
        """
        self._guard(text, name, rewrite=False)

    def text(self, text: str, *, name: str | None = None) -> str:
        """``text`` without its secrets; the same object if it has none.

        ``name`` is the key or field that the text is the whole value of, if there is one.

        :raises RedactionError: the text could not be scanned; it must not be stored.
        """
        return self._guard(text, name, rewrite=True)

    def hashes(self) -> frozenset[str]:
        """Keyed hashes of all live and learned values, for a later process's ``LiveValues``."""
        return self._live.hashes(self._key) | {word_hash(self._key, value) for value in self._learned}

    def _guard(self, text: str, name: str | None, *, rewrite: bool) -> str:
        deadline = time.monotonic() + self._seconds * (1 + len(text) / 2_000_000)
        try:
            return self._rewritten(text, name, deadline) if rewrite else self._taught(text, name, deadline)
        except RedactionError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever went wrong, an unscanned text must not get out
            # Without its cause: the message of a foreign error may quote the text.
            raise RedactionError(
                f"a text of {len(text)} characters could not be scanned ({type(error).__name__})"
            ) from None

    def _taught(self, text: str, name: str | None, deadline: float) -> str:
        for span in self._found(text, name, deadline):
            self._remember(text[span.start : span.end], span.kind)
        return text

    def _rewritten(self, text: str, name: str | None, deadline: float) -> str:
        for _ in range(_ROUNDS):
            spans = self._found(text, name, deadline)
            for span in spans:
                self._remember(text[span.start : span.end], span.kind)
            if self._needles or self._hashes:
                spans = (*spans, *self._known(text, deadline))
            if not (outermost := _outermost(text, spans) if spans else ()):
                return text
            self.counts.update(span.rule for span in outermost)
            text = self._replaced(text, outermost)
        # Each round puts placeholders where secrets were: a text that still has some was made to have them.
        raise RedactionError(f"a text of {len(text)} characters could not be scanned (no end of secrets)")

    def _found(self, text: str, name: str | None, deadline: float) -> tuple[Span, ...]:
        """The secrets that the rules find."""
        if (spans := self._cache.get((text, name))) is None:
            _tick(deadline, len(text))
            tick = partial(_tick, deadline, len(text))
            spans = tuple(_from_whole_escape(text, span) for span in _scan(text, name, tick))
            if self._cached > _CACHE:
                self._cache.clear()
                self._cached = 0
            self._cache[text, name] = spans
            self._cached += len(text)
        return spans

    def _known(self, text: str, deadline: float) -> Iterator[Span]:
        """The secrets that are known by value."""
        for value, forms in self._needles.items():
            _tick(deadline, len(text))
            called = self._learned.get(value)
            rule, called = ("learned", called) if called else ("live", "live")
            for start, end in places(text, value, forms):
                yield Span(start, end, rule, called)
        for start, end in words(text) if self._hashes else ():
            word = text[start:end]
            if word not in self._harmless:
                _tick(deadline, len(text))
                if word_hash(self._key, word) in self._hashes:
                    yield Span(start, end, "live", "live")
                elif len(self._harmless) < 1 << 17:
                    self._harmless.add(word)

    def _remember(self, value: str, called: str) -> None:
        fit = _LEARNED_LENGTH <= len(value) <= 512 and value not in self._learned
        if (
            fit
            and len(self._learned) < _MOST_LEARNED
            and not is_plain(value)
            and not PLACEHOLDER.search(value)
        ):
            self._learned[value] = called
            self._needles[value] = needles(value)

    def _replaced(self, text: str, spans: Iterable[Span]) -> str:
        pieces, at = [], 0
        for span in spans:
            pieces += [text[at : span.start], self._placeholder(text[span.start : span.end], span.kind)]
            at = span.end
        return "".join([*pieces, text[at:]])

    def _placeholder(self, value: str, called: str) -> str:
        if len(value) < _LOW_ENTROPY:
            return f"REDACTED-{called}-n{self._ordinals.setdefault(value, len(self._ordinals) + 1)}"
        tag = hmac.digest(self._key, f"{called}\0{value}".encode("utf-8", "surrogatepass"), "sha256")[
            :4
        ].hex()
        return f"REDACTED-{called}-{tag}"


_HALF_ESCAPE = re.compile(r"\\+u[0-9a-fA-F]{4}\Z")


def _tick(deadline: float, length: int) -> None:
    if time.monotonic() >= deadline:
        raise RedactionError(f"a text of {length} characters could not be scanned in its time")


def _scan(text: str, name: str | None, tick: partial[None]) -> Iterator[Span]:
    image = image_of(text)
    lower = image.lower()
    if name is not None and is_secret(image.strip(), grade(name), Style.EXACT):
        start = len(image) - len(image.lstrip())
        yield Span(start, len(image.rstrip()), f"named-{kind(name)}", kind(name))
    words, long_words = vocabulary(image)
    for rules, where in ((_TOKENS, long_words), (_CREDENTIALS, words)):
        for anchor, rule in [row for row in rules if row[0] in where] if where else ():
            yield from rule.spans(anchor, image, lower, tick)
    for read in _READERS:
        yield from read(image, lower, tick)
        tick()


def _from_whole_escape(text: str, span: Span) -> Span:
    """A span that begins with an escaped character begins with its escape: half of one breaks JSON."""
    found = _HALF_ESCAPE.search(text, max(0, span.start - 16), span.start + 1)
    return Span(found.start(), span.end, span.rule, span.kind) if found else span


def _outermost(text: str, spans: Iterable[Span]) -> list[Span]:
    """The union of ``spans``, without what lies in a placeholder; of two kinds that of the longer one."""
    ordered = sorted((span for span in spans if span.start < span.end), key=lambda span: span.start)
    kept = [place.span() for place in PLACEHOLDER.finditer(text)] if ordered and "REDACTED-" in text else []
    united: list[Span] = []
    for span in ordered:
        if any(start <= span.start and span.end <= end for start, end in kept):
            continue
        if united and span.start < united[-1].end:
            last = united[-1]
            longer = span if span.end - span.start > last.end - last.start else last
            united[-1] = Span(last.start, max(last.end, span.end), longer.rule, longer.kind)
        else:
            united.append(span)
    return united
