"""Copies the records of commits that were rewritten to the new commits: by evidence, or by hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain

from gittraj.commands.link import find_commit, list_commits, outlive_tombstones
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository, read_present
from gittraj.history.absent import find_absent
from gittraj.history.history import Rewrite, Source
from gittraj.model.codec import decode_note, encode_note
from gittraj.notes.carry import carry_note, records_by_commit
from gittraj.notes.merge import merge_lines, records_on
from gittraj.notes.refs import refuse_broken
from gittraj.notes.run_keys import find_run_keys
from gittraj.notes.split_commits import SplitCommits
from gittraj.notes.store import RECORDS_REF, NotesRef
from gittraj.notes.unjoined import find_hint
from gittraj.query.log.unreachable import UnreachableRecords, find_unreachable_records
from gittraj.query.notes import NotesInMemory
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.drain.moved import as_evidence, find_allowed, squashed
from gittraj.record.drain.run import follow
from gittraj.record.pipeline import Pipeline
from gittraj.state.cursors import State, load_state, load_suspension, save
from gittraj.state.folder import LocalState


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The result of a repair: the rewrites along which records were copied (``carried``), and the unreachable
    records for which no rewrite was found (``stranded``)."""

    carried: tuple[Rewrite, ...]
    stranded: tuple[UnreachableRecords, ...]


def repair(
    repository: Repository,
    revisions: str | None = None,
    *,
    environ: Environ,
    dry_run: bool = False,
) -> Repaired:
    """Copy the records of rewritten commits to the new commits. ``revisions`` (``A..B``, or all that a
    revision reaches) limits this to rewrites whose old or new commit is among them. Raises TrajError."""
    refuse_broken(repository, RECORDS_REF)
    limit = set(list_commits(repository, revisions)) if revisions else None
    if environ.off:
        raise TrajError("GIT_TRAJ=0 switches git-traj off", "unset it")
    local = LocalState.of(repository)
    with nullcontext() if dry_run else local.writing():
        off = load_suspension(local.folder)
        if off.paused is not None:
            raise TrajError("git-traj is paused here", "git traj resume")
        notes = _read_notes(repository)
        state = load_state(local.folder) or State()
        known = as_evidence(state.rewrites, state.gathered)
        rewrites = _find_rewrites(repository, notes, silent=off.commits, known=known)
        became = [*_pairs(rewrites), *known]
        gathered = follow(state.gathered, squashed(rewrites))
        chosen = [r for r in rewrites if _is_within(limit, r.old, r.new)]
        carried = _carry(repository, chosen, notes, became, gathered)
        if carried and not dry_run:
            _write(repository, _pairs(carried), became=became, gathered=gathered, environ=environ)
        stranded = find_unreachable_records(repository, NotesInMemory(notes.items()), notes)
    return Repaired(
        carried=tuple(carried), stranded=tuple(s for s in stranded if _is_within(limit, s.commit))
    )


def _pairs(rewrites: Sequence[Rewrite]) -> list[tuple[str, str]]:
    return [(rewrite.old, rewrite.new) for rewrite in rewrites]


def _is_within(limit: set[str] | None, *commits: str) -> bool:
    return limit is None or not limit.isdisjoint(commits)


def _carry(
    repository: Repository,
    rewrites: Sequence[Rewrite],
    notes: dict[str, bytes],
    became: Sequence[tuple[str, str]],
    gathered: Mapping[str, tuple[str, ...]],
) -> list[Rewrite]:
    """Copy records along the rewrites within ``notes``, and return the rewrites that added records.
    ``became`` are the old and new commits of all known rewrites; ``gathered`` are the commits in each
    squash."""
    decode = cache(decode_note)  # a commit's note is needed once for each commit that it became
    split = SplitCommits(
        became,
        read=partial(read_present, repository),
        note=lambda commit: decode(notes.get(commit, b"")),
        squashed=gathered,
    )
    carried = []
    for rewrite in rewrites:
        before = decode(notes.get(rewrite.new, b""))
        lines = carry_note(rewrite.old, decode(notes[rewrite.old]))
        selected = split.select(rewrite.old, rewrite.new, lines)
        after = encode_note(merge_lines(rewrite.new, [*before, *selected]))
        if after != encode_note(merge_lines(rewrite.new, before)):
            carried.append(rewrite)
            notes[rewrite.new] = after
    return carried


def _read_notes(repository: Repository) -> dict[str, bytes]:
    """Read all notes except those of runs, which are not on commits that could be rewritten."""
    notes = dict(NotesRef(repository).items())
    for key in [*find_run_keys(notes)]:
        del notes[key]
    return notes


def _find_rewrites(
    repository: Repository,
    notes: Mapping[str, bytes],
    *,
    silent: Collection[str],
    known: Mapping[tuple[str, str], Source],
) -> list[Rewrite]:
    """Return the rewrites of commits that have records, except to ``silent`` commits: those that were made
    while recording was off."""
    records_of, with_own_work = records_by_commit(notes.items())
    patches = {
        commit: r.origin.patch_id
        for commit, records in records_of.items()
        if not repository.objects.exists(commit)
        for r in records
        if r.origin and r.origin.commit == commit and r.origin.patch_id
    }
    found = find_allowed(repository, records_of, taken=with_own_work, silent=silent, known=known)
    absent = find_absent(repository, patches, taken=with_own_work)
    return [*found, *(r for r in absent if r.new not in silent)]


def carry(
    repository: Repository, source: str, onto: str, *, environ: Environ
) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Copy the records of the commits ``source`` (``A..B``, or one) to the commit ``onto``, by hand.

    Returns the new commit and the copied trajectories, by old commit. Raises TrajError.
    """
    target = find_commit(repository, onto)
    commits = list_commits(repository, source, "--no-walk=unsorted")
    notes = NotesRef(repository)
    with LocalState.of(repository).writing():
        copied = {c: each for c in commits if c != target and (each := records_on(c, notes.read(c)))}
        if not copied and (hint := find_hint(repository, lambda theirs: any(map(theirs.read, commits)), "")):
            raise TrajError(f"there is nothing to carry from {source}", hint)
        pipeline = _write(repository, [(old, target) for old in copied], environ=environ)
        keys = {record.key for record in chain.from_iterable(copied.values())}
        outlive_tombstones(pipeline, notes, target, lambda record: record.key in keys)
    return target, {c: tuple(dict.fromkeys(r.id for r in records)) for c, records in copied.items()}


def _write(
    repository: Repository,
    pairs: list[tuple[str, str]],
    *,
    became: Sequence[tuple[str, str]] = (),
    gathered: Mapping[str, tuple[str, ...]] | None = None,
    environ: Environ,
) -> Pipeline:
    local = LocalState.of(repository)
    pipeline = make_pipeline(repository, read_config(repository), environ)
    pipeline = replace(pipeline, gathered=gathered or {})
    pipeline.store([], carry=pairs, became=became)
    state = load_state(local.folder)
    if state is not None:  # so that later records of the old commits are copied, too
        gathered = state.gathered if gathered is None else gathered
        save(local.folder, replace(state, rewrites=follow(state.rewrites, pairs), gathered=gathered))
    return pipeline
