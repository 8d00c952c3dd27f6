"""Puts our entries into the text of an agent's hook settings, and removes them.

The shape is Claude Code's (https://docs.anthropic.com/en/docs/claude-code/hooks), which Codex and Gemini CLI
share: ``{"hooks": {EVENT: [{"matcher": TOOL, "hooks": [HANDLER]}]}}``. The text is spliced and never
serialised again, since it is the user's own: every other byte stays. Strict JSON only: what a lenient parser
accepts (comments, a key twice) cannot be spliced safely. It must not touch files.
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
class Place:
    """A value in the text: ``[at, end)``, with its key from ``first`` on if it has one."""

    key: str | None
    first: int
    at: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class Found:
    """An entry of ours: its event, and its path from the root in indexes; ``place`` is a whole group, or
    only a handler if somebody put theirs into the same group."""

    event: str
    path: tuple[int, ...]
    place: Place


def put(text: str, groups: Mapping[str, Json]) -> str:
    """Return ``text`` with the group of each event, replaced if it is there already; our entries for other
    events are removed. Raises TrajError, and then nothing may be written."""
    text = take(text or "{}\n", keep=tuple(groups))
    for event, group in groups.items():
        text = _put(text, event, group)
    return text


def take(text: str, *, keep: Sequence[str] = ()) -> str:
    """Return ``text`` without our entries, except those for the events ``keep``, and without the groups,
    events and ``hooks`` that are empty then. Raises TrajError."""
    while True:
        found = next((f for f in find(text) if f.event not in keep), None)
        if found is None:
            return text
        path = found.path
        while path:
            text = _remove(text, path)
            path = path[:-1]
            if not path or _at(text, path).value:
                break


def find(text: str) -> Iterator[Found]:
    """Our entries, in the text's order. Raises TrajError for text that is not strict JSON."""
    root = parse(text)
    for h, hooks in enumerate(_places(text, root)):
        if hooks.key != "hooks" or not isinstance(hooks.value, dict):
            continue
        for e, event in enumerate(_places(text, hooks)):
            for g, group in enumerate(_places(text, event) if isinstance(event.value, list) else ()):
                yield from _find_in_group(text, str(event.key), (h, e, g), group)


def parse(text: str) -> Place:
    """The root object. Raises TrajError."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise TrajError(f"it is not strict JSON{where}", "remove comments and trailing commas") from None
    if not isinstance(value, dict):
        raise TrajError("it is not a JSON object")
    at = _skip(text, 0)
    return Place(None, at, at, len(text.rstrip(" \t\r\n")), value)


def _find_in_group(text: str, event: str, path: tuple[int, ...], group: Place) -> Iterator[Found]:
    if not isinstance(group.value, dict) or not isinstance(group.value.get("hooks"), list):
        return
    inside = _places(text, group)
    k = next(i for i, member in enumerate(inside) if member.key == "hooks")
    handlers = _places(text, inside[k])
    for n, handler in enumerate(handlers):
        if is_ours(handler.value):
            alone = len(handlers) == 1
            yield Found(event, path if alone else (*path, k, n), group if alone else handler)


def is_ours(handler: Any) -> bool:
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and _OURS.fullmatch(command) is not None


def _put(text: str, event: str, group: Json) -> str:
    root = parse(text)
    hooks = _member(text, root, "hooks")
    if hooks is None:
        return _insert(text, root, "hooks", {event: [group]})
    if not isinstance(hooks.value, dict):
        raise TrajError('its "hooks" is not an object')
    there = _member(text, hooks, event)
    if there is None:
        return _insert(text, hooks, event, [group])
    if not isinstance(there.value, list):
        raise TrajError(f'its "hooks.{event}" is not a list')
    found = next((f for f in find(text) if f.event == event), None)
    if found is None:
        return _insert(text, there, None, group)
    wanted = group if len(found.path) == 3 else group["hooks"][0]
    if found.place.value == wanted:
        return text
    rendered = _render(wanted, _gap_before(text, found.place), text)
    return text[: found.place.at] + rendered + text[found.place.end :]


# ---------------------------------------------------------------- positions in the text


def _places(text: str, container: Place) -> list[Place]:
    """The members of an object, or the elements of a list, that is known to be valid JSON."""
    decoder = json.JSONDecoder()
    found: list[Place] = []
    at = _skip(text, container.at + 1)
    while text[at] not in "]}":
        first, key = at, None
        if isinstance(container.value, dict):
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value, end = decoder.raw_decode(text, at)
        found.append(Place(key, first, at, end, value))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _member(text: str, container: Place, key: str) -> Place | None:
    return next((place for place in _places(text, container) if place.key == key), None)


def _at(text: str, path: Sequence[int]) -> Place:
    place = parse(text)
    for index in path:
        place = _places(text, place)[index]
    return place


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


# ---------------------------------------------------------------- splices


def _insert(text: str, container: Place, key: str | None, value: Any) -> str:
    """Append a member or element, formatted like the one before it."""
    named = "" if key is None else f"{json.dumps(key)}: "
    found = _places(text, container)
    if found:
        gap = _gap_before(text, found[-1])
        new = "," + gap + named + _render(value, gap, text)
        return text[: found[-1].end] + new + text[found[-1].end :]
    end = container.end - 1
    root = _places(text, parse(text))
    if root and "\n" not in _gap_before(text, root[0]):  # all on one line
        return text[: container.at + 1] + named + _render(value, "", text) + text[end:]
    line = text[text.rfind("\n", 0, container.at) + 1 : container.at]
    outer = ("\r\n" if "\r\n" in text else "\n") + line[: _skip(line, 0)]
    gap = outer + _unit(text)
    return text[: container.at + 1] + gap + named + _render(value, gap, text) + outer + text[end:]


def _remove(text: str, path: Sequence[int]) -> str:
    container = _at(text, path[:-1])
    found, index = _places(text, container), path[-1]
    if len(found) == 1:
        return text[: container.at + 1] + text[container.end - 1 :]
    if index + 1 < len(found):
        return text[: found[index].first] + text[found[index + 1].first :]
    return text[: found[index - 1].end] + text[found[index].end :]


def _render(value: Any, gap: str, text: str) -> str:
    """Render JSON in the style of a text whose lines are separated by ``gap``."""
    if "\n" not in gap:
        return json.dumps(value, ensure_ascii=False)
    line = "\r\n" if "\r\n" in gap else "\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (line + gap[gap.rfind("\n") + 1 :]).join(lines)


def _gap_before(text: str, place: Place) -> str:
    before = place.first
    while before and text[before - 1] in " \t\r\n":
        before -= 1
    return text[before : place.first]


def _unit(text: str) -> str:
    """The indentation of one level, taken from the root's members."""
    root = _places(text, parse(text))
    gap = _gap_before(text, root[0]) if root else ""
    return gap[gap.rfind("\n") + 1 :] or _INDENT if "\n" in gap else _INDENT


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("it contains a key twice")
    return dict(pairs)
