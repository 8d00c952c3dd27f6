"""Makes a repository's redactor for ``git traj redact``, decodes files, and scans stored data by the present
rules. An audit changes nothing, and reports where secrets were found, but not their values: only a purge gets
these.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from gittraj.commands.link import reachable
from gittraj.config import Config, Environ, read_config, stamp
from gittraj.errors import RedactionError, TrajError
from gittraj.events.sensitive import strict_events
from gittraj.git import Repository
from gittraj.model.values import AnyEvent, Event, Record, SegmentRef
from gittraj.notes.merge import every_record, iter_records
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import NotesRef
from gittraj.record.drain.composition import known_secrets, make_pipeline
from gittraj.record.drain.redactor import options_of, redactors, remarks_of
from gittraj.record.pipeline import Pipeline
from gittraj.redact.events import Redact, map_event, map_plain
from gittraj.redact.scan import UNSCANNABLE
from gittraj.state.folder import LocalState

_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def make_redactor(repository: Repository | None, *, environ: Environ) -> tuple[Redact, str, list[str]]:
    """Return a redactor with the settings and secrets of a repository (None: the defaults) and of
    ``environ``, the version of its rules, and remarks on ignored parts of rule files."""
    config, key = Config(), os.urandom(32)
    if repository is not None:
        config, local = read_config(repository), LocalState.of(repository)
        key = local.key() if local.exists else key
    secrets = known_secrets(repository, environ, live=environ.variables)
    return redactors(config, key=key, live=secrets)(), stamp(config), remarks_of(config)


def list_own_rules(repository: Repository) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the active rules of the files that a repository's settings name, each with its file's name, and
    remarks on ignored parts of these files."""
    config = read_config(repository)
    files = zip(config.gitleaks(), options_of(config).gitleaks(), strict=True)
    rules = [(f"gitleaks:{rule.id}", name) for (name, *_), file in files for rule in file.rules]
    return rules, remarks_of(config)


def decode(data: bytes, name: str) -> tuple[str, str]:
    """Return the text of a file, and the encoding to write it back in. Bytes that are not UTF-8 are
    preserved. Raises TrajError if the file is not text."""
    encoding = _BYTE_ORDER_MARKS.get(data[:2], "utf-8")
    try:
        text = data.decode(encoding, "surrogateescape")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise TrajError(f"{name} is not text, so it cannot be scanned")
    return text, encoding


def audit_stored(repository: Repository, revisions: str | None, *, environ: Environ) -> tuple[Audit, str]:
    """Scan the records on ``revisions`` (None: all) by the present rules, and return the findings and the
    version of the rules. Raises TrajError."""
    LocalState.of(repository).create()  # for its key, in a clone where git-traj is not installed
    commits = reachable(repository, revisions)
    pipeline = make_pipeline(repository, read_config(repository), environ)
    return audit(pipeline, commits=commits), pipeline.ruleset


Scan = Callable[..., Any]
"""A redactor's ``find`` or ``learn``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A match of a rule in an ``event`` of a trajectory (None: in its record) on a commit."""

    commit: str
    trajectory: str
    event: str | None
    rule: str

    @property
    def finding(self) -> str:
        """The id of the finding, which is the same on every commit, and reveals nothing about the value."""
        key = "\0".join((self.trajectory, self.event or "", self.rule))
        return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:8]


@dataclass(slots=True)
class Audit:
    """The result of an audit. ``absent`` counts the segments that are not in this clone and were not scanned,
    ``records`` the records that were scanned; ``over`` are the commits whose notes are too large."""

    leaks: list[Leak] = field(default_factory=list)
    absent: int = 0
    records: int = 0
    over: Sequence[str] = ()


def audit(pipeline: Pipeline, *, commits: Collection[str] | None = None) -> Audit:
    """Scan every record on ``commits`` (None: all), with the events that it names."""
    done = Audit()
    by_trajectory: dict[str, list[tuple[str, Record]]] = defaultdict(list)
    over: list[str] = []
    notes = NotesRef(pipeline.repository).items(over=over)
    for commit, record in iter_records(note for note in notes if commits is None or note[0] in commits):
        by_trajectory[record.id].append((commit, record))
    done.over = [commit for commit in over if commits is None or commit in commits]
    for trajectory, records in by_trajectory.items():
        done.records += len(records)
        _scan(pipeline, trajectory, records, done)
    done.leaks = sorted(
        set(done.leaks), key=lambda leak: (leak.commit, leak.trajectory, leak.event or "", leak.rule)
    )
    return done


def values_of(pipeline: Pipeline, leak: Leak) -> frozenset[str]:
    """Return the values of a finding: the secrets themselves."""
    redactor, values = pipeline.redactor(), set[str]()

    def take(text: str, *, name: str | None = None, strict: bool = False) -> None:
        for span in redactor.find(text, name=name, strict=strict):
            if span.rule == leak.rule:
                values.add(text[span.start : span.end])

    notes = NotesRef(pipeline.repository).items()
    records = [record for record in every_record(notes) if record.id == leak.trajectory]
    _, events, strict = _read(pipeline, leak.trajectory, records, redactor)
    for event in events:
        if event.id == leak.event:
            match_rules(take, event, strict=event.id in strict)
    for record in records if leak.event is None else ():
        match_rules(take, (record.figures, record.whole, record.link), strict=False)
    return frozenset(values)


def _scan(pipeline: Pipeline, trajectory: str, records: Sequence[tuple[str, Record]], done: Audit) -> None:
    """Add the leaks in one trajectory to ``done``."""
    redactor = pipeline.redactor()
    segments, events, strict = _read(pipeline, trajectory, [r for _, r in records], redactor)
    done.absent += sum(events is None for events in segments.values())
    by_event = {event.id: match_rules(redactor.find, event, strict=event.id in strict) for event in events}
    for commit, record in records:
        named = {
            e.id: by_event[e.id] for ref in (*record.segments, *record.also) for e in segments[ref] or ()
        }
        header = match_rules(redactor.find, (record.figures, record.whole, record.link), strict=False)
        done.leaks += [
            Leak(commit=commit, trajectory=trajectory, event=event, rule=rule)
            for event, rules in (*named.items(), (None, header))
            for rule in rules
        ]


def _read(
    pipeline: Pipeline, trajectory: str, records: Sequence[Record], redactor: Redact
) -> tuple[dict[SegmentRef, Sequence[AnyEvent] | None], list[AnyEvent], Collection[str]]:
    """Return the segments that records name (None: not in this clone), their events in order, and the ids of
    the events that are scanned strictly. The redactor learns from all events, as a secret may be in
    several."""
    refs = dict.fromkeys(ref for record in records for ref in (*record.segments, *record.also))
    segments = dict(read_segments(pipeline.repository, trajectory, refs))
    events = [event for ref in sorted(segments, key=lambda ref: ref.name) for event in segments[ref]]
    strict = strict_events(events, pipeline.config.strict, orphans=False)
    for event in events:
        match_rules(redactor.learn, event, strict=event.id in strict)
    return {ref: segments.get(ref) for ref in refs}, events, strict


def match_rules(scan: Scan, value: Any, *, strict: bool) -> set[str]:
    """Call ``scan`` for each text in a value, and return the rules that matched."""
    rules: set[str] = set()

    def scan_text(text: str, name: str | None, strictly: bool) -> str:
        for span in scan(text, name=name, strict=strictly) or ():
            rules.add(span.rule)
        return text

    try:
        if isinstance(value, Event):
            map_event(cast(AnyEvent, value), scan_text, strict=strict)
        else:
            map_plain(value, scan_text)
    except (RedactionError, RecursionError):
        rules.add(UNSCANNABLE)
    return rules
