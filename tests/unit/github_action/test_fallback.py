"""A comment, or a summary, or a notice; and never a failure because GitHub refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from github_action.comments import Comment
from github_action.console import Console
from github_action.errors import ForgeError, Gone, Invalid, Limited, Refused, Unreachable
from github_action.fallback import Published, Report, publish
from github_action.outputs import SUMMARY
from github_action.retry import refusal
from github_action.upsert_comment import Upserted
from tests.unit.github_action.runner import Log

REPORT = Report(body="the body", brief="the brief", summary="the summary", line="4 of 5 commits")
COMMENT = Comment(id=12, author="bot", body="x", url="https://github.com/acme/app/pull/7#issuecomment-12")


def published(
    post: Callable[[str], Upserted] | None,
    summary: Path | None,
    *,
    report: Report = REPORT,
    expected: str | None = None,
) -> tuple[Published, Log]:
    stream = io.StringIO()
    found = publish(report, post=post, summary=summary, console=Console(stream), expected=expected)
    return found, Log().read(stream.getvalue())


def refusing(error: ForgeError) -> Callable[[str], Upserted]:
    def post(_: str) -> Upserted:
        raise error

    return post


def test_a_comment_and_a_summary_are_written(tmp_path: Path) -> None:
    posted: list[str] = []

    def post(body: str) -> Upserted:
        posted.append(body)
        return Upserted("created", COMMENT)

    found, log = published(post, tmp_path / "summary")
    assert found == Published(result="created", comment=COMMENT)
    assert found.outputs() == {"result": "created", "comment-id": "12", "comment-url": COMMENT.url}
    assert (posted, log.commands) == (["the body"], [])
    assert (tmp_path / "summary").read_text("utf-8") == "the summary\n"


@pytest.mark.parametrize("error", [Refused, Limited, Unreachable, Gone, Invalid])
def test_if_the_comment_fails_the_summary_is_written_with_a_warning(
    error: type[ForgeError], tmp_path: Path
) -> None:
    found, log = published(refusing(error("writing: no (403)", "do this")), tmp_path / "summary")
    assert found.outputs() == {"result": "summary-only"}
    assert isinstance(found.error, error)
    assert [(name, text) for name, _, text in log.commands] == [
        ("warning", "No comment on the pull request: writing: no (403)")
    ]
    assert log.lines == ["do this"]
    assert (tmp_path / "summary").read_text("utf-8") == "the summary\n"


def test_an_expected_refusal_is_only_a_notice(tmp_path: Path) -> None:
    _, log = published(
        refusing(Refused("no", "hint")), tmp_path / "summary", expected="a fork's token only reads"
    )
    assert [name for name, _, _ in log.commands] == ["notice"]
    assert log.lines == []


def test_a_comment_that_is_too_long_is_replaced_by_a_short_one(tmp_path: Path) -> None:
    def post(body: str) -> Upserted:
        if body == REPORT.body:
            raise Invalid("too long (422)")
        assert body == REPORT.brief
        return Upserted("updated", COMMENT)

    found, log = published(post, tmp_path / "summary")
    assert (found.result, log.commands) == ("updated", [])


@pytest.mark.parametrize("summary", [None, Path("/dev/null/summary")])
def test_without_comment_and_summary_one_line_is_printed(summary: Path | None) -> None:
    found, log = published(refusing(Refused("no")), summary)
    assert found.result == "summary-only"
    assert [(name, text) for name, _, text in log.commands][-1] == ("notice", "4 of 5 commits")


def test_a_summary_that_is_too_large_is_replaced_by_a_smaller_one(tmp_path: Path) -> None:
    report = Report(body="x" * SUMMARY, brief="the brief", summary="y" * SUMMARY, line="line")
    found, log = published(None, tmp_path / "summary", report=report)
    assert (found.result, log.commands) == ("summary-only", [])
    assert (tmp_path / "summary").read_text("utf-8") == "the brief\n"


def test_if_no_comment_is_wanted_there_is_no_warning(tmp_path: Path) -> None:
    found, log = published(None, tmp_path / "summary")
    assert (found, log.commands) == (Published(result="summary-only"), [])


@pytest.mark.parametrize(
    ("status", "hinted"), [(401, True), (403, True), (404, True), (410, False), (422, False)]
)
def test_the_permission_is_mentioned_only_if_it_may_be_missing(status: int, *, hinted: bool) -> None:
    error = refusal(status, {}, doing="editing", missing=Gone, hint="the token may not")
    assert (error.hint == "the token may not") is hinted
