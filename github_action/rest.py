"""JSON over HTTPS for hosts that PyGithub does not speak to: GitLab, Gitea, Forgejo.

Reads and deletions are repeated within the run's budget; a write never is: the writer first looks whether it
arrived (``upsert_comment``). Nothing is followed to another host, and no message quotes an answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

import requests

from github_action.comments import Comment
from github_action.errors import ForgeError, Gone, Refused, Unreachable
from github_action.retry import RetryBudget, check_address, refusal
from gittraj import __version__

_TIMEOUT = 10  # seconds for one answer, or a part of it
_PAGES = 100
_COMMENTS = 100_000
_MOST = 1 << 25  # bytes of one answer


class Rest:
    """The API at ``url``. Its methods raise ForgeError; ``doing`` is for the message, ``missing`` the error
    for a 404. A context manager, which closes the connection."""

    def __init__(self, url: str, headers: Mapping[str, str], *, budget: RetryBudget) -> None:
        """Raises EventError for an address that the token must not be sent to."""
        self._url = check_address(url)
        self.budget = budget
        self._session = requests.Session()
        self._session.headers.update({"User-Agent": f"git-traj/{__version__}", **headers})
        self._session.auth = lambda request: request  # or a .netrc would be asked, and win

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def get(self, path: str, *, doing: str, missing: type[ForgeError] = Refused) -> Any:
        return json.loads(self.text(path, doing=doing, missing=missing))

    def text(self, path: str, *, doing: str, missing: type[ForgeError] = Refused) -> bytes:
        return self.budget.retry(lambda: self._ask("GET", path, doing=doing, missing=missing)[0])

    def pages(self, path: str, *, doing: str, most: int, **query: str) -> Iterator[Any]:
        """At most ``most`` items of all pages. The next page's address is made here, not taken from the
        answer."""
        left = most
        for page in range(1, _PAGES + 1):
            asked = {**query, "page": str(page)} if page > 1 else query  # not every list has pages
            body, more = self.budget.retry(lambda: self._ask("GET", path, doing=doing, query=asked))  # noqa: B023
            items = json.loads(body)
            yield from items[:left]
            left -= len(items)
            if not more or left <= 0:
                return

    def send(
        self, method: str, path: str, body: Any, *, doing: str, missing: type[ForgeError] = Refused
    ) -> Any:
        told = self._ask(method, path, doing=doing, missing=missing, body=body)[0]
        with readable(doing):
            return json.loads(told) if told.strip() else None

    def delete(self, path: str, *, doing: str) -> None:
        """Also succeeds if it was deleted already."""
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
        """The answer, and whether there is a next page."""
        try:
            with self._session.request(
                method,
                self._url + path,
                params=query,
                json=body,
                timeout=_TIMEOUT,
                allow_redirects=False,
                stream=True,
            ) as answer:
                if answer.status_code >= 300:
                    raise refusal(answer.status_code, answer.headers, doing=doing, missing=missing)
                told = b""
                for part in answer.iter_content(1 << 16):
                    told += part
                    if len(told) > _MOST:
                        raise Unreachable(f"{doing}: the answer is too large")
                return told, "next" in answer.links
        except requests.RequestException:
            raise Unreachable(f"{doing}: no answer", "run the job again later", wait=2.0) from None


class RestThread:
    """See ``upsert_comment.Comments``. ``at``: where the comments of one pull request are listed and made;
    ``each``: where they are by their numbers; ``verb`` edits one. ``read`` returns the comment that the host
    tells of, None if it is nobody's."""

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
            return tuple(found for told in listed if (found := self._read(told)))

    def create(self, body: str) -> Comment:
        doing = "writing the comment"
        with readable(doing):
            made = self._read(self._rest.send("POST", self._at, {"body": body}, doing=doing))
            if made is None:
                raise ValueError(doing)
            return made

    def edit(self, comment: Comment, body: str) -> None:
        doing, path = "editing the comment", f"{self._each}/{comment.id}"
        with readable(doing):
            self._rest.send(self._verb, path, {"body": body}, doing=doing, missing=Gone)

    def delete(self, comment: Comment) -> None:
        self._rest.delete(f"{self._each}/{comment.id}", doing="deleting a comment")


@contextmanager
def readable(doing: str) -> Iterator[None]:
    """Raise Unreachable for an answer that is not what it should be."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        raise Unreachable(f"{doing}: the answer cannot be read", wait=2.0) from None
