"""A log in an unknown format: it is kept as it is on request, and read when a reader knows the format."""

from __future__ import annotations

import io
import json
import secrets
from pathlib import Path

import pytest

from gittraj.formats import raw
from gittraj.model.session_items import Damage, Entry
from tests.e2e.scenario import turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.past import begin
from tests.integration.repository import Git


@pytest.fixture
def begun(git: Git) -> Git:
    return begin(git)


def _rows(git: Git) -> list[dict[str, object]]:
    said = traj(git.root, "log", "--trajectories", "--all", "--json")
    rows: list[dict[str, object]] = json.loads(said.stdout)["trajectories"]
    return rows


def test_an_unknown_log_is_kept_redacted_on_request(begun: Git, tmp_path: Path) -> None:
    secret = f"ghp_{secrets.token_hex(18)}"
    log = tmp_path / "odd.log"
    log.write_text(f"turn 1: the agent of next year\nturn 2: {secret}\n")
    said = traj(begun.root, "import", str(log))
    assert (said.returncode, _rows(begun)) == (1, [])
    assert traj(begun.root, "import", "--raw", str(log)).returncode == 0
    (row,) = _rows(begun)
    assert row["agent"] == "raw"
    shown = traj(begun.root, "show", str(row["id"]), "--json").stdout
    assert "the agent of next year" in shown
    assert secret not in shown
    again = json.loads(traj(begun.root, "import", "--raw", "--json", str(log)).stdout)["imported"]
    assert [each["parts"] for each in again] == [0]


def test_an_unknown_log_is_read_when_a_reader_knows_it(begun: Git, tmp_path: Path) -> None:
    session = ClaudeSession(begun.root)
    session.run([turn(say="Done as asked")], prompt="Do it")
    traj(begun.root, "import", "--format", "raw", "--commit", "HEAD", str(session.log))
    (before,) = _rows(begun)
    assert before["agent"] == "raw"
    (tmp_path / "odd.log").write_text("of next year\n")
    traj(begun.root, "import", "--raw", str(tmp_path / "odd.log"))
    for dry in (["--dry-run"], []):
        report = json.loads(traj(begun.root, "repair", "--reread", "--json", *dry).stdout)
        assert report["known"] == 1
    rows = {str(row["agent"]): row for row in _rows(begun)}
    assert {*rows} == {"claude-code", "raw"}, "a log that is still unknown stays"
    assert (rows["claude-code"]["session"], rows["claude-code"]["commits"]) == (
        session.session,
        [begun.head()],
    )
    assert json.loads(traj(begun.root, "repair", "--reread", "--json").stdout)["known"] == 0


def test_an_unknown_log_is_stored_in_bounded_chunks_of_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 450_000 + b"\n" + b"short\n" * 10)
    with path.open("rb") as stream:
        items = list(raw.read(stream))
    texts = [item.event.content for item in items if isinstance(item, Entry)]
    assert "".join(texts).encode() == path.read_bytes()
    assert max(map(len, texts)) <= 200_000
    path.write_bytes((b"line " * 100 + b"\n") * 20_000)
    with path.open("rb") as stream:
        items = list(raw.read(stream))
    assert isinstance(items[-1], Damage)
    path.write_bytes(b"\x7fELF\0\0")
    with path.open("rb") as stream:
        assert [type(item) for item in raw.read(stream)] == [Damage]


def test_a_line_that_is_too_long_is_cut_at_a_space() -> None:
    body = b"a word-of-a-log " * 40_000
    texts = [item.event.content for item in raw.read(io.BytesIO(body)) if isinstance(item, Entry)]
    assert "".join(texts).encode() == body
    assert len(texts) == 4 and all(text.endswith(" ") for text in texts)


def test_a_token_over_the_cut_of_a_long_line_is_redacted(begun: Git, tmp_path: Path) -> None:
    secret = f"ghp_{secrets.token_hex(18)}"
    log = tmp_path / "odd.log"
    log.write_text(f"{'-' * 199_980}{secret}\n")
    assert traj(begun.root, "import", "--raw", str(log)).returncode == 0
    (row,) = _rows(begun)
    shown = traj(begun.root, "show", str(row["id"]), "--json").stdout
    assert secret[:20] not in shown and secret[24:] not in shown
