"""The calls of a log that made commits: by index while it is read, by name in what is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Log
from gittraj.model.values import Link, ToolCall
from gittraj.record.draft import Target
from gittraj.state.cursors import Anchored, Stored


def call_name(log: Log, index: int) -> str:
    """The id of a call, or of the event if it has none."""
    event = log.entries[index].event
    return (event.call_id or event.id) if isinstance(event, ToolCall) else event.id


def name_anchors(
    log: Log, known: Sequence[Anchored], anchors: Sequence[Anchor], commits: Mapping[str, Commit]
) -> tuple[Anchored, ...]:
    """All anchors by the name of their call, in the log's order as far as it was read."""
    named = {anchored.call: anchored for anchored in known}
    for anchor in sorted(anchors, key=lambda a: a.call):
        call = call_name(log, anchor.call)
        stored = all(commits[c].stored for c in anchor.commits if c in commits)
        named[call] = Anchored(call=call, commits=anchor.commits, evidence=anchor.evidence, stored=stored)
    return tuple(named.values())


def locate(log: Log, known: Sequence[Anchored]) -> tuple[tuple[Anchor, ...], Anchor | None]:
    """The known anchors as indexes of this log; and the latest one above it."""
    index = {call_name(log, i): i for i, e in enumerate(log.entries) if isinstance(e.event, ToolCall)}
    inside: list[Anchor] = []
    before: Anchor | None = None
    for anchored in known:
        call = index.get(anchored.call, -1)
        anchor = Anchor(call=call, commits=anchored.commits, evidence=anchored.evidence)
        if call >= 0:
            inside.append(anchor)
        else:
            before = replace(anchor, commits=anchor.commits[-1:], name=anchored.call)
    return tuple(inside), before


def combine(
    known: Sequence[Anchor], found: Sequence[Anchor], stored: Sequence[Stored]
) -> tuple[list[Anchor], list[tuple[Stored, Target]]]:
    """One anchor for each call. A commit that joins a call whose parts are stored gets their records."""
    by_call: dict[int, Anchor] = {}
    copies: list[tuple[Stored, Target]] = []
    for anchor in (*known, *found):
        old = by_call.get(anchor.call)
        if old is None:
            by_call[anchor.call] = anchor
            continue
        fresh = tuple(c for c in anchor.commits if c not in old.commits)
        by_call[anchor.call] = replace(old, commits=(*old.commits, *fresh))
        for part in stored:
            if set(part.commits) & set(old.commits):
                copies += [(part, Target(commit=c, link=Link(evidence=anchor.evidence))) for c in fresh]
    return list(by_call.values()), copies
