"""A session's log, assembled from what a reader yields, and the commits that it may have made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from gittraj.frozen import dataclass
from gittraj.git import CommitChanges
from gittraj.model.session_items import (
    Cursor,
    Damage,
    Edit,
    Entry,
    Fact,
    Item,
    Mark,
    Spent,
    TurnEnd,
    trajectory_id,
)
from gittraj.model.values import ToolCall, ToolResult

CLOCK = 2.0
"""Tolerance in seconds: git's times are whole ones, and a log has a call's time a moment after it began."""
_EACH = frozenset(("model", "tag", "alias", "participant"))
"""Facts of which every value is kept in force, not only the last."""

Place = Literal["here", "elsewhere"] | None
"""Whether a call worked in this repository or in another one; ``None``: not known."""

Kind = Literal["commit", "amend", "merge", "cherry-pick", "revert", "am"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit to explain. ``sessions`` (``agent:session``) and ``call`` are what the environment of its
    hook named, ``mark`` is the agent that it shows; ``hooked``: a hook ran; ``terminal``: the hook had one,
    as if a person typed. Not ``stored``: made while switched off, or before the installation; its events are
    not stored either. ``foreign``: not made in this clone, according to its reflogs, which reach back so far;
    not ``seen``: the reflogs do not show whether it was."""

    id: str
    kind: Kind = "commit"
    sessions: tuple[str, ...] = ()
    call: str | None = None
    mark: str | None = None
    hooked: bool = False
    terminal: bool = False
    stored: bool = True
    foreign: bool = False
    seen: bool = True
    changes: CommitChanges | None = None

    @property
    def subject(self) -> str:
        return self.changes.subject if self.changes else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One session as far as it was read: ``entries`` from position ``start`` of the trajectory on.

    ``turn_ends`` are the indexes of entries that ended a turn, ``marks`` the cursors before an index.
    ``places`` has for each entry where it worked, ``outside`` the results that may contain text from outside
    this repository. ``quiet`` is true when nothing more is expected in the last turn.
    """

    agent: str
    session: str
    trajectory: str
    subagent: str | None = None
    entries: tuple[Entry, ...] = ()
    start: int = 0
    turn_ends: frozenset[int] = frozenset()
    marks: Mapping[int, Cursor] = field(default_factory=dict)
    spent: Mapping[str, Spent] = field(default_factory=dict)
    facts: Mapping[str, tuple[str | float, ...]] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    damage: int = 0
    quiet: bool = False
    outside: frozenset[int] = frozenset()
    results: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.agent}:{self.session}"

    @property
    def parent(self) -> str | None:
        """The trajectory that this one was forked from, resumed from or started by."""
        if named := self.fact("parent"):
            return named
        if self.subagent is not None:
            return trajectory_id(self.agent, self.session)
        other = self.fact("parent_session")
        return trajectory_id(self.agent, other) if other else None

    @property
    def started_by(self) -> str | None:
        """The name by which the agent that started this one refers to it, if an agent did."""
        if self.subagent is None and self.fact("parent_kind") == "subagent":
            return self.session
        return self.subagent

    def result_of(self, index: int) -> int | None:
        """The index of the result of the call at ``index``."""
        event = self.entries[index].event
        if not isinstance(event, ToolCall) or event.call_id is None:
            return None
        found = self.results.get(event.call_id)
        return found if found is not None and found > index else None

    def failed(self, index: int) -> bool:
        """Whether the call at ``index`` was refused or failed, as its result says."""
        found = self.result_of(index)
        return found is not None and isinstance(e := self.entries[found].event, ToolResult) and e.is_error

    def edits(self, index: int) -> tuple[Edit, ...]:
        """The edits that the call at ``index`` made here; none if it failed or worked elsewhere. Of a file
        that it wrote whole, only the lines that were not there before."""
        entry = self.entries[index]
        if not entry.edits or not (isinstance(entry.event, ToolCall) or entry.on):
            return ()
        if self.places[index] == "elsewhere" or self.failed(index):
            return ()
        result = self.result_of(index)
        reported = {e.path: e for e in self.entries[result].edits} if result is not None else {}
        return tuple(_as_told(e, reported[e.path]) if e.path in reported else e for e in entry.edits)

    def whole(self, index: int, path: str) -> str | None:
        """The entire text of ``path`` after the call at ``index``, if the log has it."""
        for at in (self.result_of(index), index):
            for edit in self.entries[at].edits if at is not None else ():
                if edit.path == path and edit.whole is not None:
                    return edit.whole
        return None

    def before(self, index: int, path: str) -> str | None:
        """The entire text of ``path`` before the call at ``index``, if the log has it."""
        at = self.result_of(index)
        edits = self.entries[at].edits if at is not None else ()
        return next((e.before for e in edits if e.path == path and e.before is not None), None)

    def fact(self, name: str) -> str | None:
        """The last value of a fact."""
        values = self.facts.get(name)
        return str(values[-1]) if values else None


def assemble(
    items: Iterable[Item],
    *,
    agent: str,
    session: str,
    trajectory: str,
    subagent: str | None = None,
    start: int = 0,
    place: Callable[[Entry], Place] = lambda _: "here",
    relative: Callable[[Entry, Edit], str | None] = lambda _, edit: edit.path,
    outside: Callable[[Entry], bool] = lambda _: False,
    skip: Collection[str] = (),
) -> Log:
    """The log that a reader's ``items`` describe.

    ``place`` says where an entry worked; ``relative`` gives an edit's path in the repository, or
    ``None`` for a file outside it; ``outside``, called in the log's order, whether a call may have read
    something outside it. Events that come twice (a resume that repeats its history) are
    taken once, those of ``skip`` not at all.
    """
    found = _Collected(seen=set(skip))
    for item in items:
        found.add(item)
    results = _find_results(found.entries)
    return Log(
        agent=agent,
        session=session,
        trajectory=trajectory,
        subagent=subagent,
        entries=tuple(_localise(entry, relative) for entry in found.entries),
        start=start,
        turn_ends=frozenset(found.turn_ends),
        marks=found.marks,
        spent=found.spent,
        facts=found.facts,
        places=_places(found.entries, results, place),
        damage=found.damage,
        outside=_find_outside(found.entries, results, outside),
        results=results,
    )


@dataclass(slots=True)
class _Collected:
    """The items that a reader yielded so far."""

    seen: set[str]
    entries: list[Entry] = field(default_factory=list)
    turn_ends: set[int] = field(default_factory=set)
    marks: dict[int, Cursor] = field(default_factory=dict)
    spent: dict[str, Spent] = field(default_factory=dict)
    facts: dict[str, tuple[str | float, ...]] = field(default_factory=dict)
    damage: int = 0

    def add(self, item: Item) -> None:
        match item:
            case Entry():
                if item.event.id not in self.seen:
                    self.seen.add(item.event.id)
                    self.entries.append(item)
            case TurnEnd():
                self.turn_ends.add(len(self.entries) - 1)
            case Mark():
                self.marks.setdefault(len(self.entries), item.cursor)
            case Spent():
                self.spent[item.response] = item
            case Fact():
                self.facts[item.name] = _add_value(self.facts.get(item.name, ()), item)
            case Damage():
                self.damage += 1


def _add_value(values: tuple[str | float, ...], fact: Fact) -> tuple[str | float, ...]:
    """Each value once; the last one is in force, so one that comes again moves to the end."""
    if fact.value in values and fact.name in _EACH:
        return values
    return (*(value for value in values if value != fact.value), fact.value)


def _find_results(entries: Sequence[Entry]) -> dict[str, int]:
    """The index of each call's first result, by the call's id."""
    results: dict[str, int] = {}
    for index, entry in enumerate(entries):
        if isinstance(entry.event, ToolResult) and entry.event.call_id is not None:
            results.setdefault(entry.event.call_id, index)
    return results


def _as_told(edit: Edit, reported: Edit) -> Edit:
    """A call's edit, completed by what its result reports about the file."""
    added = edit.added
    if edit.whole is not None and reported.before is None and (reported.added or reported.removed):
        added = reported.added  # the log has the diff
    if reported.before is not None and edit.whole is not None:
        before = Counter(reported.before.splitlines())
        before.subtract(added)
        # of equal lines the last are the new ones
        added = tuple(reversed([line for line in reversed(added) if _take(before, line)]))
    return replace(edit, kind=reported.kind, added=added)


def _take(before: Counter[str], line: str) -> bool:
    before[line] += 1
    return before[line] <= 0


def _find_outside(
    entries: Sequence[Entry], results: Mapping[str, int], outside: Callable[[Entry], bool]
) -> frozenset[int]:
    """The indexes of the results of calls that may have read something outside."""
    found: set[int] = set()
    for entry in entries:
        if isinstance(entry.event, ToolCall) and outside(entry):
            found |= {i for i in [results.get(entry.event.call_id or "")] if i is not None}
    return frozenset(found)


def _localise(entry: Entry, relative: Callable[[Entry, Edit], str | None]) -> Entry:
    """The entry with its edits' paths in the repository, and without edits outside it."""
    if not entry.edits:
        return entry
    placed = ((edit, relative(entry, edit)) for edit in entry.edits)
    return replace(entry, edits=tuple(replace(e, path=p) for e, p in placed if p is not None))


def _places(
    entries: Sequence[Entry], results: Mapping[str, int], place: Callable[[Entry], Place]
) -> tuple[Place, ...]:
    """Where each entry worked. A result, or an event that a call recorded, is where its call is; prompts and
    messages are nowhere. ``entries`` have the paths of the log, not yet those of the repository."""
    places: list[Place] = [None] * len(entries)
    calls: dict[str, Place] = {}
    for index, entry in enumerate(entries):
        if entry.call is not None:
            places[index] = calls.get(entry.call)
        if isinstance(entry.event, ToolCall):
            places[index] = place(entry)
            calls[entry.event.call_id or ""] = places[index]
            found = results.get(entry.event.call_id or "")
            if found is not None and found > index:
                places[found] = places[index]
    return tuple(places)
