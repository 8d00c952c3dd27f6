"""Summaries by the user's own program: it runs after a turn, and its quotes must be in the session's log."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.config import Environ
from gittraj.model.values import AnyEvent, Message, Prompt, Summary, Thinking
from gittraj.state.folder import LocalState
from gittraj.summarizer import program as summarizer
from gittraj.summarizer.runs import load_runs
from gittraj.summarizer.summarize import summarize_recent
from tests.e2e.scenario import Shell, Write, turn
from tests.integration import records
from tests.integration.claude_session import ClaudeSession
from tests.integration.repository import Git
from tests.integration.story import Story, record
from tests.integration.waiting import LONG, wait_until

SAID = "I took a set, not a list, for speed. Windows is untested."
EVENTS: list[AnyEvent] = [
    Prompt(id="p", content="Mend it"),
    Thinking(id="t", content="", seal="s1", sealed_bytes=20),
    Message(id="m", content=SAID),
]
ANSWER = {
    "summary": "Lookups are fast now.",
    "decisions": [
        {
            "chosen": "a set",
            "alternatives": ["a list"],
            "reasoning": "speed",
            "event": "m",
            "quote": "I took a set, not a list, for speed.",
        },
        {"chosen": "x", "alternatives": [], "reasoning": "", "event": "m", "quote": "nobody said this"},
    ],
    "doubts": [{"event": "m", "quote": "Windows is untested."}],
}
_PROGRAM = """#!{python}
import json, os, re, sys, time
asked = sys.stdin.read()
with open({log!r}, "a") as stream:
    run = {{"asked": asked, "environ": dict(os.environ), "folder": os.listdir(), "here": os.getcwd()}}
    json.dump(run, stream)
    stream.write("\\n")
{does}
"""
Program = Callable[..., Path]


@pytest.fixture
def program(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Return a function that configures a program, and returns the file where the program logs its input."""
    monkeypatch.chdir(git.root)
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name)

    def write(does: str | dict[str, Any], *, name: str = "my-model") -> Path:
        file, log = tmp_path / name, tmp_path / "asked.jsonl"
        code = does if isinstance(does, str) else f"print({json.dumps(does)!r})"
        file.write_text(_PROGRAM.format(python=sys.executable, log=str(log), does=code))
        file.chmod(0o755)
        git("config", "--global", "traj.summarizer", str(file))
        return log

    return write


@pytest.fixture
def commit(git: Git, story: Story) -> str:
    """Return a commit whose record is from another clone."""
    found = git.commit({"a": "1"})
    said = Summary(text=SAID, by="agent")
    story.note(found, record(n=3, segments=[story.segment("traj_one", 0, EVENTS)], summary=said))
    return found


def asked(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def run_command(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert call([*args]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def header(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    (found,) = json.loads(run_command(capsys, "show", "--json"))["trajectories"]
    return dict(found)


def test_a_summary_is_shown_beside_recorded_text(
    commit: str, program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    program(ANSWER)
    line = run_command(capsys, "summarize")
    assert line == f"{commit[:12]}: by my-model, 1 decision, 1 doubt, 1 refused (not in the log)\n"
    found = header(capsys)
    assert (found["summary"], found["summaryBy"]) == ("Lookups are fast now.", "model:my-model")
    (choice,) = found["decisions"]
    assert (choice["chosen"], choice["by"], choice["event"]) == ("a set", "model:my-model", "m")
    assert choice["quote"] in SAID
    assert found["why"] == choice["quote"]
    assert found["caveats"] == ["Windows is untested."]
    assert found["caveatSources"][0]["by"] == "model:my-model"
    assert found["link"]["evidence"] == "agent", "the model committed nothing"
    for view in (("log",), ("show",), ("show", "--format", "markdown"), ("show", "--format", "html")):
        words = " ".join(run_command(capsys, *view).split())
        assert "Lookups are fast now." in words
        assert "by the model my" in words


def test_the_program_runs_once_per_commit(
    commit: str, program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    log = program(ANSWER)
    run_command(capsys, "summarize")
    assert "Nothing to summarise" in run_command(capsys, "summarize")
    assert len(asked(log)) == 1


def test_the_input_of_the_program(
    commit: str, program: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CLAUDECODE", "GIT_DIR", "GIT_AUTHOR_NAME", "CODEX_SANDBOX"):
        monkeypatch.setenv(name, ".git" if name == "GIT_DIR" else "1")
    log = program(ANSWER)
    run_command(capsys, "summarize")
    (run,) = asked(log)
    assert run["environ"].keys().isdisjoint({"CLAUDECODE", "GIT_DIR", "GIT_AUTHOR_NAME", "CODEX_SANDBOX"})
    assert run["environ"]["GIT_TRAJ"] == "0"
    assert (run["folder"], run["environ"]["PWD"]) == ([], run["here"])
    assert not Path(run["here"]).exists()
    assert SAID in run["asked"]
    assert "s1" not in run["asked"], "sealed thinking is not in the input"


def test_a_dry_run_starts_nothing(commit: str, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    log = program(ANSWER)
    assert SAID in run_command(capsys, "summarize", "--dry-run")
    assert not asked(log)


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("print('I would rather not.')", "not the JSON that was asked for"),
        ("print('{}')", "no summary"),
        ("sys.exit(3)", "returned no answer (exit status 3)"),
        ("print('{}'); sys.exit(1)", "returned no answer (exit status 1)"),
        ("time.sleep(60)", "no answer within 1 seconds"),
        ("os.system('sleep 60')", "no answer within 1 seconds"),
        ("while True: print('x' * 1000)", "more than 1,000,000 bytes"),
        ("os.kill(os.getpid(), 9)", "returned no answer"),
    ],
)
def test_without_an_answer_nothing_is_written(
    does: str,
    why: str,
    git: Git,
    commit: str,
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(summarizer, "_TIME_LIMIT", 1.0 if "within" in why else LONG)
    program(does)
    before = git("for-each-ref")
    assert call(["summarize"]) == 1
    assert why in capsys.readouterr().err
    assert git("for-each-ref") == before


def test_a_program_that_is_missing_is_reported(
    git: Git, commit: str, program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    program(ANSWER)
    git("config", "--global", "traj.summarizer", "no-such-program -x")
    assert call(["summarize"]) == 1
    assert "there is no program 'no-such-program'" in capsys.readouterr().err


def test_a_program_named_by_the_repository_is_never_run(
    git: Git, commit: str, program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    log = program(ANSWER)
    git("config", "traj.summarizer", git("config", "--global", "traj.summarizer"))
    git("config", "--global", "--unset", "traj.summarizer")
    assert call(["summarize"]) == 1
    assert "no program is named for summaries" in capsys.readouterr().err
    assert not asked(log)


def test_a_secret_in_the_answer_is_redacted(
    commit: str, program: Program, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    token = "ghp_" + "Zx8" * 12
    program(ANSWER | {"summary": f"The token {token} is in use."})
    run_command(capsys, "summarize")
    shown = run_command(capsys, "show", "--json")
    assert token not in shown
    assert "is in use" in shown


def test_a_summary_can_be_struck(commit: str, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    program(ANSWER)
    run_command(capsys, "summarize")
    found = header(capsys)
    for name in (found["summaryId"], found["decisions"][0]["id"]):
        run_command(capsys, "strike", "HEAD", name[:6])
    found = header(capsys)
    assert (found["summary"], found["summaryBy"]) == (SAID, "agent")
    assert (found["decisions"], found["why"]) == ([], None)


# ---------------------------------------------------------------- after a turn


@pytest.fixture
def session(git: Git, program: Program) -> ClaudeSession:
    """Begin a session on this machine, in a repository where git-traj is installed and no worker runs."""
    git.commit({"README": "x"})
    folder = records.install(git)
    (folder / "drain.lock").write_text("1")
    return ClaudeSession(git.root)


def work(session: ClaudeSession, name: str) -> None:
    steps = Write(name, f"{name}\n"), Shell(f"git add {name} && git commit -qm {name}")
    session.run([turn(*steps), turn(say=f"{SAID} ({name})")], prompt=f"Write {name}")


def end_turn(git: Git) -> str | None:
    """Do what the worker does when a turn is over; return why the last summary failed."""
    records.traj(git, "status")
    with git.open() as repository:
        summarize_recent(repository, environ=Environ.of({}), live={"PATH": "/usr/bin:/bin"})
        return load_runs(LocalState.of(repository)).failed


ECHO = """
lines = [json.loads(line) for line in asked.splitlines() if line.startswith('{"id"')]
event = [line for line in lines if line["kind"] == "said"][-1]["id"]
doubts = [{"event": event, "quote": "Windows is untested."}]
print(json.dumps({"summary": "Done.", "decisions": [], "doubts": doubts}))
"""


def test_after_a_turn_the_program_runs_once_for_each_commit(
    git: Git, session: ClaudeSession, program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    log = program(ECHO)
    work(session, "one")
    assert end_turn(git) is None
    assert end_turn(git) is None
    assert header(capsys)["summary"] == "Done."
    work(session, "two")
    end_turn(git)
    assert [run["asked"].count("Write two") for run in asked(log)] == [0, 1]
    assert "2 of 20 runs today" in run_command(capsys, "status")


def test_a_failed_summary_is_tried_once_and_reported(
    git: Git, session: ClaudeSession, program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    log = program("print('no')")
    work(session, "one")
    assert end_turn(git) == "the answer is not the JSON that was asked for"
    end_turn(git)
    assert len(asked(log)) == 1
    assert "the last failed: the answer is not the JSON" in run_command(capsys, "status")
    shown = json.loads(run_command(capsys, "status", "--json"))["summarizer"]
    assert (shown["runs"], shown["runsADay"], shown["source"]) == (1, 20, "global")


def test_the_program_runs_no_more_often_than_allowed(
    git: Git, session: ClaudeSession, program: Program
) -> None:
    log = program(ECHO)
    git("config", "--global", "traj.summariesADay", "1")
    work(session, "one")
    work(session, "two")
    end_turn(git)
    assert len(asked(log)) == 1


def test_records_from_elsewhere_are_left_to_the_user(git: Git, commit: str, program: Program) -> None:
    log = program(ANSWER)
    records.install(git)
    assert end_turn(git) is None
    assert not asked(log)


def test_while_paused_no_program_runs(git: Git, session: ClaudeSession, program: Program) -> None:
    log = program(ECHO)
    work(session, "one")
    records.traj(git, "status")
    records.traj(git, "pause")
    end_turn(git)
    assert not asked(log)


def test_a_turn_that_is_not_over_is_waited_for(git: Git, session: ClaudeSession, program: Program) -> None:
    log = program(ECHO)
    session.prompt("Write one")
    session.respond(turn(Write("one", "1\n"), Shell("git add one && git commit -qm one")))
    end_turn(git)
    assert not asked(log)
    session.respond(turn(say=SAID), last=True)
    session.finish()
    end_turn(git)
    assert len(asked(log)) == 1
    assert SAID in asked(log)[0]["asked"]


def test_a_commit_takes_no_longer(git: Git, session: ClaudeSession, program: Program, tmp_path: Path) -> None:
    """The hook only starts the worker, which runs the program after it has released the drain's lock."""
    log = program(f"{ECHO}\nwhile not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.05)")
    folder = git.root / ".git" / "traj"
    (folder / "drain.lock").unlink()
    work(session, "one")
    wait_until(lambda: bool(asked(log)), "the worker asks")
    # the program is running: nothing is locked, and the next commit does not wait
    with LocalState(folder).locked(wait=2.0) as is_free:
        assert is_free
    git.commit({"other": "1"})
    assert "Done." not in git("show", "-s", "--notes=traj", "HEAD~1"), "the program still runs"
    (tmp_path / "go").touch()
    wait_until(lambda: "Done." in git("show", "-s", "--notes=traj", "HEAD~1"), "the summary")
