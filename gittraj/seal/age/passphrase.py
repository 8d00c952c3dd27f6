"""Opens what age sealed with a passphrase, by scrypt: identities files. git-traj seals nothing with one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NoReturn

from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from gittraj.seal.age.errors import HeaderError, KeyFormatError, WorkFactorError
from gittraj.seal.age.header import PASSPHRASE, Stanza, fields
from gittraj.seal.age.primitives import unwrap

LIMIT = 20
"""The highest log2(N), which costs 2 s and 1 GiB on the machine that opens the file. age itself uses 18."""
_LABEL = b"age-encryption.org/v1/scrypt"
_SALT = 16
_NUMBER = re.compile("[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class ScryptIdentity:
    """A passphrase to open with. A file with a greater work factor than ``LIMIT`` is refused before anything
    is computed."""

    passphrase: str = field(repr=False)

    def __post_init__(self) -> None:
        try:
            if self.passphrase.encode():
                return
        except UnicodeEncodeError:
            pass
        raise KeyFormatError("a passphrase must be text, and not empty")

    def recipient(self) -> NoReturn:
        raise KeyFormatError("a passphrase has no public key")

    def unwrap(self, stanza: Stanza) -> bytes | None:
        """Decrypt the file key; None for the stanza of another key. Raises HeaderError, WorkFactorError."""
        if stanza.type != PASSPHRASE:
            return None
        *args, digits = stanza.args or ("",)
        if not _NUMBER.fullmatch(digits):
            raise HeaderError("a damaged age header: the scrypt stanza has no work factor")
        (salt,) = fields(replace(stanza, args=tuple(args)), _SALT)
        if len(digits) > 2 or int(digits) > LIMIT:  # Python's int refuses 5,000 digits
            raise WorkFactorError(
                f"its passphrase asks for a work factor above {LIMIT}: not tried",
                "the person who sealed it can use a lower one",
            )
        return unwrap(_key(self.passphrase, salt, int(digits)), stanza.body)


def _key(passphrase: str, salt: bytes, work_factor: int) -> bytes:
    try:
        return Scrypt(salt=_LABEL + salt, length=32, n=1 << work_factor, r=8, p=1).derive(passphrase.encode())
    except MemoryError:
        raise WorkFactorError("there is not enough memory to try the passphrase") from None
