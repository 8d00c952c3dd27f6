"""Finds the keys of a reader whom the user names: by a key, a file with one, or a GitHub account."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from gittraj.errors import SealError
from gittraj.seal.readers import Reader, parse_reader

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_LARGEST = 100_000  # bytes
_TIMEOUT = 10.0  # seconds


def fetch_readers(name: str, server: str = "https://github.com") -> tuple[list[Reader], list[str]]:
    """Fetch the keys of a GitHub account. Returns those that can be used, and the reasons why the others
    cannot; raises SealError if no key can. ``https://github.com/NAME.keys`` has one public key on each
    line."""
    if not _NAME.fullmatch(name):
        raise SealError(f"'{name}' is not a GitHub user name")
    address = f"{server.rstrip('/')}/{name}.keys"
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310 - http only if a server says so
            body = answer.read(_LARGEST).decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        why = "there is no such user" if error.code == 404 else f"it answered {error.code}"
        raise SealError(f"{address}: {why}") from None
    except (OSError, ValueError) as error:
        raise SealError(f"{address} could not be reached: {getattr(error, 'reason', error)}") from None
    readers, refused = [], []
    for line in filter(None, map(str.strip, body.splitlines())):
        try:
            readers.append(parse_reader(line, f"github:{name}"))
        except SealError as error:
            refused.append(f"{line.split()[0]}: {error.message}")
    if not readers:
        raise SealError(f"{name} has no key on GitHub that can be sealed for", "; ".join(refused) or None)
    return readers, refused


_GITHUB = "github:"


def resolve_readers(name: str, *, comment: str, server: str) -> tuple[Sequence[Reader], Sequence[str]]:
    """Return the readers that ``name`` stands for (a key, a ``.pub`` file, or ``github:NAME`` on ``server``),
    and why other keys of the account cannot be used. Raises SealError, OSError."""
    if name.startswith(_GITHUB):
        return fetch_readers(name.removeprefix(_GITHUB), server)
    line = Path(name).read_text("utf-8", "replace").strip() if name.endswith(".pub") else name
    return [parse_reader(line, comment)], ()
