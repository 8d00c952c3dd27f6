"""The hooks while git waits for them: they spool one line, start only the worker, and never fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gittraj.commands.install.install import install
from gittraj.commands.install.shims import HOOKS, Interpreter, find_block, render
from gittraj.state.folder import LocalState
from tests.integration.repository import Git
from tests.integration.waiting import BUSY, LONG, wait_until

GONE = Interpreter("/gone/python", ("-I",))
SHELLS = ["#!/bin/sh", "#!/bin/bash --posix", "#!/bin/busybox sh"]


def hook(git: Git, name: str) -> Path:
    return Path(git("rev-parse", "--path-format=absolute", "--git-path", f"hooks/{name}"))


def rig(git: Git, interpreter: Interpreter = GONE, shebang: str = SHELLS[0]) -> Git:
    """Install, and make the hooks start ``interpreter`` and run in another shell."""
    with git.open() as repository:
        install(repository)
    for name in HOOKS:
        text = render(name, interpreter).replace(SHELLS[0].encode(), shebang.encode(), 1)
        hook(git, name).write_bytes(text)
    own = Path(git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "config"
    for config in (own, Path(os.environ["GIT_CONFIG_GLOBAL"])):
        os.utime(config, (1, 1))  # a hook must read a configuration that has just been changed
    return git


def spool(git: Git) -> list[str]:
    path = Path(git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "traj" / "spool"
    return path.read_text().splitlines() if path.exists() else []


def commit(git: Git, message: str, *options: str, env: dict[str, str] | None = None) -> str:
    """Make an empty commit; any output on stderr fails the test."""
    done = subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", message, *options],
        cwd=git.root,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return git.head()


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    shebang: str = request.param
    if not Path(shebang[2:].split(maxsplit=1)[0]).exists():
        pytest.skip(f"no {shebang[2:]} here")
    return shebang


@pytest.fixture
def rigged(git: Git, shell: str) -> Git:
    return rig(git, shebang=shell)


def test_the_spool_lines_of_commits(rigged: Git) -> None:
    """The initial commit, the environment of agents, packed refs, a detached HEAD, a branch in a folder."""
    git_dir = rigged.root / ".git"
    first = commit(rigged, "initial")
    named = {"CLAUDE_CODE_SESSION_ID": "c1", "CODEX_THREAD_ID": "t1", "CODEX_TOOL_CALL_ID": "call"}
    named |= {"AI_AGENT": "whatever it says", "COPILOT_AGENT_SESSION_ID": "no id\tat all"}
    second = commit(rigged, "by agents", env=named)
    rigged("pack-refs", "--all")
    third = commit(rigged, "packed")
    rigged("checkout", "-q", "--detach")
    fourth = commit(rigged, "detached")
    rigged("checkout", "-q", "-b", "a/b")
    fifth = commit(rigged, "in a folder")
    assert spool(rigged) == [
        f"2\tcommit\t{first}\t{git_dir}\t0",
        f"2\tcommit\t{second}\t{git_dir}\t0\tCODEX_THREAD_ID=t1\tCLAUDE_CODE_SESSION_ID=c1"
        "\tCODEX_TOOL_CALL_ID=call\tAI_AGENT=1",
        *(f"2\tcommit\t{c}\t{git_dir}\t0" for c in (third, fourth, fifth)),
    ]


def test_commits_in_a_linked_worktree_and_a_subfolder_are_spooled(rigged: Git) -> None:
    rigged.commit({"sub/a": "1"})
    rigged("worktree", "add", "-q", "-b", "side", "../linked")
    linked = Git(rigged.root.parent / "linked")
    there = commit(linked, "there")
    below = commit(Git(rigged.root / "sub"), "below")
    common = rigged.root / ".git"
    assert spool(rigged)[1:] == [
        f"2\tcommit\t{there}\t{common}/worktrees/linked\t0",
        f"2\tcommit\t{below}\t{common}\t0",
    ]


def test_a_sha256_commit_is_spooled(tmp_path: Path, shell: str) -> None:
    git = rig(Git.init(tmp_path / "repo", "--object-format=sha256"), shebang=shell)
    made = commit(git, "x")
    assert len(made) == 64
    assert spool(git) == [f"2\tcommit\t{made}\t{git.root / '.git'}\t0"]


def test_rebase_spools_every_pair(rigged: Git) -> None:
    rigged.commit({"a": "base"})
    rigged("branch", "topic")
    rigged.commit({"b": "main"})
    rigged("checkout", "-q", "topic")
    old = [rigged.commit({f"t{n}": "x"}, f"topic {n}") for n in range(5)]
    rigged("rebase", "-q", "main")
    new = rigged("rev-list", "--reverse", "main..topic").split()
    pairs = [line for line in spool(rigged) if line.startswith("rewrite")]
    git_dir = rigged.root / ".git"
    assert pairs == [f"rewrite\t{a}\t{b}\trebase\t\t{git_dir}" for a, b in zip(old, new, strict=True)]


def test_cherry_pick_and_squash_are_spooled(rigged: Git) -> None:
    base = rigged.commit({"a": "base"})
    rigged("checkout", "-q", "-b", "topic")
    picked = rigged.commit({"a": "topic"})
    rigged("checkout", "-q", "main")
    rigged.commit({"a": "main"})
    assert not rigged.succeeds("cherry-pick", picked)
    rigged.write({"a": "both"})
    rigged("add", "a")
    parent = rigged.head()
    rigged("-c", "core.editor=true", "commit", "-q")
    git_dir = rigged.root / ".git"
    assert f"picked\t{picked}\t{parent}\t\t\t{git_dir}" in spool(rigged)
    rigged("reset", "-q", "--hard", base)
    rigged("merge", "-q", "--squash", "topic")
    rigged("commit", "-q", "-m", "squashed")
    assert f"squashed\t{picked}\t{base}\t\t\t{git_dir}" in spool(rigged)


def test_while_off_only_the_commit_and_the_session_are_spooled(rigged: Git) -> None:
    off = commit(rigged, "x", env={"GIT_TRAJ": "0", "CLAUDE_CODE_SESSION_ID": "c1"})
    assert spool(rigged) == [f"2\toff\t{off}\t{rigged.root / '.git'}\t0\tCLAUDE_CODE_SESSION_ID=c1"]


def test_the_time_of_a_commit_is_taken_from_a_file(rigged: Git) -> None:
    """The commit's own date does not matter."""
    made = commit(rigged, "x", env={"GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"})
    moment = LocalState(rigged.root / ".git/traj").moment(made)
    assert moment is not None
    assert abs(moment - (rigged.root / ".git/traj/spool").stat().st_mtime) < LONG


@pytest.mark.parametrize(
    "damage", ["removed", "a file", "spool is a folder", "lock is a folder", "read-only"]
)
def test_damaged_local_state_never_fails_a_commit(git: Git, shell: str, damage: str) -> None:
    rigged = rig(git, Interpreter("/bin/true", ("-I",)), shell)
    folder = rigged.root / ".git/traj"
    if damage == "read-only":
        if not hasattr(os, "geteuid") or os.geteuid() == 0:
            pytest.skip("root may write everywhere")
        folder.chmod(0o500)
    elif damage in ("removed", "a file"):
        shutil.rmtree(folder)
        if damage == "a file":
            folder.write_text("")
    else:
        damaged = folder / ("spool" if "spool" in damage else "drain.lock")
        damaged.unlink(missing_ok=True)
        damaged.mkdir()
    commit(rigged, "one")
    commit(rigged, "two", "--amend")
    assert rigged.succeeds("rebase", "-q", "--root")
    if damage == "read-only":
        folder.chmod(0o700)


def test_only_builtins_of_the_shell_are_used(rigged: Git) -> None:
    """With an empty PATH, which some graphical clients set, no other program could be started."""
    rigged.commit({"a": "1"})
    head = rigged.head()
    (rigged.root / ".git/CHERRY_PICK_HEAD").write_text(head + "\n")
    for name, given, line in (
        ("post-commit", b"", f"2\tcommit\t{head}"),
        ("pre-commit", b"", f"picked\t{head}"),
        ("post-rewrite", b"1 2\n3 4\n", "rewrite\t3\t4"),
    ):
        before = len(spool(rigged))
        done = subprocess.run(
            [str(hook(rigged, name)), "amend"],
            input=given,
            cwd=rigged.root,
            env={"PATH": "/nonexistent"},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert spool(rigged)[before:][-1].startswith(line)


def test_an_interpreter_that_is_gone_leaves_no_lock(rigged: Git) -> None:
    commit(rigged, "one")
    commit(rigged, "two", env={"GIT_TRAJ_SYNC": "1"})
    assert not (rigged.root / ".git/traj/drain.lock").exists(), (
        "a lock that nobody takes away stops all later hooks"
    )


@pytest.fixture
def recording(tmp_path: Path) -> Interpreter:
    """Return a working interpreter, with a quote and spaces in its path, that logs its arguments."""
    path = tmp_path / "it's a" / "python"
    path.parent.mkdir()
    says = f'for a in "$@"; do echo "$a"; done >>"{tmp_path}/called"'
    path.write_text(f"#!/bin/sh\n{says}\n{BUSY.format(tmp_path)}\n")
    path.chmod(0o755)
    return Interpreter(str(path), ("-I",))


def test_the_worker_is_started_once_and_not_waited_for(
    git: Git, shell: str, recording: Interpreter, tmp_path: Path
) -> None:
    rig(git, recording, shell)
    subprocess.run(
        "git commit --allow-empty -m one | cat", shell=True, cwd=git.root, capture_output=True, check=True
    )
    commit(git, "two")
    commit(git, "three", "--amend")
    folder = f"{git.root}/.git/traj"
    called = tmp_path / "called"
    wait_until(lambda: called.exists() and called.read_text().count("\n") >= 4, "the worker")
    assert not (tmp_path / "done").exists()
    (tmp_path / "go").touch()
    assert called.read_text() == f"-I\n-m\ngittraj.worker\n{folder}\n"


def test_in_the_foreground_a_commit_waits_for_the_worker(
    git: Git, recording: Interpreter, tmp_path: Path
) -> None:
    rig(git, recording)
    (tmp_path / "go").touch()
    commit(git, "one", env={"GIT_TRAJ_SYNC": "1"})
    assert (tmp_path / "done").exists()
    assert "--foreground" in (tmp_path / "called").read_text()


@pytest.mark.parametrize("name", HOOKS)
def test_the_interpreter_of_a_rendered_hook_is_read_back(name: str) -> None:
    interpreter = Interpreter("/a b/it's/p$(x)`y`\\", ("-I",))
    found = find_block(render(name, interpreter))
    assert found is not None
    assert found.pure
    assert found.interpreter == interpreter


@pytest.mark.parametrize("again", ['exec bash "$0" "$@"', '{ bash "$0" "$@"; exit; }'])
def test_a_kept_hook_that_starts_itself_again_runs_once(git: Git, again: str) -> None:
    """The kept hook runs ``$0``, which is our hook, in the shell that it needs."""
    for name in ("pre-commit", "post-commit"):
        lines = ("#!/bin/sh", f'[ -n "$BASH_VERSION" ] || {again}', "echo mine >>ran", "")
        hook(git, name).write_text("\n".join(lines))
        hook(git, name).chmod(0o755)
    rig(git)
    commit(git, "one")
    assert (git.root / "ran").read_text() == "mine\nmine\n"
    assert len(spool(git)) == 1


@pytest.mark.skipif(not Path("/usr/bin/timeout").exists(), reason="needs timeout")
@pytest.mark.parametrize("state", ["plain", "foreground", "trajectories", "agent"])
def test_an_interpreter_that_hangs_hangs_no_commit(git: Git, tmp_path: Path, state: str) -> None:
    """Every wait has a limit; here the hooks wait at most a second."""
    hanging = tmp_path / "python"
    hanging.write_text("#!/bin/sh\nexec sleep 600\n")
    hanging.chmod(0o755)
    rig(git, Interpreter(str(hanging), ()))
    for name in HOOKS:
        text = hook(git, name).read_text()
        hook(git, name).write_text(re.sub(r"timeout -s KILL \d+", "timeout -s KILL 1", text))
    env = {"GIT_TRAJ_SYNC": "1"} if state == "foreground" else {}
    env |= {"CLAUDE_CODE_SESSION_ID": "s"} if state == "agent" else {}
    if state == "trajectories":
        git.write({".trajectories/a.trajectory.json": "{}\n"})
        git("add", "--all")
    done = subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "made"],
        cwd=git.root,
        env={**os.environ, **env},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0
    assert git("log", "-1", "--format=%s") == "made"
