"""Values under a name which names a secret, in any syntax: ``NAME=v``, ``"name": "v"``, ``--name v``.

The name's grade says how much evidence the value must bring; how it is written says whether it is a
literal at all. Code, types, references and prose stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .image import FILLER
from .names import Grade, grade, kind, parts, words_of
from .rules import Span, trim
from .values import Style, is_secret

_LONGEST_NAME = 64
_LONGEST_VALUE = 4096
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")

# The end of a name with a secret's noun in it, and a look at whether anything like an assignment follows.
_STEM = re.compile(
    r"""(?:p(?:ass|wd?|hrase|sk|in|at)|s(?:ecret|ession|id|ig|eed|alt|as)|token|key|auth|cred|dsn|jwt|mnemonic|otp|bearer|cookie)
        [\w.-]{0,24}+
        (?=[\x7f"'`\])}?!]{0,8}+(?:[ \t\x7f]{0,24}+(?:[:=!>,(|?]|</key>|(?<=[ \t\x7f])["'\w-])
            |[\s,;\x7f"']{0,40}+value\b))""",
    re.VERBOSE,
)
_BETWEEN = re.compile(
    r"""(?P<close>[\x7f"'`\])}]{0,8}+)(?:
          (?P<pair>[\s,;\x7f"']{0,40}+[vV]alue[\x7f"']{0,8}[ ]?[:=]
            |</key>[\s\x7f]{0,40}<string>(?=[^<\n]{1,512}</))
        | (?P<typed>[?!]?[ ]?:[ ]{0,2}&?[A-Za-z_][\w.\[\]|<>, ]{0,40}?[ ]?=(?=[ ]?[\x7f"'`])|[ ]string[ ]?=)
        | [?!]?[ \t\x7f]{0,24}+(?P<op>:=|=>|={2,3}|!={1,2}|\|\||\?\?|[:=>,(]|(?<=[ \x7f])(?=["'])
            |(?<=[ \t\x7f])(?:\|[ ]|->[ ]|(?:is|was|lautet|ist|est)[ ])?(?=[^\s"'`|>=:-]))
        )[ \t\x7f]{0,24}+(?:[|>][+-]?[ \x7f]{0,16}\n[ \t\x7f]{1,24}(?=[^\s\x7f]))?""",
    re.VERBOSE,
)
_OPTION = re.compile(r"--?(?P<name>[A-Za-z][\w.-]{1,40}+)[\x7f]{0,8}+[ \t]{1,4}+[\x7f]{0,8}+(?=[^\s|>&;-])")
_QUOTE = re.compile(r"(?:[rbufRBUF]{1,2}|[@$])?(?P<fill>\x7f{0,16}+)(?P<quote>[\"'`])")
# A value without quotes ends at a space; in a URL or a connection string, and in code or YAML, sooner.
_BARE = re.compile(r"[^\s\"'`\x7f]{1,1024}+")
_BARE_FIELD = re.compile(r"[^\s\"'`\x7f&;#]{1,1024}+")
_BARE_ITEM = re.compile(r"[^\s\"'`\x7f,;)}\]>|]{1,1024}+")
_NEXT_FIELD = re.compile(r"[^\s\"'`\x7f&;#]{1,256}+[;&]\w{1,32}=")
_MARKUP = re.compile(r"[^<\n]{1,512}+(?=</)")
_SETTING = re.compile(r"[A-Z][A-Z0-9_]*")
_LINKS = frozenset(("", "|", "->", "is", "was", "lautet", "ist", "est"))
_QUOTES = ("'", '"', "`")
# What follows an option in a sentence about it.
_PROSE = words_of(
    "flag flags option options argument arguments parameter is are was and or instead when which with "
    "from via for to in on as by if that the this must should can will may value values string file path "
    "only also not does"
)


def assignments(image: str, lower: str, tick: Callable[[], None]) -> Iterator[Span]:
    """The secrets in ``image`` that a name gives away."""
    after = 0
    for stem in _STEM.finditer(lower):
        tick()
        if stem.start() < after:
            continue
        start, end = _whole_name(image, stem.start()), stem.end()
        level = grade(image[start:end])
        if (
            level
            and (between := _BETWEEN.match(image, end))
            and (span := _value(image, start, between, level))
        ):
            yield span
            after = span.end
    for option in _OPTION.finditer(image):
        if image[option.start() - 1 : option.start()].strip(FILLER + " \t\n\"'`([{$=,") == "":
            tick()
            if found := _argument(image, option):
                yield found


def _whole_name(image: str, start: int) -> int:
    first = max(0, start - _LONGEST_NAME)
    while start > first and image[start - 1] in _NAME:
        start -= 1
    return start


def _value(image: str, name_at: int, between: re.Match[str], level: Grade) -> Span | None:
    name, before, start = image[name_at : between.start()], image[name_at - 1 : name_at], between.end()
    op = between["op"]
    if op == ">" or (between["pair"] and between["pair"].endswith(">")):
        end = _MARKUP.match(image, start)
        return _judged(image, (start, end.end()), name, level, Style.EXACT) if end else None
    quote = _QUOTE.match(image, start)
    if op == "(" and not quote:
        return None
    if op == "," and not (quote and between["close"].strip(FILLER) in _QUOTES):
        return None
    if quote:
        return _judged(image, _quoted(image, quote), name, level, _quoted_style(name, op))
    if op is not None and op.rstrip() in _LINKS:
        near = _BARE.match(image, start)
        return _judged(image, (start, _bare_end(near)), name, level, Style.NEAR) if near else None
    if op not in (":", "=", ":=", "=>") and not between["pair"]:
        return None
    connection = before in ("?", "&", ";") or _NEXT_FIELD.match(image, start) is not None
    setting = (
        op == "="
        and between.end() == between.end("op")
        and (_SETTING.fullmatch(name) or name.startswith("-"))
    )
    bare = (_BARE_FIELD if connection else _BARE if setting else _BARE_ITEM).match(image, start)
    style = Style.EXACT if connection or setting or between["pair"] else Style.LOOSE
    return _judged(image, (start, _bare_end(bare)), name, level, style) if bare else None


def _quoted_style(name: str, op: str | None) -> Style:
    """How sure it is that a quoted value after ``op`` is the name's."""
    if op == "(":
        return Style.EXACT if parts(name.rpartition(".")[2])[0] in ("set", "with") else Style.NEAR
    if op is not None and (op.rstrip() in _LINKS or op[:2] in ("==", "!=") or op == ","):
        return Style.EXACT if op == "," and name.startswith("-") else Style.LOOSE
    return Style.EXACT


def _argument(image: str, option: re.Match[str]) -> Span | None:
    level = grade(option["name"])
    if not level:
        return None
    if quote := _QUOTE.match(image, option.end()):
        return _judged(image, _quoted(image, quote), option["name"], level, Style.EXACT)
    bare = _BARE.match(image, option.end())
    if not bare or bare[0].lower().rstrip(".,:;)") in _PROSE or (bare[0].isupper() and bare[0].isalpha()):
        return None
    return _judged(image, (bare.start(), _bare_end(bare)), option["name"], level, Style.EXACT)


def _judged(image: str, place: tuple[int, int], name: str, level: Grade, style: Style) -> Span | None:
    start, end = trim(image, *place)
    if not is_secret(image[start:end], level, style):
        return None
    called = kind(name)
    return Span(start, end, f"named-{called}", called)


def _quoted(image: str, quote: re.Match[str]) -> tuple[int, int]:
    r"""From an opening quote to the quote that closes it: the next one with no more escapes before it.

    In ``\"a\\\"b\"`` the quote in the middle belongs to the value, its three backslashes say so.
    A value may also go on over an escaped newline, never over a real one.
    """
    start = quote.end()
    depth = _fillers(image, quote.start("quote"))
    limit = min(len(image), start + _LONGEST_VALUE)
    for stop in re.compile(f"[{quote['quote']}\n]").finditer(image, start, limit):
        if _fillers(image, stop.start()) <= depth:
            return start, stop.start()
    return start, limit


def _fillers(image: str, end: int) -> int:
    start = end
    while start and image[start - 1] == FILLER and end - start < 64:
        start -= 1
    return end - start


def _bare_end(bare: re.Match[str]) -> int:
    return bare.start() + len(bare[0].rstrip(";,)"))
