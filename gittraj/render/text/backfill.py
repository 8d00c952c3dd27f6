"""Renders the report of a backfill as a table, and the sessions that an import read, one per line."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from gittraj.model.words import EVIDENCE, count, size_of
from gittraj.notes.run_keys import find_run_keys
from gittraj.render.text.terminal import Page, cut, escape_line, wrap

_SESSIONS_LISTED = 8
"""The maximum number of sessions of one file that get a line each."""
_FILES_LISTED = 50
"""The maximum number of files that get lines of their own."""


def report_to_text(report: Any, subjects: Mapping[str, str], page: Page, *, dry_run: bool) -> Iterator[str]:
    """Yield a table of commits with their sessions and evidence, then what was not linked, and why."""
    yield from _links(report, subjects, page)
    lists = [
        (title, rows)
        for title, rows in (("not linked:", report.unlinked), ("not read:", report.damaged))
        if rows
    ]
    for number, (title, rows) in enumerate(lists):
        yield "\n" * bool(report.linked or number) + f"{title}\n"
        yield from (f"  {line}\n" for row in rows for line in wrap(_refusal(row), page.room(2)))
    yield from (f"parked: {escape_line(parked)}\n" for parked in report.parked)
    if report.linked or lists:
        yield "\n"
    yield from (f"{row}\n" for row in wrap(_summary(report, dry_run=dry_run), page.columns))


def _links(report: Any, subjects: Mapping[str, str], page: Page) -> Iterator[str]:
    linked = {(row.trajectory, row.commit) for row in report.linked if not row.carried}
    links = [row for row in report.linked if not row.carried or (row.trajectory, row.commit) not in linked]
    links.sort(key=lambda row: (row.agent, row.session))
    reasons = [_reason(row, report.gone) for row in links]
    wide = max(map(len, reasons), default=0)
    for row, reason in zip(links, reasons, strict=True):
        subject = escape_line(subjects.get(row.commit, ""))
        line = f"{row.commit[:7]}  {escape_line(row.agent):<12}  {reason:<{wide}}  {subject}"
        yield cut(line, page.columns).rstrip() + "\n"


def _refusal(row: Any) -> str:
    """The session, and why nothing is linked to it."""
    session = row.session[:13] if len(row.session) == 36 else row.session  # 8 characters may not be unique
    return f"{escape_line(row.agent):<12} {escape_line(session)}: {escape_line(row.why)}"


def _summary(report: Any, *, dry_run: bool) -> str:
    pairs = {(row.trajectory, row.commit) for row in report.linked}
    linked, new = ({commit for _, commit in each} for each in (pairs, pairs - report.before))
    known = linked - new - report.gone
    with_commit = {(row.agent, row.session) for row in report.linked}
    without_commit = {(row.agent, row.session) for row in report.unlinked} - with_commit
    counts = (
        (len(linked & report.gone), "commit", " on no branch"),
        (len(known), "commit", " already recorded"),
        (report.parts, "part", " written"),
        (len(without_commit), "session", " without a commit here"),
    )
    verb = "would be linked" if dry_run else "linked"
    facts = [f"{count(len(linked - report.gone - known), 'commit')} {verb}"]
    facts += [f"{count(number, noun)}{more}" for number, noun, more in counts if number]
    return f"{count(report.sessions, 'session')} read ({size_of(report.read)}): {', '.join(facts)}"


def _reason(row: Any, gone: Container[str]) -> str:
    """Why the commit is linked to the session; ``gone`` are the commits that no branch has."""
    reason = "carried over" if row.carried else _evidence(row.evidence)
    return f"{reason} (on no branch)" if row.commit in gone else reason


def _evidence(word: str) -> str:
    """The evidence in a listing's words; a word from a newer version is unchanged."""
    return EVIDENCE.get(word) or escape_line(word)


def render_imported(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each session that was imported; ``rows`` are from ``taken_to_json``."""
    by_path: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_path.setdefault(row["path"], []).append(row)
    if len(by_path) > _FILES_LISTED:
        by_path = {f"{len(by_path):,} files": [*rows]}
    for path, sessions in by_path.items():
        if len(sessions) <= _SESSIONS_LISTED:
            yield from (f"{path}: {row['trajectory']}, {_session(row)}" for row in sessions)
            continue
        parts = sum(row["parts"] for row in sessions)
        commits = {each["commit"] for row in sessions for each in row["commits"]}
        where = f"on {count(len(commits), 'commit')}" if commits else "none made a commit here"
        yield f"{path}: {len(sessions)} sessions, {count(parts, 'new part')}; {where}"


def _session(row: Mapping[str, Any]) -> str:
    where = ", ".join(f"{each['commit'][:7]} ({_evidence(each['evidence'])})" for each in row["commits"])
    if not where and any(find_run_keys(row["explored"])):
        where = "no commit (git traj log --trajectories --all)"
    elif not where and row["explored"]:
        where = f"{row['explored'][0][:7]} (explored)"
    if not where:
        where = "no commit: it waits for the first one here"
    damage = f"; {count(row['damage'], 'damaged place')} left out" if row["damage"] else ""
    return f"{count(row['parts'], 'new part')}; on {where}{damage}"
