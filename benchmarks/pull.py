"""(p) How much the Action transfers, and its time, for a pull request of 50 commits with 30 MB of records.

The server is git's own, over HTTP, and as restricted as GitHub's; records and all sizes are the same on every
machine. The API is on loopback too, so GitHub's own response time is not included.
"""

from __future__ import annotations

import hashlib
import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.place import MB, home, repository
from benchmarks.table import Row
from github_action.fetching import Fetched, Source
from github_action.retry import RetryBudget
from gittraj.model.codec import encode_note
from gittraj.model.values import Decision, FileChanged, Line, SessionInfo, Summary, Usage
from gittraj.notes.store import DATA_PREFIX, DataRefs
from tests.github.runner import Runner
from tests.github.server import TOKEN, GitHub
from tests.github.shapes import REPOSITORY, PullState
from tests.integration.git_host import GitHost
from tests.integration.repository import Git
from tests.integration.story import Story, record

_COMMITS, _RECORDS = 50, 12_000
_SEGMENTS = 10  # of 1 MB
_ROUNDS = 5
_AWAY = 0.05  # seconds by which a remote server delays each answer
_KB = 1000
_RNG = random.Random(1)
_SYLLABLES = [a + b for a in "bdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er", "ing")]
_WORDS = ["".join(_RNG.choices(_SYLLABLES, k=_RNG.randint(1, 4))) for _ in range(3_000)]


def measure(folder: Path) -> Iterator[Row]:
    with home(folder / "home"):
        os.environ |= dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-02T03:04:05Z")
        host = GitHost(folder / "host")
        commits, size = _fill(folder / "clone", host)
        yield Row("(p) records on the server", size / MB, size / MB, "MB")
        with host.running():
            yield from _fetches(folder, host, commits)
            runs = [_run(folder / f"run{n}", host, commits) for n in range(_ROUNDS)]
            yield Row.of("(p) the Action's step, without its pause after a write", runs, 2000.0)


def _fill(folder: Path, host: GitHost) -> tuple[list[str], int]:
    """Fill the server. Returns the pull request's commits, and the size of all records in bytes."""
    git = repository(folder, installed=False)
    commits = [git.commit({"src/file0.py": f"value = {n}\n"}, f"Commit {n}") for n in range(_COMMITS)]
    others = [hashlib.sha1(b"%d" % n, usedforsecurity=False).hexdigest() for n in range(_RECORDS - _COMMITS)]
    records = {commit: _record(n) for n, commit in enumerate((*commits, *others))}
    rng = random.Random(2)
    with git.open() as opened:
        Story(opened).notes(records)
        DataRefs(opened).write("2026-01", {f"s/00/t/{n}": rng.randbytes(MB) for n in range(_SEGMENTS)})
    bare = host.found(REPOSITORY)
    git("push", "-q", str(bare.root), "HEAD:refs/heads/topic", "refs/notes/*:refs/notes/*")
    bare("gc", "-q")
    return commits, sum(len(encode_note([line])) for line in records.values())


def _record(number: int) -> Line:
    rng = random.Random(number)

    def say(words: int) -> str:
        return " ".join(rng.choices(_WORDS, k=words))

    chosen = Decision(chosen=say(8), by="agent", alternatives=(say(6),), reasoning=say(25), confidence=0.8)
    return record(
        f"traj_{number}",
        whole=SessionInfo(
            title=say(6), agent="claude-code", models=("claude-sonnet-4-5",), session=f"s{number}"
        ),
        prompt=say(165),
        summary=Summary(text=say(60), by="agent"),
        usage=Usage(input_tokens=rng.randrange(10**5), output_tokens=rng.randrange(10**4)),
        decisions=(chosen,),
        files=tuple(FileChanged(path=f"src/file{n}.py", edits=n + 1) for n in range(3)),
    )


def _fetches(folder: Path, host: GitHost, commits: Sequence[str]) -> Iterator[Row]:
    near = [_fetch(folder / f"near{n}", host, commits) for n in range(_ROUNDS)]
    asked = len(host.exchanges) / _ROUNDS
    yield Row.of(f"… moved for those of {_COMMITS} commits", [moved for moved, _ in near], 300.0, "kB")
    yield Row("… in requests", asked, asked, "")
    yield Row.of("… in", [took for _, took in near], 2000.0)
    host.delay = _AWAY
    far = [_fetch(folder / f"far{n}", host, commits)[1] for n in range(_ROUNDS)]
    yield Row.of(f"… in, each request {1000 * _AWAY:.0f} ms away", far, 2000.0)
    host.delay = 0.0
    for way in ("--filter=blob:none", "--no-filter"):
        before = host.moved
        plain = Git.init(folder / way, "--bare")
        plain("fetch", "-q", "--depth=1", way, f"{host.url}/{REPOSITORY}.git", "refs/notes/traj")
        moved = (host.moved - before) / _KB
        yield Row(f"… moved by `git fetch --depth=1 {way} … refs/notes/traj`", moved, moved, "kB")


def _fetch(folder: Path, host: GitHost, commits: Sequence[str]) -> tuple[float, float]:
    """Fetch the notes of ``commits``. Returns kilobytes and milliseconds."""
    before, begin = host.moved, time.perf_counter()
    source = Source(url=f"{host.url}/{REPOSITORY}.git", token=TOKEN, protocols=("http",))
    fetched = Fetched(folder, source, environ=os.environ)
    fetched.fetch_notes(commits)
    took = 1000 * (time.perf_counter() - begin)
    assert all(fetched.notes.read(commit) for commit in commits)
    assert not fetched.repository.run("for-each-ref", f"{DATA_PREFIX}*").out
    fetched.close()
    return (host.moved - before) / _KB, took


def _run(folder: Path, host: GitHost, commits: Sequence[str]) -> float:
    """Milliseconds of the whole step, already installed: from the event to the comment, except for the second
    that GitHub asks clients to wait after a write."""
    pull = PullState(head=commits[-1], commits=[*commits], files=["src/file0.py"])
    with GitHub(pulls={7: pull}).running() as github:
        runner = Runner(folder, github.url, host.url, TOKEN, process=True)
        begin = time.perf_counter()
        done = runner.run("workflow_dispatch", {}, pr="7")
        took = 1000 * (time.perf_counter() - begin - RetryBudget().between_writes)
    assert done.outputs["commits-with-trajectory"] == str(_COMMITS), done.log
    return took
