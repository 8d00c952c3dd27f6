"""Resolves what the user names as a reader of sealed thinking: a key, a file of one, a GitHub account."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gittraj.seal.github import fetch_readers
from gittraj.seal.readers import Reader, parse_reader

_GITHUB = "github:"


def resolve_readers(name: str, *, comment: str, server: str) -> tuple[Sequence[Reader], Sequence[str]]:
    """The readers of ``name`` (a key, a ``.pub`` file or ``github:NAME`` on ``server``), and why other keys
    of the account cannot be used. Raises SealError, OSError."""
    if name.startswith(_GITHUB):
        return fetch_readers(name.removeprefix(_GITHUB), server)
    line = Path(name).read_text("utf-8", "replace").strip() if name.endswith(".pub") else name
    return [parse_reader(line, comment)], ()
