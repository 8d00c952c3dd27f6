"""The report of a backfill or an import, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from gittraj.model.words import size_of
from gittraj.render.text.terminal import Page, cut, escape_line, wrap


class Row(Protocol):
    commit: str
    agent: str
    session: str
    trajectory: str
    evidence: str
    carried: bool


def report_to_json(report: Any) -> dict[str, Any]:
    return {
        "sessions": report.sessions,
        "bytes": report.read,
        "parts": report.parts,
        "linked": [{**_linked(row), "reachable": row.commit not in report.gone} for row in report.linked],
        "explored": [_linked(row) for row in report.explored],
        "unlinked": [_unlinked(row) for row in report.unlinked],
        "damaged": [_unlinked(row) for row in report.damaged],
        "parked": list(report.parked),
    }


def taken_to_json(report: Any, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """One row for each session read. ``names`` are the files' original names, by path."""
    rows = []
    linked, explored = _by_trajectory(report.linked), _by_trajectory(report.explored)
    for trajectory, taken in report.taken.items():
        path = str(taken.file.path)
        rows.append(
            {
                "path": names.get(path, path),
                "format": taken.file.format,
                "agent": taken.file.agent,
                "session": taken.file.session,
                "trajectory": trajectory,
                "parts": taken.parts + taken.explored,
                "commits": [
                    {"commit": row.commit, "evidence": row.evidence, "carried": row.carried}
                    for row in linked.get(trajectory, ())
                ],
                "explored": [row.commit for row in explored.get(trajectory, ())],
                "damage": taken.damage,
                "why": taken.why,
            }
        )
    return rows


def _by_trajectory(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.trajectory, []).append(row)
    return found


def report_to_text(report: Any, subjects: Mapping[str, str], page: Page, *, dry_run: bool) -> Iterator[str]:
    """The table: commits with their sessions and evidence, then what was not linked, and why."""
    for row in sorted(report.linked, key=lambda row: (row.agent, row.session)):
        evidence = ", ".join(
            [row.evidence, *(["carried"] * row.carried), *(["rewritten"] * (row.commit in report.gone))]
        )
        who = f"{escape_line(row.agent):<12} {row.trajectory[:13]}"
        subject = escape_line(subjects.get(row.commit, ""))
        yield _line(page, f"{row.commit[:12]}  {who}  {evidence:<19}  {subject}")
    for title, rows in (("not linked:", report.unlinked), ("not read:", report.damaged)):
        if rows:
            yield f"\n{title}\n"
        for row in rows:
            who = f"{escape_line(row.agent):<12} {escape_line(row.session)}"
            yield _line(page, f"  {who}: {escape_line(row.why)}")
    yield from (f"parked: {escape_line(parked)}\n" for parked in report.parked)
    if report.linked or report.unlinked or report.damaged:
        yield "\n"
    linked = {row.commit for row in report.linked}
    trajectories = {row.trajectory for row in report.linked}
    rest = sum(t not in trajectories and taken.file.subagent is None for t, taken in report.taken.items())
    verb = "would be linked" if dry_run else "linked"
    old = f" ({_count(len(linked & report.gone), 'earlier form')} of them besides)" if report.gone else ""
    text = (
        f"{_count(report.sessions, 'session')} ({size_of(report.read)}): "
        f"{_count(len(linked - report.gone), 'commit')} {verb}{old}, "
        f"{_count(report.parts, 'part')} written, {_count(rest, 'session')} without a commit here"
    )
    yield from (f"{row}\n" for row in wrap(text, page.columns))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _line(page: Page, text: str) -> str:
    return cut(text, page.columns).rstrip() + "\n"


def _linked(row: Row) -> dict[str, Any]:
    return {
        "commit": row.commit,
        "agent": row.agent,
        "session": row.session,
        "trajectory": row.trajectory,
        "evidence": row.evidence,
        "carried": row.carried,
    }


def _unlinked(row: Any) -> dict[str, Any]:
    return {"agent": row.agent, "session": row.session, "path": row.path, "why": row.why}
