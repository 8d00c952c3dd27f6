"""Sessions that begin with a copy of another one's events: a fork, or a session that was continued."""

from __future__ import annotations

from collections.abc import Sequence

from gittraj.commands.backfill.log_digest import LogDigest
from gittraj.model.session_items import is_unique


def find_copies(digests: Sequence[LogDigest]) -> dict[str, str]:
    """Map each copying trajectory to its original: of those that begin with the same event, the parent that
    it names, else the one that ended first."""
    groups: dict[tuple[str, str], list[LogDigest]] = {}
    for each in digests:
        if each.head is not None and is_unique(each.head) and each.file.subagent is None:
            groups.setdefault((each.file.agent, each.head), []).append(each)
    copies: dict[str, str] = {}
    for group in groups.values():
        here = {each.log.trajectory for each in group}
        first, *others = sorted(
            group, key=lambda each: (each.log.parent in here, each.ended or "", each.file.session)
        )
        for each in others:
            named = each.log.parent
            copies[each.log.trajectory] = named if named in here and named else first.log.trajectory
    return copies
