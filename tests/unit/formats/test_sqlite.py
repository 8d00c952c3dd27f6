"""Another program's database is read as it is, and nothing beside it is made."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gittraj.errors import FormatError
from gittraj.formats.base.sqlite import open_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "some.db"
    with closing(sqlite3.connect(made)) as database, database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE word (text TEXT)")
        database.execute("INSERT INTO word VALUES ('one')")
    return made


def words(path: Path) -> list[str]:
    with open_database(path) as database:
        return [text for (text,) in database.execute("SELECT text FROM word")]


def test_one_state_of_it(path: Path) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("SELECT * FROM word").fetchall()  # the write-ahead log is there from now on
        with open_database(path) as database:
            assert database.execute("SELECT count(*) FROM word").fetchone() == (1,)
            writer.execute("INSERT INTO word VALUES ('two')")
            writer.commit()
            assert database.execute("SELECT count(*) FROM word").fetchone() == (1,)
        assert words(path) == ["one", "two"]


def test_nothing_can_be_written(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(FormatError), open_database(path) as database:
        database.execute("INSERT INTO word VALUES ('two')")
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_text_that_is_not_utf8(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE word SET text = CAST(x'41ff' AS TEXT)")
    assert words(path) == ["A\ufffd"]


def test_a_name_that_looks_like_a_uri(path: Path) -> None:
    strange = path.rename(path.with_name("a?mode=rwc#%20.db"))
    assert words(strange) == ["one"]


@pytest.mark.parametrize("content", [b"", b"SQLite format 3", b"SQLite format 3\0" + b"\1" * 200])
def test_what_is_no_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.db").write_bytes(content)
    with pytest.raises(FormatError, match=r"x\.db"):
        words(tmp_path / "x.db")
    with pytest.raises(FileNotFoundError):
        words(tmp_path / "none.db")


def test_one_that_is_cut_in_its_head_is_none(path: Path) -> None:
    cut = path.with_name("cut.db")
    for size in (0, 16, 19):
        cut.write_bytes(path.read_bytes()[:size])
        with pytest.raises(FormatError, match="not an SQLite database"), open_database(cut):
            pass
