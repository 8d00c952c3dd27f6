"""``git traj validate``: what we write is valid, and a fault is reported with its position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gittraj.notes.store import NotesRef
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.past import begin
from tests.integration.repository import Git


@pytest.fixture
def recorded(git: Git) -> Git:
    begin(git)
    session = ClaudeSession(git.root)
    calls = [
        turn(Write("a", "one\n"), think="How?"),
        turn(Shell("git add -A && git commit -m 'Add a'")),
        turn(say="Done"),
    ]
    session.run(calls, prompt="Write a")
    assert traj(git.root, "import", "--auto", str(session.log)).returncode == 0
    return git


def _check(git: Git, name: str | Path) -> dict[str, Any]:
    said = traj(git.root, "validate", "--json", str(name))
    document: dict[str, Any] = json.loads(said.stdout)
    assert said.returncode == int(not document["valid"])
    return document


def test_exported_and_stored_documents_are_valid(recorded: Git, tmp_path: Path) -> None:
    forms = {
        "atif": "ATIF-v1.7",
        "atif-1.8": "ATIF-v1.8",
        "trajectory": "agent-trajectories",
        "agent-trace": "agent-trace",
    }
    for form, named in forms.items():
        path = tmp_path / f"{form}.json"
        traj(recorded.root, "export", "--format", form, "HEAD", "-o", str(path))
        result = _check(recorded, path)
        assert (result["format"], result["faults"]) == (named, []), form
    note = tmp_path / "note"
    with recorded.open() as repository:
        for _, body in NotesRef(repository).items():  # a note of one record is not another format
            note.write_bytes(body)
            assert (_check(recorded, note)["format"], _check(recorded, note)["valid"]) == ("records", True)
            note.write_bytes(body.splitlines()[0] + b"\n{broken\n")
            (fault,) = _check(recorded, note)["faults"]
            assert fault["path"] == "line 2"
    month = recorded("for-each-ref", "--format=%(refname)", "refs/notes/traj-data-*")
    assert _check(recorded, "refs/notes/traj")["valid"]
    assert _check(recorded, month)["format"] == "segments"


def test_a_fault_is_reported_with_its_position(recorded: Git, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    traj(recorded.root, "export", "--format", "atif", "HEAD", "-o", str(path))
    document = json.loads(path.read_text())
    document["steps"][1]["source"] = "robot"
    document["steps"][0]["tool_call"] = []
    path.write_text(json.dumps(document))
    positions = {fault["path"] for fault in _check(recorded, path)["faults"]}
    assert positions == {"steps[0].tool_call", "steps[1].source"} | {
        p for p in positions if p.startswith("steps[1].")
    }
    traj(recorded.root, "export", "--format", "trajectory", "HEAD", "-o", str(path))
    document = json.loads(path.read_text())
    document["chapters"][0]["events"][0]["ts"] = 0
    del document["status"]
    path.write_text(json.dumps(document))
    positions = {fault["path"] for fault in _check(recorded, path)["faults"]}
    assert positions == {"status", "chapters[0].events[0].ts"}
    assert "not valid" in traj(recorded.root, "validate", str(path)).stdout


def test_a_foreign_line_of_a_note_is_reported(recorded: Git) -> None:
    with recorded.open() as repository:
        NotesRef(repository).write({recorded.head(): lambda body: body + b'{"id":"x","v":1}\n'})
    (fault,) = _check(recorded, "refs/notes/traj")["faults"]
    assert recorded.head()[:12] in fault["path"]


def test_files_without_a_schema_are_refused(recorded: Git, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello\n")
    for name in (tmp_path / "x", "refs/notes/nothing", "nowhere"):
        assert traj(recorded.root, "validate", str(name)).returncode == 1


def test_the_bundle_has_an_index_a_schema_and_artifacts(recorded: Git, tmp_path: Path) -> None:
    import jsonschema

    traj(recorded.root, "export", "--format", "trajectory-bundle", "HEAD", "-o", str(tmp_path))
    index = json.loads((tmp_path / "index.json").read_text())["trajectories"]
    ((own, entry),) = index.items()
    folder = tmp_path / entry["path"]
    document = json.loads((folder / "trajectory.json").read_text())
    assert document["id"] == own
    schema = json.loads((folder / document["$schema"]).read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    (row,) = json.loads(traj(recorded.root, "import", "--json", str(tmp_path)).stdout)["imported"]
    assert row["parts"] == 0


def test_the_tables_of_the_first_design_survive_the_round_trip(recorded: Git, tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "t.db"
    traj(recorded.root, "export", "--format", "trajectory-sqlite", "HEAD", "-o", str(path))
    database = sqlite3.connect(path)
    ((title, files),) = database.execute("SELECT task_title, files_changed FROM trajectories").fetchall()
    assert ("Write a" in title, json.loads(files)) == (True, ["a"])
    kinds = [kind for (kind,) in database.execute("SELECT type FROM trajectory_events ORDER BY id")]
    database.close()
    assert kinds[:2] == ["prompt", "thinking"] or kinds[0] == "prompt"
    (row,) = json.loads(traj(recorded.root, "import", "--json", str(path)).stdout)["imported"]
    assert row["parts"] == 0, "it is the same complete trajectory"
    other = begin(Git.init(tmp_path / "other"))
    (row,) = json.loads(traj(other.root, "import", "--json", str(path)).stdout)["imported"]
    shown = [json.loads(traj(g.root, "show", row["trajectory"], "--json").stdout) for g in (recorded, other)]
    assert shown[0]["trajectories"][0]["chapters"] == shown[1]["trajectories"][0]["chapters"]
