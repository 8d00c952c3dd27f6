"""The one composer: a part, already read and linked to commits, is redacted, sealed and written.

No other code writes a note. The order is fixed: data refs first, then the records that name them; whoever
dies in between leaves a segment that nobody names, never a record whose events are missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from itertools import chain
from pathlib import Path

from gittraj.config import Config
from gittraj.errors import RedactionError, SealError
from gittraj.events.part_summary import summarize_part
from gittraj.events.sensitive import strict_events
from gittraj.events.truncate import cap, fit, measure, select
from gittraj.git import Repository, patch_ids, read_present
from gittraj.model.codec import decode_note, encode_note, encode_segments, segment_path
from gittraj.model.values import (
    AnyEvent,
    FileChanged,
    Key,
    Line,
    Link,
    Origin,
    Record,
    Role,
    SegmentRef,
    TaskRef,
    Thinking,
    ThinkingState,
    Tombstone,
    ToolCall,
    Trajectory,
    map_texts,
)
from gittraj.notes.carry import carry_note, spread
from gittraj.notes.merge import merge_lines
from gittraj.notes.split_commits import Pieces
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.record.rewrite_segments import (
    Renewal,
    is_pushed,
    latest,
    notes_of,
    renew,
    renew_note,
    search,
    tell_clean,
)
from gittraj.redact.events import Redact, clean_trajectory, teach
from gittraj.seal.events import Sealing, is_sealable, seal_events

STUB_REV = 0
"""Of a link stub: lower than any record's, so that one tombstone takes the stub and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A commit that a part belongs to, and why."""

    commit: str
    link: Link
    role: Role = "produced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A part before redaction. ``positions`` are those of its events in the trajectory; ``also`` earlier
    segments that wrote files of the commit, or keys of earlier parts of the same batch; ``calls`` those of
    its results that stand outside of it, or say more than it keeps of them; ``earlier`` the segments of parts
    that are stored already, written when ``searched`` secrets were known; ``branch`` what was checked out
    when the log began; ``source`` the log (it stays on this machine)."""

    trajectory: Trajectory
    positions: tuple[int, ...]
    targets: tuple[Target, ...]
    files: tuple[FileChanged, ...] = ()
    also: tuple[SegmentRef | Key, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    earlier: tuple[SegmentRef, ...] = ()
    searched: int = 0
    dropped: int = 0
    rev: int = 1
    cost_usd: float | None = None
    branch: str | None = None
    source: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A part that could not be redacted: where it lies, never what it says."""

    source: str
    first: str
    last: str
    why: str


@dataclass(slots=True, kw_only=True)
class Written:
    """What a batch came to: the segments of each part (of earlier ones that were made anew too), the commits
    whose notes changed, what was parked; ``remark``: what a user has to know of how thinking was sealed, on
    one line; ``searched``: how many secrets were known; ``exposed``: trajectories
    in which a secret became known that was pushed before."""

    segments: dict[Key, tuple[SegmentRef, ...]] = field(default_factory=dict)
    commits: set[str] = field(default_factory=set)
    parked: list[Parked] = field(default_factory=list)
    exposed: set[str] = field(default_factory=set)
    remark: str | None = None
    searched: int = 0
    tip: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Redacted parts: their records and other lines, by commit, and the blobs that hold their events (path
    on the data ref of ``month``: id). ``learned``: keyed hashes of what turned out to be secret;
    ``renewals``: earlier parts that had it."""

    month: str
    lines: tuple[tuple[str, Line], ...] = ()
    blobs: Mapping[str, str] = field(default_factory=dict)
    learned: frozenset[str] = frozenset()
    renewals: tuple[Renewal, ...] = ()
    written: Written = field(default_factory=Written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """``redactor`` makes one redactor for the parts of one trajectory, by the rules of version
    ``ruleset``; it knows ``known`` secrets by their hashes, and ``remember`` keeps those of what it learns;
    ``expose`` is told of trajectories that hold one which was pushed.
    ``sealing`` knows for whom thinking is sealed, where it is;
    ``localise`` takes this machine's folders out of a text; ``task_of`` tells the task of a part whose log
    names none. ``rewrites`` says what became of rewritten
    commits, also of earlier ones; ``gathered`` are those of them that went into a squash."""

    repository: Repository
    config: Config
    redactor: Callable[[], Redact]
    ruleset: str
    known: int = 0
    remember: Callable[[frozenset[str]], object] = lambda _: None
    expose: Callable[[frozenset[str]], object] = lambda _: None
    sealing: Sealing | None = None
    localise: Callable[[str], str] = lambda text: text
    task_of: Callable[[Draft], TaskRef | None] = lambda _: None
    rewrites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gathered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def write(
        self,
        drafts: Sequence[Draft],
        *,
        carry: Iterable[tuple[str, str]] = (),
        lines: Iterable[tuple[str, Line]] = (),
    ) -> Written:
        """Write parts, carry what stands on rewritten commits (``carry``: old, new), and add ready lines
        (stubs, tombstones, copies of what was redacted before), all in one batch. A record without an
        origin gets this one.

        Raises StoreError; then no record was written, and doing it again gives the same result.
        """
        prepared = self.prepare(drafts)
        return self.store([replace(prepared, lines=(*lines, *prepared.lines))], carry=carry)

    def prepare(self, drafts: Sequence[Draft]) -> Prepared:
        """Redact parts, and write their events as blobs that nothing names yet. May run in several processes
        at once. Raises StoreError."""
        written = Written(searched=self.known)
        month = this_month()
        files: dict[str, bytes] = {}
        records: list[tuple[str, Record]] = []
        learned: frozenset[str] = frozenset()
        renewals: list[Renewal] = []
        for group in _by_trajectory([self._with_task(draft) for draft in drafts]):
            redactor = self.redactor()
            before = redactor.hashes()
            found = list(self._records(group, redactor, month, files, written))
            fresh = redactor.hashes() - before
            try:
                renewal = self._search_earlier(group, redactor, month, fresh=bool(fresh))
            except (RedactionError, RecursionError):
                renewal, written.searched = None, 0  # the next drain tries again
            if renewal is not None:
                files.update(renewal.files)
                found = [(commit, renewal.rename(record)) for commit, record in found]
                written.segments.update({key: r.segments for key, r in renewal.records.items()})
                renewals.append(renewal)
            records += found
            learned |= fresh
        written.remark = self.sealing.remark if self.sealing else None
        objects = self.repository.objects
        blobs = {path: objects.write_blob(body) for path, body in files.items()}
        objects.flush()
        return Prepared(
            month=month,
            lines=tuple(records),
            blobs=blobs,
            learned=learned,
            renewals=tuple(renewals),
            written=written,
        )

    def _with_task(self, draft: Draft) -> Draft:
        whole = draft.trajectory.whole
        task = self.task_of(draft) if whole.task is None else None
        if task is None:
            return draft
        return replace(draft, trajectory=replace(draft.trajectory, whole=replace(whole, task=task)))

    def _search_earlier(
        self, drafts: Sequence[Draft], redactor: Redact, month: str, *, fresh: bool
    ) -> Renewal | None:
        """Take out of a trajectory's stored parts what became known since they were written. Raises
        RedactionError, RecursionError."""
        trajectory = drafts[0].trajectory.id
        earlier = latest(ref for draft in drafts for ref in draft.earlier)
        if not earlier or not (fresh or any(draft.searched < self.known for draft in drafts)):
            return None
        anew = search(self.repository, trajectory, earlier, redactor, paths=self.config.strict)
        if not anew:
            return None
        tell = partial(tell_clean, redactor, self.ruleset, anew)
        return renew(self.repository, trajectory, anew, tell, month=month)

    def store(
        self,
        prepared: Sequence[Prepared],
        *,
        carry: Iterable[tuple[str, str]] = (),
        became: Iterable[tuple[str, str]] = (),
    ) -> Written:
        """Name prepared parts in the refs, as one batch. ``became`` are rewrites that are known besides, of
        commits that were taken apart. Raises StoreError; then no record was written."""
        written = Written(searched=min((each.written.searched for each in prepared), default=0))
        notes = NotesRef(self.repository)
        batch: dict[str, list[Line]] = {}
        blobs: dict[str, dict[str, str]] = {}
        if learned := frozenset[str]().union(*(each.learned for each in prepared)):
            self.remember(learned)
        for each in prepared:
            written.segments.update(each.written.segments)
            written.parked.extend(each.written.parked)
            written.remark = written.remark or each.written.remark
            blobs.setdefault(each.month, {}).update(each.blobs)
            for commit, line in each.lines:
                batch.setdefault(commit, []).append(line)
        self._fill_origins(batch)
        carry = list(carry)
        known = ((old, new) for old, news in self.rewrites.items() for new in news)

        @cache
        def stored(commit: str) -> list[Line]:
            return decode_note(notes.read(commit) or b"")

        def note(commit: str) -> list[Line]:
            return [*batch.get(commit, ()), *stored(commit)]

        pieces = Pieces(
            [*carry, *became, *known],
            read=partial(read_present, self.repository),
            note=note,
            gathered=self.gathered,
        )
        for old, new in carry:
            batch.setdefault(new, []).extend(pieces.fitting(old, new, carry_note(old, stored(old))))
        renewals = [renewal for each in prepared for renewal in each.renewals]
        for renewal in renewals:
            self._renew(notes, batch, renewal)
        spread(batch, self.rewrites, fitting=pieces.fitting)
        batch = {commit: new for commit, new in batch.items() if new}
        for month, named in blobs.items():
            if named:
                DataRefs(self.repository).add(month, named)
        pushed = {id(renewal): is_pushed(self.repository, renewal) for renewal in renewals}
        secret = [renewal for renewal in renewals if not pushed[id(renewal)]]
        if batch:
            changes = {commit: partial(_add_lines, commit, tuple(new)) for commit, new in batch.items()}
            parts = len(written.segments)
            message = f"git-traj: {parts} parts, {len(batch)} commits"
            old_names = {path.rpartition("/")[2].encode() for r in secret for _, path in r.gone}
            written.tip = notes.write(changes, message=message, forget=old_names)
            written.commits |= batch.keys()
        self._forget(secret)
        written.exposed |= {key[0] for r in renewals if r.gone and pushed[id(r)] for key in r.records}
        if written.exposed:
            self.expose(frozenset(written.exposed))
        return written

    def rescan(self, trajectory: str, records: Collection[Record]) -> Prepared:
        """Parts that are stored, scanned by the rules of today: all of ``records`` get their stamp. Raises
        RedactionError, StoreError."""
        month = this_month()
        redactor = self.redactor()
        refs = [ref for record in records for ref in record.segments]
        anew = search(self.repository, trajectory, refs, redactor, paths=self.config.strict)
        keys = {record.key for record in records}
        tell = partial(tell_clean, redactor, self.ruleset, anew)
        renewal = renew(self.repository, trajectory, anew, tell, month=month, keys=keys)
        write = self.repository.objects.write_blob
        written = Written(segments={key: r.segments for key, r in renewal.records.items()})
        return Prepared(
            month=month,
            blobs={path: write(body) for path, body in renewal.files.items()},
            learned=redactor.hashes(),
            renewals=(renewal,),
            written=written,
        )

    def renew(self, renewals: Sequence[Renewal]) -> Written:
        """Write parts that are told anew, and nothing else. Raises StoreError."""
        write = self.repository.objects.write_blob
        blobs = {path: write(body) for renewal in renewals for path, body in renewal.files.items()}
        written = Written(segments={key: r.segments for each in renewals for key, r in each.records.items()})
        prepared = Prepared(month=this_month(), blobs=blobs, renewals=tuple(renewals), written=written)
        return self.store([prepared])

    def _renew(self, notes: NotesRef, batch: dict[str, list[Line]], renewal: Renewal) -> None:
        """Every note that holds one of the records gets it anew, and so does what this batch writes."""
        for lines in batch.values():
            lines[:] = [renewal.apply(line) for line in lines]
        for commit, lines in notes_of(notes, renewal.trajectories):
            batch.setdefault(commit, []).extend(renew_note(commit, lines, renewal))

    def _forget(self, renewals: Iterable[Renewal]) -> None:
        """What nobody else has yet leaves the data refs, history and all, before it can be pushed."""
        gone: dict[str, set[str]] = {}
        for renewal in renewals:
            for month, path in renewal.gone:
                gone.setdefault(month, set()).add(path)
        for month, paths in gone.items():
            DataRefs(self.repository).forget(month, paths)

    def _records(
        self,
        drafts: Sequence[Draft],
        redactor: Redact,
        month: str,
        files: dict[str, bytes],
        written: Written,
    ) -> Iterator[tuple[str, Record]]:
        """The records of one trajectory's parts; their segments are put into ``files``."""
        strict = strict_events(
            (event for draft in drafts for event in draft.trajectory.events),
            self.config.strict,
            calls=[call for draft in drafts for call in draft.calls],
        )
        teach(redactor, [draft.trajectory for draft in drafts], strict)
        for draft in drafts:
            try:
                yield from self._record(draft, redactor, strict, month=month, files=files, written=written)
            except (RedactionError, RecursionError) as error:
                # arguments nested a thousand deep cannot be walked, so they were not scanned either
                span = draft.trajectory.span
                written.parked.append(
                    Parked(
                        source=str(draft.source or ""),
                        first=span.first if span else "",
                        last=span.last if span else "",
                        why=error.message if isinstance(error, RedactionError) else "nested too deeply",
                    )
                )

    def _record(
        self,
        draft: Draft,
        redactor: Redact,
        strict: Collection[str],
        *,
        month: str,
        files: dict[str, bytes],
        written: Written,
    ) -> Iterator[tuple[str, Record]]:
        before = dict(redactor.counts)

        def clean(text: str, name: str | None) -> str:
            return redactor.text(self.localise(text), name=name)

        trajectory = clean_trajectory(redactor, draft.trajectory, strict, self.localise)
        changed = map_texts(draft.files, clean)
        counted = {rule: n - before.get(rule, 0) for rule, n in redactor.counts.items()}
        events = tuple(measure(event) for event in trajectory.events)
        capped = [cap(event) for event in events]
        places = select(capped, self._room(draft, written))
        kept, seals, state = self._seal(trajectory.id, [capped[at] for at in places])
        if state == "none" and any(isinstance(event, Thinking) for event in events):
            state = "dropped"
        pairs = zip(places, kept, strict=True)
        placed = [(draft.positions[at], event) for at, event in pairs if event is not None]
        segments = _store_segments(trajectory.id, encode_segments(placed), month, files)
        key = (trajectory.id, trajectory.span.first if trajectory.span else None)
        written.segments[key] = segments
        figures = summarize_part(
            events,
            prompt=trajectory.prompt,
            files=changed,
            thinking=state,
            dropped=draft.dropped,
            omitted=len(events) - len(places),
        )
        figures = replace(
            figures,
            cost_usd=draft.cost_usd,
            cost_source="unknown" if draft.cost_usd is None else "reported",
            redactions_by_rule={rule: n for rule, n in sorted(counted.items()) if n},
            ruleset=self.ruleset,
        )
        for target in draft.targets:
            record = Record(
                id=trajectory.id,
                rev=draft.rev,
                link=map_texts(target.link, clean),
                range=trajectory.span,
                role=target.role,
                segments=segments,
                also=_resolve(draft.also, written.segments),
                figures=figures,
                whole=trajectory.whole,
            )
            yield target.commit, replace(fit(record), seals=seals)

    def _room(self, draft: Draft, written: Written) -> int | None:
        """Bytes that the part's events may take; None: any."""
        limits = [self.config.max_segment_bytes]
        if self.config.max_session_bytes is not None:
            fresh = (refs for key, refs in written.segments.items() if key[0] == draft.trajectory.id)
            taken = sum(ref.bytes for ref in {*draft.earlier, *chain.from_iterable(fresh)})
            limits.append(self.config.max_session_bytes - taken)
        return min((limit for limit in limits if limit is not None), default=None)

    def _seal(
        self, trajectory: str, events: Sequence[AnyEvent]
    ) -> tuple[Sequence[AnyEvent | None], Mapping[str, tuple[str, ...]], ThinkingState]:
        """The events as they are stored (None: not at all), the seals, and what became of the thinking. What
        cannot be sealed is dropped."""
        if not any(isinstance(event, Thinking) for event in events):
            return events, {}, "none"
        if self.config.thinking == "clear":
            return events, {}, "clear"
        sealer = self.sealing.sealer() if self.sealing and self.config.thinking == "seal" else None
        if sealer is not None and any(map(is_sealable, events)):
            try:
                return *seal_events(trajectory, events, sealer), "sealed"
            except SealError:
                pass
        return [None if isinstance(event, Thinking) else event for event in events], {}, "dropped"

    def _fill_origins(self, batch: Mapping[str, list[Line]]) -> None:
        """Tell the records that are new where they were first written. Of a commit that was pruned meanwhile
        no more is known than its id: that is no reason to keep the others waiting."""
        objects = self.repository.objects
        fresh = [c for c, lines in batch.items() if any(_is_new(line) for line in lines)]
        here = {commit for commit in fresh if objects.exists(commit)}
        identities = patch_ids(self.repository, [commit for commit in fresh if commit in here])
        for commit in fresh:
            tree = objects.commit(commit).tree if commit in here else None
            origin = Origin(commit=commit, patch_id=identities.get(commit), tree=tree)
            batch[commit][:] = [
                replace(line, origin=origin) if isinstance(line, Record) and _is_new(line) else line
                for line in batch[commit]
            ]


def this_month() -> str:
    """Of the data ref that is written now."""
    return datetime.now(UTC).strftime("%Y-%m")


def _is_new(line: Line) -> bool:
    return isinstance(line, Record) and line.origin is None


def _by_trajectory(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.trajectory.id, []).append(draft)
    yield from groups.values()


def _store_segments(
    trajectory: str, segments: Sequence[tuple[str, bytes]], month: str, files: dict[str, bytes]
) -> tuple[SegmentRef, ...]:
    files.update((segment_path(trajectory, name), body) for name, body in segments)
    return tuple(
        SegmentRef(name=name, month=month, bytes=len(body), sha256=hashlib.sha256(body).hexdigest())
        for name, body in segments
    )


def _resolve(
    also: Sequence[SegmentRef | Key], segments: Mapping[Key, tuple[SegmentRef, ...]]
) -> tuple[SegmentRef, ...]:
    """Parts of the same batch by the segments that they got."""
    found = ((item,) if isinstance(item, SegmentRef) else segments.get(item, ()) for item in also)
    return tuple(ref for refs in found for ref in refs)


def _add_lines(commit: str, new: Sequence[Line], body: bytes) -> bytes:
    """The note with the new lines. A stub that is now told in full gets its tombstone: plain git's union
    would bring it back."""
    merged = merge_lines(commit, (*decode_note(body), *new))
    told = {line.id for line in merged if isinstance(line, Record) and not line.incomplete}
    stubs = {line.id for line in merged if isinstance(line, Record) and line.incomplete} & told
    return encode_note((*merged, *(Tombstone(id=i, rev=STUB_REV, deleted="told in full") for i in stubs)))
