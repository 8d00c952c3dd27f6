"""``core.hooksPath`` of every kind: our hooks run once, next to others, and uninstall leaves nothing.

If git runs hooks of its configuration (2.54), ours are installed there if the hooks folder is not the
repository's own.
"""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from gittraj.commands.doctor.facts import gather
from gittraj.commands.doctor.findings import examine
from gittraj.commands.install import inspection
from gittraj.commands.install.install import install
from gittraj.commands.install.shims import HOOKS
from gittraj.commands.install.uninstall import uninstall
from gittraj.config import Environ
from gittraj.git import Repository
from tests.integration.command import traj
from tests.integration.repository import Git, has_configured_hooks

THEIRS = '#!/bin/sh\necho theirs >>"$RAN"\nexit ${THEY_END:-0}\n'


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that other tools' hooks write to."""
    path = tmp_path / "ran"
    monkeypatch.setenv("RAN", str(path))
    return path


def write_their_hooks(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or HOOKS:
        (folder / name).write_text(THEIRS)
        (folder / name).chmod(0o755)


def state(git: Git) -> dict[str, tuple[int, bytes]]:
    """The mode and content of every file that an installation may change."""
    common = Path(git("rev-parse", "--path-format=absolute", "--git-common-dir"))
    roots = [common / "hooks", git.root / "ci", git.root / ".husky"]
    files = [common / "config", *(p for root in roots for p in root.rglob("*") if p.is_file())]
    return {str(p): (stat.S_IMODE(p.stat().st_mode), p.read_bytes()) for p in files}


def put_in(git: Git) -> list[str]:
    with git.open() as repository:
        return [step.did for step in install(repository) if step.what == "hook"]


def take_out(git: Git) -> None:
    with git.open() as repository:
        assert "failed" not in [step.did for step in uninstall(repository)]


def spooled(git: Git, kind: str = "commit") -> list[str]:
    common = Path(git("rev-parse", "--path-format=absolute", "--git-common-dir"))
    path = common / "traj/spool"
    lines = path.read_text().splitlines() if path.exists() else []
    fields = [line.removeprefix("2\t").split("\t") for line in lines]
    return [commit for found, commit, *_ in fields if found == kind]


def findings(git: Git) -> dict[str, str]:
    with git.open() as repository:
        return {f.code: f.severity for f in examine(repository, gather(repository, Environ.of(os.environ)))}


def commit(git: Git) -> str:
    done = subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "x"], cwd=git.root, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return git.head()


@pytest.mark.parametrize(
    ("hooks_path", "scope"),
    [
        ("/dev/null", "--global"),
        ("OUTSIDE", "--global"),
        ("~/hooks", "--local"),
        ("/nowhere/at/all", "--local"),
    ],
)
def test_edge_22_hooks_path_outside_the_repository(
    git: Git, tmp_path: Path, ran: Path, hooks_path: str, scope: str
) -> None:
    """The folder is never written to; our hooks are in git's configuration if it runs them, and run first."""
    outside = Path.home() / "hooks" if hooks_path.startswith("~") else tmp_path / "outside"
    write_their_hooks(outside)
    git("config", scope, "core.hooksPath", hooks_path.replace("OUTSIDE", str(outside)))
    before, shared = state(git), {p.name: p.read_bytes() for p in outside.iterdir()}
    able = has_configured_hooks()
    assert put_in(git) == (["added"] * 3 if able else ["skipped"])
    assert put_in(git) == (["unchanged"] * 3 if able else ["skipped"])
    assert {p.name: p.read_bytes() for p in outside.iterdir()} == shared
    made = commit(git)
    assert spooled(git) == ([made] if able else [])
    runs = hooks_path in ("OUTSIDE", "~/hooks")
    assert (ran.read_text() if ran.exists() else "") == ("theirs\n" * 2 if runs else "")
    assert findings(git) == ({} if able else {"hooks-elsewhere": "note", "without-hook": "note"})
    take_out(git)
    assert state(git) == before
    assert {p.name: p.read_bytes() for p in outside.iterdir()} == shared


@pytest.mark.parametrize("kind", ["relative", "absolute", "worktree"])
def test_edge_22_hooks_path_inside_the_repository(git: Git, ran: Path, kind: str) -> None:
    """The other tool's hook runs once, and first if ours is in the same folder; git gets its status."""
    folder = git.root / "ci/hooks"
    write_their_hooks(folder)
    if kind == "worktree":
        git("config", "extensions.worktreeConfig", "true")
    value = str(folder) if kind == "absolute" else "ci/hooks"
    git("config", *(["--worktree"] if kind == "worktree" else []), "core.hooksPath", value)
    before = state(git)
    put_in(git)
    made = commit(git)
    assert (spooled(git), ran.read_text()) == ([made], "theirs\n" * 2)
    assert (state(git) == before) is False
    assert (set(folder.iterdir()) == {folder / name for name in HOOKS}) is has_configured_hooks()
    done = subprocess.run(
        ["git", "commit", "--allow-empty", "-m", "x"],
        cwd=git.root, env={**os.environ, "THEY_END": "3"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, git.head()) == (1, made)
    assert findings(git) == {}
    take_out(git)
    assert state(git) == before


def test_edge_22_hooks_path_of_one_worktree(git: Git, tmp_path: Path, ran: Path) -> None:
    """Set in a linked worktree's own configuration: each worktree's commits are spooled once."""
    git.commit({"a": "1"})
    git("config", "extensions.worktreeConfig", "true")
    git("worktree", "add", "-q", "../linked")
    linked = Git(tmp_path / "linked")
    write_their_hooks(linked.root / "ci/hooks")
    linked("config", "--worktree", "core.hooksPath", "ci/hooks")
    put_in(linked)
    assert spooled(git) == []
    assert [commit(git), commit(linked)] == spooled(git)
    assert ran.read_text() == "theirs\n" * 2
    assert findings(git) == findings(linked) == {}
    take_out(git)
    assert sorted(p.name for p in (linked.root / "ci/hooks").iterdir()) == sorted(HOOKS)


def test_edge_22_a_relative_hooks_path_in_a_new_worktree(git: Git, tmp_path: Path) -> None:
    """The relative path is another folder in the new worktree: ``doctor`` reports it, and repairs it."""
    git.commit({"a": "1"})
    git("config", "core.hooksPath", "ci/hooks")
    put_in(git)
    git("worktree", "add", "-q", "../linked")
    linked = Git(tmp_path / "linked")
    if not has_configured_hooks():
        assert findings(linked) == {"hook-missing": "wrong"}
        assert traj(linked.root, "doctor", "--fix").returncode == 0
    assert [commit(linked)] == spooled(git)
    assert findings(linked) == {}


def test_edge_22_hooks_path_that_comes_and_goes(git: Git, ran: Path) -> None:
    """Another tool takes the hooks over, and is removed again: our hooks never run twice."""
    put_in(git)
    write_their_hooks(git.root / ".husky/_")
    git("config", "core.hooksPath", ".husky/_")
    commit(git)
    assert (spooled(git), ran.read_text()) == ([], "theirs\n" * 2)
    assert findings(git)["hook-foreign"] == "wrong"
    assert "post-commit foreign" in traj(git.root, "status").stdout
    assert traj(git.root, "doctor", "--fix").returncode == 0
    commits = [commit(git)]
    assert (spooled(git), findings(git)) == (commits, {"without-hook": "note"})
    git("config", "--unset", "core.hooksPath")
    commits.append(commit(git))
    assert spooled(git) == commits
    assert "wrong" not in findings(git).values()
    take_out(git)
    assert not [p for p in (git.root / ".git/hooks").iterdir() if p.suffix != ".sample"]
    assert "git-traj" not in (git.root / ".git/config").read_text()


# ---------------------------------------------------------------- hooks of git's configuration


@pytest.fixture
def configured(git: Git) -> Git:
    if not has_configured_hooks():
        pytest.skip("this git has no hooks in its configuration (2.54)")
    git("config", "core.hooksPath", "/dev/null")
    put_in(git)
    return git


def test_configured_hooks_next_to_others(configured: Git, ran: Path) -> None:
    """Other hooks of the configuration run once, with stdin and arguments; ours never fail the commit."""
    git = configured
    git("config", "hook.other.command", 'f() { echo "other $*"; cat; } >>"$RAN"; f')
    for event in ("post-commit", "post-rewrite"):
        git("config", "--add", "hook.other.event", event)
    first = commit(git)
    git("commit", "-q", "--amend", "--allow-empty", "-m", "y")
    assert ran.read_text().split() == ["other", "other", "other", "amend", first, git.head()]
    assert spooled(git) == [first, git.head()]
    assert spooled(git, "rewrite") == [first]


def test_configured_hooks_of_a_moved_repository(configured: Git, tmp_path: Path) -> None:
    """git would refuse the commit if our hook's command failed: so it does nothing, and doctor repairs it."""
    configured.root.rename(tmp_path / "moved")
    git = Git(tmp_path / "moved")
    commit(git)
    assert spooled(git) == []
    assert findings(git)["hook-dead"] == "wrong"
    assert traj(git.root, "doctor", "--fix").returncode == 0
    assert commit(git) == spooled(git)[-1]


def test_configured_hooks_that_somebody_switched_off(configured: Git) -> None:
    git = configured
    git("config", "hook.git-traj-post-commit.enabled", "false")
    git("config", "hook.post-rewrite.enabled", "false")
    commit(git)
    assert spooled(git) == []
    assert findings(git) == {"hook-off": "note", "without-hook": "note"}
    assert put_in(git) == ["unchanged"] * 3
    take_out(git)
    assert "git-traj" not in (git.root / ".git/config").read_text()


def test_configured_hooks_of_which_somebody_removed_half(configured: Git) -> None:
    git = configured
    git("config", "--unset", "hook.git-traj-pre-commit.event")
    (git.root / ".git/traj/hooks/post-rewrite").unlink()
    assert findings(git) == {"hook-missing": "wrong"}
    assert traj(git.root, "doctor", "--fix").returncode == 0
    assert findings(git) == {}


def test_configured_hooks_become_files_where_git_is_older(configured: Git, tmp_path: Path) -> None:
    """And configured hooks again with a newer git: the hooks are never installed in both places."""
    git = configured
    older = tmp_path / "older"
    older.mkdir()
    real = subprocess.check_output(["sh", "-c", "command -v git"], text=True).strip()
    (older / "git").write_text(
        f'#!/bin/sh\ncase " $* " in *" version "*) echo git version 2.53.0 ;; *) exec {real} "$@" ;; esac\n'
    )
    (older / "git").chmod(0o755)
    git("config", "core.hooksPath", "ci/hooks")
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{older}:{path}"
    try:
        put_in(git)
        assert "git-traj" not in (git.root / ".git/config").read_text()
        assert sorted(p.name for p in (git.root / "ci/hooks").iterdir()) == sorted(HOOKS)
    finally:
        os.environ["PATH"] = path
    put_in(git)
    assert not (git.root / "ci").exists() or not any((git.root / "ci/hooks").iterdir())
    made = commit(git)
    assert spooled(git).count(made) == 1


def test_git_is_asked_once_whether_it_knows_configured_hooks(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Repository] = []

    def ask(repository: Repository) -> bool:
        asked.append(repository)
        return True

    monkeypatch.setattr(inspection, "is_supported", ask)
    git("config", "hook.git-traj-post-commit.command", "gone")
    git("config", "hook.git-traj-post-commit.event", "post-commit")
    with git.open() as repository:
        found = gather(repository, Environ.of({}))
    assert found.folder.configured
    assert [hook.state for hook in found.hooks if hook.name == "post-commit"] == ["dead"]
    assert len(asked) == 1
