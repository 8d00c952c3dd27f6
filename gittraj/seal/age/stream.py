"""The payload: chunks of 64 KiB, each authenticated with its place and whether it is the last one.

All or nothing: no chunk is given away before all of them proved right.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from gittraj.seal.age.errors import PayloadError
from gittraj.seal.age.header import NONCE
from gittraj.seal.age.primitives import derive

_CHUNK = 1 << 16
_TAG = 16


def seal(file_key: bytes, plaintext: bytes) -> bytes:
    """``file_key`` must seal nothing else."""
    nonce = os.urandom(NONCE)
    cipher = _cipher(file_key, nonce)
    chunks = _chunks(memoryview(plaintext), _CHUNK)
    return b"".join([nonce, *(cipher.encrypt(number, chunk, None) for number, chunk in chunks)])


def unseal(file_key: bytes, payload: bytes) -> bytes:
    """Raises PayloadError."""
    cipher = _cipher(file_key, payload[:NONCE])
    chunks = list(_chunks(memoryview(payload)[NONCE:], _CHUNK + _TAG))
    if len(chunks) > 1 and len(chunks[-1][1]) == _TAG:
        raise PayloadError("a damaged age file: its last chunk is empty")
    try:
        return b"".join([cipher.decrypt(number, chunk, None) for number, chunk in chunks])
    except InvalidTag:
        raise PayloadError("a damaged age file: its payload was changed, or is another file's") from None


def _cipher(file_key: bytes, nonce: bytes) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(derive(file_key, salt=nonce, info=b"payload"))


def _chunks(data: memoryview, size: int) -> Iterator[tuple[bytes, memoryview]]:
    """With the nonces that are their numbers. What is empty is one empty chunk."""
    last = max(len(data) - 1, 0) // size
    for i in range(last + 1):
        yield i.to_bytes(11) + bytes([i == last]), data[i * size : (i + 1) * size]
