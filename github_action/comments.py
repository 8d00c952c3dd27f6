"""The comments of one pull request: all of them, and the writes, each of which says what became of it.

It must not decide whose comments they are, nor write twice: that is ``sticky``'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from github.IssueComment import IssueComment

from github_action.api import Api, translated
from github_action.errors import Gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """``author`` has the ``[bot]`` of apps."""

    id: int
    author: str
    body: str
    url: str


class Thread:
    """Comments are those of the issue that every pull request is; all methods raise GitHubError."""

    def __init__(self, api: Api, number: int) -> None:
        self._api = api
        self._issue = api.repository.get_issue(number)

    def comments(self) -> tuple[Comment, ...]:
        """Every page: a quiet comment may stand on any."""
        with translated("listing comments"):
            return tuple(_comment(found) for found in self._issue.get_comments())

    def create(self, body: str) -> Comment:
        with translated("writing the comment"):
            return _comment(self._issue.create_comment(body))

    def edit(self, comment: Comment, body: str) -> None:
        """Raises Gone when somebody deleted it."""
        with translated("editing the comment", missing=Gone):
            self._found(comment).edit(body)

    def delete(self, comment: Comment) -> None:
        """Done, too, when somebody else did it."""
        try:
            with translated("deleting a comment", missing=Gone):
                self._found(comment).delete()
        except Gone:
            pass

    def _found(self, comment: Comment) -> IssueComment:
        """Without asking for it: by an address of our making, not one that an answer gave."""
        requester = self._api.repository.requester
        return IssueComment(requester, url=f"{self._api.repository.url}/issues/comments/{comment.id}")


def _comment(found: IssueComment) -> Comment:
    # the author of a deleted account is null
    author = found.user.login if found.user else ""
    return Comment(id=found.id, author=author, body=found.body or "", url=found.html_url)
