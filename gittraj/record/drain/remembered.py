"""Makes the cursors anew from the refs, when their cache is gone or of another version."""

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
    """What the records tell: the parts that stand, and the calls that made their commits.

    The logs' places are not in the refs, so the sessions are found again by their agents; the reflogs are
    read again from where the installation left them, which finds nothing new for what stands already.
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
        trajectory: _session(sorted(found.values(), key=lambda pair: order(pair[0])))
        for trajectory, found in parts.items()
    }
    return State(
        sessions={name: s for name, s in sessions.items() if s is not None},
        reflogs={name: (str(p.size), p.digest) for name, p in installed.items()},
        rewrites=rewrites,
    )


def _session(found: list[tuple[Record, list[str]]]) -> SessionState | None:
    whole = found[-1][0].whole
    if whole.agent is None or whole.session is None:
        return None
    state = SessionState(agent=whole.agent, session=whole.session, path="", settled=False)
    anchors: dict[str, Anchored] = {}
    stored = []
    for record, commits in found:
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
                usage=record.figures.usage,
                rev=record.rev,
                output=is_output(record.range.first, record.whole.tags),
            )
        )
        if record.link.call and record.role == "produced":
            # of several commits of one call the last alone has what was said afterwards
            known = anchors[record.link.call].commits if record.link.call in anchors else ()
            together = (*(c for c in known if c not in commits), *commits)
            anchors[record.link.call] = Anchored(
                call=record.link.call, commits=together, evidence=record.link.evidence
            )
    return replace(state, parts=tuple(stored), anchors=tuple(anchors.values()))
