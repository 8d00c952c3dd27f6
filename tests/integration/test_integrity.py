"""``git traj doctor`` after a power failure, a kill or a careless command: each damage has its own message;
files without records are repaired, and none with a record is touched.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gittraj.errors import StoreError
from gittraj.index.schema import FOLDER
from gittraj.notes.recovery import find_deleted
from gittraj.notes.refs import move_ref
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.records import install
from tests.integration.repository import Git
from tests.integration.sharing import refs, tell
from tests.sizes import in_turn, some

FORMS = ("sha1", "sha256")


def make(root: Path, form: str = "sha1") -> Git:
    """Make an installed repository with records on the commits ``one`` and ``two``."""
    git = Git.init(root, f"--object-format={form}")
    git.commit(message="base")
    install(git)
    git("config", "core.hooksPath", "/dev/null")  # no worker writes during the test
    for name in ("one", "two"):
        tell(git, git.commit({name: name}, name), f"traj_{name}", text=os.urandom(3000).hex())
    git("config", "--unset", "core.hooksPath")
    assert doctor(git) == []
    return git


def doctor(git: Git, *options: str) -> list[str]:
    """Return the findings, except those about commits that this test makes, and about the index."""
    done = traj(git.root, "doctor", *options)
    lines = done.stdout.splitlines()
    found = [at for at, line in enumerate(lines) if line.split(":")[0] in ("wrong", "note", "fixed")]
    findings = [line for at in found for line in lines[at : at + 1 + (not lines[at].startswith("fixed"))]]
    assert done.returncode == int(any(line.startswith("wrong: ") for line in findings)), done
    skipped = ("note: made without a hook", "    nothing to do while the hooks", "note: there is no index")
    return [line for line in findings if not line.startswith(skipped) and FOLDER not in line]


def file_of(git: Git, revision: str) -> Path:
    """Return the file of a loose object, after making it writable."""
    oid = git("rev-parse", revision)
    path = git.root / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    return path


@pytest.mark.parametrize("form", some(FORMS, 1))
@pytest.mark.parametrize("bytes_left", [0, 40])
def test_a_note_that_was_cut_short(tmp_path: Path, form: str, bytes_left: int) -> None:
    """libgit2 hangs on such an object, and ``git cat-file --batch`` dies; the other notes are still read."""
    git = make(tmp_path / "repo", form)
    head = git.head()
    note = file_of(git, f"refs/notes/traj:{head[:2]}/{head[2:]}")
    note.write_bytes(note.read_bytes()[:bytes_left])
    assert (
        doctor(git)[:2]
        == [  # a third finding follows: a segment that no record names now
            f"wrong: the note of {head[:12]} is not here",
            "    git fetch it again without a filter, or restore it from another clone",
        ]
    )
    said = traj(git.root, "log", "--oneline")
    assert (said.returncode, said.stderr, said.stdout.split()[1:2]) == (0, "", ["one"])


@pytest.mark.parametrize("form", some(FORMS, 1))
def test_a_folder_of_notes_that_is_gone(tmp_path: Path, form: str) -> None:
    git = make(tmp_path / "repo", form)
    tree = git("rev-parse", f"refs/notes/traj:{git.head()[:2]}")
    file_of(git, tree).unlink()
    found = doctor(git, "--fix")
    assert found[-2:] == [
        f"wrong: records cannot be read: tree {tree} is missing",
        "    git fsck, then fetch from an intact clone",
    ]
    before = refs(git)
    shutil.rmtree(
        git.root / ".git" / "traj-index", ignore_errors=True
    )  # while it is current, no tree is read
    assert f"Wrong: records cannot be read: tree {tree} is missing" in traj(git.root, "status").stdout
    assert refs(git) == before


@pytest.mark.parametrize("form", some(FORMS, 1))
@pytest.mark.parametrize("content", ["", "0123\n", "ref: refs/notes/gone\n", "ref: refs/notes/back\n"])
def test_a_ref_that_names_no_commit(tmp_path: Path, form: str, content: str) -> None:
    """The ref's file is empty or cut short, or refers to a missing ref, or to one that refers back to it."""
    git = make(tmp_path / "repo", form)
    before = refs(git)
    path = git.root / ".git/refs/notes/traj"
    path.with_name("back").write_text("ref: refs/notes/traj\n")
    path.write_text(content)
    last = before["refs/notes/traj"][:12]
    text = f"refs/notes/traj names no commit ({path}); its reflog has it last at {last}"
    damaged = "refs/notes/traj is damaged: it names no commit"
    push = ["push", "--dry-run", str(tmp_path)]
    for words in (["log"], ["show"], ["repair"], ["stats"], ["context", "file"], push):
        said = traj(git.root, *words)
        assert (said.returncode, said.stderr.splitlines()[-2:]) == (
            1,
            [f"error: {damaged}", "hint: git traj doctor --fix"],
        ), said
    assert all(f"Wrong: {damaged}" in traj(git.root, *words).stdout for words in ([], ["status"]))
    assert f"wrong: {text}" in doctor(git)
    assert f"fixed: {text}" in doctor(git, "--fix")
    path.with_name("back").unlink()
    assert refs(git) == before
    assert doctor(git) == []


def test_no_command_waits_for_a_broken_ref(desk: Desk) -> None:
    desk.commit("one")
    tips = {"refs/notes/traj": desk.git("rev-parse", "refs/notes/traj").strip()}
    (desk.git.root / ".git/refs/notes/traj").write_text("")
    with desk.git.open() as repository:
        assert find_deleted(repository, tips) == {}, "it is not gone: doctor --fix mends it"
        with pytest.raises(StoreError, match="names no commit"):
            move_ref(repository, "refs/notes/traj", lambda _: tips["refs/notes/traj"], message="x")


Harm = Callable[[Git], None]


def leave_files(git: Git) -> None:
    make_old(git.root / ".git/traj/cursors.4711")
    (git.root / ".git/traj/active").mkdir(exist_ok=True)
    make_old(git.root / ".git/traj/active/traj_a.json.4711.1")


def leave_lock(git: Git) -> None:
    make_old(git.root / ".git/refs/notes/traj.lock")


def leave_remote_lock(git: Git) -> None:
    make_old(git.root / ".git/refs/notes-remote/origin/traj.lock")


def make_old(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (1, 1))


def drop_refspec(git: Git) -> None:
    git("remote", "add", "origin", "/nowhere")
    assert traj(git.root, "install").returncode == 0
    git("config", "--fixed-value", "--unset", "remote.origin.fetch", "^refs/notes/traj-data*")


HARMS: list[tuple[Harm, str, str]] = [
    (
        leave_files,
        "note",
        "a killed process left 2 unfinished files ({git}/traj/active/traj_a.json.4711.1 …)",
    ),
    (leave_lock, "wrong", "a killed process left {git}/refs/notes/traj.lock: no other process can write"),
    (
        leave_remote_lock,
        "wrong",
        "a killed process left {git}/refs/notes-remote/origin/traj.lock: no other process can write",
    ),
    (drop_refspec, "note", "git fetch origin no longer brings records: ^refs/notes/traj-data* was taken out"),
]


def test_leftovers_are_repaired_and_records_stay(tmp_path: Path) -> None:
    git = make(tmp_path / "repo")
    before = refs(git)
    for harm, severity, words in HARMS:
        harm(git)
        text = words.format(git=git.root / ".git")
        assert doctor(git)[:1] == [f"{severity}: {text}"]
        assert doctor(git, "--fix") == [f"fixed: {text}"]
        assert doctor(git) == []
    assert refs(git) == before


def test_a_damaged_index_is_rebuilt(tmp_path: Path) -> None:
    git = make(tmp_path / "repo")
    asked = (["log", "--oneline"], ["log", "--oneline", "--file", "two"], ["search", "message"])
    answers = [traj(git.root, *each).stdout for each in asked]
    for path in (git.root / ".git" / FOLDER).iterdir():
        path.write_bytes(path.read_bytes()[:3000] + b"damage" * 500)
    assert doctor(git) == []
    assert [traj(git.root, *each).stdout for each in asked] == answers


def test_recording_continues_after_a_truncated_note(desk: Desk) -> None:
    """An agent's commit, a truncated note, and then further work."""
    desk.commit("a")
    head = desk.git.head()
    file_of(desk.git, f"refs/notes/traj:{head[:2]}/{head[2:]}").write_bytes(b"")
    desk.commit("b")
    assert desk.recorded() == {"b": {"b"}}


def delete_refs(git: Git) -> dict[str, str]:
    """Delete all refs with their reflogs, as ``git fetch --prune origin '+refs/notes/*:refs/notes/*'`` does;
    return the deleted refs."""
    before = refs(git)
    for ref in before:
        git("update-ref", "-d", ref)
    assert refs(git) == {}
    return before


def test_deleted_refs_are_restored(desk: Desk) -> None:
    desk.commit("a")
    before = delete_refs(desk.git)
    assert len(before) == 2
    (found,) = (line for line in doctor(desk.git) if "deleted" in line)
    assert found.startswith("wrong: deleted or overwritten: refs/notes/traj, refs/notes/traj-data-")
    doctor(desk.git, "--fix")
    assert refs(desk.git) == before
    assert desk.recorded() == {"a": {"a"}}


@in_turn(
    "case",
    "notes",
    {f"{how}-{by}": (how, by) for how in ("forced", "deleted", "without reflogs") for by in ("git", "us")},
    {notes: notes for notes in ("traj", "traj-data-*", "*")},
)
def test_records_that_a_fetch_overwrote_come_back(
    desk: Desk, tmp_path: Path, case: tuple[str, str], notes: str
) -> None:
    """They are joined with the server's older state. What git itself pushed is no longer an ancestor of our
    next write: we do not know that it was pushed."""
    git, (how, pushed_by) = desk.git, case
    if how == "without reflogs":
        git("config", "core.logAllRefUpdates", "false")
    Git.init(tmp_path / "server.git", "--bare")
    git("remote", "add", "origin", str(tmp_path / "server.git"))
    desk.commit("a")
    if pushed_by == "us":
        git("config", "traj.push", "auto")
        traj(git.root, "push")
    else:
        git("push", "-q", "origin", "refs/notes/*:refs/notes/*")
    desk.commit("b", by="two")
    if how == "deleted":
        delete_refs(git)
    git("fetch", "-q", "origin", f"+refs/notes/{notes}:refs/notes/{notes}")
    if how == "without reflogs" and pushed_by == "git" and notes != "traj-data-*":
        return  # it cannot be distinguished from what we wrote ourselves
    desk.drain()
    assert desk.recorded() == {"a": {"a"}, "b": {"b"}}


def test_the_next_drain_does_not_start_from_empty_refs(desk: Desk) -> None:
    desk.commit("a")
    before = delete_refs(desk.git)
    desk.commit("b")
    assert desk.recorded() == {"a": {"a"}, "b": {"b"}}
    assert refs(desk.git).keys() == before.keys()


def test_purged_refs_are_not_restored(desk: Desk) -> None:
    desk.commit("a")
    (name,) = {
        each["id"] for each in json.loads(traj(desk.git.root, "show", "--json").stdout)["trajectories"]
    }
    assert traj(desk.git.root, "forget", name, "--purge").returncode == 0
    delete_refs(desk.git)
    desk.commit("b", by="two")
    assert desk.recorded() == {"b": {"b"}}
