"""Other programs open what is sealed here, and vice versa: ``age`` itself, rage through pyrage, typage.

Typage is npm's package ``age-encryption``, the only one of them with post-quantum keys.
``GIT_TRAJ_TYPAGE`` names the folder whose ``node_modules`` has it.
"""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from gittraj.seal import age
from tests.unit.seal.age.parties import CLASSIC, Party, Phrase, armor, encrypt, party

SIZES = (0, 1, 65535, 65536, 65537, 200_000)


class Program:
    """Runs the program ``age``, which reads identities only from files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def encrypt(self, text: bytes, *parties: Party, armored: bool = False) -> bytes:
        recipients = [word for one in parties for word in ("-r", one.public)]
        return self._run("age", "-e", *recipients, *(["-a"] if armored else []), text=text)

    def decrypt(self, file: bytes, reader: Party) -> bytes:
        key = self.folder / "identity"
        key.write_text(reader.secret)
        return self._run("age", "-d", "-i", str(key), text=file)

    def _run(self, *words: str, text: bytes) -> bytes:
        done = subprocess.run(words, input=text, capture_output=True, check=False)
        if done.returncode:
            raise ValueError(done.stderr.decode())
        return done.stdout

    def ask(self, *words: str, answers: str) -> bytes:
        """Run ``age`` with ``answers`` on its session's terminal: it reads passphrases only from there."""
        keyboard, terminal = pty.openpty()
        os.write(keyboard, answers.encode())
        shell = ["sh", "-c", 'exec <"$0" && exec "$@"', os.ttyname(terminal), "age", *words]
        try:
            return subprocess.run(shell, start_new_session=True, capture_output=True, check=True).stdout
        finally:
            os.close(keyboard)
            os.close(terminal)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    if not shutil.which("age"):
        pytest.skip("no program age: apt-get install age")
    return Program(tmp_path)


@pytest.fixture(scope="module")
def rage() -> ModuleType:
    return pytest.importorskip("pyrage", reason="no pyrage: pip install '.[test]'")


def opened(file: bytes, *readers: Party) -> bytes:
    return age.decrypt(*age.split(file), [one.identity for one in readers])


def sealed(text: bytes, *readers: Party) -> bytes:
    return bytes(encrypt(text, [one.recipient for one in readers]))


@pytest.mark.parametrize("kind", CLASSIC)
@pytest.mark.parametrize("size", SIZES)
def test_age_opens_our_seals_and_we_open_its(program: Program, kind: str, size: int) -> None:
    text, alice = os.urandom(size), party(kind)
    assert program.decrypt(sealed(text, alice), alice) == text
    assert opened(program.encrypt(text, alice), alice) == text


def test_age_and_we_open_a_seal_for_several_readers(program: Program) -> None:
    readers = [party(kind) for kind in CLASSIC]
    ours, theirs = sealed(b"text", *readers), program.encrypt(b"text", *readers)
    assert [one.type for one in age.stanzas(age.split(theirs)[0]) if "grease" not in one.type] == list(
        CLASSIC
    )
    for one in readers:
        assert program.decrypt(ours, one) == opened(theirs, one) == b"text"


def test_age_reads_our_text_form_and_we_read_its(program: Program) -> None:
    alice = party("X25519")
    for size in SIZES[:3]:
        text = os.urandom(size)
        assert program.decrypt(armor(sealed(text, alice)).encode(), alice) == text
        theirs = program.encrypt(text, alice, armored=True).decode()
        assert opened(age.dearmor(theirs), alice) == text
        assert armor(age.dearmor(theirs)) == theirs


@pytest.mark.parametrize("kind", CLASSIC)
def test_age_opens_for_new_readers_and_no_more_for_former_ones(program: Program, kind: str) -> None:
    alice, bob = party("X25519"), party(kind, "bob")
    header, payload = age.split(program.encrypt(b"text", alice))
    file = age.rewrap(header, [alice.identity], [bob.recipient]).encode() + payload
    assert program.decrypt(file, bob) == b"text"
    with pytest.raises(ValueError, match="no identity matched"):
        program.decrypt(file, alice)


def test_age_and_we_open_what_a_passphrase_locks(program: Program) -> None:
    ours, clear, locked = (program.folder / name for name in ("ours", "clear", "locked"))
    ours.write_bytes(bytes(encrypt(b"text", [Phrase("open sesame", 4)])))
    assert program.ask("-d", str(ours), answers="open sesame\n") == b"text"
    clear.write_text(party("X25519").secret)
    program.ask("-p", "-o", str(locked), str(clear), answers="open sesame\n" * 2)
    (identity,) = age.parse_identities(locked.read_bytes(), passphrase=lambda: "open sesame")
    assert identity.recipient() == party("X25519").public


def test_age_refuses_what_we_refuse(program: Program) -> None:
    """Both must refuse a header with one more reader than its MAC covers."""
    alice = party("X25519")
    file = sealed(b"text", alice).replace(b"v1\n", b"v1\n-> grease\n\n", 1)
    with pytest.raises(ValueError, match="MAC"):
        program.decrypt(file, alice)
    with pytest.raises(age.MacError):
        opened(file, alice)


def test_we_read_keys_that_age_keygen_makes(tmp_path: Path) -> None:
    if not shutil.which("age-keygen"):
        pytest.skip("no program age-keygen: apt-get install age")
    file = tmp_path / "keys"
    said = subprocess.run(["age-keygen", "-o", str(file)], capture_output=True, text=True, check=True).stderr
    (identity,) = age.parse_identities(file.read_text())
    assert said.split()[-1] == identity.recipient()


@pytest.mark.parametrize(("kind", "words"), [("ed25519", []), ("rsa", ["-b", "3072"])])
@pytest.mark.parametrize("passphrase", ["", "open sesame"])
def test_we_read_keys_that_ssh_keygen_makes(
    tmp_path: Path, program: Program, kind: str, words: list[str], passphrase: str
) -> None:
    if not shutil.which("ssh-keygen"):
        pytest.skip("no program ssh-keygen: apt-get install openssh-client")
    if passphrase:
        pytest.importorskip("bcrypt", reason="the extra git-traj[ssh] is not installed")
    key = str(tmp_path / "key")
    made = ["ssh-keygen", "-q", "-t", kind, *words, "-N", passphrase, "-C", "alice at home", "-f", key]
    subprocess.run(made, check=True)
    public = Path(f"{key}.pub").read_text()
    shown = subprocess.run(["ssh-keygen", "-lf", key], capture_output=True, text=True, check=True).stdout
    identity = age.parse_identity(Path(key).read_text(), passphrase=lambda: passphrase)
    recipient = age.parse_recipient(public)
    assert shown.split()[1] == recipient.fingerprint
    assert str(recipient) == identity.recipient() == " ".join(public.split()[:2])
    header, payload = age.split(program.encrypt(b"text", Party(public, "")))
    assert age.decrypt(header, payload, [identity]) == b"text"


def _in_rage(rage: ModuleType, one: Party) -> tuple[object, object]:
    """The recipient and identity of ``one`` in rage's types."""
    if one.public.startswith("age1"):
        return rage.x25519.Recipient.from_str(one.public), rage.x25519.Identity.from_str(one.secret.strip())
    return rage.ssh.Recipient.from_str(one.public), rage.ssh.Identity.from_buffer(one.secret.encode())


@pytest.mark.parametrize("kind", CLASSIC)
@pytest.mark.parametrize("size", SIZES)
def test_rage_opens_our_seals_and_we_open_its(rage: ModuleType, kind: str, size: int) -> None:
    text, alice = os.urandom(size), party(kind)
    recipient, identity = _in_rage(rage, alice)
    assert rage.decrypt(sealed(text, alice), [identity]) == text
    assert opened(rage.encrypt(text, [recipient]), alice) == text


def test_rage_and_several_readers(rage: ModuleType) -> None:
    readers = [party(kind) for kind in CLASSIC]
    theirs = [_in_rage(rage, one) for one in readers]
    file = rage.encrypt(b"text", [recipient for recipient, _ in theirs])
    for one, (_, identity) in zip(readers, theirs, strict=True):
        assert opened(file, one) == rage.decrypt(sealed(b"text", *readers), [identity]) == b"text"


@pytest.mark.nightly
def test_rage_and_a_passphrase(rage: ModuleType) -> None:
    """rage chooses its own work factor, for about a second on this machine."""
    ours = encrypt(b"text", [Phrase("open sesame", 4)])
    assert rage.passphrase.decrypt(bytes(ours), "open sesame") == b"text"
    theirs = rage.passphrase.encrypt(party("X25519").secret.encode(), "open sesame")
    (identity,) = age.parse_identities(theirs, passphrase=lambda: "open sesame")
    assert identity.recipient() == party("X25519").public


_TYPAGE = """
import { readFileSync } from "node:fs";
import { Encrypter, Decrypter } from "age-encryption";
const [mode, key] = process.argv.slice(2), text = readFileSync(0);
const one = mode === "seal" ? new Encrypter() : new Decrypter();
mode === "seal" ? one.addRecipient(key) : one.addIdentity(key);
process.stdout.write(await (mode === "seal" ? one.encrypt(text) : one.decrypt(text)));
"""


@pytest.mark.parametrize("kind", ["X25519", "mlkem768x25519"])
@pytest.mark.parametrize("size", SIZES)
def test_typage_opens_our_seals_and_we_open_its(tmp_path: Path, kind: str, size: int) -> None:
    folder = os.environ.get("GIT_TRAJ_TYPAGE")
    if not folder:
        pytest.skip("no typage: npm install --prefix FOLDER age-encryption; set GIT_TRAJ_TYPAGE to FOLDER")
    (tmp_path / "node_modules").symlink_to(Path(folder).resolve() / "node_modules")
    (tmp_path / "typage.mjs").write_text(_TYPAGE)

    def run(mode: str, key: str, text: bytes) -> bytes:
        words = ["node", "typage.mjs", mode, key]
        return subprocess.run(words, cwd=tmp_path, input=text, capture_output=True, check=True).stdout

    text, alice = os.urandom(size), party(kind)
    assert run("open", alice.secret.strip(), sealed(text, alice)) == text
    assert opened(run("seal", alice.public, text), alice) == text
