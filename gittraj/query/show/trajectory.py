"""Collects the data for ``show``: a commit's trajectories, or one trajectory on all its commits, with events.

This module must not know how anything is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from gittraj.errors import TrajError, UsageError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.header import Header
from gittraj.model.times import parse_time
from gittraj.query.account import complete
from gittraj.query.header import Folded
from gittraj.query.log.filters import names_of_task, run_names
from gittraj.query.log.listing import changed_paths
from gittraj.query.log.paths import is_below
from gittraj.query.records import Recorded
from gittraj.query.show.chapters import Segments, read_chapters, read_earlier

SIGNIFICANCES = ("low", "medium", "high", "critical")
_CANDIDATES = 5
_EVENT = re.compile(r"(?=.*[A-SU-Ya-z])\S+:\w+")  # a time has no letters but T and Z


@dataclass(frozen=True, slots=True)
class Target:
    """What a name refers to: a commit or a trajectory; ``others`` are more trajectories of a task or run."""

    commit: str | None = None
    trajectory: str | None = None
    others: tuple[str, ...] = ()


def find_target(repository: Repository, recorded: Recorded, name: str) -> Target:
    """Resolve a trajectory's id, a revision, a prefix of a trajectory's id, or the name of a task or run.

    The full id of a recorded commit that no longer exists means its trajectories. An unborn HEAD is an empty
    target. Raises TrajError for an unknown or ambiguous name.
    """
    if recorded.folded(name):
        return Target(trajectory=name)
    if commit := repository.find_commit(name):
        return Target(commit=commit)
    gone = [folded.whole["id"] for folded in recorded.on(name)] if name in recorded else []
    ids = gone or _find_by_prefix(recorded, name)
    if not ids and name == "HEAD":
        return Target()
    if ids := ids or find_by_label(recorded, name):
        return Target(trajectory=ids[0], others=tuple(ids[1:]))
    raise _report_unknown(repository, name)


def _report_unknown(repository: Repository, name: str) -> TrajError:
    if repository.work_tree is not None and Path(name).exists():
        return TrajError(f"'{name}' is a file, not a commit", f"git traj log {name}; git traj why {name}")
    return TrajError(
        f"'{name}' is not a revision, trajectory, task or run here",
        hint="git traj log --trajectories lists the ids; events waiting for a commit are not stored yet",
    )


def find_by_label(recorded: Recorded, name: str) -> list[str]:
    """Return the trajectories of the task or run with that name."""
    return [each for each in recorded.ids() if name in _labels(recorded.folded(each))]


def _find_by_prefix(recorded: Recorded, name: str) -> list[str]:
    """Return the trajectory whose id begins with ``name``, if there is one. Raises TrajError for several."""
    ids = list(islice(recorded.ids(name), _CANDIDATES + 1)) if name else []
    if len(ids) > 1:
        more = ", …" if len(ids) > _CANDIDATES else ""
        raise TrajError(
            f"'{name}' is ambiguous: several trajectory ids start with it",
            hint=", ".join(ids[:_CANDIDATES]) + more,
        )
    return ids


def _labels(folded: Folded | None) -> list[str]:
    return [*names_of_task(folded.whole["task"]), *run_names(folded.whole["run"])] if folded else []


def show_target(
    repository: Repository, recorded: Recorded, target: Target, segments: Segments
) -> list[Header]:
    """Return the trajectories of ``show --json``. On a commit that a trajectory produced, its explored
    parts are left out; of a trajectory that was named itself, all parts are returned."""
    if target.trajectory is not None:
        named = (recorded.folded(name) for name in (target.trajectory, *target.others))
        return [show_one(folded, None, segments, files=()) for folded in named if folded]
    if target.commit is None:
        return []
    trajectories = recorded.on(target.commit)
    files: list[str] = []
    if any(record.also for folded in trajectories for record in folded.parts[target.commit]):
        files = changed_paths(repository, [target.commit]).get(target.commit, [])
    return [show_one(folded, target.commit, segments, files=files) for folded in trajectories]


def show_one(folded: Folded, commit: str | None, segments: Segments, *, files: Iterable[str]) -> Header:
    """Return a trajectory on a commit, which changed ``files``, or on all its commits (if None)."""
    explored = not folded.records(commit)
    records = folded.records(commit, explored=explored)
    header = folded.header(commit, explored=explored)
    chapters = read_chapters(segments, records, header)
    known = {event["id"] for chapter in chapters for event in chapter["events"]}
    earlier = read_earlier(segments, records, header, files=set(files), known=known) if commit else None
    return {
        **header,
        "completeness": complete(folded.header(None)),
        "chapters": [earlier, *chapters] if earlier else chapters,
        "also": earlier["events"] if earlier else [],
    }


# ---------------------------------------------------------------- fewer events


def keep_events(trajectories: Iterable[Header], keep: Callable[[list[Header]], list[Header]]) -> list[Header]:
    """Return the trajectories with fewer events: ``keep`` filters the events of each, in order; empty
    chapters are dropped."""
    fewer = []
    for trajectory in trajectories:
        chapters, also = trajectory["chapters"], trajectory["also"]
        kept = {e["id"] for e in keep([event for chapter in chapters for event in chapter["events"]])}
        left = ({**c, "events": [e for e in c["events"] if e["id"] in kept]} for c in chapters)
        also = [event for event in also if event["id"] in kept]
        fewer.append({**trajectory, "chapters": [c for c in left if c["events"]], "also": also})
    return fewer


def check_since(trajectories: Iterable[Header], since: str) -> None:
    """Raises UsageError if ``since`` is neither the id of an event nor a time (ISO 8601). A text that looks
    like an id that git-traj makes (``NAME:NUMBER``, ``NAME:WORD``) is accepted without such an event, because
    the event may be recorded or fetched later."""
    chapters = (chapter for trajectory in trajectories for chapter in trajectory["chapters"])
    known = any(event["id"] == since for chapter in chapters for event in chapter["events"])
    if not known and parse_time(since) is None and not _EVENT.fullmatch(since):
        hint = "such as 2026-03-31T09:00; git traj show --json has the events' ids"
        raise UsageError(f"--since: '{since}' is neither a time nor an event here", hint)


def after(events: list[Header], since: str) -> list[Header]:
    """Return the events after the event with the id ``since``, or from the time ``since`` (ISO 8601) on; none
    if it is neither of these."""
    at = next((i for i, event in enumerate(events) if event["id"] == since), None)
    if at is not None:
        return events[at + 1 :]
    moment = parse_time(since)
    return [e for e in events if moment and (time := parse_time(e["ts"])) and time >= moment]


def touching_file(events: list[Header], path: str) -> list[Header]:
    """Return the calls that wrote ``path`` (or below it), with their results."""
    calls = [e for e in events if any(is_below(file["path"], path) for file in e.get("files", ()))]
    answered = {e["tool"]["callId"] for e in calls if "tool" in e} - {None, ""}
    ids = {e["id"] for e in calls}
    return [e for e in events if e["id"] in ids or e.get("result", {}).get("callId") in answered]


def between_agents(events: list[Header]) -> list[Header]:
    """Return the messages between agents."""
    return [event for event in events if event["type"] in ("message_sent", "message_received")]


def significant(events: list[Header], minimum: str) -> list[Header]:
    """Return the events with at least that significance (one of ``SIGNIFICANCES``)."""
    enough = SIGNIFICANCES[SIGNIFICANCES.index(minimum) :]
    return [event for event in events if event.get("significance") in enough]
