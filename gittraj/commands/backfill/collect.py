"""Collects the sessions of this machine that ever worked in a repository, and links them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gittraj.agents import all_agents
from gittraj.commands.backfill.digest_logs import Progress
from gittraj.commands.backfill.local_sessions import assign_worktrees, find_candidates
from gittraj.commands.backfill.log_task import LogTask
from gittraj.commands.backfill.report import Report, unlinked
from gittraj.commands.backfill.run import open_run
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
    log_task = LogTask(repository.work_tree or repository.git_dir, raw)
    chosen = [a for name, a in all_agents().items() if name not in log_task.config.exclude]
    names = [a.name for a in chosen]
    for asked in agents:
        if not any(name.startswith(asked) for name in names):
            raise UsageError(f"unknown agent '{asked}'", f"known here: {', '.join(sorted(names))}")
    agents = [name for name in names if any(name.startswith(asked) for asked in agents)]
    with open_run(repository, log_task) as run:
        mine = [a for a in chosen if not agents or a.name in agents]
        roots = run.roots
        places = Sessions(log_task.config, log_task.environ, roots)
        mounted = [f for f in places.mounted() if not agents or f.agent in agents]
        candidates = list(
            find_candidates(mine, log_task.environ, roots, run.off, since=since, mounted=mounted)
        )
        sources, unassigned = assign_worktrees(log_task, candidates)
        report = run.link_logs(sources, dry_run=dry_run, progress=progress)
    report.unlinked += [unlinked(file, why) for file, why in unassigned]
    return report
