"""The report of an installation: a step for each thing that it checked."""

from __future__ import annotations

from typing import Literal

from gittraj.frozen import dataclass

What = Literal["state", "hook", "agent", "instruction", "refspec", "key", "config"]
Did = Literal["added", "renewed", "removed", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """``name``: the hook, agent, remote, folder or instruction file; ``text``: the user-visible line without
    it."""

    what: What
    name: str
    did: Did
    text: str
