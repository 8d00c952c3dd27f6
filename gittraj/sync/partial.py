"""What a partial clone lacks of a tip, fetched in a few goes; git would fetch blob by blob."""

from __future__ import annotations

from gittraj.git import Repository
from gittraj.sync.network import fetch_objects
from gittraj.sync.remote import Remote

_ROUNDS = 8
"""A root, two or three levels of folders, blobs; and one round more that finds nothing."""


def complete(repository: Repository, remote: Remote, tip: str) -> None:
    """Bring every tree and blob of the commit ``tip`` that was left on the remote. Raises TrajError."""
    if not repository.is_partial():
        return
    tree = repository.objects.commit(tip).tree
    before: list[str] = []
    for _ in range(_ROUNDS):
        missing = _missing(repository, tree)
        if not missing or missing == before:
            return  # what did not come will be missed by whoever reads it
        fetch_objects(repository, remote, missing)
        before = missing


def _missing(repository: Repository, tree: str) -> list[str]:
    asked = ("rev-list", "--objects", "--missing=print", "--no-object-names", tree)
    listed = repository.run(*asked, check=False)
    if listed.code:
        return [tree]  # the root itself
    return [line[1:] for line in listed.out.decode().splitlines() if line.startswith("?")]
