"""Seals and opens thinking for a repository. Code for keys is imported only if there is thinking, because
that takes 50 ms."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from gittraj.config import Environ
from gittraj.errors import SealError
from gittraj.git import Repository
from gittraj.seal.events import Sealer

if TYPE_CHECKING:
    from gittraj.seal.age import Identity, Recipient
    from gittraj.seal.identities import Ask


class ForReaders:
    """A :class:`~gittraj.seal.events.Sealing` for the user and the readers on the repository's list."""

    def __init__(self, repository: Repository, environ: Environ) -> None:
        self._given = (repository, environ)
        self.remark: str | None = None

    def sealer(self) -> Sealer | None:
        return partial(self._seal, self._encrypt) if self._encrypt else None

    def _seal(self, encrypt: Sealer, trajectory: str, texts: Mapping[str, str]) -> tuple[str, bytes]:
        try:
            return encrypt(trajectory, texts)
        except SealError as error:
            self.remark = f"thinking is not stored: {error.message}"
            raise

    @cached_property
    def _encrypt(self) -> Sealer | None:
        try:
            from gittraj.seal.readers import read_readers  # noqa: PLC0415
            from gittraj.seal.seal import seal  # noqa: PLC0415
        except ImportError:
            self.remark = "thinking is not stored: Python's cryptography cannot be loaded"
            return None
        readers = read_readers(*self._given)
        self.remark = readers.remark
        return partial(seal, readers.recipients) if readers.recipients else None


class WithKeys:
    """An :class:`~gittraj.seal.events.Opener` with the keys of this user, which are loaded once there is a
    seal. ``closed`` is the number of seals that stayed closed; ``problems`` say why keys could not be used,
    and what was wrong with a seal that a key fits."""

    def __init__(
        self,
        repository: Repository,
        environ: Environ,
        *,
        named: Sequence[Path] = (),
        ask: Ask | None = None,
    ) -> None:
        self._given = (repository, environ, named, ask)
        self.closed = 0
        self.problems: list[str] = []

    def open(
        self, trajectory: str, events: Collection[str], headers: Sequence[str], payload: bytes
    ) -> Mapping[str, str] | None:
        from gittraj.seal.seal import unseal  # noqa: PLC0415

        for header in headers:
            try:
                return unseal(trajectory, events, header, payload, self.identities)
            except SealError as error:
                self._note(error)
        self.closed += 1
        return None

    def rewrap(self, header: str, recipients: Sequence[Recipient]) -> str:
        """Make a header for other readers of the same payload. Raises SealError."""
        from gittraj.seal.age import rewrap  # noqa: PLC0415

        try:
            return rewrap(header, self.identities, recipients)
        except SealError as error:
            self._note(error)
            raise

    def _note(self, error: SealError) -> None:
        from gittraj.seal.age import LockedError, NoMatch  # noqa: PLC0415

        if not isinstance(error, NoMatch) or isinstance(error, LockedError):
            self.problems.append(error.one_line)

    @cached_property
    def identities(self) -> tuple[Identity, ...]:
        from gittraj.seal.identities import find_sources, load_keyring  # noqa: PLC0415

        repository, environ, named, ask = self._given
        keyring = load_keyring(list(find_sources(repository, environ, named=named)), ask=ask)
        self.problems += (problem.one_line for problem in keyring.problems)
        return keyring.identities
