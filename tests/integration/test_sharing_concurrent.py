"""Many processes write and push at once, next to tools that overwrite refs: no record is lost."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gittraj.errors import StoreError
from gittraj.git import open_repository
from gittraj.model.codec import encode_line
from gittraj.notes import refs as ref_writer
from gittraj.notes.recovery import restore_lost
from gittraj.notes.store import NotesRef
from tests.integration import command
from tests.integration.records import install, traj
from tests.integration.repository import Git
from tests.integration.sharing import RECORDS, bare, clone, refs, tell, told
from tests.integration.story import Story, record
from tests.sizes import size

WRITERS, EACH = size(3, 8), size(8, 50)


@contextmanager
def foreign_writer(git: Git, commit: str) -> Iterator[None]:
    """Run ``git notes add`` in a loop: it moves the ref without comparing."""
    loop = 'until test -e "$1"; do git notes --ref=traj add -f -m foreign "$0" 2>/dev/null; sleep 0.01; done'
    stop = git.root / ".git" / "enough"
    with subprocess.Popen(["sh", "-c", loop, commit, stop], cwd=git.root):
        try:
            yield
        finally:  # wait for the loop's last `git notes`, which would overwrite what was restored meanwhile
            stop.touch()


def _write(root: Path, name: int, commits: list[str]) -> None:
    with open_repository(root) as repository:
        for n in range(EACH):
            Story(repository).note(commits[n % len(commits)], record(f"traj_{name}_{n}"))


def test_edge_6_writers_beside_a_foreign_one(git: Git) -> None:
    """In the nightly run eight processes write fifty records each, while ``git notes add`` overwrites the
    ref."""
    commits = [git.commit({"file": f"{n}\n"}) for n in range(10)]
    install(git)
    traj(git, "status")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(git.root, name, commits)) for name in range(WRITERS)]
    with foreign_writer(git, git.commit({"file": "theirs\n"})):
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    everything = {f"traj_{name}_{n}" for name in range(WRITERS) for n in range(EACH)}
    assert set().union(*told(git).values()) != everything, "nothing was overwritten: the test proves nothing"
    traj(git, "log")
    found = told(git)
    assert everything - set().union(*found.values()) == set()
    assert all({f"traj_{name}_{n}" for name in range(WRITERS)} <= found[commits[n % 10]] for n in range(EACH))
    git("fsck", "--strict")
    tip = refs(git)[RECORDS]
    traj(git, "log")
    assert refs(git)[RECORDS] == tip, "a restored record is not restored again"


def overwrite_ref(git: Git, *, by: tuple[str, ...]) -> None:
    """Overwrite the ref like a writer that read it before our last record."""
    tip = git("rev-parse", RECORDS)
    git("update-ref", RECORDS, f"{tip}^")
    git("notes", "--ref=traj", *by)
    theirs = git("rev-parse", RECORDS)
    log = git.root / ".git" / "logs" / RECORDS
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-2]))
    git("update-ref", "--no-deref", RECORDS, tip)
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    git("update-ref", "-m", "notes: Notes added by 'git notes add'", RECORDS, theirs, tip)


@pytest.fixture
def three(git: Git) -> list[str]:
    """Make three commits; the first two have records, and the drain has seen only the first one."""
    commits = [git.commit({"file": f"{n}\n"}) for n in range(3)]
    install(git)
    tell(git, commits[0], "traj_zero")
    traj(git, "status")
    tell(git, commits[1], "traj_one")
    return commits


def test_an_overwritten_record_is_restored(git: Git, three: list[str]) -> None:
    overwrite_ref(git, by=("add", "-m", "foreign", three[2]))
    assert told(git).keys() == {three[0], three[2]}
    traj(git, "log")
    assert told(git) == {three[0]: {"traj_zero"}, three[1]: {"traj_one"}, three[2]: set()}


def test_a_record_overwritten_during_its_restoration_is_restored_too(
    git: Git, three: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    overwrite_ref(git, by=("add", "-m", "foreign", three[2]))

    def overwrite_again(*given: Any, **named: Any) -> str | None:
        monkeypatch.undo()
        tell(git, three[1], "traj_late")
        overwrite_ref(git, by=("add", "-f", "-m", "again", three[2]))
        return ref_writer.move_ref(*given, **named)

    monkeypatch.setattr("gittraj.notes.recovery.move_ref", overwrite_again)
    traj(git, "log")
    assert told(git)[three[1]] == {"traj_one", "traj_late"}


def test_an_overwritten_record_is_restored_without_the_local_state(git: Git, three: list[str]) -> None:
    overwrite_ref(git, by=("add", "-m", "foreign", three[2]))
    (git.root / ".git" / "traj" / "cursors.json").unlink()
    traj(git, "log")
    assert told(git)[three[1]] == {"traj_one"}


def test_a_note_that_was_removed_stays_removed(git: Git, three: list[str]) -> None:
    git("notes", "--ref=traj", "remove", three[0])
    traj(git, "log")
    assert told(git) == {three[1]: {"traj_one"}}


def test_two_notes_that_were_removed_at_once_stay_removed(git: Git, three: list[str]) -> None:
    """The notes are removed just after they were written: the tree is then that of the earlier notes."""
    git("notes", "--ref=traj", "remove", *three[:2], env={"GIT_COMMITTER_DATE": "2026-01-02T03:04:15Z"})
    command.traj(git.root, "repair")
    assert told(git) == {}


def test_a_removal_that_overwrote_another_record_stays(git: Git, three: list[str]) -> None:
    overwrite_ref(git, by=("remove", three[0]))
    traj(git, "log")
    assert told(git) == {three[1]: {"traj_one"}}


def test_records_that_we_removed_ourselves_stay_removed(git: Git, three: list[str]) -> None:
    word = b"traj_one"
    with git.open() as repository:
        NotesRef(repository).write(
            {three[1]: lambda _: encode_line(record("traj_new")) + b"\n"},
            message="git-traj: anew",
            forget=[word],
        )
    traj(git, "log")
    assert told(git)[three[1]] == {"traj_new"}
    assert word not in b"".join(git.raw("log", "-p", "--format=", RECORDS).splitlines())


def test_a_ref_that_was_deleted_stays_deleted(git: Git, three: list[str]) -> None:
    git("update-ref", "-d", RECORDS)
    with git.open() as repository:
        assert restore_lost(repository, since=None) is None
    assert three
    assert refs(git, RECORDS) == {}


def test_missing_history_of_the_ref_is_not_an_error(git: Git, three: list[str]) -> None:
    overwrite_ref(git, by=("add", "-m", "foreign", three[2]))
    git("reflog", "expire", "--expire=all", RECORDS)
    git("gc", "--quiet", "--prune=now")
    traj(git, "log")
    assert told(git).keys() == {three[0], three[2]}


def test_edge_6_a_locked_ref(git: Git, three: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """We wait for the lock, then report it and write nothing at all; a dead writer's lock is removed."""
    lock = git.root / ".git" / f"{RECORDS}.lock"
    lock.touch()
    monkeypatch.setattr(ref_writer, "_TIMEOUT", 0.1)
    with pytest.raises(StoreError, match="could not be updated"):
        tell(git, three[2], "traj_two")
    assert told(git).keys() == {three[0], three[1]}
    monkeypatch.setattr(ref_writer, "_STALE", 0.0)
    tell(git, three[2], "traj_two")
    assert told(git)[three[2]] == {"traj_two"}


RECORDS_EACH = size(6, 100)
_PUSHER = """
import sys
from pathlib import Path
from gittraj.git import open_repository
from gittraj.sync.remote import find_remote
from gittraj.sync.transfer import push
from tests.integration.story import Story, record
root, name, commit, count = sys.argv[1:]
for n in range(int(count)):
    with open_repository(Path(root)) as repository:
        Story(repository).note(commit, record(f"traj_{name}_{n}"))
        push(repository, find_remote(repository, "origin"))
"""


@pytest.mark.nightly
def test_two_clones_push_a_hundred_each(tmp_path: Path) -> None:
    server = bare(tmp_path / "server.git")
    first = clone(server, tmp_path / "first")
    commit = first.commit({"file": "1\n"})
    first("push", "-q", "origin", "main")
    clones = [clone(server, tmp_path / name) for name in ("ann", "bob")]
    root = str(Path(__file__).parents[2])

    def run(git: Git) -> subprocess.CompletedProcess[bytes]:
        arguments = [str(git.root), git.root.name, commit, str(RECORDS_EACH)]
        return subprocess.run([sys.executable, "-c", _PUSHER, *arguments], cwd=root, check=True, timeout=500)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, clones))
    everything = {f"traj_{name}_{n}" for name in ("ann", "bob") for n in range(RECORDS_EACH)}
    assert told(server) == {commit: everything}
    for git in clones:
        traj(git, "sync")
        assert told(git) == told(server)
    assert server("fsck", "--strict", "--full") == ""
