"""Makes the report on a pull request from GitHub's data and the notes of its commits."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any

from github_action.fallback import Report
from github_action.fetching import Fetched, FetchTimeoutError
from github_action.pull_request import Commit, PullDetails
from github_action.settings import Settings
from gittraj import limits
from gittraj.model.texts import map_texts
from gittraj.model.times import parse_time
from gittraj.model.words import count
from gittraj.query.change import Change, Reviewed, Rewritten, decisions
from gittraj.query.diff import Diff
from gittraj.query.read_change import find_headers, find_sessions
from gittraj.query.records import Recorded
from gittraj.redact import Redactor
from gittraj.render.comment.comment import CommentOptions, render_comment
from gittraj.render.comment.flags import Flag, find_flags, omissions
from gittraj.render.comment.tables import Location

_SUMMARY = 900_000
"""Maximum length of a job's summary, in characters; the runner drops a summary over 1,024 KiB."""
_BRIEF = 8_000
"""Maximum length of the short comment, in characters."""
_MAX_LOOKUPS = 10
"""Maximum number of commits whose files are looked up, with one request each."""
_WAIT = 20.0
"""Seconds to wait for records, unless an input sets another time."""
_RECENT = 300.0
"""Seconds after a branch's last commit during which its push may still be under way."""
_POLL = 4.0
"""Seconds between two attempts to fetch records that have not arrived yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedReport:
    """A change, its flags (where to look first), and its report. ``leaks`` are the rules that found secrets
    in it."""

    change: Change
    flags: Sequence[Flag]
    report: Report
    leaks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The notes of a pull request's commits in one repository: the ``tip`` of its notes ref (None: there is
    no such ref), the notes that could be read, and (``left_out``) the commits whose notes were too large or
    came too late."""

    tip: str | None
    bodies: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()


def read_notes(details: PullDetails, fetched: Fetched, settings: Settings) -> Notes:
    """Fetch and read the notes of the pull request's commits. Raises TrajError if they cannot be fetched."""
    ids = [commit.sha for commit in details.commits]
    try:
        tip = fetched.fetch_notes(ids, ref=settings.notes)
        waited, limit = 0.0, _seconds_to_wait(details, settings, has_records=tip is not None)
        while waited < limit and not (tip and fetched.notes.has(ids)):
            time.sleep(_POLL)
            waited += _POLL
            tip = fetched.fetch_notes(ids, ref=settings.notes)
    except FetchTimeoutError as late:
        return Notes(tip=late.tip, bodies={}, left_out=tuple(ids))
    if tip is None:
        return Notes(tip=None, bodies={})
    bodies = dict(fetched.notes.pick(ids, most=limits.PULL, each=0))
    return Notes(tip=tip, bodies=bodies, left_out=tuple(c for c in fetched.notes.has(ids) if c not in bodies))


def _seconds_to_wait(details: PullDetails, settings: Settings, *, has_records: bool) -> float:
    """How long to wait for notes, since git pushes a branch before the records of its commits. Without the
    input, wait only if the repository has records and the head is so new that its push may be under way."""
    if settings.wait is not None:
        return settings.wait
    made = parse_time(details.commits[-1].made) if details.commits else None
    is_recent = made is not None and abs(time.time() - made.timestamp()) < _RECENT
    return _WAIT if has_records and is_recent else 0.0


def read_change(
    details: PullDetails,
    sources: Sequence[Notes],
    settings: Settings,
    *,
    before: str | None = None,
    files_of: Callable[[str], tuple[str, ...] | None] = lambda _: None,
) -> Change:
    """Join the records of the pull request's commits from ``sources``, of which the repository itself is the
    last. ``before`` is the head before the push; ``files_of`` returns the files of a commit, or None if they
    are not known."""
    recorded, pull = _join(details, sources), details.pull
    unread = recorded.unread(c.sha for c in details.commits)
    commits = _look_up(tuple(_reviewed(c, recorded) for c in details.commits), details, files_of)
    foreign = pull.fork and any(notes.bodies for notes in sources[:-1])
    return Change(
        head=pull.head,
        title=pull.title,
        commits=commits,
        sessions=find_sessions(recorded, [c.commit for c in commits]),
        files=tuple(details.files),
        notes=next((notes.tip for notes in sources if notes.tip), None),
        ref=settings.notes,
        rewritten=_rewritten(details, recorded, before),
        merged=pull.merged_as,
        fork=pull.head_repository if foreign else None,
        more=(details.commits_unlisted, details.files_unlisted),
        diff=Diff.of(details.files, details.files),
        new=_new(details, before),
        left=tuple(dict.fromkeys(chain(*(notes.left_out for notes in sources), unread))),
    )


def _join(details: PullDetails, sources: Sequence[Notes]) -> Recorded:
    bodies = [(c.sha, [n.bodies[c.sha] for n in sources if c.sha in n.bodies]) for c in details.commits]
    return Recorded((commit, b"\n".join(notes)) for commit, notes in bodies if notes)


def make_report(change: Change, settings: Settings, *, number: int) -> ScannedReport:
    """Make the report in all its lengths, scanned for secrets before and after rendering: escaping may hide a
    secret from the redactor."""
    location = Location(
        server=settings.server,
        repository=settings.repository,
        number=number,
        run=settings.page,
        host=settings.host,
    )
    options = CommentOptions(prompts=settings.prompts, cost=settings.cost)
    redactor, leaks = Redactor(key=os.urandom(32)), list[str]()
    diff = change.diff  # not scanned: it has many names, which are not shown
    scan = cache(lambda text, name: _scan(redactor, text, leaks, name=name))  # most texts occur often
    change = map_texts(replace(change, diff=None), scan)
    change = replace(change, diff=diff)
    flags = find_flags(change)
    texts = [
        render_comment(change, location, options, flags=flags),
        render_comment(change, location, options, flags=flags, characters=_BRIEF),
        render_comment(change, location, options, flags=flags, characters=_SUMMARY, max_bytes=_SUMMARY),
    ]
    clean = [_scan(redactor, text, leaks) for text in texts]
    line = f"{len(change.recorded)} of {count(len(change.own), 'commit')} have an agent trajectory"
    report = Report(body=clean[0], brief=clean[1], summary=clean[2], line=line)
    return ScannedReport(change=change, flags=flags, report=report, leaks=tuple(dict.fromkeys(leaks)))


def outputs(scanned: ScannedReport) -> dict[str, str]:
    """The action's outputs about the change."""
    change = scanned.change
    own, recorded = len(change.own), len(change.recorded)
    costs = [t["part"]["costUsd"] for t in change.sessions if t["part"]["costUsd"] is not None]
    unsure = [flag for flag in scanned.flags if flag.icon == "⚠️"]
    known = not (change.left or change.unread)
    return {
        "commits-total": str(own),
        "commits-with-trajectory": str(recorded),
        "coverage": "unknown" if change.unread or change.unknown else str(int(coverage(change))),
        "low-confidence": str(len(unsure)),
        "unsure": str(len(unsure)) if known else "unknown",
        "cost-usd": f"{sum(costs):.4f}" if costs else "",
        "cost": f"{sum(costs):.4f}" if costs else "unknown",
    }


def find_labels(scanned: ScannedReport) -> dict[str, bool]:
    """Map each label that we manage to whether it should be set; empty if a record could not be read."""
    change = scanned.change
    if change.unread or change.left or change.notes is None:
        return {}
    unsure = any(flag.icon == "⚠️" for flag in scanned.flags)
    return {"traj:unsure": unsure, "traj:unrecorded": len(change.recorded) < len(change.own)}


def coverage(change: Change) -> float:
    """The percentage of commits that have a record; 100 if there are no commits."""
    return 100.0 * len(change.recorded) / len(change.own) if change.own else 100.0


def as_json(scanned: ScannedReport) -> str:
    """The JSON document of the output ``json-path``: see docs/json.md."""
    change = scanned.change
    document: dict[str, Any] = {
        "version": 1,
        "head": change.head,
        "commits": [
            {
                "commit": c.commit,
                "trajectories": [t["id"] for t in c.trajectories],
                "traces": [t["id"] for t in c.traces],
            }
            for c in change.own
        ],
        "sessions": change.sessions,
        "decisions": decisions(change),
        "flags": [
            {
                "path": flag.path,
                "line": flag.line,
                "why": flag.reason,
                "said": flag.quoted,
                "commits": flag.commits,
                "since": flag.since or None,
                "later": flag.later,
            }
            for flag in scanned.flags
        ],
        "omissions": omissions(change),
    }
    return json.dumps(document, ensure_ascii=False)


def _reviewed(commit: Commit, recorded: Recorded) -> Reviewed:
    trajectories, traces = find_headers(recorded, commit.sha)
    return Reviewed(
        commit=commit.sha,
        subject=" ".join(commit.message.partition("\n\n")[0].split()),
        trajectories=trajectories,
        traces=traces,
        files=tuple(dict.fromkeys(f["path"] for t in trajectories for f in t["filesChanged"])),
        merge=len(commit.parents) > 1,
    )


def _look_up(
    commits: tuple[Reviewed, ...], details: PullDetails, files_of: Callable[[str], tuple[str, ...] | None]
) -> tuple[Reviewed, ...]:
    """Add the files that no record names, such as those that a shell command wrote, first to commits without
    a record. The commits are unchanged if none of them has a record."""
    own = sorted((c for c in commits if not c.merge), key=lambda c: bool(c.trajectories))
    unnamed = set(details.files).difference(*(c.files for c in own))
    if not unnamed or not any(c.trajectories for c in own):
        return commits
    if len(own) == 1:
        files_of = lambda _: tuple(details.files)  # noqa: E731 - all belong to that commit
    files = {c.commit: files_of(c.commit) for c in own[:_MAX_LOOKUPS]}
    return tuple(_with_files(c, files.get(c.commit)) for c in commits)


def _with_files(commit: Reviewed, more: tuple[str, ...] | None) -> Reviewed:
    known = more is not None or bool(commit.trajectories) or commit.merge
    return replace(commit, files=tuple(dict.fromkeys((*commit.files, *(more or ())))), known=known)


def _new(details: PullDetails, before: str | None) -> tuple[str, ...]:
    """The commits after ``before``; empty if ``before`` is not one of the pull request's commits."""
    ids = [commit.sha for commit in details.commits]
    return tuple(ids[ids.index(before) + 1 :]) if before in ids else ()


def _rewritten(details: PullDetails, recorded: Recorded, before: str | None) -> Rewritten | None:
    """Return the earlier head, if a force push replaced it, with the commits whose records were carried from
    commits that are gone; else None."""
    present = {commit.sha for commit in details.commits}
    if before is None or before in present or before == details.pull.head:
        return None
    carried = [
        commit.sha
        for commit in details.commits
        for folded in recorded.on(commit.sha)
        if set(folded.header(commit.sha)["link"]["carriedFrom"]) - present
    ]
    return Rewritten(before=before, carried=tuple(dict.fromkeys(carried)))


def _scan(redactor: Redactor, text: str, leaks: list[str], *, name: str | None = None) -> str:
    """Return the text without secrets that today's rules find. Add the rules that found one, never the
    secret, to ``leaks``. Raises RedactionError: a text that cannot be scanned is not posted."""
    parts, end = list[str](), 0
    for span in sorted(redactor.find(text, name=name), key=lambda each: each.start):
        if span.start >= end:
            parts.append(text[end : span.start] + "REDACTED")
            leaks.append(span.rule)
            end = span.end
    return "".join((*parts, text[end:]))
