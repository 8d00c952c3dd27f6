"""A commit in a shell that an agent opened, of which nothing else is known, gets only a trace."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from github_action.gate import check_coverage
from github_action.reporting import coverage, find_labels, make_report
from gittraj.notes.store import NotesRef
from gittraj.query.change import Change
from gittraj.query.read_change import read_change
from gittraj.query.records import Recorded
from gittraj.state.cursors import load_state
from tests.e2e.scenario import Shell, Write
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.opencode_session import OpenCodeSession
from tests.integration.repository import Git
from tests.unit.github_action.test_reporting import SETTINGS


def commit(desk: Desk, name: str, **env: str) -> str:
    (desk.git.root / name).write_text(f"{name} is new\n")
    desk.git("add", name)
    assert desk.run_git("commit", "-qm", name, env=env) == 0
    return desk.git("rev-parse", "HEAD").strip()


def headers(desk: Desk) -> dict[str, list[dict[str, Any]]]:
    said = traj(desk.git.root, "log", "--json")
    return {c["subject"]: c["trajectories"] for c in json.loads(said.stdout)["commits"]}


def links(desk: Desk) -> dict[str, list[tuple[str, str | None, str]]]:
    return {
        subject: [(t["agent"], t["session"], t["link"]["evidence"]) for t in trajectories]
        for subject, trajectories in headers(desk).items()
    }


@pytest.mark.parametrize(
    ("variable", "value", "agent", "session"),
    [
        ("GOOSE_TERMINAL", "1", "goose", None),
        ("AMP_CURRENT_THREAD_ID", "T-1f", "amp", "T-1f"),
        ("AI_AGENT", "somebody_9.9", "unknown", None),
        ("AGENT_THREAD_ID", "a1", "unknown", None),
        ("CURSOR_AGENT", "1", "cursor", None),
    ],
)
def test_an_agent_whose_log_is_not_read_leaves_a_trace(
    desk: Desk, variable: str, value: str, agent: str, session: str | None
) -> None:
    commit(desk, "traced", **{variable: value})
    commit(desk, "by hand")
    desk.drain()
    assert links(desk) == {"traced": [(agent, session, "environment")]}
    (trace,) = headers(desk)["traced"]
    assert (trace["incomplete"], trace["part"]["counts"]["toolCalls"]) == (True, 0)
    if value not in ("1", session):
        assert value not in str(headers(desk))


@pytest.mark.parametrize(
    "variable", ["GOOSE_TERMINAL", "CURSOR_AGENT", "PI_CODING_AGENT", "OPENCODE", "AGENT"]
)
def test_a_commit_that_was_typed_leaves_no_trace_of_a_named_agent(desk: Desk, variable: str) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(theirs, "wb") as terminal:
        done = subprocess.run(
            ["git", "commit", "-q", "--allow-empty", "-m", "typed"],
            cwd=desk.git.root,
            env={**os.environ, variable: "1"},
            stdin=terminal,
            stderr=terminal,
            check=False,
        )
    assert done.returncode == 0
    desk.drain()
    assert links(desk) == {}


def test_an_agent_that_is_configured_need_not_run(desk: Desk) -> None:
    commit(desk, "by hand", MSWEA_CONFIGURED="true")
    desk.drain()
    assert links(desk) == {}


@pytest.mark.parametrize("value", ["0", "false", ""])
def test_a_variable_that_says_no_leaves_no_trace(desk: Desk, value: str) -> None:
    commit(desk, "by hand", AGENT=value, AI_AGENT=value)
    desk.drain()
    assert links(desk) == {}


def test_traces_of_one_session_have_no_numbers(desk: Desk) -> None:
    """No log shows the order of the session's commits."""
    for name in ("one", "two"):
        commit(desk, name, AMP_CURRENT_THREAD_ID="T-1f")
    desk.drain()
    assert [t["part"]["number"] for ts in headers(desk).values() for t in ts] == [None, None]


def test_a_trace_does_not_count_in_statistics(desk: Desk) -> None:
    commit(desk, "traced", GOOSE_TERMINAL="1")
    desk.drain()
    shown = traj(desk.git.root, "show").stdout
    assert "who made it is not known" in shown
    assert "committed by" not in shown
    page = traj(desk.git.root, "show", "--format", "html").stdout
    assert "No log of this session was read: only the link is known." in page
    stats = traj(desk.git.root, "stats")
    assert "0 of 2 have a record" in stats.stdout
    assert stats.stderr.startswith(
        "no commit here has a record\nhint: git traj status shows what is not recorded yet, "
    )
    counted = json.loads(traj(desk.git.root, "stats", "--json").stdout)["total"]
    assert (counted["trajectories"], counted["sessions"], counted["agents"]) == (0, 0, [])
    status = traj(desk.git.root, "status").stdout
    assert "trajectories on 0 commits" in status
    assert "1 commit made in a shell that an agent opened; who made it is not known" in status
    traj(desk.git.root, "index")
    state = json.loads(traj(desk.git.root, "status", "--json").stdout)
    assert (state["recorded"], state["recordedElsewhere"], state["traced"]) == (0, 0, 1)


def review(desk: Desk) -> Change:
    """Read the commits after the first, as the report on a pull request does."""
    with desk.git.open() as repository:
        base = desk.git("rev-list", "--max-parents=0", "HEAD").strip()
        recorded = Recorded(NotesRef(repository).items())
        return read_change(repository, recorded, base, "HEAD", notes="d" * 40)


def test_traces_alone_pass_no_gate_and_make_no_comment_of_recorded_work(desk: Desk) -> None:
    commit(desk, "one", GOOSE_TERMINAL="1")
    commit(desk, "two", AI_AGENT="somebody")
    desk.drain()
    change = review(desk)
    settings = replace(SETTINGS, require="fail", coverage=100.0)
    assert check_coverage(change, (), settings).fails
    assert coverage(change) == 0
    assert change.sessions == ()
    scanned = make_report(change, settings, number=1)
    assert find_labels(scanned)["traj:unrecorded"]
    report = scanned.report
    assert report.line == "0 of 2 commits have an agent trajectory"
    assert "2 commits made in a shell that goose, an agent opened; who made it is not known" in report.body


def test_a_trace_is_listed_apart_beside_recorded_work(desk: Desk) -> None:
    desk.commit("work")
    commit(desk, "typed", GOOSE_TERMINAL="1")
    desk.drain()
    change = review(desk)
    assert [t["agent"] for t in change.sessions] == ["claude-code"]
    report = make_report(change, SETTINGS, number=1).report
    assert report.line == "1 of 2 commits have an agent trajectory"
    assert "made in a shell that goose opened; who made it is not known" in report.body
    base = desk.git("rev-list", "--max-parents=0", "HEAD").strip()
    plain = traj(desk.git.root, "pr", "--base", base, "--format", "text").stdout
    assert "typed (made in a shell that goose opened; who made it is not known)" in plain


def test_two_traces_are_two_trajectories(desk: Desk) -> None:
    for name in ("one", "two"):
        commit(desk, name, GOOSE_TERMINAL="1")
    desk.drain()
    assert len({t["id"] for trajectories in headers(desk).values() for t in trajectories}) == 2


def test_an_imported_session_replaces_a_trace(desk: Desk, tmp_path: Path) -> None:
    made = commit(desk, "traced", GOOSE_TERMINAL="1")
    desk.drain()
    log = tmp_path / "goose.json"
    log.write_text(
        json.dumps([{"role": "user", "content": "Do it"}, {"role": "assistant", "content": "It is done"}])
    )
    assert traj(desk.git.root, "import", "--commit", made, str(log)).returncode == 0
    (only,) = headers(desk)["traced"]
    assert only["incomplete"] is False
    desk.drain()
    assert len(headers(desk)["traced"]) == 1


def test_a_commit_of_a_sessions_edits_is_more_than_a_trace(desk: Desk) -> None:
    desk.commit("work")
    desk.work("unfinished", *[])
    commit(desk, "traced", PI_CODING_AGENT="true")
    desk.drain()
    (trace,) = headers(desk)["traced"]
    assert (trace["agent"], trace["incomplete"]) == ("pi", True)


def test_a_shell_of_an_agent_that_is_switched_off_leaves_no_trace(desk: Desk, git: Git) -> None:
    commit(desk, "quiet", GOOSE_TERMINAL="1", GIT_TRAJ="0")
    desk.drain()
    assert headers(desk) == {}


def test_a_commit_that_an_agent_amends_without_a_message_is_more_than_a_trace(desk: Desk) -> None:
    """OpenCode's environment names only the agent, and its log here names neither commit: the person's that
    it amends, and its own that a person amends. Still nothing waits for a log."""
    desk.sessions["open"] = OpenCodeSession(desk.git.root, name="open")
    commit(desk, "mine")
    amend = Shell("git add . && git commit -q --amend --no-edit")
    desk.work("both", Write("mine", "mine is new\n" + "theirs\n"), amend, by="open")
    assert links(desk) == {"mine": [("opencode", desk.sessions["open"].session, "order")]}
    desk.work("other", Write("other", "other\n"), Shell("git add . && git commit -qm other"), by="open")
    assert desk.run_git("commit", "-q", "--amend", "-m", "said better") == 0
    desk.drain()
    assert [subject for subject, records in links(desk).items() if records] == ["said better", "mine"]
    state = load_state(desk.git.root / ".git" / "traj")
    assert state is not None and state.waiting == ()


def transcript(desk: Desk, text: str) -> None:
    """Write the log of a Cursor session that wrote ``greet.py``."""
    folder = str(desk.git.root).strip("/").replace("/", "-").replace("_", "-").replace(".", "-")
    log = Path.home() / ".cursor/projects" / folder / "agent-transcripts" / "c1.jsonl"
    log.parent.mkdir(parents=True)
    call = {"type": "tool_use", "name": "Write", "input": {"path": "greet.py", "contents": text}}
    lines = [
        {"role": "user", "message": {"content": [{"type": "text", "text": "Greet"}]}},
        {"role": "assistant", "message": {"content": [call]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "Done"}]}},
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_session_of_cursor_is_linked_by_content_alone(desk: Desk) -> None:
    transcript(desk, "def greet():\n    return 'hello'\n")
    (desk.git.root / "greet.py").write_text("def greet():\n    return 'hello'\n")
    desk.git("add", "greet.py")
    assert desk.run_git("commit", "-qm", "Greet") == 0
    commit(desk, "by hand")
    desk.drain()
    assert links(desk) == {"Greet": [("cursor", "c1", "content")]}


def test_touching_the_same_file_as_cursor_is_not_enough(desk: Desk) -> None:
    transcript(desk, "def greet():\n    return 'hello'\n")
    (desk.git.root / "greet.py").write_text("def part():\n    return 'bye'\n")
    desk.git("add", "greet.py")
    assert desk.run_git("commit", "-qm", "Part", env={"CURSOR_AGENT": "1"}) == 0
    desk.drain()
    assert links(desk) == {"Part": [("cursor", None, "environment")]}


def test_a_commit_that_the_reflog_showed_only_after_the_log_was_read_is_recorded(desk: Desk) -> None:
    desk.waits = True
    desk.work(
        "both",
        Write("a", "a\n"),
        Shell("git add a && git commit -qm one"),
        Shell("echo b > b && git add b && git commit -qm two"),
    )
    hidden = [desk.git.root / ".git" / name for name in ("logs/HEAD", "traj/spool")]
    texts = [path.read_text() for path in hidden]
    for path, text in zip(hidden, texts, strict=True):
        path.write_text("".join(text.splitlines(keepends=True)[:-1]))
    log = desk.sessions["one"].log
    os.utime(log, (time.time() - 60, time.time() - 60))  # its turn is over
    desk.drain()
    for path, text in zip(hidden, texts, strict=True):
        path.write_text(text)
    desk.drain()
    assert {subject: len(records) for subject, records in headers(desk).items()} == {
        "one": 1,
        "two": 1,
    }


def test_a_log_that_was_truncated_and_continued_differently_is_read_again(desk: Desk) -> None:
    """The events that replaced stored ones are stored, and the next commit has none of the stored ones."""
    many = [Shell(f"echo {number}") for number in range(12)]
    desk.work("one", *many, Write("a", "a\n"), Shell("git add a && git commit -qm one"))
    session = desk.sessions["one"]
    lines = session.log.read_text().splitlines(keepends=True)
    kept = next(i for i, line in enumerate(lines) if '"tool_result"' in line) + 1
    session.log.write_text("".join(lines[:kept]))
    session._last = json.loads(lines[kept - 1])["uuid"]
    desk.work("two", Write("b", "b\n"), Shell("git add b && git commit -qm two"))
    assert desk.recorded() == {"one": {"one"}, "two": {"two"}}
