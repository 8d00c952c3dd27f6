"""Sends JSON over HTTPS to hosts that PyGithub does not support: GitLab, Gitea, Forgejo.

Reads and deletions are retried within the run's budget. Writes are not: the caller first checks whether the
write arrived (``upsert_comment``). Redirects are not followed, and no message quotes a response.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Self

import requests

from github_action.comments import Comment
from github_action.errors import ForgeError, Gone, Refused, Unreachable
from github_action.retry import RetryBudget, check_address, refusal
from gittraj import __version__

_TIMEOUT = 10  # seconds to wait for the response, and for each part of it
_PAGES = 100  # maximum number of pages of a list
_COMMENTS = 100_000  # maximum number of comments on a pull request
_MAX_SIZE = 1 << 25  # bytes of one response


class Rest:
    """The API at ``url``. Its methods raise ForgeError, whose message begins with ``doing``, such as "listing
    comments"; ``missing`` is the error for a 404. A context manager that closes the connection."""

    def __init__(self, url: str, headers: Mapping[str, str], *, budget: RetryBudget) -> None:
        """Prepare the connection. Raises EventError for an address that the token must not be sent to."""
        self._url = check_address(url)
        self.budget = budget
        self._session = requests.Session()
        self._session.headers.update({"User-Agent": f"git-traj/{__version__}", **headers})
        self._session.auth = lambda request: request  # otherwise a .netrc would override our header

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def get(self, path: str, *, doing: str, missing: type[ForgeError] = Refused) -> Any:
        return json.loads(self.text(path, doing=doing, missing=missing))

    def text(self, path: str, *, doing: str, missing: type[ForgeError] = Refused) -> bytes:
        return self.budget.retry(lambda: self._ask("GET", path, doing=doing, missing=missing)[0])

    def pages(self, path: str, *, doing: str, most: int, **query: str) -> Iterator[Any]:
        """Yield at most ``most`` items of all pages. The address of the next page is made by this method, not
        taken from the response."""
        left = most
        for page in range(1, _PAGES + 1):
            paged = {**query, "page": str(page)} if page > 1 else query  # not every list has pages
            body, more = self.budget.retry(lambda: self._ask("GET", path, doing=doing, query=paged))  # noqa: B023
            items = json.loads(body)
            yield from items[:left]
            left -= len(items)
            if not more or left <= 0:
                return

    def send(
        self, method: str, path: str, body: Any, *, doing: str, missing: type[ForgeError] = Refused
    ) -> Any:
        answer = self._ask(method, path, doing=doing, missing=missing, body=body)[0]
        with readable(doing):
            return json.loads(answer) if answer.strip() else None

    def delete(self, path: str, *, doing: str) -> None:
        """Delete the object; succeeds, too, if it was deleted already."""
        with suppress(Gone):
            self.budget.retry(lambda: self._ask("DELETE", path, doing=doing, missing=Gone))

    def _ask(
        self,
        method: str,
        path: str,
        *,
        doing: str,
        missing: type[ForgeError] = Refused,
        query: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> tuple[bytes, bool]:
        """Return the response's body, and whether there is a next page."""
        try:
            with self._session.request(
                method,
                self._url + path,
                params=query,
                json=body,
                timeout=_TIMEOUT,
                allow_redirects=False,
                stream=True,
            ) as response:
                if response.status_code >= 300:
                    raise refusal(response.status_code, response.headers, doing=doing, missing=missing)
                content = b""
                for part in response.iter_content(1 << 16):
                    content += part
                    if len(content) > _MAX_SIZE:
                        raise Unreachable(f"{doing}: the response is too large")
                return content, "next" in response.links
        except requests.RequestException:
            raise Unreachable(f"{doing}: no response", "run the job again later", wait=2.0) from None


class RestThread:
    """The comments of one pull request: see ``upsert_comment.Comments``.

    ``at`` is the path to list and create them; ``each`` is the path of a comment without its number; ``verb``
    is the HTTP method that edits a comment. ``read`` parses a comment of the host's, and returns None if no
    user wrote it. ``order`` has the query's parameters for the list.
    """

    def __init__(
        self,
        rest: Rest,
        at: str,
        each: str,
        verb: str,
        read: Callable[[Any], Comment | None],
        **order: str,
    ) -> None:
        self._rest, self._at, self._each, self._verb = rest, at, each, verb
        self._read, self._order = read, order

    def comments(self) -> tuple[Comment, ...]:
        doing = "listing comments"
        with readable(doing):
            listed = self._rest.pages(self._at, doing=doing, most=_COMMENTS, **self._order)
            return tuple(comment for raw in listed if (comment := self._read(raw)))

    def create(self, body: str) -> Comment:
        doing = "writing the comment"
        with readable(doing):
            comment = self._read(self._rest.send("POST", self._at, {"body": body}, doing=doing))
            if comment is None:
                raise ValueError(doing)
            return comment

    def edit(self, comment: Comment, body: str) -> None:
        doing, path = "editing the comment", f"{self._each}/{comment.id}"
        with readable(doing):
            self._rest.send(self._verb, path, {"body": body}, doing=doing, missing=Gone)

    def delete(self, comment: Comment) -> None:
        self._rest.delete(f"{self._each}/{comment.id}", doing="deleting a comment")


@contextmanager
def readable(doing: str) -> Iterator[None]:
    """Raise Unreachable for a response that does not have the expected form."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        raise Unreachable(f"{doing}: the response cannot be read", wait=2.0) from None
