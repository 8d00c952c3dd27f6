"""How strongly the form of a word alone proves that it is a secret: for words in talk, that nothing else binds."""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from .decide import Style, is_secret
from .lazy import lazy
from .made import WORDS_ALONE, is_chosen, is_joined, is_worded
from .names import Grade
from .randomness import looks_random
from .values import (
    CJK_SENTENCE,
    TOOL_ID,
    TYPE,
    UUID,
    is_evident,
    is_label,
    is_password,
    is_placeholder,
    is_plain,
)


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
        year = re.fullmatch(r"(?:19|20)\d\d", value)
        return Proof.SLIGHT if 4 <= len(value) <= 12 and not year else Proof.NONE
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
        return Proof.SLIGHT if WORDS_ALONE.fullmatch(value) and not is_label(value) else Proof.NONE
    return None


def _by_making(value: str) -> Proof | None:
    """Words as people and generators make them."""
    if is_joined(value):
        return Proof.SURE
    if is_worded(value):
        return Proof.SLIGHT
    if _LONG_BASE64.fullmatch(value) and re.match(r"(?=(?:.*[A-Z]){3})(?:.*\d){3}", value):
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
