"""Every command in the documentation parses as it is written, and runs in a repository with a remote.

``team.md`` is run by ``gather/test_page.py``, ``format.md`` by ``test_format.py``.
"""

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
from tests.integration.sharing import bare

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN = [page for page in PAGES if page.stem not in ("team", "format")]


def commands(page: Path) -> Iterator[str]:
    """The git-traj commands in shell blocks, without comments."""
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", page.read_text("utf-8"), re.S):
        for line in block.splitlines():
            if found := re.match(r"(?:\$ )?(git traj(?: .*)?|.*?\| git traj .*)$", line):
                written = re.sub(r"\s+#(?= ).*", "", found[1]).strip()
                yield written.replace("--agent NAME", "--agent codex")  # there, NAME is an agent of a plug-in


ALL = [(page.name, line) for page in PAGES for line in commands(page)]


def parse(line: str) -> None:
    """Raises click's exceptions if an option, a value or the number of arguments is wrong."""
    words = shlex.split(next(part for part in line.split(" | ") if part.startswith("git traj")))
    if words == ["git", "traj"]:
        return
    context = click.Context(group, info_name="git traj", **group.context_settings)  # so that -h is known
    _, command, rest = group.resolve_command(context, words[2:])
    while isinstance(command, click.Group):
        _, command, rest = command.resolve_command(context, rest)
    assert command is not None
    command.make_context("it", [*rest], parent=context)


@pytest.mark.parametrize(("page", "line"), ALL)
def test_a_command_parses_as_it_is_written(page: str, line: str) -> None:
    parse(line)


def test_a_wrong_command_is_noticed() -> None:
    for line in ("git traj log --onelin", "git traj show --format htm", "git traj event note"):
        with pytest.raises(click.ClickException):
            parse(line)


@pytest.mark.parametrize("page", [page for page in RUN if any(commands(page))], ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(desk: Desk, page: Path, tmp_path: Path) -> None:
    git = desk.git
    git.commit({"README": "hi\n"}, "first")
    git("remote", "add", "origin", str(bare(tmp_path / "server.git").root))
    git("branch", "before")
    desk.commit("limit the rate of requests", "rate = 1\nlimit = 2\n", path="src/api.py")
    git("checkout", "-q", "-b", "topic")
    git("branch", "-f", "main", "before")
    git("config", "traj.push", "auto")  # there is no terminal to confirm a push on
    traj(git.root, "keys", "init")
    key = traj(git.root, "keys", "export").stdout.split()[0]
    replacements = {"src/api.py:12": "src/api.py:1", "github:alice": key}  # no request is sent to GitHub
    for line in commands(page):
        if "|" in line:
            continue
        words = [replacements.get(word, word) for word in shlex.split(line)[2:]]
        done = traj(git.root, *words)
        assert done.returncode == 0, (line, done.stderr)
