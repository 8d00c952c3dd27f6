"""Posts annotations on GitHub as a check run or as review comments, instead of in the job's log.

A review comment must not be posted again on the next push; a lost response must not cause a second write.
"""

from __future__ import annotations

from collections.abc import Sequence

from github_action.annotating import Annotation
from github_action.api import Api, translated
from github_action.console import inert
from gittraj.query.change import Change
from gittraj.render.inert import words

_TITLE, _TEXT, _SUMMARY = 255, 2_000, 65_000
"""Limits, in characters; GitHub accepts 65,535 in a check run's summary."""


def post_check(
    api: Api, change: Change, annotations: Sequence[Annotation], *, title: str, summary: str
) -> None:
    """Create a neutral check run on the head. Needs ``checks: write``. Raises ForgeError."""
    rows = [
        {
            "path": each.path,
            "start_line": each.line,
            "end_line": each.line,
            "annotation_level": "notice",
            "title": inert(each.title)[:_TITLE],
            "message": inert(each.text)[:_TEXT],
        }
        for each in annotations
    ]
    output = {"title": title, "summary": summary[:_SUMMARY], "annotations": rows}
    check = {"name": "git-traj", "head_sha": change.head, "status": "completed", "conclusion": "neutral"}
    _send(api, "check-runs", {**check, "output": output}, doing="creating a check run")


def post_review(
    api: Api, change: Change, annotations: Sequence[Annotation], *, number: int, author: str
) -> None:
    """Post one review with a comment at each line, without those that ``author`` posted before. Raises
    ForgeError."""
    names = (author.lower(), f"{author.lower()}[bot]")
    with translated("listing review comments"):
        listed = api.repository.get_pull(number).get_review_comments()
        posted = {(each.path, each.body) for each in listed if each.user and each.user.login.lower() in names}
    rows = [
        {"path": each.path, "line": each.line, "side": "RIGHT", "body": body}
        for each in annotations
        if (each.path, body := f"**{words(each.title, _TITLE)}**: {words(each.text, _TEXT)}") not in posted
    ]
    if rows:
        review = {"commit_id": change.head, "event": "COMMENT", "comments": rows}
        _send(api, f"pulls/{number}/reviews", review, doing="writing review comments")


def _send(api: Api, path: str, body: object, *, doing: str) -> None:
    with translated(doing):
        api.repository.requester.requestJsonAndCheck("POST", f"{api.repository.url}/{path}", input=body)
