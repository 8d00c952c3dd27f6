"""Post-quantum keys of ML-KEM-768 with X25519: ``age1pq…`` and ``AGE-SECRET-KEY-PQ-1…``.

They need ``cryptography`` 47, built on a library that has ML-KEM, as its wheels are. Without that, importing
this module raises ImportError. Only ``keys`` imports it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from hashlib import sha256, shake_256
from typing import ClassVar

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import (
    AEAD,
    KDF,
    KEM,
    MLKEM768X25519PrivateKey,
    MLKEM768X25519PublicKey,
    Suite,
)

from gittraj.seal.age.encodings import encode_base64, encode_bech32
from gittraj.seal.age.errors import HeaderError, KeyFormatError
from gittraj.seal.age.header import HYBRID, Stanza, fields
from gittraj.seal.age.native import ANY, key_bytes
from gittraj.seal.age.primitives import exchange

SECRET = "AGE-SECRET-KEY-PQ-"  # noqa: S105 - the beginning of such keys
PUBLIC = "age1pq"
_INFO = b"age-encryption.org/mlkem768x25519"
_SEED = 32
_LATTICE = 1184  # ML-KEM-768's public key; X25519's 32 bytes follow
_CURVE = 32
_SHARE = 1120  # ML-KEM-768's ciphertext; 32 bytes of X25519 follow
_SUITE = Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)

try:
    MLKEM768PrivateKey.from_seed_bytes(bytes(64))
except UnsupportedAlgorithm as error:
    raise ImportError("cryptography has no ML-KEM here") from error


@dataclass(frozen=True, slots=True)
class HybridRecipient:
    public: bytes
    kind: ClassVar[str] = HYBRID

    @classmethod
    def parse(cls, text: str) -> HybridRecipient:
        """Parse a public key. Raises KeyFormatError, also for a weak key: anyone could open its seals."""
        parsed = cls(key_bytes(text, PUBLIC, _LATTICE + _CURVE))
        try:
            exchange(ANY, parsed.public[_LATTICE:])
            parsed._key()
        except ValueError:
            raise KeyFormatError("not an age recipient: a weak key") from None
        return parsed

    def __str__(self) -> str:
        return encode_bech32(PUBLIC, self.public)

    @property
    def fingerprint(self) -> str:
        """The hash of the line, which has 1,959 characters: ``printf %s age1pq… | sha256sum`` in base64."""
        return f"SHA256:{encode_base64(sha256(str(self).encode()).digest())}"

    def wrap(self, file_key: bytes) -> Stanza:
        sealed = _SUITE.encrypt(file_key, self._key(), _INFO)
        return Stanza(self.kind, (encode_base64(sealed[:_SHARE]),), sealed[_SHARE:])

    def _key(self) -> MLKEM768X25519PublicKey:
        return MLKEM768X25519PublicKey(
            MLKEM768PublicKey.from_public_bytes(self.public[:_LATTICE]),
            X25519PublicKey.from_public_bytes(self.public[_LATTICE:]),
        )


@dataclass(frozen=True, slots=True)
class HybridIdentity:
    lattice: MLKEM768PrivateKey = field(repr=False)
    curve: X25519PrivateKey = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> HybridIdentity:
        """Derive both halves of a key from its seed, as in X-Wing (draft-connolly-cfrg-xwing-kem). Raises
        KeyFormatError."""
        both = shake_256(key_bytes(text, SECRET, _SEED)).digest(96)
        return cls(
            MLKEM768PrivateKey.from_seed_bytes(both[:64]), X25519PrivateKey.from_private_bytes(both[64:])
        )

    def recipient(self) -> str:
        halves = self.lattice.public_key().public_bytes_raw(), self.curve.public_key().public_bytes_raw()
        return str(HybridRecipient(b"".join(halves)))

    def unwrap(self, stanza: Stanza) -> bytes | None:
        if stanza.type != HYBRID:
            return None
        (share,) = fields(stanza, _SHARE)
        try:
            exchange(ANY, share[-_CURVE:])  # HPKE only reports that such a share does not fit
        except ValueError:
            raise HeaderError("a damaged age header: a weak share") from None
        try:
            return _SUITE.decrypt(
                share + stanza.body, MLKEM768X25519PrivateKey(self.lattice, self.curve), _INFO
            )
        except InvalidTag:
            return None


def generate() -> str:
    return encode_bech32(SECRET, os.urandom(_SEED))
