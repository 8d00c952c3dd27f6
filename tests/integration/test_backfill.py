"""Sessions from before git-traj: what they committed, in whatever way, and what was not theirs."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gittraj.errors import RedactionError
from gittraj.redact import Redactor
from tests.e2e.scenario import Edit, Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.command import traj as call
from tests.integration.past import age, backfill, begin, commit_turns, evidence, recorded, refs, text
from tests.integration.records import check, traj
from tests.integration.repository import Git
from tests.integration.session_writer import Writer

pytestmark = pytest.mark.usefixtures("real_clocks")


@pytest.fixture
def begun(git: Git) -> Git:
    return begin(git)


HEREDOC = "git add -A && git commit -q -F - <<'END'\nHeredoc\n\nWith a body.\nEND"
SUBSTITUTED = 'git add -A && git commit -qm "$(cat <<\'END\'\nSubstituted "quotes"\n\nA body.\nEND\n)"'
AMENDED = "git add -A && git commit -m Draft && git commit --amend -m Amended"
QUIETLY_AMENDED = "git add -A && git commit -qm 'A draft' && git commit -q --amend -m 'Quietly amended'"


def test_every_way_in_which_an_agent_commits(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    commands = [
        "git add -A && git commit -m Printed",
        "git add -A && git commit -qm Quiet",
        HEREDOC,
        SUBSTITUTED,
        AMENDED,
        QUIETLY_AMENDED,
    ]
    turns = [
        turn(Write(f"f{n}", text(f"f{n}")), Shell(c), think="How?", say="So.") for n, c in enumerate(commands)
    ]
    session.run([*turns, turn(say="Done")], prompt="Commit in every way")
    age(session)
    said = backfill(begun)
    found = recorded(begun)
    expected = {"Printed", "Quiet", "Heredoc", 'Substituted "quotes"', "Amended", "Quietly amended"}
    assert found == {subject: {session.session} for subject in expected}
    kinds = evidence(begun, said["linked"])
    assert {subject for subject, how in kinds.items() if how == "output"} == {"Printed", "Draft", "Amended"}
    assert {*kinds} == {*expected, "Draft", "A draft"}
    check(begun, session)


def test_a_quiet_commit_found_afterwards_has_its_own_kind_of_evidence(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    quiet = turn(Write("a", text("a")), Shell("git add -A && git commit -qm Quiet"))
    session.run([quiet, turn(say="Done")], prompt="Write a")
    age(session)
    assert evidence(begun, backfill(begun)["linked"]) == {"Quiet": "order"}


@pytest.mark.parametrize("names", [("a", "a and b"), ("a and b", "a"), ("a", "a 'b'", "a")])
def test_quiet_commits_whose_messages_contain_each_other_have_their_own_calls(
    begun: Git, writer: Writer, names: tuple[str, ...]
) -> None:
    session = writer(begun.root)
    commands = [f'git add -A && git commit -qm "Add {name}"' for name in names]
    turns = [turn(Write(f"f{n}", text(f"f{n}")), Shell(command)) for n, command in enumerate(commands)]
    session.run([*turns, turn(say="Done")], prompt="Add them")
    age(session)
    backfill(begun)
    for n, command in enumerate(reversed(commands)):
        events = traj(begun, "show", f"HEAD~{n}", "--json", "--events")
        assert json.dumps(command) in events
        assert not [c for c in commands if c != command and json.dumps(c) in events]


def test_a_part_that_cannot_be_redacted_is_named_with_its_log(
    begun: Git, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(redactor: Redactor, text: str, **options: Any) -> str:
        raise RedactionError("a text could not be scanned")

    session = writer(begun.root)
    session.run(commit_turns("a"), prompt="Write a")
    age(session)
    monkeypatch.setattr(Redactor, "text", refuse)
    said = backfill(begun)
    assert {*said["parked"]} == {f"{session.log}: a text could not be scanned"}
    assert not begun.succeeds("rev-parse", "--verify", "-q", "refs/notes/traj")
    run = partial(call, begun.root)
    link = ("link", "HEAD", "--session", str(session.log))
    assert "is not stored, because redaction failed: git traj doctor" in run("show", "HEAD").stderr
    assert "not linked: a text could not be scanned" in run(*link).stderr
    monkeypatch.undo()
    assert run(*link).returncode == 0
    assert "Write a" in traj(begun, "show", "HEAD")
    assert "redaction failed" not in run("doctor").stdout


def test_a_dry_run_says_what_the_real_run_does(begun: Git, writer: Writer) -> None:
    one, other = writer(begun.root), writer(begun.root, name="other")
    for session, names in ((one, "ab"), (other, "c")):
        session.run(commit_turns(*names), prompt=f"Write {names}")
    age(one, other)
    planned = backfill(begun, "--dry-run")
    assert len(planned["linked"]) == 3
    assert planned["linked"] == backfill(begun)["linked"]


def test_a_second_backfill_finds_nothing_to_do(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run(commit_turns("a", "b"), prompt="Write both")
    assert backfill(begun)["parts"] > 0
    age(session)
    backfill(begun)  # stores the session's last message, now that the session is over
    before = refs(begun)
    assert backfill(begun)["parts"] == 0
    (begun.root / ".git" / "traj" / "cursors.json").unlink()
    assert backfill(begun)["parts"] == 0
    assert refs(begun) == before
    check(begun, session)


def test_a_person_commits_what_an_agent_left(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run([turn(Write("a", text("a")), Write("b", text("b"))), turn(say="Yours")], prompt="Write")
    for name in "ab":
        begun("add", name)
        begun("commit", "-qm", f"Mine {name}")
    begun.commit({"c": "mine alone\n"}, "Nobody's")
    age(session)
    assert evidence(begun, backfill(begun)["linked"]) == {"Mine a": "content", "Mine b": "content"}
    check(begun, session)


def test_two_agents_by_turns(begun: Git) -> None:
    one, other = ClaudeSession(begun.root), CodexSession(begun.root)
    one.prompt("Write a and c")
    one.respond(turn(Write("a", text("a")), Shell("git add a && git commit -m 'Add a'")))
    other.run(commit_turns("b"), prompt="Write b")
    one.respond(turn(Write("c", text("c")), Shell("git add c && git commit -qm 'Add c'")))
    one.respond(turn(say="Done"), last=True)
    one.finish()
    age(one, other)
    backfill(begun)
    assert recorded(begun) == {"Add a": {one.session}, "Add b": {other.session}, "Add c": {one.session}}
    check(begun, one, other)


def test_a_session_in_a_subfolder(begun: Git, writer: Writer) -> None:
    (begun.root / "inner" / "deep").mkdir(parents=True)
    session = writer(begun.root / "inner" / "deep")
    session.run(commit_turns("a"), prompt="Write a")
    age(session)
    backfill(begun)
    assert recorded(begun) == {"Add a": {session.session}}
    (header,) = json.loads(traj(begun, "log", "--json"))["commits"][0]["trajectories"]
    assert [f["path"] for f in header["filesChanged"]] == ["inner/deep/a"]
    check(begun, session)


@pytest.mark.parametrize("removed", [False, True])
def test_a_session_in_a_linked_worktree(begun: Git, writer: Writer, tmp_path: Path, *, removed: bool) -> None:
    tree = tmp_path / "tree"
    begun("worktree", "add", "-q", "-b", "topic", str(tree))
    session = writer(tree)
    session.run(commit_turns("a", "b"), prompt="Write both")
    if removed:
        begun("worktree", "remove", str(tree))
    age(session)
    backfill(begun)
    assert recorded(begun, "topic") == {"Add a": {session.session}, "Add b": {session.session}}
    assert str(tree) not in traj(begun, "show", "topic", "--json")
    check(begun, session)


def test_a_recorded_session_of_a_removed_worktree_is_not_refused(begun: Git, tmp_path: Path) -> None:
    """The session's log proves no commit now: it has a quiet commit of a small file."""
    tree = tmp_path / "tree"
    begun("worktree", "add", "-q", "-b", "topic", str(tree))
    session = ClaudeSession(tree)
    session.run(
        [turn(Write("a", "a\n"), Shell("git add a && git commit -qm a")), turn(say="Done")], prompt="a"
    )
    age(session)
    backfill(begun)
    begun("worktree", "remove", str(tree))
    assert backfill(begun)["unlinked"] == []
    assert recorded(begun, "topic") == {"a": {session.session}}


@pytest.mark.parametrize("quiet", ["-q", ""])
def test_a_folder_that_was_moved(begun: Git, writer: Writer, tmp_path: Path, quiet: str) -> None:
    """Quiet commits print no id: then the files that the agent wrote identify the repository."""
    session = writer(begun.root)
    session.run(
        [
            turn(Write("src/a", text("a")), Shell(f"git add -A && git commit {quiet} -m 'Add a'")),
            turn(say="Done"),
        ],
        prompt="Write a",
    )
    age(session)
    moved = Git(tmp_path / "somewhere" / "else")
    moved.root.parent.mkdir()
    shutil.move(begun.root, moved.root)
    backfill(moved)
    assert recorded(moved) == {"Add a": {session.session}}
    (header,) = json.loads(traj(moved, "log", "--json"))["commits"][0]["trajectories"]
    assert [f["path"] for f in header["filesChanged"]] == ["src/a"]
    check(moved, session)
    assert str(begun.root) not in traj(moved, "show", "--json"), "the former path of the repository is stored"


def test_a_fresh_clone(begun: Git, writer: Writer, tmp_path: Path) -> None:
    session = writer(begun.root)
    session.run(commit_turns("a", "b"), prompt="Write both")
    age(session)
    begun("clone", "-q", "--no-local", str(begun.root), str(tmp_path / "clone"))
    shutil.rmtree(begun.root)
    clone = Git(tmp_path / "clone")
    clone("config", "traj.thinking", "clear")
    backfill(clone)
    assert recorded(clone) == {"Add a": {session.session}, "Add b": {session.session}}
    check(clone, session)


def test_without_reflogs(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run(
        [
            turn(Write("a", text("a")), Shell("git add -A && git commit -qm 'Add a'")),
            turn(Edit("a", "a, line 1", "a, line one"), Shell("git commit -qam 'Edit a'")),
            turn(say="Done"),
        ],
        prompt="Write and edit",
    )
    age(session)
    begun("reflog", "expire", "--expire=now", "--all")
    backfill(begun)
    assert recorded(begun) == {"Add a": {session.session}, "Edit a": {session.session}}
    check(begun, session)


@pytest.mark.parametrize("gone", [False, True])
def test_another_repository_with_the_same_names_and_messages(
    begun: Git, writer: Writer, tmp_path: Path, *, gone: bool
) -> None:
    """Nothing is linked. If the other folder is gone, the report says so: it might have been this one."""
    other = Git.init(tmp_path / "other")
    stranger = writer(other.root, name="stranger")
    stranger.run(
        [
            turn(Write("a", "what another one holds, in a file of the same name\n" * 3)),
            turn(Shell("git add -A && git commit -qm 'Add a'")),
            turn(say="Done"),
        ],
        prompt="Elsewhere",
    )
    begun.commit({"a": text("a")}, "Add a")
    age(stranger)
    if gone:
        shutil.rmtree(other.root)
    said = backfill(begun)
    assert (said["linked"], said["parts"], refs(begun)) == ([], 0, "")
    assert [row["session"] for row in said["unlinked"]] == [stranger.session] * gone
    assert all(str(other.root) in row["why"] for row in said["unlinked"])


def test_a_fork_begins_with_a_copy(begun: Git) -> None:
    parent = ClaudeSession(begun.root)
    parent.run(commit_turns("a"), prompt="Write a")
    fork = ClaudeSession(begun.root, name="fork")
    fork.log.write_text(parent.log.read_text().replace(parent.session, fork.session))
    fork.run(commit_turns("b"), prompt="Write b")
    age(parent, fork)
    backfill(begun)
    assert recorded(begun) == {"Add a": {parent.session}, "Add b": {fork.session}}
    (header,) = json.loads(traj(begun, "log", "-n", "1", "--json"))["commits"][0]["trajectories"]
    assert header["prompt"] == "Write b"
    assert header["parent"]["id"] in {row["trajectory"] for row in backfill(begun)["linked"]}
    check(begun, parent, fork)


def test_edits_of_a_subagent_of_claude_code(begun: Git) -> None:
    session = ClaudeSession(begun.root)
    session.prompt("Delegate")
    session.respond(turn(Shell("echo agentId: a1b2c3d4")))
    folder = session.log.parent / session.session / "subagents"
    folder.mkdir(parents=True)
    helper = ClaudeSession(begun.root, name="helper")
    helper.session, helper.log = session.session, folder / "agent-a1b2c3d4.jsonl"
    helper.run([turn(Write("helped", text("helped"))), turn(say="Wrote it")], prompt="Help")
    session.respond(turn(Shell("git add -A && git commit -m Both")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    age(session, helper)
    backfill(begun)
    headers = json.loads(traj(begun, "log", "--json"))["commits"][0]["trajectories"]
    (child,) = (h for h in headers if h["parent"])
    (parent,) = (h for h in headers if not h["parent"])
    assert child["parent"]["id"] == parent["id"]
    assert [f["path"] for f in child["filesChanged"]] == ["helped"]


def test_edits_of_a_thread_that_codex_started(begun: Git) -> None:
    parent, child = CodexSession(begun.root), CodexSession(begun.root, name="child")
    parent.prompt("Delegate")
    parent.respond(turn(Shell(f"echo started {child.session}")))
    child.run([turn(Write("helped", text("helped"))), turn(say="Wrote it")], prompt="Help")
    first, rest = child.log.read_text().split("\n", 1)
    meta = json.loads(first)
    spawn = {"parent_thread_id": parent.session, "depth": 1}
    meta["payload"] |= {"parent_thread_id": parent.session, "thread_source": "subagent"}
    meta["payload"]["source"] = {"subagent": {"thread_spawn": spawn}}
    child.log.write_text(f"{json.dumps(meta)}\n{rest}")
    parent.respond(turn(Shell("git add -A && git commit -m Both")))
    parent.respond(turn(say="Done"), last=True)
    parent.finish()
    age(parent, child)
    backfill(begun)
    assert recorded(begun) == {"Both": {parent.session, child.session}}


def test_excluded_sessions_stay_out(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run(commit_turns("a", "b"), prompt="Write both")
    age(session)
    begun("config", "traj.exclude", session.agent)
    assert backfill(begun)["sessions"] == 0
    begun("config", "traj.exclude", "a")
    backfill(begun)
    assert recorded(begun)["Add b"] == {session.session}
    with begun.open() as repository:
        stored = b"".join(repository.objects.read_blob(oid) for oid in segments(begun))
    assert text("b").splitlines()[0].encode() in stored
    assert text("a").splitlines()[0].encode() not in stored


def segments(git: Git) -> list[str]:
    refs_ = git("for-each-ref", "--format=%(refname)", "refs/notes/traj-data*").split()
    return [line.split()[2] for ref in refs_ for line in git("ls-tree", "-r", ref).splitlines()]
