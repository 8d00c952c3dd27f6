"""Terminal manners: narrow, wide, coloured, and in ASCII."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gittraj.cli.common.ascii_output import plain
from gittraj.render.text.terminal import Page, render_line, width
from tests.integration.desk import Desk
from tests.integration.terminal import at_terminal
from tests.sizes import some

LINES = (
    ["log"],
    ["log", "--all"],
    ["backfill"],
    ["log", "--oneline"],
    ["why", "f.py:1"],
    ["show"],
    ["show", "--format", "timeline"],
    ["status"],
    ["doctor"],
    ["stats"],
    ["search", "counting"],
    ["pr", "--base", "base"],
    [],
)


@pytest.fixture
def recorded(desk: Desk) -> Desk:
    desk.git.commit({"a": "1"}, "first")
    desk.git("branch", "base")
    desk.commit("counting the wheels of a very long bicycle", "one\ntwo\n", path="f.py")
    return desk


def shown(desk: Desk, *arguments: str, **env: str) -> str:
    text = at_terminal(desk.git.root, "--no-pager", *arguments, env={"TERM": "xterm", **env})[1]
    return text.replace("\r", "")


@pytest.mark.parametrize("line", some(LINES, 4), ids=" ".join)
def test_nothing_is_wider_than_a_terminal_of_20_columns(recorded: Desk, line: list[str]) -> None:
    wide = [row for row in shown(recorded, *line, COLUMNS="20").split("\n") if width(row) > 20]
    assert wide == []


def test_a_listing_uses_the_width(recorded: Desk) -> None:
    subject = "s" * 150
    recorded.commit(subject, "three\n", path="g.py")
    assert subject in shown(recorded, "log", "--oneline", COLUMNS="240")
    assert subject not in shown(recorded, "log", "--oneline", COLUMNS="100")


def test_a_terminal_in_the_c_locale_gets_ascii(recorded: Desk, tmp_path: Path) -> None:
    recorded.commit("Grüße", "three\n", path="g.py")
    text = shown(recorded, "log", LC_ALL="C") + shown(recorded, "show", LC_ALL="C")
    assert text.isascii()
    assert "Gr\\xfc\\xdfe" in text
    assert " - " in text
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat >{tmp_path}/paged\n")
    pager.chmod(0o755)
    at_terminal(recorded.git.root, "log", env={"TERM": "xterm", "LC_ALL": "C", "GIT_PAGER": str(pager)})
    assert (tmp_path / "paged").read_text().isascii()


def test_a_table_in_the_c_locale_has_no_escapes_and_no_longer_lines(recorded: Desk) -> None:
    recorded.commit("a subject that is much too long for one line " * 4, "more\n", path="h.py")
    for command in (["stats"], ["compare", "HEAD", "HEAD~1"], ["show", "--format", "timeline"], ["log"]):
        text = shown(recorded, *command, LC_ALL="C")
        assert "\\u" not in text, command
        assert max(map(len, re.sub("\x1b\\[[0-9;]*m", "", text).splitlines())) <= 80, command


def test_help_in_a_narrow_terminal(recorded: Desk) -> None:
    """All lines fit, except the first and those meant to be copied."""
    for command in (["-h"], ["log", "-h"], ["install", "-h"]):
        text = shown(recorded, *command, COLUMNS="20").partition("Examples:")[0]
        assert max(map(len, text.splitlines()[1:])) <= 20, command
    assert "install   Set up this repository" in shown(recorded, "-h")


def test_other_locales_get_unicode_symbols(recorded: Desk) -> None:
    assert "·" in shown(recorded, "log", LC_ALL="C.UTF-8")
    assert plain("a · b … “c” → é") == 'a - b ... "c" -> \\xe9'


@pytest.mark.parametrize(
    ("line", "painted"),
    [
        ("Hooks: OK", "\x1b[36mHooks\x1b[0m: OK"),
        (
            "Hooks: pre-commit dead (git traj doctor)",
            "\x1b[31mHooks: pre-commit dead (git traj doctor)\x1b[0m",
        ),
        ("wrong: no", "\x1b[31mwrong: no\x1b[0m"),
        ("note: so", "\x1b[33mnote: so\x1b[0m"),
        ("fixed: it", "\x1b[32mfixed: it\x1b[0m"),
        ("    remedy: this", "    remedy: this"),
    ],
)
def test_colours_of_status_and_doctor(line: str, painted: str) -> None:
    assert render_line(line, Page(80, True)) == f"{painted}\n"
    assert render_line(line, Page(None, False)) == f"{line}\n"


def test_a_wrapped_remedy_keeps_its_indent() -> None:
    assert render_line("    one two three", Page(16, False)) == "    one two\n    three\n"


def test_colours_of_errors(recorded: Desk) -> None:
    assert "\x1b[31merror:\x1b[0m 'lgo' is not a command" in shown(recorded, "lgo")
    for said in (shown(recorded, "lgo", NO_COLOR="1"), shown(recorded, "--no-color", "lgo")):
        assert "\x1b[31m" not in said
    recorded.git("config", "color.ui", "never")
    assert not re.search("\x1b\\[3", shown(recorded, "lgo"))
