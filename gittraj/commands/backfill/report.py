"""The report: which session was linked to which commit by which evidence, and which was not."""

from __future__ import annotations

from dataclasses import dataclass, field

from gittraj.agents import SessionFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A commit and a session. ``carried``: the session made an earlier form of it."""

    commit: str
    agent: str
    session: str
    trajectory: str
    evidence: str
    carried: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """A session that could not be linked, and why."""

    agent: str
    session: str
    path: str
    why: str


def unlinked(file: SessionFile, why: str) -> Unlinked:
    return Unlinked(agent=file.agent, session=file.session, path=str(file.path), why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogResult:
    """A log that was read: the parts written now; ``damage``: how many records were unreadable; ``why``
    nothing was imported, if so."""

    file: SessionFile
    parts: int = 0
    explored: int = 0
    damage: int = 0
    why: str | None = None


@dataclass(slots=True, kw_only=True)
class Report:
    """``read``: bytes of the logs; ``parts`` written now; ``explored``: sessions without a commit, stored on
    the commit that they started from; ``remark`` for the user on how thinking was sealed; ``gone``: linked
    commits that are unreachable."""

    sessions: int = 0
    read: int = 0
    parts: int = 0
    linked: list[Linked] = field(default_factory=list)
    unlinked: list[Unlinked] = field(default_factory=list)
    explored: list[Linked] = field(default_factory=list)
    parked: list[str] = field(default_factory=list)
    damaged: list[Unlinked] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    remark: str | None = None
    taken: dict[str, LogResult] = field(default_factory=dict)
