"""Typing mistakes and habits from git: near names, files, colour, and what is not for a terminal."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from gittraj.cli.common.command_list import COMMANDS
from gittraj.cli.common.examples import epilog, read_examples
from gittraj.cli.common.group import group
from tests.conftest import ROOT
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.terminal import at_terminal

MANUAL = (ROOT / "docs" / "git-traj.1").read_text("utf-8").partition(".SH EXAMPLES")[2].partition("\n.SH ")[0]
EXAMPLES = read_examples()
LINES = [line for examples in EXAMPLES.values() for line, _ in examples]


@pytest.fixture
def recorded(desk: Desk) -> Desk:
    desk.commit("counting", "one\ntwo\n", path="src/f.py")
    desk.commit("adding", "three\n", path="g.py")
    return desk


def run(desk: Desk, *arguments: str) -> tuple[int, str, str]:
    done = traj(desk.git.root, *arguments)
    return done.returncode, done.stdout, done.stderr


def test_a_path_is_taken_for_a_revision_that_does_not_exist(recorded: Desk) -> None:
    both = run(recorded, "log", "--oneline")[1].splitlines()
    assert len(both) == 2
    for typed in (["src/f.py"], ["src"], ["HEAD", "src/f.py"], ["--", "src/f.py"]):
        assert run(recorded, "log", "--oneline", *typed)[1].splitlines() == [both[1]], typed
    assert run(recorded, "log", "--oneline", "src", "g.py")[1].splitlines() == both
    assert run(recorded, "stats", "src", "--json")[0] == 0


def test_why_suggests_the_file_that_was_meant(recorded: Desk) -> None:
    def hint(place: str) -> str:
        status, _, err = run(recorded, "why", place)
        assert (status, err.splitlines()[0]) == (
            1,
            f"error: there is no file '{place.partition(':')[0]}' in the work tree",
        )
        return err.splitlines()[1].removeprefix("hint: ")

    assert hint("src/src/f.py:1") == hint("f.py:1") == "did you mean src/f.py?"
    assert hint("scr/f.y") == "did you mean src/f.py?"
    assert hint("nothing") == "for a function: git traj why FILE:nothing; git ls-files lists the files"
    assert hint("no/thing") == "git ls-files lists the files; --rev names a commit that has it"
    recorded.git("mv", "g.py", "h.py")
    recorded.git("commit", "-qm", "rename")
    short = recorded.git("rev-parse", "--short", "HEAD").strip()
    assert hint("g.py:1") == f"{short} renamed it to h.py"
    recorded.git("rm", "-q", "h.py")
    recorded.git("commit", "-qm", "delete")
    short = recorded.git("rev-parse", "--short", "HEAD").strip()
    assert hint("h.py:1") == f"{short} deleted it: --rev {short}~1"
    assert "adding" in run(recorded, "why", "--rev", f"{short}~1", "h.py:1")[1]


def test_no_page_is_written_without_records(recorded: Desk) -> None:
    recorded.git.commit({"README": "here"}, "by hand")
    for options in (["--format", "html", "-o", "why.html"], ["--redactions"], ["--format", "markdown"]):
        status, out, err = run(recorded, "show", *options)
        assert (status, out, err.splitlines()[0][:26]) == (0, "", "no record for this commit:"), options
    assert not (recorded.git.root / "why.html").exists()


def test_why_takes_a_line_with_a_column(recorded: Desk) -> None:
    plain = run(recorded, "why", "src/f.py:2")
    assert run(recorded, "why", "src/f.py:2:1") == run(recorded, "why", "src/f.py:2:") == plain
    assert plain[0] == 0


def test_an_agent_is_named_in_full(recorded: Desk) -> None:
    assert "hint: did you mean claude-code?" in run(recorded, "log", "--agent", "claude")[2]


def test_commands_of_a_group_are_listed(recorded: Desk) -> None:
    for name in ("keys", "recipients"):
        status, out, err = run(recorded, name)
        assert (status, out) == (2, "")
        assert "\nCommands:\n" in err


def test_records_on_other_branches_are_suggested(recorded: Desk) -> None:
    recorded.git("checkout", "-q", "--orphan", "empty")
    recorded.git("rm", "-rqf", ".")
    recorded.git.commit({"other": "here"}, "by hand")
    _, _, err = run(recorded, "log")
    elsewhere = ", on other branches or rewritten since: "
    hint, command = err.splitlines()[1].partition("; ")[0].split(elsewhere)
    assert hint == "hint: HEAD does not reach 2 of them"
    _, listed, err = run(recorded, *command.split()[2:], "--oneline")
    assert (len(listed.splitlines()), err) == (2, "")
    assert f"{elsewhere}git traj log " in " ".join(run(recorded, "log", "--all")[2].split())


def test_a_path_that_head_does_not_have_is_named(recorded: Desk) -> None:
    recorded.git.commit({"src/by hand": "here"}, "by hand")
    none = "no matching commits (records of 2 commits are here)"
    for paths, said in (
        (["no/such.py"], "; HEAD has no no/such.py"),
        (["src/f.py", "a.py", "b.py", "src"], None),
        (["a.py", "b.py"], "; HEAD has no a.py and no b.py"),
        (["src/by hand"], ""),
    ):
        err = run(recorded, "log", "--", *paths)[2].splitlines()
        assert err[:1] == ([] if said is None else [none + said]), paths
        assert not err or err[1].startswith("hint: git traj log --all lists all of them; "), paths


def test_a_revision_takes_precedence_over_a_file_of_its_name(recorded: Desk) -> None:
    recorded.git("branch", "src")
    assert len(run(recorded, "log", "src", "--oneline")[1].splitlines()) == 2


def test_the_value_of_an_option_is_not_taken_for_a_path(recorded: Desk) -> None:
    assert len(run(recorded, "log", "--grep", "src", "--json")[1]) > 0
    assert run(recorded, "log", "--agent", "src")[0] == 0


def test_a_number_of_commits_as_git_takes_it(recorded: Desk) -> None:
    assert len(run(recorded, "log", "-1", "--oneline")[1].splitlines()) == 1
    assert run(recorded, "stats", "-1")[0] == 2


def test_blame_is_a_name_of_why(recorded: Desk) -> None:
    assert run(recorded, "blame", "g.py") == run(recorded, "why", "g.py")


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        (["install", "--agent", "codx"], "did you mean codex?"),
        (["show", "--format", "htm"], "did you mean html?"),
        (["show", "--format", "helo"], "did you mean html?"),
        (["export", "--format", "md"], "did you mean markdown?"),
        (["pr", "--format", "GH"], "did you mean github?"),
        (["show", "--format", "zzz"], "git traj show -h"),
        (["log", "--onelin"], "git traj log -h"),
    ],
)
def test_a_near_value_is_suggested(recorded: Desk, typed: list[str], hint: str) -> None:
    status, _, error = run(recorded, *typed)
    assert (status, error.splitlines()[-1]) == (2, f"hint: {hint}")


def test_a_near_option_is_suggested(recorded: Desk) -> None:
    assert "'--oneline'" in run(recorded, "log", "--onelin")[2]


def test_for_an_unknown_agent_the_known_ones_are_listed(recorded: Desk) -> None:
    assert run(recorded, "log", "--agent", "claud-code")[2].endswith("hint: did you mean claude-code?\n")
    assert run(recorded, "log", "--agent", "xyzzy")[2].endswith("hint: agents recorded here: claude-code\n")


@pytest.mark.parametrize("where", [["--color=always", "log"], ["log", "--color"], ["log", "--color=always"]])
def test_colour_on_request_before_or_after_the_command(recorded: Desk, where: list[str]) -> None:
    assert "\x1b[33m" in run(recorded, *where, "--oneline")[1]


def test_no_colour_on_request_or_by_configuration(recorded: Desk) -> None:
    recorded.git("config", "color.ui", "always")
    assert "\x1b[" in run(recorded, "log")[1]
    assert "\x1b[" not in run(recorded, "log", "--no-color")[1]
    recorded.git("config", "color.ui", "never")
    assert "\x1b[3" not in at_terminal(recorded.git.root, "--no-pager", "log")[1]


def test_html_is_not_for_a_terminal(recorded: Desk) -> None:
    for command in ("show", "export"):
        status, shown = at_terminal(recorded.git.root, command, "--format", "html")
        assert (status, "error: HTML is not for a terminal" in shown, "<html" in shown) == (2, True, False)
        assert "<html" in run(recorded, command, "--format", "html")[1]


def test_a_terminal_shows_which_file_was_written(recorded: Desk, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = at_terminal(recorded.git.root, "show", "--format", "html", "-o", str(page))[1]
    assert re.fullmatch(rf"Wrote {page} \([\d.]+ kB\)\r\n", shown)
    for form, path in (("markdown", tmp_path / "a.md"), ("html", tmp_path / "site")):
        assert (
            f"Wrote {path}" in at_terminal(recorded.git.root, "export", "--format", form, "-o", str(path))[1]
        )
        assert run(recorded, "export", "--format", form, "-o", str(path))[2] == ""


def test_open_shows_a_page_in_the_browser(
    recorded: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" >{tmp_path}/opened\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    env = {"BROWSER": str(browser), "TMPDIR": str(tmp_path)}
    at_terminal(recorded.git.root, "show", "--open", env=env)
    opened = (tmp_path / "opened").read_text()
    page = Path(opened.removeprefix("file://"))
    assert page.name == "show.html"
    assert "<html" in page.read_text()
    assert run(recorded, "export", "--format", "html", "--open")[0] == 2


def test_pr_is_rendered_on_a_terminal_and_markdown_in_a_pipe(recorded: Desk) -> None:
    recorded.git("branch", "base", "HEAD~1")
    assert "### Why this change: " in run(recorded, "pr", "--base", "base")[1]
    _, shown = at_terminal(recorded.git.root, "--no-pager", "--no-color", "pr", "--base", "base")
    assert "Why this change: " in shown
    assert not re.search(r"###|\*\*|<sub>|\|---|`", shown)


def test_completion_of_ids_and_labels(recorded: Desk) -> None:
    (first, *_) = json.loads(run(recorded, "log", "--json")[1])["commits"]
    name = first["trajectories"][0]["id"]
    assert f"word\t{name}\t" in run(recorded, "completion", "--words", "show", "tr")[1]
    assert run(recorded, "completion", "--words", "log", "--agent", "cl")[1] == "word\tclaude-code\t\n"
    assert "zz" not in run(recorded, "completion", "--words", "search", "--model", "zz")[1]


def test_each_command_has_examples_and_the_manual_has_them_all() -> None:
    names = {name for commands in COMMANDS.values() for name in commands}
    assert names == EXAMPLES.keys()
    assert len(LINES) == MANUAL.count("\n.TP\n")
    assert not any("\\" in line + purpose for each in EXAMPLES.values() for line, purpose in each)


@pytest.mark.parametrize("line", LINES)
def test_examples_are_taken_as_they_are_written(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the examples' options and arguments are parsed; the commands do not run."""
    words = shlex.split(re.sub(r" > \S+$", "", line))
    assert words[:2] == ["git", "traj"]
    context = click.Context(
        group, info_name="git traj", **group.context_settings
    )  # with -h for every command
    _, command, rest = group.resolve_command(context, words[2:])
    assert command is not None
    while isinstance(command, click.Group):
        _, command, rest = command.resolve_command(context, rest)
    command.make_context("it", [*rest], parent=context)


def test_help_ends_with_examples(recorded: Desk) -> None:
    for typed in (["why", "-h"], ["why", "--help"], ["help", "why"], ["help", "blame"]):
        assert "    git traj why src/api.py:12\n" in run(recorded, *typed)[1]
    assert epilog("nonsense") is None


def test_the_instruction_names_a_path_that_works_where_git_traj_is_not_on_path(recorded: Desk) -> None:
    traj(recorded.git.root, "install", "--agent", "claude-code")
    (line,) = re.findall(r"run `(sh [^`]+)`", (recorded.git.root / "CLAUDE.local.md").read_text())
    ran = subprocess.check_output(
        ["sh", "-c", f"{line} context f.py"], cwd=recorded.git.root / "src", text=True
    )
    assert "counting" in ran
    traj(recorded.git.root, "uninstall")
    assert not (recorded.git.root / ".git/traj/git-traj").exists()


def test_doctor_says_if_a_login_shell_does_not_find_git_traj(recorded: Desk, tmp_path: Path) -> None:
    traj(recorded.git.root, "install", "--agent", "claude-code")
    shell = tmp_path / "shell"
    for answer, codes in (("true", ["not-on-path"]), ("echo found", []), ("exit 3", [])):
        shell.write_text(f"#!/bin/sh\n{answer}\n")
        shell.chmod(0o755)
        done = traj(recorded.git.root, "doctor", "--json", env={"SHELL": str(shell)})
        found = [f["code"] for f in json.loads(done.stdout)["findings"]]
        assert [code for code in found if code == "not-on-path"] == codes, answer
