"""The index file with the text of events: adding, replacing and removing parts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gittraj.index import file
from gittraj.index.excerpts import find_excerpts
from gittraj.index.file import UnusableError
from gittraj.index.language import parse_query
from gittraj.index.schema import FOLDER
from gittraj.index.text import (
    TEXTS,
    WEIGHTS,
    Part,
    TextField,
    about,
    commits_of,
    count,
    enqueue,
    frequency,
    ranked,
    read_part,
    replace_parts,
    sweep,
    waiting,
)

COMMIT = "ab" * 20


def part(trajectory: str, *texts: str, kind: str = "message", first: str = "e1", **facts: int | str) -> Part:
    fields = {"agent": "codex", "began": 100, "ended": 200} | facts
    found = [TextField(kind, f"e{n}", text) for n, text in enumerate(texts)]
    return Part(trajectory, first, about={"title": trajectory}, commits=[COMMIT], fields=found, **fields)  # type: ignore[arg-type]


def test_parts_are_added_replaced_and_removed(tmp_path: Path) -> None:
    with file.writing(tmp_path, TEXTS) as connection:
        enqueue(connection, ["t1", "t2"])
        enqueue(connection, ["t3"])
        assert waiting(connection, 9) == ["t3", "t1", "t2"]
        one = part("t1", "the heron waits")
        assert not replace_parts(connection, {"t1": [one, part("t1", "the heron strikes", first="e9")]})
        replace_parts(connection, {"t2": [part("t2", "a heron", kind="title", agent="gemini", ended=900)]})
        assert count(connection) == (3, 1)
    with file.reading(tmp_path, TEXTS) as connection:
        docs = [doc for doc, _ in ranked(connection, '"heron"')]
        assert about(connection, docs[0]) == ("t2", {"title": "t2"}), "a title counts more"
        assert commits_of(connection, docs[0]) == [COMMIT]
        assert [d for d, _ in ranked(connection, '"heron"', kinds=["title"])] == docs[:1]
        assert [d for d, _ in ranked(connection, '"heron"', agent="codex")] == docs[1:], "the newer first"
        assert [d for d, _ in ranked(connection, '"heron"', since=500)] == docs[:1]
        assert not list(ranked(connection, '"heron"', until=50))
        assert read_part(connection, docs[1]) in (one, part("t1", "the heron strikes", first="e9"))
    with file.writing(tmp_path, TEXTS) as connection:
        strikes = part("t1", "the heron strikes", first="e9")
        assert not replace_parts(connection, {"t1": [replace(one, agent="claude-code"), strikes]})
        assert frequency(connection, '"strikes"') == 1
        other = replace(one, fields=[TextField("message", "e0", "gone fishing")])
        assert replace_parts(connection, {"t1": [other]})
        assert frequency(connection, '"strikes"') == 0
        assert frequency(connection, '"fish"') == 1
        assert replace_parts(connection, {"t2": []})
        assert frequency(connection, '"heron"') == 0
        sweep(connection)
    stored = (tmp_path / FOLDER / TEXTS.name).read_bytes()
    assert b"heron" not in stored
    assert b"strike" not in stored


def test_a_whole_identifier_is_found_only_in_its_own_field(tmp_path: Path) -> None:
    with file.writing(tmp_path, TEXTS) as connection:
        for kind in WEIGHTS:
            replace_parts(connection, {kind: [part(kind, "set theRateLimit, max_burst", kind=kind)]})
        for query in ("theratelimit", "theRateLimit", "maxburst", "max_burst", "theratel*"):
            match = parse_query(query).match
            assert frequency(connection, match) == len(WEIGHTS), query
            for kind in WEIGHTS:
                kinds_found = [
                    about(connection, doc)[0] for doc, _ in ranked(connection, match, kinds=[kind])
                ]
                assert kinds_found == [kind], query
        for kind in WEIGHTS:
            replace_parts(connection, {kind: []})
        assert frequency(connection, '"theratelimit"') == 0
        sweep(connection)
    assert b"theratelimit" not in (tmp_path / FOLDER / TEXTS.name).read_bytes()


def test_an_interrupted_write_changes_nothing(tmp_path: Path) -> None:
    with file.writing(tmp_path, TEXTS) as connection:
        replace_parts(connection, {"t1": [part("t1", "the heron waits")]})
    big = [part("t2", " ".join(f"word{n}" for n in range(200_000)))]
    with pytest.raises(KeyboardInterrupt), file.writing(tmp_path, TEXTS) as connection:
        replace_parts(connection, {"t2": big})
        raise KeyboardInterrupt
    with file.reading(tmp_path, TEXTS) as connection:
        assert count(connection) == (1, 0)
    with file.writing(tmp_path, TEXTS) as connection:
        assert count(connection) == (1, 0), "the index is not built again either"
    (tmp_path / FOLDER / TEXTS.name).write_bytes(b"garbage")
    with pytest.raises(UnusableError), file.reading(tmp_path, TEXTS):
        pass
    with file.writing(tmp_path, TEXTS) as connection:
        assert count(connection) == (0, 0)


def test_the_matching_words_are_marked_in_an_excerpt() -> None:
    long = "filler " * 200
    excerpts = find_excerpts(
        {
            7: part("t1", "nothing here", f"{long}the RateLimiter waits{long}"),
            8: part("t2", "nothing at all"),
        },
        parse_query("rate limit").sought,
    )
    (best,) = excerpts[7]
    assert (best.kind, best.event) == ("message", "e1")
    assert best.marked[1::2] == ("Rate", "Limiter") or best.marked[1::2] == ("RateLimiter",)
    assert "the RateLimiter waits" in best.text
    assert len(best.text) < 400
    (beginning,) = excerpts[8]
    assert beginning.marked == ("nothing at all",)
