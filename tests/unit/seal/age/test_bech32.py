"""BIP 173's own examples; age uses longer strings than it allows, but keeps its other rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.seal.age.encodings import (
    _CHARACTERS,
    _expand,
    _polymod,
    decode_bech32,
    encode_bech32,
    read_bech32,
)

VALID = [
    "A12UEL5L",
    "a12uel5l",
    "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
    "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
    "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j",
    "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
    "?1ezyfcl",
]
INVALID = {
    "\x201nwldj5": "characters",  # in the prefix
    "\x7f1axkwrx": "characters",
    "\x801eym55h": "characters",
    "pzry9x0s0muk": "cut off",  # no separator
    "1pzry9x0s0muk": "cut off",  # no prefix
    "x1b4n0q5v": "characters",  # in the data
    "li1dgmt3": "cut off",  # in its checksum
    "de1lg7wt\xff": "characters",  # in the checksum
    "A1G7SGD8": "checksum",  # computed from the upper case
    "10a06t8": "cut off",
    "1qzzfhee": "cut off",
    "A12uEL5L": "mixes",
}


@pytest.mark.parametrize("text", VALID)
def test_the_bips_valid_strings_are_accepted(text: str) -> None:
    prefix, _ = read_bech32(text)
    assert text.startswith(f"{prefix}1")


@pytest.mark.parametrize("text", INVALID)
def test_the_bips_invalid_strings_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=INVALID[text]):
        read_bech32(text)


def test_the_bips_limit_of_90_characters_does_not_apply() -> None:
    text = encode_bech32("age1pq", bytes(1216))
    assert len(text) == 1959
    assert decode_bech32(text) == ("age1pq", bytes(1216))


@settings(deadline=None)
@given(st.sampled_from(["age", "age1pq", "AGE-SECRET-KEY-"]), st.binary(max_size=80))
def test_an_encoded_text_can_be_decoded(prefix: str, data: bytes) -> None:
    text = encode_bech32(prefix, data)
    assert decode_bech32(text) == (prefix, data)
    assert text in (text.lower(), text.upper())


@settings(deadline=None)
@given(
    st.binary(min_size=32, max_size=32), st.integers(0), st.sampled_from("023456789acdefghjklmnpqrstuvwxyz")
)
def test_one_mistyped_character_is_found(data: bytes, at: int, other: str) -> None:
    text = encode_bech32("age", data)
    at %= len(text)
    if text[at] != other:
        with pytest.raises(ValueError, match=r"it has|its checksum|cut off"):
            decode_bech32(text[:at] + other + text[at + 1 :])


@pytest.mark.parametrize("words", [[0] * 1, [1, 1], [0, 1], [31, 31, 31], [0] * 6])
def test_remaining_bits_are_refused(words: list[int]) -> None:
    """The same bytes must have only one text: fewer than five bits may remain, and all must be 0."""
    prefix = "age"
    rest = _polymod([*_expand(prefix), *words, *[0] * 6]) ^ 1
    words = [*words, *(rest >> 5 * (5 - i) & 31 for i in range(6))]
    with pytest.raises(ValueError, match="left over"):
        decode_bech32(f"{prefix}1{''.join(_CHARACTERS[word] for word in words)}")
