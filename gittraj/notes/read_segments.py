"""Reads the events of the segments that a record names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from gittraj.errors import FormatError, GitError
from gittraj.git import Repository
from gittraj.model.codec import decode_segment, dump, segment_path, segment_position
from gittraj.model.values import AnyEvent, SegmentRef
from gittraj.notes.store import DataRefs


def read_segments(
    repository: Repository, trajectory: str, refs: Iterable[SegmentRef], *, naming: Collection[str] = ()
) -> Iterator[tuple[SegmentRef, tuple[AnyEvent, ...]]]:
    """Yield the events of each segment that this clone has and can read; with ``naming``, only the lines in
    which one of these ids stands are read, which takes much less time."""
    data = DataRefs(repository)
    ids = [dump(each)[1:-1] for each in naming]
    for ref in dict.fromkeys(refs):
        if segment_position(ref.name) is None:
            continue
        try:
            body = data.read(ref.month, segment_path(trajectory, ref.name))
            if body is not None:
                yield ref, tuple(decode_segment(_naming(body, ids) if ids else body, ref.name))
        except (GitError, FormatError):
            continue  # not fetched, or damaged: doctor reports it


def _naming(body: bytes, ids: Collection[bytes]) -> bytes:
    return b"\n".join(line for line in body.splitlines() if any(each in line for each in ids))
