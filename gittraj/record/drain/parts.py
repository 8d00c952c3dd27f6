"""From what ``own()`` gave to each commit to the drafts that the pipeline writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise, takewhile

from gittraj.capture.own import Anchor, Part, Step
from gittraj.capture.session import Commit, Log
from gittraj.events.part_summary import shorten
from gittraj.model.session_items import Edit, Spent
from gittraj.model.values import (
    AnyEvent,
    Chapter,
    Environment,
    Exit,
    FileChanged,
    Key,
    Link,
    Parent,
    Participant,
    Prompt,
    Range,
    Reflected,
    Remark,
    Run,
    SegmentRef,
    TaskRef,
    TaskSource,
    ToolCall,
    ToolResult,
    Touched,
    Trajectory,
    Usage,
    Whole,
)
from gittraj.record.draft import Draft, Target
from gittraj.record.drain.superseding import is_output_log
from gittraj.state.cursors import Stored

TITLE_LIMIT = 200


def to_steps(log: Log) -> list[Step]:
    """The log as ``own()`` sees it."""
    return [
        Step(
            prompt=isinstance(entry.event, Prompt),
            edit=bool(log.edits(index)),
            here=log.places[index] == "here",
            elsewhere=log.places[index] == "elsewhere",
            ends_turn=index in log.turn_ends,
            result=log.result_of(index),
        )
        for index, entry in enumerate(log.entries)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """A draft, and what will be remembered of it."""

    draft: Draft
    stored: Stored


class Drafter:
    """Makes the drafts of one log's parts. ``commits`` are those known of this drain, by id; ``ci`` names
    the service that the agent ran in; ``searched``: how many secrets were known when the parts that are
    stored were searched for them; ``gone``: stored parts whose place the log takes."""

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
        self._silent: set[int] = set()
        self._before = Usage()
        self._further = False
        self._title: str | None = None
        self._index = {entry.event.id: i for i, entry in enumerate(log.entries)}
        events = (entry.event for entry in log.entries)
        self._calls = {e.call_id: e for e in events if isinstance(e, ToolCall) and e.call_id}
        self._reflected = [
            (i, entry.event.retrospective)
            for i, entry in enumerate(log.entries)
            if isinstance(entry.event, Reflected) and log.places[i] != "elsewhere"
        ]

    def draft(
        self,
        parts: Sequence[Part],
        stored: Sequence[Stored],
        *,
        aliases: Mapping[int, Sequence[Target]] | None = None,
        explored: bool = False,
    ) -> list[Drafted]:
        """What of ``parts`` is to be written: a writer subtracts what ``stored`` parts cover."""
        standing = [part for part in stored if explored or not part.explored]
        # positions of one run say nothing beside those of another; nor do those of commits' notes, as more
        # may come between them
        self._further = self._output and any(p.range.last not in self._index for p in stored)
        self._further |= any(entry.on for entry in self.log.entries)
        covered = {i for part in standing for i in self._indexes(part)}
        silent = [part for part in parts if not self._targets(part, explored=explored)]
        self._silent = {i for part in silent for i in range(part.first, part.last + 1)}
        self._title = self._find_title(parts) if not covered else None
        counted = self._counted(parts)
        costs = self._costs(counted, parts, standing)
        self._before = reduce(Usage.__add__, (p.usage for p in standing if p.usage), Usage())
        drafted: list[Drafted] = []
        for part in parts:
            targets = self._targets(part, explored=explored)
            for first, last in _runs(part, covered):
                extra = [t for i in range(first, last + 1) for t in (aliases or {}).get(i, ())]
                run = replace(part, first=first, last=last)
                before = [*stored, *(d.stored for d in drafted)]
                made = self._draft(run, (*targets, *extra), counted, costs, before)
                if made is not None:
                    drafted.append(made)
        return drafted

    def _indexes(self, part: Stored) -> range:
        first = self._index.get(part.range.first)
        if first is None:  # it began above what was read, or the log was rewritten
            last = self._index.get(part.range.last)
            return range(0 if last is None else last + 1)
        if self._output and part.range.last not in self._index:
            # another run of the thread: it begins with the same warnings, and has no more of that part
            events = (self.log.entries[i].event for i in range(first, len(self.log.entries)))
            return range(first, first + sum(1 for _ in takewhile(lambda e: isinstance(e, Remark), events)))
        return range(first, first + part.range.n)

    def _targets(self, part: Part, *, explored: bool) -> tuple[Target, ...]:
        call = part.anchor.call
        name = None if explored else part.anchor.name
        if 0 <= call < len(self.log.entries) and not explored:
            event = self.log.entries[call].event
            name = event.call_id or event.id if isinstance(event, ToolCall) else event.id
        return tuple(
            Target(
                commit=commit,
                link=Link(evidence=part.anchor.evidence, call=name),
                role="explored" if explored else "produced",
            )
            for commit in part.anchor.commits
            if commit not in self.commits or self.commits[commit].stored
        )

    def _draft(
        self,
        part: Part,
        targets: tuple[Target, ...],
        counted: Mapping[int, tuple[str, ...]],
        costs: Mapping[int, float],
        earlier: Sequence[Stored],
    ) -> Drafted | None:
        log = self.log
        kept = [i for i in range(part.first, part.last + 1) if i not in part.dropped]
        if not targets or not kept:
            return None
        files = self._files(kept)
        span = Range(
            first=log.entries[part.first].event.id,
            last=log.entries[part.last].event.id,
            n=part.last - part.first + 1,
            at=None if self._further else log.start + part.first,
        )
        events = tuple(self._event(i, counted) for i in kept)
        paid = [costs[i] for i in kept if i in costs]
        cost = sum(paid[1:], paid[0]) if paid else None
        spent = [event.usage for event in events if event.usage]
        prompt = self._prompt(part.first)
        chapter = Chapter(id=events[0].id, title=_first_line(prompt or ""), events=events)
        rev = 1 + max((p.rev for p in (*earlier, *self.gone) if p.range.first == span.first), default=0)
        trajectory = Trajectory(
            id=log.trajectory, whole=self._whole(part.last), chapters=(chapter,), span=span, prompt=prompt
        )
        paths = tuple(file.path for file in files)
        return Drafted(
            draft=Draft(
                trajectory=trajectory,
                positions=tuple(log.start + i for i in kept),
                targets=targets,
                files=files,
                also=self._also(targets, earlier),
                calls=tuple(
                    call
                    for i in kept
                    if isinstance(event := log.entries[i].event, ToolResult)
                    and (call := self._calls.get(event.call_id or ""))
                ),
                earlier=tuple(ref for part in earlier for ref in part.segments),
                searched=self.searched,
                dropped=sum(
                    isinstance(log.entries[i].event, ToolCall) and i not in kept
                    for i in range(part.first, part.last + 1)
                ),
                cost_usd=cost,
                rev=rev,
                branch=log.fact("branch"),
            ),
            stored=Stored(
                cost=cost,
                rev=rev,
                output=self._output,
                usage=reduce(Usage.__add__, spent) if spent else None,
                range=span,
                commits=tuple(t.commit for t in targets),
                files=paths,
                explored=targets[0].role == "explored",
            ),
        )

    def _event(self, index: int, counted: Mapping[int, tuple[str, ...]]) -> AnyEvent:
        event = self.log.entries[index].event
        if self.log.places[index] == "elsewhere" and isinstance(event, ToolCall):
            # kept because it committed here too; what it says is another repository's
            event = replace(event, content="", arguments=None, raw=None)
        touched = tuple(Touched(path=e.path, kind=e.kind) for e in self.log.edits(index))
        usage = self._usage(self.log.spent[response] for response in counted.get(index, ()))
        return replace(event, files=touched, usage=usage) if touched or usage or event.usage else event

    def _usage(self, spent: Iterable[Spent]) -> Usage | None:
        """Of the calls that count with one event; of a cumulative one what the parts before do not have."""
        found = [s.usage.without(self._before) if s.cumulative else s.usage for s in spent]
        return reduce(Usage.__add__, found) if found else None

    def _files(self, kept: Collection[int]) -> tuple[FileChanged, ...]:
        edits: dict[str, list[Edit]] = {}
        for index in kept:
            for edit in self.log.edits(index):
                edits.setdefault(edit.path, []).append(edit)
        return tuple(_fold_edits(path, found) for path, found in sorted(edits.items()))

    def _prompt(self, first: int) -> str | None:
        """Of the turn that a part begins in."""
        for index in range(first, -1, -1):
            event = self.log.entries[index].event
            if isinstance(event, Prompt):
                return event.content if index not in self._silent else None
        return None

    def _find_title(self, parts: Sequence[Part]) -> str | None:
        """The log's own, unless some of it is not for this repository; else the first prompt that is."""
        if not self._silent and "elsewhere" not in self.log.places and (title := self.log.fact("title")):
            return title
        for part in parts:
            for index in range(part.first, part.last + 1):
                event = self.log.entries[index].event
                if isinstance(event, Prompt) and index not in part.dropped and index not in self._silent:
                    return _first_line(event.content)
        return None

    def _whole(self, last: int) -> Whole:
        """What is known of the trajectory with its event ``last``. In a session that worked elsewhere too
        nobody can tell which repository its task and tags are about."""
        log = self.log
        entrypoint = log.fact("entrypoint")
        here = "elsewhere" not in log.places
        return Whole(
            title=shorten(self._title, TITLE_LIMIT) if self._title else None,
            agent=log.agent,
            agent_version=log.fact("agent_version"),
            models=tuple(map(str, log.facts.get("model", ()))),
            session=log.session,
            task=self._task() if here else None,
            tags=tuple(map(str, log.facts.get("tag", ()))) if here else (),
            participants=tuple(map(_participant, log.facts.get("participant", ()))) if here else (),
            parent=Parent(id=log.parent) if log.parent else None,
            aliases=tuple(map(str, log.facts.get("alias", ()))),
            environment=Environment(entrypoint=entrypoint, ci=self.ci) if entrypoint or self.ci else None,
            run=self._run(),
            status=(log.fact("ended") if here else None) or log.fact("status"),
            exit=self._exit(),
            retrospective=next((told for i, told in reversed(self._reflected) if i <= last), None),
        )

    def _task(self) -> TaskRef | None:
        """``task`` is ``SYSTEM:ID``, as a person names it."""
        title, url, name = map(self.log.fact, ("task_title", "task_url", "task"))
        system, _, task = (name or "").partition(":")
        source = TaskSource(system="url", id=url, url=url) if url else None
        if name:
            source = TaskSource(system=system if task else "plain", id=task or name, url=url)
        return TaskRef(title=title or name or str(url), source=source) if source or title else None

    def _run(self) -> Run | None:
        log = self.log
        run, instance = log.fact("run"), log.fact("instance")
        messages, calls = log.fact("messages"), log.fact("api_calls")
        if not (run or instance):
            return None
        return Run(
            id=run or log.session,
            solve=log.fact("solve"),
            instance=instance,
            messages=_whole(messages),
            api_calls=_whole(calls),
        )

    def _exit(self) -> Exit | None:
        status, text, error = map(self.log.fact, ("exit_status", "submission", "exit_error"))
        return Exit(status=status, submission=text, error=error) if status or text or error else None

    def _counted(self, parts: Sequence[Part]) -> dict[int, tuple[str, ...]]:
        """The one event that each model call counts with, and the calls that count there: its last that is
        stored. A call whose figure comes in a later record was still open at the anchor: it counts with the
        event after."""
        dropped = {i for part in parts for i in part.dropped}
        anchors = {part.anchor.call for part in parts}
        last: dict[str, int] = {}
        final: dict[str, int] = {}
        for index, entry in enumerate(self.log.entries):
            if entry.event.response is not None:
                final[entry.event.response] = index
                if index not in dropped:
                    last[entry.event.response] = index
        counted: dict[int, tuple[str, ...]] = {}
        for response, spent in self.log.spent.items():
            index = last.get(response, -1)
            if index < 0:
                continue
            if index in anchors and index == final[response] and spent.beside:
                index += 1
            if index < len(self.log.entries):
                counted[index] = (*counted.get(index, ()), response)
        return counted

    def _costs(
        self, counted: Mapping[int, tuple[str, ...]], parts: Sequence[Part], stored: Sequence[Stored]
    ) -> dict[int, float]:
        """What the log says that events cost, in US dollars. Where it tells the sum alone, that stands on
        the last event, without what earlier parts have of it."""
        each = {
            index: [c for r in responses if (c := self.log.spent[r].cost) is not None]
            for index, responses in counted.items()
        }
        costs = {index: sum(found[1:], found[0]) for index, found in each.items() if found}
        total = self.log.facts.get("cost_usd", (None,))[-1]
        if costs or total is None:
            return costs
        # what another run's log told is no share of this one's sum
        before = [part.cost for part in stored if part.cost and part.range.first in self._index]
        dropped = {i for part in parts for i in part.dropped}
        last = max((i for p in parts for i in range(p.first, p.last + 1) if i not in dropped), default=None)
        return {last: float(total) - sum(before)} if last is not None else {}

    def _also(self, targets: Sequence[Target], earlier: Sequence[Stored]) -> tuple[SegmentRef | Key, ...]:
        """Earlier parts that wrote files of these commits which no commit took before."""
        changes = [self.commits[t.commit].changes for t in targets if t.commit in self.commits]
        open_paths = {p.path for c in changes if c for p in c.paths}
        own = {t.commit for t in targets}
        found: list[SegmentRef | Key] = []
        for part in reversed(earlier):
            if own & set(part.commits):
                continue
            for commit in part.commits:
                known = self.commits[commit].changes if commit in self.commits else None
                open_paths -= {p.path for p in known.paths} if known else set()
            if open_paths & set(part.files):
                found.extend(part.segments or [(self.log.trajectory, part.range.first)])
        return tuple(reversed(found))


def rest_parts(steps: Sequence[Step], first: int, anchor: Anchor) -> list[Part]:
    """The steps from ``first`` on, all to one anchor, cut before each prompt."""
    starts = [i for i in range(first, len(steps)) if i == first or steps[i].prompt]
    return [
        Part(
            first=start,
            last=end - 1,
            anchor=replace(anchor, call=-1, name=None),
            dropped=frozenset(i for i in range(start, end) if steps[i].elsewhere),
        )
        for start, end in zip(starts, [*starts, len(steps)][1:], strict=True)
    ]


def _runs(part: Part, covered: Collection[int]) -> Iterator[tuple[int, int]]:
    """The stretches of a part that are not stored yet."""
    first: int | None = None
    for index in range(part.first, part.last + 2):
        fresh = index <= part.last and index not in covered
        if fresh and first is None:
            first = index
        elif not fresh and first is not None:
            yield first, index - 1
            first = None


def _fold_edits(path: str, edits: Sequence[Edit]) -> FileChanged:
    reverts = sum(
        bool(now.added or now.removed) and (now.added, now.removed) == (before.removed, before.added)
        for before, now in pairwise(edits)
    )
    kind = edits[-1].kind if edits[-1].kind == "delete" else edits[0].kind
    lines = sum(len(edit.added) for edit in edits)
    return FileChanged(path=path, kind=kind, edits=len(edits), reverts=reverts, lines=lines)


def _participant(said: str | float) -> Participant:
    name, _, role = str(said).partition(":")
    return Participant(name=name, role=role or None)


def _first_line(text: str) -> str:
    return shorten(next((line.strip() for line in text.splitlines() if line.strip()), ""), TITLE_LIMIT)


def _whole(number: str | None) -> int | None:
    try:
        return int(float(number)) if number else None
    except OverflowError:  # no log counts so many
        return None
