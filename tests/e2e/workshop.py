"""A repository in which people and agents work together, with the methods by which tests examine it.

The methods use git-traj's command line, as its users do; only `stored` reads the files underneath,
to prove that something is *not* there.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.e2e.scenario import Run
from tests.integration.command import traj
from tests.integration.searched import indexed
from tests.integration.waiting import LONG

Json = dict[str, Any]


class Workshop:
    """One repository (or one work tree of it) at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path) -> Workshop:
        """Make a new repository with one commit by a person."""
        path.mkdir(parents=True)
        workshop = cls(path)
        workshop.git("init", "-q")
        workshop.commit("README", "A workshop\n")
        return workshop

    def git(self, *arguments: str) -> str:
        return _run(["git", *arguments], self.path)

    def head(self, rev: str = "HEAD") -> str:
        return self.git("rev-parse", rev).strip()

    def commit(self, path: str, text: str) -> str:
        """Let a person write a file and commit it; return the commit's id."""
        (self.path / path).write_text(text)
        self.git("add", path)
        self.git("commit", "-q", "-m", f"By hand: {path}")
        return self.head()

    def traj(self, *arguments: str) -> str:
        """Run `git traj …` in this process and return its stdout; agents and hooks start real processes."""
        done = traj(self.path, *arguments)
        assert done.returncode == 0, f"git traj {arguments}: {done}"
        return done.stdout

    def log(self, *arguments: str) -> list[Json]:
        """The commits of `git traj log --json`, newest first."""
        commits: list[Json] = json.loads(self.traj("log", *arguments, "--json"))["commits"]
        return commits

    def show(self, rev: str = "HEAD") -> list[Json]:
        """The trajectories of `git traj show REV --json`."""
        trajectories: list[Json] = json.loads(self.traj("show", rev, "--json"))["trajectories"]
        return trajectories

    def only(self, rev: str = "HEAD") -> Json:
        """The one trajectory of a commit."""
        trajectories = self.show(rev)
        assert len(trajectories) == 1, f"{rev} has {len(trajectories)} trajectories"
        return trajectories[0]

    def settle(self, *runs: Run) -> None:
        """Wait until the turns of `runs` are over for certain and the worker has nothing left to write."""
        time.sleep(max((run.settles for run in runs), default=1.0))
        deadline = time.monotonic() + LONG
        before, now = "", self.traj("log", "--all", "--json")
        while before != now:
            assert time.monotonic() < deadline, "the background worker never comes to rest"
            time.sleep(0.7)  # longer than the worker waits for more work
            before, now = now, self.traj("log", "--all", "--json")

    def stored(self) -> bytes:
        """Every byte that git or git-traj stores: all objects, reachable or not, the local state, and the
        text in the index."""
        objects = subprocess.run(
            ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"],
            cwd=self.path,
            capture_output=True,
            check=True,
        ).stdout
        common = Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip())
        self.traj("search", "--json", "a")  # a search updates the index
        files = b"".join(f.read_bytes() for f in sorted((common / "traj").rglob("*")) if f.is_file())
        return objects + files + indexed(common).encode("utf-8", "surrogatepass")


def events(trajectory: Json) -> list[Json]:
    """All events of a trajectory in the form of `show --json`."""
    return [event for chapter in trajectory["chapters"] for event in chapter["events"]]


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout
