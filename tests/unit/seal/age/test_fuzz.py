"""No input raises anything except an AgeError. ``GIT_TRAJ_FUZZ`` sets the number of cases."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gittraj.seal import age
from gittraj.seal.age import passphrase
from tests.sizes import size
from tests.unit.seal.age.parties import KINDS, Party, Phrase, armor, encrypt, party, seal_of

COUNT = size(300, 3000, "GIT_TRAJ_FUZZ")
TOKENS = [
    *(
        b"",
        b"\n",
        b"\r\n",
        b" ",
        b"\0",
        b"=",
        b"-",
        b"--- ",
        b"-> ",
        b"A" * 64 + b"\n",
        b"\xff",
        b"1",
        b"\xc3\xa9",
    ),
    *(
        b"-> X25519 ",
        b"-> ssh-ed25519 ",
        b"-> ssh-rsa ",
        b"-> scrypt ",
        b"-> mlkem768x25519 ",
        b"age1pq1",
        b"AGE-",
    ),
    *(
        b"-----BEGIN ",
        b"-----END ",
        b"ssh-rsa",
        b"ssh-ed25519",
        b"\0\0\0\x0b",
        b"\xff\xff\xff\xff",
        b"A" * 43,
    ),
]


def _try_file(data: bytes) -> None:
    age.decrypt(*age.split(data), _identities())


def _try_armor(data: bytes) -> None:
    _try_file(age.dearmor(data.decode("latin-1")))


def _try_header(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    age.stanzas(text)
    age.rewrap(text, _identities(), [party("X25519").recipient])


def _try_recipient(data: bytes) -> None:
    recipient = age.parse_recipient(data.decode("utf-8", "surrogateescape"))
    assert age.parse_recipient(str(recipient)) == recipient
    encrypt(b"text", [recipient])


def _try_identities(data: bytes) -> None:
    for identity in age.parse_identities(data):
        identity.recipient()
        for kind in KINDS:
            for stanza in age.stanzas(seal_of(kind).header):
                identity.unwrap(stanza)


def _try_wire(data: bytes) -> None:
    """Try the binary content of an SSH key's base64."""
    for kind in ("ssh-ed25519", "ssh-rsa"):
        _try_recipient(f"{kind} {base64.b64encode(data).decode()}".encode())


def _try_private(data: bytes) -> None:
    begin, end = (f"-----{word} OPENSSH PRIVATE KEY-----" for word in ("BEGIN", "END"))
    _try_identities(f"{begin}\n{base64.encodebytes(data).decode()}{end}\n".encode())


def _identities() -> list[age.Identity]:
    return [age.ScryptIdentity("open sesame"), *(party(kind).identity for kind in KINDS)]


def _wire(text: str) -> bytes:
    return base64.b64decode("".join(line for line in text.splitlines() if "-----" not in line))


def _cases() -> list[tuple[Callable[[bytes], None], list[bytes]]]:
    parties: list[Party] = [party(kind) for kind in KINDS]
    ssh = [party(kind) for kind in ("ssh-ed25519", "ssh-rsa")]
    phrase = encrypt(b"text", [Phrase("open sesame", 1)])
    seals = [seal_of("X25519", "ssh-ed25519", "ssh-rsa"), seal_of("mlkem768x25519"), phrase]
    return [
        (_try_file, [bytes(one) for one in seals]),
        (_try_armor, [armor(bytes(one)).encode() for one in seals]),
        (_try_header, [one.header.encode() for one in seals]),
        (_try_recipient, [one.public.encode() for one in parties]),
        (_try_identities, [one.secret.encode() for one in parties]),
        (_try_wire, [_wire(one.public.split()[1]) for one in ssh]),
        (_try_private, [_wire(one.secret) for one in ssh]),
    ]


def _mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        start, end = sorted(rng.choices(range(len(data) + 1), k=2))
        end = min(end, start + rng.choice((1, 2, 8, 64, 10_000)))
        match rng.randrange(6):
            case 0 if data:
                data[start % len(data)] ^= 1 << rng.randrange(8)
            case 1:
                del data[start:end]
            case 2:
                data[start:start] = data[start:end]
            case 3:
                data[start:start] = rng.choice(TOKENS)
            case 4:
                other = rng.choice(seeds)
                data[start:] = other[rng.randrange(len(other)) :]
            case _:
                data[start:end] = bytes(rng.choices(range(256), k=end - start))
    return bytes(data)


@pytest.mark.parametrize("part", range(7))
def test_valid_texts_with_changes_raise_only_age_errors(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text is a valid one with up to eight changes."""
    monkeypatch.setattr(passphrase, "LIMIT", 4)  # a greater work factor takes seconds
    attempt, seeds = _cases()[part]
    rng, refused = random.Random(part), 0
    for _ in range(COUNT // 7):
        data = _mutated(rng, seeds)
        try:
            attempt(data)
        except age.AgeError as error:
            assert "\n" not in error.message
            refused += 1
    assert refused > COUNT // 14


@settings(deadline=None)
@given(st.text())
def test_any_text_raises_only_age_errors(text: str) -> None:
    for attempt in (age.parse_recipient, age.parse_identity, age.parse_identities, age.stanzas, age.dearmor):
        try:
            attempt(text)
        except age.AgeError:
            pass


@settings(deadline=None)
@given(st.binary())
def test_any_bytes_raise_only_age_errors(data: bytes) -> None:
    for attempt in (age.split, age.parse_identities):
        try:
            attempt(data)
        except age.AgeError:
            pass


_ARGUMENT = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=50)
_BODY = st.binary(max_size=100)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([*KINDS, "scrypt", "grease"]) | _ARGUMENT, st.lists(_ARGUMENT, max_size=3), _BODY
        ),
        min_size=1,
        max_size=3,
    )
)
def test_any_stanzas_are_read_as_written(readers: list[tuple[str, list[str], bytes]]) -> None:
    """Every stanza that can be written is read as it was written, whether it is meaningful or not."""
    stanzas = tuple(age.Stanza(kind, tuple(args), body) for kind, args, body in readers)
    header = f"age-encryption.org/v1\n{''.join(map(str, stanzas))}--- {'A' * 43}\n"
    try:
        assert age.stanzas(header) == stanzas
    except age.HeaderError:
        assert "scrypt" in [kind for kind, *_ in readers]
        assert len(readers) > 1
    with pytest.raises(age.AgeError):
        age.decrypt(header, bytes(32), _identities())
