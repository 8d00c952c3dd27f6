"""Draws the secrets of the rules' examples at run time, so that nothing here looks like one."""

from __future__ import annotations

import base64
import random
import re
import string

from .base58 import with_checksum
from .lazy import lazy

_ALPHABETS = {
    "base62": string.ascii_letters + string.digits,
    "base36up": string.ascii_uppercase + string.digits,
    "base32": string.ascii_uppercase + "234567",
    "base36low": string.ascii_lowercase + string.digits,
    "base58": "".join(c for c in string.ascii_letters + string.digits if c not in "0OIl"),
    "bech32low": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "base64": string.ascii_letters + string.digits + "+/",
    "url64": string.ascii_letters + string.digits + "_-",
    "alpha": string.ascii_letters,
    "lowrare": "bcdfghjkmnpqvwxz",
    "uprare": "BCDFGHJKMNPQVWXZ",
    "hex": "0123456789abcdef",
    "hexup": "0123456789ABCDEF",
    "digits": string.digits,
}
_HOLE = lazy(r"\{(?P<alphabet>[a-z0-9]+):(?P<length>[0-9]+)\}")


def draw(alphabet: str, length: int, seed: object = 0) -> str:
    """Draw ``length`` characters of an alphabet; for ``wif``, a bitcoin key with its checksum, of any
    ``length``."""
    source = random.Random(f"{alphabet} {length} {seed}")  # noqa: S311 - not a secret, only an example of one
    if alphabet == "word":  # a password as a person would choose it
        stem = source.choice(("Tiger", "Summer", "Orchid", "Bramble", "Pepper"))
        return (stem + "".join(source.choices("23456789", k=length)))[:length]
    if alphabet == "wif":
        return with_checksum(b"\x80" + source.randbytes(32) + b"\x01")
    if alphabet == "base64pw":
        return base64.b64encode(draw("word", length, seed).encode()).decode()
    drawn = "".join(source.choices(_ALPHABETS[alphabet], k=length - 2))
    middle = length // 2  # every alphabet except only letters or only digits gets both
    lower = alphabet in ("hex", "base36low", "bech32low")
    letters = {"alpha": "qZ", "lowrare": "qz", "uprare": "QZ", "digits": "90"}
    extra = letters.get(alphabet, "7a" if lower else "7A")
    return drawn[:middle] + extra + drawn[middle:]


def expand(template: str, seed: object = 0) -> tuple[str, list[str]]:
    """The text of a template like ``ghp_{base62:36}``, and the secrets drawn for it."""
    secrets: list[str] = []

    def fill(hole: re.Match[str]) -> str:
        secrets.append(draw(hole["alphabet"], int(hole["length"]), (seed, len(secrets))))
        return secrets[-1]

    return _HOLE.sub(fill, template), secrets
