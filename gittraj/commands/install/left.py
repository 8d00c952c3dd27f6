"""What an uninstallation leaves: records here and at remotes, key, program; how each is removed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from gittraj.config import Environ
from gittraj.git import Repository
from gittraj.notes.refs import delete_ref
from gittraj.notes.unjoined import COPIES
from gittraj.seal.identities import own_path
from gittraj.state.folder import LocalState

_REFS = "refs/notes/traj", "refs/notes/traj-data-*"
_COPIES = f"{COPIES}**/traj", f"{COPIES}**/traj-data-*"


def list_copies(repository: Repository) -> list[str]:
    """What a fetch or a push left of remotes' refs."""
    return _list(repository, _COPIES)


def drop_copies(repository: Repository) -> None:
    for ref in list_copies(repository):
        delete_ref(repository, ref, check=False)


def name_what_is_left(
    repository: Repository, environ: Environ, copies: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What is left, and the command that removes it. ``copies``: as they were before."""
    if LocalState.of(repository).exists:
        yield "what was captured and not recorded yet, and locks", "git traj uninstall --purge"
    if _list(repository, (*_REFS, *_COPIES)):
        patterns = " ".join(f"'{pattern}'" for pattern in (*_REFS, *_COPIES))
        command = f"git for-each-ref --format='delete %(refname)' {patterns} | git update-ref --stdin"
        yield "the records here", command
    for remote in repository.run("remote").out.decode("utf-8", "surrogateescape").splitlines():
        start = f"{COPIES}{remote}/"
        refs = [f"refs/notes/{ref.removeprefix(start)}" for ref in copies if ref.startswith(start)]
        if refs:
            yield (
                f"the records that {remote} has, for everybody",
                shlex.join(("git", "push", remote, "--delete", *refs)),
            )
    own = own_path(environ)
    if own is not None and own.exists():
        yield "your key, for every repository", shlex.join(("rm", "-r", str(own.parent)))
    yield "the program", uninstall_command(Path(sys.prefix))


def uninstall_command(prefix: Path) -> str:
    """Of the program, by where its environment lies: the folders of pipx and of uv have these names."""
    if "pipx" in prefix.parts:
        return "pipx uninstall git-traj"
    if prefix.parts[-3:-1] == ("uv", "tools"):
        return "uv tool uninstall git-traj"
    return shlex.join((sys.executable, "-m", "pip", "uninstall", "git-traj"))


def _list(repository: Repository, patterns: Sequence[str]) -> list[str]:
    found = repository.run("for-each-ref", "--format=%(refname)", *patterns)
    return found.out.decode("utf-8", "surrogateescape").splitlines()
