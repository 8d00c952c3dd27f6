"""Every command in the documents: taken as it is written, and those of the pages for readers run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gittraj.cli.common.group import group
from tests.conftest import ROOT
from tests.integration.command import traj
from tests.integration.desk import Desk

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FOR_READERS = ("index", "developer", "reviewer", "team-lead", "agent-author")
AWAY = ("sync", "fetch", "push", "install", "import")
"""They need a remote, a terminal or a file from elsewhere; each has tests of its own."""


def commands(page: Path) -> Iterator[str]:
    """The lines of blocks of a shell, without comments."""
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", page.read_text("utf-8"), re.S):
        for line in block.splitlines():
            if found := re.match(r"(?:\$ )?(git traj(?: .*)?|.*?\| git traj .*)$", line):
                yield re.sub(r"\s+#(?= ).*", "", found[1]).strip()


ALL = [(page.name, line) for page in PAGES for line in commands(page)]


def parse(line: str) -> None:
    """Raises what click does where an option, a value or the number of arguments is wrong."""
    words = shlex.split(next(part for part in line.split(" | ") if part.startswith("git traj")))
    if words == ["git", "traj"]:
        return
    context = click.Context(group, info_name="git traj")
    _, command, rest = group.resolve_command(context, words[2:])
    while isinstance(command, click.Group):
        _, command, rest = command.resolve_command(context, rest)
    assert command is not None
    command.make_context("it", [*rest], parent=context)


@pytest.mark.parametrize(("page", "line"), ALL)
def test_a_command_is_taken_as_it_is_written(page: str, line: str) -> None:
    parse(line)


def test_one_that_is_wrong_is_found() -> None:
    for line in ("git traj log --onelin", "git traj show --format htm", "git traj event note"):
        with pytest.raises(click.ClickException):
            parse(line)


@pytest.mark.parametrize("name", FOR_READERS)
def test_the_commands_of_a_page_run(desk: Desk, name: str) -> None:
    desk.git.commit({"README": "hi\n"}, "first")
    desk.git("branch", "before")
    desk.commit("limit the rate of requests", "rate = 1\nlimit = 2\n", path="src/api.py")
    desk.git("checkout", "-q", "-b", "topic")
    desk.git("branch", "-f", "main", "before")
    ran = [line for line in commands(ROOT / "docs" / f"{name}.md") if "|" not in line]
    for line in ran:
        words = shlex.split(line)[2:]
        if words[:1] and words[0] in AWAY:
            continue
        words = ["src/api.py:1" if word == "src/api.py:12" else word for word in words]
        done = traj(desk.git.root, *words)
        assert done.returncode == 0, (line, done.stderr)
    assert ran
