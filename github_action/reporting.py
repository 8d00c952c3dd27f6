"""Makes the report on a pull request from GitHub's data and the notes of its commits."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from github_action.fallback import Report
from github_action.fetching import Fetched
from github_action.pull_request import Commit, PullDetails
from github_action.settings import Settings
from gittraj.model.values import map_texts
from gittraj.model.words import count
from gittraj.query.change import Change, Reviewed, Rewritten, decisions
from gittraj.query.records import Recorded
from gittraj.query.review import find_sessions
from gittraj.redact import Redactor
from gittraj.render.comment.comment import CommentOptions, render_comment
from gittraj.render.comment.flags import find_flags
from gittraj.render.comment.tables import Location

_SUMMARY = 900_000
"""Characters of a job's summary; the runner drops one over 1,024 KiB."""
_BRIEF = 8_000
_LOOKED_UP = 10
"""Commits without a record to look up files for, with one request each."""
_POLL = 5.0
"""Seconds between two attempts to fetch records that are still to arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedReport:
    """A change and its report; ``leaks``: rules that matched in the last scan for secrets."""

    change: Change
    report: Report
    leaks: tuple[str, ...] = ()


def read_change(
    details: PullDetails,
    fetched: Fetched,
    settings: Settings,
    *,
    before: str | None = None,
    files_of: Callable[[str], tuple[str, ...] | None] = lambda _: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Change:
    """Read the records of the pull request's commits. ``before``: the head in an earlier report;
    ``files_of``: returns the files that a commit changed, None if unknown. Raises TrajError if the notes
    cannot be fetched."""
    ids = [commit.sha for commit in details.commits]
    tip = fetched.bring_notes(ids, ref=settings.notes)
    waited = 0.0
    while waited < settings.wait and not any(map(_has_note(fetched), ids)):
        sleep(_POLL)
        waited += _POLL
        tip = fetched.bring_notes(ids, ref=settings.notes)
    notes = [(sha, body) for sha in ids if tip and (body := fetched.notes.read(sha))]
    recorded = Recorded(notes)
    pull = details.pull
    return Change(
        head=pull.head,
        title=pull.title,
        commits=_look_up(tuple(_reviewed(commit, recorded) for commit in details.commits), files_of),
        sessions=find_sessions(recorded, [c.sha for c in details.commits if len(c.parents) < 2]),
        files=tuple(file.path for file in details.files),
        notes=tip,
        ref=settings.notes,
        rewritten=_rewritten(details, recorded, before),
        merged=pull.merged_as,
        fork=pull.head_repository if pull.fork else None,
        more=(details.commits_unlisted, details.files_unlisted),
    )


def make_report(change: Change, settings: Settings, *, number: int) -> ScannedReport:
    """The report in all its lengths, scanned for secrets before and after rendering."""
    location = Location(server=settings.server, repository=settings.repository, number=number)
    options = CommentOptions(prompts=settings.prompts, cost=settings.cost)
    redactor, leaks = Redactor(key=os.urandom(32)), list[str]()
    # escaping may hide a secret from the redactor
    change = map_texts(change, lambda text, name: _scan(redactor, text, leaks, name=name))
    texts = [
        render_comment(change, location, options),
        render_comment(change, location, options, characters=_BRIEF),
        render_comment(change, location, options, characters=_SUMMARY, max_bytes=_SUMMARY),
    ]
    clean = [_scan(redactor, text, leaks) for text in texts]
    line = f"{len(change.recorded)} of {count(len(change.own), 'commit')} have an agent trajectory"
    report = Report(body=clean[0], brief=clean[1], summary=clean[2], line=line)
    return ScannedReport(change=change, report=report, leaks=tuple(dict.fromkeys(leaks)))


def outputs(change: Change) -> dict[str, str]:
    """The action's outputs about the change."""
    own, recorded = len(change.own), len(change.recorded)
    costs = [t["part"]["costUsd"] for t in change.sessions if t["part"]["costUsd"] is not None]
    unsure = [flag for flag in find_flags(change) if flag.icon == "⚠️"]
    return {
        "commits-total": str(own),
        "commits-with-trajectory": str(recorded),
        "coverage": f"{coverage(change):.0f}",
        "low-confidence": str(len(unsure)),
        "cost-usd": f"{sum(costs):.4f}" if costs else "",
    }


def coverage(change: Change) -> float:
    """Percentage of commits that have a record; 100 without any commit."""
    return 100.0 * len(change.recorded) / len(change.own) if change.own else 100.0


def as_json(change: Change) -> str:
    document: dict[str, Any] = {
        "version": 1,
        "head": change.head,
        "commits": [
            {"commit": c.commit, "trajectories": [t["id"] for t in c.trajectories]} for c in change.own
        ],
        "sessions": change.sessions,
        "decisions": decisions(change),
        "flags": [
            {"path": flag.path, "why": flag.why, "said": flag.quoted, "commits": flag.commits}
            for flag in find_flags(change)
        ],
    }
    return json.dumps(document, ensure_ascii=False)


def _reviewed(commit: Commit, recorded: Recorded) -> Reviewed:
    folded = recorded.on(commit.sha)
    trajectories = tuple(f.header(commit.sha) for f in folded if f.records(commit.sha))
    return Reviewed(
        commit=commit.sha,
        subject=" ".join(commit.message.partition("\n\n")[0].split()),
        trajectories=trajectories,
        files=tuple(dict.fromkeys(f["path"] for t in trajectories for f in t["filesChanged"])),
        merge=len(commit.parents) > 1,
    )


def _look_up(
    commits: tuple[Reviewed, ...], files_of: Callable[[str], tuple[str, ...] | None]
) -> tuple[Reviewed, ...]:
    """Add the files of commits without a record; unchanged if no commit has one."""
    without = [c.commit for c in commits if not c.trajectories and not c.merge]
    if len(without) == sum(not c.merge for c in commits):
        return commits
    files = {commit: files_of(commit) for commit in without[:_LOOKED_UP]}
    return tuple(
        replace(c, files=files.get(c.commit) or (), known=files.get(c.commit) is not None)
        if c.commit in without
        else c
        for c in commits
    )


def _rewritten(details: PullDetails, recorded: Recorded, before: str | None) -> Rewritten | None:
    """The earlier head, if a force push replaced it. ``carried``: commits whose records were carried from
    commits that are gone."""
    here = {commit.sha for commit in details.commits}
    if before is None or before in here or before == details.pull.head:
        return None
    carried = [
        commit.sha
        for commit in details.commits
        for folded in recorded.on(commit.sha)
        if set(folded.header(commit.sha)["link"]["carriedFrom"]) - here
    ]
    return Rewritten(before=before, carried=tuple(dict.fromkeys(carried)))


def _has_note(fetched: Fetched) -> Callable[[str], bool]:
    return lambda sha: bool(fetched.notes.tip() and fetched.notes.read(sha))


def _scan(redactor: Redactor, text: str, leaks: list[str], *, name: str | None = None) -> str:
    """The text without secrets that today's rules find; their rules, never their values, go to ``leaks``.
    Raises RedactionError: a text that cannot be scanned is not posted."""
    clean, end = list[str](), 0
    for span in sorted(redactor.find(text, name=name), key=lambda each: each.start):
        if span.start >= end:
            clean.append(text[end : span.start] + "REDACTED")
            leaks.append(span.rule)
            end = span.end
    return "".join((*clean, text[end:]))
