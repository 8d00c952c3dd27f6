"""``--team``: the answer over all repositories combines what each of them answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.model.values import Decision, Link, SessionInfo, Tombstone
from gittraj.notes.run_keys import run_key
from gittraj.query.context.takeaways import Source, Takeaway
from tests.documented_json import TEXT, undocumented
from tests.integration import command
from tests.integration.gather.team import Team, full_record
from tests.integration.repository import Git
from tests.integration.story import Story, record
from tests.sizes import some

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

THREE = SessionInfo(agent="codex", session="three", status="failed")
_KEYS = ("commit", "short", "subject", "author", "date", "trajectories")


def fill(team: Team) -> list[Git]:
    """Write records of: a session on two commits, one of them carried; work that made no commit, on HEAD and
    under a run's key; an unlinked trajectory; a session whose parts overlap; one of equal id elsewhere."""
    api = team.repository(
        "api",
        [
            [full_record("one", chosen="rateLimit over a queue")],
            [full_record("one", 1), full_record("two", 2)],
            [record("three", role="explored", whole=THREE)],
            [],
        ],
    )
    with api.open() as repository:
        story = Story(repository)
        story.note(run_key("sha1", "2026-01", "run"), full_record("run", chosen="the egret", role="explored"))
        story.note(api.head(), full_record("off", 3), Tombstone(id="off", deleted="unlinked"))
        whole = SessionInfo(agent="codex", session="long", status="completed")
        long = (record("long", at=at, n=n, whole=whole) for at, n in ((2, 5), (0, 1), (1, 9)))
        story.note(api.head(), *long)
    decided = (Decision(chosen="a table", by="agent", path="src/web1.py"),)
    table = record("two", whole=SessionInfo(agent="codex", session="two"), decisions=decided)
    web = team.repository("web", [[full_record("one", chosen="the cormorant")], [table]])
    link = Link(evidence="content", carried_from=(web("rev-parse", "HEAD~1"),))
    with web.open() as repository:
        Story(repository).note(web.head(), full_record("one", chosen="the cormorant", link=link))
    return [api, web]


@pytest.fixture(params=some(["duckdb", "postgresql", "parquet"], 2))
def team(request: pytest.FixtureRequest, tmp_path: Path) -> Team:
    urls = {"duckdb": lambda: "team.duckdb", "parquet": lambda: "parquet:lake"}
    urls["postgresql"] = lambda: request.getfixturevalue("postgres")
    found = Team(tmp_path, urls[request.param]())
    fill(found)
    found.gather("--prompts")
    return found


def own(team: Team, *args: str) -> list[Any]:
    """The answers of each repository itself."""
    said = [command.traj(team.root / "clones" / name, *args, "--json") for name in ("api", "web")]
    return [json.loads(each.stdout) for each in said]


def test_every_question_is_answered_as_in_each_repository(team: Team) -> None:
    listed = {(c["repository"], c["commit"]): c for c in team.ask("log", "--all")["commits"]}
    expected = [
        (f"acme/{n}", c)
        for n, a in zip(("api", "web"), own(team, "log", "--all"), strict=True)
        for c in a["commits"]
    ]
    assert listed.keys() == {(name, entry["commit"]) for name, entry in expected}
    for name, entry in expected:
        found = listed[name, entry["commit"]]
        for key in _KEYS[:-1]:
            assert found[key] == entry[key]
        for ours, theirs in zip(found["trajectories"], entry["trajectories"], strict=True):
            differing = {key for key in theirs if ours[key] != theirs[key]}
            assert differing <= {"redactions", "redactionsAtMost", "readers"}
    runs = [each["runs"] for each in own(team, "log", "--all") if "runs" in each]
    assert [each["id"] for each in team.ask("log", "--all")["runs"]] == [e["id"] for (e,) in runs] == ["run"]
    _check_statistics(team)
    _check_search(team)
    _check_context(team)


def _check_statistics(team: Team) -> None:
    combined, each = team.ask("stats", "--by", "repository"), [found["total"] for found in own(team, "stats")]
    total = combined["total"]
    assert total["bytes"]["records"] == sum(found["bytes"]["records"] for found in each)
    for key in (
        "commits",
        "recorded",
        "trajectories",
        "sessions",
        "withoutCommit",
        "tellingUsage",
        "tellingCost",
    ):
        assert total[key] == sum(found[key] for found in each), key
    assert total["usage"] == {k: sum(f["usage"][k] for f in each) for k in total["usage"]}
    assert total["costUsd"] == pytest.approx(sum(found["costUsd"] for found in each))
    assert total["telling"] == {k: sum(f["telling"][k] for f in each) for k in total["telling"]}
    assert total["statuses"] == sum((Counter(f["statuses"]) for f in each), Counter()) != {}
    assert total["successRate"] == 0.5, "one is completed, one failed"
    agents = dict.fromkeys(("codex",), 0)
    for found in each:
        for agent in found["agents"]:
            agents[agent["name"]] += agent["trajectories"]
    assert {agent["name"]: agent["trajectories"] for agent in total["agents"]} == agents
    assert [row["name"] for row in combined["rows"]] == ["acme/api", "acme/web"]
    assert sum(row["commits"] for row in combined["rows"]) == total["commits"]
    months = [row["name"] for row in team.ask("stats", "--by", "month")["rows"]]
    assert months[-1] is None and months[:-1] == sorted(months[:-1], reverse=True)
    for by in ("month", "author", "agent", "model"):
        rows = team.ask("stats", "--by", by)["rows"]
        theirs = [row for found in own(team, "stats", "--by", by) for row in found["rows"]]
        assert {row["name"] for row in rows} == {row["name"] for row in theirs}
        for row in rows:
            same = [each for each in theirs if each["name"] == row["name"]]
            assert row["recorded"] == sum(each["recorded"] for each in same), by
            assert row["trajectories"] == sum(each["trajectories"] for each in same), by
            assert row["statuses"] == sum((Counter(each["statuses"]) for each in same), Counter()), by
            assert row["bytes"]["records"] == sum(each["bytes"]["records"] for each in same), by
            assert row["costUsd"] in (None, pytest.approx(sum(each["costUsd"] or 0 for each in same))), by


def _check_search(team: Team) -> None:
    def hits(*args: str) -> list[tuple[str, str]]:
        return sorted((r["repository"], r["trajectory"]["id"]) for r in team.ask("search", *args)["results"])

    assert hits("cormorants") == [("acme/web", "one")]
    assert hits("rate", "limit", "--in", "decision") == [("acme/api", "one")]
    assert hits("rateLimit") == hits("ratelimit") == hits("rate_limit") == [("acme/api", "one")]
    assert hits('"bucket token"') == []
    assert hits("buck*", "NOT", "cormorant") == [("acme/api", "one"), ("acme/api", "two")]
    assert hits("cormorant", "OR", "queue", "--agent", "codex") == [("acme/api", "one"), ("acme/web", "one")]
    assert hits("limiting", "--agent", "gemini") == []
    of_commits = [hit for hit in hits("limiting") if hit[1] != "run"]
    assert hits("limiting", "--file", "src", "--author", "A U") == of_commits
    assert hits("limiting", "--file", "lib") == hits("limiting", "--author", "nobody") == []
    (found,) = team.ask("search", "cormorant")["results"]
    assert "cormorant" in [match["marked"][1] for match in found["matches"]]
    combined, *_ = own(team, "search", "egret")
    (found,) = team.ask("search", "egret")["results"]
    assert found["commit"] is None, "a run has no commit"
    assert found["matches"] == combined["results"][0]["matches"]
    assert "acme/web@" in team.traj("search", "cormorant", "--team", team.url)
    for args in (["cormorant", "--similar"], ["x", "--rev", "HEAD"]):
        team.traj("search", *args, "--team", team.url, status=2)


def _check_context(team: Team) -> None:
    shown = [team.ask("context", "src/web1.py"), own(team, "context", "src/web1.py")[1]]
    for items in (answer["items"] for answer in shown):  # no call wrote the file that the decision is about
        assert ("a table", ["src/web1.py"], False) in [(i["text"], i["paths"], i["neighbour"]) for i in items]
    items = team.ask("context", "src/limit.py")["items"]
    said = {(item["kind"], item["text"]) for item in items}
    theirs = {(i["kind"], i["text"]) for f in own(team, "context", "src/limit.py") for i in f["items"]}
    assert ("rejected", "a sliding window") in said
    assert ("doubt", "Bursts were not measured") in said
    assert said >= {pair for pair in theirs if pair[0] in ("rejected", "doubt")}
    assert {item["short"].partition("@")[0] for item in items} == {"acme/api", "acme/web"}


def test_a_decision_about_a_file_is_no_newer_change_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = (Decision(chosen="a table", by="agent", path="src/limit.py"),)
    tables = [record(name, decisions=decided) for name in ("two", "three", "four", "five")]
    team = Team(tmp_path, "team.duckdb")
    team.repository("web", [[full_record("one")], *([table] for table in tables)])  # all of one time
    team.gather("--prompts")
    newer: dict[str, int] = {}

    def rank(sources: Sequence[Source], _names: Sequence[str]) -> list[Takeaway]:
        newer.update((source.header["id"], source.newer) for source in sources)
        return []

    monkeypatch.setattr("gittraj.gather.ask_log.rank_takeaways", rank)
    team.ask("context", "src/limit.py")
    assert len(newer) == 5
    assert newer["one"] == 0


def test_a_listing_is_filtered_as_in_one_repository(tmp_path: Path) -> None:
    team = Team(tmp_path, "team.duckdb")
    fill(team)
    team.gather("--prompts")
    for args in (
        ["--decisions"],
        ["--grep", "cormorant"],
        ["--agent", "codex"],
        ["--agent", "nobody"],
        ["--model", "GPT"],
        ["--min-cost", "0.3"],
        ["--author", "A U Thor"],
        ["--author", "nobody"],
        ["--since", "2026-01-03"],
        ["--until", "2026-01-03"],
        ["--trajectories"],
        ["--trajectories", "--all"],
        ["--status", "unknown"],
    ):
        name = "trajectories" if "--trajectories" in args else "commits"
        key = "id" if name == "trajectories" else "commit"
        found = [entry[key] for entry in team.ask("log", *args)[name]]
        theirs = [entry[key] for answer in own(team, "log", *args) for entry in answer[name]]
        assert sorted(found) == sorted(theirs), args
    assert len(team.ask("log", "-n", "1")["commits"]) == 1
    assert team.ask("log", "--file", "src/limit.py")["commits"] != []
    assert team.ask("log", "--file", "src/other.py")["commits"] == []
    assert team.traj("log", "--oneline", "--team", team.url).startswith("acme/")
    team.traj("log", "HEAD~1", "--team", team.url, status=2)
    assert command.traj(team.root / "clones" / "api", "stats", "--by", "repository").returncode == 2


def test_every_field_of_a_team_is_documented(tmp_path: Path) -> None:
    team = Team(tmp_path, "team.duckdb")
    fill(team)
    team.gather("--prompts")
    (about,) = re.findall(r"^- With `--team`, .*?(?=\n\n)", TEXT, re.DOTALL | re.MULTILINE)
    questions = (
        "log --all",
        "log --trajectories",
        "search cormorant",
        "context src",
        "stats --by repository",
    )
    found = {f"{each}: {path}" for each in questions for path in undocumented(team.ask(*each.split()), each)}
    assert {path for path in found if f"`{path.rpartition('.')[2]}`" not in about} == set()


def test_log_takes_a_path_without_a_repository(tmp_path: Path) -> None:
    team = Team(tmp_path, "team.duckdb")
    fill(team)
    team.gather()
    (tmp_path / "src").mkdir()
    expected = team.ask("log", "--file", "src")
    assert expected["commits"] != []
    assert team.ask("log", "src") == expected
    said = command.traj(tmp_path, "log", "lib", "--team", team.url)
    assert said.returncode == 2
    assert "--team cannot be used with a revision" in said.stderr
    assert "paths go after --" in said.stderr


def test_a_trace_does_not_count_in_the_statistics_of_a_team(tmp_path: Path) -> None:
    team = Team(tmp_path, "team.duckdb")
    whole = SessionInfo(agent="goose")
    stub = replace(record("stub"), rev=0, range=None, whole=whole, incomplete=True)
    team.repository("api", [[full_record("one")], [replace(stub, link=Link(evidence="environment"))]])
    team.gather()
    for by in ("month", "agent"):
        found = team.ask("stats", "--by", by)
        said = command.traj(team.root / "clones" / "api", "stats", "--by", by, "--json")
        own_one = json.loads(said.stdout)
        for key in ("recorded", "trajectories", "sessions", "agents"):
            assert found["total"][key] == own_one["total"][key], key
        assert found["total"]["trajectories"] == found["total"]["sessions"] == 1
        assert [r["name"] for r in found["rows"]] == [r["name"] for r in own_one["rows"]]


def test_gathered_without_prompts_no_answer_shows_a_prompt(tmp_path: Path) -> None:
    team = Team(tmp_path, "team.duckdb")
    fill(team)
    team.gather()
    assert {t["prompt"] for c in team.ask("log")["commits"] for t in c["trajectories"]} == {None}
    assert team.ask("search", "Please")["results"] == []
    assert "a token bucket in one" in team.traj("log", "--team", team.url)
