"""Rebuilds the cursors from the refs when their cache is gone or of another version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gittraj.git import Position
from gittraj.model.values import Record
from gittraj.notes.merge import iter_records, order
from gittraj.notes.store import NotesRef
from gittraj.record.drain.reading import is_output
from gittraj.state.cursors import Anchored, SessionState, State, Stored


def rebuild_state(notes: NotesRef, installed: Mapping[str, Position]) -> State:
    """Rebuild the state from the records: the stored parts, and the calls that made their commits.

    The logs' paths are not in the refs, so the sessions are found again through their agents; the reflogs are
    read again from the installation on, which adds nothing to what is stored already.
    """
    parts: dict[str, dict[str, tuple[Record, list[str]]]] = {}
    rewrites: dict[str, tuple[str, ...]] = {}
    for commit, record in iter_records(notes.items()):
        for old in record.link.carried_from:
            rewrites[old] = tuple(dict.fromkeys((*rewrites.get(old, ()), commit)))
        if record.range is not None and not record.link.carried_from:
            _, commits = parts.setdefault(record.id, {}).setdefault(record.range.first, (record, []))
            commits.append(commit)
    sessions = {
        trajectory: _session(sorted(each.values(), key=lambda pair: order(pair[0])))
        for trajectory, each in parts.items()
    }
    return State(
        sessions={name: s for name, s in sessions.items() if s is not None},
        reflogs={name: (str(p.size), p.digest) for name, p in installed.items()},
        rewrites=rewrites,
    )


def _session(parts: list[tuple[Record, list[str]]]) -> SessionState | None:
    """The state of one session, from the records of its parts in order, each with its commits."""
    whole = parts[-1][0].whole
    if whole.agent is None or whole.session is None:
        return None
    state = SessionState(agent=whole.agent, session=whole.session, path="", settled=False)
    anchors: dict[str, Anchored] = {}
    stored = []
    for record, commits in parts:
        if record.range is None:
            continue
        stored.append(
            Stored(
                range=record.range,
                commits=tuple(commits),
                files=tuple(file.path for file in record.figures.files),
                segments=record.segments,
                explored=record.role == "explored",
                cost=record.figures.cost_usd,
                calls=record.figures.counts.api_calls,
                usage=record.figures.usage,
                rev=record.rev,
                output=is_output(record.range.first, record.whole.tags),
            )
        )
        if record.link.call and record.role == "produced":
            # of several commits of one call, only the last has the messages after the call
            known = anchors[record.link.call].commits if record.link.call in anchors else ()
            together = (*(c for c in known if c not in commits), *commits)
            anchors[record.link.call] = Anchored(
                call=record.link.call, commits=together, evidence=record.link.evidence
            )
    return replace(state, parts=tuple(stored), anchors=tuple(anchors.values()))
