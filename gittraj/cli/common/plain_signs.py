"""Output for a terminal whose locale is C or POSIX: it shows ASCII only."""

from __future__ import annotations

import io
import sys

_SIGNS = str.maketrans(
    {
        "·": "-",
        "…": "...",
        "—": "-",
        "–": "-",
        "→": "->",
        "»": ">",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "●": "*",
        "○": "o",
        "◆": "+",
        "■": "#",
        "✗": "x",
        "≠": "!",
        "≥": ">=",
        "\N{NO-BREAK SPACE}": " ",
        "⚠": "!",
        "\N{VARIATION SELECTOR-16}": "",
    }
)


class PlainStream(io.TextIOWrapper):
    """Writes symbols as similar ASCII, and any other character as an escape such as ``\\xe9``. Its encoding
    is named UTF-8, because click replaces an ASCII stream by one of its own."""

    def write(self, text: str, /) -> int:
        return super().write(plain(text))


def plain(text: str) -> str:
    return text.translate(_SIGNS).encode("ascii", "backslashreplace").decode("ascii")


def use_plain_signs() -> None:
    """Use ASCII for stdout and stderr, if they are terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream.isatty():
            setattr(sys, name, PlainStream(stream.detach(), "utf-8", line_buffering=True))
