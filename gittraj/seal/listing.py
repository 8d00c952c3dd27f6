"""Changes the list of a team's readers. The result is trusted in this clone, because the user asked for each
change."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gittraj.config import Environ
from gittraj.errors import SealError
from gittraj.git import Repository
from gittraj.seal.readers import FILE, PIN, Reader, Readers, list_path, parse_list, parse_reader, read_readers
from gittraj.state.folder import LocalState

_COPY = "recipients"
"""A file in the local state: the list as it was last trusted, to find what changed since."""
_SHORTEST = 8  # characters of a key that are enough to identify it


def add_readers(repository: Repository, environ: Environ, readers: Sequence[Reader]) -> list[Reader]:
    """Add readers to the list, and also the user, whom a rewrap by others would lock out. Returns those that
    were not in the list. Raises SealError."""
    trusted = _trusted(repository, environ)
    known = {str(reader.recipient) for reader in trusted.team}
    own = [replace(r, comment=_name(repository)) for r in trusted.own[:1]] if trusted.left_out else []
    fresh: dict[str, Reader] = {}
    for reader in (*readers, *own):
        if str(reader.recipient) not in known:
            fresh.setdefault(str(reader.recipient), reader)
    if fresh:
        before = trusted.body or b""
        start = before if not before or before.endswith(b"\n") else before + b"\n"
        _write(repository, start + "".join(map(_spell, fresh.values())).encode("utf-8", "replace"))
    return list(fresh.values())


def remove_reader(repository: Repository, environ: Environ, name: str) -> Reader:
    """Remove the only reader whose key begins with ``name``, or who has it as comment. Raises SealError."""
    trusted = _trusted(repository, environ)
    matches = [r for r in trusted.team if _is_named(r, name)]
    if len(matches) != 1:
        what = "names nobody" if not matches else "names several readers"
        raise SealError(f"'{name}' {what} in {FILE}", "git traj recipients list")
    lines = (trusted.body or b"").split(b"\n")
    index = next(i for i, line in enumerate(lines) if _has_key(line, matches[0]))
    before = lines[index - 1].decode("utf-8", "replace") if index else ""
    commented = before.lstrip("# ").strip() == matches[0].comment != ""
    del lines[index - commented : index + 1]
    _write(repository, b"\n".join(lines))
    return matches[0]


def trust(repository: Repository, environ: Environ) -> tuple[list[Reader], list[str]]:
    """Trust the list as it is now. Returns the readers that are new since it was last trusted, and the keys
    of those that are gone. Raises SealError if the list cannot be read."""
    readers = read_readers(repository, environ)
    if readers.problem:
        raise SealError(readers.problem)
    if readers.body is None:
        raise SealError(f"there is no {FILE} here", "git traj recipients add")
    fresh, gone = compare(repository, readers)
    _pin(repository, readers.body)
    return fresh, gone


def compare(repository: Repository, readers: Readers) -> tuple[list[Reader], list[str]]:
    """The changes since the list was last trusted in this clone: new readers, and the keys of readers that
    are gone."""
    try:
        before = {str(r.recipient) for r in parse_list(_copy(repository).read_bytes())}
    except (OSError, SealError):
        before = set()
    now = {str(reader.recipient) for reader in readers.team}
    return [r for r in readers.team if str(r.recipient) not in before], sorted(before - now)


def _trusted(repository: Repository, environ: Environ) -> Readers:
    """Read the list. Raises SealError if it is not trusted, because changing one reader would mean trusting
    all the others, too."""
    readers = read_readers(repository, environ)
    if readers.problem:
        raise SealError(readers.problem, f"correct {FILE}")
    if not readers.trusted:
        raise SealError(
            f"{FILE} has readers that you did not add", "git traj recipients trust, or remove them"
        )
    return readers


def _name(repository: Repository) -> str:
    return repository.config("user.name") or ""


def _is_named(reader: Reader, name: str) -> bool:
    key = str(reader.recipient)
    return name in (reader.comment, key) or (len(name) >= _SHORTEST and key.startswith(name))


def _has_key(line: bytes, reader: Reader) -> bool:
    text = line.decode("utf-8", "replace").strip()
    return text[:1] not in ("", "#") and str(parse_reader(text).recipient) == str(reader.recipient)


def _spell(reader: Reader) -> str:
    comment = " ".join(reader.comment.split())
    return f"# {comment}\n{reader.recipient}\n" if comment else f"{reader.recipient}\n"


def _write(repository: Repository, body: bytes) -> None:
    path = list_path(repository)
    top = repository.work_tree or repository.common_dir
    if not path.resolve().is_relative_to(top.resolve()):
        raise SealError(f"{FILE} cannot be written: a symbolic link leads out of this repository")
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(exist_ok=True)
        fresh.write_bytes(body)
        fresh.replace(path)
    except OSError as error:
        raise SealError(f"{FILE} cannot be written: {error.strerror}") from None
    _pin(repository, body)


def _pin(repository: Repository, body: bytes) -> None:
    """Trust this list, and no earlier one, which may name a reader who was removed since."""
    digest = hashlib.sha256(body).hexdigest()
    repository.run("config", "--local", "--replace-all", PIN, digest)
    if LocalState.of(repository).exists:
        _copy(repository).write_bytes(body)


def _copy(repository: Repository) -> Path:
    return LocalState.of(repository).folder / _COPY
