"""Where the report goes: a comment; if GitHub refuses that, the job's summary; if there is none, one notice.

The summary is written in any case, it has room for the details. What GitHub refuses is never a red cross: a
fork's token cannot write, and whoever opened that pull request can do nothing about it. It must not know
what the report says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from github_action import sticky
from github_action.comments import Comment
from github_action.console import Console
from github_action.errors import GitHubError, Invalid
from github_action.outputs import write_summary
from github_action.sticky import Settled

Result = Literal[sticky.Result, "summary-only", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The same report four times: for the comment; for it again, when GitHub finds that too long; for the
    summary; in one line."""

    body: str
    brief: str
    summary: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """``trouble``: what kept the comment from being written."""

    result: Result
    comment: Comment | None = None
    trouble: GitHubError | None = None

    def outputs(self) -> dict[str, str]:
        """The action's outputs that are known here."""
        found = {"comment-id": str(self.comment.id), "comment-url": self.comment.url} if self.comment else {}
        return {"result": self.result, **found}


def publish(
    report: Report,
    *,
    post: Callable[[str], Settled | None] | None,
    summary: Path | None,
    console: Console,
    expected: str | None = None,
) -> Published:
    """``post`` makes a body the comment (None: no comment is wanted) and raises GitHubError; it returns None
    where there is nothing to say. ``summary`` is ``GITHUB_STEP_SUMMARY``. ``expected``: why a refusal is no
    surprise here, such as a fork's token."""
    published = Published(result="summary-only")
    if post:
        try:
            settled = _post(post, report)
            if settled:
                published = Published(result=settled.result, comment=settled.comment)
        except GitHubError as error:
            published = Published(result="summary-only", trouble=error)
            _tell(console, error, expected)
    written = _summarise(report, summary)
    if not written and published.comment is None:
        console.annotate("notice", report.line)
    return published


def _post(post: Callable[[str], Settled | None], report: Report) -> Settled | None:
    try:
        return post(report.body)
    except Invalid:
        return post(report.brief)


def _tell(console: Console, error: GitHubError, expected: str | None) -> None:
    if expected:
        console.annotate("notice", f"No comment on the pull request: {expected}")
        return
    console.annotate("warning", f"No comment on the pull request: {error.message}")
    if error.hint:
        console.say(error.hint)


def _summarise(report: Report, path: Path | None) -> bool:
    """Whether anything could be written; the shorter ones if the longest is too long."""
    try:
        return path is not None and any(
            write_summary(path, t) for t in (report.summary, report.body, report.brief)
        )
    except OSError:
        return False
