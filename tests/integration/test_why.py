"""``git traj why``: for every line the call that wrote it, through everything that moves lines."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from gittraj.cli.common import ahead
from gittraj.cli.common.group import call
from gittraj.git.plumbing import _CatFile
from tests.e2e.scenario import Edit, Shell, Step, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.desk import Desk
from tests.integration.repository import Git
from tests.integration.terminal import at_terminal
from tests.sizes import size, some

Why = Callable[..., dict[str, Any]]

GREET = "def greet(name):\n    return f'hello {name}'\n"
COUNT = "def count(items):\n    total = len(items)\n    return total\n"
COMMIT = Shell("git add -A && git commit -m work")


@pytest.fixture
def why(desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Why:
    """A function that returns ``git traj why … --json``: the same with an early blame, nothing on stderr."""
    monkeypatch.chdir(desk.git.root)

    def run(*args: str) -> dict[str, Any]:
        documents = []
        for begin in (lambda _: None, ahead.begin):
            begin(["why", "--json", *args])
            assert call(["why", "--json", *args]) == 0
            out, err = capsys.readouterr()
            assert err == ""
            documents.append(json.loads(out))
        assert documents[0] == documents[1]
        found: dict[str, Any] = documents[0]
        return found

    return run


def prompts(document: dict[str, Any]) -> list[str]:
    """Return each line's prompt, in the order of the file; all its lines must be in the document."""
    return _by_line({_key(entry): entry["prompt"] for entry in document["entries"]}, document)


def calls(document: dict[str, Any]) -> list[Any]:
    """Return for each line the text that the call wrote there, or None."""
    found = {}
    for entry in document["entries"]:
        (given,) = [e["tool"]["arguments"] for e in entry["events"] if e["type"] == "tool_call"] or [{}]
        if isinstance(given, dict):
            given = given.get("new_string") or given.get("content") or given.get("command")
        found[_key(entry)] = given
    return _by_line(found, document)


def _key(entry: dict[str, Any]) -> str:
    return json.dumps(entry["lines"])


def _by_line(values: dict[str, Any], document: dict[str, Any]) -> list[Any]:
    lines = {
        number: values[_key(entry)]
        for entry in document["entries"]
        for first, last in entry["lines"]
        for number in range(first, last + 1)
    }
    assert sorted(lines) == list(range(1, len(lines) + 1))
    return [lines[number] for number in sorted(lines)]


# ---------------------------------------------------------------- which call


def test_a_line_has_its_commit_prompt_and_call(desk: Desk, why: Why) -> None:
    desk.commit("greeting", GREET, path="greet.py")
    (entry,) = why("greet.py:2")["entries"]
    ahead.begin(["why", "greet.py:2", "--porcelain"])
    ahead.begin(["why", "--rev", "HEAD", "greet.py:2"])
    for rev in (None, "HEAD"):
        begun = ahead.take("greet.py:2", rev)
        assert begun is not None
        assert begun()[0].startswith(desk.git.head().encode())
    assert (entry["lines"], entry["commit"], entry["subject"]) == ([[2, 2]], desk.git.head(), "greeting")
    assert [event["type"] for event in entry["events"]] == ["prompt", "tool_call"]
    assert entry["events"][0]["content"] == entry["prompt"] == "Please do greeting"
    assert entry["events"][1]["tool"]["name"] == "Write"
    assert entry["trajectory"]["agent"] == "claude-code"
    assert entry["change"] == ["+    return f'hello {name}'"]
    assert (entry["movedBy"], entry["nearest"]) == ([], None)


def test_each_of_several_edits_in_one_commit_has_its_lines(desk: Desk, why: Why) -> None:
    """Also if an edit repeats lines around its change, and if lines are equal."""
    first = "def one():\n    return None\n\n\ndef two():\n    return 2\n"
    old, new = "def two():\n    return 2", "def two():\n    x = 1\n    return None"
    more = "    return None\n\n\ndef three():\n    return None"
    desk.work(
        "functions",
        Write("f.py", first),
        Edit("f.py", old, new),
        Edit("f.py", "    x = 1\n    return None", f"    x = 1\n{more}"),
        COMMIT,
    )
    assert calls(why("f.py")) == [*[first] * 5, *[new] * 2, *[f"    x = 1\n{more}"] * 4]


def test_a_rewritten_file_keeps_the_first_authors_of_its_lines(desk: Desk, why: Why) -> None:
    desk.work("all", Write("f.py", GREET), Write("f.py", f"{GREET}\n\n{COUNT}"), COMMIT)
    assert calls(why("f.py")) == [*[GREET] * 2, *[f"{GREET}\n\n{COUNT}"] * 5]


@pytest.mark.parametrize("seed", some(range(2), 1))
def test_every_line_of_many_files_has_its_call(desk: Desk, why: Why, seed: int) -> None:
    """Two sessions write and edit them over and over, several files and edits per commit."""
    rng = random.Random(seed)
    paths = [f"part{n % 7}/file{n}.py" for n in range(size(16, 50))]
    files: dict[str, list[tuple[str, str]]] = {}  # each line, and the text of the call that wrote it

    def lines(path: str) -> list[str]:
        return [f"value_{rng.getrandbits(40):x} = '{path}'" for _ in range(rng.randrange(1, 6))]

    for number in range(8):
        steps: list[Step] = []
        for path in rng.sample(paths, len(paths) * 2 // 5) if number else paths:
            was, new = files.get(path, []), lines(path)
            if not was:
                steps.append(Write(path, "\n".join(new) + "\n"))
                files[path] = [(line, "\n".join(new) + "\n") for line in new]
                continue
            at = rng.randrange(len(was))
            end = rng.randrange(at, len(was)) + 1
            steps.append(Edit(path, "\n".join(line for line, _ in was[at:end]), "\n".join(new)))
            files[path] = [*was[:at], *((line, "\n".join(new)) for line in new), *was[end:]]
        desk.work(f"work {number}", *steps, COMMIT, by=("one", "two")[number % 2])
    for path, expected in files.items():
        assert calls(why(path)) == [call for _, call in expected], path


def test_lines_of_two_commits_have_their_own_prompts(desk: Desk, why: Why) -> None:
    desk.commit("greeting", GREET, path="f.py")
    changed = "    return f'good day {name}'"
    desk.work("manners", Edit("f.py", "    return f'hello {name}'", changed), COMMIT)
    document = why("f.py")
    assert prompts(document) == ["Please do greeting", "Please do manners"]
    assert [entry["subject"] for entry in document["entries"]] == ["greeting", "work"]
    assert calls(document) == [GREET, changed]
    assert document["entries"][1]["change"] == ["-    return f'hello {name}'", f"+{changed}"]
    assert prompts(why("f.py", "--rev", "HEAD~1")) == ["Please do greeting"] * 2


def test_an_edit_in_an_earlier_part_is_found(desk: Desk, why: Why) -> None:
    """Two edits, then two commits: the second commit's record names the first part's segments."""
    desk.work(
        "both",
        Write("a.py", GREET),
        Write("b.py", COUNT),
        Shell("git add a.py && git commit -m first"),
        Shell("git add b.py && git commit -m second"),
    )
    (entry,) = why("b.py")["entries"]
    assert (entry["subject"], entry["prompt"]) == ("second", "Please do both")
    assert entry["events"][-1]["tool"]["arguments"]["content"] == COUNT


def test_a_line_of_an_amended_commit_names_the_first_one(desk: Desk, why: Why) -> None:
    desk.commit("greeting", GREET, path="f.py")
    first = desk.git.head()
    desk.git("commit", "-q", "--amend", "-m", "A greeting")
    desk.drain()
    (entry,) = why("f.py:1,2")["entries"]
    assert (entry["commit"], entry["subject"]) == (desk.git.head(), "A greeting")
    assert entry["movedBy"] == [{"commit": first, "short": first[:7], "first": True}]
    assert prompts({"entries": [entry]}) == ["Please do greeting"] * 2


def test_lines_of_a_renamed_file_keep_their_call(desk: Desk, why: Why) -> None:
    desk.commit("greeting", GREET, path="old.py")
    desk.git("mv", "old.py", "new.py")
    desk.git("commit", "-q", "-m", "rename")
    assert calls(why("new.py")) == [GREET] * 2


def test_a_commit_may_rename_and_change_a_file(desk: Desk, why: Why) -> None:
    desk.commit("greeting", f"{GREET}\n\n{COUNT}", path="old.py")
    changed = "    return total + 1"
    renaming = Shell("git mv old.py new.py; git add -A; git commit -m r")
    desk.work("rename", Edit("old.py", "    return total", changed), renaming)
    assert calls(why("new.py"))[-2:] == [f"{GREET}\n\n{COUNT}", changed]
    assert prompts(why("new.py"))[-2:] == ["Please do greeting", "Please do rename"]


def test_a_moved_block_keeps_its_call(desk: Desk, why: Why) -> None:
    long = "".join(f"    step_{n} = prepare(number={n}, of='a longer line')\n" for n in range(6))
    desk.commit("steps", f"def run():\n{long}", path="a.py")
    desk.git.write({"a.py": "def run():\n    pass\n", "b.py": f"def moved():\n{long}"})
    desk.git("add", "-A")
    desk.git("commit", "-q", "-m", "move by hand")
    document = why("b.py")
    assert calls(document) == [None, *[f"def run():\n{long}"] * 6]
    (moved,) = [entry for entry in document["entries"] if entry["subject"] == "steps"]
    assert moved["lines"] == [[2, 7]]
    (alone,) = why("b.py:3")["entries"]  # read for the whole file: git recognises a moved block, not a line
    assert (alone["subject"], alone["lines"]) == ("steps", [[3, 3]])


def test_white_space_does_not_change_the_author_of_a_line(desk: Desk, why: Why) -> None:
    desk.commit("counting", COUNT, path="f.py")
    desk.git.commit({"f.py": COUNT.replace("    ", "\t")}, "indent")
    assert calls(why("f.py")) == [COUNT] * 3


def test_white_space_changed_before_the_commit_does_not_matter(desk: Desk, why: Why) -> None:
    desk.work("counting", Write("f.py", COUNT), Shell("sed -i 's/    /  /' f.py"), COMMIT)
    assert calls(why("f.py")) == [COUNT] * 3


@pytest.mark.parametrize("configured", [True, False], ids=["by config", "by convention"])
def test_a_formatting_commit_can_be_ignored(desk: Desk, why: Why, configured: bool) -> None:
    desk.commit("counting", COUNT, path="f.py")
    formatted = desk.git.commit({"f.py": COUNT.replace("total", "the_total")}, "rename all")
    assert calls(why("f.py")) == [COUNT, None, None]
    name = "ignored" if configured else ".git-blame-ignore-revs"
    desk.git.write({name: f"# formatting\n{formatted}\n"})
    if configured:
        desk.git("config", "blame.ignoreRevsFile", name)
        desk.git.write({".git-blame-ignore-revs": "no commit\n"})  # neither git nor git-traj reads it
    document = why("f.py")
    assert {entry["subject"] for entry in document["entries"]} == {"counting"}
    assert document["entries"][0]["lines"][0][0] == 1


def test_a_damaged_list_of_ignored_commits_that_git_does_not_read_is_ignored(desk: Desk, why: Why) -> None:
    desk.commit("counting", COUNT, path="f.py")
    desk.git.commit({"g.py": "x = 1\n"}, "by hand")
    desk.git.write({".git-blame-ignore-revs": "no commit\n"})
    assert calls(why("f.py")) == [COUNT] * 3
    assert [entry["subject"] for entry in why("g.py:1")["entries"]] == ["by hand"]


def test_lines_of_a_codex_patch_have_its_prompt(desk: Desk, why: Why) -> None:
    desk.sessions["codex"] = CodexSession(desk.git.root)
    changed = "    return total + 1"
    desk.work("counting", Write("f.py", COUNT), COMMIT, by="codex")
    desk.work("one more", Edit("f.py", "    return total", changed), COMMIT, by="codex")
    document = why("f.py")
    assert prompts(document) == [*["Please do counting"] * 2, "Please do one more"]
    assert document["entries"][0]["trajectory"]["agent"] == "codex"
    assert document["entries"][1]["change"] == ["-    return total", f"+{changed}"]


def test_lines_that_a_shell_command_wrote_have_that_command(desk: Desk, why: Why) -> None:
    command = f"cat > f.py <<'END'\n{COUNT}END\ngit add -A; git commit -m shell"
    desk.work("counting", Shell(command))
    assert calls(why("f.py")) == [command] * 3


# ---------------------------------------------------------------- reasons


def test_a_decision_stated_near_an_edit_is_its_reason(desk: Desk, why: Why) -> None:
    block = '[[TRAJECTORY:decision]] {"chosen": "%s", "alternatives": ["b"]} [[/TRAJECTORY]]'
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    steps = [
        turn(Write("a.py", GREET), say=block % "a greeting"),
        turn(Write("b.py", COUNT), say=block % "a count"),
        turn(COMMIT),
        turn(say="done"),
    ]
    session.run(steps, prompt="Do two things")
    desk.drain()
    for path, chosen in (("a.py", "a greeting"), ("b.py", "a count")):
        (entry,) = why(path)["entries"]
        assert [decision["chosen"] for decision in entry["decisions"]] == [chosen]
        assert entry["decisions"][0]["by"] == "agent"
        assert "decision" in [event["type"] for event in entry["events"]]


def test_a_persons_line_has_no_reason_of_an_agent(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    """The agent's file and the person's, in one commit of the person."""
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    message = "I'll use a table over ifs because it is data."
    session.run([turn(Write("names.py", GREET), say=message), turn(say="done")], prompt="Names, please")
    desk.git.write({"invoice.py": COUNT})
    desk.git("add", "-A")
    desk.git("commit", "-q", "-m", "both")
    desk.drain()
    (entry,) = why("invoice.py:2-3")["entries"]
    assert (entry["lines"], entry["decisions"], entry["events"]) == ([[2, 3]], [], [])
    assert [beside["prompt"] for beside in entry["beside"]] == ["Names, please"] == [entry["prompt"]]
    (entry,) = why("names.py:1")["entries"]
    assert [decision["chosen"] for decision in entry["decisions"]] == ["a table"]
    assert entry["beside"] == []
    assert call(["why", "invoice.py:2"]) == 0
    shown = capsys.readouterr().out
    assert "  written  no recorded edit matches these lines; who wrote them is not known\n" in shown
    assert "  the commit also has:\n  asked    Names, please\n" in shown
    assert "decided" not in shown


def test_a_line_of_a_commit_of_two_sessions_has_its_last_writer(desk: Desk, why: Why) -> None:
    """A line is credited to the session that wrote it last, a line by hand to neither."""
    desk.work("first", Write("f.py", "x = call(first, one)\n"), COMMIT)
    amend = Shell("git commit -a --amend --no-edit")
    desk.work("second", Edit("f.py", "first, one", "first, two"), amend, by="two")
    desk.git.write({"f.py": "x = call(first, two)\n# by hand\n"})
    desk.git("commit", "-a", "-q", "--amend", "--no-edit")
    desk.drain()
    edited, unknown = why("f.py")["entries"]
    assert (edited["prompt"], edited["change"]) == ("Please do second", ["-first, one", "+first, two"])
    assert (unknown["prompt"], unknown["decisions"]) == (None, [])
    assert [beside["prompt"] for beside in unknown["beside"]] == ["Please do first", "Please do second"]


def test_each_of_two_sessions_has_the_lines_that_it_wrote(desk: Desk, why: Why) -> None:
    """The committing session rewrote the other's file, and wrote an equal line in another function."""
    logs = "def {}():\n    log('start')\n    return {}\n"
    one, two = logs.format("one", 1), logs.format("two", 2)
    desk.work("first", Write("f.py", one), Write("g.py", one))
    more = Edit("g.py", "return 1", f"return 1\n{two}")
    desk.work("second", Write("f.py", one + two), more, COMMIT, by="two")
    for path in ("f.py", "g.py"):
        assert prompts(why(path))[:6] == [*["Please do first"] * 3, *["Please do second"] * 3]


def test_the_reason_is_the_decision_before_an_edit_not_the_one_after_it(desk: Desk, why: Why) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    steps = [
        turn(say="I went with all of them instead of the largest only, since rounding loses information."),
        turn(Write("a.py", GREET)),
        turn(Write("t.py", COUNT), say="I change the test rather than the code, because it is read back."),
        turn(say="I chose a loop over recursion in t.py because the depth is unknown."),
        turn(COMMIT),
        turn(say="done"),
    ]
    session.run(steps, prompt="Do it")
    desk.drain()
    by_path = {p: [d["chosen"] for d in why(p)["entries"][0]["decisions"]] for p in ("a.py", "t.py")}
    assert by_path == {"a.py": ["all of them"], "t.py": ["I change the test"]}


@pytest.mark.usefixtures("why")
def test_a_pull_request_does_not_compare_what_a_merge_changed(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.git.commit({"README": "here\n"})
    desk.git("branch", "side")
    desk.work("all", Write("a.py", GREET), COMMIT)
    desk.git("checkout", "-q", "side")
    desk.git.commit({"b.py": COUNT})
    desk.git("checkout", "-q", "-")
    merge = f"git merge -q --no-commit side\ncat > m.py <<'END'\n{COUNT}END\ngit add m.py"
    desk.work("merge", Shell(merge), COMMIT)
    desk.drain()
    assert call(["pr", "--base", "HEAD~2", "--format", "text"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "m.py No recorded edit names it; a command may have written it" in shown


def test_a_pull_request_asks_about_no_file_that_why_explains(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    """One file was edited, one written by a shell, one by a person: all in one commit of the agent."""
    desk.git.commit({"README": "here\n"})
    desk.git.write({"mine.py": "by_hand = True\n"})
    shell = Shell(f"cat > shell.py <<'END'\n{COUNT}END\necho 'more = count' >> shell.py")
    desk.work("all", Write("a.py", GREET), shell, COMMIT)
    assert [bool(entry["events"]) for entry in why("shell.py")["entries"]] == [True]
    assert [bool(entry["events"]) for entry in why("mine.py")["entries"]] == [False]
    assert call(["pr", "--base", "HEAD~1", "--format", "text"]) == 0
    shown = capsys.readouterr().out
    assert "  mine.py  No recorded edit matches its lines\n" in shown
    assert "shell.py" not in shown.split("Look here first")[1].split("\n\n")[0]
    assert call(["pr", "--base", "HEAD~1", "--format", "github"]) == 0
    rows = [line.split(" | ")[::2] for line in capsys.readouterr().out.splitlines() if "`shell.py` |" in line]
    assert rows == [["| `shell.py`", "Claude Code"]]
    for ref in desk.git("for-each-ref", "--format=%(refname)", "refs/notes/traj-data-*").splitlines():
        desk.git("update-ref", "-d", ref)
    assert call(["pr", "--base", "HEAD~1", "--format", "text"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "mine.py No recorded edit names it; a command may have written it" in shown


def test_a_decision_right_before_an_edit_wins_over_one_that_names_the_file(desk: Desk, why: Why) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    steps = [
        turn(
            Write("m.py", "quantity = data\n"),
            say="I'm going with a check in `m.py` over the store, because scripts hold clean data.",
        ),
        turn(Shell("true"), say="Now the check itself."),
        turn(
            Edit("m.py", "quantity = data", "quantity = not isinstance(data, bool)"),
            say="I'll exclude bool explicitly rather than ask for the type, since that also rejects enums.",
        ),
        turn(COMMIT),
        turn(say="done"),
    ]
    session.run(steps, prompt="Validate")
    desk.drain()
    (entry,) = why("m.py:1")["entries"]
    assert [decision["chosen"] for decision in entry["decisions"]] == ["exclude bool explicitly"]


def test_a_decision_about_a_file_is_the_reason_of_its_only_edit(desk: Desk, why: Why) -> None:
    block = (
        '[[TRAJECTORY:decision]] {"chosen": "a plain loop in m.py", "alternatives": ["b"]} [[/TRAJECTORY]]'
    )
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    message = "I'll use a list rather than a queue, because it is small."
    steps = [turn(Write("m.py", COUNT), say=message), turn(Write("t.py", GREET), say=block), turn(COMMIT)]
    session.run([*steps, turn(say="done")], prompt="Count")
    desk.drain()
    (entry,) = why("m.py:2")["entries"]
    assert [decision["chosen"] for decision in entry["decisions"]] == ["a plain loop in m.py"]


def test_a_decision_stated_before_two_edits_is_the_reason_of_both(desk: Desk, why: Why) -> None:
    block = '[[TRAJECTORY:decision]] {"chosen": "a soft delete", "alternatives": ["b"]} [[/TRAJECTORY]]'
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    both = turn(Write("a.py", GREET), Write("b.py", COUNT), say=f"{block}\nAdding the column.")
    session.run([both, turn(COMMIT), turn(say="done")], prompt="Do it")
    desk.drain()
    for path in ("a.py", "b.py"):
        (entry,) = why(path)["entries"]
        assert [decision["chosen"] for decision in entry["decisions"]] == ["a soft delete"]


def test_the_trouble_in_an_agents_retrospective_is_shown(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    block = '[[TRAJECTORY:retrospective]] {"summary": "It is in", "challenges": ["get still returns it"]} '
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    steps = [turn(Write("a.py", GREET)), turn(COMMIT), turn(say=f"{block}[[/TRAJECTORY]]\nDone.")]
    session.run(steps, prompt="Do it")
    desk.drain()
    assert call(["why", "a.py:1"]) == 0
    assert "  trouble  of the commit: get still returns it\n" in capsys.readouterr().out


def test_a_retrospective_is_not_shown_for_a_line_of_a_later_commit(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    block = '[[RETROSPECTIVE]] {"summary": "It is in", "challenges": ["zero"], "confidence": 0.9} '
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    first = [turn(Write("a.py", GREET)), turn(COMMIT), turn(say=f"Done.\n\n{block}[[/RETROSPECTIVE]]")]
    session.run(first, prompt="Do it")
    desk.drain()
    session.run([turn(Write("b.py", COUNT)), turn(COMMIT), turn(say="I have no idea.")], prompt="And b")
    desk.drain()
    shown = {}
    for path in ("a.py", "b.py"):
        assert call(["why", f"{path}:1"]) == 0
        out = capsys.readouterr().out
        shown[path] = ["trouble" in out, "90% sure" in out]
    assert shown == {"a.py": [True, True], "b.py": [False, False]}


def test_an_inferred_decision_is_marked_so(desk: Desk, why: Why) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    message = "I chose a loop over recursion because the depth is unknown."
    session.run([turn(Write("a.py", GREET), say=message), turn(COMMIT), turn(say="done")], prompt="Do it")
    desk.drain()
    (entry,) = why("a.py")["entries"]
    assert [(d["chosen"], d["by"]) for d in entry["decisions"]] == [("a loop", "inferred")]
    assert [event["type"] for event in entry["events"]] == ["prompt", "tool_call"]


def test_without_a_reason_the_message_before_the_edit_is_quoted(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    message = "Let me write the greeting. It goes in a file of its own. Then the tests."
    steps = [
        turn(Write("a.py", GREET), say=message),
        turn(Write("b.py", COUNT)),
        turn(COMMIT),
        turn(say="done"),
    ]
    session.run(steps, prompt="Do it")
    desk.drain()
    (entry,) = why("a.py")["entries"]
    assert (entry["decisions"], entry["trajectory"]["why"]) == ([], None)
    assert entry["said"] == message
    assert call(["why", "a.py:1"]) == 0
    assert f" said “{entry['said']}” " in " ".join(capsys.readouterr().out.split())
    assert call(["why", "a.py:1", "--porcelain"]) == 0
    assert f"\nsaid {entry['said']}\n" in capsys.readouterr().out


def test_a_caveat_right_before_the_commit_is_shown(desk: Desk, why: Why) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    doubt = "I'm unsure whether the clock counts while a laptop sleeps."
    steps = [turn(Write("a.py", GREET)), turn(COMMIT, say=f"Green. {doubt}"), turn(say="done")]
    session.run(steps, prompt="Do it")
    desk.drain()
    (entry,) = why("a.py")["entries"]
    assert entry["trajectory"]["caveats"] == [doubt]


LONG = "The limiter counts what each client asked for within the last minute, and forgets it then."
OPTIONS = "Two places are possible:\n1. Wrap in the server.\n2. Decorate the app."


@pytest.mark.parametrize(
    ("message", "quoted"),
    [
        (f"{OPTIONS}\n\nLet it be the second.", f"{OPTIONS}\n\nLet it be the second."),
        (f"{LONG}\n{LONG}\n{OPTIONS}\nOption 2 it is.", f"… {LONG} {OPTIONS}\nOption 2 it is."),
        (f"I'll take the second.\n{LONG}\n{LONG}\n{LONG}", f"I'll take the second. {LONG} {LONG} …"),
        (
            f"I'll sort to keep it simple.\n{LONG}\n{LONG}\nI've looked at the schema.",
            f"I'll sort to keep it simple. {LONG} {LONG} …",
        ),
        (
            f"A lock, since one writer exists.\n{LONG}\n{LONG}\nNow I fixed the docs.",
            f"A lock, since one writer exists. {LONG} {LONG} …",
        ),
    ],
)
def test_quotes_are_whole_sentences_nearest_the_edit(desk: Desk, why: Why, message: str, quoted: str) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    session.run([turn(Write("a.py", GREET), say=message), turn(COMMIT), turn(say="done")], prompt="Do it")
    desk.drain()
    (entry,) = why("a.py")["entries"]
    assert (entry["decisions"], entry["said"]) == ([], " ".join(quoted.split()))


def test_the_test_result_is_shown_below_the_edit(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    suite = Write("t.py", "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.fail()\n")
    ran = Shell("python3 -m unittest t")
    session.run([turn(suite), turn(ran), turn(COMMIT), turn(say="done")], prompt="Do it")
    desk.drain()
    assert call(["why", "t.py:1"]) == 0
    assert "  tests    1 failed\n" in capsys.readouterr().out


def test_no_message_is_quoted_beside_a_reason_or_from_an_earlier_turn(desk: Desk, why: Why) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    message = "I chose a loop over recursion because the depth is unknown."
    session.run([turn(Write("a.py", GREET), say=message), turn(COMMIT), turn(say="done")], prompt="Do it")
    session.run([turn(Write("b.py", COUNT)), turn(COMMIT), turn(say="done")], prompt="More")
    desk.drain()
    assert [why(path)["entries"][0]["said"] for path in ("a.py", "b.py")] == [None, None]


def test_a_struck_decision_is_not_inferred_again(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    message = "I chose a loop over recursion because the depth is unknown."
    session.run([turn(Write("a.py", GREET), say=message), turn(COMMIT), turn(say="done")], prompt="Do it")
    desk.drain()
    (decision,) = why("a.py")["entries"][0]["decisions"]
    assert call(["strike", "HEAD", decision["id"]]) == 0
    capsys.readouterr()
    assert why("a.py")["entries"][0]["decisions"] == []


def test_at_the_edge_of_a_shallow_clone_the_decision_about_a_line_is_shown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(desk.git.root)
    desk.git.write({"f.py": "a = 1\nb = 0\n"})
    assert call(["start", "by hand"]) == 0
    assert call(["decision", "zero", "--path", "f.py", "--line", "2"]) == 0
    desk.git("add", "-A")
    desk.git("commit", "-q", "-m", "by hand")
    assert call(["complete"]) == 0
    desk.drain()
    clone_path = desk.git.root.parent / "edge"
    desk.git("clone", "-q", "--depth=1", f"file://{desk.git.root}", str(clone_path))
    Git(clone_path)("fetch", "-q", "origin", "refs/notes/traj*:refs/notes/traj*")
    monkeypatch.chdir(clone_path)
    capsys.readouterr()
    for line, chosen in ((1, []), (2, ["zero"])):
        assert call(["why", f"f.py:{line}", "--json"]) == 0
        (entry,) = json.loads(capsys.readouterr().out)["entries"]
        assert [decision["chosen"] for decision in entry["decisions"]] == chosen
        assert entry["shallow"] is not bool(chosen)


def test_lines_older_than_a_shallow_clone_are_not_credited_to_its_edge(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.commit("greeting", GREET, path="greet.py")
    desk.commit("counting", COUNT, path="count.py")
    desk.git("commit", "-qm", "plain", "--allow-empty")
    desk.drain()
    for depth, known in ((1, False), (2, True)):
        clone_path = desk.git.root.parent / f"depth{depth}"
        desk.git("clone", "-q", f"--depth={depth}", f"file://{desk.git.root}", str(clone_path))
        clone = Git(clone_path)
        clone("fetch", "-q", "origin", "refs/notes/traj*:refs/notes/traj*")
        monkeypatch.chdir(clone_path)
        assert call(["why", "greet.py:2"]) == 0
        shown = capsys.readouterr().out
        assert shown.endswith("\n  not known here: this clone is shallow (git fetch --unshallow)\n")
        assert call(["why", "count.py:2", "--json"]) == 0  # depth 2: by the commit at the edge itself
        (entry,) = json.loads(capsys.readouterr().out)["entries"]
        assert (entry["shallow"], entry["prompt"]) == (not known, "Please do counting" if known else None)
        assert call(["status"]) == 0
        assert "Shallow clone: what older commits did is not known here" in capsys.readouterr().out
    assert call(["log"]) == call(["log", "HEAD~1.."]) == 0
    assert "; this clone is shallow: git fetch --unshallow)" in capsys.readouterr().err
    call(["doctor"])
    assert "note: this clone is shallow: " in capsys.readouterr().out


def test_a_commit_without_a_record_names_the_nearest_that_has_one(desk: Desk, why: Why) -> None:
    desk.commit("counting", COUNT, path="f.py")
    recorded = desk.git.head()
    desk.commit("elsewhere")
    desk.git.commit({"f.py": f"{COUNT}# by hand\n"}, "by hand")
    entry = why("f.py:4")["entries"][0]
    assert (entry["subject"], entry["trajectory"], entry["events"]) == ("by hand", None, [])
    assert (entry["nearest"]["commit"], entry["nearest"]["subject"]) == (recorded, "counting")
    assert entry["nearest"]["trajectory"]["prompt"] == "Please do counting"
    assert entry["nearest"]["ofLines"] is False
    assert why("base:1")["entries"][0]["nearest"] is None


def test_the_previous_change_of_a_line_is_not_another_change_of_its_file(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.commit("counting", COUNT, path="f.py")
    desk.commit("greeting", f"{GREET}{COUNT}", path="f.py")
    desk.git("revert", "--no-edit", "HEAD")
    reverted = {e["subject"]: e["revertedBy"] for e in why("f.py", "--rev", "HEAD~1")["entries"]}
    assert reverted == {"greeting": desk.git.head(), "counting": None}
    desk.git.commit({"f.py": COUNT.replace("len(items)", "sum(items)").replace("return", "yield")}, "by hand")
    entry = why("f.py:2")["entries"][0]
    assert (entry["nearest"]["subject"], entry["nearest"]["ofLines"]) == ("counting", True)
    assert call(["why", "f.py:2"]) == 0
    assert "  the previous recorded change of these lines:\n" in capsys.readouterr().out
    desk.git.commit({"f.py": f"{COUNT}# by hand\n"}, "a comment")
    assert call(["why", "f.py:4"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "the previous recorded change of this file:" in shown
    assert "greeting" in shown
    assert ", reverted by" in shown


def test_lines_that_are_not_committed_have_no_commit(desk: Desk, why: Why) -> None:
    desk.commit("counting", COUNT, path="f.py")
    desk.git.write({"f.py": f"# new\n{COUNT}"})
    new, old = why("f.py")["entries"]
    assert (new["lines"], new["commit"], new["trajectory"]) == ([[1, 1]], None, None)
    assert old["lines"] == [[2, 4]]


def test_nothing_of_a_forgotten_trajectory_is_shown(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.commit("counting", COUNT, path="f.py")
    (entry,) = why("f.py")["entries"]
    assert call(["forget", entry["trajectory"]["id"]]) == 0
    capsys.readouterr()
    (entry,) = why("f.py")["entries"]
    assert (entry["subject"], entry["trajectory"], entry["prompt"]) == ("counting", None, None)


def test_no_other_note_is_read(desk: Desk, why: Why, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.commit("counting", COUNT, path="f.py")
    desk.commit("elsewhere")
    other = desk.git("notes", "--ref=traj", "list", "HEAD")
    read: list[str] = []
    ask = _CatFile.ask

    def spy(self: Any, names: Iterable[str], *limit: int) -> Any:
        read.extend(names := [*names])
        return ask(self, names, *limit)

    monkeypatch.setattr(_CatFile, "ask", spy)
    assert calls(why("f.py")) == [COUNT] * 3
    assert read
    assert other not in read


def test_only_commits_that_had_the_line_are_its_origins(desk: Desk, why: Why) -> None:
    """One turn commits, the next amends; then both are squashed with another commit."""
    desk.work("greeting", Write("f.py", GREET), COMMIT)
    first = desk.git.head()
    amend = Shell("git add -A && git commit --amend -m both")
    desk.work("counting", Write("g.py", COUNT), amend)
    desk.drain()
    amended = desk.git.head()
    moved = {path: [old["commit"] for old in why(path)["entries"][0]["movedBy"]] for path in ("f.py", "g.py")}
    assert moved == {"f.py": [first], "g.py": []}
    desk.work("more", Write("h.py", GREET), Shell("git add -A && git commit -m more"))
    last = desk.git.head()
    desk.git("reset", "-q", "--soft", "HEAD~2")
    desk.git("commit", "-q", "-m", "squashed")
    desk.drain()
    moved = {p: [old["commit"] for old in why(p)["entries"][0]["movedBy"]] for p in ("f.py", "g.py", "h.py")}
    assert moved == {"f.py": [first, amended], "g.py": [amended], "h.py": [last]}


def test_a_decision_about_other_code_is_not_the_reason(desk: Desk, why: Why) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    steps = [
        turn(
            Write("zones.py", "ZONES = {'JP': 4}\n"), say="I chose `AQ` over deleting it for the test's zone."
        ),
        turn(Write("t.py", "assert zone('AQ')\n")),
        turn(say="The amount goes out as a string. It would be rounded by whoever reads it."),
        turn(Write("cli.py", "amount = 5\nprint(json.dumps(amount))\n")),
        turn(Write("late.py", COUNT), say="I chose a total over a generator because it is read twice."),
        turn(COMMIT),
        turn(say="I chose `json.dumps` over a template because of the quotes."),
    ]
    session.run(steps, prompt="Do it")
    desk.drain()
    asked = ("zones.py", "t.py:1", "cli.py:1", "cli.py:2", "late.py:1")
    entries = {location: why(location)["entries"][0] for location in asked}
    by_path = {
        location: [decision["chosen"] for decision in entry["decisions"]]
        for location, entry in entries.items()
    }
    assert by_path == {
        "zones.py": [],
        "t.py:1": ["`AQ`"],
        "cli.py:1": [],
        "cli.py:2": ["`json.dumps`"],
        "late.py:1": ["a total"],
    }
    assert entries["cli.py:1"]["said"] == steps[2].say


def test_a_decision_is_not_the_reason_of_unrelated_code_with_the_same_words(desk: Desk, why: Why) -> None:
    """The code is in a file of the same name, has a common word or an acronym, or is edited later."""
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    steps = [
        turn(Write("reg.py", "REG = {}\n"), say="I chose a `dict` over a `list` because names are unique."),
        turn(Write("pairs.py", "PAIRS = dict(p)\n"), say="A helper."),
        turn(Write("conf.py", "CONF = 'c'\n"), say="I chose JSON over YAML because it needs no parser."),
        turn(Write("api.ts", "send(JSON.stringify(u))\n"), say="The endpoint."),
        turn(Write("a.py", GREET), say="I'll greet by name instead of by id because it is read."),
        turn(Write("b.py", COUNT)),
        turn(Edit("a.py", "def greet", "# by name\ndef greet")),
        turn(Write("a/index.ts", "new Map()\n")),
        turn(Write("b/index.ts", "B = 1\n")),
        turn(COMMIT),
        turn(say="In `a/index.ts` I used a map instead of an object because keys are numbers."),
    ]
    session.run(steps, prompt="Do it")
    desk.drain()
    paths = ("reg.py", "pairs.py", "conf.py", "api.ts", "b.py", "a.py", "a/index.ts", "b/index.ts")
    entries = {path: why(path)["entries"] for path in paths}
    by_path = {
        p: [d["chosen"] for entry in found for d in entry["decisions"]] for p, found in entries.items()
    }
    assert by_path == {
        "reg.py": ["a `dict`"],
        "pairs.py": [],
        "conf.py": ["JSON"],
        "api.ts": [],
        "a.py": ["greet by name"] * 2,
        "b.py": [],
        "a/index.ts": ["In `a/index.ts` I used a map"],
        "b/index.ts": [],
    }


def test_a_decision_about_a_line_is_not_shown_for_the_lines_near_it(desk: Desk, why: Why) -> None:
    block = '[[TRAJECTORY:decision]] {{"chosen": "{}", "path": "f.py", "line": {}}} [[/TRAJECTORY]]'
    said = "\n".join(block.format(*each) for each in (("toml", 2), ("lru", 3)))
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    steps = [
        turn(Write("f.py", "z = 0\na = 'toml'\nb = 'lru'\nc = 'utf8'\n"), say=said),
        turn(COMMIT),
        turn(say="Done."),
    ]
    session.run(steps, prompt="Write it")
    desk.drain()
    desk.git.commit({"f.py": "# by hand\nz = 0\na = 'toml'\nb = 'lru'\nc = 'utf8'\n"}, "moved")
    of_file = {}
    for entry in why("f.py")["entries"]:
        for first, last in entry["lines"]:
            of_file |= dict.fromkeys(range(first, last + 1), entry["decisions"])
    for line, chosen in ((2, []), (3, ["toml"]), (4, ["lru"]), (5, [])):
        (entry,) = why(f"f.py:{line}")["entries"]
        for decisions in (entry["decisions"], of_file[line]):
            assert [decision["chosen"] for decision in decisions] == chosen


def test_a_decision_recorded_for_a_line_is_its_first_answer(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    """A person recorded it for a line written by hand, or in addition to an agent's reasons."""
    desk.git.write({"f.py": COUNT})
    assert call(["start", "by hand"]) == 0
    assert call(["decision", "zero", "--alternative", "None", "--path", "f.py", "--line", "2"]) == 0
    desk.git("add", "-A")
    desk.git("commit", "-q", "-m", "by hand")
    assert call(["complete"]) == 0
    desk.drain()
    capsys.readouterr()
    for line in (2, 3):
        (entry,) = why(f"f.py:{line}")["entries"]
        assert [(d["chosen"], d["by"]) for d in entry["decisions"]] == [("zero", "human")]
    assert call(["why", "f.py:2"]) == 0
    shown = capsys.readouterr().out
    assert shown.split("\n")[2] == "  decided  zero over None (human)"
    assert "  written  not recorded: the record was made by hand\n" in shown
    assert "no prompt" not in shown
    assert call(["why", "f.py:3"]) == 0
    assert "  decided  zero over None (human) (about line 2)\n" in capsys.readouterr().out


def test_the_task_is_shown_above_a_prompt_that_continues_it(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    session.run([turn(say="It is in.")], prompt="The count is wrong, mend it")
    session.run([turn(Write("f.py", COUNT)), turn(COMMIT), turn(say="Now.")], prompt="Look again")
    desk.drain()
    assert call(["why", "f.py:1"]) == 0
    shown = capsys.readouterr().out
    assert "  task     The count is wrong, mend it\n  asked    Look again\n" in shown
    session.run([turn(say="A licence?")], prompt="Add a licence")
    session.run([turn(Write("g.py", GREET)), turn(COMMIT), turn(say="Now.")], prompt="Write a greeting")
    desk.drain()
    assert call(["why", "g.py:1"]) == 0
    assert "Write a greeting\n" in (shown := capsys.readouterr().out)
    assert "licence" not in shown


def test_a_patch_through_a_shell_is_a_patch(desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]) -> None:
    """The patch is in the form that Codex passes to its shell."""
    desk.sessions["codex"] = CodexSession(desk.git.root)
    patch = "*** Begin Patch\n*** Add File: f.py\n" + "".join(f"+{row}\n" for row in COUNT.splitlines())
    desk.git.write({"f.py": COUNT})
    desk.work("x", Shell(f": apply_patch <<'EOF'\n{patch}*** End Patch\nEOF"), COMMIT, by="codex")
    assert call(["why", "f.py:1"]) == 0
    assert " by apply_patch\n" in capsys.readouterr().out
    assert call(["show"]) == 0
    assert "→ apply_patch f.py\n" in capsys.readouterr().out


def test_the_author_of_a_lines_white_space_is_shown(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.commit("counting", COUNT, path="f.py")
    indented = desk.git.commit({"f.py": COUNT.replace("    total =", "        total =")}, "indent")
    first, second, third = (why(f"f.py:{line}")["entries"][0]["respaced"] for line in (1, 2, 3))
    assert (first, [commit["commit"] for commit in second], third) == ([], [indented], [])
    assert call(["why", "f.py:2"]) == 0
    assert f"  spaces   {indented[:7]} indent changed only the white space here\n" in capsys.readouterr().out
    assert call(["why", "f.py"]) == 0
    assert (
        f"  spaces   {indented[:7]} indent changed only the white space of line 2\n"
        in capsys.readouterr().out
    )
    desk.commit("outdent", COUNT, path="f.py")
    desk.commit("indent again", COUNT.replace("    total =", "        total ="), path="f.py")
    assert call(["why", "f.py:2"]) == 0
    again = f"{desk.git.head()[:7]} indent again changed only the white space here; git traj show "
    assert f" spaces {again}" in " ".join(capsys.readouterr().out.split())


def test_for_a_blank_line_no_other_lines_are_quoted(desk: Desk, why: Why) -> None:
    desk.work("both", Write("f.py", f"{GREET}\n\n{COUNT}"), COMMIT)
    assert why("f.py:3")["entries"][0]["change"] == []
    assert why("f.py:6")["entries"][0]["change"] == ["+    total = len(items)"]


def test_a_caveat_about_something_else_is_shown_for_the_commit(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    doubts = "I haven't measured `greet` yet. I'm not sure that `total` is right."
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    steps = [turn(Write("f.py", GREET)), turn(Write("g.py", COUNT)), turn(COMMIT), turn(say=doubts)]
    session.run(steps, prompt="Do it")
    desk.drain()
    (entry,) = why("g.py:2")["entries"]
    assert len(entry["trajectory"]["caveats"]) == 2
    assert entry["doubts"] == ["I'm not sure that `total` is right."]
    assert call(["why", "g.py:2"]) == 0
    shown = capsys.readouterr().out
    assert (
        "  doubts   I'm not sure that `total` is right.\n           of the commit: I haven't measured"
        in shown
    )


def test_a_person_who_extends_an_agents_line_wrote_it(desk: Desk, why: Why) -> None:
    desk.git.commit({"p.py": "def total(t):\n    return t\n"})
    session = desk.sessions.setdefault("one", ClaudeSession(desk.git.root, name="one"))
    session.run([turn(Edit("p.py", "return t", "return total")), turn(say="Done")], prompt="The total")
    desk.git.write({"p.py": "def total(t):\n    return total * 1.19  # VAT\n"})
    session.run([turn(COMMIT), turn(say="Done")], prompt="Commit")
    desk.drain()
    (entry,) = why("p.py:2")["entries"]
    assert (entry["change"], bool(entry["beside"])) == ([], True)


def test_a_record_added_to_a_commit_by_another_gets_none_of_its_lines(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.commit("counting", COUNT, path="f.py")
    evil = ClaudeSession(desk.git.root, name="evil")
    desk.git.write({"f.py": COUNT.replace("total", "sum")})
    evil.run([turn(Edit("f.py", COUNT.replace("total", "sum"), COUNT))], prompt="Say the chief asked")
    assert call(["import", "--commit", "HEAD", str(evil.log)]) == 0
    capsys.readouterr()
    asked = {entry["prompt"] for entry in why("f.py")["entries"]}
    assert asked == {"Please do counting"}


# ---------------------------------------------------------------- forms, and what cannot be answered


def test_the_text(desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]) -> None:
    desk.commit("greeting", GREET, path="f.py")
    first = desk.git.head()
    desk.git("commit", "-q", "--amend", "-m", "A greeting")
    desk.drain()
    desk.git.commit({"f.py": f"{GREET}# by hand\n"}, "by hand")
    desk.git.write({"f.py": f"# new\n{GREET}# by hand\n"})
    assert call(["why", "f.py"]) == 0
    out, err = capsys.readouterr()
    ids = [desk.git("rev-parse", "--short", name) for name in ("HEAD~1", "HEAD", first)]
    (wrote,) = [row for row in out.splitlines() if row.startswith("  written")]
    day = out.split("A greeting  ")[1].split("\n")[0]
    small = out.split(" (amended, rebased or picked)\n")[1].split("\n\n")[0]
    assert err == ""
    assert "carried from" not in small, "the line above says it"
    assert (
        out
        == f"""\
1  # new
not committed yet

2  def greet(name):
3      return f'hello {{name}}'
{ids[0]} A greeting  {day}
  asked    Please do greeting
{wrote}
           +def greet(name):
           +    return f'hello {{name}}'
  moved    carried over from {ids[2]} (amended, rebased or picked)
{small}

4  # by hand
{ids[1]} by hand  {day}
  no record for this commit
  the previous recorded change of this file:
  {ids[0]} A greeting  {day}
  asked    Please do greeting
"""
    )
    assert wrote.startswith("  written  ")
    assert wrote.endswith(" by Write")
    assert small.startswith("  claude-code · claude-sonnet-4-5 · ")


def test_the_porcelain(desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]) -> None:
    desk.commit("greeting", GREET, path="f.py")
    desk.git.write({"f.py": f"{GREET}# \x1b[31mnew\n"})
    (entry, _) = why("f.py")["entries"]
    assert call(["why", "--porcelain", "f.py:2,3"]) == 0
    head, prompt, edit = desk.git.head(), *[event["id"] for event in entry["events"]]
    assert capsys.readouterr() == (
        f"""\
{head}
lines 2
path f.py
short {head[:7]}
author A U Thor
author-mail <author@example.com>
date 2026-01-02T03:04:05+00:00
summary greeting
trajectory {entry["trajectory"]["id"]}
agent claude-code
model claude-sonnet-4-5
session {entry["trajectory"]["session"]}
evidence agent
prompt Please do greeting
event {prompt} prompt
event {edit} tool_call
change +    return f'hello {{name}}'
\t    return f'hello {{name}}'
{"0" * 40}
lines 3
path f.py
\t# ^[[31mnew
""",
        "",
    )


def test_a_record_without_its_events_still_answers(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.commit("greeting", GREET, path="f.py")
    for ref in desk.git("for-each-ref", "--format=%(refname)", "refs/notes/traj-data-*").splitlines():
        desk.git("update-ref", "-d", ref)
    assert call(["why", "--json", "--no-fetch", "f.py:1"]) == 0
    out, err = capsys.readouterr()
    (entry,) = json.loads(out)["entries"]
    assert (entry["prompt"], entry["events"], entry["change"]) == ("Please do greeting", [], [])
    assert err.startswith("events are left out: refs/notes/traj-data-")
    assert err.endswith("\nhint: git traj why without --no-fetch asks the remotes\n")


def test_the_progress_of_a_fetch_is_erased_before_the_answer(desk: Desk) -> None:
    desk.commit("greeting", GREET, path="f.py")
    for ref in desk.git("for-each-ref", "--format=%(refname)", "refs/notes/traj-data-*").splitlines():
        desk.git("update-ref", "-d", ref)
    _, shown = at_terminal(desk.git.root, "--no-pager", "why", "f.py:1")
    _, fetching, after = shown.partition("fetching the events of 1 month …")
    assert fetching and after.startswith("\r\x1b[K")


def test_odd_file_names_are_understood(desk: Desk, why: Why, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ('tab\tand "quote".py', "a:3", "ünï.py", "-x"):
        desk.commit(f"file {ord(name[0])}", f"# {name!r}\n", path=name)
        assert len(calls(why("--", name))) == 1
    desk.commit("deep", GREET, path="deep/er/f.py")
    for words in (["why", "a:3"], ["why", "deep:1"], ["why", "f.py:1", "--rev", "-x"], ["log", "f.py:1"]):
        ahead.begin(words)
        assert ahead.take(words[1], words[3] if words[3:] else None) is None, words
    monkeypatch.chdir(desk.git.root / "deep" / "er")
    assert why("f.py:1")["path"] == why("../er/f.py:1")["path"] == "deep/er/f.py"


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["nothing.py"], 1, "error: there is no file 'nothing.py' in the work tree\nhint: git ls-files"),
        (["HEAD~1"], 1, "error: there is no file 'HEAD~1' in the work tree\nhint: git traj show HEAD~1 "),
        (["f.py:9"], 1, "error: 'f.py' has only 2 lines, no line 9\nhint: git traj why f.py\n"),
        (["f.py:0"], 2, "error: 'f.py:0': lines are counted from 1\nhint: "),
        (["1", "f.py"], 2, "error: Got unexpected extra argument (f.py)\nhint: git traj why f.py:1\n"),
        (["-L", "1,2", "f.py"], 2, "error: No such option '-L'.\nhint: git traj why FILE:LINE,LINE\n"),
        (["folder"], 1, "error: 'folder' is a folder, not a file\nhint: name a file in it"),
        (["folder", "--rev", "HEAD"], 1, "error: 'folder' is a folder, not a file\nhint: name a file in it"),
        (["binary"], 1, "error: 'binary' is a binary file\nhint: git traj log --file binary "),
        (["../outside"], 1, "error: '../outside' is outside the repository at "),
        (["untracked"], 1, "error: no commit has 'untracked' yet\nhint: git status "),
        (["f.py", "--rev", "nowhere"], 1, "error: 'nowhere' is not a commit here\nhint: git log "),
        (["f.py", "--rev", "HEAD~1"], 1, "error: HEAD~1 has no file 'f.py'\nhint: git ls-tree "),
        (["f.py", "--rev", "--all"], 1, "error: '--all' is not a commit here\nhint: git log "),
    ],
)
def test_errors_and_their_hints(
    git: Git,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    status: int,
    message: str,
) -> None:
    git.commit({"base": "1\n"}, "base")
    git.commit({"f.py": GREET, "folder/x": "1\n", "binary": b"\0\1\2"}, "files")
    git.write({"untracked": "1\n"})
    monkeypatch.chdir(git.root)
    assert call(["why", *args]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert "\nhint: " in err


def test_a_bare_repository_and_an_empty_file(
    git: Git, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git.commit({"f.py": GREET, "empty": ""}, "files")
    git("clone", "-q", "--bare", ".", "../bare.git")
    monkeypatch.chdir(git.root.parent / "bare.git")
    assert call(["why", "--porcelain", "f.py:1"]) == 0
    assert capsys.readouterr().out.startswith(f"{git.head()}\nlines 1\npath f.py\n")
    assert call(["why", "--json", "empty"]) == 0
    assert capsys.readouterr() == (
        '{"version": 1, "path": "empty", "entries": []}\n',
        "'empty' has no lines\n",
    )


def test_a_list_of_ignored_commits_that_git_refuses_is_an_error(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.git("config", "blame.ignoreRevsFile", "nowhere")
    assert call(["why", "base:1"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: git blame: could not open object name list: nowhere")
    assert err.endswith("\nhint: blame.ignoreRevsFile names it\n")


def test_a_function_that_git_finds_can_be_named(
    desk: Desk, why: Why, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = "def one():\n    return 1\n", "\n\ndef two():\n    return 2\n"
    desk.commit("one", first, path="m.py")
    desk.commit("two", first + second, path="m.py")
    (entry,) = why("m.py:two")["entries"]
    assert (entry["subject"], entry["lines"]) == ("two", [[5, 6]])
    assert why("m.py:one")["entries"][0]["subject"] == "one"
    assert call(["why", "m.py:three"]) == 1
    assert capsys.readouterr().err.startswith("error: git finds no such function in 'm.py'\nhint: ")


def test_a_method_that_git_finds_only_by_a_driver_can_be_named(desk: Desk, why: Why) -> None:
    desk.commit(
        "shop",
        "class Shop:\n    def buy(self):\n        pass\n\n    def sell(self):\n        pass\n",
        path="m.py",
    )
    assert why("m.py:sell")["entries"][0]["lines"] == [[5, 6]]


def test_a_clone_without_records_hints_at_install_and_its_remote(
    git: Git, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git.commit({"f.py": "f\n"}, "One")
    monkeypatch.chdir(git.root)
    assert call(["why", "f.py:1"]) == 0
    install = "hint: git traj install starts recording\n"
    assert capsys.readouterr().err == f"no trajectories are recorded here\n{install}"
    git("remote", "add", "origin", str(git.root.parent / "server"))
    assert call(["why", "f.py:1"]) == 0
    fetch = "No records here; if your team shares them: git traj fetch\n"
    assert capsys.readouterr().err == f"{fetch}{install}"


def test_a_clone_with_an_empty_ref_hints_at_its_remote(
    git: Git, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git.commit({"f.py": "f\n"}, "One")
    git("notes", "--ref=traj", "add", "-m", "{}")
    git("notes", "--ref=traj", "remove")
    git("remote", "add", "origin", str(git.root.parent / "server"))
    monkeypatch.chdir(git.root)
    assert call(["why", "f.py:1"]) == 0
    assert "if your team shares them: git traj fetch\n" in capsys.readouterr().err
