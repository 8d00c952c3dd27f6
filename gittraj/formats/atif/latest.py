"""ATIF in its latest version, for tools that ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.formats.atif.shared import LATEST
from gittraj.formats.atif.write import build_all, versioned
from gittraj.formats.base.exported import Exported, pretty


def write(exported: Exported) -> Iterator[str]:
    yield pretty(versioned(build_all(exported), LATEST))
