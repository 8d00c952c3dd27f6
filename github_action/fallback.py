"""Publishes the report: as a comment; if GitHub refuses, in the job's summary; if that fails, as a notice.

The summary is always written: it has room for the details. A refusal never fails the job: a fork's token
cannot write, and the author of that pull request cannot change that. This module must not depend on the
report's content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from github_action import upsert_comment
from github_action.comments import Comment
from github_action.console import Console
from github_action.errors import ForgeError, Invalid
from github_action.outputs import write_summary
from github_action.upsert_comment import Upserted

Result = Literal[upsert_comment.Result, "summary-only", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One report in four lengths: ``body`` for the comment, ``brief`` if GitHub rejects that as too long,
    ``summary`` for the job, ``line`` for a notice."""

    body: str
    brief: str
    summary: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """How the report was published; ``error`` says why the comment could not be written."""

    result: Result
    comment: Comment | None = None
    error: ForgeError | None = None

    def outputs(self) -> dict[str, str]:
        """The action's outputs about the comment."""
        comment = (
            {"comment-id": str(self.comment.id), "comment-url": self.comment.url} if self.comment else {}
        )
        return {"result": self.result, **comment}


def publish(
    report: Report,
    *,
    post: Callable[[str], Upserted | None] | None,
    summary: Path | None,
    console: Console,
    expected: str | None = None,
) -> Published:
    """Publish ``report``. ``post`` writes the comment (None: no comment is wanted); it raises ForgeError, and
    returns None if there is nothing to report. ``summary`` is the file ``GITHUB_STEP_SUMMARY``. ``expected``
    says why a refusal is expected, such as a fork's token."""
    published = Published(result="summary-only")
    if post:
        try:
            upserted = _post(post, report)
            if upserted:
                published = Published(result=upserted.result, comment=upserted.comment)
        except ForgeError as error:
            published = Published(result="summary-only", error=error)
            _report_refusal(console, error, expected)
    written = _write_summary(report, summary)
    if not written and published.comment is None:
        console.annotate("notice", report.line)
    return published


def _post(post: Callable[[str], Upserted | None], report: Report) -> Upserted | None:
    try:
        return post(report.body)
    except Invalid:
        return post(report.brief)


def _report_refusal(console: Console, error: ForgeError, expected: str | None) -> None:
    if expected:
        console.annotate("notice", f"No comment on the pull request: {expected}")
        return
    console.annotate("warning", f"No comment on the pull request: {error.message}")
    if error.hint:
        console.say(error.hint)


def _write_summary(report: Report, path: Path | None) -> bool:
    """Write the longest version that fits. Returns whether a version was written."""
    try:
        return path is not None and any(
            write_summary(path, t) for t in (report.summary, report.body, report.brief)
        )
    except OSError:
        return False
