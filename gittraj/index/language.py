"""The query language of ``git traj search``, translated for SQLite.

``rate limit`` (both), ``"rate limit"`` (a phrase), ``limit*`` (a prefix), ``a OR b``, ``NOT a`` or ``-a``,
and parentheses. SQLite only gets quoted words and our own operators, so no input can be a syntax error there.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gittraj.errors import UsageError
from gittraj.frozen import dataclass
from gittraj.index import words

HINT = 'words, "a phrase", a beginning*, OR, NOT, ( ): git traj search -h'
_TOKEN = re.compile(r'\s*(?:(-(?=[\w"(]))|([()])|("[^"]*"\*?)|(")|([^\s()"]+))')
_LIMIT = 200  # words and operators
_DEPTH = 20
_OPERATORS = ("AND", "OR", "NOT")


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed query: ``match`` is SQLite's, ``sought`` one that matches any of its words, for excerpts."""

    match: str
    sought: str


@dataclass(frozen=True, slots=True)
class _Term:
    """A required term in SQLite's syntax; an excluded one if ``wanted`` is false."""

    match: str
    sought: tuple[str, ...]
    wanted: bool = True


def parse_query(text: str) -> Asked:
    """Parse a query. Raises UsageError for an invalid one."""
    parser = _Parser(list(_tokens(text)))
    found = parser.read_any()
    if parser.left():
        raise _bad("unbalanced parentheses")
    if found is None:
        raise _bad("it contains no words")
    if not found.wanted:
        raise _bad("it only excludes words")
    return Asked(found.match, " OR ".join(found.sought))


def spell_word(text: str) -> str | None:
    """One word or phrase in SQLite's syntax, an identifier also as a whole; None if it has no letter or
    digit."""
    if not any(sign.isalnum() for sign in text):
        return None
    term = quote(text)
    if whole := words.whole(text):
        return f"({term} OR {quote(whole)})"
    return term


def quote(text: str) -> str:
    """``text`` as a literal of SQLite's query syntax."""
    return '"' + words.cut(text).replace('"', " ") + '"'


def _tokens(text: str) -> Iterator[str]:
    for number, found in enumerate(_TOKEN.finditer(text.strip())):
        if found[4]:
            raise _bad("unbalanced quotes")
        if number > _LIMIT:
            raise _bad(f"it has more than {_LIMIT} words")
        yield "NOT" if found[1] else found[0].strip()


def _bad(why: str) -> UsageError:
    return UsageError(f"invalid query: {why}", hint=HINT)


class _Parser:
    """A parser of queries: NOT binds tightest, then adjacent terms (AND), then OR."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def left(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def read_any(self) -> _Term | None:
        terms = [self._read_all()]
        while self.left() == "OR":
            self._take()
            terms.append(self._read_all())
        found = [term for term in terms if term]
        if len(found) > 1 and not all(term.wanted for term in found):
            raise _bad("OR cannot be combined with an excluded word")
        return _join(found, " OR ")

    def _read_all(self) -> _Term | None:
        """Adjacent terms; None if none has a letter or digit."""
        found: list[_Term] = []
        before = ""
        start = self._at
        while (sign := self.left()) not in (None, ")", "OR"):
            if sign == "AND":
                if before in ("", "AND"):
                    raise _bad("AND has nothing before it")
                before = self._take()
                continue
            before = sign or ""
            if term := self._read_one():
                found.append(term)
        if self._at == start and self._tokens:
            around = (*self._tokens[start - 1 : start], self.left())
            raise _bad("OR has nothing beside it" if "OR" in around else "( ) has nothing in it")
        if before == "AND":
            raise _bad("AND has nothing after it")
        return _combine(found)

    def _read_one(self) -> _Term | None:
        sign = self._take()
        if sign == "NOT":
            if self.left() in (None, ")", *_OPERATORS):
                raise _bad("NOT has nothing after it")
            term = self._read_one()
            if term and not term.wanted:
                raise _bad("NOT twice in a row")
            return _Term(term.match, (), wanted=False) if term else None
        if sign == "(":
            self._depth += 1
            if self._depth > _DEPTH:
                raise _bad(f"parentheses nested more than {_DEPTH} deep")
            found = self.read_any()
            if self.left() != ")":
                raise _bad("unbalanced parentheses")
            self._take()
            self._depth -= 1
            return found
        return _read_word(sign)


def _join(terms: Sequence[_Term], between: str) -> _Term | None:
    if len(terms) < 2:
        return terms[0] if terms else None
    sought = tuple(dict.fromkeys(each for term in terms for each in term.sought))
    return _Term(f"({between.join(term.match for term in terms)})", sought, terms[0].wanted)


def _combine(terms: Sequence[_Term]) -> _Term | None:
    """One term for all that are wanted, without any that is excluded."""
    wanted = _join([term for term in terms if term.wanted], " AND ")
    unwanted = _join([term for term in terms if not term.wanted], " OR ")
    if wanted and unwanted:
        return _Term(f"({wanted.match} NOT {unwanted.match})", wanted.sought)
    return wanted or unwanted


def _read_word(token: str) -> _Term | None:
    if not token.endswith("*"):
        term = spell_word(token)
        return _Term(term, (term,)) if term else None
    bare = token.rstrip("*").strip('"')
    if not any(sign.isalnum() for sign in bare[-1:]):
        return _read_word(bare) if bare else None
    ways = [f"{quote(bare)} *", *map(quote, words.completions(bare))]
    match = f"({' OR '.join(ways)})" if len(ways) > 1 else ways[0]
    return _Term(match, (match,))
