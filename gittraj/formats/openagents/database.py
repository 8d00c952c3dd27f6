"""Reads OpenAgents' database: ``trajectories``, one document per session, and ``testgen_trajectories``.

OpenAgents' migration ``004_trajectories`` creates the tables. A document is ATIF. If a session generated
tests, its row in the second table has more and is read instead: the task becomes the prompt, the environment
an artifact; consecutive tests of a category become a chapter with a verification that nobody has run yet; the
thoughts after a round become a ``reflection``; uncertainties become challenges in the retrospective, whose
``raw`` keeps the row's other columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gittraj.errors import FormatError
from gittraj.formats.atif import read as atif
from gittraj.formats.base import coerce
from gittraj.formats.base.position import facts
from gittraj.formats.base.sqlite import first_row, has_columns, open_database
from gittraj.model.session_items import Damage, Entry, Fact, Item, Spent, TurnEnd
from gittraj.model.values import (
    AnyEvent,
    Foreign,
    Json,
    NoteEvent,
    Prompt,
    Retrospective,
    RetrospectiveEvent,
    Usage,
)

if TYPE_CHECKING:
    from sqlite3 import Connection

name = "openagents"
agent = "openagents"

_TABLE = (
    "session_id, schema_version, agent_name, agent_version, model_name, total_cost_usd, trajectory,"
    " created_at FROM trajectories"
)
_TESTGEN = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'testgen_trajectories'"
_JSON = ("category_rounds", "tests", "reflections", "environment", "uncertainties")


def detect(path: Path) -> bool:
    return has_columns(path, _TABLE)


def sessions(path: Path) -> Iterator[str]:
    """Yield the ids of the sessions, the oldest first, each followed by the ids of its subagents.

    Raises OSError, FormatError.
    """
    with open_database(path) as database:
        rows = database.execute(
            "SELECT session_id FROM trajectories ORDER BY created_at, session_id"
        ).fetchall()
        for (session,) in rows:
            if coerce.text(session):
                row = _row(database, session)
                yield from dict.fromkeys((session, *(atif.sessions_of(row["document"]) if row else ())))


def read(path: Path, session: str) -> Iterator[Item]:
    with open_database(path) as database:
        top = session
        while (row := _row(database, top)) is None and "/" in top:  # a subagent of another session
            top = top.rpartition("/")[0]
        generated = _testgen(database, top) if row else None
    if row is None:
        raise FormatError(f"{path}: no session '{session}' in it")
    if generated is not None:
        yield from _items(row, generated)
        yield from _spent(row)
    elif atif.is_trajectory(row["document"]):
        yield from atif.read_value(row["document"], session)
    else:
        yield from facts(agent=coerce.text(row["agent_name"]) or agent, session=session)
        yield Damage(at=0, why=f"session {session}: its document is not ATIF")


def _row(database: Connection, session: str) -> dict[str, Any] | None:
    """The session's row, with its parsed JSON as ``document``."""
    row = first_row(database, "SELECT * FROM trajectories WHERE session_id = ?", session)
    if row is not None:
        document = coerce.mapping(coerce.parsed(row["trajectory"]))
        row["document"] = {**document, "session_id": session} if document else {}
    return row


def _testgen(database: Connection, session: str) -> dict[str, Any] | None:
    """The session's row of generated tests, with its JSON columns parsed; None if it generated none."""
    if not database.execute(_TESTGEN).fetchone()[0]:
        return None
    row = first_row(database, "SELECT * FROM testgen_trajectories WHERE session_id = ?", session)
    return row and {**row, **{key: coerce.parsed(row.get(key)) for key in _JSON}}


# ---------------------------------------------------------------- generated tests

ROW = "testgen"
"""The field of the last event's ``raw`` that keeps the row's columns."""
_LAST = "end:0"
_IN_EVENTS = ("session_id", "task_description", "tests", "reflections", "environment", "uncertainties")


def _items(session: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the items of the session's ``row`` of generated tests, whose JSON is parsed already."""
    task = coerce.text(row.get("task_id"))
    yield from facts(
        agent=coerce.text(session["agent_name"]) or agent,
        session=coerce.text(row.get("session_id")),
        agent_version=coerce.text(session["agent_version"]),
        model=coerce.text(session["model_name"]),
        task=f"openagents:{task}" if task else None,
        task_title=task,
        status="completed",
    )
    yield from (Entry(event=event, end=number) for number, event in enumerate(_events(row)))
    yield TurnEnd(end=0)


def _spent(session: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the cost and the tokens of a session's row in ``trajectories``. The row states only the sum of
    the tokens: the last event gets all of them."""
    cost = coerce.cost(session.get("total_cost_usd"))
    if cost is not None:
        yield Fact(name="cost_usd", value=cost)
    final = coerce.mapping(coerce.at(session, "document", "final_metrics"))
    names = ("total_prompt_tokens", "total_cached_tokens", None, "total_completion_tokens")
    usage = coerce.usage(final, names, cached_in_input=True)
    if usage != Usage():
        yield Spent(response=_LAST, usage=usage)


def _events(row: Mapping[str, Any]) -> Iterator[AnyEvent]:
    yield Prompt(id="task:0", content=coerce.text(row.get("task_description")) or "")
    environment = row.get("environment")
    if environment is not None:
        text = json.dumps(environment, ensure_ascii=False, indent=2)
        yield Foreign(id="environment:0", content=text, type="artifact", raw={"name": "environment"})
    thoughts = list(enumerate(coerce.objects(row.get("reflections"))))
    rounds = [(c, list(group)) for c, group in groupby(coerce.objects(row.get("tests")), _category)]
    upcoming = [category for category, _ in rounds]
    for number, (category, tests) in enumerate(rounds):
        upcoming.remove(category)
        yield NoteEvent(id=f"round:{number}", content=_title(row, category), kind="chapter")
        yield _verification(row, number, category, tests)
        if category not in upcoming:
            for at, thought in [item for item in thoughts if _category(item[1]) == category]:
                thoughts.remove((at, thought))
                yield _reflection(at, thought)
    yield from (_reflection(at, thought) for at, thought in thoughts)
    yield _retrospective(row)


def _category(value: Mapping[str, Any]) -> str:
    return coerce.text(value.get("category")) or ""


def _title(row: Mapping[str, Any], category: str) -> str:
    rounds = coerce.count(coerce.mapping(row.get("category_rounds")).get(category))
    return f"{category or 'tests'}{f', {rounds} rounds' if rounds > 1 else ''}"


def _verification(
    row: Mapping[str, Any], number: int, category: str, tests: list[dict[str, Any]]
) -> NoteEvent:
    descriptions = list(map(_test_line, tests))
    checks: list[Json] = [
        {"kind": category, "description": description, "status": "needs_review", "test": test}
        for description, test in zip(descriptions, tests, strict=True)
    ]
    lines = [f"{category or 'tests'}: needs_review", *(f"- {text}" for text in descriptions)]
    raw = {"subject": row.get("task_id"), "status": "needs_review", "checks": checks}
    return NoteEvent(id=f"tests:{number}", content="\n".join(lines), kind="verification", raw=raw)


def _test_line(test: Mapping[str, Any]) -> str:
    expected = test.get("expectedOutput", test.get("expected_output"))
    text = f"{coerce.text(test.get('input')) or ''} → {'' if expected is None else expected}"
    reason = coerce.text(test.get("reasoning"))
    return f"{text}: {reason}" if reason else text


def _reflection(number: int, thought: Mapping[str, Any]) -> Foreign:
    text = coerce.first(thought, "reflectionText", "text") or ""
    return Foreign(id=f"reflection:{number}", content=text, type="reflection", raw=dict(thought))


def _retrospective(row: Mapping[str, Any]) -> RetrospectiveEvent:
    challenges = tuple(coerce.texts(row.get("uncertainties")))
    score = coerce.cost(row.get("comprehensiveness_score"))
    tests, rounds = coerce.count(row.get("total_tests")), coerce.count(row.get("total_rounds"))
    tokens = coerce.count(row.get("total_tokens_used"))
    return RetrospectiveEvent(
        id=_LAST,
        response=_LAST,
        ts=coerce.stamp(row.get("created_at")),
        content=f"{tests} tests in {rounds} rounds{f', {tokens:,} tokens' if tokens else ''}",
        duration_ms=coerce.number(row.get("duration_ms")),
        retrospective=Retrospective(
            by="agent",
            challenges=challenges,
            confidence=None if score is None else min(max(score / 10, 0.0), 1.0),
        ),
        raw={ROW: {key: value for key, value in row.items() if key not in _IN_EVENTS or not value}},
    )
