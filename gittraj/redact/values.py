"""Whether a value that stands under a name is a secret, or a placeholder, a reference, code, prose."""

from __future__ import annotations

import base64
import binascii
import re
from enum import Enum
from functools import lru_cache

from .names import Grade, grade, parts, words_of
from .randomness import likelihood, looks_random


class Style(Enum):
    """How the value is written, which says how likely it is a literal."""

    EXACT = "in quotes, in the environment's form, after an option, or the whole value of a JSON key"
    NEAR = "after a name with nothing between them that assigns: the value must speak for itself"
    LOOSE = "bare after a colon or an equals sign: may as well be code or prose"


PLACEHOLDER = re.compile(r"REDACTED-[a-z0-9]+(?:-[a-z0-9]+){0,4}?-(?:[0-9a-f]{8}|n[0-9]{1,6})(?![A-Za-z0-9])")

_MOST = 160  # characters that are judged; the whole value is replaced
_REFERENCE = re.compile(
    r"""\$(?:[A-Z_][A-Z0-9_]*|[a-z_]+|[a-z]+[A-Z]\w*|[0-9@*])|\$\{[^}]*\}|\$\(.*|\$\{\{.*|%[A-Z_][A-Z0-9_]*%
      | %(?:\(\w*\))?[sdr]|\{\{.*|\{[\w.!:]*\}|<[^>]*>.*|\[[^\]]*\].*|[*.xX#_?\-=~]+|(?:0[xX])?0+|\.\.\..*
      | (?:process\.env|os\.environ|os\.getenv|ENV|env|import\.meta)[.(\[].*
      | (?i:null|none|nil|undefined|true|false|yes|no|on|off|string|str|bool|boolean|bytes|number|int|integer
         |any|object|unknown|optional|required|varchar|text|char|byte|never|void|self|this)[?!]?(?:\[\])?""",
    re.VERBOSE,
)
_INTERPOLATION = re.compile(
    r"\$\{[^}]{0,80}\}|\{\{[^}]{0,80}\}\}|\$\([^)]{0,80}\)|#\{[^}]{0,80}\}|<[^<>\s]{1,40}>|\{\w[\w.]{0,40}\}"
)
_CODE = re.compile(r"[&*!]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*){0,8}[?!]?(?:[(\[{].*)?")
_CALL = re.compile(r"(?:await |new )?[A-Za-z_$][\w$.:]*[(\[{].*")
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@+/\\ -]*|[\w.-]+(?:/[\w.-]+){1,12}\.[a-z]{1,5}")
_LINK = re.compile(r"[a-z][a-z0-9+.-]{1,12}://[^\s@]*")
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+){1,5}(?::[0-9]{1,5})?")
_SENTENCE = re.compile(r"\S+(?:\s+\S+)+")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?[.,:;!?)]*|[(\"'-]*[A-Za-z]*[)\"'.,:;!?-]*")
_MNEMONIC = re.compile(r"[a-z]{3,8}(?: [a-z]{3,8}){11,23}")
_INNER_SYMBOL = re.compile(r"[A-Za-z0-9][!@#^%~$]+[A-Za-z0-9]")
_HEX = re.compile(r"[0-9a-fA-F]{32,}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MODEL = re.compile(r"(?:gpt|claude|gemini|text|o[1-9]|llama|mistral|qwen|deepseek)-[a-z0-9.:-]+")
_TOOL_ID = re.compile(r"(?:toolu|call|msg|req|resp|fc|rs|run|traj|session|chatcmpl)[_-][\w-]+")
_DULL = words_of(
    "a an the my your our his this that here there some any enter type insert put paste add set get use "
    "new old confirm current previous repeat change changeme change_me update reset forgot invalid wrong "
    "incorrect missing required optional empty password passwd passwords pwd pass passphrase secret "
    "secrets token tokens key keys api auth access refresh private public client server user username "
    "name login admin id value example sample demo dummy fake foo bar baz qux placeholder redacted hidden "
    "masked removed none null string text test tests testing mock todo fixme tbd goes real actual super "
    "very bearer basic jwt oauth session cookie is are be was must not no x xx xxx xxxx xxxxx if to of in "
    "on or and for from with as app my-app bot db database default hash hashed env variable var file path "
    "prompt field input label header https http com org localhost host url openai anthropic github gitlab "
    "google aws azure sk pk ghp"
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_.-]*")
_LETTERS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def is_placeholder(value: str) -> bool:
    """Whether ``value`` stands for a secret without being one: ``<token>``, ``${X}``, ``changeme``, ours."""
    short = value[:_MOST].strip()
    if (
        not short
        or PLACEHOLDER.fullmatch(short)
        or _REFERENCE.fullmatch(short)
        or short.endswith(("EXAMPLE", "EXAMPLEKEY"))
    ):
        return True
    rest = _INTERPOLATION.sub("", short)
    if rest != short and len(rest) < 8:
        return True
    if sum(map(str.isdigit, short)) <= 1 and all(word.lower() in _DULL for word in _LETTERS.findall(short)):
        return True
    if _IDENTIFIER.fullmatch(short) and len(parts(short)) > 1 and grade(short) >= Grade.TOKEN:
        return True  # the name of a secret
    return len(set(short.lower())) <= 2 and len(short) >= 3


def is_plain(value: str) -> bool:
    """Whether ``value`` is a word, a path, a host or an address: too common to be looked for everywhere."""
    short = value[:_MOST]
    if is_placeholder(value) or _LINK.fullmatch(short) or (_UUID.fullmatch(short) and len(set(short)) < 6):
        return True
    if looks_random(short):
        return False
    if (
        _PATH.fullmatch(short)
        or _HOST.fullmatch(short)
        or _MODEL.fullmatch(short)
        or _TOOL_ID.fullmatch(short)
    ):
        return True
    if short.isdigit():
        return len(short) < 10
    wordy = re.fullmatch(r"[A-Za-z]+(?:[ _.-][A-Za-z]+)*", short)
    return bool(wordy) and likelihood(short) > -4.6 and len(short) < 20


def is_secret(value: str, level: Grade, style: Style) -> bool:
    """Whether ``value`` is a secret, given what its name proves and how it is written."""
    return _judge(value[:_MOST], level, style)


@lru_cache(maxsize=4096)
def _judge(short: str, level: Grade, style: Style) -> bool:
    if level is Grade.NONE or len(short) < 3 or is_placeholder(short):
        return False
    if _TOOL_ID.fullmatch(short) or _MODEL.fullmatch(short) or _LINK.fullmatch(short):
        return False
    if style is Style.NEAR:
        return level is Grade.STRONG and (_is_random(short) or _is_evident(short))
    if level is Grade.WEAK:
        return _is_random(short)
    if level is Grade.TOKEN:
        return _is_token(short, style)
    return _is_loose_secret(short) if style is Style.LOOSE else _is_exact_secret(short)


def _is_random(value: str) -> bool:
    return looks_random(value) and not re.search(r"\s", value) and not _CALL.fullmatch(value)


def _is_token(value: str, style: Style) -> bool:
    if _is_random(value) or is_basic(value) or _is_evident(value):
        return True
    if style is Style.LOOSE or re.search(r"\s", value) or _PATH.fullmatch(value):
        return False
    if _HEX.fullmatch(value):
        return True
    return len(value) >= 10 and _mixed(value) and not _UUID.fullmatch(value) and not _CODE.fullmatch(value)


def _is_exact_secret(value: str) -> bool:
    if _PATH.fullmatch(value) and not looks_random(value):
        return False
    if re.fullmatch(r"(?:await |new )?[A-Za-z_$][\w$.:]*\(.*\)", value):
        return False
    if _SENTENCE.fullmatch(value):
        if _MNEMONIC.fullmatch(value):
            return True
        return not all(map(_WORD.fullmatch, value.split())) and not value.rstrip().endswith(
            (".", "?", "!", ":")
        )
    return True


def _is_loose_secret(value: str) -> bool:
    if looks_random(value):
        return not _CALL.fullmatch(value)
    if len(value) < 4 or _PATH.fullmatch(value) or _CALL.fullmatch(value) or re.match(r"[&*(\[{|!@<]", value):
        return False
    if value.isdigit():
        return len(value) >= 6
    if value.isalnum() and sum(map(str.isalpha, parts(value))) >= 4 and likelihood(value) > -4.9:
        return False
    if ("_" in value and _CODE.fullmatch(value)) or ("." in value and _CODE.fullmatch(value)):
        return False
    return any(map(str.isdigit, value)) or bool(_INNER_SYMBOL.search(value))


def _is_evident(value: str) -> bool:
    """Whether ``value`` can hardly be but a password: a letter, a digit and a symbol, and no code."""
    if not 8 <= len(value) <= 64 or not _mixed(value) or re.search(r"[\s/\\(){}\[\]<>=,;:|]", value):
        return False
    return (
        bool(re.search(r"[A-Za-z0-9][!@#$%^&*?~+-]*[!#$%^&*~][!@#$%^&*?~+-]*[A-Za-z0-9]|\w@\w+$", value))
        and "&&" not in value
    )


def _mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_basic(value: str) -> bool:
    """Whether ``value`` is the base64 of ``user:password``."""
    if len(value) < 8 or len(value) > 512 or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", value):
        return False
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return bool(re.fullmatch(r"[!-9;-~]{1,128}:[ -~]{1,256}", plain))
