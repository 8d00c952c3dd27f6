"""The whole life of a record in repositories of every kind that git can make: edge case 21 of
``docs/edge-cases.md``.

Recorded, queried, amended, pushed, fetched elsewhere: the output is the same everywhere, with either
backend.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.scenario import Shell, Write
from tests.integration import command
from tests.integration.desk import Desk
from tests.integration.repository import Git
from tests.integration.sharing import bare, refs
from tests.sizes import some

ENTRY = """\
COMMIT {subject}  AGE by A U Thor
  asked    Please do it
  result   it is done
  claude-code · claude-sonnet-4-5 · TIME · 2k in + 300 cached / 30 out
  {how}
"""
SHOW = """\
COMMIT {subject}  AGE by A U Thor

TRAJECTORY · AGE
  asked    Please do it
  result   it is done
  claude-code · claude-sonnet-4-5 · TIME · 2k in + 300 cached / 30 out
  {how}

» as asked above

  → Write src/bird
  → Bash git add -A && git commit -qm it

  it is done
"""
WHY = """\
2  kingfisher
COMMIT {subject}  AGE by A U Thor
  asked    Please do it
  written  AGE by Write
           +kingfisher
{moved}  claude-code · claude-sonnet-4-5 · TIME · 2k in + 300 cached / 30 out
  {how}
"""
ONELINE = "COMMIT {subject}  claude-code · TIME\n"
SEARCH = """\
COMMIT {subject}  AGE by A U Thor
  named    Please do it
  claude-code · TRAJECTORY · Please do it
"""
ANSWERS = {
    ("log",): ENTRY,
    ("log", "--oneline", "--file", "src/bird"): ONELINE,
    ("show",): SHOW,
    ("why", "src/bird:2"): WHY,
    ("search", "please"): SEARCH,
}


def traj(git: Git, *arguments: str) -> str:
    """Run a command, which must print nothing on stderr; return its stdout."""
    done = command.traj(git.root, *arguments)
    assert (done.returncode, done.stderr) == (0, ""), (arguments, done)
    return done.stdout


def check(git: Git, *, amended: bool) -> None:
    """Check what commands print about HEAD, without what differs from run to run."""
    subject = "it, amended" if amended else "it"
    how = "carried from COMMIT" if amended else "committed by the agent"
    moved = "  moved    carried over from COMMIT (amended, rebased or picked)\n" * amended
    for asked, expected in ANSWERS.items():
        text = re.sub(r"\b[0-9a-f]{7,10}\b", "COMMIT", traj(git, *asked))
        text = re.sub(r"traj_\w{16}", "TRAJECTORY", re.sub(r"just now|\d+ \w+ ago", "AGE", text))
        text = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z|(?<= · )\d+s", "TIME", text)
        form = expected.replace("  {how}\n", "") if moved and "{moved}" in expected else expected
        assert text == form.format(subject=subject, how=how, moved=moved), asked


def run_story(server: Git, ann: Git, bob: Git, *, disturb: Callable[[Git], None] | None = None) -> None:
    """Ann's agent commits, she amends and pushes, and Bob fetches; check the output of both."""
    ann("config", "traj.push", "auto")
    traj(ann, "install")
    desk = Desk(ann, waits=True).install()
    made = Shell("git add -A && git commit -qm it")
    desk.work("it", Write("src/bird", "wren\nkingfisher\nheron\n"), made)
    check(ann, amended=False)
    assert desk.run_git("commit", "--amend", "--message", "it, amended") == 0
    ann("push", "-q", "--no-verify", "origin", "HEAD:main")  # the hook would push records, too
    if disturb:
        disturb(ann)
    check(ann, amended=True)
    recorded, *more = traj(ann, "status").splitlines()
    assert recorded == "Recorded: trajectories on 1 commit"  # not the amended one
    assert any(line.startswith("Hooks: OK, in ") for line in more)
    assert traj(ann, "doctor").endswith(("\nEverything is OK.\n", "\nNothing is wrong.\n"))
    traj(ann, "push")
    bob("pull", "-q", "origin", "main")
    assert traj(bob, "fetch") == "origin: new records on 2 commits\n"
    check(bob, amended=True)
    assert refs(bob) == refs(ann) == refs(server)
    for git in (ann, bob, server):
        git("fsck", "--strict")


@pytest.fixture
def server(tmp_path: Path) -> Git:
    return serve(tmp_path)


def serve(tmp_path: Path, *options: str) -> Git:
    """Make a bare repository with two commits on ``main``, which also serves partial clones."""
    server = bare(tmp_path / "server.git", *options)
    server("config", "uploadpack.allowFilter", "true")
    server("config", "uploadpack.allowAnySHA1InWant", "true")
    seed = Git.init(tmp_path / "seed", *options)
    seed.commit({"base": "1\n", "far/away": "1\n", "src/bird": "wren\nheron\n"}, "base")
    seed.commit({"base": "2\n"}, "second")
    seed("push", "-q", str(server.root), "main")
    return server


def clone(server: Git, name: str, *options: str) -> Git:
    server("clone", "-q", *options, f"file://{server.root}", f"../{name}")
    return Git(server.root.parent / name)


# ---------------------------------------------------------------- what libgit2 does not open


@pytest.mark.parametrize(
    "formats",
    some(
        ["--object-format=sha256 --ref-format=reftable", "--object-format=sha256", "--ref-format=reftable"], 1
    ),
)
def test_edge_21_formats(tmp_path: Path, formats: str) -> None:
    options = formats.split()
    if not Git(tmp_path).succeeds("init", "--quiet", *options, "tried"):
        pytest.skip("this git knows no reftable")
    server = serve(tmp_path, *options)
    form = [option for option in options if "ref-format" in option]
    run_story(server, clone(server, "ann", *form), clone(server, "bob", *form))


# ---------------------------------------------------------------- objects that are missing, or elsewhere


@pytest.mark.parametrize("option", some(["--depth=1", "--filter=tree:0", "--filter=blob:none"], 2))
def test_edge_21_shallow_and_partial(server: Git, option: str) -> None:
    run_story(server, clone(server, "ann", option), clone(server, "bob", option))


def test_edge_21_alternates(server: Git) -> None:
    """Ann borrows objects from the server, Bob from a clone."""
    server("clone", "-q", "--shared", str(server.root), "../ann")
    seed = server.root.parent / "seed"
    bob = clone(server, "bob", "--reference", str(seed))
    run_story(server, Git(server.root.parent / "ann"), bob)
    assert (bob.root / ".git/objects/info/alternates").exists()


# ---------------------------------------------------------------- indexes and work trees


def test_edge_21_split_index(server: Git) -> None:
    clones = [clone(server, name) for name in ("ann", "bob")]
    for git in clones:
        git("config", "core.splitIndex", "true")
        git("update-index", "--split-index")
    run_story(server, *clones)
    assert [*(clones[0].root / ".git").glob("sharedindex.*")]


def test_edge_21_sparse_index(server: Git) -> None:
    clones = [clone(server, name) for name in ("ann", "bob")]
    for git in clones:
        git("sparse-checkout", "set", "--cone", "--sparse-index", "src")
    run_story(server, *clones)
    assert "far/\n" in clones[0]("ls-files", "--sparse") + "\n"


def test_edge_21_worktree_config(server: Git, tmp_path: Path) -> None:
    """In a linked work tree with its own configuration."""
    main = clone(server, "main")
    main("config", "extensions.worktreeConfig", "true")
    main("worktree", "add", "-q", "-b", "topic", "../ann")
    ann = Git(tmp_path / "ann")
    ann("config", "--worktree", "core.autocrlf", "false")
    run_story(server, ann, clone(server, "bob"))


def test_edge_21_relative_worktree(server: Git, tmp_path: Path) -> None:
    main = clone(server, "main")
    if not main.succeeds("worktree", "add", "-q", "--relative-paths", "-b", "topic", "../ann"):
        pytest.skip("this git knows no relative work trees")
    run_story(server, Git(tmp_path / "ann"), clone(server, "bob"))


def test_edge_21_submodule(server: Git, tmp_path: Path) -> None:
    above = Git.init(tmp_path / "above")
    above("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"file://{server.root}", "part")
    above("commit", "-qm", "with a part")
    run_story(server, Git(above.root / "part"), clone(server, "bob"))
    assert "refs/notes" not in above("for-each-ref")


def test_edge_21_bare_with_a_worktree(server: Git, tmp_path: Path) -> None:
    """Installed and queried from the work tree; the bare repository itself gives the same output."""
    main = clone(server, "main.git", "--bare")
    main("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    main("worktree", "add", "-q", "-b", "topic", "../ann")
    ann = Git(tmp_path / "ann")
    run_story(server, ann, clone(server, "bob"))
    assert traj(main, "log", "topic") == traj(ann, "log")
    assert traj(main, "show", "topic") == traj(ann, "show")


# ---------------------------------------------------------------- histories that differ from the stored one


def test_edge_21_replaced(server: Git) -> None:
    """A note belongs to the commit itself, whatever replacement git shows."""

    def replace(git: Git) -> None:
        other = git("commit-tree", "-m", "another", "HEAD~1^{tree}")
        git("replace", "HEAD", other)
        assert git("log", "-1", "--format=%s") == "another"

    run_story(server, clone(server, "ann"), clone(server, "bob"), disturb=replace)


def test_edge_21_grafts(server: Git) -> None:
    """A user's graft leaves out a commit: the records stay on their commits."""

    def graft(git: Git) -> None:
        (git.root / ".git/info/grafts").write_text(git("rev-parse", "HEAD", "HEAD~2").replace("\n", " "))
        assert git("log", "--format=%s") == "it, amended\nbase"

    run_story(server, clone(server, "ann"), clone(server, "bob"), disturb=graft)


# ---------------------------------------------------------------- another user's


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository away")
def test_edge_19_another_owner(server: Git) -> None:
    """Until git trusts it, commands are refused in one line, with a remedy; commits work as before."""
    ann, bob = (clone(server, name) for name in ("ann", "bob"))
    traj(ann, "install")
    for path in (ann.root, *ann.root.rglob("*")):
        os.lchown(path, 65534, 65534)
    trust = f"git config --global --add safe.directory {ann.root}"
    dubious = f"detected dubious ownership in repository at '{ann.root}'"
    for name in ("install", "log", "show", "status", "doctor", "push"):
        done = command.traj(ann.root, name)
        said = f"error: {dubious}\nhint: if you trust it: {trust}\n"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    said = f"git-traj: not recorded yet: {dubious} (if you trust it: {trust})\n"
    assert _commit(ann, "-c", "safe.directory=*") == said
    env = {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Nobody"}
    env |= {"GIT_CONFIG_KEY_1": "safe.directory", "GIT_CONFIG_VALUE_1": str(ann.root)}
    assert command.traj(ann.root, "log", env=env).returncode == 0
    server(*trust.split()[1:])
    ann.write({"a.trajectory.md": "looked at before it is committed\n"})
    assert _commit(ann) == ""
    assert ann("log", "-1", "--format=", "--name-only") == "a.trajectory.md"
    ann("reset", "-q", "--hard", "HEAD~2")
    run_story(server, ann, bob)


def _commit(git: Git, *options: str) -> str:
    """Commit; return what the hooks print."""
    git(*options, "add", "--all")
    made = ["git", *options, "commit", "--allow-empty", "-qm", "commit"]
    env = os.environ | {"GIT_TRAJ_SYNC": "1"}
    return subprocess.run(made, cwd=git.root, stderr=subprocess.PIPE, env=env, check=True).stderr.decode()
