"""What the author of a plug-in tests: that it keeps git-traj's contract. `python -m pytest` runs it."""

from __future__ import annotations

from pathlib import Path

import git_traj_example as example

from gittraj import testing
from gittraj.model.session_items import Entry

SESSION = (
    b'{"example": "s1", "cwd": "/home/ann/shop"}\n'
    b'{"at": "2026-01-02T03:04:05Z", "kind": "asked", "text": "Greet"}\n'
    b'{"at": "2026-01-02T03:04:06Z", "kind": "ran", "command": "git commit -m Hi",'
    b' "text": "[main 1a2b3c4] Hi"}\n'
)


def test_agent(tmp_path: Path) -> None:
    log = tmp_path / "sessions" / "s1.jsonl"
    log.parent.mkdir()
    log.write_bytes(SESSION)
    environ = {"EXAMPLE_HOME": str(tmp_path), "EXAMPLE_SESSION": "s1"}
    testing.check_agent(example.AGENT, environ, session="s1", folder=Path("/home/ann/shop"))


def test_format() -> None:
    items = testing.check_reader(example.LOG, SESSION)
    assert next(item.event.content for item in items if isinstance(item, Entry)) == "Greet"


def test_exporter() -> None:
    assert testing.check_exporter(example.EXPORTER)


def test_tasks() -> None:
    testing.check_tasks(example.TASKS, "EX-12")
