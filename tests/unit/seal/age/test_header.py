"""A header must be exactly as the format defines it: one that can be read in two ways can be forged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gittraj.seal import age
from gittraj.seal.age.encodings import decode_base64, encode_base64
from gittraj.seal.age.header import Stanza
from tests.unit.seal.age.parties import KINDS, party, seal_of

V1 = "age-encryption.org/v1\n"
MAC = f"--- {'A' * 43}\n"
FULL = "A" * 64

FINE = {
    f"{V1}-> a\n\n{MAC}": [("a", (), 0)],
    f"{V1}-> a b ! ~ -> ---\nAA\n{MAC}": [("a", ("b", "!", "~", "->", "---"), 1)],
    f"{V1}-> a\n{FULL}\n\n{MAC}": [("a", (), 48)],
    f"{V1}-> a\n{FULL}\n{FULL}\nAAA\n-> b\n\n{MAC}": [("a", (), 98), ("b", (), 0)],
    f"{V1}-> scrypt\n\n{MAC}": [("scrypt", (), 0)],
}
DAMAGED = {
    "": "not the header of an age v1 file",
    V1: "line of its MAC",
    MAC: "not the header of an age v1 file",
    f"{V1}{MAC}": "no readers",
    f"{V1[:-2]}2\n-> a\n\n{MAC}": "not the header of an age v1 file",
    f" {V1}-> a\n\n{MAC}": "not the header of an age v1 file",
    f"{V1}-> a\n\n{MAC}".replace("\n", "\r\n"): "not the header of an age v1 file",
    f"{V1}-> a\r\n\n{MAC}": "should begin a reader",
    f"{V1}-> a\n\n{MAC[:-1]}": "line of its MAC",
    f"{V1}-> a\n\n{MAC}\n": "line of its MAC",
    f"{V1}-> a\n\n{MAC} ": "line of its MAC",
    f"{V1}-> a\n\n---{'A' * 43}\n": "line of its MAC",
    f"{V1}-> a\n\n--- {'A' * 42}\n": "31 bytes where 32",
    f"{V1}-> a\n\n--- {'A' * 40}\n": "30 bytes where 32",
    f"{V1}-> a\n\n--- {'A' * 44}\n": "33 bytes where 32",
    f"{V1}-> a\n\n--- {'A' * 42}B\n": "base64",
    f"{V1}-> a\n\n--- {'A' * 43}=\n": "base64",
    f"{V1}-> a\n\n---  {'A' * 43}\n": "base64",
    f"{V1}-> a\n\n--- {'A' * 43} \n": "base64",
    f"{V1}-> \n\n{MAC}": "line 2 should begin a reader",
    f"{V1}->\n\n{MAC}": "line 2 should begin a reader",
    f"{V1}->a\n\n{MAC}": "line 2 should begin a reader",
    f"{V1}-> a  b\n\n{MAC}": "line 2 should begin a reader",
    f"{V1}-> a \n\n{MAC}": "line 2 should begin a reader",
    f"{V1}-> a\tb\n\n{MAC}": "line 2 should begin a reader",
    f"{V1}-> é\n\n{MAC}": "line of its MAC",
    f"{V1}\n-> a\n\n{MAC}": "line 2 should begin a reader",
    f"{V1}-> a\n\n\n{MAC}": "line 4 should begin a reader",
    f"{V1}-> a\nAAAA\nAAAA\n{MAC}": "line 4 should begin a reader",
    f"{V1}-> a\n{MAC}": "line 3 should be at most 63",
    f"{V1}-> a\n{FULL}\n{MAC}": "line 4 should be at most 63",
    f"{V1}-> a\n{FULL}A\n{MAC}": "line 3 should be at most 63",
    f"{V1}-> a\n{FULL}{FULL}\n\n{MAC}": "line 3 should be at most 63",
    f"{V1}-> a\nA\n{MAC}": "base64",
    f"{V1}-> a\nAB\n{MAC}": "base64",
    f"{V1}-> a\nAA==\n{MAC}": "base64",
    f"{V1}-> a\nAA-_\n{MAC}": "base64",
    f"{V1}-> a\nAA A\n{MAC}": "base64",
    f"{V1}-> scrypt\n\n-> a\n\n{MAC}": "only reader",
    f"{V1}-> a\n\n-> scrypt\n\n{MAC}": "only reader",
    f"{V1}-> scrypt\n\n-> scrypt\n\n{MAC}": "only reader",
}


@pytest.mark.parametrize("header", FINE)
def test_a_header_is_parsed(header: str) -> None:
    assert [(one.type, one.args, len(one.body)) for one in age.stanzas(header)] == FINE[header]
    file = header.encode() + bytes(16)
    assert age.split(file) == (header, bytes(16))


@pytest.mark.parametrize("header", DAMAGED)
def test_a_malformed_header_is_refused(header: str) -> None:
    with pytest.raises(age.HeaderError, match=DAMAGED[header]):
        age.stanzas(header)
    with pytest.raises(age.HeaderError):
        age.split(header.encode())


@pytest.mark.parametrize("size", range(16))
def test_a_payload_begins_with_16_bytes(size: int) -> None:
    with pytest.raises(age.HeaderError, match="truncated"):
        age.split(f"{V1}-> a\n\n{MAC}".encode() + bytes(size))


def _with(stanza: Stanza) -> str:
    return f"{V1}{stanza}{MAC}"


def _refused(kind: str, stanza: Stanza) -> bool:
    """Whether its header is refused before the MAC is checked, which ``_with`` always makes wrong."""
    try:
        age.decrypt(_with(stanza), bytes(32), [party(kind).identity])
    except age.HeaderError as error:
        return not isinstance(error, age.MacError)
    except age.NoMatch:
        return False
    raise AssertionError("opened")


@pytest.mark.parametrize("kind", KINDS)
def test_a_stanza_must_fit_its_type(kind: str) -> None:
    (stanza,) = age.stanzas(seal_of(kind).header)
    first, rest, last = stanza.args[0], stanza.args[:-1], stanza.args[-1]
    share = decode_base64(last)
    assert not _refused(kind, replace(stanza, type="grease"))
    for args in (
        (),
        (*stanza.args, first),
        (*rest, encode_base64(share[:-1])),
        (*rest, encode_base64(share + b"\0")),
        (*rest, f"{last}="),
        (*rest, last[:-1]),
    ):
        assert _refused(kind, replace(stanza, args=args)), args
    if kind != "ssh-rsa":  # the size of its body depends on the key
        for body in (b"", stanza.body[:-1], stanza.body + b"\0", bytes(16)):
            assert _refused(kind, replace(stanza, body=body)), body
        zero = encode_base64(share[:-32] + bytes(32))  # with it everybody would know the key
        assert _refused(kind, replace(stanza, args=(*rest, zero)))


@pytest.mark.parametrize("kind", ["ssh-ed25519", "ssh-rsa"])
def test_an_ssh_stanza_names_its_key(kind: str) -> None:
    """Stanzas of other keys are not tried: a key with a passphrase would ask for it."""
    (stanza,) = age.stanzas(seal_of(kind).header)
    other = replace(stanza, args=(encode_base64(b"else"), *stanza.args[1:]))
    assert party(kind).identity.unwrap(stanza)
    assert party(kind).identity.unwrap(other) is None


@pytest.mark.parametrize("args", [("A" * 22,), ("A" * 21, "2"), ("A" * 24, "2"), ("A" * 22, "2", "2"), ()])
def test_a_malformed_scrypt_stanza_is_refused(args: tuple[str, ...]) -> None:
    with pytest.raises(age.HeaderError, match="damaged"):
        age.ScryptIdentity("open sesame").unwrap(Stanza("scrypt", args, bytes(32)))
    with pytest.raises(age.HeaderError, match="does not have its 32 bytes"):
        age.ScryptIdentity("open sesame").unwrap(Stanza("scrypt", ("A" * 22, "2"), bytes(33)))
