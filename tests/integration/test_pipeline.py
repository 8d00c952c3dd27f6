"""The pipeline's records and segments, read back from a real repository."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.config import Config
from gittraj.config import Thinking as Wanted
from gittraj.errors import RedactionError
from gittraj.events.truncate import RECORD_LIMIT
from gittraj.git import Repository
from gittraj.model.codec import decode_note, decode_segment, dump, segment_path, to_json
from gittraj.model.values import (
    STUB_REV,
    AnyEvent,
    Chapter,
    Decided,
    Decision,
    FileChanged,
    FileTouched,
    Json,
    Link,
    Message,
    NoteEvent,
    Origin,
    Prompt,
    Range,
    Record,
    SegmentRef,
    SessionInfo,
    Thinking,
    Tombstone,
    ToolCall,
    ToolResult,
    Trajectory,
)
from gittraj.notes.merge import standing
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.record.draft import Draft, Target
from gittraj.record.pipeline import Pipeline
from gittraj.redact import RULESET, Redactor
from gittraj.redact.events import LEFT_OUT
from tests.integration.repository import Git

SECRET = "ghp_" + "x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi"
PASSWORD = "Tr0ub4" + "dor-and-3"
KEY = b"k" * 32


@pytest.fixture
def repository(git: Git) -> Iterator[Repository]:
    with git.open() as opened:
        yield opened


def pipeline(repository: Repository, *, thinking: Wanted = "clear", **given: Any) -> Pipeline:
    return Pipeline(
        **{
            "repository": repository,
            "config": Config(thinking=thinking),
            "redactor": lambda: Redactor(key=KEY),
            "ruleset": RULESET,
            **given,
        }
    )


def draft(
    *commits: str,
    events: Sequence[AnyEvent] = (Prompt(id="1.0", content="Fix it"),),
    at: int = 0,
    name: str = "traj_a",
    **given: Any,
) -> Draft:
    span = Range(first=events[0].id, last=events[-1].id, n=len(events), at=at)
    whole = given.pop("whole", SessionInfo(title="T", agent="codex", session="s"))
    return Draft(
        trajectory=Trajectory(
            id=name,
            whole=whole,
            chapters=(Chapter(id="c", title="x", events=tuple(events)),),
            span=span,
            prompt=given.pop("prompt", None),
        ),
        positions=tuple(range(at, at + len(events))),
        targets=tuple(Target(commit=c, link=Link(evidence="agent", call="call_1")) for c in commits),
        **given,
    )


def records(repository: Repository, commit: str) -> list[Record]:
    return standing(commit, decode_note(NotesRef(repository).read(commit) or b""))


def stored(repository: Repository, record: Record) -> list[AnyEvent]:
    """Read the events of a record from its segments."""
    found: list[AnyEvent] = []
    for ref in record.segments:
        body = DataRefs(repository).read(ref.month, segment_path(record.id, ref.name))
        assert body is not None
        assert (len(body), hashlib.sha256(body).hexdigest()) == (ref.bytes, ref.sha256)
        found += decode_segment(body, ref.name)
    return found


def objects(git: Git) -> bytes:
    """Read every object of the repository, reachable or not."""
    done = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=git.root, capture_output=True, check=True
    )
    return done.stdout


def refs(git: Git) -> str:
    return git("for-each-ref", "refs/notes")


def test_a_part_is_a_record_on_its_commit_and_a_segment_of_its_events(
    git: Git, repository: Repository
) -> None:
    commit = git.commit({"a": "1"})
    events: list[AnyEvent] = [
        Prompt(id="1.0", content="Fix it", ts="2026-01-01T00:00:00.000Z"),
        ToolCall(id="2.0", name="edit", call_id="c", files=(FileTouched(path="a"),)),
        ToolResult(id="3.0", call_id="c", is_error=True),
        Message(id="4.0", content="Fixed.", ts="2026-01-01T00:01:00.000Z"),
    ]
    written = pipeline(repository).write(
        [draft(commit, events=events, files=(FileChanged(path="a", edits=1),))]
    )
    [record] = records(repository, commit)
    assert written.commits == {commit}
    assert stored(repository, record) == events
    assert written.segments == {("traj_a", "1.0"): record.segments}
    assert record.range == Range(first="1.0", last="4.0", n=4, at=0)
    assert record.link == Link(evidence="agent", call="call_1")
    assert record.origin is not None
    assert (record.origin.commit, record.origin.tree) == (commit, git("rev-parse", "HEAD^{tree}"))
    figures = record.figures
    assert (figures.prompt, figures.started_at, figures.ended_at) == ("Fix it", events[0].ts, events[3].ts)
    assert figures.summary is not None
    assert (figures.summary.text, figures.summary.by) == ("Fixed.", "agent")
    assert (figures.counts.tool_calls, figures.counts.errors, figures.ruleset) == (1, 1, RULESET)
    assert figures.files == (FileChanged(path="a", edits=1),)


def test_plain_git_reads_the_record(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    pipeline(repository).write([draft(commit)])
    assert json.loads(git("notes", "--ref=traj", "show", commit))["id"] == "traj_a"


def test_one_part_on_several_commits(git: Git, repository: Repository) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    pipeline(repository).write([draft(one, two)])
    [first], [second] = records(repository, one), records(repository, two)
    assert first.key == second.key
    assert first.segments == second.segments
    assert first.origin and second.origin
    assert (first.origin.commit, second.origin.commit) == (one, two)


def everywhere(text: str) -> list[AnyEvent]:
    """Make events with ``text`` in each field that an agent can write to."""
    nested: Json = {"a": [{"b": f"x {text} y", f"k-{text}": [text]}]}
    return [
        Prompt(id="1.0", content=f"Use {text}.", tags=(text,), raw=nested, extra={"later": nested}),
        Thinking(id="2.0", content=f"the token is {text}"),
        Message(id="3.0", content=f"I will use {text} over nothing.", model=text),
        ToolCall(id="4.0", name=f"mcp__{text}", arguments=nested, files=(FileTouched(path=f"d/{text}"),)),
        ToolCall(id="5.0", name="sh", arguments=json.dumps(nested)),
        ToolResult(id="6.0", content=f"a\n{text}\n", is_error=True),
        Decided(id="7.0", decision=Decision(chosen=text, by="agent", alternatives=(text,), reasoning=text)),
        NoteEvent(id="8.0", kind="note", content=text),
    ]


def test_a_planted_secret_is_in_no_object(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    part = draft(
        commit,
        events=everywhere(SECRET),
        files=(FileChanged(path=f"d/{SECRET}"),),
        whole=SessionInfo(title=SECRET, agent="codex", session="s", models=(SECRET,)),
        prompt=SECRET,
    )
    part = Draft(
        trajectory=part.trajectory,
        positions=part.positions,
        files=part.files,
        targets=(Target(commit=commit, link=Link(evidence="agent", call=f"call_{SECRET}")),),
    )
    pipeline(repository).write([part])
    assert SECRET.encode() not in objects(git)
    [record] = records(repository, commit)
    assert len(stored(repository, record)) == 8
    assert record.figures.redactions_by_rule == {"github-token": 1}, "one secret, in eight places"


def test_a_secret_that_one_text_names_is_redacted_in_all_others(git: Git, repository: Repository) -> None:
    """The secret also occurs without its name, before that text and in an earlier part."""
    commit = git.commit({"a": "1"})
    first = draft(commit, events=[Message(id="1.0", content=f"Logging in with {PASSWORD} now")])
    second = draft(
        commit,
        events=[
            Message(id="2.0", content=f"{PASSWORD} worked"),
            ToolCall(id="3.0", name="login", arguments={"user": "ann", "password": PASSWORD}),
        ],
        at=1,
    )
    pipeline(repository).write([first, second])
    assert PASSWORD.encode() not in objects(git)


class Refusing(Redactor):
    """Refuses to scan marked texts, as the real one refuses texts made to take forever."""

    def learn(self, text: str, *, name: str | None = None, strict: bool = False) -> None:
        self.text(text, name=name, strict=strict)

    def text(self, text: str, *, name: str | None = None, strict: bool = False) -> str:
        if "UNSCANNABLE" in text:
            raise RedactionError("a text of 11 characters could not be scanned")
        return super().text(text, name=name, strict=strict)


def test_a_part_that_cannot_be_redacted_is_parked_and_the_others_are_written(
    git: Git, repository: Repository, tmp_path: Path
) -> None:
    commit, other = git.commit({"a": "1"}), git.commit({"a": "2"})
    log = tmp_path / "log.jsonl"
    bad = draft(
        commit,
        events=[
            Prompt(id="1.0", content="marker-of-bad"),
            Message(id="UNSCANNABLE", content=SECRET),
        ],
        source=log,
    )
    good = draft(other, events=[Message(id="3.0", content=f"{PASSWORD} it is")], at=2)
    naming = draft(other, events=[ToolCall(id="4.0", name="x", arguments={"password": PASSWORD})], at=3)
    written = pipeline(repository, redactor=lambda: Refusing(key=KEY)).write([bad, good, naming])
    [parked] = written.parked
    assert (parked.source, parked.first, parked.last) == (str(log), "1.0", "UNSCANNABLE")
    assert "UNSCANNABLE" not in parked.why
    assert records(repository, commit) == []
    assert [r.range.first for r in records(repository, other) if r.range] == ["3.0", "4.0"]
    everything = objects(git)
    for text in ("UNSCANNABLE", "marker-of-bad", SECRET, PASSWORD):
        assert text.encode() not in everything


def test_a_text_that_cannot_be_scanned_is_left_out_alone(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    events: list[AnyEvent] = [
        ToolResult(id="1.0", call_id="c", content=f"UNSCANNABLE {SECRET}"),
        Message(id="2.0", content="kept words"),
    ]
    written = pipeline(repository, redactor=lambda: Refusing(key=KEY)).write([draft(commit, events=events)])
    assert written.parked == []
    [record] = records(repository, commit)
    assert record.figures.redactions_by_rule == {"unscannable": 1}
    everything = objects(git)
    assert [text.encode() in everything for text in (LEFT_OUT, "kept words", SECRET)] == [True, True, False]


def test_a_part_that_is_nested_too_deeply_is_parked(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    deep: Any = SECRET
    for _ in range(5_000):
        deep = [deep]
    parts = [
        draft(commit, events=[ToolCall(id="1.0", name="x", arguments=deep)]),
        draft(commit, events=[Message(id="2.0", content="fine")], at=1),
    ]
    written = pipeline(repository).write(parts)
    assert [p.first for p in written.parked] == ["1.0"]
    assert [r.range.first for r in records(repository, commit) if r.range] == ["2.0"]


@pytest.mark.parametrize(("wanted", "state", "kept"), [("clear", "clear", 2), ("drop", "dropped", 1)])
def test_thinking_is_stored_or_dropped_as_configured(
    git: Git, repository: Repository, wanted: Wanted, state: str, kept: int
) -> None:
    commit = git.commit({"a": "1"})
    events: list[AnyEvent] = [
        Thinking(id="1.0", content="a private thought"),
        Message(id="2.0", content="said"),
    ]
    pipeline(repository, thinking=wanted).write([draft(commit, events=events)])
    [record] = records(repository, commit)
    assert record.figures.thinking == state
    assert record.figures.counts.thinking == 1
    assert len(stored(repository, record)) == kept
    assert (b"a private thought" in objects(git)) is (wanted == "clear")
    assert record.range is not None
    assert record.range.n == 2


def test_a_part_of_nothing_but_dropped_thinking_has_no_segment(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    pipeline(repository, thinking="drop").write([draft(commit, events=[Thinking(id="1.0", content="x")])])
    [record] = records(repository, commit)
    assert record.segments == ()


@pytest.mark.parametrize("letter", ["x", "ü", "€", '"'])
def test_a_large_record_is_cut_and_marked(git: Git, repository: Repository, letter: str) -> None:
    commit = git.commit({"a": "1"})
    long = letter * 5_000
    decisions = [
        Decided(id=f"{n}.0", decision=Decision(chosen=long, by="agent", reasoning=long)) for n in range(3)
    ]
    events: list[AnyEvent] = [Prompt(id="p", content=long), *decisions, Message(id="m", content=long)]
    files = tuple(FileChanged(path=f"{'d' * 50}/{n}", edits=1) for n in range(400))
    also = tuple(SegmentRef(name=f"{n:06d}", month="2026-01", bytes=1, sha256="0" * 64) for n in range(200))
    pipeline(repository).write([draft(commit, events=events, files=files, also=also)])
    [record] = records(repository, commit)
    assert len(dump(to_json(record))) <= RECORD_LIMIT
    assert record.cut["files"] == 400
    assert record.cut["decisions"] == 3
    assert record.cut["also"] == 200
    assert record.figures.prompt
    assert stored(repository, record) == events


def test_a_small_record_is_not_cut(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    pipeline(repository).write([draft(commit, files=(FileChanged(path="a"),))])
    assert records(repository, commit)[0].cut == {}


def test_more_than_a_megabyte_is_several_segments(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    events = [Message(id=f"{n}.0", content=f"{n} " + "word " * 60_000) for n in range(8)]
    pipeline(repository).write([draft(commit, events=events, at=5)])
    [record] = records(repository, commit)
    assert [s.name[:6] for s in record.segments] == ["000005", "000008", "000011"]
    assert max(s.bytes for s in record.segments) <= 1_000_000
    assert stored(repository, record) == events


def test_events_over_a_limit_are_left_out_and_counted(git: Git, repository: Repository) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    events = [
        Prompt(id="p", content="Fix it"),
        ToolResult(id="r1", content="x" * 300),
        ToolCall(id="c", name="Bash"),
        Thinking(id="t", content="y" * 900),
        ToolResult(id="r2", content="z" * 200),
        Message(id="m", content="Done"),
    ]
    whole = pipeline(repository)
    whole.write([draft(one, events=events, name="traj_whole")])
    (full,) = records(repository, one)
    assert full.figures.counts.omitted == 0

    part = pipeline(repository, config=Config(thinking="clear", max_segment_bytes=600))
    part.write([draft(one, events=events)])
    (less,) = (record for record in records(repository, one) if record.id == "traj_a")
    assert [event.id for event in stored(repository, less)] == ["p", "r1", "c", "m"]
    assert sum(ref.bytes for ref in less.segments) <= 600
    counts = replace(full.figures.counts, omitted=2)
    assert less.figures == replace(full.figures, counts=counts, thinking="dropped")

    session = pipeline(repository, config=Config(thinking="clear", max_session_bytes=900))
    parts = [[replace(event, id=f"{event.id}{n}") for event in events] for n in range(3)]
    session.write([draft(one, events=parts[n], at=6 * n, name="traj_b") for n in range(2)])
    earlier = [record for record in records(repository, one) if record.id == "traj_b"]
    taken = tuple(ref for record in earlier for ref in record.segments)
    session.write([draft(two, events=parts[2], at=12, name="traj_b", earlier=taken)])
    all_records = [*earlier, *records(repository, two)]
    assert 800 < sum(ref.bytes for record in all_records for ref in record.segments) <= 900
    assert [record.figures.counts.prompts for record in all_records] == [1, 1, 1]
    kept = sum(len(stored(repository, record)) for record in all_records)
    assert kept + sum(record.figures.counts.omitted for record in all_records) == 18


def test_a_record_also_names_segments_of_an_earlier_part_of_the_batch(
    git: Git, repository: Repository
) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    ref = SegmentRef(name="000000-12345678", month="2026-01", bytes=1, sha256="0" * 64)
    first = draft(one)
    second = draft(two, events=[Message(id="2.0")], at=1, also=(ref, ("traj_a", "1.0"), ("traj_a", "gone")))
    pipeline(repository).write([first, second])
    [a], [b] = records(repository, one), records(repository, two)
    assert b.also == (ref, *a.segments)


def test_a_pruned_commit_does_not_delay_another_commits_record(git: Git, repository: Repository) -> None:
    here, gone = git.commit({"a": "1\n"}), "d" * 40
    pipeline(repository).write([draft(gone), draft(here, name="traj_b")])
    assert [record.id for record in records(repository, here)] == ["traj_b"]
    (record,) = records(repository, gone)
    assert record.origin == Origin(commit=gone)


def test_writing_twice_changes_nothing(git: Git, repository: Repository) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    parts = [draft(one), draft(two, events=everywhere("x"), at=1)]
    pipeline(repository, rewrites={one: (two,)}).write(parts, carry=[(one, two)])
    before = refs(git)
    pipeline(repository, rewrites={one: (two,)}).write(parts, carry=[(one, two)])
    assert refs(git) == before


def test_nothing_to_write_makes_no_ref(git: Git, repository: Repository) -> None:
    old, new = git.commit({"a": "1"}), git.commit({"a": "2"})
    pipeline(repository).write([], carry=[(old, new)])
    assert refs(git) == ""


def test_existing_records_are_carried_and_a_late_part_follows_every_rewrite(
    git: Git, repository: Repository
) -> None:
    old, new, newest = (git.commit({"a": str(n)}) for n in range(3))
    pipeline(repository).write([draft(old)], carry=[(old, new)])
    pipeline(repository).write([], carry=[(old, new)])
    [carried] = records(repository, new)
    assert carried.link.carried_from == (old,)
    assert carried.link.evidence == "agent"
    assert carried.origin == records(repository, old)[0].origin
    late = draft(old, events=[Message(id="9.0")], at=8)
    pipeline(repository, rewrites={old: (new,), new: (newest,)}).write([late])
    assert {c: len(records(repository, c)) for c in (old, new, newest)} == {old: 2, new: 2, newest: 1}
    assert records(repository, newest)[0].link.carried_from == tuple(sorted((old, new)))


def test_a_part_in_the_same_batch_as_the_rewrite_of_its_commit(git: Git, repository: Repository) -> None:
    old, new = git.commit({"a": "1"}), git.commit({"a": "2"})
    pipeline(repository, rewrites={old: (new,)}).write([draft(old)], carry=[(old, new)])
    assert [r.link.carried_from for r in records(repository, new)] == [(old,)]


def stub(commit: str) -> tuple[str, Record]:
    link = Link(evidence="agent")
    return commit, Record(
        id="traj_a", rev=STUB_REV, link=link, whole=SessionInfo(agent="codex"), incomplete=True
    )


def test_a_stub_is_replaced_by_the_recorded_part_and_tombstoned(git: Git, repository: Repository) -> None:
    commit, other = git.commit({"a": "1"}), git.commit({"a": "2"})
    pipeline(repository).write([], lines=[stub(commit), stub(other)])
    assert [r.incomplete for r in records(repository, commit)] == [True]
    pipeline(repository).write([draft(commit)])
    assert [r.incomplete for r in records(repository, commit)] == [False]
    lines = decode_note(NotesRef(repository).read(commit) or b"")
    assert Counter(type(line) for line in lines) == {Record: 2, Tombstone: 1}
    assert [r.incomplete for r in records(repository, other)] == [True]


def test_a_forgotten_trajectory_stays_forgotten(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    stone = Tombstone(id="traj_a", deleted="forgotten", scope="all", rev=1)
    pipeline(repository).write([draft(commit)], lines=[(commit, stone)])
    pipeline(repository).write([draft(commit, events=[Message(id="2.0")], at=1)])
    assert records(repository, commit) == []


def test_foreign_lines_of_a_note_are_kept(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    git("notes", "--ref=traj", "add", "-m", "Reviewed-by: me", commit)
    pipeline(repository).write([draft(commit)])
    assert "Reviewed-by: me" in git("notes", "--ref=traj", "show", commit).splitlines()
    assert len(records(repository, commit)) == 1


def test_folder_names_are_removed_before_texts_are_redacted(git: Git, repository: Repository) -> None:
    commit = git.commit({"a": "1"})
    seen: list[Mapping[str, int]] = []

    def localise(text: str) -> str:
        seen.append({})
        return text.replace("/home/ann", "~")

    part = draft(commit, events=[Message(id="1.0", content="/home/ann/x", raw={"/home/ann": 1})])
    pipeline(repository, localise=localise).write([part])
    assert seen
    assert b"/home/ann" not in objects(git)
