"""Does the work on one log, in any of several processes: reads it, and later drafts and redacts its parts.
Results are small and contain only redacted text. For a session from before a working tree was moved or
removed, or from another machine, this module finds the tree's former path.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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
from gittraj.git import open_repository
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
"""How many of the paths that a log names are compared with the repository's."""
OF_RUNS = ("run", "instance", "exit_status")
"""Facts that only the log of a benchmark's run has."""


def guess_root(folder: str, named: Iterable[str], known: Collection[str]) -> Path:
    """Return which of ``folder``, where a session worked, and its parents was the repository's working tree:
    the one below which most of the ``named`` absolute paths are ``known`` in the repository. If several have
    equally many, the closest to ``folder`` is returned."""
    work = PurePosixPath(folder)
    paths = [PurePosixPath(name) for name in dict.fromkeys(named)][:_ENOUGH]

    def count_known(root: PurePosixPath) -> int:
        return sum(str(path.relative_to(root)) in known for path in paths if path.is_relative_to(root))

    candidates = [work, *(parent for parent in work.parents if len(parent.parts) > 1)]
    return Path(max(candidates, key=lambda root: (count_known(root), len(root.parts))))


def named_paths(log: Log) -> Iterator[str]:
    """Yield the paths that a log's calls name, as absolute paths."""
    for entry in log.entries:
        for name in (*entry.paths, *(edit.path for edit in entry.edits)):
            path = PurePosixPath(entry.folder or "", name)
            if path.is_absolute():
                yield str(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """Says on which commits sessions are stored.

    With ``commit``, all are stored on this commit. With ``link``, each is stored on the commits that evidence
    links to it. With ``explore``, a session without a commit is stored on the commit where it started, even
    without evidence that it worked in this repository."""

    commit: str | None = None
    link: bool = True
    explore: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A log to read. ``former`` is the path of the repository's working tree when the log was written;
    ``copied`` is the session whose events the log begins with; ``off`` is the time during which recording was
    suspended; ``facts`` are facts that are not in the log."""

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
    """The input for drafting from one log.

    ``known`` is the session's state so far; ``anchors`` are the log's calls that made a commit, ``aliases``
    the commits to which records are copied; ``owner`` is an anchor that takes the whole log; ``head`` is the
    commit for events without a commit; ``over``: the session has ended; ``explore``: see :class:`Aim`;
    ``onto`` is a commit that also gets the parts that are already stored; ``noted`` are the last events of
    the stretches for which the log itself names a commit."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftResult:
    """What was drafted from one log: ``parts`` and ``explored`` count its parts with and without a commit;
    ``failure`` is the reason if nothing was drafted."""

    trajectory: str
    prepared: Prepared | None = None
    state: SessionState | None = None
    parts: int = 0
    explored: int = 0
    failure: str | None = None


@dataclass
class LogTask:
    """One process's repository and redactor."""

    start: Path
    raw: Mapping[str, str]
    _territories: dict[Path | None, RepoPaths] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repository = open_repository(self.start, environ=self.raw)
        consult(self.repository)
        self.environ = Environ.of(self.raw)
        self.config = read_config(self.repository)
        LocalState.of(self.repository).create()
        self.pipeline = make_pipeline(self.repository, self.config, self.environ, live=self.raw)

    def locate(self, source: Source, folder: str) -> Path:
        """Return the path that the working tree had when a session worked in ``folder``. Raises TrajError,
        OSError."""
        log = self._read(replace(source, former=Path("/nowhere")))[0]
        return guess_root(folder, named_paths(log), self._known_paths)

    @cached_property
    def _known_paths(self) -> frozenset[str]:
        """Every path in the history of any ref."""
        listed = ("log", "--all", "--no-show-signature", "--format=", "--name-only", "--no-renames", "-z")
        output = self.repository.run(*listed, check=False).text
        return frozenset(output.replace("\n", "").split("\0")) - {""}

    def digest(self, source: Source) -> LogDigest | str:
        """Return a log's digest, or why the log cannot be read."""
        try:
            log, size, age = self._read(source)
        except (OSError, TrajError) as error:
            return _why(error)
        return make_digest(source.file, log, size, age)

    def draft(self, request: DraftRequest) -> DraftResult:
        """Redact the events of a log's parts and write their blobs, which no ref reaches yet."""
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
            if request.explore:  # the agent's own log is elsewhere, if there is one
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
        """Return the log, its size in bytes, and how many seconds ago it last grew."""
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
        """Return the paths of the repository, with the ``former`` path of its working tree."""
        if former not in self._territories:
            self._territories[former] = RepoPaths(
                self.repository, home=self.environ.home, former=[former] if former else ()
            )
        return self._territories[former]


def _why(error: OSError | TrajError) -> str:
    return error.message if isinstance(error, TrajError) else f"{error.filename}: {error.strerror}"
