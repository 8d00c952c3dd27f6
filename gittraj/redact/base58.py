"""Base58 with a checksum, as wallets write keys: without it, any 51 letters of base64 may look like a key."""

from __future__ import annotations

from hashlib import sha256

_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SUM = 4  # bytes


def _sum(data: bytes) -> bytes:
    return sha256(sha256(data).digest()).digest()[:_SUM]


def has_checksum(value: str) -> bool:
    """Whether a base58 value without leading zeros ends with its checksum."""
    number = 0
    for digit in value:
        number = number * 58 + _DIGITS.index(digit)
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(data) > _SUM and _sum(data[:-_SUM]) == data[-_SUM:]


def with_checksum(data: bytes) -> str:
    """The base58 of data and its checksum; the data must not begin with a zero byte."""
    number, digits = int.from_bytes(data + _sum(data), "big"), ""
    while number:
        number, digit = divmod(number, 58)
        digits = _DIGITS[digit] + digits
    return digits
