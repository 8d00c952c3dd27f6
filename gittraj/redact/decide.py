"""Decides whether a value that a reader or a rule proposes is a secret. Nothing else does.

``is_secret`` says it of a value with a name, from the name's grade and the syntax; ``proof`` says how strongly the
value's form alone proves it; ``ACCEPT`` has what the column ``accept`` of a rule may name, for values whose place the
rule's pattern has matched. What a form is, ``values`` and ``made`` know.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from enum import Enum, IntEnum
from functools import lru_cache

from .base58 import has_checksum
from .lazy import lazy
from .made import DESCRIBES, DULL, is_chosen, is_joined, is_phrase, is_worded
from .names import Grade, grade, parts
from .randomness import likelihood, looks_random
from .values import (
    CALL,
    CJK_SENTENCE,
    CODE,
    DATE,
    DOTTED,
    HEX,
    LINK,
    MAIL,
    MODEL,
    MOST,
    PATH,
    TOOL_ID,
    TYPE,
    UUID,
    is_basic,
    is_evident,
    is_label,
    is_password,
    is_placeholder,
    is_plain,
    is_random,
    mixed,
)


class Style(Enum):
    """The syntax of a value, which shows how likely it is a literal."""

    EXACT = "in quotes, in the environment's form, after an option, or the whole value of a JSON key"
    LINE = "the rest of a line of settings: a literal, unless it is a word that describes one"
    LOOSE = "bare after a colon or an equals sign: may as well be code or prose"
    NEAR = "in a sentence about the name: the value must speak for itself"


# An artifact and its version, a range of versions; a Kubernetes secret that is sealed for its cluster; an age recipient;
# a compound's key; what an audit says instead of a token.
_PUBLISHED = lazy(
    r"[\w.-]+:\d+(?:\.\d+){1,3}[\w.+~-]*|v\d+(?:\.\d+){2}[-+][\w.+-]+|V\d(?:[A-Z][a-z]+){2,6}|[~^<>=]{1,2}\d+(?:\.\d+){0,3}(?:-[\w.]+)?(?: (?:\|\| )?[~^<>=]{0,2}\d+(?:\.[\dx*]+){0,3}(?:-[\w.]+)?){0,12}|Ag[A-D][A-Za-z0-9+/]{150,}.*|age1[02-9ac-hj-np-z]{50,60}|[A-Z]{14}-[A-Z]{10}-[A-Z]|pk_(?:live|test)_\w{10,}|hmac-sha\d{1,3}:[0-9a-f]{40,128}"
)
# Code without spaces, as minified scripts have it. A password may look so, too: only where its name is a weak one
# and the value may as well be code.
_TIGHT_CODE = lazy(r"!?[\w$.]{1,12}(?:[})\]]{1,4}[=;,.:)].*|,[\w$]{1,40}:.*)")
_CACHED = lazy(
    r"v\d{1,3}-.*|.*/.*\.[a-z]{2,8}|[a-z_]{2,20}=[^=].*"
)  # under a weak name: what a cache or a store calls something


def is_secret(value: str, level: Grade, style: Style) -> bool:
    """Whether ``value`` is a secret, given what its name proves and how it is written."""
    return _judge(value[:MOST], level, style)


@lru_cache(maxsize=4096)
def _judge(short: str, level: Grade, style: Style) -> bool:
    if (
        level is Grade.NONE
        or len(short) < 3
        or is_placeholder(short)
        or CJK_SENTENCE.fullmatch(short)
        or re.search(r"\w__\w+__\w", short)
    ):
        return False
    if (
        TOOL_ID.fullmatch(short)
        or MODEL.fullmatch(short)
        or LINK.fullmatch(short)
        or MAIL.fullmatch(short)
        or _PUBLISHED.fullmatch(short)
        or TYPE.fullmatch(short)
        or (
            (level is Grade.WEAK or (level is Grade.TOKEN and style in (Style.LOOSE, Style.NEAR)))
            and _TIGHT_CODE.fullmatch(short)
        )
    ):
        return False
    if style is Style.NEAR:
        return level >= Grade.TOKEN and (
            is_random(short)
            or (is_evident(short) and not (level is Grade.TOKEN and len(short) < 8))
            or (
                level is Grade.STRONG
                and is_chosen(short)
                and not re.search(r"[A-Z][a-z]{2,}[A-Z][a-z]{2,}", short)
            )
        )
    if level is Grade.WEAK and HEX.fullmatch(re.sub(r"^[a-z]{2,8}_(?=[0-9a-f]{32})", "", short)):
        return True
    if level is Grade.WEAK and _CACHED.fullmatch(short):
        return False
    if level is Grade.WEAK:
        return is_random(re.sub(r"[0-9a-f]{32,}", "", short))
    if level is Grade.TOKEN:
        return _is_token(short, style)
    if style is Style.LOOSE:
        return _is_loose_secret(short)
    return _is_exact_secret(short) and (style is Style.EXACT or _is_line_secret(short))


def _is_token(value: str, style: Style) -> bool:
    if is_random(value) or is_basic(value):
        return True
    if is_evident(value) and len(value) >= 8 and not PATH.fullmatch(value):
        return True
    if HEX.fullmatch(value) or UUID.fullmatch(value):
        return True
    if style is Style.LOOSE or re.search(r"\s", value) or PATH.fullmatch(value):
        return False
    if value.isdigit():
        return False
    if len(value) >= 16 and is_chosen(value):
        return True
    return len(value) >= 10 and mixed(value) and not CODE.fullmatch(value) and not DATE.fullmatch(value)


def _is_exact_secret(value: str) -> bool:
    if re.fullmatch(r"(?:19|20)\d\d-[01]\d-[0-3]\d", value):
        return False
    if PATH.fullmatch(value) and not looks_random(value):
        return False
    if re.fullmatch(
        r"(?:await |new )?[A-Za-z_$][\w$.:]*(?:<[^>]*>)?\([\w.\s,\"'*&:=$/{}()\[\]-]*\)[;,]?", value
    ) and not re.search(r"[a-z]\d+\(", value):
        return False
    if DOTTED.fullmatch(value) and not mixed(value):
        return grade(re.split(r"\W+", value.rstrip("?!"))[-1]) is Grade.NONE and not re.match(
            r"(?:self|this|cls|args|opts|options|req|request|res|ctx|user|params?|props|state|cfg|conf|app|data|input|form|body|values|e|t|n|r|i)\b",
            value,
        )
    if re.search(r"__\w+__|^\w+(?:\|\w+(?::\d+)?)+$|^[?+]\w+$", value) and not _UNION_OF_DRAWN.search(value):
        return False
    return not is_label(value)


_UNION_OF_DRAWN = lazy(r"\|[0-9a-f]{32,64}(?:$|\|)")  # a cookie's parts, no type's
_LABELLED = lazy(r"[A-Z]{1,6}\d{1,3}(?:[A-Z]\d?)?")  # a pin of a chip, a cell, a part


def _is_line_secret(value: str) -> bool:
    if re.search(r"\s", value):
        return (
            not is_label(value)
            and value == value.lower()
            and not re.search(r"[(){}\[\]=|;<>:\d]", value)
            and len(value.split()) >= 4
        )
    if re.match(r"[&*(\[{|!@<]", value) and not mixed(value):
        return False
    if value.isalpha() and value.isascii():
        return is_chosen(value) or (
            len(value) >= 8
            and value.lower() not in DESCRIBES
            and not value.lower().endswith(("tion", "ment", "ness", "able", "ible"))
            and (value.islower() or likelihood(value) < -4.6)
            and value.lower() not in DULL
        )
    if value.isdigit():
        return len(value) >= 4
    if len(re.sub(r"\W", "", value)) < 3:
        return False
    if is_joined(value):
        return True
    if DOTTED.fullmatch(value):
        return False
    return not CALL.fullmatch(value) and not DATE.fullmatch(value)


def _is_loose_secret(value: str) -> bool:
    if is_joined(value) or UUID.fullmatch(value):
        return True
    if looks_random(value):
        return not CALL.fullmatch(value)
    if len(value) < 4 or PATH.fullmatch(value) or CALL.fullmatch(value) or re.match(r"[&*(\[{|!@<]", value):
        return False
    if value.isdigit():
        return len(value) >= 6
    if _LABELLED.fullmatch(value):
        return False
    if is_chosen(value):
        return True
    if DATE.fullmatch(value) or DOTTED.fullmatch(value):
        return False
    if value.isalnum() and sum(map(str.isalpha, parts(value))) >= 4 and likelihood(value) > -4.9:
        return False  # camelCase
    return is_evident(value) or mixed(value)


class Proof(IntEnum):
    """How certain it is that a word is a secret."""

    NONE = 0
    SLIGHT = 1  # digits, a word that people choose: it takes an "is" before it
    FAIR = 2  # letters and digits
    GOOD = 3  # a UUID, hex, groups of a code
    SURE = 4  # a password with signs among its letters and digits
    CERTAIN = 5  # drawn at random


_SOME_HEX = lazy(r"(?:0x)?(?=[0-9a-fA-F]*[a-fA-F])(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{16,128}")
_LONG_BASE64 = lazy(r"(?!sha\d)(?=[^+/]*[+/])[A-Za-z0-9+/]{40,200}={0,2}|[A-Za-z0-9+/]{42,43}=")
_GROUPS = lazy(
    r"(?=.*[0-9])(?=.*[A-Z])[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,8}|[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{6}){2}|(?=(?:[a-z0-9-]*\d){3})(?=(?:[a-z0-9-]*[a-z]){3})[a-z0-9]{4}(?:-[a-z0-9]{4}){2,5}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{13,80}"
)
_CAMEL = lazy(
    r"(?:[A-Z]{0,4}[A-Z][a-z]{2,}|[a-z]{2,}|[A-Z]{2,5})\d?(?:[A-Z][a-z]{2,}){2,}|[a-z]{3,}[24][a-z]{3,}"
)  # OAuth2AuthProvider
_WORDS_ALONE = lazy(r"[a-z]{3,10}(?: [a-z]{3,10}){3,11}")
_NUMBERED = lazy(
    r"(?!(?:Step|Part|Section|Chapter|Phase|Level|Module|Table|Figure|Version|Python|Windows|Angular|Laravel|Symfony|Debian|Ubuntu|Fedora|Option|Version|Number|Stage|Group|Field|Class|Server|Client)\d)[A-Z][a-z]{5,12}\d"
)
# Names of algorithms, protocols, versions, formats.
_TERM = lazy(
    r"(?i)(?:[a-z]{2,8}[-_])?(?:sha|md|poly|x?chacha|xfree|salsa|curve|aes|rsa|ed|secp|utf|base|argon|pbkdf|oauth|http|ipv|u?int|float|win|arm|amd|pkcs|[hrep]s|tls|ssl|blake|crc|iso|cp|latin|python|node|java|php|ruby|go|es|vue|web|log|step|case|test|part|item|user|host|db|server|key|token|pass|password|day|week|year|phase|rev|v|p|x|h|col|row|arg|line|file|page|issue|pr|bug|task|level|tier|eu|us|ap)[-_.]?\d{1,5}[a-z]{0,3}\d{0,3}(?:[-_.][a-z0-9]{1,8}){0,3}"
)
_HARMLESS = lazy(
    r"(?:eyJ[\w-]{10,60}$|GHSA(?:-[a-z0-9]{4}){3}$|(?:CVE|RUSTSEC)-\d{4}-\d+$|\d{2,5}/[A-Za-z_-]+$|[A-Z][A-Z0-9]{1,5}(?:\+[A-Z][A-Z0-9]{1,5}){1,4}$|.*\.{4}|SCRAM-SHA-\d|sha(?:1|256|384|512)[-:]|SHA256:|h1:|pk_|pub_|public|AAAA[BEC]3|data:|MII[A-Z]|[a-z]+://|www\.|[\w.-]+@[\w-]+\.|v?\d+\.\d|[-$%@#~/\\^&|]|\.{1,2}/|arn:|W/|refs/|[A-Z][A-Z0-9_]*=?$|\d+[a-z]{0,3}$|\d{4}-\d\d|\w+\(|_[A-Z]|.*\$[A-Z]{2}\$|[A-Z]{2,6}-\d+$|[A-Z]{2,6}\d+:|0x[0-9a-fA-F]{1,16}$|age1|U\+[0-9A-F]{4,6}$|[A-Za-z]{2,10}-v\d+\.\d|[a-z]{1,6}-\d{3,8}$|\w+![A-Z]{1,3}\d+(?::[A-Z]{1,3}\d+)?$|[a-z]{2,12}(?:[-.]\d{1,2}){2,3}$|(?:Ctrl|Cmd|Alt|Shift|Command|Control)[+-]|.*&&|\d+[-_][a-z]+$|\w+(?:_\w+){3,}$|[\w./-]+\.\w+:\d|[0-9a-f]{6,12}$|X509|[2-5]\d\d[- ][A-Z0-9]+$|\d{2,4}-\d{1,4}[A-Z]?$|.*[A-Z]{2,}_[A-Z]{2,}=$|\d{2,5}/\w+$|(?:srv|host|web|db|app|node|mail|dc|vm|gw|sw|ap|fw|ns|mx|k8s|ipmi|nas|esxi?|prod|stg|staging|dev)[a-z]{0,8}\d{0,3}(?:[-.][a-z0-9]{1,10}){1,4}$|\w*b64\w*$|[a-z]{2,12}(?:-[a-z]{2,12}){0,3}-(?:[0-9a-f]{40}|[0-9a-f]{64})$|.*(?:A-Za-z|a-z0-9|A-Z0-9|0-9a-f|a-f0-9))"
)


def proof(value: str) -> Proof:
    """What the form of ``value`` proves."""
    return _proof(value[:200]) if len(value) >= 4 else Proof.NONE


@lru_cache(maxsize=8192)
def _proof(value: str) -> Proof:
    for told in (_by_alphabet, _by_harmless_form, _by_making):
        if (found := told(value)) is not None:
            return found
    return _by_mixture(value)


def _by_alphabet(value: str) -> Proof | None:
    """Words of only digits, hex, groups or letters."""
    if value.isdigit():
        return (
            Proof.SLIGHT
            if 4 <= len(value) <= 12 and not re.fullmatch(r"(?:19|20)\d\d", value)
            else Proof.NONE
        )
    if _GROUPS.fullmatch(value) or UUID.fullmatch(value):
        return Proof.GOOD
    if re.fullmatch(r"0x[0-9a-fA-F]{40}", value):
        return Proof.NONE  # an address
    if _SOME_HEX.fullmatch(value):
        return Proof.GOOD
    if value.isupper() and value.isalnum() and value.isascii() and looks_random(value):
        if len(value) > 24 and value.isalpha():
            return Proof.NONE  # a protein
        return Proof.SURE  # a seed in base32
    if value.isalpha() and value.isascii() and not is_chosen(value):
        return Proof.NONE
    return None


def _by_harmless_form(value: str) -> Proof | None:
    if len(value) < 6 or TOOL_ID.fullmatch(value) or TYPE.fullmatch(value) or _HARMLESS.match(value):
        return Proof.NONE
    if is_placeholder(value) or (not value.isascii() and (value.isalpha() or CJK_SENTENCE.fullmatch(value))):
        return Proof.NONE
    if re.search(r"\s", value):
        return Proof.SLIGHT if _WORDS_ALONE.fullmatch(value) and not is_label(value) else Proof.NONE
    return None


def _by_making(value: str) -> Proof | None:
    """Words as people and generators make them."""
    if is_joined(value):
        return Proof.SURE
    if is_worded(value):
        return Proof.SLIGHT
    if (
        _LONG_BASE64.fullmatch(value)
        and re.search(r"[A-Z].*[A-Z].*[A-Z]", value)
        and re.search(r"\d.*\d.*\d", value)
    ):
        return Proof.CERTAIN
    return None


def _by_mixture(value: str) -> Proof:
    """Words by the mixture of letters, digits and signs."""
    if re.search(r"[()\[\]{}<>|\\;:=,\"'`]|://|::|\w/\w.*/|\.\w+\.|\w\.[a-z]{1,4}$|->", value.rstrip("=")):
        return Proof.NONE
    if _CAMEL.fullmatch(value):
        return Proof.NONE
    if looks_random(value) and re.search(r"\d", value):
        return Proof.CERTAIN if len(value) >= 20 else Proof.SURE
    if is_password(value):
        return Proof.SURE
    if _TERM.fullmatch(value) or is_plain(value):
        return Proof.SLIGHT if is_chosen(value) else Proof.NONE
    if is_evident(value) and re.search(
        r"\d{2}|\d.*[A-Za-z].*\d|[A-Za-z]\d[A-Za-z]|[a-z][A-Z].*[a-z][A-Z]|[A-Z]{2}[a-z]+[A-Z]", value
    ):
        return Proof.FAIR
    if _NUMBERED.fullmatch(value):
        return Proof.SLIGHT
    return Proof.SLIGHT if is_chosen(value) and is_secret(value, Grade.STRONG, Style.NEAR) else Proof.NONE


_HEX_OF_A_DEVICE = lazy(r"[0-9a-fA-F]{12,64}")
_UNEVEN = lazy(r"[a-zA-Z]*(?:[a-z][A-Z]{2}|[A-Z]{2,}[a-z]+[A-Z])[a-zA-Z]*")
_SIGN = lazy(r"[!@#$%^&*~]")


def is_identifier(value: str) -> bool:
    """Anything except a placeholder, also a UUID: the place contains only secrets."""
    return UUID.fullmatch(value) is not None or is_named(value)


def is_named(value: str) -> bool:
    """Anything except a placeholder, reference, label or UUID."""
    return UUID.fullmatch(value) is None and is_secret(value, Grade.STRONG, Style.EXACT)


def is_clear(value: str) -> bool:
    """A value that looks like a secret by itself: its place is weak evidence."""
    if not is_named(value):
        return False
    if is_evident(value) or looks_random(value):
        return True
    if _HEX_OF_A_DEVICE.fullmatch(value):
        return False
    if _WORDS_ALONE.fullmatch(value):
        return not is_label(value)
    digit = re.search(r"\d", value) is not None
    signed = len(value) >= 8 and _SIGN.search(value) is not None
    return digit and (signed or not value.isascii())


def is_given(value: str) -> bool:
    """A value that looks like a secret, or like a password that a person sets on a device: two words, a long
    number, hex."""
    if is_clear(value):
        return True
    if not is_named(value):
        return False
    return (
        is_chosen(value)
        or is_joined(value)
        or _HEX_OF_A_DEVICE.fullmatch(value) is not None
        or (value.isdigit() and len(value) >= 8)
        or (len(value) >= 8 and _UNEVEN.fullmatch(value) is not None)
    )


def is_clear_or_uuid(value: str) -> bool:
    return UUID.fullmatch(value) is not None or is_clear(value)


def is_joined_or_clear(value: str) -> bool:
    """A value that looks like a secret by itself, or is made of words joined by signs or numbers."""
    return is_clear(value) or (
        is_named(value) and (is_joined(value) or is_worded(value) or is_password(value))
    )


def is_in_url(value: str) -> bool:
    """``is_named`` for a value that may be percent-encoded."""
    from urllib.parse import unquote  # noqa: PLC0415 - it takes longer to import than all of this package

    return is_secret(unquote(value), Grade.STRONG, Style.EXACT)


def is_opaque(value: str) -> bool:
    """A value with a digit, or a random one."""
    return not is_placeholder(value) and (
        any(map(str.isdigit, value)) or is_secret(value, Grade.WEAK, Style.EXACT)
    )


def is_token(value: str) -> bool:
    """A random value, or a long one."""
    return is_secret(value, Grade.TOKEN, Style.EXACT)


def is_fed(value: str) -> bool:
    """The input of a command, unless it is plain text, base64 of plain text, or the answer to a question."""
    value = value.strip()
    decoded = _decoded(value)
    if " " in decoded or is_label(decoded) or value in _ANSWERS:
        return False
    return is_secret(value, Grade.STRONG, Style.EXACT)


def is_shown(value: str) -> bool:
    """What a command prints that makes or shows a secret."""
    return is_named(value) and (proof(value) > Proof.NONE or _SHOWN_BASE64.fullmatch(value) is not None)


_SHOWN_BASE64 = lazy(r"[A-Za-z0-9+/]{8,}={1,2}|(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9+/]{12,}")


def _decoded(value: str) -> str:
    """The decoded text, if the value is the base64 of ASCII text; else empty."""
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except ValueError:
        return ""


_ANSWERS = frozenset(["hello", "world", "yes", "y", "n", "no", "test", "ok", "done", "data", "foo", "bar"])
_PREFIX = lazy(r"^(?:[A-Za-z]{1,12}[-_.:])(?:[A-Za-z]{1,12}[0-9]{0,2}[-_.])*(?=.{12})")
_SEQUENCE = lazy(r"abcdefgh|12345678(?:9|$)|0123456|987654321|qwertyui|(.)\1{6}|(?:abc|123){3}|xxxxx")
_PUBLIC_ID = lazy(r"(?:^|_)(?:msg|toolu|call|req|resp|run|evt|pk|pub|public|client_id|id)_")


def is_drawn(value: str) -> bool:
    """Whether the part after the prefix was drawn at random, not written: ``sk-your-api-key-goes-here``."""
    body = _PREFIX.sub("", value[:160])
    if (
        is_placeholder(value)
        or is_placeholder(body)
        or len(set(body)) < 7
        or _SEQUENCE.search(body.lstrip("A").lower())
    ):
        return False
    score = likelihood(body)  # 0: too few letters to tell
    return score < -4.4 or (score == 0 and any(map(str.isdigit, body)))


def is_jwt(value: str) -> bool:
    """Any JWT except the example that every documentation shows."""
    body = value.split(".")[1] if "." in value else ""
    try:
        plain = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return True
    return not (b"1234567890" in plain and b"John Doe" in plain)


def is_any_token(value: str) -> bool:
    """The token of an unknown vendor: drawn at random, and not the identifier of a message, a call or a
    session."""
    body = _PREFIX.sub("", value)
    if _PUBLIC_ID.search(value) or TOOL_ID.fullmatch(value):
        return False
    return (
        len(body) >= 16
        and not re.fullmatch(r"[0-9a-f]{17}", body)
        and likelihood(body) < -5.2
        and any(map(str.isdigit, body))
        and is_drawn(value)
    )


def is_unspoken(value: str) -> bool:
    """Groups of letters that are not of any language."""
    return likelihood(value.replace("-", "")) < -4.4


ACCEPT: dict[str, Callable[[str], bool]] = {
    "identifier": is_identifier,
    "named": is_named,
    "evident": is_clear,
    "evident-or-uuid": is_clear_or_uuid,
    "chosen": is_given,
    "joined": is_joined_or_clear,
    "phrase": is_phrase,
    "password": is_password,
    "in-url": is_in_url,
    "opaque": is_opaque,
    "token": is_token,
    "basic": is_basic,
    "fed": is_fed,
    "shown": is_shown,
    "drawn": is_drawn,
    "jwt": is_jwt,
    "any-token": is_any_token,
    "checksum": has_checksum,
    "unspoken": is_unspoken,
    "any": bool,
}
