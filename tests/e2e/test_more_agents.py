"""Agents that are recorded without an option of ``install``: one story each, and nightly long ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Lock

import pytest

from tests.e2e import more_packages
from tests.e2e.agents import Agent, ClaudeCode, Codex, GeminiCli, OpenCode
from tests.e2e.more_agents import MORE, Aider
from tests.e2e.packages import NotInstalledError, programs
from tests.e2e.scenario import Edit, Run, Shell, Write, facts, turn
from tests.e2e.stories import BYE, CHOICE, CLOSING, DOUBT, HELLO, PROMPT, SAY_HELLO, SAY_HI, tokens
from tests.e2e.test_day_of_misuse import faults
from tests.e2e.workshop import Json, Workshop, events
from tests.integration.waiting import LONG
from tests.sizes import some

FIRST = {"claude-code": ClaudeCode, "codex": Codex, "gemini-cli": GeminiCli, "opencode": OpenCode}
_PROGRAMS: dict[str, Path | str] = {}


@pytest.fixture(scope="session", autouse=True)
def installed() -> None:
    """Replaces the fixture for the agents of other files. Finds each program, or the reason why it is
    missing, before the environment is emptied."""
    for agent in more_packages.PACKAGES:
        try:
            _PROGRAMS[agent] = more_packages.program(agent)
        except NotInstalledError as error:
            _PROGRAMS[agent] = str(error)
    try:
        _PROGRAMS["first"] = programs()
    except NotInstalledError as error:
        _PROGRAMS["first"] = str(error)


def program(agent: str) -> Path:
    found = _PROGRAMS[agent]
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(params=some(MORE, 2))
def another(request: pytest.FixtureRequest) -> Agent:
    return MORE[request.param](program(request.param))


@pytest.fixture(params=[*MORE, *FIRST])
def any_of_all(request: pytest.FixtureRequest) -> Agent:
    """Each agent, including those of the other files."""
    if request.param in MORE:
        return MORE[request.param](program(request.param))
    return FIRST[request.param](program("first"))


def check(header: Json, run: Run) -> None:
    assert header["agent"] == run.agent
    assert header["session"] == run.session or run.agent == "mini-swe-agent"  # its sessions have no id
    assert header["link"]["role"] == "produced"
    assert header["link"]["evidence"] in ("agent", "output", "order")
    assert header["incomplete"] is False
    assert header["models"] == [run.model]
    assert tokens(header["total"]) == run.usage()


def test_two_edits_two_commits_and_a_persons_own(another: Agent, workshop: Workshop) -> None:
    run = another.run(
        [
            turn(Write("phrases.py", HELLO), think=DOUBT, say=CHOICE),
            turn(Shell("git add phrases.py && git commit -qm 'Say hello'")),
            turn(Edit("phrases.py", SAY_HELLO, SAY_HI + BYE), say="Now the farewell"),
            turn(Shell("git commit -am 'Say goodbye'")),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    person = workshop.commit("notes.txt", "By a person\n")
    workshop.settle(run)

    second, first = workshop.log("--file", "phrases.py")
    for each, turns in ((first, (0, 2)), (second, (2, 5))):
        (header,) = each["trajectories"]
        check(header, run)
        assert tokens(header["part"]) == run.usage(*turns)
        assert facts(events(workshop.only(each["commit"]))) == run.facts(*turns)
    assert workshop.show(person) == []


@pytest.mark.nightly
def test_aider_commits_by_itself(workshop: Workshop) -> None:
    agent = Aider(program("aider"), workshop.path)
    first, second = (
        agent.run([turn(Write("phrases.txt", text), say=say)], prompt=prompt, folder=workshop.path)
        for text, say, prompt in (
            ("hello\n", "Say hello", "Greet"),
            ("hello\nbye\n", "Say goodbye", "And then?"),
        )
    )
    person = workshop.commit("notes.txt", "By a person\n")
    workshop.settle(second)

    for rev, run in (("HEAD~2", first), ("HEAD~1", second)):
        trajectory = workshop.only(rev)
        assert (trajectory["agent"], trajectory["link"]["evidence"]) == ("aider", "output")
        assert trajectory["prompt"] == run.prompt
        assert trajectory["incomplete"] is False
    assert workshop.show(person) == []


@pytest.mark.nightly
def test_twenty_commits_are_recorded_and_a_persons_are_not(any_of_all: Agent, workshop: Workshop) -> None:
    """There are four sessions: the token counts double each turn, and agents compress long sessions."""
    people: list[str] = []

    def commit(number: int) -> None:
        if number == 3:
            people.append(workshop.commit(f"notes-{len(people)}.txt", "By a person\n"))

    for first in range(0, 20, 5):
        # in one call, as some agents run the calls of a response at the same time
        steps = [
            turn(
                Shell(
                    f"echo {number} > {number}.txt && git add {number}.txt && "
                    f"git commit {'-qm' if number % 2 else '-m'} 'Write {number}'"
                )
            )
            for number in range(first, first + 5)
        ]
        run = any_of_all.run(
            [*steps, turn(say=CLOSING)], prompt=PROMPT, folder=workshop.path, before_turn=commit
        )
    workshop.settle(run)

    recorded = {each["subject"] for each in workshop.log() if each["trajectories"]}
    assert recorded == {f"Write {number}" for number in range(20)}
    assert [workshop.show(person) for person in people] == [[], [], [], []]


@pytest.mark.nightly
def test_twenty_commits_of_aider_are_recorded_and_a_persons_are_not(workshop: Workshop) -> None:
    agent, people = Aider(program("aider"), workshop.path), []
    for number in range(20):
        script = [turn(Write(f"{number}.txt", "x\n"), say=f"Write {number}")]
        run = agent.run(script, prompt=f"Write {number}", folder=workshop.path)
        if number % 5 == 3:
            people.append(workshop.commit(f"notes-{number}.txt", "By a person\n"))
    workshop.settle(run)
    recorded = [each["commit"] for each in workshop.log() if each["trajectories"]]
    assert len(recorded) == 20
    assert [workshop.show(person) for person in people] == [[], [], [], []]


@pytest.mark.nightly
def test_a_commit_that_the_agent_amends_keeps_its_record(another: Agent, workshop: Workshop) -> None:
    run = another.run(
        [
            turn(Write("hello.py", HELLO), say=CHOICE),
            turn(Shell("git add . && git commit -qm 'Say helo'")),
            turn(Shell("git commit -q --amend -m 'Say hello'")),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)
    assert [each["subject"] for each in workshop.log()] == ["Say hello"]
    (header,) = workshop.log()[0]["trajectories"]
    check(header, run)


PAIRS = [("pi", "qwen-code"), ("copilot", "cline"), ("qwen-code", "mini-swe-agent")]


@pytest.mark.nightly  # in an ordinary run, test_company does this with two other agents
@pytest.mark.parametrize("names", PAIRS, ids="+".join)
def test_two_simultaneous_agents_have_their_own_commits(names: tuple[str, str], workshop: Workshop) -> None:
    """Both sessions are open in one work tree all the time; their commits alternate."""
    turns = Lock()

    def work(name: str) -> Run:
        def take_turns(number: int) -> None:
            if number:
                turns.release()
            if number < 4:
                assert turns.acquire(timeout=LONG)

        files = [f"{name}-{number}.txt" for number in range(4)]
        steps = [turn(Shell(f"echo x > {f} && git add {f} && git commit -qm 'Write {f}'")) for f in files]
        agent = MORE[name](program(name))
        return agent.run([*steps, turn(say=CLOSING)], folder=workshop.path, before_turn=take_turns)

    with ThreadPoolExecutor() as pool:
        runs = [*pool.map(work, names)]
    workshop.settle(*runs)

    found = {c["subject"]: [(t["agent"], t["incomplete"]) for t in c["trajectories"]] for c in workshop.log()}
    assert found == {f"Write {name}-{n}.txt": [(name, False)] for name in names for n in range(4)}


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2))
def test_a_day_of_four_agents_and_a_person(seed: int, workshop: Workshop) -> None:
    """At random, an agent or the person commits, amends, or the person commits what an agent wrote: each
    commit is credited to exactly the agents that worked on it, and doctor reports nothing."""
    rng, runs = Random(seed), []
    agents_of: dict[str, set[str]] = {}
    agents = [MORE[name](program(name)) for name in ("copilot", "pi", "qwen-code", "cline")]
    for number in range(12):
        name = f"work-{number}.txt"
        agent = rng.choice([*agents, None])
        if agent is None:
            workshop.commit(name, f"{name}\n" * 3)
            agents_of[f"By hand: {name}"] = set()
            continue
        quiet, by_person = rng.choice(["-q", ""]), rng.random() < 0.25
        commit = [] if by_person else [turn(Shell(f"git add {name} && git commit {quiet} -m 'Write {name}'"))]
        script = [turn(Write(name, f"{name}\n" * 3)), *commit, turn(say=CLOSING)]
        runs.append(agent.run(script, folder=workshop.path, prompt=f"Write {name}"))
        if by_person:
            workshop.git("add", name)
            workshop.git("commit", "-qm", f"Write {name}")
        agents_of[f"Write {name}"] = {agent.name}
        if rng.random() < 0.25:
            workshop.git("commit", "-q", "--amend", "-m", f"Write {name}, said better")
            agents_of[f"Write {name}, said better"] = agents_of.pop(f"Write {name}")
    workshop.settle(*runs)

    found = {c["subject"]: {t["agent"] for t in c["trajectories"]} for c in workshop.log()}
    assert found == {subject: agents for subject, agents in agents_of.items() if agents}
    assert faults(workshop) == []
