"""Lists the formats for the export of trajectories, and makes documents in them.

A format is a line in one of these tables; its module is imported when it is needed. ``query`` selects the
trajectories; ``render.html`` (pages) and ``formats`` (all others) write them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from gittraj import plugins
from gittraj.errors import TrajError
from gittraj.formats.base.exported import Exported, nested
from gittraj.model.header import Header
from gittraj.plugins import Returns, Shape

FORMATS = {
    "markdown": "gittraj.commands.export.pages:write_markdown",
    "timeline": "gittraj.commands.export.pages:write_timeline",
    "html": "gittraj.commands.export.pages:write_html",
    "json": "gittraj.commands.export.pages:write_json",
}
"""For each format, the function that makes a document from a ``Chosen``, as an iterable of texts or bytes."""
FOLDERS = {
    "html": "gittraj.commands.export.pages:write_site",
}
"""The formats that can also be written as a folder. Each function writes a ``Chosen`` into a folder, and
calls its argument ``progress`` with a label, the number of entries written, and the number of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A format of another tool.

    ``module`` is a module's name or a plug-in's object; its function ``function`` takes an ``Exported`` and
    yields the text or the bytes of one document. Names of files end with ``suffix``. ``each``: every
    trajectory is a document of its own; ``nests``: a document contains the trajectories that its trajectory
    started. ``tree`` is the name of a function that yields the paths and texts of a folder instead.
    """

    module: Any
    suffix: str = ""
    each: bool = False
    nests: bool = False
    tree: str = ""
    function: str = "write"


_ATIF = Exchange(module="gittraj.formats.atif.write", suffix=".atif.json", each=True, nests=True)
_AGENT_TRAJECTORIES = "gittraj.formats.agent_trajectories.write"
EXCHANGES = {
    "trajectory": Exchange(module=_AGENT_TRAJECTORIES, suffix=".trajectory.json", each=True),
    "trajectory-tree": Exchange(module=_AGENT_TRAJECTORIES, tree="files"),
    "trajectory-bundle": Exchange(module=_AGENT_TRAJECTORIES, tree="bundles"),
    "trajectory-sqlite": Exchange(module="gittraj.formats.agent_trajectories.database", suffix=".db"),
    "atif": _ATIF,
    "atif-1.8": replace(_ATIF, function="write_latest"),
    "agent-trace": Exchange(module="gittraj.formats.agent_trace.write", suffix=".traces.jsonl"),
    "otel": Exchange(module="gittraj.formats.open_telemetry", suffix=".otlp.json"),
    "csv": Exchange(module="gittraj.formats.csv_table", suffix=".csv"),
    "a3s": Exchange(module="gittraj.formats.a3s.write", tree="files"),
    "openagents": Exchange(module="gittraj.formats.openagents.write", suffix=".db"),
}
"""The formats of other tools. Each selected trajectory is written once, with all of its selected parts."""


SHAPE = Shape(
    fields={"suffix": str, "each": bool},
    methods={"write": Returns(each=(str, bytes), fails=TrajError, seconds=60.0)},
)
"""The fields and methods that a plug-in's format must have."""


def exchanges() -> dict[str, Exchange]:
    """Return ``EXCHANGES`` and the formats of plug-ins; each has ``suffix``, ``each`` and ``write``."""
    found = plugins.found("exporters", SHAPE, taken={*FORMATS, *EXCHANGES}).items()
    return EXCHANGES | {name: Exchange(module=it, suffix=it.suffix, each=it.each) for name, it in found}


_NAME = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*")


def load(name: str) -> Callable[..., Any]:
    """Import the function that a table names."""
    module, _, function_name = name.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), function_name)
    return function


def join(fragments: Iterable[str | bytes]) -> bytes:
    return b"".join(f if isinstance(f, bytes) else f.encode("utf-8", "replace") for f in fragments)


def documents(form: Exchange, exported: Exported) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each document's file, and its bytes. Raises TrajError for an unsafe name."""
    module: Any = import_module(form.module) if isinstance(form.module, str) else form.module
    if form.tree:
        yield from ((_check_name(name), join([text])) for name, text in getattr(module, form.tree)(exported))
        return
    for group in _groups(form, exported):
        yield (
            _check_name(f"{group.trajectories[0]['id']}{form.suffix}"),
            join(getattr(module, form.function)(group)),
        )


def _check_name(name: str) -> str:
    """Return a file name if it is safe: it may contain an id that others chose. Raises TrajError."""
    if not _NAME.fullmatch(name):
        raise TrajError(
            f"not exported: {name!r} is not a safe file name", "git traj forget deletes its trajectory"
        )
    return name


def _groups(form: Exchange, exported: Exported) -> Iterator[Exported]:
    """Yield the trajectories of each document."""
    if not form.each:
        yield exported
        return
    every = exported.trajectories
    groups: Iterable[Sequence[Header]] = nested(every) if form.nests else ([each] for each in every)
    yield from (replace(exported, trajectories=group) for group in groups)
