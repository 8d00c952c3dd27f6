"""The redactor: finds the secrets of a text and replaces them by placeholders, or fails.

It must not return a text that wasn't scanned to its end, nor quote a text in an error.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache

from ..errors import RedactionError
from .live import LiveValues, finder, needles, places, word_hash, words
from .load import patterns
from .memory import Memory
from .names import grade
from .options import Options
from .page import Span
from .proof import Proof, proof
from .public import BY_FORM
from .randomness import looks_random
from .scan import Clock, scan
from .scan import forget as forget_pages
from .strict import STRICT
from .values import PLACEHOLDER, is_common

_RE = patterns("engine")

_ROUNDS = 8
_LOW_ENTROPY = 16  # characters: a shorter value could be guessed by comparing tags, so it gets a number
_LEARNED_LENGTH, _CERTAIN_LENGTH = 8, 10
_MAX_LEARNED = 2000
_AFTER = ".,:;)]}>"  # signs of the sentence after a value: its hash is made without them


Asked = tuple[str, str | None, bool]
"""A text, its name, and whether it is read strictly."""


@cache
def _found(options: Options) -> Memory[tuple[Span, ...]]:
    """The secrets in each text, shared by all redactors: they depend on the text alone."""
    return Memory()


def forget() -> None:
    """Clear all caches, because the readers have changed."""
    _found.cache_clear()
    forget_pages()


class Redactor:
    """Redacts the texts of one trajectory.

    ``key`` is the secret from which tags are made. It is never stored with them, since a guess could be
    tested against a tag then. A scan may take ``seconds_per_text`` of this thread's time for a text, or for
    each fragment of a long one (``scan.fragments``): a fragment that takes longer is removed, the rest stays.
    """

    def __init__(
        self,
        *,
        key: bytes,
        live: LiveValues | None = None,
        seconds_per_text: float = 1.6,
        options: Options | None = None,
    ) -> None:
        self._replaced: dict[str, str] = {}
        self._key = key
        self._live = live or LiveValues()
        self._options = options or Options()
        self._seen = _found(self._options)
        self._hashes = self._live.hashes(key) if self._live.known else frozenset()
        self._seconds = seconds_per_text
        self._needles = {value: needles(value) for value in self._live.values}
        self._finder: Callable[[str], object] | None = None
        self._learned: dict[str, str] = {}
        self._certain: set[str] = set()
        self._ordinals: dict[str, int] = {}
        self._highest = 0  # the highest number of a placeholder, also of an earlier redactor's
        self._harmless: set[str] = set()

    def learn(self, text: str, *, name: str | None = None, strict: bool = False) -> None:
        """Remember the secrets of ``text``, so that ``text()`` finds them everywhere else.

        :raises RedactionError: the text could not be scanned.
        """
        self._read_numbers(text)
        if self._seen.get(*self._asked(text, name, strict)) == ():
            return
        with _guard(text):
            self._remember(text, self._by_rules(text, name, strict))

    def text(self, text: str, *, name: str | None = None, strict: bool = False) -> str:
        """``text`` without its secrets; the same object if it has none.

        ``name`` is the key or field that the text is the whole value of, if there is one. ``strict`` is for
        the output of ``cat .env`` and the like: every value after ``=`` or ``:`` is redacted.

        :raises RedactionError: the text could not be scanned; it must not be stored.
        """
        self._read_numbers(text)
        if (
            not self._hashes
            and self._seen.get(*self._asked(text, name, strict)) == ()
            and not self._may_be_known(text)
        ):
            return text
        with _guard(text):
            for _ in range(_ROUNDS):
                spans = self._spans(text, name, strict)
                if not spans:
                    return text
                text = self._without(text, spans)
            # Each round replaces secrets by placeholders: a text that still has some was made to attack this.
            raise RedactionError(
                f"a text of {len(text)} characters could not be scanned (every round finds more secrets)"
            )

    def find(self, text: str, *, name: str | None = None, strict: bool = False) -> list[Span]:
        """The positions of the secrets in ``text``, and their rules, in order and without overlaps.

        :raises RedactionError: the text could not be scanned.
        """
        with _guard(text):
            return self._spans(text, name, strict)

    def replaced(self) -> dict[str, str]:
        """The rule of each secret that was replaced since the last call, by placeholder."""
        found, self._replaced = self._replaced, {}
        return found

    def hashes(self) -> frozenset[str]:
        """Keyed hashes of the live values and of certain secrets that were learned, for the ``LiveValues`` of a
        later process. A likely secret is left out: elsewhere it may be an ordinary word."""
        return self._live.hashes(self._key) | {word_hash(self._key, value) for value in self._certain}

    def _read_numbers(self, text: str) -> None:
        if "REDACTED-" in text:
            self._highest = max(self._highest, *map(int, ["0", *_RE.numbered.findall(text)]))

    def _spans(self, text: str, name: str | None, strict: bool) -> list[Span]:
        spans = self._by_rules(text, name, strict)
        self._remember(text, spans)
        if self._needles or self._hashes:
            spans = (*spans, *self._known(text))
        return _outermost(text, spans) if spans else []

    def _by_rules(self, text: str, name: str | None, strict: bool) -> tuple[Span, ...]:
        asked = self._asked(text, name, strict)
        if (spans := self._seen.get(*asked)) is None:
            clock = Clock(self._seconds, len(text))
            spans = tuple(
                scan(text, name=asked[1], strict=strict, options=self._options, tick=clock, renew=clock.renew)
            )
            self._seen.put(spans, *asked)
        if spans and (self._options.allow or self._options.files):
            allows = self._options.allows
            spans = tuple(span for span in spans if not allows(text, span, self._key))
        return spans

    def _asked(self, text: str, name: str | None, strict: bool) -> Asked:
        """The cache key. A name that does not announce a secret is dropped, because it makes no difference."""
        matters = name is not None and (grade(name) or self._options.names)
        return text, name if matters else None, strict

    def _known(self, text: str) -> Iterator[Span]:
        """The secrets that are known by value."""
        tick = Clock(self._seconds * (1 + len(text) / 100_000), len(text))
        for value, forms in self._needles.items() if self._may_be_known(text) else ():
            tick()
            kind = self._learned.get(value)
            rule, kind = ("learned", kind) if kind else ("live", "live")
            for start, end in places(text, value, forms):
                yield Span(start, end, rule, kind)
        for start, end in words(text) if self._hashes else ():
            word = text[start:end]
            if word not in self._harmless:
                tick()
                if word_hash(self._key, word) in self._hashes:
                    yield Span(start, start + len(word.rstrip(_AFTER)), "live", "live")
                elif len(self._harmless) < 1 << 17:
                    self._harmless.add(word)

    def _may_be_known(self, text: str) -> bool:
        """Whether one of the known values may be in ``text``."""
        if not self._needles:
            return False
        if self._finder is None:
            self._finder = finder(self._needles)
        return self._finder(text) is not None

    def _remember(self, text: str, spans: Iterable[Span]) -> None:
        for span in spans:
            value = text[span.start : span.end]
            if span.rule == STRICT or value in self._learned or not _LEARNED_LENGTH <= len(value) <= 512:
                continue
            certain = is_certain(span, value)
            if certain and len(self._certain) < _MAX_LEARNED:
                self._certain.add(value)
            if (certain or is_likely(span, value)) and len(self._learned) < _MAX_LEARNED:
                self._learned[value] = span.kind
                self._needles[value] = needles(value)
                self._finder = None

    def _without(self, text: str, spans: Iterable[Span]) -> str:
        pieces, at = [], 0
        for span in spans:
            value = text[span.start : span.end]
            placeholder = self._placeholder(value, span.kind)
            self._replaced.setdefault(placeholder, span.rule)
            # where JSON allows no bare word, the placeholder is put in quotes
            if _RE.json_bare.fullmatch(value) and (
                place := _RE.json_place.search(text, max(0, span.start - 40), span.start)
            ):
                quote = place[1] or '"'
                placeholder = f"{quote}{placeholder}{quote}"
            pieces += [text[at : span.start], placeholder]
            at = span.end
        return "".join([*pieces, text[at:]])

    def _placeholder(self, value: str, kind: str) -> str:
        if len(value) < _LOW_ENTROPY:
            self._highest = max(self._highest, number := self._ordinals.setdefault(value, self._highest + 1))
            return f"REDACTED-{kind}-n{number}"
        tag = hmac.digest(self._key, f"{kind}\0{value}".encode("utf-8", "surrogatepass"), "sha256")[:4].hex()
        return f"REDACTED-{kind}-{tag}"


def is_certain(span: Span, value: str) -> bool:
    """Whether a value is searched for in later sessions, too: its form proves it, or it was drawn at random and
    is not a word, path or identifier."""
    if span.rule in BY_FORM:
        return True
    # letters only: names are among them, which ``not is_common`` excludes below
    mixed = value.isalpha() and not value.islower() and len(value) > 12
    # a password with digits amid its letters, in a position where only a password can be
    given = span.secret_only and proof(value) is Proof.FAIR and _RE.amid.search(value) is not None
    drawn = mixed or given or proof(value) >= Proof.SURE or looks_random(value)
    return drawn and len(value) >= _CERTAIN_LENGTH and not is_common(value) and not PLACEHOLDER.search(value)


def is_likely(span: Span, value: str) -> bool:
    """Whether a value is searched for in the rest of this trajectory: there it has no other meaning, though it may
    be an ordinary word elsewhere. In a position where only a password can be, any value is likely."""
    secret_only = (span.secret_only or span.rule == "url-password") and not any(map(str.isspace, value))
    return (
        (secret_only or proof(value) >= Proof.FAIR) and not is_common(value) and not PLACEHOLDER.search(value)
    )


@contextmanager
def _guard(text: str) -> Iterator[None]:
    """Replaces every error by one without a quote, since the message of a library's error may quote the text."""
    try:
        yield
    except RedactionError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a library raises
        raise RedactionError(
            f"a text of {len(text)} characters could not be scanned ({type(error).__name__})"
        ) from None


def _outermost(text: str, spans: Iterable[Span]) -> list[Span]:
    """The union of ``spans``, without those in a placeholder; if two overlap, with the longer one's kind."""
    ordered = sorted(
        (span for span in spans if span.start < span.end), key=lambda span: (span.start, -span.end)
    )
    kept = [place.span() for place in PLACEHOLDER.finditer(text)] if "REDACTED-" in text else []
    united: list[Span] = []
    for span in ordered:
        if any(start <= span.start and span.end <= end for start, end in kept):
            continue
        if united and span.start < united[-1].end:
            last = united[-1]
            longer = span if span.end - span.start > last.end - last.start else last
            united[-1] = Span(
                last.start, max(last.end, span.end), longer.rule, longer.kind, longer.secret_only
            )
        else:
            united.append(span)
    return united
