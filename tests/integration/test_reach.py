"""Everything that is stored can be found, and is shown correctly: tasks, runs, abandoned work, unlinked
trajectories, work that made no commit, who made a commit, sums."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gittraj.cli.common.group import call
from gittraj.model.values import (
    Link,
    Participant,
    Run,
    SessionInfo,
    TaskRef,
    TaskSource,
)
from tests.integration.records import traj
from tests.integration.repository import Git
from tests.integration.story import Story, record


@pytest.fixture(autouse=True)
def inside(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(git.root)
    monkeypatch.setenv("COLUMNS", "100")


def output(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert call([*args]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_a_run_is_found_by_its_ids_and_shown(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(id="run-7", solve="solve-3", instance="acme__app-12")
    story.note(git.commit({"a": "1"}), record("traj_run", whole=SessionInfo(agent="mini", run=run)))
    story.note(git.commit({"a": "2"}), record("traj_other"))
    for name in ("run-7", "solve-3", "acme__app-12"):
        (shown,) = json.loads(output(capsys, "show", name, "--json"))["trajectories"]
        (listed,) = json.loads(output(capsys, "log", "--run", name, "--json"))["commits"]
        assert shown["id"] == listed["trajectories"][0]["id"] == "traj_run"
        assert shown["run"]["instance"] == "acme__app-12"
    assert "  run      run-7 · solve-3 · acme__app-12\n" in output(capsys, "show", "run-7")
    hits = json.loads(output(capsys, "search", "acme__app-12", "--json"))["results"]
    assert [hit["trajectory"]["id"] for hit in hits] == ["traj_run"]


def test_a_task_is_shown_and_selects_its_trajectories(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    task = TaskRef(title="Limit the rate", source=TaskSource(system="beads", id="bd-1"))
    for name in ("traj_a", "traj_b"):
        story.note(git.commit({"a": name}), record(name, whole=SessionInfo(agent="codex", task=task)))
    shown = json.loads(output(capsys, "show", "beads:bd-1", "--json"))["trajectories"]
    assert [each["id"] for each in shown] == ["traj_a", "traj_b"]
    assert "  task     Limit the rate (beads:bd-1)\n" in output(capsys, "log", "-n", "1")


def test_abandoned_work_shows_title_reason_and_id(git: Git) -> None:
    traj(git, "install")
    git.commit({"a": "1"})
    traj(git, "start", "Try a cache")
    traj(git, "event", "note", "an LRU of 100 entries")
    traj(git, "abandon", "--reason", "it was slower")
    shown = traj(git, "log", "--all")
    assert "  title    Try a cache\n" in shown
    assert "  result   Abandoned: it was slower\n" in shown
    assert "counts for no commit, traj_" in shown.replace("\n  ", " ")


def test_participants_are_shown_once_each(git: Git, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    commit = git.commit({"a": "1"})
    for at, each in enumerate((Participant(name="ann"), Participant(name="ann", role="lead"))):
        whole = SessionInfo(agent="codex", participants=(each, Participant(name="bob")))
        story.note(commit, record(at=at, whole=whole))
    shown = json.loads(output(capsys, "show", "--json"))["trajectories"][0]["participants"]
    assert shown == [{"name": "ann", "role": "lead"}, {"name": "bob", "role": None}]
    assert "  with     ann (lead), bob\n" in output(capsys, "log")


def test_a_commit_that_was_unlinked_leaves_the_site_and_the_counts(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept, unlinked = (git.commit({"a": str(n)}, f"Commit {n}") for n in range(2))
    for commit in (kept, unlinked):
        story.note(commit, record(f"traj_{commit[:8]}", prompt="Do it"))
    output(capsys, "unlink", unlinked)
    output(capsys, "export", "--format", "html", "--all", "-o", str(tmp_path / "site"))
    first = (tmp_path / "site" / "index.html").read_text()
    assert "Commit 0" in first
    assert "Commit 1" not in first
    assert json.loads(output(capsys, "status", "--json"))["recorded"] == 1
    assert json.loads(output(capsys, "stats", "--json"))["total"]["recorded"] == 1


def test_status_prints_other_branches_but_not_commits_of_no_branch(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("main", "side", "gone"):
        if name != "main":
            git("checkout", "-q", "-b", name, "main")
        story.note(git.commit({name: "1"}, name), record(f"traj_{name}"))
    git("checkout", "-q", "main")
    git("branch", "-q", "-D", "gone")
    said = output(capsys, "status")
    assert "Recorded: trajectories on 1 commit, 1 more on other branches (git traj log BRANCH)\n" in said
    assert json.loads(output(capsys, "status", "--json"))["recordedElsewhere"] == 2, "side and gone"
    git("branch", "-q", "-D", "side")
    assert "Recorded: trajectories on 1 commit\n" in output(capsys, "status")


def test_sessions_whose_end_is_unknown_count_among_all(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = {"traj_one": "completed", "traj_two": None}
    wholes = {name: SessionInfo(agent="codex", status=end) for name, end in ends.items()}  # type: ignore[arg-type]
    story.note(git.commit({"a": "1"}), *(record(name, whole=whole) for name, whole in wholes.items()))
    assert "1 of 2 ended as completed, 1 unknown" in " ".join(
        output(capsys, "stats", "--by", "agent").split()
    )


def test_one_sentence_is_not_both_reason_and_result(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    story.note(git.commit({"a": "1"}), record(why="Bad ones get a 422.", result="Bad ones get a 422."))
    assert output(capsys, "log").count("Bad ones get a 422.") == 1


def test_explored_work_is_not_shown_as_a_commits_reason(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    why = "The cache was too slow."
    story.note(git.commit({"a": "1"}), record(role="explored", why=why, prompt="Try it"))
    output(capsys, "export", "--format", "html", "--all", "-o", str(tmp_path / "site"))
    first = (tmp_path / "site" / "index.html").read_text()
    assert why not in first
    assert "counts for no commit" in first
    status = json.loads(output(capsys, "status", "--json"))
    assert (status["recorded"], status["recordedElsewhere"]) == (0, 1), "as log lists them"


def test_redactions_count_distinct_secrets_of_a_part_and_sums_are_upper_limits(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    one, both = (git.commit({"a": str(n)}) for n in range(2))
    story.note(one, record("traj_a", redactions_by_rule={"token": 1, "password": 1}))
    story.note(both, record("traj_b", redactions_by_rule={"token": 2}))
    story.note(both, record("traj_b", at=5, redactions_by_rule={"token": 1}))
    assert " · 2 secrets redacted" in output(capsys, "show", one).replace("\n  ", " · ")
    assert "at most 3 secrets redacted (parts may share some)" in " ".join(
        output(capsys, "show", both).split()
    )


def test_a_squash_is_credited_to_its_maker_and_all_sources_of_its_records_are_shown(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    """A person's squash of three commits of an agent is the person's."""
    made = [git.commit({"a": str(n)}) for n in range(3)]
    for at, commit in enumerate(made):
        story.note(commit, record(at=at))
    squash = git.commit({"a": "all"})
    lines = [
        record(at=at, link=Link(evidence="agent", call="call", carried_from=(commit,)))
        for at, commit in enumerate(made)
    ]
    story.note(squash, *lines)
    assert "committed by the agent" in output(capsys, "show", made[0])
    shown = " ".join(output(capsys, "show", squash).split())
    assert "committed by the agent" not in shown
    sources = json.loads(output(capsys, "show", squash, "--json"))["trajectories"][0]["link"]["carriedFrom"]
    assert sorted(sources) == sorted(made)
    assert all(commit[:7] in shown for commit in made)


def test_status_counts_what_log_shows(git: Git, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    aside = git.commit({"a": "0"})
    git("reset", "-q", "--hard", git.commit({"a": "1"}))
    for name in ("produced", "also"):
        story.note(git.commit({"a": name}), record(f"traj_{name}"))
    story.note(git.commit({"a": "explored"}), record("traj_explored", role="explored"))
    git("checkout", "-q", "-b", "aside", aside)
    story.note(git.commit({"b": "1"}), record("traj_aside"))
    git("checkout", "-q", "-")
    listed = json.loads(output(capsys, "log", "--json"))["commits"]
    assert json.loads(output(capsys, "status", "--json"))["recorded"] == len(listed) == 2


def test_a_person_s_own_trajectory_is_not_shown_as_an_unknown_agent(
    git: Git, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    story.note(git.commit({"a": "1"}), record("traj_hand", whole=SessionInfo(title="By hand")))
    assert "agents      a person 1\n" in output(capsys, "stats")
