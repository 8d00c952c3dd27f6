"""A backfill next to live capture adds the work from before the installation, and nothing twice."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.past import DAY, age, backfill, begin, recorded, refs, text
from tests.integration.records import check, hold_workers, install, read_records, traj
from tests.integration.repository import Git
from tests.integration.session_writer import Writer

pytestmark = pytest.mark.usefixtures("real_clocks")
TRAJ = f"{sys.executable} -m gittraj"


@pytest.fixture
def begun(git: Git) -> Git:
    return begin(git)


def commit_steps(name: str, *, quiet: bool = False) -> list[Write | Shell]:
    return [Write(name, text(name)), Shell(f"git add -A && git commit {'-q' * quiet} -m 'Add {name}'")]


@pytest.mark.parametrize("again", [False, True], ids=["with cursors", "without cursors"])
def test_installed_in_the_middle_of_a_session(begun: Git, writer: Writer, *, again: bool) -> None:
    """What a drain skipped as older than the installation is stored by a backfill, and nothing else."""
    session = writer(begun.root)
    session.prompt("Write all of them")
    session.respond(turn(*commit_steps("a"), think="How?"))
    session.respond(turn(*commit_steps("b", quiet=True)))
    state = hold_workers(install(begun))
    session.respond(turn(*commit_steps("c"), say="Now c"))
    assert set(recorded(begun)) == {"Add c"}
    if again:
        (state / "cursors.json").unlink()
    backfill(begun)
    assert set(recorded(begun)) == {"Add a", "Add b", "Add c"}
    session.respond(turn(*commit_steps("d")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    age(session)
    assert set(recorded(begun)) == {"Add a", "Add b", "Add c", "Add d"}
    traj(begun, "log")
    before = refs(begun)
    assert backfill(begun)["parts"] == 0
    assert refs(begun) == before
    check(begun, session)


def test_live_capture_goes_on_after_a_backfill_without_installation(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run([turn(*commit_steps("a")), turn(say="Done")], prompt="Write a")
    backfill(begun)
    hold_workers(install(begun))
    session.run([turn(*commit_steps("b")), turn(say="Done again")], prompt="Write b")
    age(session)
    assert set(recorded(begun)) == {"Add a", "Add b"}
    backfill(begun)
    check(begun, session)


def test_a_person_commits_after_a_backfill_what_the_agent_left_before(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run(
        [turn(*commit_steps("a")), turn(Write("left", text("left"))), turn(say="Done")], prompt="Write"
    )
    hold_workers(install(begun))
    backfill(begun)
    begun("add", "-A")
    begun("commit", "-qm", "Mine")
    age(session)
    assert set(recorded(begun)) == {"Add a", "Mine"}
    backfill(begun)
    check(begun, session)


def test_a_backfill_killed_before_it_wrote_the_cursors(begun: Git, writer: Writer) -> None:
    """Refs are written first: a run killed after that leaves records that the cursors do not cover."""
    state = hold_workers(install(begun))
    session = writer(begun.root)
    kept = (state / "cursors.json").read_bytes() if (state / "cursors.json").exists() else None
    begun("config", "core.hooksPath", os.devnull)
    session.run(
        [turn(*commit_steps("a")), turn(*commit_steps("b", quiet=True)), turn(say="Done")],
        prompt="Write both",
    )
    begun("config", "--unset", "core.hooksPath")
    backfill(begun)
    (state / "cursors.json").unlink() if kept is None else (state / "cursors.json").write_bytes(kept)
    session.run([turn(*commit_steps("c")), turn(say="Done again")], prompt="Write c")
    age(session)
    traj(begun, "log")
    backfill(begun)
    assert set(recorded(begun)) == {"Add a", "Add b", "Add c"}
    check(begun, session)


def test_work_done_while_off_stays_unstored(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    state = hold_workers(install(begun))
    session.prompt("Write four")
    session.respond(turn(*commit_steps("a")))
    session.respond(turn(Write("b", text("b")), Shell("git add -A && GIT_TRAJ=0 git commit -m 'Add b'")))
    session.respond(turn(Shell(f"{TRAJ} pause --session")))
    session.respond(turn(*commit_steps("c")))
    session.respond(turn(Shell(f"{TRAJ} resume --session")))
    session.respond(turn(*commit_steps("d")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    age(session)
    for _ in range(2):
        backfill(begun)
        assert set(recorded(begun)) == {"Add a", "Add d"}
        stored = [str(fact) for each in read_records(begun).values() for fact in each.facts]
        assert not any("b, line" in fact or "c, line" in fact for fact in stored)
        (state / "cursors.json").unlink()


def test_a_backfill_limited_by_options(begun: Git) -> None:
    old, new, other = (
        ClaudeSession(begun.root),
        ClaudeSession(begun.root, name="new"),
        CodexSession(begun.root),
    )
    for session, name in ((old, "a"), (new, "b"), (other, "c")):
        session.run([turn(*commit_steps(name)), turn(say="Done")], prompt=f"Write {name}")
    age(old, days=9)
    age(new, other)
    since = time.strftime("%Y-%m-%d", time.localtime(time.time() - 5 * DAY))
    said = backfill(begun, "--since", since, "--agent", "claude-code", "--dry-run")
    assert (refs(begun), said["dryRun"], said["parts"]) == ("", True, 0)
    assert [row["session"] for row in said["linked"]] == [new.session]
    backfill(begun, "--since", since, "--agent", "claude-code")
    assert set(recorded(begun)) == {"Add b"}
    backfill(begun, "--agent", "codex")
    assert set(recorded(begun)) == {"Add b", "Add c"}
    backfill(begun)
    assert set(recorded(begun)) == {"Add a", "Add b", "Add c"}
    check(begun, old, new, other)


def test_the_fields_of_the_json_report(begun: Git, tmp_path: Path) -> None:
    session = ClaudeSession(begun.root)
    session.run(
        [
            turn(*commit_steps("a")),
            turn(Shell("git commit --allow-empty -qm Lost && git reset -q --hard HEAD~1")),
            turn(say="Done"),
        ],
        prompt="Write a",
    )
    begun("reflog", "expire", "--expire=now", "--all")
    begun("gc", "-q", "--prune=now")
    said = backfill(begun)
    empty: list[Any] = []
    assert (said["version"], said["dryRun"], said["sessions"]) == (1, False, 1)
    assert (said["damaged"], said["parked"], said["explored"]) == (empty, empty, empty)
    assert said["bytes"] == session.log.stat().st_size
    (row,) = said["linked"]
    assert row | {"trajectory": ""} == {
        "commit": begun.head(),
        "agent": "claude-code",
        "session": session.session,
        "trajectory": "",
        "evidence": "output",
        "carried": False,
        "reachable": True,
    }
    (lost,) = said["unlinked"]
    assert set(lost) == {"agent", "session", "path", "why"}
    assert lost["why"].endswith("printed no id, and no commit could be matched to it")
    printed = traj(begun, "backfill")
    assert f"{begun.head()[:7]}  claude-code   commit named in its log  Add " in printed
    assert f"not linked:\n  claude-code  {session.session[:13]}: {lost['why']}" in printed
    assert re.search(r"^1 session read \(.*\): 0 commits linked, 1 commit already recorded$", printed, re.M)


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_dry_run_counts_live_captures_records_as_already_recorded(
    begun: Git, writer: Writer, dry: tuple[str, ...]
) -> None:
    hold_workers(install(begun))
    session = writer(begun.root)
    session.run([turn(*commit_steps("a")), turn(say="Done")], prompt="Write a")
    age(session)
    traj(begun, "log")
    printed = traj(begun, "backfill", *dry)
    assert "not linked" not in printed
    verb = "would be linked" if dry else "linked"
    assert f": 0 commits {verb}, 1 commit already recorded" in printed.replace("\n", " ")


def test_a_backfill_works_when_a_recorded_commit_is_gone(begun: Git) -> None:
    """The commit was amended on a branch that was deleted, and pruned: only its record still exists."""
    first, second = ClaudeSession(begun.root), ClaudeSession(begun.root, name="two")
    begun("switch", "-qc", "b")
    first.run([turn(*commit_steps("a")), turn(say="Done")], prompt="Write a")
    backfill(begun)
    gone = begun.head()
    begun("commit", "-q", "--amend", "-m", "Another a")
    begun("switch", "-q", "-")
    begun("branch", "-qD", "b")
    begun("reflog", "expire", "--expire=now", "--all")
    begun("gc", "-q", "--prune=now")
    second.run([turn(*commit_steps("c")), turn(say="Done")], prompt="Write c")
    printed = traj(begun, "backfill")
    assert "Add c" in printed and "2 sessions read (" in printed
    assert "1 commit linked, 1 commit on no branch" in printed.replace("\n", " ")
    rows = {row["commit"]: row["reachable"] for row in backfill(begun)["linked"]}
    assert rows == {gone: False, begun.head(): True}


def run(git: Git, *arguments: str, env: dict[str, str] | None = None) -> command.Said:
    return command.traj(git.root, *arguments, env=env)


HOLDER = """
import fcntl, sys, time
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("had", flush=True)
time.sleep(600)
"""


def test_a_backfill_reports_why_it_cannot_run(begun: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gittraj.state.folder.PATIENCE", 2.5)
    session = ClaudeSession(begun.root)
    session.run([turn(*commit_steps("a")), turn(say="Done")], prompt="Write a")
    state = hold_workers(install(begun))
    off = run(begun, "backfill", env={"GIT_TRAJ": "0"})
    assert (off.returncode, off.stderr) == (1, "error: GIT_TRAJ=0 switches git-traj off\nhint: unset it\n")
    wrong = run(begun, "backfill", "--agent", "nobody")
    assert wrong.returncode == 2
    assert "unknown agent 'nobody'" in wrong.stderr
    traj(begun, "pause")
    paused = run(begun, "backfill")
    assert (paused.returncode, paused.stderr) == (
        1,
        "error: git-traj is paused here\nhint: git traj resume\n",
    )
    session.run([turn(*commit_steps("b")), turn(say="Done")], prompt="Write b")
    other = ClaudeSession(begun.root, name="other")
    other.run([turn(*commit_steps("c")), turn(say="Done")], prompt="Write c")
    traj(begun, "resume")
    dry = run(begun, "backfill", "--dry-run")
    assert "it has no events outside a pause (git traj pause)" in dry.stdout
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(state / "lock")], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        held = run(begun, "backfill")
        holder.kill()
    assert held.returncode == 1
    assert "another git-traj is writing" in held.stderr
    assert refs(begun) == ""
    printed = json.loads(traj(begun, "backfill", "--json"))
    assert len(printed["linked"]) == 1
    refused = {row["session"]: row["why"] for row in printed["unlinked"]}
    assert refused[other.session] == "it has no events outside a pause (git traj pause)"
