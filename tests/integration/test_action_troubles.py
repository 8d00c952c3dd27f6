"""Failures between the Action and GitHub, through all its steps: they never fail the job."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer

import pytest

from github_action.fetching import Fetched
from gittraj.errors import TrajError
from gittraj.model.times import now
from tests.github.faults import SECONDARY, Fault, Lost, message
from tests.github.host import NOTES, Host
from tests.github.server import LONGEST
from tests.integration.services import Reply
from tests.sizes import size

TRIALS = max(1, size(3, 9, "GIT_TRAJ_TRIALS") // 9)
POST = "POST .*/comments"


@pytest.mark.parametrize("status", [403, 404])
def test_a_refusal_by_github_never_fails_the_job(host: Host, status: int) -> None:
    host.recorded()
    host.github.faults.append(Fault(POST, message(status, "Resource not accessible by integration"), times=9))
    done = host.run()
    assert (done.status, done.outputs["result"], done.outputs["comment-id"]) == (0, "summary-only", "")
    assert "**1 of 2 commits**" in done.summary
    assert "::warning" in done.log
    assert host.run(fail_on_error="true").status == 1


@pytest.mark.parametrize("reply", [message(502), Lost(200)], ids=["502", "lost"])
def test_a_write_whose_answer_did_not_arrive_is_not_repeated(host: Host, reply: Reply) -> None:
    host.recorded()
    host.github.faults.append(Fault(POST, reply, after=True))
    done = host.run()
    assert (done.status, done.outputs["result"]) == (0, "created")
    assert list(map(str, host.github.comments)) == [done.outputs["comment-id"]]


def test_a_502_before_an_edit_or_while_listing_is_retried(host: Host) -> None:
    host.recorded()
    host.run()
    host.note(host.commits[1], "traj_two")
    host.push(NOTES)
    host.github.faults += [Fault("PATCH", message(502)), Fault("GET .*/comments", message(502))]
    assert host.run().outputs["result"] == "updated"
    assert "**2 of 2 commits**" in host.comment


@pytest.mark.parametrize(
    "reply",
    [message(429, retry_after="1"), message(403, SECONDARY, retry_after="1")],
    ids=["429", "secondary limit"],
)
def test_a_limit_is_waited_for(host: Host, reply: Reply) -> None:
    host.recorded()
    host.github.faults += [Fault(POST, reply), Fault("GET .*/files", reply)]
    done = host.run()
    assert (done.status, done.outputs["result"], len(host.github.comments)) == (0, "created", 1)


@pytest.mark.parametrize(
    "reply",
    [message(429, retry_after="3600"), message(403, SECONDARY, retry_after="3600")],
    ids=["429", "secondary limit"],
)
def test_a_limit_that_lasts_is_not_waited_for(host: Host, reply: Reply) -> None:
    host.recorded()
    host.github.faults.append(Fault(POST, reply, times=9))
    done = host.run()
    assert (done.status, done.outputs["result"], host.github.comments) == (0, "summary-only", {})
    assert "**1 of 2 commits**" in done.summary
    assert "try again after 3600 s at the earliest" in done.log
    assert host.github.calls.count("POST /repos/acme/app/issues/7/comments") == 1


def test_our_comment_is_found_among_300_of_others(host: Host) -> None:
    host.recorded()
    host.run()
    body, here = host.comment, next(iter(host.github.comments))
    ours = host.github.comments.pop(here)
    for number in range(150):
        host.github.add_comment(f"I say {number}", author="alice")
    forged = host.github.add_comment(body, author="mallory")
    host.github.comments[here + 1_000] = ours | {"id": here + 1_000}
    host.github._last = here + 1_000
    for number in range(150):
        host.github.add_comment(f"> {body}" if number % 2 else "ok", author="alice")
    host.note(host.commits[1], "traj_two")
    host.push(NOTES)
    done = host.run()
    assert (done.outputs["result"], done.outputs["comment-id"]) == ("updated", str(here + 1_000))
    assert "**2 of 2 commits**" in host.comment
    assert host.github.comments[forged]["body"] == body
    assert len(host.github.comments) == 302


def test_a_comment_that_github_finds_too_long(host: Host) -> None:
    host.recorded()
    limit = f"body is too long (maximum is {LONGEST} characters)"
    host.github.faults.append(Fault(POST, message(422, limit)))
    done = host.run()
    assert (done.status, done.outputs["result"]) == (0, "created")
    assert len(host.comment) < 9_000


@pytest.mark.nightly
@pytest.mark.parametrize("trial", range(TRIALS))
def test_of_three_racing_runs_that_of_the_last_push_wins(host: Host, trial: int) -> None:
    """Each run is for a push of its own, which may come while the others read, write or wait."""
    rng = random.Random(trial)
    host.runner.process = True
    host.recorded()
    pushes = []
    for number in range(3):
        host.clone.commit({f"src/{number}.py": "1\n"}, f"Push {number}")
        host.push()
        pushes.append((host.pull.head, [*host.pull.commits], host.event()))
    github = host.github
    forged = github.add_comment(
        f"<!-- git-traj:pr:v1 key=default head={pushes[2][0]} run=1 -->\n", author="m"
    )
    if trial % 3 == 0:
        github.faults.append(Fault(POST, Lost(200), after=True))
    host.pull.head, host.pull.commits, _ = pushes[0]
    github.pause = lambda: time.sleep(rng.random() / 20)

    def push_and_run(number: int) -> str:
        time.sleep(number * rng.random())
        head, commits, event = pushes[number]
        if len(commits) > len(host.pull.commits):
            host.pull.head, host.pull.commits = head, commits
        done = host.start("pull_request", event)
        assert done.status == 0, done.log
        return done.outputs["result"]

    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(push_and_run, range(3)))
    assert f" head={pushes[2][0]} run=" in host.comment.splitlines()[0]
    assert "**1 of 5 commits**" in host.comment
    assert results[2] in ("created", "updated"), results
    assert forged in github.comments


def test_nothing_in_the_workspace_runs(host: Host) -> None:
    """Modules named like the standard library's and our own, which Python would find there first."""
    host.runner.process = True
    host.recorded()
    names = ("types", "json", "github", "gittraj", "github_action", "sitecustomize", "pip")
    host.runner.workspace = {f"{name}.py": "open('/dev/stdout', 'w').write('it ran')\n" for name in names}
    done = host.run()
    assert (done.status, done.outputs["result"]) == (0, "created")
    assert "it ran" not in done.log


def test_an_index_that_is_down_leaves_the_outputs_under_a_gate_too(host: Host, tmp_path: Path) -> None:
    for name in ("python3", "uv"):
        tool = tmp_path / "bin" / name
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(
            f'#!/bin/sh\ncase "$*" in *"pip install"*) exit 2;; esac\nexec {sys.executable} "$@"\n'
        )
        tool.chmod(0o755)
    host.runner.installs, host.runner.extra["PATH"] = True, f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    for require, status in (("off", 0), ("fail", 1)):
        done = host.run(require=require)
        assert (done.status, "the package index did not answer" in done.log) == (status, True)
        values = [done.outputs[name] for name in ("result", "coverage", "unsure", "cost")]
        assert values == ["failed", *["unknown"] * 3]


def test_a_misspelt_gate_is_not_an_open_gate(host: Host) -> None:
    assert host.run(require="Fail").status == 1
    done = host.run(require="fial")
    assert done.status == 1
    assert "'require' is not one of off, warn, fail: fial" in done.log
    outputs = done.outputs
    assert [outputs[name] for name in ("result", "coverage", "unsure", "cost")] == [
        "failed",
        *["unknown"] * 3,
    ]
    assert host.run(comment="alwys").status == 0


def test_a_note_that_is_too_large_is_named_and_the_rest_is_shown(host: Host) -> None:
    """However large the note is, the run ends in time."""
    host.note(host.commits[0], prompt="x" * 40)
    large = host.clone("hash-object", "-w", "--stdin", input="\0" * (20 << 20))
    host.clone("notes", "--ref=traj", "add", "-C", large, host.commits[1])
    host.push(NOTES)
    began = time.monotonic()
    done = host.run()
    assert time.monotonic() - began < 60
    assert (done.status, done.outputs["commits-with-trajectory"]) == (0, "1")
    assert f"the records of [`{host.commits[1][:7]}`](" in host.comment


def test_an_invalid_line_does_not_prevent_the_comment(host: Host) -> None:
    host.note(host.commits[0])
    body = host.clone("notes", "--ref=traj", "show", host.commits[0])
    bad = body.replace('"rev":1', f'"rev":{"9" * 310}')
    assert bad != body
    host.clone("notes", "--ref=traj", "add", "-f", "-m", bad, host.commits[1])
    host.push(NOTES)
    done = host.run()
    assert (done.outputs["result"], done.outputs["commits-with-trajectory"]) == ("created", "1")


def test_records_that_are_pushed_seconds_late(host: Host) -> None:
    """git pushes the branch, then a hook or a person the records; the ref already has others."""
    host.note(host.clone("rev-parse", "main"))
    host.push(NOTES)
    host.note(host.commits[0])
    host.pull.dates = dict.fromkeys(host.commits, now().isoformat())  # the clone's commits have old dates
    late = Timer(size(2, 8), host.push, [NOTES])
    late.start()
    done = host.run(max_wait_notes="auto")
    late.join()
    assert (done.outputs["result"], done.outputs["commits-with-trajectory"]) == ("created", "1")


def test_a_note_that_does_not_come_is_named(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old git fetches it over the network when it is read, and fails without one."""
    for commit in host.commits:
        host.note(commit)
    host.push(NOTES)
    bring = Fetched._bring

    def not_in_time(fetched: Fetched, oids: Collection[str], *, timeout: float = 120.0) -> None:
        if timeout != 120.0:
            raise TrajError("too late")
        bring(fetched, oids)

    monkeypatch.setattr(Fetched, "_bring", not_in_time)
    done = host.run()
    assert (done.status, done.outputs["coverage"]) == (0, "unknown")
    assert "or too late): the records of" in done.summary


@pytest.mark.nightly
@pytest.mark.parametrize(("away", "api"), [(0.3, 0.5), (3.0, 1.0)], ids=["slow", "very slow"])
def test_a_slow_host_is_waited_for_a_minute_at_most(host: Host, away: float, api: float) -> None:
    """``away`` are the seconds that git's server takes to answer, ``api`` those of the API."""
    host.over_http().runner.process = True
    host.recorded()
    host.server.delay = away
    host.github.pause = lambda: time.sleep(api / 2)
    began = time.monotonic()
    done = host.run()
    assert time.monotonic() - began < 60
    assert done.status == 0
    if away < 1:
        assert (done.outputs["result"], done.outputs["coverage"]) == ("created", "50")
    else:
        assert (done.outputs["result"], done.outputs["coverage"]) == ("summary-only", "unknown")
        assert "Of these commits nothing is known" in done.summary


@pytest.mark.nightly
@pytest.mark.parametrize("when", ["GET .*/pulls/7$", "POST .*/comments$"], ids=["first", "last"])
def test_a_host_that_drips_is_stopped_and_reported(host: Host, when: str) -> None:
    """A byte every few seconds: no timeout of the connection notices."""

    def drip() -> Iterator[bytes]:
        for _ in range(300):
            time.sleep(1)
            yield b" "

    host.runner.process = True
    host.recorded()
    host.github.faults = [Fault(when, Reply(200, b" " * 300, drip=drip), times=9)]
    began = time.monotonic()
    done = host.run(require="fail", min_coverage="80") if when.startswith("GET") else host.run()
    assert time.monotonic() - began < 60
    assert "stopped after 55 s" in done.log
    if when.startswith("GET"):
        assert (done.status, done.outputs["result"], done.outputs["coverage"]) == (1, "failed", "unknown")
    else:
        assert (done.status, done.outputs["result"], done.outputs["coverage"]) == (0, "summary-only", "50")
        assert "have an agent trajectory" in done.summary
