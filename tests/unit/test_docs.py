"""The documents agree with the code: commands, the diagram, the schema, the worked example."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click import Context

import gittraj
from gittraj.cli.common.command_list import COMMANDS
from gittraj.cli.common.group import group
from gittraj.model import values
from gittraj.model.codec import camel
from gittraj.model.session_items import trajectory_id
from tests.conftest import ROOT

NAMES = {name for commands in COMMANDS.values() for name in commands}
COMMAND_TABLE = (ROOT / "docs" / "commands.md").read_text("utf-8")
TOUR = (ROOT / "docs" / "tour.md").read_text("utf-8")
MAN = (ROOT / "docs" / "git-traj.1").read_text("utf-8").replace("\\-", "-")
FORMAT = (ROOT / "docs" / "format.md").read_text("utf-8")
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "record.schema.json").read_text("utf-8"))
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"]

_ENTRY = re.compile(r"^\.TP\n\\fB([a-z]+)\\fR(.*?)(?=^\.(?:TP\n\\fB[a-z]|SS|SH))", re.MULTILINE | re.DOTALL)
_OBJECTS = {
    "record": values.Record,
    "tombstone": values.Tombstone,
    "range": values.Range,
    "link": values.Link,
    "origin": values.Origin,
    "segment": values.SegmentRef,
    "usage": values.Usage,
    "counts": values.Counts,
    "summary": values.Summary,
    "decision": values.Decision,
    "tests": values.TestRuns,
    "caveatSource": values.CaveatSource,
    "file": values.FileChanged,
    "task": values.TaskRef,
    "taskSource": values.TaskSource,
    "participant": values.Participant,
    "parent": values.Parent,
    "environment": values.Environment,
    "run": values.Run,
    "exit": values.Exit,
    "retrospective": values.Retrospective,
    "touched": values.FileTouched,
    "artifact": values.Artifact,
}


def test_the_table_of_commands_has_a_row_for_every_command() -> None:
    rows = set(re.findall(r"^\| `git traj ([a-z-]+)", COMMAND_TABLE, re.MULTILINE))
    assert rows == NAMES


def test_the_man_page_has_an_entry_for_every_command_and_each_of_its_options() -> None:
    entries = dict(_ENTRY.findall(MAN))
    assert entries.keys() == NAMES
    for name in NAMES:
        command = group.get_command(Context(group), name)
        assert command is not None
        for parameter in command.params:
            if parameter.param_type_name == "option":
                spelt = [*parameter.opts, *parameter.secondary_opts]
                is_named = any(f"\\fB{option}\\fR" in entries[name] for option in spelt)
                assert is_named, f"{name}: {spelt} not in the man page"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_name_no_command_that_does_not_exist(document: Any) -> None:
    assert set(re.findall(r"git traj ([a-z]+)", document.read_text("utf-8"))) <= NAMES | {"help", "blame"}


def test_links_have_existing_targets() -> None:
    for document in DOCUMENTS:
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text("utf-8")):
            assert "://" in link or (document.parent / link).exists(), f"{document.name}: {link}"


def test_the_tour_has_the_current_diagram() -> None:
    assert gittraj.__doc__ is not None
    picture, *_ = re.findall(r"::\n\n((?:    .*\n)+)", gittraj.__doc__)
    assert picture in "".join(f"    {line}\n" for line in TOUR.splitlines())


def test_the_schema_names_exactly_the_fields_that_are_written() -> None:
    for name, cls in _OBJECTS.items():
        assert set(SCHEMA["$defs"][name]["properties"]) == _keys(cls), name
    event = set(SCHEMA["$defs"]["event"]["properties"])
    common = {"type", "tool", "result", "sealed", "artifact", "decision", "retrospective", "recipient"}
    assert event == common | _keys(values.Prompt)
    assert set(SCHEMA["$defs"]["tool"]["properties"]) == _keys(values.ToolCall) - _keys(values.Prompt)
    result = _keys(values.ToolResult) - _keys(values.Prompt) - {"artifact"}
    assert set(SCHEMA["$defs"]["result"]["properties"]) == result


def test_the_page_on_the_format_names_every_field() -> None:
    named = set(re.findall(r"`([A-Za-z0-9.]+)`", FORMAT))
    named |= {part for name in named for part in name.split(".")}
    for name in ("record", "tombstone", "event", *_OBJECTS):
        assert set(SCHEMA["$defs"][name]["properties"]) <= named, name


def test_the_worked_example_of_an_id_is_right() -> None:
    (agent, session) = re.findall(r'SHA-256\("([^"]+)" NUL "([^"]+)"\)', FORMAT)[0]
    assert trajectory_id(agent, session) == re.findall(r"^id += (\S+)$", FORMAT, re.MULTILINE)[0]


def _keys(cls: Any) -> set[str]:
    """Return the JSON names of a dataclass's fields; a record's ``figures`` and ``whole`` are flattened."""
    keys: set[str] = set()
    for field in dataclasses.fields(cls):
        if field.metadata.get("flat"):
            keys |= _keys(values.PartSummary if field.name == "figures" else values.SessionInfo)
        elif field.name != "extra":
            keys.add(camel(field.name))
    return keys


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_documents_name_exist(document: Path) -> None:
    text = document.read_text("utf-8")
    named = set(re.findall(r"(?<![\w./])(?:gittraj|github_action|hooks)/[\w/]+\.py\b", text))
    missing = sorted(name for name in named if not (ROOT / name).exists())
    assert missing in (
        [],
        ["gittraj/formats/notebook.py"],
    )  # the example that CONTRIBUTING's reader writes


def test_the_manual_names_no_file_of_this_repository() -> None:
    assert not re.search(r"(?<!main/)docs/\w+\.md", MAN)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_line_of_an_example_has_one_command_and_one_comment(document: Any) -> None:
    """A tool that wraps prose once joined the lines of two examples."""
    for block in re.findall(r"^```sh\n(.*?)^```", document.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            command, _, comment = line.partition(" # ")
            assert command.count("git traj ") < 2, line
            assert " # " not in comment, line


def test_the_table_of_edge_cases_names_tests_that_exist() -> None:
    defined = [
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def test_(\w+)", file.read_text("utf-8"), re.MULTILINE)
    ]
    text = (ROOT / "docs" / "edge-cases.md").read_text("utf-8")
    named = {name for name in re.findall(r"`(?:\w+\.py::)?([a-z0-9_*]+)`", text) if name.count("_") > 1}
    assert len(named) > 100
    assert [name for name in named if not fnmatch.filter(defined, name)] == []
