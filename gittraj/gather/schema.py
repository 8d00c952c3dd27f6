"""The tables of an engine, as data: one schema for DuckDB, PostgreSQL and Parquet. Pure.

Each row begins with ``project_id``, its repository's id. Times are UTC without a zone. A column is a *figure*
(ids, times, numbers, words of ours) or *text* (what somebody wrote, names of people, paths).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal, NamedTuple, get_args

from gittraj.model.values import CostSource, Evidence, FileKind, Role, RunKind, RunOutcome

VERSION = 4
"""The schema's version. Rows of another version are gathered again."""
Type = Literal["text", "int", "real", "bool", "time"]


class Column(NamedTuple):
    name: str
    type: Type
    is_text: bool


def _columns(words: str) -> tuple[Column, ...]:
    """Parse ``name:type`` words; ``!`` marks text, which figures leave out; the default type is ``text``."""
    found = []
    for word in ("project_id", *words.split()):
        name, _, kind = word.removeprefix("!").partition(":")
        found.append(Column(name, kind or "text", word.startswith("!")))  # type: ignore[arg-type]
    return tuple(found)


_USAGE = (
    "input_tokens:int cache_read_tokens:int cache_write_tokens:int output_tokens:int reasoning_tokens:int"
)
_PART = "trajectory_id part_id month"

TABLES: dict[str, tuple[Column, ...]] = {
    "repositories": _columns(
        "name !remote tips contents ruleset version:int gathered_at:time !epoch parts:int"
    ),
    "history": _columns("month !author commits:int"),
    "commits": _columns(
        "commit_id !short !subject !author !author_email date committed_at:time month reached:bool"
        " explained:bool note_bytes:int"
    ),
    "trajectories": _columns(
        "trajectory_id month agent agent_version models !session status !title !task !tags parent_id"
        " started_at:time ended_at:time confidence:real produced:bool has_retrospective:bool"
        " has_decisions:bool has_summary:bool has_tests:bool has_task:bool !retrospective"
    ),
    "parts": _columns(
        f"{_PART} rev:int commit_id counted:bool agent models role incomplete:bool position:int events:int"
        f" started_at:time ended_at:time {_USAGE} has_usage:bool cost_usd:real cost_source prompts:int"
        " messages:int tool_calls:int api_calls:int errors:int subagents:int runs:int verifications:int"
        " artifacts:int checkpoints:int redactions:int segment_bytes:int !prompt !summary summary_by !result"
        " !why !record"
    ),
    "links": _columns(
        "commit_id trajectory_id part_id month role evidence carried:bool incomplete:bool"
        " note_bytes:int !link"
    ),
    "decisions": _columns(
        f"{_PART} number:int !chosen !rejected !question !reasoning decided_by confidence:real !quote !path"
        " line:int"
    ),
    "doubts": _columns(f"{_PART} number:int !doubt stated_by !path line:int"),
    "files": _columns(f"{_PART} !path kind edits:int reverts:int lines:int"),
    "tests": _columns(
        f"{_PART} kind outcome runs:int last_passed:int last_failed:int last_skipped:int last_errors:int"
        " last_exit:int failed_before:int"
    ),
    "texts": _columns(f"{_PART} kind ended_at:time !text !terms"),
    "words": _columns("kind !terms"),
    "events": _columns(f"{_PART} number:int event_id type happened_at:time !content !event"),
}
MONTHLY = frozenset(name for name, columns in TABLES.items() if "month" in {c.name for c in columns})
"""Tables that Parquet partitions by month, too."""

_CARRY = "p.project_id, p.trajectory_id, p.part_id, p.commit_id, p.month"
_NAMED = "JOIN repositories r ON r.project_id = p.project_id"
VIEWS: dict[str, str] = {
    "costs": f"SELECT {_CARRY}, r.name AS repository, p.agent, p.models, p.input_tokens, p.cache_read_tokens,"
    " p.cache_write_tokens, p.output_tokens, p.reasoning_tokens, p.cost_usd, p.cost_source"
    f" FROM parts p {_NAMED} WHERE p.counted",
    "rejected": f"SELECT {_CARRY}, r.name AS repository, c.date, c.subject, d.rejected, d.chosen, d.question,"
    " d.reasoning, d.decided_by, d.confidence FROM decisions d JOIN parts p"
    " ON p.project_id = d.project_id AND p.trajectory_id = d.trajectory_id AND p.part_id = d.part_id"
    f" {_NAMED} LEFT JOIN commits c ON c.project_id = p.project_id AND c.commit_id = p.commit_id"
    " WHERE d.rejected IS NOT NULL",
    "coverage": "SELECT r.project_id, r.name AS repository, coalesce(h.commits, 0) AS commits,"
    " coalesce(c.recorded, 0) AS recorded FROM repositories r LEFT JOIN (SELECT project_id,"
    " sum(commits) AS commits FROM history GROUP BY project_id) h ON h.project_id = r.project_id LEFT JOIN"
    " (SELECT project_id, count(*) AS recorded FROM commits WHERE explained AND reached"
    " GROUP BY project_id) c"
    " ON c.project_id = r.project_id",
}
"""Views for people."""

_TYPES: dict[Type, str] = {
    "text": "text",
    "int": "bigint",
    "real": "double precision",
    "bool": "boolean",
    "time": "timestamp",
}
"""The names of the types, which DuckDB and PostgreSQL share."""


def to_time(seconds: int) -> datetime | None:
    """Convert seconds since 1970 to a time as engines have it; None if it is out of their range."""
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    except (OverflowError, ValueError, OSError):
        return None


def names(table: str) -> list[str]:
    return [column.name for column in TABLES[table]]


def spell_columns(table: str) -> list[str]:
    """Return the columns as a ``CREATE TABLE`` lists them."""
    return [f"{column.name} {_TYPES[column.type]}" for column in TABLES[table]]


_BY = ("agent", "human", "inferred", "model")
_WORDS: dict[str, tuple[str, ...]] = {
    "agent": (
        *("a3s", "agent-trace", "agent-trajectories", "aider", "amp", "antigravity", "atif", "augment"),
        *("claude-code", "cline", "codex", "copilot", "cursor", "gemini-cli", "goose", "kilo"),
        *("mini-swe-agent", "openagents", "openai-chat", "opencode", "openhands", "pi", "qwen-code"),
        *("raw", "swe-agent", "terminal", "unknown", "zwarm"),
    ),
    "status": ("completed", "abandoned", "failed"),
    "role": get_args(Role),
    "evidence": get_args(Evidence),
    "cost_source": get_args(CostSource),
    "kind": (*get_args(FileKind), *get_args(RunKind)),
    "outcome": get_args(RunOutcome),
    "decided_by": _BY,
    "stated_by": _BY,
    "summary_by": _BY,
}
"""The values that figures views show of columns that may contain anything; all others become ``other``."""
_LONGEST = 200  # characters of several names
_SHAPED = ("models", "agent_version")
"""Columns whose values cannot be listed: a value with a space is shown as ``other``."""


def figures() -> Iterator[tuple[str, str]]:
    """Names and queries of views without text: ``figures_parts`` and so on."""
    for table, columns in TABLES.items():
        if table not in ("texts", "words", "events"):
            kept = ", ".join(_figure_sql(column.name) for column in columns if not column.is_text)
            yield f"figures_{table}", f"SELECT {kept} FROM {table}"


def _figure_sql(name: str) -> str:
    """The column's SQL: itself, or a CASE that hides free text (``model:NAME`` becomes ``model``)."""
    if name in _SHAPED:
        free = f"strpos(replace({name}, ', ', ','), ' ') > 0 OR length({name}) > {_LONGEST}"
        return f"CASE WHEN {free} THEN 'other' ELSE {name} END AS {name}"
    if name not in _WORDS:
        return name
    words = ", ".join(f"'{word}'" for word in _WORDS[name])
    first = f"split_part({name}, ':', 1)"
    return f"CASE WHEN {name} IS NULL OR {first} IN ({words}) THEN {first} ELSE 'other' END AS {name}"
