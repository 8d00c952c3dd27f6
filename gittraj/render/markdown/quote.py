"""Untrusted text as data in a prompt: quoted so that nothing in it can pose as structure.

The output is JSON on one line and decodes to the input, so a quote ends only where we end it. Invisible and
direction characters, and the building blocks of prompts (tags, fences, double brackets, words in upper case
in brackets), are escaped by number. It cannot keep a model from believing a text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gittraj.model.unseen import is_unseen

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_STRUCTURE = re.compile(r"<(?=[A-Za-z/!?|<])|\[(?=\[|/?[A-Z]{2})|`(?=``)|(?<=`)`|~(?=~~)|(?<=~)~")


def quote(value: Any) -> str:
    """A text, or a document with texts in it, as JSON."""
    encoded = json.dumps(value, ensure_ascii=False)
    if not (encoded.isascii() and encoded.isprintable()):
        encoded = "".join(_spell(s) if is_unseen(s) else s for s in encoded)
    # the document's own brackets may stand side by side
    return _STRING.sub(lambda text: _STRUCTURE.sub(lambda match: _spell(match[0]), text[0]), encoded)


def one_line(text: str) -> str:
    """``text`` with all white space collapsed to single spaces."""
    return " ".join(text.split())


def weigh(text: str) -> int:
    """Quarters of a token, estimated: one for a character of ASCII, two for each byte that UTF-8 needs for
    any other (é is a token, a Chinese character one and a half, an emoji two). Additive."""
    return sum(1 if sign < "\x80" else 2 * len(sign.encode("utf-8", "replace")) for sign in text)


def _spell(sign: str) -> str:
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
