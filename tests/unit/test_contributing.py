"""The example in CONTRIBUTING.md is a whole reader: it is taken from there and run."""

from __future__ import annotations

import io
import json
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from gittraj import formats
from gittraj.model.session_items import Damage, Entry, Fact, Mark
from gittraj.model.values import ToolCall, ToolResult

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
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
    found = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    module = types.ModuleType("gittraj.formats.notebook")
    exec(compile(found[1], str(PAGE), "exec"), module.__dict__)
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


def test_it_survives_a_cut_and_reads_on(notebook: formats.Reader) -> None:
    whole = list(notebook.read(io.BytesIO(LOG)))
    for end in range(len(LOG)):
        part = [item for item in notebook.read(io.BytesIO(LOG[:end])) if not isinstance(item, Damage)]
        assert part == whole[: len(part)]
    for at, item in enumerate(whole):
        if isinstance(item, Mark):
            assert list(notebook.read(io.BytesIO(LOG), cursor=item.cursor)) == whole[at + 1 :]
