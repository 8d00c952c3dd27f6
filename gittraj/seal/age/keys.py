"""Parses keys of all types: chooses the module that reads a key's text, or says why a text can't be used."""

from __future__ import annotations

from collections.abc import Callable

from gittraj.seal.age import native, ssh, ssh_private
from gittraj.seal.age.encodings import BEGIN, dearmor
from gittraj.seal.age.errors import KeyFormatError, LockedError, NoMatch, UnsupportedError
from gittraj.seal.age.file import decrypt
from gittraj.seal.age.header import PASSPHRASE, Identity, Recipient, split, stanzas
from gittraj.seal.age.passphrase import ScryptIdentity

try:
    from gittraj.seal.age import hybrid
except ImportError:  # cryptography has no ML-KEM
    hybrid = None  # type: ignore[assignment]

Ask = Callable[[], str]
"""A function that returns the passphrase, called when it is needed."""

_FILE = b"age-encryption.org/"


def parse_recipient(text: str) -> Recipient:
    """Parse ``age1…``, ``age1pq1…``, ``ssh-ed25519 …`` or ``ssh-rsa …``; text after an SSH key is ignored.
    Raises KeyFormatError with the reason; UnsupportedError if ``cryptography`` does not support
    ``age1pq1…``."""
    line = text.strip()
    kind = line.partition(" ")[0]
    if kind in (ssh.ED25519, ssh.RSA):
        return ssh.parse(line)
    if kind.startswith("age1pq1"):
        _expect_hybrid()
        return hybrid.HybridRecipient.parse(line)
    if kind.startswith("age1"):
        return native.X25519Recipient.parse(line)
    raise _refusal(kind)


def parse_identity(text: str, *, passphrase: Ask | None = None) -> Identity:
    """Parse ``AGE-SECRET-KEY-1…``, ``AGE-SECRET-KEY-PQ-1…`` or an OpenSSH private key. Only the public half
    of an SSH key is read at once; ``passphrase`` is called when it is first needed. Raises KeyFormatError,
    UnsupportedError."""
    key = text.strip()
    if key.startswith(f"{native.SECRET}PQ-1"):
        _expect_hybrid()
        return hybrid.HybridIdentity.parse(key)
    if key.startswith(native.SECRET):
        return native.X25519Identity.parse(key)
    if key.startswith(ssh_private.BEGIN):
        return ssh_private.parse(key, passphrase)
    if key.startswith("-----BEGIN "):
        raise KeyFormatError("a private key, but not in OpenSSH's format", "convert it: ssh-keygen -p -f KEY")
    if key.startswith("AGE-PLUGIN-"):
        raise KeyFormatError("an identity of an age plugin, which is not supported", "use age's own keys")
    raise KeyFormatError("not an identity: it should be AGE-SECRET-KEY-1… or an OpenSSH private key")


def parse_identities(file: str | bytes, *, passphrase: Ask | None = None) -> list[Identity]:
    """Parse the keys in an identities file: one OpenSSH private key; or age's keys, one per line, with empty
    lines and comments (``#``). The file may be encrypted with a passphrase (``age -p``), which is then needed
    at once.

    Raises KeyFormatError; UnsupportedError; LockedError for a passphrase that is missing or wrong; and the
    errors of :func:`~gittraj.seal.age.decrypt` for a damaged encrypted file.
    """
    data = file.encode("utf-8", "surrogatepass") if isinstance(file, str) else file
    if data.lstrip().startswith(BEGIN.encode()):
        data = dearmor(data.decode("latin-1"))
    if data.startswith(_FILE):
        data = _decrypted(data, passphrase)
    text = data.decode("utf-8", "replace").strip()
    if text.startswith("-----BEGIN "):
        return [parse_identity(text, passphrase=passphrase)]
    return [_of_line(number, line) for number, line in enumerate(text.splitlines(), 1) if _is_key(line)]


def generate_identity(*, post_quantum: bool = False) -> str:
    """Make a new secret key, as a line for an identities file. Raises UnsupportedError."""
    if not post_quantum:
        return native.generate()
    _expect_hybrid()
    return hybrid.generate()


def _expect_hybrid() -> None:
    if hybrid is None:
        raise UnsupportedError(
            "post-quantum age keys need the Python package cryptography 47 or later, with ML-KEM",
            "pip install -U 'cryptography>=47'",
        )


def _decrypted(file: bytes, passphrase: Ask | None) -> bytes:
    header, payload = split(file)
    if stanzas(header)[0].type != PASSPHRASE:
        raise KeyFormatError("an identities file sealed for keys: it can only be read if it has a passphrase")
    if passphrase is None:
        raise LockedError("the passphrase of the identities file is needed")
    try:
        return decrypt(header, payload, [ScryptIdentity(passphrase())])
    except NoMatch:
        raise LockedError("the identities file cannot be opened: wrong passphrase") from None


def _of_line(number: int, line: str) -> Identity:
    try:
        return parse_identity(line)
    except (KeyFormatError, UnsupportedError) as error:
        raise type(error)(f"line {number} of the identities: {error.message}", error.hint) from None


def _is_key(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _refusal(kind: str) -> KeyFormatError:
    """Say why a text of this ``kind``, its first word, is not a recipient."""
    if kind.startswith(("ecdsa-", "sk-", "ssh-dss")):
        return KeyFormatError(
            "an SSH key of this type can sign, but not decrypt", "use an ssh-ed25519 key, or age's own"
        )
    if kind.upper().startswith(native.SECRET):
        return KeyFormatError(
            "a secret key where a recipient should be", "keep it private, and give its public key (age1…)"
        )
    return KeyFormatError("not a recipient: it should be age1…, ssh-ed25519 … or ssh-rsa …")
