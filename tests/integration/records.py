"""What a repository has of sessions, read directly from the refs: each stored part is counted once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gittraj.git import open_repository
from gittraj.model.codec import decode_note, decode_segment, segment_path
from gittraj.model.values import (
    AnyEvent,
    ForeignLine,
    Message,
    Prompt,
    Record,
    Thinking,
    ToolCall,
    ToolResult,
)
from gittraj.notes.merge import standing
from gittraj.notes.store import DataRefs, NotesRef
from tests.e2e.model_server import Usage
from tests.e2e.scenario import Fact
from tests.integration import command
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter

STATE = {"at", "cursors.json", "installed.json", "live.json", "lock", "precommit", "redact.key", "spool"}
"""All files that may be in ``traj/`` when nothing is switched off and no worker runs."""


@dataclass(slots=True)
class Stored:
    """One session's facts in the order of its parts, the tokens that it used, and its events' ids."""

    facts: list[Fact] = field(default_factory=list)
    usage: Usage = field(default_factory=lambda: Usage(0, 0, 0))
    ids: list[str] = field(default_factory=list)


def install(git: Git) -> Path:
    """Install git-traj as a user would, with thinking stored in clear; return its folder of local state."""
    traj(git, "install")
    git("config", "traj.thinking", "clear")
    folder = Path(git("rev-parse", "--path-format=absolute", "--git-common-dir"))
    age_configuration(folder)
    return folder / "traj"


def age_configuration(folder: Path) -> None:
    """Make the configuration look old. After a change, the pre-commit hook starts a process to read it at
    each commit of the next two seconds: a tenth of a second of a processor each time."""
    for config in (folder / "config", Path(os.environ["GIT_CONFIG_GLOBAL"])):
        if config.exists():
            os.utime(config, (1, 1))


def hold_workers(folder: Path) -> Path:
    """Keep hooks from waking a worker, as if one were running, so that commands record. The lock's time
    is tomorrow's, as an old lock counts as a dead worker's. Nor do hooks check the configuration again."""
    age_configuration(folder.parent)
    lock, end = folder / "drain.lock", time.time() + 86_400
    lock.write_text(f"{os.getpid()}\n")
    os.utime(lock, (end, end))
    return folder


def traj(git: Git, *arguments: str) -> str:
    """Run ``git traj …``; return its stdout."""
    done = command.traj(git.root, *arguments)
    assert done.returncode == 0, f"git traj {arguments} ended with {done.returncode}: {done.stderr}"
    assert not done.stderr, done.stderr
    return done.stdout


def check(git: Git, *sessions: SessionWriter) -> None:
    """Check that each event of the sessions is stored once, with the exact tokens, in a sound repository."""
    stored = read_records(git)
    for session in sessions:
        found = stored.pop(session.session, Stored())
        assert sorted(found.facts) == sorted(session.facts)
        assert len(found.ids) == len(set(found.ids)), "an event is stored twice"
        assert found.usage == session.usage
    assert not stored, "a session is stored that the test did not play"
    assert "missing" not in git("fsck", "--full", "--strict")


def read_records(git: Git) -> dict[str, Stored]:
    """What the notes have of each session, by its id."""
    sessions: dict[str, Stored] = {}
    with open_repository(git.root) as repository:
        data = DataRefs(repository)
        for record in _parts(NotesRef(repository)):
            stored = sessions.setdefault(str(record.whole.session), Stored())
            if usage := record.figures.usage:
                stored.usage += Usage(usage.input_tokens, usage.cache_read_tokens, usage.output_tokens)
            for event in _events(data, record):
                stored.ids.append(event.id)
                stored.facts.extend(_facts(event))
    return sessions


def read_facts(data: DataRefs, record: Record) -> list[Fact]:
    """The facts of a part, in order."""
    return [fact for event in _events(data, record) for fact in _facts(event)]


def _parts(notes: NotesRef) -> Sequence[Record]:
    """Each part once, even if it is on several commits."""
    found: dict[tuple[str, str], Record] = {}
    for commit, body in notes.items():
        lines = decode_note(body)
        assert not any(isinstance(line, ForeignLine) for line in lines), f"the note of {commit} is damaged"
        for record in standing(commit, lines):
            assert record.range is not None, f"{commit} has a stub: {record}"
            found[record.id, record.range.first] = record
    return sorted(found.values(), key=lambda r: (r.id, r.range.at if r.range else 0))


def _events(data: DataRefs, record: Record) -> Iterator[AnyEvent]:
    for segment in record.segments:
        body = data.read(segment.month, segment_path(record.id, segment.name))
        assert body is not None, f"{segment.name} is named and not there"
        yield from decode_segment(body, segment.name)


def _facts(event: AnyEvent) -> Iterator[Fact]:
    match event:
        case Prompt():
            yield "prompt", event.content
        case Message():
            yield "message", event.content
        case Thinking():
            yield "thinking", event.content
        case ToolCall():
            yield "tool_call", event.call_id or ""
        case ToolResult():
            yield "tool_result", event.call_id or ""
