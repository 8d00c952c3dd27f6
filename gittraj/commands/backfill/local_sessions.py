"""Finds the sessions on this machine that worked in a repository: those near its working trees, and those in
a folder that no longer exists, if the log proves that the folder was this repository's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from gittraj.agents import Agent, SessionFile, all_agents
from gittraj.commands.backfill.digest_logs import Progress
from gittraj.commands.backfill.log_digest import LogDigest
from gittraj.commands.backfill.log_task import Aim, LogTask, Source
from gittraj.commands.backfill.report import Report, unlinked
from gittraj.commands.backfill.run import open_run
from gittraj.config import Environ
from gittraj.errors import TrajError, UsageError
from gittraj.git import Repository
from gittraj.model.session_items import Entry, Item, is_unique
from gittraj.notes.merge import iter_records
from gittraj.record.drain.open_log import first_facts, read_items
from gittraj.record.drain.sessions import Sessions
from gittraj.state.changed import written_at
from gittraj.state.cursors import Suspension

_ANYWHERE = (Path("/"),)
_SMALLEST_PROOF = 64
"""The minimum size, in bytes, of a file that can prove that a session worked in this repository."""
_MAX_PATHS = 500
"""How many of the paths that a session wrote are searched for in the history."""
_ENOUGH = 3
"""More files than this are a proof even if many projects have files of their names."""
_EVERYWHERE = re.compile(
    r"(?i)(?:licen[cs]e|copying|notice|readme|contributing|code_of_conduct|security|changelog|dockerfile|makefile)"
    r"\b.*|\.[\w.-]+|__init__\.py|(?:package(?:-lock)?|tsconfig)\.json"
)
"""Names of files that many projects have in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A log that may be this repository's. ``gone`` is the session's folder, if it no longer exists."""

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
    """Yield the logs written after ``since`` (seconds since 1970), each session's log before those of its
    subagents. ``roots`` are the repository's working trees; ``off`` is the time during which recording was
    suspended; ``mounted`` are the logs below configured paths."""
    for file in mounted:
        if written_at(file.path) >= since:
            yield Candidate(source=_source(file, off), gone=_gone_folder(file))
    for agent in agents:
        near = list(agent.sessions(environ, roots, since=since))
        seen = {file.trajectory for file in near}
        far = (f for f in agent.sessions(environ, _ANYWHERE, since=since) if f.trajectory not in seen)
        for file in near:
            yield from _with_subagents(agent, file, off)
        for file in far:
            if gone := _gone_folder(file):
                yield from _with_subagents(agent, file, off, gone)


def _gone_folder(file: SessionFile) -> str | None:
    """Return the folder that a session worked in, if it no longer exists."""
    folder = first_facts(_readable_items(file)).get("folder", "")
    return folder if Path(folder).is_absolute() and not Path(folder).exists() else None


def assign_worktrees(
    log_task: LogTask, candidates: Sequence[Candidate]
) -> tuple[list[Source], list[tuple[SessionFile, str]]]:
    """Return the logs to read, each with its working tree's former path; and the logs that cannot be assigned
    to this repository, with the reason."""
    assigned: list[Source] = []
    unknown: list[Candidate] = []
    former_paths: dict[str, Path | None] = {}
    for candidate in candidates:
        source = candidate.source
        if candidate.gone is None:
            assigned.append(source)
            continue
        if source.file.name not in former_paths:
            former_paths[source.file.name] = _find_former(log_task, source, candidate.gone)
        former = former_paths[source.file.name]
        if former is not None:
            assigned.append(replace(source, former=former))
        else:
            unknown.append(candidate)
    return _assign_copies(assigned, unknown)


def _assign_copies(
    assigned: list[Source], unknown: Sequence[Candidate]
) -> tuple[list[Source], list[tuple[SessionFile, str]]]:
    """Add those ``unknown`` logs to ``assigned`` that begin with the same event as an assigned one: they are
    forks or continuations. Return the assigned logs, and the others with the reason."""
    unassigned: list[tuple[SessionFile, str]] = []
    former_paths = (
        {head: s.former for s in assigned if s.former and (head := _head(s.file))} if unknown else {}
    )
    for candidate in unknown:
        source = candidate.source
        former = former_paths.get(head) if (head := _head(source.file)) else None
        if former is not None:
            assigned.append(replace(source, former=former))
        elif source.file.subagent is None:
            why = f"its folder {candidate.gone} is gone, and nothing shows that it was this repository"
            unassigned.append((source.file, why))
    return assigned, unassigned


def _head(file: SessionFile) -> tuple[str, str] | None:
    """Return the agent and the id of a log's first event, if that id is unique."""
    first = next((item.event.id for item in _readable_items(file) if isinstance(item, Entry)), None)
    return (file.agent, first) if first is not None and is_unique(first) else None


def _find_former(log_task: LogTask, source: Source, folder: str) -> Path | None:
    """Return the former path of this repository's working tree, if the log proves that the session, which
    worked in ``folder``, worked in this repository."""
    try:
        former = log_task.locate(source, folder)
        digest = log_task.digest(replace(source, former=former))
    except (OSError, TrajError):
        return None
    if not isinstance(digest, LogDigest):
        return None
    is_proved = (
        _shows_start(log_task.repository, source.file)
        or _shows_commit(log_task, digest, folder)
        or _shows_files(log_task.repository, digest)
    )
    return former if is_proved else None


def _shows_start(repository: Repository, file: SessionFile) -> bool:
    """Return whether the session began on a commit of this repository or in a clone with the same remote."""
    facts = first_facts(_readable_items(file))
    remotes = {_plain_url(setting.value) for setting in repository.settings(r"remote\..*\.url$")}
    if facts.get("repository") and _plain_url(facts["repository"]) in remotes:
        return True
    start = facts.get("start_commit")
    return start is not None and _has_commit(repository, {start})


def _shows_commit(log_task: LogTask, digest: LogDigest, folder: str) -> bool:
    """Return whether a call that ran in ``folder``, and names no path in today's repository, printed the id
    of a commit of this repository as newly made. A call that changed into this repository in order to commit
    proves nothing about the rest of the session."""
    log, territory = digest.log, log_task.territory(None)
    shorts: set[str] = set()
    for index, entry in enumerate(log.entries):
        result = log.result_of(index)
        if result is None or not log.entries[result].commits:
            continue
        ran_in_folder = entry.folder is None or PurePath(entry.folder).is_relative_to(folder)
        names_today = any(path.is_relative_to(r) for path in territory.named(entry) for r in territory.roots)
        if ran_in_folder and not names_today:
            shorts |= set(log.entries[result].commits)
    return bool(shorts) and _has_commit(log_task.repository, shorts)


def _shows_files(repository: Repository, digest: LogDigest) -> bool:
    """Whether the session wrote files that this repository had at the same paths, byte for byte; files that
    every project has count only if there are several."""
    written = {(w.path, blob) for w in digest.writings.all() for blob in w.blobs if w.lines}
    paths = sorted({path for path, _ in written})
    if not paths:
        return False
    identical = written & _list_versions(repository, paths[:_MAX_PATHS])
    objects = _read_kinds(repository, {blob for _, blob in identical})
    proofs = {path for path, blob in identical if objects.get(blob, ("", 0))[1] >= _SMALLEST_PROOF}
    return len(proofs) > _ENOUGH or any(not _EVERYWHERE.match(path.rpartition("/")[2]) for path in proofs)


def _list_versions(repository: Repository, paths: Sequence[str]) -> set[tuple[str, str]]:
    """Return each path with each blob that it ever had on any branch."""
    result = repository.run(
        *("-c", "log.showSignature=false", "log", "--all", "--format=", "--raw", "--no-abbrev", "-z", "-m"),
        *("--no-renames", "--", *(f":(literal,top){path}" for path in paths)),
        check=False,
    )
    fields = result.text.split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return {(path, head.split(" ")[3]) for head, path in pairs if head.strip().startswith(":")}


def _has_commit(repository: Repository, ids: set[str]) -> bool:
    """Return whether one of ``ids`` is a commit in this repository."""
    return any(kind == "commit" for kind, _ in _read_kinds(repository, ids).values())


def _read_kinds(repository: Repository, ids: set[str]) -> dict[str, tuple[str, int]]:
    """Return the kind and the size of each of these objects that this repository has."""
    oids = sorted(ids)
    text = "".join(f"{oid}\n" for oid in oids).encode()
    form = "--batch-check=%(objecttype) %(objectsize)"
    lines = repository.run("cat-file", form, input=text, check=False).out.decode("utf-8", "replace")
    rows = zip(oids, (line.split() for line in lines.splitlines()), strict=False)
    return {oid: (row[0], int(row[1])) for oid, row in rows if len(row) == 2 and row[1].isdigit()}


def _plain_url(url: str) -> str:
    """Return an address without the protocol, a user, and ``.git``: one repository has many addresses."""
    url = re.sub(r"^\w+://|^[^@/]+@", "", url.strip().lower()).replace(":", "/")
    return re.sub(r"^[^@/]+@", "", url).removesuffix("/").removesuffix(".git")


def _readable_items(file: SessionFile) -> Iterator[Item]:
    """Yield the items of a log up to the first that cannot be read."""
    try:
        yield from read_items(file)
    except (OSError, TrajError):
        pass


def _source(file: SessionFile, off: Suspension) -> Source:
    return Source(file=file, off=off.away(file.name, subagent=file.subagent))


def _with_subagents(
    agent: Agent, file: SessionFile, off: Suspension, gone: str | None = None
) -> Iterator[Candidate]:
    for each in (file, *agent.subagents(file)):
        yield Candidate(source=_source(each, off), gone=gone)


def backfill(
    repository: Repository,
    raw: Mapping[str, str],
    *,
    since: float = 0.0,
    agents: Sequence[str] = (),
    dry_run: bool = False,
    progress: Progress = lambda _what, _done, _all: None,
) -> Report:
    """Find the local sessions of ``repository``, and link them to their commits. ``raw`` is the environment;
    ``since`` is in seconds since 1970; ``agents`` are beginnings of names (none: all). Raises TrajError."""
    log_task = LogTask(repository.work_tree or repository.git_dir, raw)
    config, environ = log_task.config, log_task.environ
    chosen = _choose_agents(config.exclude, agents)
    with open_run(repository, log_task) as run:
        mounted = [
            f for f in Sessions(config, environ, run.roots).mounted() if not agents or f.agent in chosen
        ]
        candidates = find_candidates(
            [*chosen.values()], environ, run.roots, run.off, since=since, mounted=mounted
        )
        sources, unassigned = assign_worktrees(log_task, list(candidates))
        [report] = run.link_logs([sources], aim=Aim(), dry_run=dry_run, progress=progress)
        recorded = {record.id for _, record in iter_records(run.notes.items())}
    report.unlinked += [unlinked(file, why) for file, why in unassigned if file.trajectory not in recorded]
    return report


def _choose_agents(excluded: Collection[str], prefixes: Sequence[str]) -> dict[str, Agent]:
    """Return the agents, by name, that begin with one of ``prefixes``. Raises UsageError."""
    known = {agent.name: agent for name, agent in all_agents().items() if name not in excluded}
    for prefix in prefixes:
        if not any(name.startswith(prefix) for name in known):
            raise UsageError(f"unknown agent '{prefix}'", f"known here: {', '.join(sorted(known))}")
    return {name: agent for name, agent in known.items() if name.startswith(tuple(prefixes) or "")}
