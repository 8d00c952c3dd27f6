"""This machine's folders are replaced before anything is stored in notes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gittraj.record.drain.composition import Localiser

HERE = Localiser((Path("/home/ann/code/repo"), Path("/home/ann/code/repo/.trees/w")), Path("/home/ann"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see /home/ann/code/repo/src/a.py:3", "see src/a.py:3"),
        ("/home/ann/code/repo", "."),
        ("cd /home/ann/code/repo/ && ls", "cd ./ && ls"),
        ("I am in /home/ann/code/repo.", "I am in .."),
        ("ls /home/ann/code/repo/*.py", "ls ./*.py"),
        ("/home/ann/code/repo/.env", ".env"),
        ('{"path":"/home/ann/code/repo/a b"}', '{"path":"a b"}'),
        ("/home/ann/code/repo/.trees/w/src/a", "src/a"),
        ("/home/ann/code/repo-2/a", "~/code/repo-2/a"),
        ("/home/ann/code/repo.bak/a", "~/code/repo.bak/a"),
        ("/home/ann/.ssh/config", "~/.ssh/config"),
        ("HOME is /home/ann.", "HOME is ~."),
        ("(/home/ann)", "(~)"),
        ("gcc -I/home/ann/include -L/home/ann/code/repo/lib", "gcc -I~/include -L~/code/repo/lib"),
        (r"one\n/home/ann/x", r"one\n~/x"),
        ("\x1b[0m/home/ann/x", "\x1b[0m~/x"),
        ("file:///home/ann/x", "file://~/x"),
        ("~/.claude/projects/-home-ann-code-repo/s.jsonl", "~/.claude/projects/~-code-repo/s.jsonl"),
        ("-home-ann-work", "~-work"),
        ("/home/anna/x /home/ann-2/x /home/ann.old/x", "/home/anna/x /home/ann-2/x /home/ann.old/x"),
        ("stay-at-home-anna", "stay-at-home-anna"),
        ("nothing here", "nothing here"),
    ],
)
def test_folders_are_replaced_by_relative_paths_or_home(text: str, expected: str) -> None:
    assert HERE(text) == expected


def test_roots_home_is_replaced_only_as_a_path() -> None:
    here = Localiser((Path("/srv/repo"),), Path("/root"))
    assert here("/root/x, https://example.org/tree/root/x, document-root") == (
        "~/x, https://example.org/tree/root/x, document-root"
    )
    assert here("/srv/repo/a") == "a"


def test_the_root_directory_is_never_replaced() -> None:
    here = Localiser((Path("/"),), None)
    assert here("/etc/passwd") == "/etc/passwd"
    assert Localiser((), Path("/"))("/etc") == "/etc"


@pytest.mark.parametrize("part", ["/home/ann", "-home-ann", "/home/ann/code/repo", "/home/ann/code/repo."])
def test_a_hostile_text_is_read_quickly(part: str) -> None:
    start = time.process_time()
    assert "/home/ann" not in HERE(part * 100_000).replace("/home/ann/", "")
    assert time.process_time() - start < 10.0


def test_home_never_remains_in_a_path() -> None:
    for before in ("", " ", "x", "-I", "=", "'", '"', "\\n", ":", "//", "0m", "."):
        for after in ("", "/", "/x", ".", ",", "'", '"', ":", "\\n", "\n", ")"):
            assert "/home/ann" not in HERE(f"{before}/home/ann{after}")
