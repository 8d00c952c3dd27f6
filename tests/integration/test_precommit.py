"""The pre-commit hook: which blob is committed, what is printed, and that the work tree stays clean.

The secret of a test is made when it runs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gittraj.commands.install.install import install
from gittraj.commands.install.shims import Interpreter, render
from tests.conftest import ROOT
from tests.integration.records import hold_workers
from tests.integration.repository import Git
from tests.sizes import some

TOKEN = "gh" + "p_" + "Xk29fQz7Lm41Rt8vBn63Wd5yHc0sJu2aPe4G"
OTHER = "gh" + "p_" + "Qw81zXn5Vb37Ck2mTy60Rf9jLd4hSg8uAo1E"
FILE = ".trajectories/a.json"
PLACEHOLDER = re.compile(r"REDACTED-[\w-]+-[0-9a-f]{8}")
SAID = "git-traj: secrets replaced in staged files: "
LEFT = "git-traj: left out of this commit, because it could not be redacted: "


def trajectory(secret: str = TOKEN, note: str = "") -> str:
    return (
        json.dumps({"events": [{"content": f"export GITHUB_TOKEN={secret}"}], "note": note}, indent=2) + "\n"
    )


def redacted(text: str, like: str) -> str:
    """Return ``like`` if it is ``text`` with each secret replaced, and nothing else."""
    parts = [re.escape(part) for part in re.split(f"{TOKEN}|{OTHER}", text)]
    assert re.fullmatch(PLACEHOLDER.pattern.join(parts), like), like
    return like


def install_hooks(git: Git) -> Git:
    with git.open() as repository:
        install(repository)
        hold_workers(repository.common_dir / "traj")
    return git


@pytest.fixture
def guarded(git: Git) -> Git:
    git.commit({"readme": "1\n"}, "base")
    return install_hooks(git)


def commit(git: Git, *options: str, says: str = "", env: dict[str, str] | None = None, code: int = 0) -> None:
    done = subprocess.run(
        ["git", "commit", "-q", *options]
        if "-m" in options or "-C" in options
        else ["git", "commit", "-qm", "c", *options],
        cwd=git.root,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "", says)


def settle(git: Git) -> None:
    """Make the configuration look old: while it is new, the hook's shell checks more."""
    for config in (git.root / ".git/config", Path(os.environ["GIT_CONFIG_GLOBAL"])):
        os.utime(config, (1, 1))


def status(git: Git) -> list[str]:
    return git("status", "--porcelain").splitlines()


def committed(git: Git, path: str = FILE, commit: str = "HEAD") -> str:
    return git.raw("cat-file", "blob", f"{commit}:{path}").decode()


def read(git: Git, path: str = FILE) -> str:
    return (git.root / path).read_text()


def history(git: Git) -> bytes:
    """Read every blob that a commit reaches."""
    listed = git("rev-list", "--objects", "--all", "--no-object-names")
    return git.raw("cat-file", "--batch", input=listed + "\n")


# ---------------------------------------------------------------- the ways to commit


def test_commit(guarded: Git) -> None:
    paths = [
        ".Trajectories/A",
        ".agentworkforce/trajectories/t.txt",
        FILE,
        "docs/ü\n.trajectory.md",
        "my run.trajectory.json",
        "pkg/.trajectories/x/y.md",
    ]
    guarded.write({**dict.fromkeys(paths, trajectory()), "other": TOKEN})
    for path in paths:
        (guarded.root / path).chmod(0o755)
    guarded("add", "-A")
    commit(guarded, says=f"{SAID}{', '.join(paths[:5])} and 1 more\n".replace("ü\n", "ü "))
    for path in paths:
        assert read(guarded, path) == redacted(trajectory(), committed(guarded, path))
        assert guarded("ls-tree", "-z", "HEAD", "--", path).startswith("100755 blob ")
    assert committed(guarded, "other") == TOKEN
    assert guarded("diff-files", "--raw") == "", "git knows the file's new times"
    assert status(guarded) == []
    commit(guarded, "--allow-empty", "-m", "again")
    assert guarded("rev-parse", "HEAD^{tree}") == guarded("rev-parse", "HEAD^^{tree}")


def test_unborn_branch(git: Git) -> None:
    install_hooks(git).write({FILE: trajectory()})
    git("add", "-A")
    commit(git, says=f"{SAID}{FILE}\n")
    redacted(trajectory(), committed(git))
    assert status(git) == []


def test_commit_all(guarded: Git) -> None:
    guarded.commit({FILE: trajectory("none")})
    guarded.write({FILE: trajectory(), "readme": "2\n"})
    commit(guarded, "-a", says=f"{SAID}{FILE}\n")
    assert read(guarded) == redacted(trajectory(), committed(guarded))
    assert status(guarded) == []


@pytest.mark.parametrize("how", some([("--",), ("--include", "--"), ("--only", "--")], 2))
def test_commit_of_paths(guarded: Git, how: tuple[str, ...]) -> None:
    """With --only, git makes the commit from a temporary index."""
    guarded.commit({FILE: trajectory("none"), "readme": "2\n"})
    guarded.write({FILE: trajectory(), "readme": "3\n", "staged": "s\n"})
    guarded("add", "staged")
    commit(guarded, *how, FILE, says=f"{SAID}{FILE}\n")
    blob = redacted(trajectory(), committed(guarded))
    assert read(guarded) == blob == guarded("show", f":{FILE}") + "\n"
    only = "--include" not in how
    assert status(guarded) == [" M readme", *(["A  staged"] if only else [])]
    commit(guarded, "-a")
    assert committed(guarded) == blob
    assert TOKEN.encode() not in history(guarded)


def test_only_leaves_other_staged_files(guarded: Git) -> None:
    """The other trajectory is redacted when it is committed."""
    guarded.write({FILE: trajectory(), "b.trajectory.md": TOKEN + "\n"})
    guarded("add", "-A")
    commit(guarded, "--only", FILE, says=f"{SAID}{FILE}\n")
    assert status(guarded) == ["A  b.trajectory.md"]
    commit(guarded, says=f"{SAID}b.trajectory.md\n")
    assert status(guarded) == []
    assert TOKEN.encode() not in history(guarded)


def test_commit_patch(guarded: Git) -> None:
    """Hunks not chosen stay unchanged in the work tree, with the secret, and are redacted when committed."""
    lines = "".join(f"{n}\n" for n in range(40))
    guarded.commit({"a.trajectory.md": lines})
    edited = f"first {TOKEN}\n{lines}last {OTHER}\n"
    guarded.write({"a.trajectory.md": edited})
    done = subprocess.run(
        ["git", "commit", "-qpm", "c"],
        cwd=guarded.root,
        input="y\nn\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, f"{SAID}a.trajectory.md\n")
    redacted(f"first {TOKEN}\n{lines}", committed(guarded, "a.trajectory.md"))
    assert read(guarded, "a.trajectory.md") == edited
    assert status(guarded) == [" M a.trajectory.md"]
    commit(guarded, "-a", says=f"{SAID}a.trajectory.md\n")
    assert read(guarded, "a.trajectory.md") == redacted(edited, committed(guarded, "a.trajectory.md"))
    assert status(guarded) == []


def test_amend(guarded: Git) -> None:
    guarded.commit({FILE: trajectory("none")})
    guarded.write({FILE: trajectory()})
    guarded("add", "-A")
    commit(guarded, "--amend", says=f"{SAID}{FILE}\n")
    redacted(trajectory(), committed(guarded))
    assert status(guarded) == []


def test_rename_deletion_link_and_submodule(guarded: Git) -> None:
    guarded.commit({"old": trajectory(), "b.trajectory.md": "b\n"})
    link = guarded.root / ".trajectories/link"
    link.parent.mkdir()
    link.symlink_to(f"../{TOKEN}")
    guarded("mv", "old", FILE)
    guarded("rm", "-q", "b.trajectory.md")
    guarded("update-index", "--add", "--cacheinfo", f"160000,{guarded.head()},.trajectories/module")
    guarded("add", ".trajectories/link")
    commit(guarded, says=f"{SAID}{FILE}\n")
    redacted(trajectory(), committed(guarded))
    tree = guarded("ls-tree", "-r", "HEAD").splitlines()
    assert [line.split()[0] for line in tree] == ["100644", "120000", "160000", "100644"]
    assert committed(guarded, ".trajectories/link") == f"../{TOKEN}"


def test_a_merge_leaves_merged_files_unchanged(guarded: Git) -> None:
    """Merged files are in the history already; the resolution of a conflict is new."""
    guarded("checkout", "-q", "-b", "side")
    guarded.write({FILE: trajectory(), "both.trajectory.md": "side\n"})
    guarded("add", "-A")
    guarded("commit", "-q", "--no-verify", "-m", "side")
    guarded("checkout", "-q", "main")
    guarded.commit({"both.trajectory.md": "main\n"})
    assert not guarded.succeeds("merge", "-q", "side")
    guarded.write({"both.trajectory.md": f"both {TOKEN}\n"})
    guarded("add", "-A")
    commit(guarded, says=f"{SAID}both.trajectory.md\n")
    assert committed(guarded) == trajectory()
    redacted(f"both {TOKEN}\n", committed(guarded, "both.trajectory.md"))
    assert status(guarded) == []


def test_redacting_again_changes_nothing(guarded: Git) -> None:
    guarded.write({FILE: trajectory()})
    guarded("add", "-A")
    commit(guarded, says=f"{SAID}{FILE}\n")
    first = guarded("rev-parse", f"HEAD:{FILE}")
    guarded.write({FILE: trajectory()})
    guarded("add", "-A")
    commit(guarded, "--allow-empty", says=f"{SAID}{FILE}\n")
    assert guarded("rev-parse", f"HEAD:{FILE}") == first
    guarded.write({FILE: read(guarded) + "\n"})
    guarded("add", "-A")
    commit(guarded)


def test_a_secret_that_one_file_names_is_redacted_in_all(guarded: Git) -> None:
    word = "tulip" + "-marble-" + "47"
    guarded.write(
        {".trajectories/a.md": f"the word is {word}\n", ".trajectories/b.json": f'{{"password": "{word}"}}\n'}
    )
    guarded("add", "-A")
    commit(guarded, says=f"{SAID}.trajectories/a.md, .trajectories/b.json\n")
    assert word.encode() not in history(guarded)
    assert committed(guarded, ".trajectories/a.md").startswith("the word is REDACTED-")


# ---------------------------------------------------------------- kinds of repositories


def test_linked_worktree(guarded: Git) -> None:
    guarded("worktree", "add", "-q", "-b", "side", "../linked")
    linked = Git(guarded.root.parent / "linked")
    for options in (("-a",), ("--", FILE)):
        linked.write({FILE: trajectory(note=options[0])})
        linked("add", "-A")
        commit(linked, *options, says=f"{SAID}{FILE}\n")
        assert read(linked) == redacted(trajectory(note=options[0]), committed(linked))
        assert status(linked) == []


def test_sha256(tmp_path: Path) -> None:
    git = install_hooks(Git.init(tmp_path / "repo", "--object-format=sha256"))
    git.write({FILE: trajectory()})
    git("add", "-A")
    commit(git, says=f"{SAID}{FILE}\n")
    redacted(trajectory(), committed(git))
    assert status(git) == []


def test_line_ends_and_filters(guarded: Git) -> None:
    guarded.commit({".gitattributes": "*.json text eol=crlf\n"})
    guarded.write({FILE: trajectory().replace("\n", "\r\n")})
    guarded("add", "-A")
    commit(guarded, says=f"{SAID}{FILE}\n")
    blob = redacted(trajectory(), committed(guarded))
    assert (guarded.root / FILE).read_bytes().decode() == blob.replace("\n", "\r\n")
    assert status(guarded) == []


def test_empty_path_and_unusual_environment(guarded: Git) -> None:
    """Graphical clients start git with an empty PATH; other variables could keep git from finding
    trajectories."""
    git = shutil.which("git")
    assert git is not None
    settle(guarded)
    guarded.write({FILE: trajectory()})
    guarded("add", "-A")
    env = {**os.environ, "PATH": "/nonexistent", "GIT_LITERAL_PATHSPECS": "1", "GIT_TRAJ": "0"}
    done = subprocess.run(
        [git, "commit", "-qm", "c"], cwd=guarded.root, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, f"{SAID}{FILE}\n")
    redacted(trajectory(), committed(guarded))


def test_work_tree_elsewhere(tmp_path: Path) -> None:
    """People keep their dotfiles like this."""
    top = tmp_path / "home"
    git = Git.init(top)
    (top / ".git").rename(tmp_path / "dots")
    env = {"GIT_DIR": str(tmp_path / "dots"), "GIT_WORK_TREE": str(top)}
    git("config", "core.hooksPath", str(tmp_path / "dots" / "hooks"), env=env)
    with Git(tmp_path / "dots").open() as repository:
        install(repository)
    git.write({FILE: trajectory()})
    git("add", "-A", env=env)
    commit(git, says=f"{SAID}{FILE}\n", env=env)
    assert read(git) == redacted(trajectory(), git("show", f"HEAD:{FILE}", env=env) + "\n")
    assert git("status", "--porcelain", env=env) == ""


# ---------------------------------------------------------------- what cannot be redacted


def test_undecodable_and_too_large(guarded: Git) -> None:
    guarded.commit({"a.trajectory.md": "old\n"})
    guarded.write({"a.trajectory.md": b"\xff new\n", "b.trajectory.json": "x" * 20_000_001, "readme": "2\n"})
    guarded("add", "-A")
    why = "a.trajectory.md (not UTF-8), b.trajectory.json (larger than 20 MB)"
    commit(guarded, says=f"{LEFT}{why}; --no-verify commits it\n")
    assert committed(guarded, "a.trajectory.md") == "old\n"
    assert (guarded.root / "a.trajectory.md").read_bytes() == b"\xff new\n"
    assert status(guarded) == [" M a.trajectory.md", "?? b.trajectory.json"]
    assert committed(guarded, "readme") == "2\n"


def test_left_out_of_a_commit_of_paths(guarded: Git) -> None:
    guarded.write({"a.trajectory.md": b"\xff", "readme": "2\n"})
    guarded("add", "-N", "a.trajectory.md")
    commit(
        guarded,
        *("--", "a.trajectory.md", "readme"),
        says=f"{LEFT}a.trajectory.md (not UTF-8); --no-verify commits it\n",
    )
    assert guarded("ls-tree", "--name-only", "HEAD") == "readme"
    assert status(guarded) == ["?? a.trajectory.md"]


def test_a_file_that_exists_only_in_the_index_is_named(guarded: Git) -> None:
    """The staged content exists nowhere else. git checks whether there is anything to commit before it runs
    the hook."""
    guarded.write({"a.trajectory.md": b"\xff"})
    guarded("add", "-A")
    blob = guarded("rev-parse", ":a.trajectory.md")
    guarded.write({"a.trajectory.md": "edited\n"})
    why = f"a.trajectory.md (not UTF-8, staged as {blob[:12]})"
    commit(guarded, says=f"{LEFT}{why}; --no-verify commits it\n")
    assert guarded("diff", "--raw", "HEAD^", "HEAD") == ""
    assert guarded.raw("cat-file", "blob", blob) == b"\xff"


def test_invalid_settings(guarded: Git) -> None:
    guarded.write({FILE: trajectory(), ".gittraj.yml": "thinking: loud\n"})
    guarded("add", "-A")
    why = ".gittraj.yml: thinking is 'loud'"
    commit(guarded, says=f"{LEFT}{FILE} ({why}); --no-verify commits it\n")
    assert guarded("ls-tree", "-r", "--name-only", "HEAD").splitlines() == [".gittraj.yml", "readme"]


@pytest.mark.parametrize("mode", some(["lacks us", "gone", "broken"], 1))
def test_python_that_does_not_work(guarded: Git, tmp_path: Path, mode: str) -> None:
    guarded.commit({FILE: "old\n"})
    python = tmp_path / "python"
    if mode != "gone":
        shell = (
            f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n'
            if mode == "lacks us"
            else "#!/bin/sh\nexit 139\n"
        )
        python.write_text(shell)
        python.chmod(0o755)
    hook = guarded.root / ".git/hooks/pre-commit"
    hook.write_bytes(render("pre-commit", Interpreter(str(python), ("-I",))))
    guarded.write({FILE: trajectory(), "b.trajectory.md": TOKEN, "readme": "2\n"})
    guarded("add", "-A")
    why = (
        f"{python} is gone"
        if mode == "gone"
        else f"{python} ended with status {139 if mode == 'broken' else 1}"
    )
    said = f"could not be redacted: {why}; git traj install repairs it\n"
    left = f"git-traj: trajectory files were left out of this commit, because they {said}"
    commit(guarded, says=left)
    assert guarded("ls-tree", "-r", "--name-only", "HEAD").splitlines() == [FILE, "readme"]
    assert committed(guarded) == "old\n"
    assert status(guarded) == [f" M {FILE}", "?? b.trajectory.md"]
    commit(guarded, "-a", "--allow-empty", says=left)
    commit(guarded, "--allow-empty", "--", FILE, says=left)
    assert TOKEN.encode() not in history(guarded)


def test_index_that_cannot_be_written(guarded: Git) -> None:
    """The file can neither be redacted nor left out: only in this case the commit is refused."""
    guarded.write({FILE: trajectory()})
    guarded("add", "-A")
    kept = guarded.root / ".git/hooks/pre-commit.traj-orig"
    kept.write_text("#!/bin/sh\n: >.git/index.lock\n")
    kept.chmod(0o755)
    done = subprocess.run(
        ["git", "commit", "-qm", "c"], cwd=guarded.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "git-traj: trajectory files are staged and could not be redacted, nor left out: git "
    )
    assert line.endswith("git commit --no-verify commits them")


# ---------------------------------------------------------------- secrets that are known, in any file


@pytest.fixture
def env() -> dict[str, str]:
    return {"ACME_TOKEN": "".join(("7Gk", "2pQ9", "zW4m", "Xv8R", "t1Nb"))}


def test_off_searches_nothing(guarded: Git, env: dict[str, str]) -> None:
    guarded.write({"a.py": f"x = '{env['ACME_TOKEN']}'\n"})
    guarded("add", "-A")
    commit(guarded, env=env)


@pytest.mark.parametrize("mode", ["warn", "block"])
def test_known_values_in_any_file_are_reported(guarded: Git, env: dict[str, str], mode: str) -> None:
    word = "vio" + "let-Harbour-" + "93x"
    guarded("config", "traj.precommit", mode)
    guarded.commit({"known": f"{env['ACME_TOKEN']}\n", ".gitignore": ".env\n"})
    guarded.write(
        {
            ".env": f"# mine\nexport DB_PASSWORD='{word}'\n",
            "src/a.py": f"import x\n\nkey = {env['ACME_TOKEN']!r}\n",
            "b.txt": f"{word}\n",
            "known": f"{env['ACME_TOKEN']}\nmore\n",
            "binary": b"\0" + word.encode(),
            FILE: f'{{"password": "{word}"}}\n',
        }
    )
    guarded("add", "-A")
    said = [
        f"{SAID}{FILE}",
        "git-traj: b.txt:1: the value of DB_PASSWORD in .env",
        "git-traj: src/a.py:3: the value of ACME_TOKEN",
    ]
    if mode == "block":
        last = "or git commit --no-verify, or git config traj.precommit off"
        said.append(f"git-traj: not committed: remove these secrets and stage again, {last}")
    before = guarded.head()
    commit(guarded, says="\n".join(said) + "\n", env=env, code=int(mode == "block"))
    assert (guarded.head() == before) == (mode == "block")
    if mode == "block":
        assert status(guarded) != []
        commit(guarded, "--no-verify", env=env)
    assert word.encode() not in guarded.raw("cat-file", "blob", f"HEAD:{FILE}")


def test_a_file_that_is_too_large_is_named(guarded: Git, env: dict[str, str]) -> None:
    guarded("config", "traj.precommit", "warn")
    guarded.write({"large.txt": "x\n" * 10_000_001, "image": b"\0"})
    guarded("add", "-A")
    commit(
        guarded, says="git-traj: large.txt was not searched for known secrets: larger than 20 MB\n", env=env
    )


def test_value_known_by_its_hash(guarded: Git, env: dict[str, str]) -> None:
    from gittraj.config import Environ
    from gittraj.record.drain.composition import remember_secrets

    with guarded.open() as repository:
        remember_secrets(repository, environ=Environ.of(os.environ), live={**os.environ, **env})
    guarded("config", "traj.precommit", "warn")
    guarded.write({"a.py": f"\nkey='{env['ACME_TOKEN']}'\n"})
    guarded("add", "-A")
    commit(guarded, says="git-traj: a.py:2: a secret that was known here before\n")


def test_a_mode_set_for_one_command_and_a_misspelt_one(guarded: Git, env: dict[str, str]) -> None:
    guarded.write({"a.py": f"{env['ACME_TOKEN']}\n"})
    guarded("add", "-A")

    def run(value: str) -> tuple[int, str]:
        done = subprocess.run(
            ["git", "-c", f"traj.precommit={value}", "commit", "-qm", "c"],
            cwd=guarded.root,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    assert run("block")[0] == 1
    assert run("yes") == (
        0,
        "git-traj: git config traj.precommit is 'yes', which is not off, warn or block: using warn\n"
        "git-traj: a.py:1: the value of ACME_TOKEN\n",
    )


# ---------------------------------------------------------------- when Python is started at all


def test_no_python_is_started_without_need(
    guarded: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration is old and no trajectory is staged: no Python."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$*" >>"{tmp_path}/called"\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    hook = guarded.root / ".git/hooks/pre-commit"
    hook.write_bytes(render("pre-commit", Interpreter(str(python), ("-I",))))
    called = tmp_path / "called"

    def starts(*options: str) -> bool:
        called.unlink(missing_ok=True)
        commit(guarded, "--allow-empty", *options)
        return called.exists()

    settle(guarded)
    assert not starts()
    guarded("config", "traj.precommit", "warn")
    assert starts()
    settle(guarded)
    assert starts()
    guarded("config", "--unset", "traj.precommit")
    assert starts()
    settle(guarded)
    assert not starts()
    guarded("config", "--global", "traj.precommit", "warn")
    assert starts()
    guarded("config", "--global", "--unset", "traj.precommit")
    starts()
    settle(guarded)
    guarded.write({"deep/er/than/.trajectories/x": "1\n"})
    guarded("add", "-A")
    assert starts()
    assert not starts(), "git reports that no trajectory is staged"
    guarded.write({"deep/er/than/.trajectories/x": "2\n"})
    assert starts("-a")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "traj.precommit")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "warn")
    assert starts()


@pytest.mark.parametrize("path", some(["deep/er/than/.trajectories/x", "one/t.trajectory.md"], 1))
def test_first_trajectory_of_a_repository(guarded: Git, path: str) -> None:
    """The trajectory is redacted however deep its folder is, and even if a pull brought it."""
    settle(guarded)
    guarded.write({path: "{}\n"})
    guarded("add", "-A")
    guarded("commit", "-q", "--no-verify", "-m", "theirs")
    guarded.write({path: trajectory()})
    commit(guarded, "-a", says=f"{SAID}{path}\n")
    redacted(trajectory(), committed(guarded, path))


def test_after_uninstall_nothing_is_redacted(guarded: Git) -> None:
    from gittraj.commands.install.uninstall import uninstall

    with guarded.open() as repository:
        uninstall(repository)
    assert not (guarded.root / ".git/traj/precommit").exists()
    guarded.write({FILE: trajectory()})
    guarded("add", "-A")
    commit(guarded)
    assert committed(guarded) == trajectory()


# ---------------------------------------------------------------- the pre-commit framework


def run_files(git: Git, *names: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "gittraj.precommit", *names],
        cwd=git.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_framework_changes_files_and_fails(git: Git) -> None:
    git.write({FILE: trajectory(), "b.trajectory.md": "b\n", "c.trajectory.md": b"\xff"})
    git("add", "-A")
    assert run_files(git, FILE, "b.trajectory.md") == (1, f"git-traj: redacted: {FILE}\n")
    redacted(trajectory(), read(git))
    assert git("show", f":{FILE}") + "\n" == trajectory(), "the index is left to the framework"
    assert run_files(git, FILE, "b.trajectory.md") == (0, "")
    assert run_files(git, "c.trajectory.md") == (
        1,
        "git-traj: c.trajectory.md: could not be redacted: not UTF-8\n",
    )
    assert not (git.root / ".git/traj").exists()


def test_framework_keeps_what_it_cannot_replace(git: Git) -> None:
    """There is room for only a part of the file, but nothing of the file is lost."""
    text = trajectory(note="n" * 80_000)
    git.write({FILE: text})
    program = 'ulimit -f 8; exec "$@"'
    done = subprocess.run(
        ["bash", "-c", program, "bash", sys.executable, "-m", "gittraj.precommit", FILE],
        cwd=git.root,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    why = "was not redacted, because it cannot be written: File too large"
    assert (done.returncode, done.stderr) == (1, f"git-traj: {FILE}: {why}\n")
    assert read(git) == text
    assert [path.name for path in (git.root / FILE).parent.iterdir()] == ["a.json"]


def test_framework_names_the_same_files() -> None:
    import yaml

    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    yes = [
        FILE,
        "a/.trajectories/b/c",
        ".agentworkforce/trajectories/x",
        "x.trajectory.json",
        "a/B.Trajectory.MD",
    ]
    no = [
        "a.json",
        "trajectories/a",
        "x.trajectory.txt",
        "a.trajectories/b",
        "x.agentworkforce/trajectories/y",
    ]
    assert [bool(re.search(hook["files"], path)) for path in (*yes, *no)] == [True] * 5 + [False] * 5
