"""From what GitHub and the notes say of a pull request to the report on it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from github_action.facts import Commit, Facts
from github_action.fetching import Fetched
from github_action.ladder import Report
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
"""Characters of a job's summary; the runner drops one of more than 1,024 KiB."""
_BRIEF = 8_000
_LOOKED_UP = 10
"""Commits without a record whose files GitHub is asked for, a request each."""
_ASKING = 5.0
"""Seconds between two looks for records that are to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A change and its report; ``leaks``: rules that found something in the last scan of its text."""

    change: Change
    report: Report
    leaks: tuple[str, ...] = ()


def read_change(
    facts: Facts,
    fetched: Fetched,
    settings: Settings,
    *,
    before: str | None = None,
    files_of: Callable[[str], tuple[str, ...] | None] = lambda _: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Change:
    """What is recorded of the pull request's commits. ``before``: the head that an earlier report described;
    ``files_of``: the files that a commit changed, None where that is not known. Raises TrajError when the
    notes cannot be fetched."""
    ids = [commit.sha for commit in facts.commits]
    tip = fetched.bring_notes(ids, ref=settings.notes)
    waited = 0.0
    while waited < settings.wait and not any(map(_noted(fetched), ids)):
        sleep(_ASKING)
        waited += _ASKING
        tip = fetched.bring_notes(ids, ref=settings.notes)
    notes = [(sha, body) for sha in ids if tip and (body := fetched.notes.read(sha))]
    recorded = Recorded(notes)
    pull = facts.pull
    return Change(
        head=pull.head,
        title=pull.title,
        commits=_look_up(tuple(_reviewed(commit, recorded) for commit in facts.commits), files_of),
        sessions=find_sessions(recorded, [c.sha for c in facts.commits if len(c.parents) < 2]),
        files=tuple(file.path for file in facts.files),
        notes=tip,
        ref=settings.notes,
        rewritten=_rewritten(facts, recorded, before),
        merged=pull.merged_as,
        fork=pull.head_repository if pull.fork else None,
        more=(facts.commits_unlisted, facts.files_unlisted),
    )


def make_report(change: Change, settings: Settings, *, number: int) -> Told:
    """The change in its four lengths, scanned for secrets before it is put into words, and after."""
    location = Location(server=settings.server, repository=settings.repository, number=number)
    options = CommentOptions(prompts=settings.prompts, cost=settings.cost)
    redactor, leaks = Redactor(key=os.urandom(32)), list[str]()
    # escaped, a secret may not be known any more
    change = map_texts(change, lambda text, name: _scan(redactor, text, leaks, name=name))
    texts = [
        render_comment(change, location, options),
        render_comment(change, location, options, characters=_BRIEF),
        render_comment(change, location, options, characters=_SUMMARY, max_bytes=_SUMMARY),
    ]
    clean = [_scan(redactor, text, leaks) for text in texts]
    line = f"{len(change.recorded)} of {count(len(change.own), 'commit')} carry an agent trajectory"
    report = Report(body=clean[0], brief=clean[1], summary=clean[2], line=line)
    return Told(change=change, report=report, leaks=tuple(dict.fromkeys(leaks)))


def outputs(change: Change) -> dict[str, str]:
    """The action's outputs that a change gives."""
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
    """Percent of the commits that carry a record; 100 where there is none to carry one."""
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
    """With the files of those that have no record, beside some that have one: others are not told of."""
    bare = [c.commit for c in commits if not c.trajectories and not c.merge]
    if len(bare) == sum(not c.merge for c in commits):
        return commits
    found = {commit: files_of(commit) for commit in bare[:_LOOKED_UP]}
    return tuple(
        replace(c, files=found.get(c.commit) or (), known=found.get(c.commit) is not None)
        if c.commit in bare
        else c
        for c in commits
    )


def _rewritten(facts: Facts, recorded: Recorded, before: str | None) -> Rewritten | None:
    """A head that an earlier report described and that is none of the commits now was pushed over.
    ``carried``: those whose records were carried from commits that are gone."""
    here = {commit.sha for commit in facts.commits}
    if before is None or before in here or before == facts.pull.head:
        return None
    carried = [
        commit.sha
        for commit in facts.commits
        for folded in recorded.on(commit.sha)
        if set(folded.header(commit.sha)["link"]["carriedFrom"]) - here
    ]
    return Rewritten(before=before, carried=tuple(dict.fromkeys(carried)))


def _noted(fetched: Fetched) -> Callable[[str], bool]:
    return lambda sha: bool(fetched.notes.tip() and fetched.notes.read(sha))


def _scan(redactor: Redactor, text: str, leaks: list[str], *, name: str | None = None) -> str:
    """The last gate: what a redactor of today finds in the text goes, and its rule is told, never its value.
    A text that cannot be scanned is not posted. Raises RedactionError."""
    clean, end = list[str](), 0
    for found in sorted(redactor.find(text, name=name), key=lambda span: span.start):
        if found.start >= end:
            clean.append(text[end : found.start] + "REDACTED")
            leaks.append(found.rule)
            end = found.end
    return "".join((*clean, text[end:]))
