"""For whom a file is sealed, and who opens it. Each type of key is a module; ``keys`` knows them all."""

from __future__ import annotations

from typing import Protocol

from gittraj.seal.age.header import Stanza


class Recipient(Protocol):
    """A public key; ``str()`` is the line that :func:`~gittraj.seal.age.parse_recipient` reads."""

    @property
    def kind(self) -> str:
        """The type of its stanzas."""

    @property
    def fingerprint(self) -> str:
        """For people: what ``ssh-keygen -l`` shows of an SSH key, a short age key itself."""

    def wrap(self, file_key: bytes) -> Stanza:
        """Its part of a header. ``file_key`` has 16 bytes."""


class Identity(Protocol):
    """A private key. Its ``repr`` shows nothing of it."""

    def recipient(self) -> str:
        """The public line. Raises KeyFormatError where there is none (a passphrase)."""

    def unwrap(self, stanza: Stanza) -> bytes | None:
        """The file key; None when the stanza is another's.

        Raises HeaderError for a stanza of its type that is not as it must be; LockedError, UnsupportedError
        or KeyFormatError when it would fit and can't be used.
        """
