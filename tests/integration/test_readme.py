"""What README shows is what the first command prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.conftest import ROOT


def test_the_example_is_what_the_first_command_prints() -> None:
    played = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "session.py")],
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    _, _, after = played.partition("$ git traj log --file durations.py\n")
    printed, _, _ = after.partition("\n\n$ ")
    (shown,) = re.findall(
        r"```console\n\$ git traj log --file durations.py\n(.*?)```",
        (ROOT / "README.md").read_text("utf-8"),
        re.S,
    )
    assert _lasting(printed) == _lasting(shown)


def _lasting(text: str) -> str:
    """Without what differs from run to run: the commit's id, its age, how long the session took."""
    text = re.sub(r"^[0-9a-f]{7}", "ID", text.strip())
    return re.sub(r"just now|\d+ \w+ ago", "AGE", re.sub(r"· \d+s ·", "· TIME ·", text))
