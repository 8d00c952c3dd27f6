"""No record makes the comment empty or slow: what exceeds a limit is cut, and the rest is shown."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gittraj.model.codec import encode_line
from gittraj.model.values import CaveatSource, Decision, FileChanged
from gittraj.query.change import Change, Reviewed
from gittraj.query.read_change import find_sessions
from gittraj.query.records import Recorded
from gittraj.render.comment.comment import CommentOptions, render_comment
from gittraj.render.comment.tables import Location
from gittraj.render.text.terminal import cut
from tests.integration.story import record
from tests.sizes import size, some
from tests.unit.render.changes import figures, whole
from tests.unit.render.test_inert import hostile

COMMIT = "a1" * 20


def line(trajectory: str = "traj_one", at: int = 0, **fields: Any) -> str:
    own = {"evidence": "agent"}
    part = {"first": f"e{at}", "last": f"e{at}", "n": 1, "at": at}
    required = {"v": 1, "id": trajectory, "rev": 1, "role": "produced", "link": own, "range": part}
    return json.dumps({**required, **fields})


def changed(*lines: str) -> Change:
    recorded = Recorded([(COMMIT, "\n".join(lines).encode())])
    headers = tuple(f.header(COMMIT) for f in recorded.on(COMMIT) if f.records(COMMIT))
    commit = Reviewed(commit=COMMIT, subject="Begin", trajectories=headers, files=("a.py",))
    sessions = find_sessions(recorded, [COMMIT])
    return Change(head=COMMIT, commits=(commit,), sessions=sessions, files=("a.py",), notes="d" * 40)


def render(change: Change) -> str:
    return render_comment(change, Location(), CommentOptions(prompts=True))


def decision(chosen: str, **more: Any) -> dict[str, Any]:
    return {"chosen": chosen, "by": "agent", **more}


@pytest.mark.parametrize("sign", ["\u0301", "\u0301\u200d", "&", "\x1b", "|", "\u202e", "漢", "@a "])
def test_one_long_text_does_not_empty_the_comment(sign: str) -> None:
    """The limit counts neither width nor raw text: combining marks have no width, and escaping adds
    characters."""
    long = "x" + sign * 10_000
    fields = {
        "decisions": [decision(long, alternatives=[long], reasoning=long, confidence=0.1)],
        **dict.fromkeys(("title", "agent", "prompt", "why", "result"), long),
    }
    for more in ({"caveats": [long]}, {"retrospective": {"by": long, "summary": long}}):
        text = render(changed(line(**fields, **more), line("traj_two", decisions=[decision("plain")])))
        assert len(text) < 60_000
        assert "**Decided**" in text
        assert "plain" in text
        assert "Shortened" not in text


def test_a_cut_also_limits_characters_without_width() -> None:
    assert len(cut("e" + "\u0301" * 70_000, 300)) == 300 * 4 + 1, "four for each column, and an ellipsis"


@pytest.mark.parametrize("number", ["9" * 310, "-" + "9" * 310, "1e999", "NaN"])
@pytest.mark.parametrize("where", ["rev", "costUsd", "usage"])
def test_an_absurd_number_invalidates_only_its_own_line(number: str, where: str) -> None:
    figure: Mapping[str, Any] = {where: {"inputTokens": "N"} if where == "usage" else "N"}
    bad = line("traj_bad", **figure).replace('"N"', number)
    assert "**1 of 1 commit**" in render(changed(bad, line(decisions=[decision("plain")])))


@pytest.mark.parametrize("number", [-5, 3, 1e300, -1e300, 10**38])
def test_an_invalid_confidence_is_unknown(number: float) -> None:
    damaged = line(
        decisions=[decision("plain", confidence=number)],
        retrospective={"by": "agent", "summary": "done", "confidence": number},
        costUsd=number,
        usage={"inputTokens": number, "outputTokens": number} if type(number) is int else None,
        tests={"runs": -3, "outcome": "failed", "lastFailed": -3, "kind": "test"},
        files=[{"path": "a.py", "edits": -9, "reverts": -9}],
        counts={"toolCalls": -3},
    )
    twice = line("traj_two", costUsd=1e308), line("traj_three", costUsd=1e308)
    change = changed(damaged, *twice)
    text = render(change)
    assert not [word for word in ("inf", "nan", "-5", "-3", "-9", "00\u00a0%", "300") if word in text], text
    assert [d["confidence"] for t in change.sessions for d in t["decisions"]] == [None]


ODD = (
    *(None, True, -1, 0, 10**39, -1e300, 1e308, 5e-324, "", "x" * 5_000, [], {}, [[[]]], ["a"] * 300),
    *(
        "\ud800",
        "\0",
        "9" * 400,
        "2026-13-01T00:00:00Z",
        "9999-12-31T23:59:59+14:00",
        "0001-01-01T00:00:00-14:00",
    ),
)


def full() -> dict[str, Any]:
    unsure = Decision(chosen="a", by="agent", alternatives=("b",), confidence=0.4, path="a.py", line=1)
    source = CaveatSource(event="e", by="inferred", path="a.py", line=3)
    fields = figures(decisions=(unsure,), caveats=("c",), caveat_sources=(source,))
    fields["files"] = (FileChanged(path="a.py", edits=2),)
    value: dict[str, Any] = json.loads(encode_line(record("traj_one", whole=whole(), **fields)))
    return value


def spoil(value: Any, rng: random.Random) -> Any:
    """Return ``value`` with one value, at any depth, replaced by an unusual one."""
    if not isinstance(value, dict | list) or not value or ("v" not in value and rng.random() < 0.2):
        return rng.choice(ODD) if rng.random() < 0.8 else hostile(rng.randrange(9_999))
    copy = value.copy()
    key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    copy[key] = spoil(value[key], rng)
    return copy


RECORDS = size(1_000, 20_000, "GIT_TRAJ_FUZZED")


@pytest.mark.parametrize("seed", range(4))
def test_any_record_can_be_rendered_in_a_comment(seed: int) -> None:
    """Ten unusual records at a time, next to a plain one."""
    rng, value = random.Random(seed), full()
    for _ in range(RECORDS // 40):
        some = [json.dumps({**spoil(spoil(value, rng), rng), "rev": n}) for n in range(2, 12)]
        text = render(changed(*some, line("traj_plain", decisions=[decision("plain")])))
        assert len(text) <= 60_000
        assert "plain" in text, some
        assert not re.search(r"\binf\b|\bnan\b", text), some


def lines(field: str, number: int, entry: Callable[[str], Any]) -> list[str]:
    """Return 16 lines of one trajectory, each with ``number`` entries in ``field``."""
    return [line(at=m, **{field: [entry(f"{m} {n}") for n in range(number)]}) for m in range(16)]


def deleted(n: int) -> str:
    return json.dumps({"v": 1, "id": f"traj_{n}", "deleted": "2026-01-01T00:00:00Z"})


FULL = {
    "records": lambda: [line(f"traj_{n}", at=n) for n in range(6_000)],
    "parts": lambda: [line(at=n) for n in range(6_000)],
    "decisions": lambda: lines("decisions", 900, lambda text: decision(text, confidence=0.1)),
    "inferred": lambda: lines(
        "decisions", 900, lambda text: {"chosen": text, "by": "inferred", "quote": text}
    ),
    "caveats": lambda: lines("caveats", 4_000, str),
    "files": lambda: lines("files", 1_500, lambda text: {"path": text, "edits": 9}),
    "models": lambda: lines("models", 4_000, str),
    "deleted": lambda: [deleted(n) for n in range(5_000)] + [line(f"traj_{n}") for n in range(3_000, 6_000)],
}


@pytest.mark.parametrize("name", some(FULL, 1))
def test_a_full_note_is_rendered_quickly(name: str) -> None:
    """Each is about 800 kB; comparing each entry with each other would take minutes."""
    note = FULL[name]()
    began = time.process_time()
    assert len(render(changed(*note))) < 60_000
    assert time.process_time() - began < 30
