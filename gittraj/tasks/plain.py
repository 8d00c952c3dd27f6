"""Tasks of no system: a text is its own name. Nothing is looked up or reported."""

from __future__ import annotations

from gittraj.errors import TaskError
from gittraj.model.values import TaskSource
from gittraj.tasks.system import Known, Site, Status

name = "plain"
local = False
variables: tuple[str, ...] = ()


def is_here(site: Site) -> bool:
    return False  # never a guess: it is what remains if no system knows a text


def parse(text: str, site: Site, *, named: bool = False) -> TaskSource | None:
    return TaskSource(system=name, id=text)


def find(branch: str, site: Site) -> TaskSource | None:
    return None


def fetch(source: TaskSource, site: Site, *, timeout: float) -> Known:
    return Known(title=source.id, url=source.url)


def report(source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
    raise TaskError(f"'{source.id}' is of no task system: there is no status to set", reason="unsupported")
