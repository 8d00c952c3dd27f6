"""A purge: the secret is gone everywhere, nothing else is lost, and no old clone brings it back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gittraj.commands.doctor.finding import fix_findings
from gittraj.commands.doctor.fsck import fsck
from gittraj.commands.doctor.leftovers import check_purges
from gittraj.commands.purge import work
from gittraj.commands.purge.search import PurgeTarget
from gittraj.commands.purge.work import Purge, collect_garbage, purge
from gittraj.config import Config
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import (
    AnyEvent,
    FileChanged,
    ForeignLine,
    Line,
    Link,
    Message,
    Origin,
    Record,
    SegmentRef,
    SessionInfo,
    Tombstone,
    ToolCall,
)
from gittraj.notes.epoch import read_epoch
from gittraj.notes.merge import standing
from gittraj.notes.refs import set_ref
from gittraj.notes.store import DATA_PREFIX, DataRefs, NotesRef
from gittraj.record.draft import this_month
from gittraj.record.drain.redactor import redactors
from gittraj.redact import LiveValues, OnlyValues
from gittraj.state.active import Active, Header, load_active, save_active
from gittraj.state.folder import LocalState
from gittraj.sync.remote import find_remote
from gittraj.sync.transfer import fetch, fetch_segments, push
from tests.integration.repository import Git
from tests.integration.searched import indexed
from tests.integration.sharing import DATA, RECORDS, Be, bare, clone, tell, told
from tests.integration.story import MONTH, Story, record

SECRET = "Zq8#vK2p" + "-xW5rT9m"
NOW = DATA_PREFIX + this_month()


@pytest.fixture
def server(tmp_path: Path) -> Git:
    server = bare(tmp_path / "server.git")
    first = clone(server, tmp_path / "first")
    for n in range(3):
        first.commit({"file": f"{n}\n"}, f"Commit {n}")
    first("push", "--quiet", "origin", "main")
    return server


def commits(git: Git) -> list[str]:
    return git("rev-list", "--reverse", "HEAD").split()


def plant(git: Git, trajectory: str = "traj_ann") -> None:
    """Write records with the secret in a title, in the texts of two segments, and in names."""
    one, two, three = commits(git)
    said: list[AnyEvent] = [
        Message(id="e0", content=f"It is {SECRET}, I think"),
        Message(id="e1", content="So."),
    ]
    called: list[AnyEvent] = [
        ToolCall(id="e2", name="x", arguments={f"is:{SECRET}": {"deep": [f"a{SECRET}b"]}}),
        Message(id="e3", content="kept words"),
    ]
    whole = SessionInfo(agent="claude-code", session="s1", title=f"Why {SECRET} fails")
    files = (FileChanged(path=f"cfg/{SECRET}.ini", kind="add", edits=1),)
    with git.open() as repository:
        story = Story(repository)
        first, second = story.segment(trajectory, 0, said), story.segment(trajectory, 2, called)
        origin = Origin(commit=one, patch_id="1" * 40, tree="2" * 40)
        story.note(one, replace(record(trajectory, n=2, segments=[first], whole=whole), origin=origin))
        story.note(two, record(trajectory, at=2, n=2, segments=[second], also=[first], files=files))
    tell(git, three, "traj_other", text="nothing secret")


def make_target(repository: Repository, text: str = SECRET) -> PurgeTarget:
    local = LocalState.of(repository)
    local.create()
    only = OnlyValues([text], key=local.key())
    return PurgeTarget(redactor=lambda: only, contains=only.contains, remember=local.add_hashes)


def cleanse(git: Git, text: str = SECRET) -> Purge:
    with git.open() as repository:
        return purge(repository, make_target(repository, text))


def share(git: Git, *, replace: bool = False) -> list[str]:
    """Fetch and push; return the messages."""
    said: list[str] = []
    with git.open() as repository:
        remote = find_remote(repository, "origin")
        fetch(repository, remote, tell=said.append)
        push(repository, remote, replace=replace, tell=said.append)
    return said


def fetch_months(git: Git) -> None:
    with git.open() as repository:
        assert fetch_segments(repository, [MONTH]) == []


def everywhere(git: Git) -> bytes:
    """Read every object, reachable or not."""
    return git.raw("cat-file", "--batch", "--batch-all-objects", "--unordered")


def reachable(git: Git) -> bytes:
    listed = git("rev-list", "--objects", "--all", "--reflog", "--no-object-names")
    return git.raw("cat-file", "--batch", input=listed + "\n")


def check_gone(*clones: Git, word: str = SECRET) -> None:
    """Check that ``word`` is in nothing reachable, in no object after a gc, and in none of our files."""
    for git in clones:
        assert word.encode() not in reachable(git)
        git("gc", "--quiet", "--prune=now")
        assert word.encode() not in everywhere(git)
        folder = Path(git("rev-parse", "--absolute-git-dir"))
        files = [
            p for name in ("traj", "traj-index", "logs") for p in (folder / name).rglob("*") if p.is_file()
        ]
        assert [path for path in files if word.encode() in path.read_bytes()] == []
        assert word not in indexed(folder)
        with git.open() as repository:
            assert {f.code for f in fsck(repository) if f.severity == "wrong"} <= {"note-line"}


def lines(git: Git, commit: str) -> list[Line]:
    with git.open() as repository:
        return decode_note(NotesRef(repository).read(commit) or b"")


def test_a_purged_secret_is_removed_from_every_clone_and_the_server(
    server: Git, ann: Git, bob: Git, be: Be
) -> None:
    one, two, three = commits(ann)
    plant(ann)
    be(ann)("push")
    be(bob)("sync")
    be(bob)("show", one, "--events")  # fetches the segments
    be(bob)("log")  # makes an index
    be(bob)("search", "words")
    assert SECRET in indexed(bob.root / ".git")
    tell(bob, one, "traj_bob", text="bob's own")
    before = ann("for-each-ref", "refs/notes")
    assert be(ann).json("redact", "--purge", SECRET, "--dry-run")["records"] == 2
    assert ann("for-each-ref", "refs/notes") == before

    head = ann("reflog", "HEAD")
    done = be(ann).json("redact", "--purge", SECRET, "--gc")
    assert (done["records"], done["segments"], done["left"]) == (2, 2, [])
    assert done["refs"] == [RECORDS, DATA]
    assert SECRET.encode() not in everywhere(ann)
    assert ann("reflog", "HEAD") == head
    assert "still has purged data" in be(ann).fails("push")
    assert be(ann).json("push", "--replace")["replaced"] == [RECORDS, DATA]

    _, err = be(bob)("sync")
    assert "was purged" in err
    share(ann)
    assert ann("rev-parse", RECORDS) == bob("rev-parse", RECORDS) == server("rev-parse", RECORDS)
    check_gone(server, ann, bob)
    for git in (server, ann, bob):
        assert told(git) == {one: {"traj_ann", "traj_bob"}, two: {"traj_ann"}, three: {"traj_other"}}
    out, _ = be(bob)("show", two, "--events")
    assert "kept words" in out
    assert "REDACTED-" in out
    [first] = [r for r in lines(bob, one) if isinstance(r, Record) and r.id == "traj_ann"]
    assert first.rev == 1000
    assert first.origin == Origin(commit=one)
    out, _ = be(ann)("redact", "--purge", SECRET)
    assert out == "it is not in git-traj's refs or reflogs here\n"


def test_a_purged_trajectory_is_removed_from_every_clone_and_the_server(
    server: Git, ann: Git, bob: Git, be: Be
) -> None:
    one, two, three = commits(ann)
    plant(ann)
    share(ann)
    share(bob)
    fetch_months(bob)
    tell(bob, two, "traj_bob", text="bob's own")
    tell(bob, three, "traj_ann", text=f"{SECRET} once more", at=9)
    out, _ = be(ann)("forget", "traj_ann", "--purge", "--gc")
    assert out.splitlines()[:2] == [
        "traj_ann was removed from every commit and will not be stored again",
        "unlinked from 2 commits",
    ]
    assert (
        be(ann)("forget", "traj_ann", "--purge")[0]
        .splitlines()[-1]
        .startswith("it is not in git-traj's refs")
    )
    share(ann, replace=True)
    share(bob)
    share(ann)
    check_gone(server, ann, bob)
    for git in (server, ann, bob):
        assert told(git) == {one: set(), two: {"traj_bob"}, three: {"traj_other"}}
        assert b"kept words" not in everywhere(git)


def test_a_month_that_a_purge_emptied_keeps_other_clones_records(
    server: Git, ann: Git, bob: Git, be: Be
) -> None:
    one, two, _ = commits(ann)
    tell(ann, one, "traj_ann", text=SECRET)
    share(ann)
    share(bob)
    fetch_months(bob)
    tell(bob, two, "traj_bob", text="bob's own")
    be(ann)("forget", "traj_ann", "--purge")
    share(ann, replace=True)
    share(bob)
    check_gone(server, bob)
    assert b"bob's own" in reachable(bob)
    assert b"bob's own" in reachable(server)


def test_a_stale_clone_keeps_its_own_records_after_a_purge(server: Git, ann: Git, bob: Git) -> None:
    """The clone's own records survive, on rewritten commits, too; records that it made from a purged one do
    not come back."""
    one, two, three = commits(ann)
    plant(ann)
    share(ann)
    share(bob)
    fetch_months(bob)
    new = bob.commit({"file": "new\n"}, "New")
    [old] = lines(bob, one)
    [second] = lines(bob, two)
    assert isinstance(old, Record)
    assert isinstance(second, Record)
    with bob.open() as repository:
        story = Story(repository)
        story.note(new, replace(old, rev=3, link=Link(evidence="agent", carried_from=(one,))))
        story.note(two, Tombstone(id="traj_ann", first="e2", rev=1, deleted="unlinked by hand"))
        own = story.segment("traj_ann", 7, [Message(id="e7", content="bob went on")])
        story.note(three, record("traj_ann", at=7, segments=[own], also=old.segments))
        story.note(
            three, ForeignLine(f'{{"id":"traj_ann", {SECRET}'.encode(), "damaged"), ForeignLine(b"kept", "x")
        )
    cleanse(ann)
    share(ann, replace=True)
    share(bob)
    check_gone(server, bob)
    [carried] = lines(bob, new)
    assert isinstance(carried, Record)
    assert carried.link.carried_from == (one,)
    assert carried.rev == 1000
    assert [r.id for r in standing(two, lines(bob, two))] == []  # the unlinked record stays unlinked
    after = {(line.id, line.key[1]): line for line in lines(bob, three) if isinstance(line, Record)}
    assert after.keys() == {("traj_other", "e0"), ("traj_ann", "e7")}
    assert after["traj_ann", "e7"].also == carried.segments != old.segments
    assert b"bob went on" in reachable(server)
    assert [line.text for line in lines(bob, three) if isinstance(line, ForeignLine)] == [b"kept"]


def test_plain_git_cannot_bring_a_secret_back_to_a_purged_clone(server: Git, ann: Git, bob: Git) -> None:
    """A server accepts plain git's union of notes as a fast-forward: a clone that knows of the purge takes
    only the records from it."""
    plant(ann)
    share(ann)
    share(bob)
    fetch_months(bob)
    cleanse(ann)
    share(ann, replace=True)
    tell(bob, commits(bob)[0], "traj_bob")
    bob("fetch", "-q", "origin", f"+{RECORDS}:refs/notes-remote/origin/traj")
    with bob.open() as repository:
        assert [found.remedy for found in check_purges(repository)] == ["git traj fetch origin"]
    bob("notes", "--ref=traj", "merge", "-q", "-s", "cat_sort_uniq", "refs/notes-remote/origin/traj")
    bob("push", "-q", "origin", RECORDS)
    assert SECRET.encode() in reachable(server)

    with ann.open() as repository:
        said: list[str] = []
        fetch(repository, find_remote(repository, "origin"), tell=said.append)
        assert said == ["origin still has purged data: git traj push --replace removes it"]
        with pytest.raises(TrajError, match="still has purged data"):
            push(repository, find_remote(repository, "origin"))
        assert [found.remedy for found in check_purges(repository)] == ["git traj push --replace origin"]
    assert told(ann)[commits(ann)[0]] == {"traj_ann", "traj_bob"}
    share(ann, replace=True)
    share(bob)
    check_gone(server, ann, bob)
    assert told(ann) == told(bob) == told(server)
    assert ann("rev-parse", RECORDS) == bob("rev-parse", RECORDS)


def test_two_clones_purge_at_the_same_time(server: Git, ann: Git, bob: Git) -> None:
    other = "nothing" + " secret"
    plant(ann)
    share(ann)
    share(bob)
    fetch_months(bob)
    cleanse(ann)
    cleanse(bob, other)
    share(ann, replace=True)
    share(bob, replace=True)
    share(ann)
    for word in (SECRET, other):
        check_gone(server, ann, bob, word=word)
    assert ann("rev-parse", RECORDS, DATA) == bob("rev-parse", RECORDS, DATA)
    assert told(ann) == dict(zip(commits(ann), ({"traj_ann"}, {"traj_ann"}, {"traj_other"}), strict=True))


def test_what_replaced_a_purged_segment_is_purged(server: Git, ann: Git, bob: Git, be: Be) -> None:
    """It is also removed from the server and from a clone that fetched it; doctor repairs a month that still
    has it."""
    _, two, _ = commits(ann)
    plant(ann)
    share(ann)
    for word in (SECRET, "kept "):  # the first purge writes into this month, the second removes from it
        cleanse(ann, word)
    share(ann, replace=True)
    be(bob)("sync")
    be(bob)("show", two, "--events")  # fetches the segments
    done = be(ann).json("redact", "--purge", "words", "--gc")
    assert (done["refs"], done["left"]) == ([RECORDS, DATA, NOW], [])
    assert b"words" not in everywhere(ann)
    assert "still has purged data" in be(ann).fails("push")
    share(ann, replace=True)
    before = bob("rev-parse", NOW).strip()
    share(bob)
    with bob.open() as repository:
        assert [*check_purges(repository)] == []
        set_ref(repository, NOW, before, message="as if the purge had stopped")
        [found] = check_purges(repository)
        assert found.code == "purge-unfinished"
        assert fix_findings([found], report=pytest.fail) == [(found, True)]
        assert [*check_purges(repository)] == []
    share(bob)
    for word in (SECRET, "kept ", "words"):
        check_gone(server, ann, bob, word=word)
    assert told(ann) == told(bob) == told(server)


STEPS = (
    "DataRefs.write",
    "merge_purged_records",
    "merge_purged_segments",
    "_clean_active",
    "clear_traces",
    "_find_left",
)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_purge_killed_at_any_step_can_be_completed(
    git: Git, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    """When the purge is run again, the result is as if it had not been killed."""
    for n in range(3):
        git.commit({"file": f"{n}\n"}, f"Commit {n}")
    plant(git)
    with git.open() as repository:
        waiting = Header(trajectory="traj_mine", worktree=".", title=SECRET)
        LocalState.of(repository).create()
        save_active(LocalState.of(repository).folder, Active(header=waiting))
    tips = {ref: git("rev-parse", ref) for ref in (RECORDS, DATA)}
    for step in STEPS:
        for ref, tip in tips.items():
            git("update-ref", ref, tip)
        with monkeypatch.context() as patch:
            _kill(patch, step, after=after)
            with pytest.raises(KeyboardInterrupt):
                cleanse(git)
        cleanse(git)
        assert SECRET.encode() not in reachable(git), step
        assert told(git) == dict(zip(commits(git), ({"traj_ann"}, {"traj_ann"}, {"traj_other"}), strict=True))
        assert git("reflog", "show", RECORDS) == ""
    with git.open() as repository:
        assert SECRET not in str(load_active(LocalState.of(repository).folder)[0].header.title)
        assert collect_garbage(repository, Purge(old=tuple(tips.values())))
    check_gone(git)


def _kill(patch: pytest.MonkeyPatch, step: str, *, after: bool) -> None:
    owner, name = (DataRefs, "write") if step == "DataRefs.write" else (work, step)
    real = getattr(owner, name)

    def killed(*args: Any, **known: Any) -> None:
        if after:
            real(*args, **known)
        raise KeyboardInterrupt

    patch.setattr(owner, name, killed)


def test_a_clone_that_is_killed_while_it_takes_a_purge_completes_it_later(
    server: Git, ann: Git, bob: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(ann)
    share(ann)
    share(bob)
    fetch_months(bob)
    cleanse(ann)
    share(ann, replace=True)
    for step in ("_settle_months", "clear_traces"):
        with monkeypatch.context() as patch:
            patch.setattr(f"gittraj.sync.transfer.{step}", partial(_die, step))
            with pytest.raises(KeyboardInterrupt):
                share(bob)
        with bob.open() as repository:
            assert [found.code for found in check_purges(repository)] == ["purge-unfinished"]
    share(bob)
    check_gone(bob)


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_obstacles_to_a_purge_are_reported(git: Git, be: Be) -> None:
    for n in range(3):
        git.commit({"file": f"{n}\n"}, f"Commit {n}")
    plant(git)
    one, *_ = commits(git)
    git("update-ref", "refs/heads/kept", RECORDS)
    (git.root / ".git" / "NOTES_MERGE_REF").write_text(f"{RECORDS}\n")
    assert be(git).fails("redact", "--purge", SECRET) == f"a merge of {RECORDS} is not finished"
    (git.root / ".git" / "NOTES_MERGE_REF").unlink()
    assert "4 characters" in be(git).fails("redact", "--purge", "abc")
    assert "no finding" in be(git).fails("redact", "--purge", "--finding", "00000000")
    with git.open() as repository:
        nowhere = SegmentRef(name="000005-12345678", month="2019-01", bytes=1, sha256="0" * 64)
        Story(repository).note(one, record("traj_far", at=5, segments=[nowhere]))
    out, err = be(git)("redact", "--purge", SECRET)
    assert "refs/heads/kept is not ours and keeps the old history" in err
    assert "is missing or unreadable: 1\n" in err
    assert "rotate it" in out
    assert "git gc --prune=now" in out


def test_a_purge_of_what_the_rules_find(tmp_path: Path, be: Be) -> None:
    """Purge all findings, or one wherever it occurs; the secret is remembered by its hash."""
    git = Git.init(tmp_path / "repo", "--object-format=sha256")
    password = "hT7kLq9" + "-Wm4xRb2z"
    token = "ghp_" + "8sK2mQ9xZ4vB7nR1" + "tY6wE3uI5oP0aSdFgHjK"
    for n in range(3):
        git.commit({"file": f"{n}\n"}, f"Commit {n}")
    one, two, _ = commits(git)
    tell(git, one, "traj_a", text=f"password: {password}")
    tell(git, two, "traj_b", text=f"take {token}, and then {password}")
    out, _ = be(git)("redact", "--audit", status=1)
    [finding] = [line.split()[0] for line in out.splitlines() if "traj_a" in line]
    be(git)("redact", "--purge", "--finding", finding)
    assert password.encode() not in reachable(git)
    assert token.encode() in reachable(git)
    be(git)("redact", "--purge")
    assert token.encode() not in reachable(git)
    be(git)("redact", "--audit")
    with git.open() as repository:
        local = LocalState.of(repository)
        again = redactors(Config(), key=local.key(), live=LiveValues((), hashes=local.hashes()))()
        assert password not in again.text(f"it was {password} all along")
        tips = (NotesRef(repository).tip(), repository.objects.resolve(DATA))
        assert [read_epoch(repository.objects, tip).number for tip in tips] == [2, 2]
