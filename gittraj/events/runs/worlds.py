"""Defines a world: one way in which a command line can have gone, and what it would have printed.

A status is 0, or a positive number that means the failure of one command of the line, whatever the exit
status was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gittraj.events.runs.tokens import Word

OK = 0
ANY = -1
"""An unknown status."""
LITERAL = 1_000_000
"""Added to a status that the line states as a number, as in ``exit 3``."""
_EXPANSION = re.compile(
    r"\$(?:(?P<status>\?)|\{PIPESTATUS\[(?P<pipe>\d)\]\}|\{?(?P<name>[A-Za-z_]\w*)\}?|\([^)]*\)|.)|`[^`]*`"
)

Text = tuple[str | int | None, ...]
"""A printed line: literal text, statuses, and None for anything else that the shell expands."""


@dataclass(frozen=True, slots=True)
class World:
    """The state of the shell. ``status`` is ``$?``, ``pipe`` is ``PIPESTATUS``, ``job`` the status of the
    last background job; ``runs`` has the number and status of each run that was started."""

    status: int = OK
    pipe: tuple[int, ...] = ()
    job: int = ANY
    variables: tuple[tuple[str, int], ...] = ()
    printed: tuple[Text, ...] = ()
    runs: tuple[tuple[int, int], ...] = ()
    errexit: bool = False
    pipefail: bool = False
    exited: bool = False

    def value(self, text: str) -> int:
        """Return the status that a word states or expands to; ANY if it is not a status."""
        if text.isdigit():
            return OK if int(text) == 0 else LITERAL + int(text[:3])
        expansion = _EXPANSION.fullmatch(text)
        status = self._expand(expansion) if expansion else None
        return ANY if status is None else status

    def print(self, words: Sequence[Word]) -> Text:
        """Return the line that ``echo`` or ``printf`` prints; empty if it cannot be searched for."""
        texts = [word.text for word in words[1:]]
        while texts and re.fullmatch(r"-[neE]+", texts[0]):
            texts.pop(0)
        line = re.sub(r"^(?:\\n|\s)+|(?:\\n|\s)+$", "", " ".join(texts))
        line = re.sub(r"\\[nt].*|\n.*", "", line, flags=re.S)
        parts: list[str | int | None] = []
        at = 0
        for expansion in _EXPANSION.finditer(line):
            parts += [line[at : expansion.start()], self._expand(expansion)]
            at = expansion.end()
        parts.append(line[at:])
        text = tuple(each for each in parts if each != "")
        return text if any(each is not None and str(each).strip() for each in text) else ()

    def compare(self, words: Sequence[str]) -> bool | None:
        """Whether a test such as ``$? -eq 0`` is true; None for any other test."""
        match words:
            case [left, "-eq" | "=" | "==" as operator, "0", *_]:
                status = self.value(left)
            case [left, "-ne" | "!=" | "-gt" as operator, "0", *_]:
                status = self.value(left)
            case _:
                return None
        return None if status == ANY else (status == OK) == (operator in ("-eq", "=", "=="))

    def _expand(self, expansion: re.Match[str]) -> int | None:
        """Return the status that an expansion gives; None if it gives something else."""
        if expansion["status"]:
            return self.status
        if expansion["pipe"]:
            at = int(expansion["pipe"])
            return self.pipe[at] if at < len(self.pipe) else ANY
        return dict(self.variables).get(expansion["name"] or "")
