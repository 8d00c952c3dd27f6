r"""The image of a text: as long as the text, character for character, and easy to match against.

Escapes, at any depth of JSON in JSON, become fillers and the character they stand for (``\\\"`` is
three fillers and a quote, ``\n`` a filler and a newline), colours become fillers, and what isn't ASCII
becomes ``?``. So a span found in the image is the span of the text, and a rule needs no branch for
quoting. The text itself is never changed here.
"""

from __future__ import annotations

import re

FILLER = "\x7f"

LONG_WORD = 16  # characters: no token that is known by its form is shorter
_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+=:~$%,"
_NO_WORD = {code: " " for code in range(128) if chr(code) not in _WORD}

# Starts only where a run of backslashes starts, and never gives any back: linear on 300 KB of them.
_ESCAPE = re.compile(
    r"""(?<!\\)\\++(?:
          (?:u001[bB]|x1[bB]|033|e)\[[0-9;:]{0,24}[A-Za-z]      # a colour, written out
        | u00(?P<code>[2-7][0-9a-fA-F])
        | (?P<other>u[0-9a-fA-F]{4})
        | (?P<plain>[nrt"'`/=:&])
        | (?=\x7f)                                              # outside of one that was replaced before
        )
      | \x1b(?:\[[0-9;:?]{0,24}[A-Za-z]|[()][AB0])             # a colour as it is
    """,
    re.VERBOSE,
)
_COMMON = (("\n", r"\n"), ('"', r"\""), ("\t", r"\t"))  # ten times as fast as the pattern
_PLAIN = {"n": "\n", "r": "\r", "t": "\t"}


def image_of(text: str) -> str:
    """The image of ``text``: ASCII, of the same length."""
    image = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
    if FILLER in image:
        image = image.replace(FILLER, "?")
    if "\\" in image:
        for plain, escape in _COMMON:
            image = image.replace(escape, FILLER + plain)
    if "\\" in image or "\x1b" in image:
        image = _ESCAPE.sub(_fill, image)
    return image


def vocabulary(image: str) -> tuple[str, str]:
    """Where to look for anchors first: the distinct words in lower case, and the long ones as they are."""
    words = set(image.translate(_NO_WORD).split())
    return "\n".join(words).lower(), "\n".join(word for word in words if len(word) >= LONG_WORD)


def _fill(match: re.Match[str]) -> str:
    length = match.end() - match.start()
    if plain := match["plain"]:
        return FILLER * (length - 1) + _PLAIN.get(plain, plain)
    if code := match["code"]:
        return FILLER * (length - 1) + chr(int(code, 16)).replace(FILLER, "?")
    return FILLER * (length - 1) + ("?" if match["other"] else FILLER)
