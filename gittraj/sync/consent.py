"""Stores whether the user agreed to push to a remote, and how much. A cloned repository cannot agree for
them.

Consent is for an address: the same remote name with another address needs a new consent.
"""

from __future__ import annotations

import time
from typing import Literal

from gittraj.config import read_choice
from gittraj.git import Repository
from gittraj.sync.remote import Remote

Answer = Literal["never", "ask", "auto"]
_TRIES = 20
_PAUSE = 0.1
"""Seconds between two tries."""


def read_answer(repository: Repository, remote: Remote) -> Answer:
    """The value of ``traj.push``, ``auto`` if the user agreed to this remote. Raises TrajError if invalid."""
    setting = read_choice(repository, "push")
    agreed = remote.listed and repository.config(f"remote.{remote.address}.trajPush") == _address(remote)
    return "never" if setting == "never" else "auto" if setting == "auto" or agreed else "ask"


def remember_consent(repository: Repository, remote: Remote) -> None:
    """Store the consent until the remote's address changes; for a bare address nothing is stored."""
    if remote.listed:
        _remember(repository, f"remote.{remote.address}.trajPush", _address(remote))


def remember_join(repository: Repository, remote: Remote) -> None:
    """Store that the user joined this remote's records: those who can push there may change them here."""
    key = f"remote.{remote.address}.trajFetch"
    if remote.listed and repository.config(key) != _address(remote):
        _remember(repository, key, _address(remote))


def may_join(repository: Repository, remote: Remote) -> bool:
    """Whether a remote's records may be joined without asking: the user did so before, or pushes there."""
    joined = repository.config(f"remote.{remote.address}.trajFetch") == _address(remote)
    return joined or read_answer(repository, remote) == "auto"


def shares_records_only(repository: Repository) -> bool:
    """Whether only records are pushed and events stay local (``traj.share``). Raises TrajError."""
    return read_choice(repository, "share") == "records"


def _remember(repository: Repository, key: str, value: str) -> None:
    """Set a key; try again if another process, such as a second sync, writes the configuration now."""
    for _ in range(_TRIES):
        if repository.run("config", "--local", key, value, check=False).code == 0:
            return
        time.sleep(_PAUSE)
    repository.run("config", "--local", key, value)


def _address(remote: Remote) -> str:
    return " ".join(remote.urls)
