"""The cryptography that all types of keys share: HKDF-SHA-256, X25519, and wrapping a file key with another
key. Also encrypts and decrypts payloads.

A payload consists of chunks of 64 KiB, each authenticated with its number and whether it is the last one. No
chunk is returned before all of them are verified.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from gittraj.seal.age.errors import PayloadError
from gittraj.seal.age.header import NONCE

FILE_KEY = 16  # bytes
_NONCE = bytes(12)  # always the same, because every wrapping key is used only once


def derive(secret: bytes, *, salt: bytes, info: bytes) -> bytes:
    """Derive a key of 32 bytes."""
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def public_of(secret: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def exchange(secret: bytes, public: bytes) -> bytes:
    """Compute the shared secret. Raises ValueError for a weak ``public`` key, which would make it zeros."""
    return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))


def wrap(key: bytes, file_key: bytes) -> bytes:
    return ChaCha20Poly1305(key).encrypt(_NONCE, file_key, None)


def unwrap(key: bytes, body: bytes) -> bytes | None:
    """Decrypt the file key; None when it was wrapped with another key."""
    try:
        return ChaCha20Poly1305(key).decrypt(_NONCE, body, None)
    except InvalidTag:
        return None


_CHUNK = 1 << 16
_TAG = 16


def seal_payload(file_key: bytes, plaintext: bytes) -> bytes:
    """Encrypt the payload; ``file_key`` must not encrypt anything else."""
    nonce = os.urandom(NONCE)
    cipher = _cipher(file_key, nonce)
    chunks = _chunks(memoryview(plaintext), _CHUNK)
    return b"".join([nonce, *(cipher.encrypt(number, chunk, None) for number, chunk in chunks)])


def unseal_payload(file_key: bytes, payload: bytes) -> bytes:
    """Decrypt the payload. Raises PayloadError."""
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
    """Yield (nonce, chunk). The nonce is the chunk's number and whether it is the last. Empty data is one
    empty chunk."""
    last = max(len(data) - 1, 0) // size
    for i in range(last + 1):
        yield i.to_bytes(11) + bytes([i == last]), data[i * size : (i + 1) * size]
