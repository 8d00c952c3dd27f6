"""Aider's chat history: each peculiarity of the format in a session of a few lines."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from gittraj.formats import detect_store
from gittraj.formats.aider import blocks as aider_blocks
from gittraj.formats.aider import history as aider
from gittraj.model.session_items import Edit, Item, Spent
from gittraj.model.values import AnyEvent, Message, NoteEvent, Prompt, ToolCall, ToolResult, Usage
from tests.unit.formats.reading import entries, facts

START = "2024-05-07T12:00:00"
HEADER = "\n# aider chat started at 2024-05-07 12:00:00\n\n"
BLOCK = "f.py\n```python\n<<<<<<< SEARCH\nx = 1\ny = 2\n=======\nx = 1\ny = 3\n>>>>>>> REPLACE\n```\n"


def printed(*lines: str) -> str:
    return "".join(f"> {line}  \n" for line in lines)


def typed(*lines: str) -> str:
    return "\n" + "".join(f"#### {line}  \n" for line in lines)


def answer(words: str) -> str:
    return f"\n{words}\n\n"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / "history.md"


def read(history: Path, *parts: str) -> list[Item]:
    history.write_text(HEADER + "".join(parts))
    return list(aider.read(history, START))


def events_in(items: list[Item]) -> list[AnyEvent]:
    return [entry.event for entry in entries(items)]


def texts_in(items: list[Item]) -> list[tuple[type[AnyEvent], str]]:
    return [(type(event), event.content) for event in events_in(items)]


def test_a_turn_is_a_prompt_an_answer_its_edits_its_cost_and_its_commit(history: Path) -> None:
    items = read(
        history,
        printed(
            "aider f.py", "Aider v0.85.1", "Main model: sonnet with diff edit format", "Weak model: haiku"
        ),
        typed("change y"),
        answer(f"I do.\n\n{BLOCK}\nDone."),
        printed(
            "Tokens: 12k sent, 1.2k cache hit, 2k cache write, 300 received. "
            "Cost: $0.04 message, $0.10 session."
        ),
        printed(
            "Applied edit to f.py", "Commit 1a2b3c4 feat: y is 3", "You can use /undo to undo and discard it."
        ),
    )
    prompt, message, edit, result, commit, made = entries(items)
    assert (type(prompt.event), prompt.event.content) == (Prompt, "change y")
    assert isinstance(message.event, Message)
    assert message.event.content.startswith("I do.")
    assert (message.event.model, message.event.response) == ("sonnet", edit.event.response)
    assert edit.edits == (Edit(path="f.py", added=("y = 3",), removed=("y = 2",)),)
    assert isinstance(edit.event, ToolCall)
    assert isinstance(result.event, ToolResult)
    assert (edit.event.name, edit.event.call_id, result.event.is_error) == (
        "edit",
        result.event.call_id,
        False,
    )
    assert (commit.command, made.commits) == ("git commit", ("1a2b3c4",))
    usage = Usage(input_tokens=8800, cache_read_tokens=1200, cache_write_tokens=2000, output_tokens=300)
    assert [i for i in items if isinstance(i, Spent)] == [
        Spent(response=str(message.event.response), usage=usage, cost=0.04, beside=True)
    ]
    assert facts(items) == {
        "session": START,
        "started_at": "2024-05-07T12:00:00.000Z",
        "tag": "local-time",
        "agent_version": "0.85.1",
        "model": "sonnet",
    }


def test_a_humans_uncommitted_changes_stay_theirs_if_aider_commits_them(history: Path) -> None:
    items = read(
        history,
        typed("change y"),
        printed("Committing f.py before applying edits.", "Commit 0a2b3c4 f.py as it was"),
        printed("Applied edit to f.py", "Commit 1a2b3c4 feat: y is 3"),
    )
    assert [entry.commits for entry in entries(items) if entry.commits] == [("1a2b3c4",)]
    assert [entry.command for entry in entries(items) if entry.command] == ["git commit"]


def test_a_prompt_may_have_several_lines(history: Path) -> None:
    assert texts_in(read(history, typed("one", "", "two"))) == [(Prompt, "one\n\ntwo")]


def test_a_models_text_that_looks_like_prompt_or_output_stays_its_text(history: Path) -> None:
    text = "#### A heading\n\n> a quotation\n\n#### Another\ntext\n>>>>>>> REPLACE"
    assert texts_in(read(history, typed("hi"), answer(text), typed("ok"))) == [
        (Prompt, "hi"),
        (Message, text),
        (Prompt, "ok"),
    ]


@pytest.mark.parametrize("command", ["/undo", "/add f.py", "/test pytest", "!ls"])
def test_a_command_to_aider_is_not_a_prompt(history: Path, command: str) -> None:
    event = events_in(read(history, typed(command)))[0]
    assert isinstance(event, NoteEvent)
    assert (event.content, event.tags) == (command, ("command",))


def test_a_question_by_command_that_is_printed_twice_is_one_prompt(history: Path) -> None:
    items = read(history, typed("/ask why?"), typed(" why?"), answer("So."), typed("why?"))
    assert texts_in(items) == [(Prompt, "/ask why?"), (Message, "So."), (Prompt, "why?")]


def test_a_path_is_not_a_command(history: Path) -> None:
    assert texts_in(read(history, typed("/usr/bin/x is broken"))) == [(Prompt, "/usr/bin/x is broken")]


@pytest.mark.parametrize(
    "announced",
    [
        "Attempt to fix lint errors? y",
        "Attempt to fix test errors? yes",
        "Add 0.1k tokens of command output to the chat? y",
        "Fix lint errors in f.py? (Y)es/(N)o [Yes]: y",
    ],
)
def test_output_that_goes_back_to_the_model_is_not_a_prompt(history: Path, announced: str) -> None:
    items = read(history, answer("x"), printed("f.py:1: E402", announced), typed("f.py:1: E402", "^"))
    last = events_in(items)[-1]
    assert isinstance(last, NoteEvent)
    assert (last.kind, last.content) == ("verification", "f.py:1: E402\n^")


def test_pasted_output_is_a_prompt_if_fixing_was_declined(history: Path) -> None:
    items = read(history, answer("x"), printed("Attempt to fix lint errors? n"), typed("E  AttributeError"))
    assert texts_in(items)[-1] == (Prompt, "E  AttributeError")


def test_output_that_is_recognizable_needs_no_announcement(history: Path) -> None:
    event = events_in(read(history, typed("# Fix any errors below, if possible.", "", "x")))[0]
    assert isinstance(event, NoteEvent)


def test_an_announcement_of_output_ends_with_the_answer(history: Path) -> None:
    items = read(history, printed("Attempt to fix lint errors? y"), answer("Fixed."), typed("thanks"))
    assert texts_in(items)[-1] == (Prompt, "thanks")


def test_an_edit_that_was_not_applied_failed(history: Path) -> None:
    failure = printed("# 1 SEARCH/REPLACE block failed to match!", "", "## no match in f.py")
    items = read(history, typed("x"), answer(BLOCK), failure, answer("Again."), typed("next"))
    results = [event for event in events_in(items) if isinstance(event, ToolResult)]
    assert [result.is_error for result in results] == [True]
    errors = [
        event.content for event in events_in(items) if isinstance(event, NoteEvent) and event.kind == "error"
    ]
    assert errors == ["# 1 SEARCH/REPLACE block failed to match!\n\n## no match in f.py"]


def test_an_edit_that_is_still_waiting_has_no_result(history: Path) -> None:
    assert [type(event) for event in events_in(read(history, typed("x"), answer(BLOCK)))] == [
        Prompt,
        Message,
        ToolCall,
    ]


def test_an_edit_in_a_form_without_lines_has_its_path(history: Path) -> None:
    items = read(
        history, answer("f.py\n```\nall of it\n```"), printed("Applied edit to f.py", "Applied edit to f.py")
    )
    assert [entry.edits for entry in entries(items) if entry.edits] == [(Edit(path="f.py"),)] * 2
    ids = [event.id for event in events_in(items)]
    assert len(set(ids)) == len(ids)


def test_lines_that_aider_prints_itself_are_not_the_models(history: Path) -> None:
    shown = "platform\n\n    def f():\n    \n>       assert f\nE  boom\n==== 1 failed ===="
    output = f"> ==== test session ====\n{shown}  \n"
    items = read(history, typed("/test pytest"), output, answer("I fix it."))
    assert [(type(event), event.content[:4]) for event in events_in(items)] == [
        (NoteEvent, "/tes"),
        (NoteEvent, "===="),
        (Message, "I fi"),
    ]
    assert ">       assert f" in events_in(items)[1].content


def test_a_commit_message_of_several_lines_is_read(history: Path) -> None:
    made = "> Commit 7d56889 feat: x\n\nThe changes are these.  \n> You can use /undo to revert it.  \n"
    items = read(history, typed("x"), answer("y"), printed("Tokens: 1 sent, 2 received."), made)
    assert entries(items)[-1].commits == ("7d56889",)
    assert events_in(items)[-1].content == "Commit 7d56889 feat: x\n\nThe changes are these."
    assert [item.cost for item in items if isinstance(item, Spent)] == [None]


def test_costs_of_one_answer_are_added_and_a_cost_without_an_answer_is_kept(history: Path) -> None:
    cost = printed("Tokens: 1,000 sent, 10 received. Cost: $0.0019 request, $0.5 session.")
    items = read(history, typed("x"), answer("y"), cost, cost)
    last = [item for item in items if isinstance(item, Spent)][-1]
    assert (last.usage, last.cost) == (Usage(input_tokens=2000, output_tokens=20), 0.0038)
    items = read(history, cost)
    assert {event.response for event in events_in(items)} >= {
        i.response for i in items if isinstance(i, Spent)
    }


def test_an_interruption_and_an_error_are_notes(history: Path) -> None:
    items = read(history, typed("x"), printed("", "", "^C again to exit"), printed("^C KeyboardInterrupt"))
    assert texts_in(items)[1:] == [(NoteEvent, "Interrupted")]
    items = read(history, typed("x"), printed("Unexpected error: litellm.X: {", '"code": 429', "}"))
    assert texts_in(items)[1:] == [(NoteEvent, 'Unexpected error: litellm.X: {\n"code": 429\n}')]


def test_a_unified_diff_is_an_edit_too() -> None:
    text = (
        "```diff\n--- f.py\n+++ f.py\n@@ ... @@\n-x = 1\n+x = 2\n--- /dev/null\n+++ g.py\n@@ ... @@\n+y\n```"
    )
    assert aider_blocks.edits(text) == (
        Edit(path="f.py", added=("x = 2",), removed=("x = 1",)),
        Edit(path="g.py", kind="add", added=("y",)),
    )


def test_blocks_name_their_file_in_many_ways() -> None:
    body = "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE"
    for line in ("f.py\n```", "`f.py`:\n```python", "**f.py**\n```", "```python\nf.py", "f.py"):
        assert aider_blocks.edits(f"{line}\n{body}\n```") == (Edit(path="f.py", kind="add", added=("x",)),)
    assert aider_blocks.edits(f"some words here\n```\n{body}\n") == ()
    assert aider_blocks.edits("f.py\n```\n<<<<<<< SEARCH\nnever ends") == ()


# ---------------------------------------------------------------- a file with many sessions


def test_each_header_begins_a_session(history: Path) -> None:
    later = HEADER.replace("12:00:00", "13:00:00")
    history.write_text(
        "> before any header  \n" + HEADER + typed("a") + later + typed("b") + later + typed("c")
    )
    assert list(aider.sessions(history)) == [START, "2024-05-07T13:00:00", "2024-05-07T13:00:00-2"]
    assert [texts_in(list(aider.read(history, session))) for session in aider.sessions(history)] == [
        [(Prompt, "a")],
        [(Prompt, "b")],
        [(Prompt, "c")],
    ]
    assert list(aider.read(history, "2020-01-01T00:00:00")) == []


def test_a_grown_history_keeps_its_sessions_and_ids(history: Path) -> None:
    parts = [
        typed("a"),
        answer(f"b\n{BLOCK}"),
        printed("Applied edit to f.py"),
        HEADER.replace("12:", "13:"),
        typed("c"),
    ]
    seen: list[str] = []
    for n in range(len(parts) + 1):
        ids = [event.id for event in events_in(read(history, *parts[:n]))]
        assert ids[: len(seen)] == seen
        seen = ids
    assert list(aider.sessions(history)) == [START, "2024-05-07T13:00:00"]


def test_a_history_is_recognized_by_its_header_and_folder(tmp_path: Path, history: Path) -> None:
    read(history, typed("x"))
    assert detect_store(history) is aider
    assert not aider.detect(tmp_path)
    assert not aider.detect(tmp_path / "absent")
    own = tmp_path / aider.FILE
    own.write_text(HEADER + typed("x") + answer("y") + printed("Applied edit to f.py"))
    assert aider.detect(tmp_path)
    items = list(aider.read(tmp_path, START))
    assert facts(items)["folder"] == str(tmp_path)
    assert {entry.folder for entry in entries(items)} == {str(tmp_path)}
    (tmp_path / "log.jsonl").write_text('{"text": "\\n# aider chat started at 2024-05-07 12:00:00\\n"}\n')
    assert not aider.detect(tmp_path / "log.jsonl")


def test_a_history_with_windows_line_ends_and_a_broken_one_are_read(history: Path) -> None:
    text = HEADER + typed("a é") + answer(BLOCK) + printed("Applied edit to f.py")
    history.write_bytes(text.encode())
    plain = events_in(list(aider.read(history, START)))
    history.write_bytes(text.replace("\n", "\r\n").encode())
    assert events_in(list(aider.read(history, START))) == plain
    history.write_bytes(HEADER.encode() + b"\n#### a \xff\0b  \n")
    assert texts_in(list(aider.read(history, START))) == [(Prompt, "a \ufffdb")]


def test_a_history_cut_anywhere_gives_ids_of_the_whole(history: Path) -> None:
    parts = (
        typed("a é", "b"),
        answer(BLOCK),
        printed("Tokens: 1k sent, 2 received. Cost: $0.1 message, $0.1 session."),
        printed("Applied edit to f.py", "Commit 1a2b3c4 x"),
        typed("/test x"),
        "> out\nput  \n",
        typed("c"),
    )
    whole = [event.id for event in events_in(read(history, *parts))]
    data = history.read_bytes()
    for cut in range(len(data)):
        history.write_bytes(data[:cut])
        for session in aider.sessions(history):
            ids = [event.id for event in events_in(list(aider.read(history, session)))]
            assert ids == whole[: len(ids)]


@pytest.mark.shared
def test_a_real_history_is_read(samples: Path) -> None:
    path = samples / "other/aider/aider.chat.history.md"
    lines = path.read_text().splitlines()
    names = list(aider.sessions(path))
    assert (
        len(set(names))
        == len(names)
        == sum(line.startswith("# aider chat started at") for line in lines)
        == 79
    )
    sessions = [list(aider.read(path, name)) for name in names]
    items = [item for session in sessions for item in session]
    events = events_in(items)
    calls = [event for event in events if isinstance(event, ToolCall)]
    results = [event for event in events if isinstance(event, ToolResult)]
    commits = [match[1] for line in lines if (match := re.match(r"> Commit ([0-9a-f]{7}) ", line))]
    theirs = {
        match[1]
        for before, line in itertools.pairwise(lines)
        if before.startswith("> Committing ") and (match := re.match(r"> Commit ([0-9a-f]{7}) ", line))
    }
    mine = [commit for commit in commits if commit not in theirs]
    assert [commit for entry in entries(items) for commit in entry.commits] == mine
    assert len(commits) == sum(call.name == "commit" for call in calls) == 64
    applied = [line.strip()[18:] for line in lines if line.startswith("> Applied edit to ")]
    done = [result.content[16:] for result in results if result.content.startswith("Applied edit to ")]
    assert sorted(done) == sorted(applied)
    assert len(results) == len(calls)
    spent: dict[tuple[int, str], Spent] = {}
    for number, session in enumerate(sessions):
        spent |= {(number, item.response): item for item in session if isinstance(item, Spent)}
        ids = [event.id for event in events_in(session)]
        assert len(set(ids)) == len(ids)
        assert {event.response for event in events_in(session)} >= {
            i.response for i in session if isinstance(i, Spent)
        }
    token_lines = [
        re.match(r"> Tokens: ([\d,]+) sent, ([\d,]+) received\.(?: Cost: \$([\d.]+) request)?", line)
        for line in lines
    ]
    numbers = [match.groups() for match in token_lines if match]
    assert len(numbers) == 55
    assert sum(i.usage.input_tokens for i in spent.values()) == sum(
        int(n[0].replace(",", "")) for n in numbers
    )
    assert sum(i.usage.output_tokens for i in spent.values()) == sum(
        int(n[1].replace(",", "")) for n in numbers
    )
    assert sum(i.cost or 0 for i in spent.values()) == pytest.approx(sum(float(n[2] or 0) for n in numbers))
    assert not [
        event
        for event in events
        if isinstance(event, Prompt) and event.content.startswith("# Fix any errors")
    ]


@pytest.mark.shared
def test_prompts_of_a_real_history_are_the_typed_texts(samples: Path) -> None:
    path = samples / "other/aider/aider.chat.history.md"
    text = path.read_text()
    text = text[text.index("\n# aider chat started at") :]
    blocks = ["\n".join(m.splitlines()) for m in re.findall(r"(?m)^(?:#### .*  \n)+", text)]
    first = [block.partition("\n")[0][5:] for block in blocks]
    requests = [
        line for line in first if not re.match(r"/(?!ask )[a-z]|# Fix| is there| will that| can detect", line)
    ]
    events = [e for name in aider.sessions(path) for e in events_in(list(aider.read(path, name)))]
    assert sum(isinstance(event, Prompt) for event in events) == len(requests)
