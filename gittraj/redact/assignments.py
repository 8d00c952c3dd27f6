"""Values under a name which names a secret, in any syntax: ``NAME=v``, ``"name": "v"``, ``--name v``.

The name's grade says how much evidence the value must bring; how it is written says whether it is a
literal at all. Code, types, references and prose stay.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from .anchors import Anchors
from .lazy import lazy
from .load import words
from .names import Grade, grade, kind, parts
from .proofs import Proof, proof
from .rules import Page, Reader, Span
from .values import Style, is_evident, is_label, is_secret

Judge = Callable[[Page, tuple[int, int]], Iterator[Span]]

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
    + r"""[ ]?=(?=[ ]?[brfLu@$]?["'`])|[ ](?:string|str|String|char|text|bytes|NSString|std::string|auto|any)[ ]?\*?[ ]?=(?=[ ]?["'`])|[ ][Aa]s[ ]\w{3,12}[ ]=|["'`)\s,]{1,4}(?:env)?[dD]efault\w{0,8}\s?[:=]\s?(?=["'])|\[\w{0,8}\][ ]?=|[ ]TEXT[ ]DEFAULT|[ ]N?VARCHAR2?\(\w{1,6}\)[ ]?:=|[ ]PIC[ ]X\(\d{1,3}\)[ ]VALUE|[ ]default|[ ]?\{[^{}\"'\n]{1,30}\}[ ]?=))
        | (?P<braced>[ ]?\{[ ]?(?=["']))
        | [?!]?(?:[ ]?\([^()\n]{1,40}\))?[ \t]{0,24}+(?P<op>:=|=>|->|<-|::|={2,3}|!={1,2}|\?=|\+=|\|\|=?|\?\?=?|:-|[:=,(|]|>|→|—|–|%3[dD]
            |(?<=[ ])(?=["'`])
            |(?<=[ \t])(?:[-|][ ]|(?:is|was|are|lautet|ist|est|es|é|è|jest|to|är|är|er|on|:|это|—|of|becomes)[ ]:?[ ]?)?(?=[^\s"'`|>=:-]))
        )[ \t]{0,24}+(?:\*{1,2}(?!\*)[ \t]{0,24}+)?(?:!!\w{1,12}[ ])?(?:string\(\d{1,4}\)[ ](?=")|0x[0-9a-f]{2,16}[ ](?="))?(?P<block>[|>][+-]?[0-9]?[ ]{0,16}\r?\n(?:[\w./-]{1,80}[:-]\d{1,6}[:-]|\d{1,6}\t)?[ \t]{1,24}(?=\S)|\r?\n[ \t]{0,24}(?:string\(\d{1,4}\)[ ])?(?=["'])|\[\s{0,24}(?=["'])|\([ ]{0,8}(?:\r?\n[ \t]{0,40})?(?=["'][^"'\n]{8,400}["'],?\s{0,40}\)))?""",
    re.VERBOSE,
)
_OPTION = lazy(
    r"(?<![\w.-])(?:--?|/)(?P<name>[A-Za-z][\w.-]{1,40}+)(?:[ \t]{1,4}+|[ \t]{0,4}(?:\r?\n)[ \t]{1,8}+|:(?=[\w\"']))(?=[^\s|>;])"
)
_QUOTE = lazy(r"(?:[rbufRBULF]{1,2}|[@$N])?(?P<quote>\"\"\"|'''|[\"'`])")
_WRAPPED = lazy(
    r"""(?:(?:await|new|return|&|\*)[ ]?)?[\w.:$&*\\\[\]@]{0,60}?
        (?:string|some|from|of|new|secret\w{0,8}|str|bytes?|text|encode|decode|literal|just|ok|value|parse|password|token|key|securestring|
           bytearray|sensitive|redacted|wrap|base64encode|b64\w{0,8}|atob|tobytes|quote|plain|tochararray|char_array|mustparse|asplaintext|pw|credential\w?|strdup)
        (?:<[^>\n]{0,30}>)?!?\([ ]?(?=[brfLu@$]?["'`])""",
    re.VERBOSE | re.IGNORECASE,
)
_MADE = lazy(r"(?P<f>[\w.:$]{1,60})!?\([ ]?(?P<q>[\"'`])(?P<v>[^\"'`\n]{6,200})(?P=q)[ ]?\)")
_BECOMES = lazy(r"[\"'`][ ](?:->|=>|→)[ ](?P<q>[\"'`])(?P<v>[^\"'`\n]{3,200})(?P=q)")
_VERBATIM = lazy(
    r"qq?(?:\{(?=[^{}\n]{3,200}\})|\((?=[^()\n]{3,200}\)))(?P<v>[^{}()\n]{3,200})[})](?=[;,)\s])"
)
_MORE = lazy(r"[\"'],\s{0,24}(?P<q>[\"'])(?P<v>[^\"'\n]{3,400})(?=(?P=q))")
_OCTETS = lazy(
    r"(?:\w{0,12}\s?)?[{\[(]\s{0,12}(?P<v>(?:0x[0-9a-fA-F]{2},\s{0,12}){7,63}0x[0-9a-fA-F]{2}|(?:\d{1,3},\s{0,12}){15,63}\d{1,3}(?=\s{0,12}[\])}]))"
)
_SPLITS = lazy(r"tokeni[sz]|lexer|encoding\.", re.IGNORECASE)  # a text to tokens
_GETS = lazy(r"get_?password|find|lookup", re.IGNORECASE)
_LOOKS_UP = lazy(
    r"get|env|load|read|find|fetch|select|query|input|prompt|ask|t$|_$|trans|i18n|locali|require|open|path|file|format|print|log|error|exist|has|contains|ref|lookup|resolve|import|module|class|field|column|label",
    re.IGNORECASE,
)
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
_BARE_ESCAPED = lazy(r"(?:(?!%26|%22|%20|%7D)[^\s\"'`&;#]){1,1024}+", re.IGNORECASE)
_REST = lazy(r"[^\r\n]{1,300}+")
_NEXT_FIELD = lazy(r"[^\s\"'`&;#]{1,256}+[;&][\w. ]{1,32}=")
_NEXT_WORD = lazy(r"[^\s\"'`()\[\]{},;]{3,256}+[ ][\w.]{1,32}=[^=\s]")
_WORD_BEFORE = lazy(r"(?:^|\s)[\w.]{1,32}=[^\s()\[\]{},;]{1,60}[ ]$")
_SETTING = lazy(r"[A-Z][A-Z0-9_]*")
_SET_ENV = lazy(
    r"(?i)(?:^|[\s\"'+-])(?:setenv|env|set|setx|fastcgi_param|set -gx|set -x|export|proxy_set_header)\s{1,4}$"
)
_LINE_START = lazy(
    r"(?:^|\n)[ \t]*(?:[0-9]{1,6}(?:[:|→\t]|[ ]{2})[ \t]*|[+-][ \t]*|[\w./-]{1,80}:[0-9]{1,6}[:-][ \t]*|(?:export|set|setx|declare -x|env|ENV|ARG|local|readonly|\$env:|-)[ \t]+|#[ ]?|> |\$ )?[\"']?$"
)
_LINKS = frozenset(words("words", "links"))
_LABEL = lazy(
    r"[ ]?\{|[ ](?:not|already|created|deleted|in|does|is|was|exists|configured|has|must|cannot|from|for|of)\b"
)
# What is the value of a value: a template's literal, what stands behind a user's name.
_INNER = lazy(
    r"\{\{[ ]?(?P<q>['\"])(?P<v>[^'\"\n]{3,200})(?P=q)[ ]?\||\$\{\w{1,60}:[-=](?P<w>[^{}$\n]{3,100})\}$"
)
_PUBLIC = lazy(r"(?:public|fingerprint|foreign|primary|sort|cache)[ _-]$", re.IGNORECASE)
_QUOTES = ("'", '"', "`")
# What follows an option in a sentence about it.
_PROSE = frozenset(words("words", "prose"))


def assignments(page: Page) -> Iterator[Span]:
    """The secrets of the page that a name gives away."""
    after = named = 0
    for hit in page.hits:
        if hit[0] < max(after, named) or not (tail := _TAIL.match(page.lower, hit[1])):
            continue
        page.tick()
        start, end = _whole_name(page.text, hit[0]), tail.end()
        named = end
        level = grade(page.text[start:end])
        if not level:
            continue
        for span in _value(page, (start, end), level):
            yield span
            after = span.end
        if page.text[start] in "-/" or page.text[start - 1 : start] == "/":
            yield from _option(page, start, end)


def _option(page: Page, start: int, end: int) -> Iterator[Span]:
    if page.text[start] != "-":
        start -= 1
    if option := _OPTION.match(page.text, start, end + 64):
        yield from _argument(page, option)


def _whole_name(text: str, start: int) -> int:
    before = _BEFORE_NAME.match(text[max(0, start - _LONGEST_NAME) : start][::-1])
    return start - before.end() if before else start


def _value(page: Page, place: tuple[int, int], level: Grade) -> Iterator[Span]:  # noqa: PLR0912 - one case each
    text, name_at = page.text, place[0]
    between = _BETWEEN.match(text, place[1])
    if not between:
        return
    name, before, start = text[name_at : place[1]], text[max(0, name_at - 1) : name_at], between.end()
    op = between["op"]
    if _PUBLIC.search(text, max(0, name_at - 14), name_at) or (
        op == ":"
        and before in (":", "/")
        and text[max(0, name_at - 2) : name_at] != "::"
        and not between["close"]
        and not _LINE_START.search(text, max(0, name_at - 100), name_at)
    ):
        return
    if between["markup"] or op == ">" or (between["pair"] and between["pair"].endswith(">")):
        if inner := _marked_up(page, start):
            yield from _judged(page, inner, name, level, Style.EXACT)
        return
    if verbatim := _VERBATIM.match(text, start):
        yield from _judged(page, verbatim.span("v"), name, level, Style.EXACT)
        return
    quote = _QUOTE.match(text, start)
    if quote:
        yield from _in_quotes(page, quote, place, between, level)
        return
    if (level is Grade.STRONG or level is Grade.TOKEN) and (octets := _OCTETS.match(text, start)):
        yield Span(*octets.span("v"), "named-key", "key")
        return
    if op in ("(", ",") or (op == "::" and _MEMBER.match(text, start)):
        return
    if wrapped := _WRAPPED.match(text, start) or _DEFAULT.match(text, start):
        literal = _QUOTE.match(text, wrapped.end())
        if (
            literal
            and not _SPLITS.search(wrapped[0])
            and not (_GETS.search(wrapped[0]) and text[quoted(page, literal)[1] + 1 :][:1] == ",")
        ):
            yield from _judged(page, quoted(page, literal), name, level, Style.EXACT)
            return
        if wrapped[0].startswith("${") and (bare := re.compile(r"[^}\s]{3,64}").match(text, wrapped.end())):
            yield from _judged(page, bare.span(), name, level, Style.EXACT)
            return
    if made := _MADE.match(text, start):
        if level is Grade.STRONG and proof(made["v"]) >= Proof.FAIR and not _LOOKS_UP.search(made["f"]):
            yield from _judged(page, made.span("v"), name, level, Style.EXACT)
        return
    if (
        op is not None
        and not op.strip()
        and _SETTING.fullmatch(name)
        and (
            _SET_ENV.search(text, max(0, name_at - 40), name_at)
            or (start - place[1] > 1 and text[name_at - 1 : name_at] in ("", "\n"))
        )
        and (bare := _BARE.match(text, start))
    ):
        if start - place[1] > 1 and _SAYS_ON.match(text, start):
            return  # a cell of several words: "about 2 months ago"
        yield from _judged(page, bare.span(), name, level, Style.EXACT)
        return
    if op == "|" and text.rfind("{{", max(0, name_at - 120), name_at) > text.rfind(
        "}}", max(0, name_at - 120), name_at
    ):
        return  # a template's filter
    if op is not None and (op.strip() in _LINKS or op.strip() == ""):
        if near := _BARE.match(text, start):
            yield from _judged(page, (start, _word_end(text, near)), name, level, Style.NEAR)
        return
    if op in ("%3d", "%3D"):
        if bare := _BARE_ESCAPED.match(text, start):
            yield from _judged(page, bare.span(), name, level, Style.EXACT)
        return
    yield from _bare(page, between, name, before, level)


def _in_quotes(
    page: Page, quote: re.Match[str], place: tuple[int, int], between: re.Match[str], level: Grade
) -> Iterator[Span]:
    """A value that is a literal, unless the quotes are those of the name or of a sentence."""
    text, name_at, start, op = page.text, place[0], between.end(), between["op"]
    name, before = text[name_at : place[1]], text[max(0, name_at - 1) : name_at]
    if len(quote["quote"]) == 3 and between["block"]:
        return  # a function is described below its arguments
    sign = quote["quote"][0]
    if (
        sign not in between["close"]
        and page.text.count(sign, line := page.text.rfind("\n", 0, name_at) + 1, name_at) % 2
        and op in (":", "=", "", None, "?")
        and page.view.depth(quote.end() - 1) <= page.view.depth(page.text.rfind(sign, line, name_at))
    ):
        return  # it closes the literal in which the name stands
    option = (
        op == ","
        and _SETTING.fullmatch(name)
        and ((before in (" ", "\t") and "_" in name) or text.endswith("define(", 0, name_at))
    )
    if op == "," and before not in _QUOTES and not name.startswith("-") and not option:
        return
    if op is not None and not op.strip() and _LABEL.match(text, quoted(page, quote)[1] + 1):
        return
    opened = text[max(0, name_at - 4) : max(0, name_at - 1)].rstrip()[-1:]
    style = _quoted_style(name, op, between["close"], opened)
    if op == "," and re.match(r"[\"'`]\s{0,2}[:=]", text[quoted(page, quote)[1] :][:4]):
        return
    if style and name == "pass" and op is not None and not op.strip():
        style = None if proof(text[slice(*quoted(page, quote))]) < Proof.SURE else style  # the verb
    if style:
        place = _of_several(page, name_at, start) or quoted(page, quote)
        listed = (between["block"] or "").startswith("[")
        yield from _literals(page, place, listed, partial(_judged, name=name, level=level, style=style))


def _literals(page: Page, place: tuple[int, int], listed: bool, judge: Judge) -> Iterator[Span]:
    """A quoted value, the others of its list, and what it becomes."""
    found = [*judge(page, place)]
    yield from found
    while found and listed and (more := _MORE.match(page.text, place[1])):
        place = more.span("v")
        yield from judge(page, place)
    if becomes := _BECOMES.match(page.text, place[1]):
        yield from judge(page, becomes.span("v"))


# A test, a function, a type in a module
_MEMBER = lazy(r"[a-z]+(?:_[a-z0-9]+)+(?!\w)|[A-Za-z]+(?![\w-])")
_TARGETS = lazy(r"(?:^|\n)[ \t]*((?:[\w.]{1,30},[ ]?){1,3})$")
_LITERALS = lazy(r"(?:[\"'](?P<v>[^\"'\n]{0,200})[\"'],?[ ]?){1,4}(?=$|[\r\n#;])")
_LITERAL = lazy(r"[\"']([^\"'\n]{0,200})[\"']")


def _of_several(page: Page, name_at: int, start: int) -> tuple[int, int] | None:
    """The literal that a name gets among others: ``user, password = "…", "…"``."""
    targets = _TARGETS.search(page.text, max(0, name_at - 100), name_at)
    given = _LITERALS.match(page.text, start) if targets else None
    if not targets or not given:
        return None
    literals = list(_LITERAL.finditer(page.text, *given.span()))
    which = targets[1].count(",")
    return literals[which].span(1) if which < len(literals) else None


_DRAWING = lazy(r"<(?:diagram|svg|path|script|style|image|binary)[ >]")


def _marked_up(page: Page, start: int) -> tuple[int, int] | None:
    """An element's text, up to the next tag: a ``&lt;`` begins none."""
    if page.text.startswith("<![CDATA[", start):
        end = page.text.find("]]>", start, start + _LONGEST_VALUE)
        return (start + 9, end) if end > 0 else None
    if _DRAWING.match(page.text, page.text.rfind("<", 0, start)):
        return None
    end = page.text.find("<", start, start + _LONGEST_VALUE)
    while end > 0 and page.view.depth(end) > 1:
        end = page.text.find("<", end + 1, start + _LONGEST_VALUE)
    return (
        (start, end)
        if end > start and "\n" not in page.text[start:end] and page.text.startswith("</", end)
        else None
    )


def _bare(page: Page, between: re.Match[str], name: str, before: str, level: Grade) -> Iterator[Span]:
    text, start, op = page.text, between.end(), between["op"]
    connection = before in ("?", "&", ";") or _NEXT_FIELD.match(text, start) is not None
    logged = op == "=" and (
        _NEXT_WORD.match(text, start) is not None
        or _WORD_BEFORE.search(text, max(0, between.start() - len(name) - 80), between.start() - len(name))
        is not None
    )
    name_at = between.start() - len(name)
    line_start = _LINE_START.search(text, max(0, name_at - 100), name_at)
    setting = (
        op == "="
        and between.end() == between.end("op")
        and (
            logged
            or _SETTING.fullmatch(name)
            or name.startswith("-")
            or line_start
            or _after_option(text, name_at)
        )
    )
    if (
        line_start
        and not _SETTING.fullmatch(name)
        and _SAYS_ON.match(text, start)
        and is_label(_line(text, start))
    ):
        return  # what a user is told: login.password.confirm=Repeat the password
    if connection or setting or between["pair"]:
        bare = (_BARE_FIELD if connection else _BARE).match(text, start)
        if bare and connection and bare[0].startswith("{") and bare[0].endswith("}"):
            yield from _judged(page, (start + 1, bare.end() - 1), name, level, Style.LOOSE)
        elif bare:
            yield from _judged(page, (start, _bare_end(text, bare)), name, level, Style.EXACT)
        return
    if op in (":", "=", ":=", "=>", "::", "?=") or between["typed"]:
        rest = _REST.match(text, start)
        if (
            between["close"]
            and text[start : start + 1].isdigit()
            and any(map(text.__contains__, _OF_VOCABULARIES))
        ):
            return
        if (
            rest
            and line_start is not None
            and (op != ":" or text[start - 1] != ":")
            and level is Grade.STRONG
        ):
            value = re.split(r"\s+[#;/]{1,2}\s|\s{3,}|[\"'`]?,?\s*$", rest[0], maxsplit=1)[0]
            if value and is_secret(value.rstrip(",;"), level, Style.LINE):
                yield from _judged(page, (start, start + len(value.rstrip(",;"))), name, level, Style.LINE)
                return
        if op == ":" and line_start and _VARIABLE.fullmatch(name) and (word := _ONE_WORD.match(text, start)):
            yield from _judged(page, word.span(), name, level, Style.EXACT)
            return
        bare = _BARE_ITEM.match(text, start)
        if not bare or (bare[0][0] == "{" and text.startswith("}", bare.end())):
            return
        if (
            len(bare[0]) < 24
            and (longer := _BARE.match(text, start))
            and longer.end() > bare.end()
            and is_evident(longer[0].rstrip(".,;)]}"))
        ):
            bare = longer
        yield from _judged(page, (start, _bare_end(text, bare)), name, level, Style.LOOSE)


_VARIABLE = lazy(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_ONE_WORD = lazy(r"[^\s\"'`#{}\[\]<>$,;()|]{4,200}(?=[ \t]{0,8}(?:\r?\n|$))")
_SAYS_ON = lazy(r"[^\W\d_]{2,16} \w")
_OF_VOCABULARIES = ("Ġ", "▁", "</w>")


def _line(text: str, start: int) -> str:
    rest = _REST.match(text, start)
    return rest[0] if rest else ""


def _after_option(text: str, at: int) -> bool:
    """Whether the name stands as an option's argument, or as one of an object's fields in a dump."""
    return bool(
        re.compile(
            r"(?:-[A-Za-z]|--[\w-]{2,30}|\bset|\bexport|\benv|\bput|\bcreate|\bedit|\badd)[ =][\"']?(?:[\w.-]{1,40}=\S{1,80}[ ]){0,3}$"
        ).search(text, max(0, at - 120), at)
    )


def _quoted_style(name: str, op: str | None, close: str, opened: str) -> Style | None:
    """How sure it is that a quoted value after ``op`` is the name's."""
    if op == "(":
        first = next(iter(parts(name.rstrip(".").rpartition(".")[2])), "")
        return Style.EXACT if first in ("set", "with", "use") or name[:1].isupper() else Style.NEAR
    if op == ",":
        if not close[:1]:  # curl_easy_setopt(h, CURLOPT_PASSWORD, "…")
            return Style.EXACT
        return (
            (Style.EXACT if opened == "(" or name.startswith("-") else Style.LOOSE)
            if close[:1] in _QUOTES
            else None
        )
    if op is not None and (op.strip() in _LINKS or op.strip() == ""):
        if not op.strip():
            return (
                Style.NEAR if name.isalpha() and not name.isupper() and len(parts(name)) < 3 else Style.EXACT
            )
        return Style.EXACT if op.strip() in ("|", "->", "→") else Style.LOOSE
    if op is not None and op[:2] in ("==", "!="):
        return Style.LOOSE
    return Style.EXACT


def _argument(page: Page, option: re.Match[str]) -> Iterator[Span]:
    name = option["name"]
    level = grade(name)
    if not level:
        return
    if quote := _QUOTE.match(page.text, option.end()):
        yield from _judged(page, quoted(page, quote), name, level, Style.EXACT)
        return
    bare = _BARE.match(page.text, option.end())
    if (
        not bare
        or bare[0].lower().rstrip(".,:;)`") in _PROSE
        or (bare[0].isupper() and bare[0].isalpha())
        or bare[0].startswith("-")
    ):
        return
    if re.fullmatch(r"[A-Z][A-Z_]{2,}[\]\)]?", bare[0]) or bare[0][0] in "<[{(":
        return
    yield from _judged(page, (bare.start(), _bare_end(page.text, bare)), name, level, Style.EXACT)


_SEALED = lazy(r"Ag[A-Za-z0-9+/]{60,}={0,2}")  # for a cluster, by its public key
_NUMBERED = lazy(r"[a-z]{3,12}_[0-9a-f]{10,16}")  # field_6dd7bbcb8c09c: which one, not what opens it


def _judged(page: Page, place: tuple[int, int], name: str, level: Grade, style: Style) -> Iterator[Span]:
    if inner := _INNER.match(page.text, *place):
        place = inner.span(inner.lastgroup or "v")
    value = page.text[slice(*place)]
    if level is Grade.WEAK and _NUMBERED.fullmatch(value.strip()):
        return
    if _SEALED.fullmatch(value.strip()) and "encrypteddata" in page.lower:
        return
    if is_secret(value.strip(), level, style):
        start = place[0] + len(value) - len(value.lstrip())
        called = kind(name)
        told = level is Grade.STRONG and (style is Style.EXACT or name[:2] in ("X-", "x-"))
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


ASSIGNMENTS = Reader(
    id="named-value",
    kind="password",
    find=assignments,
    anchors=lambda: Anchors(names=True),
)
