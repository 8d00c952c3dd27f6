"""The documentation of the format is true: records fit the schema, and plain git reads them as it says."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import jsonschema
import pytest

from gittraj.model.codec import segment_path
from tests.conftest import ROOT
from tests.e2e.scenario import Edit, Shell, Write, turn
from tests.integration.records import hold_workers, install, traj
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter, Writer

pytestmark = pytest.mark.usefixtures("real_clocks")
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "record.schema.json").read_text("utf-8"))
LINE = jsonschema.Draft202012Validator(SCHEMA)
EVENT = jsonschema.Draft202012Validator({"$ref": "#/$defs/event", "$defs": SCHEMA["$defs"]})
FORMAT = (ROOT / "docs" / "format.md").read_text("utf-8")
CHOICE = "I'll use a list rather than a map, because the order matters."


@pytest.fixture
def recorded(writer: Writer, git: Git) -> SessionWriter:
    """A session whose commits have records: two of its own, one amended, one by a person."""
    git.commit({"README": "here\n"})
    hold_workers(install(git))
    session = writer(git.root)
    script = [
        turn(Write("order.py", "first = 1\n"), think="A map?", say=CHOICE),
        turn(Shell("git add . && git commit -m 'Keep an order' && python3 -m pytest --version; true")),
        turn(Edit("order.py", "first = 1\n", "first = 1\nsecond = 2\n")),
        turn(Shell("git commit -qam 'Add a second'")),
        turn(Write("left.py", "left = True\nalone = True\n"), say="The rest is yours to commit."),
    ]
    session.run([*script, turn(say="Done.")], prompt="Keep the order of things")
    git("commit", "--quiet", "--amend", "--message", "Add the second")
    git.commit(message="By hand")
    traj(git, "log")
    return session


def lines(git: Git) -> list[dict[str, Any]]:
    notes = [line.split()[1] for line in git("notes", "--ref=traj", "list").splitlines()]
    shown = [git("notes", "--ref=traj", "show", commit) for commit in notes]
    return [json.loads(line) for body in shown for line in body.splitlines()]


def test_written_records_fit_the_schema(git: Git, recorded: SessionWriter) -> None:
    found = lines(git)
    assert {line["link"]["evidence"] for line in found if "link" in line} == {"agent", "content"}
    assert any(line["link"].get("carriedFrom") for line in found)
    for line in found:
        LINE.validate(line)
    events = 0
    for line in found:
        for segment in line["segments"]:
            path = segment_path(line["id"], segment["name"])
            body = git("cat-file", "-p", f"refs/notes/traj-data-{segment['month']}:{path}")
            for event in body.splitlines():
                EVENT.validate(json.loads(event))
                events += 1
    assert events > 10


def test_a_stub_and_a_tombstone_fit_the_schema(git: Git) -> None:
    git.commit({"README": "here\n"})
    hold_workers(install(git))
    git.write({"lost.py": "lost = True\n"})
    git("add", ".")
    git("commit", "-qm", "Elsewhere", env={"CLAUDE_CODE_SESSION_ID": "0a6f2f1c-9e10-4b7e-9d55-3f0d1f6e8c1a"})
    traj(git, "log")
    (stub,) = lines(git)
    assert stub["incomplete"] is True and stub["rev"] == 0
    traj(git, "unlink", "HEAD")
    found = lines(git)
    assert [line for line in found if "deleted" in line]
    for line in found:
        LINE.validate(line)


BROKEN: list[dict[str, Any]] = [
    {"v": 2},
    {"rev": "1"},
    {"link": {}},
    {"range": {"first": "a"}},
    {"thinking": "loud"},
]


def test_the_schema_refuses_broken_records(git: Git, recorded: SessionWriter) -> None:
    whole = lines(git)[0]
    assert [broken for broken in BROKEN if LINE.is_valid(whole | broken)] == []


def test_plain_git_reads_records_as_the_page_says(git: Git, recorded: SessionWriter) -> None:
    notes, events = re.findall(r"```sh\n(git log.*?|hh=.*?)```", FORMAT, re.DOTALL)
    said = _sh(git, notes.replace("src/parser.py", "order.py"))
    assert {line.split()[0] for line in said.splitlines() if not line.startswith("  ")} == {"agent"}
    (line, *_) = (line for line in lines(git) if line["range"]["at"] == 0)
    (segment,) = line["segments"]
    assert f"  refs/notes/traj-data-{segment['month']} {segment['name']}" in said.splitlines()
    variables = {"trajectory": line["id"], "month": segment["month"], "name": segment["name"]}
    first = json.loads(_sh(git, events, **variables).splitlines()[0])
    assert (first["id"], first["content"]) == (line["range"]["first"], "Keep the order of things")


def test_the_page_gives_the_command_of_the_patch_id(git: Git, recorded: SessionWriter) -> None:
    (command,) = re.findall(r"```sh\n(git -c diff.*?)```", FORMAT, re.DOTALL)
    origins = {line["origin"]["commit"]: line["origin"].get("patchId") for line in lines(git)}
    assert origins and all(origins.values())
    for commit, patch in origins.items():
        assert _sh(git, command.replace("COMMIT", commit)).split()[0] == patch


def _sh(git: Git, script: str, **variables: str) -> str:
    set_up = "".join(f"{name}={value}\n" for name, value in variables.items())
    done = subprocess.run(
        ["sh", "-euc", set_up + script], cwd=git.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
