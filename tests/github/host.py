"""A host with a repository, its pull request number 7, the clone in which people work, and runners for its
jobs. GitHub's API is served on loopback, git over HTTP or by path; the jobs run the Action's own steps."""

from __future__ import annotations

import copy
import functools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from gittraj.model.codec import decode_note
from gittraj.model.values import Record, SessionInfo
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from tests.github.git_server import GitServer
from tests.github.runner import Runner, Step
from tests.github.server import TOKEN, GitHub
from tests.github.shapes import REPOSITORY, PullState
from tests.integration.git_host import GitHost
from tests.integration.repository import Git
from tests.integration.story import Story, record
from tests.sizes import NIGHTLY

NOTES = "refs/notes/traj"


@dataclass
class Host:
    """``bare`` is the repository on the host, ``clone`` has the branch ``topic`` with two commits. In an
    ordinary run git fetches by path, which is quicker, until ``over_http`` is called; ``web`` is the address
    for that."""

    github: GitHub
    server: GitServer
    runner: Runner
    clone: Git
    bare: Git
    web: str

    @property
    def pull(self) -> PullState:
        return self.github.pulls[7]

    @property
    def commits(self) -> list[str]:
        return self.pull.commits

    @property
    def comment(self) -> str:
        (body,) = self.github.bodies()
        return str(body)

    @property
    def asked(self) -> list[tuple[str, str | None]]:
        """The repository and the token of each request to the git server."""
        assert self.server.url == self.web, "only requests over HTTP are recorded: call over_http()"
        return self.server.asked

    def over_http(self) -> Host:
        """Let git use HTTP. Skips the test if git was built without it."""
        if not speaks_http(self.clone):
            pytest.skip("this git speaks no HTTP")
        self.server.url = self.runner.server = self.pull.server = self.web
        return self

    def push(self, *more: str) -> None:
        """Push the clone's branch to the pull request's head repository, and let the host describe it."""
        home = self.server.root / f"{self.pull.head_repository}.git"
        self.clone("push", "-qf", str(home), "HEAD:refs/heads/topic", *more)
        self.clone("push", "-qf", str(self.bare.root), "HEAD:refs/pull/7/head")
        _describe(self.pull, self.clone)

    def note(self, commit: str, trajectory: str = "traj_one", **figures: Any) -> None:
        """Write a record with these ``figures`` (fields of its PartSummary) into the clone's notes."""
        whole = figures.pop("whole", SessionInfo(title="Limit the rate", agent="claude-code", session="s"))
        with self.clone.open() as repository:
            Story(repository).note(commit, record(trajectory, whole=whole, **figures))

    def recorded(self) -> None:
        """Give the first commit a record, and push it to the host."""
        self.note(self.commits[0])
        self.push(NOTES)

    def fork(self, name: str = "mallory/app") -> Git:
        """Let the pull request come from a fork, which has the clone's notes; the repository has none."""
        fork = self.server.found(name)
        self.pull.head_repository = name
        self.push(f"+{NOTES}")
        return fork

    def event(self, **more: Any) -> dict[str, Any]:
        home = {"full_name": self.pull.head_repository} if self.pull.head_repository else None
        return {
            "action": "synchronize",
            "number": 7,
            "pull_request": {
                "number": 7,
                "head": {"sha": self.pull.head, "ref": "topic", "repo": home},
                "base": {"ref": "main", "repo": {"full_name": REPOSITORY}},
            },
            "sender": {"login": "octocat"},
            **more,
        }

    def run(self, event: str = "pull_request", *, before: str | None = None, **inputs: str) -> Step:
        """Run the pull request's job."""
        return self.start(event, self.event(**({"before": before} if before else {})), **inputs)

    def start(self, event: str, payload: dict[str, Any], **inputs: str) -> Step:
        step = self.runner.run(event, payload, **{"max_wait_notes": "0", **inputs})  # else it waits for notes
        assert TOKEN not in step.log
        assert "Traceback" not in step.log
        assert "a bug in git-traj" not in step.log
        return step

    def carrying(self, commit: str, ref: str = NOTES) -> list[str]:
        """The ids of the trajectories that have a record on the commit, on the host."""
        return [each.id for each in self.records(commit, ref)]

    def records(self, commit: str, ref: str = NOTES) -> list[Record]:
        with self.bare.open() as repository:
            return standing(commit, decode_note(NotesRef(repository, ref).read(commit) or b""))


def speaks_http(git: Git) -> bool:
    return (Path(git("--exec-path")) / "git-remote-http").exists()


def _describe(pull: PullState, clone: Git) -> None:
    """Let ``pull`` describe the branch in ``clone``."""
    pull.head, pull.base = clone.head(), clone("rev-parse", "main")
    pull.commits = []
    log = clone("log", "--reverse", "--name-only", "--format=%x02%H%x01%P%x01%B%x01%cI%x01", "main..HEAD")
    for each in clone("diff", "main...HEAD").split("diff --git a/")[1:]:
        pull.patches[each.partition(" b/")[0]] = "@@".join(("", *each.split("@@")[1:]))
    for each in log.split("\x02")[1:]:
        sha, parents, message, pull.dates[sha], files = each.split("\x01")
        pull.commits.append(sha)
        pull.parents[sha], pull.changed[sha] = parents.split(), files.split()
        pull.messages[sha] = message.strip()


@functools.cache
def _first(folder: Path) -> PullState:
    """Make the first state of every host in ``folder``: ``host`` and the clone ``repo``. Only the first test
    makes it, the others copy it."""
    git = Git.init(folder / "repo")
    bare = GitHost(folder / "host").found(REPOSITORY)
    git.commit({"README": "here\n"})
    git("push", "-q", str(bare.root), "HEAD:refs/heads/main")
    git("checkout", "-q", "-b", "topic")
    git.commit({"src/a.py": "1\n"}, "Begin")
    git.commit({"src/b.py": "1\n"}, "Go on")
    git("push", "-q", str(bare.root), "HEAD:refs/heads/topic", "HEAD:refs/pull/7/head")
    pull = PullState(files=["src/a.py", "src/b.py"], title="Limit the rate")
    _describe(pull, git)
    return pull


@contextmanager
def a_host(
    git: Git,
    place: Path,
    *,
    prefix: Literal["", "/api/v3"] = "",
    forge: Any = None,
    runner: type[Runner] = Runner,
) -> Iterator[Host]:
    """Run a host; ``forge`` is another host than GitHub, and ``runner`` runs its jobs. At the end, check
    that no request violated the API's description, and that only the repository itself got the token."""
    server = GitServer(place / "host", token=TOKEN, home=REPOSITORY)
    pull = copy.deepcopy(_first(place.parent / "first"))
    shutil.copytree(place.parent / "first" / "host", server.root)
    shutil.copytree(place.parent / "first" / "repo", git.root, dirs_exist_ok=True)
    bare = Git(server.root / f"{REPOSITORY}.git")
    github = forge or GitHub(prefix=prefix)
    with server.running(), github.running():
        web, path = server.url, f"file://{server.root}"
        server.url = web if NIGHTLY and speaks_http(git) else path
        pull.server, github.pulls[7] = server.url, pull
        host = Host(github, server, runner(place / "runner", github.url, server.url, TOKEN), git, bare, web)
        yield host
    assert github.violations == []
    assert {name for name, token in server.asked if token is not None} <= {REPOSITORY}
