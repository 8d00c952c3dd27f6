"""Whether enough commits carry a record: off unless somebody asks for it. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from github_action.reporting import coverage
from github_action.settings import Settings
from gittraj.query.change import Change


@dataclass(frozen=True, slots=True)
class Verdict:
    """``fails``: whether the job is to be red; ``line`` for its page, None where there is nothing to say."""

    fails: bool = False
    line: str | None = None


def judge(change: Change, labels: Collection[str], settings: Settings) -> Verdict:
    if settings.require == "off":
        return Verdict()
    share = coverage(change)
    if share >= settings.coverage:
        return Verdict()
    told = f"{share:.0f} % of the commits carry a trajectory, {settings.coverage:g} % are asked for"
    if settings.bypass and settings.bypass in labels:
        return Verdict(line=f"{told}; the label lets it pass")
    return Verdict(fails=settings.require == "fail", line=told)
