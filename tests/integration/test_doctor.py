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
def first_well(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("well") / "repo"


@pytest.fixture
def well(git: Git, first_well: Path) -> Git:
    """A copy of an installed repository with one commit, whose hook and worker have run."""
    if not first_well.exists():
        first = Git.init(first_well)
        with first.open() as repository:
            install(repository)
        first("commit", "-q", "--allow-empty", "-m", "one", env={"GIT_TRAJ_SYNC": "1"})
    copy_repository(first_well, git.root)
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


def test_unknown_keys_in_the_teams_file(well: Git) -> None:
    (well.root / ".gittraj.yml").write_text("thinkng: drop\nredact: {allow: [x]}\n")
    code, document = doctor(well)
    (finding,) = document["findings"]
    assert (code, finding["code"]) == (1, "team-file-key")
    assert "thinkng, redact.allow" in finding["text"]


def test_an_expression_that_could_be_slow(well: Git) -> None:
    write_note(well, record())
    (well.root / ".gittraj.yml").write_text("redact: {shapes: ['(a+)+b']}\n")
    assert ("setting", "wrong") in codes(well)


def test_a_secret_that_was_pushed(well: Git) -> None:
    with well.open() as repository:
        LocalState.of(repository).add_exposed(frozenset({"traj_a"}))
    _, document = doctor(well)
    (finding,) = document["findings"]
    assert finding["code"] == "secret-pushed"
    assert "rotate it" in finding["remedy"]
    assert document["status"]["exposed"] == ["traj_a"]


def test_a_repository_without_problems(well: Git) -> None:
    write_segment(well, ref().name)
    write_note(well, record(segments=(ref(),)))
    code, document = doctor(well)
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


def test_text_for_people(well: Git) -> None:
    (well.root / ".git/hooks/pre-commit").unlink()
    done = traj(well.root, "doctor")
    path = f"{well.root}/.git/hooks/pre-commit"
    assert done.returncode == 1
    assert done.stdout.splitlines()[-3:] == [
        f"wrong: hook pre-commit is gone ({path})",
        "    git traj install",
        "Problems found.",
    ]
    done = traj(well.root, "doctor", "--fix")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-2:] == [f"fixed: hook pre-commit is gone ({path})", "Everything is OK."]


# ---------------------------------------------------------------- local state and hooks


def hook_gone(git: Git) -> None:
    (git.root / ".git/hooks/pre-commit").unlink()


def hook_not_runnable(git: Git) -> None:
    (git.root / ".git/hooks/post-commit").chmod(0o644)


def interpreter_gone(git: Git) -> None:
    _restart(git, "/gone/python")


def interpreter_without_gittraj(git: Git) -> None:
    _restart(git, "/bin/false")


def _restart(git: Git, python: str) -> None:
    path = git.root / ".git/hooks/post-commit"
    path.write_text(path.read_text().replace(sys.executable, python))


def hook_replaced_by_what_it_chains(git: Git) -> None:
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


def book_damaged(git: Git) -> None:
    (git.root / ".git/traj/installed.json").write_text("{")


SAFE: list[tuple[Callable[[Git], None], str]] = [
    (hook_gone, "hook-missing"),
    (hook_not_runnable, "hook-dead"),
    (interpreter_gone, "hook-dead"),
    (interpreter_without_gittraj, "hook-interpreter"),
    (hook_replaced_by_what_it_chains, "hook-foreign"),
    (lock_left, "lock-stale"),
    (cursors_damaged, "cursors"),
    (book_damaged, "installed-damaged"),
]


@pytest.mark.parametrize(("harm", "code"), SAFE)
def test_fix_repairs_each_safe_damage(well: Git, harm: Callable[[Git], None], code: str) -> None:
    assert codes(well) == []
    harm(well)
    assert codes(well) == [(code, "wrong")]
    with well.open() as repository:
        for finding in examine(repository, gather(repository, Environ.of(os.environ))):
            assert finding.fix is not None
            finding.fix()
    assert codes(well) == []


def test_fix_leaves_the_refspecs_as_they_are(well: Git) -> None:
    traj(well.root, "install", "--no-fetch-refspec")
    well("remote", "add", "origin", "/nowhere")
    before = (well.root / ".git/config").read_bytes()
    hook_gone(well)
    assert doctor(well, "--fix")[0] == 0
    assert (well.root / ".git/config").read_bytes() == before


@pytest.mark.parametrize("harm", [hook_gone, book_damaged])
def test_fix_before_there_is_a_remote_still_wants_its_refspec(well: Git, harm: Callable[[Git], None]) -> None:
    harm(well)
    assert doctor_quietly(well, "--fix")[0] == 0
    well("remote", "add", "origin", "/nowhere")
    assert codes(well) == [("refspec-missing", "note")]


def test_a_working_lock_is_left_alone(well: Git) -> None:
    lock_left(well)
    os.utime(well.root / ".git/traj/drain.lock")
    assert codes(well) == []


def test_damage_that_only_a_person_can_repair(well: Git) -> None:
    path = well.root / ".git/hooks/post-commit"
    path.write_text("#!/bin/sh\necho other\n")
    path.with_name("post-commit.traj-orig").write_text("#!/bin/sh\necho before\n")
    (well.root / ".git/traj/off.json").write_text("{")
    well("config", "traj.thinking", "loud")
    assert {code for code, _ in codes(well)} == {"hook-foreign", "setting"}
    code, document = doctor_quietly(well, "--fix")
    assert code == 1
    assert path.read_text() == "#!/bin/sh\necho other\n"
    assert all(f["remedy"] for f in document["findings"])


def test_unreadable_records_are_reported(well: Git) -> None:
    active = well.root / ".git/traj/active"
    active.mkdir(exist_ok=True)
    (active / "traj_aaaaaaaaaaaaaaaa.json").write_text("{")
    assert codes(well) == [("active-damaged", "wrong")]


def doctor_quietly(git: Git, *options: str) -> tuple[int, dict[str, Any]]:
    """Run doctor, which may also print on stderr why a drain cannot work."""
    done = traj(git.root, "doctor", "--json", *options)
    return done.returncode, json.loads(done.stdout)


def test_hooks_elsewhere_is_a_remark(well: Git) -> None:
    well("config", "core.hooksPath", "/dev/null")
    assert codes(well) == [("hooks-elsewhere", "note")]
    assert doctor(well)[0] == 0


def test_commits_without_hook_or_record_are_remarks(well: Git) -> None:
    well("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "no hook")
    interpreter_gone(well)  # so that no worker writes during the test
    well("commit", "-q", "--allow-empty", "-m", "x", env={"CODEX_THREAD_ID": "t"})
    assert codes(well) == [("hook-dead", "wrong"), ("without-hook", "note"), ("unlinked", "note")]


# ---------------------------------------------------------------- the notes


def test_foreign_and_damaged_lines(well: Git) -> None:
    well("notes", "--ref=traj", "add", "-m", 'nobody\'s line\n{"id":"traj_a","v":1}')
    code, document = doctor(well)
    assert code == 1
    assert [f["code"] for f in document["findings"]] == ["note-line", "note-line"]
    assert well.head()[:12] in document["findings"][0]["text"]
    assert "link: missing" in document["findings"][1]["text"]


def test_lost_segment(well: Git) -> None:
    write_note(well, record(segments=(ref(),)))
    assert codes(well) == [("segment", "wrong")]


def test_segment_that_a_remote_still_has(well: Git) -> None:
    write_note(well, record(segments=(ref(),)))
    write_note(well, record(segments=(ref(),)), name="refs/notes-remote/origin/traj")
    assert codes(well) == [("segment-not-fetched", "note")]


def test_retired_month(well: Git) -> None:
    write_note(well, record(segments=(ref(),)))
    with well.open() as repository:
        DataRefs(repository).write(MONTH, {"epoch": b"1\n"})
    assert codes(well) == [("segment-not-fetched", "note")]


def test_changed_segment(well: Git) -> None:
    write_note(well, record(segments=(ref(),)))
    write_segment(well, ref().name, BODY.replace(b"x", b"y"))
    assert codes(well) == [("segment", "wrong")]


def test_dangling_segment(well: Git) -> None:
    write_segment(well, ref().name)
    assert codes(well) == [("segment-dangling", "note")]
    write_note(well, record(segments=(ref(),)), name="refs/notes-remote/origin/traj")
    assert codes(well) == []


def test_overlapping_parts(well: Git) -> None:
    write_note(well, record("e1", at=0, n=5), record("e4", at=4, n=2))
    assert codes(well) == [("overlap", "note")]
    write_note(well, record("e1", at=0, n=4), record("e4", at=4, n=2))
    assert codes(well) == []


def test_tombstones(well: Git) -> None:
    def stone(trajectory: str, **fields: Any) -> Tombstone:
        return Tombstone(id=trajectory, deleted="unlinked", **fields)

    write_note(
        well, record(), stone("traj_a", first="e1"), stone("traj_b", scope="all"), stone("traj_c", rev=0)
    )
    assert codes(well) == []
    write_note(well, record(), stone("traj_b"))
    assert codes(well) == [("tombstone", "note")]


def test_note_whose_blob_is_gone(well: Git) -> None:
    write_note(well, record())
    blob = well("rev-parse", f"refs/notes/traj:{well.head()[:2]}/{well.head()[2:]}")
    (well.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert codes(well) == [("note-missing", "wrong")]


def test_refspec_that_overwrites(well: Git) -> None:
    well("remote", "add", "origin", "/nowhere")
    assert codes(well) == [("refspec-missing", "note")]
    well("config", "--add", "remote.origin.fetch", "+refs/notes/*:refs/notes/*")
    assert codes(well) == [("refspec-clobbers", "wrong")]


def test_an_unfinished_notes_merge(well: Git) -> None:
    well("notes", "--ref=traj", "add", "-m", "{}")
    well("notes", "--ref=other", "add", "-m", "[]")
    assert not well.succeeds("notes", "--ref=traj", "merge", "other")
    assert ("notes-merge", "wrong") in codes(well)
    well("notes", "merge", "--abort")
    assert ("notes-merge", "wrong") not in codes(well)


def test_a_torn_ref_is_set_to_its_last_value_and_not_the_packed_one(well: Git) -> None:
    one, two = (well.commit({"f": name}) for name in "ab")
    write_note(well, record(), name="refs/notes/traj")
    well("pack-refs", "--all")
    well("notes", "--ref=traj", "add", "-f", "-m", "x", one)
    tip = well("rev-parse", "refs/notes/traj")
    (well.root / ".git/refs/notes/traj").write_bytes(b"")
    doctor(well, "--fix")
    assert well("rev-parse", "refs/notes/traj") == tip
    assert two


def test_a_symbolic_ref_is_not_damaged(well: Git) -> None:
    well.commit({"f": "1"})
    write_note(well, record(), name="refs/notes/shared")
    well("symbolic-ref", "refs/notes/traj", "refs/notes/shared")
    assert "ref-broken" not in {code for code, _ in codes(well)}


def test_a_symbolic_ref_that_leads_nowhere_is_taken_out_with_git_s_own_command(well: Git) -> None:
    well.commit({"f": "1"})
    well("symbolic-ref", "refs/notes/traj", "refs/notes/shared")
    remedy = "git symbolic-ref -d refs/notes/traj"
    (found,) = [f for f in doctor(well, "--fix")[1]["findings"] if f["code"] == "ref-broken"]
    assert found["remedy"] == f"{remedy}, then git traj fetch"
    assert traj(well.root, "log").stderr.endswith(f"hint: {remedy}, then git traj fetch\n")
    well(*remedy.split()[1:])
    assert "ref-broken" not in {code for code, _ in codes(well)}


@pytest.mark.parametrize(
    "name", some(["notes/traj", f"notes/traj-data-{MONTH}", "notes-remote/origin/traj"], 1)
)
def test_a_tree_that_is_too_large_is_reported_once_with_a_remedy_that_works(well: Git, name: str) -> None:
    write_note(well, record())
    well("remote", "add", "origin", "/nowhere")
    well("update-ref", f"refs/{name}", "refs/notes/traj")
    before = codes(well)
    blob = well("hash-object", "-w", "--stdin", input="x")
    lines = "".join(f"100644 blob {blob}\t{number:040x}\n" for number in range(limits.TREE // 60))
    tree = well("mktree", input=lines)
    well("update-ref", f"refs/{name}", well("commit-tree", "-p", f"refs/{name}", "-m", "x", tree))
    (found,) = [f for f in examined(well) if tree in f.text]
    assert (found.code, found.severity) == ("notes-damaged", "wrong")
    for part in ("git update-ref REF REF@{1}", "-d REF"):
        assert part in found.remedy
    back = ["-d", f"refs/{name}"] if "remote" in name else [f"refs/{name}", f"refs/{name}@{{1}}"]
    well("update-ref", *back)
    assert codes(well) == before
