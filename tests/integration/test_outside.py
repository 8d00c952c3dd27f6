"""Which calls may have read files outside the repository: thirty ways to read a neighbouring folder, and
ordinary work that must not be taken for that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gittraj.capture.outside import Outside
from gittraj.capture.repo_paths import RepoPaths
from gittraj.model.session_items import Edit, Entry
from gittraj.model.values import ToolCall
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.neighbour import NEIGHBOUR, PRIVATE, shell_reads
from tests.integration.records import install, traj
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter


@pytest.fixture
def outside(git: Git, tmp_path: Path) -> Outside:
    (git.root / "src").mkdir()
    (git.root / "src/a.py").write_text("")
    (tmp_path / "neighbour").mkdir()
    (tmp_path / "neighbour/config.py").write_text("")
    (git.root / "linked").symlink_to(tmp_path / "neighbour")
    (git.root / "config").symlink_to(tmp_path / "neighbour/config.py")
    with git.open() as repository:
        return Outside(RepoPaths(repository, home=tmp_path / "home"))


def shell(command: str, folder: Path | str | None = None) -> Entry:
    call = ToolCall(id="c", name="Bash", call_id="c")
    return Entry(event=call, end=0, command=command, folder=str(folder) if folder else None)


@pytest.mark.parametrize("command", NEIGHBOUR)
def test_each_way_to_read_a_neighbour_is_recognised(outside: Outside, tmp_path: Path, command: str) -> None:
    assert outside.reads(shell(command.format(neighbour=tmp_path / "neighbour")))


@pytest.mark.parametrize("command", ["ls", "grep -rn needle", "cat neighbour/config.py", "make test"])
def test_a_command_in_a_parent_folder_may_read_outside(outside: Outside, git: Git, command: str) -> None:
    assert outside.reads(shell(command, git.root.parent))


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q 2>&1 | tail -5",
        "grep -rn needle .",
        "cat src/a.py src/../src/a.py",
        "cd src && cat ../src/a.py",
        "git log --oneline main..HEAD",
        "git diff HEAD~2.. -- src/a.py",
        "sed -n '/start/,/end/p' src/a.py",
        "sed -i 's/..//; s|a|b|' src/a.py",
        "/usr/bin/python3 -m pytest > /dev/null",
        "cat /usr/include/stdio.h",
        "ls ~/.cargo/registry",
        "curl -s https://example.com/../x",
        "echo ... && echo 'a/b'",
        "npm test -- --grep 'a..b'",
        "cat > /tmp/mine.txt <<'X'\nwords\nX\ncat /tmp/mine.txt",
        "mkdir -p /tmp/mine && cd /tmp/mine && ls",
        "git commit -m 'Fix the path .. handling'",
        "for f in src/*; do cat $f; done",
        "docker run -v $PWD:/w image ls",
        'sed -i \'s/"8-12", "12-18"/(8, 12), (12, 18)/\' src/a.py && python3 -m unittest',
        "apply_patch <<'X'\n*** Update File: src/a.py\n+n = grams // 500\n+m = cents / 100\nX",
        "cat > src/a.js <<'X'\n// cents of a euro\nX\nnpm test",
        "apply_patch <<'X'\n*** Update File: src/a.js\n+//\n+// cents of a euro\nX",
        "printf 'def days(text):\\n    return parse(text) / 86400\\n' >> src/a.py && python3 -m unittest",
    ],
)
def test_ordinary_work_does_not_read_outside(outside: Outside, command: str) -> None:
    assert not outside.reads(shell(command))


def test_a_parent_folder_is_fine_for_work_in_the_repository_alone(outside: Outside, git: Git) -> None:
    for command in (
        "cd repo && make test",
        f"cat {git.root}/src/a.py",
        "git -C repo status",
        "cat repo/src/a.py",
    ):
        assert not outside.reads(shell(command, git.root.parent)), command


def test_tools_read_outside_by_their_paths_or_their_folder(
    outside: Outside, git: Git, tmp_path: Path
) -> None:
    def reads(name: str, *paths: str, folder: Path = git.root) -> bool:
        call = ToolCall(id="c", name=name, call_id="c")
        return outside.reads(Entry(event=call, end=0, paths=paths, folder=str(folder)))

    assert reads("Read", str(tmp_path / "neighbour/config.py"))
    assert reads("Read", str(git.root / "linked/config.py"))
    assert reads("Grep", "..")
    assert reads("Grep", folder=tmp_path)
    assert reads("Glob", str(tmp_path))
    assert not reads("Read", str(git.root / "src/a.py"))
    assert not reads("Grep")
    assert not reads("WebSearch", folder=tmp_path)


def test_a_file_that_the_session_wrote_is_not_outside(outside: Outside, tmp_path: Path) -> None:
    path = str(tmp_path / "plan.md")
    write = ToolCall(id="w", name="Write", call_id="w")
    assert outside.reads(shell(f"cat {path}"))
    outside.reads(Entry(event=write, end=0, edits=(Edit(path=path, whole="mine"),)))
    assert not outside.reads(shell(f"cat {path}"))


def test_in_a_log_of_another_machine_only_paths_above_the_first_folder_are_outside(outside: Outside) -> None:
    """The folder in which the session began counts as the repository."""
    assert not outside.reads(shell("pytest", "/somewhere/else/project"))
    assert not outside.reads(shell("cat src/a.py", "/somewhere/else/project"))
    assert outside.reads(shell("cat ../other/a.py", "/somewhere/else/project"))


@pytest.mark.parametrize("writer", [ClaudeSession, CodexSession])
def test_what_was_read_outside_is_not_stored(git: Git, tmp_path: Path, writer: type[SessionWriter]) -> None:
    """Only the call's outcome is stored, and the fact that something was left out."""
    git.commit({"README": "here\n"})
    install(git)
    neighbour = tmp_path / "neighbour"
    neighbour.mkdir()
    (neighbour / "config.py").write_text(f"{PRIVATE}\n")
    (git.root / "linked").symlink_to(neighbour)
    (git.root / "config").symlink_to(neighbour / "config.py")
    commands = shell_reads(neighbour)
    session = writer(git.root)
    session.prompt("Look around")
    for command in commands:
        session.respond(turn(Shell(f"{command} || true")))
    session.respond(turn(Write("a.py", "a = 1\n"), Shell("git add a.py && git commit -m Found")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    trajectory = json.loads(traj(git, "show", "HEAD", "--json"))["trajectories"][0]
    stored = git.raw("cat-file", "--batch", "--batch-all-objects")
    assert PRIVATE.encode() not in stored
    assert trajectory["part"]["counts"]["toolCalls"] == len(commands) + 2
    assert trajectory["part"]["counts"]["outside"] == len(commands)
    assert "may have read outside this repository" in traj(git, "show", "HEAD")
