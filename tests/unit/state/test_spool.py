"""The spool may be read while a hook writes to it, and its lines are not trusted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.state.spool import Spooled, find_reported, parse_spool, read_spool
from tests.unit.capture.logs import oid

A, B = oid("A"), oid("B")


def parsed(*lines: str) -> list[Spooled]:
    return list(parse_spool("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")))


def test_lines_of_gits_hooks_are_read() -> None:
    assert parsed(
        f"commit\t{A}\tses\t\t\t/r/.git",
        f"commit\t{A}\t\tthread\tcall_1\t/r/.git",
        f"commit\t{A}\tses\tthread\t\t/r/.git",
        "commit\t\t\t\t\t/r/.git",
        f"off\t{B}\t\t\t\t/r/.git",
        f"rewrite\t{A}\t{B}\trebase\t\t/r/.git",
        f"picked\t{A}\t{B}\t\t\t/r/.git",
        f"squashed\t{A}\t\t\t\t/r/.git",
    ) == [
        Spooled(kind="commit", id=A, git_dir=Path("/r/.git"), sessions=("claude-code:ses",)),
        Spooled(kind="commit", id=A, git_dir=Path("/r/.git"), sessions=("codex:thread",), call="call_1"),
        Spooled(kind="commit", id=A, git_dir=Path("/r/.git"), sessions=("codex:thread", "claude-code:ses")),
        Spooled(kind="commit", id="", git_dir=Path("/r/.git")),
        Spooled(kind="off", id=B, git_dir=Path("/r/.git")),
        Spooled(kind="rewrite", id=A, other=B, git_dir=Path("/r/.git"), event="rebase"),
        Spooled(kind="picked", id=A, other=B, git_dir=Path("/r/.git")),
        Spooled(kind="squashed", id=A, git_dir=Path("/r/.git")),
    ]


def test_lines_of_the_second_form_are_read() -> None:
    agent = "CODEX_THREAD_ID=t1\tCODEX_TOOL_CALL_ID=call\tAI_AGENT=1"
    assert parsed(
        f"2\tcommit\t{A}\t/r/.git\t1",
        f"2\tcommit\t{A}\t/r\ta/.git\t0\t{agent}",
        f"2\toff\t{B}\t/r/.git\t0\tCLAUDE_CODE_SESSION_ID=c1",
        "2\toff\t\t/r/.git\t0\tSESSION=gemini-cli:s1",
    ) == [
        Spooled(kind="commit", id=A, git_dir=Path("/r/.git"), terminal=True),
        Spooled(kind="commit", id=A, git_dir=Path("/r\ta/.git"), sessions=("codex:t1",), call="call"),
        Spooled(kind="off", id=B, git_dir=Path("/r/.git"), sessions=("claude-code:c1",)),
        Spooled(kind="off", id="", git_dir=Path("/r/.git"), sessions=("gemini-cli:s1",)),
    ]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("", id="empty"),
        pytest.param(f"commit\t{A}", id="too short"),
        pytest.param(f"later\t{A}\t\t\t\t/r", id="of a later version"),
        pytest.param("commit\tnot-an-id\t\t\t\t/r", id="no commit"),
        pytest.param(f"rewrite\t{A}\tabcommit\t{B}\t\t\t/r", id="two torn into one"),
        pytest.param("session\tgemini\ta b\tSessionStart\t/l\t/r", id="no session"),
        pytest.param("session\t\ts1\tSessionStart\t/l\t/r", id="no agent"),
        pytest.param("2\tcommit\tno-id\t/r\t0", id="no commit in the second form"),
        pytest.param(f"2\tcommit\t{A}\t/r2\tcommit\t{B}\t/r\t0", id="two of the second form"),
        pytest.param(f"3\tcommit\t{A}\t/r\t0", id="a later form"),
        pytest.param(f"rewrite\t{A}\t{B}{B}\t\t\t/r", id="no new commit"),
    ],
)
def test_an_invalid_line_is_skipped(line: str) -> None:
    good = f"off\t{A}\t\t\t\t/r"
    assert [s.kind for s in parsed(line, good)] == ["off"]


def test_lines_of_agents_hooks_are_read() -> None:
    lines = parsed(
        "session\tgemini\ts1\tSessionStart\t/home/l 1.jsonl\t/r/.git",
        "session\tgemini\ts1\tSessionEnd\t\t/r/.git",
        "session\tgemini\ts2\tSessionEnd\tnot/absolute\t/r/.git",
    )
    assert lines[0] == Spooled(
        kind="session",
        id="",
        git_dir=Path("/r/.git"),
        sessions=("gemini:s1",),
        event="SessionStart",
        log=Path("/home/l 1.jsonl"),
    )
    assert [line.log for line in lines[1:]] == [None, None]
    assert find_reported(lines) == ({"gemini:s1": "/home/l 1.jsonl"}, {"gemini:s1", "gemini:s2"})
    again = parsed("session\tgemini\ts1\tSessionStart\t/other\t/r/.git")
    assert find_reported([*lines, *again]) == ({"gemini:s1": "/other"}, {"gemini:s2"})


def test_a_folder_with_any_name_is_read() -> None:
    assert parsed(f"off\t{A}\t\t\t\t/a\tb/\udcff")[0].git_dir == Path("/a\tb/\udcff")


def test_a_line_written_by_two_shims_counts_once() -> None:
    line = f"commit\t{A}\tses\t\t\t/r/.git"
    assert len(parsed(line, line)) == 1


@given(st.binary(max_size=60))
def test_no_bytes_raise(data: bytes) -> None:
    list(parse_spool(data))


def test_reading_resumes_where_it_ended_and_leaves_an_incomplete_line(tmp_path: Path) -> None:
    assert read_spool(tmp_path, 0) == ([], 0)
    spool = tmp_path / "spool"
    first, second = f"off\t{A}\t\t\t\t/r\n".encode(), f"off\t{B}\t\t\t\t/r\n".encode()
    spool.write_bytes(first + second[:10])
    found, offset = read_spool(tmp_path, 0)
    assert [s.id for s in found] == [A]
    assert offset == len(first)
    assert read_spool(tmp_path, offset) == ([], offset)
    spool.write_bytes(first + second)
    found, offset = read_spool(tmp_path, offset)
    assert ([s.id for s in found], offset) == ([B], len(first + second))


def test_a_recreated_spool_is_read_from_its_start(tmp_path: Path) -> None:
    (tmp_path / "spool").write_bytes(f"off\t{A}\t\t\t\t/r\n".encode())
    found, offset = read_spool(tmp_path, 10_000)
    assert [s.id for s in found] == [A]
    assert offset == (tmp_path / "spool").stat().st_size
