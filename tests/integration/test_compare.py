"""``git traj compare``, and the results of runs: ``stats --by run``, ``log --status``, ``search --event``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gittraj.model.values import (
    Counts,
    Decision,
    Exit,
    FileChanged,
    Message,
    NoteEvent,
    Prompt,
    Run,
    SessionInfo,
    TaskRef,
    TestRuns,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.integration.command import traj
from tests.integration.repository import Git
from tests.integration.story import Story, record

_HOSTILE = "\x1b]0;owned\x07<script>alert(1)</script> | @octocat"


def _events(last: str, *, fails: bool) -> list[Any]:
    return [
        Prompt(id="p", content="Fix the bug"),
        Message(id="m", content=f"I will {last}."),
        ToolCall(id="c1", name="bash", arguments={"command": "ls"}, call_id="1"),
        ToolResult(id="r1", content="a.py", call_id="1"),
        ToolCall(id="c2", name="bash", arguments={"command": last}, call_id="2"),
        ToolResult(id="r2", content="", call_id="2", exit_code=int(fails), is_error=fails),
    ]


@pytest.fixture
def two(git: Git) -> dict[str, str]:
    """One commit by each of two agents, on one task; and a run that one of them gave up."""
    commits = {name: git.commit({f"{name}.py": "1\n"}, name) for name in ("claude", "codex")}
    task = TaskRef(title="Fix the bug")
    with git.open() as repository:
        story = Story(repository)
        for at, (name, commit) in enumerate(commits.items()):
            ref = story.segment(f"traj_{name}", 0, _events(f"edit {name}", fails=at == 1))
            whole = SessionInfo(
                title="Fix",
                agent=name,
                models=(f"model-{name}",),
                session=name,
                status="completed",
                task=task,
            )
            figures: dict[str, Any] = {
                "prompt": "Fix the bug",
                "files": (FileChanged(path=f"{name}.py", edits=1), FileChanged(path="both.py", edits=at + 1)),
                "decisions": (Decision(chosen=f"{name}'s way", by="agent"),),
                "counts": Counts(prompts=1, tool_calls=2, errors=at, malformed=at),
                "usage": Usage(input_tokens=10, output_tokens=5),
                "cost_usd": 0.5 + at,
                "cost_source": "reported",
                "tests": TestRuns(runs=1, ran=True, kind="test", outcome="passed", last_passed=3),
                "started_at": "2026-01-01T10:00:00.000Z",
                "ended_at": "2026-01-01T10:01:00.000Z",
            }
            story.note(commit, record(f"traj_{name}", n=6, whole=whole, segments=[ref], **figures))
        gave_up = SessionInfo(
            agent="claude",
            session="g",
            status="abandoned",
            run=Run(id="run7", instance="one__two-1"),
            exit=Exit(status="LimitsExceeded"),
        )
        ref = story.segment(
            "traj_gave_up", 0, [NoteEvent(id="n", kind="finding", content="The parser is wrong")]
        )
        story.note(
            commits["claude"],
            record("traj_gave_up", whole=gave_up, role="explored", segments=[ref], prompt="Try"),
        )
    return commits


def _compare(folder: Path, *args: str) -> Any:
    done = traj(folder, "compare", "--json", *args)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("names", [("traj_claude", "traj_codex"), ("HEAD~1", "HEAD"), ("claude", "codex")])
def test_two_sides_by_trajectory_commit_and_agent(
    git: Git, two: dict[str, str], names: tuple[str, str]
) -> None:
    task = ("--task", "Fix the bug") if names == ("claude", "codex") else ()
    comparison = _compare(git.root, *names, *task)
    a, b = comparison["sides"]
    assert [side["trajectories"][0]["id"] for side in (a, b)] == ["traj_claude", "traj_codex"]
    assert (a["metrics"]["costUsd"], b["metrics"]["costUsd"]) == (0.5, 1.5)
    assert (a["metrics"]["parseFailures"], b["metrics"]["parseFailures"]) == (0, 1)
    assert a["metrics"]["medianSeconds"] == 60
    assert [(pair["a"], pair["same"]) for pair in comparison["prompts"]] == [("Fix the bug", True)]
    files = {f["path"]: (f["a"] and f["a"]["edits"], f["b"] and f["b"]["edits"]) for f in comparison["files"]}
    assert files == {"both.py": (1, 2), "claude.py": (1, None), "codex.py": (None, 1)}
    assert comparison["decisions"] == [{"a": "claude's way", "b": "codex's way", "same": False}]
    steps = [(row["a"]["text"], row["b"]["text"], row["same"]) for row in comparison["steps"]]
    assert steps == [
        ("Fix the bug", "Fix the bug", True),
        ("I will edit claude.", "I will edit codex.", False),
        ("ls", "ls", True),
        ("edit claude", "edit codex", False),
    ]
    assert comparison["parted"] == 3, "two wordings of a message are not a divergence"
    assert [row["b"]["failed"] for row in comparison["steps"]] == [False, False, False, True]


def test_a_step_that_only_one_side_made_has_no_counterpart(git: Git, two: dict[str, str]) -> None:
    with git.open() as repository:
        story = Story(repository)
        events = _events("edit claude", fails=False)
        more = [*events[:2], ToolCall(id="x", name="bash", arguments={"command": "pwd"}), *events[2:]]
        ref = story.segment("traj_more", 0, more)
        story.note(two["codex"], record("traj_more", n=7, segments=[ref]))
    comparison = _compare(git.root, "traj_claude", "traj_more")
    assert [row["a"] and row["a"]["text"] for row in comparison["steps"]][2:] == [None, "ls", "edit claude"]
    assert comparison["parted"] == 2


def test_every_page_has_both_sides_as_inert_text(git: Git, two: dict[str, str]) -> None:
    with git.open() as repository:
        story = Story(repository)
        ref = story.segment("traj_evil", 0, [Prompt(id="p", content=_HOSTILE)])
        whole = SessionInfo(title=_HOSTILE, agent=_HOSTILE, session="e")
        files = (FileChanged(path=_HOSTILE),)
        story.note(
            two["codex"], record("traj_evil", whole=whole, segments=[ref], prompt=_HOSTILE, files=files)
        )
    for form in ("text", "markdown", "html"):
        done = traj(git.root, "compare", "traj_claude", "traj_evil", "--format", form)
        assert done.returncode == 0, done.stderr
        assert "Fix the bug" in done.stdout
        assert "\x1b" not in done.stdout
        assert form == "text" or "<script>alert" not in done.stdout
    written = git.root / "page.html"
    traj(git.root, "compare", "HEAD~1", "traj_codex", "--format", "html", "-o", str(written))
    assert "they diverge at step 4" in written.read_text()
    wide = traj(git.root, "compare", "HEAD~1", "traj_codex").stdout
    assert max(map(len, wide.splitlines())) <= 80
    assert "they diverge at step 4" in wide


def test_a_name_without_a_trajectory_is_an_error(git: Git, two: dict[str, str]) -> None:
    by_hand = git.commit({"x": "1\n"}, "by hand")
    assert "has no trajectory" in traj(git.root, "compare", by_hand, "traj_codex").stderr
    for agent in ("codex", "gemini-cli"):
        done = traj(git.root, "compare", agent, "claude-code")
        assert done.stderr == (
            f"error: {agent} is an agent or a model, which are compared on one task\n"
            "hint: git traj compare A B --task ID\n"
        )
    done = traj(git.root, "compare", "claude", "gemini", "--task", "Fix the bug")
    assert (done.returncode, "by gemini" in done.stderr) == (1, True)


def test_the_side_that_was_not_given_is_named(git: Git) -> None:
    done = traj(git.root, "compare", "HEAD")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Missing argument 'B'." in done.stderr


def test_several_runs_are_compared_by_their_results(git: Git) -> None:
    commit = git.commit({"a": "1\n"}, "base")
    with git.open() as repository:
        story = Story(repository)
        for run, statuses in {
            "small": ("completed", "failed", "abandoned"),
            "large": ("completed", "completed", None),
        }.items():
            for at, status in enumerate(statuses):
                whole = SessionInfo(
                    session=f"{run}{at}", status=status, run=Run(id=run, instance=f"task-{at % 2}")
                )
                story.note(commit, record(f"traj_{run}{at}", role="explored", whole=whole))
    comparison = _compare(git.root, "small", "large")
    a, b = (side["metrics"] for side in comparison["sides"])
    assert (a["successRate"], b["successRate"]) == (0.3333, 1.0), "one that has not ended counts for neither"
    assert b["statuses"] == {"completed": 2, "unknown": 1}
    assert a["costUsd"] is None
    assert [(row["name"], row["a"]["trajectories"]) for row in comparison["instances"]] == [
        ("task-0", 2),
        ("task-1", 1),
    ]
    assert (comparison["steps"], comparison["parted"]) == (None, None)
    assert "33%" in traj(git.root, "compare", "small", "large").stdout


def test_statistics_by_run_status_and_task(git: Git, two: dict[str, str]) -> None:
    rows = {
        by: {r["name"]: r for r in json.loads(traj(git.root, "stats", "--json", "--by", by).stdout)["rows"]}
        for by in ("run", "status", "task")
    }
    assert {name: row["trajectories"] for name, row in rows["run"].items()} == {None: 2, "run7": 1}
    assert {name: row["trajectories"] for name, row in rows["status"].items()} == {
        "completed": 2,
        "abandoned": 1,
    }
    assert rows["run"]["run7"]["successRate"] == 0
    assert rows["task"]["Fix the bug"]["parseFailures"] == 1
    assert rows["task"]["Fix the bug"]["medianSeconds"] == 60


def test_statistics_do_not_count_an_ended_run_as_a_success(git: Git, two: dict[str, str]) -> None:
    comparison = " ".join(traj(git.root, "stats", "--by", "task").stdout.split())
    assert "2 of 2 ended as completed" in comparison and "0 of 1 ended as completed" in comparison
    assert "success" not in comparison


def test_log_by_status_and_by_cost(git: Git, two: dict[str, str]) -> None:
    def log(*args: str) -> list[str]:
        rows = json.loads(traj(git.root, "log", "--trajectories", "--json", *args).stdout)["trajectories"]
        return [row["id"] for row in rows]

    assert log("--status", "abandoned") == ["traj_gave_up"]
    assert log("--run", "run7") == ["traj_gave_up"], "a run that made no commit is found by its name"
    assert log("--sort", "cost") == ["traj_codex", "traj_claude"]
    found = json.loads(traj(git.root, "log", "--json", "--sort", "cost", "-n", "1").stdout)["commits"]
    assert [entry["commit"] for entry in found] == [two["codex"]]


def test_search_in_events_of_one_type(git: Git, two: dict[str, str]) -> None:
    def found(*args: str) -> list[str]:
        return [
            r["trajectory"]["id"]
            for r in json.loads(traj(git.root, "search", "--json", *args).stdout)["results"]
        ]

    assert found("parser", "--event", "finding") == ["traj_gave_up"]
    assert found("parser", "--event", "message") == []
    assert found("edit", "--event", "message") and not found("edit", "--event", "finding")
