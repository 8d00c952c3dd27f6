"""Builds a repository's redactor for ``git traj redact``, decodes files, and scans what is stored by today's
rules. An audit says where something was found, and what it was only to a purge; it changes nothing.
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
from gittraj.model.codec import decode_note
from gittraj.model.values import AnyEvent, Event, Record, SegmentRef
from gittraj.notes.merge import iter_records
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import NotesRef
from gittraj.record.drain.composition import known_secrets, make_pipeline
from gittraj.record.drain.redactor import options_of, redactors, remarks_of
from gittraj.redact.events import Redact, map_event, map_plain
from gittraj.state.folder import LocalState

_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def make_redactor(repository: Repository | None, *, environ: Environ) -> tuple[Redact, str, list[str]]:
    """A redactor with the settings and known secrets of a repository, or (None) the defaults, the version of
    its rules, and remarks on ignored parts of its rule files. Values in the environment are secrets."""
    config, key = Config(), os.urandom(32)
    if repository is not None:
        config, local = read_config(repository), LocalState.of(repository)
        key = local.key() if local.exists else key
    secrets = known_secrets(repository, environ, live=environ.variables)
    return redactors(config, key=key, live=secrets)(), stamp(config), remarks_of(config)


def list_own_rules(repository: Repository) -> tuple[list[tuple[str, str]], list[str]]:
    """The active rules of the files that its settings name, each with its file's name; and remarks on what is
    ignored."""
    config = read_config(repository)
    files = zip(config.gitleaks(), options_of(config).gitleaks(), strict=True)
    rules = [(f"gitleaks:{rule.id}", name) for (name, *_), file in files for rule in file.rules]
    return rules, remarks_of(config)


def decode(data: bytes, name: str) -> tuple[str, str]:
    """The text, and the encoding to write it back in; bytes that are not UTF-8 are preserved. Raises
    TrajError for a file that is not text."""
    encoding = _BYTE_ORDER_MARKS.get(data[:2], "utf-8")
    try:
        text = data.decode(encoding, "surrogateescape")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise TrajError(f"{name} is not text, so it cannot be scanned")
    return text, encoding


def audit_stored(repository: Repository, revisions: str | None, *, environ: Environ) -> tuple[Audit, str]:
    """Scan the records on ``revisions`` (None: all) with today's rules; returns the findings, and the rules'
    version. Raises TrajError."""
    LocalState.of(repository).create()  # for its key, in a clone where nothing is installed
    commits = reachable(repository, revisions)
    config = read_config(repository)
    pipeline = make_pipeline(repository, config, environ)
    return audit(repository, pipeline.redactor, commits=commits, paths=config.strict), pipeline.ruleset


UNSCANNABLE = "unscannable"
Ask = Callable[..., Any]
"""A redactor's ``find`` or ``learn``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A rule found something in an ``event`` of a trajectory (None: in its record) on a commit."""

    commit: str
    trajectory: str
    event: str | None
    rule: str

    @property
    def finding(self) -> str:
        """An id of the finding, the same on every commit. It reveals nothing about the value."""
        where = "\0".join((self.trajectory, self.event or "", self.rule))
        return hashlib.sha256(where.encode("utf-8", "replace")).hexdigest()[:8]


@dataclass(slots=True)
class Audit:
    """``absent``: segments that are not here, so not scanned; ``records``: how many were scanned."""

    leaks: list[Leak] = field(default_factory=list)
    absent: int = 0
    records: int = 0


def audit(
    repository: Repository,
    redactor: Callable[[], Redact],
    *,
    commits: Collection[str] | None = None,
    paths: Sequence[str] = (),
) -> Audit:
    """Scan every record on ``commits`` (None: all), with the events that it names. ``paths``: globs of
    further files that contain secrets."""
    found = Audit()
    on: dict[str, list[tuple[str, Record]]] = defaultdict(list)
    notes = (note for note in NotesRef(repository).items() if commits is None or note[0] in commits)
    for commit, record in iter_records(notes):
        on[record.id].append((commit, record))
    for trajectory, records in on.items():
        found.records += len(records)
        _scan(repository, trajectory, records, redactor=redactor(), paths=paths, found=found)
    found.leaks = sorted(
        set(found.leaks), key=lambda leak: (leak.commit, leak.trajectory, leak.event or "", leak.rule)
    )
    return found


def values_of(
    repository: Repository, redactor: Redact, leak: Leak, *, paths: Sequence[str] = ()
) -> frozenset[str]:
    """The values of a finding: the secrets themselves."""
    values: set[str] = set()

    def take(text: str, *, name: str | None = None, strict: bool = False) -> None:
        for found in redactor.find(text, name=name, strict=strict):
            if found.rule == leak.rule:
                values.add(text[found.start : found.end])

    bodies = (body for _, body in NotesRef(repository).items())
    records = [
        r for body in bodies for r in decode_note(body) if isinstance(r, Record) and r.id == leak.trajectory
    ]
    _, events, strict = _read(repository, leak.trajectory, records, redactor, paths)
    for event in events:
        if event.id == leak.event:
            _rules(take, event, strict=event.id in strict)
    for record in records if leak.event is None else ():
        _rules(take, (record.figures, record.whole, record.link), strict=False)
    return frozenset(values)


def _scan(
    repository: Repository,
    trajectory: str,
    records: Sequence[tuple[str, Record]],
    *,
    redactor: Redact,
    paths: Sequence[str],
    found: Audit,
) -> None:
    segments, events, strict = _read(repository, trajectory, [r for _, r in records], redactor, paths)
    found.absent += sum(events is None for events in segments.values())
    by_event = {event.id: _rules(redactor.find, event, strict=event.id in strict) for event in events}
    for commit, record in records:
        named = {
            e.id: by_event[e.id] for ref in (*record.segments, *record.also) for e in segments[ref] or ()
        }
        header = _rules(redactor.find, (record.figures, record.whole, record.link), strict=False)
        found.leaks += [
            Leak(commit=commit, trajectory=trajectory, event=event, rule=rule)
            for event, rules in (*named.items(), (None, header))
            for rule in rules
        ]


def _read(
    repository: Repository,
    trajectory: str,
    records: Sequence[Record],
    redactor: Redact,
    paths: Sequence[str],
) -> tuple[dict[SegmentRef, Sequence[AnyEvent] | None], list[AnyEvent], Collection[str]]:
    """The segments that records name (None: not here), their events in order, and which of these are read
    strictly. The redactor learns from all: a secret in one event is a secret in all of them."""
    refs = dict.fromkeys(ref for record in records for ref in (*record.segments, *record.also))
    here = dict(read_segments(repository, trajectory, refs))
    events = [event for ref in sorted(here, key=lambda ref: ref.name) for event in here[ref]]
    strict = strict_events(events, paths, orphans=False)
    for event in events:
        _rules(redactor.learn, event, strict=event.id in strict)
    return {ref: here.get(ref) for ref in refs}, events, strict


def _rules(ask: Ask, value: Any, *, strict: bool) -> set[str]:
    """The rules by which a redactor finds something in a value."""
    rules: set[str] = set()

    def look(text: str, name: str | None, strictly: bool) -> str:
        for each in ask(text, name=name, strict=strictly) or ():
            rules.add(each.rule)
        return text

    try:
        if isinstance(value, Event):
            map_event(cast(AnyEvent, value), look, strict=strict)
        else:
            map_plain(value, look)
    except (RedactionError, RecursionError):
        rules.add(UNSCANNABLE)
    return rules
