"""``git traj log``: which commits it lists, and what it prints if there are none."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.model.values import (
    Decision,
    Link,
    Retrospective,
    SessionInfo,
    Summary,
    TaskRef,
    TaskSource,
    Usage,
)
from gittraj.notes.store import NotesRef
from tests.integration.repository import Git
from tests.integration.story import Story, record
from tests.sizes import size

Log = Callable[..., list[dict[str, Any]]]
POEM = "".join(f"line {number} of a poem\n" for number in range(20))


@pytest.fixture(autouse=True)
def inside(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(git.root)


@pytest.fixture
def commit_recorded(git: Git, story: Story) -> Callable[..., str]:
    """A function that commits, and puts a new trajectory on the commit."""

    def commit(files: dict[str | bytes, Any], message: str, **fields: Any) -> str:
        made = git.commit(files, message)
        story.note(made, record(f"traj_{made[:8]}", **fields))
        return made

    return commit


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str]) -> Log:
    """A function that returns the commits of ``git traj log … --json``."""

    def run(*args: str) -> list[dict[str, Any]]:
        assert call(["log", "--json", *args]) == 0
        commits: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["commits"]
        return commits

    return run


def _sure(confidence: float) -> Retrospective:
    return Retrospective(by="agent", confidence=confidence)


def subjects(commits: list[dict[str, Any]]) -> list[str]:
    return [commit["subject"] for commit in commits]


# ---------------------------------------------------------------- what is shown of a commit


def test_a_commit_in_json(git: Git, commit_recorded: Any, log: Log) -> None:
    git.commit({"other.txt": "by hand\n"}, "By hand")
    made = commit_recorded(
        {"src/ü.py": "x\n", "b.txt": "y\n"}, "By the agent", prompt="Do it", usage=Usage(input_tokens=3)
    )
    (commit,) = log()
    (header,) = commit.pop("trajectories")
    assert commit == {
        "commit": made,
        "short": made[:7],
        "subject": "By the agent",
        "author": {"name": "A U Thor", "email": "author@example.com"},
        "date": "2026-01-02T03:04:05+00:00",
        "revertedBy": None,
        "files": ["b.txt", "src/ü.py"],
    }
    assert (header["id"], header["prompt"]) == (f"traj_{made[:8]}", "Do it")
    assert header["part"]["usage"]["inputTokens"] == 3


def test_the_terminal_output(git: Git, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    os.environ["GIT_AUTHOR_DATE"] = "2020-03-01T10:00:00Z"
    first = git.commit({"a.py": "1\n"}, "Add a")
    second = git.commit({"b.py": "2\n"}, "Add b")
    whole = SessionInfo(agent="codex", models=("gpt-5-codex",))
    decided = Decision(chosen="a dict", alternatives=("a list",), reasoning="lookups dominate", by="agent")
    story.note(first, record(at=0, n=3, whole=whole, prompt="Add a, then b", decisions=(decided,)))
    story.note(
        second,
        record(
            at=3, whole=whole, summary=Summary(text="Both are in.", by="agent"), link=Link(evidence="content")
        ),
        record("traj_two", thinking="sealed", redactions_by_rule={"token": 1}),
    )
    assert call(["log"]) == 0
    assert (
        capsys.readouterr().out
        == f"""\
{second[:7]} Add b  2020-03-01 by A U Thor
  said     Both are in.
  codex · gpt-5-codex · matched by content, not seen to commit · part 2 of 2

  claude-code · committed by the agent · thinking sealed · 1 secret redacted

{first[:7]} Add a  2020-03-01 by A U Thor
  asked    Add a, then b
  decided  a dict over a list, because lookups dominate
  codex · gpt-5-codex · committed by the agent · part 1 of 2
"""
    )
    assert call(["log", "--oneline", "-n", "1"]) == 0
    assert capsys.readouterr().out == f"{second[:7]} Add b  codex + claude-code\n"
    assert call(["log", "--trajectories"]) == 0
    assert (
        capsys.readouterr().out
        == """\
traj_one Add a, then b  codex · 2 commits
traj_two (untitled)  claude-code · 1 commit
"""
    )


def test_trajectories_in_json(git: Git, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = git.commit({"a": "1"}), git.commit({"a": "2"})
    for at, commit in enumerate((first, second)):
        story.note(commit, record(at=at, usage=Usage(output_tokens=2)))
    assert call(["log", "--trajectories", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["trajectories"]
    assert row["commits"] == [second, first]
    assert (row["part"]["number"], row["part"]["of"]) == (None, 2)
    assert row["part"]["usage"] == row["total"]["usage"]
    assert row["total"]["usage"]["outputTokens"] == 4


# ---------------------------------------------------------------- conditions


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (["--agent", "codex"], ["two"]),
        (["--agent", "cod"], []),
        (["--model", "SONNET"], ["three", "one"]),
        (["--task", "7"], ["two"]),
        (["--task", "github:7"], ["two"]),
        (["--task", "Speed"], ["two"]),
        (["--tag", "db"], ["two"]),
        (["--decisions"], ["three"]),
        (["--min-confidence", "0.5"], ["three"]),
        (["--max-confidence", "0.5"], ["one"]),
        (["--min-cost", "0.1"], ["two"]),
        (["--grep", "t[wW]o"], ["two"]),
        (["--grep", "because of locks"], ["three"]),
        (["--grep", "asked for one"], ["one"]),
        (["-n", "2"], ["three", "two"]),
        (["--agent", "claude-code", "-n", "1"], ["three"]),
        (["HEAD~1"], ["two", "one"]),
        (["HEAD~2..HEAD~1"], ["two"]),
        (["--author", "^A U"], ["three", "two", "one"]),
        (["--author", "Nobody"], []),
        (["--since", "2026-01-03"], []),
        (["--since", "2025-12-31", "--until", "2026-01-03"], ["three", "two", "one"]),
        (["--agent", "codex", "--decisions"], []),
    ],
)
def test_conditions(commit_recorded: Any, log: Log, args: list[str], found: list[str]) -> None:
    claude = SessionInfo(agent="claude-code", models=("claude-sonnet-4-5",))
    unsure, sure = (replace(claude, retrospective=_sure(c)) for c in (0.4, 0.9))
    task = TaskRef(title="Speed", source=TaskSource(system="github", id="7"))
    chose = Decision(chosen="x", by="agent", reasoning="because of locks")
    commit_recorded({"a": "1"}, "one", whole=unsure, prompt="You asked for one")
    commit_recorded(
        {"a": "2"}, "two", whole=SessionInfo(agent="codex", task=task, tags=("db",)), cost_usd=0.2
    )
    commit_recorded({"a": "3"}, "three", whole=sure, decisions=(chose,))
    assert subjects(log(*args)) == found


def test_only_the_wanted_trajectories_of_a_commit_are_listed(git: Git, story: Story, log: Log) -> None:
    story.note(git.commit({"a": "1"}), record("traj_a"), record("traj_b", whole=SessionInfo(agent="codex")))
    (commit,) = log("--agent", "codex")
    assert [header["id"] for header in commit["trajectories"]] == ["traj_b"]


def test_explored_work_is_listed_with_all(git: Git, story: Story, log: Log) -> None:
    story.note(git.commit({"a": "1"}), record(role="explored"))
    assert log() == []
    assert [h["link"]["role"] for c in log("--all") for h in c["trajectories"]] == ["explored"]


def test_damaged_and_foreign_lines_are_skipped(
    git: Git, story: Story, commit_recorded: Any, log: Log
) -> None:
    made = commit_recorded({"a": "1"}, "one")
    git("notes", "--ref=traj", "append", "-m", "somebody else's note", made)
    git("notes", "--ref=traj", "add", "-m", '{"id": 7', git.commit({"a": "2"}, "two"))
    assert subjects(log()) == ["one"]


# ---------------------------------------------------------------- paths


def test_a_file_through_its_renames(git: Git, commit_recorded: Any, log: Log) -> None:
    commit_recorded({"old.txt": POEM, "x": "1"}, "write")
    commit_recorded({"old.txt": POEM + "more\n"}, "extend")
    git("mv", "old.txt", "mid.txt")
    commit_recorded({"x": "2"}, "rename")
    git("mv", "mid.txt", "new.txt")
    commit_recorded({"new.txt": POEM + "more\nand more\n"}, "rename again")
    commit_recorded({"x": "3"}, "something else")
    commit_recorded({"old.txt": "another file of the old name\n"}, "namesake")

    whole = ["rename again", "rename", "extend", "write"]
    assert subjects(log("--file", "new.txt")) == whole
    assert subjects(log("--", "new.txt")) == whole
    assert subjects(log("--no-follow", "--file", "new.txt")) == ["rename again"]
    assert subjects(log("--file", "old.txt")) == ["namesake", "rename", "extend", "write"]
    assert subjects(log("HEAD~3", "--", "mid.txt")) == ["rename", "extend", "write"]
    both = ["namesake", "something else", "rename again", "rename", "extend", "write"]
    assert subjects(log("--file", "new.txt", "--file", "old.txt", "--file", "x")) == both


def test_an_options_value_is_neither_a_path_nor_a_number_of_commits(
    git: Git, commit_recorded: Any, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_recorded({"other": "by somebody\n"}, "Other")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "src")
    commit_recorded({"src/a": "1\n"}, "Wanted -5")
    commit_recorded({"elsewhere": "1\n"}, "Elsewhere -5")
    assert subjects(log("--author", "src", "src")) == ["Wanted -5"]
    assert subjects(log("src", "--author", "src", "--grep", "-5", "-1")) == ["Wanted -5"]


def test_a_merge_is_judged_by_its_first_parent(git: Git, commit_recorded: Any, log: Log) -> None:
    commit_recorded({"base": "1", "poem.txt": POEM}, "base")
    git("checkout", "-q", "-b", "side")
    git("mv", "poem.txt", "verse.txt")
    commit_recorded({}, "rename on the side")
    commit_recorded({"verse.txt": POEM + "side\n"}, "edit on the side")
    git("checkout", "-q", "main")
    commit_recorded({"base": "2"}, "elsewhere on main")
    git("merge", "-q", "--no-ff", "-m", "merge", "side")
    commit_recorded({"base": "3"}, "after")
    merged = git("rev-parse", "HEAD~1")
    Story(git.open()).note(merged, record("traj_merge"))

    everything = ["merge", "edit on the side", "rename on the side", "base"]
    assert sorted(subjects(log("--file", "verse.txt"))) == sorted(everything)
    assert [c["files"] for c in log("--file", "verse.txt") if c["subject"] == "merge"] == [["verse.txt"]]
    assert subjects(log("--no-follow", "--", "poem.txt"))[-1] == "base"


def test_a_name_is_followed_on_both_sides_of_a_merge(git: Git, commit_recorded: Any, log: Log) -> None:
    """Main renames, the side branch edits under the old name: both belong to the file's history."""
    commit_recorded({"poem.txt": POEM}, "base")
    git("checkout", "-q", "-b", "side")
    commit_recorded({"poem.txt": POEM + "side\n"}, "edit on the side")
    git("checkout", "-q", "main")
    git("mv", "poem.txt", "verse.txt")
    commit_recorded({}, "rename")
    git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert sorted(subjects(log("--file", "verse.txt"))) == ["base", "edit on the side", "rename"]


def test_folders_patterns_and_odd_names(
    git: Git, commit_recorded: Any, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_recorded({"src/a.py": "1", "top.md": "1"}, "src and top")
    commit_recorded({"src/deep/b.txt": "1"}, "deep")
    commit_recorded({"[odd].txt": "1", "tab\there": "1"}, "odd")
    assert subjects(log("--file", "src")) == ["deep", "src and top"]
    assert subjects(log("--file", "src/")) == ["deep", "src and top"]
    assert subjects(log("--", "*.py")) == ["src and top"]
    assert subjects(log("--", ":(exclude)src", ".")) == ["odd", "src and top"]
    assert subjects(log("--", "top.md", "src/deep")) == ["deep", "src and top"]
    assert subjects(log("--file", "[odd].txt", "--file", "tab\there")) == ["odd"]
    assert subjects(log("--file", str(git.root / "top.md"))) == ["src and top"]
    monkeypatch.chdir(git.root / "src")
    assert subjects(log("--file", "a.py")) == ["src and top"]
    assert subjects(log("--file", "../top.md")) == ["src and top"]
    assert subjects(log("--", "*.txt")) == ["deep"]
    assert subjects(log("--", ".")) == ["deep", "src and top"]


def test_a_shallow_clone_does_not_invent_a_history(
    git: Git, commit_recorded: Any, log: Log, tmp_path: Path
) -> None:
    commit_recorded({"a": "1", "b": "1"}, "one")
    commit_recorded({"a": "2"}, "two")
    commit_recorded({"a": "3"}, "three")
    git("clone", "-q", "--depth=2", f"file://{git.root}", str(tmp_path / "shallow"))
    shallow = Git(tmp_path / "shallow")
    shallow("fetch", "-q", "origin", "refs/notes/traj:refs/notes/traj")
    os.chdir(shallow.root)
    assert subjects(log()) == ["three", "two"]
    assert subjects(log("--file", "b")) == []
    assert subjects(log("--file", "a")) == ["three"]


def test_no_configuration_of_git_changes_the_answer(git: Git, commit_recorded: Any, log: Log) -> None:
    commit_recorded({"old ü.txt": POEM}, "write")
    git("mv", "old ü.txt", "new ü.txt")
    commit_recorded({}, "rename")
    plain = log("--file", "new ü.txt")
    for key, value in {
        "log.showSignature": "true",
        "log.showRoot": "false",
        "log.follow": "true",
        "log.date": "raw",
        "color.ui": "always",
        "core.quotePath": "true",
        "diff.renames": "false",
        "diff.noprefix": "true",
        "format.pretty": "oneline",
        "i18n.logOutputEncoding": "latin1",
        "alias.log": "!false",
        "grep.patternType": "fixed",
    }.items():
        git("config", key, value)
    assert log("--file", "new ü.txt", "--author", "A.*Thor") == plain
    assert subjects(plain) == ["rename", "write"]


# ---------------------------------------------------------------- no results, and wrong arguments


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (
            ["nowhere"],
            1,
            "error: 'nowhere' is not a revision of this repository\nhint: git log --all --oneline",
        ),
        (["HEAD..nowhere"], 1, "error: 'HEAD..nowhere' is not a revision of this repository\n"),
        (["^HEAD"], 0, "no matching commits ("),
        (["--grep", "("], 2, "error: '(' is not a valid regular expression: "),
        (["--author", "("], 2, "error: --author: "),
        (["--since", "bananas"], 2, "error: --since: 'bananas' is not a date\nhint: such as 2026-03-31"),
        (["--file", "../outside"], 1, "error: '../outside' is outside the repository at "),
        (["--", "../out*"], 1, "error: ../out*: '../out*' is outside repository"),
        (["--", ":(nonsense)x"], 1, "error: Invalid pathspec magic 'nonsense'"),
        (["--min-confidence", "2"], 2, "error: Invalid value for '--min-confidence'"),
        (
            ["--min-confidence", "nan"],
            2,
            "error: Invalid value for '--min-confidence': nan is",
        ),
        (["--min-cost", "nan"], 2, "error: Invalid value for '--min-cost'"),
        (["-n", "0"], 2, "error: Invalid value for '-n'"),
    ],
)
def test_wrong_questions(
    commit_recorded: Any, capsys: pytest.CaptureFixture[str], args: list[str], status: int, said: str
) -> None:
    commit_recorded({"a": "1"}, "one")
    assert call(["log", *args]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(said)
    assert len(err.splitlines()) == 2


def test_nothing_recorded(git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    git.commit({"a": "1"})
    assert call(["log"]) == 0
    assert capsys.readouterr() == (
        "",
        "no trajectories are recorded here\nhint: git traj install starts recording\n",
    )
    assert call(["install"]) == 0
    capsys.readouterr()
    assert call(["log"]) == 0
    assert capsys.readouterr() == (
        "",
        "no trajectories are recorded yet\n"
        "hint: git traj status shows what is not recorded yet, git traj backfill links earlier sessions\n",
    )


@pytest.mark.parametrize(
    ("option", "hint"),
    [("--agent", "agents recorded here: claude-code"), ("--status", "statuses recorded here: unknown")],
)
def test_nothing_found(
    commit_recorded: Any, capsys: pytest.CaptureFixture[str], option: str, hint: str
) -> None:
    commit_recorded({"a": "1"}, "one")
    assert call(["log", option, "xyzzy"]) == 0
    said = f"no matching commits (1 commit here has a record)\nhint: {hint}\n"
    assert capsys.readouterr() == ("", said)


def test_all_says_where_the_other_records_are(
    git: Git, commit_recorded: Any, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    """``git log --all`` shows other branches' commits, too, and a user may search for an amended one."""
    first = commit_recorded({"a": "1"}, "one")
    assert call(["log", "--all"]) == 0
    assert capsys.readouterr().err == ""
    git("commit", "-q", "--amend", "-m", "one more")
    story.note(git.head(), record("traj_amended"))
    git("switch", "-qc", "other")
    commit_recorded({"b": "1"}, "two")
    git("switch", "-q", "-")
    assert call(["log", "--all"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    where = "records, on other branches or rewritten since: git traj"
    assert said == f"2 more commits have {where} log other"
    git("branch", "third", "other")
    assert call(["log", "--all"]) == 0
    assert capsys.readouterr().err.split()[-4:] == ["log", "other", "(or", "third)"]
    git("branch", "-qD", "third")
    for args in (["log"], ["log", "--all", "--json"], ["log", "--all", "-1"], ["log", "--all", "other"]):
        assert call(args) == 0
        assert capsys.readouterr().err == "", args
    assert call(["show", first]) == 0
    git("branch", "-qD", "other")
    capsys.readouterr()
    assert call(["log", "--all"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert re.fullmatch(rf"2 more commits have {where} show [0-9a-f]{{7}}", said)


def test_if_only_damaged_lines_were_read_they_are_reported(
    git: Git, commit_recorded: Any, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    short = git.commit({"a": "1"}, "Damaged")[:12]
    damaged = git("rev-parse", "HEAD")
    for text in (b'{"v":1,"id":"traj_bad","rev":"seven"}\n', b"garbage\n"):
        NotesRef(story.repository).write({damaged: lambda _, text=text: text}, message="a test")
        for words in (["log"], ["log", "--agent", "x"], ["show"], ["stats", "--json"], ["search", "word"]):
            assert call(words) == 0
            said = f"the note of {short} cannot be read\nhint: git traj doctor says why\n"
            assert capsys.readouterr().err == said, words
    commit_recorded({"a": "2"}, "one")
    for words in (["log", "--agent", "x"], ["search", "word"]):
        assert call(words) == 0
        assert "cannot be read" not in capsys.readouterr().err, words
    assert call(["log", "--agent", "x", "HEAD~1"]) == 0
    assert "cannot be read" in capsys.readouterr().err


def test_an_unborn_branch(log: Log) -> None:
    assert log() == []


def test_many_commits(git: Git, story: Story, log: Log) -> None:
    count = size(600, 2000)
    stream = []
    for number in range(1, count + 1):
        stream.append(
            f"commit refs/heads/main\nmark :{number}\ncommitter A <a> {1_600_000_000 + number} +0000\n"
            f"data <<END\nCommit {number}\nEND\n"
            + (f"from :{number - 1}\n" if number > 1 else "")
            + f"M 644 inline d{number % 40}/f{number % 200}\ndata <<END\n{number}\nEND\n"
        )
    git("fast-import", "--quiet", input="".join(stream))
    commits = git("rev-list", "--reverse", "main").split()
    story.notes(
        {
            commit: record(
                f"traj_{number // 4}", at=number % 4, prompt="p" * 300, usage=Usage(input_tokens=1)
            )
            for number, commit in enumerate(commits)
        }
    )
    found = log()
    assert len(found) == count
    assert found[0]["subject"] == f"Commit {count}"
    assert len(log("--file", "d3/f3")) == count // 200


def test_a_commit_with_hundreds_of_trajectories(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anybody may have pushed them; the text is rendered the first time, and then cached."""
    made = git.commit({"a.py": "1\n"}, "Add a")
    story.note(made, *(record(f"traj_{n:03}", prompt=f"Ask {n}") for n in range(200)))
    for _ in range(2):
        assert call(["log"]) == 0
        commit_recorded = capsys.readouterr().out
        assert commit_recorded.count("asked") == 30
        assert commit_recorded.endswith("\n  170 more trajectories; --trajectories lists them\n")
    assert call(["log", "--oneline"]) == 0
    assert capsys.readouterr().out.endswith(" + 170 more\n")
    assert call(["log", "--trajectories"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 200


def test_reverted_lists_only_commits_that_a_later_one_reverts_completely(
    git: Git, commit_recorded: Callable[..., str], log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    reverts = "Take it back\n\nThis reverts commit "
    poem = commit_recorded({"a": POEM}, "a poem")
    line = commit_recorded({"a": POEM + "same\n"}, "a line below")
    git.commit({"a": "same\n" + POEM + "same\n"}, "the same above")
    git.commit({"a": POEM + "same\n"}, reverts + line)
    binary = commit_recorded({"b": b"\0 1"}, "a picture")
    git.commit({"b": b"\0 2"}, reverts + binary)
    git("commit", "--allow-empty", "-qm", "nothing")
    nothing = git.head()
    git("commit", "--allow-empty", "-qm", reverts + nothing)
    whole = commit_recorded({"c": "1\n"}, "a file")  # the only one that is reverted completely
    git("revert", "--no-edit", whole)
    reverting = git.head()
    reverted_by = {entry["commit"]: entry["revertedBy"] for entry in log("--all")}
    expected = {poem: None, line: None, binary: None, nothing: None, whole: reverting}
    assert {commit: reverted_by.get(commit) for commit in expected} == expected
    for commit in (line, whole):
        assert call(["show", commit]) == 0
        assert ("reverted by" in capsys.readouterr().out) == (commit == whole)
