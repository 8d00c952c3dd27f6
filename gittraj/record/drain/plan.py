"""Plans what is written for one log, and what is remembered about it afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gittraj.capture.anchor import commits_elsewhere
from gittraj.capture.content import Writings
from gittraj.capture.link import Links
from gittraj.capture.own import Anchor, Part, Step, find_dropped, own
from gittraj.capture.session import Commit, Log
from gittraj.model.session_items import Cursor
from gittraj.model.values import Line, Prompt, Tombstone, ToolCall, ToolResult
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Written
from gittraj.record.drain.anchors import (
    Copy,
    combine,
    copies_onto,
    copy_records,
    find_aliases,
    find_parts_stored_too_early,
    name_anchors,
)
from gittraj.record.drain.parts import Drafted, Drafter
from gittraj.record.drain.reading import Reading
from gittraj.state.cursors import SessionState, Stored

_TAKEN_KEPT = 50
_SAFE_FACTS = frozenset(
    (
        *("agent_version", "model", "session", "entrypoint", "turns"),
        *("parent_session", "parent_kind", "start_commit", "started_at"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The changes to write for one log. ``copies`` are stored parts that a further commit gets, ``replaced``
    are explored parts that led to a commit after all; ``owned`` is the number of events that belong to a
    commit now."""

    reading: Reading
    anchors: Sequence[Anchor]
    parts: Sequence[Part]
    drafted: Sequence[Drafted]
    copies: Sequence[Copy]
    replaced: Sequence[Stored]
    owned: int
    waiting: int
    commits: Mapping[str, Commit]
    writings: Writings

    @classmethod
    def make(
        cls,
        reading: Reading,
        links: Links,
        commits: Mapping[str, Commit],
        *,
        owner: Anchor | None,
        head: str | None,
        ci: str | None,
        explore: bool = False,
        onto: str | None = None,
        noted: Sequence[Anchor] = (),
    ) -> Plan:
        """Make the plan. ``owner`` is the anchor of the call that started this log's agent: it gets the
        events that led to no commit of the log's own. Once the session is over, ``head`` gets such events as
        explored; with ``explore``, even if nothing shows that they are about this repository. ``onto`` is a
        further commit for the stored parts. ``noted`` are anchors for stretches of the log for which the
        log itself names the commit; the ``call`` is a stretch's last event."""
        log, known = reading.log, reading.known
        anchors, copies, parts = own_parts(reading, links)
        for anchor in noted:
            parts.append(Part(first=_end(parts), last=anchor.call, anchor=replace(anchor, call=-1)))
        if owner is not None:
            parts += remaining_parts(to_steps(log), _end(parts), owner)
        if onto is not None:
            copies += copies_onto(onto, known.parts)
        copies = [(p, t) for p, t in copies if t.commit not in commits or commits[t.commit].stored]
        stored = [(c, calls) for c, calls in links.aliases.get(log.trajectory, ()) if commits[c].stored]
        aliases, more = find_aliases(stored, log, known.parts)
        drafter = Drafter(log, commits=commits, ci=ci, searched=known.searched, gone=reading.gone)
        drafted = drafter.draft(parts, known.parts, aliases=aliases)
        owned = _end(parts)
        replaced = find_replaced(log, drafted, known.parts)
        kept = [part for part in known.parts if part not in replaced]
        waiting = len(log.entries) - max(owned, _end_of_stored(log, kept)) if _may_be_here(log) else 0
        if reading.idle and head is not None:
            waiting, explored = 0, _explored_parts(reading, anchors, first=owned, head=head, explore=explore)
            drafted += drafter.draft(explored, kept, explored=True) if explored else []
        return cls(
            reading=reading,
            anchors=anchors,
            parts=parts,
            drafted=[replace(d, draft=replace(d.draft, source=reading.path)) for d in drafted],
            copies=[*copies, *more],
            replaced=replaced,
            owned=owned,
            waiting=waiting,
            commits=commits,
            writings=links.writings[log.trajectory],
        )

    def lines(self, notes: NotesRef) -> Iterator[tuple[str, Line]]:
        """Copies of stored records, for further commits, and tombstones for parts that are replaced: explored
        parts that led to a commit after all, and parts that came before the session's own log."""
        trajectory = self.reading.log.trajectory
        yield from copy_records(notes, trajectory, self.copies)
        for stored in self.replaced:
            yield from tombstones(trajectory, stored, "produced a commit")
        for stored in self.reading.gone:
            yield from tombstones(trajectory, stored, "its own log is told")

    def remember(self, written: Written) -> SessionState:
        """The session's state once all of this is written."""
        reading, log = self.reading, self.reading.log
        start = max((i for i in log.marks if i <= self.owned), default=None)
        cursor = log.marks[start] if start is not None else reading.known.cursor
        return replace(
            reading.known,
            path=str(reading.path),
            size=reading.size,
            cursor=cursor if start is not None or log.start else Cursor(),
            anchors=name_anchors(log, reading.known.anchors, self.anchors, self.commits),
            parts=self._parts(written),
            open_paths=tuple(sorted(self.writings.paths())),
            left=tuple(sorted(self._left_before(start or 0))),
            taken=tuple(dict.fromkeys([*reading.known.taken, *self._taking_commits()]))[-_TAKEN_KEPT:],
            facts=_safe_facts(log),
            waiting=self.waiting,
            settled=self._settled(),
            searched=written.searched if self.drafted else reading.known.searched,
        )

    def _left_before(self, start: int) -> set[str]:
        """The paths with uncommitted writings before an index, also of the log before this reading."""
        left = {w.path for w in self.writings.all() if w.open and w.call < start}
        return left if self.reading.log.start == 0 else left | set(self.reading.known.left)

    def _taking_commits(self) -> list[str]:
        """The commits that changed a path which the session wrote."""
        wrote, changes = {w.path for w in self.writings.all()}, [c.changes for c in self.commits.values()]
        return [c.commit for c in changes if c and any(p.path in wrote for p in c.paths)]

    def _parts(self, written: Written) -> tuple[Stored, ...]:
        """The stored parts once ``written`` is stored."""
        more: dict[str, list[str]] = {}
        for stored, target in self.copies:
            more.setdefault(stored.range.first, []).append(target.commit)
        kept = [
            replace(p, commits=tuple(dict.fromkeys((*p.commits, *more.get(p.range.first, ())))))
            for p in self.reading.known.parts
            if p not in self.replaced
        ]
        return stored_parts(self.reading.log.trajectory, kept, self.drafted, written)

    def _settled(self) -> bool:
        """Whether no further event can belong to the last commit: there is no commit, or its turn is over."""
        log = self.reading.log
        if log.started_by is not None:
            return self.owned == len(log.entries) or self.reading.idle
        over = not log.entries or log.quiet or len(log.entries) - 1 in log.turn_ends
        return over or self.reading.idle or not (self.anchors or self.reading.before)


def stored_parts(
    trajectory: str, kept: Sequence[Stored], drafted: Sequence[Drafted], written: Written
) -> tuple[Stored, ...]:
    """The parts of a trajectory that are stored once ``drafted`` is ``written``."""
    segments, parked = written.segments, {p.first for p in written.parked}
    fresh = (replace(d.stored, parked=d.stored.range.first in parked) for d in drafted)
    parts = (*kept, *fresh)
    return tuple(replace(p, segments=segments.get((trajectory, p.range.first), p.segments)) for p in parts)


def own_parts(reading: Reading, links: Links) -> tuple[list[Anchor], list[Copy], list[Part]]:
    """Return a log's anchors, the stored parts to copy to further commits, and the commits' parts."""
    log = reading.log
    new, stored = links.anchors.get(log.trajectory, ()), reading.known.parts
    anchors, copies = combine(reading.anchors, new, stored)
    copies += find_parts_stored_too_early(log, new, reading.anchors, stored)
    ended = log.quiet or reading.idle
    everywhere = [*anchors, *_anchors_elsewhere(log, anchors)]
    parts = own(to_steps(log), everywhere, before=reading.before, ended=ended)
    return anchors, copies, parts


def _anchors_elsewhere(log: Log, here: Sequence[Anchor]) -> list[Anchor]:
    """The anchors of commits that the log made in other repositories."""
    made = {a.call for a in here}
    return [Anchor(call=call, commits=()) for call in commits_elsewhere(log) if call not in made]


def owner_of(log: Log, starter: Log, parts: Sequence[Part]) -> Anchor | None:
    """The anchor that owns the result of the call with which ``starter`` started ``log``'s agent."""
    name = log.started_by
    for index, entry in enumerate(starter.entries):
        event = entry.event
        if name and isinstance(event, ToolResult) and name in event.content:
            return next((p.anchor for p in parts if p.first <= index <= p.last), None)
    return None


def find_replaced(log: Log, drafted: Sequence[Drafted], stored: Sequence[Stored]) -> list[Stored]:
    """The explored parts with events that are now written for the commits that they led to."""
    positions = {entry.event.id: i for i, entry in enumerate(log.entries)}
    ranges = [d.stored.range for d in drafted]
    produced = {log.entries[positions[r.first] + k].event.id for r in ranges for k in range(r.n)}
    return [part for part in stored if part.explored and part.range.first in produced]


def _explored_parts(
    reading: Reading, anchors: Sequence[Anchor], *, first: int, head: str, explore: bool
) -> list[Part]:
    """The parts, on ``head``, of the events from ``first`` on, if one worked here or ``explore`` is true."""
    steps = to_steps(reading.log)
    if explore:
        return remaining_parts(steps, first, Anchor(call=-1, commits=(head,), evidence="imported"))
    if not any(step.here for step in steps[first:]):
        return []
    everywhere = [*anchors, *_anchors_elsewhere(reading.log, anchors)]
    dropped = find_dropped(steps, everywhere, before=reading.before, ended=True)
    parts = remaining_parts(steps, first, Anchor(call=-1, commits=(head,), evidence="content"))
    return [replace(part, dropped=dropped.intersection(part.indexes)) for part in parts]


def _end(parts: Sequence[Part]) -> int:
    return max((part.last + 1 for part in parts), default=0)


def _end_of_stored(log: Log, stored: Sequence[Stored]) -> int:
    """The index after the last event that a stored part, perhaps one linked by hand, ends with."""
    lasts = {part.range.last for part in stored}
    return max((i + 1 for i, entry in enumerate(log.entries) if entry.event.id in lasts), default=0)


def _may_be_here(log: Log) -> bool:
    """Whether a session may have worked here: not if all its calls were in parent folders or elsewhere."""
    calls = [i for i, e in enumerate(log.entries) if e.folder and isinstance(e.event, ToolCall)]
    return not calls or "here" in {log.places[index] for index in calls}


def _safe_facts(log: Log) -> dict[str, tuple[str, ...]]:
    """The facts to remember; of ``started_at`` only the first, since a reader that resumes adds its own."""
    safe = {name: values for name, values in log.facts.items() if name in _SAFE_FACTS}
    return {k: tuple(map(str, v[:1] if k == "started_at" else v)) for k, v in safe.items()}


def tombstones(trajectory: str, part: Stored, why: str) -> Iterator[tuple[str, Line]]:
    tombstone = Tombstone(id=trajectory, first=part.range.first, rev=part.rev, deleted=why)
    yield from ((commit, tombstone) for commit in part.commits)


def to_steps(log: Log) -> list[Step]:
    """Convert the log to the form that ``own()`` takes."""
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


def remaining_parts(steps: Sequence[Step], first: int, anchor: Anchor) -> list[Part]:
    """Parts of the steps from ``first`` on, all with one anchor, cut before each prompt."""
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
