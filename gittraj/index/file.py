"""The file of the index, in a folder of its own in the common git directory.

One process writes at a time (``lock``). After each change the file's size, time and inode are written down
beside it (``stamp``): a file that is another one now, because somebody truncated, restored or scribbled over
it, is not read. SQLite alone would believe a changed row. Whoever cannot read the index does without it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gittraj.errors import TrajError
from gittraj.index import fast_open
from gittraj.index.fast_open import FOLDER, NAME
from gittraj.index.schema import NUMBER, TABLES
from gittraj.state.lock import acquire

_WAIT = 20.0
"""Seconds for which a query waits for somebody else's build before it does without."""
_PATIENCE = 2.0
"""Seconds for which a reader waits for a writer, and a writer for readers."""


class UnusableError(TrajError):
    """There is no index to read, or none that may be believed."""


@dataclass(frozen=True, slots=True)
class Book:
    """One file of the folder: what stands in it, and what the names of its lock and its stamp begin with."""

    name: str
    number: int
    tables: str
    prefix: str = ""


LISTINGS = Book(NAME, NUMBER, TABLES)


@contextmanager
def reading(common_dir: Path, book: Book = LISTINGS) -> Iterator[sqlite3.Connection]:
    """One state of the index, whatever is written meanwhile. Raises UnusableError.

    That the file is damaged may show in any later question, as sqlite3.Error.
    """
    folder = common_dir / FOLDER
    path = folder / book.name
    try:
        connection = _connect(path, "ro")
    except sqlite3.Error as error:
        raise UnusableError(str(error)) from error
    with closing(connection):
        try:
            held = fast_open.hold(connection, str(folder), book.name, book.number, book.prefix)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise UnusableError(str(error)) from error
        if not held:
            raise UnusableError("another file than was written")
        yield connection


@contextmanager
def writing(common_dir: Path, book: Book = LISTINGS, *, wait: float = _WAIT) -> Iterator[sqlite3.Connection]:
    """The index to be changed in one transaction; an empty one when there is none that may be believed.

    Raises UnusableError when nothing can be written here, or another process writes for longer than ``wait``
    seconds. What ends in an exception changes nothing.
    """
    folder = common_dir / FOLDER
    try:
        folder.mkdir(exist_ok=True)
        with _locked(folder / f"{book.prefix}lock", wait=wait):
            try:
                with _opened(folder, book) as connection:
                    yield connection
            except sqlite3.OperationalError:  # no room, no right, somebody reads for ever
                raise
            except sqlite3.DatabaseError:  # damaged: the next one begins anew
                _remove(folder, book)
                raise
    except (sqlite3.Error, OSError) as error:
        raise UnusableError(str(error)) from error


def drop(common_dir: Path, book: Book = LISTINGS) -> None:
    """Without a trace. Raises UnusableError when another process writes and does not end."""
    folder = common_dir / FOLDER
    try:
        with _locked(folder / f"{book.prefix}lock", wait=_WAIT):
            _remove(folder, book)
    except OSError as error:
        raise UnusableError(str(error)) from error


@contextmanager
def _opened(folder: Path, book: Book) -> Iterator[sqlite3.Connection]:
    path, stamp = folder / book.name, folder / f"{book.prefix}stamp"
    if fast_open.read_stamp(str(path)) == fast_open.read_text(str(stamp)) and _is_ours(path, book):
        try:
            with closing(_connect(path, "rw")) as connection:
                yield from _changed(connection)
        finally:  # also after an exception: what was rolled back has another time
            _write_stamp(stamp, path)
        return
    _remove(folder, book)
    fresh = folder / f"{book.name}.new"
    try:
        with closing(_connect(fresh, "rwc")) as connection:
            connection.execute("PRAGMA journal_mode = OFF")  # nobody else knows the file yet
            yield from _changed(connection, f"PRAGMA user_version = {book.number}; {book.tables}")
        fresh.replace(path)
    except BaseException:  # a full disk has no room for half an index
        fresh.unlink(missing_ok=True)
        raise
    _write_stamp(stamp, path)


def _changed(connection: sqlite3.Connection, first: str = "") -> Iterator[sqlite3.Connection]:
    connection.execute("PRAGMA secure_delete = ON")  # what was forgotten must not stay in a free page
    connection.execute("PRAGMA cache_size = -16384")
    # in one transaction: each statement that is its own waits for the disk
    connection.executescript(f"BEGIN IMMEDIATE; {first}")
    yield connection
    connection.execute("COMMIT")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = fast_open.uri(str(path.absolute()), mode)
    connection = sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _is_ours(path: Path, book: Book) -> bool:
    try:
        # to be written: what a killed writer had begun is rolled back
        with closing(_connect(path, "rw")) as connection:
            return fast_open.is_ours(connection, book.number)
    except (sqlite3.Error, ValueError):  # of a damaged schema not even the complaint can be decoded
        return False


def _write_stamp(stamp: Path, path: Path) -> None:
    fresh = stamp.with_name(f"{stamp.name}.new")
    fresh.write_text(fast_open.read_stamp(str(path)) or "", "ascii")
    fresh.replace(stamp)


def _remove(folder: Path, book: Book) -> None:
    # a journal without its database would be played into the next one
    names = (f"{book.name}-journal", book.name, f"{book.name}.new", f"{book.name}.new-journal")
    for name in (f"{book.prefix}stamp", *names):
        (folder / name).unlink(missing_ok=True)


@contextmanager
def _locked(path: Path, *, wait: float) -> Iterator[None]:
    """Raises OSError when another process holds it for so many seconds."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not acquire(descriptor, wait):
            raise BlockingIOError(errno.EWOULDBLOCK, "held by another process", str(path))
        yield
    finally:
        os.close(descriptor)
