"""Formats of other tools: sessions are written to them, and come back the same when imported."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scenario import Edit, Shell, Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.past import begin, commit_turns
from tests.integration.records import traj
from tests.integration.repository import Git

pytestmark = pytest.mark.usefixtures("real_clocks")
FORMATS = ("trajectory", "atif", "agent-trace", "otel", "csv", "json")


def export(git: Git, form: str, *names: str) -> str:
    return traj(git, "export", "--format", form, *names)


def portable_fields(git: Git, name: str) -> Any:
    """The fields of ``show`` that do not depend on where the trajectory is stored."""
    (shown,) = json.loads(traj(git, "show", name, "--json"))["trajectories"]
    return {key: shown[key] for key in ("title", "agent", "models", "session", "decisions", "chapters")}


def test_a_session_survives_the_round_trip_through_every_format(git: Git, tmp_path: Path) -> None:
    begin(git)
    session = ClaudeSession(git.root)
    session.run(
        [
            turn(Write("a", "one\ntwo\n"), think="How?"),
            turn(Edit("a", "two", "2")),
            turn(Shell("seq 3 3 >> a; git add -A && git commit -m 'Add a'")),
            turn(say="Done"),
        ],
        prompt="Write a",
    )
    session.run(commit_turns("b"), prompt="Now b")
    (row,) = json.loads(traj(git, "import", "--json", "--auto", str(session.log)))["imported"]
    name, first, second = row["trajectory"], git("rev-parse", "HEAD~"), git("rev-parse", "HEAD")
    assert {each["commit"] for each in row["commits"]} == {first, second}

    # what to export: a commit, a range, a trajectory
    document = json.loads(export(git, "atif", name))
    assert document["trajectory_id"] == name
    assert len(json.loads(export(git, "atif", first))["steps"]) < len(document["steps"])
    ranged = json.loads(export(git, "json", f"{first}~..{second}"))
    assert [entry["commit"] for entry in ranged["commits"]] == [second, first]

    # lines that the session wrote are credited to it, those that a program wrote to nobody
    traces = [json.loads(line) for line in export(git, "agent-trace", name).splitlines()]
    assert [trace["vcs"]["revision"] for trace in traces] == [first, second]
    (file,) = (file for file in traces[0]["files"] if file["path"] == "a")
    mine, unknown = file["conversations"]
    assert [(r["start_line"], r["end_line"]) for r in mine["ranges"]] == [(1, 2)]
    assert mine["contributor"] == {"type": "ai", "model_id": "anthropic/claude-sonnet-4-5"}
    assert mine["url"] == f"git-traj:{name}"
    assert (unknown["contributor"], len(unknown["ranges"])) == ({"type": "unknown"}, 1)

    # tables and spans
    (cells,) = csv.DictReader(io.StringIO(export(git, "csv", name)))
    assert (cells["id"], cells["commits"], cells["prompt"]) == (name, f"{first} {second}", "Write a")
    spans = json.loads(export(git, "otel", name))["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert {span["name"].split()[0] for span in spans} == {"invoke_agent", "chat", "execute_tool"}
    assert all(len(s["spanId"]) == 16 and s["endTimeUnixNano"] >= s["startTimeUnixNano"] for s in spans)

    # the files are imported again, here and in another repository
    for form in FORMATS:
        assert export(git, form, name) == export(git, form, name)
    for form in ("trajectory", "atif"):
        path = tmp_path / f"{form}.json"
        assert traj(git, "export", "--format", form, name, "-o", str(path)) == ""
        (again,) = json.loads(traj(git, "import", "--json", str(path)))["imported"]
        assert (again["trajectory"], again["parts"]) == (name, 0)
        other = begin(Git.init(tmp_path / form))
        traj(other, "import", str(path))
        assert portable_fields(other, name) == portable_fields(git, name)


def test_exports_are_redacted_and_sealed(git: Git, tmp_path: Path) -> None:
    git.commit({"README": "here\n"}, "Begin")
    traj(git, "keys", "init")
    secret = "gh" + "p_" + "A7f3kQ9zL2mX8vB4nR6tY1wC5sD0eH3jK7pU"
    session = ClaudeSession(git.root)
    session.run([turn(Shell(f"echo {secret}"), think="A plan of mine"), turn(say="Done")], prompt="Go")
    (row,) = json.loads(traj(git, "import", "--json", str(session.log)))["imported"]
    for form in FORMATS:
        written = export(git, form, row["trajectory"])
        assert secret not in written
        assert "A plan of mine" not in written
    foreign = {
        "id": "traj_theirs", "version": 1, "task": {"title": f"use {secret}"}, "status": "completed",
        "startedAt": "2026-01-02T03:04:05.000Z", "agents": [], "workflowId": secret,
        "chapters": [{"id": "c", "title": "x", "agentName": "a", "startedAt": "2026-01-02T03:04:05.000Z",
                      "events": [{"ts": 1, "type": "note", "content": "x", "raw": {"token": secret}},
                                 {"ts": 2, "type": "thinking", "content": "A plan of mine"}]}],
    }  # fmt: skip
    (tmp_path / "x.trajectory.json").write_text(json.dumps(foreign))
    traj(git, "import", str(tmp_path / "x.trajectory.json"))
    assert secret not in export(git, "trajectory", "traj_theirs")
    assert "A plan of mine" not in export(git, "json", "traj_theirs")


def test_several_documents_need_a_folder(git: Git, tmp_path: Path) -> None:
    begin(git)
    for prompt in ("One", "Two"):
        session = ClaudeSession(git.root, name=prompt)
        session.run([turn(say="Done")], prompt=prompt)
        traj(git, "import", str(session.log))
    refused = command.traj(git.root, "export", "--format", "atif")
    assert refused.returncode == 2
    assert "2 documents need a folder" in refused.stderr
    traj(git, "export", "--format", "atif", "-o", str(tmp_path / "out"))
    assert len(list((tmp_path / "out").glob("traj_*.atif.json"))) == 2
    traj(git, "export", "--format", "trajectory-tree", "-o", str(tmp_path / "tree"))
    assert len(list((tmp_path / "tree").glob("active/traj_*/trajectory.json"))) == 2
    taken = json.loads(traj(git, "import", "--json", str(tmp_path / "tree")))["imported"]
    assert [row["parts"] for row in taken] == [0, 0]
    traj(git, "export", "--format", "trajectory-bundle", "-o", str(tmp_path / "bundles"))
    one, two = sorted((tmp_path / "bundles").glob("traj_*.trajectory"))
    assert sorted(path.name for path in one.iterdir()) == ["README.md", "chapters", "trajectory.json"]
    (chapter,) = (two / "chapters").iterdir()
    assert chapter.name in ("01-one.md", "01-two.md")
    assert "- **prompt** " in chapter.read_text()
    taken = json.loads(traj(git, "import", "--json", str(one), str(two)))["imported"]
    assert [row["parts"] for row in taken] == [0, 0]


def test_without_records_an_export_is_empty(git: Git) -> None:
    begin(git)
    done = command.traj(git.root, "export", "--format", "csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no trajectories are recorded here" in done.stderr
    assert command.traj(git.root, "export").returncode == 0
    unknown = command.traj(git.root, "export", "--format", "csv", "nothing")
    assert (unknown.returncode, "'nothing' is not a revision" in unknown.stderr) == (1, True)


def test_an_agents_own_log_replaces_its_conversion(git: Git, tmp_path: Path) -> None:
    begin(git)
    session = ClaudeSession(git.root)
    session.run([turn(Write("a", "one\n")), turn(say="Done")], prompt="Write a")
    steps: list[dict[str, Any]] = [
        {"step_id": 1, "source": "user", "message": "Write a"},
        {"step_id": 2, "source": "agent", "message": "Done"},
    ]
    agent = {"name": "claude-code", "version": "2.1"}
    converted = {"schema_version": "ATIF-v1.5", "session_id": session.session, "agent": agent, "steps": steps}
    (tmp_path / "run.json").write_text(json.dumps(converted))
    (first,) = json.loads(traj(git, "import", "--json", str(tmp_path / "run.json")))["imported"]
    (own,) = json.loads(traj(git, "import", "--json", str(session.log)))["imported"]
    assert first["trajectory"] == own["trajectory"]
    chapters = portable_fields(git, own["trajectory"])["chapters"]
    types = [event["type"] for chapter in chapters for event in chapter["events"]]
    assert types == ["prompt", "tool_call", "tool_result", "message"]
    (again,) = json.loads(traj(git, "import", "--json", str(tmp_path / "run.json")))["imported"]
    assert again["parts"] == 0


def test_documents_of_other_tools_are_imported_from_their_folder(git: Git, tmp_path: Path) -> None:
    begin(git)
    moment = "2026-01-02T03:04:05.000Z"

    def document(name: str) -> dict[str, Any]:
        event = {"ts": 1767323045000, "type": "note", "content": name}
        chapter = {"id": "c", "title": "Work", "agentName": "a", "startedAt": moment, "events": [event]}
        return {"id": name, "version": 1, "task": {"title": name}, "status": "completed",
                "startedAt": moment, "agents": [], "chapters": [chapter]}  # fmt: skip

    files = {
        "bundle.trajectory/trajectory.json": json.dumps(document("traj_bundle")),
        "bundle.trajectory/README.md": "# Trajectory: bundle\n",
        "bundle.trajectory/chapters/01-work.md": "# Work\n",
        ".trajectories/index.json": json.dumps({"version": 1, "trajectories": {}}),
        ".trajectories/completed/2026-01/traj_old.json": json.dumps(document("traj_old")),
        ".trajectories/completed/2026-01/traj_old.md": "# Trajectory: old\n",
        "alone.trajectory.md": "# Trajectory: Alone\n\n## Chapters\n\n### 1. Work\n*Agent: a*\n\n- said\n",
    }
    for name, text in files.items():
        (tmp_path / "theirs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "theirs" / name).write_text(text)
    rows = json.loads(traj(git, "import", "--json", str(tmp_path / "theirs")))["imported"]
    assert {row["trajectory"] for row in rows} >= {"traj_bundle", "traj_old"}
    markdown = "trajectory-markdown"
    assert sorted(row["format"] for row in rows) == ["agent-trajectories"] * 2 + [markdown]


# ---------------------------------------------------------------- malicious documents


def write_json(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value))
    return str(path)


def trail(name: str, *events: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A document in the format of agent-trajectories, with one chapter of ``events``."""
    at = "2026-01-02T03:04:05.000Z"
    chapter = {"id": "c", "title": "x", "agentName": "a", "startedAt": at, "events": [*events]}
    return {
        "id": name, "version": 1, "task": {"title": "x"}, "status": "completed", "startedAt": at,
        "completedAt": at, "agents": [], "chapters": [chapter], **fields,
    }  # fmt: skip


def test_no_document_leaves_its_folder(git: Git, tmp_path: Path) -> None:
    git.commit({"README": "here\n"}, "Begin")
    compacted = {
        "id": "../../../away", "version": 1, "type": "compacted", "sourceTrajectories": ["traj_a"],
        "dateRange": {"start": "2026-01-02", "end": "2026-01-03"}, "compactedAt": "2026-01-03T03:04:05.000Z",
        "narrative": "hello", "decisionGroups": [],
    }  # fmt: skip
    traj(git, "import", write_json(tmp_path / "compacted.json", compacted), "--commit", "HEAD")
    late = trail("traj_late", {"ts": 1, "type": "note", "content": "x"}, completedAt="../../x")
    traj(git, "import", write_json(tmp_path / "late.json", late), "--commit", "HEAD")
    before = {*tmp_path.rglob("*.json")}
    out = tmp_path / "one" / "two" / "out"
    traj(git, "export", "--format", "trajectory-tree", "-o", str(out))
    made = {*tmp_path.rglob("*.json")} - before
    assert len(made) == 2
    assert all(path.resolve().is_relative_to(out) for path in made)


def test_thinking_is_in_no_other_field(git: Git, tmp_path: Path) -> None:
    git.commit({"README": "here\n"}, "Begin")
    git("config", "traj.thinking", "drop")
    steps = [
        {"step_id": 1, "source": "user", "message": "Go", "reasoning_content": "of a user zebra"},
        {"step_id": 2, "source": "system", "message": "Hm", "reasoning_content": "of a system zebra"},
        {"step_id": 3, "source": "agent", "message": "Yes", "reasoning_content": ["in a list zebra"]},
        {"step_id": 4, "source": "agent", "message": "Done", "reasoning_content": "plain zebra"},
    ]
    document = {
        "schema_version": "ATIF-v1.4", "session_id": "s", "steps": steps,
        "agent": {"name": "demo", "version": "1"},
    }  # fmt: skip
    traj(git, "import", write_json(tmp_path / "a.json", document), "--commit", "HEAD")
    for form in (*FORMATS, "html", "markdown"):
        written = export(git, form, "HEAD")
        assert "Done" in written or form in ("agent-trace", "otel", "csv")
        assert "zebra" not in written, form
    assert "zebra" not in git("log", "-p", "--all", "-z")


@pytest.mark.parametrize(
    "odd",
    [
        {"decision": "boom"}, {"tool": "bash"}, {"sealed": 1}, {"result": [1]}, {"retrospective": "x"},
    ],
)  # fmt: skip
def test_one_event_of_a_later_version_stops_nothing(git: Git, tmp_path: Path, odd: dict[str, Any]) -> None:
    git.commit({"README": "here\n"}, "Begin")
    later = {"event": {"type": "zzz", "content": "later", **odd}, "trajectory": {"agent": "demo"}}
    strange = {"ts": 1, "type": "note", "content": "x", "raw": {"git_traj": later}}
    asked = {
        "ts": 2, "type": "decision", "content": "y",
        "raw": {"question": ["why"], "chosen": "b", "reasoning": "c"},
    }  # fmt: skip
    traj(
        git, "import", write_json(tmp_path / "a.json", trail("traj_odd", strange, asked)), "--commit", "HEAD"
    )
    for form in (*FORMATS, "html", "markdown", "timeline"):
        assert export(git, form, "HEAD")
    traj(git, "export", "--format", "trajectory-tree", "-o", str(tmp_path / "tree"))
    traj(git, "show", "HEAD", "--json")
    traj(git, "show", "HEAD")


def test_trajectories_that_name_each_other_as_parent_are_exported(git: Git, tmp_path: Path) -> None:
    git.commit({"README": "here\n"}, "Begin")
    for own, other in (("traj_a", "traj_b"), ("traj_b", "traj_a")):
        document = {
            "schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "demo", "version": "1"},
            "trajectory_id": own, "steps": [{"step_id": 1, "source": "user", "message": f"Go {own}"}],
            "extra": {"git_traj": {"trajectory": {"id": own, "parent": {"id": other}}}},
        }  # fmt: skip
        traj(git, "import", write_json(tmp_path / f"{own}.json", document), "--commit", "HEAD")
    assert "Go traj_a" in export(git, "atif", "traj_a")
    whole = export(git, "atif", "--all")
    assert "Go traj_a" in whole
    assert "Go traj_b" in whole
    traj(git, "export", "--format", "openagents", "--all", "-o", str(tmp_path / "all.db"))
    with sqlite3.connect(tmp_path / "all.db") as database:
        ((document,),) = database.execute("SELECT trajectory FROM trajectories").fetchall()
    assert "Go traj_a" in document
    assert "Go traj_b" in document


def test_commits_are_found_again_after_a_round_trip(git: Git, tmp_path: Path) -> None:
    begin(git)
    session = ClaudeSession(git.root)
    session.run([turn(Write("a", "one\ntwo\nthree\n")), turn(Shell("true"))], prompt="Write a")
    git("add", "-A")
    git("commit", "-qm", "By a person")
    traj(git, "import", "--auto", str(session.log))
    for form in ("trajectory", "atif"):
        path = tmp_path / f"{form}.json"
        traj(git, "export", "--format", form, "--all", "-o", str(path))
        other = tmp_path / form
        git("clone", "-q", ".", str(other))
        (row,) = json.loads(traj(Git(other), "import", "--json", "--auto", str(path)))["imported"]
        assert [(each["commit"], each["evidence"]) for each in row["commits"]] == [(git.head(), "content")]
