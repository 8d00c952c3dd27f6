"""A repository that was copied or moved: its uninstall removes its own things, and no other's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gittraj.commands.install.install import install
from tests.integration import command
from tests.integration.desk import Desk
from tests.integration.repository import Git, has_configured_hooks

AGENTS = ("claude-code", "codex", "gemini")
OURS = ("traj", ".claude", ".codex", ".gemini", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md")
CHANGING_CALLS = "open,openat,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat"
CHANGING_CALLS += ",symlink,symlinkat,chmod,fchmodat,truncate,chdir"


def files(*roots: Path) -> dict[str, bytes]:
    """Read all files below ``roots`` except git's index, which git refreshes when it reads."""
    found = [path for root in roots for path in sorted(root.rglob("*")) if path.name != "index"]
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in found}


def set_up(git: Git) -> Git:
    """Install everything that can be installed, with a linked worktree next to the repository."""
    git.commit({"a": "1\n"})
    git("remote", "add", "origin", "/nowhere")
    tree = git.root.with_name("linked")
    git("worktree", "add", "--quiet", str(tree))
    for worktree in (Git(tree), git):
        with worktree.open() as repository:
            install(repository, agents=AGENTS)
    return git


def make_absolute(git: Git) -> None:
    """Rewrite the manifest as earlier versions wrote it."""
    path = git.root / ".git/traj/installed.json"
    at = git.root / ".git"

    def absolute(name: str) -> str:
        return os.path.normpath(at / name)

    value = json.loads(path.read_bytes())
    value["reflogs"] = {absolute(name): position for name, position in value["reflogs"].items()}
    undo = value["undo"]
    undo |= {key: list(map(absolute, undo[key])) for key in ("hooks", "folders")}
    undo |= {key: {absolute(name): v for name, v in undo[key].items()} for key in ("settings", "told")}
    path.write_text(json.dumps(value))


def copied(git: Git) -> Git:
    return Git(Path(shutil.copytree(git.root, git.root.with_name("copy"), symlinks=True)))


def left(git: Git) -> list[str]:
    """List everything of git-traj in a repository, including its configuration."""
    names = [name for name in OURS for root in (git.root, git.root / ".git") if (root / name).exists()]
    said = (git.root / ".git/config").read_text() + (git.root / ".git/info/exclude").read_text()
    hooks = [path.name for path in (git.root / ".git/hooks").iterdir() if b"traj" in path.read_bytes()]
    return [*names, *hooks, *re.findall(r".*(?:traj|GEMINI).*", said)]


@pytest.mark.parametrize("form", ["relative", "absolute"])
def test_uninstall_in_a_copied_clone_leaves_the_original(git: Git, form: str) -> None:
    set_up(git)
    if form == "absolute":
        make_absolute(git)
    elsewhere = (git.root, git.root.with_name("linked"))
    copy, before = copied(git), files(*elsewhere)
    done = command.traj(copy.root, "uninstall", "--purge")
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.replace(str(copy.root.parent), "")
    hooks = "".join(f"{name}: removed\n" for name in ("post-commit", "pre-commit", "post-rewrite"))
    if has_configured_hooks():
        hooks = said[said.index("post-commit") : said.index("origin")]
    assert said == (
        "settings.local.json: kept: /linked/.claude/settings.local.json is outside this repository\n"
        "hooks.json: kept: /linked/.codex/hooks.json is outside this repository\n"
        "settings.json: kept: /linked/.gemini/settings.json is outside this repository\n"
        "AGENTS.md: kept: /linked/AGENTS.md is outside this repository\n"
        "CLAUDE.local.md: kept: /linked/CLAUDE.local.md is outside this repository\n"
        "GEMINI.md: kept: /linked/GEMINI.md is outside this repository\n"
        "claude-code: removed from /copy/.claude/settings.local.json\n"
        "codex: removed from /copy/.codex/hooks.json\n"
        "gemini: removed from /copy/.gemini/settings.json\n"
        "CLAUDE.local.md: instruction removed from /copy/CLAUDE.local.md\n"
        "AGENTS.md: instruction removed from /copy/AGENTS.md\n"
        "GEMINI.md: instruction removed from /copy/GEMINI.md\n"
        f"{hooks}origin: fetches as before\n"
        "/copy/.git/traj: removed\n"
        "\n"
        "What stays, and what removes it:\n"
        "records that origin may have:\n"
        "    git ls-remote origin 'refs/notes/traj*'\n"
        "the program:\n"
        f"    {sys.executable} -m pip uninstall git-traj\n"
    )
    assert files(*elsewhere) == before
    assert left(copy) == []
    assert command.traj(git.root, "uninstall", "--purge").returncode == 0
    assert left(git) == []
    assert [p.name for p in git.root.with_name("linked").iterdir() if p.name in OURS] == []


@pytest.mark.parametrize("form", ["relative", "absolute"])
def test_uninstall_in_a_renamed_clone(git: Git, form: str) -> None:
    git.commit({"a": "1\n"})
    git("remote", "add", "origin", "/nowhere")
    before = {name.removeprefix(str(git.root)): body for name, body in files(git.root).items()}
    with git.open() as repository:
        install(repository, agents=AGENTS)
    if form == "absolute":
        make_absolute(git)
    renamed = Git(git.root.rename(git.root.with_name("renamed")))
    assert command.traj(renamed.root, "uninstall", "--purge").returncode == 0
    assert {n.removeprefix(str(renamed.root)): body for n, body in files(renamed.root).items()} == before


def test_copy_with_links_into_the_original(git: Git) -> None:
    """Settings that several clones share by a link must not be changed by one clone."""
    set_up(git)
    copy = copied(git)
    for name in (".claude", "AGENTS.md"):
        path = copy.root / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(git.root / name)
    before = files(git.root)
    said = command.traj(copy.root, "uninstall").stdout
    assert f"kept: {copy.root}/.claude/settings.local.json is outside this repository\n" in said
    assert f"kept: {copy.root}/AGENTS.md is outside this repository\n" in said
    assert files(git.root) == before


def test_a_copy_is_drained_without_the_past_of_the_original(desk: Desk) -> None:
    """The cursors of the reflogs have relative names as their keys."""
    desk.commit("one")
    copy = copied(desk.git)
    said = json.loads((copy.root / ".git/traj/cursors.json").read_bytes())
    assert list(said["reflogs"]) == ["."]
    notes = copy("rev-parse", "refs/notes/traj")
    desk.drain(copy)
    assert copy("rev-parse", "refs/notes/traj") == notes


def test_stored_consents_are_removed_too(git: Git) -> None:
    """The trusted list of readers, and the addresses that may be pushed to."""
    git.commit({"a": "1\n"})
    git("remote", "add", "origin", "/nowhere")
    before = (git.root / ".git/config").read_bytes()
    with git.open() as repository:
        install(repository)
    git("config", "traj.trust", "0" * 64)
    git("config", "--add", "traj.trust", "1" * 64)
    git("config", "remote.origin.trajPush", "/nowhere")
    assert command.traj(git.root, "uninstall").returncode == 0
    assert (git.root / ".git/config").read_bytes() == before


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not here")
def test_uninstall_in_a_copied_clone_writes_nowhere_else(git: Git, tmp_path: Path) -> None:
    """strace lists the system calls that change files."""
    set_up(git)
    copy, log = copied(git), tmp_path / "calls"
    strace = ("strace", "-f", "-y", "-s", "4096", "-e", f"trace={CHANGING_CALLS}", "-o", str(log))
    subprocess.run(
        [*strace, sys.executable, "-B", "-m", "gittraj", "uninstall", "--purge"],
        cwd=copy.root,
        check=True,
        capture_output=True,
    )
    changed = [path for line in log.read_text().splitlines() for path in changed_paths(line, copy.root)]
    assert any(path.endswith("/.git/config.lock") for path in changed)
    inside = f"{copy.root}/"
    assert [p for p in changed if not p.startswith((inside, "/dev/"))] == []


def changed_paths(line: str, start: Path) -> list[str]:
    """Return the paths that a system call (a line of ``strace``) changes, not those that it only reads."""
    found = re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+)", line)
    if found is None or int(found[3]) < 0 or found[1] == "chdir":
        return []
    if found[1].startswith("open") and not re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", found[2]):
        return []
    paths = re.findall(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"', found[2])
    return [os.path.normpath(os.path.join(base or start, name)) for base, name in paths]  # noqa: PTH118
