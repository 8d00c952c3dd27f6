"""The user's program for summaries; how often it was asked today, and for which parts: ``summaries.json`` of
the local state.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from gittraj import limits
from gittraj.errors import FormatError, TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.model.codec import from_json, to_json
from gittraj.state.folder import LocalState

_FILE = "summaries.json"
_REMEMBERED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarizer:
    """The user's program for summaries, and how often a day it may be asked on its own. ``source`` is git's
    scope."""

    command: str
    source: str
    runs_a_day: int = 20


def read_summarizer(repository: Repository) -> Summarizer | None:
    """The program that is set, if any. A repository's own configuration does not count: it may have come with
    a copied folder, and would start a program. Raises TrajError."""
    found = repository.settings(r"traj\.summar")
    own = {s.key: (s.scope, s.value) for s in found if s.scope in ("global", "system")}
    scope, command = own.get("traj.summarizer", ("", ""))
    _, runs = own.get("traj.summariesaday", ("", "20"))
    if not (runs.isascii() and runs.isdigit() and len(runs) < limits.SETTING_DIGITS):
        raise TrajError(f"git config traj.summariesADay is '{runs}'", "it can be a number")
    return Summarizer(command=command, source=scope, runs_a_day=int(runs)) if command else None


@dataclass(frozen=True, slots=True)
class Runs:
    """The ``number`` of runs on ``day``; the parts ``tried``; why the last run ``failed``."""

    day: str
    number: int = 0
    tried: tuple[str, ...] = ()
    failed: str | None = None

    def with_try(self, name: str) -> Runs:
        tried = (*self.tried, name)[-_REMEMBERED:]
        return replace(self, number=self.number + 1, tried=tried)


def load_runs(local: LocalState) -> Runs:
    """Today's runs. A damaged file counts as missing."""
    today = datetime.now(UTC).date().isoformat()
    try:
        known = from_json(Runs, local.read(_FILE))
    except FormatError:
        return Runs(day=today)
    return known if known.day == today else replace(known, day=today, number=0)


def save_runs(local: LocalState, runs: Runs) -> None:
    """Raises StoreError."""
    local.write(_FILE, to_json(runs))
