"""The event's payload (``GITHUB_EVENT_PATH``). Each value is validated when it is read.

The server made the payload, but it contains names that people chose, such as those of branches.
https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from github_action.errors import EventError

_SHA = re.compile(r"[0-9a-f]{40}")
_REPOSITORY = re.compile(r"[\w.-]+(?:/[\w.-]+)+", re.ASCII)
_LIMIT = 1 << 25  # bytes; GitHub's own are at most 25 MB


@dataclass(frozen=True, slots=True)
class Payload:
    """Reads values by name; a name is a dotted path. A missing value is None; a value of another type raises
    EventError."""

    value: dict[str, Any]

    @classmethod
    def read(cls, path: Path | None) -> Payload:
        """Read the file. Raises EventError."""
        if path is None:
            raise EventError("GITHUB_EVENT_PATH is not set", "run this in a workflow of GitHub Actions")
        try:
            with path.open("rb") as file:
                value = json.loads(file.read(_LIMIT))
        except (OSError, ValueError, RecursionError):
            raise EventError("the event cannot be read: GITHUB_EVENT_PATH is not a JSON file") from None
        if not isinstance(value, dict):
            raise EventError("the event cannot be read: it is not a JSON object")
        return cls(value)

    def sha(self, name: str) -> str | None:
        return self._matching(name, _SHA)

    def repository(self, name: str) -> str | None:
        """A repository as OWNER/NAME; on GitLab it may have more parts."""
        return self._matching(name, _REPOSITORY)

    def text(self, name: str) -> str | None:
        value = self._find(name)
        if value is not None and not isinstance(value, str):
            raise _unexpected(name)
        return value

    def number(self, name: str) -> int | None:
        value = self._find(name)
        if value is not None and (type(value) is not int or value < 1):
            raise _unexpected(name)
        return value

    def flag(self, name: str) -> bool:
        return self._find(name) is True

    def _matching(self, name: str, pattern: re.Pattern[str]) -> str | None:
        value = self.text(name)
        if value is not None and not pattern.fullmatch(value):
            raise _unexpected(name)
        return value

    def _find(self, name: str) -> Any:
        value: Any = self.value
        for part in name.split("."):
            if not isinstance(value, dict):
                return None
            value = value.get(part)
        return value


def _unexpected(name: str) -> EventError:
    return EventError(f"the event's {name} has an unexpected value")
