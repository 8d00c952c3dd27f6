"""Where hands go wrong on the command line: ``help``, and names that are like a command's."""

from __future__ import annotations

import pytest

from gittraj.cli.common.group import call


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("lgo", "did you mean log?"),
        ("statsu", "did you mean stats or status?"),
        ("xyzzy", "git traj -h lists the commands"),
    ],
)
def test_a_misspelt_command_names_those_that_are_like_it(
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
