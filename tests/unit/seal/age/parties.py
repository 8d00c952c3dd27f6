"""Keys of every type, generated at run time."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from gittraj.seal import age
from gittraj.seal.age.encodings import encode_base64
from gittraj.seal.age.header import Stanza
from gittraj.seal.age.passphrase import _key
from gittraj.seal.age.primitives import wrap

KINDS = ("X25519", "ssh-ed25519", "ssh-rsa", "mlkem768x25519")
CLASSIC = KINDS[:3]


@dataclass(frozen=True, slots=True)
class Party:
    """``public`` is a line of a recipients file, ``secret`` an identities file."""

    public: str
    secret: str

    @property
    def recipient(self) -> age.Recipient:
        return age.parse_recipient(self.public)

    @property
    def identity(self) -> age.Identity:
        return age.parse_identity(self.secret)


@cache
def party(kind: str, name: str = "alice") -> Party:
    """Return the party called ``name``, always the same one for the same name."""
    if kind.startswith("ssh-"):
        return ssh_party(_generate(kind))
    secret = age.generate_identity(post_quantum=kind == "mlkem768x25519")
    return Party(age.parse_identity(secret).recipient(), f"{secret}\n")


def ssh_party(key: Ed25519PrivateKey | RSAPrivateKey, passphrase: str | None = None) -> Party:
    lock = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return Party(public.decode(), key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, lock).decode())


def _generate(kind: str, bits: int = 2048) -> Ed25519PrivateKey | RSAPrivateKey:
    return Ed25519PrivateKey.generate() if kind == "ssh-ed25519" else generate_private_key(65537, bits)


class Sealed(NamedTuple):
    """A sealed file; ``bytes()`` of it is the age file."""

    header: str
    payload: bytes

    def __bytes__(self) -> bytes:
        return self.header.encode() + self.payload


def encrypt(text: bytes, recipients: Sequence[age.Recipient]) -> Sealed:
    return Sealed(*age.encrypt(text, recipients))


def seal_of(*kinds: str, text: bytes = b"attack at dawn") -> Sealed:
    """Seal a text for alice's key of each kind."""
    return encrypt(text, [party(kind).recipient for kind in kinds])


@dataclass(frozen=True, slots=True)
class Phrase:
    """A passphrase to seal with, as ``age -p`` does; git-traj only opens such files. ``work_factor`` is
    log2(N)."""

    passphrase: str
    work_factor: int = 2
    kind: ClassVar[str] = "scrypt"
    fingerprint: ClassVar[str] = "a passphrase"

    def wrap(self, file_key: bytes) -> Stanza:
        salt = os.urandom(16)
        body = wrap(_key(self.passphrase, salt, self.work_factor), file_key)
        return Stanza(self.kind, (encode_base64(salt), str(self.work_factor)), body)


def armor(file: bytes) -> str:
    """Return the text form of a file, as ``age -a`` writes it."""
    text = b64encode(file).decode()
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN AGE ENCRYPTED FILE-----", *lines, "-----END AGE ENCRYPTED FILE-----", ""])
