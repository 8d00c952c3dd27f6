"""Checks that enough commits have a record; off by default. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from github_action.reporting import coverage
from github_action.settings import Settings
from gittraj.query.change import Change


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of the check. ``fails``: whether the job fails; ``line``: the annotation for the job's page,
    if any."""

    fails: bool = False
    line: str | None = None


def check_coverage(change: Change, labels: Collection[str], settings: Settings) -> Verdict:
    if settings.require == "off":
        return Verdict()
    share = coverage(change)
    if share >= settings.coverage:
        return Verdict()
    line = f"{int(share)} % of the commits have a trajectory; {settings.coverage:g} % is required"
    if settings.bypass and settings.bypass in labels:
        return Verdict(line=f"{line}; allowed by the label '{settings.bypass}'")
    return Verdict(fails=settings.require == "fail", line=line)
