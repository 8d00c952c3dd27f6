"""The contents of an export: the named commits and trajectories, each as ``show`` has it.

Sealed text is never opened here, so no export can contain it. It must not know any format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.query.account import Header
from gittraj.query.log.description import BATCH, describe_all
from gittraj.query.log.listing import list_commits
from gittraj.query.log.paths import RENAMES, Ancestry
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments
from gittraj.query.show.trajectory import Target, find_target, show_one, tell

Entry = tuple[Header | None, list[Header]]
"""A commit as ``log --json`` has it, its files too, and its trajectories as ``show --json`` has them; without
a commit a trajectory over all its commits."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """``commits`` newest first, then ``trajectories``, by id. ``segments`` lists what was missing once
    the entries were read."""

    repository: Repository
    recorded: Recorded
    segments: Segments
    commits: Sequence[str]
    trajectories: Sequence[str]

    def __len__(self) -> int:
        return len(self.commits) + len(self.trajectories)

    def entries(self) -> Iterator[Entry]:
        """The entries, read lazily."""
        for at in range(0, len(self.commits), BATCH):
            some = self.commits[at : at + BATCH]
            changed = _read_changes(self.repository, some)
            for commit, entry in describe_all(self.repository, some).items():
                files = changed.get(commit, [])
                trajectories = [
                    show_one(folded, commit, self.segments, files=files)
                    for folded in self.recorded.on(commit)
                ]
                yield {**entry, "files": files}, trajectories
        for trajectory in self.trajectories:
            yield None, tell(self.repository, self.recorded, Target(trajectory=trajectory), self.segments)


def choose(
    repository: Repository, recorded: Recorded, names: Sequence[str] | None, segments: Segments
) -> Chosen:
    """Resolve revisions, ranges (``A..B``: the recorded commits in it) and trajectory ids; None: every
    recorded commit that HEAD reaches.

    Raises TrajError for an unknown name.
    """
    if names is None:
        listed = list_commits(repository, recorded, "HEAD")[1]
        return Chosen(repository, recorded, segments, _with_trajectory(recorded, listed), ())
    commits: dict[str, None] = {}
    trajectories: dict[str, None] = {}
    for name in names:
        if ".." in name:
            listed = list_commits(repository, recorded, name)[1]
            commits.update(dict.fromkeys(_with_trajectory(recorded, listed)))
            continue
        target = find_target(repository, recorded, name)
        if target.commit is not None and target.commit in recorded:
            commits[target.commit] = None
        elif target.trajectory is not None:
            trajectories |= dict.fromkeys((target.trajectory, *target.others))
    return Chosen(repository, recorded, segments, list(commits), list(trajectories))


def _with_trajectory(recorded: Recorded, commits: Sequence[str]) -> list[str]:
    """A note may have deletions alone."""
    return [commit for commit in commits if recorded.on(commit)]


def _read_changes(repository: Repository, commits: Sequence[str]) -> dict[str, list[str]]:
    """The paths of each commit's first-parent diff, with one process."""
    objects = repository.objects
    parents = {c: [p for p in objects.commit(c).parents if objects.exists(p)] for c in commits}
    found = Ancestry(repository, parents).diff([(commit, 0) for commit in commits], *RENAMES)
    return {commit: [path for _, _, path in changes] for (commit, _), changes in found.items()}
