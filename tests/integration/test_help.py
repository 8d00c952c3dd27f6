"""Typing mistakes on the command line: ``help``, and names similar to a command's."""

from __future__ import annotations

import re

import pytest

from gittraj.cli.common.group import call


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("lgo", "did you mean log?"),
        ("statsu", "did you mean stats or status?"),
        ("explain", "did you mean why?"),
        ("reasons", "did you mean why?"),
        ("tests", "did you mean log?"),
        ("purge", "did you mean redact --purge (for a text) or forget --purge (for a trajectory)?"),
        ("xyzzy", "git traj -h lists the commands"),
    ],
)
def test_for_a_misspelt_command_similar_ones_are_suggested(
    typed: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call([typed]) == 2
    assert capsys.readouterr().err == f"error: '{typed}' is not a command\nhint: {hint}\n"


def test_help_is_a_command_as_in_git(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["help", "log"]) == 0
    assert "List the commits that have a trajectory" in capsys.readouterr().out
    assert call(["help"]) == 0
    assert "Common commands" in capsys.readouterr().out
    assert call(["help", "lgo"]) == 2


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("why money.py 8", "git traj why money.py:8"),
        ("why money.py 8,9", "git traj why money.py:8,9"),
        ("why a b", "git traj why -h"),
        ("context", "such as git traj context src/api.py --budget 1000"),
        ("forget ID --dry-run", "git traj forget ID --purge --dry-run"),
    ],
)
def test_a_near_miss_comes_with_a_line_that_works(
    typed: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(typed.split()) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"hint: {hint}"


def test_blame_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["-h"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^  why .*\n(?: {6}.*\n)*  blame +Another name for why$", out, re.MULTILINE)


def test_dashes_alone_do_not_make_an_option_similar(capsys: pytest.CaptureFixture[str]) -> None:
    for typed, meant in (("--bogus", ""), ("--agnt", " Did you mean '--agent'?")):
        assert call(["install", typed]) == 2
        assert capsys.readouterr().err.splitlines()[0] == f"error: No such option '{typed}'.{meant}"
