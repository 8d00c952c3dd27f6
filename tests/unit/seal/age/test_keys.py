"""Texts that are keys, and why others are not. No message and no ``repr`` shows a secret."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
from dataclasses import fields

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key

from gittraj.seal import age
from gittraj.seal.age.encodings import encode_bech32
from tests.unit.seal.age.parties import (
    CLASSIC,
    KINDS,
    Party,
    Phrase,
    armor,
    encrypt,
    party,
    seal_of,
    ssh_party,
)

SPECIFICATION = {  # its example; the secret is 32 times "B"
    "secret": encode_bech32("AGE-SECRET-KEY-", b"B" * 32),
    "public": "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj",
}


def test_the_specifications_example_is_read() -> None:
    assert age.parse_identity(SPECIFICATION["secret"]).recipient() == SPECIFICATION["public"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_has_one_line(kind: str) -> None:
    public = party(kind).public
    recipient = age.parse_recipient(f"  {public}\r\n")
    assert str(recipient) == public == party(kind).identity.recipient()
    assert recipient == age.parse_recipient(public)
    assert len({recipient, age.parse_recipient(public), party(kind, "bob").recipient}) == 2
    assert recipient.kind == kind


def test_text_after_an_ssh_key_is_ignored() -> None:
    public = party("ssh-ed25519").public
    assert str(age.parse_recipient(f"{public} alice@example.com, her laptop")) == public
    with pytest.raises(age.KeyFormatError):
        age.parse_recipient(f"{party('X25519').public} alice")


def test_each_type_of_key_has_a_fingerprint() -> None:
    assert party("X25519").recipient.fingerprint == party("X25519").public
    wire = base64.b64decode(party("ssh-rsa").public.split()[1])
    expected = base64.b64encode(hashlib.sha256(wire).digest()).decode().rstrip("=")
    assert party("ssh-rsa").recipient.fingerprint == f"SHA256:{expected}"
    assert len(party("mlkem768x25519").recipient.fingerprint) == 50


def _line(*parts: bytes) -> str:
    wire = b"".join(len(part).to_bytes(4) + part for part in parts)
    return f"{parts[0].decode()} {base64.b64encode(wire).decode()}"


def _number(value: int) -> bytes:
    return value.to_bytes(value.bit_length() // 8 + 1)


_MODULUS = (1 << 2047) + 12345
_GOOD = _line(b"ssh-ed25519", Ed25519PrivateKey.generate().public_key().public_bytes_raw())

UNUSABLE = {
    "": "not a recipient",
    "alice": "not a recipient",
    "age1": "cut off",
    SPECIFICATION["public"].upper(): "not a recipient",
    SPECIFICATION["public"][:-1]: "mistyped",
    SPECIFICATION["public"][:-1] + "q": "mistyped",
    encode_bech32("age", bytes(31)): "of 32 bytes",
    encode_bech32("age1tag", bytes(32)): "should be age1",
    encode_bech32("age", bytes(32)): "weak",
    encode_bech32("age", bytes([1, *bytes(31)])): "weak",
    encode_bech32("age1pq", bytes(32)): "of 1216 bytes",
    encode_bech32("age1pq", b"\xff" * 1216): "weak",
    encode_bech32("age1pq", bytes(1216)): "weak",
    SPECIFICATION["secret"]: "a secret key where a recipient should be",
    SPECIFICATION["secret"].lower(): "a secret key where a recipient should be",
    _line(b"ecdsa-sha2-nistp256", b"nistp256", b"\4" + bytes(64)): "sign, but not decrypt",
    _line(b"sk-ssh-ed25519@openssh.com", bytes(32), b"ssh:"): "sign, but not decrypt",
    _line(b"sk-ecdsa-sha2-nistp256@openssh.com", b""): "sign, but not decrypt",
    _line(b"ssh-dss", b"", b"", b"", b""): "sign, but not decrypt",
    _line(b"ssh-ed25519-cert-v01@openssh.com", b""): "not a recipient",
    "ssh-ed25519": "cut off",
    "ssh-ed25519 ####": "base64",
    _GOOD.replace("AAAA", "AAA=", 1): "base64",
    _GOOD[:-4]: "cut off",
    _GOOD.replace("ssh-ed25519", "ssh-rsa", 1): "differs from the one in its data",
    _line(b"ssh-ed25519", bytes(31)): "data is damaged",
    _line(b"ssh-ed25519", bytes(32), b""): "data is damaged",
    _line(b"ssh-ed25519", b"\2" + bytes(31)): "not a point",
    _line(b"ssh-ed25519", b"\xff" * 32): "not a point",
    _line(b"ssh-ed25519", b"\1" + bytes(31)): "not a point",
    _line(b"ssh-ed25519", (2**255 - 20).to_bytes(32, "little")): "weak",
    _line(b"ssh-rsa", _number(65537), _number(_MODULUS >> 1)): "with 2047 bits",
    _line(b"ssh-rsa", _number(65537), _number(_MODULUS << 16000)): "with 18048 bits",
    _line(b"ssh-rsa", _number(65537), b"\0" + _number(_MODULUS)): "data is damaged",
    _line(b"ssh-rsa", _number(65537), _number(_MODULUS)[1:]): "data is damaged",
    _line(b"ssh-rsa", _number(1), _number(_MODULUS)): "not an RSA key",
    _line(b"ssh-rsa", _number(65536), _number(_MODULUS)): "not an RSA key",
    _line(b"ssh-rsa", _number(65537), _number(_MODULUS + 1)): "not an RSA key",
    _line(b"ssh-rsa", b"", b""): "data is damaged",
}


@pytest.mark.parametrize("text", UNUSABLE, ids=[f"{i}-{why}" for i, why in enumerate(UNUSABLE.values())])
def test_a_text_that_is_not_a_recipient_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(age.KeyFormatError, match=UNUSABLE[text]):
        age.parse_recipient(text)


def test_a_long_line_is_refused_quickly() -> None:
    """If it were parsed completely, a megabyte of empty strings would be copied 250,000 times."""
    with pytest.raises(age.KeyFormatError):
        age.parse_recipient(_line(b"ssh-rsa", *[b""] * 250_000))


NO_IDENTITIES = {
    "": "not an identity",
    "alice": "not an identity",
    SPECIFICATION["public"]: "not an identity",
    SPECIFICATION["secret"].lower(): "not an identity",
    SPECIFICATION["secret"][:-1]: "mistyped",
    encode_bech32("AGE-SECRET-KEY-", bytes(33)): "of 32 bytes",
    encode_bech32("AGE-SECRET-KEY-PQ-", bytes(33)): "of 32 bytes",
    encode_bech32("AGE-PLUGIN-YUBIKEY-", bytes(32)): "plugin",
    f"-----BEGIN RSA {'PRIVATE KEY'}-----\n": "not in OpenSSH's format",
    f"-----BEGIN OPENSSH {'PRIVATE KEY'}-----\n": "private key is damaged",
}


@pytest.mark.parametrize("text", NO_IDENTITIES, ids=list(NO_IDENTITIES.values()))
def test_a_text_that_is_not_an_identity_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(age.KeyFormatError, match=NO_IDENTITIES[text]) as caught:
        age.parse_identity(text)
    assert not text or text[-30:] not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_shows_a_secret(kind: str) -> None:
    identity = party(kind).identity
    identity.unwrap(age.stanzas(seal_of(kind).header)[0])  # now an SSH key has been read
    assert {one.name for one in fields(identity) if one.repr} <= {"public", "locked"}
    assert "sesame" not in repr(age.ScryptIdentity("open sesame"))


def test_an_identities_file_is_read() -> None:
    one, two = party("X25519").secret, party("mlkem768x25519").secret
    for file, count in (
        ("", 0),
        ("# nothing yet\n\n", 0),
        (f"# created: today\n# public key: age1…\n{one}", 1),
        (f"\n  {one}\r\n\t# and\r\n{two}", 2),
        (party("ssh-rsa").secret, 1),
    ):
        assert len(age.parse_identities(file)) == len(age.parse_identities(file.encode())) == count


def test_a_bad_line_is_named_and_not_shown() -> None:
    secret = party("X25519").secret.strip()
    with pytest.raises(age.KeyFormatError, match=r"^line 3 of the identities: .*mistyped") as caught:
        age.parse_identities(f"# mine\n{secret}\n{secret[:-1]}")
    assert secret[20:30] not in str(caught.value)


@pytest.mark.parametrize("armored", [False, True])
def test_an_encrypted_identities_file_is_read_with_its_passphrase(armored: bool) -> None:
    inside = f"# mine\n{party('X25519').secret}".encode()
    sealed = bytes(encrypt(inside, [Phrase("open sesame")]))
    file = f"\n{armor(sealed)}" if armored else sealed
    (identity,) = age.parse_identities(file, passphrase=lambda: "open sesame")
    assert identity.recipient() == party("X25519").public
    with pytest.raises(age.LockedError, match="needed"):
        age.parse_identities(file)
    with pytest.raises(age.LockedError, match="wrong passphrase"):
        age.parse_identities(file, passphrase=lambda: "open barley")
    with pytest.raises(age.KeyFormatError, match="empty"):
        age.parse_identities(file, passphrase=lambda: "")


def test_an_identities_file_for_other_keys_is_not_opened() -> None:
    with pytest.raises(age.KeyFormatError, match="can only be read if it has a passphrase"):
        age.parse_identities(bytes(seal_of("X25519")))


@pytest.mark.parametrize("passphrase", ["", "\ud800"])
def test_an_unsuitable_passphrase_is_refused(passphrase: str) -> None:
    with pytest.raises(age.KeyFormatError, match="must be text"):
        age.ScryptIdentity(passphrase)


def test_a_passphrase_has_no_public_key() -> None:
    with pytest.raises(age.KeyFormatError, match="no public key"):
        age.ScryptIdentity("open sesame").recipient()


class Answers:
    """Answers each request for a passphrase with the next of ``answers``."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    def __call__(self) -> str:
        return self.answers.pop(0)


@pytest.fixture(scope="module")
def locked() -> Party:
    pytest.importorskip("bcrypt", reason="the extra git-traj[ssh] is not installed")
    return ssh_party(Ed25519PrivateKey.generate(), "open sesame")


def test_an_ssh_keys_passphrase_is_asked_once_and_only_for_its_own_seals(locked: Party) -> None:
    ask = Answers("open sesame")
    (identity,) = age.parse_identities(locked.secret, passphrase=ask)
    assert identity.recipient() == locked.public
    for kind in CLASSIC:
        with pytest.raises(age.NoMatch):
            age.decrypt(*seal_of(kind), [identity])
    assert ask.answers == ["open sesame"], "nobody was asked"
    for text in (b"one", b"two"):
        sealed = encrypt(text, [age.parse_recipient(locked.public)])
        assert age.decrypt(*sealed, [identity]) == text


def test_a_wrong_passphrase_is_an_error(locked: Party) -> None:
    sealed = encrypt(b"text", [age.parse_recipient(locked.public), party("X25519").recipient])
    identity = age.parse_identity(locked.secret, passphrase=Answers("no", "nor this", "open sesame"))
    with pytest.raises(age.LockedError, match="wrong passphrase"):
        age.decrypt(*sealed, [identity])
    assert age.decrypt(*sealed, [identity, party("X25519").identity]) == b"text"
    assert age.decrypt(*sealed, [identity]) == b"text"
    with pytest.raises(age.LockedError, match=r"passphrase of the SSH key SHA256:\S{43} is needed"):
        age.decrypt(*sealed, [age.parse_identity(locked.secret)])


def test_an_encrypted_rsa_key_is_opened_with_its_passphrase(locked: Party) -> None:
    found = ssh_party(generate_private_key(65537, 2048), "open sesame")
    identity = age.parse_identity(found.secret, passphrase=Answers("open sesame"))
    assert age.decrypt(*encrypt(b"x", [age.parse_recipient(found.public)]), [identity]) == b"x"


@pytest.mark.parametrize("kind", ["ssh-ed25519", "ssh-rsa"])
def test_an_ssh_key_behind_anothers_public_half_opens_nothing(kind: str) -> None:
    alice, bob = (party(kind, name) for name in ("alice", "bob"))
    begin, *lines, end = alice.secret.splitlines()
    mine, others = (base64.b64decode(one.public.split()[1]) for one in (alice, bob))
    data = base64.b64decode("".join(lines)).replace(mine, others, 1)
    identity = age.parse_identity(f"{begin}\n{base64.encodebytes(data).decode()}{end}\n")
    assert identity.recipient() == bob.public
    with pytest.raises(age.KeyFormatError, match="private key is damaged"):
        age.decrypt(*encrypt(b"text", [bob.recipient]), [identity])


def _without(module: str, code: str, *arguments: str) -> str:
    program = f"import sys; sys.modules[{module!r}] = None\nfrom gittraj.seal import age\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_without_bcrypt_no_passphrase_is_requested() -> None:
    """The key is constructed by hand: without bcrypt, none can be written."""
    wire = base64.b64decode(party("ssh-ed25519").public.split()[1])
    parts = b"aes256-ctr", b"bcrypt", bytes(24), (1).to_bytes(4), wire, bytes(160)
    body = b"".join(part if len(part) == 4 else len(part).to_bytes(4) + part for part in parts)
    text = base64.encodebytes(b"openssh-key-v1\0" + body).decode()
    pem = "-----{0} OPENSSH {2}-----\n{3}-----{1} OPENSSH {2}-----".format(
        "BEGIN", "END", "PRIVATE KEY", text
    )
    code = """
identity = age.parse_identity(sys.argv[1], passphrase=sys.exit)
sealed = age.encrypt(b"x", [age.parse_recipient(identity.recipient())])
try:
    age.decrypt(*sealed, [identity])
except age.UnsupportedError as error:
    print(error, "|", error.hint)
"""
    assert _without("bcrypt", code, pem) == (
        "an SSH key with a passphrase can't be read without bcrypt | pip install 'git-traj[ssh]'"
    )


def test_an_older_cryptography_lacks_only_post_quantum_keys() -> None:
    code = """
for attempt in (
    lambda: age.parse_recipient(sys.argv[1]),
    lambda: age.parse_identity(sys.argv[2]),
    lambda: age.generate_identity(post_quantum=True),
):
    try:
        attempt()
    except age.UnsupportedError as error:
        print(error.hint)
identity = age.parse_identity(age.generate_identity())
sealed = age.encrypt(b"text", [age.parse_recipient(identity.recipient())])
print(age.decrypt(*sealed, [identity]))
"""
    quantum = party("mlkem768x25519")
    printed = _without("cryptography.hazmat.primitives.hpke", code, quantum.public, quantum.secret)
    assert printed.splitlines() == ["pip install -U 'cryptography>=47'"] * 3 + ["b'text'"]
