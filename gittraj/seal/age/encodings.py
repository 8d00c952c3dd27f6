"""Decodes the three text forms that age uses, and encodes two of them.

- Base64 as age requires it: only one text for the same bytes, so that nobody can write a seal in two ways.
- Bech32 (BIP 173), the text form of age's keys, without its limit of 90 characters. Its checksum finds
  mistyped characters and does not protect against anything else.
- Armor, the text form of an age file: strict PEM (RFC 7468, section 3), with only white space around it.

These functions do not take constant time.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator

from gittraj.seal.age.errors import ArmorError


def encode_base64(data: bytes, *, padded: bool = False) -> str:
    """Encode base64. In age's headers it has no padding; everywhere else it is ``padded``."""
    text = b64encode(data).decode()
    return text if padded else text.rstrip("=")


def decode_base64(text: str, *, padded: bool = False) -> bytes:
    """Decode base64. Raises ValueError for text that ``encode_base64`` does not write: line breaks, leftover
    bits."""
    data = b64decode(text if padded else text + "=" * (-len(text) % 4))
    if encode_base64(data, padded=padded) != text:
        raise ValueError("not canonical")
    return data


_CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_CHECKSUM = 6


def encode_bech32(prefix: str, data: bytes) -> str:
    """Encode ``data``, in upper case if ``prefix`` is in upper case."""
    words = list(_regroup(data, 8, 5))
    if left := len(data) * 8 % 5:
        words.append(int.from_bytes(data[-1:]) << (5 - left) & 31)
    rest = _polymod([*_expand(prefix.lower()), *words, *[0] * _CHECKSUM]) ^ 1
    words += [rest >> 5 * (5 - i) & 31 for i in range(_CHECKSUM)]
    text = "".join(_CHARACTERS[word] for word in words)
    return f"{prefix}1{text.upper() if prefix.isupper() else text}"


def decode_bech32(text: str) -> tuple[str, bytes]:
    """Return the prefix as it is written, and the data. Raises ValueError, which does not quote ``text``."""
    prefix, words = read_bech32(text)
    left = len(words) * 5 % 8
    if left >= 5 or (words and words[-1] & ((1 << left) - 1)):
        raise ValueError("it has bits left over")
    return prefix, bytes(_regroup(words, 5, 8))


def read_bech32(text: str) -> tuple[str, list[int]]:
    """Return the prefix, and the words of five bits before the checksum. Raises ValueError."""
    if not all("!" <= one <= "~" for one in text):
        raise ValueError("it has characters that no key has")
    if text not in (text.lower(), text.upper()):
        raise ValueError("it mixes upper and lower case")
    prefix, one, rest = text.rpartition("1")
    if not one or not prefix or len(rest) < _CHECKSUM:
        raise ValueError("it is cut off")
    words = [_CHARACTERS.find(one) for one in rest.lower()]
    if -1 in words:
        raise ValueError("it has characters that no key has")
    if _polymod([*_expand(prefix.lower()), *words]) != 1:
        raise ValueError("its checksum is wrong: a character was mistyped or is missing")
    return prefix, words[:-_CHECKSUM]


def _expand(prefix: str) -> list[int]:
    codes = [ord(one) for one in prefix]
    return [*(code >> 5 for code in codes), 0, *(code & 31 for code in codes)]


def _polymod(words: Iterable[int]) -> int:
    rest = 1
    for word in words:
        top = rest >> 25
        rest = (rest & 0x1FFFFFF) << 5 ^ word
        for i, generator in enumerate(_GENERATORS):
            if top >> i & 1:
                rest ^= generator
    return rest


def _regroup(values: Iterable[int], width: int, into: int) -> Iterator[int]:
    """Regroup values of ``width`` bits into values of ``into`` bits; leftover bits are dropped."""
    bits = buffer = 0
    for value in values:
        buffer = (buffer << width | value) & 0xFFFF
        bits += width
        while bits >= into:
            bits -= into
            yield buffer >> bits & ((1 << into) - 1)


BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----"
_END = "-----END AGE ENCRYPTED FILE-----"
_COLUMNS = 64


def dearmor(text: str) -> bytes:
    """Return the file. Lines may end with CRLF; any other text that age does not write raises ArmorError."""
    first, *lines = text.strip(" \t\r\n").replace("\r\n", "\n").split("\n")
    if first != BEGIN or not lines or lines.pop() != _END:
        raise ArmorError("not an armored age file: it must begin and end with age's own lines")
    if any(len(line) != _COLUMNS for line in lines[:-1]) or (lines and not 0 < len(lines[-1]) <= _COLUMNS):
        raise ArmorError(f"a damaged armored age file: its lines are not of {_COLUMNS} characters")
    try:
        return decode_base64("".join(lines), padded=True)
    except ValueError:
        raise ArmorError("a damaged armored age file: its base64 is not as age writes it") from None
