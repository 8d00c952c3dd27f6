"""Recognises what a value is by its form: a placeholder, a reference, a label, a path, a password."""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache

from .lazy import lazy
from .load import patterns, words
from .made import DESCRIBES, DULL, STOP, is_joined, is_phrase
from .names import FOREIGN, Grade, grade, parts
from .randomness import likelihood, looks_random

_RE = patterns("values")

PLACEHOLDER = lazy(r"REDACTED-[a-z0-9]+(?:-[a-z0-9]+){0,4}?-(?:[0-9a-f]{8}|n[0-9]{1,6})(?![A-Za-z0-9])")

MOST = 160  # characters that are judged; the whole value is replaced
_TAILS = frozenset(words("names", "tails"))
_SECRET_NOUN = lazy(
    r"pass(?:w|phrase|code|key)|secret|sekret|segret|hemlig|hemmelig|token|credential|\bkey\b|jeton|llave|chiave|schlüssel|geheim|clave|codice|código|sleutel|nyckel|nøkkel|nøgle|avain|kulcs|klucz|klíč|ključ|anahtar|chave|clé\b|ключ|токен|секрет|キー|トークン|シークレット|키$|토큰|密钥|密鑰|令牌|\bpin ?code$|"
    r"passe|passe\b|" + "|".join(FOREIGN)
)


def is_placeholder(value: str) -> bool:
    """Whether ``value`` replaces a secret: ``<token>``, ``${X}``, ``changeme``, or our own placeholder."""
    return _is_placeholder(value[:MOST].strip())


@lru_cache(maxsize=4096)
def _is_placeholder(short: str) -> bool:
    if _RE.persons.fullmatch(short) or is_phrase(short):
        return False
    return not short or any(test(short) for test in (_refers, _is_blank, _is_dull, _asks, _names))


def _refers(short: str) -> bool:
    """Whether a value is a reference, a pattern, a colour, an example or masked."""
    if PLACEHOLDER.match(short) or _RE.pattern.search(short):
        return True
    return _RE.fit(short, ("reference", "masked", "colour", "example"))


def _is_blank(short: str) -> bool:
    """Whether a value is little more than stars and variables, or one character repeated."""
    for filled, most in ((_RE.stars, 12), (_RE.interpolation, 7)):
        if len(rest := filled.sub("", short)) <= most and rest != short:
            return True
    return len(set(short.lower())) <= 2 and len(short) >= 3


def _is_dull(short: str) -> bool:
    digits, letters = _counted(short)
    words = digits <= 1 and short.isascii() and (letters or not digits)
    return bool(words) and all(word.lower() in DULL for word in letters) and not _symbols(short)


def _asks(short: str) -> bool:
    """Whether a value asks the reader to replace it: ``your-key-here``."""
    return _counted(short)[0] <= 4 and _RE.asks.search(short) is not None


def _names(short: str) -> bool:
    """Whether a value is the name of a secret."""
    digits, letters = _counted(short)
    if digits > 2 or not _RE.identifier.fullmatch(short) or len(parts(short)) < 2:
        return False
    if digits == 0 and parts(short)[-1] in _TAILS and grade(short.rpartition(letters[-1])[0]) >= Grade.TOKEN:
        return True  # accessKeyId
    drawn = len(short) >= 10 and sum(map(len, letters)) < (3 if digits > 1 else 2.2) * len(letters)
    return not drawn and grade(short) >= Grade.TOKEN and not looks_random(short)


def _counted(short: str) -> tuple[int, list[str]]:
    """The number of digits, and the words."""
    return sum(map(str.isdigit, short)), _RE.letters.findall(short)


def _symbols(value: str) -> bool:
    return bool(
        re.search(r"[!@#$%^&*+=~?]\S", value.strip("\"'<>[]{}()")) and re.search(r"[a-zA-Z]", value)
    ) and not value.startswith(("$", "%", "<", "{", "@"))


def is_plain(value: str) -> bool:
    """Whether ``value`` is a word, a path, a host or an address: too common to be searched for everywhere."""
    short = value[:MOST]
    if (
        is_placeholder(value)
        or _RE.link.fullmatch(short)
        or _RE.mail.fullmatch(short)
        or (_RE.uuid.fullmatch(short) and len(set(short)) < 6)
    ):
        return True
    if looks_random(short):
        return False
    if _RE.fit(short, ("path", "host", "model", "tool_id", "date")):
        return True
    if short.isdigit():
        return len(short) < 10
    wordy = re.fullmatch(r"[A-Za-z]+(?:[ _.-][A-Za-z]+)*", short)
    return bool(wordy) and likelihood(short) > -4.6 and len(short) < 20


def is_common(value: str) -> bool:
    """``is_plain``, except mixed-case letters unlike a name: they may be a password of only letters."""
    mixed = value.isalpha() and value.isascii() and not value.islower() and not value.istitle()
    return is_plain(value) and not (mixed and len(value) > 12 and likelihood(value) < _NAMELIKE)


_NAMELIKE = -4.2  # the likelihood of XMLHttpRequestUpload; random letters have less


def is_random(value: str) -> bool:
    return looks_random(value) and not re.search(r"\s", value) and not _RE.call.fullmatch(value)


def is_label(value: str) -> bool:
    """Whether ``value`` is a text of a user interface, a message, a description."""
    lower = value.lower()
    digits = any(map(str.isdigit, value))
    if digits and is_phrase(value):
        return False
    if _SECRET_NOUN.search(lower) and (_RE.rule.fullmatch(value) or not (digits or _inner(value))):
        return True
    if _RE.cjk_sentence.fullmatch(value) or _RE.remarked.fullmatch(value):
        return True
    if _RE.sentence.fullmatch(value):
        return _is_sentence(value, lower)
    return not digits and not value.isascii() and not re.search(r"[A-Za-z!@#$%^&*_-]", value)


def _is_sentence(value: str, lower: str) -> bool:
    """Whether several words are a sentence, not a passphrase."""
    words = value.split()
    titled = _RE.words.fullmatch(value) and (DULL | STOP | DESCRIBES).isdisjoint(lower.rstrip("!").split())
    if titled or _RE.mnemonic.fullmatch(value):
        return False
    if value.rstrip().endswith((".", "?", ":", "…")) or not STOP.isdisjoint(_RE.bare_word.findall(lower)):
        return True
    if all(map(_RE.word.fullmatch, words)):
        may_be_passphrase = 3 <= len(words) <= 24 and len(DULL.intersection(words)) <= (len(words) > 4)
        return not (may_be_passphrase and re.fullmatch(r"[a-z ]+", value))
    has_dull_word = any(len(word) > 2 and word in DULL for word in lower.split())
    return has_dull_word and not any(map(is_evident, words))


def _inner(value: str) -> bool:
    return bool(_RE.inner_symbol.search(value)) and " " not in value


def is_evident(value: str) -> bool:
    """Whether ``value`` is almost certainly a password: letters, digits, symbols, mixed unlike in names."""
    if not 5 <= len(value) <= 128 or not (
        mixed(value) or _RE.inner_symbol.search(value)
    ):  # decides most values quickly
        return False
    if _RE.leet.fullmatch(value):
        return True
    if _RE.cut.search(value) or not _RE.letter.search(value) or _is_other(value):
        return False
    if _RE.inner_symbol.search(value):
        return bool(_RE.digit.search(value) or (_SIGNED.search(value) and not _RE.added.search(value)))
    return mixed(value) and not _RE.unmixed.fullmatch(value)


def _is_other(value: str) -> bool:
    if value.lower() in DULL or _RE.fit(value, _OTHERS):
        return True
    if _RE.dotted.fullmatch(value) and not is_joined(value):
        return True
    return _RE.bracket.search(value) is not None and not is_random(value)


_OTHERS = ("path", "link", "mail", "host", "call", "date", "uuid", "mechanism", "offset", "other")
_SIGNED = lazy(r"[a-z][!@#^%~$&*+]+[A-Za-z]")


def is_password(value: str) -> bool:
    """Whether ``value`` has letters, digits and a symbol, or letters of both cases among digits, and is not a
    version, path or identifier."""
    if not _RE.digit.search(value):
        return False
    return is_joined(value) or (
        6 <= len(value) <= 64
        and _RE.unlike.search(value) is None
        and _RE.no_password.fullmatch(value) is None
        and (
            _RE.sign.search(value) is not None
            or (_RE.cases.match(value) is not None and not _RE.name.fullmatch(value))
        )
        and is_evident(value)
        and not is_placeholder(value)
    )


def mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_basic(value: str) -> bool:
    """Whether ``value`` is the base64 of ``user:password``."""
    if len(value) < 8 or len(value) > 512 or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", value):
        return False
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    found = re.fullmatch(r"[!-9;-~]{0,128}:([!-~\u00a1-\uffff]{2,256})", plain)
    return found is not None and not is_placeholder(found[1])
