"""husky, lefthook and the pre-commit framework, each installed before git-traj and after it, and removed.

Each hook runs once, a failing hook still stops the commit, and git-traj leaves the manager's hooks unchanged.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.managers import NotInstalledError, prepare_ours, programs
from tests.integration.command import traj
from tests.integration.repository import Git

# a manager's hooks log that they ran; its post-commit hook also logs how often ours had run before
_PRE = 'echo pre >>"$RAN"; exit ${REFUSE:-0}'
_POST = 'echo post $(cat .git/traj/spool 2>/dev/null | grep -c "$(git rev-parse HEAD)") >>"$RAN"'


@dataclass(frozen=True, slots=True)
class Manager:
    """``files`` are the manager's settings; ``folder`` is where it writes hooks; ``behind``: before its own
    hooks it runs those that were there when it was installed."""

    files: dict[str, str]
    install: list[str]
    remove: list[str]
    folder: str
    behind: bool = False


MANAGERS = {
    "husky": Manager(
        {".husky/pre-commit": _PRE + "\n", ".husky/post-commit": _POST + "\n"},
        ["husky"],
        ["sh", "-c", "git config --unset core.hooksPath; rm -r .husky/_"],
        ".husky/_",
    ),
    "lefthook": Manager(
        {
            "pre.sh": _PRE,
            "post.sh": _POST,
            "lefthook.yml": "pre-commit:\n  commands: {a: {run: sh pre.sh}}\n"
            "post-commit:\n  commands: {a: {run: sh post.sh}}\n",
        },
        ["lefthook", "install"],
        ["lefthook", "uninstall"],
        ".git/hooks",
    ),
    "pre-commit": Manager(
        {
            "pre.sh": _PRE,
            "post.sh": _POST,
            ".pre-commit-config.yaml": "default_install_hook_types: [pre-commit, post-commit]\nrepos:\n"
            "- repo: local\n  hooks:\n"
            + "".join(
                f"  - {{id: {kind}, name: {kind}, entry: sh {kind}.sh, language: system, always_run: true,"
                f" pass_filenames: false, stages: [{kind}-commit]}}\n"
                for kind in ("pre", "post")
            ),
        },
        ["pre-commit", "install"],
        ["pre-commit", "uninstall"],
        ".git/hooks",
        behind=True,
    ),
}


@pytest.fixture(scope="session")
def installed() -> str:
    """Return PATH with the managers; replaces the fixture of the agents, which are not needed here."""
    try:
        return os.pathsep.join(map(str, programs()))
    except NotInstalledError as error:
        pytest.skip(str(error))


@dataclass(frozen=True, slots=True)
class Project:
    """A repository with a manager, whose hooks log to the file ``ran``."""

    git: Git
    ran: Path
    manager: Manager

    def run(self, command: list[str]) -> None:
        subprocess.run(command, cwd=self.git.root, capture_output=True, check=True)

    def commit(self) -> tuple[list[str], int]:
        """Commit; return the lines that the manager's hooks logged, and how often ours spooled the commit."""
        self.ran.unlink(missing_ok=True)
        (self.git.root / "file").write_text(self.git.head())
        self.git("add", "file")
        self.git("commit", "-q", "-m", "x")
        spool = self.git.root / ".git/traj/spool"
        spooled = spool.read_text().count(f"commit\t{self.git.head()}") if spool.exists() else 0
        return (self.ran.read_text().splitlines() if self.ran.exists() else []), spooled

    def refuses(self) -> bool:
        (self.git.root / "file").write_text("refused")
        self.git("add", "file")
        done = subprocess.run(
            ["git", "commit", "-qm", "x"],
            cwd=self.git.root,
            env={**os.environ, "REFUSE": "1"},
            capture_output=True,
            check=False,
        )
        return done.returncode == 1

    def hooks(self) -> dict[str, bytes]:
        folders = {self.git.root / ".git/hooks", self.git.root / self.manager.folder}
        files = [p for f in folders if f.exists() for p in f.iterdir() if p.suffix != ".sample"]
        # lefthook's list of the files that it wrote contains the time
        return {str(p): p.read_bytes() for p in files if p.name != "lefthook.checksum"}

    def configured(self) -> bool:
        return "[hook " in (self.git.root / ".git/config").read_text()

    def both(self) -> tuple[list[str], int]:
        """Return what ``commit`` returns while both are installed: our hooks run first."""
        return ["pre", "post 1"], 1


@pytest.fixture(params=MANAGERS)
def project(
    request: pytest.FixtureRequest, installed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Project:
    monkeypatch.setenv("PATH", f"{installed}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("RAN", str(tmp_path / "ran"))
    git = Git.init(tmp_path / "repo")
    manager = MANAGERS[request.param]
    git.commit(dict(manager.files))
    return Project(git, tmp_path / "ran", manager)


def test_edge_22_a_manager_before_ours(project: Project) -> None:
    project.run(project.manager.install)
    alone, hooks = project.commit()[0], project.hooks()
    assert alone == ["pre", "post 0"]
    assert traj(project.git.root, "install").returncode == 0
    assert project.commit() == project.both()
    assert project.refuses()
    project.run(project.manager.install)  # as each `npm install` does
    traj(project.git.root, "doctor", "--fix")
    assert project.commit() == project.both()
    assert traj(project.git.root, "uninstall").returncode == 0
    assert project.hooks() == hooks
    assert project.commit() == (alone, 0)


def test_edge_22_a_manager_after_ours(project: Project) -> None:
    git = project.git
    before = project.hooks()
    traj(git.root, "install")
    ours = project.hooks()
    project.run(project.manager.install)
    lines, spooled = project.commit()
    assert [line.split()[0] for line in lines] == ["pre", "post"]
    if not spooled:  # it overwrote ours, which must be reported
        assert "foreign (git traj doctor)" in traj(git.root, "status").stdout
        assert traj(git.root, "doctor").returncode == 1
        assert traj(git.root, "doctor", "--fix").returncode == 0
    assert project.commit() == project.both()
    assert project.refuses()
    configured = project.configured()
    project.run(project.manager.remove)
    assert project.commit() == ([], 1)
    assert traj(git.root, "doctor", "--fix").returncode == 0
    assert project.commit() == ([], 1)
    assert configured or project.hooks() == ours
    traj(git.root, "uninstall")
    assert project.hooks() == before
    assert project.commit() == ([], 0)


def test_edge_22_a_hook_of_the_user_a_manager_and_ours(project: Project) -> None:
    """The user's hook ends up as the manager alone would have left it."""
    hook = project.git.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\necho mine >>"$RAN"\n')
    hook.chmod(0o755)
    traj(project.git.root, "install")
    assert project.commit() == (["mine"], 1)
    project.run(project.manager.install)
    traj(project.git.root, "doctor", "--fix")
    runs = [*["mine"] * project.manager.behind, *project.both()[0]]
    assert project.commit() == (runs, 1)
    traj(project.git.root, "uninstall")
    assert project.commit() == ([*runs[:-1], "post 0"], 0)
    project.run(project.manager.remove)
    assert project.commit() == (["mine"], 0)


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return prepare_ours(tmp_path_factory.mktemp("framework"))
    except NotInstalledError as error:
        pytest.skip(str(error))


def test_the_framework_runs_our_hook_from_this_repository(
    tmp_path: Path, installed: str, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs through ``.pre-commit-hooks.yaml``, without ``install``: a commit with a secret is refused."""
    monkeypatch.setenv("PATH", f"{installed}{os.pathsep}{os.environ['PATH']}")
    git = Git.init(tmp_path / "repo")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(settings.parent / "cache"))
    git.commit({".pre-commit-config.yaml": settings.read_text()})
    subprocess.run(["pre-commit", "install"], cwd=git.root, capture_output=True, check=True)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    git.write({".trajectories/t.json": f'{{"token": "{secret}"}}\n', "other": "1\n"})
    git("add", "--all")
    before = git.head()
    assert not git.succeeds("commit", "-qm", "refused: it was changed")
    assert git.head() == before
    git("add", "--all")
    git("commit", "-qm", "redacted")
    assert secret not in git("show", "HEAD:.trajectories/t.json")
    assert git("show", "HEAD:other") == "1"
