"""Cuts the changes of excluded files out of what git printed, as far as the output itself names the files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from gittraj.model.session_items import Entry, Item
from gittraj.model.texts import map_texts
from gittraj.model.values import ToolResult

_COLOURS = re.compile(r"\x1b\[[\d;]*m")
_DIFF = re.compile(
    rf"^(?P<before>(?:[|\\/* ]|{_COLOURS.pattern})*+)(?P<head>diff --(?:git|cc|combined) (?P<names>[^\n]*))"
    rf"(?:\n(?!(?P=before)diff --|(?:{_COLOURS.pattern})*commit [0-9a-f]{{40}})[^\n]*)*+",
    re.MULTILINE,
)
"""The changes of a file as git prints them; what follows the last file of a commit counts as changes, too."""
_LEFT_OUT = "[left out: traj.exclude names this file]"


def without_diffs(item: Item, excluded: Callable[[str], bool]) -> Item:
    """Return the item; in a call's result, the changes of ``excluded`` files that git printed are cut out, as
    the command itself may not have named these files."""
    if not isinstance(item, Entry) or not isinstance(item.event, ToolResult):
        return item

    def cut(diff: re.Match[str]) -> str:
        return f"{diff['head']}\n{_LEFT_OUT}" if any(map(excluded, _files_of(diff["names"]))) else diff[0]

    event = map_texts(item.event, lambda text, _: _DIFF.sub(cut, text) if "diff --" in text else text)
    return item if event == item.event else replace(item, event=replace(event, truncated=True))


def _files_of(names: str) -> Iterator[str]:
    """The paths that the first line of a diff may name; most begin with a letter and a slash."""
    names = _COLOURS.sub("", names).strip()
    if '"' in names:
        plain = names.replace('"', "").encode().decode("unicode_escape", "replace")
        names = plain.encode("latin-1", "replace").decode(errors="replace")
    half = len(names) // 2
    for name in (names, names[:half], names[half + 1 :], *names.split()):
        yield from (name, name.partition("/")[2])
