"""Messages about small things: a later remote, removed keys, notes of which nothing is shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gittraj import __version__
from gittraj.commands.install.shims import HOOKS
from gittraj.commands.install.uninstall import uninstall_command
from gittraj.query.records import Recorded
from gittraj.query.remote_records import RecordedBeside, RemoteNotesInMemory
from tests.e2e.scenario import Write
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.repository import Git

REFSPEC = "+refs/notes/traj*:refs/notes-remote/late/traj*"


def test_a_remote_added_after_the_installation_is_reported_and_fixed(git: Git) -> None:
    traj(git.root, "install")
    git("remote", "add", "late", "/nowhere")
    said = "late: git fetch does not bring its records (git traj doctor --fix)\n"
    assert said in traj(git.root, "status").stdout
    assert json.loads(traj(git.root, "status", "--json").stdout)["withoutRefspec"] == ["late"]
    noted = traj(git.root, "doctor").stdout
    assert "git traj install" not in noted, "one remedy is enough"
    assert noted.endswith("    git traj doctor --fix\nNothing is wrong.\n")
    done = traj(git.root, "doctor", "--fix")
    assert "fixed: git fetch late does not bring its records" in done.stdout
    assert REFSPEC in git("config", "--get-all", "remote.late.fetch").splitlines()
    assert said not in traj(git.root, "status").stdout


def test_no_refspec_is_suggested_to_a_user_who_wanted_none(git: Git) -> None:
    traj(git.root, "install", "--no-fetch-refspec")
    git("remote", "add", "late", "/nowhere")
    assert "late" not in traj(git.root, "status").stdout
    assert "refspec-missing" not in traj(git.root, "doctor", "--json").stdout


def test_uninstall_names_each_key_that_it_removes(git: Git) -> None:
    traj(git.root, "install")
    git("config", "remote.origin.trajPush", "digest")
    git("config", "traj.trust", "digest")
    said = traj(git.root, "uninstall").stdout
    for key in ("remote.origin.trajpush", "traj.trust"):
        assert f"{key}: removed from git's configuration\n" in said


@pytest.mark.parametrize("purge", [(), ("--purge",)])
def test_uninstall_prints_commands_that_remove_what_stays(
    git: Git, tmp_path: Path, purge: tuple[str, ...]
) -> None:
    git.commit({"a": "1"})
    traj(git.root, "install")
    git("notes", "--ref=traj", "add", "-m", "{}")
    bare = tmp_path / "bare.git"
    git("init", "--quiet", "--bare", str(bare))
    git("remote", "add", "origin", str(bare))
    git("push", "--quiet", "--no-verify", "origin", "refs/notes/traj")
    git("update-ref", "refs/notes-remote/origin/traj", "refs/notes/traj")
    git("config", "traj.push", "auto")
    git("config", "traj.trust", "digest")
    said = traj(git.root, "uninstall", *purge).stdout
    assert "your setting traj.push:\n    git config --local --unset-all traj.push\n" in said
    traj(git.root, "log")  # a reading command recreates its cache while there are records
    assert (git.root / ".git" / "traj-index").exists()
    copies = git("for-each-ref", "refs/notes-remote")
    assert bool(copies) is not bool(purge)
    commands = [line.strip() for line in said.partition("What stays")[2].splitlines() if line[:4] == "    "]
    assert commands[-1].endswith(" -m pip uninstall git-traj")
    assert "git push origin --delete refs/notes/traj" in commands
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for command in [line for line in commands if line.startswith("git ")]:
        env = os.environ | {"PATH": path}
        subprocess.run(command, shell=True, check=True, cwd=git.root, capture_output=True, env=env)
    assert not [path.name for path in (git.root / ".git").glob("traj*")]
    assert git("for-each-ref", "refs/notes", "refs/notes-remote") == ""
    assert "[traj]" not in (git.root / ".git" / "config").read_text("utf-8")
    assert git("ls-remote", "origin", "refs/notes/*") == ""


@pytest.mark.parametrize("purge", [(), ("--purge",)])
def test_a_dry_run_of_uninstall_changes_nothing(git: Git, purge: tuple[str, ...]) -> None:
    git.commit({"a": "1"})
    git("remote", "add", "origin", "/nowhere")
    traj(git.root, "install", "--agent", "claude-code")
    git("config", "remote.origin.trajpush", "true")
    hook = git.root / ".git" / "hooks" / "post-commit"
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")
    before = {path: path.read_bytes() for path in git.root.rglob("*") if path.is_file()}
    dry = traj(git.root, "uninstall", "--dry-run", *purge)
    assert {path: path.read_bytes() for path in git.root.rglob("*") if path.is_file()} == before
    assert dry.stdout.endswith("Nothing was changed.\n")
    real = traj(git.root, "uninstall", *purge)
    done = real.stdout.partition("What stays")[0]
    named = (*HOOKS, "settings.local.json", "CLAUDE.local.md", "origin: ", str(git.root / ".git" / "traj"))
    assert all(name in done for name in named)
    assert dry.stdout.partition("What would stay")[0] == f"What would be done:\n{done}"
    assert (
        dry.stdout.partition("What would stay")[2].removesuffix("Nothing was changed.\n")
        == (real.stdout.partition("What stays")[2])
    )
    assert traj(git.root, "uninstall", "--global", "--dry-run").returncode == 2


def test_a_second_uninstall_names_the_local_state_that_stays(git: Git) -> None:
    traj(git.root, "install")
    traj(git.root, "uninstall")
    again = traj(git.root, "uninstall")
    assert again.stderr == "nothing to remove\n"
    assert "git traj uninstall --purge" in again.stdout
    assert "git traj uninstall --purge" not in traj(git.root, "uninstall", "--purge").stdout


def test_an_uninstall_after_the_last_one_still_names_what_stays(git: Git) -> None:
    traj(git.root, "install")
    git("remote", "add", "origin", "/nowhere")
    traj(git.root, "uninstall", "--purge")
    again = traj(git.root, "uninstall")
    assert again.stderr == "nothing to remove\n"
    assert "records that origin may have:\n    git ls-remote origin 'refs/notes/traj*'\n" in again.stdout
    assert "the program:\n" in again.stdout


def test_uninstall_without_a_copy_names_the_records_that_a_remote_may_have(git: Git) -> None:
    """A purge deletes the copies of a remote's refs, too."""
    traj(git.root, "install")
    git("remote", "add", "origin", "/nowhere")
    assert "records that origin may have:\n" in traj(git.root, "uninstall").stdout


def test_uninstall_says_how_records_can_be_deleted_for_everybody(git: Git) -> None:
    git.commit({"a": "1"})
    traj(git.root, "install")
    git("notes", "--ref=traj", "add", "-m", "{}")
    git("update-ref", "refs/notes-remote/origin/traj", "refs/notes/traj")
    git("remote", "add", "origin", "/nowhere")
    said = traj(git.root, "uninstall").stdout
    assert "for everybody (a clone that has them puts them back):\n    git push" in said
    assert "the records here (git gc --prune=now then deletes their objects):\n" in said


def test_records_deleted_by_hand_are_restored_with_a_message(desk: Desk) -> None:
    desk.commit("counting", "one\n", path="f.py")
    desk.git("update-ref", "-d", "refs/notes/traj")
    said = "refs/notes/traj was deleted or overwritten, and is restored (git traj uninstall ends that)\n"
    first, second = (traj(desk.git.root, "backfill", "--dry-run") for _ in range(2))
    assert first.stderr == f"git-traj: {said}" and second.stderr == ""
    assert "1 commit already recorded" in first.stdout


@pytest.mark.parametrize("before", ["log", "pause"])
def test_a_reader_says_that_records_were_deleted(desk: Desk, before: str) -> None:
    desk.commit("counting", "one\n", path="f.py")
    traj(desk.git.root, before)
    desk.git("update-ref", "-d", "refs/notes/traj")
    for command in ("log", "show", "stats", "search counting"):
        said = traj(desk.git.root, *command.split()).stderr
        assert said == "deleted or overwritten: refs/notes/traj\nhint: git traj doctor --fix restores it\n", (
            command
        )
    why = traj(desk.git.root, "why", "f.py")
    assert why.stderr == said and "no record" not in why.stdout
    shown = traj(desk.git.root, "status").stdout
    assert "Deleted or overwritten: refs/notes/traj (git traj doctor --fix restores it)\n" in shown
    assert "Recorded" not in shown and "without a record" not in shown
    traj(desk.git.root, "doctor", "--fix")
    assert "counting" in traj(desk.git.root, "log").stdout


def test_doctor_never_gives_itself_as_the_remedy(git: Git) -> None:
    traj(git.root, "install")
    (git.root / ".git/hooks/post-commit").unlink()
    said = traj(git.root, "doctor").stdout
    assert "Hooks: post-commit missing\n" in said and "git traj install" in said
    assert "Hooks: post-commit missing (git traj doctor)\n" in traj(git.root, "status").stdout


def test_a_remote_added_later_is_mentioned_only_by_status(git: Git, tmp_path: Path) -> None:
    git.commit({"a": "1"})
    traj(git.root, "install")
    git("init", "--quiet", "--bare", str(tmp_path / "late.git"))
    git("remote", "add", "origin", str(tmp_path / "late.git"))
    said = "git fetch does not bring"
    assert said in traj(git.root, "status").stdout
    for command in ([], ["sync"], ["fetch"]):
        done = traj(git.root, *command)
        assert said not in done.stdout + done.stderr


def test_after_a_purge_the_remotes_state_is_unknown(desk: Desk, tmp_path: Path) -> None:
    git = desk.git
    git("init", "--quiet", "--bare", str(tmp_path / "o.git"))
    git("remote", "add", "origin", str(tmp_path / "o.git"))
    desk.commit("it", "one\n")
    git("config", "traj.push", "auto")
    traj(git.root, "push")
    traj(git.root, "uninstall", "--purge")
    assert "to push" not in traj(git.root, "status").stdout
    (remote,) = json.loads(traj(git.root, "status", "--json").stdout)["remotes"]
    assert remote == {"name": "origin", "unpushed": None, "unfetched": None}


def test_no_link_is_requested_for_excluded_sessions(desk: Desk) -> None:
    git = desk.git
    git("config", "traj.exclude", "claude-code")
    desk.commit("it", "one\n")
    status = traj(git.root, "status").stdout
    assert "without a record" not in status and "waiting for an agent's log" not in status
    assert "unlinked" not in {
        f["code"] for f in json.loads(traj(git.root, "doctor", "--json").stdout)["findings"]
    }


def test_no_link_is_requested_for_a_session_that_was_purged(desk: Desk) -> None:
    desk.commit("it", "one\n")
    root = desk.git.root
    assert traj(root, "forget", desk.sessions["one"].session, "--purge").returncode == 0
    assert "on 0 commits" in traj(root, "status").stdout
    assert json.loads(traj(root, "status", "--json").stdout)["unlinked"] == []


def test_work_that_counts_for_no_commit_is_described_alike_everywhere(git: Git) -> None:
    git.commit({"a": "1"})
    traj(git.root, "install")
    traj(git.root, "start", "By hand")
    traj(git.root, "complete", "--summary", "done")
    for command in (["status"], ["log", "--all"], ["log", "--all", "--trajectories"], ["search", "done"]):
        assert "counts for no commit" in traj(git.root, *command).stdout


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ann/.local/share/pipx/venvs/git-traj", "pipx uninstall git-traj"),
        ("/home/ann/.local/share/uv/tools/git-traj", "uv tool uninstall git-traj"),
        ("/opt/homebrew/Cellar/git-traj/0.1.0/libexec", "brew uninstall git-traj"),
        ("/opt/venv", f"{sys.executable} -m pip uninstall git-traj"),
    ],
)
def test_the_program_is_removed_by_what_installed_it(prefix: str, command: str) -> None:
    assert uninstall_command(Path(prefix)) == command


def test_status_names_the_command_that_links_the_events_of_an_ended_session(desk: Desk) -> None:
    desk.commit("counting")
    desk.work("reading", Write("notes", "one\n"))
    (ended,) = (line for line in traj(desk.git.root, "status").stdout.splitlines() if "Ended" in line)
    assert ended.endswith(" 4 events on no commit (git traj link puts them on one; listed here for a day)")
    assert "reading is done" not in traj(desk.git.root, "show").stdout
    assert traj(desk.git.root, "link", "HEAD", "--session", ended.split()[2]).returncode == 0
    assert "reading is done" in traj(desk.git.root, "show").stdout
    assert "Ended" not in traj(desk.git.root, "status").stdout


def test_a_remotes_note_of_which_nothing_is_shown_is_not_counted(desk: Desk) -> None:
    theirs = RemoteNotesInMemory([("1" * 40, b'{"v":1}\n')], lambda _commit, _body: b"")
    assert RecordedBeside(Recorded([]), {"origin": theirs}).commits() == set()


def test_similar_finds_something_in_a_small_repository(desk: Desk) -> None:
    desk.commit("counting the wheels of a bicycle", "one\n", path="f.py")
    assert (
        "counting the wheels" in traj(desk.git.root, "search", "--similar", "unheard nonsense bicycle").stdout
    )


def test_similar_says_why_it_finds_little(desk: Desk) -> None:
    desk.commit("counting", "one\n", path="f.py")
    said = traj(desk.git.root, "search", "--similar", "xyzzy").stderr
    assert said.endswith("hint: try other words; little is recorded here yet to be similar to\n")


def test_version_says_what_it_runs_on(git: Git) -> None:
    assert traj(git.root, "version").stdout == f"git-traj {__version__}\n"
    document = json.loads(traj(git.root, "version", "--json").stdout)
    assert document.keys() == {"version", "gitTraj", "ruleset", "python", "git", "platform"}
    assert document["git"] == git("--version").removeprefix("git version ")


def test_hooks_of_another_version_are_announced_and_renewed(git: Git) -> None:
    traj(git.root, "install")
    said = "of another version: git traj install renews them\n"
    assert said not in traj(git.root, "status").stdout
    hook = git.root / ".git/hooks/post-commit"
    hook.write_text(hook.read_text().replace("kind=commit terminal=0", "kind=commit"))
    assert said in traj(git.root, "status").stdout
    states = json.loads(traj(git.root, "status", "--json").stdout)["hooks"]["states"]
    assert {s["name"]: s["old"] for s in states}["post-commit"] is True
    traj(git.root, "install")
    assert said not in traj(git.root, "status").stdout
