"""Writes and reads the content of a seal: an age file of gzipped JSON, bound to its trajectory and events.

The JSON is ``{"git-traj": 1, "trajectory": ID, "blocks": {event: text}}``. It is compressed, because git
cannot compress encrypted data, then padded with zeros to a Padmé size, so that its length reveals little.
``age -d -i KEY | gunzip`` opens it without git-traj. age does not authenticate a sender, so a seal must never
be called verified.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gittraj.errors import SealError
from gittraj.seal.age import Identity, Recipient, decrypt, encrypt

_FLOOR = 1024
"""The number of bytes to which all short texts are padded."""
_INFLATED = 16_000_000
"""The maximum number of bytes that a payload may inflate to; git-traj writes a hundredth of that."""
_GZIP = 31  # zlib's window bits for a gzip header


def seal(recipients: Sequence[Recipient], trajectory: str, texts: Mapping[str, str]) -> tuple[str, bytes]:
    """Encrypt ``texts`` (event: text) for ``recipients`` into a header and a payload, which are different
    each time. Raises SealError."""
    value = {"git-traj": 1, "trajectory": trajectory, "blocks": dict(texts)}
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    squeezed = gzip.compress(body, mtime=0)
    return encrypt(squeezed.ljust(padded(len(squeezed)), b"\0"), recipients)


def unseal(
    trajectory: str, events: Collection[str], header: str, payload: bytes, identities: Sequence[Identity]
) -> dict[str, str]:
    """Decrypt a seal; return its texts by event. Raises SealError if it is from another trajectory or other
    events, or was tampered with; NoMatch if no key fits."""
    value = _unpack(decrypt(header, payload, identities))
    blocks = value.get("blocks") if isinstance(value, dict) else None
    if not isinstance(blocks, dict) or value.get("git-traj") != 1:
        raise SealError("a seal does not contain git-traj's thinking")
    if value.get("trajectory") != trajectory or blocks.keys() != set(events):
        raise SealError(f"{trajectory}: a seal does not belong to its events")
    if not all(isinstance(text, str) for text in blocks.values()):
        raise SealError("a seal has a value that is not a string")
    return blocks


def padded(length: int) -> int:
    """Return the length with Padmé's padding, which reveals O(log log) bits of the length and adds at most
    12 % (Nikitin et al., PETS 2019, section 4)."""
    if length <= _FLOOR:
        return _FLOOR
    exponent = length.bit_length() - 1
    mask = (1 << (exponent - exponent.bit_length())) - 1
    return (length + mask) & ~mask


def _unpack(squeezed: bytes) -> Any:
    stream = zlib.decompressobj(_GZIP)
    try:
        body = stream.decompress(squeezed, _INFLATED)
        if not stream.eof or stream.unused_data.strip(b"\0"):
            raise SealError("a seal contains too much text, or too little")
        return json.loads(body)
    except (zlib.error, ValueError, RecursionError):
        raise SealError("a seal does not contain git-traj's thinking") from None
