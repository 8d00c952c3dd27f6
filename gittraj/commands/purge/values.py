"""Decides which texts a purge removes: named ones, those of a finding, or all that the rules match."""

from __future__ import annotations

from collections.abc import Sequence

from gittraj.commands.purge.search import PurgeTarget
from gittraj.commands.redact import audit, values_of
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.pipeline import Pipeline
from gittraj.redact import OnlyValues
from gittraj.state.folder import LocalState

_SHORTEST = 4
"""The minimum number of characters of a text to purge: a shorter one would match parts of ordinary words."""


def check_values(values: Sequence[str]) -> list[str]:
    """Return the values that are not empty. Raises TrajError if all are empty, or one is too short."""
    checked = [value for value in values if value]
    if not checked or any(len(value) < _SHORTEST for value in checked):
        raise TrajError(
            f"the text to purge must be at least {_SHORTEST} characters long", "git traj redact --purge -"
        )
    return checked


def choose_target(
    repository: Repository,
    *,
    values: Sequence[str] | None,
    finding: str | None,
    environ: Environ,
) -> PurgeTarget:
    """Return what to purge: the values of the audit's ``finding`` if it is given, else ``values``, else all
    that the rules match. Raises TrajError for an unknown finding."""
    local = LocalState.of(repository)
    local.create()
    pipeline = make_pipeline(repository, read_config(repository), environ)
    if finding is not None:
        values = _values_of_finding(pipeline, finding)
    if values is None:
        paths = pipeline.config.strict
        return PurgeTarget(redactor=pipeline.redactor, paths=paths, remember=pipeline.remember)
    only = OnlyValues(values, key=local.key())
    return PurgeTarget(redactor=lambda: only, contains=only.contains, remember=pipeline.remember)


def _values_of_finding(pipeline: Pipeline, finding: str) -> list[str]:
    leak = next((each for each in audit(pipeline).leaks if each.finding == finding), None)
    if leak is None:
        raise TrajError(f"there is no finding '{finding}'", "git traj redact --audit lists them")
    return check_values(sorted(values_of(pipeline, leak)))
