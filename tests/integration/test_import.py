"""``git traj import``: what is read from files and pipes, on which commits it is put, and what is printed."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scenario import Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.past import begin, commit_turns, recorded, refs, text
from tests.integration.records import check, traj
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter, Writer
from tests.sizes import in_turn

pytestmark = pytest.mark.usefixtures("real_clocks")
MB = 1 << 20


@pytest.fixture
def begun(git: Git) -> Git:
    return begin(git)


def run(where: Path, *arguments: str, given: bytes = b"", env: dict[str, str] | None = None) -> command.Said:
    return command.traj(where, "import", *arguments, given=given, env=env)


def take(git: Git, *arguments: str | Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(traj(git, "import", "--json", *map(str, arguments)))["imported"]
    return rows


def header(git: Git, trajectory: str) -> dict[str, Any]:
    (shown,) = json.loads(traj(git, "show", trajectory, "--json"))["trajectories"]
    return dict(shown)


def move_away(session: SessionWriter, folder: Path) -> Path:
    """Move the log into ``folder``, as if it came from another machine."""
    folder.mkdir(exist_ok=True)
    path = folder / session.log.name
    shutil.move(session.log, path)
    session.log = path
    return path


# ---------------------------------------------------------------- on which commit


def test_by_default_a_session_is_put_on_the_commit_where_it_started(
    begun: Git, writer: Writer, tmp_path: Path
) -> None:
    session = writer(begun.root)
    session.run([turn(Write("a", text("a")), think="How?"), turn(say="Done")], prompt="Write")
    (row,) = take(begun, move_away(session, tmp_path / "away"))
    assert (row["commits"], row["explored"], row["damage"]) == ([], [begun.head()], 0)
    assert recorded(begun, "--all") == {"Begin": {session.session}}
    assert header(begun, row["trajectory"])["link"] == {
        "evidence": "imported",
        "carried": False,
        "role": "explored",
        "carriedFrom": [],
    }
    check(begun, session)


def test_a_log_is_imported_onto_a_commit_and_again_and_grown(
    begun: Git, writer: Writer, tmp_path: Path
) -> None:
    session = writer(begun.root)
    session.run([turn(Write("a", text("a"))), turn(say="Done")], prompt="Write a")
    path = move_away(session, tmp_path / "away")
    other = begun.commit({"other": "x\n"}, "Other")
    (row,) = take(begun, path, "--commit", "HEAD")
    assert row["commits"] == [{"commit": other, "evidence": "imported", "carried": False}]
    before = refs(begun)
    (row,) = take(begun, path, "--commit", "HEAD")
    assert (row["parts"], refs(begun)) == (0, before)
    session.run([turn(Write("b", text("b"))), turn(say="Done again")], prompt="Write b")
    (row,) = take(begun, path, "--commit", "HEAD")
    assert row["parts"] > 0
    assert recorded(begun) == {"Other": {session.session}}
    check(begun, session)


def test_auto_puts_a_session_on_commits_by_evidence(begun: Git, writer: Writer, tmp_path: Path) -> None:
    session = writer(begun.root)
    session.run(commit_turns("a", "b"), prompt="Write both")
    (row,) = take(begun, move_away(session, tmp_path / "away"), "--auto")
    assert {each["evidence"] for each in row["commits"]} == {"output"}
    assert recorded(begun) == {"Add a": {session.session}, "Add b": {session.session}}
    check(begun, session)


def test_explored_work_that_is_linked_later_is_shown_once(begun: Git, writer: Writer, tmp_path: Path) -> None:
    session = writer(begun.root)
    session.run(commit_turns("a", "b"), prompt="Write both")
    path = move_away(session, tmp_path / "away")
    take(begun, path)
    take(begun, path, "--auto")
    assert recorded(begun) == {"Add a": {session.session}, "Add b": {session.session}}
    check(begun, session)


def test_a_task_that_a_person_names(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run([turn(say="Nothing to do")], prompt="Think")
    (row,) = take(begun, session.log, "--task", "jira:HERON-7")
    source = {"system": "jira", "id": "HERON-7", "url": None}
    assert header(begun, row["trajectory"])["task"]["source"] == source


def test_another_repository_s_session_is_refused(begun: Git, writer: Writer, tmp_path: Path) -> None:
    other = Git.init(tmp_path / "other")
    other.commit({"theirs": "x\n"}, "Theirs")
    session = writer(other.root)
    session.run(commit_turns("a"), prompt="Write")
    for options in ((), ("--auto",)):
        done = run(begun.root, str(session.log), *options)
        assert done.returncode == 1
        assert f"the session worked in another repository: {other.root}" in done.stderr
    assert refs(begun) == ""


# ---------------------------------------------------------------- messages


def test_options_that_make_no_sense(begun: Git) -> None:
    session = ClaudeSession(begun.root)
    session.run([turn(say="Yes")], prompt="Think")
    both = run(begun.root, str(session.log), "--auto", "--commit", "HEAD")
    assert both.returncode == 2
    assert "--commit and --auto cannot be combined" in both.stderr
    wrong = run(begun.root, str(session.log), "--format", "claude")
    assert wrong.returncode == 1
    assert "unknown format 'claude'" in wrong.stderr
    nowhere = run(begun.root, str(session.log), "--commit", "nowhere")
    assert nowhere.returncode == 1
    assert "nowhere" in nowhere.stderr
    assert refs(begun) == ""


def test_one_bad_file_among_good_ones(begun: Git, tmp_path: Path) -> None:
    one, other = ClaudeSession(begun.root), CodexSession(begun.root)
    for session in (one, other):
        session.run([turn(say="Yes")], prompt="Think")
    (bad := tmp_path / "notes.txt").write_text("no session at all\n")
    missing = tmp_path / "missing"
    done = run(begun.root, str(one.log), str(bad), str(missing), str(other.log))
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [str(one.log), str(other.log)]
    assert done.stderr.splitlines() == [
        f"error: {bad}: not imported: not the log of a known agent",
        f"error: {missing}: not imported: No such file or directory",
    ]
    check(begun, one, other)


def test_a_log_that_ends_within_a_record_says_so(begun: Git, writer: Writer, tmp_path: Path) -> None:
    session = writer(begun.root)
    session.run([turn(Write("a", text("a"))), turn(say="Done")], prompt="Write a")
    (cut := tmp_path / session.log.name).write_bytes(session.log.read_bytes()[:-40])
    done = run(begun.root, str(cut))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("; 1 damaged place left out\n")
    (row,) = take(begun, session.log)
    assert row["damage"] == 0
    check(begun, session)


# ---------------------------------------------------------------- repositories


def test_import_before_the_first_commit(git: Git, writer: Writer) -> None:
    git("config", "traj.thinking", "clear")
    session = writer(git.root)
    session.run([turn(say="Yes")], prompt="Think")
    done = run(git.root, str(session.log))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" new parts; on no commit: it waits for the first one here\n")
    assert refs(git) == ""
    begin(git)
    take(git, session.log)
    check(git, session)


def test_import_into_a_bare_repository(begun: Git, writer: Writer, tmp_path: Path) -> None:
    session = writer(begun.root)
    session.run(commit_turns("a"), prompt="Write a")
    begun("clone", "-q", "--bare", str(begun.root), str(tmp_path / "bare"))
    path = move_away(session, tmp_path / "away")
    shutil.rmtree(begun.root)
    bare = Git(tmp_path / "bare")
    bare("config", "traj.thinking", "clear")
    take(bare, path, "--auto")
    assert recorded(bare) == {"Add a": {session.session}}
    check(bare, session)


# ---------------------------------------------------------------- pipes


@pytest.mark.parametrize("where", ["repository", "nowhere", "off"])
def test_garbage_in_a_pipe_does_not_fail_its_writer(begun: Git, tmp_path: Path, where: str) -> None:
    """The program that writes into it must see neither a failure nor a closed pipe."""
    given = b"no session at all\n" * (3 * MB // 18)
    env = {"GIT_TRAJ": "0"} if where == "off" else {}
    folder = tmp_path if where == "nowhere" else begun.root
    done = run(folder, "-", given=given, env=env)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("git-traj: -: not imported: ")
    assert done.stderr.count("\n") == 1
    empty = run(folder, "-", env=env)
    assert (empty.returncode, empty.stderr.count("\n")) == (0, 1)
    assert refs(begun) == ""


def test_a_pipe_is_read_to_its_end(begun: Git) -> None:
    """That is so even if none of it can be used, or if only reading shows that the command line is wrong."""
    lines = f"yes a line that is no event | head -c {2 * MB}"
    command = f"{{ {lines}; echo >&2 written; }} | {sys.executable} -m gittraj import -"
    for env in ({}, {"GIT_TRAJ": "0"}):
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=begun.root,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0
        assert "written\n" in done.stderr


PIPED = {
    "claude-stream-json/session.jsonl": ("claude-code", "claude-stream-json"),
    "codex-exec/v0.169-build-and-commit.jsonl": ("codex", "codex-exec"),
    "gemini-stream-json/v0.61-stream.jsonl": ("gemini-cli", "gemini-stream"),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", PIPED)
def test_the_printed_output_of_an_agent_is_imported_once(begun: Git, samples: Path, name: str) -> None:
    given = (samples / name).read_bytes()
    done = run(begun.root, "-", "--json", given=given)
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = json.loads(done.stdout)["imported"]
    assert (row["path"], row["agent"]) == ("-", PIPED[name][0])
    assert row["parts"] > 0
    before = refs(begun)
    again = run(begun.root, "-", "--json", given=given)
    assert json.loads(again.stdout)["imported"][0]["parts"] == 0
    assert refs(begun) == before
    assert [*(begun.root / ".git" / "traj").glob("import.*")] == []


@pytest.mark.parametrize("when", ["it reads", "it waits for the lock"])
def test_a_run_that_is_terminated_leaves_nothing_of_its_pipe(begun: Git, tmp_path: Path, when: str) -> None:
    folder, home = tmp_path / "temp", begun.root / ".git" / "traj"
    folder.mkdir()
    home.mkdir()
    given = b"words of a session\n" * (MB // 19)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = [sys.executable, "-m", "gittraj", "import", "-"]
        env = {**os.environ, "TMPDIR": str(folder)}
        with subprocess.Popen(command, cwd=begun.root, env=env, stdin=subprocess.PIPE) as child:
            assert child.stdin
            child.stdin.write(given)
            child.stdin.flush()
            if when == "it waits for the lock":
                child.stdin.close()
                while not [*home.glob("import.*/stdin")]:
                    assert child.poll() is None
                    time.sleep(0.01)
            child.terminate()
            assert child.wait(30) != 0
    left = [path for each in (folder, home) for path in each.rglob("*") if path.is_file()]
    assert not [path for path in left if b"words of a session" in path.read_bytes()]
    assert not [*home.glob("import.*")]


def test_the_pipe_file_that_a_killed_run_left_is_removed(begun: Git) -> None:
    left = begun.root / ".git" / "traj" / "import.x.123"
    left.mkdir(parents=True)
    (left / "stdin").write_text("words")
    os.utime(left, (1, 1))
    run(begun.root, "-", given=b"no session")
    assert not left.exists()


THREAD = (
    "codex-rollout/v0.169-resume-fork/rollout-2026-11-20T15-16-56-01a1f988-389c-7c92-a12b-01806d82d2dc.jsonl"
)
TWICE = {
    "codex": ("codex-exec/v0.169-build-and-commit.jsonl", THREAD),
    "gemini": ("gemini-stream-json/v0.61-stream.jsonl", "gemini/v0.61-resumed.jsonl"),
}


@pytest.mark.shared
@pytest.mark.parametrize("agent", TWICE)
@pytest.mark.parametrize("together", [False, True])
def test_an_agent_s_output_and_its_own_log_are_shown_once(
    begun: Git, samples: Path, agent: str, *, together: bool
) -> None:
    output, log = (samples / name for name in TWICE[agent])
    alone = Git.init(begun.root.parent / "alone")
    begin(alone)
    (expected,) = take(alone, log)
    for paths in [[output, log]] if together else [[output], [log]]:
        rows = take(begun, *paths)
    assert {row["trajectory"] for row in rows} == {expected["trajectory"]}
    shown, known = header(begun, rows[0]["trajectory"]), header(alone, expected["trajectory"])
    assert shown["chapters"] == known["chapters"]
    assert shown["total"] == known["total"]
    before = refs(begun)
    (row,) = take(begun, output)
    assert (row["parts"], row["explored"], refs(begun)) == (0, [begun.head()], before)


# ---------------------------------------------------------------- many versions, many runs


@pytest.mark.shared
@in_turn("order", "together", {o: o for o in ("123", "321", "213", "3")}, {"each": False, "all": True})
def test_logs_of_a_session_at_three_ages_give_the_same_trajectory(
    begun: Git, samples: Path, order: str, together: bool
) -> None:
    ages = sorted((samples / "claude-code" / "entire-grown").glob("*.jsonl"))
    alone = begin(Git.init(begun.root.parent / "alone"))
    (expected,) = take(alone, ages[-1])
    paths = [ages[int(n) - 1] for n in order]
    for each in [paths] if together else [[path] for path in paths]:
        rows = take(begun, *each)
    shown, known = header(begun, rows[0]["trajectory"]), header(alone, expected["trajectory"])
    assert [c["events"] for c in shown["chapters"]] == [c["events"] for c in known["chapters"]]
    assert {**shown, "part": 0, "chapters": 0} == {**known, "part": 0, "chapters": 0}


@pytest.mark.shared
def test_runs_of_one_task_stay_apart(begun: Git, samples: Path, tmp_path: Path) -> None:
    """The runs begin with the same words, and their events are only numbered."""
    first = json.loads((samples / "mini-swe-agent-v1" / "hello-1.13.4.traj.json").read_text())
    second = json.loads(json.dumps(first))
    second["messages"][2]["content"] += "\nAnother try."
    for name, run_ in (("one", first), ("two", second)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.traj.json").write_text(json.dumps(run_))
    rows = take(begun, *sorted(tmp_path.glob("*/run.traj.json")))
    assert len({row["trajectory"] for row in rows}) == 2
    shown = [header(begun, row["trajectory"]) for row in rows]
    assert [h["parent"] for h in shown] == [None, None]
    counts = [sum(len(c["events"]) for c in h["chapters"]) for h in shown]
    assert counts[0] == counts[1] > 3


def test_work_explored_on_a_commit_is_imported_onto_it(begun: Git) -> None:
    """The explored copy and the record have one commit and one key: neither deletes the other."""
    session = ClaudeSession(begun.root.parent)
    session.run([turn(say="An idea")], prompt="Think")
    for _ in range(2):
        rows = take(begun, session.log, "--commit", "HEAD", "--task", "jira:A-1")
        assert [c["evidence"] for c in rows[0]["commits"]] == ["imported"]
    (shown,) = json.loads(traj(begun, "log", "--json"))["commits"][0]["trajectories"]
    assert shown["task"]["source"] == {"system": "jira", "id": "A-1", "url": None}


def test_a_session_on_one_commit_is_put_on_a_second_one(begun: Git) -> None:
    session = ClaudeSession(begun.root.parent)
    session.run([turn(say="An idea")], prompt="Think")
    take(begun, session.log, "--commit", "HEAD")
    begun.commit({"b": "b\n"}, "Second")
    take(begun, session.log, "--commit", "HEAD")
    commits = json.loads(traj(begun, "log", "--json"))["commits"]
    assert len(commits) == 2
    assert len({c["trajectories"][0]["id"] for c in commits}) == 1


def test_files_that_can_be_read_only_once(begun: Git) -> None:
    session = ClaudeSession(begun.root.parent)
    session.run([turn(say="An idea")], prompt="Think")
    command = f"{sys.executable} -m gittraj import"
    for asked in (f"{command} <(cat '{session.log}')", f"cat '{session.log}' | {command} /dev/stdin"):
        done = subprocess.run(
            ["bash", "-c", asked], cwd=begun.root, capture_output=True, text=True, timeout=300, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "traj_" in done.stdout
    assert run(begun.root, "-", "-").returncode == 2


@pytest.mark.shared
@pytest.mark.parametrize("runs", [("build-and-commit", "resume"), ("resume", "build-and-commit", "resume")])
def test_runs_of_one_thread_sum_to_the_last_runs_total(
    begun: Git, samples: Path, runs: tuple[str, ...]
) -> None:
    """Codex's counts go on over the whole thread, not per run."""
    for name in runs:
        (row,) = take(begun, samples / "codex-exec" / f"v0.169-{name}.jsonl")
    usage = header(begun, row["trajectory"])["total"]["usage"]
    assert usage["inputTokens"] + usage["cacheReadTokens"] == 15_600
    assert (usage["cacheReadTokens"], usage["outputTokens"], usage["reasoningTokens"]) == (10_000, 536, 120)
