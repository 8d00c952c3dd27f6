"""Looking tasks up at services; and how a task is recorded if a service fails."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from gittraj.errors import TaskError, TrajError
from gittraj.git import open_repository
from gittraj.model.values import TaskRef, TaskSource
from gittraj.tasks.lookup import Lookup, look_up, report, survey
from gittraj.tasks.naming import detect
from gittraj.tasks.system import TASKS, Site
from tests.integration.repository import Git
from tests.integration.services import (
    KEY,
    Asked,
    Reply,
    Service,
    Workspace,
    github,
    jira,
    linear_problem,
    serve,
)
from tests.integration.waiting import LONG

STATES = {
    "s-todo": ("unstarted", "Todo", 0.0),
    "s-review": ("started", "In Review", 2.5),
    "s-doing": ("started", "In Progress", 1.5),
    "s-done": ("completed", "Done", 3.0),
    "s-not": ("canceled", "Not planned", 4.0),
}


def an_issue(number: int, **more: Any) -> dict[str, Any]:
    url = f"https://github.com/acme/app/issues/{number}"
    api = f"/repos/acme/app/issues/{number}"
    return {
        "url": api,
        "html_url": url,
        "number": number,
        "title": f"Title {number}",
        "state": "open",
        **more,
    }


def a_request(number: int, merged: str | None) -> dict[str, Any]:
    links = dict.fromkeys(("url", "html_url", "diff_url", "patch_url"), "x")
    return an_issue(number, state="closed", pull_request={**links, "merged_at": merged})


@dataclass
class Tracker:
    """A task service, the text that names a task there, and the site with its key (or another)."""

    system: str
    service: Service
    text: str

    def site(self, key: str | None = KEY) -> Site:
        return site_of(self.system, self.service.url, key)

    def task(self, text: str | None = None) -> TaskRef:
        task = detect(text or self.text, self.site())
        assert task
        assert task.source
        assert task.source.system == self.system
        return task

    def look_up(self, text: str | None = None, *, key: str | None = KEY, timeout: float = 5.0) -> Lookup:
        return look_up(self.task(text), self.site(key), timeout=timeout)


def site_of(system: str, url: str, key: str | None) -> Site:
    environ = {
        "github": {"GITHUB_API_URL": url, "GITHUB_TOKEN": key},
        "linear": {"LINEAR_API_URL": f"{url}/graphql", "LINEAR_API_KEY": key},
        "jira": {"JIRA_URL": f"{url}/base/", "JIRA_API_TOKEN": key},
    }[system]
    given = {name: value for name, value in environ.items() if value is not None}
    return Site(environ=given, remotes=("git@github.com:acme/app.git",), preferred=system)


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(STATES, "s-todo")


@pytest.fixture
def opened(workspace: Workspace) -> Iterator[Callable[[str], Tracker]]:
    answers = {
        "github": ("#12", github({12: an_issue(12), 13: a_request(13, "2026-01-02T03:04:05Z")})),
        "linear": ("ENG-456", workspace.answer),
        "jira": ("PROJ-12", jira({"PROJ-12": ("Add login", "In Progress")})),
    }
    with ExitStack() as stack:

        def start(system: str) -> Tracker:
            text, answer = answers[system]
            return Tracker(system, stack.enter_context(serve(answer)), text)

        yield start


@pytest.fixture(params=["github", "linear", "jira"])
def tracker(opened: Callable[[str], Tracker], request: pytest.FixtureRequest) -> Tracker:
    return opened(request.param)


def check_bare(result: Lookup, tracker: Tracker, reason: str) -> TaskError:
    """Check that the task is only what was named, with a one-line reason that does not contain the key."""
    assert result.task == tracker.task()
    assert result.status is None
    trouble = result.trouble
    assert trouble
    assert (trouble.reason, tracker.system in trouble.message) == (reason, True), trouble.message
    text = f"{trouble.message} {trouble.hint} {trouble!r}"
    assert KEY not in text
    assert "\n" not in text
    assert "<" not in trouble.message
    assert trouble.__cause__ is None
    return trouble


def test_a_task_is_looked_up(opened: Callable[[str], Tracker]) -> None:
    results = {name: opened(name).look_up() for name in ("github", "linear", "jira")}
    assert [result.trouble for result in results.values()] == [None, None, None]
    assert {name: (result.task.title, result.status) for name, result in results.items()} == {
        "github": ("Title 12", "open"),
        "linear": ("Add login", "Todo"),
        "jira": ("Add login", "In Progress"),
    }
    assert results["github"].task.source == TaskSource(
        system="github", id="12", url="https://github.com/acme/app/issues/12"
    )
    assert results["linear"].task.source == TaskSource(
        system="linear", id="ENG-456", url="https://linear.app/acme/issue/ENG-456/add-login"
    )


def test_a_pull_request_is_a_task_too(opened: Callable[[str], Tracker]) -> None:
    result = opened("github").look_up("#13")
    assert result.task.source
    assert (result.status, result.task.source.url) == ("merged", "https://github.com/acme/app/pull/13")


def stage(result: Lookup) -> tuple[bool, bool, bool]:
    return result.begun, result.closed, result.dropped


def test_started_closed_and_dropped_tasks_are_recognised(workspace: Workspace) -> None:
    with serve(workspace.answer) as service:
        tracker = Tracker("linear", service, "ENG-456")
        stages = {}
        for workspace.state in ("s-todo", "s-doing", "s-done", "s-not"):
            stages[workspace.state] = stage(tracker.look_up())
    assert stages == {
        "s-todo": (False, False, False),
        "s-doing": (True, False, False),
        "s-done": (False, True, False),
        "s-not": (False, True, True),
    }
    for status in ("In Progress", "Done"):
        with serve(jira({"PROJ-12": ("Add login", status)})) as service:
            tracker = Tracker("jira", service, "PROJ-12")
            assert stage(tracker.look_up()) == (status != "Done", status == "Done", False)
    done, dropped = ({"state": "closed", "state_reason": why} for why in ("completed", "not_planned"))
    issues = [an_issue(12), an_issue(13, **done), an_issue(14, **dropped), a_request(15, None)]
    issues.append(a_request(16, "2026-01-02T03:04:05Z"))
    with serve(github({issue["number"]: issue for issue in issues})) as service:
        tracker = Tracker("github", service, "#12")
        stages = [stage(tracker.look_up(f"#{issue['number']}")) for issue in issues]
    closed = [(False, True, False), (False, True, True)]
    assert stages == [(False, False, False), *closed, closed[1], closed[0]]


def test_one_request_is_enough(tracker: Tracker) -> None:
    tracker.look_up()
    assert len(tracker.service.asked) == 1
    assert tracker.service.asked[0].headers["user-agent"]


def test_a_wrong_key_is_reported(tracker: Tracker) -> None:
    trouble = check_bare(tracker.look_up(key="another"), tracker, "key")
    assert "does not accept" in trouble.message


@pytest.mark.parametrize("key", ["two\nlines", "K\u00e9y"])
def test_an_invalid_key_is_never_sent(tracker: Tracker, key: str) -> None:
    trouble = tracker.look_up(key=key).trouble
    assert trouble
    assert trouble.reason == "key"
    assert key not in f"{trouble.message} {trouble.hint}"
    assert tracker.service.asked == []


def test_a_missing_key_is_named(opened: Callable[[str], Tracker]) -> None:
    assert opened("github").look_up(key=None).task.title == "Title 12"  # this one is public
    asked = (("linear", "ENG-456", "LINEAR_API_KEY"), ("jira", "PROJ-12", "JIRA_API_TOKEN"),
             ("github", "#99", "GITHUB_TOKEN"))  # fmt: skip
    for system, text, said in asked:
        trouble = opened(system).look_up(text, key=None).trouble
        assert trouble
        assert said in f"{trouble.message} {trouble.hint}"


def test_an_unknown_id_is_reported(opened: Callable[[str], Tracker]) -> None:
    for system, text in (("github", "#99"), ("linear", "ENG-999"), ("jira", "PROJ-999")):
        tracker = opened(system)
        result = tracker.look_up(text)
        assert result.task == tracker.task(text)
        assert result.trouble
        assert result.trouble.reason == "unknown"
        assert text.strip("#") in result.trouble.message


LIMITS = {
    "github": [
        Reply(403, {"message": "API rate limit exceeded for user ID 1."}, {"X-RateLimit-Remaining": "0"}),
        Reply(403, {"message": "You have exceeded a secondary rate limit."}, {"Retry-After": "60"}),
        Reply(429, {"message": "Too many"}, {"Retry-After": "60"}),
    ],
    "linear": [linear_problem("RATELIMITED"), Reply(429, b"", {"Retry-After": "60"})],
    "jira": [Reply(429, {"errorMessages": ["Rate limit exceeded."]}, {"Retry-After": "60"})],
}


def test_a_rate_limit_is_not_waited_for(tracker: Tracker) -> None:
    for reply in LIMITS[tracker.system]:
        tracker.service.answer = lambda _, reply=reply: reply  # type: ignore[misc]
        started = time.monotonic()
        trouble = check_bare(tracker.look_up(), tracker, "limit")
        assert time.monotonic() - started < LONG
        assert trouble.hint
        assert ("60 seconds" in trouble.hint) == ("Retry-After" in reply.headers)


def test_githubs_limit_says_when_it_ends(opened: Callable[[str], Tracker]) -> None:
    tracker = opened("github")
    end = str(int(time.time()) + 100)
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": end}
    tracker.service.answer = lambda _: Reply(403, {"message": "API rate limit exceeded"}, headers)
    trouble = tracker.look_up().trouble
    assert trouble
    assert trouble.hint in [f"try again in {left} seconds" for left in range(1, 101)]


def test_a_missing_network_is_reported(tracker: Tracker) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        site = site_of(tracker.system, f"http://127.0.0.1:{unused.getsockname()[1]}", KEY)
        result = look_up(
            tracker.task(), Site(environ=site.environ, remotes=site.remotes, preferred=tracker.system)
        )
    if tracker.system == "jira":  # the task's URL names another Jira than the configured one
        result = look_up(TaskRef(title="PROJ-12", source=TaskSource(system="jira", id="PROJ-12")), site)
        assert result.trouble
        assert result.trouble.reason == "network"
    else:
        check_bare(result, tracker, "network")


def test_a_host_name_that_cannot_be_resolved_is_reported(tracker: Tracker) -> None:
    site = site_of(tracker.system, "https://nowhere.invalid", KEY)
    task = detect(tracker.text, site)
    assert task
    result = look_up(task, site, timeout=2)
    assert result.task == task
    assert result.trouble
    assert result.trouble.reason == "network"


def test_a_service_that_never_answers_is_given_up(tracker: Tracker) -> None:
    end = Event()

    def wait(_: Asked) -> Reply:
        end.wait(LONG)
        return Reply(200, {})

    tracker.service.answer = wait
    trouble = check_bare(tracker.look_up(timeout=0.3), tracker, "network")
    end.set()
    assert "0.3 seconds" in trouble.message


def test_a_service_that_sends_a_byte_now_and_then_is_given_up(tracker: Tracker) -> None:
    end = Event()

    def drip() -> Iterator[bytes]:
        while not end.wait(0.05):
            yield b" "

    tracker.service.answer = lambda _: Reply(200, headers={"Content-Length": "100000"}, drip=drip)
    check_bare(tracker.look_up(timeout=0.5), tracker, "network")
    end.set()


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"<html>Sign in</html>",
        b'{"a":' * 20_000,
        {},
        {"title": 5, "state": "open", "data": {"issue": {"title": 5}}, "fields": {"summary": 5}},
        {"title": None, "data": {"issue": None}, "fields": None},
        {"data": 5, "fields": [5], "title": [], "errors": 5},
        {"data": None, "errors": [5, {"extensions": 5}], "fields": 5},
    ],
)
def test_a_damaged_answer_is_reported(tracker: Tracker, value: Any) -> None:
    tracker.service.answer = lambda _: Reply(200, value)
    check_bare(tracker.look_up(), tracker, "answer")


def test_an_answer_that_breaks_off_is_reported(tracker: Tracker) -> None:
    tracker.service.answer = lambda _: Reply(
        200, b'{"title":', {"Content-Length": "500", "Connection": "close"}
    )
    result = tracker.look_up()
    assert result.task == tracker.task()
    assert result.trouble
    assert result.trouble.reason in ("answer", "network")


def test_a_huge_answer_is_refused(opened: Callable[[str], Tracker]) -> None:
    for system in ("linear", "jira"):
        tracker = opened(system)
        said = tracker.service.answer

        def pad(asked: Asked, said: Any = said) -> Reply:
            return Reply(200, b" " * (2 << 20) + said(asked).body)

        tracker.service.answer = pad
        check_bare(tracker.look_up(), tracker, "answer")


@pytest.mark.parametrize("status", [500, 502, 503])
def test_an_error_of_a_service_is_reported(tracker: Tracker, status: int) -> None:
    tracker.service.answer = lambda _: Reply(status, b"<html>busy</html>")
    result = tracker.look_up()
    assert result.trouble
    assert result.trouble.reason in ("network", "answer")
    assert result.task == tracker.task()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirection_gets_no_key(tracker: Tracker, status: int) -> None:
    with serve(lambda _: Reply(200, {"title": "Not ours", "state": "open"})) as other:
        to = other.url.replace("127.0.0.1", "localhost") + "/x"
        tracker.service.answer = lambda _: Reply(status, {}, {"Location": to})
        result = tracker.look_up()
        assert result.trouble
        assert result.trouble.reason in ("network", "answer")
        assert result.task == tracker.task()
        assert other.asked == []


def test_endless_redirections_are_given_up(opened: Callable[[str], Tracker]) -> None:
    tracker = opened("github")
    count = iter(range(10**9))
    tracker.service.answer = lambda _: Reply(301, {}, {"Location": f"{tracker.service.url}/r/{next(count)}"})
    result = tracker.look_up(timeout=1)
    assert result.task == tracker.task()
    assert result.trouble  # a timeout, or more redirections than PyGithub allows


def test_a_title_is_reduced_to_one_harmless_line(
    opened: Callable[[str], Tracker], workspace: Workspace
) -> None:
    workspace.title = "Add\n\x1b[2Jlog\u202ein " + "x" * 999
    workspace.url = "https://evil.example.com/issue"
    result = opened("linear").look_up()
    assert result.task.title.startswith("Add [2Jlogin xxx")
    assert len(result.task.title) == 500
    assert result.task.source == TaskSource(system="linear", id="ENG-456")


def test_jira_in_the_cloud_wants_the_account_too() -> None:
    with serve(jira({"PROJ-1": ("A", "B")}, user="ada@example.com")) as service:
        tracker = Tracker("jira", service, "PROJ-1")
        site = tracker.site()
        with_user = Site(environ={**site.environ, "JIRA_EMAIL": "ada@example.com"}, preferred="jira")
        assert look_up(tracker.task(), with_user).task.title == "A"
        check_bare(tracker.look_up(), tracker, "key")  # with status 404, as for an unknown issue


def test_a_password_in_jiras_address_is_shown_nowhere(opened: Callable[[str], Tracker]) -> None:
    tracker = opened("jira")
    address = tracker.site().environ["JIRA_URL"].replace("://", f"://ada:{KEY}@")
    site = Site(environ={"JIRA_URL": address, "JIRA_TOKEN": KEY})
    task = detect("PROJ-12", site)
    assert task
    assert KEY not in repr(task)
    assert look_up(task, site).task.title == "Add login"
    assert KEY not in repr(site)


def test_no_key_is_sent_to_an_address_from_a_record(opened: Callable[[str], Tracker]) -> None:
    for system in ("github", "jira"):
        tracker = opened(system)
        address = "https://evil.example.com/acme/app/issues/12"
        source = TaskSource(system=system, id="PROJ-12", url=address)
        result = look_up(TaskRef(title="t", source=source), tracker.site())
        assert result.trouble
        assert result.trouble.reason == "key"
        assert tracker.service.asked == []


def test_no_key_is_sent_unencrypted(tracker: Tracker) -> None:
    site = site_of(tracker.system, "http://tasks.example.com", KEY)
    task = detect(tracker.text, site)
    assert task
    trouble = look_up(task, site).trouble
    assert trouble
    assert (trouble.reason, "http" in trouble.message) == ("key", True)


def test_linear_gets_the_status(opened: Callable[[str], Tracker], workspace: Workspace) -> None:
    tracker = opened("linear")
    assert report(tracker.task(), "started", tracker.site()) is None
    assert workspace.state == "s-doing"
    workspace.state = "s-review"
    assert report(tracker.task(), "started", tracker.site()) is None
    assert workspace.state == "s-review"  # also a started state: the issue is not moved back
    assert report(tracker.task(), "completed", tracker.site()) is None
    assert workspace.state == "s-done"
    del workspace.states["s-done"]
    workspace.state = "s-doing"
    trouble = report(tracker.task(), "completed", tracker.site())
    assert trouble
    assert (trouble.reason, workspace.state) == ("unsupported", "s-doing")


def test_a_refusal_by_linear_is_reported(opened: Callable[[str], Tracker], workspace: Workspace) -> None:
    tracker = opened("linear")
    trouble = report(tracker.task(), "started", tracker.site("another"))
    assert trouble
    assert (trouble.reason, workspace.state) == ("key", "s-todo")
    tracker.service.answer = lambda asked: (
        Reply(200, {"data": {"issueUpdate": {"success": False}}})
        if "issueUpdate" in asked.body["query"]
        else workspace.answer(asked)
    )
    trouble = report(tracker.task(), "started", tracker.site())
    assert trouble
    assert trouble.reason == "answer"


def test_a_completed_issue_is_closed_on_github() -> None:
    issues = {12: an_issue(12), 13: a_request(13, None), 14: an_issue(14, state="closed")}
    with serve(github(issues)) as service:
        tracker = Tracker("github", service, "#12")
        trouble = report(tracker.task(), "started", tracker.site())
        assert trouble
        assert trouble.reason == "unsupported"
        assert report(tracker.task(), "completed", tracker.site()) is None
        assert (issues[12]["state"], issues[12]["state_reason"]) == ("closed", "completed")
        before = len(service.asked)
        assert report(tracker.task("#14"), "completed", tracker.site()) is None
        trouble = report(tracker.task("#13"), "completed", tracker.site())
        assert trouble
        assert "pull request" in trouble.message
        assert [asked.method for asked in service.asked[before:]] == ["GET", "GET"]


def test_jira_and_plain_tasks_get_no_status(opened: Callable[[str], Tracker]) -> None:
    tracker = opened("jira")
    for task in (tracker.task(), detect("write it", tracker.site()), TaskRef(title="x")):
        assert task
        trouble = report(task, "completed", tracker.site())
        assert trouble
        assert trouble.reason == "unsupported"
    assert tracker.service.asked == []


def test_a_task_of_no_system_is_not_looked_up() -> None:
    for task in (TaskRef(title="x"), TaskRef(title="y", source=TaskSource(system="gitlab", id="1"))):
        assert look_up(task, Site()) == Lookup(task=task)
    plain = detect("write the docs", Site())
    assert plain
    assert look_up(plain, Site()) == Lookup(task=plain)


def test_the_repository_determines_where_its_tasks_are(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "main")
    git("commit", "--allow-empty", "-m", "x")
    for name, owner in (("origin", "me"), ("upstream", "acme"), ("another", "you")):
        git("remote", "add", name, f"https://github.com/{owner}/app")
    git("worktree", "add", "-q", str(tmp_path / "linked"))
    environ = {"LINEAR_API_KEY": KEY, "HOME": "/home/ada", "PATH": "/bin"}
    with open_repository(tmp_path / "linked") as repository:
        site = survey(repository, environ)
        assert site.folders == (tmp_path / "linked", tmp_path / "main")
        assert [remote.split("/")[3] for remote in site.remotes] == ["acme", "me", "you"]
        assert site.environ == {"LINEAR_API_KEY": KEY, "PATH": "/bin"}
        assert KEY not in repr(site)
        with pytest.raises(TrajError, match=r"traj\.tasks: unknown task system 'linaer'"):
            survey(repository, {}, preferred="linaer")


def test_pygithub_is_loaded_when_github_is_asked() -> None:
    code = (
        "import sys; from gittraj.tasks import lookup, naming, system;"
        "site = system.Site(remotes=('https://github.com/a/b',));"
        f"naming.from_branch('x', site); [system.system_of(name) for name in {list(TASKS)}];"
        "assert naming.detect('#1', site).source.system == 'github';"
        "print(*[m for m in ('github', 'requests', 'urllib.request', 'pygit2') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
