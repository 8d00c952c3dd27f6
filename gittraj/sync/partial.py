"""Fetches the missing objects of a tip into a partial clone in a few batches; git would fetch blob by
blob."""

from __future__ import annotations

from gittraj.git import Repository
from gittraj.sync.network import fetch_objects
from gittraj.sync.remote import Remote

_ROUNDS = 8
"""The root, two or three levels of trees, the blobs, and a last round that finds nothing."""


def complete(repository: Repository, remote: Remote, tip: str) -> None:
    """Fetch every missing tree and blob of the commit ``tip``. Raises TrajError."""
    if not repository.is_partial():
        return
    tree = repository.objects.commit(tip).tree
    before: list[str] = []
    for _ in range(_ROUNDS):
        missing = _missing(repository, tree)
        if not missing or missing == before:
            return  # readers report what is still missing
        fetch_objects(repository, remote, missing)
        before = missing


def _missing(repository: Repository, tree: str) -> list[str]:
    asked = ("rev-list", "--objects", "--missing=print", "--no-object-names", tree)
    listed = repository.run(*asked, check=False)
    if listed.code:
        return [tree]  # the root itself
    return [line[1:] for line in listed.out.decode().splitlines() if line.startswith("?")]
