"""Finds the readers that thinking is sealed for: the user, and the readers that a team lists in its
repository.

Anyone who may open a pull request may add a reader to the list. So a list is used only if the user of this
clone trusted exactly it (git config ``traj.trust`` has its sha256, in CI ``GIT_TRAJ_TRUST``). Until then
thinking is sealed for the user alone, and nothing is lost.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gittraj.config import Environ
from gittraj.errors import SealError, TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository
from gittraj.seal import age  # not its functions, which load cryptography
from gittraj.seal.age import Recipient
from gittraj.seal.age.header import HYBRID
from gittraj.seal.identities import find_public, own_path
from gittraj.startup import sha256

FILE = ".gittraj/recipients"
PIN = "traj.trust"
_MOST = 100
"""The maximum number of readers; each makes every record 130 bytes longer."""
_LARGEST = 1_000_000  # bytes of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A key that thinking is sealed for. ``comment`` says whose it is; anyone who can edit the list may have
    written it."""

    recipient: Recipient
    comment: str = ""

    def __str__(self) -> str:
        return f"{self.recipient} {self.comment}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The user's ``own`` keys, and those of the ``team``. ``body`` is the file with the team's list, which is
    read once; ``problem`` says why it cannot be read. ``locked``: the user has a file with keys, but their
    public lines cannot be read from it."""

    own: tuple[Reader, ...] = ()
    team: tuple[Reader, ...] = ()
    trusted: bool = True
    body: bytes | None = None
    problem: str | None = None
    locked: bool = False

    @property
    def digest(self) -> str | None:
        """The sha256 by which the list is trusted."""
        if self.body is None:
            return None
        return sha256(self.body).hexdigest()

    @property
    def recipients(self) -> tuple[Recipient, ...]:
        """All trusted recipients, each once."""
        readers = (*self.own, *(self.team if self.trusted else ()))
        return tuple({str(reader.recipient): reader.recipient for reader in readers}.values())

    @property
    def mixed(self) -> bool:
        """Whether there are post-quantum keys and others, so that nothing can be sealed for all of them:
        quantum computers could open what is sealed for the others."""
        return len({recipient.kind == HYBRID for recipient in self.recipients}) > 1

    @property
    def left_out(self) -> bool:
        """Whether the user has keys, but none of them is on the list."""
        team = {str(reader.recipient) for reader in self.team}
        return bool(self.own) and not any(str(reader.recipient) in team for reader in self.own)

    @property
    def remark(self) -> str | None:
        """The warning for the user, on one line; None if there is none."""
        if self.problem:
            why = self.problem
        elif not self.trusted:
            why = f"{FILE} is not trusted here (git traj recipients trust)"
        elif self.mixed:
            return "thinking is not stored: some readers have post-quantum keys, and others none"
        elif not self.recipients:
            why = (
                "your key does not open (git traj keys list)"
                if self.locked
                else "you have no key (git traj keys init)"
            )
            return f"thinking is not stored: {why}"
        elif self.team and self.left_out:
            return (
                f"you are not in {FILE}, so a rewrap by others would lock you out (git traj recipients add)"
            )
        else:
            return None
        kept = "thinking is sealed for you alone" if self.recipients else "thinking is not stored"
        return f"{kept}: {why}"


def read_readers(repository: Repository, environ: Environ) -> Readers:
    """Read the user's and the team's readers. Never raises because of the list's content: ``problem`` reports
    that."""
    own, path = tuple(_read_own(repository, environ)), own_path(environ)
    readers = Readers(own=own, locked=not own and path is not None and path.is_file())
    try:
        body = _read_list(list_path(repository))
        if body is None:
            return readers
        readers = replace(readers, body=body)
        team = tuple(parse_list(body))
    except SealError as error:
        return replace(readers, trusted=False, problem=error.message)
    pins = {*repository.config_all(PIN), *(environ.trust or "").split()}
    return replace(readers, team=team, trusted=readers.digest in pins or not team)


def list_path(repository: Repository) -> Path:
    return (repository.work_tree or repository.common_dir) / FILE


def _read_list(path: Path) -> bytes | None:
    """Read the list; None if there is none. A cloned repository may have a link in its place, to a device
    that never ends. Raises SealError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SealError(f"{FILE} is not a file")
        with path.open("rb") as stream:
            body = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SealError(f"{FILE} cannot be read: {error.strerror}") from None
    if len(body) > _LARGEST:
        raise SealError(f"{FILE} has more than {_LARGEST} bytes")
    return body


def parse_list(body: bytes) -> Iterator[Reader]:
    """Parse the format of age's ``-R``: one recipient per line, with a comment on it in the line above, after
    ``#``. Only a newline ends a line, as in a diff: else a comment could hide a reader. Raises SealError."""
    comment = ""
    count = 0
    for number, line in enumerate(body.decode("utf-8", "replace").split("\n"), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            comment = text.lstrip("# ") if text else ""
            continue
        count += 1
        if count > _MOST:
            raise SealError(f"{FILE}:{number}: more than {_MOST} readers")
        yield parse_reader(text, comment, where=f"{FILE}:{number}: ")
        comment = ""


def parse_reader(line: str, comment: str = "", *, where: str = "") -> Reader:
    """Parse a recipient. Text after it on the line replaces ``comment``. Raises SealError."""
    words = line.split(None, 2)
    length = 2 if words and words[0].startswith("ssh-") else 1
    try:
        recipient = age.parse_recipient(" ".join(words[:length]))
    except TrajError as error:
        raise SealError(f"{where}{error.message}", error.hint) from None
    return Reader(recipient=recipient, comment=" ".join(words[length:]) or comment)


def _read_own(repository: Repository, environ: Environ) -> Iterator[Reader]:
    for line in find_public(repository, environ):
        try:
            yield parse_reader(line)
        except SealError:
            continue
