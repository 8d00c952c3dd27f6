"""``git traj show``: everything known of a commit's trajectories, or of one over all its commits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.model.values import (
    AnyEvent,
    Counts,
    FileTouched,
    Message,
    Prompt,
    SegmentRef,
    SessionInfo,
    Thinking,
    ToolCall,
    ToolResult,
)
from tests.integration.repository import Git
from tests.integration.story import Story, record

Show = Callable[..., dict[str, Any]]

FIRST: list[AnyEvent] = [
    Prompt(id="p1", content="Greet people,\nand say goodbye", ts="2026-01-01T10:00:00.000Z"),
    Thinking(id="t1", content="A table would be too much."),
    Message(id="m1", content="I write functions.", ts="2026-01-01T10:00:02.000Z"),
    ToolCall(id="c1", name="Write", call_id="w1", files=(FileTouched(path="hello.py", kind="add"),)),
    ToolResult(id="r1", call_id="w1", content="written"),
    ToolCall(id="c2", name="Write", call_id="w2", files=(FileTouched(path="bye.py", kind="add"),)),
    ToolResult(id="r2", call_id="w2", content="written"),
    ToolCall(id="c3", name="Bash", arguments={"command": "git commit -m Hello"}, call_id="g1"),
]
SECOND: list[AnyEvent] = [
    ToolResult(id="r3", call_id="g1", content="[main 1234567] Hello", ts="2026-01-01T10:01:00.000Z"),
    Prompt(id="p2", content="And the farewell?", ts="2026-01-01T10:02:00.000Z"),
    ToolCall(
        id="c4", name="Bash", arguments={"command": "git commit -m Bye"}, call_id="g2", significance="high"
    ),
    ToolResult(id="r4", call_id="g2", content="nothing to commit", exit_code=1, is_error=True),
]


@dataclass(frozen=True, slots=True)
class Scene:
    """Two commits by one session: the second contains a file that the first part wrote."""

    hello: str
    bye: str
    by_hand: str
    story: Story


@pytest.fixture
def scene(git: Git, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.chdir(git.root)
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2020-03-01T10:00:00Z")
    hello = git.commit({"hello.py": "1\n"}, "Hello")
    bye = git.commit({"bye.py": "1\n"}, "Bye")
    by_hand = git.commit({"bye.py": "2\n"}, "By hand")
    with git.open() as repository:
        story = Story(repository)
        whole = SessionInfo(title="Greetings", agent="claude-code", session="s1")
        one = story.segment("traj_one", 0, FIRST)
        two = story.segment("traj_one", 8, SECOND)
        story.note(
            hello, record(n=8, whole=whole, segments=[one], counts=Counts(thinking=1), thinking="clear")
        )
        story.note(bye, record(at=8, n=4, whole=whole, segments=[two], also=[one], prompt=FIRST[0].content))
        yield Scene(hello, bye, by_hand, story)


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Show:
    """A function that returns ``git traj show … --json``, with nothing on stderr."""

    def run(*args: str) -> dict[str, Any]:
        assert call(["show", "--json", *args]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        document: dict[str, Any] = json.loads(out)
        return document

    return run


def ids(trajectory: dict[str, Any]) -> list[list[str]]:
    return [[event["id"] for event in chapter["events"]] for chapter in trajectory["chapters"]]


# ---------------------------------------------------------------- JSON


def test_a_commit_has_the_events_of_its_parts(
    scene: Scene, show: Show, capsys: pytest.CaptureFixture[str]
) -> None:
    document = show("HEAD~2")
    for words in (["--format", "json"], ["--format=text", "--json"]):
        assert call(["show", "HEAD~2", *words]) == 0
        assert json.loads(capsys.readouterr().out) == document, words
    assert (document["version"], document["commit"]) == (1, scene.hello)
    (header,) = document["trajectories"]
    assert ids(header) == [["p1", "t1", "m1", "c1", "r1", "c2", "r2", "c3"]]
    assert header["also"] == []
    (chapter,) = header["chapters"]
    assert {key: value for key, value in chapter.items() if key != "events"} == {
        "id": "p1",
        "title": "Greet people,",
        "agentName": "claude-code",
        "startedAt": "2026-01-01T10:00:00.000Z",
        "endedAt": "2026-01-01T10:00:02.000Z",
    }
    assert chapter["events"][3] == {
        "id": "c1",
        "ts": None,
        "type": "tool_call",
        "agent": "claude-code",
        "content": "",
        "tool": {"name": "Write", "arguments": None, "callId": "w1"},
        "files": [{"path": "hello.py", "kind": "add"}],
    }
    assert chapter["events"][4]["result"] == {
        "callId": "w1",
        "exitCode": None,
        "isError": False,
        "truncated": False,
        "bytes": None,
    }


def test_a_commit_shows_the_earlier_edits_that_it_contains(scene: Scene, show: Show) -> None:
    """The commit shows the write of its own file with the result, but not the other's, and no message."""
    (header,) = show("HEAD~1")["trajectories"]
    assert ids(header) == [["c2", "r2"], ["r3"], ["p2", "c4", "r4"]]
    assert [event["id"] for event in header["also"]] == ["c2", "r2"]
    assert [chapter["title"] for chapter in header["chapters"]] == [
        "Earlier in the session, for this commit",
        "Greet people,",
        "And the farewell?",
    ]


@pytest.mark.parametrize("name", ["traj_one", "traj_o", "tr"])
def test_a_trajectory_over_all_its_commits(scene: Scene, show: Show, name: str) -> None:
    document = show(name)
    assert document["commit"] is None
    (header,) = document["trajectories"]
    assert ids(header) == [["p1", "t1", "m1", "c1", "r1", "c2", "r2", "c3", "r3"], ["p2", "c4", "r4"]]
    assert (header["part"]["number"], header["part"]["of"]) == (None, 2)


def test_an_event_in_two_parts_is_shown_once(scene: Scene, show: Show) -> None:
    twice = scene.story.segment("traj_one", 7, [FIRST[-1], *SECOND])
    scene.story.note(scene.by_hand, record(at=7, n=5, segments=[twice]), record(n=8, segments=_first(scene)))
    (header,) = show()["trajectories"]
    assert [event for chapter in ids(header) for event in chapter] == [e.id for e in (*FIRST, *SECOND)]


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (["--since", "c2"], ["r2", "c3", "r3", "p2", "c4", "r4"]),
        (["--since", "2026-01-01T10:01:30Z"], ["p2"]),
        (["--since", "c1", "--messages"], []),
        (["--significance", "medium"], ["c4"]),
        (["--significance", "critical"], []),
        (["--file", "bye.py"], ["c2", "r2"]),
        (["--file", "."], ["c1", "r1", "c2", "r2"]),
    ],
)
def test_options_limit_the_events(scene: Scene, show: Show, args: list[str], found: list[str]) -> None:
    (header,) = show("traj_one", *args)["trajectories"]
    assert [event for chapter in ids(header) for event in chapter] == found
    assert header["total"]["counts"]["thinking"] == 1


@pytest.mark.parametrize("since", ["nonsense", "yesterday", "", "10:00", "2026-03-31T9:00", "at 9:00"])
def test_since_takes_only_an_event_or_a_time(
    scene: Scene, capsys: pytest.CaptureFixture[str], since: str
) -> None:
    assert call(["show", "traj_one", "--since", since]) == 2
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[0]) == (
        "",
        f"error: --since: '{since}' is neither a time nor an event here",
    )


def test_since_an_event_that_is_not_here_shows_no_events(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script may ask again with an event that is not recorded yet, or not fetched."""
    assert call(["show", "--json", "--since", "nonsense"]) == 0
    assert json.loads(capsys.readouterr().out)["trajectories"] == []
    for name in ("msg_01:0", "0b8a1c9e-389c-7c92-a12b-01806d82d2dc:1", "m3:prompt"):
        assert call(["show", "traj_one", "--json", "--since", name]) == 0, name
        (header,) = json.loads(capsys.readouterr().out)["trajectories"]
        assert ids(header) == []
    lost = SegmentRef(name="000000-0badc0de", month="2019-12", bytes=1, sha256="0" * 64)
    scene.story.note(scene.by_hand, record("traj_two", segments=[lost]))
    assert call(["show", "--json", "--no-fetch", "--since", "e1"]) == 0
    out, err = capsys.readouterr()
    assert [header["chapters"] for header in json.loads(out)["trajectories"]] == [[]]
    assert "nor an event" not in err


def test_explored_work_is_shown_on_the_commit_that_has_nothing_else(scene: Scene, show: Show) -> None:
    explored = record("traj_two", role="explored")
    scene.story.note(scene.by_hand, explored)
    scene.story.note(scene.hello, replace(record(at=20), role="explored"))
    assert [t["link"]["role"] for t in show()["trajectories"]] == ["explored"]
    assert [t["link"]["role"] for t in show("HEAD~2")["trajectories"]] == ["produced"]


def test_a_missing_segment_is_reported_and_the_record_still_shown(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = SegmentRef(name="000000-0badc0de", month="2019-12", bytes=1, sha256="0" * 64)
    scene.story.note(scene.by_hand, record("traj_two", segments=[lost], prompt="Still here"))
    assert call(["show", "--json"]) == 0
    out, err = capsys.readouterr()
    (header,) = json.loads(out)["trajectories"]
    assert (header["prompt"], header["chapters"]) == ("Still here", [])
    assert err.startswith("events are left out: refs/notes/traj-data-2019-12:s/")
    assert err.endswith("/traj_two/000000-0badc0de is not here\nhint: git traj doctor says what is missing\n")


def test_a_hostile_record_cannot_control_the_terminal(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = SegmentRef(name="\x1b]0;owned\x07", month="\u202e2019-12", bytes=1, sha256="0" * 64)
    scene.story.note(scene.by_hand, record("traj_two", segments=[lost], prompt="\x1b[2J\rfake"))
    scene.story.note(scene.by_hand, record("traj_\u202ethree"))
    assert call(["show"]) == 0
    out, err = capsys.readouterr()
    assert not {"\x1b", "\x07", "\r", "\u202e"} & {*out, *err}
    assert "^[[2J^Mfake" in out


# ---------------------------------------------------------------- text output


def test_the_text(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["show", scene.bye]) == 0
    assert (
        capsys.readouterr().out
        == f"""\
{scene.bye[:7]} Bye  2020-03-01 by A U Thor

Greetings
traj_one
  asked    Greet people,
           and say goodbye
  claude-code · committed by the agent · part 2 of 2

» Earlier in the session, for this commit

  → Write bye.py

» And the farewell?

  → Bash git commit -m Bye
    exit 1
    nothing to commit
"""
    )


def test_thinking_on_request(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["show", scene.hello]) == 0
    assert "A table" not in capsys.readouterr().out
    assert call(["show", scene.hello, "--show-thinking"]) == 0
    assert "    A table would be too much.\n" in capsys.readouterr().out


def test_a_file_that_no_call_wrote_is_named(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["show", scene.hello, "--file", "nosuch.py"]) == 0
    assert capsys.readouterr().err.startswith("no recorded edit of nosuch.py here\n")
    assert call(["show", scene.hello, "--file", "hello.py"]) == 0
    assert not capsys.readouterr().err


def test_a_recorded_commit_that_is_gone_names_its_trajectories_by_its_full_id(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.story.note("f" * 40, record("traj_lost"))
    assert call(["show", "f" * 40, "--json"]) == 0
    assert [t["id"] for t in json.loads(capsys.readouterr().out)["trajectories"]] == ["traj_lost"]
    assert call(["show", "e" * 40]) == 1


def test_the_output_can_be_written_to_a_file(
    scene: Scene, git: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["show", scene.hello, "--format", "markdown", "-o", "page.md"]) == 0
    assert capsys.readouterr() == ("", "")
    page = (git.root / "page.md").read_text("utf-8")
    assert page.startswith("# Hello\n")
    assert "- `Write` `hello.py`\n- `Write` `bye.py`\n" in page


def test_the_timeline(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["show", "traj_one", "--format", "timeline"]) == 0
    assert (
        capsys.readouterr().out
        == """\
2026-01-01
10:00:00  ● asked       Greet people, and say goodbye
10:00:02  ○ said        I write functions.
10:00:02  · Write       hello.py
10:00:02  · Write       bye.py
10:00:02  · Bash        git commit -m Hello
10:02:00  ● asked       And the farewell?
10:02:00  · Bash        git commit -m Bye
10:02:00  ✗ result      exit 1 nothing to commit
"""
    )


def test_a_page_in_one_file(scene: Scene, git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["show", scene.hello, "--format", "html"]) == 0
    page, err = capsys.readouterr()
    assert err == ""
    assert page.startswith("<!doctype html>\n<html lang=")
    assert all(f'id="e-{event.id}"' in page for event in FIRST if event.id not in ("r1", "r2"))
    assert "A table would be too much." not in page
    assert call(["show", scene.hello, "--format", "html", "--show-thinking", "-o", "page.html"]) == 0
    assert "A table would be too much." in (git.root / "page.html").read_text("utf-8")


# ---------------------------------------------------------------- no results, and wrong arguments


def test_a_commit_without_a_trajectory_gets_a_hint(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    for args in (["show"], ["show", "HEAD", "--json"]):
        assert call(args) == 0
        out, err = capsys.readouterr()
        assert not out or json.loads(out) == {"version": 1, "commit": scene.by_hand, "trajectories": []}
        assert err == (
            f"no record for this commit: {scene.by_hand[:7]}\n"
            f"hint: git traj show {scene.bye[:7]} shows the last recorded change of its files\n"
        )


def test_the_hint_on_a_merge_looks_at_what_it_brought(
    scene: Scene, git: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    git("switch", "-qc", "side", scene.bye)
    changed = git.commit({"hello.py": "2\n"}, "Hello again")
    scene.story.note(changed, record("traj_side"))
    git("switch", "-q", "-")
    merge = ("-c", "user.name=A", "-c", "user.email=a@example.com", "merge", "-q", "--no-ff", "--no-edit")
    git(*merge, "side")
    assert call(["show"]) == 0
    shows = f"hint: git traj show {changed[:7]} shows the last recorded change of its files"
    assert capsys.readouterr().err.splitlines()[1] == shows


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (
            ["nowhere"],
            1,
            "error: 'nowhere' is not a revision, trajectory, task or run here\nhint: git traj log --traj",
        ),
        (
            ["traj_"],
            1,
            "error: 'traj_' is ambiguous: several trajectory ids start with it\nhint: traj_one, traj_other\n",
        ),
        (["hello.py"], 1, "error: 'hello.py' is a file, not a commit\nhint: git traj log hello.py; git traj"),
        (["HEAD:hello.py"], 1, "error: 'HEAD:hello.py' is not a revision, trajectory, task or run here\n"),
        (["--format", "pdf"], 2, "error: Invalid value for '--format'"),
        (["--significance", "huge"], 2, "error: Invalid value for '--significance'"),
    ],
)
def test_wrong_questions(
    scene: Scene, capsys: pytest.CaptureFixture[str], args: list[str], status: int, message: str
) -> None:
    scene.story.note(scene.hello, record("traj_other"))
    assert call(["show", *args]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)


def test_an_unborn_branch(
    git: Git, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(git.root)
    assert call(["show"]) == 0
    assert capsys.readouterr() == (
        "",
        "no trajectories are recorded here\nhint: git traj install starts recording\n",
    )


# ---------------------------------------------------------------- colour and pager


@pytest.mark.parametrize(
    ("config", "environ", "coloured"),
    [
        ({}, {}, False),
        ({"color.ui": "always"}, {}, True),
        ({"color.ui": "always", "color.traj": "never"}, {}, False),
        ({"color.ui": "never", "color.traj": "always"}, {}, True),
        ({}, {"GIT_PAGER_IN_USE": "true", "TERM": "xterm"}, True),
        ({}, {"GIT_PAGER_IN_USE": "true", "TERM": "xterm", "NO_COLOR": "1"}, False),
        ({}, {"GIT_PAGER_IN_USE": "true", "TERM": "dumb"}, False),
        ({"color.ui": "false"}, {"GIT_PAGER_IN_USE": "true", "TERM": "xterm"}, False),
    ],
)
def test_colour_follows_gits_configuration(
    scene: Scene,
    git: Git,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    config: dict[str, str],
    environ: dict[str, str],
    coloured: bool,
) -> None:
    for key, value in config.items():
        git("config", key, value)
    for key, value in environ.items():
        monkeypatch.setenv(key, value)
    assert call(["show", scene.hello]) == 0
    assert ("\x1b[" in capsys.readouterr().out) == coloured


@pytest.mark.parametrize("how", ["core.pager", "GIT_PAGER", "PAGER"])
def test_a_terminal_gets_gits_pager(
    scene: Scene, git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str
) -> None:
    import pty
    import subprocess
    import sys

    paged = tmp_path / "paged"
    pager = f'{{ echo "$LESS"; cat; }} > "{paged}"'
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    if how == "core.pager":
        git("config", how, pager)
    else:
        monkeypatch.setenv(how, pager)
    _, terminal = pty.openpty()
    command = [sys.executable, "-m", "gittraj", "show", scene.hello]
    subprocess.run(command, cwd=git.root, stdout=terminal, check=True, timeout=300)
    less, first = paged.read_text().splitlines()[:2]
    assert less == "FRX"
    assert first.startswith(f"\x1b[33m{scene.hello[:7]}\x1b[0m \x1b[1mHello\x1b[0m  \x1b[2m2020-03-01 by")


def _first(scene: Scene) -> list[SegmentRef]:
    return [scene.story.segment("traj_one", 0, FIRST)]


def test_redactions_are_listed_only_by_field_and_rule(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["show", scene.hello, "--redactions"]) == 0
    assert capsys.readouterr().out == "Nothing was redacted.\n"
    call_event = ToolCall(
        id="c1",
        name="Bash",
        arguments={"command": "login -p REDACTED-password-n1", "env": {"K": "REDACTED-aws-key-0a1b2c3d"}},
        call_id="w1",
    )
    result = ToolResult(id="r1", call_id="w1", content="REDACTED-password-n1 and REDACTED-password-n1")
    segment = scene.story.segment("traj_red", 0, [call_event, result])
    scene.story.note(scene.by_hand, record("traj_red", n=2, segments=[segment]))
    assert call(["show", scene.by_hand, "--redactions"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "traj_red event c1 tool.arguments.command: password",
        "traj_red event c1 tool.arguments.env.K: aws-key",
        "traj_red event r1 content: password",
        "traj_red event r1 content: password",
    ]
    assert call(["show", scene.by_hand, "--redactions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "version": 1,
        "commit": scene.by_hand,
        "redactions": [
            {"trajectory": "traj_red", "event": event, "field": field, "kind": kind}
            for event, field, kind in (
                ("c1", "tool.arguments.command", "password"),
                ("c1", "tool.arguments.env.K", "aws-key"),
                ("r1", "content", "password"),
                ("r1", "content", "password"),
            )
        ],
    }
