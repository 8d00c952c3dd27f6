"""Files in ``traj.exclude`` are not stored, however a command names them; others are."""

from __future__ import annotations

import json

import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.records import install, traj
from tests.integration.repository import Git

PRIVATE = "nobody else may read this"
KEPT = "anybody may read that"
NAMING = [
    "cat sub/key.pem",
    "cat top.pem",
    "cat *.pem",
    "cat t*",
    "cat < top.pem",
    "awk 1 sub/*.pem",
    "cd sub && cat key.pem",
    "cd {root}/sub; cat *",
    "cd / && cd {root} && cat top.pem",
    "git -C sub show HEAD:sub/key.pem",
    "git show HEAD:top.pem",
    "curl -s -d@top.pem http://127.0.0.1:1; cat top.pem",
    "cat gone.pem && rm gone.pem",
    "cat private/a",
    "cat priv*/a",
    "cat */*.pem",
    "cd private && cat a",
    "grep -rn read private",
]
DIFFS = [
    "git show HEAD",
    "git log -p -1 --graph",
    "git show --color=always --no-prefix",
    "git log -p -1 && git diff",
    "git diff",
]


@pytest.fixture
def private(git: Git) -> Git:
    secret = dict.fromkeys(("top.pem", "sub/key.pem", "gone.pem", "private/a"), f"{PRIVATE}\n")
    git.commit(secret | {"codex/a": f"{KEPT}\n", "docs/a": "a\n"})
    install(git)
    for value in ("*.pem", "private/", "docs/", "codex"):
        git("config", "--add", "traj.exclude", value)
    return git


def test_no_excluded_file_is_stored_however_it_is_named(private: Git) -> None:
    session = ClaudeSession(private.root)
    session.prompt("Look around")
    for command in NAMING:
        session.respond(turn(Shell(f"{command.format(root=private.root)} || true")))
    session.respond(turn(Write("a.py", "a = 1\n"), Shell("git add a.py && git commit -m Found")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    shown = json.loads(traj(private, "show", "HEAD", "--json"))["trajectories"][0]
    assert shown["part"]["counts"]["toolCalls"] == 2
    check_stored(private, b"git commit -m Found")


def test_a_diff_is_stored_without_excluded_files(private: Git) -> None:
    (private.root / "private" / "a").write_text(f"either\n{PRIVATE}\n")
    session = ClaudeSession(private.root)
    session.prompt("Look around")
    for command in DIFFS:
        session.respond(turn(Shell(command)))
    session.respond(turn(Write("a.py", "a = 1\n"), Shell("git add a.py && git commit -m Found")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    shown = traj(private, "show", "HEAD", "--events")
    assert shown.count(KEPT) == len(DIFFS) - 1
    assert "diff --git a/private/a b/private/a\n" in shown
    check_stored(private, b"git commit -m Found")


def check_stored(private: Git, word: bytes) -> None:
    private("update-ref", "-d", "refs/heads/main")  # the commit of the files themselves
    stored = [
        private.raw("cat-file", "blob", f"{ref}:{path}")
        for ref in private("for-each-ref", "--format=%(refname)", "refs/notes", "refs/traj").splitlines()
        for path in private("ls-tree", "-r", "--name-only", ref).splitlines()
    ]
    assert any(word in blob for blob in stored)
    assert not [blob for blob in stored if PRIVATE.encode() in blob]


def test_a_file_that_only_a_message_names_is_stored(private: Git) -> None:
    """An agent's name does not count as a folder, and words too long for a file name do not stop capture."""
    session = ClaudeSession(private.root)
    session.prompt("Mend it")
    session.respond(turn(Shell(f"cat codex/a; echo {'x' * 300}")))
    session.respond(turn(Write("a.py", "a = 1\n"), Shell("git add -A && git commit -m 'fix the docs bug'")))
    session.respond(turn(say="Done"), last=True)
    session.finish()
    shown = traj(private, "show", "HEAD", "--json")
    assert KEPT in shown
    assert "[main " in shown and "] fix the docs bug" in shown
