"""Redacts and seals the parts of one trajectory: makes their records, and the segments with their events.

Nothing is written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gittraj.config import Config
from gittraj.errors import RedactionError, SealError
from gittraj.events.part_summary import summarize_part
from gittraj.events.sensitive import strict_events
from gittraj.events.truncate import cap, fit, measure, select
from gittraj.model.codec import encode_segments, segment_path
from gittraj.model.texts import map_texts
from gittraj.model.values import (
    AnyEvent,
    Key,
    PartSummary,
    Record,
    SegmentRef,
    Thinking,
    ThinkingState,
    ToolResult,
)
from gittraj.record.draft import Draft, Parked
from gittraj.record.rewrite_segments import name_segment
from gittraj.redact.events import Redact, clean_trajectory, teach
from gittraj.redact.scan import UNSCANNABLE
from gittraj.seal.events import Sealing, is_sealable, seal_events

OUTSIDE = "[output left out: the call may have read outside this repository]"


@dataclass(slots=True, kw_only=True)
class Encoded:
    """The result of ``Encoder.encode``: ``records`` with their commits, ``files`` (the segments' contents) by
    path on the data ref, ``segments`` by part, and ``parked`` parts, which could not be redacted."""

    records: list[tuple[str, Record]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    segments: dict[Key, tuple[SegmentRef, ...]] = field(default_factory=dict)
    parked: list[Parked] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Encoder:
    """Encodes parts; the segments go to the data ref of ``month``. ``ruleset`` is the version of the rules;
    ``sealing`` makes the seals of thinking; ``localise`` removes this machine's folders from a text."""

    config: Config
    ruleset: str
    sealing: Sealing | None
    localise: Callable[[str], str]
    month: str

    def encode(self, drafts: Sequence[Draft], redactor: Redact) -> Encoded:
        """Encode the parts of one trajectory. Parts that cannot be redacted are ``parked``."""
        strict = strict_events(
            (event for draft in drafts for event in draft.trajectory.events),
            self.config.strict,
            calls=[call for draft in drafts for call in draft.calls],
        )
        teach(redactor, [draft.trajectory for draft in drafts], strict)
        encoded = Encoded()
        for draft in drafts:
            try:
                for record in self._records(draft, redactor, strict, encoded):
                    encoded.records.append(record)  # the records made before a failure are kept
            except RedactionError as error:
                encoded.parked.append(_park(draft, error.message))
            except RecursionError:  # such arguments cannot be walked, so they were not scanned either
                encoded.parked.append(_park(draft, "nested too deeply"))
        return encoded

    def _records(
        self, draft: Draft, redactor: Redact, strict: Collection[str], encoded: Encoded
    ) -> Iterator[tuple[str, Record]]:
        """Make the record of one part for each of its commits; its segments are added to ``encoded``."""
        redactor.replaced()  # discards what was replaced in the previous part

        def clean(text: str, name: str | None) -> str:
            return redactor.text(self.localise(text), name=name)

        trajectory, left_out = clean_trajectory(redactor, draft.trajectory, strict, self.localise)
        changed = map_texts(draft.files, clean)
        counted = Counter(redactor.replaced().values()) + Counter({UNSCANNABLE: left_out})
        events = tuple(measure(event) for event in trajectory.events)
        segments, seals, state, omitted = self._store_events(draft, events, encoded)
        figures = summarize_part(
            events,
            prompt=trajectory.prompt,
            files=changed,
            thinking=state,
            calls=draft.calls,
            links=[target.link for target in draft.targets],
            dropped=draft.dropped,
            outside=len(draft.outside),
            omitted=omitted,
        )
        figures = self._complete(figures, draft, counted)
        for target in draft.targets:
            record = Record(
                id=trajectory.id,
                rev=draft.rev,
                link=map_texts(target.link, clean),
                range=trajectory.span,
                role=target.role,
                segments=segments,
                also=_resolve(draft.also, encoded.segments),
                figures=figures,
                whole=trajectory.whole,
            )
            yield target.commit, replace(fit(record), seals=seals)

    def _store_events(
        self, draft: Draft, events: Sequence[AnyEvent], encoded: Encoded
    ) -> tuple[tuple[SegmentRef, ...], Mapping[str, tuple[str, ...]], ThinkingState, int]:
        """Add the segments of a part's redacted events to ``encoded``. Return their names, the seals, the
        state of the thinking, and how many events had no room."""
        trajectory = draft.trajectory
        capped = [cap(_without_output(e) if e.id in draft.outside else e) for e in events]
        selected = select(capped, self._room(draft, encoded.segments))
        kept, seals, state = self._seal(trajectory.id, [capped[at] for at in selected])
        if state == "none" and any(isinstance(event, Thinking) for event in events):
            state = "dropped"
        pairs = zip(selected, kept, strict=True)
        positioned = [(draft.positions[at], event) for at, event in pairs if event is not None]
        segments = _store_segments(trajectory.id, encode_segments(positioned), self.month, encoded.files)
        key = (trajectory.id, trajectory.span.first if trajectory.span else None)
        encoded.segments[key] = segments
        return segments, seals, state, len(events) - len(selected)

    def _complete(self, figures: PartSummary, draft: Draft, redactions: Mapping[str, int]) -> PartSummary:
        """Add to a part's summary what its events do not show."""
        counts, calls = figures.counts, draft.api_calls
        return replace(
            figures,
            counts=counts if calls is None else replace(counts, api_calls=calls),
            cost_usd=draft.cost_usd,
            cost_source="unknown" if draft.cost_usd is None else "reported",
            redactions_by_rule=dict(sorted(redactions.items())),
            ruleset=self.ruleset,
        )

    def _room(self, draft: Draft, written: Mapping[Key, tuple[SegmentRef, ...]]) -> int | None:
        """How many bytes the part's events may take; None: no limit."""
        limits = [self.config.max_segment_bytes]
        if self.config.max_session_bytes is not None:
            fresh = (refs for key, refs in written.items() if key[0] == draft.trajectory.id)
            taken = sum(ref.bytes for ref in {*draft.earlier, *chain.from_iterable(fresh)})
            limits.append(self.config.max_session_bytes - taken)
        return min((limit for limit in limits if limit is not None), default=None)

    def _seal(
        self, trajectory: str, events: Sequence[AnyEvent]
    ) -> tuple[Sequence[AnyEvent | None], Mapping[str, tuple[str, ...]], ThinkingState]:
        """Return the events as they are stored (None: not stored), the seals, and the state of the thinking.
        Thinking that cannot be sealed is dropped."""
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


def _park(draft: Draft, why: str) -> Parked:
    span = draft.trajectory.span
    first, last = (span.first, span.last) if span else ("", "")
    return Parked(source=str(draft.source or ""), first=first, last=last, why=why)


def _without_output(event: AnyEvent) -> AnyEvent:
    """Remove a result's text; its outcome is in the part's summary."""
    if not isinstance(event, ToolResult):
        return event
    return replace(event, content=OUTSIDE, raw=None, artifact=None, extra={}, truncated=True)


def _store_segments(
    trajectory: str, segments: Sequence[tuple[str, bytes]], month: str, files: dict[str, bytes]
) -> tuple[SegmentRef, ...]:
    files.update((segment_path(trajectory, name), body) for name, body in segments)
    return tuple(name_segment(name, body, month) for name, body in segments)


def _resolve(
    also: Sequence[SegmentRef | Key], segments: Mapping[Key, tuple[SegmentRef, ...]]
) -> tuple[SegmentRef, ...]:
    """Replace each key of a part of the same batch, in ``also``, by the ``segments`` that the part got."""
    resolved = ((item,) if isinstance(item, SegmentRef) else segments.get(item, ()) for item in also)
    return tuple(chain.from_iterable(resolved))
