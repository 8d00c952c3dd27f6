"""SSH's private keys as identities, in OpenSSH's own format (its PROTOCOL.key).

The public half comes first, in the clear. So the passphrase is requested, and the private half read,
only for a stanza of this key: OpenSSL takes 0.2 s to check a key of RSA.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha512
from importlib.util import find_spec

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from gittraj.seal.age import ssh
from gittraj.seal.age.errors import HeaderError, KeyFormatError, LockedError, UnsupportedError
from gittraj.seal.age.header import Stanza, fields
from gittraj.seal.age.primitives import exchange, unwrap

BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"
_PEM = re.compile(f"{BEGIN}\\s+([A-Za-z0-9+/=\\s]+)-----END OPENSSH PRIVATE KEY-----")
_MAGIC = b"openssh-key-v1\0"


@dataclass(frozen=True, slots=True)
class _Ed25519:
    """An opened key of ed25519; ``secret`` is converted to X25519."""

    public: ssh.Ed25519Recipient
    secret: bytes

    def unwrap(self, share: bytes, body: bytes) -> bytes | None:
        try:
            shared = exchange(self.secret, share)
        except ValueError:
            raise HeaderError("a damaged age header: a weak share") from None
        return unwrap(self.public.wrapping_key(shared, share), body)


@dataclass(frozen=True, slots=True)
class _RSA:
    key: RSAPrivateKey

    def unwrap(self, share: bytes, body: bytes) -> bytes | None:
        """Decrypt the file key; None if the stanza is for another key. RSA's stanzas have no share."""
        try:
            return self.key.decrypt(body, ssh.OAEP_SHA256)
        except ValueError:
            return None


@dataclass(slots=True, eq=False)
class SSHIdentity:
    """A private key of either type. It is opened when it is first needed, and so is not frozen."""

    public: ssh.SSHRecipient
    pem: str = field(repr=False)
    locked: bool
    passphrase: Callable[[], str] | None = field(repr=False)
    _opened: _Ed25519 | _RSA | None = field(default=None, repr=False)

    def recipient(self) -> str:
        return str(self.public)

    def unwrap(self, stanza: Stanza) -> bytes | None:
        """Decrypt the file key; None when the stanza is for another key. Raises LockedError,
        UnsupportedError, or KeyFormatError for a damaged private half."""
        if stanza.type != self.public.kind:
            return None
        if stanza.type == ssh.ED25519:
            tag, share = fields(stanza, 4, 32)
        else:
            (tag,), share = fields(stanza, 4, body=None), b""
        if tag != self.public.tag:
            return None
        if self._opened is None:
            self._opened = self._open()
        return self._opened.unwrap(share, stanza.body)

    def _open(self) -> _Ed25519 | _RSA:
        if not self.locked:
            return _load(self.pem, self.public, None)
        if find_spec("bcrypt") is None:  # reported before anybody types a passphrase
            raise UnsupportedError(
                "an SSH key with a passphrase can't be read without bcrypt", "pip install 'git-traj[ssh]'"
            )
        if self.passphrase is None:
            raise LockedError(f"the passphrase of the SSH key {self.public.fingerprint} is needed")
        return _load(self.pem, self.public, self.passphrase())


def parse(text: str, passphrase: Callable[[], str] | None = None) -> SSHIdentity:
    """Parse a private key. Raises KeyFormatError."""
    pem = text.strip()
    cipher, wire = _outside(pem)
    return SSHIdentity(ssh.read(wire), pem, cipher != b"none", passphrase)


def _outside(pem: str) -> tuple[bytes, bytes]:
    """Read what is not encrypted: the cipher's name and the public key. Raises KeyFormatError."""
    match = _PEM.fullmatch(pem)
    try:
        data = b64decode("".join(match[1].split()), validate=True) if match else b""
        cipher, rest = ssh.string(data.removeprefix(_MAGIC))
        _, rest = ssh.string(rest)  # how a key is derived from the passphrase
        _, rest = ssh.string(rest)  # the options of that derivation
        wire, _ = ssh.string(rest[4:])  # it follows the number of keys, which is always one in OpenSSH
    except ValueError:
        data = cipher = wire = b""
    if not data.startswith(_MAGIC):
        raise KeyFormatError("the OpenSSH private key is damaged")
    return cipher, wire


def _load(pem: str, public: ssh.SSHRecipient, passphrase: str | None) -> _Ed25519 | _RSA:
    """Open the private half. Raises KeyFormatError, LockedError, UnsupportedError."""
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key  # noqa: PLC0415 - 15 ms

    try:
        key = load_ssh_private_key(pem.encode(), None if passphrase is None else passphrase.encode())
    except UnsupportedAlgorithm:
        raise UnsupportedError(
            "an SSH key is encrypted in an unsupported way", "convert it: ssh-keygen -p -f KEY"
        ) from None
    except (ValueError, TypeError, InvalidTag):
        if passphrase is None:
            raise KeyFormatError("the OpenSSH private key is damaged") from None
        raise LockedError(f"the SSH key {public.fingerprint} was not opened: wrong passphrase?") from None
    match key, public:
        case Ed25519PrivateKey(), ssh.Ed25519Recipient():
            secret = sha512(key.private_bytes_raw()).digest()[:32]  # as ed25519 itself derives it
            return _Ed25519(public, secret)
        case RSAPrivateKey(), ssh.RSARecipient():
            return _RSA(key)
    raise KeyFormatError("the OpenSSH private key is damaged: its halves are of different types")
