"""A person rewrites history: the records move to the new commits, and name the commits they came from.

Each test runs twice: the rewrite comes long after everything was recorded, or at once, before the
background worker has even started; the amend is tested with both agents, each other rewrite with one.
"""

from __future__ import annotations

import pytest

from tests.e2e.agents import Agent
from tests.e2e.scenario import Run, Shell, Write, facts, turn
from tests.e2e.workshop import Workshop, events

SCRIPT = [
    turn(Write("one.txt", "one\n"), say="First one."),
    turn(Shell("git add one.txt && git commit -m One")),
    turn(Write("two.txt", "two\n"), say="Then two."),
    turn(Shell("git add two.txt && git commit -m Two")),
    turn(say="That is all."),
]


class Person:
    """Rewrites once, when the agent has made both commits: at once, or after everything was recorded."""

    def __init__(self, workshop: Workshop, *rewrite: str) -> None:
        self.workshop = workshop
        self.rewrite = rewrite
        self.originals: list[str] = []

    def act(self) -> None:
        self.originals = [self.workshop.head("HEAD~1"), self.workshop.head()]
        self.workshop.git(*self.rewrite)

    def watch(self, agent: Agent, *, at_once: bool) -> Run:
        def act_before_the_last_words(number: int) -> None:
            if at_once and number == len(SCRIPT) - 1:
                self.act()

        run = agent.run(SCRIPT, folder=self.workshop.path, before_turn=act_before_the_last_words)
        self.workshop.settle(run)
        if not at_once:
            self.act()
            self.workshop.settle()
        return run


moments = pytest.mark.parametrize("at_once", [True, False], ids=["at once", "later"])
by_turns = pytest.mark.parametrize(
    ("agent", "at_once"), [("claude", True), ("codex", False)], ids=["at once", "later"], indirect=["agent"]
)


@moments
def test_an_amend_moves_the_record(agent: Agent, workshop: Workshop, at_once: bool) -> None:
    person = Person(workshop, "commit", "-q", "--amend", "-m", "Two, in better words")
    run = person.watch(agent, at_once=at_once)

    assert [commit["subject"] for commit in workshop.log()] == ["Two, in better words", "One"]
    carried = workshop.only()
    assert carried["link"]["evidence"] == "agent"
    assert carried["link"]["carriedFrom"] == [person.originals[1]]
    assert facts(events(carried)) == run.facts(2)
    assert facts(events(workshop.only("HEAD~1"))) == run.facts(0, 2)
    assert workshop.only("HEAD~1")["link"]["carriedFrom"] == []


@by_turns
def test_a_rebase_moves_the_records(agent: Agent, workshop: Workshop, at_once: bool) -> None:
    root = workshop.head()
    upstream = workshop.commit("upstream.txt", "from others\n")
    workshop.git("checkout", "-q", "-b", "topic", root)
    person = Person(workshop, "rebase", "-q", "main")
    run = person.watch(agent, at_once=at_once)

    assert [commit["subject"] for commit in workshop.log()] == ["Two", "One"]
    check_carried(workshop, person, run, ["HEAD~1", "HEAD"])
    assert workshop.show(upstream) == []


@by_turns
def test_a_reordering_moves_the_records(
    agent: Agent, workshop: Workshop, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_SEQUENCE_EDITOR", "sed -i.bak '1!G;h;$!d'")  # the to-do list, last line first
    person = Person(workshop, "rebase", "-q", "-i", "HEAD~2")
    run = person.watch(agent, at_once=at_once)

    assert [commit["subject"] for commit in workshop.log()] == ["One", "Two"]
    check_carried(workshop, person, run, ["HEAD", "HEAD~1"])


@by_turns
def test_a_squash_gets_both_parts(
    agent: Agent, workshop: Workshop, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_SEQUENCE_EDITOR", "sed -i.bak '2s/^pick/fixup/'")
    person = Person(workshop, "rebase", "-q", "-i", "HEAD~2")
    run = person.watch(agent, at_once=at_once)

    (commit,) = workshop.log()
    assert commit["subject"] == "One"
    squashed = workshop.only()
    assert sorted(squashed["link"]["carriedFrom"]) == sorted(person.originals)
    assert facts(events(squashed)) == run.facts()


def check_carried(workshop: Workshop, person: Person, run: Run, revs: list[str]) -> None:
    """Check the records on `revs`, the commits that replaced the script's first and second one."""
    for rev, original, expected in zip(revs, person.originals, (run.facts(0, 2), run.facts(2)), strict=True):
        trajectory = workshop.only(rev)
        assert trajectory["link"]["evidence"] == "agent"
        assert trajectory["link"]["carriedFrom"] == [original]
        assert facts(events(trajectory)) == expected
