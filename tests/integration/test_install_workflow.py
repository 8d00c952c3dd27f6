"""``git traj install --action``: shown first, never written over a file or through a link, and pinned."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gittraj.commands.install.workflow import STARTERS
from tests.integration import command
from tests.integration.repository import Git

COMMIT = "0123456789abcdef0123456789abcdef01234567"
USES = f"acme/git-traj@{COMMIT}"
ROOT = Path(__file__).resolve().parents[2]


def ask(git: Git, *arguments: str) -> command.Said:
    return command.traj(git.root, "install", "--action", *arguments, "--uses", USES)


@pytest.mark.parametrize("name", STARTERS)
def test_each_workflow_is_written_with_the_full_id_of_a_commit(git: Git, name: str) -> None:
    said = ask(git, name, "--yes")
    path = git.root / ".github" / "workflows" / STARTERS[name]
    assert said.returncode == 0
    written = path.read_text("utf-8")
    assert written in said.stdout, "it is shown first"
    uses = [step["uses"] for job in yaml.safe_load(written)["jobs"].values() for step in job["steps"]]
    assert uses == [USES]
    assert "OWNER" not in written


def test_every_document_is_a_starter() -> None:
    assert {path.stem for path in (ROOT / "docs" / "workflows").glob("*.yml")} == STARTERS.keys()


def test_nothing_is_written_without_consent(git: Git) -> None:
    said = ask(git)
    assert "pull_request" in said.stdout
    assert "Nothing was written: --yes writes it." in said.stdout
    assert "Nothing was written." in ask(git, "--yes", "--dry-run").stdout
    assert not (git.root / ".github").exists()


def test_a_file_that_is_there_stays(git: Git) -> None:
    path = git.root / ".github" / "workflows" / "git-traj.yml"
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    said = ask(git, "--yes")
    assert said.returncode != 0
    assert "already exists and was not changed" in said.stderr
    assert path.read_text() == "mine\n"
    path.unlink()
    path.symlink_to("nowhere")
    assert "already exists and was not changed" in ask(git, "--yes").stderr
    assert not (path.parent / "nowhere").exists()


@pytest.mark.parametrize("link", [".github", ".github/workflows"])
def test_nothing_is_written_through_a_link(git: Git, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    (outside / "workflows").mkdir(parents=True)
    path = git.root / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(outside, target_is_directory=True)
    said = ask(git, "--yes")
    assert said.returncode != 0
    assert "is a link" in said.stderr
    assert [path.name for path in outside.rglob("*")] == ["workflows"]


@pytest.mark.parametrize(
    "uses", ["acme/git-traj@main", f"acme/git-traj@{COMMIT[:12]}", f"a b@{COMMIT}", f"a/b@{COMMIT}\nx"]
)
def test_a_ref_that_may_move_is_refused(git: Git, uses: str) -> None:
    said = command.traj(git.root, "install", "--action", "--yes", "--uses", uses)
    assert said.returncode != 0
    assert "the full id of the commit" in said.stderr
    assert not (git.root / ".github").exists()


def test_without_a_known_commit_one_must_be_given(git: Git) -> None:
    said = command.traj(git.root, "install", "--action", "--yes")
    assert said.returncode != 0, "this git-traj was installed from a folder"
    assert "--uses" in said.stderr


def test_options_that_do_not_belong_together_are_refused(git: Git) -> None:
    for words in (["--action", "--global"], ["--uses", USES], ["--action", "nothing"]):
        assert command.traj(git.root, "install", *words).returncode == 2
