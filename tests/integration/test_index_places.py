"""The index where there is no room for it, and in linked worktrees."""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gittraj.index.file import LISTINGS
from gittraj.index.schema import FOLDER
from tests.integration.random_history import RandomHistory
from tests.integration.repository import Git

TRAJ = [sys.executable, "-m", "gittraj"]


@pytest.fixture
def history(tmp_path: Path) -> RandomHistory:
    made = RandomHistory(tmp_path / "repo", random.Random(11))
    made.grow(60)
    made.add_records(0.8)
    return made


def run_command(command: Sequence[str], root: Path, before: Callable[[], None] | None = None) -> str:
    """Run a command; return stdout, stderr and status."""
    ran = subprocess.run(command, cwd=root, capture_output=True, check=False, preexec_fn=before)
    return f"{ran.returncode}\n{ran.stdout.decode()}{ran.stderr.decode()}"


def answer_without_index(history: RandomHistory) -> str:
    """The answer in a repository where no index can be written."""
    folder = history.root / ".git" / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("in the way")
    said = run_command([*TRAJ, "log"], history.root)
    folder.unlink()
    return said


@pytest.mark.nightly
def test_listings_work_where_files_cannot_grow(history: RandomHistory) -> None:
    """A limit on the size of files is reached while the index is built, updated, or caches an answer."""
    answer = answer_without_index(history)
    folder = history.root / ".git" / FOLDER
    for pages in (0, 1, 5, 12, 20):

        def limit(size: int = 4096 * pages) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        assert run_command([*TRAJ, "log"], history.root, limit) == answer, pages
        assert not [path.name for path in folder.glob(f"{LISTINGS.name}.new*")], pages
    assert run_command([*TRAJ, "log"], history.root) == answer
    whole = (folder / LISTINGS.name).stat().st_size

    def limit_to_half() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (whole // 2, whole // 2))

    history.grow(60)
    history.add_records(0.9)
    answer = answer_of_a_copy(history)
    assert run_command([*TRAJ, "log"], history.root, limit_to_half) == answer
    assert run_command([*TRAJ, "log"], history.root) == answer
    assert run_command([*TRAJ, "log"], history.root, limit_to_half) == answer  # reading needs no room


def answer_of_a_copy(history: RandomHistory) -> str:
    """The answer of a process that does not use the index."""
    copy = history.root.with_name("plain")
    shutil.copytree(history.root, copy)
    return answer_without_index(RandomHistory(copy, random.Random(0)))


def test_listings_work_where_the_disk_is_full(history: RandomHistory) -> None:
    """The index is on a small file system of its own, which ends with the command."""
    answer = answer_without_index(history)
    folder = history.root / ".git" / FOLDER
    folder.mkdir()
    full = 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"'
    inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", full, "sh"]
    if (
        shutil.which("unshare") is None
        or run_command([*inside, "8k", str(folder), "true"], history.root) != "0\n"
    ):
        pytest.skip("no file system can be mounted here")
    for size in ("4k", "16k", "40k", "64k"):
        assert run_command([*inside, size, str(folder), *TRAJ, "log"], history.root) == answer, size


def test_linked_worktrees_share_the_index(history: RandomHistory) -> None:
    git = Git(history.root)
    other = history.root.with_name("other")
    git("worktree", "add", "--quiet", "--detach", "--no-checkout", str(other), history.commits[40])
    folder = history.root / ".git" / FOLDER
    folder.write_text("in the way")
    words = [*TRAJ, "log", "--file", "src"]
    plain = {root: run_command(words, root) for root in (history.root, other)}
    assert plain[history.root] != plain[other]
    folder.unlink()
    for _ in range(2):  # first built, then cached
        for root, said in plain.items():
            assert run_command(words, root) == said
    assert (folder / LISTINGS.name).exists()
    assert not [*(history.root / ".git" / "worktrees").rglob(FOLDER)]
