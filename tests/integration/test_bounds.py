"""A reader needs no more than a moment for anything that a remote, a fork or a cloned repository may contain:
sizes are checked before anything is read in full; what is too large is named and skipped."""

from __future__ import annotations

import json
import shutil
import subprocess
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gittraj import limits
from gittraj.git import TREE, Entry
from gittraj.notes.store import RECORDS_REF, NotesRef
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.records import hold_workers, install
from tests.integration.repository import Git
from tests.sizes import some

READERS = (
    ["status"],
    ["log"],
    ["log", "--json"],
    ["show", "HEAD"],
    ["show", "HEAD", "--json"],
    ["why", "a.py:1"],
    ["search", "needle"],
    ["stats"],
    ["context", "a.py"],
    ["doctor"],
    ["export", "HEAD", "--format", "json"],
)
MEMORY = 50 * 1024 * 1024
"""The most bytes that a command may use."""


@pytest.fixture
def recorded(object_format: str, tmp_path: Path) -> Git:
    """A repository with one valid record on HEAD."""
    git = Git.init(tmp_path / "repo", f"--object-format={object_format}")
    git.commit({"README": "here\n"})
    hold_workers(install(git))
    session = ClaudeSession(git.root)
    made = Shell("git add a.py && git commit -qm Honest")
    session.run([turn(Write("a.py", "a = 1\n"), made), turn(say="Done")], prompt="Write a")
    traj(git.root, "log")
    return git


@contextmanager
def notes(git: Git) -> Iterator[NotesRef]:
    with git.open() as repository:
        yield NotesRef(repository)


def read_all(git: Git, *, status: int = 1) -> dict[str, str]:
    """Check that each reading command works within the memory limit; return their output by command."""
    said = {}
    for words in READERS:
        tracemalloc.start()
        done = traj(git.root, *words)
        assert tracemalloc.get_traced_memory()[1] < MEMORY, words
        tracemalloc.stop()
        assert done.returncode <= status, (words, done.stderr)
        said[" ".join(words)] = done.stdout + done.stderr
    return said


@pytest.mark.nightly
def test_a_tree_that_expands_without_end(recorded: Git) -> None:
    """Twenty objects: each folder contains the next one 256 times."""
    with notes(recorded) as ref:
        objects = ref.repository.objects
        tip = ref.tip()
        below = objects.write_tree([])
        for _ in range(18):
            below = objects.write_tree([Entry(TREE, b"%02x" % n, below) for n in range(256)])
        root = list(objects.read_tree(objects.commit(tip or "").tree))
        named = {entry.name for entry in root}
        root += [Entry(TREE, b"%02x" % n, below) for n in range(256) if b"%02x" % n not in named]
        commit = objects.write_commit(tree=objects.write_tree(root), parents=[], message="bomb")
        objects.flush()
    recorded("update-ref", RECORDS_REF, commit)
    assert "Write a" in read_all(recorded)["log"]


@pytest.mark.nightly
def test_segments_that_expand_without_end(recorded: Git) -> None:
    """The full-text index compares the old and the new tree of a month."""
    traj(recorded.root, "search", "needle")
    month = recorded("for-each-ref", "--format=%(refname)", "refs/notes/traj-data-*")
    with notes(recorded) as ref:
        objects = ref.repository.objects
        below = objects.write_tree([])
        for _ in range(18):
            below = objects.write_tree([Entry(TREE, b"%02x" % n, below) for n in range(256)])
        tree = objects.write_tree([Entry(TREE, b"s", below)])
        commit = objects.write_commit(tree=tree, parents=[], message="bomb")
        objects.flush()
    recorded("update-ref", month, commit)
    assert "Write a" in read_all(recorded)["log"]


@pytest.mark.nightly
def test_a_tree_with_too_many_entries_is_reported(recorded: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TREE", 4_000)
    with notes(recorded) as ref:
        objects = ref.repository.objects
        blob = objects.write_blob(b"{}")
        digits = 40 if objects.object_format == "sha1" else 64
        tree = objects.write_tree([Entry(0o100644, b"%0*x" % (digits, n), blob) for n in range(60)])
        commit = objects.write_commit(tree=tree, parents=[], message="many")
        objects.flush()
    recorded("update-ref", RECORDS_REF, commit)
    assert "more than 4,000 bytes" in read_all(recorded)["doctor"]


@pytest.mark.parametrize("name", some([b"..", b".git", b"a/b", b""], 2))
def test_an_entry_with_an_invalid_name_hides_no_record(recorded: Git, name: bytes) -> None:
    """The other records are read, and new ones are written."""
    with notes(recorded) as ref:
        objects = ref.repository.objects
        tip = ref.tip() or ""
        honest = objects.read(objects.commit(tip).tree)
        assert honest
        odd = b"100644 %s\0" % name + bytes.fromhex(objects.write_blob(b"{}"))
        tree = objects.write("tree", odd + honest[1])
        commit = objects.write_commit(tree=tree, parents=[tip], message="odd")
        objects.flush()
    recorded("update-ref", RECORDS_REF, commit)
    made = Shell("git add b.py && git commit -qm Next")
    session = ClaudeSession(recorded.root, name="next")
    session.run([turn(Write("b.py", "b = 1\n"), made), turn(say="Done")], prompt="Write b")
    said = read_all(recorded)["log"]
    assert "Write a" in said
    assert "Write b" in said


def test_a_note_that_unpacks_to_a_great_deal(recorded: Git) -> None:
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"],
        cwd=recorded.root,
        input=b"\0" * (40 * limits.NOTE),
        capture_output=True,
        check=True,
    ).stdout.decode()
    recorded("notes", "--ref=traj", "add", "-C", blob.strip(), "HEAD~1")
    large = recorded("rev-parse", "HEAD~1")
    for _ in range(2):  # first the index is updated with it, then rebuilt
        said = read_all(recorded)
        assert "Write a" in said["log"]
        assert said["doctor"].count("larger than 1 MB") == 1
        warning = f"not read, being too large: the note of {large[:12]} (a note may have 1 MB"
        for words in ("log", "log --json", "show HEAD", "search needle", "stats", "context a.py", "status"):
            assert said[words].count(warning) == 1, words
        assert said["why a.py:1"].count(warning) == 0, "the line is of another commit"
        assert traj(recorded.root, "status").stdout.count(warning) == 1, "also with an index"
        shutil.rmtree(recorded.root / ".git" / "traj-index")
    assert "no record" not in traj(recorded.root, "show", large).stderr
    shown = traj(recorded.root, "why", "README")
    assert shown.stderr.count(warning) == 1
    assert "the records of this commit cannot be read" in shown.stdout
    assert "no record" not in shown.stdout
    recorded.commit({"b.py": "b = 1\n"})
    recorded("notes", "--ref=traj", "add", "-C", blob.strip(), "HEAD")
    for form, phrase in (
        ("github", "<sub>Not read in full (larger than 1 MB"),
        ("text", "not read  the records of"),
    ):
        seen = traj(recorded.root, "pr", "--base", large, "--format", form)
        assert phrase in seen.stdout
        assert seen.stderr.count("not read, being too large") == 1
    assert "not up to date" not in seen.stderr, "the large note does not stop the recording"
    recorded("notes", "--ref=traj", "remove", large)
    assert large[:12] not in traj(recorded.root, "log").stderr


@pytest.mark.parametrize("line", some(["revision", "month", "depth", "token count"], 2))
def test_an_unreadable_line_hides_no_other_record(recorded: Git, line: str) -> None:
    stored = json.loads(recorded("notes", "--ref=traj", "show", "HEAD").splitlines()[0])
    if line == "revision":
        stored["rev"] = 0
        text = json.dumps(stored).replace('"rev": 0', f'"rev": {"9" * 400}')
    elif line == "token count":
        text = json.dumps(stored | {"usage": {"outputTokens": 0}}).replace(
            '"outputTokens": 0', f'"outputTokens": {"9" * 30}'
        )
    elif line == "month":
        for ref in stored["segments"]:
            ref["month"] = "2026-01\0/../x"
        text = json.dumps(stored)
    else:
        text = json.dumps(stored | {"nested": 0}).replace('"nested": 0', f'"nested": {"[" * 900}{"]" * 900}')
    recorded("notes", "--ref=traj", "add", "-f", "-m", text, "HEAD~1")
    assert "Write a" in read_all(recorded)["log"]


def test_settings_of_five_megabytes(recorded: Git) -> None:
    (recorded.root / ".gittraj.yml").write_text("redact:\n  names:\n" + "    - some-name\n" * 300_000)
    done = traj(recorded.root, "status")
    assert "more than 64 kB" in done.stdout + done.stderr


def test_a_hostile_remote_leaves_a_clone_usable(recorded: Git, tmp_path: Path) -> None:
    """Notes that are too large are named and not fetched; the others are fetched."""
    form = recorded("rev-parse", "--show-object-format")
    Git.init(tmp_path / "server.git", "--bare", f"--object-format={form}")
    recorded("remote", "add", "origin", str(tmp_path / "server.git"))
    recorded("push", "-q", "origin", "HEAD")
    recorded("config", "traj.push", "auto")
    assert traj(recorded.root, "push").returncode == 0
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(tmp_path / "server.git"), str(clone)], check=True)
    (tmp_path / "large").write_bytes(b"\0" * (3 * limits.NOTE))
    blob = recorded("hash-object", "-w", str(tmp_path / "large"))
    recorded("notes", "--ref=traj", "add", "-C", blob, "HEAD~1")
    refused = traj(recorded.root, "push")
    short = recorded("rev-parse", "HEAD~1")[:12]
    assert refused.returncode == 1
    assert f"the note of {short} in {RECORDS_REF} is not read, being larger than 1 MB" in refused.stderr
    assert f"git notes --ref=traj remove {short}" in refused.stderr
    recorded("push", "-q", "origin", RECORDS_REF)
    done = traj(clone, "fetch")
    assert done.returncode == 0, done.stderr
    assert "1 commits' notes are too large" in done.stdout + done.stderr
    assert "Write a" in traj(clone, "log").stdout
    assert "larger than" not in traj(clone, "doctor").stdout


def test_context_does_not_report_a_damaged_note_as_missing(recorded: Git) -> None:
    recorded("notes", "--ref=traj", "add", "-f", "-m", '{"v": 1, "id": 5}', "HEAD")
    said = traj(recorded.root, "context", "a.py").stderr
    assert "cannot be read" in said
    assert "no record" not in said
