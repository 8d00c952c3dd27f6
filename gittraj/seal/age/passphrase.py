"""Seals and opens with a passphrase, by scrypt. age allows a passphrase only as a file's single reader."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import ClassVar, NoReturn

from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from gittraj.seal.age.encodings import encode_base64
from gittraj.seal.age.errors import HeaderError, KeyFormatError, WorkFactorError
from gittraj.seal.age.header import PASSPHRASE, Stanza, fields
from gittraj.seal.age.primitives import unwrap, wrap

LIMIT = 20
"""The highest log2(N), which costs 2 s and 1 GiB on the machine that opens the file. age itself uses 18."""
_LABEL = b"age-encryption.org/v1/scrypt"
_SALT = 16
_NUMBER = re.compile("[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class ScryptRecipient:
    """A passphrase to seal with. ``work_factor`` is log2(N): one more doubles time and memory."""

    passphrase: str = field(repr=False)
    work_factor: int = field(default=18, kw_only=True)
    kind: ClassVar[str] = PASSPHRASE

    def __post_init__(self) -> None:
        _check(self.passphrase)
        if not 1 <= self.work_factor <= LIMIT:
            raise WorkFactorError(f"a work factor is from 1 to {LIMIT}")

    def __str__(self) -> str:
        return "a passphrase"

    @property
    def fingerprint(self) -> str:
        return str(self)

    def wrap(self, file_key: bytes) -> Stanza:
        salt = os.urandom(_SALT)
        body = wrap(_key(self.passphrase, salt, self.work_factor), file_key)
        return Stanza(self.kind, (encode_base64(salt), str(self.work_factor)), body)


@dataclass(frozen=True, slots=True)
class ScryptIdentity:
    """A passphrase to open with. A file with a greater work factor than ``limit`` is refused before anything
    is computed."""

    passphrase: str = field(repr=False)
    limit: int = field(default=LIMIT, kw_only=True)

    def __post_init__(self) -> None:
        _check(self.passphrase)

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
        if len(digits) > 2 or int(digits) > min(self.limit, LIMIT):  # Python's int refuses 5,000 digits
            raise WorkFactorError(
                f"its passphrase asks for a work factor above {min(self.limit, LIMIT)}: not tried",
                "the person who sealed it can use a lower one",
            )
        return unwrap(_key(self.passphrase, salt, int(digits)), stanza.body)


def _check(passphrase: str) -> None:
    try:
        if passphrase.encode():
            return
    except UnicodeEncodeError:
        pass
    raise KeyFormatError("a passphrase must be text, and not empty")


def _key(passphrase: str, salt: bytes, work_factor: int) -> bytes:
    try:
        return Scrypt(salt=_LABEL + salt, length=32, n=1 << work_factor, r=8, p=1).derive(passphrase.encode())
    except MemoryError:
        raise WorkFactorError("there is not enough memory to try the passphrase") from None
