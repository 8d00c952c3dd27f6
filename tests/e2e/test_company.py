"""People and several agents in one repository: each commit is credited to exactly those who made it."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.agents import Agent
from tests.e2e.scenario import Edit, Shell, Write, facts, turn
from tests.e2e.workshop import Workshop, events

POEM = "Roses are red\nViolets are blue\nSugar is sweet\n"


def test_a_person_commits_what_the_agent_wrote(agent: Agent, workshop: Workshop) -> None:
    run = agent.run(
        [turn(Write("poem.txt", POEM), say="Here is the poem."), turn(say="Please look it over.")],
        prompt="Write a poem",
        folder=workshop.path,
    )
    workshop.git("add", "poem.txt")
    workshop.git("commit", "-q", "-m", "A poem")
    workshop.settle(run)

    (commit,) = workshop.log("--file", "poem.txt")
    (header,) = commit["trajectories"]
    assert (header["session"], header["link"]["evidence"]) == (run.session, "content")
    assert header["prompt"] == "Write a poem"
    assert ("tool_call", run.served[0].call_ids[0]) in facts(events(workshop.only()))


def test_a_person_works_while_the_session_is_open(agent: Agent, workshop: Workshop) -> None:
    """A person's commit of the agent's own file, a moment after the agent's commit, is the person's."""
    by_hand: list[str] = []

    def person(number: int) -> None:
        if number == 2:
            by_hand.append(workshop.commit("poem.txt", POEM + "And so are you\n"))
            by_hand.append(workshop.commit("note.txt", "Buy paper\n"))

    run = agent.run(
        [
            turn(Write("poem.txt", POEM), say="Here is the poem."),
            turn(Shell("git add poem.txt && git commit -m 'A poem'")),
            turn(Write("title.txt", "A Poem\n"), say="And its title."),
            turn(Shell("git add title.txt && git commit -m 'A title'")),
            turn(say="That is all."),
        ],
        folder=workshop.path,
        before_turn=person,
    )
    workshop.settle(run)

    assert [workshop.show(commit) for commit in by_hand] == [[], []]
    assert [commit["subject"] for commit in workshop.log()] == ["A title", "A poem"]
    assert facts(events(workshop.only("HEAD~3"))) == run.facts(0, 2)
    assert facts(events(workshop.only("HEAD"))) == run.facts(2)


def test_a_person_commits_half_way_and_the_agent_continues(agent: Agent, workshop: Workshop) -> None:
    def person(number: int) -> None:
        if number == 1:
            workshop.git("add", "poem.txt")
            workshop.git("commit", "-q", "-m", "By a person")

    run = agent.run(
        [
            turn(Write("poem.txt", POEM), say="Here is the poem."),
            turn(Edit("poem.txt", "Sugar is sweet\n", "Honey is sweet\n"), say="Honey is better."),
            turn(Shell("git commit -am 'By the agent'")),
            turn(say="That is all."),
        ],
        folder=workshop.path,
        before_turn=person,
    )
    workshop.settle(run)

    by_person, by_agent = workshop.only("HEAD~1"), workshop.only("HEAD")
    assert (by_person["link"]["evidence"], by_agent["link"]["evidence"]) == ("content", "agent")
    assert facts(events(by_person)) + facts(events(by_agent)) == run.facts()


def test_two_agents_in_one_work_tree(claude: Agent, codex: Agent, workshop: Workshop) -> None:
    """A Codex session runs between Claude's edit and Claude's commit; both commits have the same subject."""
    guests = []

    def visit(number: int) -> None:
        if number == 1:
            script = [
                turn(Write("codex.txt", "by codex\n"), say="I add my file."),
                turn(Shell("git add codex.txt && git commit -m wip")),
                turn(say="Mine is in."),
            ]
            guests.append(codex.run(script, prompt="Add codex.txt", folder=workshop.path))

    host = claude.run(
        [
            turn(Write("claude.txt", "by claude\n"), say="I add a file."),
            turn(Shell("git add claude.txt && git commit -m wip")),
            turn(say="That is all."),
        ],
        prompt="Add claude.txt",
        folder=workshop.path,
        before_turn=visit,
    )
    workshop.settle(host, *guests)

    for path, run in (("claude.txt", host), ("codex.txt", guests[0])):
        (commit,) = workshop.log("--file", path)
        trajectory = workshop.only(commit["commit"])
        assert (trajectory["agent"], trajectory["session"]) == (run.agent, run.session)
        assert facts(events(trajectory)) == run.facts()


def test_a_linked_work_tree(agent: Agent, workshop: Workshop, tmp_path: Path) -> None:
    """A session in a second work tree is shown there and in the first: they are one repository."""
    workshop.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Workshop(tmp_path / "side")
    run = agent.run(
        [
            turn(Write("poem.txt", POEM), say="Here is the poem."),
            turn(Shell("git add poem.txt && git commit -m 'A poem'")),
            turn(say="That is all."),
        ],
        folder=side.path,
    )
    workshop.settle(run)

    assert facts(events(side.only())) == run.facts()
    assert workshop.show("side") == side.show()
    assert workshop.show("HEAD") == []
