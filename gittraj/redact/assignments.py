"""Values whose name says that they are secret, in any syntax: ``NAME=v``, ``"name": "v"``, ``--name v``.

The name's grade decides how much evidence the value needs; its syntax decides whether it is a literal at all.
Code, types, references and prose stay.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .decide import Style, is_secret
from .lazy import lazy
from .load import words
from .names import Grade, grade, kind, parts
from .page import Page, Span
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
_TYPE = r"&?(?:'\w+ )?(?:mut )?[A-Za-z_][\w.:\[\]|<>,?&'* ]{0,48}?"
_BETWEEN = lazy(
    r"""(?P<close>["'`\])}*~]{0,6}+)(?:(?<=["'])(?::\w{0,30}"?:?(?:protected|private|public))\])?(?:
          (?P<pair>[\s,;"']{0,40}+(?:[\w"']{1,20}[ ]?[:=][ ]?[\w"']{1,20}[\s,;]{1,20}["']?)?[vV]alue["']{0,2}(?:[ ]?[:=]|[ ]?>)
            |[ ]{0,4}/?>?\s{0,40}</?\w{1,12}>\s{0,40}<(?:string|value|td|dd|data|code|pre|span|b|strong|v|text|property)>(?=[^<\n]{1,512}<)
            |[ ]{0,4}</\w{1,12}>\s{0,40}<\w{1,12}[ ]name="[\w.]{0,30}[vV]alue">
            |["']?[ ]?/?>\s{0,40}(?:\d{1,6}[\t→]\s{0,40})?<(?:[vV]alue|string|data)>(?=[^<\n]{1,512}</))
        | (?P<given>[ ]\w{3,10}[ ]`[^`\n]{0,60}?[dD]efault:(?=")|["'`)\s,]{1,4}(?:env)?[dD]efault\w{0,8}\s?[:=]\s?(?=["']))
        | (?P<markup>["']?(?:[ ][\w:-]{1,30}=["'][^"'\n<>]{0,60}["']){0,4}[ ]?>)
        | (?P<typed>(?<![\"'`\])}])(?:[?!]?[ ]?:[ ]{0,2}"""
    + _TYPE
    + r"""[ ]?=(?=[ ]?[brfLu@$]?["'`])|[ ](?:string|str|String|char|text|bytes|NSString|std::string|auto|any)[ ]?\*?[ ]?=(?=[ ]?["'`])|[ ][Aa]s[ ]\w{3,12}[ ]=|["'`)\s,]{1,4}(?:env)?[dD]efault\w{0,8}\s?[:=]\s?(?=["'])|\[\w{0,8}\][ ]?=|:[ ]?&?(?:'\w+[ ])?(?:Vec<u8>|\[(?:u8|UInt8)[^\]]{0,20}\])[ ]?=(?=[ ]?[&*]?(?:b"|(?:vec!)?\[\s{0,12}(?:0x|\d{1,3},\s{0,12}\d{1,3},)))[ ]?&?|[ ]TEXT[ ]DEFAULT|[ ]N?VARCHAR2?\(\w{1,6}\)[ ]?:=|[ ]PIC[ ]X\(\d{1,3}\)[ ]VALUE|[ ]default|[ ]?\{[^{}\"'\n]{1,30}\}[ ]?=))
        | (?P<braced>[ ]?\{[ ]?(?=["']))
        | [?!]?(?:[ ]?\([^()\n]{1,40}\))?[ \t]{0,24}+(?P<op>:=|=>|->|<-|::|={2,3}|!={1,2}|\?=|\+=|\|\|=?|\?\?=?|:-|[:=,(|]|>|→|—|–|%3[dD]
            |(?<=[ ])(?=["'`])
            |(?<=[ \t])(?:[-|][ ]|(?:is|was|are|lautet|ist|est|es|é|è|jest|to|är|är|er|on|:|это|—|of|becomes)[ ]:?[ ]?)?(?=[^\s"'`|>=:-]))
        )[ \t]{0,24}+(?:\*{1,2}(?!\*)[ \t]{0,24}+)?(?:!!\w{1,12}[ ])?(?:string\(\d{1,4}\)[ ](?=")|0x[0-9a-f]{2,16}[ ](?="))?(?P<block>[|>][+-]?[0-9]?[ ]{0,16}\r?\n(?:[\w./-]{1,80}[:-]\d{1,6}[:-]|\d{1,6}\t)?[ \t]{1,24}(?=\S)|\r?\n[ \t]{0,24}(?:string\(\d{1,4}\)[ ])?(?=["'])|\[\s{0,24}(?=["'])|\([ ]{0,8}(?:\r?\n[ \t]{0,40})?(?=["'][^"'\n]{8,400}["'],?\s{0,40}\)))?""",
    re.VERBOSE,
)
_QUOTE = lazy(r"(?:[rbufRBULF]{1,2}|[@$N])?(?P<quote>\"\"\"|'''|[\"'`])")
_WRAPPED = lazy(
    r"""(?:(?:await|new|return|&|\*)[ ]?)?[\w.:$&*\\\[\]@]{0,60}?
        (?:string|some|from|of|new|secret\w{0,8}|str|bytes?|text|encode|decode|literal|just|ok|value|parse|password|token|key|securestring|
           bytearray|sensitive|redacted|wrap|base64encode|b64\w{0,8}|atob|tobytes|quote|plain|tochararray|char_array|mustparse|asplaintext|pw|credential\w?|strdup)
        (?:<[^>\n]{0,30}>)?!?\([ ]?(?=[brfLu@$]?["'`])""",
    re.VERBOSE | re.IGNORECASE,
)
_OCTETS = lazy(
    r"(?:(?:new )?(?:[\w.]{0,20}!?|\[\w{0,6}\]byte|byte\[\w{0,6}\])\s?\(?)?[{\[(]\s{0,12}(?P<v>(?:0x[0-9a-fA-F]{2},\s{0,12}){7,63}0x[0-9a-fA-F]{2}|(?:\d{1,3},\s{0,12}){15,63}\d{1,3}(?=,?\s{0,12}[\])}]))"
)
_SPLITS = lazy(r"tokeni[sz]|lexer|encoding\.", re.IGNORECASE)  # a text to tokens
_GETS = lazy(r"get_?password|find|lookup", re.IGNORECASE)
_DEFAULT = lazy(
    r"""(?:[^"'`\n;]{0,60}?(?:env\w{0,12}|field|fetch|get\w{0,12}|lookup|config\w{0,6}|settings?|option|property|default|param\w{0,6}|argument|field|flag\.string|coalesce|ifempty)\)?[.\w]{0,12}[(\[][ ]?
          ["'`]?[\w.-]{1,60}["'`]?[ ]?[)\],]{1,2}[ ]?(?:\|\||\?\?|\?:|or|,|:|\{)?(?:default=)?[ ]?
        |(?:dataclasses\.)?[fF]ield\(default=|[\w.$\[\]]{1,60}[ ](?:\|\||\?\?|or|\?:)[ ]
        |\$\{[\w.-]{1,60}:-?(?=[^}]{3,64}\}))(?=["'`]|(?<=[:-])\S)""",
    re.VERBOSE | re.IGNORECASE,
)
# A value without quotes ends at a space; in a URL or a connection string, and in code or YAML, sooner.
_BARE = lazy(r"[^\s\"'`]{1,1024}+")
_BARE_FIELD = lazy(r"[^\s\"'`&;#]{1,1024}+")
_BARE_ITEM = lazy(r"[^\s\"'`,;)}\]>|]{1,1024}+")
_REST = lazy(r"[^\r\n]{1,300}+")
_NEXT_FIELD = lazy(r"[^\s\"'`&;#]{1,256}+[;&][\w. ]{1,32}=")
_NEXT_WORD = lazy(r"[^\s\"'`()\[\]{},;]{3,256}+[ ][\w.]{1,32}=[^=\s]")
_WORD_BEFORE = lazy(r"(?:^|\s)[\w.]{1,32}=[^\s()\[\]{},;]{1,60}[ ]$")
_SETTING = lazy(r"[A-Z][A-Z0-9_]*")
_LINE_START = lazy(
    r"(?:^|\n)[ \t]*(?:[0-9]{1,6}(?:[:|→\t]|[ ]{2})[ \t]*|[+-][ \t]*|[\w./-]{1,80}:[0-9]{1,6}[:-][ \t]*|(?:export|set|setx|declare -x|env|ENV|ARG|local|readonly|\$env:|-)[ \t]+|#[ ]?|> |\$ )?[\"']?$"
)
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
    def start(self) -> int:
        return self.between.end()


def assignments(page: Page) -> Iterator[Span]:
    """The secrets of the page that have a name."""
    after = 0
    for hit in page.hits:
        if hit[0] < after or not (tail := _TAIL.match(page.lower, hit[1])):
            continue
        page.tick()
        start, end = _whole_name(page.text, hit[0]), tail.end()
        after = end
        if bound := _bound(page.text, start, end):
            for span in _value(page, bound):
                yield span
                after = span.end


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


def _value(page: Page, bound: _Bound) -> Iterator[Span]:
    """The value after a name, read by its first character and the sign between them."""
    text, start, op, between = page.text, bound.start, bound.op, bound.between
    if between["markup"] or op == ">" or (between["pair"] and between["pair"].endswith(">")):
        inner = _marked_up(page, start)
        yield from _judged(page, inner, bound, Style.EXACT) if inner else ()
    elif quote := _QUOTE.match(text, start):
        if style := _quoted_style(page, bound, quote):
            yield from _listed(page, quoted(page, quote), bound, style)
    elif octets := _octets(text, bound):
        yield Span(*octets.span("v"), "named-key", "key")
    elif op in ("(", ",") or (op == "::" and _MEMBER.match(text, start)) or _is_filter(text, bound):
        return
    elif wrapped := _WRAPPED.match(text, start) or _DEFAULT.match(text, start):
        yield from _wrapped(page, bound, wrapped)
    elif op is not None and (op.strip() in _LINKS or op.strip() == ""):
        if near := _BARE.match(text, start):
            yield from _judged(page, (start, _word_end(text, near)), bound, Style.NEAR)
    else:
        yield from _bare(page, bound)


def _octets(text: str, bound: _Bound) -> re.Match[str] | None:
    """The bytes of a key. Numbers that are called "key" are bytes if they were drawn: key codes are below 128,
    other numbers go beyond 255 or stand in order."""
    octets = _OCTETS.match(text, bound.start)
    if not octets or bound.level >= Grade.TOKEN:
        return octets
    found = [int(one, 16 if "x" in one else 10) for one in octets["v"].split(",")]
    drawn = bound.name.lower() == "key" and 127 < max(found) < 256 and found != sorted(found)
    return octets if drawn else None


def _listed(page: Page, place: tuple[int, int], bound: _Bound, style: Style) -> Iterator[Span]:
    """A literal, and the other literals of its list."""
    found = [*_judged(page, place, bound, style)]
    yield from found
    in_list = bool(found) and (bound.between["block"] or "").startswith("[")
    while in_list and (more := _MORE.match(page.text, place[1])):
        place = more.span("v")
        yield from _judged(page, place, bound, style)


_MORE = lazy(r"[\"'],\s{0,24}(?P<q>[\"'])(?P<v>[^\"'\n]{3,400})(?=(?P=q))")


def _is_filter(text: str, bound: _Bound) -> bool:
    """Whether the value is a template's filter: ``{{ password | default(…) }}``."""
    first = max(0, bound.at - 120)
    return bound.op == "|" and text.rfind("{{", first, bound.at) > text.rfind("}}", first, bound.at)


def _wrapped(page: Page, bound: _Bound, wrapped: re.Match[str]) -> Iterator[Span]:
    """A literal in a call, or as a default."""
    if literal := _QUOTE.match(page.text, wrapped.end()):
        place = quoted(page, literal)
        looked_up = _GETS.search(wrapped[0]) and page.text.startswith(",", place[1] + 1)
        if not _SPLITS.search(wrapped[0]) and not looked_up:
            yield from _judged(page, place, bound, Style.EXACT)
    elif wrapped[0].startswith("${") and (bare := _IN_BRACES.match(page.text, wrapped.end())):
        yield from _judged(page, bare.span(), bound, Style.EXACT)


_IN_BRACES = lazy(r"[^}\s]{3,64}")


def _quoted_style(page: Page, bound: _Bound, quote: re.Match[str]) -> Style | None:
    """How sure it is that a value in quotes is the name's; None if the quotes are a sentence's or code's."""
    name, op = bound.name, bound.op
    describes = len(quote["quote"]) == 3 and bound.between["block"]  # a function, below its arguments
    if describes or _closes(page, bound, quote) or _is_command(page, bound, quote):
        return None
    if op == "(":
        first = next(iter(parts(name.rstrip(".").rpartition(".")[2])), "")
        return Style.EXACT if first in ("set", "with", "use") or name[:1].isupper() else Style.NEAR
    if op == ",":
        return _listed_style(page, bound, quote)
    if op is not None and not op.strip():
        if name == "pass" and proof(page.text[slice(*quoted(page, quote))]) < Proof.SURE:
            return None  # the verb
        return Style.NEAR if name.isalpha() and not name.isupper() and len(parts(name)) < 3 else Style.EXACT
    if op is not None and op.strip() in _LINKS:
        return Style.EXACT if op.strip() in ("|", "->", "→") else Style.LOOSE
    return Style.LOOSE if op is not None and op[:2] in ("==", "!=") else Style.EXACT


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


_NAMES_ANOTHER = lazy(r"[\"'`]\s{0,2}[:=]")
# A test, a function, a type in a module
_MEMBER = lazy(r"[a-z]+(?:_[a-z0-9]+)+(?!\w)|[A-Za-z]+(?![\w-])")


def _marked_up(page: Page, start: int) -> tuple[int, int] | None:
    """An element's text, up to the next tag; ``&lt;`` does not begin a tag."""
    end = page.text.find("<", start, start + _LONGEST_VALUE)
    while end > 0 and page.view.depth(end) > 1:
        end = page.text.find("<", end + 1, start + _LONGEST_VALUE)
    whole = end > start and "\n" not in page.text[start:end] and page.text.startswith("</", end)
    return (start, end) if whole else None


def _bare(page: Page, bound: _Bound) -> Iterator[Span]:
    """A value without quotes: as one word of a URL or a setting, as the rest of a line, or as code may have it."""
    text, start, op, between = page.text, bound.start, bound.op, bound.between
    line_start = _begins_line(text, bound.at)
    if (
        line_start
        and not _SETTING.fullmatch(bound.name)
        and _SAYS_ON.match(text, start)
        and is_label(_line(text, start))
    ):
        return  # what a user is told: login.password.confirm=Repeat the password
    connection = bound.before in ("?", "&", ";") or _NEXT_FIELD.match(text, start) is not None
    if connection or between["pair"] or _is_setting(text, bound, line_start=line_start):
        if bare := (_BARE_FIELD if connection else _BARE).match(text, start):
            yield from _judged(page, (start, _bare_end(text, bare)), bound, Style.EXACT)
        return
    if op not in (":", "=", ":=", "=>", "::", "?=") and not between["typed"]:
        return
    if (
        between["close"]
        and text[start : start + 1].isdigit()
        and any(map(text.__contains__, _OF_VOCABULARIES))
    ):
        return
    if line_start and bound.level is Grade.STRONG and (op != ":" or text[start - 1] != ":"):
        value = _REMARK.split(_line(text, start), maxsplit=1)[0].rstrip(",;")
        if value and is_secret(value, bound.level, Style.LINE):
            yield from _judged(page, (start, start + len(value)), bound, Style.LINE)
            return
    bare = _BARE_ITEM.match(text, start)
    if bare and not (bare[0][0] == "{" and text.startswith("}", bare.end())):
        yield from _judged(page, (start, _bare_end(text, bare)), bound, Style.LOOSE)


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


_AFTER_OPTION = lazy(
    r"(?:-[A-Za-z]|--[\w-]{2,30}|\bset|\bexport|\benv|\bput|\bcreate|\bedit|\badd)[ =][\"']?(?:[\w.-]{1,40}=\S{1,80}[ ]){0,3}$"
)
_REMARK = lazy(r"\s+[#;/]{1,2}\s|\s{3,}|[\"'`]?,?\s*$")
_SAYS_ON = lazy(r"[^\W\d_]{2,16} \w")
_OF_VOCABULARIES = ("Ġ", "▁", "</w>")


def _line(text: str, start: int) -> str:
    rest = _REST.match(text, start)
    return rest[0] if rest else ""


def _judged(page: Page, place: tuple[int, int], bound: _Bound, style: Style) -> Iterator[Span]:
    value = page.text[slice(*place)]
    if is_secret(value.strip(), bound.level, style):
        start = place[0] + len(value) - len(value.lstrip())
        called = kind(bound.name)
        told = bound.level is Grade.STRONG and (style is Style.EXACT or bound.name[:2] in ("X-", "x-"))
        yield Span(start, start + len(value.strip()), f"named-{called}", called, told)


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
