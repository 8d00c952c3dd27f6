"""Counts the commits that have records, here and on remotes, without reading every note: there may be very
many. Also finds the commits made here, with a hook or without, and those left out on purpose."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

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
from gittraj.notes.unjoined import may_have_copies
from gittraj.query.notes import IndexFailedError, Notes
from gittraj.state.cursors import State, Suspension
from gittraj.state.folder import LocalState, installed_positions, reflog_name
from gittraj.state.spool import Spooled

UNREADABLE = "records cannot be read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The commits in ``notes``, except ``bare`` ones, which have only deletions. ``number`` of commits with
    records (runs without a commit are on none); of them ``listed`` by ``git traj log``, ``branched``: reached
    only by other branches or tags, ``explored``: with work that led to no commit; ``traced``: with link stubs
    only, which count nowhere; ``stranded``: unreachable commits with records that are nowhere else."""

    notes: Notes
    bare: Collection[str]
    number: int
    listed: int
    branched: int
    explored: int
    traced: int
    stranded: tuple[str, ...]

    def __contains__(self, commit: object) -> bool:
        return commit in self.notes and commit not in self.bare


def find_recorded(repository: Repository, notes: Notes, index: Answers | None) -> Recorded:
    """Count the commits that have records. Raises GitError."""
    places = {*find_run_keys(notes.with_explored())}
    # all other notes have only records of work that led to their commit
    read = {*notes.with_deletions(), *notes.with_explored()} - places
    roles = {commit: _roles(commit, notes.read(commit)) for commit in read}
    bare = {commit for commit, found in roles.items() if not found}
    traced = {commit for commit, found in roles.items() if found == {"traced"}}
    silent = {commit for commit, found in roles.items() if "produced" not in found} | places
    below = _below_head(repository, notes, index)
    rest = [] if below is None else [c for c in notes if c not in below and c not in places]
    stranded: tuple[str, ...] = ()
    lost: set[str] = set()
    if rest:
        from gittraj.history.reading import find_unreachable  # noqa: PLC0415 - mostly not needed
        from gittraj.query.log.unreachable import find_unreachable_records  # noqa: PLC0415 - as above

        lost = find_unreachable(repository, rest)
        found = find_unreachable_records(repository, notes, lost)
        stranded = tuple(each.commit for each in found if each.here)
    return Recorded(
        notes=notes,
        bare=bare,
        number=len(notes) - len(bare | places | traced),
        listed=len(notes) - len(silent) if below is None else len(below - silent),
        branched=len({*rest} - lost - silent),
        explored=len(silent - bare - traced - places - lost),
        traced=len(traced),
        stranded=stranded,
    )


def _roles(commit: str, body: bytes) -> set[str]:
    """The roles of a note's records that were not withdrawn, ``traced`` for a link stub; a note that cannot
    have deletions, explored work or stubs need not be decoded."""
    if all(word not in body for word in (b'"deleted"', b'"explored"', b'"incomplete"')):
        return {"produced"}
    return {"traced" if r.incomplete else r.role for r in records_on(commit, body)}


def _below_head(repository: Repository, notes: Notes, index: Answers | None) -> set[str] | None:
    """The commits with a note that HEAD reaches (none on an unborn branch); None if it reaches all."""
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
    """The number of notes with records that the other side lacks; None if that is not known here."""

    name: str
    unpushed: int | None
    unfetched: int | None


def compare_remote(repository: Repository, remote: str, *, guess: bool = True) -> Remote:
    """Count the notes that a merge would change on either side; only notes that differ are read. ``guess``:
    take a remote from or to which nothing was ever fetched or pushed to have none; else it is unknown."""
    ours, theirs = NotesRef(repository), NotesRef(repository, f"refs/notes-remote/{remote}/traj")
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
    """The error for records whose objects are missing, or too large to be ours."""
    remedy = "git fsck, then fetch from a clone that is whole"
    if isinstance(error, LargeObjectError):
        remedy = "git update-ref REF REF@{1} sets a ref of refs/notes back, -d REF deletes a remote's copy"
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
    """The commits that wait for the call of a session that their hook named, and those that were given up."""
    waiting = [w.commit for w in state.waiting if w.stored]  # one made during a pause is not
    named = [c for c in made if c.sessions and c.stored and (c.id in waiting or c.id not in recorded)]
    excluded = {*_find_excluded(repository, config, named), *off.commits}
    unlinked = (commit.id for commit in named if commit.id not in {*waiting, *excluded})
    return tuple(commit for commit in waiting if commit not in excluded), tuple(unlinked)


def _find_excluded(repository: Repository, config: Config | None, made: Iterable[Commit]) -> Iterator[str]:
    """The commits whose agent, or one of whose files, ``traj.exclude`` names: no record is missing there."""
    if config is None or not config.exclude:
        return
    from gittraj.agents import all_agents  # noqa: PLC0415 - few users exclude anything
    from gittraj.query.log.listing import changed_paths  # noqa: PLC0415

    here = [commit for commit in made if repository.objects.exists(commit.id)]
    changed, agents = changed_paths(repository, [commit.id for commit in here]), all_agents()
    for commit in here:
        by = [session.partition(":")[0] for session in commit.sessions]
        paths = changed.get(commit.id) or [""]
        if any(config.excludes(agent=a, path=path, agents=agents) for a in by for path in paths):
            yield commit.id


def find_unhooked(
    repository: Repository, made: Iterable[Commit], lines: Iterable[Spooled]
) -> tuple[str, ...] | None:
    """The commits made here that no hook reported; None if reflogs are not files."""
    if (repository.common_dir / "reftable").is_dir():
        return None
    hooked = {line.id for line in lines if line.kind in ("commit", "off")}
    return tuple(c.id for c in made if c.kind != "am" and c.id not in hooked)  # git am runs no such hook


def find_made(repository: Repository, local: LocalState, lines: Sequence[Spooled]) -> list[Commit]:
    """The commits made since the installation, joined with what their hooks reported."""
    _, installed = installed_positions(local.read(FILE))
    made: list[Commit] = []
    for tree in repository.worktrees():
        known = installed.get(reflog_name(tree.git_dir, repository.common_dir))
        entries, _ = read_reflog(repository, tree.git_dir, known)
        moved = {entry.new for entry in entries}
        made += read_moves(entries, (line for line in lines if line.id in moved)).commits
    return made
