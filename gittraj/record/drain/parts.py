"""Turns the parts that ``own()`` gave to commits into the drafts that the pipeline writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, pairwise, takewhile
from types import MappingProxyType

from gittraj.capture.own import Part
from gittraj.capture.session import Commit, Log
from gittraj.events.part_summary import shorten, sum_usage
from gittraj.model.session_items import Edit
from gittraj.model.values import (
    AnyEvent,
    Chapter,
    FileChanged,
    FileTouched,
    Key,
    Link,
    NoteEvent,
    Prompt,
    Range,
    RetrospectiveEvent,
    SegmentRef,
    SessionInfo,
    ToolCall,
    ToolResult,
    Trajectory,
    Usage,
)
from gittraj.record.draft import Draft, Target
from gittraj.record.drain.anchors import call_name
from gittraj.record.drain.description import describe
from gittraj.record.drain.reading import is_output_log
from gittraj.record.drain.spending import add_usage, assign_calls, find_calls, find_costs
from gittraj.state.cursors import Stored

TITLE_LIMIT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """A draft, and what local state will remember about it."""

    draft: Draft
    stored: Stored


class Drafter:
    """Makes the drafts of one log's parts. ``commits`` are all that this drain knows, by id; ``ci`` is the CI
    service that the agent ran in; ``searched`` is the number of secrets that the stored parts were already
    searched for; ``gone`` are stored parts that the log replaces."""

    def __init__(
        self,
        log: Log,
        *,
        commits: Mapping[str, Commit],
        ci: str | None,
        searched: int = 0,
        gone: Sequence[Stored] = (),
    ) -> None:
        self.log = log
        self.commits = commits
        self.ci = ci
        self.searched = searched
        self.gone = tuple(gone)
        self._output = is_output_log(log)
        self._untargeted: set[int] = set()
        self._before = Usage()
        self._counted: Mapping[int, tuple[str, ...]] = {}
        self._costs: Mapping[int, float] = {}
        self._stated: Sequence[tuple[range, int]] = ()
        self._incomparable = False
        self._title: str | None = None
        self._index = {entry.event.id: i for i, entry in enumerate(log.entries)}
        events = (entry.event for entry in log.entries)
        self._calls = {e.call_id: e for e in events if isinstance(e, ToolCall) and e.call_id}
        self._retrospectives = [
            (i, entry.event.retrospective)
            for i, entry in enumerate(log.entries)
            if isinstance(entry.event, RetrospectiveEvent) and log.places[i] != "elsewhere"
        ]

    def draft(
        self,
        parts: Sequence[Part],
        stored: Sequence[Stored],
        *,
        aliases: Mapping[int, Sequence[Target]] = MappingProxyType({}),
        explored: bool = False,
    ) -> list[Drafted]:
        """Draft ``parts``, without the events that ``stored`` parts already cover. ``aliases`` are further
        targets, by the index of a call."""
        relevant = [part for part in stored if explored or not part.explored]
        self._incomparable = self._has_other_positions(stored)
        covered = set(chain.from_iterable(map(self._indexes, relevant)))
        targeted = [(part, self._targets(part, explored=explored)) for part in parts]
        untargeted = (part.indexes for part, targets in targeted if not targets)
        self._untargeted = set(chain.from_iterable(untargeted))
        self._title = self._find_title(parts) if not covered else None
        self._count_spending(parts, relevant)
        drafted: list[Drafted] = []
        for part, targets in targeted:
            for run in _not_covered(part, covered):
                further = chain.from_iterable(aliases.get(i, ()) for i in run.indexes)
                earlier = [*stored, *(d.stored for d in drafted)]
                drafted += self._draft(run, (*targets, *further), earlier)
        return drafted

    def _has_other_positions(self, stored: Sequence[Stored]) -> bool:
        """Whether positions cannot be compared with those of stored parts: these are from another run, or the
        log has an entry for each commit, and entries of further commits may come in between."""
        another = self._output and any(part.range.last not in self._index for part in stored)
        return another or any(entry.on for entry in self.log.entries)

    def _count_spending(self, parts: Sequence[Part], stored: Sequence[Stored]) -> None:
        self._counted = assign_calls(self.log, parts)
        own = [p for p in stored if p.range.first in self._index]  # the log's totals exclude other runs
        self._costs = find_costs(self.log, self._counted, parts, sum(p.cost for p in own if p.cost))
        self._stated = [(self._indexes(part), part.calls) for part in own if part.calls is not None]
        self._before = reduce(Usage.__add__, (p.usage for p in stored if p.usage), Usage())

    def _indexes(self, part: Stored) -> range:
        """The indexes of a stored part's events in the log."""
        first = self._index.get(part.range.first)
        if first is None:  # it began before what was read, or the log was rewritten
            last = self._index.get(part.range.last)
            return range(0 if last is None else last + 1)
        if self._output and part.range.last not in self._index:
            # another run of the same session: only its first warnings are also in the stored part
            events = (self.log.entries[i].event for i in range(first, len(self.log.entries)))
            return range(first, first + sum(1 for _ in takewhile(lambda e: isinstance(e, NoteEvent), events)))
        return range(first, first + part.range.n)

    def _targets(self, part: Part, *, explored: bool) -> tuple[Target, ...]:
        call = part.anchor.call
        name = None if explored else part.anchor.name
        if 0 <= call < len(self.log.entries) and not explored:
            name = call_name(self.log, call)
        link = Link(evidence=part.anchor.evidence, call=name)
        return tuple(
            Target(commit=commit, link=link, role="explored" if explored else "produced")
            for commit in part.anchor.commits
            if commit not in self.commits or self.commits[commit].stored
        )

    def _draft(self, part: Part, targets: tuple[Target, ...], earlier: Sequence[Stored]) -> Iterator[Drafted]:
        """Yield the draft of a part, if it has targets and events that are not dropped."""
        log = self.log
        kept = [i for i in part.indexes if i not in part.dropped]
        if not kept or not targets:
            return
        files, span, events = self._files(kept), self._range(part), tuple(map(self._event, kept))
        stored = Stored(
            cost=self._cost(kept),
            calls=find_calls(log, self._counted, kept, self._stated),
            rev=self._revision(span, earlier),
            output=self._output,
            usage=sum_usage(events),
            range=span,
            commits=tuple(t.commit for t in targets),
            files=tuple(file.path for file in files),
            explored=targets[0].role == "explored",
        )
        draft = Draft(
            trajectory=self._trajectory(part, span, events),
            positions=tuple(log.start + i for i in kept),
            targets=targets,
            files=files,
            also=self._also(targets, earlier),
            calls=self._calls_of(kept),
            earlier=tuple(chain.from_iterable(part.segments for part in earlier)),
            searched=self.searched,
            dropped=self._count_dropped_calls(part),
            outside=frozenset(log.entries[i].event.id for i in kept if i in log.outside),
            cost_usd=stored.cost,
            api_calls=stored.calls,
            rev=stored.rev,
            branch=log.fact("branch"),
        )
        yield Drafted(draft=draft, stored=stored)

    def _count_dropped_calls(self, part: Part) -> int:
        dropped = (self.log.entries[i].event for i in part.dropped.intersection(part.indexes))
        return sum(isinstance(event, ToolCall) for event in dropped)

    def _cost(self, kept: Sequence[int]) -> float | None:
        paid = [self._costs[i] for i in kept if i in self._costs]
        return sum(paid[1:], paid[0]) if paid else None

    def _revision(self, span: Range, earlier: Sequence[Stored]) -> int:
        """One more than the highest revision of the parts that begin with the same event."""
        return 1 + max((p.rev for p in (*earlier, *self.gone) if p.range.first == span.first), default=0)

    def _trajectory(self, part: Part, span: Range, events: tuple[AnyEvent, ...]) -> Trajectory:
        prompt = self._prompt(part.first)
        chapter = Chapter(id=events[0].id, title=_first_line(prompt or ""), events=events)
        whole = self._describe(part.last)
        return Trajectory(id=self.log.trajectory, whole=whole, chapters=(chapter,), span=span, prompt=prompt)

    def _range(self, part: Part) -> Range:
        return Range(
            first=self.log.entries[part.first].event.id,
            last=self.log.entries[part.last].event.id,
            n=part.last - part.first + 1,
            at=None if self._incomparable else self.log.start + part.first,
        )

    def _calls_of(self, kept: Iterable[int]) -> tuple[ToolCall, ...]:
        """The calls whose results are among these events."""
        events = (self.log.entries[i].event for i in kept)
        names = (event.call_id or "" for event in events if isinstance(event, ToolResult))
        return tuple(call for name in names if (call := self._calls.get(name)))

    def _event(self, index: int) -> AnyEvent:
        event = self.log.entries[index].event
        if self.log.places[index] == "elsewhere" and isinstance(event, ToolCall):
            # kept because it also committed here; its text is about another repository
            event = replace(event, content="", arguments=None, raw=None)
        touched = tuple(FileTouched(path=e.path, kind=e.kind) for e in self.log.edits(index))
        spent = (self.log.spent[response] for response in self._counted.get(index, ()))
        usage = add_usage(spent, self._before)
        return replace(event, files=touched, usage=usage) if touched or usage or event.usage else event

    def _files(self, kept: Collection[int]) -> tuple[FileChanged, ...]:
        edits: dict[str, list[Edit]] = {}
        for index in kept:
            for edit in self.log.edits(index):
                edits.setdefault(edit.path, []).append(edit)
        return tuple(_fold_edits(path, each) for path, each in sorted(edits.items()))

    def _prompt(self, first: int) -> str | None:
        """The prompt of the turn that a part begins in."""
        for index in range(first, -1, -1):
            event = self.log.entries[index].event
            if isinstance(event, Prompt):
                return event.content if index not in self._untargeted else None
        return None

    def _find_title(self, parts: Sequence[Part]) -> str | None:
        """The log's own title, if all of the log is about this repository; else the first prompt that is."""
        if not self._untargeted and "elsewhere" not in self.log.places and (title := self.log.fact("title")):
            return title
        for part in parts:
            for index in part.indexes:
                event = self.log.entries[index].event
                if isinstance(event, Prompt) and index not in part.dropped and index not in self._untargeted:
                    return _first_line(event.content)
        return None

    def _describe(self, last: int) -> SessionInfo:
        """Describe the session as it was known at its event ``last`` (an index)."""
        retrospective = next((each for i, each in reversed(self._retrospectives) if i <= last), None)
        title = shorten(self._title, TITLE_LIMIT) if self._title else None
        return describe(self.log, title=title, ci=self.ci, retrospective=retrospective)

    def _also(self, targets: Sequence[Target], earlier: Sequence[Stored]) -> tuple[SegmentRef | Key, ...]:
        """Earlier parts that wrote files of these commits, if no earlier commit included these files."""
        own = {target.commit for target in targets}
        open_paths = self._changed_paths(own)
        also: list[SegmentRef | Key] = []
        for part in reversed(earlier):
            if own.isdisjoint(part.commits):
                open_paths -= self._changed_paths(part.commits)
                if not open_paths.isdisjoint(part.files):
                    also.extend(part.segments or [(self.log.trajectory, part.range.first)])
        return tuple(reversed(also))

    def _changed_paths(self, commits: Iterable[str]) -> set[str]:
        known = (self.commits[commit].changes for commit in commits if commit in self.commits)
        return {path.path for changes in known if changes for path in changes.paths}


def _not_covered(part: Part, covered: Collection[int]) -> Iterator[Part]:
    """Yield the stretches of a part that are not stored yet."""
    first: int | None = None
    for index in range(part.first, part.last + 2):
        fresh = index <= part.last and index not in covered
        if fresh and first is None:
            first = index
        elif not fresh and first is not None:
            yield replace(part, first=first, last=index - 1)
            first = None


def _fold_edits(path: str, edits: Sequence[Edit]) -> FileChanged:
    reverts = sum(
        bool(now.added or now.removed) and (now.added, now.removed) == (before.removed, before.added)
        for before, now in pairwise(edits)
    )
    kind = edits[-1].kind if edits[-1].kind == "delete" else edits[0].kind
    lines = sum(len(edit.added) for edit in edits)
    return FileChanged(path=path, kind=kind, edits=len(edits), reverts=reverts, lines=lines)


def _first_line(text: str) -> str:
    return shorten(next((line.strip() for line in text.splitlines() if line.strip()), ""), TITLE_LIMIT)
