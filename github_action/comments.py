"""Lists, creates, edits and deletes the comments of one pull request on GitHub.

This module must not decide which comments are ours, nor retry a write: ``upsert_comment`` does both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from github.IssueComment import IssueComment

from github_action.api import Api, translated
from github_action.errors import Gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment; ``author`` is the login, with ``[bot]`` for apps."""

    id: int
    author: str
    body: str
    url: str


class Thread:
    """A pull request's comments, which GitHub keeps on its issue. All methods raise ForgeError."""

    def __init__(self, api: Api, number: int) -> None:
        self._api = api
        self._issue = api.repository.get_issue(number)

    def comments(self) -> tuple[Comment, ...]:
        """Return the comments of all pages: our comment may be on any page."""
        with translated("listing comments"):
            return tuple(_comment(comment) for comment in self._issue.get_comments())

    def create(self, body: str) -> Comment:
        with translated("writing the comment"):
            return _comment(self._issue.create_comment(body))

    def edit(self, comment: Comment, body: str) -> None:
        """Replace the comment's text. Raises Gone if it was deleted."""
        with translated("editing the comment", missing=Gone):
            self._lazy(comment).edit(body)

    def delete(self, comment: Comment) -> None:
        """Delete the comment; also succeeds if it is already gone."""
        try:
            with translated("deleting a comment", missing=Gone):
                self._lazy(comment).delete()
        except Gone:
            pass

    def relabel(self, labels: Mapping[str, bool]) -> None:
        """Add the labels whose value is true, and remove the others."""
        with translated("setting labels"):
            present = {label.name for label in self._issue.get_labels()}
            new = [name for name, wanted in labels.items() if wanted and name not in present]
            if new:
                # PyGithub's add_to_labels sends a bare list, which GitHub's API description does not allow
                self._api.repository.requester.requestJsonAndCheck(
                    "POST", f"{self._issue.url}/labels", input={"labels": new}
                )
            for name, wanted in labels.items():
                if not wanted and name in present:
                    self._issue.remove_from_labels(name)

    def _lazy(self, comment: Comment) -> IssueComment:
        """Return the comment's object without a request: its URL is built here, not read from a response."""
        requester = self._api.repository.requester
        return IssueComment(requester, url=f"{self._api.repository.url}/issues/comments/{comment.id}")


def _comment(comment: IssueComment) -> Comment:
    # the author is null if the account was deleted
    author = comment.user.login if comment.user else ""
    return Comment(id=comment.id, author=author, body=comment.body or "", url=comment.html_url)
