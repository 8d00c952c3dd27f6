"""``git traj stats``: what it counts, that nothing counts twice, and that the index changes no number."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.index import counters
from gittraj.model.values import Counts, Decision, Link, Retrospective, SegmentRef, SessionInfo, Usage
from gittraj.render.text.stats import render_stats
from gittraj.render.text.terminal import Page
from tests.integration.command import traj
from tests.integration.random_history import RandomHistory
from tests.integration.repository import Git
from tests.integration.story import Story, record
from tests.integration.unindexed import without
from tests.sizes import some

Stats = Callable[..., dict[str, Any]]
CODEX = SessionInfo(agent="codex", session="s2", models=("gpt-5.5",))


@pytest.fixture
def stats(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Stats:
    """A function that returns ``git traj stats … --json``, which must be the same without an index."""

    def run(root: Path, *words: str) -> dict[str, Any]:
        documents = []
        for folder in (root, without(root)):
            monkeypatch.chdir(folder)
            assert call(["stats", "--json", *words]) == 0
            documents.append(json.loads(capsys.readouterr().out))
        assert documents[0] == documents[1], words
        found: dict[str, Any] = documents[0]
        return found

    return run


@pytest.fixture
def commit_ids(git: Git, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A history in which a part was cherry-picked to another commit, a commit and a merge have no record, a
    session is recorded by itself and by its subagent, and one session made no commit."""
    made: dict[str, str] = {}

    def commit(name: str, files: dict[str | bytes, Any], when: str, author: str = "One") -> None:
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{when}T12:00:00+0000")
        monkeypatch.setenv("GIT_AUTHOR_NAME", author)
        made[name] = git.commit(files, name)

    commit("first", {"a.py": "a\n" * 9}, "2026-01-05")
    commit("second", {"src/b.py": "b\n" * 9}, "2026-01-09", "Two")
    commit("bare", {"a.py": "a\n"}, "2026-02-01")
    git("switch", "--quiet", "--create", "side", "HEAD~1")
    commit("picked", {"src/deep/c.py": "c\n"}, "2026-02-02")
    git("switch", "--quiet", "main")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-02-03T12:00:00+0000")
    git("merge", "--quiet", "--no-ff", "-m", "a merge", "side")
    commit("codex", {"src/e.py": "b\n" * 9}, "2026-03-01", "Two")
    git("mv", "src/e.py", "src/f.py")
    commit("last", {}, "2026-03-02")

    decided = Decision(chosen="this", by="agent")
    segment = SegmentRef(name="000000-0", month="2026-01", bytes=1000, sha256="0" * 64)
    spent: dict[str, Any] = {"usage": Usage(input_tokens=100, output_tokens=10), "cost_usd": 0.5}
    spent["cost_source"] = "reported"
    more: dict[str, Any] = {"usage": Usage(input_tokens=7, cache_read_tokens=50, output_tokens=5)}
    with git.open() as repository:
        story = Story(repository)
        story.note(made["first"], record("traj_one", at=0, n=5, segments=[segment], **spent))
        second = record("traj_one", at=5, n=5, decisions=(decided,), **more)
        story.note(made["second"], second)
        link = Link(evidence="agent", carried_from=(made["second"],))
        carried = record("traj_one", at=5, n=5, link=link, decisions=(decided,), **more)
        # two captures with different cuts overlap: the events count once
        story.note(made["picked"], carried, record("traj_one", at=7, n=2, **spent))
        thanks = Retrospective(by="agent", summary="Well")
        story.note(
            made["codex"],
            record(
                "traj_two",
                whole=SessionInfo(agent="codex", session="s2", models=("gpt-5.5",), retrospective=thanks),
            ),
            record("traj_sub", whole=CODEX, cost_usd=0.25, cost_source="estimated"),
        )
        story.note(made["last"], record("traj_idle", role="explored", whole=SessionInfo(), **spent))
    return made


def test_a_row_of_stats_is_not_cut_on_80_columns(git: Git, story: Story, stats: Stats) -> None:
    name = "a-model-of-which-the-name-is-long"
    used = Usage(input_tokens=123_456_789, cache_read_tokens=987_654_321, output_tokens=1_234_567)
    parsed = SessionInfo(agent="codex", session="s2", models=(name,))
    made = record(usage=used, cost_usd=1234.5, whole=parsed, counts=Counts(malformed=1234))
    story.note(git.commit({"a": "1"}), made)
    found = stats(git.root, "--by", "model")
    for columns in (80, 40):
        page = Page(columns)
        rows = render_stats(found["total"], found["rows"], page, page).split("\n\n")[-1].splitlines()
        assert "1234 parse failures" in " ".join(" ".join(rows).split())
        assert max(map(len, rows)) <= max(columns, 44), "name, bar and share take 44"
    (row,) = render_stats(found["total"], found["rows"], Page(100), Page(250)).split("\n\n")[-1].splitlines()
    assert "1234 parse failures" in row, "a wide terminal has room for a row"


def test_stats_says_that_it_counts_stated_decisions(git: Git, story: Story) -> None:
    drawn = Decision(chosen="a set", by="inferred", quote="a set", event="m")
    story.note(git.commit({"a": "1"}), record(decisions=(drawn,)))
    assert ", stated decisions 0/1," in traj(git.root, "stats").stdout


def test_each_part_counts_once(git: Git, commit_ids: dict[str, str], stats: Stats) -> None:
    found = stats(git.root)
    total = found["total"]
    assert (total["commits"], total["recorded"], total["mergesLeftOut"]) == (6, 4, 1)
    assert (total["trajectories"], total["withoutCommit"], total["sessions"]) == (4, 1, 3)
    assert (total["usage"]["inputTokens"], total["usage"]["outputTokens"]) == (207, 25)
    assert total["usage"]["cacheReadTokens"] == 50
    assert (total["costUsd"], total["costSource"]) == (1.25, "estimated")
    assert (total["tellingUsage"], total["tellingCost"]) == (2, 3)
    assert total["telling"] == {"retrospective": 1, "decisions": 1, "summary": 1, "tests": 0, "task": 0}
    assert {each["name"]: each["trajectories"] for each in total["agents"]} == {
        "codex": 2,
        "claude-code": 1,
        "a person": 1,
    }
    assert {each["name"]: each["trajectories"] for each in total["models"]} == {"gpt-5.5": 2, None: 2}
    assert total["bytes"]["events"] == 1000
    assert total["bytes"]["records"] == sum(
        len(git("notes", "--ref=traj", "show", commit)) + 1
        for name, commit in commit_ids.items()
        if name != "bare"
    )
    assert total["bytes"]["disk"] > 500

    rows = {row["name"]: row for row in found["rows"]}
    assert [row["name"] for row in found["rows"]] == ["2026-03", "2026-02", "2026-01"]
    assert (rows["2026-01"]["recorded"], rows["2026-01"]["commits"]) == (2, 2)
    assert (rows["2026-02"]["recorded"], rows["2026-02"]["commits"]) == (1, 2)
    assert rows["2026-02"]["usage"]["inputTokens"] is None  # the only part there counts in January
    assert rows["2026-02"]["costUsd"] is None


def test_the_rows_add_up_to_the_total(git: Git, commit_ids: dict[str, str], stats: Stats) -> None:
    for by in ("month", "agent", "model", "author"):
        found = stats(git.root, "--by", by)
        rows = found["rows"]
        for key in ("inputTokens", "outputTokens", "cacheReadTokens"):
            assert sum(row["usage"][key] or 0 for row in rows) == found["total"]["usage"][key], by
        assert sum(row["costUsd"] or 0 for row in rows) == found["total"]["costUsd"], by
        for key in ("records", "events"):
            assert sum(row["bytes"][key] for row in rows) == found["total"]["bytes"][key], by
    authors = {
        row["name"]: (row["recorded"], row["commits"]) for row in stats(git.root, "--by", "author")["rows"]
    }
    assert authors == {"Two": (2, 2), "One": (2, 4)}
    agents = {
        row["name"]: (row["recorded"], row["commits"]) for row in stats(git.root, "--by", "agent")["rows"]
    }
    assert agents == {"claude-code": (3, 6), "codex": (1, 6), "a person": (0, 6)}


def test_negative_numbers_do_not_count(git: Git, stats: Stats) -> None:
    """Anybody may write a note."""
    good = SegmentRef(name="000000-0", month="2026-01", bytes=100, sha256="0" * 64)
    with git.open() as repository:
        story = Story(repository)
        story.note(git.commit({"a": "1"}, "One"), record("traj_one", cost_usd=1.0, segments=[good]))
        usage = Usage(input_tokens=-5, output_tokens=3)
        bad = replace(good, bytes=-1000)
        evil = record("traj_evil", cost_usd=-9.0, cost_source="reported", usage=usage, segments=[bad])
        story.note(git.commit({"a": "2"}, "Two"), evil)
    total = stats(git.root)["total"]
    assert (total["costUsd"], total["tellingCost"], total["bytes"]["events"]) == (1.0, 1, 100)
    assert (total["usage"]["inputTokens"], total["usage"]["outputTokens"]) == (0, 3)
    (agent,) = stats(git.root, "--by", "agent")["rows"]
    assert (agent["costUsd"], agent["bytes"]["events"]) == (1.0, 100)


def test_filters_limit_what_is_counted(git: Git, commit_ids: dict[str, str], stats: Stats) -> None:
    def paths(*words: str) -> dict[str, tuple[int, int]]:
        rows = stats(git.root, "--by", "path", *words)["rows"]
        return {row["name"]: (row["recorded"], row["commits"]) for row in rows}

    assert paths() == {"src/": (3, 4), "a.py": (1, 2)}
    assert paths("--file", "src") == {
        "src/b.py": (1, 1),
        "src/deep/": (1, 1),
        "src/e.py": (1, 2),
        "src/f.py": (0, 1),
    }
    assert paths("--", "src/f.py") == {"src/f.py": (1, 2)}
    assert paths("--", "*.py", ":!src") == {"a.py": (1, 2)}
    assert stats(git.root, "--file", "src/f.py")["total"]["commits"] == 2
    assert stats(git.root, "--no-follow", "--file", "src/f.py")["total"]["commits"] == 1
    # without its original, a copy counts on its own commit
    picked = stats(git.root, f"{commit_ids['bare']}..{commit_ids['picked']}")["total"]
    assert (picked["recorded"], picked["usage"]["inputTokens"], picked["costUsd"]) == (1, 7, None)
    assert stats(git.root, "--since", "2026-02-20")["total"]["commits"] == 2
    assert stats(git.root, "--author", "Two", "--until", "2026-02-20")["total"]["commits"] == 1
    assert stats(git.root, "HEAD..HEAD")["total"]["usage"]["inputTokens"] is None


def test_the_text_output(
    git: Git, commit_ids: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(git.root)
    assert call(["stats"]) == 0
    done = capsys.readouterr().out
    assert "4 of 6 have a record (67%); not counted: 1 merge" in done
    assert "3 sessions, 4 trajectories; 1 without a commit here" in done
    assert "~$1.25, of 3 of 4; the others' are unknown" in done
    assert "with retrospective 1/3" in " ".join(done.split())
    assert f"2026-01  {'█' * 13}  100%  2/2 · 107 in + 50 cached / 15 out · $0.50 · 1.7 kB\n" in done
    assert f"2026-02  {'█' * 6}▌{' ' * 6}   50%  1/2 · 556 B\n" in done
    assert max(map(len, done.splitlines())) <= 80
    assert call(["stats", commit_ids["bare"]]) == 0
    assert "not in the agents' logs" not in capsys.readouterr().out
    assert call(["stats", commit_ids["codex"] + "^!"]) == 0
    assert "tokens      not in the agents' logs\n" in capsys.readouterr().out
    assert call(["stats", "HEAD..HEAD"]) == 0
    nothing = capsys.readouterr()
    assert nothing.out == "commits     0 of 0 have a record\n"
    assert "no matching commits" in nothing.err
    assert call(["stats", "HEAD..HEAD", "--json"]) == 0
    assert capsys.readouterr().err == nothing.err


@pytest.mark.parametrize("seed", some(range(2), 1))
def test_the_index_changes_no_number(
    seed: int, tmp_path: Path, stats: Stats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "AT_ONCE", 7)
    rng = random.Random(seed)
    history = RandomHistory(tmp_path / "repo", rng)
    for _ in range(2):
        history.grow(40)
        history.add_records(0.6)
        files = sorted(history.paths)
        for by in ("month", "agent", "path", "author"):
            for words in (
                [],
                [f"--file={rng.choice(files)}"],
                [f"{rng.choice(history.commits)}..HEAD"],
            ):
                found = stats(history.root, "--by", by, *words)
                costs = [row["costUsd"] or 0 for row in found["rows"]]
                if by != "path":
                    assert sum(costs) == pytest.approx(found["total"]["costUsd"] or 0), (by, words)
