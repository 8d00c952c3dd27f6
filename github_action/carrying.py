"""Carries records to the commits that a squash or rebase merge made, on the push to the base branch.

On that event the token may write, even if the pull request came from a fork. ``gittraj.history`` decides
which commit became which: by equal patches, by the pull request's number, or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from github_action.activity import OnPush
from github_action.api import Api
from github_action.fetching import Fetched, Source
from github_action.pull_request import Pull, merged_pulls, read_pull
from gittraj import limits
from gittraj.config import Config, Environ
from gittraj.errors import RedactionError, TrajError
from gittraj.git import Repository
from gittraj.history.find import find_rewrites
from gittraj.model.codec import decode_note, encode_line
from gittraj.model.texts import map_texts
from gittraj.model.values import ForeignLine, Line, PartSummary, Record, SessionInfo
from gittraj.notes.carry import is_own
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.pipeline import Pipeline
from gittraj.record.rewrite_segments import clean_record
from gittraj.redact.events import Redact
from gittraj.state.folder import LocalState

_MAX_COMMITS = 50
"""Maximum number of commits of one push to examine."""
_TRIES = 5
"""The maximum number of attempts to push the records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A pull request that this push merged: its commits, and their records in its fork, redacted."""

    pull: Pull
    commits: tuple[str, ...]
    foreign: Mapping[str, Sequence[Record]]


def carry(
    api: Api,
    push: OnPush,
    source: Source,
    *,
    ref: str,
    folder: Path,
    environ: Mapping[str, str],
    forks: bool = False,
) -> tuple[int, bool]:
    """Carry the records, with ``forks`` also those in forks, and push them to ``ref``. Returns how many
    commits received records, and whether the push had more commits than we examined. Raises TrajError."""
    own_folder = folder / "git-traj-carry"
    fetched = Fetched(own_folder, source, environ=environ)
    try:
        fetched.bring_history(push.after, f"refs/heads/{push.branch}", _MAX_COMMITS + 1)
        pushed = fetched.between(push.before, push.after)
        new = pushed[:_MAX_COMMITS]
        numbers = dict.fromkeys(n for commit in new for n in merged_pulls(api, commit, branch=push.branch))
        merged = [_fetch(api, fetched, number, own_folder, ref=ref, forks=forks) for number in numbers]
        commits = _carry(fetched, new, merged, ref=ref) if merged else 0
        return commits, len(pushed) > len(new)
    finally:
        fetched.close()
        shutil.rmtree(own_folder, ignore_errors=True)


def _fetch(api: Api, fetched: Fetched, number: int, folder: Path, *, ref: str, forks: bool) -> Merged:
    """Fetch the commits of a merged pull request and, with ``forks``, their records in its fork."""
    pull = read_pull(api, number)
    fetched.bring_history(pull.head, f"refs/pull/{number}/head", pull.commit_count + 1)
    commits = tuple(fetched.last(pull.head, pull.commit_count))
    bodies: dict[str, bytes] = {}
    if forks and pull.fork and pull.head_url:
        fork = fetched.for_fork(folder / f"fork-{number}", pull.head_url)
        try:
            if fork.fetch_notes(commits, ref=ref):
                bodies = dict(fork.notes.pick(commits, most=limits.PULL, each=0))
        except TrajError:
            pass  # the fork is gone or private
        finally:
            fork.close()
    foreign = {c: _redacted(fetched, body, pull.head_repository) for c, body in bodies.items()}
    return Merged(pull=pull, commits=commits, foreign=foreign)


def _redacted(fetched: Fetched, body: bytes, fork: str | None) -> list[Record]:
    """The records of a fork's note, redacted by today's rules, each with its ``fork``. Left out: those that
    cannot be scanned, have a secret in an id or a name, or that this version does not know."""
    pipeline = _pipeline(fetched)
    redactor, records = pipeline.redactor(), list[Record]()
    for record in decode_note(body):
        if isinstance(record, Record):
            with suppress(RedactionError):
                clean = clean_record(redactor, pipeline.ruleset, {}, record)
                if not _has_secret_in_name(redactor, clean):
                    records.append(replace(clean, extra={"fork": fork or "unknown"}))
    return records


def _has_secret_in_name(redactor: Redact, record: Record) -> bool:
    """Whether the redactor would change an id or a name of the record."""
    names = replace(record, figures=PartSummary(), whole=SessionInfo(), extra={})
    return map_texts(names, lambda text, _: redactor.text(text)) != names


def _pipeline(fetched: Fetched) -> Pipeline:
    LocalState.of(fetched.repository).create()
    pipeline = make_pipeline(fetched.repository, Config(), Environ(home=None), live={})
    return replace(pipeline, task_of=lambda _: None)


def _carry(fetched: Fetched, new: list[str], merged: list[Merged], *, ref: str) -> int:
    """Carry and push; returns how many commits received records. Tries again on the newest tip if another
    push came first. Raises TrajError."""
    commits = [*new, *(commit for each in merged for commit in each.commits)]
    why = ""
    for _ in range(_TRIES):
        tip = fetched.fetch_notes(commits, ref=ref)
        changed = _apply(fetched, new, merged)
        if fetched.notes.tip() == tip:
            return 0
        refusal = fetched.push_notes(ref)
        if refusal is None:
            return len(changed)
        why = refusal
    raise TrajError(f"the records cannot be pushed: {why}", "the job needs 'permissions: {contents: write}'")


def _apply(fetched: Fetched, new: list[str], merged: list[Merged]) -> set[str]:
    """Carry the records; returns the commits that received some."""
    repository, notes = fetched.repository, fetched.notes
    replaced = chain.from_iterable(each.commits for each in merged)
    before = {commit: notes.read(commit) or b"" for commit in replaced}
    lines = [*chain.from_iterable(_imported(each, before) for each in merged)]
    recorded = {*dict(lines), *(c for c in before if standing(c, decode_note(before[c])))}
    pairs = _find_pairs(repository, sorted(recorded), new, notes)
    pipeline = _pipeline(fetched)
    imported = pipeline.write([], lines=lines)
    carried = pipeline.store([], carry=pairs)
    return imported.commits | carried.commits


def _find_pairs(
    repository: Repository, recorded: list[str], new: list[str], notes: NotesRef
) -> list[tuple[str, str]]:
    """Pairs of a ``recorded`` commit and the ``new`` commit, without records of its own, that replaced it."""

    def has_own(commit: str) -> bool:
        return any(is_own(commit, r) for r in standing(commit, decode_note(notes.read(commit) or b"")))

    rewrites = find_rewrites(repository, recorded, taken=[*filter(has_own, new)])
    return [(r.old, r.new) for r in rewrites if r.new in new and r.old != r.new]


def _imported(merged: Merged, before: Mapping[str, bytes]) -> Iterator[tuple[str, Line]]:
    """A fork's records for commits that have no note here, without those of trajectories recorded here. A
    squash puts all of them on one commit, so together they may fill only half a note."""
    room = limits.NOTE // 2
    lines = (line for body in before.values() for line in decode_note(body))
    here = {line.id for line in lines if not isinstance(line, ForeignLine)}
    for commit, records in merged.foreign.items():
        if not before.get(commit):
            for record in records:
                size = len(encode_line(record)) + 1
                if record.id not in here and size <= room:
                    room -= size
                    yield commit, record
