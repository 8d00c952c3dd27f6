"""Shortcuts for tests of clones that share records through a bare repository."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.model.codec import decode_note
from gittraj.model.values import AnyEvent, Message, Record
from gittraj.notes.store import NotesRef
from tests.integration.repository import Git
from tests.integration.story import MONTH, Story, record

RECORDS = "refs/notes/traj"
DATA = f"refs/notes/traj-data-{MONTH}"


def bare(path: Path, *options: str) -> Git:
    return Git.init(path, "--bare", *options)


def clone(server: Git, path: Path, *options: str) -> Git:
    """Make a clone that pushes records without asking for consent."""
    Git(path.parent)("clone", "--quiet", *options, str(server.root), path.name)
    git = Git(path)
    git("config", "traj.push", "auto")
    return git


def tell(git: Git, commit: str, trajectory: str, *, text: str = "said", at: int = 0) -> None:
    """Write a record on a commit, with a segment of one message."""
    events: list[AnyEvent] = [Message(id=f"e{at}", content=text)]
    with git.open() as repository:
        story = Story(repository)
        story.note(commit, record(trajectory, at=at, segments=[story.segment(trajectory, at, events)]))


def told(git: Git, ref: str = RECORDS) -> dict[str, set[str]]:
    """The ids of the trajectories on each commit."""
    with git.open() as repository:
        notes = {commit: decode_note(body) for commit, body in NotesRef(repository, ref).items()}
    return {c: {line.id for line in lines if isinstance(line, Record)} for c, lines in notes.items()}


def refs(git: Git, *patterns: str) -> dict[str, str]:
    listed = git("for-each-ref", "--format=%(refname) %(objectname)", *(patterns or ("refs/notes/",)))
    return dict(line.split(" ") for line in listed.splitlines())


@dataclass(frozen=True, slots=True)
class Person:
    """Runs ``git traj`` in a clone, in this process."""

    git: Git
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *args: str, status: int = 0) -> tuple[str, str]:
        """Run a command; return its stdout and stderr."""
        self.monkeypatch.chdir(self.git.root)
        self.capsys.readouterr()
        code = call(args)
        out, err = self.capsys.readouterr()
        assert code == status, (args, out, err)
        return out, err

    def json(self, *args: str) -> Any:
        out, err = self(*args, "--json")
        assert err == ""
        return json.loads(out)

    def fails(self, *args: str) -> str:
        """Run a command that must fail; return its one error line with the hint."""
        out, err = self(*args, status=1)
        assert out == ""
        lines = err.splitlines()
        assert [line.partition(":")[0] for line in lines] in (["error"], ["error", "hint"]), err
        return lines[0].removeprefix("error: ")


Be = Callable[[Git], Person]
