"""Writing a session as agent-trace records, OpenTelemetry spans and CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from gittraj.formats import csv_table as headers
from gittraj.formats import open_telemetry
from gittraj.formats.agent_trace import read as reader
from gittraj.formats.agent_trace import write as agent_trace
from gittraj.formats.base.exported import Exported, Run
from gittraj.model.session_items import Entry
from gittraj.model.values import Message, ToolCall, ToolResult, Usage
from tests.unit.formats.interchange.test_atif import SESSION, T0
from tests.unit.formats.interchange.trajectories import AGENT, ID, build_trajectory

COMMIT = {"commit": "c0ffee" * 6 + "c0ff", "date": "2026-01-02T04:04:05+01:00", "subject": "Add"}
RUNS = [
    Run(path="a", first=1, last=2, sha256="0" * 64, trajectory=ID),
    Run(path="a", first=4, last=4, sha256="1" * 64),
    Run(path="b\udc80", first=1, last=1, sha256="2" * 64, trajectory=ID),
]


def exported(*trajectories: dict[str, Any]) -> Exported:
    commits = {trajectory["id"]: [COMMIT] for trajectory in trajectories}
    return Exported(trajectories=trajectories, commits=commits, runs=lambda _: RUNS)


def test_one_record_per_commit_attributes_its_lines(tmp_path: Path) -> None:
    (line,) = agent_trace.write(exported(build_trajectory(SESSION)))
    record = json.loads(line)
    assert (record["version"], record["timestamp"]) == ("0.1.0", "2026-01-02T03:04:05.000Z")
    assert record["vcs"] == {"type": "git", "revision": COMMIT["commit"]}
    mine, unknown = record["files"][0]["conversations"]
    assert mine["ranges"] == [{"start_line": 1, "end_line": 2, "content_hash": "sha256:" + "0" * 64}]
    assert mine["contributor"] == {"type": "ai", "model_id": "m"}
    assert (unknown["contributor"], "url" in unknown) == ({"type": "unknown"}, False)
    assert [*agent_trace.write(exported(build_trajectory(SESSION)))] == [line]
    (tmp_path / "f").write_text(line)
    (session,) = reader.sessions(tmp_path / "f")
    contents = [i.event.content for i in reader.read(tmp_path / "f", session) if isinstance(i, Entry)]
    assert contents == ["a:1-2", "a:4", "b?:1"]


def test_with_several_models_none_is_named() -> None:
    (line,) = agent_trace.write(exported(build_trajectory(SESSION, models=["claude-x", "claude-y"])))
    assert json.loads(line)["files"][0]["conversations"][0]["contributor"] == {"type": "ai"}


def test_a_table_has_one_row_per_trajectory_and_no_formula() -> None:
    text = "".join(
        headers.write(
            exported(
                build_trajectory([], title="=1+1", prompt='say "x",\ny'), build_trajectory(SESSION, id="t")
            )
        )
    )
    first, second = csv.DictReader(io.StringIO(text, newline=""))
    assert (first["title"], first["prompt"]) == ("'=1+1", 'say "x",\ny')
    assert (second["id"], second["commits"], second["costUsd"]) == ("t", COMMIT["commit"], "")
    assert text.count("\r\n") == 3
    assert "".join(headers.write(exported())) == ""


def spans(*trajectories: dict[str, Any]) -> list[dict[str, Any]]:
    document = json.loads("".join(open_telemetry.write(exported(*trajectories))))
    all_spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    for span in all_spans:
        span["attributes"] = {each["key"]: each["value"] for each in span["attributes"]}
    return list(all_spans)


def test_spans_have_names_times_and_tokens_but_no_texts() -> None:
    usage = Usage(input_tokens=1, cache_read_tokens=2, output_tokens=3)
    root, chat, tool = spans(
        build_trajectory([
            ToolCall(id="c", ts=T0, name="Bash", arguments={"x": "private"}, call_id="1", response="r",
                     model="claude-opus", usage=usage),
            ToolResult(id="o", ts="2026-01-02T03:04:07.000Z", content="private", call_id="1", exit_code=1),
        ])
    )  # fmt: skip
    assert [each["name"] for each in (root, chat, tool)] == [
        *(f"invoke_agent {AGENT}", "chat claude-opus", "execute_tool Bash"),
    ]
    assert {len(each["traceId"]) for each in (root, chat, tool)} == {32}
    assert {len(each["spanId"]) for each in (root, chat, tool)} == {16}
    assert chat["parentSpanId"] == tool["parentSpanId"] == root["spanId"]
    assert chat["attributes"]["gen_ai.usage.input_tokens"] == {"intValue": "3"}
    assert chat["attributes"]["gen_ai.provider.name"] == {"stringValue": "anthropic"}
    assert int(tool["endTimeUnixNano"]) - int(tool["startTimeUnixNano"]) == 2_000_000_000
    assert (tool["status"], tool["attributes"]["error.type"]["stringValue"]) == ({"code": 2}, "tool_error")
    assert "private" not in json.dumps([root, chat, tool])


def test_a_subagents_span_is_in_the_trace_of_its_parent() -> None:
    child = build_trajectory([Message(id="m", content="x")], id="child", parent={"id": ID, "event": None})
    above, below = spans(build_trajectory([]), child)
    assert (below["traceId"], below["parentSpanId"]) == (above["traceId"], above["spanId"])
