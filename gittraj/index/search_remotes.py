"""Searches the records that only remotes have, without their events, which are not in this clone.

The index for that is not kept: there are few such records, and a fetch may replace them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain, zip_longest

from gittraj.index.language import ParsedQuery
from gittraj.index.search import Conditions, Hit, find_hits
from gittraj.index.text import Part, replace_parts
from gittraj.index.text_fields import distinct_records, read_part
from gittraj.index.update_text import open_in_memory
from gittraj.query.header import Folded
from gittraj.query.remote_records import RecordedBeside


def add_remotes(
    ours: list[Hit], recorded: RecordedBeside, asked: ParsedQuery | str, conditions: Conditions, *, limit: int
) -> list[Hit]:
    """Interleave ``ours``, the hits in the clone's own records, with the best hits of remotes: scores from
    two indexes cannot be compared."""
    with closing(open_in_memory()) as connection:
        replace_parts(connection, {each.whole["id"]: [*_read_parts(each)] for each in recorded.of_remotes()})
        theirs = find_hits(connection, asked, conditions, limit=limit)
    mixed = chain.from_iterable(zip_longest(ours, theirs))
    return [hit for hit in mixed if hit is not None][:limit]


def _read_parts(folded: Folded) -> Iterator[Part]:
    for record, commits in distinct_records(folded.parts):
        part = read_part(record, (), commits)
        about = {**part.about, "remote": folded.whole["remote"]}
        yield replace(part, trajectory=folded.whole["id"], about=about)
