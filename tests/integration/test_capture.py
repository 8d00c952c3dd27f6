"""An agent's work, and who commits it, with the real hooks and logs that look like real ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gittraj.config import Environ
from gittraj.record.drain.composition import drain
from tests.e2e.scenario import Edit, Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.records import hold_workers, install, read_records, traj
from tests.integration.repository import Git
from tests.integration.session_writer import Writer

TRAJ = f"{sys.executable} -m gittraj"


@pytest.fixture
def begun(git: Git) -> Git:
    git.commit({"README": "here\n"})
    hold_workers(install(git))
    return git


def trajectories(git: Git) -> dict[str, list[dict[str, Any]]]:
    """The headers of the trajectories on each commit, by the commit's subject."""
    commits = json.loads(traj(git, "log", "--json"))["commits"]
    return {c["subject"]: c["trajectories"] for c in commits}


def calls(git: Git, rev: str) -> list[str]:
    shown = json.loads(traj(git, "show", rev, "--json"))["trajectories"]
    events = [e for t in shown for c in t["chapters"] for e in c["events"]]
    return [e["tool"]["name"] for e in events if e["type"] == "tool_call"]


def messages(git: Git, rev: str) -> list[str]:
    shown = json.loads(traj(git, "show", rev, "--json"))["trajectories"]
    events = [e for t in shown for c in t["chapters"] for e in c["events"]]
    return [e["content"] for e in events if e["type"] == "message"]


@pytest.mark.parametrize(
    ("marked", "minutes", "first", "second"),
    [
        pytest.param(True, 5, ["Hi"], ["Now b", "Done"], id="it thinks"),
        pytest.param(False, 5, ["Hi", "Now b"], ["Done"], id="a log that does not mark turns"),
        pytest.param(True, 2 * 24 * 60, ["Hi", "Now b"], ["Done"], id="killed, and resumed after days"),
    ],
)
def test_a_last_message_ends_no_turn_if_the_log_marks_the_ends(
    begun: Git, marked: bool, minutes: int, first: list[str], second: list[str]
) -> None:
    session = CodexSession(begun.root)
    session.run([turn(say="Hi")], prompt="Are you there?")
    session.prompt("Write both")
    if not marked:  # as in logs of older versions
        lines = session.log.read_text().splitlines(keepends=True)
        session.log.write_text("".join(line for line in lines if '"task_started"' not in line))
    session.respond(turn(Write("a", "a\n"), Shell("git add a && git commit -qm A")))
    traj(begun, "log")  # the next drain continues after the prompt
    session.respond(turn(say="Now b"))
    then = time.time() - 60 * minutes
    os.utime(session.log, (then, then))
    assert messages(begun, "HEAD") == first
    session.respond(turn(Write("b", "b\n"), Shell("git add b && git commit -qm B")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    assert (messages(begun, "HEAD^"), messages(begun, "HEAD")) == (first, second)


def test_a_session_records_nothing_while_paused(begun: Git) -> None:
    """A commit made while paused never gets a record; the next commit's record begins after the pause."""
    session = ClaudeSession(begun.root)
    session.prompt("Write three files")
    for step in (
        [Write("a", "a\n"), Shell("git add . && git commit -qm One")],
        [Shell(f"{TRAJ} pause --session")],
        [Write("b", "b\n"), Shell("git add . && git commit -qm Two")],
        [Shell(f"{TRAJ} resume --session")],
        [Write("c", "c\n"), Shell("git add . && git commit -qm Three")],
    ):
        session.respond(turn(*step))
    session.respond(turn(say="Done"), last=True)
    session.finish()

    found = trajectories(begun)
    assert set(found) == {"One", "Three"}
    assert [f["path"] for f in found["Three"][0]["filesChanged"]] == ["c"]
    assert found["Three"][0]["link"]["evidence"] == "agent"
    assert json.loads(traj(begun, "status", "--json"))["waiting"] == []


def test_work_done_while_off_cannot_be_linked(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run(
        [
            turn(Write("a", "a\n"), Shell("git add . && GIT_TRAJ=0 git commit -m Quiet")),
            turn(Write("b", "b\n"), Shell("git add . && git commit -m Loud")),
            turn(say="Done"),
        ],
        prompt="Do both",
    )
    assert set(trajectories(begun)) == {"Loud"}
    traj(begun, "link", "HEAD~2", "--session", str(session.log))
    stored = [fact for each in read_records(begun).values() for fact in each.facts]
    assert not any("GIT_TRAJ=0" in str(fact) for fact in stored)
    assert calls(begun, "HEAD~2") == calls(begun, "HEAD")


def test_a_commit_by_the_user_s_own_hook_is_linked_like_its_parent(git: Git) -> None:
    """The hook commits quietly on top of the agent's commit, and on top of a person's."""
    git.commit({"README": "here\n"})
    hook = git.root / ".git/hooks/post-commit"
    bump = (
        "date >>VERSION && git add VERSION && BUMPED=1 git commit -qm 'Bump after '$(git log -1 --format=%s)"
    )
    hook.write_text(f'#!/bin/sh\n[ -n "$BUMPED" ] && exit\n{bump}\n')
    hook.chmod(0o755)
    hold_workers(install(git))
    session = ClaudeSession(git.root)
    session.run([turn(Write("a", "a\n"), Shell("git add a && git commit -qm A"))], prompt="Write a")
    git.commit({"mine": "by hand\n"}, "Mine")
    found = trajectories(git)
    assert {subject: [t["link"]["evidence"] for t in each] for subject, each in found.items()} == {
        "A": ["agent"],
        "Bump after A": ["agent"],
    }
    assert found["A"][0]["id"] == found["Bump after A"][0]["id"]


def test_link_takes_the_session_id_that_status_prints(begun: Git) -> None:
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a", "a\n"), Shell("git add a && git commit -qm A"))], prompt="Write a")
    session.prompt("Write b")
    session.respond(turn(Write("b", "b\n")))
    begun.commit({"c": "by hand\n"}, "Mine")
    (printed,) = re.findall(rf"\b{session.session[:4]}[\w-]*", traj(begun, "status"))
    assert len(printed) < len(session.session)
    traj(begun, "link", "HEAD", "--session", printed)
    assert [each["session"] for each in trajectories(begun)["Mine"]] == [session.session]


def test_a_person_commits_one_by_one_the_files_that_the_agent_left(begun: Git, writer: Writer) -> None:
    """The agent commits one file and leaves two; each commit of these has the call that wrote it."""
    session = writer(begun.root)
    session.run(
        [
            turn(Write("a", "one\n"), Write("b", "two\nthree\n"), Write("c", "four\nfive\n")),
            turn(Shell("git add a && git commit -m Agent")),
            turn(say="The rest is yours"),
        ],
        prompt="Write",
    )
    traj(begun, "log")
    for name in "bc":
        begun("add", name)
        begun("commit", "-qm", f"Mine {name}")
    found = trajectories(begun)
    assert {subject: t[0]["link"]["evidence"] for subject, t in found.items()} == {
        "Agent": "agent",
        "Mine b": "content",
        "Mine c": "content",
    }
    assert {t[0]["id"] for t in found.values()} == {found["Agent"][0]["id"]}
    assert found["Mine b"][0]["total"] == found["Agent"][0]["total"]


def test_a_person_s_own_work_during_a_session_gets_no_record(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.prompt("Write")
    session.respond(turn(Write("a", "one\ntwo\nreturn x\n"), Shell("git add . && git commit -m Agent")))
    begun.write({"a": "one\ntwo\nreturn x\nmine\nreturn x\nmine too\n", "d": "mine\n"})
    begun("add", ".")
    begun("commit", "-qm", "Mine")
    session.respond(turn(say="Done"), last=True)
    session.finish()
    assert set(trajectories(begun)) == {"Agent"}


def test_failed_commits_are_ignored(begun: Git, writer: Writer) -> None:
    session = writer(begun.root)
    session.run(
        [
            turn(Shell("git commit -qm Nothing")),
            turn(Write("a", "a\n"), Shell("git add . && git commit -qm First")),
            turn(Shell("git commit -q -m First")),
            turn(Edit("a", "a\n", "b\n"), Shell("git commit -qam Second && git commit -q --amend --no-edit")),
            turn(say="Done"),
        ],
        prompt="Try",
    )
    found = trajectories(begun)
    assert set(found) == {"First", "Second"}
    assert calls(begun, "HEAD~1").count("Bash" if session.agent == "claude-code" else "exec_command") == 2


def test_a_lock_that_a_killed_writer_left_is_removed(begun: Git) -> None:
    """git never removes it; no live process keeps a lock for seconds."""
    lock = begun.root / ".git" / "refs" / "notes" / "traj.lock"
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    os.utime(lock, (1, 1))
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a", "a\n"), Shell("git add . && git commit -m One"))], prompt="Write")
    assert set(trajectories(begun)) == {"One"}


def test_a_subagent_s_edit_is_recorded_on_its_call_s_commit(begun: Git) -> None:
    """A subagent's log is next to its session's; the call that started it decides which commit it belongs
    to."""
    session = ClaudeSession(begun.root)
    session.prompt("Delegate")
    session.respond(turn(Shell("echo agentId: a1b2c3d4")))
    folder = session.log.parent / session.session / "subagents"
    folder.mkdir(parents=True)
    helper = ClaudeSession(begun.root, name="helper")
    helper.session, helper.log = session.session, folder / "agent-a1b2c3d4.jsonl"
    helper.run([turn(Write("helped", "by another\n")), turn(say="Wrote it")], prompt="Help")
    session.respond(turn(Shell("git add . && git commit -m Both")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    headers = trajectories(begun)["Both"]
    assert {h["parent"]["id"] if h["parent"] else None for h in headers} == {None, headers[0]["id"]} or {
        h["parent"]["id"] if h["parent"] else None for h in headers
    } == {None, headers[1]["id"]}
    assert sorted(f["path"] for h in headers for f in h["filesChanged"]) == ["helped"]


@pytest.mark.parametrize("lost", [False, True])
def test_a_commit_waits_for_its_log_also_when_the_cursors_are_lost(begun: Git, *, lost: bool) -> None:
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a", "a\n"), Shell("git add . && git commit -m One"))], prompt="Write a")
    assert "One" in trajectories(begun)
    run_in_environment(session, "git", "commit", "-q", "--allow-empty", "-m", "Two")
    if lost:
        (begun.root / ".git/traj/cursors.json").unlink()
    with begun.open() as repository:
        drain(repository, environ=Environ.of(os.environ), live={})
    cursors = json.loads((begun.root / ".git/traj/cursors.json").read_text())
    assert [each["commit"] for each in cursors["waiting"]] == [begun("rev-parse", "HEAD")]


def test_commits_work_without_our_local_state(begun: Git) -> None:
    """Whatever happens to the folder, the user's commit succeeds and prints nothing."""
    state = begun.root / ".git" / "traj"
    (state / "cursors.json").write_text("{")
    (state / "spool").unlink(missing_ok=True)
    (state / "spool").mkdir()
    done = subprocess.run(
        ["git", "commit", "--allow-empty", "-qm", "x"], cwd=begun.root, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_fork_s_copy_of_its_parent_is_not_recorded_twice(begun: Git) -> None:
    parent = ClaudeSession(begun.root)
    parent.run(
        [turn(Write("a", "a\n"), Shell("git add . && git commit -m One")), turn(say="Done")], prompt="Write a"
    )
    traj(begun, "log")
    fork = ClaudeSession(begun.root, name="fork")
    copied = parent.log.read_text().replace(parent.session, fork.session)
    fork.log.write_text(copied)
    fork.run(
        [turn(Write("b", "b\n"), Shell("git add . && git commit -m Two")), turn(say="Done")], prompt="Write b"
    )
    found = trajectories(begun)
    (header,) = found["Two"]
    assert (header["session"], header["prompt"]) == (fork.session, "Write b")
    assert header["parent"]["id"] == found["One"][0]["id"]
    ids = [event for each in read_records(begun).values() for event in each.ids]
    assert len(ids) == len(set(ids))


def test_nothing_of_another_repository_is_stored(tmp_path: Path, writer: Writer) -> None:
    """A private repository's text is not recorded here: not from a command, a title, or a call in both."""
    secret, ours = Git.init(tmp_path / "secret"), Git.init(tmp_path / "ours")
    for each in (secret, ours):
        each.commit({"README": "here\n"})
        install(each)
    session = writer(tmp_path)
    session.prompt("Heron goes into the secret one")
    session.respond(turn(Write("secret/h", "heron\n"), Shell("cat secret/h; git -C secret add .")))
    session.respond(turn(Shell("git -C secret commit -qm Heron")))
    session.prompt("Now the other")
    session.respond(
        turn(Write("ours/o", "otter\n"), Shell("git -C ours add . && git -C ours commit -qm Otter"))
    )
    session.respond(turn(say="Done"), last=True)
    session.finish()
    (header,) = trajectories(ours)["Otter"]
    assert header["title"] == "Now the other"
    traj(ours, "link", "HEAD~1", "--session", str(session.log))
    traj(ours, "log")
    stored = b"".join(body for _, body in _objects(ours))
    assert b"otter" in stored
    assert [m.group() for m in re.finditer(rb".{0,60}heron(?! goes into).{0,40}", stored, re.I)] == []


def _objects(git: Git) -> Iterator[tuple[str, bytes]]:
    listed = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
    for line in listed.splitlines():
        oid, kind = line.split()
        if kind == "blob":
            yield oid, git("cat-file", "blob", oid).encode()


def test_a_person_commits_while_git_traj_is_off(begun: Git, writer: Writer) -> None:
    """Such a commit gets no record, neither for the agent's text in it nor for the commit that it amends."""
    session = writer(begun.root)
    session.run(
        [
            turn(Write("a", "one\n"), Write("b", "two\nthree\n")),
            turn(Shell("git add a && git commit -m Agent")),
            turn(say="Done"),
        ],
        prompt="Write",
    )
    traj(begun, "log")
    begun("add", "b")
    begun("commit", "-qm", "Mine", env={"GIT_TRAJ": "0"})
    assert set(trajectories(begun)) == {"Agent"}
    begun("commit", "-q", "--amend", "-m", "Mine again", env={"GIT_TRAJ": "0"})
    (begun.root / ".git" / "traj" / "cursors.json").unlink()
    assert set(trajectories(begun)) == {"Agent"}


PRIVATE = "This was said while git-traj was paused."


@pytest.fixture
def paused(begun: Git, tmp_path: Path) -> ClaudeSession:
    """A session whose log is in another folder; it worked during a pause of git-traj, and after it."""
    session = ClaudeSession(begun.root)
    traj(begun, "pause")
    session.run([turn(Write("a", "a\n")), turn(say=PRIVATE)], prompt=f"Before. {PRIVATE}")
    elsewhere = tmp_path / "logs" / session.log.name
    elsewhere.parent.mkdir()
    session.log.rename(elsewhere)  # git-traj does not know it when the pause ends
    time.sleep(0.01)
    traj(begun, "resume")
    time.sleep(0.01)  # logs truncate times to milliseconds
    session.log = elsewhere
    session.run(
        [turn(Write("b", "b\n"), Shell("git add . && git commit -qm Loud")), turn(say="Loud words")],
        prompt="Go on",
    )
    return session


def test_a_pause_applies_to_logs_that_were_unknown_then(begun: Git, paused: ClaudeSession) -> None:
    begun("config", "--add", "traj.sessions.path", str(paused.log.parent))
    found = trajectories(begun)
    assert set(found) == {"Loud"}
    stored = begun.raw("cat-file", "--batch", "--batch-all-objects").decode("utf-8", "replace")
    assert PRIVATE not in "".join(str(each.facts) for each in read_records(begun).values())
    assert PRIVATE not in stored
    assert found["Loud"][0]["prompt"] == "Go on"


def test_a_pause_applies_to_later_imports(begun: Git, paused: ClaudeSession) -> None:
    traj(begun, "import", "--commit", "HEAD", str(paused.log))
    assert PRIVATE not in str([each.facts for each in read_records(begun).values()])


def test_a_paused_session_can_be_imported_on_request(begun: Git, paused: ClaudeSession) -> None:
    traj(begun, "import", "--commit", "HEAD", "--include-paused", str(paused.log))
    assert PRIVATE in str([each.facts for each in read_records(begun).values()])


def test_a_pause_applies_to_subagents(begun: Git) -> None:
    """Logs of subagents are separate files, whose sizes were not stored when the pause began."""
    session = ClaudeSession(begun.root)
    session.prompt("Delegate")
    session.respond(turn(Shell("echo agentId: a1b2c3d4")))
    helper = ClaudeSession(begun.root, name="helper")
    folder = session.log.parent / session.session / "subagents"
    folder.mkdir(parents=True)
    helper.session, helper.log = session.session, folder / "agent-a1b2c3d4.jsonl"
    helper.prompt("Help")
    helper.respond(turn(Write("helped", "by another\n"), say="Before the pause"))
    time.sleep(0.01)
    traj(begun, "pause")
    helper.respond(turn(Write("quiet", "by another\n"), say=PRIVATE))
    time.sleep(0.01)
    traj(begun, "resume")
    time.sleep(0.01)  # logs truncate times to milliseconds
    helper.respond(turn(say="After the pause"), last=True)
    session.respond(turn(Shell("git add . && git commit -m Both")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    assert len(trajectories(begun)["Both"]) == 2
    stored = str([each.facts for each in read_records(begun).values()])
    assert "Before the pause" in stored
    assert "After the pause" in stored
    assert PRIVATE not in stored


def run_in_environment(session: ClaudeSession, *command: str) -> None:
    """Run a person's command in a terminal that was opened under the agent, or in its bash mode."""
    known = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session.session}
    subprocess.run(command, cwd=session.folder, env={**os.environ, **known}, check=True, capture_output=True)


@pytest.mark.usefixtures("real_clocks")
@pytest.mark.parametrize("bash_mode", [True, False], ids=["bash mode", "terminal"])
def test_a_person_commits_with_the_agent_s_environment(begun: Git, *, bash_mode: bool) -> None:
    """A person commits the agent's edits, typed into the agent or in a terminal that the agent opened."""
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a", "a\n"), Shell("python3 -V")), turn(say="Yours to commit")], prompt="Write a")
    time.sleep(3)
    begun("add", "a")
    if bash_mode:
        session.bash_mode("git commit -m Mine")
    else:
        run_in_environment(session, "git", "commit", "-qm", "Mine")
    (begun.root / "mine").write_text("a person's\n")
    begun("add", "mine")
    run_in_environment(session, "git", "commit", "-qm", "Only mine")
    session.run([turn(Shell("ls")), turn(say="Seen")], prompt="Look")
    found = trajectories(begun)
    assert {subject: t[0]["link"]["evidence"] for subject, t in found.items()} == {"Mine": "content"}


@pytest.mark.usefixtures("real_clocks")
def test_a_person_commits_while_the_worker_waits_for_the_agent_s_call(begun: Git) -> None:
    """A hook's worker waits for a call of the session that the environment names, but no call follows."""
    (begun.root / ".git/traj/drain.lock").write_text(f"{os.getpid()}\n")  # no other worker runs
    session = ClaudeSession(begun.root)
    session.run([turn(Write("a", "a\n" * 3)), turn(say="Yours to commit")], prompt="Write a")
    time.sleep(3)
    begun("add", "a")
    session.bash_mode("git commit -m Mine")
    with begun.open() as repository:
        drain(repository, environ=Environ.of(os.environ), live={}, patience=60)
    assert {s: t[0]["link"]["evidence"] for s, t in trajectories(begun).items()} == {"Mine": "content"}


def test_a_turn_after_the_commit_s_own_is_recorded_without_another_commit(begun: Git) -> None:
    """The next drain records the turn, as a later capture would; a reading command does not cause a drain."""
    session = CodexSession(begun.root)
    session.run([turn(Write("a", "a\n"), Shell("git add a && git commit -qm One"))], prompt="Write a")
    assert trajectories(begun)
    session.run([turn(Shell("cat a")), turn(say="It holds a letter")], prompt="What is in it?")
    with begun.open() as repository:
        drain(repository, environ=Environ.of(os.environ), live={})
    assert "It holds a letter" in traj(begun, "show", "HEAD", "--json")


@pytest.mark.usefixtures("real_clocks")
@pytest.mark.parametrize(
    "command", ["./release", "make ship", "env X=y git commit -qm Made", "node release.js", "git ci"]
)
def test_an_agent_s_commit_by_whatever_runs_under_its_call(begun: Git, command: str) -> None:
    begun("config", "alias.ci", "commit -qm Made")
    (begun.root / "release").write_text("#!/bin/sh\ngit commit -qm Made\n")
    (begun.root / "release").chmod(0o755)
    (begun.root / "Makefile").write_text("ship:\n\t@git commit -qm Made\n")
    if command.startswith("node"):  # which may not be installed
        command = command.replace("node", "sh ./release #")
    (begun.root / "staged").write_text("by somebody\n")
    begun("add", ".")
    session = ClaudeSession(begun.root)
    session.run([turn(Shell(command)), turn(say="Released")], prompt="Release")
    found = trajectories(begun)
    assert set(found) == {"Made"}
    assert found["Made"][0]["link"]["evidence"] == "agent"
