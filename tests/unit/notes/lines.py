"""Lines of one commit's note to be merged: few trajectories and parts, and every possible difference."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gittraj.model.values import (
    ForeignLine,
    Line,
    Link,
    Origin,
    PartSummary,
    Range,
    Record,
    SessionInfo,
    Tombstone,
)

COMMITS = ["a" * 40, "b" * 40, "c" * 40]
HERE = COMMITS[0]

_IDS = st.sampled_from(["traj_a", "traj_b"])
_FIRSTS = st.sampled_from(["1.0", "2.0"])
_REVS = st.integers(0, 2)


def record(first: str | None = "1.0", **fields: Any) -> Record:
    span = Range(first=first, last=first, n=1, at=0) if first else None
    given: dict[str, Any] = {
        "id": "traj_a",
        "link": Link(evidence="agent"),
        "range": span,
        "incomplete": first is None,
        "origin": Origin(commit=HERE),
    }
    return Record(**given | fields)


_RANGES = st.builds(
    Range, first=_FIRSTS, last=st.just("9.0"), n=st.integers(1, 2), at=st.none() | st.integers(0, 1)
)
_LINKS = st.builds(
    Link,
    evidence=st.sampled_from(["agent", "content"]),
    carried_from=st.lists(st.sampled_from(COMMITS), max_size=2).map(tuple),
)
_SEALS = st.dictionaries(
    st.sampled_from(["thinking", "rest"]),
    st.lists(st.sampled_from(["h1", "h2", "h3"]), max_size=2).map(tuple),
    max_size=2,
)
RECORDS = st.builds(
    Record,
    id=_IDS,
    link=_LINKS,
    rev=_REVS,
    range=_RANGES,
    role=st.sampled_from(["produced", "explored"]),
    origin=st.none() | st.builds(Origin, commit=st.sampled_from(COMMITS)),
    figures=st.builds(PartSummary, prompt=st.sampled_from([None, "p"])),
    whole=st.builds(SessionInfo, title=st.sampled_from([None, "t", "u"])),
    seals=_SEALS,
    extra=st.just({}) | st.just({"later": 1}),
)
STUBS = st.builds(Record, id=_IDS, link=_LINKS, rev=st.just(0), incomplete=st.just(True))
TOMBSTONES = st.builds(
    Tombstone,
    id=_IDS,
    first=st.none() | _FIRSTS,
    rev=_REVS,
    deleted=st.sampled_from(["unlinked", "forgotten"]),
    scope=st.sampled_from(["commit", "all"]),
)
FOREIGN = st.sampled_from([b"{", b"Acked-by: x", b'{"v":9}']).map(lambda text: ForeignLine(text, "x"))
LINES: st.SearchStrategy[Line] = RECORDS | RECORDS | STUBS | TOMBSTONES | FOREIGN
NOTES: st.SearchStrategy[list[Line]] = st.lists(LINES, max_size=5)
