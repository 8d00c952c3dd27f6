"""The recipes in CONTRIBUTING.md: each example is taken from there and run."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from gittraj import formats
from gittraj.agents import InstructionFile
from gittraj.agents.logged import LoggedAgent
from gittraj.commands import export
from gittraj.config import Environ
from gittraj.events.runs import runners
from gittraj.events.runs.summaries import read_summary
from gittraj.formats.base.exported import Exported
from gittraj.model.session_items import Damage, Entry, Fact, Mark
from gittraj.model.values import ToolCall, ToolResult
from gittraj.redact import Span, lines, load, public, tokens
from gittraj.redact.decide import decided
from gittraj.redact.examples import expand
from gittraj.redact.lines import Gate
from gittraj.redact.page import Page

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def example(title: str) -> str:
    """Return the block of code below a recipe's title."""
    block = re.search(
        rf"^### {title}\n.*?^```\w*\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert block, f"no recipe {title}"
    return block[1]


def run(title: str, **names: Any) -> dict[str, Any]:
    """Run the example and return its names; ``names`` replaces its imports."""
    namespace: dict[str, Any] = {"__name__": "recipe", **names}
    exec(compile("from __future__ import annotations\n" + example(title), str(PAGE), "exec"), namespace)
    return namespace


RECORDS: list[dict[str, Any]] = [
    {"id": 1, "who": "human", "text": "Commit it", "at": "2020-01-02T03:04:05Z", "cwd": "/work"},
    {"id": 2, "who": "shell", "text": "git commit -m x", "call": "c1", "cwd": "/work"},
    {"id": 3, "who": "output", "text": "[main 1a2b3c4] x\n 1 file changed", "call": "c1"},
    {"id": 4, "who": "agent", "text": "Done"},
    {"id": 5, "who": "human", "text": "Thanks"},
]
LOG = b"".join(json.dumps({"notebook": "n1", **record}).encode() + b"\n" for record in RECORDS)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> formats.Reader:
    module = types.ModuleType("gittraj.formats.notebook")
    exec(compile(example("A log format"), str(PAGE), "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(formats._READERS, "notebook", module.__name__)
    return formats.reader_of("notebook")


def test_one_module_and_one_line_make_a_format(notebook: formats.Reader) -> None:
    assert formats.detect(LOG) is notebook
    items = list(notebook.read(io.BytesIO(LOG)))
    events = [item.event for item in items if isinstance(item, Entry)]
    assert [type(event).__name__ for event in events] == [
        "Prompt",
        "ToolCall",
        "ToolResult",
        "Message",
        "Prompt",
    ]
    assert events[0].ts == "2020-01-02T03:04:05.000Z"
    call, result = (next(e for e in events if isinstance(e, kind)) for kind in (ToolCall, ToolResult))
    assert call.call_id == result.call_id == "c1"
    assert [item.commits for item in items if isinstance(item, Entry) and item.commits] == [("1a2b3c4",)]
    assert {(item.name, item.value) for item in items if isinstance(item, Fact)} == {
        ("session", "n1"),
        ("folder", "/work"),
    }


def test_the_example_format_survives_a_cut_and_reads_on(notebook: formats.Reader) -> None:
    whole = list(notebook.read(io.BytesIO(LOG)))
    for end in range(len(LOG)):
        part = [item for item in notebook.read(io.BytesIO(LOG[:end])) if not isinstance(item, Damage)]
        assert part == whole[: len(part)]
    for at, item in enumerate(whole):
        if isinstance(item, Mark):
            assert list(notebook.read(io.BytesIO(LOG), cursor=item.cursor)) == whole[at + 1 :]


def test_the_example_of_a_live_agent_runs(tmp_path: Path) -> None:
    (tmp_path / ".notebook").mkdir()
    for name, folder in (("n1", tmp_path), ("n2", "/elsewhere")):
        head = json.dumps({"cwd": str(folder)}).encode()
        (tmp_path / ".notebook" / f"{name}.jsonl").write_bytes(head + b"\n" + LOG)
    names = run("A live agent", LoggedAgent=LoggedAgent, InstructionFile=InstructionFile)
    agent, environ = names["NOTEBOOK"], Environ.of({"HOME": str(tmp_path)})
    (session,) = agent.sessions(environ, [tmp_path], since=0.0)
    assert (session.name, session.path) == ("notebook:n1", agent.find(environ, "n1"))


def test_the_example_of_a_format_to_export_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("recipe_export")
    module.__dict__.update(run("A format to export", json=json))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exported = Exported(
        trajectories=[{"id": "traj_a", "title": "A"}], commits={"traj_a": [{"commit": "c0ffee"}]}
    )
    form = export.Exchange(module=module.__name__, suffix=".lines", each=True)
    assert dict(export.documents(form, exported)) == {
        "traj_a.lines": b'{"id": "traj_a", "title": "A", "commits": ["c0ffee"]}\n'
    }


def test_the_example_of_a_page_runs() -> None:
    chosen = types.SimpleNamespace(
        entries=lambda: [({"abbrev": "c0ffee"}, [{"title": "A"}]), (None, [{"title": "B"}])]
    )
    assert [*run("A page")["write_titles"](chosen)] == ["c0ffee A\n", "no commit B\n"]


def test_the_example_of_a_command_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(run("A command", click=click)["command"])
    assert (done.exit_code, done.output) == (0, "0\n")


def test_the_example_of_a_redaction_rule_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [load.Token(**load._columns(row)) for row in tomllib.loads(example("A redaction rule"))["token"]]
    monkeypatch.setattr(tokens, "forms", lambda: rows)
    (rule,) = tokens._rules()
    for template in rule.good:
        text, _ = expand(template)
        assert text.startswith("acme_live_")
        (span,) = decided(text, rule.find("acme_live_", Page(text, lambda: None)))
        assert text[span.start : span.end] == text
    assert not [*decided(rule.bad[0], rule.find("acme_live_", Page(rule.bad[0], lambda: None)))]


def test_the_example_of_a_redaction_rule_for_a_line_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    (table,) = tomllib.loads(example("A redaction rule for a line"))["rule"]
    row = load.line_rule(table)
    monkeypatch.setattr(lines, "line_rules", lambda: (row,))
    monkeypatch.setattr(lines, "_gate", lambda: Gate([row.keywords]))
    for text, number in ((row.good[0], 1), (row.bad[0], 0)):
        page = Page(expand(text)[0], lambda: None)
        assert [span.rule for span in decided(page.text, lines.lines(page))] == [row.id] * number


def test_the_example_of_an_exemption_from_redaction_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    (table,) = tomllib.loads(example("An exemption from redaction"))["reason"]
    exemption = public._Exemption(load.reason(table))
    for text, holds in (("acme build token: 0a1b2c3d4e5f", True), ("acme token: 0a1b2c3d4e5f", False)):
        assert exemption.holds(text, Span(len(text) - 12, len(text), "named-token", "token")) is holds


def test_the_example_of_a_test_runner_runs() -> None:
    (row,) = tomllib.loads(example("A test runner"))["runner"]
    runner = runners._row(row)
    assert runner.command.match("foobar --all")
    verdict = read_summary(runner, "3 ok, 1 bad\n", ["foobar"], "whole")
    assert verdict is not None
    assert verdict.counts is not None
    assert (verdict.outcome, verdict.counts.passed, verdict.counts.failed) == ("failed", 3, 1)
