"""Keeps exactly one comment on a pull request, despite races, lost responses and deletions.

No host has "create if absent" or "edit if unchanged", and the response to a write may be lost. So only a
listing is trusted: list, delete our duplicates, write if the comment with the lowest id is not up to date,
list again; done when a listing needs no change. All runs agree on the lowest id, so one comment remains. It
describes the newest head: before a write the pull request's head is read, and a run for another head writes
nothing.

One race remains: an edit under way when the head moves, which arrives after the newer run's last listing. A
concurrency group in the workflow, which cancels the older run, prevents it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol, Self

from github_action.comments import Comment
from github_action.errors import EventError, ForgeError, Gone, Limited, Unreachable
from github_action.retry import RetryBudget

if TYPE_CHECKING:
    from github_action.forge import Forge

Result = Literal["created", "updated", "unchanged", "superseded"]
_KEY = re.compile(r"[a-z0-9-]{1,50}")
_MARKER = re.compile(
    r"<!-- git-traj:pr:v1 key=(?P<key>[a-z0-9-]{1,50}) head=(?P<head>[0-9a-f]{40}) run=(?P<run>\d{1,20})"
    r"(?: of=(?P<of>[0-9a-f]{16}))? -->(?:\r?\n|\Z)",
    re.ASCII,
)
_RUN = re.compile(r"(?:(?<=/actions/runs/)|(?<=/-/jobs/))\d+")
_BEGINS = "### Why this change"
"""How each of our reports begins."""
_ROUNDS = 6
"""Maximum number of rounds, each of which ends with a write. A race takes two or three; more means that
something deletes our comment again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """The hidden first line of our comment. ``key`` distinguishes several comments on one pull request;
    ``of`` is the comment's ``owner_of``, empty in comments of earlier versions."""

    key: str
    head: str
    run: int
    of: str = ""

    def __post_init__(self) -> None:
        check_key(self.key)

    def __str__(self) -> str:
        owner = f" of={self.of}" if self.of else ""
        return f"<!-- git-traj:pr:v1 key={self.key} head={self.head} run={self.run}{owner} -->"

    @classmethod
    def read(cls, body: str) -> tuple[Self, str] | None:
        """Parse the marker and the text after it; None unless the body begins with it: elsewhere it is a
        quote."""
        match = _MARKER.match(body)
        if not match:
            return None
        marker = cls(key=match["key"], head=match["head"], run=int(match["run"]), of=match["of"] or "")
        return marker, body[match.end() :]


def owner_of(repository: str, workflow: str) -> str:
    """The hash that binds a comment to a workflow: all workflows of a repository write under the same login.
    ``repository`` is the repository's id, ``workflow`` the path of the workflow's file."""
    return hashlib.sha256(f"{repository}\n{workflow}".encode()).hexdigest()[:16]


def check_key(key: str) -> str:
    """Validate a marker's key and return it. Raises EventError."""
    if not _KEY.fullmatch(key):
        raise EventError("'key' may contain only a-z, 0-9 and '-', and have at most 50 characters")
    return key


@dataclass(frozen=True, slots=True)
class Upserted:
    """The result of an update; ``comment`` is our comment afterwards, if there is one."""

    result: Result
    comment: Comment | None


class Comments(Protocol):
    """The comments of one pull request. Its methods raise ForgeError; ``edit`` raises Gone for a comment that
    was deleted, ``delete`` does not."""

    def comments(self) -> tuple[Comment, ...]: ...
    def create(self, body: str) -> Comment: ...
    def edit(self, comment: Comment, body: str) -> None: ...
    def delete(self, comment: Comment) -> None: ...


def post(forge: Forge, body: str, *, number: int, marker: Marker, author: str = "") -> Upserted:
    """Make ``body`` our comment on a pull request. ``author``: the token's login, looked up if empty.
    Raises ForgeError."""
    return upsert(
        forge.thread(number),
        marker,
        body,
        author=author or forge.viewer(),
        is_live=lambda: forge.head(number) == marker.head,
        budget=forge.budget,
    )


def upsert(
    thread: Comments,
    marker: Marker,
    body: str,
    *,
    author: str,
    is_live: Callable[[], bool],
    budget: RetryBudget,
) -> Upserted:
    """Make ``body``, under ``marker``, our only comment. ``author``: our login. ``is_live``: whether
    ``marker.head`` is still the pull request's head. Raises ForgeError; the next run cleans up."""
    text = f"{marker}\n{body}"
    result: Result = "unchanged"
    written: Comment | None = None
    failure: ForgeError = Unreachable("the comment was deleted or changed each time it was written")
    for _ in range(_ROUNDS):
        ours = own((*thread.comments(), *filter(None, [written])), author=author, marker=marker)
        keeper = next(iter(ours), None)
        for extra in ours[1:]:
            thread.delete(extra)
            budget.pace()
        if keeper and _is_current(keeper, marker, body):
            return Upserted(result, keeper)
        if _wrote_after(keeper, written, marker) or not is_live():
            return Upserted("superseded", keeper)
        result = "updated" if keeper else "created"
        try:
            written = _write(thread, keeper, text)
            budget.pace()
        except (Gone, Limited, Unreachable) as error:  # it may have been written nevertheless
            written, failure = None, error
            budget.wait(error)
    if written:
        return Upserted(result, written)
    raise failure


def own(comments: Iterable[Comment], *, author: str, marker: Marker) -> list[Comment]:
    """The comments that ``author`` wrote under the key and for the owner of ``marker``, by id; of two with
    the same id, only the first. A listing may lack a comment just written, so pass that after the listing.

    If there are none, return the first report of an earlier version, whose marker does not name an owner.
    """
    keyed = [*_keyed(comments, author.lower(), marker.key)]
    former = (comment for comment, other, text in keyed if not other.of and text.startswith(_BEGINS))
    return [comment for comment, other, _ in keyed if other.of == marker.of] or [*islice(former, 1)]


def _keyed(comments: Iterable[Comment], author: str, key: str) -> Iterator[tuple[Comment, Marker, str]]:
    """Yield each comment of ``author`` under ``key``, by id, with its marker and the text after it."""
    names = (author, f"{author}[bot]")  # GraphQL omits the suffix, and so do people
    by_id: dict[int, tuple[Comment, Marker, str]] = {}
    for comment in comments:
        parsed = Marker.read(comment.body)
        if parsed and parsed[0].key == key and comment.author.lower() in names:
            by_id.setdefault(comment.id, (comment, *parsed))
    yield from (each for _, each in sorted(by_id.items()))


def _wrote_after(keeper: Comment | None, written: Comment | None, marker: Marker) -> bool:
    """Whether another run for the same head wrote after us: then stop, or both would overwrite forever."""
    if keeper is None or written is None or keeper.id != written.id:
        return False
    parsed = Marker.read(keeper.body)
    return parsed is not None and parsed[0].head == marker.head


def _write(thread: Comments, keeper: Comment | None, text: str) -> Comment:
    if keeper is None:
        return thread.create(text)
    thread.edit(keeper, text)
    return replace(keeper, body=text)


def _is_current(comment: Comment, marker: Marker, body: str) -> bool:
    """Whether the comment has this head, owner and body; a different run alone is not a reason to edit."""
    parsed = Marker.read(comment.body)
    if parsed is None:
        return False
    current, text = parsed
    return (current.head, current.of, _plain(text)) == (marker.head, marker.of, _plain(body))


def _plain(text: str) -> str:
    """Remove irrelevant differences: line ends, and the id of the run whose summary is linked."""
    return _RUN.sub("", text.replace("\r\n", "\n").strip())
