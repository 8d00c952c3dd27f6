"""A comment on a pull request, whatever its host."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """``author``: the login, with ``[bot]`` for apps."""

    id: int
    author: str
    body: str
    url: str
