"""What ``git traj doctor --fix`` says of what it cannot mend."""

from __future__ import annotations

import pytest

from gittraj.cli.doctor import _fix
from gittraj.commands.doctor.finding import Finding
from gittraj.errors import TrajError


def test_what_hinders_several_repairs_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    def refused() -> None:
        raise TrajError("x cannot be written: Read-only file system")

    told: set[str] = set()
    each = [Finding(code=f"c{n}", text="t", remedy="r", fix=refused) for n in range(3)]
    assert [_fix(finding, told) for finding in each] == [False] * 3
    assert capsys.readouterr().err == "git-traj: not fixed: x cannot be written: Read-only file system\n"
