"""Finding recording commands in shell lines, and inserting their events into a log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gittraj.decisions.commands import Call, find_calls
from gittraj.decisions.derivation import derive
from gittraj.model.session_items import Cursor, Entry, Fact, Item, Mark
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Message,
    NoteEvent,
    RetrospectiveEvent,
    ToolCall,
    ToolResult,
)

START = Cursor()
ID, OTHER = "ev_" + "a2" * 12, "ev_" + "b3" * 12


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        (
            "git traj decision 'a b' --alternative=c --alternative d",
            {"chosen": "a b", "alternatives": ["c", "d"]},
        ),
        ("cd x && git -C y --no-pager traj decision a -q 2>&1 | tail -1", {"chosen": "a"}),
        ("X=1 /usr/bin/git-traj --no-pager decision a 2> /dev/null", {"chosen": "a"}),
        ("python3 -m gittraj decision a\necho done", {"chosen": "a"}),
        ("git traj decision --reasoning 'b; c && d' a", {"chosen": "a", "reasoning": "b; c && d"}),
        ("git traj decision 'it'\"'\"'s'", {"chosen": "it's"}),
        ("bash -lc 'cd x && git traj decision \"a b\"'", {"chosen": "a b"}),
        ("sh -c \"git traj decision 'a b'\"", {"chosen": "a b"}),
        ("ID=$(git traj decision -q a); echo $ID", {"chosen": "a"}),
        ("(cd x; git traj decision a)", {"chosen": "a"}),
        # the instruction's form if `git traj` is not on the PATH
        ('sh "$(git rev-parse --git-common-dir)/traj/git-traj" decision a', {"chosen": "a"}),
        ("bash -lc 'sh \"$(git rev-parse --git-common-dir)/traj/git-traj\" decision a'", {"chosen": "a"}),
        ("cd x && sh /x/.git/traj/git-traj decision a", {"chosen": "a"}),
        ("if true; then git traj decision a; fi", {"chosen": "a"}),
        ("timeout 5 env A=b git traj decision a", {"chosen": "a"}),
        ("uv run python -m gittraj decision a", {"chosen": "a"}),
        ('"$PYTHON" -m gittraj decision a', {"chosen": "a"}),
        ("pipx run git-traj decision a", {"chosen": "a"}),
        ("git traj decision 'costs $5' --reasoning \"as $WHY says\"", {"chosen": "costs $5"}),
        ("git traj decision a \\\n  --reasoning b # git traj decision c", {"chosen": "a", "reasoning": "b"}),
        ("cat <<'E' > f\ngit traj decision no\nE\ngit traj decision a", {"chosen": "a"}),
        ("bash <<E\ngit traj decision a\nE", {"chosen": "a"}),
        ("git traj decision '#1' --alternative github:#2", {"chosen": "#1", "alternatives": ["github:#2"]}),
        ("echo git traj decision no; git traj decision a", {"chosen": "a"}),
        ("git traj decision no > /dev/null; git traj decision a", {"chosen": "a"}),
    ],
)
def test_a_recording_command_is_found_in_a_shell_line(line: str, calls: dict[str, object]) -> None:
    assert find_calls(line) == [Call("decision", calls)]


def test_several_commands_in_one_line_are_found() -> None:
    line = "git traj start 'A title' --tag x; git traj event note 'b c' --tag y\ngit traj abandon"
    assert find_calls(line) == [
        Call("start", {"title": "A title", "tags": ["x"]}),
        Call("event", {"type": "note", "content": "b c", "tags": ["y"]}),
        Call("abandon", {}),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "echo git traj decision x",
        "printf '%s' 'git traj decision x'",
        "grep -rn 'git traj decision' .",
        "cat <<E\ngit traj decision x\nE",
        "git commit -m 'git traj decision x'",
        "git log --grep traj decision",
        "# git traj decision x",
        "git traj decision x >/dev/null",
        "git traj decision x &> log",
        "git traj log",
        "echo traj decision",
        "git commit -m 'traj'",
        "git trajectory decision",
        "cat traj",
        "",
    ],
)
def test_a_line_that_only_mentions_a_command_has_none(line: str) -> None:
    assert find_calls(line) == []


def test_in_a_line_that_cannot_be_split_a_command_is_found_without_its_words() -> None:
    assert find_calls("git traj decision 'open") == [Call("decision")]


@pytest.mark.parametrize("chosen", ["$'use\\nRE2'", "$'it\\'s'", '$"it\'s"'])
def test_words_that_the_shell_would_decode_are_left_out(chosen: str) -> None:
    assert find_calls(f"git traj decision {chosen} --alternative b") == [
        Call("decision", {"alternatives": ["b"]})
    ]


def test_a_continued_line_is_joined_within_quotes_and_words() -> None:
    line = 'git traj decision "use \\\nRE2" --reasoning fa\\\nst --alternative "a \\$ b"'
    assert find_calls(line) == [
        Call("decision", {"chosen": "use RE2", "reasoning": "fast", "alternatives": ["a $ b"]})
    ]


@pytest.mark.parametrize("shell", ["bash", "sh -s", "sudo bash -e"])
def test_a_here_document_that_cat_pipes_into_a_shell_is_a_script(shell: str) -> None:
    line = f"cat <<'EOF' | {shell}\ngit traj decision a\nEOF\ngit traj decision b"
    assert find_calls(line) == [Call("decision", {"chosen": "a"}), Call("decision", {"chosen": "b"})]


@pytest.mark.parametrize(
    "after", ["| grep x", "| bash other.sh", "> f | bash", "; bash", "| cat | bash -c x"]
)
def test_a_here_document_that_goes_elsewhere_is_not_a_script(after: str) -> None:
    assert find_calls(f"cat <<'EOF' {after}\ngit traj decision a\nEOF") == []


def session(*commands: tuple[str, str], start: Cursor = START, before: int = 0) -> list[Item]:
    items: list[Item] = []
    for number, (command, printed) in enumerate(commands, before):
        call = ToolCall(id=f"{number}.0", name="Bash", call_id=f"c{number}", arguments={"command": command})
        items.append(Mark(cursor=replace(start, offset=number, ordinal=2 * number)))
        items.append(Entry(event=call, end=number, command=command))
        items.append(
            Entry(event=ToolResult(id=f"{number}.1", call_id=f"c{number}", content=printed), end=number)
        )
    return items


def events(items: list[Item], start: Cursor = START, recall: object = None) -> list[AnyEvent]:
    known = {"recall": recall} if recall else {}
    return [item.event for item in derive(items, start, **known) if isinstance(item, Entry)]  # type: ignore[arg-type]


def test_an_event_is_inserted_before_the_result_of_its_command() -> None:
    derived = events(session(("git traj decision a --reasoning b", f"{ID} in traj_x\n")))
    assert [type(event) for event in derived] == [ToolCall, Decided, ToolResult]
    assert isinstance(derived[1], Decided)
    assert (derived[1].id, derived[1].decision.chosen, derived[1].decision.by) == (ID, "a", "agent")


def test_a_decision_may_name_a_file_and_a_line() -> None:
    derived = events(session(("git traj decision a --path src/x.py --line 12", f"{ID} in traj_x\n")))
    assert isinstance(derived[1], Decided)
    assert (derived[1].decision.path, derived[1].decision.line) == ("src/x.py", 12)
    assert derived[1].decision.extra == {}


def test_the_stored_event_replaces_what_the_command_shows() -> None:
    known = NoteEvent(id=ID, kind="note", content="in full")
    derived = events(session(("git traj event note $X", ID)), recall={ID: known}.get)
    assert [event.content for event in derived if event.id == ID] == ["in full"]


def test_a_command_that_printed_no_id_recorded_nothing() -> None:
    derived = events(session(("git traj decision a", "error: no trajectory is active")))
    assert [type(event) for event in derived] == [ToolCall, ToolResult]


@pytest.mark.parametrize(
    ("command", "printed"), [("cat README", f"{ID} in traj_x\n"), ("git traj decision a", f"see {ID}")]
)
def test_only_an_id_that_a_recording_command_printed_first_is_an_event(command: str, printed: str) -> None:
    assert [type(event) for event in events(session((command, printed)))] == [ToolCall, ToolResult]


@pytest.mark.parametrize(
    ("line", "ids", "chosen"),
    [
        ("git traj decision a && git traj decision b", 2, ["a", "b"]),
        ("git traj decision a || git traj decision b", 1, []),
        ("git traj decision a & git traj decision b; wait", 2, []),
        ("for i in 1 2; do git traj decision a; done", 2, ["a", "a"]),
        ("for i in 1 2; do git traj decision $i; done", 2, []),
        ("for i in 1; do git traj decision a; git traj decision b; done", 2, []),
        ("echo a | xargs -n1 git traj decision", 1, []),
        ("git traj decision a; cat ids", 2, []),
        ("git traj decision a || git traj decision a", 1, ["a"]),
    ],
)
def test_an_id_is_matched_to_the_command_that_printed_it(line: str, ids: int, chosen: list[str]) -> None:
    """If the line does not show which, each id becomes a note."""
    derived = events(session((line, "\n".join((ID, OTHER)[:ids]))))
    assert [e.decision.chosen for e in derived if isinstance(e, Decided)] == chosen
    assert len([e for e in derived if e.id.startswith("ev_")]) == ids


def test_an_id_that_is_printed_again_is_one_event() -> None:
    derived = events(session(("git traj decision a", ID), ("git traj decision b", f"{ID}\n{OTHER}\n")))
    assert [event.id for event in derived if event.id.startswith("ev_")] == [ID, OTHER]


def test_a_completion_without_words_in_the_line_is_a_note() -> None:
    derived = events(session(("git traj complete", ID), ("git traj complete --retrospective f.json", OTHER)))
    assert [type(event) for event in derived if event.id in (ID, OTHER)] == [NoteEvent, NoteEvent]
    text = events(session(("git traj complete --summary s --learning l", ID)))[1]
    assert isinstance(text, RetrospectiveEvent)
    assert (text.retrospective.summary, text.retrospective.learnings) == ("s", ("l",))


def test_start_and_abandon_set_facts_of_the_session() -> None:
    commands = (
        ("git traj start T --task x:1 --tag a --agent ann:lead", f"Output: {ID} begins traj_{'a' * 16}"),
        ("git traj abandon --reason r", OTHER),
    )
    facts = [(i.name, i.value) for i in derive(session(*commands), Cursor()) if isinstance(i, Fact)]
    assert facts == [
        ("participant", "ann:lead"),
        ("title", "T"),
        ("task", "x:1"),
        ("tag", "a"),
        ("alias", f"traj_{'a' * 16}"),
        ("ended", "abandoned"),
    ]


def test_a_mark_counts_the_events_inserted_before_it() -> None:
    commands = [("git traj decision a", ID), ("echo", ""), ("git traj decision b", OTHER)]
    marks = [item.cursor for item in derive(session(*commands), Cursor()) if isinstance(item, Mark)]
    assert [(mark.ordinal, mark.added) for mark in marks] == [(0, 0), (2, 1), (4, 1)]
    again = session(*commands[2:], start=Cursor(added=1), before=2)
    rest = [item.cursor for item in derive(again, replace(marks[2])) if isinstance(item, Mark)]
    assert rest == [marks[2]]


def test_no_mark_while_a_command_has_no_result() -> None:
    items = session(("git traj decision a", ID))
    late = [*items[:2], Mark(cursor=Cursor(offset=5)), items[2]]
    assert [type(item) for item in derive(late, Cursor())] == [Mark, Entry, Entry, Entry]


def test_events_of_blocks_are_inserted_before_their_message() -> None:
    text = 'Well.\n\n[[TRAJECTORY:decision]] {"chosen": "x"} [[/TRAJECTORY]]'
    derived = events([Entry(event=Message(id="m", content=text, response="r"), end=1)])
    assert [(type(e), e.id, e.content) for e in derived] == [(Decided, "m/1", ""), (Message, "m", "Well.")]
