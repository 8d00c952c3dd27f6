"""Records that a merged pull request brings from a fork."""

from __future__ import annotations

from typing import Any, cast

from github_action.carrying import Merged, _imported
from gittraj import limits
from gittraj.model.codec import encode_line
from tests.integration.story import record


def test_a_fork_brings_at_most_half_a_note() -> None:
    """A squash puts all of the fork's records on one commit, and readers skip a note that is too large."""
    prompt = "x" * 4000
    records = {f"{n:040x}": [record(f"traj_{n}", prompt=prompt)] for n in range(400)}
    merged = Merged(pull=cast(Any, None), commits=tuple(records), foreign=records)
    size = sum(len(encode_line(line)) + 1 for _, line in _imported(merged, {}))
    assert limits.NOTE // 2 - 8192 < size <= limits.NOTE // 2
