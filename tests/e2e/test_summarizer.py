"""The user's own agent summarizes: the real `claude -p` and `codex exec`, with a scripted model."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.summarizer import program
from tests.e2e.agents import Agent, ClaudeCode
from tests.e2e.model_server import ModelServer, Reply, serving
from tests.e2e.scenario import Shell, Write, turn
from tests.e2e.workshop import Workshop, events
from tests.integration.waiting import LONG, wait_until

SAID = "Sets beat lists on lookups here, hence the switch. Nobody has looked at Windows."
CHOICE, DOUBT = SAID.split(" Nobody", maxsplit=1)[0], "Nobody has looked at Windows."
Summarize = Callable[..., tuple[int, str]]


@pytest.fixture
def message(agent: Agent, workshop: Workshop) -> str:
    """The id of the agent's message after its commit."""
    steps = Write("a.txt", "a\n"), Shell("git add a.txt && git commit -qm 'Add a'")
    run = agent.run([turn(*steps), turn(say=SAID)], folder=workshop.path)
    workshop.settle(run)
    return next(e["id"] for e in events(workshop.only()) if e["type"] == "message" and e["content"] == SAID)


@contextmanager
def summarizer(agent: Agent, workshop: Workshop, reply: Reply, **more: Any) -> Iterator[ModelServer]:
    """Configure the agent's program as the summarizer, connected to a second scripted model."""
    with serving([reply], before_turn=more.get("before_turn", lambda _: None)) as server:
        words = agent.command(server.url, "", None)
        if isinstance(agent, ClaudeCode):
            program = workshop.path.parent / "bin" / "claude"
            program.parent.mkdir(exist_ok=True)
            program.write_text(f'#!/bin/sh\nANTHROPIC_BASE_URL={server.url} exec {words[0]} "$@"\n')
            program.chmod(0o755)
            command = [str(program), "-p", "--model", agent.model]
        else:
            end = words.index("--dangerously-bypass-approvals-and-sandbox")
            command = [words[0], "exec", *words[3:end]]
        workshop.git("config", "--global", "traj.summarizer", shlex.join(command))
        yield server


@pytest.fixture
def summarize(
    agent: Agent,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Summarize:
    """A function that runs `git traj summarize` with one model reply; it returns exit status and output."""

    def run(reply: Reply, **more: Any) -> tuple[int, str]:
        monkeypatch.chdir(workshop.path)
        with summarizer(agent, workshop, reply, **more) as server:
            for name, value in agent.environment(server.url).items():
                monkeypatch.setenv(name, value)
            monkeypatch.setenv("CLAUDE_CODE_MAX_RETRIES", "0")
            monkeypatch.setenv("CLAUDECODE", "1")  # as in a shell of Claude Code itself
            status = call(["summarize"])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


def answer(event: str, **fields: Any) -> Reply:
    doubt = {"event": event, "quote": DOUBT}
    chose = {
        "chosen": "a set",
        "alternatives": ["a list"],
        "reasoning": "speed",
        "event": event,
        "quote": SAID,
    }
    chosen = [chose | {"event": event, "quote": CHOICE}]
    document = {"summary": "A set makes it fast.", "decisions": chosen, "doubts": [doubt], **fields}
    return Reply(thinking="", text=json.dumps(document))


def test_a_valid_answer_is_recorded(
    message: str, agent: Agent, workshop: Workshop, summarize: Summarize
) -> None:
    logs = _logs()
    status, printed = summarize(answer(message))
    assert status == 0, printed
    found = workshop.only()
    assert found["summary"] == "A set makes it fast."
    assert found["summaryBy"] == f"model:{agent.model}"
    assert [d["by"] for d in found["decisions"]] == [f"model:{agent.model}"]
    assert found["why"] == CHOICE
    assert DOUBT in found["caveats"]
    assert _logs() == logs, "the summarizer's run is not a session"
    assert "by the model" in workshop.traj("log")


def test_an_invented_quote_is_refused(message: str, workshop: Workshop, summarize: Summarize) -> None:
    invented = [{"event": message, "quote": "Linux is untested, too."}, {"event": "x", "quote": "No id."}]
    status, printed = summarize(answer(message, decisions=[], doubts=invented))
    assert status == 0, printed
    assert "2 refused" in printed
    assert "Linux" not in json.dumps(workshop.only())


def test_an_answer_without_json_is_refused(message: str, workshop: Workshop, summarize: Summarize) -> None:
    status, printed = summarize(Reply(thinking="", text="I would rather talk about cormorants."))
    assert status == 1
    assert "not the JSON that was asked for" in printed
    assert b"cormorants" not in workshop.stored()


def test_a_program_that_hangs_is_given_up(
    message: str, workshop: Workshop, summarize: Summarize, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    over = threading.Event()
    monkeypatch.setattr(program, "_TIME_LIMIT", 3.0)
    before = workshop.git("for-each-ref")
    try:
        status, printed = summarize(answer(message), before_turn=lambda _: over.wait(LONG) and None)
    finally:
        over.set()
    assert (status, "no answer within 3 seconds" in printed) == (1, True)
    assert workshop.git("for-each-ref") == before


def test_a_secret_in_the_answer_is_redacted(message: str, workshop: Workshop, summarize: Summarize) -> None:
    token = "ghp_" + "Zx8" * 12
    status, printed = summarize(answer(message, summary=f"The token {token} is needed."))
    assert status == 0, printed
    assert token.encode() not in workshop.stored()
    assert "is needed" in workshop.only()["summary"]


def test_a_rate_limit_is_an_error(
    message: str, workshop: Workshop, summarize: Summarize, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_TIME_LIMIT", 6.0)  # Codex retries for a long time
    status, printed = summarize(Reply(thinking="", text="", status=429))
    assert status == 1
    assert "no answer" in printed
    assert workshop.only()["summaryBy"] == "agent"


def test_the_worker_summarizes_when_the_turn_is_over(agent: Agent, workshop: Workshop) -> None:
    """The worker, woken by a hook inside the agent, starts the agent a second time."""
    steps = Write("a.txt", "a\n"), Shell("git add a.txt && git commit -qm 'Add a'")
    with summarizer(agent, workshop, answer("x", decisions=[], doubts=[])) as server:
        agent.run([turn(*steps), turn(say=SAID)], folder=workshop.path)
        wait_until(lambda: workshop.only()["summaryBy"] == f"model:{agent.model}", "the summary")
        assert len(server.script.served) == 1
    assert workshop.only()["summary"] == "A set makes it fast."
    assert len(_logs()) == 1  # that of the session: the summarizer leaves none


def _logs() -> set[Path]:
    home = Path.home()
    return {
        *(home / ".claude" / "projects").rglob("*.jsonl"),
        *(home / ".codex" / "sessions").rglob("*.jsonl"),
    }
