"""Benchmark runs that made no commit are imported, listed, compared, counted, shared and forgotten."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, ItemsView, ValuesView
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gittraj.notes.run_keys import find_run_keys, run_key
from gittraj.notes.store import NotesRef
from gittraj.query.records import Recorded
from gittraj.query.stats.counts import Tallies
from gittraj.query.stats.statistics import count
from gittraj.query.stats.tables import table
from tests.e2e.scenario import turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.past import begin
from tests.integration.repository import Git
from tests.integration.sharing import bare, clone
from tests.integration.story import Story, record


def run_file(folder: Path, run: str, instance: str, number: int, *, status: str = "Submitted") -> Path:
    """Write the file of a run of mini-swe-agent, version 2."""
    turns = [
        ("system", "You are an agent.", {}),
        ("user", f"Solve {instance}", {}),
        ("assistant", f"Try {number}\n\n```mswea_bash_command\nls {number}\n```", {}),
        ("user", "<returncode>0</returncode>\n<output>\na.py\n</output>", {"returncode": 0}),
    ]
    if number % 2:
        turns += [("user", "Format error:\n\nno action", {"interrupt_type": "FormatError"})]
    messages = [
        {"role": role, "content": content, "extra": {**extra, "timestamp": 1_760_000_000 + 60 * number + at}}
        for at, (role, content, extra) in enumerate(turns)
    ]
    document = {
        "info": {
            "exit_status": status,
            "mini_version": "2.1.0",
            "model_stats": {"instance_cost": 0.5, "api_calls": 1},
            "config": {"model": {"model_name": f"model-{run}"}},
        },
        "messages": messages,
        "instance_id": instance,
        "trajectory_format": "mini-swe-agent-1.1",
    }
    path = folder / f"{run}-{number}" / f"{instance}.traj.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document))
    return path


@pytest.fixture
def begun(git: Git) -> Git:
    return begin(git)


@pytest.fixture
def runs(begun: Git, tmp_path: Path) -> Path:
    """Twelve runs of two models on two instances."""
    for number in range(12):
        model = "ab"[number % 2]
        run_file(
            tmp_path / "runs",
            model,
            f"org__repo-{number % 4 // 2}",
            number,
            status="Submitted" if number else "Lost",
        )
    return tmp_path / "runs"


def _import_runs(git: Git, folder: Path) -> list[dict[str, Any]]:
    said = traj(git.root, "import", "--json", str(folder))
    assert said.returncode == 0, said.stderr
    imported: list[dict[str, Any]] = json.loads(said.stdout)["imported"]
    return imported


def _rows(git: Git, *args: str) -> list[dict[str, Any]]:
    said = traj(git.root, "log", "--trajectories", "--json", *args)
    found: list[dict[str, Any]] = json.loads(said.stdout)["trajectories"]
    return found


def _notes(git: Git) -> dict[str, bytes]:
    with git.open() as repository:
        return dict(NotesRef(repository).items())


def test_the_key_of_a_run_is_the_id_that_git_gives_its_blob(each_git: Git) -> None:
    with each_git.open("plumbing") as repository:
        key = run_key(repository.object_format, "2026-11", "traj_one")
    # SHA-256 of "traj_one" begins with 0f
    text = b"git-traj runs 2026-11 0f\n"
    named = subprocess.run(
        ["git", "hash-object", "--stdin"], cwd=each_git.root, input=text, capture_output=True, check=True
    )
    assert named.stdout.decode().strip() == key
    assert [*find_run_keys([key, "0" * len(key)])] == [key]


def test_runs_have_their_own_notes_and_a_second_import_adds_nothing(begun: Git, runs: Path) -> None:
    rows = _import_runs(begun, runs)
    assert len({row["trajectory"] for row in rows}) == 12
    notes = _notes(begun)
    assert [*find_run_keys(notes)] == [*notes], "none of them on the commit that happened to be HEAD"
    assert {commit for row in rows for commit in row["explored"]} == {*notes}
    before = begun("rev-parse", "refs/notes/traj")
    assert all(row["parts"] == 0 for row in _import_runs(begun, runs))
    assert begun("rev-parse", "refs/notes/traj") == before
    assert "no commit (git traj log --trajectories --all)" in traj(begun.root, "import", str(runs)).stdout


def test_an_import_that_cannot_write_records_writes_no_segments(begun: Git, runs: Path) -> None:
    begun("symbolic-ref", "refs/notes/traj", "refs/notes/nowhere")
    assert "refs/notes/traj is damaged" in traj(begun.root, "import", str(runs)).stderr
    assert begun("for-each-ref", "refs/notes") == ""


def test_runs_are_listed_on_request_and_not_with_commits(begun: Git, runs: Path) -> None:
    _import_runs(begun, runs)
    assert _rows(begun) == []
    assert len(_rows(begun, "--all")) == 12
    assert [row["startedAt"] for row in _rows(begun, "--all")] == sorted(
        (row["startedAt"] for row in _rows(begun, "--all")), reverse=True
    )
    for _ in range(2):  # first from the notes, then from the index
        assert len(_rows(begun, "--run", "org__repo-1")) == 6
        (lost,) = _rows(begun, "--status", "failed")
        assert (lost["exit"]["status"], lost["commits"]) == ("Lost", [])
    assert _rows(begun, "--all", "--author", "nobody") == []
    document = json.loads(traj(begun.root, "log", "--all", "--json").stdout)
    assert (document["commits"], len(document["runs"])) == ([], 12)
    assert "12 runs without a commit; --trajectories lists them" in traj(begun.root, "log", "--all").stdout
    assert " org__repo-1: " in traj(begun.root, "log", "--run", "org__repo-1", "--trajectories").stdout
    first = _rows(begun, "-n", "1", "--all")[0]["id"]
    shown = json.loads(traj(begun.root, "show", first, "--json").stdout)["trajectories"][0]
    assert (shown["link"]["role"], shown["run"]["instance"]) == ("explored", "org__repo-1")


def test_a_second_listing_reads_rows_and_no_record(begun: Git, runs: Path) -> None:
    _import_runs(begun, runs)
    asked = (
        ("--all",),
        ("--all", "--sort", "cost"),
        ("--run", "org__repo-1"),
        ("--status", "failed"),
        ("--all", "--model", "model-b", "--min-cost", "0.5", "-n", "2"),
    )
    listed = {args: traj(begun.root, "log", "--trajectories", *args).stdout for args in asked}
    assert [len(text.splitlines()) for text in listed.values()] == [12, 12, 6, 1, 2]
    heavy = ["gittraj.model.values", "gittraj.query.records", "gittraj.query.header", "gittraj.notes.store"]
    for args, text in listed.items():
        code = (
            "import sys; from gittraj.cli.common.group import call\n"
            f"assert call(['log', '--trajectories', *{args}]) == 0\n"
            f"print(*[m for m in {heavy} if m in sys.modules], file=sys.stderr)"
        )
        ran = subprocess.run([sys.executable, "-c", code], cwd=begun.root, capture_output=True, check=True)
        assert (ran.stdout.decode(), ran.stderr.split()) == (text, [])
    nothing = traj(begun.root, "log", "--run", "none")
    assert (nothing.stdout, nothing.returncode) == ("", 0)
    assert nothing.stderr == (
        "no matching runs (no commit here has a record)\n"
        "hint: git traj log --trajectories --all lists those without a commit\n"
    )
    gone = listed["--status", "failed"].split()[0]
    assert traj(begun.root, "forget", gone).returncode == 0
    assert traj(begun.root, "log", "--trajectories", "--status", "failed").stdout == ""
    assert len(traj(begun.root, "log", "--trajectories", "--all").stdout.splitlines()) == 11


def test_statistics_and_comparison_include_runs(begun: Git, runs: Path) -> None:
    _import_runs(begun, runs)
    for _ in range(2):
        report = json.loads(traj(begun.root, "stats", "--json", "--by", "model").stdout)
        assert (report["total"]["trajectories"], report["total"]["withoutCommit"]) == (12, 12)
        assert report["total"]["parseFailures"] == 6
        assert {r["name"]: (r["successRate"], r["costUsd"]) for r in report["rows"]} == {
            "model-a": (0.8333, 3.0),
            "model-b": (1.0, 3.0),
        }
    by_month = json.loads(traj(begun.root, "stats", "--json", "--by", "month").stdout)["rows"]
    assert [(row["name"], row["commits"], row["trajectories"]) for row in by_month][-1] == (None, 0, 12)
    report = json.loads(
        traj(begun.root, "compare", "model-a", "model-b", "--task", "org__repo-0", "--json").stdout
    )
    assert [side["metrics"]["trajectories"] for side in report["sides"]] == [3, 3]
    assert [side["metrics"]["parseFailures"] for side in report["sides"]] == [0, 3]


def test_a_plain_fetch_brings_runs_and_they_do_not_count_as_lost(
    begun: Git, runs: Path, tmp_path: Path
) -> None:
    _import_runs(begun, runs)
    server = bare(tmp_path / "server.git")
    begun("remote", "add", "origin", str(server.root))
    begun("push", "origin", "HEAD:refs/heads/main")
    begun("config", "traj.push", "auto")
    assert traj(begun.root, "push").returncode == 0
    other = clone(server, tmp_path / "other")
    assert traj(other.root, "fetch").returncode == 0
    assert len(_rows(other, "--all")) == 12
    said = traj(begun.root, "doctor", "--json")
    assert not [f for f in json.loads(said.stdout)["findings"] if "reach" in json.dumps(f)], said.stdout
    begun.commit({"more": "1\n"}, "More")
    assert "nothing to repair" in traj(begun.root, "repair").stderr
    assert "not here" not in traj(begun.root, "status").stdout


def test_runs_of_a_remote_that_is_not_joined_are_on_no_commit(begun: Git, runs: Path, tmp_path: Path) -> None:
    _import_runs(begun, runs)
    other = Git.init(tmp_path / "other")
    other("remote", "add", "origin", str(begun.root))
    other("fetch", "origin", "HEAD:refs/heads/side", "refs/notes/traj:refs/notes-remote/origin/traj")
    other("checkout", "-q", "side")
    none = "no matching commits (no commit here has a record)\nhint: git traj "
    assert traj(other.root, "log").stderr == f"{none}log --trajectories --all lists those without a commit\n"
    said = traj(other.root, "export", "-o", "site/")
    assert said.stderr == f"{none}export --all exports those without a commit\n"
    assert (
        "trajectories of origin on 0 commits (git traj fetch origin joins"
        in traj(other.root, "status").stdout
    )
    assert json.loads(traj(other.root, "stats", "--json").stdout)["total"]["remotes"] == {"origin": 0}
    assert json.loads(traj(other.root, "search", "--json", "Try").stdout)["beside"] == {"origin": 0}


def test_a_run_that_is_partly_on_a_commit_is_exported_once(begun: Git, runs: Path, tmp_path: Path) -> None:
    [name] = {row["trajectory"] for row in _import_runs(begun, next(runs.glob("a-2/*")))}
    with begun.open() as repository:
        Story(repository).note(begun.head(), record(name, at=90))
    document = json.loads(traj(begun.root, "export", "--format", "json", "--all").stdout)
    entries = [*document["commits"], *document["trajectories"]]
    assert str(entries).count(f"'id': '{name}'") == 1
    traj(begun.root, "export", "--format", "atif", "--all", "-o", str(tmp_path / "one"))
    assert "Try 2" not in (tmp_path / "one").read_text()


def test_a_run_can_be_moved_to_a_commit(begun: Git, runs: Path) -> None:
    _import_runs(begun, runs)
    one = next(runs.glob("a-2/*"))
    said = traj(begun.root, "import", "--json", "--commit", "HEAD", str(one))
    (row,) = json.loads(said.stdout)["imported"]
    assert [each["commit"] for each in row["commits"]] == [begun.head()]
    assert len(_rows(begun, "--all")) == 12
    (moved,) = [row for row in _rows(begun, "--all") if row["commits"]]
    assert (moved["id"], moved["link"]["role"]) == (row["trajectory"], "produced")


def test_a_whole_instance_is_exported_and_a_run_forgotten(begun: Git, runs: Path, tmp_path: Path) -> None:
    rows = _import_runs(begun, runs)
    out = tmp_path / "out"
    assert traj(begun.root, "export", "--format", "atif", "org__repo-0", "-o", str(out)).returncode == 0
    assert len([*out.rglob("*.json")]) == 6
    assert (
        traj(begun.root, "export", "--format", "atif", "--all", "-o", str(tmp_path / "all")).returncode == 0
    )
    assert len([*(tmp_path / "all").iterdir()]) == 12, "also where no commit has a record"
    document = json.loads(traj(begun.root, "export", "--format", "json", "--all").stdout)
    assert (document["commits"], len(document["trajectories"])) == ([], 12)
    run = next(row["run"]["id"] for row in _rows(begun, "--all"))
    assert traj(begun.root, "forget", run).returncode == 0
    left = _rows(begun, "--all")
    assert run not in {row["run"]["id"] for row in left}
    assert len(left) < len(rows)
    assert traj(begun.root, "forget", "org__repo-0").returncode == 0
    assert {row["run"]["instance"] for row in _rows(begun, "--all")} == {"org__repo-1"}


def test_runs_in_separate_clones_are_imported_and_a_refusal_stops_no_other(
    begun: Git, tmp_path: Path
) -> None:
    """A benchmark clones its repository for each run; a session of another repository is refused."""
    for number in range(2):
        path = run_file(tmp_path / "runs", "a", "org__repo-1", number)
        copy = Git.init(tmp_path / f"copy{number}")
        copy.commit({f"its own {number}": "x\n"}, f"Begin {number}")
        document = json.loads(path.read_text())
        document["info"]["config"]["environment"] = {"cwd": str(copy.root)}
        path.write_text(json.dumps(document))
    session = ClaudeSession(copy.root)
    session.run([turn(say="Done")], prompt="Elsewhere")
    (tmp_path / "runs" / "z.jsonl").write_bytes(session.log.read_bytes())
    said = traj(begun.root, "import", "--json", str(tmp_path / "runs"))
    report = json.loads(said.stdout)
    assert len({row["trajectory"] for row in report["imported"]}) == 2
    (failed,) = report["failed"]
    assert (said.returncode, "another repository" in failed["why"]) == (1, True)


def test_runs_without_a_parsable_answer_stay_separate(begun: Git, tmp_path: Path) -> None:
    """They differ only in the calls that could not be parsed."""
    for number in range(3):
        path = run_file(tmp_path / "runs", "a", "org__repo-1", number)
        document = json.loads(path.read_text())
        refusal = {"interrupt_type": "FormatError", "response": {"id": f"chatcmpl-{number}", "created": 1}}
        document["messages"][2:] = [{"role": "user", "content": "Format error:", "extra": refusal}]
        path.write_text(json.dumps(document))
    rows = _import_runs(begun, tmp_path / "runs")
    assert len({row["trajectory"] for row in rows}) == 3
    assert [row["total"]["counts"]["malformed"] for row in _rows(begun, "--all")] == [1, 1, 1]


def test_a_run_in_a_folder_that_this_user_may_not_enter_is_imported(
    begun: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = run_file(tmp_path, "c", "org__repo-1", 0)
    document = json.loads(file.read_text())
    monkeypatch.setattr("os.stat", partial(_refuse_closed, os.stat))
    for environment in ("Docker", "Local"):
        folder = f"/closed/{environment}"
        names = {"environment_type": f"{environment}Environment", "environment": {"cwd": folder}}
        document["info"]["config"] |= names
        file.write_text(json.dumps(document))
        assert len(_import_runs(begun, file)) == 1, environment


def _refuse_closed(stat: Callable[..., os.stat_result], path: Any, **options: Any) -> os.stat_result:
    """``os.stat`` as it is for a user who may not enter ``/closed``; root, who runs some tests, may."""
    if str(path).startswith("/closed/"):
        raise PermissionError(13, "Permission denied", path)
    return stat(path, **options)


def test_a_longer_version_of_a_run_adds_only_its_further_calls(begun: Git, tmp_path: Path) -> None:
    path = run_file(tmp_path, "a", "org__repo-1", 2)
    document = json.loads(path.read_text())
    turns = document["messages"][2:]
    for calls in (3, 7, 9):  # before 7 the state is rebuilt from the records
        document["info"]["model_stats"] = {"instance_cost": calls / 2, "api_calls": calls}
        path.write_text(json.dumps(document))
        _import_runs(begun, path)
        (row,) = _rows(begun, "--all")
        assert (row["total"]["counts"]["apiCalls"], row["total"]["costUsd"]) == (calls, calls / 2)
        later = [{**turn, "extra": {**turn["extra"], "timestamp": 1_760_000_500 + calls}} for turn in turns]
        document["messages"] += later
        if calls == 3:
            next(begun.root.glob(".git/traj/**/cursors.json")).unlink()


def test_run_solve_and_task_ids_are_found_and_shown(begun: Git, tmp_path: Path) -> None:
    file = run_file(tmp_path, "a", "org__repo-1", 1)
    log = file.rename(tmp_path / "nightly_run7_20260101_120000.traj.json")
    (row,) = json.loads(traj(begun.root, "import", "--json", "--task", "beads:bd-1", str(log)).stdout)[
        "imported"
    ]
    for name in ("run7", "nightly", "org__repo-1", "beads:bd-1", row["trajectory"]):
        shown = traj(begun.root, "show", name).stdout
        assert "task     beads:bd-1" in shown, name
        assert "run      run7 · nightly · org__repo-1" in shown, name
    for name in ("run7", "nightly", "org__repo-1"):
        assert [each["id"] for each in _rows(begun, "--run", name)] == [row["trajectory"]]
        assert "  named    " in (said := traj(begun.root, "search", name).stdout)
        assert name in said


@pytest.mark.parametrize(
    ("folder", "command", "outside"),
    [
        ("/testbed-of-none", "cd /testbed-of-none && cat a.py", 0),
        ("/testbed-of-none", "cd /testbed-of-none && cat /home/ann/b.py", 1),
        (f"/{'x' * 300}", f"cd /{'x' * 300} && cat a.py", 0),
        ("{here}", "cd {here} && cat a.py", 1),
    ],
)
def test_a_containers_folder_is_the_repository_unless_this_machine_has_it(
    begun: Git, tmp_path: Path, folder: str, command: str, outside: int
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    file = run_file(tmp_path, "c", "org__repo-1", 0)
    document = json.loads(file.read_text())
    environment = {"environment_type": "DockerEnvironment", "environment": {"cwd": folder.format(here=here)}}
    document["info"]["config"] |= environment
    document["messages"][2]["content"] = f"```mswea_bash_command\n{command.format(here=here)}\n```"
    file.write_text(json.dumps(document))
    (row,) = _import_runs(begun, file)
    shown = json.loads(traj(begun.root, "show", row["trajectory"], "--json").stdout)["trajectories"][0]
    assert shown["part"]["counts"]["toolCalls"] == 1
    assert shown["part"]["counts"]["outside"] == outside


class _Read(dict[str, Tallies]):
    """A dict that counts how often it is read completely."""

    times = 0

    def items(self) -> ItemsView[str, Tallies]:
        self.times += 1
        return super().items()

    def values(self) -> ValuesView[Tallies]:
        self.times += 1
        return super().values()


def test_a_table_reads_all_runs_equally_often_whatever_their_number(begun: Git, runs: Path) -> None:
    _import_runs(begun, runs)
    with begun.open() as repository:
        recorded = Recorded(NotesRef(repository).items())
        places = recorded.places()
        tallies = _Read(zip(places, recorded.tallies(places), strict=True))
    totals = count([], tallies)
    read = []
    for by in ("agent", "run"):
        counted = replace(totals, tallies=_Read(tallies))
        rows = table(counted, by, dict)
        assert sum(row["trajectories"] for row in rows) == 12
        read.append((len(rows), counted.tallies.times))  # type: ignore[attr-defined]
    assert [rows for rows, _ in read] == [1, 12]
    assert read[0][1] == read[1][1]
