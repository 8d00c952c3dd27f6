"""Puts git-traj's entries into the text of an agent's hook settings, and removes them.

The format is Claude Code's (https://docs.anthropic.com/en/docs/claude-code/hooks), which Codex and Gemini CLI
share: ``{"hooks": {EVENT: [{"matcher": TOOL, "hooks": [HANDLER]}]}}``. The text is the user's own, so entries
are spliced into it, and it is never serialised again: every other byte stays. Only strict JSON is edited: a
text that needs a lenient parser (comments, a repeated key) cannot be spliced safely. This module must not
touch files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from gittraj.errors import TrajError
from gittraj.frozen import dataclass

Json = dict[str, Any]
SCRIPT = "agent-hook"
WRAPPER = "git-traj"
_OURS = re.compile(rf"test ! -f ('.+/traj/{SCRIPT}') \|\| sh \1 [\w-]+", re.DOTALL)
"""A command that ``gittraj.agents.hook_command`` returned."""
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value in the text, from ``at`` to before ``end``. ``first`` is where its key, if any, begins."""

    key: str | None
    first: int
    at: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of git-traj for an event. ``path`` leads from the root to ``node``, as indexes; ``node`` is a
    whole group, or only a handler if somebody put other handlers into the same group."""

    event: str
    path: tuple[int, ...]
    node: Node


def put(text: str, groups: Mapping[str, Json]) -> str:
    """Return ``text`` with the group of each event, in place of the one that git-traj put there before;
    git-traj's entries for other events are removed. Raises TrajError, and then nothing may be written."""
    text = take(text or "{}\n", keep=tuple(groups))
    for event, group in groups.items():
        text = _put(text, event, group)
    return text


def take(text: str, *, keep: Sequence[str] = ()) -> str:
    """Return ``text`` without git-traj's entries, except those for the events ``keep``, and without the
    groups, events and ``hooks`` that become empty. Raises TrajError."""
    while True:
        entry = next((each for each in find(text) if each.event not in keep), None)
        if entry is None:
            return text
        path = entry.path
        while path:
            text = _remove(text, path)
            path = path[:-1]
            if not path or _at(text, path).value:
                break


def find(text: str) -> Iterator[Entry]:
    """Yield git-traj's entries in the text's order. Raises TrajError for text that is not strict JSON."""
    root = parse(text)
    for h, hooks in enumerate(_members(text, root)):
        if hooks.key != "hooks" or not isinstance(hooks.value, dict):
            continue
        for e, event in enumerate(_members(text, hooks)):
            for g, group in enumerate(_members(text, event) if isinstance(event.value, list) else ()):
                yield from _find_in_group(text, str(event.key), (h, e, g), group)


def parse(text: str) -> Node:
    """Return the root object. Raises TrajError."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise TrajError(f"it is not strict JSON{where}", "remove comments and trailing commas") from None
    if not isinstance(value, dict):
        raise TrajError("it is not a JSON object")
    at = _skip(text, 0)
    return Node(None, at, at, len(text.rstrip(" \t\r\n")), value)


def _find_in_group(text: str, event: str, path: tuple[int, ...], group: Node) -> Iterator[Entry]:
    if not isinstance(group.value, dict) or not isinstance(group.value.get("hooks"), list):
        return
    members = _members(text, group)
    k = next(i for i, member in enumerate(members) if member.key == "hooks")
    handlers = _members(text, members[k])
    for n, handler in enumerate(handlers):
        if is_ours(handler.value):
            alone = len(handlers) == 1
            yield Entry(event, path if alone else (*path, k, n), group if alone else handler)


def is_ours(handler: Any) -> bool:
    """Return whether git-traj wrote a handler."""
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and _OURS.fullmatch(command) is not None


def _put(text: str, event: str, group: Json) -> str:
    root = parse(text)
    hooks = _member(text, root, "hooks")
    if hooks is None:
        return _insert(text, root, "hooks", {event: [group]})
    if not isinstance(hooks.value, dict):
        raise TrajError('its "hooks" is not an object')
    groups = _member(text, hooks, event)
    if groups is None:
        return _insert(text, hooks, event, [group])
    if not isinstance(groups.value, list):
        raise TrajError(f'its "hooks.{event}" is not a list')
    entry = next((each for each in find(text) if each.event == event), None)
    if entry is None:
        return _insert(text, groups, None, group)
    new = group if len(entry.path) == 3 else group["hooks"][0]
    if entry.node.value == new:
        return text
    rendered = _render(new, _gap_before(text, entry.node), text)
    return text[: entry.node.at] + rendered + text[entry.node.end :]


# ---------------------------------------------------------------- positions in the text


def _members(text: str, container: Node) -> list[Node]:
    """Return the members of an object, or the elements of a list, that is known to be valid JSON."""
    decoder = json.JSONDecoder()
    nodes: list[Node] = []
    at = _skip(text, container.at + 1)
    while text[at] not in "]}":
        first, key = at, None
        if isinstance(container.value, dict):
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value, end = decoder.raw_decode(text, at)
        nodes.append(Node(key, first, at, end, value))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return nodes


def _member(text: str, container: Node, key: str) -> Node | None:
    return next((node for node in _members(text, container) if node.key == key), None)


def _at(text: str, path: Sequence[int]) -> Node:
    node = parse(text)
    for index in path:
        node = _members(text, node)[index]
    return node


def _skip(text: str, at: int) -> int:
    """Return the position of the first character from ``at`` on that is not white space."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


# ---------------------------------------------------------------- splices


def _insert(text: str, container: Node, key: str | None, value: Any) -> str:
    """Append a member or an element, formatted like the one before it."""
    start = "" if key is None else f"{json.dumps(key)}: "
    members = _members(text, container)
    if members:
        gap = _gap_before(text, members[-1])
        new = "," + gap + start + _render(value, gap, text)
        return text[: members[-1].end] + new + text[members[-1].end :]
    end = container.end - 1
    root = _members(text, parse(text))
    if root and "\n" not in _gap_before(text, root[0]):  # all on one line
        return text[: container.at + 1] + start + _render(value, "", text) + text[end:]
    line = text[text.rfind("\n", 0, container.at) + 1 : container.at]
    outer = ("\r\n" if "\r\n" in text else "\n") + line[: _skip(line, 0)]
    gap = outer + _unit(text)
    return text[: container.at + 1] + gap + start + _render(value, gap, text) + outer + text[end:]


def _remove(text: str, path: Sequence[int]) -> str:
    """Return ``text`` without the node at ``path``, and without the comma next to it."""
    container = _at(text, path[:-1])
    members, index = _members(text, container), path[-1]
    if len(members) == 1:
        return text[: container.at + 1] + text[container.end - 1 :]
    if index + 1 < len(members):
        return text[: members[index].first] + text[members[index + 1].first :]
    return text[: members[index - 1].end] + text[members[index].end :]


def _render(value: Any, gap: str, text: str) -> str:
    """Return ``value`` as JSON in the style of ``text``, whose members are separated by ``gap``."""
    if "\n" not in gap:
        return json.dumps(value, ensure_ascii=False)
    line = "\r\n" if "\r\n" in gap else "\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (line + gap[gap.rfind("\n") + 1 :]).join(lines)


def _gap_before(text: str, node: Node) -> str:
    before = node.first
    while before and text[before - 1] in " \t\r\n":
        before -= 1
    return text[before : node.first]


def _unit(text: str) -> str:
    """Return the indentation of one level, taken from the root's members."""
    root = _members(text, parse(text))
    gap = _gap_before(text, root[0]) if root else ""
    return gap[gap.rfind("\n") + 1 :] or _INDENT if "\n" in gap else _INDENT


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("it has a duplicate key")
    return dict(pairs)
