"""Agents read our instruction on when to record decisions, and are asked once for a retrospective."""

from __future__ import annotations

import json

import pytest

from gittraj.commands.install.instructions import TEXT, find_files
from gittraj.model.session_items import ASKING
from tests.e2e import model_server
from tests.e2e.agents import Agent
from tests.e2e.model_server import Reply, Served, Usage
from tests.e2e.scenario import Run, Shell, Turn, Write, turn
from tests.e2e.test_agent_hooks import install, trust
from tests.e2e.workshop import Workshop

COMMIT = "git add . && git commit -m made"
CONFIGURED = "git config traj.retrospective ask"
ANSWER = '[[RETROSPECTIVE]] {"summary": "A file was made", "learnings": ["one is enough"]} [[/RETROSPECTIVE]]'
WORK = [
    turn(Write("a.txt", "one\n"), say="First the file"),
    turn(Shell(COMMIT)),
    turn(say="The last words"),
]


@pytest.fixture(params=["claude", "codex", "gemini"])
def agent(request: pytest.FixtureRequest) -> Agent:
    chosen: Agent = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
def questions(requests: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests to the model that contain our question; the model answers it with a retrospective."""
    conversations: list[str] = []
    follow = model_server.Script.follow

    def answer(script: model_server.Script, conversation: str) -> tuple[Reply, Served]:
        reply, served = follow(script, conversation)
        if ASKING not in conversation or "A file was made" in conversation or reply.calls:
            return reply, served
        conversations.append(conversation)
        return Reply("", ANSWER, ()), Served(Usage(0, 0, 0), ())

    monkeypatch.setattr(model_server.Script, "follow", answer)
    return conversations


def play(agent: Agent, workshop: Workshop, script: list[Turn], resume: Run | None = None) -> Run:
    if agent.name == "codex" and resume is None:
        trust(agent, workshop.path)
    return agent.run(script, folder=workshop.path, resume=resume)


def test_the_agent_reads_the_instruction(agent: Agent, workshop: Workshop, requests: list[str]) -> None:
    install(workshop, agent)
    agent.run(WORK, folder=workshop.path)
    lines = [line for line in TEXT.splitlines() if not line.startswith("<!--")]
    missing = [line for line in lines if json.dumps(line, ensure_ascii=False)[1:-1] not in requests[0]]
    assert missing == []
    name = agent.name.removesuffix("-cli")
    assert (workshop.path / find_files()[name].own).read_text() == TEXT
    assert workshop.git("status", "--porcelain") == "", "the agent did not commit the instruction either"
    assert workshop.git("show", "--format=", "--name-only").split() == ["a.txt"]


def test_the_agent_is_asked_once_and_its_answer_is_kept(
    agent: Agent, workshop: Workshop, requests: list[str], questions: list[str]
) -> None:
    install(workshop, agent)
    workshop.git(*CONFIGURED.split()[1:])
    run = play(agent, workshop, WORK)
    assert len(questions) == 1
    assert len(requests) == len(WORK) + 1
    again = play(agent, workshop, [turn(Write("b.txt", "two\n")), *WORK[1:]], resume=run)
    assert len(requests) == 2 * len(WORK) + 1, "once in a session"
    workshop.settle(run, again)

    trajectory = workshop.only("HEAD~1")
    assert trajectory["retrospective"]["summary"] == "A file was made"
    assert trajectory["retrospective"]["by"] == "agent"
    prompts = [e["content"] for c in trajectory["chapters"] for e in c["events"] if e["type"] == "prompt"]
    assert prompts == [run.prompt], "our question is nobody's prompt"


@pytest.mark.parametrize(
    "script",
    [
        [turn(Write("a.txt", "one\n"), say="A file"), turn(say="And nothing is committed")],
        [*WORK[:2], turn(say=f"It is done. {ANSWER}")],
    ],
    ids=["no commit", "looked back"],
)
def test_no_question_without_a_commit_or_after_a_retrospective(
    agent: Agent, workshop: Workshop, questions: list[str], script: list[Turn]
) -> None:
    install(workshop, agent)
    workshop.git(*CONFIGURED.split()[1:])
    play(agent, workshop, script)
    assert questions == []


@pytest.mark.parametrize("agent", ["claude", "codex"], indirect=True)
def test_no_question_if_git_traj_is_off(agent: Agent, workshop: Workshop, questions: list[str]) -> None:
    """Only git's hooks see the variable, and Gemini CLI's commits do not run them."""
    install(workshop, agent)
    workshop.git(*CONFIGURED.split()[1:])
    play(agent, workshop, [WORK[0], turn(Shell(f"export GIT_TRAJ=0; {COMMIT}")), WORK[2]])
    assert questions == []


def test_no_question_by_default(claude: Agent, workshop: Workshop, questions: list[str]) -> None:
    install(workshop, claude)
    play(claude, workshop, WORK)
    assert questions == []
