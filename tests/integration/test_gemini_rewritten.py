"""Gemini CLI may rewrite the log of a resumed session: its history in one record, with less detail, later
times and fresh message ids. A call is known by its call id, and what is stored is not stored again."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from typing import Any

import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration.gemini_session import GeminiSession
from tests.integration.past import age
from tests.integration.records import hold_workers, install, read_records, traj
from tests.integration.repository import Git
from tests.sizes import some

pytestmark = pytest.mark.usefixtures("real_clocks")


def rewrite(session: GeminiSession) -> None:
    """Rewrite the log as a resume does: only what the model is sent from now on remains."""
    records = [json.loads(line) for line in session.log.read_text().splitlines()]
    head, history = records[0], dict[str, dict[str, Any]]()
    for record in records:
        if "type" in record:
            history[record["id"]] = record
        for message in record.get("$set", {}).get("messages", ()):
            history[message["id"]] = message
    at = session.now()
    messages = [reduced for each in history.values() for reduced in _reduce(each, at)]
    session.log.unlink()
    session.append({**head, "startTime": at}, {"$set": {"messages": messages, "lastUpdated": at}})


def _reduce(message: dict[str, Any], at: str) -> list[dict[str, Any]]:
    """The messages that replace one: without tokens and thoughts, with results in a message of their own."""
    fresh = {"id": str(uuid.uuid4()), "timestamp": at, "type": message["type"]}
    content = message["content"] if isinstance(message["content"], list) else [{"text": message["content"]}]
    calls = message.get("toolCalls", [])
    asked = [{"functionCall": {k: call[k] for k in ("id", "name", "args")}} for call in calls]
    messages = [{**fresh, "content": [*content, *asked]}]
    if calls:
        answers = [part for call in calls for part in call["result"]]
        messages.append({**fresh, "id": str(uuid.uuid4()), "type": "user", "content": answers})
    return messages


@pytest.mark.parametrize("times", some([3, 1], 1))
def test_a_call_with_a_known_call_id_is_not_stored_again(git: Git, times: int) -> None:
    git.commit({"README": "here\n"})
    hold_workers(install(git))
    session = GeminiSession(git.root)
    for number in range(4):
        name = f"f{number}"
        turns = [turn(Write(name, f"{name}\n")), turn(Shell(f"cat {name}")), turn(Shell("ls"))]
        made = turn(Shell(f"git add {name} && git commit -m 'Add {name}'"))
        session.run([*turns, made, turn(say=f"{name} is there")], prompt=f"Write {name}")
        if number < times:
            traj(git, "log")
            rewrite(session)
    age(session)
    for again in (["log"], ["log"], ["backfill"]):
        traj(git, *again)
        (stored,) = read_records(git).values()
        assert Counter(stored.facts) == Counter(session.facts), again
        (git.root / ".git/traj/cursors.json").unlink()


def test_a_text_that_replaced_a_stored_one_is_stored(git: Git) -> None:
    git.commit({"README": "here\n"})
    hold_workers(install(git))
    session = GeminiSession(git.root)
    for name in "fg":
        made = turn(Write(name, f"{name}\n"), Shell(f"git add {name} && git commit -m 'Add {name}'"))
        session.run([made, turn(say=f"The word after {name}")], prompt=f"Write {name}")
        age(session)
        traj(git, "log")
        rewrite(session)
        session.log.write_text(session.log.read_text().replace("The word after f", "Another after f"))
    (stored,) = read_records(git).values()
    said = [text for kind, text in stored.facts if kind == "message"]
    assert said == ["The word after f", "Another after f", "The word after g"]
