"""What an installation says of itself: one step per thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

What = Literal["state", "hook", "agent", "instruction", "refspec", "key"]
Did = Literal["added", "renewed", "removed", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """``name`` is the hook, the agent, the remote, the folder, or the file that an agent reads; ``text`` the
    line for people without it."""

    what: What
    name: str
    did: Did
    text: str
