"""GitLab, Gitea and Forgejo: the same report, by their own scripts, with their API on loopback and a real git
server. In the daily run, each test runs with one of them. As far as it is used here, Gitea's API is also
Forgejo's."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gittraj.model.values import Decision
from tests.forges.gitlab_runner import GitLabRunner
from tests.forges.server import Forge, Gitea, GitLab
from tests.github.faults import Fault, Lost, message
from tests.github.host import NOTES, Host, a_host
from tests.github.runner import Runner
from tests.integration.repository import Git
from tests.sizes import NIGHTLY

FORGES = {"gitea": (Gitea, Runner), "forgejo": (Gitea, Runner), "gitlab": (GitLab, GitLabRunner)}
EDIT = {"gitea": "PATCH", "gitlab": "PUT"}


DAILY = {
    "gitea": ("links", "lost"),
    "forgejo": ("labels",),
    "gitlab": ("created", "fork", "deleted", "gate", "no_pull"),
}
"""Words in the names of the tests that also run daily with this forge; all others run nightly."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "forge" in metafunc.fixturenames:
        test = metafunc.function.__name__
        names = [
            pytest.param(name, marks=() if any(word in test for word in words) else pytest.mark.nightly)
            for name, words in DAILY.items()
        ]
        metafunc.parametrize("forge", names, indirect=True)


@pytest.fixture
def forge(request: pytest.FixtureRequest, git: Git, tmp_path: Path) -> Iterator[Host]:
    server, runner = FORGES[request.param]
    with a_host(git, tmp_path, forge=server(), runner=runner) as host:
        if request.param != "gitlab":
            host.runner.extra = variables(request.param, host)
        yield host


def variables(kind: str, host: Host) -> dict[str, str]:
    """Return a job's variables that GitHub does not have, and copies of GitHub's under the forge's own name:
    https://docs.gitea.com/usage/actions/comparison,
    https://forgejo.org/docs/latest/user/actions/reference."""
    added = {"CI": "true", "GITHUB_ACTIONS": "true", f"{kind.upper()}_ACTIONS": "true"}
    mirrored = {"API_URL": host.runner.api, "SERVER_URL": host.runner.server, "TOKEN": host.runner.token}
    return added | {f"{kind.upper()}_{name}": value for name, value in mirrored.items()}


@pytest.fixture
def gitlab(git: Git, tmp_path: Path) -> Iterator[Host]:
    with a_host(git, tmp_path, forge=GitLab(), runner=GitLabRunner) as host:
        yield host


def name(host: Host) -> str:
    assert isinstance(host.github, Forge)
    return host.github.name


def record_doubt(host: Host) -> None:
    chosen = Decision(
        chosen="a bucket", by="agent", alternatives=("a window",), confidence=0.5, path="src/a.py", line=1
    )
    host.note(host.commits[0], decisions=(chosen,))
    host.push(NOTES)


def test_the_comment_is_created_left_unchanged_and_updated_on_other_forges(forge: Host) -> None:
    forge.over_http().runner.process = True
    record_doubt(forge)
    first = forge.run()
    assert (first.status, first.outputs["result"]) == (0, "created"), first.log
    assert "**1 of 2 commits** have an agent trajectory · Claude Code" in forge.comment
    assert "a window" in forge.comment
    assert (first.outputs["coverage"], first.outputs["unsure"], first.outputs["cost"]) == (
        "50",
        "1",
        "unknown",
    )
    assert "a bucket" in first.summary
    assert "github" not in forge.comment.lower(), "every link is the host's own"
    forge.runner.process = NIGHTLY
    assert forge.run().outputs["result"] == "unchanged"
    forge.note(forge.commits[1], "traj_two")
    forge.push(NOTES)
    assert forge.run().outputs["result"] == "updated"
    assert "**2 of 2 commits**" in forge.comment


def test_links_lead_to_the_hosts_own_pages(forge: Host) -> None:
    record_doubt(forge)
    forge.run()
    at = f"{forge.server.url}/acme/app"
    commit = forge.commits[0]
    anchor = hashlib.sha1(b"src/a.py").hexdigest()
    pages = {
        "gitea": (f"({at}/pulls/7/files#diff-{anchor}R1)", f"({at}/pulls/7/commits/{commit})"),
        "gitlab": (
            f"({at}/-/merge_requests/7/diffs#{anchor})",
            f"({at}/-/merge_requests/7/diffs?commit_id={commit})",
        ),
    }[name(forge)]
    assert all(page in forge.comment for page in pages)


def test_one_comment_though_the_answer_is_lost(forge: Host) -> None:
    record_doubt(forge)
    forge.github.faults = [Fault("POST ", Lost(200), after=True)]
    assert forge.run().status == 0
    assert len(forge.github.bodies()) == 1


def test_one_comment_though_three_runs_race(forge: Host) -> None:
    forge.runner.process = True
    record_doubt(forge)
    forge.github.pause = lambda: time.sleep(0.02)
    with ThreadPoolExecutor() as pool:
        steps = list(pool.map(lambda _: forge.run(), range(3)))
    assert [step.status for step in steps] == [0, 0, 0]
    assert len(forge.github.bodies()) == 1


def test_one_comment_among_many_and_none_of_others(forge: Host) -> None:
    record_doubt(forge)
    forge.run()
    mine = forge.comment
    others = [forge.github.add_comment(mine, author="mallory") for _ in range(120)]
    forge.note(forge.commits[1], "traj_two")
    forge.push(NOTES)
    assert forge.run().outputs["result"] == "updated"
    assert all(forge.github.comments[number]["body"] == mine for number in others)
    assert len(forge.github.bodies()) == 1


def test_a_comment_deleted_before_it_is_edited_on_other_forges(forge: Host) -> None:
    record_doubt(forge)
    forge.run()
    forge.note(forge.commits[1], "traj_two")
    forge.push(NOTES)
    forge.github.faults = [Fault(EDIT[name(forge)], message(404), then=forge.github.comments.clear)]
    assert forge.run().status == 0
    assert "**2 of 2 commits**" in forge.comment


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_refusal_by_the_host_never_fails_the_job(forge: Host, status: int) -> None:
    record_doubt(forge)
    forge.github.faults = [Fault("POST ", message(status), times=9)]
    done = forge.run()
    assert (done.status, done.outputs["result"], forge.github.bodies()) == (0, "summary-only", [])
    assert "a bucket" in done.summary
    assert "No comment on the pull request" in done.log


def test_an_invalid_answer_does_not_fail_the_job(forge: Host) -> None:
    record_doubt(forge)
    for body in (b"<html>", b"[]", b'{"head": 1}'):
        forge.github.faults = [Fault("GET .*(pulls|merge_requests)/7$", Reply200(body), times=9)]
        done = forge.run()
        assert (done.status, done.outputs["result"]) == (0, "failed")
        assert "cannot be read" in done.log
        assert done.outputs["coverage"] == "unknown"


def Reply200(body: bytes) -> Lost:  # noqa: N802
    return type("Odd", (Lost,), {"body": property(lambda self: body)})(200)


def test_a_run_for_an_old_head_writes_nothing_on_other_forges(forge: Host) -> None:
    record_doubt(forge)
    stale = forge.event()
    forge.clone.commit({"src/c.py": "1\n"}, "And on")
    forge.push()
    assert forge.start("pull_request", stale).outputs["result"] == "superseded"


def test_labels_on_other_forges(forge: Host) -> None:
    forge.pull.labels = ["bug"]
    record_doubt(forge)
    forge.run(labels="true")
    assert forge.pull.labels == ["bug", "traj:unsure", "traj:unrecorded"]
    forge.run(labels="true")
    forge.note(forge.commits[1], "traj_two")
    forge.push(NOTES)
    forge.run(labels="true")
    assert forge.pull.labels == ["bug", "traj:unsure"]


def test_the_gate_on_other_forges(forge: Host) -> None:
    record_doubt(forge)
    assert forge.run(require="fail", min_coverage="80").status == 1
    assert forge.run(require="fail", min_coverage="50").status == 0
    assert forge.run(require="Fial").status == 1, "a gate that cannot be evaluated is closed"


def test_a_fork_on_other_forges_gets_the_report_in_its_own_job(forge: Host) -> None:
    record_doubt(forge.over_http())
    forge.fork()
    if name(forge) == "gitea":
        forge.github.grants.clear()
    done = forge.run()
    assert (done.status, done.outputs["result"]) == (0, "summary-only")
    assert "a bucket" in done.summary
    assert "from the fork mallory/app" in done.summary
    assert {token for home, token in forge.asked if home == "mallory/app"} == {None}


def test_a_fork_on_other_forges_gets_a_comment_in_the_parents_pipeline(forge: Host) -> None:
    record_doubt(forge)
    forge.fork()
    assert forge.run("pull_request_target").outputs["result"] == "created"
    assert "from the fork mallory/app" in forge.comment


def test_without_a_pull_request_nothing_is_done(forge: Host) -> None:
    done = forge.start(
        "push",
        {
            "ref": "refs/heads/main",
            "before": "1" * 40,
            "after": "2" * 40,
            "repository": {"default_branch": "main"},
        },
    )
    assert (done.status, done.outputs["result"]) == (0, "skipped")


def test_caveats_are_code_quality_findings_at_their_lines(gitlab: Host) -> None:
    record_doubt(gitlab)
    gitlab.run()
    assert isinstance(gitlab.runner, GitLabRunner)
    (found,) = json.loads(gitlab.runner.quality)
    assert found["location"] == {"path": "src/a.py", "lines": {"begin": 1}}
    assert found["description"] == "Claude Code was unsure (50 %): a bucket"
    assert (found["severity"], len(found["fingerprint"])) == ("info", 64)


def test_the_log_of_gitlab_has_no_token_and_no_command(gitlab: Host) -> None:
    record_doubt(gitlab)
    gitlab.runner.extra = {"GIT_TRAJ_TOKEN": "glpat-" + "x" * 20}
    done = gitlab.run()
    assert done.status == 0
    assert "glpat-" not in done.log
    assert "::" not in done.log


def test_quick_actions_in_a_record_are_not_executed(gitlab: Host) -> None:
    """GitLab executes commands in comments: https://docs.gitlab.com/user/project/quick_actions."""
    orders = "fine\n/approve\n/merge\n\n/close"
    chosen = Decision(chosen=orders, by="agent", alternatives=(orders,), reasoning=orders, confidence=0.1)
    gitlab.note(gitlab.commits[0], decisions=(chosen,), why=orders)
    gitlab.push(NOTES)
    gitlab.pull.title = "/approve"
    gitlab.run()
    assert "/approve" in gitlab.comment
    assert not [line for line in gitlab.comment.splitlines() if line.lstrip().startswith("/")]
