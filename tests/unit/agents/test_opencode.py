"""Finding OpenCode's sessions, those of a repository, and the one in which a command is running."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.agents import SessionFile, all_agents
from gittraj.agents.opencode import OpenCode
from gittraj.config import Environ
from tests.unit.formats.opencode_session import SESSION, Session, assistant, text, tool, user

AGENT = OpenCode()
NOW = int(time.time() * 1000)


def session(name: str, *, folder: str = "/repo", updated: int = NOW, running: bool = False) -> Session:
    state: dict[str, Any] = {"status": "running"} if running else {}
    parts = [tool(f"prt_{name}", "bash", {"command": "git commit"}, **state), text(f"prt_{name}_2", "On")]
    return Session(
        messages=[(user(f"msg_{name}"), []), (assistant(f"msg_{name}_2", is_open=running), parts)],
        info={"id": name, "directory": folder, "time": {"created": updated, "updated": updated}},
    )


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    place = tmp_path / "opencode"
    place.mkdir()
    return Environ.of({"XDG_DATA_HOME": str(tmp_path), "OPENCODE": "1"})


@pytest.fixture
def database(environ: Environ) -> Path:
    folder = AGENT.folder(environ)
    assert folder is not None
    return folder / "opencode.db"


def near(environ: Environ, *, since: float = 0.0, root: str = "/repo") -> list[SessionFile]:
    return list(AGENT.sessions(environ, [Path(root)], since=since))


def test_opencode_is_one_of_the_agents() -> None:
    assert isinstance(all_agents()["opencode"], OpenCode)


def test_a_forks_database_with_an_index_on_json_is_read(tmp_path: Path) -> None:
    """Once, an SQLite that considers JSON functions unsafe could not read any of Kilo's database."""
    (tmp_path / "kilo").mkdir()
    session("ses_1").database(tmp_path / "kilo" / "kilo.db")
    with closing(sqlite3.connect(tmp_path / "kilo" / "kilo.db")) as database:
        database.execute("CREATE INDEX roles ON message (id, json_extract(data, '$.role'))")
    environ = Environ.of({"XDG_DATA_HOME": str(tmp_path), "KILO": "1", "OPENCODE": "1"})
    agent = all_agents()["kilo"]
    (found,) = agent.sessions(environ, [Path("/repo")], since=0.0)
    assert (found.agent, found.session, found.path.name) == ("kilo", "ses_1", "kilo.db")
    assert environ.agent_without_session == "kilo"


def test_the_data_folder_follows_the_environment() -> None:
    named = Environ.of({"HOME": "/h", "XDG_DATA_HOME": "/data", "OPENCODE": "1"})
    assert (AGENT.folder(named), named.agent_without_session) == (Path("/data/opencode"), "opencode")
    assert AGENT.folder(Environ.of({"HOME": "/h"})) == Path("/h/.local/share/opencode")
    assert AGENT.folder(Environ.of({})) is None
    assert Environ.of({"OPENCODE": "0"}).agent_without_session is None


def test_sessions_in_and_above_a_repository_are_found(environ: Environ, database: Path) -> None:
    session("ses_in", folder="/repo/sub").database(database)
    session("ses_above", folder="/").database(database)
    session("ses_beside", folder="/repository").database(database)
    session("ses_old", updated=NOW - 9_000_000).database(database)
    expected = [
        SessionFile(agent="opencode", session=name, path=database, format="opencode-db")
        for name in ("ses_in", "ses_above")
    ]
    assert [replace(f, changed=None) for f in near(environ, since=NOW / 1000 - 60)] == expected
    assert {file.session for file in near(environ)} == {"ses_in", "ses_above", "ses_old"}
    assert [replace(f, changed=None) for f in near(environ, root="/elsewhere")] == expected[1:]
    assert list(AGENT.subagents(expected[0])) == []


def test_older_sessions_are_found_in_files(environ: Environ, database: Path) -> None:
    storage = session("ses_moved").storage(database.parent / "storage")
    session("ses_left").storage(storage)
    session("ses_moved").database(database)
    (storage / "session" / "prj" / "cut.json").write_text("{")
    (storage / "session" / "prj" / "odd.json").write_text('{"directory": "/repo", "time": 7}')
    found = {(file.session, file.path, file.format) for file in near(environ)}
    assert found == {("ses_moved", database, "opencode-db"), ("ses_left", storage, "opencode-storage")}
    assert AGENT.find(environ, "ses_left") == storage
    assert AGENT.find(environ, "ses_moved") == database


def test_a_session_is_found_by_its_id(environ: Environ, database: Path) -> None:
    session(SESSION).database(database)
    assert AGENT.find(environ, SESSION) == database
    for name in ("ses_9", "", "../x", "%"):
        assert AGENT.find(environ, name) is None


def test_the_current_session_is_the_one_with_a_running_command(environ: Environ, database: Path) -> None:
    session("ses_1").database(database)
    assert AGENT.current(environ) is None
    session("ses_2", running=True).database(database)
    assert AGENT.current(environ) == "ses_2"
    assert AGENT.current(replace(environ, variables={})) is None


def test_with_two_running_commands_the_current_session_is_unknown(environ: Environ, database: Path) -> None:
    session("ses_1", running=True).database(database)
    session("ses_2", running=True).database(database)
    assert AGENT.current(environ) is None


def test_an_old_command_without_an_end_does_not_count_as_running(environ: Environ, database: Path) -> None:
    session("ses_1", running=True, updated=NOW - 9_000_000).database(database)
    assert AGENT.current(environ) is None
    session("ses_2", running=True).database(database)
    assert AGENT.current(environ) == "ses_2"


def test_unreadable_databases_have_no_sessions(environ: Environ, database: Path) -> None:
    database.write_bytes(b"SQLite format 3\0" + b"\1" * 500)
    with closing(sqlite3.connect(database.with_name("opencode-dev.db"))) as other, other:
        other.execute("CREATE TABLE session (id TEXT)")
    assert near(environ) == []
    assert AGENT.current(environ) is None
    assert AGENT.find(environ, SESSION) is None
    assert near(Environ(home=None)) == []
    assert AGENT.current(Environ.of({"OPENCODE": "1"})) is None


def test_malformed_parts_do_not_count_as_running(environ: Environ, database: Path) -> None:
    session("ses_1").database(database)
    with closing(sqlite3.connect(database)) as writer, writer:
        for number, data in enumerate(("{", "[]", "7", json.dumps({"tool": [], "state": "running"}))):
            writer.execute("INSERT INTO part VALUES (?, 'm', 'ses_1', 0, 0, ?)", (f"x{number}", data))
    assert AGENT.current(environ) is None
