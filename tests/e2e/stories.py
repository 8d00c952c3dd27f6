"""Stories that are played with every agent, and functions that read their outcome. ``check`` is a test's own
check of a trajectory's header: who made the commit, and by which evidence it was linked."""

from __future__ import annotations

from collections.abc import Callable

from tests.e2e.agents import Agent
from tests.e2e.model_server import Usage
from tests.e2e.scenario import Edit, Run, Shell, Write, facts, turn
from tests.e2e.workshop import Json, Workshop, events

Check = Callable[[Json, Run], None]

PROMPT = "Greet people, and then say goodbye to them, as two commits"
DOUBT = "A table of phrases is tempting. It would be looked up by name only once, though."
CHOICE = "I write plain functions; I rejected a table of phrases because nothing is looked up by name."
CLOSING = "Both commits are made: a greeting and a farewell."

SAY_HELLO = "    return 'hello'\n"
SAY_HI = "    return 'hi'\n"
HELLO = "def hello():\n" + SAY_HELLO
BYE = "def bye():\n    return 'bye'\n"


def check_two_commits(agent: Agent, workshop: Workshop, commit: str, check: Check) -> None:
    """Play a session that makes two commits by two calls; ``commit`` is the git command."""
    run = agent.run(
        [
            turn(Write("phrases.py", HELLO), think=DOUBT, say=CHOICE),
            turn(Shell(f"git add phrases.py && {commit} -m 'Say hello'")),
            turn(Edit("phrases.py", SAY_HELLO, SAY_HI + BYE), say="Now the farewell"),
            turn(Shell(f"{commit} -am 'Say goodbye'")),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)

    second, first = workshop.log("--file", "phrases.py")
    assert (first["subject"], second["subject"]) == ("Say hello", "Say goodbye")
    for each, number, turns in ((first, 1, (0, 2)), (second, 2, (2, 5))):
        (header,) = each["trajectories"]
        check(header, run)
        assert header["prompt"] == PROMPT
        assert changed(header) == {"phrases.py": 1}
        assert (header["part"]["number"], header["part"]["of"]) == (number, 2)
        assert tokens(header["part"]) == run.usage(*turns)
        assert facts(events(workshop.only(each["commit"]))) == run.facts(*turns)
    assert counts(first) == {"prompts": 1, "messages": 1, "thinking": 1, "toolCalls": 2, "apiCalls": 2}
    assert counts(second) == {"prompts": 0, "messages": 2, "thinking": 0, "toolCalls": 2, "apiCalls": 3}


def check_two_commits_of_one_call(agent: Agent, workshop: Workshop, commit: str, check: Check) -> None:
    """Two commits that were made by one call share the part."""
    both = f"git add hello.py && {commit} -m 'Say hello' && git add bye.py && {commit} -m 'Say goodbye'"
    run = agent.run(
        [
            turn(Write("hello.py", HELLO), think=DOUBT, say=CHOICE),
            turn(Write("bye.py", BYE)),
            turn(Shell(both)),
            turn(say=CLOSING),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    workshop.settle(run)

    (first,), (second,) = workshop.log("--file", "hello.py"), workshop.log("--file", "bye.py")
    assert (first["subject"], second["subject"]) == ("Say hello", "Say goodbye")
    for made, path in ((first, "hello.py"), (second, "bye.py")):
        (header,) = made["trajectories"]
        check(header, run)
        assert path in changed(header)
    on_first, on_second = (events(workshop.only(c["commit"])) for c in (first, second))
    assert facts(on_second) == run.facts()
    assert facts(on_first)[: len(run.facts(0, 3))] == run.facts(0, 3)
    assert ids(on_first) <= ids(on_second)


def check_resumed_session(
    agent: Agent,
    workshop: Workshop,
    *,
    between: Callable[[Run], None] = lambda _: None,
    again: Agent | None = None,
) -> tuple[Run, Run]:
    """A session commits, and is resumed to commit again, by the version ``again`` of the agent if given.
    ``between`` is called with the first run."""
    first = agent.run(
        [
            turn(Write("hello.py", HELLO), say=CHOICE),
            turn(Shell("git add . && git commit -m 'Say hello'")),
            turn(say="The greeting is there."),
        ],
        prompt=PROMPT,
        folder=workshop.path,
    )
    between(first)
    second = (again or agent).run(
        [
            turn(Write("bye.py", BYE)),
            turn(Shell("git add . && git commit -m 'Say goodbye'")),
            turn(say=CLOSING),
        ],
        prompt="And the farewell?",
        folder=workshop.path,
        resume=first,
    )
    workshop.settle(second)

    for rev, run in (("HEAD~1", first), ("HEAD", second)):
        trajectory = workshop.only(rev)
        assert facts(events(trajectory)) == run.facts()
        assert tokens(trajectory["part"]) == run.usage()
        assert tokens(trajectory["total"]) == first.usage() + second.usage()
        assert trajectory["prompt"] == run.prompt
    assert workshop.only("HEAD~1")["id"] == workshop.only()["id"]
    return first, second


def tokens(part: Json) -> Usage:
    usage = part["usage"]
    return Usage(usage["inputTokens"], usage["cacheReadTokens"], usage["outputTokens"])


def counts(commit: Json) -> dict[str, int]:
    counted = commit["trajectories"][0]["part"]["counts"]
    return {name: counted[name] for name in ("prompts", "messages", "thinking", "toolCalls", "apiCalls")}


def changed(header: Json) -> dict[str, int]:
    return {file["path"]: file["edits"] for file in header["filesChanged"]}


def ids(shown: list[Json]) -> set[str]:
    every = [event["id"] for event in shown]
    assert len(every) == len(set(every)), "an event is shown twice"
    return set(every)
