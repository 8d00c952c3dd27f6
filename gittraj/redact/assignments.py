"""Values whose name says that they are secret, in any syntax: ``NAME=v``, ``"name": "v"``, ``--name v``.

The name's grade decides how much evidence the value needs; its syntax decides whether it is a literal at all.
Code, types, references and prose stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .decide import Candidate, Proposals
from .lazy import lazy
from .load import form, words
from .named import Style
from .names import Grade, grade, kind, parts
from .page import Page
from .proof import Proof, proof
from .rules import Reader
from .values import is_label

_LONGEST_NAME = 64
_LONGEST_VALUE = 4096

# The end of a name with a secret's noun in it, and a look at whether anything like an assignment follows.
_TAIL = lazy(
    r"[\w.-]{0,24}+(?=[\"'`\])}?!*%~]{0,6}+(?:[ \t]{0,24}+(?:[:=!>,(|?<-]|\+=|(?<=[ \t])[\"'`\w/+$*]|→|—|–)|[\s,;\"']{0,40}+value\b|\s{1,40}(?:<|\"|'))|%3d|\[\w{0,8}\][ ]?=)"
)
_BEFORE_NAME = lazy(r"[\w.-]*+")
_BETWEEN = form("between", re.VERBOSE)
_QUOTE = lazy(r"(?:[rbufRBULF]{1,2}|[@$N])?(?P<quote>\"\"\"|'''|[\"'`])")
_WRAPPED = form("wrapped", re.IGNORECASE)
_OCTETS = lazy(
    r"(?:(?:new )?(?:[\w.]{0,20}!?|\[\w{0,6}\]byte|byte\[\w{0,6}\])\s?\(?)?[{\[(]\s{0,12}(?P<v>(?:0x[0-9a-fA-F]{2},\s{0,12}){7,63}0x[0-9a-fA-F]{2}|(?:\d{1,3},\s{0,12}){15,63}\d{1,3}(?=,?\s{0,12}[\])}]))"
)
_SPLITS = lazy(r"tokeni[sz]|lexer|encoding\.", re.IGNORECASE)  # a text to tokens
_GETS = lazy(r"get_?password|find|lookup", re.IGNORECASE)
_DEFAULT = form("default", re.IGNORECASE)
# A value without quotes ends at a space; in a URL or a connection string, and in code or YAML, sooner.
_BARE = lazy(r"[^\s\"'`]{1,1024}+")
_BARE_FIELD = lazy(r"[^\s\"'`&;#]{1,1024}+")
_BARE_ITEM = lazy(r"[^\s\"'`,;)}\]>|]{1,1024}+")
_REST = lazy(r"[^\r\n]{1,300}+")
_NEXT_FIELD = lazy(r"[^\s\"'`&;#]{1,256}+[;&][\w. ]{1,32}=")
_NEXT_WORD = lazy(r"[^\s\"'`()\[\]{},;]{3,256}+[ ][\w.]{1,32}=[^=\s]")
_WORD_BEFORE = lazy(r"(?:^|\s)[\w.]{1,32}=[^\s()\[\]{},;]{1,60}[ ]$")
_SETTING = lazy(r"[A-Z][A-Z0-9_]*")
_LINE_START = form("line_start")
_LINKS = frozenset(words("words", "links"))
_PUBLIC = lazy(r"(?:public|fingerprint|foreign|primary|sort|cache)[ _-]$", re.IGNORECASE)
_QUOTES = ("'", '"', "`")


@dataclass(frozen=True, slots=True)
class _Bound:
    """A name, what binds a value to it, and where the value begins. ``before``: the character before the name."""

    name: str
    at: int
    level: Grade
    between: re.Match[str]
    before: str

    @property
    def op(self) -> str | None:
        found: str | None = self.between["op"]
        return found

    @property
    def sign(self) -> str:
        return "=" if self.op is None else self.op.strip()

    @property
    def start(self) -> int:
        return self.between.end()


def assignments(page: Page) -> Proposals:
    """The values of the page that have a secret's name."""
    after = 0
    for hit in page.hits:
        if hit[0] < after or not (tail := _TAIL.match(page.lower, hit[1])):
            continue
        page.tick()
        start, end = _whole_name(page.text, hit[0]), tail.end()
        after = end
        if bound := _bound(page.text, start, end):
            for candidate in _values(page, bound):
                if candidate.start >= after and (yield candidate):
                    after = candidate.end


def _whole_name(text: str, start: int) -> int:
    before = _BEFORE_NAME.match(text[max(0, start - _LONGEST_NAME) : start][::-1])
    return start - before.end() if before else start


def _bound(text: str, start: int, end: int) -> _Bound | None:
    name = text[start:end]
    between = _BETWEEN.match(text, end) if (level := grade(name)) else None
    if not between or _PUBLIC.search(text, max(0, start - 14), start):
        return None
    bound = _Bound(name, start, level, between, text[max(0, start - 1) : start])
    # the port of a host, a member of a path
    in_path = bound.before in (":", "/") and not text.endswith("::", 0, start) and not between["close"]
    return None if in_path and bound.op == ":" and not _begins_line(text, start) else bound


def _begins_line(text: str, at: int) -> bool:
    return _LINE_START.search(text, max(0, at - 100), at) is not None


Found = Iterable[Candidate] | None
"""What a syntax makes of the text after a name; None: it is another syntax."""


def _values(page: Page, bound: _Bound) -> Iterable[Candidate]:
    """What may be the value of a name, the most likely first, in the first syntax that the text has."""
    for read in (_marked_up, _in_quotes, _octets, _of_code, _wrapped, _linked, _as_field, _bare):
        if (found := read(page, bound)) is not None:
            return found
    return ()


def _candidate(page: Page, place: tuple[int, int], bound: _Bound, style: Style) -> Candidate:
    value = page.text[slice(*place)]
    start = place[0] + len(value) - len(value.lstrip())
    called = kind(bound.name)
    told = bound.level is Grade.STRONG and (style is Style.EXACT or bound.name[:2] in ("X-", "x-"))
    end = start + len(value.strip())
    return Candidate(start, end, f"named-{called}", called, told, style.value, bound.level)


def _marked_up(page: Page, bound: _Bound) -> Found:
    """An element's text, up to the next tag; ``&lt;`` does not begin a tag."""
    text, start, between = page.text, bound.start, bound.between
    if not (between["markup"] or bound.op == ">" or (between["pair"] or "").endswith(">")):
        return None
    end = text.find("<", start, start + _LONGEST_VALUE)
    while end > 0 and page.view.depth(end) > 1:
        end = text.find("<", end + 1, start + _LONGEST_VALUE)
    whole = end > start and "\n" not in text[start:end] and text.startswith("</", end)
    return [_candidate(page, (start, end), bound, Style.EXACT)] if whole else ()


def _in_quotes(page: Page, bound: _Bound) -> Found:
    if not (quote := _QUOTE.match(page.text, bound.start)):
        return None
    style = _quoted_style(page, bound, quote)
    return _listed(page, quoted(page, quote), bound, style) if style else ()


def _octets(page: Page, bound: _Bound) -> Found:
    """The bytes of a key; of what is only called "key", if they were drawn."""
    octets = _OCTETS.match(page.text, bound.start)
    if not octets or (bound.level < Grade.TOKEN and bound.name.lower() != "key"):
        return None
    accept = "any" if bound.level >= Grade.TOKEN else "octets"
    return [Candidate(*octets.span("v"), "named-key", "key", accept=accept)]


def _of_code(page: Page, bound: _Bound) -> Found:
    """Nothing, where code or a template goes on: ``token(x)``, ``Token::new``, ``{{ password | default(…) }}``."""
    text, first = page.text, max(0, bound.at - 120)
    if bound.op in ("(", ",") or (bound.op == "::" and _MEMBER.match(text, bound.start)):
        return ()
    filtered = bound.op == "|" and text.rfind("{{", first, bound.at) > text.rfind("}}", first, bound.at)
    return () if filtered else None


def _listed(page: Page, place: tuple[int, int], bound: _Bound, style: Style) -> Iterator[Candidate]:
    """A literal, and the other literals of its list."""
    yield _candidate(page, place, bound, style)
    while (bound.between["block"] or "").startswith("[") and (more := _MORE.match(page.text, place[1])):
        place = more.span("v")
        yield _candidate(page, place, bound, style)


_MORE = lazy(r"[\"'],\s{0,24}(?P<q>[\"'])(?P<v>[^\"'\n]{3,400})(?=(?P=q))")


def _wrapped(page: Page, bound: _Bound) -> Found:
    """A literal in a call, or as a default."""
    text = page.text
    wrapped = _WRAPPED.match(text, bound.start) or _DEFAULT.match(text, bound.start)
    if not wrapped:
        return None
    place = None
    if literal := _QUOTE.match(text, wrapped.end()):
        place = quoted(page, literal)
        looked_up = _GETS.search(wrapped[0]) and text.startswith(",", place[1] + 1)
        if _SPLITS.search(wrapped[0]) or looked_up:
            return ()
    elif wrapped[0].startswith("${") and (bare := _IN_BRACES.match(text, wrapped.end())):
        place = bare.span()
    return [_candidate(page, place, bound, Style.EXACT)] if place else ()


def _linked(page: Page, bound: _Bound) -> Found:
    """A word of a sentence or of a table: ``the password is …``."""
    if bound.sign and bound.sign not in _LINKS:
        return None
    near = _BARE.match(page.text, bound.start)
    if not near or (bound.name == "pass" and near[0].isalpha() and not bound.sign):  # the verb, or a round
        return ()
    return [_candidate(page, (bound.start, _word_end(page.text, near)), bound, Style.NEAR)]


_IN_BRACES = lazy(r"[^}\s]{3,64}")


def _quoted_style(page: Page, bound: _Bound, quote: re.Match[str]) -> Style | None:
    """How sure it is that a value in quotes is the name's; None if the quotes are a sentence's or code's."""
    describes = len(quote["quote"]) == 3 and bound.between["block"]  # a function, below its arguments
    if describes or _closes(page, bound, quote) or _is_command(page, bound, quote):
        return None
    if by_sign := _BY_SIGN.get(bound.sign):
        return by_sign(page, bound, quote)
    if bound.sign in _LINKS:
        return Style.EXACT if bound.sign in ("|", "->", "→") else Style.LOOSE
    return Style.LOOSE if bound.sign[:2] in ("==", "!=") else Style.EXACT


def _called_style(page: Page, bound: _Bound, quote: re.Match[str]) -> Style:
    first = next(iter(parts(bound.name.rstrip(".").rpartition(".")[2])), "")
    return Style.EXACT if first in ("set", "with", "use") or bound.name[:1].isupper() else Style.NEAR


def _spaced_style(page: Page, bound: _Bound, quote: re.Match[str]) -> Style | None:
    name = bound.name
    if name == "pass" and proof(page.text[slice(*quoted(page, quote))]) < Proof.SURE:
        return None  # the verb
    return Style.NEAR if name.isalpha() and not name.isupper() and len(parts(name)) < 3 else Style.EXACT


def _closes(page: Page, bound: _Bound, quote: re.Match[str]) -> bool:
    """Whether the quote closes the literal that contains the name."""
    sign = quote["quote"][0]
    line = page.text.rfind("\n", 0, bound.at) + 1
    return (
        sign not in bound.between["close"]
        and bound.op in (":", "=", "", None, "?")
        and page.text.count(sign, line, bound.at) % 2 == 1
        and page.view.depth(quote.end() - 1) <= page.view.depth(page.text.rfind(sign, line, bound.at))
    )


def _is_command(page: Page, bound: _Bound, quote: re.Match[str]) -> bool:
    """Whether the quotes contain a command that a shell runs: PASS=`pwgen 20 1`."""
    runs = quote["quote"] == "`" and bound.op == "=" and _SETTING.fullmatch(bound.name) is not None
    return runs and " " in page.text[slice(*quoted(page, quote))]


def _listed_style(page: Page, bound: _Bound, quote: re.Match[str]) -> Style | None:
    """The style of a literal after a comma: ``["--password", "…"]``, ``setopt(h, PASSWORD, "…")``."""
    text, close = page.text, bound.between["close"]
    setting = _SETTING.fullmatch(bound.name) and bound.before in (" ", "\t") and "_" in bound.name
    if bound.before not in _QUOTES and not bound.name.startswith("-") and not setting:
        return None
    if _NAMES_ANOTHER.match(text, quoted(page, quote)[1]):
        return None
    if not close[:1]:
        return Style.EXACT
    opened = text[max(0, bound.at - 4) : max(0, bound.at - 1)].rstrip()[-1:]
    if close[0] in _QUOTES:
        return Style.EXACT if opened == "(" or bound.name.startswith("-") else Style.LOOSE
    return None


_BY_SIGN = {"(": _called_style, ",": _listed_style, "": _spaced_style}
_NAMES_ANOTHER = lazy(r"[\"'`]\s{0,2}[:=]")
# A test, a function, a type in a module
_MEMBER = lazy(r"[a-z]+(?:_[a-z0-9]+)+(?!\w)|[A-Za-z]+(?![\w-])")


def _as_field(page: Page, bound: _Bound) -> Found:
    """A value without quotes as one word: of a URL, a setting, a connection string."""
    text, start, line_start = page.text, bound.start, _begins_line(page.text, bound.at)
    said = line_start and not _SETTING.fullmatch(bound.name) and _SAYS_ON.match(text, start)
    if said and is_label(_line(text, start)):
        return ()  # what a user is told: login.password.confirm=Repeat the password
    connection = bound.before in ("?", "&", ";") or _NEXT_FIELD.match(text, start) is not None
    if not (connection or bound.between["pair"] or _is_setting(text, bound, line_start=line_start)):
        return None
    bare = (_BARE_FIELD if connection else _BARE).match(text, start)
    return [_candidate(page, (start, _bare_end(text, bare)), bound, Style.EXACT)] if bare else ()


def _bare(page: Page, bound: _Bound) -> Iterator[Candidate]:
    """A value without quotes: the rest of a line, or as code may have it."""
    text, start = page.text, bound.start
    if (bound.op not in _ASSIGNS and not bound.between["typed"]) or _is_counted(text, bound):
        return
    if _begins_line(text, bound.at) and bound.level is Grade.STRONG and text[start - 2 : start] != "::":
        value = _REMARK.split(_line(text, start), maxsplit=1)[0].rstrip(",;")
        yield _candidate(page, (start, start + len(value)), bound, Style.LINE)
    bare = _BARE_ITEM.match(text, start)
    if bare and not (bare[0][0] == "{" and text.startswith("}", bare.end())):
        yield _candidate(page, (start, _bare_end(text, bare)), bound, Style.LOOSE)


_ASSIGNS = (":", "=", ":=", "=>", "::", "?=")


def _is_counted(text: str, bound: _Bound) -> bool:
    """Whether the name is a word of a model's vocabulary, and the value its number."""
    number = bound.between["close"] and text[bound.start : bound.start + 1].isdigit()
    return bool(number) and any(map(text.__contains__, ("Ġ", "▁", "</w>")))


def _is_setting(text: str, bound: _Bound, *, line_start: bool) -> bool:
    """Whether it is written as in an environment: ``NAME=value``, or beside others like it as in a log."""
    if bound.op != "=" or bound.start != bound.between.end("op"):
        return False
    return (
        line_start
        or _SETTING.fullmatch(bound.name) is not None
        or bound.name.startswith("-")
        or _NEXT_WORD.match(text, bound.start) is not None
        or _WORD_BEFORE.search(text, max(0, bound.at - 80), bound.at) is not None
        or _AFTER_OPTION.search(text, max(0, bound.at - 120), bound.at) is not None
    )


_AFTER_OPTION = form("after_option")
_REMARK = lazy(r"\s+[#;/]{1,2}\s|\s{3,}|[\"'`]?,?\s*$")
_SAYS_ON = lazy(r"[^\W\d_]{2,16} \w")


def _line(text: str, start: int) -> str:
    rest = _REST.match(text, start)
    return rest[0] if rest else ""


def quoted(page: Page, quote: re.Match[str]) -> tuple[int, int]:
    r"""From an opening quote to the quote that closes it: the next one with no more escapes before it.

    In ``\"a\\\"b\"`` the quote in the middle belongs to the value, its three backslashes say so.
    A value may also go on over an escaped newline, never over a real one.
    """
    start, sign = quote.end(), quote["quote"]
    depth = page.view.depth(start - 1)
    limit = min(len(page.text), start + _LONGEST_VALUE)
    at = page.text.find(sign, start, limit)
    while at >= 0:
        if page.view.depth(at) <= depth:
            break
        at = page.text.find(sign, at + 1, limit)
    end = at if at >= 0 else limit
    line = page.text.find("\n", start, end)
    if line >= 0 and len(sign) == 1:
        end = line
    return start, end


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
