"""README's picture shows what the command prints."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

PICTURE = "docs/pictures/why.svg"


def test_the_picture_is_what_the_command_prints(tmp_path: Path) -> None:
    """``python .ci/session.py docs/pictures/why.svg`` draws it again."""
    drawn = tmp_path / "why.svg"
    subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "session.py"), str(drawn)],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        check=True,
    )
    assert f'src="{PICTURE}"' in (ROOT / "README.md").read_text("utf-8")
    assert _lasting(drawn) == _lasting(ROOT / PICTURE)


def _lasting(picture: Path) -> list[str]:
    """Return the picture's lines without what differs between runs: the commit's id, ages, durations."""
    lines = re.findall(r"<text[^>]*>(.*)</text>", picture.read_text("utf-8"))
    text = "\n".join(html.unescape(re.sub(r"<[^>]*>", "", line)) for line in lines).replace("\u00a0", " ")
    text = re.sub(r"^[0-9a-f]{7} ", "ID ", text, flags=re.MULTILINE)
    return re.sub(r"just now|\d+ \w+ ago", "AGE", re.sub(r"· \d+s ·", "· TIME ·", text)).splitlines()
