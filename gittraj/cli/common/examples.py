"""Reads the examples of each command from the manual, their only source, for its ``-h`` and for hints."""

from __future__ import annotations

import re
from importlib.resources import files

_ROOT = files("gittraj")
_MANUALS = (_ROOT / "_man" / "git-traj.1", _ROOT / ".." / "docs" / "git-traj.1")
"""The manual in an installation, and in a checkout."""
_EXAMPLE = re.compile(r"^\.TP\n\.B (git traj (\S+).*)\n((?:[^.\n].*\n)+)", re.MULTILINE)


def read_examples() -> dict[str, list[tuple[str, str]]]:
    """The example command lines of each command, and what each does."""
    examples: dict[str, list[tuple[str, str]]] = {}
    manual = next((path.read_text("utf-8") for path in _MANUALS if path.is_file()), "")
    text = manual.partition("\n.SH EXAMPLES\n")[2].partition("\n.SH ")[0] + "\n"
    for line, command, purpose in _EXAMPLE.findall(text.replace("\\-", "-").replace("\\(aq", "'")):
        name = "why" if command == "blame" else command
        examples.setdefault(name, []).append((line, " ".join(purpose.split())))
    return examples


def epilog(command: str) -> str | None:
    """The examples for ``-h``, or None; click does not rewrap a paragraph that begins with a backspace."""
    rows = [f"  {line}\n      {purpose}" for line, purpose in read_examples().get(command, ())]
    return "\n".join(("\b", f"Example{'s' * (len(rows) > 1)}:", *rows)) if rows else None
