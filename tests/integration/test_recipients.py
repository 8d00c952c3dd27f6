"""The list of readers and the keys, in any state that others may leave: recording never stops."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gittraj.config import Environ
from gittraj.errors import SealError
from gittraj.git import Repository
from gittraj.seal.age import generate_identity, parse_identity
from gittraj.seal.identities import find_public, find_sources, load_keyring, make_identity
from gittraj.seal.listing import add_readers, remove_reader, trust
from gittraj.seal.policy import ForReaders
from gittraj.seal.readers import FILE, list_path, parse_reader, read_readers
from tests.integration.repository import Git

ANN, BOB = (parse_identity(generate_identity()).recipient() for _ in "ab")


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    return Environ(home=tmp_path / "home")


@pytest.fixture
def repository(git: Git) -> Iterator[Repository]:
    (git.root / FILE).parent.mkdir()
    with git.open() as opened:
        yield opened


@pytest.mark.parametrize(
    "body", [f"# ann\r\n{ANN}\r\n".encode(), b"# \xe9nn\n" + ANN.encode()], ids=["CRLF", "Latin-1"]
)
def test_a_list_is_trusted_byte_for_byte(repository: Repository, environ: Environ, body: bytes) -> None:
    path = list_path(repository)
    path.write_bytes(body)
    assert not read_readers(repository, environ).trusted
    trust(repository, environ)
    assert read_readers(repository, environ).trusted
    add_readers(repository, environ, [parse_reader(BOB, "bob")])
    assert path.read_bytes().startswith(body)
    remove_reader(repository, environ, BOB)
    assert path.read_bytes().rstrip() == body.rstrip()
    assert read_readers(repository, environ).trusted


def test_a_reader_is_removed_however_the_line_is_spaced(repository: Repository, environ: Environ) -> None:
    path = list_path(repository)
    path.write_text(f"# bob\n  {BOB}\tbob\n{ANN}\n")
    trust(repository, environ)
    remove_reader(repository, environ, BOB)
    assert path.read_text() == f"{ANN}\n"


@pytest.mark.parametrize("end", ["\r", "\v", "\x85", "\u2028"])
def test_no_comment_hides_a_reader(repository: Repository, environ: Environ, end: str) -> None:
    path = list_path(repository)
    path.write_bytes(f"# a kind word{end}{BOB}\n{ANN}\n".encode())
    assert [str(reader.recipient) for reader in read_readers(repository, environ).team] == [ANN]


def test_a_link_to_an_endless_file_is_refused(repository: Repository, environ: Environ) -> None:
    path = list_path(repository)
    path.symlink_to("/dev/zero")
    assert read_readers(repository, environ).problem == f"{FILE} is not a file"
    with pytest.raises(SealError, match="is not a file"):
        trust(repository, environ)


def test_a_link_to_elsewhere_is_not_written_through(
    repository: Repository, environ: Environ, tmp_path: Path
) -> None:
    """A hostile repository may have ``.gittraj`` as a link to a folder of its user."""
    folder, elsewhere = list_path(repository).parent, tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.rmdir()
    folder.symlink_to(elsewhere)
    with pytest.raises(SealError, match="leads out of this repository"):
        add_readers(repository, environ, [parse_reader(BOB, "bob")])
    assert not [*elsewhere.iterdir()]


def test_a_list_that_is_too_long_is_refused(repository: Repository, environ: Environ) -> None:
    path = list_path(repository)
    path.write_bytes(b"#" * 1_000_001)
    assert read_readers(repository, environ).problem == f"{FILE} has more than 1000000 bytes"


@pytest.mark.parametrize("value", ["", "/", "~nobody-of-that-name/key"])
def test_an_invalid_path_of_a_key_is_ignored(git: Git, environ: Environ, value: str) -> None:
    git("config", "traj.identity", value)
    with git.open() as repository:
        assert find_public(repository, environ) == []


def test_no_half_written_key_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A half-written key would keep a new one from being made, and could open nothing."""

    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    environ = Environ(home=tmp_path, config_dir=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(SealError, match="cannot be written: No space left"):
            make_identity(environ)
    path, public = make_identity(environ)
    assert public in path.read_text()


def test_without_cryptography_thinking_is_dropped(
    git: Git, environ: Environ, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gittraj.seal.readers", None)
    with git.open() as repository:
        sealing = ForReaders(repository, environ)
        assert sealing.sealer() is None
    assert sealing.remark == "thinking is not stored: Python's cryptography cannot be loaded"


def test_thinking_is_sealed_even_for_a_key_file_that_others_can_read(git: Git, tmp_path: Path) -> None:
    """Otherwise the owner would lose the text, and would be told to create the key that exists."""
    environ = Environ(home=tmp_path, config_dir=tmp_path)
    path, public = make_identity(environ)
    path.chmod(0o644)
    with git.open() as repository:
        assert find_public(repository, environ) == [public]
        (problem,) = load_keyring(list(find_sources(repository, environ))).problems
    assert problem.message == f"{path}: other users can read this key file"
