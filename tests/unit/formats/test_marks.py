"""A mark's state is stored unencrypted, so it must not contain text of the log."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gittraj.formats import HEAD, detect, reader_of
from gittraj.model.session_items import Entry, Fact, Item, Mark
from gittraj.model.values import Decided
from tests.unit.formats import test_claude_code as claude
from tests.unit.formats import test_claude_stream as stream
from tests.unit.formats import test_codex as rollout
from tests.unit.formats import test_copilot as copilot
from tests.unit.formats import test_gemini as gemini
from tests.unit.formats import test_hook_capture as hooks

WORDS = "the words of a person"
GEMINI_HOOK: Any = {**hooks.GEMINI, "session_title": WORDS}
LOGS: dict[str, list[dict[str, Any]]] = {
    "claude-code": [
        {"type": "summary", "summary": WORDS, "leafUuid": "late"},
        {"type": "summary", "summary": f"{WORDS} elsewhere", "leafUuid": "never"},
        {"type": "tag", "tag": f"tag {WORDS}", "sessionId": "S"},
        {"type": "pr-link", "prUrl": f"https://me:{WORDS}@host/1", "sessionId": "S"},
        claude.user("u", WORDS),
        claude.reply("late", claude.text(WORDS)),
        claude.user("v", WORDS),
        {"type": "ai-title", "aiTitle": WORDS, "sessionId": "S"},
        claude.user("w", WORDS),
        {"type": "ai-title", "aiTitle": WORDS, "sessionId": "S"},
    ],
    "claude-stream-json": [
        stream.INIT,
        stream.user("u", [stream.text(WORDS)], isReplay=True),
        stream.reply("a", stream.text(WORDS)),
        stream.result(subtype="error_during_execution", is_error=True, errors=[WORDS]),
        stream.user("v", [stream.text(WORDS)], isReplay=True),
        stream.reply("b", stream.text(WORDS)),
        stream.result(subtype="error_during_execution", is_error=True, errors=[WORDS], uuid="r2"),
    ],
    "codex-rollout": [
        rollout.meta(git={"branch": "b", "repository_url": f"https://me:{WORDS}@host/r"}),
        rollout.user(WORDS),
        rollout.event("user_message", message=WORDS),
        rollout.event("token_count", info={"total_token_usage": {WORDS: 1}, "last_token_usage": {}}),
        rollout.user(WORDS),
        rollout.event("user_message", message=WORDS),
        rollout.reply(WORDS),
    ],
    "copilot-cli": [
        copilot.start(),
        copilot.record("session.title_changed", "t", title=WORDS),
        copilot.record("user.message", "u", content=WORDS),
        copilot.reply("a", WORDS, copilot.requested("ask_user", question=WORDS, choices=[WORDS])),
        copilot.record("user.message", "v", content=WORDS),
        copilot.completed(success=True, result={"content": f"User selected: {WORDS}"}),
        copilot.record("session.title_changed", "t", title=WORDS),
    ],
    "gemini-cli": [
        {"sessionId": "S", "projectHash": "p", "startTime": gemini.AT},
        {"$set": {"summary": WORDS}},
        gemini.user("u", WORDS),
        gemini.reply("a", WORDS),
        {"$set": {"summary": WORDS}},
        gemini.user("v", WORDS),
        {"$set": {"summary": WORDS}},
    ],
    "hook-capture": [
        hooks.hook(GEMINI_HOOK, "BeforeAgent", prompt=WORDS),
        hooks.hook(GEMINI_HOOK, "BeforeTool", **hooks.tool("replace", {"file_path": WORDS}, None)),
        hooks.hook(GEMINI_HOOK, "BeforeAgent", prompt=WORDS),
        hooks.hook(GEMINI_HOOK, "BeforeAgent", prompt=WORDS),
    ],
}


def texts(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, including keys."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def read(name: str) -> tuple[bytes, list[Item]]:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in LOGS[name])
    return data, list(reader_of(name).read(io.BytesIO(data)))


@pytest.mark.parametrize("name", LOGS)
def test_a_mark_contains_no_words_and_reading_on_from_it_gives_the_same(name: str) -> None:
    data, items = read(name)
    marks = [(n, item) for n, item in enumerate(items) if isinstance(item, Mark)]
    assert len(marks) > 1
    for n, mark in marks:
        assert "words" not in json.dumps(mark.cursor.state)
        assert list(reader_of(name).read(io.BytesIO(data), cursor=mark.cursor)) == items[n + 1 :]


@pytest.mark.parametrize("name", [name for name in LOGS if name != "codex-rollout"])
def test_a_title_or_an_error_is_reported_once(name: str) -> None:
    titles = [i.value for i in read(name)[1] if isinstance(i, Fact) and i.name in ("title", "exit_error")]
    assert titles == [WORDS]


def test_a_question_followed_by_a_prompt_has_no_answer() -> None:
    events = [item.event for item in read("copilot-cli")[1] if isinstance(item, Entry)]
    assert not [event for event in events if isinstance(event, Decided)]


@pytest.mark.shared
def test_marks_of_real_sessions_contain_only_ids_names_and_paths(samples: Path) -> None:
    seen: set[str] = set()
    for path in sorted(path for path in samples.rglob("*") if path.is_file()):
        reader = detect(path.read_bytes()[:HEAD])
        if reader is None:
            continue
        with path.open("rb") as log:
            items = list(reader.read(log))
        facts = {str(i.value) for i in items if isinstance(i, Fact) and i.name in ("folder", "model")}
        for mark in (item for item in items if isinstance(item, Mark)):
            seen.add(reader.name)
            kept = set(texts(mark.cursor.state)) - facts
            assert not [text for text in kept if len(text) > 100 or len(text.split()) > 1], path
    assert seen >= {"claude-code", "codex-rollout", "gemini-cli", "claude-stream-json", "hook-capture"}
