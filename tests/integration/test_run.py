"""``git traj run``: an unknown program, its output, and what is recorded of the commits it made."""

from __future__ import annotations

import json
import os
import pty
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gittraj.commands.run import Output
from gittraj.formats import terminal
from tests.integration.desk import Desk
from tests.integration.waiting import LONG
from tests.sizes import some

TRAJ = [sys.executable, "-m", "gittraj"]


def run(
    desk: Desk, *command: str, options: tuple[str, ...] = (), **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TRAJ, "run", *options, "--", *command],
        cwd=desk.git.root,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def shown(desk: Desk, rev: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*TRAJ, "show", rev, "--json"], cwd=desk.git.root, capture_output=True, text=True, check=True
    )
    trajectories: list[dict[str, Any]] = json.loads(done.stdout)["trajectories"]
    return trajectories


def test_commits_of_an_unknown_program(desk: Desk) -> None:
    words = (
        "echo I write; echo a >a; git add a; git commit -m loud; echo b >b; git add b; git commit -qm quiet"
    )
    done = run(desk, "sh", "-c", f"{words}; echo not so >&2; exit 3")
    assert done.returncode == 3
    assert done.stdout.startswith("I write\n[main ")
    assert done.stderr == "not so\n"
    desk.drain()
    (loud,), (quiet,) = shown(desk, "HEAD~1"), shown(desk, "HEAD")
    assert loud["id"] == quiet["id"]
    assert (loud["agent"], loud["link"]["evidence"], loud["incomplete"]) == ("sh", "output", False)
    (result,) = (e for c in loud["chapters"] for e in c["events"] if e["type"] == "tool_result")
    assert result["content"].startswith("I write\n[main ")
    assert result["result"]["exitCode"] == 3
    assert (quiet["link"]["evidence"], quiet["incomplete"]) == ("environment", True)


def test_a_quiet_commit_alone_is_not_known_to_be_the_programs(desk: Desk) -> None:
    run(desk, "sh", "-c", "echo I write; echo a >a; git add a; exec git commit -qm quiet")
    desk.drain()
    (quiet,) = shown(desk, "HEAD")
    assert (quiet["link"]["evidence"], quiet["incomplete"]) == ("environment", True)
    assert "I write" in str(shown(desk, quiet["id"]))
    status = json.loads(
        subprocess.run([*TRAJ, "status", "--json"], cwd=desk.git.root, capture_output=True, check=True).stdout
    )
    assert (status["waiting"], status["traced"]) == ([], 1)


def test_a_persons_commit_meanwhile_is_the_persons(desk: Desk) -> None:
    done = run(
        desk,
        "sh",
        "-c",
        f"env -u GIT_TRAJ_RUN sh -c 'cd {desk.git.root}; echo a >a; git add a; git commit -qm mine'",
    )
    assert done.returncode == 0
    desk.drain()
    assert shown(desk, "HEAD") == []


def test_a_secret_that_was_printed_is_not_stored(desk: Desk) -> None:
    secret = "ghp_" + os.urandom(18).hex()
    run(desk, "sh", "-c", f"echo token {secret}; echo a >a; git add a; git commit -m a")
    desk.drain()
    stored = str(shown(desk, "HEAD"))
    assert "token" in stored
    assert secret not in stored
    assert not [path for path in (desk.git.root / ".git" / "traj").rglob("*") if "import." in str(path)]


def test_typed_input_is_not_recorded(desk: Desk) -> None:
    """The program has the terminal; its input is echoed there, and never passes through git-traj."""
    outer, inner = pty.openpty()
    child = subprocess.Popen(
        [
            *TRAJ,
            "run",
            "--",
            "sh",
            "-c",
            "test -t 1 && echo shown; read line; echo a >a; git add a; git commit -m a",
        ],
        cwd=desk.git.root,
        stdin=inner,
        stdout=inner,
        stderr=inner,
    )
    os.write(outer, b"hunter2\n")
    os.close(inner)
    seen = b""
    try:
        while chunk := os.read(outer, 4096):
            seen += chunk
    except OSError:
        pass
    assert child.wait() == 0
    assert b"shown" in seen
    desk.drain()
    stored = str(shown(desk, "HEAD"))
    assert "shown" in stored
    assert "hunter2" not in stored
    (trace,) = shown(desk, "HEAD")
    assert (trace["link"]["evidence"], trace["incomplete"]) == ("environment", True), (
        "a person may have typed it"
    )


@pytest.mark.parametrize(("command", "status"), [("no-such-program", 127), ("false", 1)])
def test_the_status_is_the_programs(desk: Desk, command: str, status: int) -> None:
    assert run(desk, command).returncode == status


def test_run_refuses_where_nothing_would_be_recorded(desk: Desk, tmp_path: Path) -> None:
    assert run(desk, "touch", str(tmp_path / "x"), GIT_TRAJ="0").returncode == 1
    assert not (tmp_path / "x").exists()


def test_a_program_ends_when_its_output_is_closed(desk: Desk) -> None:
    """As in ``yes | head -1``."""
    child = subprocess.Popen([*TRAJ, "run", "yes"], cwd=desk.git.root, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"y\n"
        child.stdout.close()
        assert child.wait(LONG) == 128 + signal.SIGPIPE
    finally:
        child.kill()


def test_errors_stay_apart_from_the_output(desk: Desk) -> None:
    done = run(desk, "sh", "-c", "echo out; echo err >&2")
    assert (done.stdout, done.stderr) == ("out\n", "err\n")


def test_errors_on_the_same_terminal_as_the_output_keep_their_order(desk: Desk) -> None:
    words = "for i in 1 2 3 4 5; do echo $i; echo e$i >&2; done"
    done = subprocess.run(
        [*TRAJ, "run", "sh", "-c", words],
        cwd=desk.git.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [word for i in range(1, 6) for word in (f"{i}", f"e{i}")]


@pytest.mark.parametrize(
    "given",
    some(
        [("--color", "b", "--no-pager", "--", "-h"), ("--agent", "reviewer"), ("-h",), ("-x", "--", "--y")], 2
    ),
)
def test_options_after_the_programs_name_are_its_own(desk: Desk, given: tuple[str, ...]) -> None:
    done = subprocess.run(
        [*TRAJ, "--no-pager", "run", "--no-color", "--agent", "me", "printf", "%s|", "a", *given],
        cwd=desk.git.root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "".join(f"{word}|" for word in ("a", *given))


def test_a_slow_reader_gets_all_output(desk: Desk) -> None:
    command = [*TRAJ, "run", "--", "seq", "1", "25000"]
    child = subprocess.Popen(command, cwd=desk.git.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    time.sleep(3)  # longer than the program runs, and than any wait for a silent one
    assert len(child.communicate()[0].splitlines()) == 25_000


@pytest.mark.parametrize("sign", ["\n", " "])
def test_no_half_of_a_secret_stays_where_output_is_cut(sign: str) -> None:
    secret, word, size = f"ghp_{secrets.token_hex(18)}", f"word{sign}", 1024 * 1024
    first = (word * size)[: size - 10 - len(word)] + word
    last = (word * 3 * size)[: 3 * size - 20]
    output = Output()
    output.add(f"{first}{secret}{sign}{word * size}{sign}{secret[:-1]}{sign}{last}".encode())
    kept = output.text
    assert output.truncated and "\n[...]\n" in kept and len(kept) > 3.9 * size
    assert secret[:6] not in kept and secret[24:-1] not in kept


def test_cursor_movements_become_spaces() -> None:
    assert terminal.plain("password:\x1b[1C\x1b[31mhunter2\x1b[0m\x1b[40Gdone") == "password: hunter2 done"
