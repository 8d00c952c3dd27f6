"""Reads which program the user set for summaries; and keeps, in ``summaries.json`` of the local state, how
often it ran today and for which parts.
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
_TRIED_LIMIT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarizer:
    """The user's program for summaries, and how often per day the worker may run it. ``source`` is the scope
    of git's configuration that names it."""

    command: str
    source: str
    runs_a_day: int = 20


def read_summarizer(repository: Repository) -> Summarizer | None:
    """Return the program that is set, if any. A repository's own configuration does not count: it may have
    come with a copied folder, and would start a program. Raises TrajError."""
    repository.forget_settings()
    all_settings = repository.settings(r"traj\.summar")
    settings = {s.key: (s.scope, s.value) for s in all_settings if s.scope in ("global", "system")}
    scope, command = settings.get("traj.summarizer", ("", ""))
    _, runs = settings.get("traj.summariesaday", ("", "20"))
    if not (runs.isascii() and runs.isdigit() and len(runs) < limits.SETTING_DIGITS):
        raise TrajError(f"git config traj.summariesADay is '{runs}'", "set it to a number")
    return Summarizer(command=command, source=scope, runs_a_day=int(runs)) if command else None


@dataclass(frozen=True, slots=True)
class Runs:
    """The ``number`` of runs on ``day``, the parts that were ``tried``, and why the last run ``failed``."""

    day: str
    number: int = 0
    tried: tuple[str, ...] = ()
    failed: str | None = None

    def with_try(self, name: str) -> Runs:
        tried = (*self.tried, name)[-_TRIED_LIMIT:]
        return replace(self, number=self.number + 1, tried=tried)


def load_runs(local: LocalState) -> Runs:
    """Return today's runs. A damaged file counts as missing."""
    today = datetime.now(UTC).date().isoformat()
    try:
        runs = from_json(Runs, local.read(_FILE))
    except FormatError:
        return Runs(day=today)
    return runs if runs.day == today else replace(runs, day=today, number=0)


def save_runs(local: LocalState, runs: Runs) -> None:
    """Store ``runs``. Raises StoreError."""
    local.write(_FILE, to_json(runs))
