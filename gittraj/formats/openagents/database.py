"""OpenAgents' database: ``trajectories``, a document a session, and ``testgen_trajectories`` beside it.

The tables are those of its migration ``004_trajectories``. A document is ATIF; of a session that generated
tests the row beside it says more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gittraj.errors import FormatError
from gittraj.formats.atif import read as atif
from gittraj.formats.base import coerce
from gittraj.formats.base.sqlite import open_database
from gittraj.formats.openagents import testgen
from gittraj.model.session_items import Damage, Fact, Item

if TYPE_CHECKING:
    from sqlite3 import Connection

name = "openagents"
agent = "openagents"

_PROBE = (
    "SELECT session_id, schema_version, agent_name, agent_version, model_name, total_cost_usd, trajectory,"
    " created_at FROM trajectories LIMIT 0"
)
_TESTGEN = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'testgen_trajectories'"
_JSON = ("category_rounds", "tests", "reflections", "environment", "uncertainties")


def detect(path: Path) -> bool:
    """Whether the file is a database with OpenAgents' table of trajectories."""
    if not path.is_file():
        return False
    try:
        with open_database(path) as database:
            database.execute(_PROBE)
    except (OSError, FormatError):
        return False
    return True


def sessions(path: Path) -> Iterator[str]:
    """The ids of the sessions, the oldest first, each followed by its subagents'. Raises OSError,
    FormatError."""
    with open_database(path) as database:
        rows = database.execute(
            "SELECT session_id FROM trajectories ORDER BY created_at, session_id"
        ).fetchall()
        for (own,) in rows:
            if coerce.text(own):
                row = _row(database, own)
                yield from dict.fromkeys((own, *(atif.sessions_of(row["document"]) if row else ())))


def read(path: Path, session: str) -> Iterator[Item]:
    """The items of one session. Raises OSError, FormatError."""
    with open_database(path) as database:
        own = session
        while (row := _row(database, own)) is None and "/" in own:  # a subagent of another
            own = own.rpartition("/")[0]
        generated = _testgen(database, own) if row else None
    if row is None:
        raise FormatError(f"{path}: no session '{session}' in it")
    if generated is not None:
        agent_name = coerce.text(row["agent_name"]) or agent
        known = {
            "model": coerce.text(row["model_name"]),
            "version": coerce.text(row["agent_version"]),
        }
        yield from testgen.items(generated, agent=agent_name, **known)
        yield from testgen.spent(row)
    elif atif.is_trajectory(row["document"]):
        yield from atif.read_value(row["document"], session)
    else:
        yield Fact(name="agent", value=coerce.text(row["agent_name"]) or agent)
        yield Fact(name="session", value=session)
        yield Damage(at=0, why=f"session {session}: its document is not ATIF")


def _row(database: Connection, session: str) -> dict[str, Any] | None:
    rows = _fetch(database, "SELECT * FROM trajectories WHERE session_id = ?", session)
    if rows is not None:
        document = coerce.mapping(coerce.parsed(rows["trajectory"]))
        rows["document"] = {**document, "session_id": session} if document else {}
    return rows


def _testgen(database: Connection, session: str) -> dict[str, Any] | None:
    if not database.execute(_TESTGEN).fetchone()[0]:
        return None
    rows = _fetch(database, "SELECT * FROM testgen_trajectories WHERE session_id = ?", session)
    return rows and {**rows, **{key: coerce.parsed(rows.get(key)) for key in _JSON}}


def _fetch(database: Connection, query: str, session: str) -> dict[str, Any] | None:
    cursor = database.execute(query, (session,))
    row = cursor.fetchone()
    return dict(zip((column[0] for column in cursor.description), row, strict=True)) if row else None
