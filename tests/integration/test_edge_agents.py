"""How agents behave and end: edge cases 24 to 30 of ``docs/edge-cases.md``.

``desk``: a repository where agents commit, recorded at once. ``each_desk``: at once, or only at the end."""

from __future__ import annotations

import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gittraj.commands.install.install import install
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.repository import Git


@pytest.mark.parametrize("way", ["-c core.hooksPath=/dev/null", "environment", "--no-verify"])
def test_edge_24_the_agent_switches_hooks_off(
    each_desk: Desk, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does so for its commits, as Gemini CLI does always. The next drain finds the commits by the
    log and the reflog, whose times have to match then."""
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    command = f"git {way} commit -q -m a" if way.startswith("-c") else "git commit -q -m a"
    if way == "environment":
        named = "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null"
        command = f"{named} git commit -q -m a"
    elif way == "--no-verify":
        command = "git commit --no-verify -q -m a"
    each_desk.work("a", Write("a", "a\n" * 3), Shell(f"git add -A && {command}"))
    each_desk.commit("b")
    each_desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_25_records_glued_on_one_line(desk: Desk) -> None:
    """Two processes wrote to one log: each record on such a line is read, and so are later records."""
    desk.waits = True
    desk.commit("a")
    log = desk.sessions["one"].log
    lines = log.read_bytes().split(b"\n")
    for at in (2, 4, 5):
        lines[at : at + 2] = [lines[at] + lines[at + 1]]
    log.write_bytes(b"\n".join(lines))
    desk.commit("b")
    desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_25_a_partial_last_line(desk: Desk) -> None:
    """The line is read when it is complete; if a crash cut it off for good, it is skipped."""
    desk.commit("a")
    log = desk.sessions["one"].log
    with log.open("ab") as stream:
        stream.write(b'{"type":"user","message":{"role":"us')
    desk.drain()
    desk.check({"a": {"a"}})
    with log.open("ab") as stream:
        stream.write(b"\n")
    desk.commit("b")
    desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_25_a_resumed_session_repeats_its_history(desk: Desk) -> None:
    """The resumed session has a file and an id of its own; the repeated history is recorded once."""
    desk.commit("a")
    first = desk.sessions["one"]
    second = ClaudeSession(desk.git.root, name="two")
    second.log.write_bytes(first.log.read_bytes().replace(first.session.encode(), second.session.encode()))
    desk.sessions["two"] = second
    desk.commit("b", by="two")
    desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_26_a_person_commits_while_a_session_is_open(each_desk: Desk) -> None:
    """A person's own work, before, between and right after the agent's, also in its file, gets no record."""
    each_desk.git.commit({"mine 1": "1\n"}, "mine 1")
    each_desk.commit("a", path="shared")
    each_desk.git.commit({"mine 2": "2\n"}, "mine 2")
    each_desk.git.commit({"shared": "a\n" * 3 + "mine\n"}, "mine 3")
    each_desk.commit("b")
    each_desk.git.commit({"mine 4": "4\n"}, "mine 4")
    each_desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_27_one_session_over_several_repositories(tmp_path: Path) -> None:
    """Started in the folder above both: each commit has only what was done in its repository."""
    desks = [Desk(Git.init(tmp_path / name)) for name in ("one", "two")]
    for desk in desks:
        desk.git.commit({"base": "1\n"}, "base")
        desk.install()
    session = ClaudeSession(tmp_path, name="above")
    for name in ("one", "two"):
        steps = [
            turn(Write(f"{name}/{name}.txt", f"of {name}\n" * 3)),
            turn(Shell(f"cd {name} && git add -A && git commit -q -m '{name}'")),
            turn(say=f"{name} is done"),
        ]
        session.run(steps, prompt=f"Please do {name}")
    for desk, own, other in zip(desks, ("one", "two"), ("two", "one"), strict=True):
        desk.drain()
        shown = traj(desk.git.root, "show", "--json", "--events").stdout
        header = json.loads(shown)["trajectories"][0]
        assert [f["path"] for f in header["filesChanged"]] == [f"{own}.txt"]
        assert f"of {own}" in shown
        assert f"of {other}" not in shown


def test_edge_27_a_session_in_a_worktree_that_is_gone(desk: Desk, tmp_path: Path) -> None:
    tree = Git(tmp_path / "tree")
    desk.git("worktree", "add", "-q", "-b", "side", str(tree.root))
    desk.waits = True
    desk.work("a", Write("a", "a\n" * 3), Shell("git add -A && git commit -q -m a"), git=tree, by="there")
    desk.git("worktree", "remove", "--force", str(tree.root))
    desk.check({"a": {"a"}})


@pytest.mark.parametrize("writer", [ClaudeSession, CodexSession])
def test_edge_28_a_session_that_never_ends(desk: Desk, writer: type[ClaudeSession | CodexSession]) -> None:
    """Killed in the middle: no last message, no event that ends a turn, perhaps half a line."""
    session = desk.sessions["one"] = writer(desk.git.root, name="killed")
    session.prompt("Please do a")
    session.respond(turn(Write("a", "a\n" * 3)))
    session.respond(turn(Shell("git add -A && git commit -q -m a")))
    with session.log.open("ab") as stream:
        stream.write(b'{"type":')
    desk.works["a"] = list(session.facts)
    desk.check({"a": {"a"}})
    desk.commit("b", by="another")
    desk.check({"a": {"a"}, "b": {"b"}})


def test_edge_29_hooks_of_an_agent_that_fire_at_once(desk: Desk) -> None:
    """Parallel tools: every line is complete, and no hook prints anything."""
    with desk.git.open() as repository:
        install(repository, agents=("claude-code",))
    script = desk.git.root / ".git/traj/agent-hook"
    desk.commit("a")

    def fire(number: int) -> tuple[int, bytes, bytes]:
        payload = {"session_id": f"s{number}", "hook_event_name": "SessionEnd", "transcript_path": "/x" * 99}
        done = subprocess.run(
            ["sh", str(script), "claude-code"],
            input=json.dumps({**payload, "result": "x" * 50_000}).encode(),
            cwd=desk.git.root,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(fire, range(24))) == {(0, b"", b"")}
    lines = (desk.git.root / ".git/traj/spool").read_text().splitlines()
    fired = [line.split("\t") for line in lines if line.startswith("session\t")]
    assert sorted(fields[2] for fields in fired) == sorted(f"s{n}" for n in range(24))
    assert {len(fields) for fields in fired} == {6}
    desk.check({"a": {"a"}})


def test_edge_30_the_agent_pushes_with_its_commit(desk: Desk, tmp_path: Path) -> None:
    """One command does both. Moments later the record can be pushed, too, and reads the same in a clone."""
    Git.init(tmp_path / "server.git", "--bare")
    desk.git("remote", "add", "origin", str(tmp_path / "server.git"))
    desk.git("config", "traj.push", "auto")
    desk.waits = True
    push = "git add -A && git commit -q -m a && git push -q -u origin HEAD"
    desk.work("a", Write("a", "a\n" * 3), Shell(push))
    assert traj(desk.git.root, "push").returncode == 0
    desk.git("clone", "-q", str(tmp_path / "server.git"), str(tmp_path / "clone"))
    assert traj(tmp_path / "clone", "fetch").returncode == 0
    ours, theirs = (traj(root, "show", "--json").stdout for root in (desk.git.root, tmp_path / "clone"))
    assert json.loads(ours)["trajectories"][0]["id"] == json.loads(theirs)["trajectories"][0]["id"]
    desk.check({"a": {"a"}})


def test_each_run_of_mini_swe_agent_overwrites_the_log_of_the_one_before(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run's work does not belong to the first, whose events wait for a commit."""
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    log = Path(os.environ["XDG_CONFIG_HOME"]) / "mini-swe-agent" / "last_mini_run.traj.json"
    log.parent.mkdir(parents=True)

    def run(name: str, *files: str) -> None:
        messages: list[dict[str, object]] = [{"role": "user", "content": f"Please do {name}"}]
        for file in files:
            command = f"echo {file} > {file}.txt && git add -A && git commit -m {file}"
            call = {
                "id": f"{name}-{file}",
                "function": {"name": "bash", "arguments": json.dumps({"command": command})},
            }
            answer = {"role": "assistant", "content": "", "tool_calls": [call]}
            messages.append({**answer, "extra": {"response": {"id": call["id"], "created": time.time()}}})
            (desk.git.root / f"{file}.txt").write_text(f"{file}\n")
            desk.git("add", "-A")
            raw = {"raw_output": desk.git("commit", "-m", file), "returncode": 0, "timestamp": time.time()}
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "", "extra": raw})
        document = {"messages": messages, "info": {}, "trajectory_format": "mini-swe-agent-1.1"}
        log.write_text(json.dumps(document))
        desk.drain()

    run("one", "a")
    run("two", "b", "c")
    listed = json.loads(traj(desk.git.root, "log", "--json").stdout)["commits"]
    first, second, third = (commit["trajectories"][0] for commit in reversed(listed))
    assert first["id"] != second["id"] == third["id"]
    assert [each["title"] for each in (first, second)] == ["Please do one", "Please do two"]
