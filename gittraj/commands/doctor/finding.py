"""One thing that a check found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Literal

from gittraj.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``wrong`` needs somebody to do something, a ``note`` is good to know. ``code`` is stable, for scripts.

    ``fix``, where there is one, is safe: it loses nothing and can be repeated. It may raise TrajError.
    """

    code: str
    text: str
    remedy: str
    severity: Literal["wrong", "note"] = "wrong"
    fix: Callable[[], object] | None = field(default=None, repr=False, compare=False)
