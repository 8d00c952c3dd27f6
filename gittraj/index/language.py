"""The query language of ``git traj search``, translated for SQLite.

The language has ``rate limit`` (both words), ``"rate limit"`` (a phrase), ``limit*`` (a prefix), ``a OR b``,
``NOT a`` or ``-a``, and parentheses. SQLite only gets quoted words and operators that are written here, so no
input can be a syntax error there. No I/O.
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
class ParsedQuery:
    """A query in SQLite's syntax: ``match`` finds what the user asked for; ``sought`` matches any of the
    words, and so finds excerpts."""

    match: str
    sought: str


@dataclass(frozen=True, slots=True)
class _Term:
    """A term in SQLite's syntax, which is excluded if ``wanted`` is false; ``sought`` are its words."""

    match: str
    sought: tuple[str, ...]
    wanted: bool = True


def parse_query(text: str) -> ParsedQuery:
    """Parse a query. Raises UsageError for an invalid one."""
    parser = _Parser(list(_tokens(text)))
    term = parser.read_any()
    if parser.peek():
        raise _invalid("unbalanced parentheses")
    if term is None:
        raise _invalid("it contains no words")
    if not term.wanted:
        raise _invalid("it only excludes words")
    return ParsedQuery(term.match, " OR ".join(term.sought))


def spell_word(text: str) -> str | None:
    """Write one word or phrase in SQLite's syntax; an identifier matches its parts or the whole. None if the
    text has no letter or digit."""
    if not any(map(str.isalnum, text)):
        return None
    term = quote(text)
    if whole := words.whole(text):
        return f"({term} OR {quote(whole)})"
    return term


def quote(text: str) -> str:
    """``text`` as a literal of SQLite's query syntax."""
    return '"' + words.cut(text).replace('"', " ") + '"'


def _tokens(text: str) -> Iterator[str]:
    for number, match in enumerate(_TOKEN.finditer(text.strip())):
        if match[4]:
            raise _invalid("unbalanced quotes")
        if number > _LIMIT:
            raise _invalid(f"it has more than {_LIMIT} words")
        yield "NOT" if match[1] else match[0].strip()


def _invalid(why: str) -> UsageError:
    return UsageError(f"invalid query: {why}", hint=HINT)


class _Parser:
    """A parser of queries: NOT binds tightest, then adjacent terms (AND), then OR."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def peek(self) -> str | None:
        """The next token; None at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def read_any(self) -> _Term | None:
        """Read terms with OR between them; None if they have no letter or digit."""
        terms = [self._read_all()]
        while self.peek() == "OR":
            self._take()
            terms.append(self._read_all())
        spelt = [term for term in terms if term]
        if len(spelt) > 1 and not all(term.wanted for term in spelt):
            raise _invalid("OR cannot be combined with an excluded word")
        return _join(spelt, " OR ")

    def _read_all(self) -> _Term | None:
        """Read adjacent terms; None if they have no letter or digit."""
        terms: list[_Term] = []
        before = ""
        start = self._at
        while (item := self.peek()) not in (None, ")", "OR"):
            if item == "AND":
                if before in ("", "AND"):
                    raise _invalid("AND has nothing before it")
                before = self._take()
                continue
            before = item or ""
            if term := self._read_one():
                terms.append(term)
        if self._at == start and self._tokens:
            around = (*self._tokens[start - 1 : start], self.peek())
            raise _invalid("OR has nothing beside it" if "OR" in around else "( ) has nothing in it")
        if before == "AND":
            raise _invalid("AND has nothing after it")
        return _combine(terms)

    def _read_one(self) -> _Term | None:
        item = self._take()
        if item == "NOT":
            return self._read_excluded()
        if item == "(":
            self._depth += 1
            if self._depth > _DEPTH:
                raise _invalid(f"parentheses nested more than {_DEPTH} deep")
            term = self.read_any()
            if self.peek() != ")":
                raise _invalid("unbalanced parentheses")
            self._take()
            self._depth -= 1
            return term
        return _read_word(item)

    def _read_excluded(self) -> _Term | None:
        if self.peek() in (None, ")", *_OPERATORS):
            raise _invalid("NOT has nothing after it")
        term = self._read_one()
        if term and not term.wanted:
            raise _invalid("NOT twice in a row")
        return _Term(term.match, (), wanted=False) if term else None


def _join(terms: Sequence[_Term], between: str) -> _Term | None:
    if len(terms) < 2:
        return terms[0] if terms else None
    sought = tuple(dict.fromkeys(each for term in terms for each in term.sought))
    return _Term(f"({between.join(term.match for term in terms)})", sought, terms[0].wanted)


def _combine(terms: Sequence[_Term]) -> _Term | None:
    """Return one term that matches all wanted ``terms`` and none of the excluded ones."""
    wanted = _join([term for term in terms if term.wanted], " AND ")
    unwanted = _join([term for term in terms if not term.wanted], " OR ")
    if wanted and unwanted:
        return _Term(f"({wanted.match} NOT {unwanted.match})", wanted.sought)
    return wanted or unwanted


def _read_word(word: str) -> _Term | None:
    if not word.endswith("*"):
        term = spell_word(word)
        return _Term(term, (term,)) if term else None
    bare = word.rstrip("*").strip('"')
    if not bare[-1:].isalnum():
        return _read_word(bare) if bare else None
    forms = [f"{quote(bare)} *", *map(quote, words.completions(bare))]
    match = f"({' OR '.join(forms)})" if len(forms) > 1 else forms[0]
    return _Term(match, (match,))
