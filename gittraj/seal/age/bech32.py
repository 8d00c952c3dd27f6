"""Bech32 (BIP 173), the text form of age's keys, without its limit of 90 characters.

The checksum finds mistyped characters. It is no protection against anything else, and nothing here takes
constant time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_CHECKSUM = 6


def encode(prefix: str, data: bytes) -> str:
    """Upper case if ``prefix`` is."""
    words = list(_regroup(data, 8, 5))
    if left := len(data) * 8 % 5:
        words.append(int.from_bytes(data[-1:]) << (5 - left) & 31)
    rest = _polymod([*_expand(prefix.lower()), *words, *[0] * _CHECKSUM]) ^ 1
    words += [rest >> 5 * (5 - i) & 31 for i in range(_CHECKSUM)]
    text = "".join(_CHARACTERS[word] for word in words)
    return f"{prefix}1{text.upper() if prefix.isupper() else text}"


def decode(text: str) -> tuple[str, bytes]:
    """The prefix as it is written, and the data. Raises ValueError, whose text holds nothing of ``text``."""
    prefix, words = read(text)
    left = len(words) * 5 % 8
    if left >= 5 or (words and words[-1] & ((1 << left) - 1)):
        raise ValueError("it has bits left over")
    return prefix, bytes(_regroup(words, 5, 8))


def read(text: str) -> tuple[str, list[int]]:
    """The prefix and the words of five bits before the checksum. Raises ValueError."""
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
    """Whole groups only: what is left over is not given."""
    bits = held = 0
    for value in values:
        held = (held << width | value) & 0xFFFF
        bits += width
        while bits >= into:
            bits -= into
            yield held >> bits & ((1 << into) - 1)
