"""``git traj doctor``: each kind of damage is found, reported with its remedy, and fixed if that is safe."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gittraj import limits
from gittraj.commands.doctor.facts import gather
from gittraj.commands.doctor.finding import Finding
from gittraj.commands.doctor.findings import examine
from gittraj.commands.install.install import install
from gittraj.config import Environ
from gittraj.model.codec import encode_note, segment_path
from gittraj.model.values import Line, Link, Range, Record, SegmentRef, Tombstone
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.state.folder import LocalState
from tests.integration.command import traj
from tests.integration.repository import Git, copy_repository
from tests.sizes import some

BODY = b'{"content":"x","id":"e1","type":"message"}\n'
MONTH = "2026-01"


def doctor(git: Git, *options: str) -> tuple[int, dict[str, Any]]:
    done = traj(git.root, "doctor", "--json", *options)
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


def examined(git: Git) -> list[Finding]:
    with git.open() as repository:
        return [*examine(repository, gather(repository, Environ.of(os.environ)))]


def codes(git: Git) -> list[tuple[str, str]]:
    return [(f.code, f.severity) for f in examined(git)]


@pytest.fixture(scope="session")
def first_healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("healthy") / "repo"


@pytest.fixture
def healthy(git: Git, first_healthy: Path) -> Git:
    """A copy of an installed repository with one commit, whose hook and worker have run."""
    if not first_healthy.exists():
        first = Git.init(first_healthy)
        with first.open() as repository:
            install(repository)
        first("commit", "-q", "--allow-empty", "-m", "one", env={"GIT_TRAJ_SYNC": "1"})
    copy_repository(first_healthy, git.root)
    return git


def ref(body: bytes = BODY, at: int = 0) -> SegmentRef:
    digest = hashlib.sha256(body).hexdigest()
    return SegmentRef(name=f"{at:06d}-{digest[:8]}", month=MONTH, bytes=len(body), sha256=digest)


def record(first: str = "e1", at: int = 0, n: int = 1, segments: tuple[SegmentRef, ...] = ()) -> Record:
    return Record(
        id="traj_a",
        link=Link(evidence="agent"),
        range=Range(first=first, last=first, n=n, at=at),
        segments=segments,
    )


def write_note(git: Git, *lines: Line, name: str = "refs/notes/traj") -> None:
    with git.open() as repository:
        NotesRef(repository, name).write({git.head(): lambda _: encode_note(lines)}, message="x")


def write_segment(git: Git, name: str, body: bytes = BODY) -> None:
    with git.open() as repository:
        DataRefs(repository).write(MONTH, {segment_path("traj_a", name): body})


def test_unknown_keys_in_the_teams_file(healthy: Git) -> None:
    (healthy.root / ".gittraj.yml").write_text("thinkng: drop\nredact: {allow: [x]}\n")
    code, document = doctor(healthy)
    (finding,) = document["findings"]
    assert (code, finding["code"]) == (1, "team-file-key")
    assert "thinkng, redact.allow" in finding["text"]


def test_an_expression_that_could_be_slow(healthy: Git) -> None:
    write_note(healthy, record())
    (healthy.root / ".gittraj.yml").write_text("redact: {shapes: ['(a+)+b']}\n")
    assert ("setting", "wrong") in codes(healthy)


def test_a_secret_that_was_pushed(healthy: Git) -> None:
    with healthy.open() as repository:
        LocalState.of(repository).add_exposed(frozenset({"traj_a"}))
    _, document = doctor(healthy)
    (finding,) = document["findings"]
    assert finding["code"] == "secret-pushed"
    assert "rotate it" in finding["remedy"]
    assert document["status"]["exposed"] == ["traj_a"]


def test_a_repository_without_problems(healthy: Git) -> None:
    write_segment(healthy, ref().name)
    write_note(healthy, record(segments=(ref(),)))
    code, document = doctor(healthy)
    assert (code, document["well"], document["findings"]) == (0, True, [])
    assert document["status"]["recorded"] == 1


def test_not_installed(git: Git) -> None:
    git.commit({"a": "1"})
    code, document = doctor(git)
    assert code == 1
    assert [(f["code"], f["remedy"]) for f in document["findings"]] == [("not-installed", "git traj install")]


def test_a_clone_that_only_reads_is_not_a_finding(git: Git) -> None:
    git.commit({"a": "1"})
    assert doctor(git)[0] == 1, "nothing is recorded, and there is nothing to read"
    write_segment(git, ref().name)
    write_note(git, record(segments=(ref(),)))
    code, document = doctor(git)
    assert (code, document["well"]) == (0, True)
    assert [(f["code"], f["severity"]) for f in document["findings"]] == [("not-installed", "note")]
    done = traj(git.root, "doctor")
    assert "nothing is recorded from here" in done.stdout
    assert "Problems found." not in done.stdout and "Thinking" not in done.stdout


def test_text_for_people(healthy: Git) -> None:
    (healthy.root / ".git/hooks/pre-commit").unlink()
    done = traj(healthy.root, "doctor")
    path = f"{healthy.root}/.git/hooks/pre-commit"
    assert done.returncode == 1
    assert done.stdout.splitlines()[-3:] == [
        f"wrong: hook pre-commit is gone ({path})",
        "    git traj install",
        "Problems found.",
    ]
    done = traj(healthy.root, "doctor", "--fix")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-2:] == [f"fixed: hook pre-commit is gone ({path})", "Everything is OK."]


# ---------------------------------------------------------------- local state and hooks


def hook_gone(git: Git) -> None:
    (git.root / ".git/hooks/pre-commit").unlink()


def hook_not_runnable(git: Git) -> None:
    (git.root / ".git/hooks/post-commit").chmod(0o644)


def interpreter_gone(git: Git) -> None:
    _set_interpreter(git, "/gone/python")


def interpreter_without_gittraj(git: Git) -> None:
    _set_interpreter(git, "/bin/false")


def _set_interpreter(git: Git, python: str) -> None:
    path = git.root / ".git/hooks/post-commit"
    path.write_text(path.read_text().replace(sys.executable, python))


def hook_overwritten_by_its_chained_hook(git: Git) -> None:
    for name in ("post-commit", "post-commit.traj-orig"):
        path = git.root / ".git/hooks" / name
        path.write_text("#!/bin/sh\ntrue\n")
        path.chmod(0o755)


def lock_left(git: Git) -> None:
    path = git.root / ".git/traj/drain.lock"
    path.touch()
    os.utime(path, (1, 1))


def cursors_damaged(git: Git) -> None:
    (git.root / ".git/traj/cursors.json").write_text("{")


def manifest_damaged(git: Git) -> None:
    (git.root / ".git/traj/installed.json").write_text("{")


SAFE: list[tuple[Callable[[Git], None], str]] = [
    (hook_gone, "hook-missing"),
    (hook_not_runnable, "hook-dead"),
    (interpreter_gone, "hook-dead"),
    (interpreter_without_gittraj, "hook-interpreter"),
    (hook_overwritten_by_its_chained_hook, "hook-foreign"),
    (lock_left, "lock-stale"),
    (cursors_damaged, "cursors"),
    (manifest_damaged, "installed-damaged"),
]


@pytest.mark.parametrize(("harm", "code"), SAFE)
def test_fix_repairs_each_safe_damage(healthy: Git, harm: Callable[[Git], None], code: str) -> None:
    assert codes(healthy) == []
    harm(healthy)
    assert codes(healthy) == [(code, "wrong")]
    with healthy.open() as repository:
        for finding in examine(repository, gather(repository, Environ.of(os.environ))):
            assert finding.fix is not None
            finding.fix()
    assert codes(healthy) == []


def test_fix_leaves_the_refspecs_as_they_are(healthy: Git) -> None:
    traj(healthy.root, "install", "--no-fetch-refspec")
    healthy("remote", "add", "origin", "/nowhere")
    before = (healthy.root / ".git/config").read_bytes()
    hook_gone(healthy)
    assert doctor(healthy, "--fix")[0] == 0
    assert (healthy.root / ".git/config").read_bytes() == before


@pytest.mark.parametrize("harm", [hook_gone, manifest_damaged])
def test_fix_without_a_remote_keeps_the_refspec_check_for_a_later_one(
    healthy: Git, harm: Callable[[Git], None]
) -> None:
    harm(healthy)
    assert doctor_quietly(healthy, "--fix")[0] == 0
    healthy("remote", "add", "origin", "/nowhere")
    assert codes(healthy) == [("refspec-missing", "note")]


def test_a_lock_in_use_is_left_alone(healthy: Git) -> None:
    lock_left(healthy)
    os.utime(healthy.root / ".git/traj/drain.lock")
    assert codes(healthy) == []


def test_damage_that_only_a_person_can_repair(healthy: Git) -> None:
    path = healthy.root / ".git/hooks/post-commit"
    path.write_text("#!/bin/sh\necho other\n")
    path.with_name("post-commit.traj-orig").write_text("#!/bin/sh\necho before\n")
    (healthy.root / ".git/traj/off.json").write_text("{")
    healthy("config", "traj.thinking", "loud")
    assert {code for code, _ in codes(healthy)} == {"hook-foreign", "setting"}
    code, document = doctor_quietly(healthy, "--fix")
    assert code == 1
    assert path.read_text() == "#!/bin/sh\necho other\n"
    assert all(f["remedy"] for f in document["findings"])


def test_a_damaged_file_of_an_active_trajectory_is_reported(healthy: Git) -> None:
    active = healthy.root / ".git/traj/active"
    active.mkdir(exist_ok=True)
    (active / "traj_aaaaaaaaaaaaaaaa.json").write_text("{")
    assert codes(healthy) == [("active-damaged", "wrong")]


def doctor_quietly(git: Git, *options: str) -> tuple[int, dict[str, Any]]:
    """Run doctor, which may also print on stderr why a drain cannot work."""
    done = traj(git.root, "doctor", "--json", *options)
    return done.returncode, json.loads(done.stdout)


def test_hooks_in_another_folder_are_only_noted(healthy: Git) -> None:
    healthy("config", "core.hooksPath", "/dev/null")
    assert codes(healthy) == [("hooks-elsewhere", "note")]
    assert doctor(healthy)[0] == 0


def test_commits_without_hook_or_record_are_remarks(healthy: Git) -> None:
    healthy("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "no hook")
    interpreter_gone(healthy)  # so that no worker writes during the test
    healthy("commit", "-q", "--allow-empty", "-m", "x", env={"CODEX_THREAD_ID": "t"})
    assert codes(healthy) == [("hook-dead", "wrong"), ("without-hook", "note"), ("unlinked", "note")]


# ---------------------------------------------------------------- the notes


def test_foreign_and_damaged_lines(healthy: Git) -> None:
    healthy("notes", "--ref=traj", "add", "-m", 'nobody\'s line\n{"id":"traj_a","v":1}')
    code, document = doctor(healthy)
    assert code == 1
    assert [f["code"] for f in document["findings"]] == ["note-line", "note-line"]
    assert healthy.head()[:12] in document["findings"][0]["text"]
    assert "link: missing" in document["findings"][1]["text"]


def test_lost_segment(healthy: Git) -> None:
    write_note(healthy, record(segments=(ref(),)))
    assert codes(healthy) == [("segment", "wrong")]


def test_segment_that_a_remote_still_has(healthy: Git) -> None:
    write_note(healthy, record(segments=(ref(),)))
    write_note(healthy, record(segments=(ref(),)), name="refs/notes-remote/origin/traj")
    assert codes(healthy) == [("segment-not-fetched", "note")]


def test_segment_of_a_month_that_began_a_new_epoch(healthy: Git) -> None:
    write_note(healthy, record(segments=(ref(),)))
    with healthy.open() as repository:
        DataRefs(repository).write(MONTH, {"epoch": b"1\n"})
    assert codes(healthy) == [("segment-not-fetched", "note")]


def test_changed_segment(healthy: Git) -> None:
    write_note(healthy, record(segments=(ref(),)))
    write_segment(healthy, ref().name, BODY.replace(b"x", b"y"))
    assert codes(healthy) == [("segment", "wrong")]


def test_dangling_segment(healthy: Git) -> None:
    write_segment(healthy, ref().name)
    assert codes(healthy) == [("segment-dangling", "note")]
    write_note(healthy, record(segments=(ref(),)), name="refs/notes-remote/origin/traj")
    assert codes(healthy) == []


def test_overlapping_parts(healthy: Git) -> None:
    write_note(healthy, record("e1", at=0, n=5), record("e4", at=4, n=2))
    assert codes(healthy) == [("overlap", "note")]
    write_note(healthy, record("e1", at=0, n=4), record("e4", at=4, n=2))
    assert codes(healthy) == []


def test_tombstones(healthy: Git) -> None:
    def stone(trajectory: str, **fields: Any) -> Tombstone:
        return Tombstone(id=trajectory, deleted="unlinked", **fields)

    write_note(
        healthy, record(), stone("traj_a", first="e1"), stone("traj_b", scope="all"), stone("traj_c", rev=0)
    )
    assert codes(healthy) == []
    write_note(healthy, record(), stone("traj_b"))
    assert codes(healthy) == [("tombstone", "note")]


def test_note_whose_blob_is_gone(healthy: Git) -> None:
    write_note(healthy, record())
    blob = healthy("rev-parse", f"refs/notes/traj:{healthy.head()[:2]}/{healthy.head()[2:]}")
    (healthy.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert codes(healthy) == [("note-missing", "wrong")]


def test_refspec_that_overwrites(healthy: Git) -> None:
    healthy("remote", "add", "origin", "/nowhere")
    assert codes(healthy) == [("refspec-missing", "note")]
    healthy("config", "--add", "remote.origin.fetch", "+refs/notes/*:refs/notes/*")
    assert codes(healthy) == [("refspec-clobbers", "wrong")]


def test_an_unfinished_notes_merge(healthy: Git) -> None:
    healthy("notes", "--ref=traj", "add", "-m", "{}")
    healthy("notes", "--ref=other", "add", "-m", "[]")
    assert not healthy.succeeds("notes", "--ref=traj", "merge", "other")
    assert ("notes-merge", "wrong") in codes(healthy)
    healthy("notes", "merge", "--abort")
    assert ("notes-merge", "wrong") not in codes(healthy)


def test_a_torn_ref_is_set_to_its_last_value_and_not_the_packed_one(healthy: Git) -> None:
    one, _ = (healthy.commit({"f": name}) for name in "ab")
    write_note(healthy, record(), name="refs/notes/traj")
    healthy("pack-refs", "--all")
    healthy("notes", "--ref=traj", "add", "-f", "-m", "x", one)
    tip = healthy("rev-parse", "refs/notes/traj")
    (healthy.root / ".git/refs/notes/traj").write_bytes(b"")
    doctor(healthy, "--fix")
    assert healthy("rev-parse", "refs/notes/traj") == tip


def test_a_symbolic_ref_is_not_damaged(healthy: Git) -> None:
    healthy.commit({"f": "1"})
    write_note(healthy, record(), name="refs/notes/shared")
    healthy("symbolic-ref", "refs/notes/traj", "refs/notes/shared")
    assert "ref-broken" not in {code for code, _ in codes(healthy)}


def test_a_symbolic_ref_that_leads_nowhere_is_taken_out_with_git_s_own_command(healthy: Git) -> None:
    healthy.commit({"f": "1"})
    healthy("symbolic-ref", "refs/notes/traj", "refs/notes/shared")
    remedy = "git symbolic-ref -d refs/notes/traj"
    (found,) = [f for f in doctor(healthy, "--fix")[1]["findings"] if f["code"] == "ref-broken"]
    assert found["remedy"] == f"{remedy}, then git traj fetch"
    assert traj(healthy.root, "log").stderr.endswith(f"hint: {remedy}, then git traj fetch\n")
    healthy(*remedy.split()[1:])
    assert "ref-broken" not in {code for code, _ in codes(healthy)}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name", some(["notes/traj", f"notes/traj-data-{MONTH}", "notes-remote/origin/traj"], 1)
)
def test_a_tree_that_is_too_large_is_reported_once_with_a_remedy_that_works(healthy: Git, name: str) -> None:
    write_note(healthy, record())
    healthy("remote", "add", "origin", "/nowhere")
    healthy("update-ref", f"refs/{name}", "refs/notes/traj")
    before = codes(healthy)
    blob = healthy("hash-object", "-w", "--stdin", input="x")
    lines = "".join(f"100644 blob {blob}\t{number:040x}\n" for number in range(limits.TREE // 60))
    tree = healthy("mktree", input=lines)
    healthy("update-ref", f"refs/{name}", healthy("commit-tree", "-p", f"refs/{name}", "-m", "x", tree))
    (found,) = [f for f in examined(healthy) if tree in f.text]
    assert (found.code, found.severity) == ("notes-damaged", "wrong")
    for part in ("git update-ref REF REF@{1}", "-d REF"):
        assert part in found.remedy
    back = ["-d", f"refs/{name}"] if "remote" in name else [f"refs/{name}", f"refs/{name}@{{1}}"]
    healthy("update-ref", *back)
    assert codes(healthy) == before
