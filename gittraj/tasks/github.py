"""Looks up and closes GitHub's issues and pull requests, with PyGithub, which is imported only when GitHub is
called.

Ids are numbers; ids of other repositories begin with ``OWNER/NAME#``. The environment variables and their
order are those of the ``gh`` command (https://cli.github.com/manual/gh_help_environment) and of Actions.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gittraj.errors import TaskError
from gittraj.model.values import TaskSource
from gittraj.tasks import wire
from gittraj.tasks.system import Known, Site, Status

if TYPE_CHECKING:
    from github.GithubException import GithubException

name = "github"
local = True  # the repository itself shows that the system is in use
_CLOUD = ("GH_TOKEN", "GITHUB_TOKEN")
_SERVER = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
_KEY = "the token in GH_TOKEN or GITHUB_TOKEN"
variables = (*_CLOUD, *_SERVER, "GH_HOST", "GITHUB_SERVER_URL", "GITHUB_API_URL")
_NUMBER = r"[1-9]\d{0,9}"
_REPOSITORY = r"(?P<owner>[\w-]+)/(?P<name>(?!\.\.?[/#])[\w.-]+?)"
_REMOTE = re.compile(
    rf"(?:(?:https?|ssh|git)://(?:[^@/]*@)?(?P<host>[\w.-]+)(?::\d+)?/|(?:[^@/:]+@)?(?P<scp>[\w.-]+):/?)"
    rf"{_REPOSITORY}(?:\.git)?/?",
    re.ASCII,
)
_ADDRESS = re.compile(
    rf"https?://(?P<host>[\w.-]+)/{_REPOSITORY}/(?P<kind>issues|pull)/(?P<number>{_NUMBER})(?:[/?#]\S*)?",
    re.ASCII,
)
_ID = re.compile(rf"(?:(?:{_REPOSITORY})?#|[Gg][Hh]-)(?P<number>{_NUMBER})", re.ASCII)
# GitHub itself proposes 12-the-title for the branch of an issue; people write issue-12, gh-12, fix/#12
_BRANCH = re.compile(
    rf"^(?P<number>{_NUMBER})-[A-Za-z]|(?:^|[/_-])(?:(?:gh|issues?|pr|pull)[/_-]?#?|#)(?P<marked>{_NUMBER})(?![\w.])",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Repository:
    host: str
    owner: str
    name: str

    def task(self, number: str, site: Site, *, kind: str = "issues") -> TaskSource:
        is_own = next(_repositories(site), None) == self
        return TaskSource(
            system=name,
            id=number if is_own else f"{self.owner}/{self.name}#{number}",
            url=f"https://{self.host}/{self.owner}/{self.name}/{kind}/{number}",
        )


def is_here(site: Site) -> bool:
    return any(_repositories(site))


def parse(text: str, site: Site, *, named: bool = False) -> TaskSource | None:
    if match := _ADDRESS.fullmatch(text):
        if not _is_github(match["host"], site):
            return None
        repository = Repository(match["host"].lower(), match["owner"], match["name"])
        return repository.task(match["number"], site, kind=match["kind"])
    if not (match := _ID.fullmatch(f"#{text}" if named and text.isdecimal() else text)):
        return None
    own = next(_repositories(site), None)
    if match["owner"]:
        own = Repository(own.host if own else "github.com", match["owner"], match["name"])
    return own.task(match["number"], site) if own else None


def find(branch: str, site: Site) -> TaskSource | None:
    match, own = _BRANCH.search(branch), next(_repositories(site), None)
    return own.task(match["number"] or match["marked"], site) if match and own else None


def fetch(source: TaskSource, site: Site, *, timeout: float) -> Known:
    repository, number = _locate(source, site)
    issue = _request("GET", repository, number, site, timeout)
    title, state, request = issue.get("title"), issue.get("state"), issue.get("pull_request")
    if not isinstance(title, str) or not isinstance(state, str):
        raise wire.unreadable(name)
    merged = isinstance(request, dict) and request.get("merged_at")
    url = repository.task(number, site, kind="pull" if request else "issues").url
    closed = state == "closed"
    dropped = not merged if request else issue.get("state_reason") in ("not_planned", "duplicate")
    status = "merged" if merged else state
    return Known(title=title, url=url, status=status, closed=closed, dropped=closed and dropped)


def report(source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
    """Close an issue if ``status`` is ``completed``: issues have no other status. A pull request is closed by
    merging it, not by this."""
    if status != "completed":
        raise TaskError(
            f"an issue on github is only open or closed: {source.id} stays open", reason="unsupported"
        )
    repository, number = _locate(source, site)
    issue = _request("GET", repository, number, site, timeout)
    if issue.get("pull_request"):
        why = f"{source.id} is a pull request on github: merging it is left to you"
        raise TaskError(why, reason="unsupported")
    if issue.get("state") == "open":
        _request("PATCH", repository, number, site, timeout, state="closed", state_reason="completed")


def _request(
    verb: str, repository: Repository, number: str, site: Site, timeout: float, **change: str
) -> dict[str, Any]:
    """Get or change an issue and return it; a pull request is an issue, too, in GitHub's API.

    Raises TaskError.
    """
    from github import Auth, Github  # noqa: PLC0415 - 200 ms, with requests: only for a call of GitHub

    token, base = _token(repository.host, site), _api(repository.host, site)
    wire.check(base, {"Authorization": token or ""}, service=name, key=_KEY)
    auth = Auth.Token(token) if token else None
    with _translate_errors(repository.task(number, site).id, anonymous=token is None):
        # retry: by default PyGithub waits for the rate limit to end, and tries ten times
        client = Github(auth=auth, base_url=base, timeout=max(1, math.ceil(timeout)), retry=None)
        try:
            path = f"/repos/{repository.owner}/{repository.name}/issues/{number}"
            _, issue = client.requester.requestJsonAndCheck(verb, path, input=change or None)
        finally:
            client.close()
    if not isinstance(issue, dict):
        raise wire.unreadable(name)
    return issue


@contextmanager
def _translate_errors(task: str, *, anonymous: bool) -> Iterator[None]:
    """Raise TaskErrors instead of errors of PyGithub and requests, which quote the request and the answer."""
    from github import GithubException  # noqa: PLC0415 - see above
    from requests import ConnectionError as NoConnection  # noqa: PLC0415
    from requests import RequestException, Timeout  # noqa: PLC0415

    try:
        yield
    except GithubException as error:
        raise _refusal(error, task, anonymous=anonymous) from None
    except Timeout:
        raise TaskError("github did not answer in time", "try later", reason="network") from None
    except NoConnection:
        raise wire.unreached(name, "no connection") from None
    except RecursionError:
        raise wire.unreadable(name) from None
    except RuntimeError:  # PyGithub's error for a redirection to another host
        elsewhere = "github redirects to another host; the key was not sent there"
        raise TaskError(elsewhere, "check the address of the repository", reason="network") from None
    except (RequestException, AssertionError, ValueError, TypeError, AttributeError):
        raise wire.unreadable(name) from None


def _refusal(error: GithubException, task: str, *, anonymous: bool) -> TaskError:
    headers = {k.lower(): str(v) for k, v in (error.headers or {}).items()}
    if error.status in (403, 429) and _is_rate_limit(error, headers):
        return wire.limited(name, headers.get("retry-after") or _seconds_left(headers))
    answer = wire.Answer(status=error.status, headers=headers, body=b"")
    hint = "set GITHUB_TOKEN: a private repository needs it, and so does closing an issue"
    return wire.refusal(answer, service=name, key=_KEY, task=task, without_key=hint if anonymous else None)


def _is_rate_limit(error: GithubException, headers: Mapping[str, str]) -> bool:
    is_used_up = bool(headers.get("retry-after")) or headers.get("x-ratelimit-remaining") == "0"
    return is_used_up or type(error).__name__.startswith("RateLimit")


def _seconds_left(headers: Mapping[str, str]) -> str | None:
    reset = headers.get("x-ratelimit-reset", "")
    return str(max(1, int(reset) - int(time.time()))) if reset.isdecimal() and len(reset) < 12 else None


def _locate(source: TaskSource, site: Site) -> tuple[Repository, str]:
    """Return the task's repository and number; no key is sent to a host that only a record names."""
    match = _ADDRESS.fullmatch(source.url or "")
    if not match:
        why = f"no remote says which repository on GitHub has {source.id}"
        raise TaskError(why, "name it OWNER/NAME#NUMBER", reason="unknown")
    if not _is_github(match["host"], site):
        raise TaskError(f"{match['host']} is not a known GitHub host", "set GH_HOST to it", reason="key")
    return Repository(match["host"].lower(), match["owner"], match["name"]), match["number"]


def _repositories(site: Site) -> Iterator[Repository]:
    """Yield the repositories on GitHub that the remotes name, the likeliest first."""
    for remote in site.remotes:
        match = _REMOTE.fullmatch(remote)
        host = (match["host"] or match["scp"]).lower().removeprefix("ssh.") if match else ""
        if match and _is_github(host, site):
            yield Repository(host, match["owner"], match["name"])


def _server(site: Site) -> str:
    """The GitHub host whose Action runs this process, else github.com."""
    return urlsplit(site.variable("GITHUB_SERVER_URL") or "https://github.com").hostname or "github.com"


def _is_github(host: str, site: Site) -> bool:
    known = ("github.com", (site.variable("GH_HOST") or "").lower(), _server(site))
    return host.lower() in known or host.lower().endswith(".ghe.com")


def _api(host: str, site: Site) -> str:
    """The base URL of a host's REST API (https://docs.github.com/en/rest/using-the-rest-api)."""
    if host == _server(site) and (address := site.variable("GITHUB_API_URL")):
        return address.rstrip("/")
    if host == "github.com" or host.endswith(".ghe.com"):
        return f"https://api.{host}"
    return f"https://{host}/api/v3"


def _token(host: str, site: Site) -> str | None:
    if host == "github.com" or host.endswith(".ghe.com"):
        return site.variable(*_CLOUD)
    return site.variable(*_SERVER, *(_CLOUD if host == _server(site) else ()))
