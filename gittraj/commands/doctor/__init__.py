"""How git-traj fares in a repository: what ``status`` shows, and what ``doctor`` finds wrong.

It looks, and says what to do. Only a finding's own ``fix`` changes anything, and never a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gittraj.later import later

if TYPE_CHECKING:
    from gittraj.commands.doctor.facts import Facts, LiveSession, gather
    from gittraj.commands.doctor.finding import Finding
    from gittraj.commands.doctor.findings import examine

__all__ = ["Facts", "Finding", "LiveSession", "examine", "gather"]

__getattr__ = later(
    __name__,
    {
        "facts": "Facts LiveSession gather",
        "finding": "Finding",
        "findings": "examine",
    },
)
