"""What an installation says of itself: one step per thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

What = Literal["state", "hook", "refspec"]
Did = Literal["added", "renewed", "removed", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """``name`` is the hook, the remote, or the folder; ``text`` the line for people, without ``name``."""

    what: What
    name: str
    did: Did
    text: str
