"""Fetches a remote's records into a temporary repository.

Notes refs are fetched without history, because purged text must not be stored anywhere. HEAD's commits are
fetched without trees and files, if the server can leave those out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gittraj import limits
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.gather.remotes import Source
from gittraj.git import Repository, clean_environment, open_repository
from gittraj.git.process import Runner
from gittraj.notes.store import DATA_PREFIX, MONTH, RECORDS_REF
from gittraj.sync.network import fetch_refs, list_refs
from gittraj.sync.remote import Remote, without_password

_FILTERS = re.compile(rb"(?:fetch=[^\n]*|< [0-9a-f]{40,}[^\n]*)\bfilter\b")
_SERVE = "--upload-pack=git -c uploadpack.allowFilter=true upload-pack"
"""Lets our own git, which serves a local folder, leave out trees and files."""

_NAME = "gathered"
_PARTIAL = f"""
[core]
repositoryFormatVersion = 1
[extensions]
partialClone = {_NAME}
[remote "{_NAME}"]
promisor = true
"""
"""Without these settings, git reports the objects that were left out as missing."""


class Mirror(Remote):
    """A remote whose refs have the same names here."""

    __slots__ = ()

    def tracking(self, ref: str) -> str:
        return ref


@dataclass(frozen=True, slots=True)
class Listed:
    """``tips`` of the records ref and of the data refs; ``filters``: whether the server supports filters."""

    tips: Mapping[str, str]
    head: str | None
    filters: bool

    @property
    def seen(self) -> Mapping[str, str]:
        """The tips whose change makes rows out of date; HEAD if its commits can be fetched without trees."""
        return {**self.tips, "HEAD": self.head} if self.head and self.filters else self.tips


def remote_of(source: Source) -> Mirror:
    return Mirror(
        address=source.address,
        name=source.name,
        folder="",
        urls=(without_password(source.address),),
        listed=False,
    )


def new_repository(folder: Path, environ: Mapping[str, str], *, sha256: bool = False) -> Repository:
    """Make an empty repository. Raises GitError."""
    made = ("--object-format=sha256",) if sha256 else ()
    Runner((), folder, clean_environment(environ)).run("init", "--quiet", "--bare", "--template=", *made, ".")
    return open_repository(folder, environ=environ)


def list_tips(repository: Repository, source: Source) -> Listed:
    """List a remote's tips with one ``ls-remote``. Raises TrajError."""
    trace = repository.git_dir / f"packets-{source.project_id}"
    remote = remote_of(source)
    wanted = (RECORDS_REF, f"{DATA_PREFIX}*", "HEAD")
    found = list_refs(repository, remote, *wanted, trace=trace)
    said = trace.read_bytes() if trace.exists() else b""
    trace.unlink(missing_ok=True)
    tips = {
        ref: oid
        for ref, oid in found.items()
        if ref == RECORDS_REF or MONTH.fullmatch(ref.removeprefix(DATA_PREFIX))
    }
    filters = Path(source.address).is_dir() or bool(_FILTERS.search(said))
    return Listed(tips, found.get("HEAD"), filters)


def fetch_records(repository: Repository, source: Source, listed: Listed) -> bool:
    """Fetch the listed records and segments, and HEAD's commits; returns whether HEAD's commits could be
    fetched. Raises TrajError."""
    remote = remote_of(source)
    fetch_refs(repository, remote, [*listed.tips], extra=("--depth=1",))
    for ref in listed.tips:
        tip = repository.objects.resolve(ref)
        if tip is None or repository.objects.kind(tip) != "commit":
            raise TrajError(f"{source.name}: its {ref} is not a notes ref", "git ls-remote lists its refs")
    if not (listed.head and listed.filters):
        return False
    repository.run("config", f"remote.{_NAME}.url", source.address)
    with (repository.git_dir / "config").open("a") as config:
        config.write(_PARTIAL)
    extra = ["--filter=tree:0", f"--depth={limits.GATHER_COMMITS}"] + [_SERVE] * Path(source.address).is_dir()
    try:
        promised = replace(remote, address=_NAME)
        fetch_refs(repository, promised, ["HEAD"], extra=extra, into="refs/heads/gathered")
    except TrajError:
        return False  # HEAD has no commit, or the server refuses: the commits' subjects stay unknown
    return True
