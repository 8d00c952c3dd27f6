"""Tasks outside any system: a task's id is the text that names it. Nothing is looked up or reported."""

from __future__ import annotations

from gittraj.errors import TaskError
from gittraj.model.values import TaskSource
from gittraj.tasks.system import Known, Site, Status

name = "plain"
local = False
variables: tuple[str, ...] = ()


def is_here(site: Site) -> bool:
    return False  # never guessed: a text is a plain task only if no system recognizes it


def parse(text: str, site: Site, *, named: bool = False) -> TaskSource | None:
    return TaskSource(system=name, id=text)


def find(branch: str, site: Site) -> TaskSource | None:
    return None


def fetch(source: TaskSource, site: Site, *, timeout: float) -> Known:
    return Known(title=source.id, url=source.url)


def report(source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
    raise TaskError(f"'{source.id}' is not in a task system: it has no status to set", reason="unsupported")
