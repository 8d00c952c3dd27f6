"""Compares an engine's rows with each repository, and deletes repositories from it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gittraj.errors import TrajError, UsageError
from gittraj.gather.collect import Gathered, make_job
from gittraj.gather.fetching import new_repository
from gittraj.gather.remotes import Source, find_source, show_names
from gittraj.gather.run import Progress, collect_all, list_all
from gittraj.gather.schema import TABLES, names
from gittraj.gather.store import Known, Session, Store
from gittraj.notes.store import RECORDS_REF
from gittraj.sync.remote import without_password

_PLACEHOLDER = re.compile(r"(REDACTED-[A-Za-z0-9-]*?)-[0-9a-f]{4,}")
"""A placeholder without its hash, which differs in every run."""


def verify(
    store: Store, *, environ: Mapping[str, str], jobs: int, progress: Progress
) -> tuple[int, list[str]]:
    """Return how many repositories were compared, and a line for each difference. Raises TrajError."""
    known = store.known()
    sources = [Source(each.remote, each.name, project) for project, each in known.items()]
    differences: list[str] = []
    wanted = []
    with TemporaryDirectory(prefix="git-traj-gather-") as folder:
        for source, listed in list_all(new_repository(Path(folder), environ), sources, progress):
            if isinstance(listed, str):
                differences.append(listed)
            elif RECORDS_REF not in listed.tips:
                differences.append(f"{source.name}: it has no records any more")
            else:
                before = known[source.project_id]
                wanted.append(make_job(source, listed, before.contents, before))
    for number, found in enumerate(collect_all(wanted, jobs, environ), 1):
        progress("comparing", number, len(wanted))
        if isinstance(found, str):
            differences.append(found)
            continue
        with store.session() as session:
            differences += _compare(session, found)
    return len(known), sorted(differences)


def _compare(session: Session, found: Gathered) -> Iterator[str]:
    project = found.source.project_id
    for table in TABLES:
        if table == "repositories":
            continue
        columns = ", ".join(names(table))
        rows = session.ask(f"SELECT {columns} FROM {table} WHERE project_id = ?", [project])
        here, there = _count(rows), _count(found.rows[table])
        missing, extra = (there - here).total(), (here - there).total()
        if missing or extra:
            yield f"{found.source.name}: {table}: rows missing: {missing}, too many: {extra}"


def _count(rows: Iterable[Sequence[Any]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(map(_spell, row)) for row in rows)


def _spell(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.9g}"
    return _PLACEHOLDER.sub(r"\1", value) if isinstance(value, str) else str(value)


def forget(store: Store, named: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """Delete the rows of repositories, named by address, name or id; return their names. Raises TrajError."""
    known = store.known()
    found: dict[str, str] = {}
    for name in named:
        projects = _find_meant(name, known, environ)
        if len(projects) > 1:
            shown = ", ".join(f"{without_password(known[p].remote)} ({p})" for p in sorted(projects))
            raise UsageError(
                f"{name} names {len(projects)} repositories", f"give an address or an id: {shown}"
            )
        if not projects:
            raise TrajError(
                f"nothing was gathered from {name}", "git traj stats --by repository --team URL lists all"
            )
        found |= {project: known[project].name for project in projects}
    store.forget([*found])
    store.sweep()
    return [*found.values()]


def _find_meant(name: str, known: Mapping[str, Known], environ: Mapping[str, str]) -> list[str]:
    """Find repositories by id, address, or the name that ``--team`` shows; else all with this name."""
    shown = show_names({project: (each.name, each.remote) for project, each in known.items()})
    exact = [p for p, each in known.items() if name in (p, each.remote, shown[p])]
    exact = exact or [p for p in (find_source(name, environ).project_id,) if p in known]
    return exact or [project for project, each in known.items() if each.name == name]
