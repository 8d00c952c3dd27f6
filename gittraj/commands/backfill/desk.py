"""The work on one log, which several processes may do side by side: read it, and later draft and redact its
parts. What it gives back is small and holds no text that is not redacted."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gittraj.agents import SessionFile
from gittraj.capture.content import Writings
from gittraj.capture.link import Links
from gittraj.capture.own import Anchor
from gittraj.capture.repo_paths import Territory
from gittraj.capture.session import Commit, Log
from gittraj.commands.backfill.former import guess_root, named_paths
from gittraj.commands.backfill.outline import Outline, make_outline
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import open_repository
from gittraj.model.session_items import Cursor
from gittraj.model.values import Line
from gittraj.notes.store import NotesRef
from gittraj.record.draft import Prepared
from gittraj.record.drain.composition import Localiser, make_pipeline
from gittraj.record.drain.plan import Plan, Reading
from gittraj.record.drain.reading import read_log
from gittraj.state.cursors import SessionState, Span
from gittraj.state.folder import LocalState


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A log, ``former``: where the repository's working tree stood for it, ``copied``: the session that it
    begins with a copy of, ``off``: what was written while switched off, ``told``: facts that its log does
    not hold."""

    file: SessionFile
    former: Path | None = None
    copied: SessionFile | None = None
    off: tuple[Span, ...] = ()
    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to draft of one log: the anchors found for it, and all that is known. ``noted``: the last event of
    each stretch that stands on a commit. ``stays``: the file is where the session's agent goes on writing."""

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
class Done:
    """``failure`` says why a log gave nothing."""

    trajectory: str
    prepared: Prepared | None = None
    state: SessionState | None = None
    parts: int = 0
    explored: int = 0
    commits: tuple[str, ...] = ()
    failure: str | None = None


@dataclass
class Desk:
    """One process's repository, redactor and territories. ``known`` are the paths of its history."""

    start: Path
    raw: Mapping[str, str]
    known: frozenset[str] = frozenset()
    _territories: dict[Path | None, Territory] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repository = open_repository(self.start, environ=self.raw)
        self.environ = Environ.of(self.raw)
        self.config = read_config(self.repository)
        LocalState.of(self.repository).create()
        self.pipeline = make_pipeline(self.repository, self.config, self.environ, live=self.raw)

    def locate(self, source: Source, folder: str) -> Path:
        """Where the working tree stood when a session worked in ``folder``. Raises TrajError, OSError."""
        log = self._read(replace(source, former=Path("/nowhere")))[0]
        return guess_root(folder, named_paths(log), self.known)

    def outline(self, source: Source) -> Outline | str:
        """What linking needs of a log, or why there is nothing."""
        try:
            log, size, age = self._read(source)
        except (OSError, TrajError) as error:
            return _why(error)
        return make_outline(source.file, log, size, age)

    def draft(self, order: Order) -> Done:
        """Redact and write the events of a log's parts; no ref names them yet."""
        trajectory = order.source.file.trajectory
        try:
            log, size, _ = self._read(order.source)
            reading = Reading.of(log, order.source.file.path, size, order.known, idle=order.over)
            links = Links(
                anchors={trajectory: list(order.anchors)},
                aliases={trajectory: list(order.aliases)},
                writings={trajectory: order.writings},
            )
            plan = Plan.make(
                reading,
                links,
                order.commits,
                owner=order.owner,
                head=order.head,
                ci=self.environ.ci,
                explore=order.explore,
                onto=order.onto,
                noted=order.noted,
            )
            lines: list[tuple[str, Line]] = [*plan.lines(NotesRef(self.repository))]
            roots = self.territory(order.source.former).roots
            pipeline = replace(self.pipeline, localise=Localiser(roots, self.environ.home))
            prepared = pipeline.prepare([d.draft for d in plan.drafted])
            state = plan.remember(prepared.written)
            if not order.stays:  # the agent's own log is elsewhere, if there is one
                state = replace(state, path="", size=0, cursor=Cursor())
        except (OSError, TrajError) as error:
            return Done(trajectory=trajectory, failure=_why(error))
        return Done(
            trajectory=trajectory,
            prepared=replace(prepared, lines=(*lines, *prepared.lines)),
            state=state,
            parts=sum(not d.stored.explored for d in plan.drafted),
            explored=sum(d.stored.explored for d in plan.drafted),
            commits=tuple(dict.fromkeys(commit for commit, _ in (*lines, *prepared.lines))),
        )

    def _read(self, source: Source) -> tuple[Log, int, float]:
        skip: set[str] = set()
        facts: dict[str, tuple[str, ...]] = dict(source.told)
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

    def territory(self, former: Path | None) -> Territory:
        if former not in self._territories:
            found = Territory(self.repository, home=self.environ.home, former=[former] if former else ())
            self._territories[former] = found
        return self._territories[former]


def _why(error: OSError | TrajError) -> str:
    return error.message if isinstance(error, TrajError) else f"{error.filename}: {error.strerror}"
