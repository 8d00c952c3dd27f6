"""Cuts the changes of excluded files out of what git printed, as far as the output itself names the files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from gittraj.model.session_items import Entry, Item
from gittraj.model.texts import map_texts
from gittraj.model.values import ToolResult

_COLOURS = r"(?:\x1b\[[\d;]*m)*+"
_NUMBER = r"[ ]*+\d++[\t:]"
_AT = rf"(?(number){_NUMBER})(?P=before){_COLOURS}"
"""The beginning of a line below a head: numbered if that is, with the same branches of ``--graph``."""
_BRANCHES = rf"(?:{_COLOURS}[|\\/_ ])*+"
_SETTINGS = (
    r"(?:(?:dis)?similarity|index|(?:old|new|deleted)[ ](?:mode|file)|mode|rename|copy|Binary[ ]files)"
)
_BASE85 = r"(?:(?:literal|delta)[ ]\d+|[A-Za-z](?:[!-~]{5})+)?"
_NEXT_COMMIT = rf"{_BRANCHES}(?:\*[ ]+{_COLOURS}(?:commit[ ])?[0-9a-f]{{7}}|{_COLOURS}diff[ ]--)"
_DIFF = re.compile(
    rf"""^(?P<number>{_NUMBER})?+
    (?P<before>(?P<branches>(?=[ ]*+{_COLOURS}[|\\/*]))?(?:{_COLOURS}[|\\/*_ ])*+){_COLOURS}
    (?P<head>diff[ ]--(?:git|cc|combined)[ ](?P<names>[^\n]*)
        | ---[ ](?P<old>[^\n]*)\n{_AT}\+\+\+[ ](?P<new>[^\n]*))
    (?:\n{_AT}(?:{_SETTINGS}[ ][^\n]*
        | GIT[ ]binary[ ]patch\r?(?:\n{_AT}{_BASE85}{_COLOURS}\r?(?=\n|\Z))*+))*+
    (?:\n{_AT}---[ ][^\n]*\n{_AT}\+\+\+[ ][^\n]*)?+
    (?:(?:\n[ \t\r]*+(?=\n))*+\n(?:{_AT}[ +\-@\\](?!--[ ][^\n]*\n{_AT}\+\+\+[ ][^\n]*\n{_AT}@@)
        | (?(branches)(?=[ ]*+{_COLOURS}[|\\/])(?!{_NEXT_COMMIT})|(?!)))[^\n]*)*+""",
    re.MULTILINE | re.VERBOSE,
)
"""The changes of a file as git prints them. Below a head the branches may move, until the next commit."""
_LEFT_OUT = "[left out: traj.exclude names this file]"


def without_diffs(item: Item, excluded: Callable[[str], bool]) -> Item:
    """Return the item; in a call's result, the changes of ``excluded`` files that git printed are cut out, as
    the command itself may not have named these files."""
    if not isinstance(item, Entry) or not isinstance(item.event, ToolResult):
        return item

    def cut(diff: re.Match[str]) -> str:
        files = chain.from_iterable(map(_files_of, diff.group("names", "old", "new")))
        return f"{diff['head']}\n{_LEFT_OUT}" if any(map(excluded, files)) else diff[0]

    event = map_texts(
        item.event, lambda text, _: _DIFF.sub(cut, text) if "diff --" in text or "+++ " in text else text
    )
    return item if event == item.event else replace(item, event=replace(event, truncated=True))


def _files_of(names: str | None) -> Iterator[str]:
    """The paths that a line of a diff's head may name; most begin with a letter and a slash."""
    names = re.sub(_COLOURS, "", names or "").partition("\t")[0].strip()
    if '"' in names:
        plain = names.replace('"', "").encode().decode("unicode_escape", "replace")
        names = plain.encode("latin-1", "replace").decode(errors="replace")
    half = len(names) // 2
    for name in (names, names[:half], names[half + 1 :], *names.split()):
        yield from (name, name.partition("/")[2])
