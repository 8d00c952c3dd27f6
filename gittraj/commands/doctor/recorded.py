"""Counts the commits that have records, in this clone and on remotes, without reading every note: there may
be very many. Also finds the commits made in this clone, and those left out on purpose."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product

from gittraj.capture.commits import read_moves
from gittraj.capture.session import Commit
from gittraj.commands.install.manifest import FILE
from gittraj.config import Config
from gittraj.errors import FormatError, GitError, LargeObjectError
from gittraj.frozen import dataclass
from gittraj.git import Repository, read_reflog
from gittraj.index.answers import Answers
from gittraj.model.codec import decode_note, encode_note
from gittraj.notes.merge import merge_notes, records_on
from gittraj.notes.run_keys import find_run_keys
from gittraj.notes.store import NotesRef
from gittraj.notes.unjoined import COPIES, may_have_copies
from gittraj.query.notes import IndexFailedError, Notes
from gittraj.record.drain.forgotten import without_forgotten
from gittraj.state.cursors import State, Suspension
from gittraj.state.folder import LocalState, installed_positions, reflog_name
from gittraj.state.spool import Spooled

UNREADABLE = "records cannot be read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The commits in ``notes``, except the ``bare`` ones, which have only deletions.

    ``number`` counts the commits with records; runs without a commit do not count. Of these commits,
    ``listed`` counts those that ``git traj log`` lists, ``branched`` those that only other branches or tags
    reach, ``explored`` those with work that led to no commit. Commits that have only link stubs (``traced``)
    are in no other number. ``stranded`` are unreachable commits with records that are nowhere else; ``over``
    are the commits whose notes are too large."""

    notes: Notes
    bare: Collection[str]
    number: int
    listed: int
    branched: int
    explored: int
    traced: int
    stranded: tuple[str, ...]
    over: tuple[str, ...]

    def __contains__(self, commit: object) -> bool:
        return commit in self.notes and commit not in self.bare


def find_recorded(repository: Repository, notes: Notes, index: Answers | None) -> Recorded:
    """Count the commits that have records. Raises GitError."""
    run_keys = {*find_run_keys(notes.with_explored())}
    # all other notes have only records of work that led to their commit
    to_read = {*notes.with_deletions(), *notes.with_explored()} - run_keys
    roles = {commit: _roles(commit, notes.read(commit)) for commit in to_read}
    bare = {commit for commit in roles if not roles[commit]}
    traced = {commit for commit in roles if roles[commit] == {"traced"}}
    unlisted = {commit for commit in roles if "produced" not in roles[commit]} | run_keys
    below = _below_head(repository, notes, index)
    others = set() if below is None else {*notes} - below - run_keys
    unreachable, stranded = _find_unreachable(repository, notes, others)
    return Recorded(
        notes=notes,
        bare=bare,
        number=len(notes) - len(bare | run_keys | traced),
        listed=len(notes) - len(unlisted) if below is None else len(below - unlisted),
        branched=len(others - unreachable - unlisted),
        explored=len(unlisted - bare - traced - run_keys - unreachable),
        traced=len(traced),
        stranded=stranded,
        over=tuple(notes.over),
    )


def _find_unreachable(
    repository: Repository, notes: Notes, commits: Collection[str]
) -> tuple[set[str], tuple[str, ...]]:
    """Return those of ``commits`` that are unreachable, and the stranded ones."""
    if not commits:
        return set(), ()
    from gittraj.history.reading import find_unreachable  # noqa: PLC0415 - mostly not needed
    from gittraj.query.log.unreachable import find_unreachable_records  # noqa: PLC0415 - as above

    unreachable = find_unreachable(repository, commits)
    records = find_unreachable_records(repository, notes, unreachable)
    return unreachable, tuple(each.commit for each in records if each.here)


def _roles(commit: str, body: bytes) -> set[str]:
    """Return the roles of a note's records that were not withdrawn; the role of a link stub is ``traced``. A
    note that cannot have deletions, explored work or stubs is not decoded."""
    if all(word not in body for word in (b'"deleted"', b'"explored"', b'"incomplete"')):
        return {"produced"}
    return {"traced" if r.incomplete else r.role for r in records_on(commit, body)}


def _below_head(repository: Repository, notes: Notes, index: Answers | None) -> set[str] | None:
    """Return the commits with notes that HEAD reaches (none if it is unborn); None if HEAD reaches all of
    them."""
    try:
        reachable = index.below("HEAD") if index else None
        if reachable is not None:
            return None if reachable.count_noted() == len(notes) else {*reachable.noted(None)}
    except IndexFailedError:
        if index:
            index.give_up()
    listed = repository.run("rev-list", "HEAD", "--", check=False)
    history = listed.text.split() if listed.code == 0 else []
    return {commit for commit in history if commit in notes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """Counts the notes of this clone with records that the remote does not have (``unpushed``), and the other
    way round (``unfetched``). None if the number is not known in this clone."""

    name: str
    unpushed: int | None
    unfetched: int | None


def compare_remote(repository: Repository, remote: str, *, guess: bool = True) -> Remote:
    """Count the notes that a merge would change on either side; only notes that differ are read. A remote
    that was never fetched or pushed to is unknown, or with ``guess`` assumed to have no notes."""
    ours, theirs = NotesRef(repository), NotesRef(repository, f"{COPIES}{remote}/traj")
    unpushed = unfetched = 0
    try:
        tips = theirs.tip() if may_have_copies(repository) else None, ours.tip()
        if tips[0] is None and not guess:
            return Remote(name=remote, unpushed=None, unfetched=None)
        read_theirs, read_ours = theirs.reader(tips[0]), ours.reader(tips[1])
        for commit in theirs.changed(*tips):
            here, there = read_ours(commit) or b"", read_theirs(commit) or b""
            if not (here and there):  # nothing to merge: counted without decoding them
                unpushed, unfetched = unpushed + bool(here), unfetched + bool(there)
                continue
            merged = merge_notes(commit, here, there)
            unpushed += merged != encode_note(decode_note(there))
            unfetched += merged != encode_note(decode_note(here))
    except GitError:
        return Remote(name=remote, unpushed=None, unfetched=None)
    return Remote(name=remote, unpushed=unpushed, unfetched=unfetched)


def unreadable(error: GitError) -> FormatError:
    """Return the error for records whose objects are missing, or too large for git-traj to have written."""
    remedy = "git fsck, then fetch from an intact clone"
    if isinstance(error, LargeObjectError):
        reset, delete = "git update-ref REF REF@{1}", "git update-ref -d REF"
        remedy = f"{reset} resets one of our refs, {delete} deletes a remote's copy"
    return FormatError(f"{UNREADABLE}: {error.message}", remedy)


def find_open(
    repository: Repository,
    config: Config | None,
    state: State,
    off: Suspension,
    *,
    made: Collection[Commit],
    recorded: Recorded,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the commits whose call is not yet in the log of the session that their hook named, and those
    that were given up; none of a forgotten session."""
    waiting = [w.commit for w in state.waiting if w.stored]  # commits made during a pause are not stored
    kept = (without_forgotten(commit, off.forgotten) for commit in made)
    named = [c for c in kept if c.sessions and c.stored and (c.id in waiting or c.id not in recorded)]
    excluded = {*_find_excluded(repository, config, named), *off.commits}
    unlinked = (commit.id for commit in named if commit.id not in {*waiting, *excluded})
    return tuple(commit for commit in waiting if commit not in excluded), tuple(unlinked)


def _find_excluded(repository: Repository, config: Config | None, made: Iterable[Commit]) -> Iterator[str]:
    """Yield the commits whose agent, or one of whose files, ``traj.exclude`` names: they need no record."""
    if config is None or not config.exclude:
        return
    from gittraj.agents import all_agents  # noqa: PLC0415 - few users exclude anything
    from gittraj.query.log.listing import changed_paths  # noqa: PLC0415

    known = all_agents()
    sessions = {commit.id: commit.sessions for commit in made if repository.objects.exists(commit.id)}
    changed = changed_paths(repository, [*sessions])
    for commit, names in sessions.items():
        agents = (name.partition(":")[0] for name in names)
        pairs = product(agents, changed.get(commit) or [""])
        if any(config.excludes(agent=agent, path=path, agents=known) for agent, path in pairs):
            yield commit


def find_unhooked(
    repository: Repository, made: Iterable[Commit], lines: Iterable[Spooled]
) -> tuple[str, ...] | None:
    """Return the commits made in this clone that no hook reported; None if reflogs are not files."""
    if (repository.common_dir / "reftable").is_dir():
        return None
    hooked = {line.id for line in lines if line.kind in ("commit", "off")}
    return tuple(c.id for c in made if c.kind != "am" and c.id not in hooked)  # git am runs no such hook


def find_made(repository: Repository, local: LocalState, lines: Sequence[Spooled]) -> list[Commit]:
    """Return the commits since the installation, with the sessions that their hooks reported in ``lines``."""
    _, positions = installed_positions(local.read(FILE))
    made: list[Commit] = []
    for tree in repository.worktrees():
        position = positions.get(reflog_name(tree.git_dir, repository.common_dir))
        entries, _ = read_reflog(repository, tree.git_dir, position)
        moved = {entry.new for entry in entries}
        made += read_moves(entries, (line for line in lines if line.id in moved)).commits
    return made
