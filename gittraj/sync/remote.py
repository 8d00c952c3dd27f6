"""The remote to share with: a remote of this repository, or an address.

It must not print a password: everything that shows an address removes it first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.notes.unjoined import COPIES

_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A remote. git gets its ``address``, people see its ``name``; copies of its refs are in ``folder`` below
    ``refs/notes-remote/``; ``urls`` are the push URLs, without passwords. ``listed`` says whether it is one
    of this repository's remotes."""

    address: str
    name: str
    folder: str
    urls: tuple[str, ...]
    listed: bool

    def tracking(self, ref: str) -> str:
        """The ref in this clone that is a copy of the remote's ``ref``."""
        return f"{COPIES}{self.folder}/{ref.removeprefix('refs/notes/')}"


def without_password(text: str) -> str:
    """Return ``text`` with everything before the host removed from each address in it."""
    return _CREDENTIALS.sub("", text)


def list_remotes(repository: Repository) -> tuple[str, ...]:
    listed = repository.run("remote").text
    return tuple(name for name in listed.split("\n") if name)


def find_remote(repository: Repository, named: str | None, *, pushing: bool = True) -> Remote:
    """Find the remote ``named``, or the one that git would push to (or fetch from). Raises TrajError."""
    listed = list_remotes(repository)
    name = named if named is not None else _choose(repository, listed, pushing=pushing)
    if name in listed:
        return Remote(address=name, name=name, folder=name, urls=_urls(repository, name), listed=True)
    if not _is_address(repository, name):
        raise TrajError(f"there is no remote '{without_password(name)}'", "git remote -v lists them")
    known = next((each for each in listed if name in _urls(repository, each, raw=True)), None)
    if known is not None:
        return find_remote(repository, known)
    shown = without_password(name)
    digest = hashlib.sha256(shown.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return Remote(address=name, name=shown, folder=f"url-{digest}", urls=(shown,), listed=False)


def _choose(repository: Repository, listed: tuple[str, ...], *, pushing: bool) -> str:
    branch = repository.run("symbolic-ref", "--short", "-q", "HEAD", check=False).text.strip()
    keys = [f"branch.{branch}.remote"]
    if pushing:
        keys = [f"branch.{branch}.pushRemote", "remote.pushDefault", *keys]
    candidates = [*filter(None, map(repository.config, keys)), "origin"]
    chosen = next((name for name in candidates if name in listed), None)
    if chosen is None and len(listed) == 1:
        return listed[0]
    if chosen is None:
        hint = "name one: git traj sync REMOTE" if listed else "add one: git remote add origin URL"
        raise TrajError("there is no default remote" if listed else "there is no remote to share with", hint)
    return chosen


def _urls(repository: Repository, name: str, *, raw: bool = False) -> tuple[str, ...]:
    printed = repository.run("remote", "get-url", "--push", "--all", "--", name, check=False)
    urls = [line for line in printed.text.split("\n") if line]
    return tuple(urls if raw else map(without_password, urls))


def _is_address(repository: Repository, text: str) -> bool:
    """Whether git would take ``text`` for an address: a URL, ``host:path``, or a folder."""
    return ":" in text or any(path.exists() for path in _possible_folders(repository, text))


def _possible_folders(repository: Repository, text: str) -> Iterator[Path]:
    if text and "\0" not in text:
        base = repository.work_tree or repository.git_dir
        yield base / text
