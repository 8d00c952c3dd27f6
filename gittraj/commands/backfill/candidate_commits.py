"""The commits that sessions may have made, oldest first.

Commits that a rebase or reset only moved are left out: ``history`` follows them from their originals.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from gittraj.capture.commits import made_kind
from gittraj.capture.session import Commit, Kind
from gittraj.commands.backfill.log_digest import LogDigest
from gittraj.git import ReflogEntry, Repository, read_changes, read_reflog
from gittraj.model.times import seconds

_MARGIN = 86_400
"""With very many commits, only those since this many seconds before the first session are examined."""
_MANY = 20_000
_SLACK = 2.0
_LONGEST_ID = 64


@dataclass(frozen=True, slots=True)
class _Made:
    id: str
    time: int
    subject: str


class CandidateCommits:
    """All commits of branches, tags and reflogs, and those that ``digests`` printed."""

    def __init__(self, repository: Repository, digests: Sequence[LogDigest], *, off: Collection[str]) -> None:
        self.repository = repository
        self._off = off
        self._kinds, moved = self._reflogs()
        self.printed = self._resolve({short for each in digests for short in each.printed})
        found = list(self._list(digests, {*self.printed.values(), *self._kinds}))
        self._made = [made for made in found if made.id not in moved - self._kinds.keys()]

    def commits(self, digests: Sequence[LogDigest], known: Collection[str]) -> list[Commit]:
        """Return the commits that the logs may have made or written, and the ``known`` ones, with their
        changes."""
        wanted = {*self.printed.values(), *known}
        written = {path for each in digests for path in each.writings.by_path}
        wanted |= set(_touching(self.repository, [made.id for made in self._made], written))
        wanted |= set(self._at_calls(digests))
        ids = [made.id for made in self._made if made.id in wanted]
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
        """The kinds of the commits made according to the reflogs, and the commits that were only moved."""
        kinds: dict[str, Kind] = {}
        moved: set[str] = set()
        for tree in self.repository.worktrees():
            for entry in read_reflog(self.repository, tree.git_dir, None)[0]:
                kind = made_kind(entry)
                if kind is not None:
                    kinds.setdefault(entry.new, kind)
                elif entry.kind.startswith(("rebase", "pull --rebase")) and "(start)" not in entry.kind:
                    moved.add(entry.new)
        here = self.repository.objects
        return {c: kind for c, kind in kinds.items() if here.exists(c)}, moved

    def _made_here(self) -> tuple[set[str], float]:
        """The commits that any reflog, also a branch's, shows as made here; and when HEAD's begins (seconds
        since 1970): a younger commit that is not among them came from elsewhere."""
        asked = ("log", "-g", "--all", "-z", "--date=unix", "--format=%H%x01%gd%x01%gs")
        found = self.repository.run(*asked, check=False).out.decode("utf-8", "replace")
        seen = {*self._kinds}
        since = inf
        for line in filter(None, found.split("\0")):
            commit, selector, message = line.split("\1", 2)
            name, _, time = selector.removesuffix("}").partition("@{")
            if made_kind(ReflogEntry("", commit, message)) is not None:
                seen.add(commit)
            if name == "HEAD" and time.isdigit():
                since = float(time)  # the last is the oldest
        return seen, since

    def _resolve(self, shorts: Collection[str]) -> dict[str, str]:
        """Resolve printed ids to commits; ambiguous ones are dropped."""
        asked = sorted(short for short in shorts if len(short) <= _LONGEST_ID)
        if not asked:
            return {}
        text = "".join(f"{short}^{{commit}}\n" for short in asked).encode()
        found = self.repository.run("cat-file", "--batch-check=%(objectname) %(objecttype)", input=text)
        lines = found.out.decode("utf-8", "replace").splitlines()
        pairs = zip(asked, (line.split() for line in lines), strict=False)
        return {short: words[0] for short, words in pairs if len(words) == 2 and words[1] == "commit"}

    def _list(self, digests: Sequence[LogDigest], more: Collection[str]) -> Iterator[_Made]:
        counted = self.repository.run("rev-list", "--count", "--branches", "--tags", "--remotes", check=False)
        limit: list[str] = []
        starts = [at for each in digests if (at := seconds(each.started)) is not None]
        if starts and int(counted.out or 0) > _MANY:
            limit = [f"--since={int(min(starts)) - _MARGIN}"]
        found = self.repository.run(
            *("-c", "log.showSignature=false", "log", "-z", "--date-order", "--reverse", *limit),
            *("--format=%H%x01%ct%x01%s", "--branches", "--tags", "--remotes", "--stdin"),
            input="".join(f"{commit}\n" for commit in (*self._heads(), *sorted(more))).encode(),
            check=False,
        )
        for line in found.out.decode("utf-8", "replace").split("\0"):
            commit, _, rest = line.partition("\1")
            time, _, subject = rest.partition("\1")
            if time:
                yield _Made(commit, int(time), subject)

    def _heads(self) -> Iterator[str]:
        for tree in self.repository.worktrees():
            asked = (f"--git-dir={tree.git_dir}", "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
            found = self.repository.run(*asked, check=False)
            if found.code == 0:
                yield found.text.strip()

    def _at_calls(self, digests: Sequence[LogDigest]) -> Iterator[str]:
        """The commits made while a call ran that can commit."""
        by_time = sorted((made.time, made.id) for made in self._made)
        times = [time for time, _ in by_time]
        for each in digests:
            for index in each.committing():
                begun = seconds(each.log.entries[index].event.ts)
                result = each.log.result_of(index)
                over = seconds(each.log.entries[result].event.ts) if result is not None else None
                if begun is None:
                    continue
                first = bisect_left(times, begun - _SLACK)
                last = bisect_left(times, (over or begun + 60.0) + _SLACK)
                yield from (commit for _, commit in by_time[first:last])


def _touching(repository: Repository, commits: Sequence[str], paths: Collection[str]) -> Iterator[str]:
    """The commits that changed one of ``paths``, against any parent."""
    if not paths:
        return
    found = repository.run(
        *("diff-tree", "--stdin", "-r", "--root", "-m", "--no-renames", "--raw", "-z"),
        input="".join(f"{commit}\n" for commit in commits).encode(),
        check=False,
    )
    wanted = {path.encode("utf-8", "surrogateescape") for path in paths}
    commit = b""
    fields = iter(found.out.split(b"\0"))
    for field in fields:
        if field.startswith(b":"):
            if next(fields, b"") in wanted and commit:
                yield commit.decode()
        elif field:
            commit = field.strip()
