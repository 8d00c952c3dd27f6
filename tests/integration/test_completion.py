"""Completion in real shells: what <TAB> offers, through git's own completion and without it."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.integration.command import traj
from tests.integration.repository import Git
from tests.integration.waiting import LONG

GITS_OWN = (
    "/usr/share/bash-completion/completions/git",
    "/usr/local/share/bash-completion/completions/git",
    "/Library/Developer/CommandLineTools/usr/share/git-core/git-completion.bash",
    "/opt/homebrew/etc/bash_completion.d/git-completion.bash",
)
CASES = [  # what is typed, and what is offered
    ("st", {"status", "stats", "start", "strike"}),
    ("show --format mark", {"markdown"}),
    ("show --format=mark", {"markdown"}),
    ("keys ex", {"export"}),
    ("log --onel", {"--oneline"}),
    ("log --oneline ma", {"main"}),
    ("log main..to", {"main..topic/1"}),
    ("log -- a", {"a file", "a folder/"}),
    ("install --agent g", {"gemini"}),
    ("nonsense x", set()),
]
ZSH = {
    "statu": "status",
    "show --format mark": "show --format markdown",
    "keys exp": "keys export",
    "log --onel": "log --oneline",
    "log mai": "log main",
    "log main..to": "log main..topic/1",
}


@pytest.fixture
def repo(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository to complete in, and ``git-traj`` on PATH."""
    git.commit({"a file": "1", "a folder/b": "2"})
    git("branch", "topic/1")
    program = tmp_path / "bin" / "git-traj"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m gittraj "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    return git


def run(shell: list[str], script: str, cwd: Path) -> list[str]:
    done = subprocess.run(
        [*shell, script], cwd=cwd, capture_output=True, text=True, timeout=LONG, check=False
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def script_of(shell: str, tmp_path: Path) -> Path:
    path = tmp_path / f"_git-traj.{shell}"
    path.write_text(traj(tmp_path, "completion", shell).stdout)
    return path


def words(line: str) -> list[str]:
    """Split ``line`` as a shell does; the last word may be empty."""
    return line.split(" ")


@pytest.mark.parametrize("through", ["git", "git-traj"])
def test_bash(repo: Git, tmp_path: Path, through: str) -> None:
    bash = shutil.which("bash")
    own = next(filter(os.path.exists, GITS_OWN), None)
    if not bash or (through == "git" and not own):
        pytest.skip("no bash here, or no completion of git's own")
    lines = [f"source {script_of('bash', tmp_path)}", f"source {own}" if own else ""]
    for typed, _ in CASES:
        given = [*(["git", "-C", ".", "traj"] if through == "git" else ["git-traj"]), *words(typed)]
        # readline breaks words at =
        broken = [part for word in given for part in word.replace("=", " = ").split(" ")]
        quoted = " ".join(f"'{word}'" for word in broken)
        function = "__git_wrap__git_main" if through == "git" else "_git_traj"
        lines += [
            f"COMP_WORDS=({quoted}) COMP_CWORD={len(broken) - 1} COMP_LINE='{' '.join(given)}'",
            f"COMP_POINT=${{#COMP_LINE}} COMPREPLY=(); {function}",
            'printf "%s;" "${COMPREPLY[@]}"; echo',
        ]
    said = run([bash, "--norc", "-c"], "\n".join(lines), repo.root)
    found = [{word.removesuffix(" ").replace("\\", "") for word in line.split(";") if word} for line in said]
    assert found == [wanted for _, wanted in CASES]


@pytest.mark.parametrize("through", ["git traj", "git -C . traj", "git-traj"])
def test_fish(repo: Git, tmp_path: Path, through: str) -> None:
    fish = shutil.which("fish")
    if not fish:
        pytest.skip("no fish here")
    lines = [f"source {script_of('fish', tmp_path)}"]
    lines += [f"complete -C '{through} {typed}' | string split -f1 \\t; echo ." for typed, _ in CASES]
    said = "".join(f"{line}\n" for line in run([fish, "-c"], "\n".join(lines), repo.root)).split(".\n")
    found = [{line.rpartition("=")[2] for line in part.splitlines()} for part in said[:-1]]
    assert found == [wanted for _, wanted in CASES]


@pytest.mark.parametrize("through", ["git traj", "git-traj"])
def test_zsh(repo: Git, tmp_path: Path, through: str) -> None:
    """zsh completes on a terminal only: the line typed there is completed, and written to a file."""
    zsh = shutil.which("zsh")
    if not zsh:
        pytest.skip("no zsh here")
    out = tmp_path / "out"
    out.touch()
    start = (
        f"PS1=; autoload -Uz compinit; compinit -u -D; source {script_of('zsh', tmp_path)};"
        f"tell() {{ print -r -- $BUFFER >>{out}; BUFFER= }}; zle -N tell; bindkey '^O' tell; print >>{out}\n"
    )
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [zsh, "-f", "-i"], cwd=repo.root, stdin=theirs, stdout=theirs, stderr=theirs
    ) as shell:
        os.close(theirs)
        threading.Thread(target=_drain, args=(ours,), daemon=True).start()
        for count, typed in enumerate([start, *(f"{through} {line}\t\x0f" for line in ZSH)]):
            os.write(ours, typed.encode())
            deadline = time.monotonic() + LONG
            while out.read_text().count("\n") == count and time.monotonic() < deadline:
                time.sleep(0.02)
        shell.kill()
    said = [line.removeprefix(f"{through} ").strip() for line in out.read_text().splitlines()[1:]]
    assert said == list(ZSH.values())


def _drain(terminal: int) -> None:
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:
        pass  # the shell is gone


def test_an_unknown_shell_is_refused(repo: Git) -> None:
    done = traj(repo.root, "completion", "powershell")
    assert (done.returncode, done.stdout) == (2, "")
    assert "bash, zsh, fish" in done.stderr
