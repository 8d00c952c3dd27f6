"""Reads a change under review from a repository."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from gittraj.errors import TrajError
from gittraj.git import Repository, read_changes
from gittraj.model.header import Header
from gittraj.query.change import Change, Reviewed, unnamed
from gittraj.query.header import Folded
from gittraj.query.log.description import describe_all
from gittraj.query.log.reverted import Reverts
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments


def read_change(
    repository: Repository, recorded: Recorded, base: str, head: str, *, notes: str | None
) -> Change:
    """Return the change from ``base`` to ``head``, as in a pull request. Raises TrajError if one is not a
    commit."""
    ends = [_find(repository, name) for name in (base, head)]
    listed = repository.run("rev-list", "--reverse", "--topo-order", "--parents", f"{ends[0]}..{ends[1]}").out
    parents = {line.split()[0]: line.split()[1:] for line in listed.decode().splitlines()}
    described, changes = describe_all(repository, list(parents)), read_changes(repository, list(parents))
    Reverts(repository, ends[1]).mark(described.values())
    headers = {commit: find_headers(recorded, commit) for commit in parents}
    commits = tuple(
        Reviewed(
            commit=commit,
            subject=described[commit]["subject"],
            trajectories=headers[commit][0],
            traces=headers[commit][1],
            files=tuple(path.path for path in changes[commit].paths),
            merge=len(above) > 1,
            reverted=described[commit]["revertedBy"],
        )
        for commit, above in parents.items()
    )
    commits = tuple(_resolved(repository, c) if c.merge and c.trajectories else c for c in commits)
    listed = repository.run("diff", "--name-only", "-z", "--no-ext-diff", f"{ends[0]}...{ends[1]}", "--").out
    files = tuple(name.decode("utf-8", "replace") for name in listed.split(b"\0")[:-1])
    sessions = find_sessions(recorded, list(parents))
    left = recorded.unread(parents)
    begun = {f.whole["id"]: _begins(f) for c in parents for f in recorded.on(c)}
    change = Change(
        head=ends[1], commits=commits, files=files, notes=notes, sessions=sessions, begun=begun, left=left
    )
    unclear = {*unnamed(change)}
    written = _find_written(repository, recorded, change, unclear) if unclear else None
    return replace(change, written=written)


def _resolved(repository: Repository, merge: Reviewed) -> Reviewed:
    """Return the merge with the files that differ from all its parents, and not only from the first."""
    combined = ("diff-tree", "-c", "-r", "--no-commit-id", "--name-only", "-z", "--no-ext-diff")
    listed = repository.run(*combined, merge.commit, check=False).text  # empty if a parent is missing here
    return replace(merge, files=tuple(listed.split("\0")[:-1]))


def _begins(folded: Folded) -> str | None:
    """Return the first prompt among all recorded parts of a session."""
    return next((record.figures.prompt for record in folded.records(None) if record.figures.prompt), None)


def _find_written(
    repository: Repository, recorded: Recorded, change: Change, paths: Set[str]
) -> dict[str, set[str]] | None:
    """Return the paths with a line that a recorded call wrote, with the ids of its sessions; None if this
    clone lacks some of the events, or a merge changed one of ``paths``."""
    from gittraj.query.show.attributed import attribute  # noqa: PLC0415 - most changes have no such files
    from gittraj.query.why.session import read_session  # noqa: PLC0415

    segments, written = Segments(repository), dict[str, set[str]]()
    touched = [each for each in change.recorded if not paths.isdisjoint(each.files)]
    for commit in (each.commit for each in touched):
        explaining = (folded for folded in recorded.on(commit) if folded.explains(commit))
        sessions = (read_session(folded.whole, folded.records(commit), segments) for folded in explaining)
        events = {session.header["id"]: [*session.events] for session in sessions}
        for run in attribute(repository, commit, events):
            if run.trajectory:
                written.setdefault(run.path, set()).add(run.trajectory)
    return None if segments.missing or any(each.merge for each in touched) else written


def find_headers(recorded: Recorded, commit: str) -> tuple[tuple[Header, ...], tuple[Header, ...]]:
    """Return the ``trajectories`` and ``traces`` of a ``Reviewed``."""
    headers = [(f.explains(commit), f.header(commit)) for f in recorded.on(commit) if f.records(commit)]
    records, traces = (
        tuple(header for explains, header in headers if explains is kind) for kind in (True, False)
    )
    return records, traces


def find_sessions(recorded: Recorded, commits: Sequence[str]) -> tuple[Header, ...]:
    """Return the trajectories of ``commits``, each once, with the totals of its parts there; without
    stubs."""
    sessions = {f.whole["id"]: f for c in commits for f in recorded.on(c) if f.explains(c)}
    return tuple(folded.across(commits) for folded in sessions.values())


def _find(repository: Repository, name: str) -> str:
    commit = repository.find_commit(name)
    if commit is None:
        raise TrajError(f"'{name}' is not a commit here", "git branch -a lists the branches")
    return commit
