"""Output for a terminal whose locale is C or POSIX: it shows ASCII only."""

from __future__ import annotations

import io
import sys

_REPLACEMENTS = str.maketrans(
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
    """Writes symbols as similar ASCII, and any other character as an escape such as ``\\xe9``. Its stated
    encoding is UTF-8, because click replaces an ASCII stream with its own."""

    def write(self, text: str, /) -> int:
        return super().write(plain(text))


def plain(text: str) -> str:
    """Return the text in ASCII."""
    return text.translate(_REPLACEMENTS).encode("ascii", "backslashreplace").decode("ascii")


def use_ascii() -> None:
    """Use ASCII for stdout and stderr, if they are terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream.isatty():
            setattr(sys, name, PlainStream(stream.detach(), "utf-8", line_buffering=True))
