"""Opens sealed thinking with the user's keys: asks for passphrases, and reports what could not be opened."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gittraj.config import Environ
from gittraj.errors import SealError
from gittraj.git import Repository

if TYPE_CHECKING:
    from gittraj.seal.policy import WithKeys


def keys(repository: Repository, environ: Mapping[str, str], named: Sequence[Path]) -> WithKeys:
    from gittraj.seal.policy import WithKeys

    return WithKeys(repository, Environ.of(environ), named=named, ask=ask_passphrase)


def ask_passphrase(name: str) -> str:
    """Raises SealError without a terminal."""
    if not sys.stdin.isatty():
        raise SealError(f"{name}: its passphrase cannot be asked for: this is not a terminal")
    passphrase: str = click.prompt(f"Passphrase of {name}", hide_input=True, err=True)
    return passphrase


def say_problems(keys: WithKeys) -> None:
    for problem in dict.fromkeys(keys.problems):
        sys.stderr.write(f"git-traj: {problem}\n")


def say_closed(keys: WithKeys) -> None:
    """Report unusable keys, but only when a seal could not be opened."""
    if keys.closed:
        say_problems(keys)
        if not keys.problems:
            how = "a reader can let you in: git traj recipients add YOURKEY, git traj rewrap"
            sys.stderr.write(f"git-traj: sealed for others, and none of your keys opens it; {how}\n")
