"""Importing OpenAgents' database, showing its sessions, and exporting a database for OpenAgents' queries."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.past import begin, refs
from tests.integration.records import traj
from tests.integration.repository import Git
from tests.unit.formats import openagents_database as db
from tests.unit.formats import test_a3s as a3s

JSON = ("trajectory", "category_rounds", "tests", "reflections", "environment", "uncertainties")


@pytest.fixture
def begun(git: Git) -> Git:
    return begin(git)


def rows(path: Path, table: str) -> dict[str, dict[str, Any]]:
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        found = [dict(row) for row in database.execute(f"SELECT * FROM {table}")]
    read = [{k: json.loads(v) if k in JSON and v else v for k, v in row.items()} for row in found]
    return {row["session_id"]: row for row in read}


def export(git: Git, path: Path, *names: str) -> Path:
    traj(git, "export", *names, "--format", "openagents", "-o", str(path))
    return path


def import_database(git: Git, path: Path) -> dict[str, dict[str, Any]]:
    taken = json.loads(traj(git, "import", "--json", str(path)))["imported"]
    return {row["session"]: row for row in taken}


def test_an_imported_session_is_exported_unchanged(begun: Git, tmp_path: Path) -> None:
    given = db.make(tmp_path / "given.db")
    taken = import_database(begun, given)
    names = [row["trajectory"] for row in taken.values()]
    assert {row["agent"] for row in taken.values()} == {"mechacoder-orchestrator", "testgen"}
    page = traj(begun, "show", taken[db.TESTGEN["session_id"]]["trajectory"])
    for said in (
        "correctness, 2 rounds",
        "existence: needs_review",
        "Dates without an address",
        "leap years",
    ):
        assert said in page
    beside = json.loads(traj(begun, "stats", "--json"))["total"]["beside"]
    assert (beside["verifications"], beside["artifacts"]) == (2, 1)

    made = export(begun, tmp_path / "made.db", *names)
    (generated,) = rows(made, "testgen_trajectories").values()
    assert generated == db.TESTGEN
    again = rows(made, "trajectories")[db.ATIF["session_id"]]
    same = [name for name in db.ATIF if name not in ("trajectory", "schema_version", "created_at")]
    assert {name: again[name] for name in same} == {name: db.ATIF[name] for name in same}
    wanted, found = db.DOCUMENT["steps"], again["trajectory"]["steps"]
    assert [{key: step[key] for key in before} for before, step in zip(wanted, found, strict=True)] == wanted
    assert made.read_bytes() == export(begun, tmp_path / "twice.db", *names).read_bytes()

    before = refs(begun)
    assert {row["parts"] for row in import_database(begun, made).values()} == {0}
    assert refs(begun) == before


def test_openagents_own_queries_run_on_an_export(begun: Git, tmp_path: Path) -> None:
    session = ClaudeSession(begun.root)
    steps = (Write("parser.py", "x = 1\n"), Shell("git add -A && git commit -qm 'Add a parser'"))
    session.run(
        [turn(*steps, think="private thought", say="A tokenizer first"), turn(say="Done")], prompt="Parse it"
    )
    traj(begun, "import", str(session.log), "--auto")
    import_database(
        begun,
        db.make(tmp_path / "given.db", ("trajectories", db.GENERATED), ("testgen_trajectories", db.TESTGEN)),
    )
    listed = json.loads(traj(begun, "log", "--trajectories", "--all", "--json"))["trajectories"]
    path = export(begun, tmp_path / "made.db", *[each["id"] for each in listed])

    def ask(query: str) -> list[list[str]]:
        program = shutil.which("sqlite3")
        if program is None:
            with closing(sqlite3.connect(path)) as database:
                return [[str(value) for value in row] for row in database.execute(query)]
        done = subprocess.run(
            [program, "-separator", "\t", path, query], capture_output=True, text=True, check=True
        )
        return [line.split("\t") for line in done.stdout.splitlines()]

    testgen, claude = db.TESTGEN["session_id"], session.session
    assert ask(
        "SELECT session_id, task_id, total_tests, total_tokens_used FROM testgen_trajectories"
        " ORDER BY created_at DESC LIMIT 5"
    ) == [[testgen, "regex-log", "3", "55221"]]
    assert ask(
        f"SELECT json_array_length(tests) FROM testgen_trajectories WHERE session_id = '{testgen}'"
    ) == [["3"]]
    by_agent = (
        "SELECT session_id, model_name FROM trajectories WHERE agent_name = 'claude-code' ORDER BY created_at"
    )
    assert ask(by_agent) == [[claude, session.model]]
    search = "SELECT session_id FROM trajectories_fts WHERE trajectories_fts MATCH '{}'"
    assert ask(search.format("tokenizer")) == [[claude]]
    assert ask(search.format("Bash")) == [[claude]]
    assert ask(search.format("missing")) == [[testgen]]
    joined = (
        "SELECT t.step_count > 0 FROM trajectories_fts f JOIN trajectories t ON t.rowid = f.rowid WHERE {}"
    )
    assert ask(joined.format("trajectories_fts MATCH 'Parse'")) == [["1"]]
    assert ask("PRAGMA integrity_check") == [["ok"]]
    assert ask("SELECT version FROM _schema_version WHERE version = '004_trajectories'") == [
        ["004_trajectories"]
    ]
    with closing(sqlite3.connect(path)) as database, database:  # as OpenAgents might change it
        database.execute("UPDATE trajectories SET trajectory = '{}' WHERE session_id = ?", (claude,))
        database.execute("DELETE FROM trajectories WHERE session_id = ?", (testgen,))
    assert ask(search.format("tokenizer OR missing")) == []


def test_another_systems_session_survives_the_round_trip(begun: Git, tmp_path: Path) -> None:
    child = {**a3s.SESSION, "id": "child-1", "parent_id": "s/1", "messages": [a3s.ASKED, a3s.DONE]}
    taken = import_database(begun, a3s.keep(tmp_path / "store", {**a3s.OLDER, "child-1.json": child}))
    names = [row["trajectory"] for row in taken.values()]
    made = export(begun, tmp_path / "made.db", *names)
    assert {row["agent_name"] for row in rows(made, "trajectories").values()} == {"a3s"}
    assert rows(made, "trajectories").keys() == {"s/1", "child-1"}
    other = begin(Git.init(tmp_path / "other"))
    assert {row["trajectory"] for row in import_database(other, made).values()} == {*names}
    for name in names:
        shown = [json.loads(traj(git, "show", name, "--json"))["trajectories"][0] for git in (begun, other)]
        events = [[event for c in each["chapters"] for event in c["events"]] for each in shown]
        assert events[0] == events[1]
        same = ("agent", "session", "status", "parent", "models", "total", "decisions", "title")
        assert {key: shown[0][key] for key in same} == {key: shown[1][key] for key in same}


def test_nothing_to_export(begun: Git) -> None:
    done = command.traj(begun.root, "export", "--format", "openagents")
    assert (done.returncode, done.stdout) == (0, "")
