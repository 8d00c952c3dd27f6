"""Sealing, opening and adding readers: what each reader gets, and who cannot open a seal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gittraj.seal import age
from tests.unit.seal.age.parties import CLASSIC, KINDS, Phrase, armor, encrypt, party, seal_of

SIZES = (0, 1, 65535, 65536, 65537, 200_000)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_a_sealed_text_can_be_opened(kind: str, size: int) -> None:
    text = os.urandom(size)
    sealed = encrypt(text, [party(kind).recipient])
    assert age.decrypt(sealed.header, sealed.payload, [party(kind).identity]) == text
    assert age.split(bytes(sealed)) == (sealed.header, sealed.payload)
    assert len(sealed.payload) == 16 + size + 16 * max(1, -(-size // 65536))


def test_each_reader_can_open_a_seal_alone() -> None:
    sealed = seal_of(*CLASSIC)
    for kind in CLASSIC:
        assert age.decrypt(sealed.header, sealed.payload, [party(kind).identity]) == b"attack at dawn"


def test_the_readers_are_known_without_a_key() -> None:
    readers = age.stanzas(seal_of(*CLASSIC).header)
    assert tuple(one.type for one in readers) == CLASSIC
    assert [len(one.args) for one in readers] == [1, 2, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_else_can_open_a_seal(kind: str) -> None:
    sealed = seal_of(kind)
    others = [party(one, "bob").identity for one in KINDS]
    with pytest.raises(age.NoMatch, match="sealed for others"):
        age.decrypt(sealed.header, sealed.payload, others)
    with pytest.raises(age.NoMatch):
        age.decrypt(sealed.header, sealed.payload, [])


def test_no_two_seals_are_alike() -> None:
    one, two = seal_of("X25519"), seal_of("X25519")
    assert one.header != two.header
    assert one.payload != two.payload


def test_a_text_sealed_with_a_passphrase_is_opened_with_it() -> None:
    sealed = encrypt(b"text", [Phrase("open sesame")])
    assert [(one.type, one.args[1]) for one in age.stanzas(sealed.header)] == [("scrypt", "2")]
    assert age.decrypt(sealed.header, sealed.payload, [age.ScryptIdentity("open sesame")]) == b"text"
    with pytest.raises(age.NoMatch):
        age.decrypt(
            sealed.header, sealed.payload, [age.ScryptIdentity("open barley"), party("X25519").identity]
        )


def test_readers_that_cannot_be_combined_are_refused() -> None:
    other, quantum = party("X25519").recipient, party("mlkem768x25519").recipient
    for recipients, why in (
        ([], "no readers"),
        ([quantum, other], "post-quantum"),
    ):
        with pytest.raises(age.RecipientsError, match=why):
            encrypt(b"text", recipients)
        sealed = seal_of("X25519")
        with pytest.raises(age.RecipientsError, match=why):
            age.rewrap(sealed.header, [party("X25519").identity], recipients)


@pytest.mark.parametrize("kind", KINDS)
def test_other_readers_get_the_same_payload(kind: str) -> None:
    sealed = seal_of("X25519")
    header = age.rewrap(sealed.header, [party("X25519").identity], [party(kind, "bob").recipient])
    assert age.decrypt(header, sealed.payload, [party(kind, "bob").identity]) == b"attack at dawn"
    with pytest.raises(age.NoMatch):
        age.decrypt(header, sealed.payload, [party("X25519").identity])


def test_only_a_reader_can_add_others() -> None:
    sealed = seal_of("X25519")
    with pytest.raises(age.NoMatch):
        age.rewrap(sealed.header, [party("X25519", "bob").identity], [party("X25519", "bob").recipient])
    wrong = sealed.header.replace("v1\n", "v1\n-> grease\n\n")
    with pytest.raises(age.MacError):
        age.rewrap(wrong, [party("X25519").identity], [party("X25519", "bob").recipient])


def test_a_fitting_key_is_found_after_one_that_cannot_be_used() -> None:
    """An unreadable key in a person's home must not hide the one that was given."""
    sealed = seal_of("ssh-ed25519", "X25519")
    lines = party("ssh-ed25519").secret.splitlines()
    public, other = party("ssh-ed25519"), party("ssh-ed25519", "bob")
    assert len(lines) == len(other.secret.splitlines())
    broken = age.parse_identity("\n".join([*lines[:3], *other.secret.splitlines()[3:]]))
    assert broken.recipient() == public.public
    with pytest.raises(age.KeyFormatError, match="damaged"):
        age.decrypt(sealed.header, sealed.payload, [broken])
    text = age.decrypt(sealed.header, sealed.payload, [broken, party("X25519").identity])
    assert text == b"attack at dawn"


def test_the_text_form_survives_white_space_and_other_line_ends() -> None:
    file = bytes(seal_of("X25519"))
    for size in range(len(file) - 50, len(file)):
        text = armor(file[:size])
        assert age.dearmor(f"\n \t{text}\r\n") == age.dearmor(text.replace("\n", "\r\n")) == file[:size]
        assert {len(line) for line in text.splitlines()[1:-2]} == {64}


def test_counting_readers_loads_no_cryptography() -> None:
    code = (
        "import sys; from gittraj.seal import age; header = sys.stdin.read();"
        "print(len(age.stanzas(header)), age.NoMatch.__name__, 'cryptography' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=seal_of(*CLASSIC).header,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["3", "NoMatch", "False"]


def test_all_public_names_exist() -> None:
    assert {name for name in age.__all__ if not hasattr(age, name)} == set()
    with pytest.raises(AttributeError, match="no attribute 'open'"):
        _ = age.open  # type: ignore[attr-defined]
