"""Another program's database is read unchanged, and no file is created next to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gittraj.errors import FormatError
from gittraj.formats.base.sqlite import insert, open_database


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


def test_reading_sees_one_state_of_the_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("SELECT * FROM word").fetchall()  # the write-ahead log exists from now on
        with open_database(path) as database:
            assert database.execute("SELECT count(*) FROM word").fetchone() == (1,)
            writer.execute("INSERT INTO word VALUES ('two')")
            writer.commit()
            assert database.execute("SELECT count(*) FROM word").fetchone() == (1,)
        assert words(path) == ["one", "two"]


def test_an_opened_database_cannot_be_written(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(FormatError), open_database(path) as database:
        database.execute("INSERT INTO word VALUES ('two')")
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_text_that_is_not_utf8_is_read(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE word SET text = CAST(x'41ff' AS TEXT)")
    assert words(path) == ["A\ufffd"]


def test_a_file_name_that_looks_like_a_uri_is_opened(path: Path) -> None:
    strange = path.rename(path.with_name("a?mode=rwc#%20.db"))
    assert words(strange) == ["one"]


@pytest.mark.parametrize("content", [b"", b"SQLite format 3", b"SQLite format 3\0" + b"\1" * 200])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.db").write_bytes(content)
    with pytest.raises(FormatError, match=r"x\.db"):
        words(tmp_path / "x.db")
    with pytest.raises(FileNotFoundError):
        words(tmp_path / "none.db")


def test_a_database_cut_in_its_header_is_refused(path: Path) -> None:
    cut = path.with_name("cut.db")
    for size in (0, 16, 19):
        cut.write_bytes(path.read_bytes()[:size])
        with pytest.raises(FormatError, match="not an SQLite database"), open_database(cut):
            pass


def as_it_is(value: Any) -> Any:
    return value


def test_a_second_row_with_the_same_key_is_not_lost_silently() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE word (text TEXT PRIMARY KEY, number INTEGER)")
        insert(database, "word", {"text": "a", "number": 1, "more": 0}, as_it_is)
        with pytest.raises(sqlite3.IntegrityError):
            insert(database, "word", {"text": "a", "number": 2, "more": 0}, as_it_is)
        insert(database, "word", {"text": "a", "number": 3, "more": 0}, as_it_is, replace=True)
        assert database.execute("SELECT number FROM word").fetchall() == [(3,)]


def test_the_schema_is_read_by_a_name_that_every_sqlite_knows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    connect = sqlite3.connect

    class Traced(sqlite3.Connection):
        def execute(self, *words: Any) -> sqlite3.Cursor:
            asked.append(words[0])
            return super().execute(*words)

    monkeypatch.setattr(sqlite3, "connect", lambda *args, **names: connect(*args, **names, factory=Traced))
    assert words(path) == ["one"]
    assert not [query for query in asked if "sqlite_schema" in query]  # a name since SQLite 3.33
