"""Finds the sessions on this machine that worked in a repository: those near its working trees, and those in
a folder that no longer exists, if the log proves that the folder was this repository's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePath

from gittraj.agents import Agent, SessionFile, all_agents
from gittraj.commands.backfill.digest_logs import Progress
from gittraj.commands.backfill.log_digest import LogDigest
from gittraj.commands.backfill.log_task import Aim, LogTask, Source, known_paths
from gittraj.commands.backfill.report import Report, unlinked
from gittraj.commands.backfill.run import open_run
from gittraj.config import Environ
from gittraj.errors import TrajError, UsageError
from gittraj.git import Repository
from gittraj.model.session_items import Entry, Fact, is_unique
from gittraj.notes.merge import iter_records
from gittraj.record.drain.open_log import ITEMS_WITH_FACTS, read_items
from gittraj.record.drain.sessions import Sessions
from gittraj.state.changed import written_at
from gittraj.state.cursors import Suspension

_FACTS = ("folder", "start_commit", "repository")
_ANYWHERE = (Path("/"),)
_SMALLEST_PROOF = 64
"""The least size, in bytes, of a file that can prove that a session worked in this repository."""
_PATHS_ASKED = 500
_MANY = 3
_EVERYWHERE = re.compile(
    r"(?i)(?:licen[cs]e|copying|notice|readme|contributing|code_of_conduct|security|changelog|dockerfile|makefile)"
    r"\b.*|\.[\w.-]+|__init__\.py|(?:package(?:-lock)?|tsconfig)\.json"
)
"""Names of files that many projects have in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A log. ``gone``: the folder that it worked in, if that no longer exists."""

    source: Source
    gone: str | None = None


def find_candidates(
    agents: Sequence[Agent],
    environ: Environ,
    roots: Sequence[Path],
    off: Suspension,
    *,
    since: float,
    mounted: Iterable[SessionFile] = (),
) -> Iterator[Candidate]:
    """The logs written after ``since`` (seconds since 1970). Each session's log comes before those of its
    subagents. ``mounted``: the logs below configured paths."""
    for file in mounted:
        if written_at(file.path) >= since:
            yield Candidate(source=_source(file, off), gone=_gone_folder(file))
    for agent in agents:
        near = list(agent.sessions(environ, roots, since=since))
        seen = {file.trajectory for file in near}
        far = (f for f in agent.sessions(environ, _ANYWHERE, since=since) if f.trajectory not in seen)
        for file in near:
            yield from (Candidate(source=s) for s in _with_subagents(agent, file, off))
        for file in far:
            if gone := _gone_folder(file):
                yield from (Candidate(source=s, gone=gone) for s in _with_subagents(agent, file, off))


def _gone_folder(file: SessionFile) -> str | None:
    """The folder that a session worked in, if it no longer exists."""
    folder = _facts(file).get("folder", "")
    return folder if Path(folder).is_absolute() and not Path(folder).exists() else None


def assign_worktrees(
    log_task: LogTask, candidates: Sequence[Candidate]
) -> tuple[list[Source], list[tuple[SessionFile, str]]]:
    """Return the logs to read, each with its working tree's former path; and the logs that cannot be assigned
    to this repository, with the reason."""
    kept: list[Source] = []
    unassigned: list[tuple[SessionFile, str]] = []
    unknown: list[Candidate] = []
    verdicts: dict[str, Path | None] = {}
    for candidate in candidates:
        source = candidate.source
        if candidate.gone is None:
            kept.append(source)
            continue
        if source.file.name not in verdicts:
            verdicts[source.file.name] = _former(log_task, source, candidate.gone)
        former = verdicts[source.file.name]
        if former is not None:
            kept.append(replace(source, former=former))
        else:
            unknown.append(candidate)
    copied = {head: s.former for s in kept if s.former and (head := _head(s.file))} if unknown else {}
    for candidate in unknown:
        source = candidate.source
        former = copied.get(head) if (head := _head(source.file)) else None
        if former is not None:  # a copy: a kept session begins with the same event
            kept.append(replace(source, former=former))
        elif source.file.subagent is None:
            why = f"its folder {candidate.gone} is gone, and nothing shows that it was this repository"
            unassigned.append((source.file, why))
    return kept, unassigned


def _head(file: SessionFile) -> tuple[str, str] | None:
    """The agent and the id of a log's first event, if that id is unique."""
    try:
        first = next((i.event.id for i in read_items(file) if isinstance(i, Entry)), None)
    except (OSError, TrajError):
        return None
    return (file.agent, first) if first is not None and is_unique(first) else None


def _former(log_task: LogTask, source: Source, folder: str) -> Path | None:
    if not log_task.known:
        log_task.known = known_paths(log_task.repository)
    try:
        former = log_task.locate(source, folder)
        digest = log_task.digest(replace(source, former=former))
    except (OSError, TrajError):
        return None
    if not isinstance(digest, LogDigest):
        return None
    shown = (
        _shows_start(log_task.repository, source.file)
        or _shows_commit(log_task, digest, folder)
        or _shows_files(log_task.repository, digest)
    )
    return former if shown else None


def _shows_start(repository: Repository, file: SessionFile) -> bool:
    """Whether the log says that it began in this repository: on a commit of it, or with its remote."""
    facts = _facts(file)
    remotes = {_plain_url(setting.value) for setting in repository.settings(r"remote\..*\.url$")}
    if facts.get("repository") and _plain_url(facts["repository"]) in remotes:
        return True
    start = facts.get("start_commit")
    return start is not None and "commit" in _kinds(repository, {start})


def _shows_commit(log_task: LogTask, digest: LogDigest, folder: str) -> bool:
    """Whether a call that ran in ``folder``, and names no path in today's repository, printed the id of a
    commit of this repository as newly made. A call that changed into this repository in order to commit
    proves nothing about the rest of the session."""
    log, territory = digest.log, log_task.territory(None)
    shorts: set[str] = set()
    for index, entry in enumerate(log.entries):
        result = log.result_of(index)
        if result is None or not log.entries[result].commits:
            continue
        inside = entry.folder is None or PurePath(entry.folder).is_relative_to(folder)
        here = any(path.is_relative_to(r) for path in territory.named(entry) for r in territory.roots)
        if inside and not here:
            shorts |= set(log.entries[result].commits)
    return bool(shorts) and "commit" in _kinds(log_task.repository, shorts)


def _shows_files(repository: Repository, digest: LogDigest) -> bool:
    """Whether the session wrote files that this repository had at the same paths, byte for byte; files that
    every project has count only if there are several."""
    written = {(w.path, blob) for w in digest.writings.all() for blob in w.blobs if w.lines}
    paths = sorted({path for path, _ in written})
    if not paths:
        return False
    had = _versions(repository, paths[:_PATHS_ASKED])
    here = _objects(repository, {blob for _, blob in written & had})
    same = {path for path, blob in written & had if blob in here and here[blob][1] >= _SMALLEST_PROOF}
    own = {path for path in same if not _EVERYWHERE.match(path.rpartition("/")[2])}
    return bool(own) or len(same) > _MANY


def _versions(repository: Repository, paths: Sequence[str]) -> set[tuple[str, str]]:
    """Each path with each blob that it ever had on any branch."""
    found = repository.run(
        *("-c", "log.showSignature=false", "log", "--all", "--format=", "--raw", "--no-abbrev", "-z", "-m"),
        *("--no-renames", "--", *(f":(literal,top){path}" for path in paths)),
        check=False,
    )
    fields = found.text.split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return {(path, head.split(" ")[3]) for head, path in pairs if head.strip().startswith(":")}


def _kinds(repository: Repository, ids: set[str]) -> set[str]:
    """The kinds of those objects that this repository has."""
    return {kind for kind, _ in _objects(repository, ids).values()}


def _objects(repository: Repository, ids: set[str]) -> dict[str, tuple[str, int]]:
    asked = sorted(ids)
    question = "".join(f"{oid}\n" for oid in asked).encode()
    form = "--batch-check=%(objecttype) %(objectsize)"
    found = repository.run("cat-file", form, input=question, check=False)
    rows = zip(
        asked, (line.split() for line in found.out.decode("utf-8", "replace").splitlines()), strict=False
    )
    return {oid: (row[0], int(row[1])) for oid, row in rows if len(row) == 2 and row[1].isdigit()}


def _plain_url(url: str) -> str:
    """Drop the protocol, a user, and ``.git`` from an address: one repository has many addresses."""
    url = re.sub(r"^\w+://|^[^@/]+@", "", url.strip().lower()).replace(":", "/")
    return re.sub(r"^[^@/]+@", "", url).removesuffix("/").removesuffix(".git")


def _facts(file: SessionFile) -> dict[str, str]:
    facts: dict[str, str] = {}
    try:
        for item in islice(read_items(file), ITEMS_WITH_FACTS):
            if isinstance(item, Fact) and item.name in _FACTS:
                facts.setdefault(item.name, str(item.value))
    except (OSError, TrajError):
        pass
    return facts


def _source(file: SessionFile, off: Suspension) -> Source:
    return Source(file=file, off=off.away(file.name, subagent=file.subagent))


def _with_subagents(agent: Agent, file: SessionFile, off: Suspension) -> Iterator[Source]:
    yield _source(file, off)
    yield from (_source(below, off) for below in agent.subagents(file))


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
    config, environ = log_task.config, log_task.environ
    known = {agent.name: agent for name, agent in all_agents().items() if name not in config.exclude}
    for asked in agents:
        if not any(name.startswith(asked) for name in known):
            raise UsageError(f"unknown agent '{asked}'", f"known here: {', '.join(sorted(known))}")
    mine = {name: agent for name, agent in known.items() if name.startswith(tuple(agents) or "")}
    with open_run(repository, log_task) as run:
        mounted = [f for f in Sessions(config, environ, run.roots).mounted() if not agents or f.agent in mine]
        found = find_candidates([*mine.values()], environ, run.roots, run.off, since=since, mounted=mounted)
        sources, unassigned = assign_worktrees(log_task, list(found))
        [report] = run.link_logs([sources], aim=Aim(), dry_run=dry_run, progress=progress)
        recorded = {record.id for _, record in iter_records(run.notes.items())}
    report.unlinked += [unlinked(file, why) for file, why in unassigned if file.trajectory not in recorded]
    return report
