"""``install --global``: new repositories and clones record; uninstall restores the user's git exactly."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.integration.command import traj
from tests.integration.repository import Git
from tests.integration.terminal import at_terminal


@pytest.fixture(autouse=True)
def no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_TEMPLATE_DIR")


def config() -> Path:
    return Path(os.environ["GIT_CONFIG_GLOBAL"])


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def records(git: Git) -> bool:
    """Make a commit; return whether it is spooled."""
    git("commit", "-q", "--allow-empty", "-m", "x")
    spool = git.root / ".git/traj/spool"
    return spool.exists() and spool.read_text().splitlines()[-1].split("\t")[2] == git.head()


def test_new_repositories_and_clones_record(tmp_path: Path, git: Git) -> None:
    git.commit({"a": "1"})
    before, plain = config().read_bytes(), set(files(Git.init(tmp_path / "plain").root / ".git"))
    done = traj(tmp_path, "install", "--global")
    assert (done.returncode, done.stderr) == (0, "")
    assert traj(tmp_path, "install", "--global").stdout.count("already there") == 1
    made = Git.init(tmp_path / "made")
    assert plain <= set(files(made.root / ".git"))  # our template contains git's own template
    git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = Git(tmp_path / "clone")
    assert records(made)
    assert records(clone)
    assert not records(git)  # this repository existed before
    assert "Hooks: OK" in traj(clone.root, "status").stdout
    assert traj(clone.root, "doctor").returncode == 0
    assert traj(clone.root, "install", "--json").returncode == 0
    assert "refs/notes/traj*" in clone("config", "--get-all", "remote.origin.fetch")

    assert traj(tmp_path, "uninstall", "--global").returncode == 0
    assert config().read_bytes() == before
    assert not (Path.home() / ".config/git-traj/template").exists()
    assert records(made)
    assert not records(Git.init(tmp_path / "later"))
    assert traj(clone.root, "uninstall", "--purge").returncode == 0
    assert not records(clone)
    assert traj(tmp_path, "uninstall", "--global").stderr == "nothing to remove\n"


def test_a_template_of_the_users_own(tmp_path: Path) -> None:
    """The hook in the user's template is copied, too, and runs first. Uninstall restores the setting."""
    template = tmp_path / "template"
    (template / "hooks").mkdir(parents=True)
    hook = template / "hooks/post-commit"
    hook.write_text("#!/bin/sh\ntouch theirs\n")
    hook.chmod(0o755)
    with config().open("a") as stream:
        stream.write(f"[init]\n\ttemplateDir = {template}\n")
    before, settings = files(template), config().read_bytes()
    traj(tmp_path, "install", "--global")
    assert config().read_bytes() == settings
    made = Git.init(tmp_path / "made")
    assert records(made)
    assert (made.root / "theirs").exists()
    with config().open("a") as stream:
        stream.write("[alias]\n\tx = status\n")
    settings = config().read_bytes()
    traj(tmp_path, "uninstall", "--global")
    assert (files(template), config().read_bytes()) == (before, settings)


def test_a_configuration_that_somebody_changed_since(tmp_path: Path) -> None:
    traj(tmp_path, "install", "--global")
    with config().open("a") as stream:
        stream.write("[alias]\n\tx = status\n")
    traj(tmp_path, "uninstall", "--global")
    assert "x = status" in config().read_text()
    assert "templateDir" not in config().read_text()


def test_doctor_repairs_a_template_whose_interpreter_is_gone(git: Git, tmp_path: Path) -> None:
    traj(tmp_path, "install", "--global")
    traj(git.root, "install")
    for path in (Path.home() / ".config/git-traj/template/hooks").glob("p*t*-*[!e]"):
        path.write_bytes(path.read_bytes().replace(sys.executable.encode(), b"/gone/python"))
    assert records(Git.init(tmp_path / "made"))  # the hook adds a line to the spool, and starts no worker
    done = traj(git.root, "doctor", "--fix")
    assert "fixed: the hooks that new repositories get can no longer start git-traj" in done.stdout
    assert "fixed" not in traj(git.root, "doctor", "--fix").stdout


def test_options_that_global_installs_refuse(tmp_path: Path) -> None:
    before = config().read_bytes()
    for options in (("--agent", "codex"), ("--no-fetch-refspec",)):
        assert traj(tmp_path, "install", "--global", *options).returncode == 2
    assert traj(tmp_path, "uninstall", "--global", "--purge").returncode == 2
    assert "Nothing was written." in traj(tmp_path, "install", "--global", "--dry-run").stdout
    assert config().read_bytes() == before
    assert not (Path.home() / ".config/git-traj").exists()


@pytest.mark.parametrize("team", [True, False])
def test_a_clone_of_a_project_that_records_gets_a_hint(git: Git, team: bool) -> None:
    """A terminal shows it, and so do ``status`` and ``doctor``; a script does not get it."""
    git.commit({"a": "1", **({".gittraj.yml": "thinking: drop\n"} if team else {})})
    hint = "hint: this project records agents' work, but this clone does not; run git traj install"
    assert (hint in at_terminal(git.root, "--no-pager", "log", "--all")[1]) is team
    assert hint not in traj(git.root, "log", "--all").stderr
    for command in ("status", "doctor"):
        assert ("says that this project records" in traj(git.root, command).stdout) is team
    traj(git.root, "install")
    assert hint not in at_terminal(git.root, "--no-pager", "log", "--all")[1]
    assert git("status", "--porcelain") == ""
