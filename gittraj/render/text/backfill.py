"""The report of a backfill as a table; the sessions that an import read, one per line."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from gittraj.model.words import EVIDENCE, count, size_of
from gittraj.notes.run_keys import find_run_keys
from gittraj.render.text.terminal import Page, cut, escape_line, wrap

_EACH_NAMED = 8
"""The most sessions of one file that get a line each."""
_FILES_NAMED = 50
"""The most files that get lines of their own."""


def report_to_text(report: Any, subjects: Mapping[str, str], page: Page, *, dry_run: bool) -> Iterator[str]:
    """The table: commits with their sessions and evidence, then what was not linked, and why."""
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
    made = {(row.trajectory, row.commit) for row in report.linked if not row.carried}
    links = [row for row in report.linked if not row.carried or (row.trajectory, row.commit) not in made]
    links.sort(key=lambda row: (row.agent, row.session))
    hows = [_how(row, report.gone) for row in links]
    wide = max(map(len, hows), default=0)
    for row, how in zip(links, hows, strict=True):
        subject = escape_line(subjects.get(row.commit, ""))
        yield _line(page, f"{row.commit[:7]}  {escape_line(row.agent):<12}  {how:<{wide}}  {subject}")


def _refusal(row: Any) -> str:
    """Which session, and why nothing is linked to it."""
    session = row.session[:13] if len(row.session) == 36 else row.session  # 8 may not be unique
    return f"{escape_line(row.agent):<12} {escape_line(session)}: {escape_line(row.why)}"


def _summary(report: Any, *, dry_run: bool) -> str:
    pairs = {(row.trajectory, row.commit) for row in report.linked}
    linked, fresh = ({commit for _, commit in some} for some in (pairs, pairs - report.before))
    known = linked - fresh - report.gone
    of_commits = {(row.agent, row.session) for row in report.linked}
    rest = {(row.agent, row.session) for row in report.unlinked} - of_commits
    counts = (
        (len(linked & report.gone), "commit", " on no branch"),
        (len(known), "commit", " already recorded"),
        (report.parts, "part", " written"),
        (len(rest), "session", " without a commit here"),
    )
    verb = "would be linked" if dry_run else "linked"
    facts = [f"{count(len(linked - report.gone - known), 'commit')} {verb}"]
    facts += [f"{count(number, noun)}{more}" for number, noun, more in counts if number]
    return f"{count(report.sessions, 'session')} read ({size_of(report.read)}): {', '.join(facts)}"


def _how(row: Any, gone: Container[str]) -> str:
    """The evidence that the commit is the session's."""
    how = "carried over" if row.carried else _evidence(row.evidence)
    return f"{how} (on no branch)" if row.commit in gone else how


def _evidence(word: str) -> str:
    """The evidence in a listing's words; one from a newer version unchanged."""
    return EVIDENCE.get(word) or escape_line(word)


def _line(page: Page, text: str) -> str:
    return cut(text, page.columns).rstrip() + "\n"


def render_imported(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """``rows``: as ``taken_to_json`` makes them."""
    by_path: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_path.setdefault(row["path"], []).append(row)
    if len(by_path) > _FILES_NAMED:
        by_path = {f"{len(by_path):,} files": [*rows]}
    for path, sessions in by_path.items():
        if len(sessions) <= _EACH_NAMED:
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
