"""Other systems' stores and notes, imported into a repository: on which commits, and what ``show`` prints."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gittraj import limits
from tests.e2e.scenario import Shell, Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.past import begin, commit_turns, recorded, refs
from tests.integration.records import check, traj
from tests.integration.repository import Git
from tests.unit.formats import test_a3s as a3s
from tests.unit.formats import test_noted as noted
from tests.unit.formats import test_noted_others as others
from tests.unit.formats import test_zwarm as zwarm


@pytest.fixture
def begun(git: Git) -> Git:
    return begin(git)


def take(git: Git, *arguments: str | Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(traj(git, "import", "--json", *map(str, arguments)))["imported"]
    return rows


def shown(git: Git, trajectory: str) -> dict[str, Any]:
    (found,) = json.loads(traj(git, "show", trajectory, "--json"))["trajectories"]
    return dict(found)


def contents(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(event["type"], event["content"]) for c in found["chapters"] for event in c["events"]]


# ---------------------------------------------------------------- stores


def test_zwarm_commits_are_found_and_a_longer_session_only_adds(begun: Git, tmp_path: Path) -> None:
    made = begun.commit({"a": "a\n"}, "Add a")
    first = zwarm.turn(zwarm.ONE, "Done.", (10, 3))
    ran = {"id": "item_3", "type": "command_execution", "command": "git add -A && git commit -m 'Add a'"}
    printed = {
        **ran,
        "aggregated_output": f"[main {made[:7]}] Add a\n",
        "exit_code": 0,
        "status": "completed",
    }
    first[5:5] = [{"type": "item.completed", "item": printed}]
    meta = {**zwarm.META, "working_dir": str(begun.root), "source": "user"}
    one = {**meta, "messages": meta["messages"][:2], "turn": 1, "status": "running"}
    store = zwarm.keep(tmp_path, one, {1: first}) / ".zwarm"
    (row,) = take(begun, store, "--auto")
    assert (row["agent"], row["session"]) == ("zwarm", zwarm.SESSION)
    assert row["commits"] == [{"commit": made, "evidence": "output", "carried": False}]
    zwarm.keep(tmp_path, meta, {2: zwarm.TURNS[2]})
    (row,) = take(begun, store, "--auto")
    assert row["parts"] > 0
    found = shown(begun, row["trajectory"])
    assert [chapter["title"] for chapter in found["chapters"]] == ["Write a parser", "Now test it"]
    assert (found["status"], found["total"]["usage"]["inputTokens"]) == ("completed", 30)
    assert found["total"]["counts"]["toolCalls"] == 3
    before = refs(begun)
    take(begun, store, "--auto")
    assert refs(begun) == before


def test_a3s_runs_reports_artifacts_agents_and_checkpoints_are_shown(begun: Git, tmp_path: Path) -> None:
    child = {**a3s.SESSION, "id": "child-1", "parent_id": "s/1", "messages": [a3s.ASKED, a3s.DONE]}
    store = a3s.keep(tmp_path / "store", {**a3s.OLDER, "child-1.json": child})
    rows = {row["session"]: row for row in take(begun, store)}
    found = shown(begun, rows["s/1"]["trajectory"])
    kinds = dict.fromkeys(kind for kind, _ in contents(found))
    assert {"verification", "checkpoint", "artifact", "a3s.trace", "error"} <= kinds.keys()
    assert ("note", "Run run-1: failed, 2 events") in contents(found)
    assert ("artifact", "the whole output") in contents(found)
    counts = found["total"]["counts"]
    assert (counts["prompts"], counts["subagents"], counts["errors"]) == (2, 1, 2)
    assert found["total"]["costUsd"] == 0.25
    assert shown(begun, rows["child-1"]["trajectory"])["parent"]["id"] == rows["s/1"]["trajectory"]
    beside = json.loads(traj(begun, "stats", "--json"))["total"]["beside"]
    assert beside == {"subagents": 1, "runs": 2, "verifications": 1, "artifacts": 1, "checkpoints": 1}
    assert "runs 2, verifications 1" in traj(begun, "stats")
    page = traj(begun, "show", rows["s/1"]["trajectory"], "--events")
    for said in (
        "Run run-1: failed",
        "failed: Run pytest",
        "Round 2 of run-1",
        "the whole output",
        "It is in a.py",
    ):
        assert said in page
    before = refs(begun)
    assert {row["parts"] for row in take(begun, store)} == {0}
    (begun.root / ".git" / "traj" / "cursors.json").unlink()
    assert {row["parts"] for row in take(begun, store)} == {0}
    assert refs(begun) == before


# ---------------------------------------------------------------- notes


def add_note(git: Git, ref: str, commit: str, note: Any) -> None:
    git("notes", f"--ref={ref}", "add", "--file=-", commit, input=noted.written(note))


def test_notes_are_imported_onto_their_commits_and_later_ones_added(begun: Git) -> None:
    one = begun.commit({"a.py": "a\n"}, "One")
    two = begun.commit({"b.py": "b\n"}, "Two")
    add_note(
        begun, "agentnote", two, {**noted.NOTE, "interactions": [{"prompt": "second", "response": None}]}
    )
    (row,) = take(begun, "refs/notes/agentnote")
    assert (row["path"], row["agent"]) == ("refs/notes/agentnote", "claude-code")
    assert row["commits"] == [{"commit": two, "evidence": "imported", "carried": False}]
    add_note(begun, "agentnote", one, noted.NOTE)  # fetched only now, though it is older
    (row,) = take(begun, "refs/notes/agentnote")
    assert recorded(begun) == {"One": {noted.SESSION}, "Two": {noted.SESSION}}
    (first,) = json.loads(traj(begun, "show", one, "--json"))["trajectories"]
    assert [file["path"] for file in first["filesChanged"]] == ["a.py"]
    assert first["part"]["counts"]["prompts"] == 2
    assert first["total"]["counts"]["prompts"] == 3
    before = refs(begun)
    (row,) = take(begun, "refs/notes/agentnote")
    assert (row["parts"], refs(begun)) == (0, before)
    assert json.loads(traj(begun, "status", "--json"))["sessions"] == []  # it is not running here
    (begun.root / ".git" / "traj" / "cursors.json").unlink()
    (row,) = take(begun, "refs/notes/agentnote")
    assert (row["parts"], refs(begun)) == (0, before)


def test_two_sessions_on_one_commit(begun: Git) -> None:
    one = begun.commit({"src/main.rs": "x\n"}, "One")
    add_note(begun, "ai", one, noted.METADATA)
    add_note(begun, "ai", begun.commit({"c": "c\n"}, "Torn"), "src/main.rs\n  s_1 1-2\n---\n{")
    rows = take(begun, "refs/notes/ai")
    assert {row["session"]: row["agent"] for row in rows} == {"old": "cursor", "new": "claude-code"}
    assert {row["damage"] for row in rows} == {1}
    assert recorded(begun) == {"One": {"old", "new"}}
    found = {t["session"]: t for t in json.loads(traj(begun, "show", one, "--json"))["trajectories"]}
    assert contents(found["old"])[-1] == ("note", "git-ai: src/my file.rs 1,3")
    assert found["old"]["participants"] == [{"name": "A Developer", "role": "human"}]


def test_the_agents_own_log_replaces_a_note(begun: Git) -> None:
    session = ClaudeSession(begun.root)
    session.run(commit_turns("a"), prompt="Write a")
    add_note(begun, "agentnote", "HEAD", {**noted.NOTE, "session_id": session.session})
    take(begun, "refs/notes/agentnote")
    assert recorded(begun) == {"Add a": {session.session}}
    take(begun, session.log, "--auto")
    check(begun, session)
    before = refs(begun)
    take(begun, "refs/notes/agentnote")
    assert refs(begun) == before


def test_notes_of_whogitit_memento_and_qwen_code(begun: Git) -> None:
    one = begun.commit({"a.py": "a\n"}, "One")
    for ref, note, agent in (
        ("ai-attribution", others.QWEN, "qwen-code"),
        ("whogitit", others.WHOGITIT, "claude-code"),
        ("commits", others.SESSION, "claude-code"),
    ):
        text = note if isinstance(note, str) else json.dumps(note)
        begun("notes", f"--ref={ref}", "add", "--file=-", one, input=text.encode())
        (row,) = take(begun, f"refs/notes/{ref}")
        assert row["agent"] == agent
        if ref == "ai-attribution":  # a percentage does not prove that a session made the commit
            assert (row["commits"], row["explored"]) == ([], [one])
            assert json.loads(traj(begun, "stats", "--json"))["total"]["recorded"] == 0
            assert json.loads(traj(begun, "pr", "--base", "HEAD~1", "--json"))["recorded"] == 0
            assert "5 % of the characters" in traj(begun, "show", one)
        else:
            assert row["commits"] == [{"commit": one, "evidence": "imported", "carried": False}]


def test_a_note_of_any_size_is_imported_or_named(begun: Git) -> None:
    one = begun.commit({"a.py": "a\n"}, "One")
    two = begun.commit({"b.py": "b\n"}, "Two")
    for commit, size in ((one, limits.NOTE), (two, limits.FOREIGN_NOTE)):
        note = {**others.WHOGITIT, "more": "x" * size, "session": {"session_id": commit}}
        begun("notes", "--ref=whogitit", "add", "--file=-", commit, input=json.dumps(note).encode())
    done = command.traj(begun.root, "import", "refs/notes/whogitit", "refs/notes/none", "--json")
    said = json.loads(done.stdout)
    assert done.returncode == 1
    assert [[each["commit"] for each in row["commits"]] for row in said["imported"]] == [[one]]
    large, missing = said["failed"]
    assert large == {
        "path": "refs/notes/whogitit",
        "why": f"the note of {two[:12]}: not here, or larger than 16 MB",
    }
    assert (missing["path"], "no such ref here" in missing["why"]) == ("refs/notes/none", True)


@pytest.mark.parametrize("ref", ["refs/heads/entire/checkpoints/v1", "refs/entire/checkpoints"])
def test_the_logs_that_entire_keeps(begun: Git, ref: str) -> None:
    session = ClaudeSession(begun.root)
    session.run(commit_turns("a"), prompt="Write a")
    keep_checkpoint(begun, ref, "0123456789ab", session)
    session.run(commit_turns("b"), prompt="Write b")
    keep_checkpoint(begun, ref, "abcdef012345", session)
    session.log.unlink()
    (row,) = take(begun, ref)
    assert (row["agent"], row["session"]) == ("claude-code", session.session)
    assert row["path"].startswith(ref)
    assert begun("show", row["path"]).startswith("{")
    assert recorded(begun) == {"Add a": {session.session}, "Add b": {session.session}}
    assert command.traj(begun.root, "import", f"{ref}/none").returncode == 1


def keep_checkpoint(git: Git, ref: str, checkpoint: str, session: ClaudeSession) -> None:
    """Store a checkpoint as Entire does: in a branch with a folder for each, or in a ref of its own."""
    files = {
        "metadata.json": "{}",
        "0/full.jsonl": session.log.read_text(),
        "0/metadata.json": json.dumps({"session_id": session.session, "agent": "Claude Code"}),
    }
    branch = ref.startswith("refs/heads/")
    folder = f"{checkpoint[:2]}/{checkpoint[2:]}/" if branch else ""
    name = ref if branch else f"{ref}/{checkpoint[-2:]}/{checkpoint}"
    index = {"GIT_INDEX_FILE": str(git.root / ".git" / "entire-index")}
    if branch and git("for-each-ref", name).strip():
        git("read-tree", name, env=index)
    else:
        git("read-tree", "--empty", env=index)
    for path, text in files.items():
        blob = git("hash-object", "-w", "--stdin", input=text.encode()).strip()
        git("update-index", "--add", "--cacheinfo", f"100644,{blob},{folder}{path}", env=index)
    made = git("commit-tree", "-m", "checkpoint", git("write-tree", env=index).strip()).strip()
    git("update-ref", name, made)


def test_refs_and_notes_that_cannot_be_imported_are_refused(begun: Git) -> None:
    done = command.traj(begun.root, "import", "refs/notes/none")
    assert (done.returncode, "no such ref" in done.stderr) == (1, True)
    done = command.traj(begun.root, "import", "refs/notes/agentnote", "--commit", "HEAD")
    assert done.returncode == 2
    begun("notes", "--ref=commits", "add", "-m", "words", "HEAD")
    done = command.traj(begun.root, "import", "refs/notes/commits")
    assert done.returncode == 1
    assert "refs/notes/commits: not imported: not the log of a known agent" in done.stderr
    assert not list((begun.root / ".git" / "traj").glob("import.*"))


NPM = os.environ.get("GIT_TRAJ_E2E_AGENTNOTE")


@pytest.mark.e2e
def test_notes_of_a_real_agentnote(begun: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    if not NPM:
        pytest.skip("GIT_TRAJ_E2E_AGENTNOTE: no folder into which npm installed @wasabeef/agentnote@1.0.8")
    monkeypatch.setenv("AGENT_NOTE", NPM)
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name, raising=False)
    from benchmarks.agent_note import AgentNote, Hooked

    AgentNote().install(begun.root)
    session = Hooked(begun.root, name="one")
    session.run(
        [turn(Write("a.py", "a\n")), turn(Shell("git add -A && git commit -m One")), turn(say="Done")],
        prompt="Write a",
    )
    session.run([turn(Write("b.py", "b\n")), turn(say="Ready")], prompt="Now b")
    session.run([turn(Shell("git add -A && git commit -m Two")), turn(say="Done")], prompt="Commit it")
    (begun.root / "c").write_text("by hand\n")
    begun("add", "-A")
    subprocess.run(["git", "commit", "--quiet", "-m", "Three"], cwd=begun.root, check=True)
    noted_on = {line.split()[1] for line in begun("notes", "--ref=agentnote", "list").splitlines()}
    (row,) = take(begun, "refs/notes/agentnote")
    assert (row["agent"], row["session"], row["damage"]) == ("claude-code", session.session, 0)
    assert {each["commit"] for each in row["commits"]} == noted_on
    assert {"One", "Two"} <= recorded(begun).keys()
    found = contents(shown(begun, row["trajectory"]))
    assert [content for kind, content in found if kind == "prompt"][:3] == ["Write a", "Now b", "Commit it"]
