"""One scan of one text: runs all rules over its view, and over the texts that are encoded in it.

It must not know keys or trajectories, so the result for a text is valid for all of them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from ..errors import RedactionError
from .assignments import ASSIGNMENTS
from .calls import CALLS
from .commands import COMMANDS
from .decide import Candidate, Proposals, Reader, decided
from .documents import blanked, documents, fitted, strings
from .encoded import WRAPPED, continued, in_base64
from .lines import LINES
from .load import LineRule, line_rules, patterns
from .memory import Memory
from .names import Grade, grade, kind
from .nearby import NEARBY
from .options import Options
from .page import Page, Span
from .personal import personal, random_words
from .private_keys import LONGEST as LONGEST_KEY
from .private_keys import PRIVATE_KEYS
from .public import is_public
from .rows import ROWS
from .strict import strictly
from .tokens import ANYWHERE, TOKENS, TOKENS_READER, Rule

_RE = patterns("scan")

_READERS: tuple[Reader, ...] = (
    TOKENS_READER,
    PRIVATE_KEYS,
    ASSIGNMENTS,
    COMMANDS,
    ROWS,
    CALLS,
    LINES,
    NEARBY,
)
UNSCANNABLE = "unscannable"
"""The rule of a fragment that took too long to scan: all of it is removed."""
_DEEPEST = 3  # levels of base64 in base64
_PLAIN = Options()
_DEEPEST_JSON = 6
_SHORTEST = 5
_UNASKED = 64  # ticks between two readings of the clock: a reading takes longer than most work between ticks
Tick = Callable[[], None]
Described = Rule | LineRule | Reader
"""A rule that can be listed and tried: ``good`` examples contain a secret, ``bad`` ones do not."""


def rules() -> list[Described]:
    """All rules, each with its own examples."""
    return [*TOKENS, *ANYWHERE, *line_rules(), *_READERS[1:], WRAPPED]


@cache
def _known(options: Options, strict: bool) -> Memory[tuple[Span, ...]]:
    return Memory()


class Clock:
    """Raises RedactionError when the time for a text is over; each fragment of a long text has this time.

    It reads the clock at every sixty-fourth tick: most texts are finished before that."""

    def __init__(self, seconds: float, length: int) -> None:
        self._seconds = seconds
        self._length = length
        self.renew()

    def renew(self) -> None:
        self._deadline, self._ticks = 0.0, 0

    def __call__(self) -> None:
        self._ticks += 1
        if self._ticks % _UNASKED and self._seconds > 0:
            return
        now = time.thread_time()
        self._deadline = self._deadline or now + self._seconds
        if now >= self._deadline:
            raise RedactionError(f"a text of {self._length} characters could not be scanned in its time")


def scan(
    text: str,
    *,
    name: str | None,
    strict: bool,
    options: Options,
    tick: Tick,
    renew: Callable[[], None] = lambda: None,
) -> Iterator[Span]:
    """The secrets of ``text``, in no order; some may overlap. A long text is read in fragments;
    ``renew`` is called before each. If ``tick`` raises in a fragment, all of it is one span."""
    yield from _Scan(options, tick, renew, strict=strict).read(text, name)


class _Scan:
    def __init__(self, options: Options, tick: Tick, renew: Callable[[], None], *, strict: bool) -> None:
        self._renew = renew
        self._options = options
        self._tick = tick
        self._strict = strict
        self._depth = 0
        self._known = _known(options, strict)

    def read(self, text: str, name: str | None) -> Iterator[Span]:
        """The secrets of a text, or of a string in one."""
        self._tick()
        if name is not None:
            yield from decided(text, _as_named_value(text, name, self._options))
        if len(text) < _SHORTEST and not self._strict:
            return
        rest, places = text, []
        if self._depth < _DEEPEST_JSON and (places := documents(text)):
            self._depth += 1
            for place in places:
                yield from _without_public(text, strings(text, place, self.read), self._tick)
            self._depth -= 1
            rest = blanked(text, places)
        if (known := self._known.get(rest)) is None:
            known = tuple(
                self._on_page(Page(rest, self._tick)) if len(rest) <= _FRAGMENT else self._in_fragments(rest)
            )
            self._known.put(known, rest)
        yield from fitted(text, places, known)

    def _in_fragments(self, text: str) -> Iterator[Span]:
        found: list[Span] = []
        heading = ""
        for start, stop in fragments(text):
            self._renew()
            try:
                page, before = Page(heading + text[start:stop], self._tick), start - len(heading)
                spans = [span.at(before + span.start, before + span.end) for span in self._on_page(page)]
                found += [span for span in spans if span.start >= start]
                heading = _heading(page)
            except RedactionError:
                yield Span(start, stop, UNSCANNABLE, UNSCANNABLE)
        self._renew()
        yield from _whole_runs(text, found)  # a secret may be longer than the overlap

    def _on_page(self, page: Page) -> Iterator[Span]:
        found = [*_run_readers(page, self._options, 0)]
        found += [more for span in found for more in continued(page, span)]
        if self._strict:
            found += strictly(page)
        if self._options.pii:
            found += personal(page)
        if self._options.paranoid:
            found += random_words(page)
        for span in _whole_runs(page.text, found):
            start, end = page.view.origin(span.start, span.end)
            yield span.at(_whole_escape(page.source, start), end)


_LONGEST_HEADING = 1000  # characters


def _heading(page: Page) -> str:
    """The heading (names of columns) of a table that continues in the next fragment."""
    if page.heading is None:
        return ""
    start, end = page.view.origin(*page.heading)
    lines = page.source[page.source.rfind("\n", 0, start) + 1 : end] + "\n"
    return lines if len(lines) <= _LONGEST_HEADING else ""


_FRAGMENT, _SLACK = 100_000, 4_000  # characters
_OVERLAP = LONGEST_KEY + 1_000  # no reader reads anything longer than a private key


def fragments(text: str) -> Iterator[tuple[int, int]]:
    """The positions of the fragments of a long text. Each ends at the end of a line or a word and overlaps
    the one before, so that related text is together in one of them."""
    start = 0
    while len(text) - start > _FRAGMENT:
        stop = _cut(text, start + _FRAGMENT - _SLACK, start + _FRAGMENT)
        yield start, stop
        start = _cut(text, stop - _OVERLAP - _SLACK, stop - _OVERLAP)
    yield start, len(text)


def _cut(text: str, first: int, last: int) -> int:
    at = max(text.rfind("\n", first, last), -1)
    return (at if at >= 0 else max(text.rfind(" ", first, last), last - 1)) + 1


_LONG = 500  # characters: a reader may have cut a longer value off


def _whole_runs(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans, long ones extended to the end of the word, so that nothing of a value is left
    behind."""
    end = 0
    for span in sorted(dict.fromkeys(found), key=lambda each: each.start):
        if span.end - span.start > _LONG and span.end > end and (run := _RE.run.match(text, span.end)):
            end = run.end()
            yield span.at(span.start, end)
        elif span.end > end or span.end - span.start <= _LONG:
            yield span


def _without_public(text: str, found: Iterable[Span], tick: Tick) -> Iterator[Span]:
    """The spans without public values."""
    for span in found:
        tick()
        if not is_public(text, span):
            yield span


def forget() -> None:
    """Clear all caches, because the readers have changed."""
    _known.cache_clear()


def _run_readers(page: Page, options: Options, depth: int) -> Iterator[Span]:
    """The secrets that the readers and the user's own rules find on a page."""
    found = [reader.find(page) for reader in _READERS]
    if options is not _PLAIN:
        found += [rule.find(rule.anchors[0], page) for rule in options.rules()]
        found += [file.find(page) for file in options.gitleaks()]
        if options.names:
            found.append(_named(page, options))
    if depth < _DEEPEST and page.long_words:
        found.append(
            in_base64(page, lambda plain: any(_run_readers(Page(plain, page.tick), options, depth + 1)))
        )
    for proposals in found:
        yield from decided(page.text, proposals)
        page.tick()


def _as_named_value(text: str, name: str, options: Options) -> Proposals:
    level = grade(name)
    if not level and not options.names:
        return
    value = text.strip()
    if scheme := _RE.scheme.match(value):
        value = value[scheme.end() :]
    if value:
        start, called, secret_only = text.index(value), kind(name), level is Grade.STRONG
        own = name.lower() in {one.lower() for one in options.names}
        rule, accept = ("own-name", "literal") if own else (f"named-{called}", "exact")
        yield Candidate(start, start + len(value), rule, called, secret_only, accept, level)


def _named(page: Page, options: Options) -> Proposals:
    names = "|".join(re.escape(name.lower()) for name in options.names)
    pattern = re.compile(
        rf"(?:{names})[\"'\])]{{0,3}}[ \t]{{0,8}}(?:[:=]|=>|[ ])[ \t]{{0,8}}[\"']?(?P<v>[^\s\"',;]{{3,512}})"
    )
    for match in pattern.finditer(page.lower):
        page.tick()
        yield Candidate(*match.span("v"), "own-name", "secret")


def _whole_escape(text: str, start: int) -> int:
    """The start of a value, moved before a lone backslash: half an escape breaks JSON."""
    run = len(text[max(0, start - 64) : start]) - len(text[max(0, start - 64) : start].rstrip("\\"))
    return start - run % 2
