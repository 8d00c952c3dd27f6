"""An id for a session whose log names none: taken from the shape of its first records, never from text.

Every later import of the same log, grown or not, comes to the same id; two runs of one task differ in when
their first calls were answered and in how long the answers are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

Part = str | int | float | None
"""A role, a name, a length, a time."""


def shape_id(format: str, records: Iterable[Iterable[Part]]) -> str:  # noqa: A002 - its name everywhere here
    """20 hex digits over the format and, of each record, its roles, names, lengths and times."""
    described = json.dumps([format, *([*record] for record in records)], separators=(",", ":"))
    return hashlib.sha256(described.encode()).hexdigest()[:20]
