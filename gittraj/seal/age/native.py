"""age's own keys, which are keys of X25519: ``age1…`` and ``AGE-SECRET-KEY-1…``."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import ClassVar

from gittraj.seal.age.encodings import decode_bech32, encode_base64, encode_bech32
from gittraj.seal.age.errors import HeaderError, KeyFormatError
from gittraj.seal.age.header import Stanza, fields
from gittraj.seal.age.primitives import derive, exchange, public_of, unwrap, wrap

SECRET = "AGE-SECRET-KEY-"  # noqa: S105 - the beginning of such keys
_PUBLIC = "age"
_INFO = b"age-encryption.org/v1/X25519"
_SIZE = 32
ANY = bytes([1]) * _SIZE
"""A dummy secret to check public keys: a key is weak for every secret of X25519, or for none."""


@dataclass(frozen=True, slots=True)
class X25519Recipient:
    public: bytes
    kind: ClassVar[str] = "X25519"

    @classmethod
    def parse(cls, text: str) -> X25519Recipient:
        """Parse a public key. Raises KeyFormatError, also for a weak key: anyone could open its seals."""
        public = key_bytes(text, _PUBLIC, _SIZE)
        try:
            exchange(ANY, public)
        except ValueError:
            raise KeyFormatError("not an age recipient: a weak key") from None
        return cls(public)

    def __str__(self) -> str:
        return encode_bech32(_PUBLIC, self.public)

    @property
    def fingerprint(self) -> str:
        return str(self)

    def wrap(self, file_key: bytes) -> Stanza:
        secret = os.urandom(_SIZE)
        share = public_of(secret)
        key = derive(exchange(secret, self.public), salt=share + self.public, info=_INFO)
        return Stanza(self.kind, (encode_base64(share),), wrap(key, file_key))


@dataclass(frozen=True, slots=True)
class X25519Identity:
    secret: bytes = field(repr=False)
    public: bytes

    @classmethod
    def parse(cls, text: str) -> X25519Identity:
        """Parse a secret key. Raises KeyFormatError."""
        secret = key_bytes(text, SECRET, _SIZE)
        return cls(secret, public_of(secret))

    def recipient(self) -> str:
        return str(X25519Recipient(self.public))

    def unwrap(self, stanza: Stanza) -> bytes | None:
        if stanza.type != X25519Recipient.kind:
            return None
        (share,) = fields(stanza, _SIZE)
        try:
            secret = exchange(self.secret, share)
        except ValueError:
            raise HeaderError("a damaged age header: a weak share") from None
        return unwrap(derive(secret, salt=share + self.public, info=_INFO), stanza.body)


def key_bytes(text: str, prefix: str, size: int) -> bytes:
    """The bytes that a key's text encodes. Raises KeyFormatError."""
    what = "recipient" if prefix.islower() else "secret key"
    try:
        written, data = decode_bech32(text)
    except ValueError as error:
        raise KeyFormatError(f"not an age {what}: {error}") from None
    if written != prefix or len(data) != size:
        raise KeyFormatError(f"not an age {what}: it should be {prefix}1… of {size} bytes")
    return data


def generate() -> str:
    return encode_bech32(SECRET, os.urandom(_SIZE))
