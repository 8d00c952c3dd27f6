"""SSH's public keys as recipients, as age itself accepts them: ``ssh-ed25519`` and ``ssh-rsa``.

Their stanzas contain 32 bits of the public key's hash, which shows who can read. The rest of a key's line is
dropped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import ClassVar

from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA256

from gittraj.seal.age.encodings import decode_base64, encode_base64
from gittraj.seal.age.errors import KeyFormatError
from gittraj.seal.age.header import Stanza
from gittraj.seal.age.native import ANY
from gittraj.seal.age.primitives import derive, exchange, public_of, wrap

ED25519 = "ssh-ed25519"
RSA = "ssh-rsa"
_INFO = b"age-encryption.org/v1/ssh-ed25519"
OAEP_SHA256 = OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=b"age-encryption.org/v1/ssh-rsa")
_BITS = range(2048, 16384 + 1)  # OpenSSL supports no more
_LONGEST = 4096  # bytes, which is more than such keys need
_PRIME = 2**255 - 19
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME


@dataclass(frozen=True, slots=True)
class _SSHRecipient:
    """A public key; ``wire`` is the key as SSH sends it (RFC 4253, section 6.6)."""

    wire: bytes
    kind: ClassVar[str]

    def __str__(self) -> str:
        return f"{self.kind} {encode_base64(self.wire, padded=True)}"

    @property
    def fingerprint(self) -> str:
        return f"SHA256:{encode_base64(sha256(self.wire).digest())}"

    @property
    def tag(self) -> bytes:
        """The part of the key's hash that a header shows in the clear."""
        return sha256(self.wire).digest()[:4]


@dataclass(frozen=True, slots=True)
class Ed25519Recipient(_SSHRecipient):
    """A key of ed25519; ``point`` is the key converted to X25519."""

    point: bytes = field(repr=False)
    kind: ClassVar[str] = ED25519

    def wrap(self, file_key: bytes) -> Stanza:
        secret = os.urandom(32)
        share = public_of(secret)
        key = self.wrapping_key(exchange(secret, self.point), share)
        return Stanza(self.kind, (encode_base64(self.tag), encode_base64(share)), wrap(key, file_key))

    def wrapping_key(self, secret: bytes, share: bytes) -> bytes:
        """Derive the key that wraps a file key from the shared ``secret``. The tweak binds it to this SSH
        key, and not only to its point."""
        tweak = derive(b"", salt=self.wire, info=_INFO)
        return derive(exchange(tweak, secret), salt=share + self.point, info=_INFO)


@dataclass(frozen=True, slots=True)
class RSARecipient(_SSHRecipient):
    key: RSAPublicKey = field(repr=False, compare=False)
    kind: ClassVar[str] = RSA

    def wrap(self, file_key: bytes) -> Stanza:
        return Stanza(self.kind, (encode_base64(self.tag),), self.key.encrypt(file_key, OAEP_SHA256))


SSHRecipient = Ed25519Recipient | RSARecipient


def parse(text: str) -> SSHRecipient:
    """Parse a line of ``*.pub``; text after the key is ignored. Raises KeyFormatError."""
    kind, encoded, *_ = [*text.split(), "", ""]
    try:
        wire = decode_base64(encoded, padded=True)
    except ValueError:
        raise KeyFormatError("not an SSH key: its base64 is damaged") from None
    key = read(wire)
    if key.kind != kind:
        raise KeyFormatError("not an SSH key: the type on its line differs from the one in its data")
    return key


def read(wire: bytes) -> SSHRecipient:
    """Parse a key in SSH's wire form. Raises KeyFormatError with the reason."""
    try:
        kind, *parts = _strings(wire[:_LONGEST])
    except ValueError:
        raise KeyFormatError("not an SSH key: its data is cut off") from None
    match kind, parts:
        case b"ssh-ed25519", [key] if len(key) == 32:
            return Ed25519Recipient(wire, _montgomery(key))
        case b"ssh-rsa", [exponent, modulus]:
            return RSARecipient(wire, _rsa(exponent, modulus))
        case ((b"ssh-ed25519" | b"ssh-rsa"), _):
            raise KeyFormatError("not an SSH key: its data is damaged")
    raise KeyFormatError("an SSH key of another type: age knows ssh-ed25519 and ssh-rsa")


def string(data: bytes) -> tuple[bytes, bytes]:
    """Read one of SSH's strings, each of which follows its length (RFC 4251, section 5). Returns the string
    and the data after it. Raises ValueError when it is cut off."""
    end = 4 + int.from_bytes(data[:4])
    if len(data) < end or len(data) < 4:
        raise ValueError("cut off")
    return data[4:end], data[end:]


def _strings(data: bytes) -> Iterator[bytes]:
    while data:
        first, data = string(data)
        yield first


def _montgomery(key: bytes) -> bytes:
    """Convert a point of Ed25519 to X25519: u = (1 + y) / (1 - y) (RFC 7748, section 4.1). Raises
    KeyFormatError if the key is not a point, or is a weak one, for which anyone could open a seal."""
    y = int.from_bytes(key, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _PRIME) % _PRIME  # x², by the curve's equation
    if y >= _PRIME or y == 1 or (square and pow(square, (_PRIME - 1) // 2, _PRIME) != 1):
        raise KeyFormatError("not an SSH key: its data is not a point on ed25519")
    point = ((1 + y) * pow(1 - y, -1, _PRIME) % _PRIME).to_bytes(32, "little")
    try:
        exchange(ANY, point)
    except ValueError:
        raise KeyFormatError(
            "a weak SSH key: anybody could open what is sealed for it; make a new one"
        ) from None
    return point


def _rsa(exponent: bytes, modulus: bytes) -> RSAPublicKey:
    e, n = int.from_bytes(exponent), int.from_bytes(modulus)
    for number, data in ((e, exponent), (n, modulus)):
        if number.to_bytes(number.bit_length() // 8 + 1) != data:  # with a leading 0 bit, and no more
            raise KeyFormatError("not an SSH key: its data is damaged")
    if n.bit_length() not in _BITS:
        raise KeyFormatError(
            f"an SSH key of RSA with {n.bit_length()} bits: it must have from {_BITS[0]} to {_BITS[-1]}",
            "use an ssh-ed25519 key, or age's own",
        )
    try:
        key = RSAPublicNumbers(e, n).public_key()
        key.encrypt(bytes(16), OAEP_SHA256)  # OpenSSL checks some numbers only here
    except ValueError:
        raise KeyFormatError("not an SSH key: the numbers in its data are not an RSA key") from None
    return key
