"""Doubts and rejected alternatives are shown at the lines that they are about, and nowhere else."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import Any

import pytest

from github_action.annotating import Annotation, as_code_quality, find_annotations
from github_action.console import Console
from github_action.placing import post_check
from gittraj.model.values import CaveatSource, Decision, FileChanged, TestRuns
from gittraj.query.diff import Diff
from gittraj.render.comment.flags import find_flags
from tests.integration.story import record
from tests.unit.github_action.runner import Log
from tests.unit.render.changes import A, B, change_of, figures, whole
from tests.unit.render.test_inert import hostile

PATCH = "@@ -0,0 +1,30 @@\n+def retry_after():\n" + "+\n" * 29
DIFF = Diff.of(["src/pool.py", "src/retry.py"], {"src/retry.py": PATCH})


def chose(chosen: str, line: int, confidence: float | None = 0.1, **more) -> Decision:
    return Decision(chosen=chosen, by="agent", path="src/retry.py", line=line, confidence=confidence, **more)


def annotations_of(*chosen: Decision, caveats: tuple[str, ...] = (), sources: tuple[CaveatSource, ...] = ()):
    fields = figures(decisions=chosen, caveats=caveats, caveat_sources=sources)
    change = change_of({B: [record("traj_one", whole=whole(), **fields)]}, diff=DIFF)
    return find_annotations(change, find_flags(change))


def test_the_least_sure_annotation_comes_first_and_each_line_has_one() -> None:
    unsure, worse = chose("seconds only", 4, 0.55), chose("five", 9, 0.2, question="How often?")
    rejected = chose("a loop", 12, None, alternatives=("a queue",), reasoning="no worker")
    again = chose("too", 4, None, alternatives=("x",))
    annotations = annotations_of(unsure, worse, rejected, again, caveats=("Is retry_after() right?",))
    assert [(each.line, each.title, each.text) for each in annotations] == [
        (9, "Claude Code was unsure (20\u00a0%)", "How often? five"),
        (4, "Claude Code was unsure (55\u00a0%)", "seconds only"),
        (1, "Claude Code warned", "Is retry_after() right?"),
        (12, "Rejected: a queue", "a loop, not a queue, because no worker"),
    ]  # fmt: skip


def test_a_text_that_names_no_line_of_the_diff_is_not_annotated() -> None:
    elsewhere = Decision(chosen="x", by="agent", confidence=0.1, path="src/gone.py", line=1)
    beyond = chose("x y", 99)
    source = CaveatSource(event="e", by="inferred", path="src/pool.py", line=3)
    assert annotations_of(elsewhere, beyond, caveats=("Is it fast?", "And this?"), sources=(source,)) == []


@pytest.mark.parametrize(
    ("edited", "at"),
    [
        (("src/retry.py",), "src/retry.py"),
        (("src/pool.py", "src/retry.py"), None),
        (("src/pool.py", "tests/test_retry.py", "src/retry.py"), "tests/test_retry.py"),
        (("docs/gone.md",), None),
    ],
)
def test_a_failed_test_is_shown_at_the_only_file_that_its_session_edited(
    edited: tuple[str, ...], at: str | None
) -> None:
    diff = Diff.of(edited, dict.fromkeys(edited, "@@ -0,0 +3,2 @@\n+one\n+two\n"))
    failed = TestRuns(runs=1, ran=True, kind="test", outcome="failed", last_failed=2)
    fields = figures(tests=failed, files=tuple(FileChanged(path=path, edits=1) for path in edited))
    change = change_of({A: [record("traj_one", whole=whole(), **fields)]}, diff=diff)
    annotations = find_annotations(change, find_flags(change))
    title = "The last test run of a session failed: 2 failed (recorded on a1a1a1a)"
    shown = (at, 3, title, "Its session edited this file.")
    assert [(each.path, each.line, each.title, each.text) for each in annotations] == ([shown] if at else [])


def test_there_are_at_most_ten_annotations() -> None:
    many = tuple(
        Decision(chosen=str(n), by="agent", confidence=0.1, path="src/retry.py", line=n) for n in range(1, 31)
    )
    assert len(annotations_of(*many)) == 10
    stream = io.StringIO()
    console = Console(stream)
    console.annotate("notice", "ours")
    for each in annotations_of(*many):
        console.annotate_line(each.text, title=each.title, file=each.path, line=each.line)
    assert stream.getvalue().count("\n") == 10, "the others are not printed"


@pytest.mark.parametrize("seed", range(60))
def test_hostile_text_makes_exactly_one_notice(seed: int) -> None:
    evil = hostile(seed) + "\n::error::x\r##[error]y,line=1::%0A" + hostile(seed + 99)
    stream = io.StringIO()
    Console(stream).annotate_line(evil, title=evil, file=evil, line=3)
    log = Log().read(stream.getvalue())
    ((name, given, text),) = log.commands
    assert (name, given.keys(), given["line"]) == ("notice", {"file", "line", "title"}, "3")
    assert not log.lines
    assert "\n" not in text


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\U000e0041", "\x1b", "\n::error::", "\u2028"])
def test_hidden_text_is_neither_in_a_check_run_nor_in_code_quality(hidden: str) -> None:
    change = change_of({A: [record("traj_one", whole=whole())]})
    annotations = [Annotation("src/a.py", 3, f"title{hidden}", f"text{hidden}")]
    sent: list[dict[str, Any]] = []
    requester = SimpleNamespace(requestJsonAndCheck=lambda *_, **given: sent.append(given["input"]))
    api: Any = SimpleNamespace(repository=SimpleNamespace(url="", requester=requester))
    post_check(api, change, annotations, title="", summary="")
    (shown,) = sent[0]["output"]["annotations"]
    (row,) = json.loads(as_code_quality(annotations))
    for text in (shown["title"], shown["message"], row["description"]):
        assert text.startswith(("title", "text"))
        assert hidden not in text
        assert text.isprintable()
