"""Reads the messages and calls of stored parts again with the present rules.

Events do not change, nor do numbers that came from the log: only the data that rules derived from the events
is derived again, from the redacted text that is stored. A test run whose outcome was known stays known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from gittraj.commands.backfill.importer import import_files
from gittraj.commands.link import reachable
from gittraj.config import Environ, read_config
from gittraj.errors import FormatError, TrajError
from gittraj.events.part_summary import summarize_part
from gittraj.events.truncate import fit
from gittraj.git import Repository
from gittraj.model.values import (
    VERSION,
    AnyEvent,
    Decision,
    Key,
    Link,
    PartSummary,
    Record,
    TestRuns,
    ToolCall,
)
from gittraj.notes.merge import iter_records
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import NotesRef
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.drain.forgotten import find_tombstones
from gittraj.record.drain.open_log import find_sessions
from gittraj.record.rewrite_segments import Renewal, stored_parts
from gittraj.state.folder import LocalState

_DERIVED = ("decisions", "caveats")
"""A record's lists that are derived again, so that the number of items cut from them changes, too."""


@dataclass(slots=True, kw_only=True)
class Reread:
    """Counts the parts that were ``read`` again, those that ``changed``, those whose events are not all in
    this clone or were not all stored (``absent``), and those of a ``newer`` version of git-traj. ``known``
    counts the logs that were stored raw, because no reader knew them, and that a reader can read now."""

    read: int = 0
    changed: int = 0
    absent: int = 0
    newer: int = 0
    known: int = 0


def reread(
    repository: Repository,
    revisions: str | None,
    *,
    environ: Environ,
    dry_run: bool = False,
) -> Reread:
    """Read the parts on the commits of ``revisions`` (None: all) again. A record whose content changes gets
    the next ``rev`` in every note that has the record. Raises TrajError."""
    if environ.off:
        raise TrajError("GIT_TRAJ=0 switches git-traj off", "unset it")
    commits = reachable(repository, revisions)
    done = Reread()
    with nullcontext() if dry_run else LocalState.of(repository).writing():
        links = defaultdict[Key, list[Link]](list)
        for _, record in iter_records(NotesRef(repository).items()):
            links[record.key].append(record.link)
        records = {
            record.key: record
            for records in stored_parts(repository, commits).values()
            for record in _read_again(repository, records, links, done)
        }
        if records and not dry_run:
            pipeline = make_pipeline(repository, read_config(repository), environ)
            pipeline.rewrite([Renewal(records=records)])
    done.changed = len(records)
    done.known = sum(
        _read_raw(repository, name, dry_run=dry_run, environ=environ)
        for name, parts in stored_parts(repository, commits).items()
        if parts[0].whole.agent == "raw"
    )
    return done


def _read_raw(repository: Repository, trajectory: str, *, dry_run: bool, environ: Environ) -> bool:
    """Import a log that was stored raw, if a reader can read it now, onto its commits, and then delete the
    raw copy. Returns whether a reader can read the log."""
    notes = dict(NotesRef(repository).items())
    records = {commit: r for commit, r in iter_records(notes.items()) if r.id == trajectory}
    commits: list[str | None] = [c for c, record in records.items() if record.role == "produced"]
    with LocalState.of(repository).scratch() as folder:
        path = Path(folder) / "log"
        path.write_text(_read_text(repository, trajectory, records.values()), "utf-8")
        try:
            find_sessions(path)
        except FormatError:
            return False
        if dry_run:
            return True
        imports = [import_files(repository, environ.variables, [path], commit=c) for c in commits or [None]]
    if any(refused for _, refused in imports):
        return False
    tombstones = list(find_tombstones(notes.items(), {trajectory}))
    make_pipeline(repository, read_config(repository), environ).write([], lines=tombstones)
    return True


def _read_text(repository: Repository, trajectory: str, records: Iterable[Record]) -> str:
    """Return the text of a log that was stored raw."""
    refs = list(dict.fromkeys(ref for record in records for ref in record.segments))
    events = dict(read_segments(repository, trajectory, refs))
    return "".join(event.content for ref in refs for event in events.get(ref, ()))


def _read_again(
    repository: Repository, records: Sequence[Record], links: Mapping[Key, Sequence[Link]], done: Reread
) -> Iterator[Record]:
    """Yield those records of one trajectory whose content changes. ``links`` are the links of each part to
    all of its commits. ``done`` counts the parts."""
    refs = list(chain.from_iterable(record.segments for record in records))
    events = dict(read_segments(repository, records[0].id, refs))
    # of all parts: a call may be in an earlier part than its result
    calls = [event for event in chain.from_iterable(events.values()) if isinstance(event, ToolCall)]
    for record in records:
        if record.v > VERSION:
            done.newer += 1
        elif record.figures.counts.omitted or not events.keys() >= {*record.segments}:
            done.absent += 1
        elif record.segments:
            done.read += 1
            part = list(chain.from_iterable(events[ref] for ref in record.segments))
            summary = _derive(record, part, calls, links[record.key])
            if summary != record.figures:
                yield _with_summary(record, summary)


def _with_summary(record: Record, summary: PartSummary) -> Record:
    cut = {name: total for name, total in record.cut.items() if name not in _DERIVED}
    fitted = fit(replace(record, rev=record.rev + 1, figures=summary, cut=cut))
    return replace(fitted, cut={**cut, **fitted.cut})


def _derive(
    record: Record, events: Sequence[AnyEvent], calls: Sequence[ToolCall], links: Sequence[Link]
) -> PartSummary:
    """Return a part's summary, derived again from its events. ``calls`` are those of the whole trajectory."""
    stored = record.figures
    derived = summarize_part(
        events,
        prompt=stored.prompt,
        files=stored.files,
        thinking=stored.thinking,
        calls=calls,
        links=links,
    )
    # outputs that were left out of a part cannot be read again
    use_new = not stored.counts.outside and (_is_known(derived.tests) or not _is_known(stored.tests))
    tests = derived.tests if use_new else stored.tests
    return replace(
        stored,
        decisions=tuple(d for d in derived.decisions if not _is_refusal(d, calls)),
        caveats=derived.caveats,
        caveat_sources=derived.caveat_sources,
        result=derived.result,
        why=derived.why,
        tests=tests or stored.tests,
    )


def _is_known(tests: TestRuns | None) -> bool:
    return tests is not None and tests.outcome not in (None, "unknown")


def _is_refusal(decision: Decision, calls: Sequence[ToolCall]) -> bool:
    """Return whether this is a person's refusal of a call, which earlier versions listed as a decision."""
    tools = {call.name for call in calls} | {"a tool call"}
    return decision.by == "human" and decision.chosen.removeprefix("declined ") in tools
