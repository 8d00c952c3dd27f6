"""Draws the secrets of the rules' examples at run time, so that nothing here looks like one."""

from __future__ import annotations

import base64
import random
import re

from .base58 import with_checksum
from .lazy import lazy
from .load import tables

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
    drawn = "".join(source.choices(tables("alphabets")[alphabet], k=length - 2))
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
