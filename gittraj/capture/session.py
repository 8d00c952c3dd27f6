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
    """A commit to explain. ``sessions`` (``agent:session``) and ``call`` are named in the environment of its
    hook, ``mark`` is the agent that this environment shows. ``hooked``: a hook ran; ``terminal``: it had a
    terminal, as if a person typed. ``stored`` is false if the commit was made while recording was off, or
    before the installation: its events are not stored either. ``foreign``: the reflogs reach back to its time
    and show that it was not made in this clone; ``seen`` is false if they do not show whether it was."""

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

    @property
    def time(self) -> float | None:
        """The committer's time, in seconds since 1970, if it is known."""
        return self.changes.time if self.changes else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One session, as far as its log was read: ``entries`` begins at position ``start`` of the trajectory.

    ``turn_ends`` are the indexes of entries that ended a turn, ``marks`` the cursors, by the next entry's
    index. ``places`` says for each entry where it worked; ``outside`` are the indexes of results that may
    contain text from outside this repository. ``results`` maps a call's id to its result's index, ``spent`` a
    response to its tokens and cost; ``damage`` is the number of damaged lines. ``quiet``: nothing more is
    expected in the last turn.
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
        result = self.results.get(event.call_id)
        return result if result is not None and result > index else None

    def failed(self, index: int) -> bool:
        """Whether the result of the call at ``index`` says that it was refused or failed."""
        result = self.result_of(index)
        return result is not None and isinstance(e := self.entries[result].event, ToolResult) and e.is_error

    def edits(self, index: int) -> tuple[Edit, ...]:
        """The edits that the call at ``index`` made in this repository; none if the call failed or worked
        elsewhere. The edit of a file that was written in full has only the lines that are new in the file."""
        entry = self.entries[index]
        # ``on``: the log has no calls, but one entry for each commit
        if not entry.edits or not (isinstance(entry.event, ToolCall) or entry.on):
            return ()
        if self.places[index] == "elsewhere" or self.failed(index):
            return ()
        result = self.result_of(index)
        reported = {e.path: e for e in self.entries[result].edits} if result is not None else {}
        return tuple(_complete(e, reported[e.path]) if e.path in reported else e for e in entry.edits)

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
        """The last value of the fact ``name``."""
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
    """Assemble the log that a reader's ``items`` describe.

    ``place`` returns where an entry worked; ``relative`` returns an edit's path in the repository, or
    ``None`` for a file outside it; ``outside`` is called in the log's order, and returns whether a call may
    have read something outside the repository. An event that comes twice (a resumed session repeats its
    history) is kept once; events whose ids are in ``skip`` are left out.
    """
    collected = _Collected(seen=set(skip))
    for item in items:
        collected.add(item)
    results = _find_results(collected.entries)
    return Log(
        agent=agent,
        session=session,
        trajectory=trajectory,
        subagent=subagent,
        entries=tuple(_localise(entry, relative) for entry in collected.entries),
        start=start,
        turn_ends=frozenset(collected.turn_ends),
        marks=collected.marks,
        spent=collected.spent,
        facts=collected.facts,
        places=_find_places(collected.entries, results, place),
        damage=collected.damage,
        outside=_find_outside(collected.entries, results, outside),
        results=results,
    )


@dataclass(slots=True)
class _Collected:
    """The items that a reader has yielded so far; ``seen`` are the ids of events that are not added again."""

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
    """Add a value, which is kept once; the last one is in force, so one that comes again moves to the end."""
    if fact.value in values and fact.name in _EACH:
        return values
    return (*(value for value in values if value != fact.value), fact.value)


def _find_results(entries: Sequence[Entry]) -> dict[str, int]:
    """Map each call's id to the index of its first result."""
    results: dict[str, int] = {}
    for index, entry in enumerate(entries):
        if isinstance(entry.event, ToolResult) and entry.event.call_id is not None:
            results.setdefault(entry.event.call_id, index)
    return results


def _complete(edit: Edit, reported: Edit) -> Edit:
    """Complete a call's edit with what the call's result reports about the file."""
    added = edit.added
    if edit.whole is not None and reported.before is None and (reported.added or reported.removed):
        added = reported.added  # the log has the diff
    if reported.before is not None and edit.whole is not None:
        before = Counter(reported.before.splitlines())
        before.subtract(added)
        # of equal lines, the last ones are new
        added = tuple(reversed([line for line in reversed(added) if _is_new(before, line)]))
    return replace(edit, kind=reported.kind, added=added)


def _is_new(surplus: Counter[str], line: str) -> bool:
    surplus[line] += 1  # negative for a line of which there are more now than before
    return surplus[line] <= 0


def _find_outside(
    entries: Sequence[Entry], results: Mapping[str, int], outside: Callable[[Entry], bool]
) -> frozenset[int]:
    """The indexes of the results of calls that may have read something outside."""
    calls = [e.event.call_id or "" for e in entries if isinstance(e.event, ToolCall) and outside(e)]
    return frozenset(results[call] for call in calls if call in results)


def _localise(entry: Entry, relative: Callable[[Entry, Edit], str | None]) -> Entry:
    """Return the entry with its edits' paths relative to the repository, without edits outside it."""
    if not entry.edits:
        return entry
    paths = ((edit, relative(entry, edit)) for edit in entry.edits)
    return replace(entry, edits=tuple(replace(e, path=p) for e, p in paths if p is not None))


def _find_places(
    entries: Sequence[Entry], results: Mapping[str, int], place: Callable[[Entry], Place]
) -> tuple[Place, ...]:
    """Where each entry worked. A result, or an event that a call recorded, worked where its call did; prompts
    and messages nowhere. ``entries`` have the paths of the log, not yet those of the repository."""
    places: list[Place] = [None] * len(entries)
    calls: dict[str, Place] = {}
    for index, entry in enumerate(entries):
        if entry.call is not None:
            places[index] = calls.get(entry.call)
        if isinstance(entry.event, ToolCall):
            places[index] = place(entry)
            calls[entry.event.call_id or ""] = places[index]
            result = results.get(entry.event.call_id or "")
            if result is not None and result > index:
                places[result] = places[index]
    return tuple(places)
