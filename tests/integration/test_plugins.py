"""Plug-ins of other packages and programs, installed by pip into a separate environment, extend the commands;
a faulty plug-in is reported in one line, and no command fails because of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.integration.repository import Git
from tests.integration.waiting import LONG
from tests.sizes import some

EXAMPLE = ROOT / "docs" / "example-plugin"


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment where this git-traj and the example plug-in are installed."""
    folder = tmp_path_factory.mktemp("plugins") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "ours.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") else ["pip"]  # some environments have none
    command = [*pip, "--python", python, "install", "-q", "--no-deps", EXAMPLE]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONG)
    if done.returncode and "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("pip reaches no registry, and so no hatchling")
    assert done.returncode == 0, done.stderr
    return python


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(python: Path, git: Git) -> Run:
    git.commit({"README": "A workshop\n"})

    def run(
        *arguments: str, extra_path: Path | None = None, status: int = 0
    ) -> subprocess.CompletedProcess[str]:
        environ = {
            **os.environ,
            "GIT_TRAJ_SYNC": "1",
            **({"PYTHONPATH": str(extra_path)} if extra_path else {}),
        }
        command = [str(python), "-m", "gittraj", *arguments]
        done = subprocess.run(
            command, cwd=git.root, env=environ, capture_output=True, text=True, timeout=LONG, check=False
        )
        assert done.returncode == status, f"{arguments}: {done.stdout}{done.stderr}"
        return done

    return run


def switch_on(git: Git, name: str) -> None:
    git("config", "--global", "--add", "traj.plugin", name)


def answer(run: Run, *arguments: str, **options: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run(*arguments, "--json", **options).stdout)
    return document


def commit(git: Git, *, session: str | None = None) -> None:
    """Make a quiet commit by a script in a session of the example agent, and write the session's log."""
    began = datetime.now(UTC).isoformat()
    git.write({"greet.txt": "hello\n"})
    now = {"GIT_COMMITTER_DATE": str(int(time.time())), "GIT_AUTHOR_DATE": str(int(time.time()))}
    own = {"EXAMPLE_SESSION": session} if session else {}
    command = "git add greet.txt && git commit -qm 'Say hello'"
    git("add", "greet.txt")
    git("commit", "-qm", "Say hello", env={**os.environ, **now, **own, "GIT_TRAJ_SYNC": "1"})
    lines: list[dict[str, Any]] = [
        {"example": session or "s1", "cwd": str(git.root)},
        {"at": began, "kind": "asked", "text": "Greet"},
        {"at": began, "kind": "wrote", "path": "greet.txt", "text": "hello\n"},
        {"at": began, "kind": "ran", "command": command, "ended": datetime.now(UTC).isoformat()},
        {"at": datetime.now(UTC).isoformat(), "kind": "said", "text": "Hello is said"},
    ]
    log = Path.home() / ".example" / "sessions" / f"{session or 's1'}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))


def recorded(run: Run) -> list[tuple[str, str | None, str]]:
    (said,) = (c for c in answer(run, "log")["commits"] if c["subject"] == "Say hello")
    return [(t["agent"], t["session"], t["link"]["evidence"]) for t in said["trajectories"]]


def test_the_example_is_seen_by_the_commands(run: Run, git: Git) -> None:
    switch_on(git, "example")
    steps = answer(run, "install", "--agent", "example")["steps"]
    assert [s["name"] for s in steps if s["what"] == "instruction"] == ["EXAMPLE.md"]
    assert "EXAMPLE_SESSION" in (git.root / ".git/hooks/post-commit").read_text()
    commit(git, session="s1")
    assert recorded(run) == [("example", "s1", "agent")]
    status = answer(run, "status")
    assert status["plugins"] == [{"name": "example", "leftOut": None}]
    assert {hook["old"] for hook in status["hooks"]["states"]} == {False}
    assert run("export", "--format", "example").stdout == "example s1: Greet\n"
    (git.root / "EXAMPLE-TASKS").write_text("EX-7 Greet people\n")
    run("start", "By hand", "--task", "EX-7")
    assert "example:EX-7" in run("status").stdout
    run("uninstall")
    assert not (git.root / "EXAMPLE.md").exists()


def test_past_sessions_of_the_example_are_linked_and_its_files_imported(run: Run, git: Git) -> None:
    commit(git)
    switch_on(git, "example")
    report = answer(run, "backfill", "--agent", "example")
    assert recorded(run) == [("example", "s1", "order")], report
    log = Path.home() / ".example/sessions/s1.jsonl"
    other = log.with_name("s2.jsonl")
    other.write_text(log.read_text().replace('"s1"', '"s2"'))
    (imported,) = answer(run, "import", str(other), "--format", "example")["imported"]
    assert (imported["agent"], imported["session"]) == ("example", "s2")


def test_only_the_users_own_configuration_switches_a_plug_in_on(run: Run, git: Git) -> None:
    """The repository's own configuration must not enable a plug-in: its folder may come from someone else."""
    git("config", "traj.plugin", "example")
    assert answer(run, "status")["plugins"] == []
    commit(git)
    log = str(Path.home() / ".example/sessions/s1.jsonl")
    assert "not the log of a known agent" in run("import", log, status=1).stderr
    assert "'example' is not one of" in run("export", "--format", "example", status=2).stderr


BROKEN = {
    "raises": ("raise ZeroDivisionError('over\\nlines')", "ZeroDivisionError: over lines"),
    "ends": ("raise SystemExit(7)", "SystemExit: 7"),
    "hangs": ("import gittraj.plugins as p, time\ntime.sleep(99)", "it takes more than 5 seconds"),
    "is of the wrong type": ("AGENT = 7", "gittraj.agents: its name is None"),
    "has a name of ours": ("from gittraj.agents.logged import AGENTS\nAGENT = AGENTS[0]", "is taken"),
    "raises when asked": (
        "from gittraj.agents import Agent\nclass A(Agent):\n name = option = 'b'\n"
        " def sessions(self, *_, **__): print('noise'); raise OSError('no')\nAGENT = A()",
        "sessions: OSError: no",
    ),
    "gives the wrong things": (
        "from gittraj.agents import Agent\nclass A(Agent):\n name = option = 'b'\n"
        " def sessions(self, *_, **__): yield 'a path'\nAGENT = A()",
        "sessions: it returned 'a path'",
    ),
    "gives too much": (
        "from gittraj.agents import Agent, SessionFile\nfrom pathlib import Path\n"
        "from itertools import repeat\nclass A(Agent):\n name = option = 'b'\n"
        " def sessions(self, *_, **__):"
        " return repeat(SessionFile(agent='b', session='s', path=Path('/')))\nAGENT = A()",
        "it returned more than 1,000,000 items",
    ),
}


@pytest.mark.parametrize("fault", some(BROKEN, 1))
def test_a_broken_package_is_named_in_one_line_and_stops_nothing(
    fault: str, run: Run, git: Git, tmp_path: Path
) -> None:
    code, why = BROKEN[fault]
    (tmp_path / "broken.py").write_text(code)
    about = tmp_path / "broken-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[gittraj.agents]\nbroken = broken:AGENT\n")
    commit(git)
    switch_on(git, "broken")
    switch_on(git, "example")
    done = run("backfill", "--json", extra_path=tmp_path)
    (line,) = (line for line in done.stderr.splitlines() if "plug-in" in line)
    assert line.startswith("git-traj: plug-in broken is left out: ")
    assert why in line
    assert [row["commit"] for row in json.loads(done.stdout)["linked"]] == [git("rev-parse", "HEAD")]


def test_a_plug_in_that_is_not_installed(run: Run, git: Git) -> None:
    switch_on(git, "nowhere")
    why = "no package in git-traj's environment provides it"
    assert answer(run, "status")["plugins"] == [{"name": "nowhere", "leftOut": why}]
    found = answer(run, "doctor", status=1)["findings"]
    assert [f["text"] for f in found if f["code"] == "plugin"] == [f"plug-in nowhere is left out: {why}"]


SPEAKS = """#!{python}
import json, sys
log = open({log!r}).read()
if sys.argv[1] == "sessions":
    print(json.dumps({{"session": "s1", "folder": {folder!r}, "changed": 1e9}}))
else:
    sys.stdout.write(log)
"""
FAULTY = {
    "hangs": ("sleep 60", "sessions: no answer within 4 seconds"),
    "prints garbage": ("echo nonsense", "sessions: a line of its sessions is b'nonsense'"),
    "prints too much": ("yes", "sessions: an answer of more than 4,000,000 bytes"),
    "prints the wrong type": ("echo '{\"session\": 1}'", "a line of its sessions is"),
    "fails": ("exit 3", "sessions: it ended with status 3"),
}


def program(git: Git, folder: Path, text: str) -> None:
    path = folder / "git-traj-agent-demo"
    path.write_text(text)
    path.chmod(0o755)
    switch_on(git, str(path))


def test_a_program_speaks_for_an_agent_without_a_log(
    run: Run, git: Git, python: Path, tmp_path: Path
) -> None:
    commit(git)
    log = str(Path.home() / ".example/sessions/s1.jsonl")
    switch_on(git, "example")  # the program prints this agent's format
    program(git, tmp_path, SPEAKS.format(python=python, log=log, folder=str(git.root)))
    answer(run, "backfill", "--agent", "demo")
    assert recorded(run) == [("demo", "s1", "order")]


@pytest.mark.parametrize("fault", some(FAULTY, 1))
def test_a_faulty_program_is_named_in_one_line_and_stops_nothing(
    fault: str, run: Run, git: Git, tmp_path: Path
) -> None:
    command, why = FAULTY[fault]
    commit(git)
    switch_on(git, "example")
    program(git, tmp_path, f"#!/bin/sh\n{command}\n")
    done = run("backfill", "--json")
    (line,) = (line for line in done.stderr.splitlines() if "plug-in" in line)
    assert why in line
    assert [row["commit"] for row in json.loads(done.stdout)["linked"]] == [git("rev-parse", "HEAD")]


def test_a_program_is_named_by_its_absolute_path(run: Run, git: Git) -> None:
    switch_on(git, "./git-traj-agent-demo")
    (found,) = answer(run, "status")["plugins"]
    assert found["leftOut"] == "a program is named by its absolute path, …/git-traj-agent-NAME"


def test_no_time_is_spent_without_plug_ins(run: Run, git: Git, python: Path) -> None:
    command = [str(python), "-X", "importtime", "-m", "gittraj", "status"]
    done = subprocess.run(command, cwd=git.root, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "gittraj.plugins" in loaded
    assert loaded.isdisjoint({"gittraj.plugins.guard", "importlib.metadata", "gittraj.formats.program"})


def test_the_examples_own_tests_pass(python: Path) -> None:
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, EXAMPLE]
    done = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
