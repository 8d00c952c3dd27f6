"""Decides which parts are summarised, how often, and where the summaries are written.

The program runs without the drain's lock. Its summary becomes a separate part, written by the same pipeline
as every record.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.events.given_later import SUMMARY, write_model_summary
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import AnyEvent, NoteEvent, Record
from gittraj.notes.merge import order, standing
from gittraj.notes.read_segments import read_segments
from gittraj.notes.store import NotesRef
from gittraj.record.add_later import carriers, draft_addition, locked, new_event_id, now
from gittraj.record.drain.composition import make_pipeline
from gittraj.state.cursors import load_state, load_suspension
from gittraj.state.folder import LocalState
from gittraj.state.lock import acquire
from gittraj.summarizer.answer import Understood, understand
from gittraj.summarizer.output import Answer
from gittraj.summarizer.program import Program
from gittraj.summarizer.request import write_request
from gittraj.summarizer.runs import Summarizer, load_runs, read_summarizer, save_runs

_RECENT = "1.day"
_COMMITS = 50
"""The maximum number of commits of the last day that are examined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The parts of one trajectory on one commit."""

    commit: str
    records: tuple[Record, ...]

    @property
    def trajectory(self) -> str:
        return self.records[0].id

    @property
    def last(self) -> Record:
        return max(self.records, key=order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarized:
    """The result for some work: the program's answer, and its parsed form or why it failed."""

    work: Work
    answer: Answer | None = None
    understood: Understood | None = None
    failure: TrajError | None = None


def find_work(repository: Repository, commits: Iterable[str]) -> Iterator[Work]:
    """Yield the trajectories on the commits that have a summary in an agent's words and none by a model."""
    notes = NotesRef(repository)
    for commit in commits:
        trajectories: dict[str, list[Record]] = {}
        for record in standing(commit, decode_note(notes.read(commit) or b"")):
            if record.role == "produced" and not record.incomplete:
                trajectories.setdefault(record.id, []).append(record)
        for records in trajectories.values():
            authors = [r.figures.summary.by for r in records if r.figures.summary]
            if authors and not any(author.startswith("model:") for author in authors):
                yield Work(commit=commit, records=tuple(sorted(records, key=order)))


def list_commits(repository: Repository, revisions: str | None) -> list[str]:
    """Return the commits of a range, or one commit (None: HEAD), as ``git show`` takes them.

    Raises TrajError.
    """
    revision = revisions or "HEAD"
    listed = repository.run("rev-list", "--no-walk", "--end-of-options", revision, "--", check=False)
    if listed.code:
        raise TrajError(f"'{revision}' is neither a commit nor a range here")
    return listed.text.split()


def preview(repository: Repository, commits: Iterable[str]) -> Iterator[str]:
    """Yield the requests that would be sent."""
    return (write_request(_events(repository, work)) for work in find_work(repository, commits))


def summarize(
    repository: Repository, commits: Iterable[str], *, environ: Environ, live: Mapping[str, str]
) -> Iterator[Summarized]:
    """Summarise each trajectory on the commits; ``live`` is the environment, with values to redact.

    Raises TrajError if the program cannot be used.
    """
    setting = _setting(repository)
    program = Program.of(setting.command)
    for commit in commits:
        for work in list(find_work(repository, [commit])):
            yield _summarize(repository, work, program, environ=environ, live=live)


def summarize_recent(repository: Repository, *, environ: Environ, live: Mapping[str, str]) -> None:
    """Summarise this machine's sessions on the commits of the last day: each once, and not more often than
    the user allows. ``git traj status`` reports failures."""
    setting = read_summarizer(repository)
    local = LocalState.of(repository)
    if setting is None or environ.off or not local.exists or load_suspension(local.folder).paused is not None:
        return
    with _lock(local) as locked:
        for work in _recent(repository, local) if locked else ():
            runs, name = load_runs(local), _name(work)
            if name in runs.tried:
                continue
            if runs.number >= setting.runs_a_day:
                return
            runs = runs.with_try(name)
            save_runs(local, runs)  # before the run: one that is killed is not repeated
            try:
                program = Program.of(setting.command)
                failure = _summarize(repository, work, program, environ=environ, live=live).failure
            except TrajError as error:
                failure = error
            save_runs(local, replace(runs, failed=failure.message if failure else None))


def _setting(repository: Repository) -> Summarizer:
    setting = read_summarizer(repository)
    if setting is None:
        raise TrajError(
            "no program is named for summaries",
            "git config --global traj.summarizer 'claude -p'; a repository's own setting does not count",
        )
    return setting


@contextmanager
def _lock(local: LocalState) -> Iterator[bool]:
    """Lock this module's work, if no other worker does it now; this is not the drain's lock."""
    descriptor = os.open(local.folder / "summaries.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield acquire(descriptor, 0)
    finally:
        os.close(descriptor)


def _recent(repository: Repository, local: LocalState) -> list[Work]:
    """The work, oldest first, of those sessions whose log is on this machine and whose turn is over."""
    state = load_state(local.folder)
    listed = repository.run("rev-list", "--all", f"--since={_RECENT}", f"--max-count={_COMMITS}", check=False)
    ready = {name for name, s in (state.sessions if state else {}).items() if s.path and s.settled}
    commits = listed.text.split()[::-1]
    return [work for work in find_work(repository, commits) if work.trajectory in ready]


def _name(work: Work) -> str:
    """A name for the work that stays the same if the record is copied to other commits."""
    return f"{work.trajectory}:{work.last.key[1]}"


def _summarize(
    repository: Repository, work: Work, program: Program, *, environ: Environ, live: Mapping[str, str]
) -> Summarized:
    """Get a summary and store it; an unusable one is a ``failure``. Raises TrajError without an answer."""
    events = _events(repository, work)
    answer = program.ask(write_request(events), live)
    try:
        understood = understand(answer.text, events, by=f"model:{answer.model}")
        _write(repository, work, answer, understood, environ=environ, live=live)
    except TrajError as error:
        return Summarized(work=work, answer=answer, failure=error)
    return Summarized(work=work, answer=answer, understood=understood)


def _events(repository: Repository, work: Work) -> Sequence[AnyEvent]:
    """The events of the work as they are stored: redacted, and without sealed text."""
    refs = [ref for record in work.records for ref in record.segments]
    return [event for _, events in read_segments(repository, work.trajectory, refs) for event in events]


def _write(
    repository: Repository,
    work: Work,
    answer: Answer,
    understood: Understood,
    *,
    environ: Environ,
    live: Mapping[str, str],
) -> None:
    event = NoteEvent(
        id=new_event_id(),
        ts=now(),
        kind="note",
        content=understood.summary,
        model=answer.model,
        usage=answer.usage,
        tags=(SUMMARY,),
        raw=write_model_summary(understood.decisions, understood.doubts),
    )
    with locked(repository, environ):
        links = carriers(repository, work.last.key)
        draft = draft_addition(work.trajectory, event, links, work.last)
        pipeline = make_pipeline(repository, read_config(repository), environ, live=live)
        written = pipeline.write([replace(draft, cost_usd=answer.cost_usd)])
        if written.parked:
            raise TrajError(f"not recorded: {written.parked[0].why}", "git traj doctor says more")
