"""One comment on a pull request, whatever races, gets lost or is deleted meanwhile.

GitHub has no "create if there is none" and no "edit if unchanged", and its answer to a write may be lost.
So nothing is believed but a listing: list, delete our own extras, write if the one with the lowest id does
not say what it should, list again; done when a listing asks for nothing. All runs agree on the lowest id,
so one comment stays. What it says is the newest head's: before a write the pull request is asked for its
head, and a run whose head is gone writes nothing.

What remains: an edit that is on its way when the head moves, and arrives after the newer run looked for the
last time. A concurrency group in the workflow, which ends the older run, leaves no room for that either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self

from github_action.api import Api
from github_action.comments import Comment, Thread
from github_action.errors import EventError, GitHubError, Gone, Limited, Unreachable
from github_action.facts import read_pull
from github_action.patience import Patience

Result = Literal["created", "updated", "unchanged", "superseded"]
_KEY = re.compile(r"[a-z0-9-]{1,50}")
_MARKER = re.compile(
    r"<!-- git-traj:pr:v1 key=(?P<key>[a-z0-9-]{1,50}) head=(?P<head>[0-9a-f]{40}) run=(?P<run>\d{1,20}) -->"
    r"(?:\r?\n|\Z)",
    re.ASCII,
)
_ROUNDS = 6
"""Each ends in a write. A race takes two or three; what comes after is somebody who deletes our comment on
and on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """The first line of the comment: all that is hidden in it, of a fixed alphabet. ``key`` tells several
    comments on one pull request apart."""

    key: str
    head: str
    run: int

    def __post_init__(self) -> None:
        check_key(self.key)

    def __str__(self) -> str:
        return f"<!-- git-traj:pr:v1 key={self.key} head={self.head} run={self.run} -->"

    @classmethod
    def of(cls, body: str) -> tuple[Self, str] | None:
        """The marker and what follows it. Only at the very beginning: elsewhere somebody quotes us."""
        found = _MARKER.match(body)
        if not found:
            return None
        return cls(key=found["key"], head=found["head"], run=int(found["run"])), body[found.end() :]


def check_key(key: str) -> str:
    """It goes into the marker. Raises EventError."""
    if not _KEY.fullmatch(key):
        raise EventError("'key' has other characters than a-z, 0-9 and '-', or too many", "use a short word")
    return key


@dataclass(frozen=True, slots=True)
class Settled:
    """``comment``: the one that stands there, if any."""

    result: Result
    comment: Comment | None


class Comments(Protocol):
    """What ``comments.Thread`` has."""

    def comments(self) -> tuple[Comment, ...]: ...
    def create(self, body: str) -> Comment: ...
    def edit(self, comment: Comment, body: str) -> None: ...
    def delete(self, comment: Comment) -> None: ...


def post(api: Api, body: str, *, number: int, marker: Marker, author: str = "") -> Settled:
    """Make ``body`` our comment on pull request ``number``. ``author``: the login that the token writes
    under; GitHub is asked for it when it is not given. Raises GitHubError."""
    return settle(
        Thread(api, number),
        marker,
        body,
        author=author or api.viewer(),
        is_live=lambda: read_pull(api, number).head == marker.head,
        patience=api.patience,
    )


def settle(
    thread: Comments,
    marker: Marker,
    body: str,
    *,
    author: str,
    is_live: Callable[[], bool],
    patience: Patience,
) -> Settled:
    """Make ``body``, under ``marker``, our one comment. ``author``: our login. ``is_live``: whether
    ``marker.head`` is still the pull request's. Raises GitHubError; then the next run cleans up."""
    text = f"{marker}\n{body}"
    result: Result = "unchanged"
    written: Comment | None = None
    trouble: GitHubError | None = None
    for _ in range(_ROUNDS):
        ours = own((*thread.comments(), *filter(None, [written])), author=author, key=marker.key)
        keeper = ours[0] if ours else None
        for extra in ours[1:]:
            thread.delete(extra)
            patience.pace()
        if keeper and _says(keeper, marker, body):
            return Settled(result, keeper)
        if keeper and written and keeper.id == written.id and _head(keeper) == marker.head:
            # another run for the same head wrote after us: had each the last word, neither would end
            return Settled("superseded", keeper)
        if not is_live():
            return Settled("superseded", keeper)
        result = "updated" if keeper else "created"
        try:
            written = _write(thread, keeper, text)
            patience.pace()
        except Gone as error:
            written, trouble = None, error
        except (Limited, Unreachable) as error:  # it may stand there all the same
            written, trouble = None, error
            patience.wait(error)
    if written:
        return Settled(result, written)
    raise trouble or Unreachable("the comment does not stay")


def own(comments: Iterable[Comment], *, author: str, key: str) -> list[Comment]:
    """Those that ``author`` wrote under ``key``, by their ids; of two with one id the first. A listing may
    lack what was just written, so that is passed after it."""
    name = author.lower()
    names = (name, f"{name}[bot]")  # GraphQL leaves the suffix out, and so do people
    found: dict[int, Comment] = {}
    for comment in comments:
        parsed = Marker.of(comment.body)
        if parsed and parsed[0].key == key and comment.author.lower() in names:
            found.setdefault(comment.id, comment)
    return [found[number] for number in sorted(found)]


def _write(thread: Comments, keeper: Comment | None, text: str) -> Comment:
    if keeper is None:
        return thread.create(text)
    thread.edit(keeper, text)
    return replace(keeper, body=text)


def _says(comment: Comment, marker: Marker, body: str) -> bool:
    """Whether it is ours in all but the run: one that has nothing new to say edits nothing."""
    parsed = Marker.of(comment.body)
    return parsed is not None and parsed[0].head == marker.head and _plain(parsed[1]) == _plain(body)


def _head(comment: Comment) -> str | None:
    parsed = Marker.of(comment.body)
    return parsed[0].head if parsed else None


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()
