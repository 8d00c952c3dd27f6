"""Adds a task to records that were stored without it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gittraj.commands.backfill.run import BackfillRun
from gittraj.model.codec import decode_note
from gittraj.model.values import Key, Line, Record, TaskRef, TaskSource
from gittraj.notes.merge import standing
from gittraj.record.draft import Prepared
from gittraj.state.cursors import SessionState, save


def name_task(run: BackfillRun, trajectories: Collection[str], task: str) -> None:
    """``task`` is ``SYSTEM:ID``. Every record of the trajectories gets it, with a higher ``rev``. Raises
    TrajError."""
    name = run.log_task.pipeline.redactor().text(task)
    system, _, number = name.partition(":")
    ref = TaskRef(title=name, source=TaskSource(system=system, id=number))
    lines: list[tuple[str, Line]] = []
    raised: set[Key] = set()
    for commit, body in run.notes.items():
        for record in standing(commit, decode_note(body)):
            if record.id in trajectories and record.whole.task != ref:
                lines.append((commit, _named(record, ref)))
                raised.add(record.key)
    run.log_task.pipeline.store([Prepared(month="", lines=tuple(lines))])
    sessions = {
        trajectory: _remember(trajectory, known, raised) for trajectory, known in run.state.sessions.items()
    }
    run.state = replace(run.state, sessions=sessions)
    save(run.folder, run.state)


def _named(record: Record, task: TaskRef) -> Record:
    return replace(record, rev=record.rev + 1, whole=replace(record.whole, task=task))


def _remember(trajectory: str, known: SessionState, raised: Collection[Key]) -> SessionState:
    parts = tuple(
        replace(p, rev=p.rev + 1) if (trajectory, p.range.first) in raised else p for p in known.parts
    )
    return replace(known, parts=parts)
