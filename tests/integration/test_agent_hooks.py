"""Agents' own hooks are added to settings and removed, and their script reports what the agent did."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest

from gittraj.cli.install import command
from gittraj.commands.doctor.facts import gather
from gittraj.commands.doctor.findings import examine
from gittraj.commands.install.agent_hooks import find_hooks
from gittraj.commands.install.install import install
from gittraj.commands.install.instructions import find_files
from gittraj.commands.install.manifest import Step
from gittraj.commands.install.shims import Interpreter, render
from gittraj.commands.install.uninstall import uninstall
from gittraj.config import Environ
from gittraj.state.cursors import load_state
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.records import read_records, traj
from tests.integration.repository import Git
from tests.integration.test_shims import SHELLS, spool
from tests.integration.waiting import BUSY, wait_until

AGENTS, INSTRUCTIONS = find_hooks(), find_files()
FILES = {name: agent.file for name, agent in AGENTS.items()}
GONE = Interpreter("/gone/python", ("-I",))


def put_in(git: Git, *agents: str, dry_run: bool = False) -> dict[str, Step]:
    with git.open() as repository:
        return {s.name: s for s in install(repository, agents=agents, dry_run=dry_run)}


def take_out(git: Git) -> dict[str, str]:
    with git.open() as repository:
        return {step.name: step.did for step in uninstall(repository)}


def files(root: Path) -> dict[str, bytes | None]:
    """The files of the work tree and git's ``info/exclude``; None for a folder."""
    paths = [p for p in root.rglob("*") if ".git" not in p.relative_to(root).parts]
    paths += [root / ".git/info/exclude"] if (root / ".git/info/exclude").exists() else []
    return {str(p.relative_to(root)): p.read_bytes() if p.is_file() else None for p in paths}


def hooks(git: Git, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((git.root / FILES[name]).read_text())["hooks"]
    return found


# ---------------------------------------------------------------- settings


def test_the_command_line_knows_just_these_agents() -> None:
    (option,) = (p for p in command.params if p.name == "agents")
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == sorted({*AGENTS, *INSTRUCTIONS}), (
        "those with hooks, or an instruction to read"
    )


@pytest.mark.parametrize("present", [None, "{}\n", '{"hooks":{"Stop":[{"hooks":[]}]},"b":1,"a":2}'])
@pytest.mark.parametrize("times", [1, 2])
def test_uninstall_restores_the_settings_byte_for_byte(git: Git, present: str | None, times: int) -> None:
    git.commit({"a": "1"})
    if present:
        git.write(dict.fromkeys(FILES.values(), present))
    before = files(git.root)
    for again in range(times):
        steps = put_in(git, *AGENTS)
        assert {steps[name].did for name in AGENTS} == {"unchanged" if again else "added"}
    for name, agent in AGENTS.items():
        assert set(agent.events) <= set(hooks(git, name))
    if present is None:
        assert git("status", "--porcelain") == "", "git shows files of ours as untracked"
    out = take_out(git)
    assert {out[name] for name in AGENTS} == {"removed"}
    assert files(git.root) == before
    assert take_out(git) == {}


def test_agents_are_added_one_by_one_without_an_info_folder(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "repo", "--template=")
    before = files(git.root)
    for name in AGENTS:
        put_in(git, name)
    assert put_in(git)["post-commit"].did == "unchanged"
    assert (git.root / ".git/info/exclude").read_text().count("\n") == 2 * len(AGENTS), (
        "two lines for each agent: its settings and its instruction"
    )
    take_out(git)
    assert files(git.root) == before
    assert not (git.root / ".git/info").exists()


def test_changes_that_others_made_since_are_kept(git: Git) -> None:
    git.write({".gemini/settings.json": '{\n  "ui": {}\n}\n'})
    put_in(git, *AGENTS)
    settings = git.root / FILES["gemini"]
    settings.write_text(settings.read_text().replace('"ui": {}', '"ui": {"theme": "x"}'))
    (git.root / ".codex/prompt.md").write_text("theirs")
    exclude = git.root / ".git/info/exclude"
    exclude.write_text("mine\n" + exclude.read_text() + "*.log\n")
    take_out(git)
    assert json.loads(settings.read_text()) == {"ui": {"theme": "x"}}
    assert sorted(p.name for p in (git.root / ".codex").iterdir()) == ["prompt.md"]
    assert not (git.root / ".claude").exists()
    lines = exclude.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("mine", "*.log")
    assert not [line for line in lines if line.startswith("/.")]


def test_our_file_with_others_additions_stays_without_our_entries(git: Git) -> None:
    put_in(git, "claude-code")
    path = git.root / FILES["claude-code"]
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({"permissions": {"allow": ["Bash(ls)"]}, **settings}))
    take_out(git)
    assert json.loads(path.read_text()) == {"permissions": {"allow": ["Bash(ls)"]}}


def test_comments_are_refused_and_kept(git: Git) -> None:
    git.write({".gemini/settings.json": '{\n  // mine\n  "a": 1\n}\n'})
    before = files(git.root)
    done = subprocess.run(
        [sys.executable, "-m", "gittraj", "install", "--agent", "gemini"],
        cwd=git.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("gemini"))
    assert line.startswith(
        "gemini: not installed, .gemini/settings.json stays as it is: it is not strict JSON (line 2)"
    )
    assert files(git.root) == before
    take_out(git)
    assert files(git.root) == before


def test_a_file_that_was_broken_since_is_left_and_reported(git: Git) -> None:
    put_in(git, "codex")
    path = git.root / FILES["codex"]
    path.write_text(path.read_text() + "// mine")
    assert take_out(git)["codex"] == "failed"
    path.write_text(path.read_text().removesuffix("// mine"))
    assert take_out(git)["codex"] == "removed"
    assert not path.parent.exists()


def test_dry_run_writes_nothing(git: Git) -> None:
    before = files(git.root)
    assert put_in(git, *AGENTS, dry_run=True)["codex"].did == "added"
    assert files(git.root) == before
    assert not (git.root / ".git/traj").exists()


def test_nothing_is_added_to_a_bare_repository_or_through_a_symlink(git: Git, tmp_path: Path) -> None:
    step = put_in(Git.init(tmp_path / "bare.git", "--bare"), "codex")["codex"]
    assert (step.did, "none here" in step.text) == ("skipped", True)
    (tmp_path / "dotfiles").mkdir()
    (git.root / ".codex").symlink_to(tmp_path / "dotfiles")
    step = put_in(git, "codex")["codex"]
    assert (step.did, "leads out" in step.text) == ("failed", True)
    assert not any((tmp_path / "dotfiles").iterdir())


def test_settings_that_git_tracks_are_changed_and_reported(git: Git) -> None:
    git.commit({".codex/hooks.json": "{}"})
    assert "git tracks the file" in put_in(git, "codex")["codex"].text
    assert git("status", "--porcelain") == " M .codex/hooks.json"


def test_linked_worktree_has_settings_of_its_own(git: Git) -> None:
    git.commit({"a": "1"})
    git("worktree", "add", "-q", "../linked")
    linked = Git(git.root.parent / "linked")
    put_in(linked, "codex")
    assert not (git.root / ".codex").exists()
    assert linked("status", "--porcelain") == ""
    put_in(git, "codex")
    take_out(git)
    assert not (git.root / ".codex").exists()
    assert not (linked.root / ".codex").exists()


def test_our_entries_are_removed_even_if_our_list_of_them_is_lost(git: Git) -> None:
    git.write({".claude/settings.local.json": '{"a": 1}'})
    put_in(git, "claude-code")
    shutil.rmtree(git.root / ".git/traj")
    take_out(git)
    assert (git.root / FILES["claude-code"]).read_text() == '{"a": 1}'


# ---------------------------------------------------------------- status and doctor


def states(git: Git) -> dict[str, str]:
    with git.open() as repository:
        return {a.name: a.state for a in gather(repository, Environ.of(os.environ)).agents}


def trust_codex(git: Git) -> None:
    """Write what Codex writes when its user trusts the hooks."""
    keys = [f"{git.root}/.codex/hooks.json:{event}:0:0" for event in ("session_start", "stop")]
    config = Path.home() / ".codex/config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("".join(f'[hooks.state."{key}"]\ntrusted_hash = "sha256:0"\n' for key in keys))


def codes(git: Git, *, fix: bool = False) -> list[str]:
    with git.open() as repository:
        found = [
            f
            for f in examine(repository, gather(repository, Environ.of(os.environ)))
            if f.code.startswith("agent")
        ]
        for finding in found if fix else ():
            assert finding.fix is not None
            finding.fix()
    return [f.code for f in found]


def test_status_and_doctor_name_each_way_in_which_hooks_break(git: Git) -> None:
    assert states(git) == {}
    put_in(git, *AGENTS)
    assert states(git)["codex"] == "untrusted"
    assert codes(git) == ["agent-hook-untrusted"]
    trust_codex(git)
    assert states(git) == dict.fromkeys(AGENTS, "installed")
    (git.root / FILES["claude-code"]).unlink()
    path = git.root / FILES["codex"]
    path.write_text(path.read_text().replace('"timeout": 5', '"timeout": 50', 1))
    assert states(git) == {"claude-code": "missing", "codex": "changed", "gemini": "installed"}
    assert codes(git, fix=True) == ["agent-hook-missing", "agent-hook-changed"]
    assert states(git) == dict.fromkeys(AGENTS, "installed")
    (git.root / ".git/traj/agent-hook").write_bytes(render("agent-hook", GONE))
    assert set(states(git).values()) == {"dead"}
    assert codes(git, fix=True) == ["agent-hook-dead"] * 3
    assert codes(git) == []
    path.write_text("//")
    assert states(git)["codex"] == "damaged"
    assert codes(git) == ["agent-hook-damaged"]


def test_status_shows_the_agents_hooks(git: Git) -> None:
    put_in(git, "codex")
    run = [sys.executable, "-m", "gittraj", "status"]
    said = subprocess.run(run, cwd=git.root, capture_output=True, text=True, check=True).stdout
    assert f"Hooks of codex: untrusted (git traj doctor), in {git.root}/.codex/hooks.json\n" in said
    asked = subprocess.run([*run, "--json"], cwd=git.root, capture_output=True, check=True).stdout
    path = str(git.root / ".codex/hooks.json")
    assert json.loads(asked)["agents"] == [{"name": "codex", "state": "untrusted", "path": path}]


# ---------------------------------------------------------------- the script


def fire(git: Git, agent: str, payload: bytes | dict[str, Any], **env: str) -> None:
    """Run the command in the agent's settings, as the agent does; it must print nothing and not fail."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload, separators=(",", ":")).encode()
    line = hooks(git, agent)["SessionStart"][0]["hooks"][0]["command"]
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        input=data,
        cwd=git.root,
        env={**os.environ, **env},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def payload(event: str, **fields: Any) -> dict[str, Any]:
    base = {"session_id": "s-1", "transcript_path": "/home/a b/log.jsonl", "cwd": "/"}
    return {**base, "hook_event_name": event, **fields}


@pytest.fixture(params=SHELLS)
def rigged(request: pytest.FixtureRequest, git: Git) -> Git:
    """A repository with the hooks of all agents, run by one of the shells; their Python is gone."""
    shell = request.param[2:]
    if not Path(shell.split(maxsplit=1)[0]).exists():
        pytest.skip(f"no {shell} here")
    put_in(git, *AGENTS)
    (git.root / ".git/traj/agent-hook").write_bytes(render("agent-hook", GONE))
    for path in FILES.values():
        text = (git.root / path).read_text()
        (git.root / path).write_text(text.replace("|| sh ", f"|| {shell} "))
    return git


def fired(rigged: Git, given: bytes | dict[str, Any], agent: str = "gemini") -> list[str]:
    """Run the hook; return the lines of the spool."""
    fire(rigged, agent, given)
    return spool(rigged)


def test_the_hook_spools_a_line_for_a_session(rigged: Git) -> None:
    git_dir = f"{rigged.root}/.git"
    assert fired(rigged, payload("SessionStart", source="startup")) == [
        f"session\tgemini-cli\ts-1\tSessionStart\t/home/a b/log.jsonl\t{git_dir}"
    ]
    assert fired(rigged, payload("AfterAgent", prompt="said", prompt_response="said"))[1:] == []
    assert fired(rigged, payload("SessionEnd"), "claude-code")[1:] == [
        f"session\tclaude-code\ts-1\tSessionEnd\t/home/a b/log.jsonl\t{git_dir}"
    ]
    assert "said" not in "".join(p.read_text() for p in (rigged.root / ".git/traj").iterdir() if p.is_file())


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (b"", None),
        (b"\0\xff{{{", None),
        (b'{"session_id":null,"hook_event_name":"SessionStart"}', None),
        (b'{"session_id":"s', None),
        (b'{"session_id": "s", "hook_event_name": "SessionStart"}', "s\tSessionStart\t"),
        (b'{"session_id":"s","transcript_path":null,"cwd":"/c","hook_event_name":"X"}', "s\tX\t"),
        (b'{"session_id":"s","transcript_path":"C:\\\\x","hook_event_name":"X"}', "s\tX\t"),
        (b'{"session_id":"s","transcript_path":"/a\nb\tc","hook_event_name":"X"}', "s\tX\t"),
        (b'{"session_id":"s","hook_event_name":"X","t":{"session_id":"evil"}}', "s\tX\t"),
        (b'{"t":"\\"session_id\\":\\"evil\\"","session_id":"s","hook_event_name":"X"}', "s\tX\t"),
        (b'{"session_id":"s","hook_event_name":"X","agent_id":"a1"}', None),
        (b'{"session_id":"s","hook_event_name":"X","t":"' + b"x" * 3_000_000 + b'"}', "s\tX\t"),
    ],
)
def test_any_payload_spools_at_most_one_line(rigged: Git, given: bytes, line: str | None) -> None:
    found = fired(rigged, given)
    assert found == ([f"session\tgemini-cli\t{line}\t{rigged.root}/.git"] if line else [])


def test_the_hook_while_off_and_elsewhere_and_after_removal(rigged: Git, tmp_path: Path) -> None:
    fire(rigged, "codex", payload("SessionStart"), GIT_TRAJ="0")
    other = Git.init(tmp_path / "other")
    (other.root / ".codex").symlink_to(rigged.root / ".codex")
    fire(other, "codex", payload("SessionStart"))
    fire(other, "codex", payload("SessionStart"), PATH="/nonexistent")
    assert spool(rigged) == [f"2\toff\t\t{rigged.root}/.git\t0\tSESSION=codex:s-1"]
    assert spool(other) == []
    shutil.rmtree(rigged.root / ".git/traj")
    fire(rigged, "codex", payload("SessionStart"))
    assert not (rigged.root / ".git/traj").exists()


def test_a_subfolder_and_a_linked_worktree(git: Git) -> None:
    git.commit({"sub/a": "1"})
    git("worktree", "add", "-q", "../linked")
    put_in(git, "codex")
    (git.root / ".git/traj/agent-hook").write_bytes(render("agent-hook", GONE))
    script = f"sh {git.root}/.git/traj/agent-hook codex"
    for folder in (git.root / "sub", git.root.parent / "linked"):
        data = json.dumps(payload("X"), separators=(",", ":")).encode()
        subprocess.run(script, shell=True, input=data, cwd=folder, check=True)
    assert [line.split("\t")[-1] for line in spool(git)] == [
        f"{git.root}/.git",
        f"{git.root}/.git/worktrees/linked",
    ]


def test_after_a_shell_call_only_a_commit_is_spooled(git: Git) -> None:
    put_in(git, "gemini")
    (git.root / ".git/traj/agent-hook").write_bytes(render("agent-hook", GONE))
    git.commit({"a": "1"})
    cursors = git.root / ".git/traj/cursors.json"
    lock = git.root / ".git/traj/drain.lock"
    wait_until(lambda: cursors.exists() and not lock.exists(), "the end of the worker that the commit woke")
    (git.root / ".git/traj/spool").write_text("")
    time.sleep(0.02)
    os.utime(cursors)
    fire(git, "gemini", payload("AfterTool"))
    assert spool(git) == []
    time.sleep(0.02)
    git("-c", "core.hooksPath=", "commit", "-q", "--allow-empty", "-m", "without hooks")
    fire(git, "gemini", payload("AfterTool"))
    assert [line.split("\t")[3] for line in spool(git)] == ["AfterTool"]


def test_the_worker_wakes_and_the_drain_knows_the_log(git: Git, tmp_path: Path) -> None:
    put_in(git, "claude-code")
    log = tmp_path / "log.jsonl"
    for event in ("SessionStart", "SessionEnd"):
        fire(git, "claude-code", payload(event, transcript_path=str(log)))
    wait_until(lambda: load_state(git.root / ".git/traj") is not None, "a drain")
    state = load_state(git.root / ".git/traj")
    assert state is not None
    assert state.logs == {"claude-code:s-1": str(log)}
    assert state.spool == (git.root / ".git/traj/spool").stat().st_size


def test_the_hook_names_a_log_that_no_search_finds(git: Git, tmp_path: Path) -> None:
    """A person commits what an agent wrote whose log is at a path that is not searched."""
    git.commit({"README": "here\n"})
    put_in(git, "claude-code")
    session = ClaudeSession(git.root)
    session.prompt("Write a file")
    session.respond(turn(Write("a.txt", "one\ntwo\n")))
    session.respond(turn(say="It is yours"), last=True)
    session.finish()
    log = session.log.rename(tmp_path / "elsewhere.jsonl")
    fields = {"session_id": session.session, "transcript_path": str(log)}
    fire(git, "claude-code", payload("SessionStart", **fields))
    git("add", "a.txt")
    git("commit", "-qm", "By hand", env={"GIT_TRAJ_SYNC": "1"})
    (found,) = read_records(git).values()
    assert [fact for fact in found.facts if fact[0] == "prompt"] == [("prompt", "Write a file")]


@pytest.mark.parametrize("ended", [True, False])
def test_the_last_words_of_a_session_that_ended_are_recorded_at_once(git: Git, ended: bool) -> None:
    git.commit({"README": "here\n"})
    put_in(git, "claude-code")
    (git.root / ".git/traj/agent-hook").write_bytes(render("agent-hook", GONE))
    session = ClaudeSession(git.root)
    session.prompt("Commit a file")
    session.respond(turn(Write("a.txt", "one\n"), Shell("git add . && git commit -qm Made")))
    traj(git, "log")
    session.respond(turn(say="The last words"))  # cut off: the log does not show that the turn is over
    if ended:
        fields = {"session_id": session.session, "transcript_path": str(session.log)}
        fire(git, "claude-code", payload("SessionEnd", **fields))
    traj(git, "log")
    (found,) = read_records(git).values()
    assert (("message", "The last words") in found.facts) is ended
    (shown,) = json.loads(traj(git, "show", "--json"))["trajectories"]
    assert shown["status"] == ("completed" if ended else None)


def test_the_agent_does_not_wait_for_the_worker(git: Git, tmp_path: Path) -> None:
    """A worker is started when a turn is over, none at a session's start; the agent continues at once."""
    slow = tmp_path / "it's" / "python"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\necho "$@" >>"{tmp_path}/called"\n{BUSY.format(tmp_path)}\n')
    slow.chmod(0o755)
    put_in(git, "codex")
    (git.root / ".git/traj/agent-hook").write_bytes(render("agent-hook", Interpreter(str(slow), ("-I",))))
    for event in ("SessionStart", "Stop", "Stop"):
        fire(git, "codex", payload(event))
    called = tmp_path / "called"
    wait_until(lambda: called.exists() and called.read_text().endswith("\n"), "the worker")
    assert not (tmp_path / "done").exists()
    (tmp_path / "go").touch()
    assert called.read_text() == f"-I -m gittraj.worker {git.root}/.git/traj\n"
