"""A key for whoever installs git-traj, so that nothing of their thinking is lost."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.commands.install.report import Did, Step
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.seal.identities import make_identity, own_path
from gittraj.seal.readers import read_readers

_LOST = "back it up: without it, that text cannot be read again"


def provide_key(repository: Repository, environ: Environ, *, make: bool, dry_run: bool) -> Iterator[Step]:
    """``make`` one where thinking is sealed and there are no readers to seal it for. Never raises: an
    installation is of use without it."""
    try:
        if read_config(repository).thinking != "seal" or read_readers(repository, environ).recipients:
            return
        path = own_path(environ)
        if not make or path is None:
            yield _step("key", "skipped", "thinking is not stored: you have no key (git traj keys init)")
        elif dry_run:
            yield _step(
                str(path), "added", f"would create your key: agents' thinking is encrypted with it; {_LOST}"
            )
        else:
            made, _ = make_identity(environ)
            yield _step(
                str(made), "added", f"created your key: agents' thinking is encrypted with it; {_LOST}"
            )
    except TrajError as error:
        yield _step("key", "skipped", f"no key was created: {error.message}")


def _step(name: str, did: Did, text: str) -> Step:
    return Step(what="key", name=name, did=did, text=text)
