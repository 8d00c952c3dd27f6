"""The work on one log, in any of several processes: read it, and later draft and redact its parts. Results
are small and contain only redacted text. For a session from before a working tree was moved or removed, or
from another machine, it finds the tree's former path.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from gittraj.agents import SessionFile
from gittraj.capture.content import Writings
from gittraj.capture.link import Links
from gittraj.capture.own import Anchor
from gittraj.capture.repo_paths import RepoPaths
from gittraj.capture.session import Commit, Log
from gittraj.commands.backfill.log_digest import LogDigest, make_digest
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository, open_repository
from gittraj.model.session_items import Cursor
from gittraj.model.values import Line
from gittraj.notes.store import NotesRef
from gittraj.plugins import consult
from gittraj.record.draft import Prepared
from gittraj.record.drain.composition import Localiser, make_pipeline
from gittraj.record.drain.open_log import read_log
from gittraj.record.drain.plan import Plan
from gittraj.record.drain.reading import Reading
from gittraj.state.cursors import NEVER_AWAY, Away, SessionState
from gittraj.state.folder import LocalState

_ENOUGH = 300
OF_RUNS = ("run", "instance", "exit_status")
"""Facts that only the log of a benchmark's run has."""


def known_paths(repository: Repository) -> frozenset[str]:
    """Return every path in the history of any ref."""
    listed = ("log", "--all", "--no-show-signature", "--format=", "--name-only", "--no-renames", "-z")
    found = repository.run(*listed, check=False)
    return frozenset(found.text.replace("\n", "").split("\0")) - {""}


def guess_root(folder: str, named: Iterable[str], known: Collection[str]) -> Path:
    """Return the session's ``folder`` or the parent of it under which most of the ``named`` absolute paths
    are ``known`` in the repository; of equals, the closest to ``folder``."""
    work = PurePosixPath(folder)
    paths = [PurePosixPath(name) for name in dict.fromkeys(named)][:_ENOUGH]

    def fits(root: PurePosixPath) -> int:
        return sum(str(path.relative_to(root)) in known for path in paths if path.is_relative_to(root))

    candidates = [work, *(parent for parent in work.parents if len(parent.parts) > 1)]
    return Path(max(candidates, key=lambda root: (fits(root), len(root.parts))))


def named_paths(log: Log) -> Iterator[str]:
    """The paths that a log's calls name, as absolute ones."""
    for entry in log.entries:
        for name in (*entry.paths, *(edit.path for edit in entry.edits)):
            path = PurePosixPath(entry.folder or "", name)
            if path.is_absolute():
                yield str(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """The commits to store sessions on. ``commit``: all on that one; ``link``: those that evidence shows;
    ``explore``: sessions without a commit, on the one where they started, even without evidence that they
    worked here."""

    commit: str | None = None
    link: bool = True
    explore: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A log. ``former``: the path of the repository's working tree when it was written; ``copied``: the
    session whose events it begins with; ``off``: what was written while suspended; ``facts`` that are not in
    the log."""

    file: SessionFile
    former: Path | None = None
    copied: SessionFile | None = None
    off: Away = NEVER_AWAY
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        try:
            return self.file.path.stat().st_size
        except OSError:
            return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """The input for drafting from one log: its anchors, and its state so far. ``noted``: the last event of
    each stretch that names its commit. ``stays``: the file is the log that the agent itself appends to."""

    source: Source
    known: SessionState
    anchors: Sequence[Anchor]
    aliases: Sequence[tuple[str, tuple[int, ...]]]
    writings: Writings
    commits: Mapping[str, Commit]
    owner: Anchor | None
    head: str | None
    over: bool
    explore: bool
    onto: str | None = None
    noted: Sequence[Anchor] = ()
    stays: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftResult:
    """``failure``: why nothing was drafted."""

    trajectory: str
    prepared: Prepared | None = None
    state: SessionState | None = None
    parts: int = 0
    explored: int = 0
    failure: str | None = None


@dataclass
class LogTask:
    """A process's repository and redactor. ``known``: the paths in the repository's history."""

    start: Path
    raw: Mapping[str, str]
    known: frozenset[str] = frozenset()
    _territories: dict[Path | None, RepoPaths] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repository = open_repository(self.start, environ=self.raw)
        consult(self.repository)
        self.environ = Environ.of(self.raw)
        self.config = read_config(self.repository)
        LocalState.of(self.repository).create()
        self.pipeline = make_pipeline(self.repository, self.config, self.environ, live=self.raw)

    def locate(self, source: Source, folder: str) -> Path:
        """Return the path of the working tree when a session worked in ``folder``. Raises TrajError,
        OSError."""
        log = self._read(replace(source, former=Path("/nowhere")))[0]
        return guess_root(folder, named_paths(log), self.known)

    def digest(self, source: Source) -> LogDigest | str:
        """Return what linking needs from a log, or why it cannot be read."""
        try:
            log, size, age = self._read(source)
        except (OSError, TrajError) as error:
            return _why(error)
        return make_digest(source.file, log, size, age)

    def draft(self, request: DraftRequest) -> DraftResult:
        """Redact the events of a log's parts and write their blobs; no ref reaches them yet."""
        trajectory = request.source.file.trajectory
        try:
            log, size, _ = self._read(request.source)
            reading = Reading.of(log, request.source.file.path, size, request.known, idle=request.over)
            links = Links(
                anchors={trajectory: list(request.anchors)},
                aliases={trajectory: list(request.aliases)},
                writings={trajectory: request.writings},
            )
            plan = Plan.make(
                reading,
                links,
                request.commits,
                owner=request.owner,
                head=request.head,
                ci=self.environ.ci,
                explore=request.explore,
                onto=request.onto,
                noted=request.noted,
            )
            lines: list[tuple[str, Line]] = [*plan.lines(NotesRef(self.repository))]
            roots = self.territory(request.source.former).roots
            pipeline = replace(self.pipeline, localise=Localiser(roots, self.environ.home))
            prepared = pipeline.prepare([d.draft for d in plan.drafted])
            state = plan.remember(prepared.written)
            if not request.stays:  # the agent's own log is elsewhere, if there is one
                state = replace(state, path="", size=0, cursor=Cursor())
        except (OSError, TrajError) as error:
            return DraftResult(trajectory=trajectory, failure=_why(error))
        return DraftResult(
            trajectory=trajectory,
            prepared=replace(prepared, lines=(*lines, *prepared.lines)),
            state=state,
            parts=sum(not d.stored.explored for d in plan.drafted),
            explored=sum(d.stored.explored for d in plan.drafted),
        )

    def _read(self, source: Source) -> tuple[Log, int, float]:
        skip: set[str] = set()
        facts: dict[str, tuple[str, ...]] = dict(source.facts)
        if source.copied is not None:
            other = self._read(Source(file=source.copied, former=source.former))[0]
            skip = {entry.event.id for entry in other.entries}
            facts |= {"parent_session": (source.copied.session,), "parent_kind": ("fork",)}
        return read_log(
            source.file,
            Cursor(),
            facts=facts,
            territory=self.territory(source.former),
            config=self.config,
            off=source.off,
            skip=skip,
            now=time.time(),
        )

    def territory(self, former: Path | None) -> RepoPaths:
        if former not in self._territories:
            found = RepoPaths(self.repository, home=self.environ.home, former=[former] if former else ())
            self._territories[former] = found
        return self._territories[former]


def _why(error: OSError | TrajError) -> str:
    return error.message if isinstance(error, TrajError) else f"{error.filename}: {error.strerror}"
