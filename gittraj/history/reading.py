"""Reads from git what finding rewrites needs: reflogs, one table of commits, and patch-ids of changes.

Each function starts a few processes, however many commits there are. Objects that are missing (pruned,
shallow, promised) are left out: less evidence, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gittraj.git import ReflogEntry, Repository, is_oid, patch_ids, read_reflog
from gittraj.git.encoding import object_id
from gittraj.history.history import Change, Commit, History, Paths

_LOG = (
    *("-c", "log.showSignature=false", "log", "-z", "--topo-order", "--encoding=UTF-8", "--no-notes"),
    *("--date=raw", "--ignore-missing", "--format=%H%x00%P%x00%T%x00%an <%ae>%x00%ad%x00%ct%x00%B"),
)
_FIELDS = 7
_REFS = ("--branches", "--tags", "--remotes", "HEAD", "--stdin", "--")
_TREES = ("diff-tree", "-r", "--no-renames", "--no-ext-diff", "--stdin", "--raw", "--no-abbrev", "-z")
_PAIR = re.compile(rb"[0-9a-f]{40,64} [0-9a-f]{40,64}\n")
_RAW = re.compile(rb":(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\0([^\0]*)\0")
_PULL = re.compile(r"/(?:pull|pr|merge-requests)/(\d+)(?:/head)?$")


def read_reflogs(repository: Repository) -> tuple[list[list[ReflogEntry]], list[list[ReflogEntry]]]:
    """The reflogs of the worktrees' HEADs, and those of the branches, each with its oldest entry first."""
    heads = [read_reflog(repository, tree.git_dir, None)[0] for tree in repository.worktrees()]
    found = repository.run(
        *("-c", "log.showSignature=false", "-c", "log.date=default", "log", "-g", "-z", "--branches"),
        *("--format=%gD%x00%H%x00%gs", "--"),
        check=False,  # a reflog may name commits that are gone
    )
    fields = found.text.split("\0")
    branches: dict[str, list[tuple[str, str]]] = {}
    for name, new, message in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        branches.setdefault(name.rpartition("@{")[0], []).append((new, message))
    return heads, [_entries(pairs[::-1]) for pairs in branches.values()]


def _entries(pairs: Sequence[tuple[str, str]]) -> list[ReflogEntry]:
    before = ["0" * 40, *(new for new, _ in pairs)]
    return [ReflogEntry(old, new, message) for old, (new, message) in zip(before, pairs, strict=False)]


def read_pulls(repository: Repository) -> dict[int, set[str]]:
    """The tips of pull and merge requests whose refs were fetched, by number."""
    listed = repository.run(
        *("for-each-ref", "--format=%(objectname) %(refname)"),
        *("refs/pull", "refs/merge-requests", "refs/remotes"),
    ).text
    pulls: dict[int, set[str]] = {}
    for tip, _, name in (line.partition(" ") for line in listed.splitlines()):
        if found := _PULL.search(name):
            pulls.setdefault(int(found[1]), set()).add(tip)
    return pulls


def find_unreachable(repository: Repository, commits: Collection[str]) -> set[str]:
    """The commits that no branch, tag or HEAD reaches, and those that are not here. Raises GitError."""
    missing = {commit for commit in commits if not repository.objects.exists(commit)}
    existing = [commit for commit in commits if commit not in missing]
    if not existing:
        return missing
    revisions = _lines([*existing, *(f"^{head}" for head in _detached(repository))])
    walk = ("rev-list", "--ignore-missing", "--stdin", "--not", *_REFS[:4])
    answer = repository.run(*walk, input=revisions, check=False)
    if answer.code != 0:  # a parent is gone
        return missing | {*existing} - read_history(repository, ()).reachable
    return missing | {*existing} & {*answer.text.split()}


def read_history(repository: Repository, others: Iterable[str], *, within: float | None = None) -> History:
    """Read all commits that branches, tags and HEADs reach, and those that ``others`` reach.

    Raises GitError if git cannot walk its own refs, or needs more than ``within`` seconds.
    """
    heads = _lines(_detached(repository))
    reached = _parse(repository.run(*_LOG, *_REFS, input=heads, timeout=within).out)
    fresh = [other for other in dict.fromkeys(others) if is_oid(other) and other not in reached]
    further = _read_further(repository, fresh, reached) if fresh else {}
    return History(further | reached, frozenset(reached), object_id("tree", b"", repository.object_format))


def _read_further(
    repository: Repository, fresh: Sequence[str], reached: Mapping[str, Commit]
) -> dict[str, Commit]:
    """Read the commits that ``fresh`` ones reach, and those of ``reached`` do not."""
    parents = {parent for commit in reached.values() for parent in commit.parents}
    revisions = _lines([*fresh, *(f"^{commit}" for commit in reached if commit not in parents)])
    answer = repository.run(*_LOG, "--stdin", "--", input=revisions, check=False)
    if answer.code != 0:  # a parent is gone: read only these commits
        alone = ("--no-walk=unsorted", "--stdin", "--")
        answer = repository.run(*_LOG, *alone, input=_lines(fresh), check=False)
    return _parse(answer.out)


def _lines(requests: Iterable[str]) -> bytes:
    return "".join(f"{request}\n" for request in requests).encode()


def _detached(repository: Repository) -> Iterator[str]:
    """The commits that worktrees with a detached HEAD are on."""
    for tree in repository.worktrees():
        try:
            head = (tree.git_dir / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue
        if is_oid(head) and repository.objects.exists(head):
            yield head


def _parse(data: bytes) -> dict[str, Commit]:
    fields = data.decode("utf-8", "surrogateescape").split("\0")
    rows = zip(*(fields[i::_FIELDS] for i in range(_FIELDS)), strict=False)
    return {
        commit: Commit(
            id=commit,
            parents=tuple(parents.split()),
            tree=tree,
            author=author,
            authored=authored,
            committed=int(committed or 0),
            message=message,
        )
        for commit, parents, tree, author, authored, committed, message in rows
    }


class Patches:
    """Reads the paths and patch-ids of changes in a history."""

    def __init__(self, repository: Repository, history: History) -> None:
        self._repository = repository
        self._ids = history.patches
        self._paths = history.paths

    def compare(self, some: Iterable[Change | None], others: Iterable[Change | None]) -> None:
        """Compute the patch-ids that show which of ``some`` have the same patch as one of ``others``. Changes
        of different paths never have the same patch: their ids are not computed."""
        left = {change for change in some if change is not None}
        right = {change for change in others if change is not None}
        self.read_paths(left | right)
        shared = {self._names(c) for c in left} & {self._names(c) for c in right} - {()}
        unknown = [c for c in left | right if c not in self._ids and self._names(c) in shared]
        ids = patch_ids(self._repository, map(" ".join, unknown))
        self._ids.update({change: ids[pair] for change in unknown if (pair := " ".join(change)) in ids})

    def _names(self, change: Change) -> tuple[bytes, ...]:
        return tuple(self._paths.get(change, ()))

    def read_paths(self, changes: Iterable[Change | None]) -> None:
        """Read the paths of ``changes`` into the history."""
        unknown = {change for change in changes if change is not None and change not in self._paths}
        self._paths.update(self._read_paths(list(unknown)))

    def _read_paths(self, changes: list[Change]) -> dict[Change, Paths]:
        if not changes:
            return {}
        answer = self._repository.run(*_TREES, input=_lines(map(" ".join, changes)), check=False)
        if answer.code == 0:
            return dict(_parse_raw(answer.out))
        half = len(changes) // 2  # git stops at a missing tree: find it, and read the others
        if half == 0:
            return {}
        return self._read_paths(changes[:half]) | self._read_paths(changes[half:])


def _parse_raw(data: bytes) -> Iterator[tuple[Change, Paths]]:
    at = 0
    while header := _PAIR.match(data, at):
        before, after = header[0].decode().split()
        paths: dict[bytes, tuple[bytes, bytes]] = {}
        at = header.end()
        while raw := _RAW.match(data, at):
            paths[raw[5]] = raw[1] + raw[3], raw[2] + raw[4]
            at = raw.end()
        yield (before, after), paths
