"""Reads and writes the index's files, which have their own folder in the common git directory.

One process writes at a time (``lock``). After each change the file's size, time and inode are recorded next
to it (``stamp``), so that a file that was truncated, restored or overwritten since is not read: SQLite alone
would accept a changed row. A reader that cannot use the index does without it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.index.schema import FOLDER, NUMBER, TABLES
from gittraj.state.changed import is_quiet
from gittraj.state.lock import acquire

_WAIT = 20.0
"""Seconds for which a query waits for another process's build before it does without the index."""
_PATIENCE = 2.0
"""Seconds for which a reader waits for a writer."""
_SOON = 0.05
"""Seconds for which a writer waits for readers before it writes a copy instead."""
_TRIES = 5
_EDGES = ("shallow", "info/grafts")
"""The files by which git uses other parents of some commits than those in the commit objects."""


class UnusableError(TrajError):
    """There is no index, or it cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Database:
    """One file of the folder: its name, the SQL of its ``tables`` and their version ``number``, and the
    ``prefix`` of its lock and stamp."""

    name: str
    number: int
    tables: str
    prefix: str = ""


LISTINGS = Database("index.db", NUMBER, TABLES)


@contextmanager
def reading(common_dir: Path, database: Database = LISTINGS) -> Iterator[sqlite3.Connection]:
    """Open a connection that sees one state of the index, whatever is written meanwhile. Raises
    UnusableError. If the file is damaged, any later query may raise sqlite3.Error."""
    folder = common_dir / FOLDER
    try:
        connection = _connect(folder / database.name, "ro")
    except sqlite3.Error as error:
        raise UnusableError(str(error)) from error
    with closing(connection):
        try:
            intact = _begin_reading(connection, folder, database)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise UnusableError(str(error)) from error
        if not intact:
            raise UnusableError("the file was changed by something else")
        yield connection


@contextmanager
def writing(
    common_dir: Path, database: Database = LISTINGS, *, wait: float = _WAIT
) -> Iterator[sqlite3.Connection]:
    """Open the index to change it in one transaction; make a new one if there is none, or it cannot be
    trusted. Raises UnusableError when the folder cannot be written to, or when another writer or reader, even
    in this process, takes longer than ``wait`` seconds. An exception rolls the transaction back."""
    folder = common_dir / FOLDER
    try:
        folder.mkdir(exist_ok=True)
        with _locked(folder / f"{database.prefix}lock", wait=wait):
            try:
                with _opened(folder, database, patience=min(wait, _SOON)) as connection:
                    yield connection
            except sqlite3.OperationalError:  # disk full, no permission, or a reader that never ends
                raise
            except sqlite3.DatabaseError:  # damaged: the next writer starts again
                _remove(folder, database)
                raise
    except (sqlite3.Error, OSError) as error:
        raise UnusableError(str(error)) from error


def has_nothing_new(common_dir: Path) -> bool:
    """Whether the last check found nothing to drain, and nothing has changed since."""
    if is_quiet("", str(common_dir)):
        return True
    try:
        with reading(common_dir) as connection:
            row = connection.execute("SELECT value FROM meta WHERE name = 'quiet'").fetchone()
    except (UnusableError, sqlite3.Error):
        return False
    return bool(row) and is_quiet(row[0], str(common_dir))


def drop(common_dir: Path, database: Database = LISTINGS) -> None:
    """Delete the file, but not its lock. Raises UnusableError when another process keeps writing."""
    folder = common_dir / FOLDER
    try:
        with _locked(folder / f"{database.prefix}lock", wait=_WAIT):
            _remove(folder, database)
    except OSError as error:
        raise UnusableError(str(error)) from error


def read_source(connection: sqlite3.Connection) -> dict[str, str]:
    """The table ``meta`` of a database, with the sources of its content, such as the refs that it has."""
    return dict(connection.execute("SELECT name, value FROM meta"))


def write_source(connection: sqlite3.Connection, **values: str) -> None:
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())


def read_edges(common_dir: Path) -> str:
    """The commits at which history is cut off or grafted; an index is valid only as long as they stay."""
    return "\n".join(_read_text(common_dir / name) for name in _EDGES)


def read_stamp(path: Path) -> str | None:
    """The file's size, time and inode; None if there is no file."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def _read_text(path: Path) -> str:
    """The file's text; empty if it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _begin_reading(connection: sqlite3.Connection, folder: Path, database: Database) -> bool:
    """Begin a transaction that reads. Return whether git-traj wrote the file with this version, and it is
    unchanged since: SQLite would accept a changed row."""
    for _ in range(_TRIES):
        connection.execute("BEGIN")
        if not _has_version(connection, database):  # takes the lock: from now on nobody changes the file
            return False
        if read_stamp(folder / database.name) == _read_text(folder / f"{database.prefix}stamp"):
            return True
        connection.execute("COMMIT")
        time.sleep(0.01)  # a writer is about to write the stamp
    return False


@contextmanager
def _opened(folder: Path, database: Database, *, patience: float) -> Iterator[sqlite3.Connection]:
    path, stamp = folder / database.name, folder / f"{database.prefix}stamp"
    fresh, first = folder / f"{database.name}.new", ""
    fresh.unlink(missing_ok=True)  # left by a writer that was killed
    if read_stamp(path) == _read_text(stamp) and _is_usable(path, database):
        try:
            with closing(_connect(path, "rw", patience)) as connection:
                if not _is_read(connection):
                    _begin(connection)
                    yield connection
                    connection.execute("COMMIT")
                    return
        finally:  # also after an exception: a rollback changes the time
            _write_stamp(stamp, path)
        import shutil  # slow to import, with all of its compressors

        shutil.copyfile(path, fresh)
    else:
        _remove(folder, database)
        first = f"PRAGMA user_version = {database.number}; {database.tables}"
    try:
        with closing(_connect(fresh, "rwc")) as connection:
            connection.execute("PRAGMA journal_mode = OFF")  # no other process knows the file yet
            _begin(connection, first)
            yield connection
            connection.execute("COMMIT")
        fresh.replace(path)
    except BaseException:  # half an index must not fill the disk
        fresh.unlink(missing_ok=True)
        raise
    _write_stamp(stamp, path)


def _is_read(connection: sqlite3.Connection) -> bool:
    """Whether a process reads the file, perhaps for a pager that stays open. It keeps the old file, and the
    writer replaces the file with a copy."""
    try:
        connection.executescript("BEGIN EXCLUSIVE; ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return True
    return False


def _begin(connection: sqlite3.Connection, first: str = "") -> None:
    """Begin one transaction for all changes, because each transaction waits for the disk. Until it ends,
    other processes read the old state."""
    connection.execute("PRAGMA secure_delete = ON")  # forgotten text must not stay in a free page
    connection.execute("PRAGMA cache_size = -16384")
    connection.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE:.0f}")
    connection.executescript(f"BEGIN IMMEDIATE; {first}")


def _connect(path: Path, mode: str, patience: float = _PATIENCE) -> sqlite3.Connection:
    name = str(path.absolute())
    for character in "%?#":
        name = name.replace(character, f"%{ord(character):02X}")
    connection = sqlite3.connect(f"file:{name}?mode={mode}", uri=True, timeout=patience, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _has_version(connection: sqlite3.Connection, database: Database) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.execute("SELECT 1 FROM meta").fetchone()
    return bool(version == database.number)


def _is_usable(path: Path, database: Database) -> bool:
    try:
        # opened for writing, to roll back what a killed writer left
        with closing(_connect(path, "rw")) as connection:
            return _has_version(connection, database)
    except (sqlite3.Error, ValueError):  # even the error message of a damaged schema may not decode
        return False


def _write_stamp(stamp: Path, path: Path) -> None:
    fresh = stamp.with_name(f"{stamp.name}.new")
    fresh.write_text(read_stamp(path) or "", "ascii")
    fresh.replace(stamp)


def _remove(folder: Path, database: Database) -> None:
    # a journal without its database would be applied to the next one
    names = (
        f"{database.name}-journal",
        database.name,
        f"{database.name}.new",
        f"{database.name}.new-journal",
    )
    for name in (f"{database.prefix}stamp", *names):
        (folder / name).unlink(missing_ok=True)


@contextmanager
def _locked(path: Path, *, wait: float) -> Iterator[None]:
    """Lock a file. Raises OSError when another process keeps it locked for ``wait`` seconds."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not acquire(descriptor, wait):
            raise BlockingIOError(errno.EWOULDBLOCK, "locked by another process", str(path))
        yield
    finally:
        os.close(descriptor)
