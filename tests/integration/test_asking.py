"""The question for a retrospective: when an agent's hook asks it, and when it prints nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gittraj.asking.__main__ import WORDS
from gittraj.commands.install.install import install
from gittraj.commands.install.instructions import TEXT
from gittraj.decisions.blocks import parse_blocks
from gittraj.formats.gemini.prompts import typed
from gittraj.model.session_items import ASKING
from tests.e2e.scenario import Shell, Turn, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.records import hold_workers, traj
from tests.integration.repository import Git
from tests.integration.waiting import LONG, wait_until

COMMIT = turn(Shell("git add a.txt && git commit -q -m made"))
BLOCK = '[[RETROSPECTIVE]] {"summary": "A file was made"} [[/RETROSPECTIVE]]'
WORK = [turn(Write("a.txt", "one\n")), COMMIT, turn(say="Done")]
Change = Callable[[Git, ClaudeSession], Any]


@pytest.fixture
def asking(git: Git) -> Git:
    git.commit({"README": "here\n"})
    with git.open() as repository:
        install(repository, agents=["claude-code"])
        git("config", "traj.retrospective", "ask")
        hold_workers(repository.common_dir / "traj")
    return git


def play(git: Git, script: list[Turn], *, name: str = "session", **env: str) -> ClaudeSession:
    session = ClaudeSession(git.root, name=name)
    session.run(script, prompt="Make a file", env=env)
    return session


def end_turn(git: Git, session: ClaudeSession, *, folder: Path | None = None, **given: Any) -> str:
    """End a turn as Claude Code does; return what its hook prints."""
    env = given.pop("env", {})
    payload = {
        "session_id": session.session,
        "transcript_path": str(session.log),
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "last_assistant_message": "Done",
        **given,
    }
    settings = json.loads((git.root / ".claude/settings.local.json").read_text())
    (group,) = settings["hooks"]["Stop"]
    done = subprocess.run(
        ["/bin/sh", "-c", group["hooks"][0]["command"]],
        input=json.dumps(payload, separators=(",", ":")).encode(),
        cwd=folder or git.root,
        env={**os.environ, **env},
        capture_output=True,
        timeout=LONG,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def test_the_question_is_asked_once_in_the_agents_protocol(asking: Git) -> None:
    session = play(asking, WORK)
    answer = json.loads(end_turn(asking, session))
    assert answer == {"decision": "block", "reason": ASKING + WORDS}
    assert end_turn(asking, session) == ""
    other = play(
        asking, [turn(Write("b.txt", "b\n")), turn(Shell("git add . && git commit -qm b"))], name="b"
    )
    assert end_turn(asking, other) != "", "another session is asked for its own"


def test_a_block_at_the_end_of_a_long_message_counts(asking: Git) -> None:
    """Python reads the whole payload, the shell only its beginning."""
    session = play(asking, WORK)
    long = "said at length " * 100_000
    assert end_turn(asking, session, last_assistant_message=long + BLOCK) == ""
    assert end_turn(asking, session, last_assistant_message=long) != ""


def _say(script: list[Turn]) -> Change:
    def change(git: Git, session: ClaudeSession) -> None:
        session.run(script, prompt="And now?")

    return change


def _write(path: str, text: str) -> Change:
    def change(git: Git, session: ClaudeSession) -> None:
        (git.root / ".git" / path).write_text(text)

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda git, _: git("config", "--unset", "traj.retrospective"),
        lambda git, _: git("config", "traj.retrospective", "off"),
        lambda git, _: git("config", "traj.exclude", "claude-code"),
        lambda git, _: git("config", "traj.thinking", "nonsense"),
        lambda git, _: traj(git, "pause"),
        lambda git, session: session.log.unlink(),
        lambda git, _: (git.root / ".git/traj/installed.json").unlink(),
        _write("traj/off.json", "{"),
        _say([turn(say=f"Looking back: {BLOCK}")]),
        _say([turn(Shell(f"{sys.executable} -m gittraj complete --summary made")), turn(say="So")]),
        _say([turn(Shell(f"{sys.executable} -m gittraj abandon --reason wrong")), turn(say="So")]),
    ],
    ids=[
        *("unset", "off", "excluded", "unclear", "paused", "no log", "not installed", "damaged"),
        *("block", "command", "abandoned"),
    ],
)
def test_no_question_after_this_change(asking: Git, change: Change) -> None:
    session = play(asking, WORK)
    env = {"CLAUDE_CODE_SESSION_ID": session.session}
    os.environ.update(env)
    change(asking, session)
    assert end_turn(asking, session) == ""


def test_no_question_after_these_turns(asking: Git) -> None:
    session = play(asking, WORK)
    turns: list[dict[str, Any]] = [
        {"stop_hook_active": True},
        {"agent_id": "a1"},
        {"env": {"GIT_TRAJ": "0"}},
        {"transcript_path": None},
        {"session_id": "../../x"},
        {"last_assistant_message": f"It is done. {BLOCK}"},
        {"hook_event_name": "SessionEnd"},
    ]
    assert [given for given in turns if end_turn(asking, session, **given)] == []
    assert end_turn(asking, session) != ""


def test_no_question_to_a_session_without_a_commit(asking: Git) -> None:
    session = play(asking, WORK[:1])
    asking("add", ".")
    asking("commit", "-qm", "by hand")
    assert end_turn(asking, session) == ""


def test_no_question_about_commits_made_while_off(asking: Git) -> None:
    hidden = turn(Shell("git add a.txt && GIT_TRAJ=0 git commit -m made"))
    session = play(asking, [WORK[0], hidden, turn(say="Done")])
    assert end_turn(asking, session) == ""


def test_a_commit_without_hooks_of_git_leads_to_the_question(asking: Git) -> None:
    """Gemini CLI switches git's hooks off; git's output shows the commit."""
    quiet = turn(Shell("git add a.txt && git -c core.hooksPath= commit -m made"))
    session = play(asking, [WORK[0], quiet, turn(say="Done")])
    assert (asking.root / ".git/traj/spool").read_text() == ""
    assert end_turn(asking, session) != ""


def test_our_own_example_does_not_count_as_a_retrospective(asking: Git) -> None:
    session = play(asking, [*WORK, turn(say=TEXT)])
    assert end_turn(asking, session) != ""


def test_a_printed_block_does_not_count_as_a_retrospective(asking: Git) -> None:
    session = play(asking, [*WORK[:2], turn(Shell(f"echo '{BLOCK}'; echo git traj complete")), WORK[2]])
    assert end_turn(asking, session) != ""


def test_the_hook_does_not_wait_for_a_log(asking: Git, tmp_path: Path) -> None:
    """Reading a pipe that nobody writes to would never end."""
    session = play(asking, WORK)
    os.mkfifo(tmp_path / "log")
    assert end_turn(asking, session, transcript_path=str(tmp_path / "log")) == ""
    assert end_turn(asking, session) != ""


def test_the_question_is_asked_in_a_linked_work_tree(asking: Git, tmp_path: Path) -> None:
    asking("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Git(tmp_path / "linked")
    session = play(linked, WORK)
    assert end_turn(asking, session, folder=linked.root) != ""


def test_the_question_is_not_a_prompt() -> None:
    assert typed({"content": [{"text": ASKING + WORDS}]}) is None
    assert parse_blocks(ASKING + WORDS, name="x").events == ()


def test_nothing_is_started_while_the_question_is_off(asking: Git) -> None:
    """The shell reads git's configuration and starts nothing else."""
    asking("config", "traj.retrospective", "off")
    script = asking.root / ".git/traj/agent-hook"
    text = script.read_text()
    python = next(line for line in text.splitlines() if line.startswith("\tpy="))
    trap = asking.root / ".git/trap"
    trap.write_text(f"#!/bin/sh\necho \"$@\" >>'{asking.root}/.git/started'\n")
    trap.chmod(0o755)
    script.write_text(text.replace(python, f"\tpy='{trap}'"))
    lock = asking.root / ".git/traj/drain.lock"
    lock.unlink()
    session = play(asking, WORK[:1])
    end_turn(asking, session)
    asking("config", "traj.retrospective", "ask")
    lock.unlink(missing_ok=True)
    end_turn(asking, session)
    log = asking.root / ".git/started"
    wait_until(lambda: log.exists() and log.read_text().count("\n") >= 3, "what was started")
    started = log.read_text().splitlines()
    assert [line.split("gittraj.")[1].split()[0] for line in sorted(started)] == [
        "asking",
        "worker",
        "worker",
    ]
