"""Finds the commits to explain: those in the reflogs, joined with the lines that the hooks spooled.

The action that a reflog entry names decides whether the entry made a commit; a rebase, a reset, a checkout
and a fast-forward do not. Without a reflog (a bare repository, or turned off) there are only the spool's
commits.
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
    """The commits made in one worktree, in order, and the ``pairs`` (old, new) of rewrites. Of these pairs,
    ``rebased`` are those that git reported for a rebase, ``squashed`` those of squash merges."""

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
    paused: Collection[str] = (),
) -> Moves:
    """Join one worktree's new reflog entries with the lines that its hooks spooled.

    A line may come after its entry was read (the hook runs later than the reflog is written): then
    ``earlier``, which returns the whole reflog, shows whether the line's commit was made or only carried.
    ``stored`` is false for commits made before the installation; ``off`` are commits made while recording was
    off, ``paused`` the sessions (``agent:session``) for which it is off: the events that led to such commits
    are not stored.
    """
    lines = list(spooled)
    by_id = {line.id: line for line in lines if line.kind in ("commit", "off") and line.id}
    unrecorded = {*off, *_while_off(lines, set(paused))}
    commits = {
        commit: _to_commit(commit, kind, by_id.get(commit), stored=stored and commit not in unrecorded)
        for commit, kind in _find_kinds(entries, by_id, earlier).items()
    }
    copies = _find_copies(lines, commits, kinds=bool(entries or earlier()))
    pairs = [*_reported_pairs(lines), *_amends(entries), *((source.id, new) for source, new in copies)]
    return Moves(
        commits=tuple(commits.values()),
        pairs=tuple(dict.fromkeys(pairs)),
        rebased=tuple(dict.fromkeys(_reported_pairs(line for line in lines if line.event == "rebase"))),
        squashed=tuple((source.id, new) for source, new in copies if source.kind == "squashed"),
    )


def _find_kinds(
    entries: Sequence[ReflogEntry], reported: Iterable[str], earlier: Callable[[], Sequence[ReflogEntry]]
) -> dict[str, Kind]:
    """Return the kind of each commit that was made, by new entries or ``reported`` by hooks."""
    made = _made_kinds(entries)
    late = [commit for commit in reported if commit not in made]
    return made | _late_kinds(late, earlier() or entries) if late else made


def _reported_pairs(lines: Iterable[Spooled]) -> list[tuple[str, str]]:
    """The pairs (old, new) of commits that git reported to the post-rewrite hook."""
    return [(line.id, line.other) for line in lines if line.kind == "rewrite"]


def _made_kinds(entries: Iterable[ReflogEntry]) -> dict[str, Kind]:
    return {entry.new: kind for entry in entries if (kind := made_kind(entry))}


def _while_off(lines: Iterable[Spooled], paused: Set[str]) -> Iterator[str]:
    """The commits that hooks reported while recording was off, in general or for one of their sessions."""
    return (line.id for line in lines if line.kind == "off" or not paused.isdisjoint(line.sessions))


def _late_kinds(commits: Iterable[str], history: Sequence[ReflogEntry]) -> dict[str, Kind]:
    """The kinds of commits, reported by hooks, that the whole reflog shows as made. If the reflog is
    incomplete (entries expire), the commits that it lacks count as made, too."""
    kinds: dict[str, Kind | None] = {entry.new: None for entry in history}
    kinds |= _made_kinds(history)
    unknown: Kind | None = "commit" if not history or history[0].old.strip("0") else None
    return {commit: kind for commit in commits if (kind := kinds.get(commit, unknown))}


def _amends(entries: Iterable[ReflogEntry]) -> list[tuple[str, str]]:
    """The pairs (old, new) of amended commits. An amended first commit of a branch has no old id."""
    return [(e.old, e.new) for e in entries if made_kind(e) == "amend" and e.old.strip("0")]


def _to_commit(commit: str, kind: Kind, line: Spooled | None, *, stored: bool) -> Commit:
    """Make a commit from the line that its hook spooled, if there is one."""
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


def _find_copies(
    lines: Sequence[Spooled], commits: Mapping[str, Commit], *, kinds: bool
) -> list[tuple[Spooled, str]]:
    """Pair each cherry-pick or squash merge, which is spooled before its commit is made, with the next commit
    that its worktree's hook reported. That may be another commit, if the expected one was never made; so a
    cherry-pick is paired only with a commit of that kind, if the ``kinds`` of commits are known."""
    copies: list[tuple[Spooled, str]] = []
    sources: list[Spooled] = []
    for line in lines:
        if line.kind in ("picked", "squashed"):
            # ``other`` is the commit on which the copy was to be made
            sources = [s for s in sources if s.other == line.other] + [line]
        elif line.kind == "commit":
            possible = _possible_sources(commits.get(line.id), kinds=kinds)
            copies += [(source, line.id) for source in sources if source.kind in possible]
            sources = []
    return copies


def _possible_sources(made: Commit | None, *, kinds: bool) -> tuple[str, ...]:
    """The kinds of spooled lines that a commit may come from; none if it was not made here."""
    if made is None:
        return ()
    return ("picked", "squashed") if made.kind == "cherry-pick" or not kinds else ("squashed",)
