"""Pull requests from forks, also private or deleted ones, and from Dependabot. The Action's own
steps; forks are repositories on the git server, which knows the token of each request."""

from __future__ import annotations

import pytest

from gittraj.model.values import Decision
from tests.github.host import Host
from tests.github.server import BOT
from tests.github.shapes import REPOSITORY

FORK = "mallory/app"
UNVERIFIED = "The records come from the fork mallory/app: they are not verified here."


@pytest.fixture
def forked(host: Host) -> Host:
    host.over_http()
    host.note(host.commits[0], decisions=(Decision(chosen="a bucket", by="agent"),))
    host.fork(FORK)
    return host


def test_a_fork_gets_a_summary_and_the_job_succeeds(forked: Host) -> None:
    forked.github.grants.clear()  # as GitHub does for such a job, whatever its permissions say
    for inputs in ({}, {"fail_on_error": "true"}):
        done = forked.run(**inputs)
        assert (done.status, done.outputs["result"]) == (0, "summary-only")
        assert "a bucket" in done.summary
        assert UNVERIFIED in done.summary
        assert done.log.count("::notice") == 1
        assert "the token is read-only in a workflow run for a fork" in done.log
        assert "::warning" not in done.log
        assert "::error" not in done.log
    assert forked.github.comments == {}


def test_a_fork_under_pull_request_target_gets_a_comment(forked: Host) -> None:
    done = forked.run("pull_request_target")
    assert (done.status, done.outputs["result"]) == (0, "created")
    assert "a bucket" in forked.comment
    assert UNVERIFIED in forked.comment
    assert f"]({forked.server.url}/{REPOSITORY}/pull/7/commits/" in forked.comment
    assert {token for name, token in forked.asked if name == FORK} == {None}
    assert {name for name, _ in forked.asked} == {FORK, REPOSITORY}


def test_a_forks_records_on_commits_of_others_are_not_read(forked: Host) -> None:
    main = forked.clone("rev-parse", "main")
    forked.note(main, "traj_main")
    forked.fork("mallory/second")
    done = forked.run("pull_request_target")
    assert (done.outputs["commits-total"], done.outputs["commits-with-trajectory"]) == ("2", "1")
    assert main not in forked.comment


def test_a_run_for_a_fork_trusts_no_number_and_no_file_of_it(forked: Host) -> None:
    """The fork's own workflow can set another number, a title, an artifact; only its head commit counts."""
    run = {
        "event": "pull_request",
        "head_sha": forked.pull.head,
        "head_branch": "topic",
        "head_repository": {"full_name": FORK},
        "pull_requests": [{"number": 99}],
        "artifacts_url": "http://elsewhere.invalid/",
    }
    done = forked.start("workflow_run", {"workflow_run": run})
    assert (done.status, done.outputs["result"]) == (0, "created")
    assert UNVERIFIED in forked.comment
    assert not [call for call in forked.github.calls if "artifact" in call or "/99" in call]
    claimed = {**run, "head_repository": {"full_name": REPOSITORY}}
    assert forked.start("workflow_run", {"workflow_run": claimed}).outputs["result"] == "skipped"


@pytest.mark.parametrize("state", ["private", "gone", "deleted"])
def test_an_unreadable_fork_is_reported(forked: Host, state: str) -> None:
    if state == "private":
        forked.server.hidden.add(FORK)
    elif state == "gone":
        home = forked.server.root / f"{FORK}.git"
        home.rename(home.with_name("elsewhere"))
    else:
        forked.pull.head_repository = None
    done = forked.run("pull_request_target", when_missing="comment")
    assert (done.status, done.outputs["result"]) == (0, "created")
    assert "The records of the fork cannot be read here: it is gone, or private." in forked.comment
    assert "a bucket" not in forked.comment
    assert UNVERIFIED not in forked.comment
    assert "::warning" not in done.log


def test_the_gate_counts_a_forks_records(forked: Host) -> None:
    forked.github.grants.clear()
    assert forked.run(mode="check", require="fail", min_coverage="50").status == 0
    assert forked.run(mode="check", require="fail").status == 1


def test_a_hidden_repository_is_read_with_the_token(host: Host) -> None:
    host.over_http().server.hidden.add(REPOSITORY)
    host.recorded()
    assert host.run().outputs["result"] == "created"


@pytest.mark.parametrize("actor", ["dependabot[bot]", "octocat"])
def test_dependabot_gets_a_summary_and_the_job_succeeds(host: Host, actor: str) -> None:
    """A person who reruns the job becomes its actor."""
    host.recorded()
    host.github.grants.clear()
    host.runner.extra["GITHUB_ACTOR"] = actor
    payload = host.event(sender={"login": "dependabot[bot]"})
    done = host.start("pull_request", payload, fail_on_error="true")
    assert (done.status, done.outputs["result"]) == (0, "summary-only")
    assert "**1 of 2 commits**" in done.summary
    assert "the token is read-only in a workflow run for Dependabot" in done.log
    assert "::warning" not in done.log
    assert host.github.bodies(BOT) == []
