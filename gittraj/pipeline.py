"""The one composer: a part, already read and linked to commits, is redacted, sealed and written.

No other code writes a note. The order is fixed: data refs first, then the records that name them; whoever
dies in between leaves a segment that nobody names, never a record whose events are missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from gittraj.codec import (
    SEGMENT_LIMIT,
    decode_note,
    dump,
    encode_note,
    encode_segments,
    event_to_json,
    segment_path,
    to_json,
)
from gittraj.config import Config
from gittraj.errors import RedactionError
from gittraj.figures import fold_figures, shorten
from gittraj.git import Repository, patch_ids
from gittraj.model import (
    AnyEvent,
    FileChanged,
    Key,
    Line,
    Link,
    Origin,
    Record,
    Role,
    SegmentRef,
    Thinking,
    ThinkingState,
    Tombstone,
    ToolResult,
    Trajectory,
    map_texts,
)
from gittraj.notes.carry import carry_note, spread
from gittraj.notes.merge import merge_lines
from gittraj.notes.store import DataRefs, NotesRef

RECORD_LIMIT = 8_000
"""Bytes of a record without its seals."""
TEXT_LIMIT = 256 * 1024
"""Characters of one text of an event that would not fit into a segment."""
STUB_REV = 0
"""Of a link stub: lower than any record's, so that one tombstone takes the stub and nothing else."""


class Redact(Protocol):
    """What the pipeline asks of a redactor."""

    @property
    def counts(self) -> Mapping[str, int]: ...
    def learn(self, text: str, *, name: str | None = None) -> None: ...
    def text(self, text: str, *, name: str | None = None) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A commit that a part belongs to, and why."""

    commit: str
    link: Link
    role: Role = "produced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A part before redaction. ``positions`` are those of its events in the trajectory; ``also`` earlier
    segments that wrote files of the commit, or keys of earlier parts of the same batch; ``source`` the
    log (it stays on this machine)."""

    trajectory: Trajectory
    positions: tuple[int, ...]
    targets: tuple[Target, ...]
    files: tuple[FileChanged, ...] = ()
    also: tuple[SegmentRef | Key, ...] = ()
    dropped: int = 0
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
    """What a batch came to: the segments of each part, the commits whose notes changed, what was parked."""

    segments: dict[Key, tuple[SegmentRef, ...]] = field(default_factory=dict)
    commits: set[str] = field(default_factory=set)
    parked: list[Parked] = field(default_factory=list)
    tip: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """``redactor`` makes one redactor for the parts of one trajectory, by the rules of version
    ``ruleset``; ``localise`` takes this machine's
    folders out of a text. ``rewrites`` says what became of rewritten commits, also of earlier ones."""

    repository: Repository
    config: Config
    redactor: Callable[[], Redact]
    ruleset: str
    localise: Callable[[str], str] = lambda text: text
    rewrites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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
        written = Written()
        month = datetime.now(UTC).strftime("%Y-%m")
        notes = NotesRef(self.repository)
        batch: dict[str, list[Line]] = {}
        for commit, line in lines:
            batch.setdefault(commit, []).append(line)
        files: dict[str, bytes] = {}
        for group in _by_trajectory(drafts):
            for commit, record in self._records(group, month, files, written):
                batch.setdefault(commit, []).append(record)
        self._fill_origins(batch)
        for old, new in carry:
            batch.setdefault(new, []).extend(carry_note(old, decode_note(notes.read(old) or b"")))
        spread(batch, self.rewrites)
        batch = {commit: new for commit, new in batch.items() if new}
        if files:
            DataRefs(self.repository).write(month, files)
        if batch:
            changes = {commit: partial(_add_lines, commit, tuple(new)) for commit, new in batch.items()}
            written.tip = notes.write(changes, message=f"git-traj: {len(drafts)} parts, {len(batch)} commits")
            written.commits |= batch.keys()
        return written

    def _records(
        self, drafts: Sequence[Draft], month: str, files: dict[str, bytes], written: Written
    ) -> Iterator[tuple[str, Record]]:
        """The records of one trajectory's parts; their segments are put into ``files``."""
        redactor = self.redactor()
        for draft in drafts:
            try:
                map_texts((draft.trajectory, draft.files), partial(_learn, redactor))
            except RecursionError:
                pass  # met again below, and parked
        for draft in drafts:
            try:
                yield from self._record(draft, redactor, month, files, written)
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
        self, draft: Draft, redactor: Redact, month: str, files: dict[str, bytes], written: Written
    ) -> Iterator[tuple[str, Record]]:
        before = dict(redactor.counts)

        def clean(text: str, name: str | None) -> str:
            return redactor.text(self.localise(text), name=name)

        trajectory, changed = map_texts((draft.trajectory, draft.files), clean)
        counted = {rule: n - before.get(rule, 0) for rule, n in redactor.counts.items()}
        events = trajectory.events
        kept = [
            (position, cap(event))
            for position, event in zip(draft.positions, events, strict=True)
            if self._keeps_thinking() or not isinstance(event, Thinking)
        ]
        segments = _store_segments(trajectory.id, encode_segments(kept), month, files)
        key = (trajectory.id, trajectory.span.first if trajectory.span else None)
        written.segments[key] = segments
        figures = fold_figures(
            events,
            prompt=trajectory.prompt,
            files=changed,
            thinking=self._thinking(any(isinstance(e, Thinking) for e in events)),
            dropped=draft.dropped,
        )
        figures = replace(
            figures,
            redactions_by_rule={rule: n for rule, n in sorted(counted.items()) if n},
            ruleset=self.ruleset,
        )
        for target in draft.targets:
            yield (
                target.commit,
                _fit(
                    Record(
                        id=trajectory.id,
                        link=map_texts(target.link, clean),
                        range=trajectory.span,
                        role=target.role,
                        segments=segments,
                        also=_resolve(draft.also, written.segments),
                        figures=figures,
                        whole=trajectory.whole,
                    )
                ),
            )

    def _keeps_thinking(self) -> bool:
        return self.config.thinking == "clear"

    def _thinking(self, some: bool) -> ThinkingState:
        if not some:
            return "none"
        return "clear" if self._keeps_thinking() else "dropped"

    def _fill_origins(self, batch: Mapping[str, list[Line]]) -> None:
        """Tell the records that are new where they were first written."""
        fresh = [c for c, lines in batch.items() if any(_is_new(line) for line in lines)]
        identities = patch_ids(self.repository, fresh)
        for commit in fresh:
            tree = self.repository.objects.commit(commit).tree
            origin = Origin(commit=commit, patch_id=identities.get(commit), tree=tree)
            batch[commit][:] = [
                replace(line, origin=origin) if isinstance(line, Record) and _is_new(line) else line
                for line in batch[commit]
            ]


def _is_new(line: Line) -> bool:
    return isinstance(line, Record) and line.origin is None


def _by_trajectory(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.trajectory.id, []).append(draft)
    yield from groups.values()


def _learn(redactor: Redact, text: str, name: str | None) -> str:
    try:
        redactor.learn(text, name=name)
    except RedactionError:
        pass  # learning only adds: what cannot be scanned is met again, and its part parked
    return text


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


def cap(event: AnyEvent) -> AnyEvent:
    """The event with its long texts ended in the middle, so that it fits into a segment. Only of redacted
    events: half a secret is not recognised."""
    limit = TEXT_LIMIT
    whole = event
    while limit > 64 and len(dump(event_to_json(event))) >= SEGMENT_LIMIT:
        event = map_texts(whole, partial(_end_in_the_middle, limit))
        limit //= 2
    if event is not whole and isinstance(event, ToolResult):
        event = replace(event, truncated=True)
    return event


def _end_in_the_middle(limit: int, text: str, _: str | None) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def _fit(record: Record) -> Record:
    """A record of at most ``RECORD_LIMIT`` bytes: long texts end early, long lists say how long they were."""
    full, most, letters = record, 100, 2_000
    while len(dump(to_json(record))) > RECORD_LIMIT and most > 0:
        most, letters = most // 2, max(letters // 2, 100)
        figures = full.figures
        said = (figures.prompt, figures.summary, figures.decisions[: most // 5], figures.caveats[: most // 5])
        prompt, summary, decisions, caveats = map_texts(said, partial(_end_early, letters))
        short = replace(
            figures,
            prompt=prompt,
            summary=summary,
            files=figures.files[:most],
            decisions=decisions,
            caveats=caveats,
        )
        record = replace(full, figures=short, also=full.also[: max(most, 5)])
        lists = {"also": (full.also, record.also)} | {
            name: (getattr(figures, name), getattr(short, name)) for name in ("files", "decisions", "caveats")
        }
        record = replace(record, cut={n: len(was) for n, (was, now) in lists.items() if len(now) < len(was)})
    return record


def _end_early(letters: int, text: str, _: str | None) -> str:
    return shorten(text, letters)
