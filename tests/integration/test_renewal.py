"""A secret that becomes known late is removed from what is stored, before it can be pushed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gittraj.commands.doctor.fsck import fsck
from gittraj.config import Config, stamp
from gittraj.git import Repository
from gittraj.index.language import parse_query
from gittraj.index.search import Conditions, Hit, search
from gittraj.model.codec import decode_note, decode_segment, encode_note, encode_segments, segment_path
from gittraj.model.values import (
    AnyEvent,
    Chapter,
    Key,
    Link,
    Message,
    Prompt,
    Range,
    Record,
    SegmentRef,
    SessionInfo,
    Tombstone,
    ToolCall,
    ToolResult,
    Trajectory,
)
from gittraj.notes.merge import standing
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.record.draft import Draft, Target, Written
from gittraj.record.drain.redactor import redactors
from gittraj.record.pipeline import Pipeline
from gittraj.record.rewrite_segments import read_segments
from gittraj.redact import LiveValues
from gittraj.state.folder import LocalState
from tests.integration.repository import Git
from tests.integration.searched import indexed

PASSWORD = "Tr0ub4" + "dor-and-3"
KEY = b"k" * 32


@pytest.fixture
def repository(git: Git) -> Iterator[Repository]:
    with git.open() as opened:
        LocalState.of(opened).create()
        yield opened


def pipeline(repository: Repository, **given: Any) -> Pipeline:
    local = LocalState.of(repository)
    config = given.pop("config", Config(thinking="clear"))
    hashes = local.hashes()
    return Pipeline(
        repository=repository,
        config=config,
        redactor=redactors(config, key=local.key(), live=LiveValues((), hashes=hashes)),
        ruleset=given.pop("ruleset", stamp(config)),
        known=len(hashes),
        remember=local.add_hashes,
        expose=local.add_exposed,
        **given,
    )


def draft(
    commit: str,
    *events: AnyEvent,
    at: int,
    earlier: tuple[SegmentRef, ...] = (),
    also: tuple[SegmentRef | Key, ...] = (),
    searched: int = 0,
    calls: tuple[ToolCall, ...] = (),
    name: str = "traj_a",
) -> Draft:
    span = Range(first=events[0].id, last=events[-1].id, n=len(events), at=at)
    return Draft(
        trajectory=Trajectory(
            id=name,
            whole=SessionInfo(title="T", agent="codex", session="s"),
            chapters=(Chapter(id="c", title="x", events=events),),
            span=span,
        ),
        positions=tuple(range(at, at + len(events))),
        targets=(Target(commit=commit, link=Link(evidence="agent")),),
        earlier=earlier,
        also=also,
        searched=searched,
        calls=calls,
    )


def first_part(repository: Repository, commit: str) -> Written:
    """Write a part that contains a password but does not say that it is one."""
    events = (Prompt(id="1.0", content=f"Try {PASSWORD} again"), Message(id="1.1", content="Tried."))
    return pipeline(repository).write([draft(commit, *events, at=0)])


def password_call(at: int = 2) -> ToolCall:
    """Make a call that says that the password is one."""
    return ToolCall(id=f"{at}.0", name="x", arguments={"password": PASSWORD})


def records(repository: Repository, commit: str) -> list[Record]:
    return standing(commit, decode_note(NotesRef(repository).read(commit) or b""))


def stored(repository: Repository, record: Record) -> list[AnyEvent]:
    return [
        event
        for ref in record.segments
        for event in decode_segment(
            DataRefs(repository).read(ref.month, segment_path(record.id, ref.name)) or b"", ref.name
        )
    ]


def reachable(git: Git) -> bytes:
    """Read every object that a ref or a reflog reaches: all that a push could send."""
    listed = git("rev-list", "--objects", "--all", "--reflog", "--no-object-names")
    return git.raw("cat-file", "--batch", input=listed + "\n")


def search_hits(repository: Repository, words: str) -> list[Hit]:
    return search(repository, parse_query(words), Conditions(), limit=9).hits


def fsck_errors(repository: Repository) -> list[str]:
    return [finding.code for finding in fsck(repository) if finding.severity == "wrong"]


def test_the_earlier_part_is_rewritten(git: Git, repository: Repository) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    before = first_part(repository, one)
    (old,) = before.segments["traj_a", "1.0"]
    assert PASSWORD.encode() in reachable(git)
    assert search_hits(repository, PASSWORD)
    assert PASSWORD in indexed(git.root / ".git")

    written = pipeline(repository).write([draft(two, password_call(), at=2, earlier=(old,), also=(old,))])

    [first] = records(repository, one)
    [second] = records(repository, two)
    (new,) = first.segments
    assert new != old
    assert (first.rev, second.rev) == (2, 1)
    assert second.also == (new,)
    assert written.segments["traj_a", "1.0"] == (new,)
    assert [event.id for event in stored(repository, first)] == ["1.0", "1.1"]
    assert str(first.figures.prompt).startswith("Try REDACTED-")
    assert first.figures.redactions_by_rule
    assert first.origin is not None
    assert not written.exposed
    assert PASSWORD.encode() not in reachable(git)
    assert not search_hits(repository, PASSWORD)
    assert search_hits(repository, "again")
    assert PASSWORD not in indexed(git.root / ".git")
    assert PASSWORD.split("-", maxsplit=1)[0].lower() not in indexed(git.root / ".git")
    assert fsck_errors(repository) == []


def test_every_note_with_the_part_or_its_events_is_rewritten(git: Git, repository: Repository) -> None:
    one, two, three = (git.commit({"a": str(n)}) for n in range(3))
    (old,) = first_part(repository, one).segments["traj_a", "1.0"]
    copy = records(repository, one)[0]
    pipeline(repository).write([draft(two, Message(id="2.0", content="On."), at=2, also=(old,))])
    pipeline(repository).write([], lines=[(three, copy)])

    pipeline(repository).write([draft(three, password_call(3), at=3, earlier=(old,))])

    [first], [second] = records(repository, one), records(repository, two)
    third = next(r for r in records(repository, three) if r.key == first.key)
    assert first.segments == third.segments == second.also != (old,)
    assert (first.rev, second.rev, third.rev) == (2, 2, 2)
    assert PASSWORD.encode() not in reachable(git)
    assert fsck_errors(repository) == []


def test_history_without_the_secret_is_kept(git: Git, repository: Repository) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    pipeline(repository).write([draft(one, Message(id="9.0", content="x"), at=0, name="traj_b")])
    kept = {
        ref: git("rev-parse", ref) for ref in git("for-each-ref", "--format=%(refname)", "refs/notes").split()
    }
    for ref, tip in kept.items():  # as after a push
        git("update-ref", ref.replace("refs/notes/", "refs/notes-remote/origin/"), tip)
    (old,) = first_part(repository, one).segments["traj_a", "1.0"]
    pipeline(repository).write([draft(two, password_call(), at=2, earlier=(old,))])
    assert len(kept) == 2
    for ref, tip in kept.items():
        assert git.succeeds("merge-base", "--is-ancestor", tip, ref), f"{ref} could not be pushed any more"


def test_nothing_is_searched_when_nothing_became_known(git: Git, repository: Repository) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    (old,) = first_part(repository, one).segments["traj_a", "1.0"]
    written = pipeline(repository).write([draft(two, Message(id="2.0", content="On."), at=2, earlier=(old,))])
    assert written.segments.keys() == {("traj_a", "2.0")}
    assert records(repository, one)[0].rev == 1


def test_a_secret_known_from_another_session_is_removed_with_the_next_part(
    git: Git, repository: Repository
) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    (old,) = first_part(repository, one).segments["traj_a", "1.0"]
    pipeline(repository).write([draft(two, password_call(), at=0, name="traj_b")])
    assert PASSWORD.encode() in reachable(git)
    assert PASSWORD not in (repository.common_dir / "traj" / "live.json").read_text()

    late = pipeline(repository)
    said = Message(id="2.0", content=f"It was {PASSWORD} all along")
    written = late.write([draft(two, said, at=2, earlier=(old,), searched=0)])
    assert written.searched == late.known == 1
    assert PASSWORD.encode() not in reachable(git)

    again = pipeline(repository).write(
        [draft(two, Message(id="3.0", content="x"), at=3, earlier=(old,), searched=written.searched)]
    )
    assert again.segments.keys() == {("traj_a", "3.0")}


def test_a_pushed_part_is_rewritten_and_reported(git: Git, repository: Repository, tmp_path: Path) -> None:
    Git.init(tmp_path / "there", "--bare")
    git("remote", "add", "origin", str(tmp_path / "there"))
    git("config", "--add", "remote.origin.fetch", "+refs/notes/traj*:refs/notes-remote/origin/traj*")
    git("config", "--add", "remote.origin.fetch", "^refs/notes/traj-data*")
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    (old,) = first_part(repository, one).segments["traj_a", "1.0"]
    git("push", "-q", "origin", "refs/notes/*:refs/notes/*")
    git("fetch", "-q", "origin")

    written = pipeline(repository).write([draft(two, password_call(), at=2, earlier=(old,))])

    assert written.exposed == {"traj_a"} == LocalState.of(repository).exposed()
    assert records(repository, one)[0].rev == 2
    assert PASSWORD not in repr(stored(repository, records(repository, one)[0]))
    git("push", "-q", "origin", "refs/notes/*:refs/notes/*")  # still a fast-forward


def test_an_unlinked_record_stays_unlinked(git: Git, repository: Repository) -> None:
    one, two, three = (git.commit({"a": str(n)}) for n in range(3))
    (old,) = first_part(repository, one).segments["traj_a", "1.0"]
    copy = records(repository, one)[0]
    stone = Tombstone(id="traj_a", rev=1, deleted="unlinked by hand")
    pipeline(repository).write([], lines=[(two, copy), (two, stone)])
    assert records(repository, two) == []

    pipeline(repository).write([draft(three, password_call(), at=2, earlier=(old,))])

    assert records(repository, two) == []
    assert records(repository, one)[0].rev == 2
    assert PASSWORD.encode() not in reachable(git)
    assert fsck_errors(repository) == []


def test_a_result_is_redacted_according_to_its_call_in_an_earlier_part(
    git: Git, repository: Repository
) -> None:
    commit = git.commit({"a": "1"})
    shown = ToolResult(id="2.0", call_id="c", content="GREETING=herons at noon\n")
    call = ToolCall(id="1.0", name="Bash", arguments={"command": "printenv"}, call_id="c")
    ls = ToolCall(id="1.0", name="Bash", arguments={"command": "ls"}, call_id="c")
    for name, calls, gone in (("traj_x", (call,), True), ("traj_y", (ls,), False), ("traj_z", (), True)):
        pipeline(repository).write([draft(commit, shown, at=1, calls=calls, name=name)])
        record = next(r for r in records(repository, commit) if r.id == name)
        assert ("herons at noon" not in repr(stored(repository, record))) is gone


def test_a_rewritten_part_is_not_redacted_more_strictly(git: Git, repository: Repository) -> None:
    """The call of a result may be in a part that is not read: then its first redaction remains."""
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    ls = ToolCall(id="0.0", name="Bash", arguments={"command": "ls"}, call_id="c")
    result = ToolResult(id="1.0", call_id="c", content=f"COLOUR=grey as a heron\n{PASSWORD} is")
    (old,) = pipeline(repository).write([draft(one, result, at=1, calls=(ls,))]).segments["traj_a", "1.0"]
    pipeline(repository).write([draft(two, password_call(), at=2, earlier=(old,))])
    (event,) = stored(repository, records(repository, one)[0])
    assert "grey as a heron" in event.content
    assert PASSWORD not in event.content


def test_foreign_lines_of_a_note_stay(git: Git, repository: Repository) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    (old,) = first_part(repository, one).segments["traj_a", "1.0"]
    NotesRef(repository).write(
        {one: lambda body: encode_note([*decode_note(body), *decode_note(b"somebody else's\n")])}, message="x"
    )
    pipeline(repository).write([draft(two, password_call(), at=2, earlier=(old,))])
    assert b"somebody else's\n" in (NotesRef(repository).read(one) or b"")


def test_a_segment_with_a_foreign_name_is_not_read(git: Git) -> None:
    """Anybody who pushes may write any name into a record."""
    with git.open() as repository:
        body = b'{"id":"e","type":"prompt","content":"a"}\n'
        refs = [SegmentRef(name=n, month="2026-01", bytes=len(body), sha256="") for n in ("000000-a", "x-a")]
        blob = repository.objects.write_blob(body)
        DataRefs(repository).add("2026-01", {segment_path("traj_a", ref.name): blob for ref in refs})
        assert [ref for ref, _ in read_segments(repository, "traj_a", refs)] == refs[:1]


def test_events_that_name_an_id_are_read_without_the_others(git: Git) -> None:
    with git.open() as repository:
        call, other = (ToolCall(id=f"e{n}", name="x", call_id=n) for n in ('a"ü', "b"))
        result = ToolResult(id="e2", call_id='a"ü', content="done")
        ((name, body),) = encode_segments(enumerate([call, other, result]))
        ref = SegmentRef(name=name, month="2026-01", bytes=len(body), sha256="")
        blob = repository.objects.write_blob(body + b"{ damaged\n")
        DataRefs(repository).add("2026-01", {segment_path("traj_a", ref.name): blob})
        assert [*read_segments(repository, "traj_a", [ref])] == []
        assert [*read_segments(repository, "traj_a", [ref], naming=['a"ü'])] == [(ref, (call, result))]
