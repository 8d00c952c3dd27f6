"""The commits to explain: those in the reflogs, joined with the lines that the hooks spooled.

The kind of a reflog entry decides whether it made a commit; a rebase, a reset, a checkout and a fast-forward
do not. Without a reflog (a bare repository, or turned off) there are only the spool's commits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set

from gittraj.capture.session import Commit, Kind
from gittraj.frozen import dataclass
from gittraj.git import ReflogEntry
from gittraj.state.spool import Spooled

_KINDS: Mapping[str, Kind] = {
    "commit": "commit",
    "commit (initial)": "commit",
    "commit (merge)": "merge",
    "commit (amend)": "amend",
    "commit (cherry-pick)": "cherry-pick",
    "cherry-pick": "cherry-pick",
    "revert": "revert",
    "am": "am",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """The events of one worktree: the commits made, in order, and the ``pairs`` (old, new) of rewrites;
    of these ``rebased`` are those that git reported of a rebase, ``squashed`` those of a squash merge."""

    commits: tuple[Commit, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    rebased: tuple[tuple[str, str], ...] = ()
    squashed: tuple[tuple[str, str], ...] = ()


def read_moves(
    entries: Sequence[ReflogEntry],
    spooled: Iterable[Spooled],
    *,
    earlier: Callable[[], Sequence[ReflogEntry]] = tuple,
    stored: bool = True,
    off: Iterable[str] = (),
    away: Collection[str] = (),
) -> Moves:
    """Join one worktree's new reflog entries with the lines that its hooks spooled.

    A line may come after its entry was read (the hook runs later than the reflog is written): then
    ``earlier``, the whole reflog, shows whether its commit was made or only carried. ``off`` are
    commits made while switched off, ``away`` the sessions (``agent:session``) that are switched off: events
    that led to their commits are not stored.
    """
    lines = list(spooled)
    by_id = {line.id: line for line in lines if line.kind in ("commit", "off") and line.id}
    silent = {*off, *_while_off(lines, set(away))}
    made = _made_kinds(entries)
    late = [commit for commit in by_id if commit not in made]
    if late:
        made |= _late_kinds(late, earlier() or entries)
    commits = {
        commit: _to_commit(commit, kind, by_id.get(commit), stored=stored and commit not in silent)
        for commit, kind in made.items()
    }
    rewrites = [line for line in lines if line.kind == "rewrite"]
    copies = _copies(lines, commits, kinds=bool(entries or earlier()))
    reported = [(line.id, line.other) for line in rewrites]
    pairs = [*reported, *_amends(entries), *((source.id, new) for source, new in copies)]
    return Moves(
        commits=tuple(commits.values()),
        pairs=tuple(dict.fromkeys(pairs)),
        rebased=tuple(dict.fromkeys((line.id, line.other) for line in rewrites if line.event == "rebase")),
        squashed=tuple((source.id, new) for source, new in copies if source.kind == "squashed"),
    )


def _made_kinds(entries: Iterable[ReflogEntry]) -> dict[str, Kind]:
    return {entry.new: kind for entry in entries if (kind := made_kind(entry))}


def _while_off(lines: Iterable[Spooled], away: Set[str]) -> Iterator[str]:
    """The commits that hooks reported while switched off, here or for one of their sessions."""
    return (line.id for line in lines if line.kind == "off" or not away.isdisjoint(line.sessions))


def _late_kinds(commits: Iterable[str], history: Sequence[ReflogEntry]) -> dict[str, Kind]:
    """The kinds of those commits, reported by hooks, that the whole reflog shows as made; also of those that
    it lacks, if it is incomplete: entries expire."""
    kinds: dict[str, Kind | None] = {entry.new: None for entry in history}
    kinds |= _made_kinds(history)
    unknown: Kind | None = "commit" if not history or history[0].old.strip("0") else None
    return {commit: kind for commit in commits if (kind := kinds.get(commit, unknown))}


def _amends(entries: Iterable[ReflogEntry]) -> list[tuple[str, str]]:
    """The pairs (old, new) of amended commits; a branch's first commit has no old one."""
    return [(e.old, e.new) for e in entries if made_kind(e) == "amend" and e.old.strip("0")]


def _to_commit(commit: str, kind: Kind, line: Spooled | None, *, stored: bool) -> Commit:
    """A commit, with what its hook's ``line`` says, if there is one."""
    if line is None:
        return Commit(id=commit, kind=kind, stored=stored)
    return Commit(
        id=commit,
        kind=kind,
        sessions=line.sessions,
        call=line.call,
        mark=line.mark,
        hooked=True,
        terminal=line.terminal,
        stored=stored,
    )


def made_kind(entry: ReflogEntry) -> Kind | None:
    """The kind of commit that an entry made; ``None`` when it made none."""
    if entry.old == entry.new or entry.message.startswith("cherry-pick: fast-forward"):
        return None
    return _KINDS.get(entry.kind)


def _copies(
    lines: Sequence[Spooled], commits: Mapping[str, Commit], *, kinds: bool
) -> list[tuple[Spooled, str]]:
    """The commit that each cherry-pick or squash merge became, which was reported before: the next one that
    its worktree's hook reported. If it was never made, no commit follows its line, or another one: if
    ``kinds`` are known, a cherry-pick's commit is recognized by its kind."""
    copies: list[tuple[Spooled, str]] = []
    sources: list[Spooled] = []
    for line in lines:
        if line.kind in ("picked", "squashed"):
            sources = [s for s in sources if s.other == line.other] + [line]
        elif line.kind == "commit":
            made = commits.get(line.id)
            picked = made is not None and (made.kind == "cherry-pick" or not kinds)
            copies += [(s, line.id) for s in sources if made and (picked or s.kind == "squashed")]
            sources = []
    return copies
