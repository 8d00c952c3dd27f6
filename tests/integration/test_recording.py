"""Trajectories that are started by hand: on which commits they are recorded, and what ends them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from tests.integration import command
from tests.integration.records import hold_workers, traj
from tests.integration.repository import Git

SECRET = "ghp_" + "x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi"


@pytest.fixture
def git(git: Git, empty_home: Path) -> Git:
    git.commit({"README": "here\n"})
    traj(git, "install")
    hold_workers(git.root / ".git" / "traj")
    return git


def start(git: Git, title: str = "Limit the rate", *more: str) -> str:
    """Start a trajectory; return its id."""
    said = traj(git, "start", title, *more)
    assert said == f"Started '{title}': commits made here get what is recorded, until git traj complete\n"
    active = json.loads(traj(git, "status", "--json"))["active"]
    return next(str(each["id"]) for each in active if each["title"] == title)


def refused(git: Git, *arguments: str) -> str:
    done = command.traj(git.root, *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def quietly(git: Git, *arguments: str) -> str:
    """Run a command; return its stderr."""
    return command.traj(git.root, *arguments).stderr


def show(git: Git, name: str = "HEAD") -> list[dict[str, Any]]:
    trajectories: list[dict[str, Any]] = json.loads(traj(git, "show", name, "--json"))["trajectories"]
    return trajectories


def only(git: Git, name: str = "HEAD") -> dict[str, Any]:
    (trajectory,) = show(git, name)
    return trajectory


def contents(trajectory: dict[str, Any]) -> list[str]:
    return [event["content"] for chapter in trajectory["chapters"] for event in chapter["events"]]


def test_commits_get_the_events_recorded_before_them(git: Git) -> None:
    name = start(git, "Limit the rate", "--tag", "api", "--task", "plain:limits")
    traj(
        git,
        *("decision", "a bucket", "--question", "How?", "--alternative", "a window"),
        *("--reasoning", "bursts", "--confidence", "0.7"),
    )
    first = git.commit({"a": "1\n"})
    traj(git, "chapter", "Measure it")
    traj(git, "event", "finding", "it is slow", "--significance", "high")
    second = git.commit({"a": "2\n"})
    third = git.commit({"a": "3\n"})
    traj(git, "complete", "--summary", "It is limited", "--confidence", "0.9")
    fourth = git.commit({"a": "4\n"})

    header = only(git, first)
    assert (header["id"], header["title"], header["tags"], header["status"]) == (
        name,
        "Limit the rate",
        ["api"],
        "completed",
    )
    assert header["task"]["source"] == {"system": "plain", "id": "limits", "url": None}
    assert header["decisions"] == [
        {
            "question": "How?",
            "chosen": "a bucket",
            "alternatives": ["a window"],
            "reasoning": "bursts",
            "confidence": 0.7,
            "by": "human",
            **dict.fromkeys(("id", "quote", "event", "path", "line")),
        }
    ]
    assert (header["link"]["evidence"], header["part"]["number"], header["part"]["of"]) == ("manual", 1, 3)
    assert [chapter["title"] for chapter in only(git, second)["chapters"]] == ["Measure it"]
    assert contents(only(git, second)) == ["Measure it", "it is slow"]
    assert contents(only(git, third))[:2] == ["Measure it", "it is slow"], (
        "nothing new: the last part is also on this commit"
    )
    assert only(git, third)["retrospective"]["summary"] == "It is limited"
    assert fourth not in {each["commit"] for each in json.loads(traj(git, "log", "--json"))["commits"]}
    assert len(show(git, name)) == 1


def test_a_trajectory_without_a_commit_is_explored_where_it_began(git: Git) -> None:
    start(git)
    traj(git, "event", "note", "tried a bucket")
    traj(git, "abandon", "--reason", "too slow")
    header = only(git)
    assert (header["status"], header["link"]["role"]) == ("abandoned", "explored")
    assert contents(header) == ["Limit the rate", "tried a bucket", "too slow"]
    shown = traj(git, "show")
    assert "  abandoned: too slow\n" in shown
    assert "chapter: " not in shown, "the only chapter's title is the heading"


def test_before_the_first_commit_a_trajectory_waits(tmp_path: Path, empty_home: Path) -> None:
    git = Git.init(tmp_path / "fresh")
    traj(git, "install")
    name = start(git)
    traj(git, "complete", "--summary", "Thought about it")
    assert (git.root / ".git" / "traj" / "active" / f"{name}.json").exists()
    git.commit({"a": "1\n"})
    traj(git, "log", "--all")
    assert only(git)["retrospective"]["summary"] == "Thought about it"


def test_a_rewritten_commit_keeps_its_trajectory(git: Git) -> None:
    name = start(git)
    git.commit({"a": "1\n"})
    git("commit", "--amend", "-qm", "Better words")
    traj(git, "complete", "--summary", "Done")
    header = only(git)
    assert (header["id"], header["retrospective"]["summary"]) == (name, "Done")


def test_a_retrospective_can_be_added_afterwards(git: Git) -> None:
    name = start(git)
    commit = git.commit({"a": "1\n"})
    traj(git, "complete", "--summary", "Wrong words")
    git.commit({"b": "1\n"})
    given = git.root / "back.json"
    given.write_text(
        json.dumps({"summary": "Right words", "learnings": ["look twice"], "decisions": ["a bucket"]})
    )
    said = traj(git, "complete", name[:12], "--retrospective", str(given))
    assert said.startswith(f"{name}: ev_")
    header = only(git, commit)
    assert (header["retrospective"]["summary"], header["retrospective"]["learnings"]) == (
        "Right words",
        ["look twice"],
    )
    assert [each["chosen"] for each in header["decisions"]] == ["a bucket"]


def test_status_shows_what_is_active(git: Git) -> None:
    name = start(git)
    traj(git, "event", "note", "x")
    assert f"Started by hand: {name} Limit the rate, 2 events waiting for a commit" in traj(git, "status")
    assert json.loads(traj(git, "status", "--json"))["active"] == [
        {
            "id": name, "title": "Limit the rate", "agent": None, "byHand": True, "events": 2, "task": None,
            "participants": [], "chapter": "Limit the rate", "decisions": [], "startedAt": ANY,
        }
    ]  # fmt: skip
    traj(git, "abandon")
    assert json.loads(traj(git, "status", "--json"))["active"] == []


def test_a_participant_in_two_roles_keeps_both(git: Git) -> None:
    name = start(git, "Together", "--agent", "ann:lead")
    path = git.root / ".git" / "traj" / "active" / f"{name}.json"
    active = json.loads(path.read_text())
    active["header"]["participants"].append({"name": "ann", "role": "reviewer"})
    path.write_text(json.dumps(active))
    traj(git, "event", "message_sent", "take over", "--agent", "ann", "--to", "bob")
    kept = json.loads(path.read_text())["header"]["participants"]
    roles = [(each["name"], each.get("role")) for each in kept]
    assert roles == [("ann", "lead"), ("ann", "reviewer"), ("bob", None)]


def test_several_authors_and_messages_between_them(git: Git) -> None:
    start(git, "Together", "--agent", "ann:lead")
    traj(git, "chapter", "Review", "--agent", "bob:reviewer")
    traj(git, "event", "message_sent", "take over", "--agent", "ann:lead")
    traj(git, "decision", "merge it", "--agent", "bob:reviewer")
    git.commit({"a": "1\n"})
    header = only(git)
    assert header["participants"] == [{"name": "ann", "role": "lead"}, {"name": "bob", "role": "reviewer"}]
    assert header["agent"] == "ann"
    assert [(c["title"], c["agentName"]) for c in header["chapters"]] == [
        ("Together", "ann"),
        ("Review", "bob"),
    ]
    types = [(e["type"], e["agent"]) for chapter in header["chapters"] for e in chapter["events"]]
    assert types == [("chapter", "ann"), ("chapter", "bob"), ("message_sent", "ann"), ("decision", "bob")]


def test_each_worktree_and_author_may_have_one_active_trajectory(git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "-q", str(tmp_path / "other"))
    other = Git(tmp_path / "other")
    here, there, theirs = start(git), start(other, "Elsewhere"), start(git, "By ann", "--agent", "ann")
    assert "'Limit the rate' (" in refused(git, "start", "Again")
    assert {each["id"] for each in show_on_next_commit(other)} == {there}
    traj(git, "event", "note", "by ann", "--agent", "ann")
    assert {each["id"] for each in show_on_next_commit(git)} == {here, theirs}


def test_an_empty_name_names_no_trajectory(git: Git) -> None:
    start(git)
    traj(git, "complete", "--summary", "Done")
    assert "name is empty" in refused(git, "complete", "", "--summary", "Another")


def test_each_of_several_trajectories_is_ended_by_its_author(git: Git) -> None:
    lead, dev, sub = (start(git, name, "--agent", name) for name in ("lead", "dev", "sub"))
    assert "--agent dev or --agent lead or --agent sub" in refused(git, "complete")
    traj(git, "complete", "--agent", "dev:coder", "--summary", "Done")
    traj(git, "abandon", "--agent", "lead")
    traj(git, "complete")
    ended = {each["id"]: each["status"] for each in show(git)}
    assert ended == {dev: "completed", lead: "abandoned", sub: "completed"}


def show_on_next_commit(git: Git) -> list[dict[str, Any]]:
    git.commit({"next": f"{git.root}\n"})
    return show(git)


def test_commands_are_refused_while_nothing_is_active(git: Git) -> None:
    for arguments in (
        ("decision", "x"),
        ("event", "note", "x"),
        ("chapter", "x"),
        ("complete",),
        ("abandon",),
    ):
        said = refused(git, *arguments)
        assert said == (
            "error: no trajectory is active in this worktree\n"
            "hint: git traj start TITLE begins one, for the commits from now on; git traj complete "
            "TRAJECTORY adds to one that is on commits (git traj log --trajectories)\n"
        )
    assert "no trajectory 'traj_none' is recorded here" in refused(
        git, "complete", "traj_none", "--summary", "x"
    )


def test_invalid_arguments_are_refused(git: Git) -> None:
    start(git)
    assert "content is missing" in refused(git, "event", "note", "  ")
    assert "TYPE must be one word" in refused(git, "event", "two words", "x")
    assert "chosen is missing" in refused(git, "decision", " ")
    (git.root / "bad.json").write_text("[1]")
    assert "is not a JSON object" in refused(git, "complete", "--retrospective", "bad.json")
    (git.root / "bad.json").write_text("{")
    assert "is not JSON" in refused(git, "complete", "--retrospective", "bad.json")
    (git.root / "bad.json").write_text("[" * 100_000)
    assert "is not JSON" in refused(git, "complete", "--retrospective", "bad.json")
    (git.root / "bad.json").write_text('{"summary": "x", "more": NaN}')
    assert "not a finite number" in refused(git, "complete", "--retrospective", "bad.json")


def test_a_refused_event_harms_nothing(git: Git) -> None:
    start(git)
    traj(git, "decision", "a bucket")
    for kind in ("tool_call", "tool_result", "prompt", "thinking"):
        assert "come only from session logs" in refused(git, "event", kind, "x")
    traj(git, "complete", "--summary", "Done")
    assert [each["chosen"] for each in only(git)["decisions"]] == ["a bucket"]


def test_a_secret_is_stored_nowhere(git: Git) -> None:
    traj(git, "start", f"Use {SECRET}", "--tag", SECRET)
    traj(git, "decision", f"token {SECRET}", "--alternative", f"x {SECRET}")
    folder = git.root / ".git" / "traj"
    assert not any(SECRET.encode() in f.read_bytes() for f in folder.rglob("*") if f.is_file())
    git.commit({"a": "1\n"})
    traj(git, "log")
    assert SECRET not in git.raw("cat-file", "--batch", "--batch-all-objects").decode("utf-8", "replace")
    assert only(git)["decisions"][0]["chosen"].startswith("token REDACTED-")


def test_start_is_refused_while_paused_or_switched_off(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    traj(git, "pause")
    assert "git-traj is paused here\nhint: keep working" in refused(git, "start", "x")
    traj(git, "resume")
    monkeypatch.setenv("GIT_TRAJ", "0")
    assert "switches git-traj off" in refused(git, "start", "x")


def test_a_forgotten_trajectory_stays_away(git: Git) -> None:
    name = start(git)
    git.commit({"a": "1\n"})
    traj(git, "log")
    quietly(git, "forget", name)
    git.commit({"a": "2\n"})
    assert "no commit here has a record" in quietly(git, "log", "--all")


def test_a_worktree_of_the_same_name_is_another_one(git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "-q", str(tmp_path / "other"))
    old = start(Git(tmp_path / "other"), "The old one")
    git("worktree", "remove", str(tmp_path / "other"))
    git("worktree", "add", "-q", "-b", "again", str(tmp_path / "other"))
    other = Git(tmp_path / "other")
    assert "no trajectory is active" in refused(other, "decision", "x")
    new = start(other, "The new one")
    commit = other.commit({"a": "1\n"})
    assert [each["id"] for each in show(git, commit)] == [new]
    header = only(git, old)
    assert (header["link"]["role"], header["status"]) == ("explored", None)
    assert json.loads(traj(git, "status", "--json"))["active"][0]["id"] == new


def test_removing_a_worktree_ends_trajectories_begun_in_it(git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "-q", str(tmp_path / "other"))
    other = Git(tmp_path / "other")
    name = start(other)
    commit = other.commit({"a": "1\n"})
    traj(other, "event", "note", "the last word")
    git("worktree", "remove", str(tmp_path / "other"))
    git.commit({"b": "1\n"})
    assert contents(only(git, commit)) == ["Limit the rate", "the last word"]
    assert not (git.root / ".git" / "traj" / "active" / f"{name}.json").exists()


def test_a_trajectory_can_be_forgotten_before_a_commit_has_it(git: Git) -> None:
    name = start(git)
    git.commit({"a": "1\n"})
    traj(git, "event", "note", "not yet on a commit")
    quietly(git, "forget", name)
    git.commit({"a": "2\n"})
    quietly(git, "log", "--all")
    assert not (git.root / ".git" / "traj" / "active" / f"{name}.json").exists()


def test_a_repository_may_be_moved(git: Git) -> None:
    name = start(git)
    there = git.root.with_name("elsewhere")
    git.root.rename(there)
    moved = Git(there)
    traj(moved, "event", "note", "after the move")
    moved.commit({"a": "1\n"})
    assert only(moved)["id"] == name


def test_a_crash_loses_nothing(git: Git) -> None:
    """The file is written atomically: a temporary file that a killed process left next to it is not read."""
    name = start(git)
    traj(git, "event", "note", "before")
    folder = git.root / ".git" / "traj" / "active"
    (folder / f"{name}.json.1234.5678").write_text('{"header"')
    git.commit({"a": "1\n"})
    assert contents(only(git)) == ["Limit the rate", "before"]


def test_a_commit_is_recorded_even_if_its_worktree_is_removed_at_once(git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "-q", "-b", "aside", str(tmp_path / "aside"))
    (git.root / ".git/traj/drain.lock").write_text(f"{os.getpid()}\n")  # no worker is started
    other = Git(tmp_path / "aside")
    name = start(other)
    traj(other, "decision", "a bucket")
    made = other.commit({"a": "1\n"})
    git("worktree", "remove", "--force", str(tmp_path / "aside"))
    traj(git, "log", "aside")
    assert only(git, made)["id"] == name
    assert only(git, made)["link"] == {
        "evidence": "manual",
        "carried": False,
        "role": "produced",
        "carriedFrom": [],
    }


def test_a_commit_that_is_gone_stops_no_drain(git: Git) -> None:
    base = git("rev-parse", "HEAD").strip()
    git("checkout", "-q", "-b", "away")
    git.commit({"a": "1\n"})
    name = start(git)
    traj(git, "decision", "a bucket")
    git("checkout", "-q", "main")
    git("branch", "-q", "-D", "away")
    git("reflog", "expire", "--expire=now", "--all")
    git("gc", "-q", "--prune=now")
    traj(git, "complete", "--summary", "Done")
    assert (only(git, base)["id"], only(git, base)["link"]["role"]) == (name, "explored")
    assert not [*(git.root / ".git/traj/active").iterdir()]


def test_a_token_variable_whose_value_is_a_commit_does_not_prevent_recording(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", git("rev-parse", "HEAD").strip())
    name = start(git)
    traj(git, "complete", "--summary", "Done")
    assert only(git)["id"] == name


def test_without_an_installation_start_says_so_and_events_wait(tmp_path: Path, empty_home: Path) -> None:
    git = Git.init(tmp_path / "bare-handed")
    git.commit({"README": "here\n"})
    assert "git traj install" in quietly(git, "start", "By hand")
    assert "git traj install" in quietly(git, "complete", "--summary", "Done")
    traj(git, "install")
    assert "git traj install" not in quietly(git, "start", "Another")
    assert [each["title"] for each in show(git)] == ["By hand"]


# ---------------------------------------------------------------- a task, and who works on it


def test_a_task_is_shown_completed_exported_and_bundled_by_its_id(git: Git, tmp_path: Path) -> None:
    name = start(git, "Limit the rate", "--task", "tracker:ENG-7", "--agent", "ann:lead")
    traj(git, "chapter", "Measure", "--agent", "bob:reviewer")
    traj(git, "decision", "a token bucket", "--agent", "ann")
    page = traj(git, "status")
    for line in (
        "  Task: tracker:ENG-7",
        "  Agents: ann (lead), bob (reviewer)",
        "  Chapter: Measure",
        "  Decisions: 1, the last: a token bucket",
    ):
        assert line in page
    git.commit({"a": "1\n"})
    traj(git, "complete", "tracker:ENG-7", "--summary", "It is limited")
    assert json.loads(traj(git, "status", "--json"))["active"] == []
    (header,) = json.loads(traj(git, "show", "ENG-7", "--json"))["trajectories"]
    assert (header["id"], header["status"], header["retrospective"]["summary"]) == (
        name,
        "completed",
        "It is limited",
    )
    traj(git, "complete", "ENG-7", "--summary", "It is limited, and measured")
    (header,) = json.loads(traj(git, "show", "ENG-7", "--json"))["trajectories"]
    assert header["retrospective"]["summary"] == "It is limited, and measured"
    assert json.loads(traj(git, "export", "--format", "trajectory", "ENG-7"))["id"] == name
    traj(git, "bundle", "ENG-7", "-o", str(tmp_path / "out"))
    assert [*json.loads((tmp_path / "out" / "index.json").read_text())["trajectories"]] == [name]


def test_a_conversation_has_senders_and_receivers(git: Git, tmp_path: Path) -> None:
    name = start(git, "Together", "--agent", "ann:lead")
    traj(git, "event", "message_sent", "take the parser", "--agent", "ann", "--to", "bob")
    traj(git, "event", "message_received", "it is done", "--agent", "ann", "--from", "bob", "--to", "ann")
    traj(git, "event", "note", "between them")
    git.commit({"a": "1\n"})
    header = only(git)
    events = [event for chapter in header["chapters"] for event in chapter["events"]]
    spoken = [(e["agent"], e.get("recipient"), e["content"]) for e in events if "message" in e["type"]]
    assert spoken == [("ann", "bob", "take the parser"), ("bob", "ann", "it is done")]
    assert header["participants"] == [{"name": "ann", "role": "lead"}, {"name": "bob", "role": None}]
    talk = traj(git, "show", name, "--messages")
    assert talk.index("ann → bob: take the parser") < talk.index("bob → ann: it is done")
    assert "between them" not in talk
    for form in ("markdown", "html", "timeline"):
        assert "ann → bob" in traj(git, "show", name, "--format", form) or form == "timeline"
    for form in ("trajectory", "atif", "trajectory-sqlite"):
        traj(git, "export", "--format", form, name, "-o", str(tmp_path / form))
        other = Git.init(tmp_path / f"of {form}")
        other.commit({"x": "1\n"})
        traj(other, "import", str(tmp_path / form))
        (again,) = json.loads(traj(other, "show", name, "--json"))["trajectories"]
        events = [event for chapter in again["chapters"] for event in chapter["events"]]
        assert spoken == [
            (e["agent"], e.get("recipient"), e["content"]) for e in events if "message" in e["type"]
        ]


def export_beads(git: Git, status: str, title: str = "Add login") -> None:
    issue = {"id": "bd-1", "title": title, "status": status}
    (git.root / ".beads").mkdir(exist_ok=True)
    (git.root / ".beads" / "issues.jsonl").write_text(json.dumps(issue))


def test_a_task_that_is_closed_in_its_system_ends_its_trajectory_here(git: Git) -> None:
    export_beads(git, "in_progress")
    assert traj(git, "tasks").startswith("No trajectory that is active here has a task")
    name = start(git, "Limit the rate", "--task", "beads:bd-1")
    assert traj(git, "tasks") == "beads:bd-1  in_progress  Add login\n"
    export_beads(git, "closed")
    open_still = (
        "beads:bd-1  closed  Add login\n    still open here; end it: git traj complete bd-1 --summary S\n"
    )
    assert traj(git, "tasks", "--keep") == open_still
    (task,) = json.loads(traj(git, "tasks", "--keep", "--json"))["tasks"]
    assert (task["trajectory"], task["status"], task["closed"]) == (name, "closed", True)
    git.commit({"a": "1\n"})
    assert f"ended; add its result: git traj complete {name} --summary S" in traj(git, "tasks")
    assert traj(git, "tasks").startswith("No trajectory"), "it is over"
    (ended,) = json.loads(traj(git, "show", name, "--json"))["trajectories"]
    assert ended["status"] == "completed"
    traj(git, "complete", name, "--summary", "It is limited")


def test_the_next_command_follows_the_status_in_beads_export(git: Git) -> None:
    export_beads(git, "in_progress")
    name = start(git, "Limit the rate", "--task", "beads:bd-1")
    git.commit({"a": "1\n"})
    export_beads(git, "in_progress", f"Add a login with {SECRET}")
    traj(git, "log")
    export_beads(git, "closed", f"Add a login with {SECRET}")
    assert quietly(git, "log") == (
        "git-traj: bd-1 is closed in beads, so its trajectory ended; "
        f"add its result: git traj complete {name} --summary S\n"
    )
    (header,) = json.loads(traj(git, "show", name, "--json"))["trajectories"]
    assert header["status"] == "completed"
    assert "login" in header["task"]["title"]
    assert SECRET not in json.dumps(header)


def test_a_task_closed_before_a_commit_is_still_noticed(git: Git) -> None:
    """The commit rewrites the trajectory's own file, later than Beads' export."""
    export_beads(git, "in_progress")
    start(git, "Limit the rate", "--task", "beads:bd-1")
    export_beads(git, "closed")
    git.commit({"a": "1\n"})
    traj(git, "event", "note", "done")
    assert "bd-1 is closed in beads" in quietly(git, "log")
    assert not quietly(git, "log")


def test_an_export_older_than_a_trajectory_does_not_end_it(git: Git) -> None:
    export_beads(git, "closed")
    start(git, "Limit the rate again", "--task", "beads:bd-1")
    assert "closed" not in quietly(git, "log")
    traj(git, "decision", "a bucket")


def test_a_task_that_beads_has_closed_can_still_be_completed(git: Git) -> None:
    export_beads(git, "in_progress")
    name = start(git, "Limit the rate", "--task", "beads:bd-1")
    git.commit({"a": "1\n"})
    export_beads(git, "closed")
    traj(git, "complete", "--summary", "It is limited")
    (header,) = json.loads(traj(git, "show", name, "--json"))["trajectories"]
    assert header["retrospective"]["summary"] == "It is limited"


def test_a_task_in_progress_that_the_branch_is_named_after_starts_once(git: Git) -> None:
    export_beads(git, "open")
    git("checkout", "-q", "-b", "feature/bd-1")
    traj(git, "tasks")
    export_beads(git, "in_progress")
    quietly(git, "log")
    assert json.loads(traj(git, "tasks", "--json"))["tasks"][0]["change"] == "started"
    assert traj(git, "tasks") == "beads:bd-1  in_progress  Add login\n"
    git.commit({"a": "1\n"})
    assert only(git)["title"] == "Add login"
