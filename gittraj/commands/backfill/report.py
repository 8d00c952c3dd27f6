"""What came of it: which commits got which session's trajectory and by which evidence, and what did not."""

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
    """What could not be linked, and why."""

    agent: str
    session: str
    path: str
    why: str


def unlinked(file: SessionFile, why: str) -> Unlinked:
    return Unlinked(agent=file.agent, session=file.session, path=str(file.path), why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogResult:
    """A log that was read: how many parts of it were written now, and ``damage``, the places that could not
    be read. ``why`` nothing was taken, if nothing was."""

    file: SessionFile
    parts: int = 0
    explored: int = 0
    damage: int = 0
    why: str | None = None


@dataclass(slots=True, kw_only=True)
class Report:
    """``read``: bytes of the logs; ``parts`` written now; ``explored``: sessions that made no commit here and
    stand where they worked; ``remark``: what a user has to know of how thinking was sealed; ``gone``: commits
    among the linked ones that nothing leads to any more."""

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
