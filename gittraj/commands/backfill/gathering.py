"""Takes in the sessions of this machine: all that worked in a repository, whenever it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gittraj.agents import all_agents
from gittraj.commands.backfill.desk import Desk
from gittraj.commands.backfill.found import find_candidates, settle
from gittraj.commands.backfill.report import Report, unlinked
from gittraj.commands.backfill.run import Progress, opened
from gittraj.errors import UsageError
from gittraj.git import Repository
from gittraj.record.drain.sessions import Sessions


def backfill(
    repository: Repository,
    raw: Mapping[str, str],
    *,
    since: float = 0.0,
    agents: Sequence[str] = (),
    dry_run: bool = False,
    progress: Progress = lambda _what, _done, _all: None,
) -> Report:
    """Find the local sessions of ``repository`` and link them. ``raw`` is the environment; ``since`` in
    seconds since 1970; ``agents`` by name, or the beginning of one (none: all). Raises TrajError."""
    desk = Desk(repository.work_tree or repository.git_dir, raw)
    chosen = [a for name, a in all_agents().items() if name not in desk.config.exclude]
    names = [a.name for a in chosen]
    for asked in agents:
        if not any(name.startswith(asked) for name in names):
            raise UsageError(f"no agent is called '{asked}'", f"known here: {', '.join(sorted(names))}")
    agents = [name for name in names if any(name.startswith(asked) for asked in agents)]
    with opened(repository, desk) as past:
        mine = [a for a in chosen if not agents or a.name in agents]
        roots = past.roots
        places = Sessions(desk.config, desk.environ, roots)
        mounted = [f for f in places.mounted() if not agents or f.agent in agents]
        candidates = list(find_candidates(mine, desk.environ, roots, past.off, since=since, mounted=mounted))
        sources, strangers = settle(desk, candidates)
        report = past.run(sources, dry_run=dry_run, progress=progress)
    report.unlinked += [unlinked(file, why) for file, why in strangers]
    return report
