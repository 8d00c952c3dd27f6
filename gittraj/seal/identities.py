"""Finds this user's private keys, which are read only to open a seal.

They are tried in this order: keys named on the command line, ``GIT_TRAJ_IDENTITY`` (a path or a key), git
config ``traj.identity``, the file that :func:`make_identity` creates, then the usual SSH keys. A key that
cannot be read is skipped, and reported only if no other key opens the seal.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from gittraj.config import Environ
from gittraj.errors import SealError, TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.seal import age  # not its functions: to import one loads cryptography, which takes 40 ms
from gittraj.seal.age import Identity

_SSH = ("id_ed25519", "id_rsa")
_LARGEST = 1_000_000  # bytes
_SECRETS = ("AGE-SECRET-KEY-", "-----BEGIN ")
Ask = Callable[[str], str]
"""A function that returns the passphrase of the named source; it raises SealError if nobody can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file with keys, or the ``text`` of keys. ``usual``: a default location, which may be missing."""

    name: str
    path: Path | None = None
    text: str | None = field(default=None, repr=False)
    usual: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyring:
    """The user's keys, and one error in ``problems`` for each source that cannot be used."""

    identities: tuple[Identity, ...] = ()
    problems: tuple[TrajError, ...] = ()


def own_path(environ: Environ) -> Path | None:
    """The path of the user's own key, which may not exist yet."""
    return environ.config_dir / "git-traj" / "identities" if environ.config_dir else None


def find_sources(
    repository: Repository | None, environ: Environ, *, named: Sequence[Path] = ()
) -> Iterator[Source]:
    yield from (Source(name=str(path), path=path) for path in named)
    if environ.identity:
        literal = environ.identity.lstrip().startswith(_SECRETS)
        path = None if literal else _expand(environ.identity)
        yield Source(name="GIT_TRAJ_IDENTITY", path=path, text=environ.identity if literal else None)
    for value in repository.config_all("traj.identity") if repository else ():
        yield Source(name=value, path=_expand(value))
    own = own_path(environ)
    if own is not None:
        yield Source(name=str(own), path=own, usual=True)
    if environ.home is not None:
        for name in _SSH:
            path = environ.home / ".ssh" / name
            yield Source(name=str(path), path=path, usual=True)


def _expand(value: str) -> Path:
    """Expand ``~``. The path of an unknown user is not changed, so that no such file is found."""
    return Path(os.path.expanduser(value))  # noqa: PTH111 - Path's own raises


def load_keyring(sources: Sequence[Source], *, ask: Ask | None = None) -> Keyring:
    identities: list[Identity] = []
    problems: list[TrajError] = []
    for source in sources:
        try:
            text = read_source(source)
            if text is not None:
                identities += age.parse_identities(text, passphrase=ask and partial(ask, source.name))
        except TrajError as error:
            problems.append(SealError(f"{source.name}: {error.message}", error.hint))
    return Keyring(identities=tuple(identities), problems=tuple(problems))


def read_source(source: Source, *, careful: bool = True) -> str | bytes | None:
    """Read a source; None if a usual one is missing. Raises SealError, with ``careful`` also for a file that
    other users may read."""
    if source.path is None:
        return source.text
    try:
        with source.path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            body = stream.read(_LARGEST)
    except FileNotFoundError:
        if source.usual:
            return None
        raise SealError("there is no such file") from None
    except OSError as error:
        raise SealError(f"cannot be read: {error.strerror}") from None
    if careful and os.name == "posix" and stat.S_ISREG(mode) and mode & 0o077:
        raise SealError("other users can read this key file", f"chmod 600 {source.path}")
    return body


def make_identity(environ: Environ, *, post_quantum: bool = False) -> tuple[Path, str]:
    """Create the user's own key; return its file and its public line. Raises SealError, also if the file
    exists."""
    path = own_path(environ)
    if path is None:
        raise SealError("no home folder is known in which a key could be stored", "set HOME")
    secret = age.generate_identity(post_quantum=post_quantum)
    public = age.parse_identities(secret)[0].recipient()
    created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SealError(f"{path} already exists", "git traj keys list") from None
    except OSError as error:
        raise SealError(f"{path} cannot be created: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(f"# created: {created}\n# public key: {public}\n{secret}\n")
            stream.flush()
            os.fsync(descriptor)  # texts will soon be sealed for this key, and only for it
    except OSError as error:
        path.unlink(missing_ok=True)
        raise SealError(f"{path} cannot be written: {error.strerror}") from None
    return path, public


def find_public(repository: Repository | None, environ: Environ) -> list[str]:
    """The public lines of the user's own keys, without SSH keys in the default location. It asks for no
    passphrase: for a protected file, ``traj.recipient`` has the public line."""
    lines = list(repository.config_all("traj.recipient")) if repository else []
    usual = environ.home / ".ssh" if environ.home else None
    for source in find_sources(repository, environ):
        if source.usual and source.path is not None and source.path.parent == usual:
            continue
        lines += _public_of(source)
    return list(dict.fromkeys(lines))


def _public_of(source: Source) -> list[str]:
    try:
        # the path may be a folder
        public = source.path.with_name(f"{source.path.name}.pub") if source.path else None
        if public is not None and public.is_file():
            return [str(age.parse_recipient(public.read_text("utf-8").strip()))]
        text = read_source(source, careful=False)  # only opening a seal rejects a key that others may read
        return [identity.recipient() for identity in age.parse_identities(text)] if text else []
    except (TrajError, OSError, ValueError):
        return []
