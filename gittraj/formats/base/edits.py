"""Derives what tools do to files from the old and the new text among a call's arguments.

Agents repeat unchanged lines around a change as context; those do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gittraj.formats.base import coerce
from gittraj.model.session_items import Edit


def only_in(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The lines of ``lines``, in their order, that ``others`` lacks or has fewer times."""
    surplus = Counter(lines) - Counter(others)
    kept: list[str] = []
    for line in reversed(lines):  # of equal lines, the later ones are the new ones
        if surplus[line]:
            surplus[line] -= 1
            kept.append(line)
    return tuple(kept[::-1])


def texts(fields: Any, keys: Iterable[str]) -> Iterator[str]:
    """The texts under ``keys``, in that order."""
    return (text for key in keys if (text := coerce.text(coerce.at(fields, key))))


def written(path: str, whole: Any, **known: Any) -> tuple[Edit, ...]:
    """The edit that writes the ``whole`` text; empty if ``whole`` is not a text."""
    if not isinstance(whole, str):
        return ()
    return (Edit(path=path, added=tuple(whole.splitlines()), whole=whole, **known),)


def replaced(path: str, pairs: Iterable[tuple[str, str]], **known: Any) -> Edit:
    """The edit that replaces old texts with new ones."""
    added: list[str] = []
    removed: list[str] = []
    for old, new in pairs:
        before, after = old.splitlines(), new.splitlines()
        added += only_in(after, before)
        removed += only_in(before, after)
    return Edit(path=path, added=tuple(added), removed=tuple(removed), **known)


def pairs(
    changes: Iterable[dict[str, Any]], old: Iterable[str], new: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The old and the new text of each change; ``old`` and ``new`` are the keys that they may have."""
    return ((coerce.first(change, *old) or "", coerce.first(change, *new) or "") for change in changes)


# ---------------------------------------------------------------- ``str_replace_editor``


def editor(arguments: Any) -> tuple[Edit, ...]:
    """The edits of a call of the editor that several agents have under a few names; its arguments were
    published with Anthropic's text editor tool."""
    fields = coerce.mapping(arguments)
    path = coerce.text(fields.get("path"))
    ((old, new),) = pairs([fields], ["old_str"], ["new_str"])
    match fields.get("command"):
        case "create" if path:
            return written(path, fields.get("file_text"), kind="add")
        case "str_replace" if path and (old or new):
            return (replaced(path, [(old, new)]),)
        case "insert" if path and new:
            return (Edit(path=path, added=tuple(new.splitlines())),)
        case _:
            return ()
