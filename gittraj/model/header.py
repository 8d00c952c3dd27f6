"""What docs/json.md calls HEADER, a trajectory as commands show it, and the objects in it: by field."""

from __future__ import annotations

from typing import Any

Header = dict[str, Any]
