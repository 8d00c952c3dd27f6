"""Seals, opens, and changes the readers of what is sealed."""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass

from gittraj.seal.age.encodings import encode_base64
from gittraj.seal.age.errors import (
    AgeError,
    HeaderError,
    KeyFormatError,
    LockedError,
    MacError,
    NoMatch,
    RecipientsError,
    UnsupportedError,
)
from gittraj.seal.age.header import HYBRID, PASSPHRASE, Header, Identity, Recipient, compose, parse
from gittraj.seal.age.primitives import FILE_KEY, derive, seal_payload, unseal_payload


@dataclass(frozen=True, slots=True)
class Sealed:
    """``header`` ends with the newline after its MAC; ``bytes()`` is the age file."""

    header: str
    payload: bytes

    def __bytes__(self) -> bytes:
        return self.header.encode() + self.payload


def encrypt(plaintext: bytes, recipients: Sequence[Recipient]) -> Sealed:
    """Seal it so that each recipient can open it alone. The same plaintext never gives the same bytes twice.

    Raises RecipientsError when there are none, when a passphrase is not alone, and when there are others with
    post-quantum recipients: through those a quantum computer could open it.
    """
    file_key = os.urandom(FILE_KEY)
    return Sealed(_header(file_key, recipients), seal_payload(file_key, plaintext))


def decrypt(header: str, payload: bytes, identities: Sequence[Identity]) -> bytes:
    """The plaintext, all of it or none.

    Identities are tried in their order; one that can't be used is skipped if another fits.

    Raises HeaderError, MacError, WorkFactorError, PayloadError; if none fits, NoMatch, or why one could not
    be used: LockedError, UnsupportedError, KeyFormatError.
    """
    return unseal_payload(_file_key(header, identities), payload)


def rewrap(header: str, identities: Sequence[Identity], recipients: Sequence[Recipient]) -> str:
    """A header for other readers of the same payload. It revokes nothing: former readers know the key.

    Raises what :func:`decrypt` and :func:`encrypt` raise, except PayloadError.
    """
    return _header(_file_key(header, identities), recipients)


def _header(file_key: bytes, recipients: Sequence[Recipient]) -> str:
    kinds = {one.kind for one in recipients}
    if not recipients:
        raise RecipientsError("there are no readers to seal it for", "name at least one recipient")
    if PASSPHRASE in kinds and len(recipients) > 1:
        raise RecipientsError(
            "age seals for a passphrase or for keys, not for both", "protect an identity file"
        )
    if HYBRID in kinds and len(kinds) > 1:
        raise RecipientsError(
            "post-quantum recipients (age1pq…) can't be sealed for together with others",
            "each reader needs an age1pq… key, or none",
        )
    covered = compose([one.wrap(file_key) for one in recipients])
    return f"{covered} {encode_base64(_mac(file_key, covered.encode()))}\n"


def _file_key(text: str, identities: Sequence[Identity]) -> bytes:
    header = parse(text)
    unusable: list[AgeError] = []
    for identity in identities:
        try:
            key = _unwrapped(header, identity)
        except (LockedError, UnsupportedError, KeyFormatError) as error:
            unusable.append(error)
            continue
        if key is None:
            continue
        if len(key) != FILE_KEY:
            raise HeaderError("a damaged age header: a file key of a wrong size")
        if not hmac.compare_digest(_mac(key, header.covered), header.mac):
            raise MacError("the age header was changed after it was sealed")
        return key
    raise unusable[0] if unusable else NoMatch("sealed for others: none of these identities opens it")


def _unwrapped(header: Header, identity: Identity) -> bytes | None:
    for stanza in header.stanzas:
        key = identity.unwrap(stanza)
        if key is not None:
            return key
    return None


def _mac(file_key: bytes, covered: bytes) -> bytes:
    return hmac.digest(derive(file_key, salt=b"", info=b"header"), covered, "sha256")
