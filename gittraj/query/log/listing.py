"""Finds the commits that a listing shows, with their headers: correct without any index.

It takes one pass over the notes and a few git processes, however many commits there are, and a user's git
configuration cannot change the result. This module must not know how anything is printed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from gittraj.errors import UsageError
from gittraj.git import Repository, from_top
from gittraj.model.header import Header
from gittraj.query.log.description import BATCH, describe_all
from gittraj.query.log.paths import RENAMES, Ancestry, following, touching
from gittraj.query.log.reverted import Reverts
from gittraj.query.notes import IndexFailedError, IndexLookup, Reachable

if TYPE_CHECKING:  # a listing whose text is cached needs neither
    from gittraj.query.log.filters import Wanted
    from gittraj.query.records import Recorded

Entry = Header
"""A commit in ``log --json``."""

_FIRST = 25  # commits: few users want more, and everybody waits for the first ones
# git's date parser reads what it does not understand as the present time; these words mean that, or today
_NOW = r"(?i)\d|\b(?:now|today|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)\b"


def list_commits(
    repository: Repository,
    recorded: Container[str],
    rev: str,
    *,
    author: str | None = None,
    since: str | None = None,
    until: str | None = None,
    paths: Sequence[str] = (),
    follow: bool = True,
    cwd: Path | None = None,
    known: IndexLookup | None = None,
    every: bool = False,
    beside: bool = False,
) -> tuple[Ancestry, list[str]]:
    """Return the history that ``rev`` (also ``A..B``) reaches, and its commits that have a note
    (``recorded``), newest first.

    ``every``: also return commits without a note. ``author`` is an extended regular expression, dates are
    whatever git understands, ``paths`` are git's pathspecs as typed in ``cwd``. ``known``, an index, gives
    the same answer faster; ``beside``: ``recorded`` has more notes than the index. Raises TrajError for an
    invalid argument.
    """
    names = _split_paths(repository, paths, follow=follow, cwd=cwd)
    find = partial(_list, repository, recorded, rev, *names, cwd=cwd, every=every, beside=beside)
    try:
        ancestry, commits = find(index=known)
    except IndexFailedError:
        if known:
            known.give_up()
        ancestry, commits = find(index=None)
    limits = _limits(repository, author=author, since=since, until=until)
    if limits:
        inside = repository.run("rev-list", *limits, "--end-of-options", rev, "--", check=False)
        if inside.code != 0:
            raise UsageError(f"--author: {inside.complaint}", hint="it is an extended regular expression")
        kept = set(inside.text.split())
        commits = [commit for commit in commits if commit in kept]
    return ancestry, commits


def _list(
    repository: Repository,
    recorded: Container[str],
    rev: str,
    places: Collection[str],
    patterns: Sequence[str],
    *,
    cwd: Path | None,
    index: IndexLookup | None,
    every: bool,
    beside: bool,
) -> tuple[Ancestry, list[str]]:
    """Return the history, and the commits that have a note (or all); if there are ``places`` (paths from the
    top) or ``patterns``, only commits that touched one of them."""
    reachable = index.below(rev) if index else None
    ancestry = Ancestry.read(repository, rev) if reachable is None else Ancestry(repository, reachable)
    look_up = partial(_look_up, reachable, every=every, beside=beside)
    if not patterns and (answer := look_up(places)) is not None:
        return ancestry, answer
    commits = look_up(())
    if commits is None:
        commits = [*ancestry.parents] if every else [*filter(recorded.__contains__, ancestry.parents)]
    if not (places or patterns):
        return ancestry, commits
    matching = touching(ancestry, commits, patterns, cwd=cwd) if patterns else set[str]()
    if places:
        matching |= _touching_files(ancestry, reachable, places, index)
    return ancestry, [*filter(matching.__contains__, commits)]


def _touching_files(
    ancestry: Ancestry, reachable: Reachable | None, places: Collection[str], index: IndexLookup | None
) -> set[str]:
    return following(ancestry, places, index) if reachable is None else {*reachable.touching(places)}


def _look_up(
    reachable: Reachable | None, places: Collection[str], *, every: bool, beside: bool
) -> list[str] | None:
    """Return the commits that the index can list without git: those with a note (or all) that touched one of
    ``places``, if any are given. None if the index cannot do it."""
    if reachable is None:
        return None
    if not every and not beside:
        return reachable.noted(places or None)
    return reachable.touching(places) if every and places else None


def read_entries(
    ancestry: Ancestry,
    recorded: Recorded,
    commits: Sequence[str],
    wanted: Wanted,
    *,
    explored: bool = False,
    files: bool = False,
) -> Iterator[Entry]:
    """Yield the commits with a wanted trajectory, and with ``files``, the paths that each changed. With
    ``explored``, trajectories that worked on top of a commit and made none are listed, too."""
    remaining, reverts = iter(commits), Reverts(ancestry.repository)
    size = _FIRST
    while chunk := list(islice(remaining, size)):
        size = min(4 * size, BATCH)
        described = describe_all(ancestry.repository, chunk)
        reverts.mark(described.values())
        changed = ancestry.diff([(c, 0) for c in chunk], *RENAMES) if files else {}
        for commit, headers in zip(chunk, recorded.headers(chunk, explored=explored), strict=True):
            entry = described[commit]
            entry["files"] = [change[2] for change in changed.get((commit, 0), ())]
            entry["trajectories"] = [h for h in headers if wanted.accepts(h, entry["subject"])]
            if entry["trajectories"]:
                yield entry


def read_runs(recorded: Recorded, wanted: Wanted) -> Iterator[Entry]:
    """Yield one entry with the wanted runs that made no commit, newest first; its ``commit`` is null. Without
    such runs, yield nothing."""
    runs: dict[str, Header] = {}
    for header in chain.from_iterable(recorded.headers(recorded.places(), explored=True)):
        split = header["part"]["of"] > 1  # over months, or some of it on a commit
        folded = recorded.folded(header["id"]) if split else None
        whole = folded.header(None) if folded else {**header, "part": {**header["part"], "number": None}}
        if header["id"] not in runs:
            runs[header["id"]] = whole
    yield from choose_runs(runs.values(), wanted)


def choose_runs(runs: Iterable[Header], wanted: Wanted) -> Iterator[Entry]:
    """Yield the entry of ``read_runs``, from HEADERs or from rows of the index."""
    if chosen := [*filter(wanted.accepts, runs)]:
        newest = sorted(chosen, key=lambda header: (header["startedAt"] or "", header["id"]), reverse=True)
        yield {"commit": None, "trajectories": newest}


def list_trajectories(recorded: Recorded | None, entries: Iterable[Entry]) -> Iterator[Header]:
    """Yield the trajectories of ``entries``: each one's whole HEADER, with the ``commits`` that show it.
    Those on commits are read from ``recorded``."""
    shown: dict[str, list[str]] = {}
    runs: list[Header] = []
    for entry in entries:
        if entry["commit"] is None:
            runs = [header for header in entry["trajectories"] if header["id"] not in shown]
            continue
        for header in entry["trajectories"]:
            shown.setdefault(header["id"], []).append(entry["commit"])
    for trajectory, commits in shown.items():
        if recorded and (folded := recorded.folded(trajectory)):
            yield {**folded.header(None), "commits": commits}
    yield from ({**header, "commits": []} for header in runs)


def by_cost(entries: Iterable[Header]) -> list[Header]:
    """Sort commits or trajectories, the most expensive first; those of unknown cost last, in their order."""
    return sorted(entries, key=lambda each: -_cost(each))


def _cost(entry: Header) -> float:
    if "trajectories" in entry:
        return max((header["part"]["costUsd"] or 0.0 for header in entry["trajectories"]), default=0.0)
    return float(entry["total"]["costUsd"] or 0.0)


def describe(repository: Repository, commit: str) -> Entry:
    """Describe one commit as ``log --json`` does, without files and trajectories."""
    entry = describe_all(repository, [commit])[commit]
    Reverts(repository).mark([entry])
    return entry


def changed_paths(repository: Repository, commits: Sequence[str]) -> dict[str, list[str]]:
    """Return the paths in each commit's first-parent diff, by their names after it, with one process; none
    for a commit that changed nothing, or whose content is not here."""
    objects = repository.objects
    parents = {c: [p for p in objects.commit(c).parents if objects.exists(p)] for c in commits}
    diffs = Ancestry(repository, parents).diff([(commit, 0) for commit in commits], *RENAMES)
    return {commit: [path for _, _, path in changes] for (commit, _), changes in diffs.items()}


def read_date(repository: Repository, name: str, date: str) -> int:
    """Parse a date as git does: seconds since 1970. ``name`` is ``since`` or ``until``. Raises UsageError."""
    return int(_date_limit(repository, name, date).partition("=")[2])


def _limits(repository: Repository, *, author: str | None, since: str | None, until: str | None) -> list[str]:
    limits = [] if author is None else ["--extended-regexp", f"--author={author}"]
    for name, date in (("since", since), ("until", until)):
        if date is not None:
            limits.append(_date_limit(repository, name, date))
    return limits


def _date_limit(repository: Repository, name: str, date: str) -> str:
    """Return a date as git's option (``--max-age=SECONDS``)."""
    read = repository.run("rev-parse", f"--{name}={date}", f"--{name}=now").text.split()
    if read[0] == read[1] and not re.search(_NOW, date):
        raise UsageError(f"--{name}: '{date}' is not a date", hint="such as 2026-03-31 or '2 weeks ago'")
    return read[0]


# ---------------------------------------------------------------- paths


def plain_paths(repository: Repository, paths: Sequence[str], *, cwd: Path | None) -> set[str]:
    """Return those of ``paths`` that name one file or folder, from the top."""
    return _split_paths(repository, paths, follow=True, cwd=cwd)[0]


def _split_paths(
    repository: Repository, paths: Sequence[str], *, follow: bool, cwd: Path | None
) -> tuple[set[str], list[str]]:
    """Split ``paths`` into the names to follow, from the top, and the patterns that git must match."""
    # a pathspec with magic may exclude files: then git matches all of them together, and nothing is followed
    follow = follow and not any(path.startswith(":") for path in paths)
    plain = [path for path in paths if follow and _is_plain(path, cwd)]
    patterns = [path for path in paths if path not in plain]
    places = {from_top(repository, path, cwd) for path in plain}
    if "." in places:
        return set(), [*patterns, ":(top)"]
    return places, patterns


def _is_plain(path: str, cwd: Path | None) -> bool:
    """Whether the path names one file or folder, and is not a pattern."""
    return not re.search(r"[*?\[]", path) or (cwd is not None and os.path.lexists(cwd / path))
