"""An unreadable log is reported as such, and does not stop the reading of others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.agents import all_agents
from gittraj.config import Environ
from gittraj.errors import FormatError
from gittraj.formats.claude import session as claude
from gittraj.model.session_items import Item
from gittraj.record.drain.open_log import find_sessions, read_items
from tests.unit.formats.test_claude_code import user


def fail(*_: Any, **__: Any) -> Iterator[Item]:
    raise KeyError("secret words of the log")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(user("u", "hi")) + "\n")
    return path


@pytest.mark.parametrize("what", ["detect", "read"])
def test_an_error_in_a_reader_is_reported_as_an_unreadable_log(
    path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = find_sessions(path)
    monkeypatch.setattr(claude, what, fail)
    for ask in (lambda: find_sessions(path), lambda: list(read_items(replace(file, format=None)))):
        with pytest.raises(FormatError, match="its reader failed: KeyError") as raised:
            ask()
        assert "words" not in raised.value.message


def test_folders_and_dead_links_named_like_logs_are_skipped(tmp_path: Path) -> None:
    root = tmp_path / "w"
    named = "01a1f988-389c-7c92-a12b-01806d82d2dc"
    munged = "".join(c if c.isalnum() else "-" for c in str(root))
    environ = Environ.of({"HOME": str(tmp_path)})
    for place in (
        f".claude/projects/{munged}/{named}.jsonl",
        f".claude/projects/{munged}/agent-a.jsonl",
        f".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{named}.jsonl",
        f".gemini/tmp/w/chats/session-2026-01-02T03-04-{named[:8]}.jsonl",
    ):
        (tmp_path / place).mkdir(parents=True)
        link = tmp_path / place.replace("3-04", "4-04").replace(named, named[::-1])
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_dir():
            link.symlink_to("nowhere")
    (tmp_path / ".gemini/tmp/w/.project_root").write_text(str(root))
    for agent in all_agents().values():
        found = list(agent.sessions(environ, [root], since=0.0))
        assert found == []
