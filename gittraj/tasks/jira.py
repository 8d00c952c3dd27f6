"""Looks up Jira's issues (read only) with version 2 of the REST API, which Cloud and Data Center both have
(https://developer.atlassian.com/cloud/jira/platform/rest/v2/api-group-issues/).

Cloud requires the account's e-mail address and an API token (Basic), Data Center a personal access token
(Bearer). With a wrong token, Cloud may answer as without one: 404, and the reason in a header.
"""

from __future__ import annotations

import base64
import re
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from gittraj.errors import TaskError
from gittraj.model.values import TaskSource
from gittraj.tasks import wire
from gittraj.tasks.naming import find_key, parse_key
from gittraj.tasks.system import Known, Site, Status

name = "jira"
local = False  # only the environment shows that the system is in use
URL = "JIRA_URL"
TOKEN = "JIRA_API_TOKEN"  # noqa: S105 - a name
variables = (URL, TOKEN, "JIRA_TOKEN", "JIRA_EMAIL", "JIRA_USER")
_ADDRESS = re.compile(
    r"(https?://([\w.-]+(?::\d+)?)(?:/[\w.-]+)*/browse/([A-Z][A-Z0-9_]+-\d+))(?:[/?#]\S*)?", re.ASCII
)


def is_here(site: Site) -> bool:
    return site.variable(URL) is not None


def parse(text: str, site: Site, *, named: bool = False) -> TaskSource | None:
    if match := _ADDRESS.fullmatch(text):
        host = match[2].lower()
        is_jira = host == _base(site).netloc.lower() or host.endswith(".atlassian.net")
        return TaskSource(system=name, id=match[3], url=match[1]) if is_jira or named else None
    return _source(parse_key(text, loose=named), site)


def find(branch: str, site: Site) -> TaskSource | None:
    return _source(find_key(branch), site)


def _source(key: str | None, site: Site) -> TaskSource | None:
    return TaskSource(system=name, id=key, url=_address(_base(site), key)) if key else None


def fetch(source: TaskSource, site: Site, *, timeout: float) -> Known:
    base = _base(site)
    if not base.netloc:
        raise TaskError(
            f"{URL} is not set, so Jira was not called", "set it to the address of your Jira", reason="key"
        )
    if source.url and urlsplit(source.url).netloc.lower() != base.netloc.lower():
        why = f"{source.id} belongs to another Jira than {URL}"
        raise TaskError(why, f"set {URL} to the address of that Jira", reason="key")
    url = f"{base.geturl()}/rest/api/2/issue/{quote(source.id, safe='')}?fields=summary,status"
    headers = _credential(site)
    answer = wire.ask(url, service=name, key=TOKEN, headers=headers, timeout=timeout)
    if answer.status != 200:
        raise _refusal(answer, source.id, anonymous=not headers)
    fields = answer.value(name).get("fields")
    title = fields.get("summary") if isinstance(fields, dict) else None
    if not isinstance(fields, dict) or not isinstance(title, str):
        raise wire.unreadable(name)
    status = _object(fields.get("status"))
    label, category = status.get("name"), _object(status.get("statusCategory"))
    return Known(
        title=title,
        url=_address(base, source.id),
        status=label if isinstance(label, str) else None,
        begun=category.get("key") == "indeterminate",
        closed=category.get("key") == "done",
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def report(source: TaskSource, status: Status, site: Site, *, timeout: float) -> None:
    raise TaskError(f"jira is only read: {source.id} keeps its status", "set it there", reason="unsupported")


def _refusal(answer: wire.Answer, task: str, *, anonymous: bool) -> TaskError:
    if answer.headers.get("x-seraph-loginreason", "").startswith("AUTHENTICAT"):
        return wire.wrong_key(name, TOKEN)
    hint = f"set {TOKEN}, and JIRA_EMAIL if it is in the cloud" if anonymous else None
    return wire.refusal(answer, service=name, key=TOKEN, task=task, without_key=hint)


def _credential(site: Site) -> dict[str, str]:
    token, user = site.variable(TOKEN, "JIRA_TOKEN"), site.variable("JIRA_EMAIL", "JIRA_USER")
    if token is None:
        return {}
    if user is None:
        return {"Authorization": f"Bearer {token}"}
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{token}".encode()).decode()}


def _base(site: Site) -> SplitResult:
    """The configured address, without a password, query or fragment."""
    text = site.variable(URL) or ""
    parts = urlsplit(text if "://" in text or not text else f"https://{text}")
    return parts._replace(
        netloc=parts.netloc.rpartition("@")[2], path=parts.path.rstrip("/"), query="", fragment=""
    )


def _address(base: SplitResult, key: str) -> str | None:
    return f"{base.geturl()}/browse/{key}" if base.netloc else None
