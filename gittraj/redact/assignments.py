"""Finds values whose name says they are secret, in any syntax: ``NAME=v``, ``"name": "v"``, ``--name v``.

The name's grade decides how much evidence the value needs; its syntax decides whether it is a literal at all.
Code, types, references and prose are not redacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .bound import LINKS, Bound, begins_line, bind
from .decide import Candidate, Proposals, Reader
from .load import patterns
from .named import Style
from .names import Grade, kind
from .page import Page
from .quotes import LONGEST_VALUE, QUOTE, quoted, quoted_style
from .values import is_label

_RE = patterns("assignments")


def assignments(page: Page) -> Proposals:
    """The values of the page that have a secret's name."""
    after = 0
    for hit in page.hits:
        if hit[0] < after:
            continue
        page.tick()
        end, bound = bind(page, hit)
        after = max(after, end)
        for candidate in _values(page, bound) if bound else ():
            if candidate.start >= after and (yield candidate):
                after = candidate.end


Found = Iterable[Candidate] | None
"""The candidates of one syntax in the text after a name; None: the text has another syntax."""


def _values(page: Page, bound: Bound) -> Iterable[Candidate]:
    """The candidates for the value of a name, the most likely first, in the first syntax that matches."""
    for read in (_marked_up, _in_quotes, _octets, _of_code, _wrapped, _linked, _as_field, _bare):
        if (found := read(page, bound)) is not None:
            return found
    return ()


def _candidate(page: Page, place: tuple[int, int], bound: Bound, style: Style) -> Candidate:
    value = page.text[slice(*place)]
    start = place[0] + len(value) - len(value.lstrip())
    called = kind(bound.name)
    secret_only = bound.level is Grade.STRONG and (style is Style.EXACT or bound.name[:2] in ("X-", "x-"))
    end = start + len(value.strip())
    return Candidate(start, end, f"named-{called}", called, secret_only, style.value, bound.level)


def _marked_up(page: Page, bound: Bound) -> Found:
    """An element's text, up to the next tag; ``&lt;`` does not begin a tag."""
    text, start, between = page.text, bound.start, bound.between
    if not (between["markup"] or bound.op == ">" or (between["pair"] or "").endswith(">")):
        return None
    end = text.find("<", start, start + LONGEST_VALUE)
    while end > 0 and page.view.depth(end) > 1:
        end = text.find("<", end + 1, start + LONGEST_VALUE)
    whole = end > start and "\n" not in text[start:end] and text.startswith("</", end)
    return [_candidate(page, (start, end), bound, Style.EXACT)] if whole else ()


def _in_quotes(page: Page, bound: Bound) -> Found:
    if not (quote := QUOTE.match(page.text, bound.start)):
        return None
    style = quoted_style(page, bound, quote)
    return _listed(page, quoted(page, quote), bound, style) if style else ()


def _octets(page: Page, bound: Bound) -> Found:
    """The bytes of a key as numbers; if the name is only "key", they must look random."""
    octets = _RE.octets.match(page.text, bound.start)
    if not octets or (bound.level < Grade.TOKEN and bound.name.lower() != "key"):
        return None
    accept = "any" if bound.level >= Grade.TOKEN else "octets"
    return [Candidate(*octets.span("v"), "named-key", "key", accept=accept)]


def _of_code(page: Page, bound: Bound) -> Found:
    """No candidates, if it is code or a template: ``token(x)``, ``Token::new``, ``{{ x | default(…) }}``."""
    text, first = page.text, max(0, bound.at - 120)
    if bound.op in ("(", ",") or (bound.op == "::" and _RE.member.match(text, bound.start)):
        return ()
    filtered = bound.op == "|" and text.rfind("{{", first, bound.at) > text.rfind("}}", first, bound.at)
    return () if filtered else None


def _listed(page: Page, place: tuple[int, int], bound: Bound, style: Style) -> Iterator[Candidate]:
    """Yield a literal, and the other literals of its list."""
    yield _candidate(page, place, bound, style)
    while (bound.between["block"] or "").startswith("[") and (more := _RE.more.match(page.text, place[1])):
        place = more.span("v")
        yield _candidate(page, place, bound, style)


def _wrapped(page: Page, bound: Bound) -> Found:
    """A literal as the argument of a call, or as a default value."""
    text = page.text
    wrapped = _RE.wrapped.match(text, bound.start) or _RE.default.match(text, bound.start)
    if not wrapped:
        return None
    place = None
    if literal := QUOTE.match(text, wrapped.end()):
        place = quoted(page, literal)
        looked_up = _RE.gets.search(wrapped[0]) and text.startswith(",", place[1] + 1)
        if _RE.splits.search(wrapped[0]) or looked_up:
            return ()
    elif wrapped[0].startswith("${") and (bare := _RE.in_braces.match(text, wrapped.end())):
        place = bare.span()
    return [_candidate(page, place, bound, Style.EXACT)] if place else ()


def _linked(page: Page, bound: Bound) -> Found:
    """A word of a sentence or of a table: ``the password is …``."""
    if bound.sign and bound.sign not in LINKS:
        return None
    near = _RE.bare.match(page.text, bound.start)
    if not near or (
        bound.name == "pass" and near[0].isalpha() and not bound.sign
    ):  # the verb, or the pass of an algorithm
        return ()
    return [_candidate(page, (bound.start, _word_end(page.text, near)), bound, Style.NEAR)]


def _as_field(page: Page, bound: Bound) -> Found:
    """A value without quotes that is one word: in a URL, a setting, a connection string."""
    text, start, line_start = page.text, bound.start, begins_line(page.text, bound.at)
    may_be_message = line_start and not _RE.setting.fullmatch(bound.name) and _RE.says_on.match(text, start)
    if may_be_message and is_label(_line(text, start)):
        return ()  # a message for users: login.password.confirm=Repeat the password
    connection = bound.before in ("?", "&", ";") or (
        bound.op != ":" and _RE.next_field.match(text, start) is not None
    )
    if not (connection or bound.between["pair"] or _is_setting(text, bound, line_start=line_start)):
        return None
    after_semicolon = bound.before == ";" and not text.endswith("&amp;", 0, bound.at)
    bare = (_RE.bare_part if after_semicolon else _RE.bare_field if connection else _RE.bare).match(
        text, start
    )
    return [_candidate(page, (start, _bare_end(text, bare)), bound, Style.EXACT)] if bare else ()


def _bare(page: Page, bound: Bound) -> Iterator[Candidate]:
    """A value without quotes: the rest of a line, or one item of code."""
    text, start = page.text, bound.start
    if (bound.op not in _ASSIGNS and not bound.between["typed"]) or _is_counted(text, bound):
        return
    if begins_line(text, bound.at) and bound.level is Grade.STRONG and text[start - 2 : start] != "::":
        value = _RE.remark.split(_line(text, start), maxsplit=1)[0].rstrip(",;")
        yield _candidate(page, (start, start + len(value)), bound, Style.LINE)
    bare = _RE.bare_item.match(text, start)
    if bare and not (bare[0][0] == "{" and text.startswith("}", bare.end())):
        yield _candidate(page, (start, _bare_end(text, bare)), bound, Style.LOOSE)


_ASSIGNS = (":", "=", ":=", "=>", "::", "?=")


def _is_counted(text: str, bound: Bound) -> bool:
    """Whether the name is a word in a language model's vocabulary file, and the value its number."""
    number = bound.between["close"] and text[bound.start : bound.start + 1].isdigit()
    return bool(number) and any(map(text.__contains__, ("Ġ", "▁", "</w>")))


def _is_setting(text: str, bound: Bound, *, line_start: bool) -> bool:
    """Whether it is written as in an environment: ``NAME=value``, or next to similar pairs as in a log."""
    if bound.op != "=" or bound.start != bound.between.end("op"):
        return False
    return (
        line_start
        or _RE.setting.fullmatch(bound.name) is not None
        or bound.name.startswith("-")
        or _RE.next_word.match(text, bound.start) is not None
        or _RE.word_before.search(text, max(0, bound.at - 80), bound.at) is not None
        or _RE.after_option.search(text, max(0, bound.at - 120), bound.at) is not None
    )


def _line(text: str, start: int) -> str:
    rest = _RE.rest.match(text, start)
    return rest[0] if rest else ""


def _bare_end(text: str, bare: re.Match[str]) -> int:
    value = bare[0].rstrip(";,")
    for opening, closing in ("()", "{}", "[]"):
        while value.endswith(closing) and value.count(closing) > value.count(opening):
            value = value[:-1].rstrip(";,")
    return bare.start() + len(value)


def _word_end(text: str, bare: re.Match[str]) -> int:
    value = bare[0].rstrip(";,")
    while value and value[-1] in ".,;:?)]}*":
        value = value[:-1]
    if value.endswith("!") and value.count("!") == 1 and not any(map(str.isdigit, value)):
        value = value[:-1]
    return bare.start() + len(value)


ASSIGNMENTS = Reader(id="named-value", kind="password", find=assignments)
