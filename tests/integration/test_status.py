"""``git traj status`` reports the actual state."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.commands.doctor.facts import Facts, gather
from gittraj.commands.doctor.live_sessions import LiveSession
from gittraj.commands.doctor.recorded import Remote
from gittraj.commands.install.install import install
from gittraj.commands.install.uninstall import uninstall
from gittraj.commands.status import status_to_lines
from gittraj.config import Environ
from gittraj.model.codec import encode_note
from gittraj.model.values import Link, Range, Record, SessionInfo
from gittraj.notes.store import NotesRef
from gittraj.state.cursors import SessionState, State, Stored, Suspension, Waiting, load_suspension, save
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.records import hold_workers
from tests.integration.repository import Git


def facts(git: Git) -> Facts:
    with git.open() as repository:
        return gather(repository, Environ.of(os.environ))


def install_here(git: Git) -> None:
    with git.open() as repository:
        install(repository)


def status(git: Git) -> dict[str, Any]:
    done = traj(git.root, "status", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def record(trajectory: str = "traj_a", first: str = "e1", **fields: Any) -> Record:
    return Record(
        id=trajectory, link=Link(evidence="agent"), range=Range(first=first, last=first, n=1, at=0), **fields
    )


def write_note(git: Git, commit: str, *records: Record, ref: str = "refs/notes/traj") -> None:
    with git.open() as repository:
        NotesRef(repository, ref).write({commit: lambda _: encode_note(records)}, message="x")


def test_json_before_and_after_install(git: Git) -> None:
    git.commit({"a": "1"})
    document = status(git)
    assert document["installed"] is False
    assert document["since"] is document["paused"] is document["remotes"] is None
    assert [h["state"] for h in document["hooks"]["states"]] == ["missing"] * 3
    began = int(time.time())
    install_here(git)
    document = status(git)
    assert document["installed"] is True
    assert began <= time.mktime(time.strptime(document["since"], "%Y-%m-%dT%H:%M:%SZ")) <= time.time()
    assert [h["state"] for h in document["hooks"]["states"]] == ["installed"] * 3
    assert document["withoutHook"] == []
    assert document["thinking"] == "seal"
    assert document["config"]["thinking"] == {"value": "seal", "source": "default"}


def test_each_damage_to_a_hook_is_recognised(git: Git) -> None:
    install_here(git)
    folder = git.root / ".git/hooks"
    (folder / "pre-commit").unlink()
    (folder / "post-rewrite").write_text("#!/bin/sh\n")
    text = (folder / "post-commit").read_text()
    (folder / "post-commit").write_text(text.replace(sys.executable, "/gone/python"))
    assert [h.state for h in facts(git).hooks] == ["dead", "missing", "foreign"]
    (folder / "post-commit").write_text(text)
    (folder / "post-commit").chmod(0o644)
    assert facts(git).hooks[0].state == "dead"
    (folder / "post-commit").write_text(text.replace("# git-traj <<<", ""))
    assert facts(git).hooks[0].state == "damaged"
    git("config", "core.hooksPath", "/dev/null")
    found = facts(git)
    assert found.hooks == ()
    assert found.folder.refused == "/dev/null lies outside this repository"


def test_commits_without_a_hook_are_listed(git: Git) -> None:
    git.commit({"a": "before"})
    install_here(git)
    git.commit({"a": "with"})
    git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "without")
    silent = git.head()
    git("worktree", "add", "-q", "../linked")
    linked = Git(git.root.parent / "linked")
    linked("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "without, there")
    git("commit", "-q", "--allow-empty", "-m", "off", env={"GIT_TRAJ": "0"})
    assert facts(git).without_hook == (silent, linked.head())


def test_a_session_of_the_folder_above_is_listed_where_it_worked(desk: Desk) -> None:
    parent = desk.git.root.parent
    other = Git(parent / "other")
    desk.git("init", "-q", str(other.root))
    other.commit({"a": "1"})
    install_here(other)
    hold_workers(other.root / ".git/traj")
    above = ClaudeSession(parent, name="above")
    work = [turn(Write(f"{desk.git.root.name}/a.py", "a = 1\n"), Shell("ls")), turn(say="done")]
    above.run(work, prompt="Write a.py")
    for git in (desk.git, other):
        git("commit", "-q", "--allow-empty", "-m", "a person's")
        desk.drain(git)
    assert [(s.session, s.status) for s in facts(desk.git).sessions] == [(above.session, "ended")]
    assert facts(other).sessions == ()


def test_a_live_session_has_a_status_and_one_that_ended_is_not_live(git: Git, tmp_path: Path) -> None:
    install_here(git)
    hook = git.root / ".git/hooks/post-commit"
    hook.write_text(hook.read_text().replace(sys.executable, "/gone/python"))  # no worker runs meanwhile
    commits = []
    for name in ("recorded", "waits", "lost"):
        git("commit", "-q", "--allow-empty", "-m", name, env={"CLAUDE_CODE_SESSION_ID": "c1"})
        commits.append(git.head())
    write_note(git, commits[0], record(whole=SessionInfo(title="Title\x1b[2J", session="c1")))
    names = ("log", "ended", "over", "old", "before")
    log, ended, over, old, before = (tmp_path / f"{name}.jsonl" for name in names)
    for path in (log, ended, over, old, before):
        path.touch()
    os.utime(old, (1, 1))
    os.utime(before, (time.time() - 60, time.time() - 60))
    part = Stored(range=Range(first="e1", last="e1", n=1), commits=(commits[0],), parked=True)
    sessions = {
        "t1": SessionState(agent="claude-code", session="c1", path=str(log), parts=(part,), waiting=2),
        "t2": SessionState(agent="codex", session="c2", path=str(old)),
        "t3": SessionState(agent="codex", session="c3", path=str(tmp_path / "gone"), waiting=9),
        "t4": SessionState(agent="claude-code", session="c4", path=str(ended)),
        "t5": SessionState(
            agent="codex", session="c5", path=str(over), waiting=1, facts={"entrypoint": ("codex_exec",)}
        ),
        "t6": SessionState(
            agent="gemini-cli", session="c6", path=str(before), waiting=3
        ),  # its end is not known
    }
    with (git.root / ".git/traj/spool").open("a") as spool:
        spool.write(f"session\tclaude-code\tc4\tSessionEnd\t{ended}\t{git.root}/.git\n")
    waits = Waiting(commit=commits[1], kind="commit", sessions=("claude-code:c1",), since=0)
    save(git.root / ".git/traj", State(sessions=sessions, waiting=(waits,)))
    found = facts(git)
    assert found.sessions == (
        LiveSession(agent="claude-code", session="c1", status="active", title="Title\x1b[2J", waiting=2),
        LiveSession(agent="codex", session="c5", status="ended", title=None, waiting=1),
        LiveSession(agent="gemini-cli", session="c6", status="idle", title=None, waiting=3),
    )
    assert (found.parked, found.waiting, found.unlinked) == (1, (commits[1],), (commits[2],))
    assert found.recorded.listed == 1


def test_a_commit_of_a_pause_waits_for_no_log(git: Git) -> None:
    commit = git.commit({"a": "1"})
    install_here(git)
    named = Waiting(commit=commit, kind="commit", sessions=("claude-code:c1",), since=time.time())
    for stored in (True, False):
        save(git.root / ".git/traj", State(waiting=(replace(named, stored=stored),)))
        save(git.root / ".git/traj", Suspension(commits=() if stored else (commit,)))
        assert facts(git).waiting == (commit,) * stored


def test_unpushed_and_unfetched_records_are_counted(git: Git) -> None:
    one, two, three = (git.commit({"a": str(n)}) for n in range(3))
    theirs = "refs/notes-remote/origin/traj"
    assert facts(git).remotes == ()
    git("remote", "add", "origin", "/nowhere")
    write_note(git, one, record("traj_both"))
    write_note(git, two, record("traj_ours"))
    unknown = Remote(name="origin", unpushed=None, unfetched=None)
    assert facts(git).remotes == (unknown,), "without an installation, it is unknown what origin has"
    install_here(git)
    assert facts(git).remotes == (Remote(name="origin", unpushed=2, unfetched=0),)
    write_note(git, one, record("traj_both"), ref=theirs)
    write_note(git, three, record("traj_theirs"), ref=theirs)
    assert facts(git).remotes == (Remote(name="origin", unpushed=1, unfetched=1),)
    write_note(git, two, record("traj_other"), ref=theirs)
    assert facts(git).remotes == (Remote(name="origin", unpushed=1, unfetched=2),)


def test_pause_and_damage_are_reported(git: Git) -> None:
    install_here(git)
    save(git.root / ".git/traj", Suspension(paused=0.0))
    assert next(status_to_lines(facts(git))) == "Paused 1970-01-01 (git traj resume)"
    git("config", "traj.thinking", "loud")
    (git.root / ".git/traj/installed.json").write_text("?")
    (git.root / ".git/traj/off.json").write_text("?")
    found = facts(git)
    assert found.config is None
    assert [line.partition(": ")[0] for line in status_to_lines(found)] == [
        "Recorded",
        "Wrong",
        "Wrong",
        "Wrong",
    ]


def test_text_for_people(git: Git) -> None:
    assert list(status_to_lines(facts(git))) == [
        "git-traj is not set up here (git traj install)",
        "Recorded: trajectories on 0 commits",
    ]
    install_here(git)
    assert "Thinking: not stored: you have no key (git traj keys init)" in status_to_lines(facts(git))
    write_note(git, git.commit({"a": "1"}), record())
    git("config", "traj.thinking", "drop")
    lines = list(status_to_lines(facts(git)))
    assert lines == [
        "Recorded: trajectories on 1 commit",
        f"Hooks: OK, in {git.root}/.git/hooks",
        "1 part redacted by older rules, not pushed yet",
        "Thinking: drop (git config)",
    ]
    with git.open() as repository:
        uninstall(repository)
    assert next(status_to_lines(facts(git))) == "git-traj is not set up here (git traj install)"


def test_records_that_only_a_remote_has_are_one_line_not_0_commits(git: Git) -> None:
    origin = Remote(name="origin", unpushed=0, unfetched=2)
    lines = [*status_to_lines(replace(facts(git), beside={"origin": 2}, remotes=(origin,)))]
    assert [line for line in lines if "commit" in line] == [
        "Recorded: trajectories of origin on 2 commits (git traj fetch origin joins them)"
    ]


def test_no_escape_of_an_agent_reaches_the_terminal(git: Git, tmp_path: Path) -> None:
    install_here(git)
    log = tmp_path / "log"
    log.touch()
    known = SessionState(agent="codex", session="\x1b[31mred", path=str(log), waiting=1, size=0)
    save(git.root / ".git/traj", State(sessions={"t": known}, reflogs={str(git.root / ".git"): ("0", "")}))
    save(git.root / ".git/traj", Suspension(paused=1.0))
    done = traj(git.root, "status")
    assert "\N{REPLACEMENT CHARACTER}[31mred" in done.stdout
    assert "\x1b" not in done.stdout


def test_two_sessions_of_one_minute_are_told_apart(git: Git, tmp_path: Path) -> None:
    install_here(git)
    log = tmp_path / "log"
    log.touch()
    ids = (
        "01a1f988-389c-7c92-a12b-01806d82d2dc",
        "01a1f988-bd06-7181-8a78-ca012e03f7c6",
        "ses_6f1a2b3c4ffeAbCdEfGhIjKlMn",
    )
    known = {each: SessionState(agent="codex", session=each, path=str(log), waiting=1) for each in ids}
    save(git.root / ".git/traj", State(sessions=known, reflogs={str(git.root / ".git"): ("0", "")}))
    shown = traj(git.root, "status").stdout
    for each in ids:
        assert f"codex {each[:13]}, 1 event" in shown
        assert "there is no session" not in traj(git.root, "link", "HEAD", "--session", each[:13]).stderr


def test_a_bare_repository_has_hooks_and_one_with_reftable_is_not_checked(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "bare.git", "--bare")
    install_here(git)
    found = facts(git)
    assert [h.state for h in found.hooks] == ["installed"] * 3
    (git.root / "reftable").mkdir()  # we recognise reftable by this folder alone
    assert facts(git).without_hook is None


def test_pause_is_refused_while_another_process_writes(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    install_here(git)
    monkeypatch.setattr("gittraj.state.folder.acquire", lambda *_: False)
    said = traj(git.root, "pause")
    assert (said.returncode, said.stderr) == (
        1,
        "error: another git-traj is writing\nhint: try again in a moment\n",
    )
    monkeypatch.undo()
    said = traj(git.root, "pause", env={"GIT_TRAJ": "0"})
    assert said.stderr.startswith("error: GIT_TRAJ=0 switches git-traj off\n")
    assert load_suspension(git.root / ".git/traj").paused is None


def test_pause_after_an_uninstall_is_refused(git: Git) -> None:
    install_here(git)
    with git.open() as repository:
        uninstall(repository)
    assert traj(git.root, "forget", "xxxxxxxxxx").returncode == 1
    said = traj(git.root, "pause")
    assert (said.returncode, said.stderr.splitlines()[0]) == (
        1,
        "error: git-traj is not installed in this repository",
    )
