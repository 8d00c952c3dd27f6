"""A seal that was changed anywhere after it was written is refused, always with an AgeError."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from gittraj.seal import age
from gittraj.seal.age.header import Stanza, compose
from gittraj.seal.age.primitives import derive, unseal_payload
from tests.unit.seal.age.parties import Phrase, encrypt, party, seal_of

READERS = [("X25519", "ssh-ed25519"), ("X25519", "ssh-rsa")]


def opens(file: bytes, *kinds: str) -> bool:
    try:
        age.decrypt(*age.split(file), [party(kind).identity for kind in kinds])
    except age.AgeError:
        return False
    return True


@pytest.mark.parametrize("kinds", READERS)
def test_a_seal_with_any_bit_flipped_is_refused(kinds: tuple[str, ...]) -> None:
    """Both readers try to open it: the bit may be in the other's stanza."""
    file = bytes(seal_of(*kinds))
    identities = [party(kind).identity for kind in kinds]
    assert opens(file, *kinds)
    opened = []
    for changed in _flipped(file):
        try:
            age.decrypt(*age.split(changed), identities)
        except age.AgeError:
            continue
        opened.append(changed)
    assert opened == []


def _flipped(file: bytes) -> Iterator[bytes]:
    for at in range(len(file)):
        for bit in range(8):
            yield file[:at] + bytes([file[at] ^ 1 << bit]) + file[at + 1 :]


def test_a_seal_of_any_other_length_is_refused() -> None:
    kinds = READERS[0]
    file = bytes(seal_of(*kinds))
    assert [size for size in range(len(file)) if opens(file[:size], *kinds)] == []
    assert not any(opens(file + more, *kinds) for more in (b"\0", b"\n", bytes(16), file))
    assert not any(opens(more + file, *kinds) for more in (b"\0", b"\n", b"-> a\n\n", file))


def test_parts_of_two_seals_cannot_be_combined() -> None:
    one, two = seal_of("X25519"), seal_of("X25519")
    identity = [party("X25519").identity]
    with pytest.raises(age.PayloadError):
        age.decrypt(one.header, two.payload, identity)
    long, other = seal_of("X25519", text=bytes(70_000)), seal_of("X25519", text=bytes(70_000))
    with pytest.raises(age.PayloadError):
        age.decrypt(long.header, long.payload[:65_568] + other.payload[65_568:], identity)


def _with(stanzas: list[Stanza], header: str) -> str:
    """Return a header of other stanzas with the original MAC."""
    return f"{compose(stanzas)} {header.splitlines()[-1].split()[1]}\n"


def test_readers_of_two_seals_cannot_be_combined() -> None:
    one, two = seal_of("X25519", "ssh-ed25519"), seal_of("X25519", "ssh-ed25519")
    mine, others = list(age.stanzas(one.header)), list(age.stanzas(two.header))
    identities = [party("X25519").identity, party("ssh-ed25519").identity]
    assert age.decrypt(_with(mine, one.header), one.payload, identities)
    for stanzas in (
        mine[::-1],  # in another order
        mine[:1],  # one fewer
        [*mine, mine[0]],  # one twice
        [*mine, others[1]],  # one more
        [others[0], mine[1]],  # one replaced
        others,
        [Stanza(mine[0].type, mine[0].args, others[0].body), mine[1]],
        [Stanza(mine[0].type, others[0].args, mine[0].body), mine[1]],
    ):
        with pytest.raises((age.MacError, age.NoMatch)):
            age.decrypt(_with(stanzas, one.header), one.payload, identities)


def test_chunks_in_another_order_or_number_are_refused() -> None:
    sealed = seal_of("X25519", text=bytes(3 * 65_536))
    nonce, size = sealed.payload[:16], 65_552
    chunks = [sealed.payload[at : at + size] for at in range(16, len(sealed.payload), size)]
    assert len(chunks) == 3
    for order in ([1, 0, 2], [0, 2], [0, 1], [0, 1, 1, 2], [0, 1, 2, 2], [2], []):
        with pytest.raises(age.PayloadError):
            age.decrypt(
                sealed.header,
                nonce + b"".join(chunks[i] for i in order),
                [party("X25519").identity],
            )


def test_an_empty_last_chunk_is_refused() -> None:
    """A writer could append an empty chunk, which changes nothing: only an empty text may have one."""
    cipher = ChaCha20Poly1305(derive(b"k" * 16, salt=bytes(16), info=b"payload"))
    first, none = bytes(11), bytes(10) + b"\1"
    full = cipher.encrypt(first + b"\0", bytes(65_536), None)
    assert (
        unseal_payload(b"k" * 16, bytes(16) + full + cipher.encrypt(none + b"\1", b"x", None))
        == bytes(65_536) + b"x"
    )
    with pytest.raises(age.PayloadError, match="empty"):
        unseal_payload(b"k" * 16, bytes(16) + full + cipher.encrypt(none + b"\1", b"", None))
    assert unseal_payload(b"k" * 16, bytes(16) + cipher.encrypt(first + b"\1", b"", None)) == b""


@pytest.mark.nightly
def test_a_seal_for_10_000_readers_is_read() -> None:
    line = str(seal_of("X25519").header).split("\n", 1)[1].rpartition("---")[0]
    header = f"age-encryption.org/v1\n{line * 10_000}--- {'A' * 43}\n"
    assert len(age.stanzas(header)) == 10_000
    with pytest.raises(age.NoMatch):
        age.decrypt(header, bytes(32), [party("X25519", "bob").identity])
    with pytest.raises(age.MacError):
        age.decrypt(header, bytes(32), [party("X25519").identity])


@pytest.mark.parametrize(
    "factor", ["21", "23", "99", "100", "1" * 5_000, "18446744073709551617"], ids=lambda factor: factor[:4]
)
def test_a_work_factor_above_the_limit_is_not_tried(factor: str) -> None:
    """2^21 would take 2 GiB."""
    sealed = encrypt(b"", [Phrase("open sesame")])
    (stanza,) = age.stanzas(sealed.header)
    header = _with([Stanza("scrypt", (stanza.args[0], factor), stanza.body)], sealed.header)
    with pytest.raises(age.WorkFactorError, match="above 20"):
        age.decrypt(header, sealed.payload, [age.ScryptIdentity("open sesame")])


@pytest.mark.parametrize("factor", ["0", "02", "+2", "-2", "2.", " 2", "0x2", "², ", "x", "2\r"])
def test_a_work_factor_that_is_not_a_plain_number_is_refused(factor: str) -> None:
    sealed = encrypt(b"", [Phrase("open sesame")])
    (stanza,) = age.stanzas(sealed.header)
    header = _with([Stanza("scrypt", (stanza.args[0], factor), stanza.body)], sealed.header)
    with pytest.raises(age.HeaderError):
        age.decrypt(header, sealed.payload, [age.ScryptIdentity("open sesame")])


def test_a_file_key_of_another_size_is_refused() -> None:
    """RSA can encrypt keys of any size, so the size is checked."""
    from cryptography.hazmat.primitives.serialization import load_ssh_public_key

    from gittraj.seal.age.ssh import OAEP_SHA256

    sealed = seal_of("ssh-rsa")
    (stanza,) = age.stanzas(sealed.header)
    public = load_ssh_public_key(party("ssh-rsa").public.encode())
    body = public.encrypt(bytes(32), OAEP_SHA256)  # type: ignore[union-attr, call-arg]
    header = _with([Stanza(stanza.type, stanza.args, body)], sealed.header)
    with pytest.raises(age.HeaderError, match="wrong size"):
        age.decrypt(header, sealed.payload, [party("ssh-rsa").identity])
