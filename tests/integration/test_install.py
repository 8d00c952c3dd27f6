"""Install and uninstall in real repositories: others' hooks and settings are kept and restored exactly."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gittraj import plugins
from gittraj.agents import HookSettings
from gittraj.agents.logged import LoggedAgent
from gittraj.commands.install.discover import find_new_agents
from gittraj.commands.install.hooks import install_hook
from gittraj.commands.install.install import install
from gittraj.commands.install.manifest import Splice, Step
from gittraj.commands.install.uninstall import uninstall
from gittraj.errors import StoreError
from tests.integration import command
from tests.integration.records import hold_workers
from tests.integration.repository import Git, has_configured_hooks

HOOKS = ("post-commit", "pre-commit", "post-rewrite")
PYTHON_HOOK = f"#!{sys.executable}\nimport sys, pathlib\npathlib.Path('ran').write_text('python')\n"


def put_in(git: Git, *, fetch_refspec: bool = True, dry_run: bool = False) -> list[Step]:
    with git.open() as repository:
        steps = install(repository, fetch_refspec=fetch_refspec, dry_run=dry_run)
        if (repository.common_dir / "traj").is_dir():
            hold_workers(repository.common_dir / "traj")
        return steps


def take_out(git: Git, *, purge: bool = False) -> list[Step]:
    with git.open() as repository:
        return uninstall(repository, purge=purge)


def traj(git: Git, *arguments: str, env: dict[str, str] | None = None) -> command.Said:
    return command.traj(git.root, *arguments, env=env)


def write_hook(git: Git, name: str, content: str | bytes, mode: int = 0o755) -> Path:
    path = git.root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return path


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content (or link target) of every file that an installation may change."""
    paths = [root / "config", *(root / "hooks").glob("*")]
    return {
        str(p.relative_to(root)): (
            stat.S_IMODE(p.lstat().st_mode),
            bytes(p.readlink()) if p.is_symlink() else p.read_bytes(),
        )
        for p in paths
    }


def did(steps: list[Step]) -> dict[str, str]:
    return {step.name if step.what != "state" else "state": step.did for step in steps}


def test_install_reports_each_step_and_is_safe_to_repeat(git: Git) -> None:
    git("remote", "add", "origin", "/nowhere")
    assert did(put_in(git)) == dict.fromkeys(("state", *HOOKS, "origin"), "added")
    before, manifest = snapshot(git.root / ".git"), (git.root / ".git/traj/installed.json").read_bytes()
    assert did(put_in(git)) == dict.fromkeys(("state", *HOOKS, "origin"), "unchanged")
    assert (snapshot(git.root / ".git"), (git.root / ".git/traj/installed.json").read_bytes()) == (
        before,
        manifest,
    )


def test_the_output_of_install_and_uninstall(git: Git) -> None:
    done = traj(git, "install", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["version"] == 1
    assert [step["did"] for step in document["steps"]] == [*["added"] * 4, "skipped"]
    said = traj(git, "install").stdout
    assert "post-commit, pre-commit, post-rewrite: already there\n" in said
    assert traj(git, "uninstall", "--purge").returncode == 0
    assert traj(git, "uninstall").stderr == "nothing to remove\n"
    assert not (git.root / ".git/traj").exists()


def test_dry_run_writes_nothing(git: Git) -> None:
    git("remote", "add", "origin", "/nowhere")
    before = snapshot(git.root / ".git")
    assert did(put_in(git, dry_run=True)) == dict.fromkeys(("state", *HOOKS, "origin"), "added")
    assert snapshot(git.root / ".git") == before
    assert not (git.root / ".git/traj").exists()


def test_a_wrong_setting_stops_install_before_anything_is_written(git: Git) -> None:
    git("config", "traj.push", "sometimes")
    said = traj(git, "install")
    assert said.returncode == 1
    assert "git config traj.push is 'sometimes'" in said.stderr
    assert not (git.root / ".git" / "traj").exists()


def test_outside_a_repository(tmp_path: Path) -> None:
    done = traj(Git(tmp_path), "install")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 2


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away"
)
def test_repository_of_another_user(git: Git) -> None:
    for path in (git.root, git.root / ".git"):
        os.chown(path, 12345, 12345)
    done = traj(git, "install")
    assert done.returncode == 1
    error, hint = done.stderr.splitlines()
    assert "dubious ownership" in error
    assert "git config --global --add safe.directory" in hint


def test_the_start_of_recording_is_written_once(git: Git) -> None:
    git.commit({"a": "1"})
    put_in(git)
    first = json.loads((git.root / ".git/traj/installed.json").read_text())
    assert first["reflogs"]["."][0] == (git.root / ".git/logs/HEAD").stat().st_size
    git.commit({"a": "2"})
    git("remote", "add", "later", "/nowhere")
    put_in(git)
    second = json.loads((git.root / ".git/traj/installed.json").read_text())
    assert (second["time"], second["reflogs"]) == (first["time"], first["reflogs"])
    take_out(git)
    put_in(git)
    third = json.loads((git.root / ".git/traj/installed.json").read_text())
    assert third["reflogs"] != first["reflogs"], "work done while uninstalled is not to be recorded"


def test_a_damaged_manifest_is_rewritten_and_the_config_still_restored(git: Git) -> None:
    git("remote", "add", "origin", "/nowhere")
    before = snapshot(git.root / ".git")
    put_in(git)
    (git.root / ".git/traj/installed.json").write_text("{")
    assert did(put_in(git))["state"] == "added"
    take_out(git)
    assert snapshot(git.root / ".git") == before


def test_uninstall_without_local_state(git: Git) -> None:
    git("remote", "add", "origin", "/nowhere")
    before = snapshot(git.root / ".git")
    put_in(git)
    shutil.rmtree(git.root / ".git/traj")
    take_out(git)
    assert snapshot(git.root / ".git") == before


def test_local_state_that_cannot_be_made(git: Git) -> None:
    (git.root / ".git/traj").write_text("in the way")
    before = snapshot(git.root / ".git")
    with pytest.raises(StoreError, match="traj cannot be written"):
        put_in(git)
    assert snapshot(git.root / ".git") == before
    done = traj(git, "install")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_uninstall_keeps_local_state_and_notes(git: Git) -> None:
    git.commit({"a": "1"})
    put_in(git)
    git("notes", "--ref=traj", "add", "-m", "{}")
    (git.root / ".git/traj/off.json").write_text("{}")
    take_out(git)
    assert (git.root / ".git/traj/off.json").exists()
    assert not (git.root / ".git/traj/installed.json").exists()
    take_out(git, purge=True)
    assert not (git.root / ".git/traj").exists()
    assert git("notes", "--ref=traj", "show") == "{}"


class _Plugged(LoggedAgent):
    hooks = HookSettings(name="two", file=".two/settings.json", events={"Stop": None})


def test_uninstall_when_the_plug_in_with_hooks_is_off(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plug-in's settings are still removed (an earlier version removed nothing)."""
    git.commit({"a": "1"})
    before = snapshot(git.root / ".git")
    with monkeypatch.context() as on, git.open() as repository:
        process = plugins._Process()
        process.loaded = {"two": {"agents": _Plugged(name="two", option="two", home=".two", log="{0}")}}
        on.setattr(plugins, "_PROCESS", process)
        on.setattr(plugins, "names", lambda: ("two",))
        install(repository, agents=("two",))
    with git.open() as repository:
        found = find_new_agents(repository, ("two", "claude-code"))
    assert found == ("claude-code",), "the other was left out meanwhile"
    assert (git.root / ".two/settings.json").exists()
    assert "settings.json" in {step.name for step in take_out(git) if step.did == "removed"}
    assert not (git.root / ".two").exists()
    assert snapshot(git.root / ".git") == before


# ---------------------------------------------------------------- hooks of others


@pytest.mark.parametrize(
    ("content", "mode", "runs"),
    [
        ('#!/bin/sh\necho "$0 $#" >ran\n', 0o755, ".git/hooks/post-commit 0"),
        ("#!/bin/sh -e\nfalse\necho never >ran\n", 0o755, None),
        ('#!/usr/bin/env bash\na=(x y); echo "$(basename "$0") ${a[1]}" >ran\n', 0o700, "post-commit y"),
        (PYTHON_HOOK, 0o755, "python"),
        ("#!/bin/sh\necho no >ran\n", 0o644, None),
        ("echo no shebang >ran\n", 0o755, "no shebang"),
        (b"\x7fBIN\0\xff\n\0", 0o644, None),
    ],
)
def test_existing_hook_runs_as_before(git: Git, content: str | bytes, mode: int, runs: str | None) -> None:
    write_hook(git, "post-commit", content, mode)
    before = snapshot(git.root / ".git")
    put_in(git)
    kept = git.root / ".git/hooks/post-commit.traj-orig"
    assert (stat.S_IMODE(kept.stat().st_mode), kept.read_bytes()) == before["hooks/post-commit"]
    commit = git.commit({"a": "1"})
    ran = git.root / "ran"
    assert (ran.read_text().strip() if ran.exists() else None) == runs
    assert commit in (git.root / ".git/traj/spool").read_text()
    take_out(git)
    assert snapshot(git.root / ".git") == before


def test_failing_pre_commit_still_blocks(git: Git) -> None:
    write_hook(git, "pre-commit", "#!/bin/sh\necho refused >&2\nexit 3\n")
    put_in(git)
    git.write({"a": "1"})
    git("add", "a")
    done = subprocess.run(
        ["git", "commit", "-qm", "x"], cwd=git.root, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "refused\n")
    assert (
        subprocess.run([".git/hooks/pre-commit"], cwd=git.root, capture_output=True, check=False).returncode
        == 3
    )


@pytest.mark.parametrize("interpreter", ["/bin/sh", "/usr/bin/env bash", "/bin/cat"])
def test_post_rewrite_gets_arguments_and_stdin(git: Git, interpreter: str) -> None:
    body = "" if "cat" in interpreter else 'echo "$@" >ran; cat >>ran; exit 7\n'
    write_hook(git, "post-rewrite", f"#!{interpreter}\n{body}")
    put_in(git)
    old = git.commit({"a": "1"})
    git("commit", "-q", "--amend", "-m", "other")
    line = f"{old} {git.head()}"
    if body:
        assert (git.root / "ran").read_text() == f"amend\n{line}\n"
    assert f"rewrite\t{old}\t{git.head()}\tamend" in (git.root / ".git/traj/spool").read_text()
    done = subprocess.run(
        [".git/hooks/post-rewrite", "amend"], input=b"1 2\n", cwd=git.root, capture_output=True, check=False
    )
    assert done.returncode == (7 if body else 1)  # cat knows no file "amend"


def test_a_dispatcher_that_reads_its_own_name(git: Git) -> None:
    """husky: every hook sources one script, which uses the basename of $0."""
    git("config", "core.hooksPath", ".husky/_")
    folder = git.root / ".husky" / "_"
    folder.mkdir(parents=True)
    (folder / "h").write_text('n=$(basename "$0")\nexec sh -e "$(dirname "$(dirname "$0")")/$n" "$@"\n')
    (folder / "pre-commit").write_text('#!/usr/bin/env sh\n. "$(dirname "$0")/h"')
    (folder / "pre-commit").chmod(0o755)
    (git.root / ".husky/pre-commit").write_text("echo husky >ran\n")
    put_in(git)
    git.commit({"a": "1"})
    assert (git.root / "ran").read_text() == "husky\n"
    # husky rewrites its folder at each npm install
    (folder / "pre-commit").write_text('#!/usr/bin/env sh\n. "$(dirname "$0")/h"')
    assert did(put_in(git))["pre-commit"] == ("unchanged" if has_configured_hooks() else "added")
    take_out(git)
    assert sorted(p.name for p in folder.iterdir()) == ["h", "pre-commit"]


FRAMEWORK = """#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
[ -z "$PRE_COMMIT_RUNNING_LEGACY" ] || exit 1
echo framework >>ran
legacy="$0.legacy"
[ ! -x "$legacy" ] || PRE_COMMIT_RUNNING_LEGACY=1 "$legacy" "$@"
"""


@pytest.mark.parametrize(
    ("kept", "runs"), [(FRAMEWORK, ""), ("#!/bin/sh\necho mine >>ran\n", "mine\n"), (None, "")]
)
def test_a_framework_that_runs_our_hook(git: Git, kept: str | None, runs: str) -> None:
    """The pre-commit framework runs the hook that it moved to NAME.legacy, except if that is its own."""
    if kept:
        write_hook(git, "pre-commit", kept)
    put_in(git)
    hook = git.root / ".git/hooks/pre-commit"
    if kept != FRAMEWORK:  # otherwise the framework already runs our hook
        hook.rename(hook.with_name("pre-commit.legacy"))
        write_hook(git, "pre-commit", FRAMEWORK)
    assert did(put_in(git))["pre-commit"] == "unchanged"
    for _ in ("installed", "taken out"):
        git("commit", "-q", "--allow-empty", "-m", "x")
        assert (git.root / "ran").read_text() == f"framework\n{runs}"
        (git.root / "ran").unlink()
        take_out(git)
    left = {path.name for path in hook.parent.glob("p*commit*") if path.suffix != ".sample"}
    assert left == ({"pre-commit", "pre-commit.legacy"} if runs else {"pre-commit"})


def test_lines_added_to_a_hook_stay_even_if_its_text_has_no_block(git: Git) -> None:
    put_in(git)
    hook = git.root / ".git/hooks/post-commit"
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")
    assert install_hook(hook, b"#!/bin/sh\n", dry_run=False).did == "renewed"
    assert hook.read_bytes().endswith(b"echo mine\n")


def test_second_foreign_hook_is_left_alone(git: Git) -> None:
    write_hook(git, "post-commit", "#!/bin/sh\necho one\n")
    put_in(git)
    other = write_hook(git, "post-commit", "#!/bin/sh\necho two\n")
    steps = put_in(git)
    assert did(steps)["post-commit"] == ("added" if has_configured_hooks() else "skipped")
    assert other.read_text() == "#!/bin/sh\necho two\n"
    assert "skipped" in [step.did for step in take_out(git) if step.name == "post-commit"]
    assert other.read_text() == "#!/bin/sh\necho two\n"
    assert (other.with_name("post-commit.traj-orig")).read_text() == "#!/bin/sh\necho one\n"


def test_block_without_an_end_is_not_guessed_at(git: Git) -> None:
    put_in(git)
    hook = git.root / ".git/hooks/post-commit"
    cut = hook.read_bytes().replace(b"# git-traj <<<\n", b"")
    hook.write_bytes(cut)
    assert did(put_in(git))["post-commit"] == "skipped"
    assert did(take_out(git))["post-commit"] == "failed"
    assert hook.read_bytes() == cut


# ---------------------------------------------------------------- where hooks are


def test_hooks_path_inside(git: Git) -> None:
    git("config", "core.hooksPath", "ci/hooks")
    put_in(git)
    commit = git.commit({"a": "1"})
    assert commit in (git.root / ".git/traj/spool").read_text()
    assert has_configured_hooks() or put_in(git)[-1].text.startswith("git tracks files in ")
    git("rm", "-rq", "--cached", "--ignore-unmatch", "ci")
    take_out(git)
    assert not (git.root / "ci").exists()


def test_hooks_folder_that_cannot_be_written(git: Git) -> None:
    folder = git.root / ".git/hooks"
    for name in HOOKS:
        (folder / f"{name}.traj-new").mkdir(parents=True)  # root may write anywhere, but not over a folder
    steps = put_in(git)
    assert did(steps) == {"state": "added", **dict.fromkeys(HOOKS, "skipped")}
    assert not (folder / "post-commit").exists()


def test_no_hooks_folder(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "repo", "--template=")
    put_in(git)
    assert (git.root / ".git/hooks/post-commit").exists()
    take_out(git)
    assert not (git.root / ".git/hooks").exists()


def test_bare_repository(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "bare.git", "--bare")
    steps = put_in(git)
    assert steps[-1].text.startswith("a bare repository has no commits of its own")
    assert (git.root / "hooks/post-commit").exists()


@pytest.mark.parametrize("kind", ["linked", "submodule", "separate", "git-dir"])
def test_install_in_each_kind_of_worktree(tmp_path: Path, kind: str) -> None:
    git, common, env = _worktree(tmp_path, kind)
    done = traj(git, "install", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    git("commit", "-q", "--allow-empty", "-m", "recorded", env=env)
    lines = (common / "traj/spool").read_text().splitlines()
    head = git("rev-parse", "HEAD", env=env)
    git_dir = git("rev-parse", "--absolute-git-dir", env=env)
    assert lines == [f"2\tcommit\t{head}\t{git_dir}\t0"]


def _worktree(tmp_path: Path, kind: str) -> tuple[Git, Path, dict[str, str]]:
    """Make a worktree; return it, its common git directory, and the environment to use it with."""
    if kind == "separate":
        return Git.init(tmp_path / "repo", f"--separate-git-dir={tmp_path / 'x.git'}"), tmp_path / "x.git", {}
    main = Git.init(tmp_path / "main")
    main.commit({"a": "1"})
    if kind == "linked":
        main("worktree", "add", "-q", "../linked")
        return Git(tmp_path / "linked"), main.root / ".git", {}
    if kind == "git-dir":
        (tmp_path / "elsewhere").mkdir()
        named = {"GIT_DIR": str(main.root / ".git"), "GIT_WORK_TREE": str(main.root)}
        return Git(tmp_path / "elsewhere"), main.root / ".git", named
    outer = Git.init(tmp_path / "outer")
    outer("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(main.root), "sub")
    return Git(outer.root / "sub"), outer.root / ".git/modules/sub", {}


# ---------------------------------------------------------------- the interpreter


def test_nothing_is_imported_from_the_folder_of_the_hook(git: Git) -> None:
    git.write({"gittraj/__init__.py": "raise SystemExit(9)\n", "json.py": "raise SystemExit(9)\n"})
    put_in(git)
    git("commit", "-q", "--allow-empty", "-m", "x", env={"GIT_TRAJ_SYNC": "1"})
    assert (git.root / ".git/traj/cursors.json").exists(), "the worker that the hook started did drain"


# ---------------------------------------------------------------- byte for byte


def nothing(git: Git) -> None:
    pass


def remotes(git: Git) -> None:
    git("remote", "add", "origin", "/nowhere")
    git("remote", "add", "team/fork", "/nowhere/else")


def odd_config(git: Git) -> None:
    remotes(git)
    path = git.root / ".git/config"
    path.write_text(path.read_text() + "# the end; no newline after [x]\n[x]\ty = 1")
    path.chmod(0o600)


def present_refspec(git: Git) -> None:
    remotes(git)
    git("config", "--add", "remote.origin.fetch", "+refs/notes/traj*:refs/notes-remote/origin/traj*")


def hooks_of_others(git: Git) -> None:
    write_hook(git, "post-commit", "#!/bin/sh\ntrue\n", 0o711)
    write_hook(git, "pre-commit", b"\0\1\2", 0o600)
    write_hook(git, "commit-msg", "#!/bin/sh\ntrue\n")


def linked_hook(git: Git) -> None:
    git.write({"tools/hook": "#!/bin/sh\necho linked >ran\n"})
    (git.root / ".git/hooks").mkdir(exist_ok=True)
    (git.root / ".git/hooks/post-rewrite").symlink_to("../../tools/hook")


STATES: list[Callable[[Git], None]] = [
    nothing, remotes, odd_config, present_refspec, hooks_of_others, linked_hook
]  # fmt: skip


@pytest.mark.parametrize("start", STATES)
@pytest.mark.parametrize("times", [1, 2])
def test_uninstall_byte_for_byte(git: Git, start: Callable[[Git], None], times: int) -> None:
    start(git)
    before = snapshot(git.root / ".git")
    for _ in range(times):
        put_in(git)
    if start is not nothing:
        assert snapshot(git.root / ".git") != before
    take_out(git)
    assert snapshot(git.root / ".git") == before
    assert take_out(git) == []


@pytest.mark.parametrize("start", STATES)
def test_config_edited_meanwhile_keeps_the_edit(git: Git, start: Callable[[Git], None]) -> None:
    start(git)
    fetch = git.open().config_all("remote.origin.fetch")
    put_in(git)
    git("config", "user.name", "Somebody Else")
    git("remote", "add", "later", "/nowhere")
    put_in(git)
    take_out(git)
    assert git("config", "--local", "user.name") == "Somebody Else"
    assert git("config", "--get-all", "remote.later.fetch") == "+refs/heads/*:refs/remotes/later/*"
    assert git.open().config_all("remote.origin.fetch") == fetch


def test_remote_that_was_removed_meanwhile(git: Git) -> None:
    remotes(git)
    put_in(git)
    git("remote", "remove", "origin")
    take_out(git)
    assert "notes" not in (git.root / ".git/config").read_text()


def test_a_locked_config_is_reported_and_uninstall_can_be_repeated(git: Git) -> None:
    remotes(git)
    before = snapshot(git.root / ".git")
    lock = git.root / ".git/config.lock"
    lock.touch()
    assert traj(git, "install").returncode == 1
    lock.unlink()
    put_in(git)
    lock.touch()
    assert did(take_out(git))["remotes"] == "failed"
    lock.unlink()
    take_out(git)
    assert snapshot(git.root / ".git") == before


@pytest.mark.parametrize(
    "kept",
    [
        None,
        "#!/bin/sh\necho first >>ran\n",
        "#!/bin/sh\necho first >>ran\nexit 0\n",
        "#!/usr/bin/env bash\necho first >>ran\nexec true\n",
        f"#!{sys.executable}\nopen('ran', 'a').write('first\\n')\n",
    ],
)
def test_hook_edited_meanwhile(git: Git, kept: str | None) -> None:
    """The added lines stay, and the original hook still runs, before them."""
    if kept:
        write_hook(git, "post-commit", kept)
    put_in(git)
    hook = git.root / ".git/hooks/post-commit"
    hook.write_text(hook.read_text() + "echo mine >>ran\n")
    hook.chmod(0o751)
    assert did(put_in(git))["post-commit"] == "unchanged"
    git.commit({"a": "1"})
    ran = (git.root / "ran").read_text()
    assert ran == ("first\nmine\n" if kept else "mine\n")
    take_out(git)
    (git.root / "ran").unlink()
    git("commit", "-q", "--allow-empty", "-m", "x")
    assert (git.root / "ran").read_text() == ran
    assert "git-traj" not in hook.read_text()
    assert stat.S_IMODE(hook.stat().st_mode) == 0o751


def test_original_that_fails_still_blocks_after_an_edit(git: Git) -> None:
    write_hook(git, "pre-commit", "#!/bin/sh\nfalse")
    put_in(git)
    hook = git.root / ".git/hooks/pre-commit"
    hook.write_text(hook.read_text() + "echo mine >>ran\n")
    take_out(git)
    assert not git.succeeds("commit", "--allow-empty", "-m", "x")
    assert not (git.root / "ran").exists()


def test_uninstall_keeps_a_replaced_hook_and_restores_a_removed_one(git: Git) -> None:
    write_hook(git, "post-commit", "#!/bin/sh\necho one\n")
    write_hook(git, "pre-commit", "#!/bin/sh\ntrue\n")
    before = snapshot(git.root / ".git")
    put_in(git)
    (git.root / ".git/hooks/pre-commit").unlink()
    theirs = write_hook(git, "post-rewrite", "#!/bin/sh\necho theirs\n")
    take_out(git)
    after = snapshot(git.root / ".git")
    assert after.pop("hooks/post-rewrite")[1] == theirs.read_bytes()
    assert after == before


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"", b"abc"), (b"aaa", b"aaaa"), (b"abab", b"ababab"), (b"xyz", b""), (b"[a]", b"[a]\n\tb")],
)
def test_a_splice_is_undone_only_in_an_unchanged_text(before: bytes, after: bytes) -> None:
    splice = Splice.between(before, after)
    assert splice.undo(after) == before
    assert splice.undo(after + b"!") is None


# ---------------------------------------------------------------- what git does with the refspec


@pytest.fixture
def clone(tmp_path: Path) -> tuple[Git, Git]:
    """A server and an installed clone of it."""
    seed = Git.init(tmp_path / "seed")
    seed.commit({"a": "1"})
    seed("clone", "-q", "--bare", ".", str(tmp_path / "server.git"))
    seed("clone", "-q", str(tmp_path / "server.git"), str(tmp_path / "clone"))
    git = Git(tmp_path / "clone")
    put_in(git)
    return Git(tmp_path / "server.git"), git


def test_plain_git_goes_on_as_before(clone: tuple[Git, Git]) -> None:
    server, git = clone
    git("fetch", "-q")
    git("fetch", "-q", "--prune")
    git.commit({"a": "2"})
    git("push", "-q")
    assert server("rev-parse", "main") == git.head()
    assert server("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    git("notes", "--ref=traj", "add", "-m", "ours, not pushed")
    git("fetch", "-q", "--prune")
    git("push", "-q")
    assert git("notes", "--ref=traj", "show") == "ours, not pushed"
    assert server("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    git("checkout", "-q", "-b", "topic")
    git("push", "-q", "-u", "origin", "topic")
    server("branch", "-D", "topic")
    git("fetch", "-q", "--prune")
    assert not git.succeeds("rev-parse", "--verify", "-q", "origin/topic")


def test_fetch_brings_records_and_no_segment(clone: tuple[Git, Git]) -> None:
    server, git = clone
    server("notes", "--ref=traj", "add", "-m", "theirs", "main")
    server("update-ref", "refs/notes/traj-data-2026-01", "refs/notes/traj")
    server("update-ref", "refs/notes/other", "refs/notes/traj")
    git("fetch", "-q", "--prune")
    assert git("for-each-ref", "--format=%(refname)", "refs/notes", "refs/notes-remote") == (
        "refs/notes-remote/origin/traj"
    )
    server("update-ref", "-d", "refs/notes/traj")
    git("fetch", "-q", "--prune")
    assert git("for-each-ref", "refs/notes-remote") == ""


@pytest.mark.parametrize("kind", ["none", "mirror"])
def test_a_remote_whose_fetch_would_change(git: Git, kind: str) -> None:
    if kind == "mirror":
        git("remote", "add", "--mirror=fetch", "origin", "/nowhere")
    else:
        git("config", "remote.origin.url", "/nowhere")
    before = snapshot(git.root / ".git")["config"]
    assert did(put_in(git))["origin"] == "skipped"
    assert snapshot(git.root / ".git")["config"] == before


def test_no_fetch_refspec(git: Git) -> None:
    remotes(git)
    before = snapshot(git.root / ".git")["config"]
    put_in(git, fetch_refspec=False)
    assert snapshot(git.root / ".git")["config"] == before
