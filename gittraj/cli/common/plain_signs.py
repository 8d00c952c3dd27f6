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
    """Writes signs as ASCII has them, and any other letter as an escape such as ``\\xe9``. Its encoding is
    UTF-8 by name: click replaces a stream in ASCII by one of its own."""

    def write(self, text: str, /) -> int:
        return super().write(plain(text))


def plain(text: str) -> str:
    return text.translate(_SIGNS).encode("ascii", "backslashreplace").decode("ascii")


def use_plain_signs() -> None:
    """For those of stdout and stderr that are terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream.isatty():
            setattr(sys, name, PlainStream(stream.detach(), "utf-8", line_buffering=True))
