"""Reads how a worktree's HEAD, or another ref, moved since the last reading.

The order and the kinds of a reflog's entries can be trusted. Their times cannot, because GIT_COMMITTER_DATE
sets them, and are not read.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gittraj.frozen import dataclass
from gittraj.git.repository import Repository
from gittraj.startup import sha256

_MARK = 512  # bytes before a position that must be unchanged if reading is to continue there


@dataclass(frozen=True, slots=True)
class ReflogEntry:
    """The ref moved from ``old`` to ``new``, which are full ids; ``old`` is all zeros if it did not exist."""

    old: str
    new: str
    message: str

    @property
    def kind(self) -> str:
        """``commit``, ``commit (amend)``, ``rebase (pick)``, ``checkout`` …: the message up to a colon."""
        return self.message.partition(": ")[0]


class Position(NamedTuple):  # a tuple, which json.dumps writes as a list: Position(*json.loads(…)) reads it
    """How far a reflog was read: ``size`` is the number of bytes of the file (in a reftable: of entries),
    ``digest`` that of the data just before."""

    size: int = 0
    digest: str = ""


def read_reflog(
    repository: Repository, git_dir: Path, position: Position | None, *, ref: str = "HEAD"
) -> tuple[list[ReflogEntry], Position]:
    """Read the entries of ``ref`` in ``git_dir`` after ``position`` (None: all), oldest first; also return
    the new position. Starts again from the first entry when the reflog is not the one that ``position`` is
    from (expired, rewritten, deleted and created again). A last line that is still being written is left for
    the next time."""
    if (repository.common_dir / "reftable").is_dir():
        return _read_listing(repository, git_dir, position, ref)
    try:
        data = (git_dir / "logs" / ref).read_bytes()
    except FileNotFoundError:
        return [], Position()
    data = data[: data.rfind(b"\n") + 1]
    reached = Position(len(data), _digest(data, len(data)))
    start = position.size if position and position == (position.size, _digest(data, position.size)) else 0
    return [_parse(line) for line in data[start:].split(b"\n")[:-1]], reached


def _digest(data: bytes, size: int) -> str:
    if size == 0 or size > len(data):
        return ""
    return _hash(data[max(0, size - _MARK) : size])


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _parse(line: bytes) -> ReflogEntry:
    head, _, message = line.decode("utf-8", "surrogateescape").partition("\t")
    old, new, *_ = [*head.split(" ", 2), "", ""]
    return ReflogEntry(old, new, message)


def _read_listing(
    repository: Repository, git_dir: Path, position: Position | None, ref: str
) -> tuple[list[ReflogEntry], Position]:
    """Read the reflog of a reftable, which has no file, from git's listing. That is newest first and without
    old ids, so the old id of the first entry is queried: it is zeros only if the reflog is complete."""
    listed = repository.run(
        *("-c", "log.showSignature=false", f"--git-dir={git_dir}"),
        *("log", "-g", "-z", "--format=%H%x00%gs", ref, "--"),
        check=False,
    )
    if not listed.out:
        return [], Position()
    fields = listed.text.removesuffix("\0").split("\0")
    pairs = list(zip(fields[::2], fields[1::2], strict=True))[::-1]
    first = ("rev-parse", "--quiet", "--verify", f"{ref}@{{{len(pairs)}}}")
    oldest = repository.run(f"--git-dir={git_dir}", *first, check=False).text.strip()
    before = [oldest or "0" * len(pairs[0][0]), *(new for new, _ in pairs)]
    entries = [ReflogEntry(old, new, message) for old, (new, message) in zip(before, pairs, strict=False)]
    marks = ["", *(_hash("\0".join(pair).encode("utf-8", "surrogateescape")) for pair in pairs)]
    reached = Position(len(entries), marks[-1])
    known = position and position.size < len(marks) and marks[position.size] == position.digest
    return entries[position.size if position and known else 0 :], reached
