"""Beads: titles are read from the export or from ``bd``, only ``bd`` sets a status, no file is changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gittraj.errors import TaskError
from gittraj.model.values import TaskRef
from gittraj.tasks.lookup import look_up, report
from gittraj.tasks.naming import detect
from gittraj.tasks.system import Site

BD = """#!{python}
import json, pathlib, sys, time
verb, task, *options = sys.argv[1:]
here = pathlib.Path({here!r})
with (here / "calls").open("a") as calls:
    calls.write(json.dumps([verb, task, *options, pathlib.Path.cwd().name, sys.stdin.read()]) + "\\n")
{before}
store = json.loads((here / "store").read_text())
found = [key for key in store if key.startswith(task)]  # as bd does: a part of an id will do
if not found:
    print("Issue", task, "not found\\nHint: it may have never existed", file=sys.stderr)
    sys.exit(1)
issue = store[found[0]]
if verb == "update":
    assert options == ["--status", "in_progress", "--json"], options
    issue["status"] = "in_progress"
elif verb == "close":
    assert options[0] == "--reason" and options[2:] == ["--json"], options
    issue["status"] = "closed"
else:
    assert (verb, options) == ("show", ["--json"])
(here / "store").write_text(json.dumps(store))
print(json.dumps({shape}))
"""


class Tracker:
    """Make a repository with ``.beads``, and a program ``bd`` that answers like the real one."""

    def __init__(self, folder: Path, *, shape: str = "[issue]", before: str = "") -> None:
        self.root, self.bin = folder / "app", folder / "bin"
        (self.root / ".beads").mkdir(parents=True)
        self.bin.mkdir()
        self.write_store(**{"bd-a1b2": {"title": "Add login", "status": "open"}})
        program = self.bin / "bd"
        program.write_text(BD.format(python=sys.executable, here=str(self.bin), shape=shape, before=before))
        program.chmod(0o755)
        self.site = Site(folders=(self.root,), environ={"PATH": str(self.bin)})
        self.without_bd = Site(folders=(self.root,), environ={"PATH": str(folder)})

    def write_store(self, **issues: dict[str, Any]) -> None:
        store = {key: {"id": key, **issue} for key, issue in issues.items()}
        (self.bin / "store").write_text(json.dumps(store))

    def export(self, text: str | bytes) -> Path:
        path = self.root / ".beads" / "issues.jsonl"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def task(self, id_: str = "bd-a1b2") -> TaskRef:
        task = detect(f"beads:{id_}", self.site)
        assert task
        return task

    @property
    def calls(self) -> list[list[str]]:
        file = self.bin / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @property
    def status(self) -> str:
        return str(json.loads((self.bin / "store").read_text())["bd-a1b2"]["status"])


@pytest.fixture
def tracker(tmp_path: Path) -> Tracker:
    return Tracker(tmp_path)


def reason(trouble: TaskError | None) -> str:
    assert trouble
    assert "\n" not in f"{trouble.message}{trouble.hint}"
    return trouble.reason


def line(id_: str, **more: Any) -> str:
    return json.dumps({"id": id_, "title": f"Title of {id_}", "status": "open", "priority": 0, **more}) + "\n"


def test_a_title_comes_from_the_export_and_starts_no_program(tracker: Tracker) -> None:
    depends = [{"issue_id": "bd-x", "depends_on_id": "bd-a1b2", "type": "blocks"}]
    tracker.export(
        line("bd-x", dependencies=depends) + line("bd-a1b2", status="in_progress") + line("bd-a1b2.1")
    )
    found = look_up(tracker.task(), tracker.site)
    assert (found.task.title, found.status, found.trouble) == ("Title of bd-a1b2", "in_progress", None)
    assert look_up(tracker.task("bd-a1b2.1"), tracker.without_bd).task.title == "Title of bd-a1b2.1"
    assert tracker.calls == []


def test_an_export_may_be_damaged(tracker: Tracker) -> None:
    damage = b'{"id":"bd-a1b2"\n\n[]\n"bd-a1b2"\n\xff\xfe\n<<<<<<< HEAD\n' + b'{"a":' * 9999 + b"\n"
    path = tracker.export(damage + line("bd-a1b2").encode().rstrip())
    before = path.read_bytes()
    assert look_up(tracker.task(), tracker.without_bd).task.title == "Title of bd-a1b2"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "shape",
    ["[issue]", "issue", '{"schema_version": 1, **issue}', '{"schema_version": 1, "items": [issue]}'],
)
def test_a_task_that_is_not_in_the_export_is_queried_from_bd(tmp_path: Path, shape: str) -> None:
    tracker = Tracker(tmp_path, shape=shape)
    tracker.export(line("bd-other"))
    found = look_up(tracker.task(), tracker.site)
    assert (found.task.title, found.status) == ("Add login", "open")
    assert tracker.calls == [["show", "bd-a1b2", "--json", "app", ""]]


def test_bd_is_called_at_start_and_completion(tracker: Tracker) -> None:
    path = tracker.export(line("bd-a1b2"))
    before = path.read_bytes()
    assert report(tracker.task(), "started", tracker.site) is None
    assert tracker.status == "in_progress"
    assert report(tracker.task(), "started", tracker.site) is None
    assert report(tracker.task(), "completed", tracker.site) is None
    assert tracker.status == "closed"
    assert report(tracker.task(), "completed", tracker.site) is None
    assert [call[0] for call in tracker.calls] == ["show", "update", "show", "show", "close", "show"]
    assert path.read_bytes() == before


def test_without_bd_a_status_stays_and_one_line_says_so(tracker: Tracker) -> None:
    path = tracker.export(line("bd-a1b2"))
    before = path.read_bytes()
    trouble = report(tracker.task(), "completed", tracker.without_bd)
    assert reason(trouble) == "network"
    assert trouble
    assert "bd is not on PATH" in trouble.message
    assert path.read_bytes() == before


def test_an_unknown_id_is_reported(tracker: Tracker) -> None:
    task = tracker.task("bd-zzz")
    found = look_up(task, tracker.site)
    assert (found.task, reason(found.trouble)) == (task, "unknown")
    assert reason(report(task, "started", tracker.site)) == "unknown"
    tracker.export(line("bd-zzz", status="tombstone"))
    assert reason(look_up(task, tracker.site).trouble) == "unknown"


def test_a_part_of_an_id_is_not_the_issue(tracker: Tracker) -> None:
    assert reason(look_up(tracker.task("bd-a1"), tracker.site).trouble) == "unknown"
    assert reason(report(tracker.task("bd-a1"), "completed", tracker.site)) == "unknown"
    assert tracker.status == "open"


@pytest.mark.parametrize("id_", ["--force", "-h", "bd a1b2", "bd-a1b2\nbd-b", "a;b-1", "../x-1"])
def test_an_id_is_never_taken_for_an_option_or_a_command(tracker: Tracker, id_: str) -> None:
    assert reason(report(tracker.task(id_), "completed", tracker.site)) == "unknown"
    assert tracker.calls == []


def test_bd_that_hangs_is_ended(tmp_path: Path) -> None:
    tracker = Tracker(tmp_path, before="time.sleep(600)")
    assert reason(look_up(tracker.task(), tracker.site, timeout=0.5).trouble) == "network"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("print('no beads database found\\nrun bd init', file=sys.stderr); sys.exit(1)", "answer"),
        ("print('schema version mismatch', file=sys.stderr); sys.exit(3)", "answer"),
        ("print('{'); sys.exit(0)", "answer"),
        ("print('[[' * 99999); sys.exit(0)", "answer"),
        ("print('[5, null]'); sys.exit(0)", "unknown"),
        ("sys.exit(9)", "answer"),
    ],
)
def test_a_failure_of_bd_is_reported(tmp_path: Path, before: str, expected: str) -> None:
    tracker = Tracker(tmp_path, before=before)
    found = look_up(tracker.task(), tracker.site)
    assert (found.task, reason(found.trouble)) == (tracker.task(), expected)


def test_a_bd_that_cannot_be_started_is_reported(tracker: Tracker) -> None:
    (tracker.bin / "bd").write_bytes(b"\x00\x01")
    assert reason(look_up(tracker.task(), tracker.site).trouble) in ("network", "answer")


def test_in_a_repository_without_beads_bd_is_not_started(tmp_path: Path) -> None:
    tracker = Tracker(tmp_path)
    elsewhere = Site(folders=(tmp_path / "bin",), environ=tracker.site.environ)
    assert reason(look_up(tracker.task(), elsewhere).trouble) == "unknown"
    assert tracker.calls == []
