"""Turns one repository into rows: fetches it, scans it by today's rules, folds it. No file of it remains."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from gittraj import limits
from gittraj.config import read_config, stamp
from gittraj.errors import FormatError, GitError, RedactionError, StoreError, TrajError
from gittraj.events.sensitive import strict_events
from gittraj.frozen import dataclass
from gittraj.gather.fetching import Listed, fetch_records, new_repository
from gittraj.gather.remotes import Source
from gittraj.gather.rows import Builder, Described, Rows
from gittraj.gather.schema import VERSION
from gittraj.gather.store import Known
from gittraj.git import Repository
from gittraj.model.codec import decode_segment, segment_path
from gittraj.model.values import AnyEvent, Key, Line, Prompt, Record, TaskRef, Thinking, Tombstone
from gittraj.model.words import one_line
from gittraj.notes.epoch import Epoch, decode_epoch, encode_epoch, read_epoch, unite
from gittraj.notes.store import RECORDS_REF, DataRefs, NotesRef
from gittraj.query.log.description import read_fields
from gittraj.query.notes import name_over
from gittraj.query.records import Recorded
from gittraj.record.drain.redactor import redactors
from gittraj.record.rewrite_segments import clean_record
from gittraj.redact import LiveValues
from gittraj.redact.events import cleaner, map_event

_UNSCANNED = "{} records could not be scanned, and are left out"
_TOO_LARGE = "the events of {} parts are beyond what is gathered of one repository, and are left out"
_OLDER = f"commits that are more than {limits.GATHER_COMMITS:,} behind HEAD are not counted"
_SHALLOW = "its history is shallow there, and the commits that are missing are not counted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A repository to be collected. ``contents`` has the words ``prompts`` and ``events`` if these are to be
    gathered, too. ``epoch`` says what was purged, as the engine stores it; it is empty if nothing was."""

    source: Source
    listed: Listed
    contents: str = ""
    epoch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The rows of a repository. ``left_out`` has a line for each kind of data that is not in them."""

    source: Source
    left_out: Sequence[str]
    rows: Rows


def make_job(source: Source, listed: Listed, contents: str, known: Known | None) -> Job:
    """Make the job for a repository; ``known`` is what the engine has of it."""
    if "events" not in contents:
        listed = replace(listed, tips={RECORDS_REF: listed.tips[RECORDS_REF]})
    return Job(source=source, listed=listed, contents=contents, epoch=known.epoch if known else "")


def collect(job: Job, environ: Mapping[str, str]) -> Gathered:
    """Collect a repository. Raises TrajError; then the engine keeps what was gathered last."""
    with TemporaryDirectory(prefix="git-traj-gather-", ignore_cleanup_errors=True) as folder:
        sha256 = any(len(tip) == 64 for tip in job.listed.tips.values())
        with new_repository(Path(folder), environ, sha256=sha256) as repository:
            described = fetch_records(repository, job.source, job.listed)
            return _Collector(repository, job, environ).collect(described=described)


class _Cleaned(Recorded):
    """Records changed or dropped by ``clean``; sizes are those of the original notes."""

    def __init__(self, notes: Iterable[tuple[str, bytes]], clean: Callable[[Line], Line | None]) -> None:
        super().__init__(notes)
        for commit in self:
            self._lines[commit] = [kept for line in self._decoded(commit) if (kept := clean(line))]


class _Collector:
    def __init__(self, repository: Repository, job: Job, environ: Mapping[str, str]) -> None:
        self._repository = repository
        self._job = job
        self._config = read_config(repository)
        live = LiveValues.collect(environ, ())
        self._redactor = redactors(self._config, key=os.urandom(32), live=live)()
        self._ruleset = stamp(self._config)
        self._data = DataRefs(repository)
        self._left_out: Counter[str] = Counter()

    def collect(self, *, described: bool) -> Gathered:
        job, repository = self._job, self._repository
        epoch = self._unite_epochs()
        over: list[str] = []
        notes = NotesRef(repository).items(over=over)
        recorded = _Cleaned(notes, partial(self._clean_line, epoch))
        commits = dict(self._describe()) if described else {}
        events = self._read_events(recorded) if "events" in job.contents else {}
        rows = Builder(job.source.project_id, recorded, commits, events).build()
        if not self._repository.edge.isdisjoint(commits):  # there are older commits, which were not fetched
            self._left_out[_OLDER if len(commits) >= limits.GATHER_COMMITS else _SHALLOW] += 1
        rows["repositories"] = [
            (
                job.source.project_id,
                job.source.name,
                job.source.address,
                spell_tips(job.listed.seen if described else job.listed.tips),
                job.contents,
                self._ruleset,
                VERSION,
                datetime.now(UTC).replace(tzinfo=None),
                encode_epoch(epoch).decode() if epoch else "",
                len(rows["parts"]),
            )
        ]
        return Gathered(
            source=job.source,
            left_out=[
                *(text.format(number) for text, number in self._left_out.items()),
                *([name_over(over)] if over else []),
            ],
            rows=rows,
        )

    def _unite_epochs(self) -> Epoch:
        """Join the purges that the engine and the remote know. An epoch that cannot be read is an error."""
        remembered = decode_epoch(self._job.epoch.encode()) if self._job.epoch else Epoch()
        objects = self._repository.objects
        try:
            found = read_epoch(objects, NotesRef(self._repository).tip())
        except StoreError as error:
            raise TrajError(f"{self._job.source.name}: {error.message}", error.hint) from None
        return unite([each for each in (remembered, found) if each])

    # ------------------------------------------------------------ records

    def _clean_line(self, epoch: Epoch, line: Line) -> Line | None:
        """Redact a line; None if it was purged or cannot be scanned, such as lines of later versions."""
        if not epoch.allows(line) or not isinstance(line, Record):
            return line if isinstance(line, Tombstone) and epoch.allows(line) else None
        try:
            record = clean_record(self._redactor, self._ruleset, {}, line)
        except (RedactionError, RecursionError):
            self._left_out[_UNSCANNED] += 1
            return None
        record = replace(record, seals={}, extra={}, link=replace(record.link, call=None))
        return record if "prompts" in self._job.contents else _without_prompt(record)

    def _describe(self) -> Iterator[tuple[str, Described]]:
        """Describe HEAD's commits, newest first."""
        commits = self._repository.run("rev-list", "refs/heads/gathered").text.split()
        clean = cache(self._redactor.text)
        fields = read_fields(self._repository, commits, "%H", "%h", "%s", "%aN", "%aE", "%aI", "%ct", "%P")
        for commit, short, subject, author, email, date, committed, parents in fields:
            person = clean(author), clean(email)
            yield commit, Described(short, clean(subject), *person, date, int(committed), " " in parents)

    # ------------------------------------------------------------ events

    def _read_events(self, recorded: Recorded) -> dict[Key, Sequence[AnyEvent]]:
        """Read the events of each part, the newest first, up to a limit in bytes."""
        found: dict[Key, Sequence[AnyEvent]] = {}
        left = limits.GATHER_EVENTS
        folded = filter(None, map(recorded.folded, recorded.ids()))
        records = [record for each in folded for record in each.records(None)]
        records.sort(key=lambda record: record.figures.ended_at or "", reverse=True)
        for record in records:
            events, size = self._read_segments(record, left)
            left -= size
            if events is None:
                self._left_out[_TOO_LARGE] += 1
            else:
                found[record.key] = self._clean_events(events)
        return found

    def _read_segments(self, record: Record, left: int) -> tuple[list[AnyEvent] | None, int]:
        """Return the record's events, None if they exceed ``left`` bytes, and how many bytes were read. The
        size that the record states only avoids reading; the real size is checked, too."""
        events: list[AnyEvent] = []
        size = 0
        if sum(max(ref.bytes, 0) for ref in record.segments) > left:
            return None, 0
        for ref in record.segments:
            path = segment_path(record.id, ref.name)
            with suppress(GitError, FormatError):
                body = self._data.read(ref.month, path) or b""
                size += len(body)
                if size > left:
                    return None, size
                events += decode_segment(body, path)
        return events, size

    def _clean_events(self, events: Sequence[AnyEvent]) -> list[AnyEvent]:
        strict = strict_events(events, self._config.strict, orphans=False)
        clean = cleaner(self._redactor)
        kept = []
        for event in events:
            if isinstance(event, Thinking) and (event.seal or event.payload):
                continue
            if isinstance(event, Prompt) and "prompts" not in self._job.contents:
                continue
            try:
                kept.append(map_event(replace(event, raw=None), clean, strict=event.id in strict))
            except (RedactionError, RecursionError):
                self._left_out[_UNSCANNED] += 1
        return kept


def spell_tips(tips: Mapping[str, str]) -> str:
    return " ".join(f"{ref}={tip}" for ref, tip in sorted(tips.items()))


def _without_prompt(record: Record) -> Record:
    """Remove the prompt, the title, which may be a prompt's first line (no record says who wrote it), and
    text that repeats one of them."""
    figures, whole, summary = record.figures, record.whole, record.figures.summary
    asked = [one_line(text) for text in (figures.prompt, whole.title) if text]

    def kept(text: str | None) -> str | None:
        return None if text is None or _repeats(text, asked) else text

    figures = replace(
        figures,
        prompt=None,
        summary=summary if summary and kept(summary.text) is not None else None,
        result=kept(figures.result),
        why=kept(figures.why),
    )
    task = whole.task
    if task and (task.source is None or kept(task.title) is None):
        task = _without_title(task)
    return replace(record, figures=figures, whole=replace(whole, title=None, task=task))


def _repeats(text: str, asked: Iterable[str]) -> bool:
    """Whether one of the squeezed texts begins with ``text``, which may be cut off with an ellipsis."""
    start = one_line(text).rstrip("….")
    return bool(start) and any(each.startswith(start) for each in asked)


def _without_title(task: TaskRef) -> TaskRef | None:
    """Return the task with its id as its title; None if it has no id."""
    has_id = task.source and task.source.system != "plain"
    return replace(task, title=task.source.id) if task.source and has_id else None
