"""Reads how HEAD moved in one worktree, or another ref, since the last reading.

The reflog's order and kinds are trustworthy. Its times are not (they follow GIT_COMMITTER_DATE) and are not
read.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gittraj.frozen import dataclass
from gittraj.git.repository import Repository
from gittraj.startup import sha256

_MARK = 512  # bytes before the position that must be unchanged


@dataclass(frozen=True, slots=True)
class ReflogEntry:
    """HEAD moved from ``old`` (zeros: from nothing) to ``new``."""

    old: str
    new: str
    message: str

    @property
    def kind(self) -> str:
        """``commit``, ``commit (amend)``, ``rebase (pick)``, ``checkout`` …: the message up to a colon."""
        return self.message.partition(": ")[0]


class Position(NamedTuple):  # a tuple: json.dumps writes it as it is, Position(*json.loads(…)) reads it back
    """How far a reflog was read: bytes of the file (reftable: entries), and a digest of what ends there."""

    size: int = 0
    digest: str = ""


def read_reflog(
    repository: Repository, git_dir: Path, position: Position | None, *, ref: str = "HEAD"
) -> tuple[list[ReflogEntry], Position]:
    """The entries of ``ref`` in ``git_dir`` (HEAD: a worktree's), oldest first, after ``position`` (None:
    all).

    Starts again from the first entry when the reflog is not the one that ``position`` is from (expired,
    rewritten, deleted and created again). A last line that is still being written is left for the next time.
    """
    if (repository.common_dir / "reftable").is_dir():
        return _read_listing(repository, git_dir, position, ref)
    try:
        data = (git_dir / "logs" / ref).read_bytes()
    except FileNotFoundError:
        return [], Position()
    data = data[: data.rfind(b"\n") + 1]
    here = Position(len(data), _digest(data, len(data)))
    start = position.size if position and position == (position.size, _digest(data, position.size)) else 0
    return [_parse(line) for line in data[start:].split(b"\n")[:-1]], here


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
    """Read the reflog of a reftable, which has no file, by git's listing: newest first, without old ids. The
    old id of the first entry is queried: it is zeros only if the reflog is complete."""
    found = repository.run(
        *("-c", "log.showSignature=false", f"--git-dir={git_dir}"),
        *("log", "-g", "-z", "--format=%H%x00%gs", ref, "--"),
        check=False,
    )
    fields = found.text.removesuffix("\0").split("\0") if found.out else []
    pairs = list(zip(fields[::2], fields[1::2], strict=True))[::-1]
    first = ("rev-parse", "--quiet", "--verify", f"{ref}@{{{len(pairs)}}}")
    oldest = repository.run(f"--git-dir={git_dir}", *first, check=False).text.strip() if pairs else ""
    before = [oldest or "0" * len(pairs[0][0]), *(new for new, _ in pairs)] if pairs else []
    entries = [ReflogEntry(old, new, message) for old, (new, message) in zip(before, pairs, strict=False)]
    marks = ["", *(_hash("\0".join(pair).encode("utf-8", "surrogateescape")) for pair in pairs)]
    here = Position(len(entries), marks[-1])
    known = position and position.size < len(marks) and marks[position.size] == position.digest
    return entries[position.size if position and known else 0 :], here
