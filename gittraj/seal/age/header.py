"""Reads and writes the header of an age file: a text that lists its readers, from which each of them gets the
file's key.

The parser is as strict as the format: a text is refused unless it is exactly what :func:`compose` writes for
its stanzas. Parsing needs no key, so it can't detect whether the header was changed: only a reader can
(``file``).

``Recipient`` and ``Identity`` are the interfaces of keys. Each type has its module; ``keys`` knows them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from gittraj.frozen import dataclass
from gittraj.seal.age.encodings import decode_base64, encode_base64
from gittraj.seal.age.errors import HeaderError

_VERSION = "age-encryption.org/v1"
_ARGUMENTS = re.compile(r"-> ([!-~]+(?: [!-~]+)*)")
_FOOTER = "---"
_COLUMNS = 64
_MAC = 32  # bytes
NONCE = 16  # bytes at the beginning of a payload
PASSPHRASE = "scrypt"  # noqa: S105 - a type of stanza, which must be alone
HYBRID = "mlkem768x25519"


@dataclass(frozen=True, slots=True)
class Stanza:
    """The lines for one reader: how the file key is wrapped (``type``), the data needed to unwrap it
    (``args``), and the wrapped key (``body``)."""

    type: str
    args: tuple[str, ...]
    body: bytes

    def __str__(self) -> str:
        """The stanza's lines in a header."""
        body = encode_base64(self.body)
        # the last line is always a short one, even if it is empty
        lines = [body[at : at + _COLUMNS] for at in range(0, len(body) + 1, _COLUMNS)]
        return "\n".join([f"-> {' '.join((self.type, *self.args))}", *lines, ""])


@dataclass(frozen=True, slots=True)
class Header:
    """A parsed header; ``covered`` are the bytes that its MAC covers."""

    stanzas: tuple[Stanza, ...]
    covered: bytes
    mac: bytes


def compose(stanzas: Sequence[Stanza]) -> str:
    """Write the header up to its MAC."""
    return "".join([f"{_VERSION}\n", *map(str, stanzas), _FOOTER])


def parse(text: str) -> Header:
    """Parse a header, in linear time. Raises HeaderError."""
    first, *lines = text.split("\n")
    if first != _VERSION:
        raise HeaderError("not the header of an age v1 file")
    if not text.isascii() or len(lines) < 2 or lines.pop() or not lines[-1].startswith(f"{_FOOTER} "):
        raise HeaderError("a damaged age header: it must end with the line of its MAC")
    mac = lines.pop().removeprefix(f"{_FOOTER} ")
    parsed = tuple(_stanzas(lines))
    if not parsed:
        raise HeaderError("a damaged age header: it has no readers")
    if len(parsed) > 1 and any(one.type == PASSPHRASE for one in parsed):
        raise HeaderError("a damaged age header: a passphrase must be the only reader")
    covered = text[: -len(mac) - 2].encode()  # without the space and the newline
    return Header(parsed, covered, _decoded(mac, _MAC))


def stanzas(header: str) -> tuple[Stanza, ...]:
    """Return a header's readers. Its writer may have invented them: nothing proves that they can open the
    file. Raises HeaderError."""
    return parse(header).stanzas


def split(file: bytes) -> tuple[str, bytes]:
    """Split a complete file, which is not armored, into header and payload. Raises HeaderError."""
    footer = file.find(f"\n{_FOOTER}".encode())
    end = file.find(b"\n", footer + 1) + 1
    if footer < 0 or len(file) < end + NONCE or not end:
        raise HeaderError("not an age file, or truncated before its payload")
    text = file[:end].decode("latin-1")  # other characters are refused with the header
    parse(text)
    return text, file[end:]


def _stanzas(lines: Sequence[str]) -> Iterator[Stanza]:
    at = 0
    while at < len(lines):
        arguments = _ARGUMENTS.fullmatch(lines[at])
        if not arguments:
            raise HeaderError(f"a damaged age header: line {at + 2} should begin a reader's lines")
        end = at + 1
        while end < len(lines) and len(lines[end]) == _COLUMNS:
            end += 1
        if end == len(lines) or len(lines[end]) > _COLUMNS:
            raise HeaderError(
                f"a damaged age header: line {end + 2} should be at most {_COLUMNS - 1} characters"
            )
        kind, *args = arguments[1].split(" ")
        yield Stanza(kind, tuple(args), _decoded("".join(lines[at + 1 : end + 1])))
        at = end + 1


def _decoded(text: str, size: int | None = None) -> bytes:
    try:
        data = decode_base64(text)
    except ValueError:
        raise HeaderError("a damaged age header: its base64 is not as age writes it") from None
    if size not in (None, len(data)):
        raise HeaderError(f"a damaged age header: {len(data)} bytes where {size} should be")
    return data


def fields(stanza: Stanza, *sizes: int, body: int | None = 32) -> tuple[bytes, ...]:
    """Decode a stanza's arguments, which must have these ``sizes`` in bytes. Raises HeaderError if not.

    ``body`` is the size of a wrapped file key with its tag. It is checked because a longer one may be made
    to open with many keys, and so show an attacker which of them a reader has
    (https://eprint.iacr.org/2020/1491).
    """
    if len(stanza.args) != len(sizes):
        raise HeaderError("a damaged age header: a reader has too few or too many arguments")
    if body not in (None, len(stanza.body)):
        raise HeaderError(f"a damaged age header: a wrapped key does not have its {body} bytes")
    return tuple(_decoded(text, size) for text, size in zip(stanza.args, sizes, strict=True))


class Recipient(Protocol):
    """A public key; ``str()`` is the line that :func:`~gittraj.seal.age.parse_recipient` reads."""

    @property
    def kind(self) -> str:
        """The type of the key's stanzas."""

    @property
    def fingerprint(self) -> str:
        """A short name of the key for people: an SSH key as ``ssh-keygen -l`` shows it; an age key itself,
        or its hash if it is long (post-quantum)."""

    def wrap(self, file_key: bytes) -> Stanza:
        """Make the key's stanza for a header. ``file_key`` has 16 bytes."""


class Identity(Protocol):
    """A private key. Its ``repr`` must not show it."""

    def recipient(self) -> str:
        """The public line. Raises KeyFormatError for a passphrase, which has none."""

    def unwrap(self, stanza: Stanza) -> bytes | None:
        """Decrypt the file key; None when the stanza is for another key. Raises HeaderError for a malformed
        stanza of the key's type; LockedError, UnsupportedError or KeyFormatError when the key would fit but
        can't be used."""
