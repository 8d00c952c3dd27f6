"""What ``git traj doctor --fix`` reports about faults that it cannot repair."""

from __future__ import annotations

from gittraj.commands.doctor.finding import Finding, fix_findings
from gittraj.errors import TrajError


def test_an_obstacle_to_several_repairs_is_reported_once() -> None:
    def refused() -> None:
        raise TrajError("x cannot be written: Read-only file system")

    findings = [Finding(code=f"c{n}", text="t", remedy="r", fix=refused) for n in range(3)]
    messages: list[str] = []
    assert [fixed for _, fixed in fix_findings(findings, report=messages.append)] == [False] * 3
    assert messages == ["not fixed: x cannot be written: Read-only file system"]
