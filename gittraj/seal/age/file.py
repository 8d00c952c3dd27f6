"""Seals and opens age files, and changes the readers of a sealed file."""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence

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
from gittraj.seal.age.header import HYBRID, Header, Identity, Recipient, compose, parse
from gittraj.seal.age.primitives import FILE_KEY, derive, seal_payload, unseal_payload


def encrypt(plaintext: bytes, recipients: Sequence[Recipient]) -> tuple[str, bytes]:
    """Seal ``plaintext`` so that each recipient can open it alone. Returns the header, which ends with the
    newline after its MAC, and the payload: together an age file, which is different each time. Raises
    RecipientsError when there are no recipients, and when there are others besides post-quantum recipients:
    through the others a quantum computer could open it."""
    file_key = os.urandom(FILE_KEY)
    return _header(file_key, recipients), seal_payload(file_key, plaintext)


def decrypt(header: str, payload: bytes, identities: Sequence[Identity]) -> bytes:
    """Return the plaintext, all of it or nothing.

    The identities are tried in their order; one that can't be used is skipped if another fits.

    Raises HeaderError, MacError, WorkFactorError, PayloadError. If no identity fits, raises NoMatch, or the
    reason why one could not be used: LockedError, UnsupportedError, KeyFormatError.
    """
    return unseal_payload(_file_key(header, identities), payload)


def rewrap(header: str, identities: Sequence[Identity], recipients: Sequence[Recipient]) -> str:
    """Return a header for other readers of the same payload. It revokes nothing: former readers know the key.
    Raises the errors of :func:`decrypt`, except PayloadError, and of :func:`encrypt`."""
    return _header(_file_key(header, identities), recipients)


def _header(file_key: bytes, recipients: Sequence[Recipient]) -> str:
    kinds = {one.kind for one in recipients}
    if not recipients:
        raise RecipientsError("there are no readers to seal for", "name at least one recipient")
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
            key = _unwrap(header, identity)
        except (LockedError, UnsupportedError, KeyFormatError) as error:
            unusable.append(error)
            continue
        if key is None:
            continue
        if len(key) != FILE_KEY:
            raise HeaderError("a damaged age header: the file key has the wrong size")
        if not hmac.compare_digest(_mac(key, header.covered), header.mac):
            raise MacError("the age header was changed after it was sealed")
        return key
    raise unusable[0] if unusable else NoMatch("sealed for others: none of these identities opens it")


def _unwrap(header: Header, identity: Identity) -> bytes | None:
    for stanza in header.stanzas:
        key = identity.unwrap(stanza)
        if key is not None:
            return key
    return None


def _mac(file_key: bytes, covered: bytes) -> bytes:
    return hmac.digest(derive(file_key, salt=b"", info=b"header"), covered, "sha256")
