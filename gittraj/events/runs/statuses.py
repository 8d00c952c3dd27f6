"""Works out the possible exit statuses of a command line's runs from the whole call's status and output.

A world is one way in which the line may have gone. A world is dropped if it ends with another status than the
call's, or prints what is not in the output. What the other worlds agree on is known: in
``pytest >/dev/null && echo OK || echo FAIL`` the printed word decides; in ``pytest | tail`` nothing does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from gittraj.events.runs.shell import Node
from gittraj.events.runs.views import read_back
from gittraj.events.runs.walk import Run, Walk
from gittraj.events.runs.worlds import ANY, LITERAL, OK, Text, World

_LINES = 400
"""How many lines of output, from its end, are searched for what the command line itself printed."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The worlds that agree with status and output. ``codes`` maps the numbers of failures to their exit
    statuses, as far as these could be read; ``seen`` is what the line itself printed."""

    runs: tuple[Run, ...]
    worlds: tuple[World, ...]
    codes: dict[int, int]
    seen: frozenset[Text] = frozenset()

    def status(self, run: Run) -> int | None:
        """Return OK, or the run's own number for a failure; None if the worlds differ, or none ran it."""
        seen = {dict(world.runs).get(run.index) for world in self.worlds}
        return seen.pop() if len(seen) == 1 else None

    def reached(self, run: Run) -> bool | None:
        """Whether the run was started; None if the worlds differ."""
        seen = {run.index in dict(world.runs) for world in self.worlds}
        return seen.pop() if len(seen) == 1 else None

    def replaces(self, run: Run, other: Run) -> bool:
        """Whether the run is started only after the ``other`` one failed, as after ``||``."""
        worlds = [dict(world.runs) for world in self.worlds]
        return all(run.index not in each or each.get(other.index, OK) != OK for each in worlds)

    def shows_failure(self, run: Run) -> bool:
        """Whether something was printed that only a failure of the run prints, maybe in one iteration of a
        loop."""
        printed: dict[bool, set[Text]] = {True: set(), False: set()}
        for world in self.worlds:
            if (status := dict(world.runs).get(run.index)) is not None:
                printed[status == OK].update(world.printed)
        return bool((printed[False] - printed[True]) & self.seen)

    def where(self, keep: Callable[[World], bool]) -> Knowledge:
        """Return the knowledge with only the worlds for which ``keep`` is true; if it never is, with all."""
        return replace(self, worlds=tuple(filter(keep, self.worlds)) or self.worlds)


def explain(
    tree: Node, is_run: Callable[[Sequence[str]], object], *, output: str, exit_code: int | None, cut: bool
) -> Knowledge:
    """Work out what is known about the runs in ``tree``. ``cut``: some of the output was left out.

    Raises TooManyWorldsError, and ValueError if a nested script has a quotation that does not end.
    """
    lines = list(map(str.strip, output.splitlines()))
    walk = Walk(is_run, output, read_back(tree, len(lines)))
    worlds = [world for world in walk.walk(tree) if _ends_with(world, exit_code)]
    codes: dict[int, int] = {}
    printed = chain.from_iterable(world.printed for world in worlds)
    seen = {text: _find(text, lines[-_LINES:], codes) for text in dict.fromkeys(printed)}
    if not cut:
        worlds = [world for world in worlds if _prints(world, seen)]
    if exit_code:
        failures = filter(range(OK + 1, LITERAL).__contains__, (world.status for world in worlds))
        codes = {**dict.fromkeys(failures, exit_code), **codes}
    return Knowledge(tuple(walk.runs), tuple(worlds), codes, frozenset(filter(seen.get, seen)))


def _ends_with(world: World, exit_code: int | None) -> bool:
    if exit_code is None or world.status == ANY:
        return True
    if world.status >= LITERAL:
        return world.status == LITERAL + exit_code
    return (world.status == OK) == (exit_code == 0)


def _prints(world: World, seen: dict[Text, bool]) -> bool:
    """Whether the world prints what was seen, and nothing else. A text with a gap may match by chance."""
    return all(
        was_seen if text in world.printed else not was_seen or None in text or ANY in text
        for text, was_seen in seen.items()
    )


def _find(text: Text, lines: Iterable[str], codes: dict[int, int]) -> bool:
    """Whether a line of the output is ``text``; the exit statuses in that line are added to ``codes``."""
    failures = [each for each in text if isinstance(each, int) and each > OK]
    pattern = re.compile("".join(map(_pattern, text)).strip())
    for line in lines:
        if match := pattern.fullmatch(line):
            codes.update(zip(failures, map(int, match.groups()), strict=True))
            return True
    return False


def _pattern(part: str | int | None) -> str:
    if isinstance(part, str):
        return re.escape(part)
    if part is None or part == ANY:
        return ".*"
    return "0" if part == OK else r"([1-9]\d{0,2})"
