"""Lists the commits that sessions may have made, oldest first.

The commits that a rebase made by moving others are left out: ``history`` finds them from the originals.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import inf

from gittraj.capture.commits import made_kind
from gittraj.capture.session import Commit, Kind
from gittraj.commands.backfill.log_digest import LogDigest, find_commit_calls
from gittraj.git import ReflogEntry, Repository, read_changes, read_reflog
from gittraj.model.times import seconds

_MARGIN = 86_400
"""If there are more than ``_MANY`` commits, those made more than this many seconds before the first session
are left out."""
_MANY = 20_000
_SLACK = 2.0
"""A commit may be this many seconds before or after the call that made it: the clocks differ."""
_LONGEST_ID = 64


class CandidateCommits:
    """All commits of branches, tags and reflogs, and those whose ids the sessions of ``digests`` printed.
    ``off`` are the commits that were made while recording was off."""

    def __init__(self, repository: Repository, digests: Sequence[LogDigest], *, off: Collection[str]) -> None:
        self.repository = repository
        self._off = off
        self._kinds, moved = self._reflogs()
        self.printed = self._resolve({short for each in digests for short in each.printed})
        moved -= self._kinds.keys()
        listed = self._list(digests, {*self.printed.values(), *self._kinds})
        self._times = {commit: time for commit, time in listed if commit not in moved}

    def commits(self, digests: Sequence[LogDigest], known: Collection[str]) -> list[Commit]:
        """Return the commits that the sessions may have made, those that changed files which the sessions
        wrote, and the ``known`` ones, all with their changes."""
        wanted = {*self.printed.values(), *known}
        written = {path for each in digests for path in each.writings.by_path}
        wanted |= set(_touching(self.repository, self._times, written))
        wanted |= set(self._at_calls(digests))
        ids = [commit for commit in self._times if commit in wanted]
        changes = read_changes(self.repository, ids)
        seen, since = self._made_here()
        return [
            Commit(
                id=c,
                kind=self._kinds.get(c, "commit"),
                stored=c not in self._off,
                foreign=c not in seen and changes[c].time > since,
                seen=c in seen,
                changes=changes[c],
            )
            for c in ids
        ]

    def _reflogs(self) -> tuple[dict[str, Kind], set[str]]:
        """Return the kind of each commit that the reflogs show as made here, and the commits that a rebase
        moved."""
        kinds: dict[str, Kind] = {}
        moved: set[str] = set()
        for tree in self.repository.worktrees():
            for entry in read_reflog(self.repository, tree.git_dir, None)[0]:
                kind = made_kind(entry)
                if kind is not None:
                    kinds.setdefault(entry.new, kind)
                elif entry.kind.startswith(("rebase", "pull --rebase")) and "(start)" not in entry.kind:
                    moved.add(entry.new)
        exists = self.repository.objects.exists
        return {c: kind for c, kind in kinds.items() if exists(c)}, moved

    def _made_here(self) -> tuple[set[str], float]:
        """Return the commits that any reflog, also a branch's, shows as made here; and when HEAD's reflog
        begins (seconds since 1970). Any other younger commit came from elsewhere."""
        command = ("log", "-g", "--all", "-z", "--date=unix", "--format=%H%x01%gd%x01%gs")
        output = self.repository.run(*command, check=False).out.decode("utf-8", "replace")
        seen = {*self._kinds}
        since = inf
        for line in filter(None, output.split("\0")):
            commit, selector, message = line.split("\1", 2)
            name, _, time = selector.removesuffix("}").partition("@{")
            if made_kind(ReflogEntry("", commit, message)) is not None:
                seen.add(commit)
            if name == "HEAD" and time.isdigit():
                since = float(time)  # the last entry is the oldest
        return seen, since

    def _resolve(self, shorts: Collection[str]) -> dict[str, str]:
        """Return the commits that the printed ids abbreviate, by these ids; ambiguous ids are dropped."""
        printed = sorted(short for short in shorts if len(short) <= _LONGEST_ID)
        pairs = zip(printed, self.repository.find_commits(printed), strict=True)
        return {short: commit for short, commit in pairs if commit}

    def _list(self, digests: Sequence[LogDigest], more: Collection[str]) -> Iterator[tuple[str, int]]:
        """Yield each commit that a branch, a tag, a HEAD or one of ``more`` reaches, with its time."""
        count = self.repository.run("rev-list", "--count", "--branches", "--tags", "--remotes", check=False)
        limit: list[str] = []
        starts = [start for each in digests if (start := seconds(each.started)) is not None]
        if starts and int(count.out or 0) > _MANY:
            limit = [f"--since={int(min(starts)) - _MARGIN}"]
        result = self.repository.run(
            *("-c", "log.showSignature=false", "log", "-z", "--date-order", "--reverse", *limit),
            *("--format=%H%x01%ct", "--branches", "--tags", "--remotes", "--stdin"),
            input="".join(f"{commit}\n" for commit in (*self._heads(), *sorted(more))).encode(),
            check=False,
        )
        for line in result.out.decode("utf-8", "replace").split("\0"):
            commit, _, time = line.partition("\1")
            if time:
                yield commit, int(time)

    def _heads(self) -> Iterator[str]:
        for tree in self.repository.worktrees():
            command = (f"--git-dir={tree.git_dir}", "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
            result = self.repository.run(*command, check=False)
            if result.code == 0:
                yield result.text.strip()

    def _at_calls(self, digests: Sequence[LogDigest]) -> Iterator[str]:
        """Yield the commits that were made while a call ran that can commit."""
        by_time = sorted((time, commit) for commit, time in self._times.items())
        times = [time for time, _ in by_time]
        for each in digests:
            for index in find_commit_calls(each.log):
                begun = seconds(each.log.entries[index].event.ts)
                result = each.log.result_of(index)
                ended = seconds(each.log.entries[result].event.ts) if result is not None else None
                if begun is None:
                    continue
                first = bisect_left(times, begun - _SLACK)
                last = bisect_left(times, (ended or begun + 60.0) + _SLACK)
                yield from (commit for _, commit in by_time[first:last])


def _touching(repository: Repository, commits: Iterable[str], paths: Collection[str]) -> Iterator[str]:
    """Yield the commits that changed one of ``paths``, compared with any of their parents."""
    if not paths:
        return
    result = repository.run(
        *("diff-tree", "--stdin", "-r", "--root", "-m", "--no-renames", "--raw", "-z"),
        input="".join(f"{commit}\n" for commit in commits).encode(),
        check=False,
    )
    wanted = {path.encode("utf-8", "surrogateescape") for path in paths}
    commit = b""
    fields = iter(result.out.split(b"\0"))
    for field in fields:
        if field.startswith(b":"):
            if next(fields, b"") in wanted and commit:
                yield commit.decode()
        elif field:
            commit = field.strip()
