"""Which commits a listing shows, and what it says of them: correct without any index.

One pass over the notes, a few git processes however many commits there are, and nothing that a user's git
configuration could change. It must not know how anything is printed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from gittraj.errors import TrajError, UsageError
from gittraj.git import Repository
from gittraj.query.fold import Header
from gittraj.query.recorded import Recorded
from gittraj.query.touching import RENAMES, Ancestry, following, touching
from gittraj.query.wanted import Wanted

Entry = Header
"""A commit of ``log --json``."""

_BATCH = 500  # commits described by one process
_FORMAT = "%x00".join(("%H", "%h", "%s", "%aN", "%aE", "%aI"))
_DESCRIBE = (
    *("log", "--no-walk=unsorted", "--stdin", "-z", f"--format={_FORMAT}", "--encoding=UTF-8"),
    *("--no-show-signature", "--no-notes", "--no-patch"),
)
# git's date parser takes what it does not understand for now; these do mean now, or today
_NOW = re.compile(r"\d|\b(?:now|today|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)\b", re.I)


def list_commits(
    repository: Repository,
    recorded: Recorded,
    rev: str,
    *,
    author: str | None = None,
    since: str | None = None,
    until: str | None = None,
    paths: Sequence[str] = (),
    follow: bool = True,
    cwd: Path | None = None,
) -> tuple[Ancestry, list[str]]:
    """The commits of ``rev`` (also ``A..B``) that have a note, newest first, and the history they stand in.

    ``author`` is an extended regular expression, dates are whatever git understands, ``paths`` git's
    pathspecs as typed in ``cwd``. Raises TrajError for one of them that means nothing.
    """
    ancestry = Ancestry.read(repository, [rev])
    commits = [commit for commit in ancestry.parents if commit in recorded]
    limits = _limits(repository, author=author, since=since, until=until)
    if limits:
        inside = repository.run("rev-list", *limits, "--end-of-options", rev, "--", check=False)
        if inside.code != 0:
            raise UsageError(f"--author: {inside.complaint}", hint="it is an extended regular expression")
        kept = set(inside.out.decode().split())
        commits = [commit for commit in commits if commit in kept]
    if paths:
        found = _touched(ancestry, commits, paths, follow=follow, cwd=cwd)
        commits = [commit for commit in commits if commit in found]
    return ancestry, commits


def read_entries(
    ancestry: Ancestry,
    recorded: Recorded,
    commits: Sequence[str],
    wanted: Wanted,
    *,
    explored: bool = False,
    files: bool = False,
) -> Iterator[Entry]:
    """What is said of each commit that carries a wanted trajectory; the paths it changed only with ``files``.

    ``explored``: also of trajectories that worked there and made no commit.
    """
    carrying = iter(commits)
    while chunk := list(islice(carrying, _BATCH)):
        described = _describe(ancestry.repository, chunk)
        changed = ancestry.diff([(c, 0) for c in chunk], *RENAMES) if files else {}
        for commit in chunk:
            entry = described[commit]
            headers = (
                folded.header(commit, explored=explored)
                for folded in recorded.on(commit)
                if folded.records(commit, explored=explored)
            )
            entry["files"] = [change[2] for change in changed.get((commit, 0), ())]
            entry["trajectories"] = [h for h in headers if wanted.accepts(h, entry["subject"])]
            if entry["trajectories"]:
                yield entry


def list_trajectories(recorded: Recorded, entries: Iterable[Entry]) -> Iterator[Header]:
    """The trajectories of ``entries``: each one's whole HEADER, with the ``commits`` that show it."""
    shown: dict[str, list[str]] = {}
    for entry in entries:
        for header in entry["trajectories"]:
            shown.setdefault(header["id"], []).append(entry["commit"])
    for trajectory, commits in shown.items():
        if folded := recorded.folded(trajectory):
            yield {**folded.header(None), "commits": commits}


def describe(repository: Repository, commit: str) -> Entry:
    """One commit as ``log --json`` has it, without files and trajectories."""
    return _describe(repository, [commit])[commit]


def changed_paths(repository: Repository, commit: str) -> list[str]:
    """The paths of a commit's first-parent diff, as they are called after it."""
    info = repository.objects.commit(commit)
    ancestry = Ancestry(repository, {commit: [p for p in info.parents if repository.objects.exists(p)]})
    changes = ancestry.diff([(commit, 0)], *RENAMES).get((commit, 0), ())
    return [path for _, _, path in changes]


def find_commit(repository: Repository, rev: str) -> str | None:
    """The commit that ``rev`` names, None when it names none."""
    question = ("--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
    found = repository.run("rev-parse", *question, check=False)
    return found.out.decode().strip() if found.code == 0 else None


def _describe(repository: Repository, commits: Sequence[str]) -> dict[str, Entry]:
    told = repository.run(*_DESCRIBE, input="".join(f"{c}\n" for c in commits).encode()).out
    words = told.decode("utf-8", "replace").split("\0")
    rows = (words[at : at + 6] for at in range(0, len(words) - 1, 6))
    return {
        commit: {
            "commit": commit,
            "short": short,
            "subject": subject,
            "author": {"name": name, "email": email},
            "date": date,
        }
        for commit, short, subject, name, email, date in rows
    }


def _limits(repository: Repository, *, author: str | None, since: str | None, until: str | None) -> list[str]:
    limits = [] if author is None else ["--extended-regexp", f"--author={author}"]
    for name, date in (("since", since), ("until", until)):
        if date is not None:
            limits.append(_date_limit(repository, name, date))
    return limits


def _date_limit(repository: Repository, name: str, date: str) -> str:
    """What git makes of a date (``--max-age=SECONDS``)."""
    read = repository.run("rev-parse", f"--{name}={date}", f"--{name}=now").out.decode().split()
    if read[0] == read[1] and not _NOW.search(date):
        raise UsageError(f"--{name}: '{date}' is no date", hint="such as 2026-03-31 or '2 weeks ago'")
    return read[0]


# ---------------------------------------------------------------- paths


def _touched(
    ancestry: Ancestry, commits: Sequence[str], paths: Sequence[str], *, follow: bool, cwd: Path | None
) -> set[str]:
    # a pathspec with magic may exclude: then all of them are one question, and nothing is followed
    follow = follow and not any(path.startswith(":") for path in paths)
    plain = [path for path in paths if follow and _is_plain(path, cwd)]
    patterns = [path for path in paths if path not in plain]
    found: set[str] = set()
    if patterns:
        found |= touching(ancestry, commits, patterns, cwd=cwd)
    for path in plain:
        place = from_top(ancestry.repository, path, cwd)
        found |= following(ancestry, place) if place != "." else touching(ancestry, commits, [":(top)"])
    return found


def _is_plain(path: str, cwd: Path | None) -> bool:
    """Whether it names one file or folder, not a pattern."""
    return not re.search(r"[*?\[]", path) or (cwd is not None and os.path.lexists(cwd / path))


def from_top(repository: Repository, path: str, cwd: Path | None) -> str:
    """``path`` as typed in ``cwd``, relative to the top. Raises TrajError when it lies outside."""
    top = repository.work_tree
    if top is None or cwd is None:
        return os.path.normpath(path)
    whole = Path(os.path.normpath(cwd.resolve() / path))
    # the last name is not resolved: a symbolic link is itself a file of the repository
    place = whole if whole == top.resolve() else whole.parent.resolve() / whole.name
    if not place.is_relative_to(top.resolve()):
        raise TrajError(f"'{path}' is outside the repository at {top}", hint="name a path inside it")
    return place.relative_to(top.resolve()).as_posix()
