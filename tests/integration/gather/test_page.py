"""Runs the commands and queries of ``docs/team.md`` as they are written."""

from __future__ import annotations

import re
import shlex
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.integration import command
from tests.integration.gather.team import Team, full_record

duckdb = pytest.importorskip("duckdb")
PAGE = (ROOT / "docs" / "team.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [shlex.split(line, comments=True)[2:] for line in lines if line.startswith("git traj")]


def statements(block: str) -> list[str]:
    return [each for each in re.sub(r"--.*", "", block).split(";") if each.strip()]


@pytest.fixture
def team(tmp_path: Path, empty_home: Path) -> Team:
    found = Team(tmp_path, "team.duckdb")
    for name in ("api", "web"):
        found.repository(name, [[full_record("one")]])
    (empty_home / "src").symlink_to(found.root / "clones")
    (found.root / "repositories.txt").write_text("# ours\nclones/api\n")
    return found


def test_from_nothing_to_the_first_answer(team: Team, empty_home: Path) -> None:
    asked = [args for args in commands() if "postgresql:///team" not in args]
    assert len(asked) > 7
    for args in asked:
        if args[1].startswith("github:"):
            continue  # it names an organisation that does not exist
        spelt = [arg.replace("~", str(empty_home)) for arg in args]
        said = command.traj(team.root, *spelt)
        assert said.returncode == 0, (args, said)
        assert said.stdout.strip() or "--since" in args, args
    command.traj(team.root, "gather", "clones", "--into", "team.duckdb")
    with closing(duckdb.connect(str(team.root / "team.duckdb"))) as connection:
        answers = [connection.execute(each).fetchall() for each in statements(blocks("sql")[0])]
    assert len(answers) == 4
    assert all(answers[1:])


def test_who_may_read_in_postgresql(team: Team, postgres: str) -> None:
    import psycopg

    (args,) = [args for args in commands() if "postgresql:///team" in args]
    said = command.traj(team.root, *[postgres if arg.startswith("postgresql:") else arg for arg in args])
    assert said.returncode == 0, said
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("SET search_path = traj, public")
        try:
            for statement in statements(blocks("sql")[1]):
                answer = connection.execute(statement)
            assert answer.fetchall() == [(0.25,)]
        finally:
            for role in ("ann", "grafana"):
                connection.execute(f"DROP OWNED BY {role}")
                connection.execute(f"DROP ROLE {role}")
