"""Draws the tests' secrets at run time, so that nothing that looks like one stands in the repository."""

from __future__ import annotations

import base64
import random
import re
import string

_ALPHABETS = {
    "base62": string.ascii_letters + string.digits,
    "base36up": string.ascii_uppercase + string.digits,
    "base32": string.ascii_uppercase + "234567",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "base64": string.ascii_letters + string.digits + "+/",
    "url64": string.ascii_letters + string.digits + "_-",
    "alpha": string.ascii_letters,
    "hex": "0123456789abcdef",
    "digits": string.digits,
}
_HOLE = re.compile(r"\{(?P<alphabet>[a-z0-9]+):(?P<length>[0-9]+)\}")


def draw(alphabet: str, length: int, seed: object = 0) -> str:
    source = random.Random(f"{alphabet} {length} {seed}")
    if alphabet == "word":  # what a person would choose
        stem = source.choice(("Tiger", "Summer", "Orchid", "Bramble", "Pepper"))
        return (stem + "".join(source.choices("23456789", k=length)))[:length]
    if alphabet == "base64pw":
        return base64.b64encode(draw("word", length, seed).encode()).decode()
    drawn = "".join(source.choices(_ALPHABETS[alphabet], k=length - 2))
    middle = length // 2  # every alphabet but letters and digits alone gets both
    extra = {"alpha": "qZ", "digits": "90"}.get(alphabet, "7A" if alphabet not in ("hex",) else "7a")
    return drawn[:middle] + extra + drawn[middle:]


def expand(template: str, seed: object = 0) -> tuple[str, list[str]]:
    """The text of a template like ``ghp_{base62:36}``, and the secrets drawn for it."""
    secrets: list[str] = []

    def fill(hole: re.Match[str]) -> str:
        secrets.append(draw(hole["alphabet"], int(hole["length"]), (seed, len(secrets))))
        return secrets[-1]

    return _HOLE.sub(fill, template), secrets
