"""What a purge did, and what others have to do: as lines for people, as JSON for scripts."""

from __future__ import annotations

from collections.abc import Sequence

from gittraj.commands.purge.work import Purge
from gittraj.model.words import count


def purge_to_lines(done: Purge, remotes: Sequence[str], *, dry_run: bool, gc: bool) -> list[str]:
    """The refs that were, or would be, rewritten, and the remaining steps. ``gc``: old objects are gone."""
    if not done.refs:
        return ["it is not in git-traj's refs or reflogs here"]
    parts = f"{count(done.records, 'record')} and {count(done.segments, 'segment')}"
    what = f"{parts}: {', '.join(done.refs)}"
    pushes = [f"{f'{name}:':<13} git traj push --replace {name}" for name in remotes]
    if dry_run:
        return [f"would remove it from {what}"]
    return [f"removed it from {what}", *([] if gc else [_HERE]), *_OTHERS, *pushes]


_HERE = "here:         git gc --prune=now deletes the old objects (all unreachable ones, including your own)"
_OTHERS = (
    "if it was pushed, treat it as known: rotate it. Others have to clean up their copies:",
    "every clone:  git traj sync, then git gc --prune=now; forks too",
    "every server: keeps the old objects until its own gc, and longer on pull request pages and in caches: "
    "ask its operator",
)


def purge_to_warnings(done: Purge) -> list[str]:
    """Where the purged text remains, and what could not be searched."""
    lines = [f"still there: {place}" for place in done.left]
    lines += [
        f"{ref} is not ours and keeps the old history: git update-ref -d {ref}" for ref in done.elsewhere
    ]
    if done.absent:
        lines.append(f"not searched, because it is missing or unreadable: {done.absent}")
    if done.sealed:
        lines.append(f"not searched, because it is sealed: the thinking of {done.sealed} parts")
    return lines


def purge_to_json(done: Purge, *, dry_run: bool) -> dict[str, object]:
    """The document of ``--purge --json``."""
    return {
        "version": 1,
        "dryRun": dry_run,
        "records": done.records,
        "segments": done.segments,
        "refs": list(done.refs),
        "notSearched": {"segments": done.absent, "sealed": done.sealed},
        "elsewhere": list(done.elsewhere),
        "left": list(done.left),
    }
