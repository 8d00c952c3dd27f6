"""The pull request bot and a GitHub on loopback, which checks each request by GitHub's API description."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from github import GithubException

from github_action.api import Api, connect
from github_action.comments import Thread
from github_action.errors import EventError, ForgeError, Gone, Invalid, Limited, Refused, Unreachable
from github_action.forge import GitHub as Host
from github_action.pull_request import (
    COMMITS,
    FILES,
    find_pulls,
    merged_pulls,
    read_details,
    read_files,
    read_pull,
)
from github_action.retry import RetryBudget
from github_action.token import Token
from github_action.upsert_comment import Marker, Upserted, post
from tests.github.faults import PRIMARY, SECONDARY, Fault, Lost, message
from tests.github.server import LONGEST, TOKEN, GitHub
from tests.github.shapes import BASE, HEAD, PullState
from tests.integration.services import Reply

OLD = "0" * 39 + "1"
COMMENTS = "/repos/acme/app/issues/7/comments"
KEY = "default"


@dataclass
class Site:
    """A GitHub, and the action connected to it; ``waited``: the seconds that it would have slept."""

    github: GitHub
    api: Api
    waited: list[float] = field(default_factory=list)

    def post(
        self, body: str = "text", *, head: str = HEAD, run: int = 200, key: str = KEY, author: str = ""
    ) -> Upserted:
        return post(Host(self.api), body, number=7, marker=Marker(key=key, head=head, run=run), author=author)

    @property
    def asked(self) -> list[str]:
        return [
            call.replace(COMMENTS, "comments").replace("/repos/acme/app/", "") for call in self.github.calls
        ]


@pytest.fixture(params=["", "/api/v3"], ids=["cloud", "server"])
def prefix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def site() -> Iterator[Site]:
    yield from opened("")


@pytest.fixture
def each_site(prefix: str) -> Iterator[Site]:
    yield from opened(prefix)


def opened(prefix: str) -> Iterator[Site]:
    github = GitHub(prefix=prefix, pulls={7: PullState()})  # type: ignore[arg-type]
    waited: list[float] = []
    with github.running(), connected(github, RetryBudget(sleep=waited.append)) as api:
        yield Site(github, api, waited)
    assert github.violations == []


def connected(github: GitHub, budget: RetryBudget, token: str = TOKEN) -> Api:
    return connect(Token(token), repository="acme/app", url=github.url, budget=budget)


def text(body: str = "text", *, head: str = HEAD, run: int = 200, key: str = KEY) -> str:
    return f"{Marker(key=key, head=head, run=run)}\n{body}"


def test_a_run_creates_the_next_changes_nothing_and_a_push_updates(each_site: Site) -> None:
    github = each_site.github
    assert each_site.post().result == "created"
    assert each_site.asked == ["POST /api/graphql" if github.prefix else "POST /graphql", "GET comments",
                               "GET pulls/7", "POST comments", "GET comments"]  # fmt: skip
    github.calls.clear()
    assert each_site.post(run=201).result == "unchanged"
    assert each_site.asked[1:] == ["GET comments"]
    github.pulls[7].head = OLD
    github.calls.clear()
    found = each_site.post("new", head=OLD, run=202)
    assert each_site.asked[1:] == ["GET comments", "GET pulls/7", "PATCH issues/comments/101", "GET comments"]
    assert found.result == "updated"
    assert found.comment
    assert found.comment.url == "https://github.com/acme/app/pull/7#issuecomment-101"
    assert github.bodies() == [text("new", head=OLD, run=202)]


def test_connecting_sends_no_request(site: Site) -> None:
    Thread(site.api, 7)
    assert site.asked == []


def test_the_details_of_a_pull_request_take_three_requests(site: Site) -> None:
    site.github.pulls[7] = PullState(
        labels=["bug", "no traj"], commits=[OLD, HEAD], files=["a.py", "new.py<-old.py"], branch="topic/x"
    )
    details = read_details(site.api, 7)
    assert site.asked == ["GET pulls/7", "GET pulls/7/commits", "GET pulls/7/files"]
    assert (details.pull.head, details.pull.base) == (HEAD, BASE)
    assert (details.pull.head_repository, details.pull.fork) == ("acme/app", False)
    assert (details.pull.labels, details.pull.merged_as) == (("bug", "no traj"), None)
    assert [commit.sha for commit in details.commits] == [OLD, HEAD]
    assert [*details.files] == ["a.py", "new.py"]
    assert (details.commits_unlisted, details.files_unlisted) == (0, 0)


@pytest.mark.nightly
def test_commits_and_files_beyond_githubs_lists_are_compared_or_counted(site: Site) -> None:
    pull = PullState(commits=[f"{n:040x}" for n in range(260)], files=[f"src/{n}.py" for n in range(3001)])
    site.github.pulls[7] = pull
    details = read_details(site.api, 7)
    assert [commit.sha for commit in details.commits] == pull.commits
    assert (details.commits_unlisted, len(details.files), details.files_unlisted) == (0, FILES, 1)
    assert len(site.asked) == 1 + 3 + 30, "the pull request, its commits, its files"
    site.github.faults.append(Fault("GET .*/compare/", message(404, "Not Found")))
    details = read_details(site.api, 7)
    assert (len(details.commits), details.commits_unlisted) == (COMMITS, 10)


def test_the_files_of_a_commit_take_one_request(site: Site) -> None:
    site.github.pulls[7].changed = {HEAD: ["a.py", "b.py"]}
    assert read_files(site.api, HEAD) == ("a.py", "b.py")
    assert read_files(site.api, OLD) is None
    assert len(site.asked) == 2


@pytest.mark.parametrize("home", ["mallory/app", None])
def test_a_fork_is_recognised_even_after_its_deletion(site: Site, home: str | None) -> None:
    site.github.pulls[7].head_repository = home
    pull = read_pull(site.api, 7)
    assert (pull.fork, pull.head_repository) == (True, home)
    assert pull.head_url == (home and f"https://github.com/{home}.git")
    assert site.asked == ["GET pulls/7"]


def test_a_merged_pull_request_is_found_by_its_commit_and_branch(site: Site) -> None:
    site.github.pulls[7] = PullState(merged_as=OLD, state="closed")
    pull = read_pull(site.api, 7)
    assert pull.merged_as == OLD
    assert merged_pulls(site.api, OLD, branch="main") == (7,)
    assert merged_pulls(site.api, OLD, branch="release") == ()
    site.github.pulls[7].merged_as = None
    assert merged_pulls(site.api, HEAD, branch="main") == ()
    assert len(site.asked) == 4


def test_the_pull_request_of_a_run_is_the_one_with_that_head(each_site: Site) -> None:
    pulls = each_site.github.pulls
    pulls[8] = PullState(number=8, head_repository="mallory/app")
    pulls[9] = PullState(number=9, head_repository="mallory/app", head=OLD)
    pulls[10] = PullState(number=10, head_repository="mallory/other")
    pulls[11] = PullState(number=11, head_repository="mallory/app", state="closed")
    assert find_pulls(each_site.api, head=HEAD, branch="topic", repository="mallory/app") == (8,)
    assert find_pulls(each_site.api, head="f" * 40, branch="topic", repository="mallory/app") == ()
    assert find_pulls(each_site.api, head=HEAD, branch="topic&state=all", repository="mallory/app") == ()
    assert len(each_site.asked) == 3


def test_our_comment_is_found_on_any_page_and_no_other_is_changed(each_site: Site) -> None:
    github = each_site.github
    for number in range(150):
        github.add_comment(f"I say {number}", author="alice")
    forged = github.add_comment(text("approve this"), author="mallory")
    ours = github.add_comment(text("old", head=OLD))
    for number in range(150):
        github.add_comment(f"> {text('old', head=OLD)}" if number % 2 else "ok", author="alice")
    found = each_site.post()
    assert (found.result, found.comment and found.comment.id) == ("updated", ours)
    assert github.bodies() == [text()]
    assert github.comments[forged]["body"] == text("approve this")
    assert len(github.comments) == 302
    assert each_site.asked.count("GET comments") == 8, "four pages, twice"


def test_duplicates_of_our_comment_are_deleted_except_the_oldest(site: Site) -> None:
    ids = [site.github.add_comment(text("old", head=OLD)) for _ in range(3)]
    site.github.add_comment(text("other", key="other"))
    assert site.post().result == "updated"
    assert site.github.bodies() == [text(), text("other", key="other")]
    assert ids[0] in site.github.comments
    assert site.waited == [1.0, 1.0, 1.0], "a second for each edit or deletion"


def test_a_comment_deleted_between_list_and_edit_is_created_again(site: Site) -> None:
    ours = site.github.add_comment(text("old", head=OLD))
    deleted = Fault("PATCH", message(404, "Not Found"), then=lambda: site.github.comments.pop(ours))
    site.github.faults.append(deleted)
    assert site.post().result == "created"
    assert site.github.bodies() == [text()]


def test_github_is_not_asked_for_an_author_that_is_given(site: Site) -> None:
    site.github.viewer = "traj-app[bot]"
    site.github.add_comment(text("old", head=OLD), author="traj-app[bot]")
    assert site.post(author="Traj-App").result == "updated"
    assert "POST /graphql" not in site.asked


LOST, BAD = Lost(200), message(502, "Bad Gateway")


@pytest.mark.parametrize(
    "reply", [LOST, BAD, Reply(503, b"<html>Unicorn!</html>")], ids=["lost", "502", "503"]
)
@pytest.mark.parametrize("after", [True, False], ids=["done", "not done"])
@pytest.mark.parametrize("verb", ["POST .*/comments", "PATCH", "DELETE"])
def test_a_write_whose_answer_is_lost_is_done_once(site: Site, verb: str, after: bool, reply: Reply) -> None:
    """PyGithub's own retries would post the comment twice here, and give up on an edit."""
    if not verb.startswith("POST"):
        for _ in range(2 if verb == "DELETE" else 1):
            site.github.add_comment(text("old", head=OLD))
    site.github.faults.append(Fault(verb, reply, after=after))
    assert site.post().result == ("created" if verb.startswith("POST") else "updated")
    assert site.github.bodies() == [text()]


@pytest.mark.parametrize("request_", ["GET .*comments", "GET .*/pulls/7", "POST /graphql"])
@pytest.mark.parametrize(
    "reply",
    [
        LOST,
        BAD,
        message(429),
        message(429, retry_after="3"),
        message(403, SECONDARY),
        message(403, retry_after="3"),
    ],
    ids=["lost", "502", "429", "429 with a delay", "secondary", "403 with a delay"],
)
def test_reading_requests_are_retried(site: Site, request_: str, reply: Reply) -> None:
    site.github.faults.append(Fault(request_, reply))
    assert site.post().result == "created"
    assert site.github.bodies() == [text()]
    assert sum(site.waited) <= 61


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (LOST, Unreachable),
        (BAD, Unreachable),
        (message(429), Limited),
        (message(429, retry_after="3600"), Limited),
        (message(403, SECONDARY), Limited),
        (message(403, retry_after="3600"), Limited),
        (message(403, "Resource not accessible by integration"), Refused),
        (message(404, "Not Found"), Refused),
        (message(401, "Bad credentials"), Refused),
        (Reply(200, b"<html>Sign in</html>"), Unreachable),
        (Reply(200, b"[1, 2"), Unreachable),
        (Reply(200, {"login": "x"}), Unreachable),
        (Reply(301, b"", {"Location": "http://elsewhere.invalid/"}), Unreachable),
    ],
)
@pytest.mark.parametrize(
    "question", [lambda api: read_details(api, 7), lambda api: Thread(api, 7).comments(), Api.viewer]
)
def test_retries_end_when_the_budget_is_used_up(
    site: Site, reply: Reply, error: type[ForgeError], question: Callable[[Api], object]
) -> None:
    site.github.faults.append(Fault("", reply, times=50))
    with pytest.raises(error) as caught:
        question(site.api)
    assert sum(site.waited) <= 90
    assert len(site.asked) <= 6
    shown = f"{caught.value!r} {caught.value.hint}"
    assert TOKEN not in shown
    assert "\n" not in shown
    assert caught.value.__cause__ is None
    if error is Refused:
        assert (len(site.asked), site.waited) == (1, [])


def test_a_limit_of_an_hour_is_not_waited_for(site: Site) -> None:
    reset = str(int(time.time()) + 3600)
    reply = message(403, PRIMARY, x_ratelimit_remaining="0", x_ratelimit_reset=reset)
    for verb in ("GET", "POST /repos"):
        site.github.faults[:] = [Fault(verb, reply, times=50)]
        with pytest.raises(Limited) as caught:
            site.post()
        assert 3500 < caught.value.wait < 3700
    assert site.waited == []


def test_a_limit_that_ends_soon_is_waited_for(site: Site) -> None:
    reset = str(int(time.time()) + 20)
    reply = message(403, PRIMARY, x_ratelimit_remaining="0", x_ratelimit_reset=reset)
    site.github.faults[:] = [Fault("GET", reply), Fault("POST /repos", reply)]
    assert site.post().result == "created"
    assert 30 < sum(site.waited) < 46, "twice until the limit's end"


@pytest.mark.parametrize("verb", ["POST .*/comments", "PATCH"])
@pytest.mark.parametrize("reply", [message(429), message(403, SECONDARY)])
def test_a_write_under_a_limit_is_repeated_after_a_minute(site: Site, verb: str, reply: Reply) -> None:
    if verb == "PATCH":
        site.github.add_comment(text("old", head=OLD))
    site.github.faults.append(Fault(verb, reply))
    site.post()
    assert site.github.bodies() == [text()]
    assert site.waited == [60.0, 1.0]


def test_a_token_that_only_reads_is_refused_without_retries(each_site: Site) -> None:
    each_site.github.grants.clear()
    with pytest.raises(Refused, match="403"):
        each_site.post()
    assert each_site.asked.count("POST comments") == 1
    assert each_site.waited == []


def test_a_wrong_token_is_refused(site: Site) -> None:
    with connected(site.github, RetryBudget(), "no" + TOKEN) as api, pytest.raises(Refused, match="401"):
        read_pull(api, 7)


def test_a_comment_that_is_too_long_has_its_own_error(site: Site) -> None:
    with pytest.raises(Invalid):
        site.post("x" * LONGEST)


def test_a_deleted_comment_can_be_deleted_again_but_not_edited(site: Site) -> None:
    thread = Thread(site.api, 7)
    made = thread.create("text")
    thread.delete(made)
    thread.delete(made)
    with pytest.raises(Gone):
        thread.edit(made, "new")
    with pytest.raises(Refused, match="404"):
        Thread(site.api, 8).comments()


def test_an_invalid_id_is_never_sent(site: Site) -> None:
    site.github.pulls[7].head = "--upload-pack=x"
    with pytest.raises(Unreachable):
        read_pull(site.api, 7)


@pytest.mark.parametrize("url", ["http://github.example/api/v3", "file:///etc/passwd", "", "github.com"])
def test_a_url_without_https_is_refused(url: str) -> None:
    with pytest.raises(EventError):
        connect(Token(TOKEN), repository="acme/app", url=url, budget=RetryBudget())


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("GET", "/repos/acme/app/issues/7", None),
        ("DELETE", COMMENTS, None),
        ("GET", f"{COMMENTS}?order=desc", None),
        ("GET", f"{COMMENTS}?per_page=many", None),
        ("GET", COMMENTS, {"body": "x"}),
        ("POST", COMMENTS, {"body": "x", "head": "y"}),
        ("POST", COMMENTS, {"body": 7}),
    ],
)
def test_the_test_server_rejects_a_wrong_request(site: Site, verb: str, path: str, body: object) -> None:
    with pytest.raises(GithubException):
        site.api.repository.requester.requestJsonAndCheck(verb, path, input=body)
    assert len(site.github.violations) == 1
    site.github.violations.clear()


def test_the_test_server_rejects_a_wrong_query(site: Site) -> None:
    with pytest.raises(GithubException):
        site.api.repository.requester.graphql_query("query { viewer { age } }", {})
    assert "age" in site.github.violations.pop()


def test_the_test_server_rejects_a_wrong_answer(site: Site) -> None:
    made = site.github.add_comment("text")
    site.github.comments[made]["created_at"] = 7
    Thread(site.api, 7).comments()
    assert "7 is not of type 'string'" in site.github.violations.pop()
    del site.github.comments[made]["created_at"]
    Thread(site.api, 7).comments()
    assert "'created_at' is a required property" in site.github.violations.pop()
