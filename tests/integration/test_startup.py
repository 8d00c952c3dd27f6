"""What people wait for, held without a clock: what a command imports, and how many processes it starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.integration.desk import Desk

NEVER = (
    *("pygit2", "cryptography", "yaml", "markdown_it", "github", "concurrent.futures", "tempfile", "tomllib"),
    *("gittraj.redact", "gittraj.record.pipeline", "gittraj.sync.transfer", "gittraj.events.prose"),
    *("gittraj.index.update", "gittraj.tasks", "gittraj.render.html", "gittraj.commands.doctor.findings"),
    *("gittraj.formats", "gittraj.commands.install.install", "gittraj.notes.remotes"),
    *("hashlib", "statistics", "shutil"),
)
"""What no command imports that only reads: libgit2, keys, OpenSSL, the redactor's tables, readers of agents'
logs, what writes."""
PROCESSES = {"status": 4, "log": 5, "show": 5, "why f.py:1": 5, "context f.py": 8, "stats": 6}
"""The most that each may start."""
_RUN = """
import json, sys
started = []
spawns = ("subprocess.Popen", "os.posix_spawn")
sys.addaudithook(lambda event, given: started.append(given[1][1:]) if event in spawns else None)
from gittraj.cli.common.ahead import begin
begin(sys.argv[1:])
from gittraj.cli.common.group import call
status = call(sys.argv[1:])
json.dump({"status": status, "modules": [*sys.modules], "started": started}, sys.stderr)
"""


def run(desk: Desk, command: str) -> dict[str, Any]:
    """What the command imported and started, and its status."""
    words = [sys.executable, "-c", _RUN, *command.split()]
    ran = subprocess.run(words, cwd=desk.git.root, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(ran.stderr)
    assert found["status"] == 0
    return found


@pytest.fixture
def quiet(desk: Desk) -> Desk:
    """With an agent's commit, and nothing to record: the log is old, and a command has looked."""
    desk.commit("counting", "one\ntwo\n", path="f.py")
    for session in desk.sessions.values():
        os.utime(session.log, (1, 1))
    run(desk, "log")
    return desk


@pytest.mark.parametrize("command", PROCESSES)
def test_a_command_pays_for_nothing_that_it_does_not_use(quiet: Desk, command: str) -> None:
    run(quiet, command)  # the index keeps what the first one folded
    found = run(quiet, command)
    assert [m for m in found["modules"] if any(m == name or m.startswith(f"{name}.") for name in NEVER)] == []
    assert len(found["started"]) <= PROCESSES[command], found["started"]


def test_a_line_without_a_record_asks_git_no_more(quiet: Desk) -> None:
    """However many commits there are before it, none with a record."""
    quiet.git.commit({"g.py": "1\n"}, "by hand")
    run(quiet, "log")
    assert not [words for words in run(quiet, "why g.py:1")["started"] if "diff-tree" in words]


def test_help_imports_no_command(quiet: Desk) -> None:
    found = run(quiet, "-h")
    ours = {m.removeprefix("gittraj.cli.") for m in found["modules"] if m.startswith("gittraj.cli.")}
    assert ours == {"common", "common.ahead", "common.command_list", "common.group"}
    assert found["started"] == []


def test_a_commit_without_a_trajectory_loads_no_redactor(quiet: Desk) -> None:
    """The hook starts Python after each change of git's configuration."""
    quiet.git.write({"h.py": "1\n"})
    quiet.git("add", "h.py")
    run_hook = (
        "import sys; from gittraj.precommit.__main__ import main; assert main(['--hook', sys.argv[1]]) == 0; "
        "print([m for m in sys.modules if m.startswith(('gittraj.redact', 'gittraj.record'))])"
    )
    words = [sys.executable, "-c", run_hook, str(quiet.git.root / ".git")]
    ran = subprocess.run(words, cwd=quiet.git.root, capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("[]\n", "")
