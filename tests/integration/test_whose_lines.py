"""Who is credited with a commit that no call made: it is linked by content, unless times refute that."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.records import hold_workers, install, traj
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter
from tests.sizes import in_turn, some

pytestmark = pytest.mark.usefixtures("real_clocks")

LINES = "".join(f"value_{n} = {n}\n" for n in range(6))
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


@pytest.fixture
def begun(git: Git) -> Git:
    git.commit({"README": "here\n"})
    hold_workers(install(git))
    return git


def headers(git: Git) -> dict[str, list[dict[str, Any]]]:
    """Return the trajectories' headers on each commit, by its subject."""
    said = command.traj(git.root, "log", "--json")  # stderr says so if nothing is recorded
    commits = json.loads(said.stdout)["commits"] if said.stdout else []
    return {c["subject"]: c["trajectories"] for c in commits}


def by_a_person(git: Git, subject: str, *options: str) -> None:
    git("add", "-A")
    git(*options, "commit", "-qm", subject)


@in_turn(
    *("options", "dates"),
    {"hooks": (), "no hooks": NO_HOOKS},
    {"right dates": "right", "chosen dates": "chosen"},
)
def test_an_edit_after_a_commit_does_not_link_it(
    begun: Git, options: tuple[str, ...], dates: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun.write({"a.py": LINES})
    if dates == "chosen":
        monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    by_a_person(begun, "Mine", *options)
    time.sleep(2.1)  # git's times are whole seconds
    ClaudeSession(begun.root).run([turn(Write("a.py", LINES)), turn(say="Written")], prompt="Write it again")
    assert headers(begun) == {}
    assert json.loads(traj(begun, "backfill", "--json"))["linked"] == []


@pytest.mark.parametrize(
    "undo",
    some(["git add -A && git stash", "git restore .", "git checkout -- a.py", "git reset -q --hard"], 2),
)
def test_reverted_lines_link_no_commit(begun: Git, undo: str) -> None:
    begun.commit({"a.py": "value = 0\n"}, "Begun")
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a.py", LINES)), turn(Shell(undo)), turn(say="Undone")], prompt="Try it")
    begun.write({"a.py": LINES})
    by_a_person(begun, "Mine")
    assert headers(begun) == {}


def test_lines_that_are_stashed_and_brought_back_are_the_agent_s(begun: Git) -> None:
    session = ClaudeSession(begun.root)
    stash_and_pop = Shell("git add -A && git stash && git stash pop")
    session.run([turn(Write("a.py", LINES)), turn(stash_and_pop), turn(say="Done")], prompt="Write")
    by_a_person(begun, "Theirs")
    assert set(headers(begun)) == {"Theirs"}


def test_lines_gone_when_the_agent_edits_again_count_as_reverted(begun: Git) -> None:
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a.py", LINES)), turn(say="Written")], prompt="Write")
    begun.write({"a.py": "nothing = 0\n"})
    session.run([turn(Write("a.py", "other = 1\nnothing = 0\n")), turn(say="Changed")], prompt="Change it")
    begun.write({"a.py": LINES})
    by_a_person(begun, "Mine")
    assert headers(begun) == {}


def test_only_new_lines_of_a_rewritten_file_are_the_agent_s(begun: Git) -> None:
    mine = "".join(f"line {n} of mine\n" for n in range(100))
    begun.write({"a.txt": mine})
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a.txt", f"{mine}one of the agent's\n")), turn(say="Added")], prompt="Add a line")
    by_a_person(begun, "Both")
    (header,) = headers(begun)["Both"]
    assert [(f["path"], f["lines"]) for f in header["filesChanged"]] == [("a.txt", 1)]


@pytest.mark.parametrize("writer", [ClaudeSession, CodexSession])
def test_a_hundred_unchanged_lines_do_not_link_a_commit(begun: Git, writer: type[SessionWriter]) -> None:
    """Codex deletes the file and adds it in one patch; its log also has the difference."""
    mine = "".join(f"line {n} of mine\n" for n in range(100))
    begun.write({"a.txt": mine})
    session = writer(begun.root)
    session.run([turn(Write("a.txt", f"{mine}one of the agent's\n")), turn(say="Added")], prompt="Add a line")
    begun.write({"a.txt": f"{mine}and one more\n"})
    by_a_person(begun, "Mine")
    assert headers(begun) == {}


COMMON_HEAD = "# Copyright of the Example Company, all rights reserved\nimport os\nimport sys\n"


def test_common_lines_alone_link_no_commit(begun: Git) -> None:
    begun.commit({f"old_{n}.py": f"{COMMON_HEAD}old = {n}\n" for n in range(5)}, "Begun")
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a.py", f"{COMMON_HEAD}theirs = 1\n")), turn(say="Written")], prompt="Write")
    begun.write({"a.py": f"{COMMON_HEAD}mine = 1\nmine_too = 2\n"})
    by_a_person(begun, "Mine")
    assert headers(begun) == {}


def test_a_reformatted_file_is_still_credited_to_the_session(begun: Git) -> None:
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a.py", LINES)), turn(say="Written")], prompt="Write")
    begun.write({"a.py": "\t" + LINES.replace(" = ", "=").replace("\n", "\n\t")})
    by_a_person(begun, "Formatted")
    assert set(headers(begun)) == {"Formatted"}


@pytest.mark.parametrize("committed", [True, False])
def test_a_renamed_file_is_still_credited_to_the_session(begun: Git, *, committed: bool) -> None:
    if committed:
        begun.commit({"a.py": LINES.replace("value", "former")}, "Begun")
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a.py", f"{LINES}more = 7\n")), turn(say="Written")], prompt="Write")
    (begun.root / "a.py").rename(begun.root / "b.py")
    by_a_person(begun, "Renamed")
    assert set(headers(begun)) - {"Begun"} == {"Renamed"}


def test_a_renamed_file_is_credited_to_a_session_that_committed_meanwhile(begun: Git) -> None:
    """The session's events then belong to that commit, and its log is read from there on."""
    session = ClaudeSession(begun.root)
    other = Shell("echo other > other && git add other && git commit -qm Other other")
    session.run([turn(Write("a.py", LINES)), turn(other), turn(say="Written")], prompt="Write")
    assert set(headers(begun)) == {"Other"}
    (begun.root / "a.py").rename(begun.root / "b.py")
    by_a_person(begun, "Renamed")
    assert set(headers(begun)) == {"Other", "Renamed"}


def test_edits_in_another_worktree_are_found_there(begun: Git, tmp_path: Path) -> None:
    begun("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Git(tmp_path / "linked")
    session = ClaudeSession(begun.root)
    session.run([turn(Write(str(linked.root / "a.py"), LINES)), turn(say="Written")], prompt="Write there")
    by_a_person(linked, "There")
    assert set(headers(linked)) == {"There"}


def test_simultaneous_commits_with_one_subject_are_credited_to_their_agents(begun: Git) -> None:
    """No hook runs: each commit is credited to the agent that wrote its file."""
    one, other = (ClaudeSession(begun.root, name=name) for name in ("one", "other"))
    for session in (one, other):
        session.prompt("Go")
    one.respond(turn(Write("a.py", LINES)))
    other.respond(turn(Write("b.py", LINES.replace("value", "other"))))
    for session, name in ((other, "b.py"), (one, "a.py")):
        quiet = " ".join(("git", *NO_HOOKS, "commit", "-qm", "wip"))
        session.respond(turn(Shell(f"git add {name} && {quiet}")))
    for session in (one, other):
        session.respond(turn(say="Done"), last=True)
        session.finish()
    commits = json.loads(traj(begun, "log", "--json"))["commits"]
    sessions = {c["commit"]: [t["session"] for t in c["trajectories"]] for c in commits}
    assert sessions == {begun.head(): [one.session], begun("rev-parse", "HEAD~"): [other.session]}


def test_a_commit_of_elsewhere_whose_id_was_printed_is_not_the_agent_s(begun: Git, tmp_path: Path) -> None:
    """Continuous integration, or a colleague, made the commit; the agent only printed its id."""
    other = Git(tmp_path / "other")
    subprocess.run(["git", "clone", "-q", str(begun.root), str(other.root)], check=True)
    session = ClaudeSession(begun.root)
    session.prompt("Wait for the release")
    time.sleep(1.1)  # git's times are whole seconds
    made = other.commit({"version": "2\n"}, "Release")
    begun("pull", "-q", str(other.root))
    (begun.root / "ci").write_text(f"#!/bin/sh\necho '[main {made[:7]}] Release'\n")
    (begun.root / "ci").chmod(0o755)
    session.respond(turn(Shell("./ci log")))
    session.respond(turn(say="It is out"), last=True)
    session.finish()
    assert json.loads(traj(begun, "backfill", "--json"))["linked"] == []
    assert headers(begun) == {}


def test_a_colleague_s_earlier_commit_is_not_linked_in_a_fresh_clone(begun: Git, tmp_path: Path) -> None:
    """No reflog in this clone shows that the commit was not made by the call that printed its id."""
    begun.commit({"version": "2\n"}, "Release")
    time.sleep(3.1)
    session = ClaudeSession(begun.root)
    (begun.root / "ci").write_text(f"#!/bin/sh\necho '[main {begun.head()[:7]}] Release'\n")
    (begun.root / "ci").chmod(0o755)
    session.run([turn(Shell("./ci log")), turn(say="It is out")], prompt="Wait for the release")
    other = Git(tmp_path / "other")
    subprocess.run(["git", "clone", "-q", str(begun.root), str(other.root)], check=True)
    shutil.rmtree(begun.root)
    assert json.loads(traj(other, "backfill", "--json"))["linked"] == []
