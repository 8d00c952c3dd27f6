"""Makes annotations for lines of the pull request: an agent's doubts, and what was rejected there. Pure.

Only lines that the diff shows are annotated (see ``Diff.find``); everything else is only in the comment.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from github_action.console import inert
from gittraj.query.change import Change, decisions
from gittraj.render.comment.flags import Flag, find_location, titled

MOST = 10
"""Maximum number of annotations of one pull request."""
_DESCRIPTION = 1_000
"""Maximum length of a description for GitLab, in characters."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation of one line. ``title`` and ``text`` are not escaped."""

    path: str
    line: int
    title: str
    text: str


def find_annotations(change: Change, flags: Sequence[Flag]) -> list[Annotation]:
    """Return at most ``MOST`` annotations, the worst first, and at most one for each line."""
    by_line: dict[tuple[str, int], Annotation] = {}
    for each in (*_doubts(flags), *_rejections(change)):
        by_line.setdefault((each.path, each.line), each)
    return list(islice(by_line.values(), MOST))


def as_code_quality(annotations: Sequence[Annotation]) -> str:
    """Return a report that GitLab shows on a merge request, in the "Code Quality report format" of
    https://docs.gitlab.com/ci/testing/code_quality."""
    rows = [
        {
            "description": inert(f"{each.title}: {each.text}")[:_DESCRIPTION],
            "check_name": "git-traj",
            "fingerprint": hashlib.sha256(
                f"{each.path}\n{each.title}\n{each.text}".encode(errors="replace")
            ).hexdigest(),
            "severity": "info",
            "location": {"path": each.path, "lines": {"begin": each.line}},
        }
        for each in annotations
    ]
    return json.dumps(rows)


def _doubts(flags: Sequence[Flag]) -> Iterator[Annotation]:
    for flag in flags:
        if flag.path and flag.line:
            # only a flag of a failed run has no quotation; ``after`` may add "(changed again in 1a2b3c4)"
            text = flag.quoted or "Its session edited this file."
            yield Annotation(flag.path, flag.line, flag.reason, text + flag.after())


def _rejections(change: Change) -> Iterator[Annotation]:
    if change.diff is None:
        return
    for decision in decisions(change):
        path, line = find_location(decision, change.diff)
        if decision["alternatives"] and path and line:
            rejected = "; ".join(decision["alternatives"])
            because = f", because {decision['reasoning']}" if decision["reasoning"] else ""
            text = f"{titled(decision)}, not {rejected}{because}"
            yield Annotation(path, line, f"Rejected: {rejected}", text)
