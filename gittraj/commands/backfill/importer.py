"""Imports session files that a user names: from another machine, a sandbox, a pipeline."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gittraj.agents import SessionFile, all_agents, is_near
from gittraj.commands.backfill.digest_logs import EMPTY, PAUSED, Progress
from gittraj.commands.backfill.log_task import OF_RUNS, Aim, LogTask, Source
from gittraj.commands.backfill.report import Report
from gittraj.commands.backfill.run import BackfillRun, open_run
from gittraj.errors import FormatError, NotARepository, TrajError
from gittraj.formats import NAMING, detect_store
from gittraj.git import Repository, open_repository
from gittraj.model.values import Key, Line, TaskRef, TaskSource
from gittraj.notes.merge import iter_records
from gittraj.record.draft import Prepared
from gittraj.record.drain.open_log import find_sessions, first_facts, read_items
from gittraj.state.cursors import Away, save

_LONGEST = 1 << 20
"""How many bytes at a log's end are searched for its last line."""

Refused = tuple[str, str]
"""The path of a file that was not imported, and why."""


def import_files(
    repository: Repository,
    raw: Mapping[str, str],
    paths: Sequence[Path],
    *,
    form: str | None = None,
    commit: str | None = None,
    link: bool = False,
    task: str | None = None,
    paused: bool = False,
    raw_too: bool = False,
    progress: Progress = lambda _what, _done, _all: None,
) -> tuple[list[Report], list[Refused]]:
    """Import the sessions in the files and folders ``paths``. Importing a file again, or a longer version of
    it, only adds what is new.

    The sessions are stored on ``commit``; without it, on the commits that they made if ``link``; else as work
    without a commit. ``raw`` is the environment; ``form`` is the format of the files; ``task`` is the task
    (``SYSTEM:ID``) of all sessions; with ``paused``, events from a pause are imported too; with ``raw_too``,
    a file that no format reads is stored as it is.

    Returns the reports and the refused files. There is more than one report if several files contain the same
    session: these are imported one after the other. An unreadable file is refused, the others are imported.
    Raises TrajError when nothing can be imported.
    """
    log_task = LogTask(repository.work_tree or repository.git_dir, raw)
    facts = {"task": (task,)} if task else {}
    refused: list[Refused] = []
    with open_run(repository, log_task) as run:
        rounds: list[dict[str, Source]] = [{}]
        for path, file in _find_files(paths, form, refused, raw_too=raw_too, progress=progress):
            try:
                for source in _sources(run, file, forced=commit is not None, paused=paused):
                    _queue(rounds, replace(source, facts=facts))
            except (TrajError, OSError) as error:
                refused.append(_refuse(path, error))
        aim = Aim(commit=commit, link=link and commit is None, explore=True)
        reports = run.link_logs([list(each.values()) for each in rounds], aim=aim, progress=progress)
        if task:
            name_task(run, set[str]().union(*rounds), task)
    for report in reports:
        _count_cut_logs(report)
    return reports, refused


def _find_files(
    paths: Sequence[Path], form: str | None, refused: list[Refused], *, raw_too: bool, progress: Progress
) -> Iterator[tuple[Path, SessionFile]]:
    """Yield each session below ``paths`` with its path. Add the paths without a session to ``refused``."""
    for path in paths:
        try:
            files = _find_sessions(path.resolve(), form, raw_too=raw_too, progress=progress)
        except (TrajError, OSError) as error:
            refused.append(_refuse(path, error))
        else:
            yield from ((file.path if path.is_dir() else path, file) for file in files)


def _refuse(path: Path, error: TrajError | OSError) -> Refused:
    why = error.message if isinstance(error, TrajError) else str(error.strerror)
    return str(path), why.removeprefix(f"{path.resolve()}: ")


def _queue(rounds: list[dict[str, Source]], source: Source) -> None:
    """Add ``source`` to the first round that does not have its session yet; add a repeated file only once."""
    for each in rounds:
        other = each.setdefault(source.file.trajectory, source)
        if other.file.path == source.file.path:
            return
    rounds.append({source.file.trajectory: source})


def _count_cut_logs(report: Report) -> None:
    """Count an incomplete end of a log as damage. If a session of a file was imported, remove from the report
    those of its sessions that were left out as empty or because of a pause."""
    imported = {each.file.path for each in report.taken.values() if each.why is None}
    for trajectory, each in [*report.taken.items()]:
        if each.why in (EMPTY, PAUSED) and each.file.path in imported:
            del report.taken[trajectory]
        elif each.why is None and _is_cut(each.file.path):
            report.taken[trajectory] = replace(each, damage=each.damage + 1)


def _is_cut(path: Path) -> bool:
    """Return whether a JSON Lines log ends within a record. An imported log does not grow, so it is
    damaged."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        first = stream.readline(_LONGEST)
        stream.seek(max(len(first) - 1, path.stat().st_size - _LONGEST))
        _, newline, last = stream.read().rpartition(b"\n")
    return bool(newline and last.strip(b"\0 \r\t") and _is_json(first)) and not _is_json(last)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


def _sources(run: BackfillRun, file: SessionFile, *, forced: bool, paused: bool) -> Iterator[Source]:
    """Yield a session, and those of its subagents. Raises FormatError if it worked in another repository."""
    agents = all_agents()
    former = _find_former(run, file, forced=forced)
    yield Source(file=file, former=former, off=_away(run, file, paused=paused))
    is_own_log = file.format not in NAMING and file.path.is_file()  # written by the agent, not another tool
    if file.subagent is None and file.agent in agents and is_own_log:
        for each in agents[file.agent].subagents(file):
            off = _away(run, each, paused=paused)
            yield Source(file=replace(each, format=file.format), former=former, off=off)


def _away(run: BackfillRun, file: SessionFile, *, paused: bool) -> Away:
    """Return the time during which recording was suspended for a session; none with ``paused``."""
    return Away() if paused else run.off.away(file.name, subagent=file.subagent)


def _find_sessions(path: Path, form: str | None, *, raw_too: bool, progress: Progress) -> list[SessionFile]:
    """Return the sessions in a file, store, or all files below a folder. Raises FormatError, OSError."""
    if not path.is_dir() or form is not None or detect_store(path) is not None:
        return _read_file(path, form, raw_too=raw_too)
    sessions: list[SessionFile] = []
    files = sorted(each for each in path.rglob("*") if each.is_file())
    size, done = sum(file.stat().st_size for file in files), 0
    for file in files:
        progress("finding", done, size)
        done += file.stat().st_size
        try:
            sessions += _read_file(file, None, raw_too=raw_too)
        except (FormatError, OSError):
            continue  # not every file in a folder with logs is a log
    if not sessions:
        raise FormatError(f"{path}: no sessions below this folder")
    return sessions


def _read_file(path: Path, form: str | None, *, raw_too: bool) -> list[SessionFile]:
    try:
        return find_sessions(path, form=form)
    except FormatError as error:
        if not raw_too or form is not None:
            raise FormatError(error.message, "git traj import --raw keeps it for a later version") from None
        return find_sessions(path, form="raw")


def _find_former(run: BackfillRun, file: SessionFile, *, forced: bool) -> Path | None:
    """Return the path that this repository's working tree had for a session from another machine, container
    or folder.
    Raises FormatError when the session worked in another repository of this machine, except with ``forced``
    or if it is a benchmark's run, as a benchmark makes a working copy for each run."""
    facts = first_facts(read_items(file))
    folder = facts.get("folder", "")
    contained = facts.get("container_folder")
    if contained and not os.path.exists(contained):  # noqa: PTH110 - Path's raises: no permission, long name
        return run.log_task.locate(Source(file=file), contained)
    is_here = os.path.exists(folder)  # noqa: PTH110 - as above
    if not Path(folder).is_absolute() or (is_here and is_near(Path(folder), run.roots)):
        return None
    forced = forced or not facts.keys().isdisjoint(OF_RUNS)
    if not forced and not _may_be_ours(run.repository, Path(folder)):
        raise FormatError(
            f"the session worked in another repository: {folder}",
            "import it in that repository, or name a commit of this one with --commit",
        )
    return run.log_task.locate(Source(file=file), folder)


def _may_be_ours(repository: Repository, folder: Path) -> bool:
    """Return whether a folder is outside all repositories of this machine, or in a clone of this one."""
    if not os.path.isdir(folder):  # noqa: PTH112 - as above
        return True
    try:
        with open_repository(folder) as other:
            roots = other.run("rev-list", "--max-parents=0", "--all", check=False).text.split()
    except NotARepository:
        return True
    return not roots or any(repository.objects.exists(root) for root in roots)


def name_task(run: BackfillRun, trajectories: Collection[str], task: str) -> None:
    """Set ``task`` (``SYSTEM:ID``) in every record of the trajectories. Raises TrajError."""
    name = run.log_task.pipeline.redactor().text(task)
    system, _, number = name.partition(":")
    ref = TaskRef(title=name, source=TaskSource(system=system, id=number))
    lines: list[tuple[str, Line]] = []
    changed: set[Key] = set()
    for commit, record in iter_records(run.notes.items()):
        if record.id in trajectories and record.whole.task != ref:
            with_task = replace(record, rev=record.rev + 1, whole=replace(record.whole, task=ref))
            lines.append((commit, with_task))
            changed.add(record.key)
    run.log_task.pipeline.store([Prepared(month="", lines=tuple(lines))])
    sessions = {}
    for name, known in run.state.sessions.items():
        parts = (replace(p, rev=p.rev + ((name, p.range.first) in changed)) for p in known.parts)
        sessions[name] = replace(known, parts=tuple(parts))
    run.state = replace(run.state, sessions=sessions)
    save(run.folder, run.state)
