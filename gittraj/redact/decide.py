"""Decides what is a secret; nothing else does. A reader proposes a candidate; here judges check its value.

A reader chooses the judges by the candidate's position, a rule names them in its column ``accept``: the less
the position proves, the more the value must prove. ``named`` judges values with a name and a syntax,
``proof`` words in prose.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from .base58 import has_checksum
from .load import patterns, tables
from .made import DULL, is_chosen, is_joined, is_phrase, is_worded
from .named import Style, is_secret
from .names import Grade
from .page import Page, Span
from .proof import Proof, proof
from .public import is_public
from .randomness import likelihood, looks_random
from .values import is_basic, is_evident, is_label, is_password, is_placeholder

_RE = patterns("values")


@dataclass(frozen=True, slots=True)
class Candidate(Span):
    """A possible secret. ``accept``: its judges, one of which must accept it (``chosen | joined``);
    ``grade``: what its name proves."""

    accept: str = "exact"
    grade: Grade = Grade.STRONG


Proposals = Generator[Candidate, bool, None]
"""The candidates of a reader; each is answered by whether it is a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A kind of text that needs code to read. ``find`` proposes possible secrets in the page's view; it must
    be quick if there are none. Its examples are in ``data/readers.toml``."""

    id: str
    kind: str
    find: Callable[[Page], Proposals]

    @property
    def good(self) -> tuple[str, ...]:
        return tuple(tables("readers").get(self.id, {}).get("good", ()))

    @property
    def bad(self) -> tuple[str, ...]:
        return tuple(tables("readers").get(self.id, {}).get("bad", ()))


def decided(text: str, proposals: Proposals) -> Iterator[Span]:
    """The candidates that are secrets."""
    try:
        candidate = next(proposals)
        while True:
            if secret := decide(text, candidate):
                yield candidate
            candidate = proposals.send(secret)
    except StopIteration:
        return


def decide(text: str, candidate: Candidate) -> bool:
    value = text[candidate.start : candidate.end]
    judges = candidate.accept.split(" | ")
    return any(_takes(one, value, candidate.grade) for one in judges) and not is_public(text, candidate)


def _takes(judge: str, value: str, grade: Grade) -> bool:
    if style := _STYLES.get(judge):
        return is_secret(value, grade, style)
    if least := _PROOFS.get(judge):
        return proof(value) >= least
    return _FORMS[judge](value)


def is_named(value: str) -> bool:
    """Anything except a placeholder, reference, label or UUID."""
    return not _RE.uuid.fullmatch(value) and _is_exact(value)


def is_clear(value: str) -> bool:
    """A value that looks like a secret by itself: its position is weak evidence."""
    if not is_named(value) or " " in _decoded(value):
        return False
    if is_evident(value) or looks_random(value):
        return True
    if _RE.hex_of_a_device.fullmatch(value):
        return False
    if _RE.words_alone.fullmatch(value):
        return not is_label(value)
    digit = re.search(r"\d", value) is not None
    signed = len(value) >= 8 and _RE.a_sign.search(value) is not None
    return digit and (signed or not value.isascii())


def is_given(value: str) -> bool:
    """A value that looks like a secret, or like a password that a person sets on a device: two words, a long
    number, hex."""
    if not is_named(value) or " " in _decoded(value):
        return False
    return (
        is_clear(value)
        or is_chosen(value)
        or is_joined(value)
        or _RE.hex_of_a_device.fullmatch(value) is not None
        or (value.isdigit() and len(value) >= 8)
        or (len(value) >= 8 and _RE.odd_capitals.fullmatch(value) is not None)
    )


def is_in_url(value: str) -> bool:
    """``is_named`` for a value that may be percent-encoded."""
    from urllib.parse import unquote  # noqa: PLC0415 - it takes longer to import than all of this package

    return _is_exact(unquote(value))


def is_fed(value: str) -> bool:
    """The input of a command, unless it is plain text, base64 of plain text, or the answer to a question."""
    value = value.strip()
    decoded = _decoded(value)
    if " " in decoded or is_label(decoded) or value in _ANSWERS:
        return False
    return _is_exact(value)


def _decoded(value: str) -> str:
    """The decoded text, if the value is the base64 of ASCII text; else empty."""
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except ValueError:
        return ""


_ANSWERS = frozenset(["hello", "world", "yes", "y", "n", "no", "test", "ok", "done", "data", "foo", "bar"])


def is_drawn(value: str) -> bool:
    """Whether the part after the prefix is random, unlike that of ``sk-your-api-key-goes-here``."""
    body = _RE.prefix.sub("", value[:160])
    if (
        is_placeholder(value)
        or is_placeholder(body)
        or len(set(body)) < 7
        or _RE.sequence.search(body.lstrip("A").lower())
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
    """The token of an unknown vendor: random, and not the identifier of a message, a call or a session."""
    body = _RE.prefix.sub("", value)
    if _RE.public_id.search(value) or _RE.tool_id.fullmatch(value):
        return False
    return (
        len(body) >= 16
        and not re.fullmatch(r"[0-9a-f]{17}", body)
        and likelihood(body) < -5.2
        and any(map(str.isdigit, body))
        and is_drawn(value)
    )


def is_argument(value: str) -> bool:
    """An argument of a call that takes a password."""
    if not _is_exact(value) or (value.isdigit() and len(value) < 6):
        return False
    return proof(value) > Proof.NONE or is_evident(value) or looks_random(value)


def is_drawn_argument(value: str) -> bool:
    return (
        len(value) >= 8
        and not _RE.not_drawn.search(value)
        and is_secret(value, Grade.TOKEN, Style.EXACT)
        and (is_evident(value) or looks_random(value))
    )


def is_octets(value: str) -> bool:
    """Random bytes: key codes are below 128; other numbers exceed 255, are in order or repeat."""
    found = [int(one, 16 if "x" in one else 10) for one in value.split(",")]
    return 127 < max(found) < 256 and found != sorted(found) and len({*found}) > 0.7 * len(found)


def _is_exact(value: str) -> bool:
    return is_secret(value, Grade.STRONG, Style.EXACT)


_FORMS: dict[str, Callable[[str], bool]] = {
    "uuid": lambda value: _RE.uuid.fullmatch(value) is not None,
    "named": is_named,
    "evident": is_clear,
    "chosen": is_given,
    # made of words joined by symbols or numbers
    "joined": lambda value: (
        is_named(value) and any(one(value) for one in (is_joined, is_worded, is_password))
    ),
    "phrase": is_phrase,
    "password": is_password,
    "in-url": is_in_url,
    "opaque": lambda value: (
        not is_placeholder(value)
        and (any(map(str.isdigit, value)) or is_secret(value, Grade.WEAK, Style.EXACT))
    ),
    "token": lambda value: is_secret(value, Grade.TOKEN, Style.EXACT),
    "basic": is_basic,
    "fed": is_fed,
    # the output of a command that makes or shows a secret
    "shown": lambda value: is_named(value) and bool(proof(value) or _RE.shown_base64.fullmatch(value)),
    "drawn": is_drawn,
    "jwt": is_jwt,
    "any-token": is_any_token,
    "checksum": has_checksum,
    # groups of letters that are not of any language
    "unspoken": lambda value: likelihood(value.replace("-", "")) < -4.4,
    "argument": is_argument,
    # the second argument of a call that takes only a user and a password
    "alone": lambda value: value.lower() not in DULL and " " not in value and _is_exact(value),
    "drawn-argument": is_drawn_argument,
    # the argument of a call that takes a key: hex of a key's length, or a word that somebody made up
    "key": lambda value: _RE.key.fullmatch(value) is not None or (value.islower() and is_chosen(value)),
    "octets": is_octets,
    "literal": lambda value: not is_placeholder(value),
    "any": bool,
}
_STYLES = {style.value: style for style in Style}
_PROOFS = {least.name.lower(): least for least in Proof}
JUDGES = {*_STYLES, *_PROOFS, *_FORMS}
