"""Implements age v1 (https://c2sp.org/age) on ``cryptography``: seals bytes for public keys of age or SSH.

Its public functions::

    parse_recipient("age1…" | "age1pq…" | "ssh-ed25519 …" | "ssh-rsa …")    Recipient
    parse_identity(text, passphrase=ask)       Identity, whose recipient() is its public line
    parse_identities(file, passphrase=ask)     list[Identity]: keys, comments; or encrypted by a passphrase
    generate_identity(post_quantum=False)      "AGE-SECRET-KEY-1…"
    ScryptIdentity("…")                        a passphrase; alone in its file
    encrypt(plaintext, recipients)             header, payload
    decrypt(header, payload, identities)       bytes: all of them or none
    rewrap(header, identities, recipients)     str: a header for other readers of the same payload
    stanzas(header)                            tuple[Stanza, ...]: the readers; no key is needed
    split(file), dearmor(text)                 the parts of a file; the file in its text form

``header.encode() + payload`` is exactly an age file: ``age -d`` opens it without git-traj.

What it promises and what it doesn't:

- Every error is an ``AgeError`` with one line that contains no secret. The package uses no file, no
  environment and no network.
- A file with any changed bit is refused. Who sealed it is unknown: anyone who has the public keys can.
- ``rewrap`` takes nothing back from a reader who had the payload before.
- The primitives are OpenSSL's; the format is tested against age's test vectors. This code was not audited.
- Python can't wipe keys from memory, and the time to read a key's text depends on the key: anyone who can
  watch this process or read its memory may get its keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gittraj.seal.age.encodings import dearmor
from gittraj.seal.age.errors import (
    AgeError,
    ArmorError,
    HeaderError,
    KeyFormatError,
    LockedError,
    MacError,
    NoMatch,
    PayloadError,
    RecipientsError,
    UnsupportedError,
    WorkFactorError,
)
from gittraj.seal.age.header import Identity, Recipient, Stanza, split, stanzas
from gittraj.startup import lazy_names

if TYPE_CHECKING:
    from gittraj.seal.age.file import decrypt, encrypt, rewrap
    from gittraj.seal.age.keys import generate_identity, parse_identities, parse_identity, parse_recipient
    from gittraj.seal.age.passphrase import ScryptIdentity

__all__ = [
    "AgeError",
    "ArmorError",
    "HeaderError",
    "Identity",
    "KeyFormatError",
    "LockedError",
    "MacError",
    "NoMatch",
    "PayloadError",
    "Recipient",
    "RecipientsError",
    "ScryptIdentity",
    "Stanza",
    "UnsupportedError",
    "WorkFactorError",
    "dearmor",
    "decrypt",
    "encrypt",
    "generate_identity",
    "parse_identities",
    "parse_identity",
    "parse_recipient",
    "rewrap",
    "split",
    "stanzas",
]

# these names load cryptography, which takes 40 ms: code that only counts readers or catches errors avoids it
__getattr__ = lazy_names(
    __name__,
    {
        "file": "decrypt encrypt rewrap",
        "keys": "generate_identity parse_identities parse_identity parse_recipient",
        "passphrase": "ScryptIdentity",
    },
)
