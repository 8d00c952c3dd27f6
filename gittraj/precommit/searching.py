"""Searches all that is staged for secrets that are known by value, and says where, by the variable's name.

It changes nothing, and what it can't do it says: the commit doesn't wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.precommit.content import LARGEST
from gittraj.precommit.deadline import SECONDS, Deadline, say
from gittraj.precommit.redacting import key_of
from gittraj.precommit.staged import Staged, Staging
from gittraj.precommit.values import Names, Place, Search
from gittraj.record.drain.composition import known_secrets

_MOST_TOLD = 20
_HEAD = 8000
"""Bytes: git takes a file with a NUL among the first so many for one that is no text."""


def search(repository: Repository, staging: Staging, raw: Mapping[str, str], deadline: Deadline) -> bool:
    """Whether any was found."""
    try:
        live = known_secrets(repository, Environ.of(raw), live=raw)
        wanted = Search(live, key=key_of(repository))
        found, whole = deadline.take(_search_all(wanted, staging, staging.read()))
    except TrajError as error:
        say(f"staged files were not searched for known secrets: {error.message}")
        return False
    top = repository.work_tree or Path()
    names = Names(raw, [*sorted(top.glob(".env*")), *sorted(top.glob("*/.env*"))])
    told = dict.fromkeys(f"{path}:{place.line}: {names.name(place.value)}" for path, place in found)
    for line in [*told][:_MOST_TOLD]:
        say(line)
    if len(told) > _MOST_TOLD:
        say(f"and {len(told) - _MOST_TOLD} more")
    if not whole:
        say(f"staged files were not all searched for known secrets: that took more than {SECONDS:g} s")
    return bool(told)


def _search_all(wanted: Search, staging: Staging, staged: list[Staged]) -> Iterator[tuple[str, Place]]:
    for each, data in staging.contents(staged, largest=LARGEST):
        if len(data) <= LARGEST and b"\0" not in data[:_HEAD]:
            for place in wanted.find(_text(data), _text(staging.content_before(each))):
                yield each.path, place


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
