"""Odd names, bytes, configurations, sizes and repositories: edge cases 18 to 22 of ``docs/edge-cases.md``.

``desk``: a repository where agents commit, recorded at once. ``each_desk``: at once, or only at the end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gittraj.commands.install.shims import HOOKS
from tests.e2e.scenario import Edit, Shell, Write
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.repository import Git
from tests.sizes import some

NAMES = [
    "new\nline",
    'a "quote"',
    "tab\there",
    "---",
    "-dash",
    " blank ",
    "back\\slash",
    "\N{RIGHT-TO-LEFT OVERRIDE}txt.exe",
    "\N{PILE OF POO}",
    "漢字",
    "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
    *(["cafe\N{COMBINING ACUTE ACCENT}"] if sys.platform != "darwin" else []),  # on macOS both are one name
    ":(glob)*",
    "*.py",
]


def test_edge_18_names_that_are_odd(desk: Desk) -> None:
    """Files with such names, committed by an agent or a person, are listed, followed and blamed as usual."""
    writes = [Write(name, f"{name!r}\n" * 3) for name in NAMES]
    desk.work("mine", *writes, Shell("git add -A && git commit -q -m mine"))
    desk.work("theirs", *(Edit(name, f"{name!r}\n", "other\n") for name in NAMES))
    if sys.platform != "darwin":  # whose file system refuses such bytes
        desk.git.write({b"\xff\xfe": "a person's\n"})
    desk.git("add", "-A")
    assert desk.run_git("commit", "-q", "-m", "theirs") == 0
    desk.check({"mine": {"mine"}, "theirs": {"theirs"}})
    listed = json.loads(traj(desk.git.root, "log", "--json").stdout)["commits"]
    assert [{*c["files"]} >= {*NAMES} for c in listed] == [True, True]
    for name in NAMES:
        found = traj(desk.git.root, "log", "--json", "--file", f"./{name}")
        commits = json.loads(found.stdout)["commits"]
        assert [c["subject"] for c in commits] == ["theirs", "mine"], name
        shown = traj(desk.git.root, "log", "--file", f"./{name}").stdout
        assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown
        assert traj(desk.git.root, "why", f"./{name}:1").returncode == 0


@pytest.mark.parametrize("kind", ["crlf", "autocrlf", "latin-1", "utf-16", "nul"])
def test_edge_18_content_that_is_odd(desk: Desk, kind: str) -> None:
    """An agent's text, committed by a person: with either kind of line end, next to arbitrary bytes."""
    text = (
        "one line\r\nanother line\r\nthe third\r\n"
        if "crlf" in kind
        else "one line\nanother line\nthe third\n"
    )
    if kind == "autocrlf":
        desk.git("config", "core.autocrlf", "input")
    odd = {"latin-1": "caf\xe9\n".encode("latin-1"), "utf-16": "x\n".encode("utf-16"), "nul": b"a\0b\n"}
    if kind in odd:
        desk.git.write({"odd": odd[kind]})
    desk.work("w", Write("f", text))
    desk.git("add", "-A")
    assert desk.run_git("commit", "-q", "-m", "x") == 0
    desk.check({"x": {"w"}})
    assert traj(desk.git.root, "why", "f:2").returncode == 0


CONFIG = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.external": "false",
    "diff.x.textconv": "rev <",
    "diff.renames": "false",
    "core.quotePath": "true",
    "core.pager": "false",
    "color.ui": "always",
    "log.showSignature": "true",
    "log.date": "relative",
    "notes.displayRef": "refs/notes/*",
    "format.pretty": "fuller",
    "alias.rev-parse": "!false",
    "alias.log": "!false",
    "status.short": "true",
    "core.abbrev": "4",
    "i18n.logOutputEncoding": "latin-1",
}


def test_edge_19_a_configuration_that_changes_what_git_prints(each_desk: Desk) -> None:
    """A user's own settings change no link, no rewrite and no listing."""
    for key, value in CONFIG.items():
        each_desk.git("config", "--global", key, value)
    each_desk.git.commit({".gitattributes": "* diff=x\n"}, "attributes")
    each_desk.branch_off("a", "b")
    each_desk.work("left", Write("c", "by content\n" * 3))
    each_desk.git("add", "-A")
    assert each_desk.run_git("commit", "-q", "-m", "c") == 0
    assert each_desk.run_git("rebase", "-q", "main") == 0
    each_desk.check({"a": {"a"}, "b": {"b"}, "c": {"left"}})
    listed = json.loads(traj(each_desk.git.root, "log", "--json", "--file", "c").stdout)["commits"]
    assert [c["subject"] for c in listed] == ["c"]
    assert traj(each_desk.git.root, "why", "c:1").returncode == 0


@pytest.mark.parametrize(
    "name", ["GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_PARAMETERS", "GIT_DIR"]
)
def test_edge_19_an_inherited_environment(desk: Desk, tmp_path: Path, name: str) -> None:
    """A command in another tool's hook ignores that hook's index and objects, but respects ``GIT_DIR``."""
    desk.commit("a")
    value = str(desk.git.root / ".git") if name == "GIT_DIR" else str(tmp_path / "nowhere")
    value = "'core.bare'='true'" if name == "GIT_CONFIG_PARAMETERS" else value
    for arguments in (("log", "--json"), ("show", "--json")):
        done = traj(desk.git.root, *arguments, env={name: value})
        assert (done.returncode, done.stderr) == (0, "")
        assert '"trajectories": [{' in done.stdout
    if name in ("GIT_INDEX_FILE", "GIT_DIR"):
        desk.work("b", Write("b", "b\n"), Shell("git add -A"))
        index = str(desk.git.root / ".git/index") if name == "GIT_INDEX_FILE" else value
        assert desk.run_git("commit", "-q", "-m", "b", env={name: index}) == 0
        desk.check({"a": {"a"}, "b": {"b"}})


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_edge_19_a_git_directory_that_cannot_be_written(desk: Desk) -> None:
    """Listings show what is recorded; nothing that waits is lost."""
    desk.waits = True
    desk.commit("a")
    folder = desk.git.root / ".git"
    modes = {p: p.stat().st_mode for p in [folder, *folder.rglob("*")] if not p.is_symlink()}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        done = traj(desk.git.root, "log")
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert done.returncode == 0
    desk.check({"a": {"a"}})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_edge_19_a_full_disk_under_the_hooks(desk: Desk) -> None:
    """The hooks print nothing, and the commit is found by the reflog afterwards."""
    spool = desk.git.root / ".git/traj/spool"
    desk.waits = True
    spool.unlink()
    spool.symlink_to("/dev/full")
    desk.commit("a")
    assert desk.run_git("commit", "--amend", "-q", "-m", "a amended") == 0
    spool.unlink()
    desk.check({"a amended": {"a"}})


def test_edge_20_more_than_a_thousand_paths(desk: Desk) -> None:
    """One commit has them all: the agent wrote two files with a tool and the others with a script."""
    script = "for n in $(seq 1200); do echo $n >f$n; done; git add -A && git commit -q -m many"
    desk.work("many", Write("one", "1\n"), Write("two", "2\n"), Shell(script))
    desk.check({"many": {"many"}})
    found = json.loads(traj(desk.git.root, "log", "--json", "--file", "f1111").stdout)["commits"]
    assert [c["subject"] for c in found] == ["many"]


@pytest.mark.parametrize("size", ["records", "bytes"])
def test_edge_20_a_transcript_that_is_large(desk: Desk, size: str) -> None:
    """Many records, or few large ones; with GIT_TRAJ_E2E_LARGE=1, a million of them, or 100 MB."""
    large = os.environ.get("GIT_TRAJ_E2E_LARGE") == "1"
    desk.waits = True
    desk.work("before", Write("f", "by the agent\n" * 3))
    log = desk.sessions["one"].log
    line = {"type": "system", "subtype": "info", "content": "x", "sessionId": "one", "uuid": "u"}
    with log.open("a") as stream:
        if size == "records":
            stream.write((json.dumps(line) + "\n") * (1_000_000 if large else 20_000))
        else:
            stream.write(json.dumps({**line, "content": "word " * (20_000_000 if large else 500_000)}) + "\n")
    desk.work("after", Shell("git add -A && git commit -q -m x"))
    desk.drain()
    assert desk.recorded() == {"x": {"before", "after"}}


def test_edge_20_a_session_that_is_still_being_written(desk: Desk) -> None:
    """Cut anywhere: what is there is read, and the rest when it is written."""
    desk.waits = True
    desk.commit("a")
    log = desk.sessions["one"].log
    whole = log.read_bytes()
    for cut in range(len(whole) - 1, len(whole) * 3 // 4, -(len(whole) // 40)):
        log.write_bytes(whole[:cut])
        desk.drain()
    log.write_bytes(whole)
    desk.check({"a": {"a"}})


@pytest.mark.parametrize("harm", ["deleted", "truncated"])
def test_edge_20_a_session_file_that_disappears_or_shrinks(desk: Desk, harm: str) -> None:
    """Recorded work stays; events that the file still contains, or contains again, are not recorded twice."""
    desk.commit("a")
    log = desk.sessions["one"].log
    before = desk.git("rev-parse", "refs/notes/traj")
    if harm == "deleted":
        log.unlink()
    else:
        log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    desk.git.commit({"mine": "1\n"}, "mine")
    desk.drain()
    assert desk.recorded() == {"a": {"a"}}
    assert desk.git("rev-parse", "refs/notes/traj") == before
    desk.commit("b", by="two")
    desk.check({"a": {"a"}, "b": {"b"}})


def _clone(*options: str) -> Callable[[Path], Git]:
    def make(folder: Path) -> Git:
        seed = Git.init(folder / "seed")
        for n in range(3):
            seed.commit({"folder/f": f"{n}\n", "other/g": f"{n}\n"}, f"seed {n}")
        seed("config", "uploadpack.allowFilter", "true")
        seed(
            "clone",
            "-q",
            *(o.replace("SEED", str(seed.root)) for o in options),
            f"file://{seed.root}",
            str(folder / "repo"),
        )
        return Git(folder / "repo")

    return make


def _with(*commands: tuple[str, ...]) -> Callable[[Path], Git]:
    def make(folder: Path) -> Git:
        git = Git.init(folder / "repo")
        git.commit({"folder/f": "1\n", "other/g": "1\n"}, "base")
        for command in commands:
            git(*command)
        return git

    return make


def _initial(*options: str) -> Callable[[Path], Git]:
    def make(folder: Path) -> Git:
        return Git.init(folder / "repo", *options)

    return make


REPOSITORIES = {
    "sha256": _initial("--object-format=sha256"),
    "shallow": _clone("--depth=1"),
    "treeless": _clone("--filter=tree:0"),
    "split index": _with(("config", "core.splitIndex", "true"), ("update-index", "--split-index")),
    "reftable": _initial("--ref-format=reftable"),
    "blobless": _clone("--filter=blob:none"),
    "alternates": _clone("--reference=SEED"),
    "sparse index": _with(("sparse-checkout", "set", "--cone", "--sparse-index", "folder")),
}


@pytest.mark.parametrize("kind", some(REPOSITORIES, 4))
def test_edge_21_repositories_of_every_kind(tmp_path: Path, kind: str) -> None:
    """Committed, amended and rebased by an agent and a person, listed and blamed."""
    if kind == "reftable":
        Git.init(tmp_path / "trial")
        if not Git(tmp_path / "trial").succeeds("init", "-q", "--ref-format=reftable", "x"):
            pytest.skip("this git has no reftable")
    git = REPOSITORIES[kind](tmp_path)
    git.commit({"folder/base": "1\n"}, "mine")
    desk = Desk(git).install()
    desk.commit("a", path="folder/a")
    desk.work("left", Write("folder/b", "by content\n" * 3))
    git("add", "folder/b")
    assert desk.run_git("commit", "-q", "-m", "b") == 0
    assert desk.run_git("commit", "-q", "--amend", "-m", "b amended") == 0
    assert desk.run_git("rebase", "-q", "--force-rebase", "HEAD~2") == 0
    desk.check({"a": {"a"}, "b amended": {"left"}})
    for arguments in (("log", "--file", "folder/a"), ("why", "folder/b:1"), ("status",), ("doctor",)):
        done = traj(git.root, *arguments)
        assert (done.returncode, done.stderr) == (0, ""), (arguments, done)


# ---------------------------------------------------------------- hooks


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A virtual environment in which git-traj is installed."""
    root = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root], check=True)
    packages = next((root / "lib").glob("python*/site-packages"))
    paths = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "ours.pth").write_text("\n".join([str(Path(__file__).resolve().parents[2]), *paths]))
    return root


@pytest.mark.nightly
@pytest.mark.parametrize("harm", some(["deleted", "emptied", "moved"], 2))
def test_edge_22_the_virtual_environment_is_gone(git: Git, environment: Path, harm: str) -> None:
    """Hooks are silent and harmless; ``doctor`` reports it, and repairs it with its own interpreter."""
    git.commit({"a": "1\n"})
    python = environment / "bin/python"
    installing = [python, "-m", "gittraj", "install", "--agent", "claude-code"]
    subprocess.run(installing, cwd=git.root, capture_output=True, check=True)
    if harm == "moved":
        environment.rename(environment.with_name("elsewhere"))
    elif harm == "deleted":
        shutil.rmtree(environment)
    else:
        next(environment.glob("lib/python*/site-packages/ours.pth")).unlink()
    for command in (
        ["commit", "--allow-empty", "-qm", "x"],
        ["commit", "--allow-empty", "--amend", "-qm", "y"],
    ):
        done = subprocess.run(["git", *command], cwd=git.root, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    agents = subprocess.run(
        ["sh", git.root / ".git/traj/agent-hook", "claude-code"],
        input=b'{"session_id":"s","hook_event_name":"Stop"}',
        cwd=git.root,
        capture_output=True,
        check=False,
    )
    assert (agents.returncode, agents.stdout, agents.stderr) == (0, b"", b"")
    code = "hook-interpreter" if harm == "emptied" else "hook-dead"
    found = json.loads(traj(git.root, "doctor", "--json").stdout)["findings"]
    assert [f["code"] for f in found].count(code) >= 2
    if harm != "emptied":
        assert "post-commit dead" in traj(git.root, "status").stdout
    assert traj(git.root, "doctor", "--fix").returncode == 0
    assert json.loads(traj(git.root, "doctor", "--json").stdout)["well"]
    for name in HOOKS:
        assert str(environment) not in (git.root / ".git/hooks" / name).read_text()
