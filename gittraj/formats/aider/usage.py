"""Reads the tokens and the cost that Aider prints after a model call."""

from __future__ import annotations

import re

from gittraj.formats.base import coerce
from gittraj.model.values import Usage

NUMBER = r"([\d.,]{1,20}[kM]?)"
_AMOUNT = re.compile(rf"{NUMBER} (sent|received|cache hit|cache write)\b")
_COST = re.compile(r"Cost: \$(\d[\d,]{0,12}(?:\.\d{1,12})?) (?:message|request)")


def usage(text: str) -> Usage:
    """The tokens of the call. In the text, sent tokens include cached ones; they are subtracted."""
    amounts = {what: _amount(number) for number, what in _AMOUNT.findall(text)}
    return coerce.usage(amounts, ("sent", "cache hit", "cache write", "received"), cached_in_input=True)


def cost(text: str) -> float | None:
    """The cost of the call in US dollars, if it is printed."""
    match = _COST.search(text)
    return float(match[1].replace(",", "")) if match else None


def _amount(written: str) -> int:
    """The number that Aider writes as ``10,924``, ``12k``, ``1.2k`` or ``3M``; 0 for any other text."""
    factor = {"k": 1_000, "M": 1_000_000}.get(written[-1], 1)
    try:
        return round(float(written.rstrip("kM").replace(",", "")) * factor)
    except ValueError:
        return 0
