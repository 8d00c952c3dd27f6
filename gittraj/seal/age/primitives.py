"""What every type of key shares: HKDF-SHA-256, X25519, and the file key under another key."""

from __future__ import annotations

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FILE_KEY = 16  # bytes
_NONCE = bytes(12)  # every wrapping key is used once


def derive(secret: bytes, *, salt: bytes, info: bytes) -> bytes:
    """32 bytes."""
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def public_of(secret: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def exchange(secret: bytes, public: bytes) -> bytes:
    """What both sides know. Raises ValueError for a ``public`` with which everybody would know it: zeros."""
    return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))


def wrap(key: bytes, file_key: bytes) -> bytes:
    return ChaCha20Poly1305(key).encrypt(_NONCE, file_key, None)


def unwrap(key: bytes, body: bytes) -> bytes | None:
    """None when it was wrapped with another key."""
    try:
        return ChaCha20Poly1305(key).decrypt(_NONCE, body, None)
    except InvalidTag:
        return None
