"""The type of a HEADER (docs/json.md), a trajectory as commands show it, and of the objects in it."""

from __future__ import annotations

from typing import Any

Header = dict[str, Any]
