"""docs/json.md has every field that a command prints with ``--json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.documented_json import undocumented
from tests.integration.command import traj
from tests.integration.desk import Desk

COMMANDS = (
    *("log", "log --all", "log --trajectories", "show", "show HEAD~1", "why f.py", "search one"),
    *("context f.py", "stats"),
    *("stats --by agent", "compare HEAD HEAD", "status", "doctor", "pr --base HEAD~1", "version"),
    *("install --dry-run", "backfill --dry-run", "repair", "repair --reread --dry-run", "redact --audit"),
    *("redact --test", "redact --rules", "keys list", "recipients list"),
)
OPEN = {"arguments", "config", "statuses", "exits", "beside", "recordedBeside", "remotes", "raw"}
"""Objects whose keys are names."""
DOCUMENTED = set(re.findall(r"[A-Za-z0-9]+", "".join(
    re.findall(r"```\n(.*?)```", (ROOT / "docs" / "json.md").read_text("utf-8"), re.DOTALL)
)))  # fmt: skip


def fields(value: Any) -> Iterator[str]:
    """All keys in a document, except names."""
    for each in value if isinstance(value, list) else ():
        yield from fields(each)
    for key, below in value.items() if isinstance(value, dict) else ():
        yield key
        if key not in OPEN or isinstance(below, list):
            yield from fields(below)


@pytest.fixture
def worked(desk: Desk) -> Desk:
    chosen = ("two lines", "--question", "how many?", "--alternative", "three", "--reasoning", "it is enough")
    for words in (["start", "Count", "--task", "plain:count"], ["decision", *chosen, "--path", "f.py"]):
        assert traj(desk.git.root, *words).returncode == 0
    desk.git.commit({"f.py": "one\n"})
    desk.commit("counting", "one\ntwo\n", path="f.py")
    return desk


def test_every_field_is_documented(worked: Desk) -> None:
    missing: list[str] = []
    for command in COMMANDS:
        said = traj(worked.git.root, *command.split(), "--json")
        assert said.stdout, (command, said.stderr)
        found = json.loads(said.stdout)
        assert found["version"] == 1
        assert set(fields(found)) <= DOCUMENTED, command
        assert command != "why f.py" or '"chosen": "two lines"' in said.stdout
        missing += [f"{command}: {path}" for path in undocumented(found, command)]
    assert missing == []
