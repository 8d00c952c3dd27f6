"""(x) The cost of hostile records, trees and settings for each command.

    python -m benchmarks.bounded [INPUT ...]

Each input has its own repository, with one honest record. Each command runs in its own process, and the last
is the Action on a pull request there; the table shows for each input which took longest (processor time, git
included) and which used the most memory (the largest single process; never less than this program uses). For
the Action, git's transfers (including the server's part) and the host that simulates GitHub are measured and
listed separately.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.place import home, repository, wait_for_worker
from gittraj.git import TREE, Entry
from gittraj.notes.store import RECORDS_REF
from tests.e2e.scenario import Shell, Write, turn
from tests.github.runner import Runner
from tests.github.server import TOKEN, GitHub
from tests.github.shapes import REPOSITORY, PullState
from tests.integration.claude_session import ClaudeSession
from tests.integration.git_host import GitHost
from tests.integration.repository import Git

COMMANDS = (
    *("status", "log", "log --json --all", "log --trajectories --all", "show HEAD", "show HEAD --json"),
    *("why a.py:1", "search a", "search --similar a", "stats", "stats --by model", "context a.py"),
    *("doctor", "compare HEAD HEAD~1", "validate refs/notes/traj", "export HEAD --format json"),
    *("pr --base HEAD~1", "fetch", "push --dry-run", "repair", "redact --audit", "backfill", "keys list"),
    *("redact --purge needle --dry-run", "rewrap", "recipients list", "tasks", "pause", "resume"),
    *("carry --from HEAD~1 --onto HEAD", "unlink HEAD~1", "doctor --fix", "sync"),
)
SECONDS, MEGABYTES = 2.0, 300.0
"""Limits for each command on each input."""


def nothing(git: Git) -> None:
    """Leave the repository honest, for comparison."""


def tree_of_notes(git: Git) -> None:
    _point(git, RECORDS_REF, _unfolding(git))


def tree_of_segments(git: Git) -> None:
    month = git("for-each-ref", "--format=%(refname)", "refs/notes/traj-data-*")
    _point(git, month, _unfolding(git), b"s")


def many_notes(git: Git) -> None:
    with git.open() as opened:
        blob = opened.objects.write_blob(b"{}\n" * 100)
        rows = [Entry(0o100644, b"%040x" % n, blob) for n in range(201_000)]
        commit = opened.objects.write_commit(tree=opened.objects.write_tree(rows), parents=[], message="many")
        opened.objects.flush()
    git("update-ref", RECORDS_REF, commit)


def large_note(git: Git) -> None:
    """A note of a gigabyte, which is a megabyte in a pack."""
    made = subprocess.Popen(
        ["git", "hash-object", "-w", "--stdin"], cwd=git.root, stdin=-1, stdout=-1, text=False
    )
    assert made.stdin and made.stdout
    for _ in range(1024):
        made.stdin.write(b"\0" * (1 << 20))
    made.stdin.close()
    git("notes", "--ref=traj", "add", "-C", made.stdout.read().decode().strip(), "HEAD~1")
    made.wait()


def many_lines(git: Git) -> None:
    line = git("notes", "--ref=traj", "show", "HEAD").splitlines()[0]
    _note(git, "".join(f"{line.replace('traj_', f'traj_{n}')}\n" for n in range(900)))


def many_records(git: Git) -> None:
    """Twenty commits with two hundred trajectories each."""
    line = git("notes", "--ref=traj", "show", "HEAD").splitlines()[0]
    for n in range(20):
        git("commit", "-q", "--allow-empty", "-m", f"more {n}")
        text = "".join(f"{line.replace('traj_', f'traj_{n}_{k}_')}\n" for k in range(200))
        git("notes", "--ref=traj", "add", "-f", "-F", "-", "HEAD", input=text)


def odd_values(git: Git) -> None:
    stored = json.loads(git("notes", "--ref=traj", "show", "HEAD").splitlines()[0])
    deep = json.dumps(stored | {"x": 0}).replace('"x": 0', f'"x": {"[" * 900}{"]" * 900}')
    digits = json.dumps(stored | {"rev": 0}).replace('"rev": 0', f'"rev": {"9" * 400}')
    _note(git, f"{deep}\n{digits}\n" * 300)


def settings(git: Git) -> None:
    """Settings that are too large."""
    (git.root / ".gittraj.yml").write_text("redact:\n  names:\n" + "    - some-name\n" * 300_000)


def aliases(git: Git) -> None:
    """Settings in which YAML aliases make a list nine times as long, eleven times."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    (git.root / ".gittraj.yml").write_text("\n".join(rows) + "\nexclude: *a11\n")


INPUTS: tuple[Callable[[Git], None], ...] = (
    *(
        nothing,
        tree_of_notes,
        tree_of_segments,
        many_notes,
        large_note,
        many_lines,
        many_records,
        odd_values,
        settings,
        aliases,
    ),
)


def _unfolding(git: Git) -> str:
    """A tree of 19 objects that stands for 256 folders in each folder, 18 levels deep."""
    with git.open() as opened:
        below = opened.objects.write_tree([])
        for _ in range(18):
            below = opened.objects.write_tree([Entry(TREE, b"%02x" % n, below) for n in range(256)])
        opened.objects.flush()
    return below


def _point(git: Git, ref: str, tree: str, name: bytes = b"") -> None:
    """Point ``ref`` to a commit of ``tree``; with ``name``, to a commit of a new tree, whose folder ``name``
    is ``tree``."""
    with git.open() as opened:
        root = opened.objects.write_tree([Entry(TREE, name, tree)]) if name else tree
        commit = opened.objects.write_commit(tree=root, parents=[], message="bomb")
        opened.objects.flush()
    git("update-ref", ref, commit)


def _note(git: Git, text: str) -> None:
    git("notes", "--ref=traj", "add", "-f", "-F", "-", "HEAD~1", input=text)


@dataclass(frozen=True, slots=True)
class Cost:
    """``seconds`` of processor time, ``megabytes`` of the largest process. Not in ``seconds``, but also
    processor time: ``transfer``, of git's transfers, and ``host``, of the host that simulates GitHub."""

    command: str
    seconds: float
    megabytes: float
    status: int
    transfer: float = 0
    host: float = 0


_TIMED = """#!/bin/sh
"{git}" "$@"
status=$?
times >"{folder}/times.$$"
echo "$*" >>"{folder}/times.$$"
exit $status
"""
_HOST = "host.seconds"
_TRANSFERS = {"fetch", "push", "clone", "ls-remote", "http-backend", "upload-pack", "receive-pack"}


def act_timed(git: Git, folder: Path) -> Cost:
    """Run the Action with a wrapper of git that writes down how long each command took."""
    program = folder / "bin" / "git"
    program.parent.mkdir()
    program.write_text(_TIMED.format(git=shutil.which("git"), folder=folder))
    program.chmod(0o755)
    path = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    commits = git("rev-list", "HEAD").split()
    cost = run(git, ["action", str(folder), *commits], module=__spec__.name, env=path)
    rows = [path.read_text().split()[2:] for path in folder.glob("times.*")]
    transfer = sum(
        _seconds(user) + _seconds(system) for user, system, *words in rows if _TRANSFERS & {*words}
    )
    host = float((folder / _HOST).read_text())
    return replace(
        cost, command="action", seconds=cost.seconds - transfer - host, transfer=transfer, host=host
    )


def _seconds(text: str) -> float:
    """Parse the shell's ``1m2.5s``."""
    minutes, _, seconds = text.removesuffix("s").partition("m")
    return 60 * int(minutes) + float(seconds)


def run(git: Git, words: Sequence[str], *, module: str = "gittraj", env: Mapping[str, str] = {}) -> Cost:
    started = subprocess.Popen(
        [sys.executable, "-m", module, *words],
        cwd=git.root,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])} | {**env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    return Cost(" ".join(words), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, started.returncode)


def measure(folder: Path, change: Callable[[Git], None]) -> list[Cost]:
    git = repository(folder / "repo", installed=True)
    git("config", "traj.push", "auto")
    made = Shell("git add a.py && git commit -qm Honest")
    ClaudeSession(git.root).run([turn(Write("a.py", "a = 1\n"), made), turn(say="Done")], prompt="Write a")
    wait_for_worker(git)
    server = GitHost(folder / "host").found(REPOSITORY)
    git("remote", "add", "origin", str(server.root))
    git("push", "-q", "origin", "HEAD", "refs/notes/*:refs/notes/*")
    change(git)
    git("push", "-q", "--force", "origin", "refs/notes/*:refs/notes/*")
    return [*(run(git, words.split()) for words in COMMANDS), act_timed(git, folder)]


def act(folder: Path, commits: list[str]) -> int:
    """Run the Action's steps on a pull request of ``commits``, the newest first."""
    host = GitHost(folder / "host")
    pull = PullState(head=commits[0], commits=commits[::-1], files=["a.py"])
    with host.running(), GitHub(pulls={7: pull}).running() as github:
        runner = Runner(folder / "runner", github.url, host.url, TOKEN, process=True)
        done = runner.run("workflow_dispatch", {}, pr="7")
    print(done.outputs, done.log)
    used = resource.getrusage(resource.RUSAGE_SELF)  # the Action's steps run in other processes
    (folder / _HOST).write_text(str(used.ru_utime + used.ru_stime))
    return done.status


def main(words: list[str]) -> int:
    """Returns 1 if a command exceeded a limit or ended with an unexpected status."""
    if words[:1] == ["action"]:
        return act(Path(words[1]), words[2:])
    over = 0
    print("| input | longest | | holds most | | Action | transfer | host |")
    print("| --- | --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for change in [each for each in INPUTS if not words or each.__name__ in words]:
        place = tempfile.TemporaryDirectory(prefix="git-traj-bounded-", ignore_cleanup_errors=True)
        with place as folder, home(Path(folder) / "home"):
            found = measure(Path(folder), change)
        longest, largest = max(found, key=lambda c: c.seconds), max(found, key=lambda c: c.megabytes)
        name = change.__name__.replace("_", " ")
        most = f"{longest.command} | {longest.seconds:.2f} s | {largest.command} | {largest.megabytes:.0f} MB"
        action = found[-1]
        besides = f"{action.seconds:.2f} s | {action.transfer:.2f} s | {action.host:.2f} s"
        print(f"| {name} | {most} | {besides} |", flush=True)
        for each in found:
            if each.seconds > SECONDS or each.megabytes > MEGABYTES or each.status not in (0, 1):
                print(f"over: {name}: {each}", file=sys.stderr)
                over = 1
    return over


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
