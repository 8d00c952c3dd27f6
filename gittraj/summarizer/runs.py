"""How often the program was asked today, and what of: ``summaries.json`` of the local state."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from gittraj.frozen import dataclass
from gittraj.state.folder import LocalState

_FILE = "summaries.json"
_REMEMBERED = 500


@dataclass(frozen=True, slots=True)
class Runs:
    """``number`` of them on ``day``; the parts ``tried``; why the last one ``failed``."""

    day: str
    number: int = 0
    tried: tuple[str, ...] = ()
    failed: str | None = None

    def with_try(self, name: str) -> Runs:
        tried = (*self.tried, name)[-_REMEMBERED:]
        return replace(self, number=self.number + 1, tried=tried)


def load_runs(local: LocalState) -> Runs:
    """Of today. A damaged file counts as none."""
    today = datetime.now(UTC).date().isoformat()
    found = local.read(_FILE)
    known: dict[str, Any] = found if isinstance(found, dict) else {}
    tried, number, failed = known.get("tried"), known.get("number"), known.get("failed")
    return Runs(
        day=today,
        number=number if isinstance(number, int) and known.get("day") == today else 0,
        tried=tuple(map(str, tried)) if isinstance(tried, list) else (),
        failed=failed if isinstance(failed, str) else None,
    )


def save_runs(local: LocalState, runs: Runs) -> None:
    """Raises StoreError."""
    local.write(
        _FILE, {"day": runs.day, "number": runs.number, "tried": [*runs.tried], "failed": runs.failed}
    )
