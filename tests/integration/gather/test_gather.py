"""Many repositories in one DuckDB file: what is in it, what stays out, and what is deleted again."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj import limits
from gittraj.model.values import (
    AnyEvent,
    Message,
    Prompt,
    SessionInfo,
    TaskRef,
    TaskSource,
    Thinking,
    Tombstone,
)
from tests.integration import command
from tests.integration.gather.team import Team, full_record
from tests.integration.repository import Git
from tests.integration.story import Story

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path, "team.duckdb")


def rows(team: Team, question: str) -> list[Any]:
    with closing(duckdb.connect(str(team.root / team.url))) as connection:
        return connection.execute(question).fetchall()


def contents(team: Team) -> str:
    """Everything in the file: its bytes, and, since DuckDB compresses, every value of every table."""
    found = (team.root / team.url).read_bytes().decode("latin-1")
    tables = [name for (name,) in rows(team, "SELECT table_name FROM duckdb_tables()")]
    return found + "".join(str(rows(team, f"SELECT * FROM {table}")) for table in tables)


def stats(git: Git) -> dict[str, Any]:
    said = command.traj(git.root, "stats", "--json")
    return json.loads(said.stdout)["total"]


def test_statistics_of_all_repositories_are_the_sums_of_each(team: Team) -> None:
    gits = [
        team.repository("api", [[full_record("one"), full_record("two")], [full_record("one", 1)], []]),
        team.repository("web", [[full_record("one")], []]),
    ]
    assert team.gather() == {"version": 1, "gathered": 2, "unchanged": 0, "without": 0, "failed": []}
    each = [stats(git) for git in gits]
    ((commits, recorded),) = rows(team, "SELECT sum(commits), sum(recorded) FROM coverage")
    assert (
        (commits, recorded) == (sum(s["commits"] for s in each), sum(s["recorded"] for s in each)) == (5, 3)
    )
    ((tokens, cost),) = rows(team, "SELECT sum(input_tokens), sum(cost_usd) FROM costs")
    assert tokens == sum(s["usage"]["inputTokens"] for s in each)
    assert cost == pytest.approx(sum(s["costUsd"] for s in each))
    assert rows(team, "SELECT count(*) FROM trajectories") == [(3,)]
    rejected = rows(team, "SELECT repository, subject, rejected FROM rejected ORDER BY 1, 2")
    assert ("acme/web", "Change 0 of web", "a sliding window") in rejected
    assert team.differences() == []


def test_an_unchanged_repository_is_not_fetched_again(team: Team) -> None:
    git = team.repository("api", [[full_record("one")]])
    team.repository("web", [[full_record("one")]])
    team.gather()
    commit = git.commit({"x": "1"})
    with git.open() as repository:
        Story(repository).note(commit, full_record("three"))
    again = team.gather()
    assert (again["gathered"], again["unchanged"]) == (1, 1)
    assert rows(team, "SELECT count(*) FROM parts") == [(3,)]


def test_commits_without_records_are_counted_at_the_next_gather(team: Team) -> None:
    git = team.repository("api", [[full_record("one")]])
    team.gather()
    git.commit({"x": "1"})
    assert team.gather()["gathered"] == 1
    assert rows(team, "SELECT recorded, commits FROM coverage") == [(1, 2)]
    assert team.gather()["unchanged"] == 1


def test_prompts_and_events_come_only_if_asked_for_and_sealed_text_never(team: Team) -> None:
    git = team.repository("api", [[]])
    events: list[AnyEvent] = [
        Prompt(id="e0", content="Please limit the heron"),
        Message(id="e1", content="I did it for the egret"),
        Thinking(id="e2", seal="s", sealed_bytes=3, payload=b"ibis"),
    ]
    with git.open() as repository:
        story = Story(repository)
        segment = story.segment("one", 0, events)
        sealed = replace(
            full_record("one", prompt="Please limit the heron"), segments=(segment,), seals={"s": ("age",)}
        )
        story.note(git.head(), sealed)
    team.gather()
    assert "heron" not in contents(team)
    assert "egret" not in contents(team)
    team.gather("--prompts", "--events")
    assert rows(team, "SELECT type FROM events ORDER BY number") == [("prompt",), ("message",)]
    assert rows(team, "SELECT prompt FROM parts") == [("Please limit the heron",)]
    assert "aWJpcw" not in contents(team)
    team.gather()
    assert "heron" not in contents(team), "what is no longer asked for is still in the file"


def test_a_title_that_is_the_prompt_of_another_part_stays_out(team: Team) -> None:
    git = team.repository("api", [[]])
    whole = SessionInfo(agent="codex", title="Limit the  heron", task=TaskRef(title="Limit the heron"))
    issue = TaskRef(title="Limit the heron, please", source=TaskSource(system="github", id="7"))
    lines = [
        replace(full_record("one", prompt="Limit the heron, please\nand more"), whole=whole),
        replace(full_record("one", 1, prompt="Go on", why="Limit the heron"), whole=whole),
        replace(
            full_record("two", prompt="Limit the heron, please"), whole=replace(whole, title=None, task=issue)
        ),
    ]
    with git.open() as repository:
        Story(repository).note(git.head(), *lines)
    team.gather()
    assert "heron" not in contents(team)
    assert rows(team, "SELECT task FROM trajectories WHERE trajectory_id = 'two'") == [("7\n7\ngithub:7",)]
    team.gather("--prompts")
    assert "Limit the  heron" in contents(team)


def test_data_over_a_limit_is_skipped_and_reported(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    git = team.repository("api", [[], [], []])
    with git.open() as repository:
        story, parts = Story(repository), []
        for number, (text, size) in enumerate(
            (("old", None), ("x" * 3000, 1), ("claims", 9999), ("new", None))
        ):
            segment = story.segment("one", number, [Message(id=f"e{number}", content=text)])
            segment = replace(segment, bytes=segment.bytes if size is None else size)
            parts.append(replace(full_record("one", number), segments=(segment,)))
        story.note(git.head(), *parts)
    monkeypatch.setattr(limits, "GATHER_EVENTS", 5000)
    monkeypatch.setattr(limits, "GATHER_COMMITS", 2)
    said = command.traj(team.root, "gather", "clones", "--into", team.url, "--jobs", "1", "--events")
    found = rows(team, "SELECT part_id, length(content) FROM events ORDER BY part_id")
    assert found == [("e0", 3), ("e1", 3000), ("e3", 3)], "e2 claims to be too large"
    assert "acme/api: the events of 1 parts are beyond" in said.stderr
    assert "behind HEAD are not counted" in said.stderr
    monkeypatch.setattr(limits, "GATHER_EVENTS", 2000)
    (team.root / team.url).unlink()
    said = command.traj(team.root, "gather", "clones", "--into", team.url, "--jobs", "1", "--events")
    assert rows(team, "SELECT part_id FROM events") == [("e3",)], "e1 is larger than it says"
    assert "the events of 3 parts" in said.stderr


def test_a_note_that_is_too_large_is_reported(team: Team) -> None:
    git = team.repository("api", [[full_record("one")], []])
    blob = git("hash-object", "-w", "--stdin", input="x" * (limits.NOTE + 1))
    git("notes", "--ref=traj", "add", "-C", blob, "HEAD")
    said = command.traj(team.root, "gather", "clones", "--into", team.url, "--jobs", "1")
    assert f"acme/api: not read, being too large: the note of {git.head()[:12]}" in said.stderr
    assert rows(team, "SELECT trajectory_id FROM parts") == [("one",)]


def test_missing_commits_of_a_shallow_clone_are_reported(team: Team) -> None:
    git = team.repository("api", [[full_record("one")], [full_record("two")]])
    git("clone", "-q", "--depth=1", f"file://{git.root}", str(team.root / "shallow"))
    notes = "refs/notes/traj:refs/notes/traj"
    git("-C", str(team.root / "shallow"), "fetch", "-q", "--depth=1", "origin", notes)
    said = command.traj(team.root, "gather", "shallow", "--into", team.url, "--jobs", "1")
    assert "shallow there" in said.stderr, said
    assert "behind HEAD" not in said.stderr


def test_everything_is_scanned_whatever_ruleset_it_claims(team: Team) -> None:
    token = "ghp_" + "aB3" * 12
    git = team.repository("api", [[replace(full_record("one"), extra={"later": token})]])
    git.commit({"y": "1"}, f"Use {token}")
    with git.open() as repository:
        Story(repository).note(git.head(), full_record("two", chosen=f"the token {token}", ruleset="999"))
    team.gather()
    assert token not in contents(team)
    assert "REDACTED-" in contents(team)


def test_a_tombstone_leaves_nothing_in_the_file(team: Team) -> None:
    git = team.repository("api", [[full_record("one", chosen="the cormorant")], [full_record("two")]])
    team.gather()
    assert "cormorant" in contents(team)
    with git.open() as repository:
        story = Story(repository)
        story.note(git("rev-parse", "HEAD~1"), Tombstone(id="one", deleted="forgotten", scope="all"))
    team.gather()
    assert "cormorant" not in contents(team)
    assert rows(team, "SELECT DISTINCT trajectory_id FROM parts") == [("two",)]
    assert team.differences() == []


def test_a_purge_reaches_the_file_and_an_old_tip_brings_nothing_back(team: Team) -> None:
    git = team.repository("api", [[full_record("one", chosen="the cormorant")], [full_record("two")]])
    command.traj(git.root, "install")
    team.gather()
    old = git("rev-parse", "refs/notes/traj")
    said = command.traj(git.root, "forget", "one", "--purge")
    assert said.returncode == 0, said
    team.gather()
    assert "cormorant" not in contents(team)
    git("update-ref", "refs/notes/traj", old)
    team.gather()
    assert "cormorant" not in contents(team)


def test_forget_deletes_one_repository(team: Team) -> None:
    team.repository("api", [[full_record("one", chosen="the cormorant")]])
    team.repository("web", [[full_record("two")]])
    team.gather()
    team.traj("gather", "--forget", "https://github.com/acme/api", "--into", team.url)
    assert "cormorant" not in contents(team)
    assert rows(team, "SELECT name FROM repositories") == [("acme/web",)]


def test_two_repositories_of_one_name_stay_two(team: Team) -> None:
    for name, host in (("api", "github.com"), ("other", "gitlab.com")):
        team.repository(name, [[full_record("one")]])(
            "remote", "set-url", "origin", f"https://{host}/acme/api"
        )
    team.gather()
    found = {row["name"]: row["recorded"] for row in team.ask("stats", "--by", "repository")["rows"]}
    assert len(found) == 2
    assert {*found.values()} == {1}
    said = command.traj(team.root, "gather", "--forget", "acme/api", "--into", team.url)
    assert said.returncode == 2
    assert "acme/api names 2 repositories" in said.stderr
    team.traj("gather", "--forget", "https://gitlab.com/acme/api", "--into", team.url)
    assert [row["name"] for row in team.ask("stats", "--by", "repository")["rows"]] == ["acme/api"]


def test_deletion_through_a_link_rewrites_the_real_file_and_keeps_its_mode(team: Team) -> None:
    team.repository("api", [[full_record("one", chosen="the cormorant")]])
    team.repository("web", [[full_record("two")]])
    (team.root / "real").mkdir()
    (team.root / team.url).symlink_to("real/team.duckdb")
    team.gather()
    real = team.root / "real" / "team.duckdb"
    assert real.stat().st_mode & 0o777 == 0o600
    real.chmod(0o640)
    team.traj("gather", "--forget", "acme/api", "--into", team.url)
    assert (team.root / team.url).is_symlink()
    assert "cormorant" not in contents(team)
    assert rows(team, "SELECT name FROM repositories") == [("acme/web",)]
    assert real.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in real.parent.iterdir()] == ["team.duckdb"]


def test_verify_names_what_differs(team: Team) -> None:
    git = team.repository("api", [[full_record("one")]])
    team.gather()
    with closing(duckdb.connect(str(team.root / team.url))) as connection:
        connection.execute("DELETE FROM decisions")
    assert team.differences() == ["acme/api: decisions: rows missing: 1, too many: 0"]
    git("update-ref", "-d", "refs/notes/traj")
    assert team.differences() == ["acme/api: it has no records any more"]
    team.gather()
    assert rows(team, "SELECT count(*) FROM parts") == [(1,)], "absence deletes nothing"


def test_a_hostile_repository_touches_its_own_rows_alone(team: Team) -> None:
    git = team.repository("api", [[full_record("one")]])
    hostile = team.repository("evil", [[full_record("one", chosen="<script>'); DROP TABLE parts; --")]])
    with hostile.open() as repository:
        story = Story(repository)
        story.note(
            hostile.head(), Tombstone(id="one", deleted="x", scope="all", rev=9), full_record("x\0y"[:1], 3)
        )
    before = None
    for _ in range(2):
        team.gather()
        now = rows(
            team, "SELECT * FROM parts p JOIN repositories r USING (project_id) WHERE r.name = 'acme/api'"
        )
        assert len(now) == 1
        assert before is None or [row[:20] for row in now] == [row[:20] for row in before]
        before = now
    assert stats(git)["trajectories"] == 1
