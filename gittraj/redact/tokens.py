"""Finds secrets that are recognised by their form alone, anywhere in a text: ``data/tokens.toml``.

A pattern never runs over the whole text: it is matched at the positions of a literal anchor, and every
repeat in it is bounded, so that no text can make a scan slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from .decide import Candidate, Proposals, Reader
from .load import patterns
from .load import tokens as forms
from .page import Page, places

_RE = patterns("tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of secret that a pattern matches.

    ``anchors`` are literals, one of which begins every match. The secret is the group ``v``, or the whole
    match without one. ``good`` and ``bad`` are the tests' examples: ``{base62:36}`` in them draws a secret,
    so none is in this repository.
    """

    id: str
    anchors: tuple[str, ...]
    pattern: str
    kind: str
    accept: str = "literal"
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()

    def find(self, anchor: str, page: Page) -> Proposals:
        """The matches in the page's view at ``anchor``, one of the anchors."""
        pattern = _compiled(self.pattern)
        group = "v" if "v" in pattern.groupindex else 0
        hit = page.text.find(anchor)
        while hit >= 0:
            page.tick()
            match = self._match(pattern, page.text, hit, anchor)
            if match and match[group]:
                yield Candidate(*match.span(group), self.id, self.kind, accept=self.accept)
            hit = page.text.find(anchor, max(hit + 1, match.end() if match else 0))

    def _match(self, pattern: re.Pattern[str], text: str, hit: int, anchor: str) -> re.Match[str] | None:
        glued = hit and text[hit - 1].isalnum() and anchor[0].isalnum() and text[hit - 1].isascii()
        if glued and not _RE.percent.fullmatch(text, max(0, hit - 3), hit):
            return None
        return pattern.match(text, hit)


_compiled: Callable[[str], re.Pattern[str]] = cache(re.compile)


def _rules() -> Iterator[Rule]:
    for form in forms():
        prefixes = "|".join(map(re.escape, form.prefixes))
        first = form.prefixes[0] if form.prefixes else ""
        yield Rule(
            id=form.id,
            kind=form.kind or form.id,
            anchors=form.prefixes,
            pattern=f"(?:{prefixes}){form.pattern}" if prefixes else form.pattern,
            accept=form.accept,
            good=tuple(first + good for good in form.good),
            bad=(*form.bad, *([f"{first}{'x' * 40}"] if prefixes else [])),
        )


_RULES = tuple(_rules())
TOKENS = tuple(rule for rule in _RULES if rule.anchors)
ANYWHERE = tuple(rule for rule in _RULES if not rule.anchors)
_HEADS: dict[str, list[tuple[str, Rule]]] = {}
for _one in TOKENS:
    for _anchor in _one.anchors:
        _HEADS.setdefault(_anchor[:3], []).append((_anchor, _one))


def tokens(page: Page) -> Proposals:
    """The secrets of the page that are recognised by their form."""
    words = "\n".join(page.long_words)
    for head in sorted(_heads(words)):
        for anchor, rule in _HEADS[head]:
            if anchor in words:
                yield from rule.find(anchor, page)
    for start, end in _hinted(words):
        for match in _anywhere().finditer(words, start, end):
            page.tick()
            rule = ANYWHERE[int((match.lastgroup or "_0")[1:])]
            for at in places(page.text, match[0]):
                yield Candidate(at, at + len(match[0]), rule.id, rule.kind, accept=rule.accept)


def _heads(words: str) -> set[str]:
    """The first three characters of the tokens that may be among the words."""
    heads = set(_RE.head.findall(f"\n{words}"))
    if "%" in words:
        heads.update(_RE.escaped_head.findall(words))
    return heads & _HEADS.keys()


@cache
def _hints() -> tuple[re.Pattern[str], ...]:
    """Patterns of text that every match of ANYWHERE contains: one for those that begin with a sign, which is
    faster to search, and one for the others."""
    hints = [form.hint for form in forms() if not form.prefixes]
    signed = [hint for hint in hints if not hint.lstrip("[\\")[0].isalnum()]
    return tuple(re.compile("|".join(some)) for some in (signed, [one for one in hints if one not in signed]))


def _hinted(words: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of the lines in which a rule of ANYWHERE may match."""
    for hints in _hints():
        stop = 0
        for hint in hints.finditer(words):
            if hint.start() >= stop:
                stop = words.find("\n", hint.start())
                stop = stop if stop >= 0 else len(words)
                yield words.rfind("\n", 0, hint.start()) + 1, stop


@cache
def _anywhere() -> re.Pattern[str]:
    return re.compile(
        "(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<_{n}>{rule.pattern})" for n, rule in enumerate(ANYWHERE)) + ")"
    )


TOKENS_READER = Reader(id="token", kind="token", find=tokens)
