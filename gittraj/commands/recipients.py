"""Resolves what the user names as a reader of sealed thinking: a key, a file of one, a GitHub account."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gittraj.seal.github import fetch_readers
from gittraj.seal.readers import Reader, parse_reader

_GITHUB = "github:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The readers of one name; ``refused``: why other keys of the account cannot be used."""

    readers: tuple[Reader, ...]
    refused: tuple[str, ...] = ()


def resolve_readers(name: str, *, comment: str, server: str) -> Resolved:
    """``name``: a key, a ``.pub`` file or ``github:NAME`` on ``server``. Raises SealError, OSError."""
    if name.startswith(_GITHUB):
        readers, refused = fetch_readers(name.removeprefix(_GITHUB), server)
        return Resolved(readers=tuple(readers), refused=tuple(refused))
    line = Path(name).read_text("utf-8", "replace").strip() if name.endswith(".pub") else name
    return Resolved(readers=(parse_reader(line, comment),))
