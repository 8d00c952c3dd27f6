"""``git traj fetch``, ``push`` and ``sync``: nothing is lost or forced, and no password is requested."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj.commands.install.inspection import find_hooks_folder, inspect_hooks
from gittraj.git import Repository
from gittraj.model.codec import decode_note
from gittraj.model.values import Link, Message, Origin, Record, SegmentRef
from gittraj.notes.store import NotesRef
from gittraj.record.drain import composition
from gittraj.record.drain.run import Report
from gittraj.redact import RULESET
from gittraj.summarizer import summarize
from gittraj.sync import network, transfer
from gittraj.sync.remote import find_remote, without_password
from gittraj.worker.__main__ import main as worker
from tests.integration.records import install
from tests.integration.repository import Git
from tests.integration.sharing import DATA, RECORDS, Be, bare, clone, refs, tell, told
from tests.integration.story import Story, record
from tests.integration.terminal import at_terminal
from tests.integration.waiting import BUSY, wait_until
from tests.sizes import in_turn


@pytest.fixture
def server(tmp_path: Path) -> Git:
    """Make a bare repository with one commit."""
    server = bare(tmp_path / "server.git")
    first = clone(server, tmp_path / "first")
    first.commit({"file": "1\n"}, "One")
    first("push", "--quiet", "origin", "main")
    return server


def write_hook(server: Git, hook: str, line: str) -> None:
    path = server.root / "hooks" / hook
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


# ---------------------------------------------------------------- both directions


def test_a_worker_heeds_what_the_user_sets_while_it_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pushing and the summarizer come after recording, which may take minutes."""
    server = bare(tmp_path / "server.git")
    git = clone(server, tmp_path / "ann")
    tell(git, git.commit({"a": "1"}), "traj_a")
    install(git)
    drain = composition.drain

    def change(repository: Repository, **options: Any) -> Report | None:
        report = drain(repository, **options)
        git("config", "traj.push", "never")
        git("config", "--global", "--unset", "traj.summarizer")
        return report

    monkeypatch.setattr(composition, "drain", change)
    asked: list[object] = []
    monkeypatch.setattr(summarize, "summarize_recent", lambda *given, **_: asked.append(given))
    monkeypatch.chdir(git.root)
    for options in (["--push", "origin"], []):
        git("config", "traj.push", "auto")
        git("config", "--global", "traj.summarizer", "my-model")
        assert worker([*options, str(git.root / ".git/traj")]) == 0
    assert (refs(server), asked) == ({}, [])


def test_records_go_from_clone_to_clone_and_segments_when_they_are_shown(ann: Git, bob: Git, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann", text="what ann said")
    out, _ = be(ann)("sync")
    assert re.sub(r"\(\d+ B\)", "(SIZE)", out).splitlines() == [
        "origin: no new records",
        "pushed the records of 1 commit, with the events of 2020-03 (SIZE): "
        f"readable by everybody who can fetch from {ann.root.parent / 'server.git'}",
    ]
    assert be(bob)("fetch") == ("origin: new records on 1 commit\n", "")
    assert told(bob) == {bob.head(): {"traj_ann"}}
    assert refs(bob).keys() == {RECORDS}
    _, err = be(bob)("show", "--no-fetch")
    assert err.splitlines()[-1] == "hint: git traj show without --no-fetch asks the remotes"
    assert "is not here" in err
    out, err = be(bob)("show", "--events")
    assert "what ann said" in out
    assert err == ""
    assert refs(bob).keys() == {RECORDS, DATA}
    assert be(bob)("push") == ("origin has everything\n", "")


def test_after_syncs_both_clones_have_all_records(ann: Git, bob: Git, be: Be) -> None:
    head = ann.head()
    tell(ann, head, "traj_ann")
    tell(bob, head, "traj_bob")
    assert be(ann).json("push")["records"] == 1
    found = be(bob).json("sync")
    assert (found["fetched"], found["commits"], found["records"]) == (1, 1, 1)
    be(ann)("sync")
    assert told(ann) == told(bob) == {head: {"traj_ann", "traj_bob"}}
    assert ann("rev-parse", RECORDS) == bob("rev-parse", RECORDS)
    for git in (ann, bob):
        assert be(git).json("push")["refs"] == []


def test_edge_3_another_push_comes_in_between(
    server: Git, ann: Git, bob: Git, be: Be, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rejection is read from `push --porcelain`, and the push retried."""
    tell(ann, ann.head(), "traj_ann")
    tell(bob, bob.head(), "traj_bob")
    push_refs = network.push_refs
    pushed: list[str] = []

    def push_after_bob(*args: object, **known: object) -> object:
        if not pushed:
            pushed.append(bob("push", "-q", "origin", RECORDS, DATA))
        return push_refs(*args, **known)  # type: ignore[arg-type]

    monkeypatch.setattr(transfer, "push_refs", push_after_bob)
    be(ann)("push")
    assert told(server) == {ann.head(): {"traj_ann", "traj_bob"}}
    assert len(server("ls-tree", "-r", DATA).splitlines()) == 2
    server("fsck", "--strict")


def test_a_push_gives_up_if_others_push_all_the_time(
    ann: Git, be: Be, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(ann, ann.head(), "traj_ann")
    moved = network.Refused(why="[rejected] (fetch first)", moved=True)
    monkeypatch.setattr(transfer, "push_refs", lambda *_, **__: moved)
    monkeypatch.setattr(transfer, "_TRIES", 2)
    assert (
        be(ann).fails("push")
        == "origin: still rejected after several tries, because others push ([rejected] (fetch first))"
    )


def test_dry_run_writes_and_asks_nothing(server: Git, ann: Git, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann")
    ann("config", "traj.push", "ask")
    before = refs(ann, "refs/")
    for command in ("push", "sync"):
        assert be(ann)(command, "--dry-run")[0].startswith("would push the records of 1 commit")
        assert be(ann).json(command, "--dry-run")["dryRun"] is True
    assert refs(server) == {}
    assert refs(ann, "refs/") == before


@pytest.mark.parametrize("how", ["option", "config"])
def test_a_push_can_send_records_without_segments(server: Git, ann: Git, be: Be, how: str) -> None:
    tell(ann, ann.head(), "traj_ann")
    if how == "config":
        ann("config", "traj.share", "records")
    found = be(ann).json("push", *(["--records-only"] if how == "option" else []))
    assert (found["refs"], found["segments"], found["bytes"]) == ([RECORDS], 0, 0)
    assert refs(server).keys() == {RECORDS}


def test_records_held_back_are_pushed_later(server: Git, ann: Git, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push", "--records-only")
    out, _ = be(ann)("push")
    assert out.startswith("pushed the events of 2020")
    assert refs(server).keys() == {RECORDS, DATA}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("traj.push", "never", "git config traj.push is 'never'"),
        ("traj.push", "sure", "git config traj.push is 'sure'"),
        ("traj.share", "some", "git config traj.share is 'some'"),
    ],
)
def test_a_push_that_is_switched_off_or_misspelt_is_refused(
    server: Git, ann: Git, be: Be, key: str, value: str, said: str
) -> None:
    tell(ann, ann.head(), "traj_ann")
    ann("config", key, value)
    assert be(ann).fails("push") == said
    assert refs(server) == {}


# ---------------------------------------------------------------- consent


def test_a_first_push_without_a_terminal_is_refused(server: Git, ann: Git, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann")
    ann("config", "--unset", "traj.push")
    why = "the first push needs your consent, and there is no terminal to ask on"
    assert be(ann).fails("push").startswith(f"not pushed: {why}: the records of 1 commit")
    assert refs(server) == {}


def test_the_first_push_to_an_address_asks_once_and_no_is_no_error(
    server: Git, ann: Git, tmp_path: Path
) -> None:
    ann("config", "--unset", "traj.push")
    with ann.open() as repository:
        story = Story(repository)
        segments = [story.segment("traj_ann", 0, [Message(id="e0", content="said")])]
        story.note(ann.head(), record("traj_ann", segments=segments, thinking="clear"))
    status, shown = at_terminal(ann.root, "push", answer=b"n\n")
    assert (status, refs(server)) == (1, {})
    assert f"readable by everybody who can fetch from {server.root}." in " ".join(shown.split())
    assert "1 record with thinking in clear." in shown
    assert "error" not in shown and "\nnothing was pushed" in shown.replace("\r", "")
    assert "git traj log --trajectories --all" in shown and "git traj show --events ID" in shown
    status, shown = at_terminal(ann.root, "push", answer=b"y\n")
    assert (status, set(refs(server))) == (0, {RECORDS, DATA})
    tell(ann, ann.head(), "traj_more", at=5)
    status, shown = at_terminal(ann.root, "push")
    assert (status, "Push" in shown, "\npushed " in f"\n{shown}") == (0, False, True)
    other = bare(tmp_path / "other.git")
    ann("remote", "set-url", "origin", str(other.root))
    tell(ann, ann.head(), "traj_third", at=6)
    status, shown = at_terminal(ann.root, "push", answer=b"n\n")
    assert (status, refs(other)) == (1, {})
    assert f"fetch from {other.root}." in " ".join(shown.split())


def test_a_password_in_a_url_is_not_printed(ann: Git, be: Be) -> None:
    word = "pass" + "word1"
    url = f"http://ann:{word}@127.0.0.1:1/x.git"
    ann("remote", "add", "web", url)
    tell(ann, ann.head(), "traj_ann")
    for args in (
        ["push", "--dry-run", "web"],
        ["push", "--dry-run", f"{url}2"],
        ["push", "--dry-run", "--json", f"{url}2"],
    ):
        out, err = be(ann)(*args)
        assert "127.0.0.1:1" in out or "--json" in args
        assert word not in out + err
    for args in (["push", "web"], ["fetch", "web"], ["sync", f"{url}2"], ["push", f"{url}2"]):
        out, err = be(ann)(*args, status=1)
        assert word not in out + err
    assert word not in "".join(refs(ann, "refs/"))


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://a:b@h/x", "https://h/x"),
        ("https://a:b@c@h/x@y", "https://h/x@y"),
        ("at 'ssh://u@h:22/x' and http://t@h/", "at 'ssh://h:22/x' and http://h/"),
        ("git@h:x/y.git", "git@h:x/y.git"),
        ("/srv/a@b", "/srv/a@b"),
    ],
)
def test_user_and_password_are_removed_from_urls(text: str, clean: str) -> None:
    assert without_password(text) == clean


# ---------------------------------------------------------------- remotes of all kinds


def test_a_missing_remote_is_reported(ann: Git, be: Be) -> None:
    for command in ("fetch", "push", "sync"):
        assert be(ann).fails(command, "nowhere") == "there is no remote 'nowhere'"
    ann("remote", "remove", "origin")
    assert be(ann).fails("sync") == "there is no remote to share with"
    assert be(ann)("sync", status=1)[1].endswith("\nhint: add one: git remote add origin URL\n")
    for name in ("one", "two"):
        ann("remote", "add", name, "/nowhere/x.git")
    assert be(ann).fails("sync") == "there is no default remote"
    assert be(ann)("sync", status=1)[1].endswith("\nhint: name one: git traj sync REMOTE\n")


def test_a_remote_that_is_gone_is_reported(ann: Git, be: Be) -> None:
    ann("remote", "set-url", "origin", "/nowhere/x.git")
    tell(ann, ann.head(), "traj_ann")
    for command in ("fetch", "push", "sync"):
        assert be(ann).fails(command) == "origin: '/nowhere/x.git' does not appear to be a git repository"


def test_a_remote_whose_name_has_slashes_works(server: Git, ann: Git, bob: Git, be: Be) -> None:
    ann("remote", "rename", "origin", "team/one.x")
    tell(ann, ann.head(), "traj_ann")
    tell(bob, bob.head(), "traj_bob")
    be(ann)("sync", "team/one.x")
    be(bob)("sync")
    assert be(ann).json("sync")["fetched"] == 1
    assert told(ann, "refs/notes-remote/team/one.x/traj") == told(server) == told(ann)


def test_an_address_can_be_given_as_remote(server: Git, ann: Git, bob: Git, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann")
    other = bare(server.root.parent / "other.git")
    found = be(ann).json("sync", str(other.root))
    assert (found["remote"], found["records"]) == (str(other.root), 1)
    assert told(other) == told(ann)
    assert be(ann).json("push", str(other.root))["refs"] == []
    assert be(bob).json("fetch", f"file://{other.root}")["fetched"] == 1
    assert be(ann).json("push", str(server.root))["remote"] == "origin"  # the same address
    assert told(server) == told(bob)


def test_records_of_others_are_pushed_to_a_fork(
    server: Git, ann: Git, bob: Git, tmp_path: Path, be: Be
) -> None:
    """A fork: upstream's records are pushed to the user's own remote, too."""
    fork = bare(tmp_path / "fork.git")
    tell(bob, bob.head(), "traj_bob")
    be(bob)("push")
    ann("remote", "add", "fork", str(fork.root))
    ann("config", "remote.pushDefault", "fork")
    tell(ann, ann.head(), "traj_ann")
    assert be(ann).json("fetch")["remote"] == "origin"
    assert be(ann).json("push")["remote"] == "fork"
    assert told(fork) == {ann.head(): {"traj_ann", "traj_bob"}}
    assert told(server) == {ann.head(): {"traj_bob"}}
    be(bob)("fetch", str(fork.root))
    assert told(bob) == told(fork)


def test_a_remote_without_atomic_pushes_gets_no_records_without_segments(
    server: Git, ann: Git, be: Be
) -> None:
    server("config", "receive.advertiseAtomic", "false")
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push")
    assert refs(server) == refs(ann)
    tell(ann, ann.head(), "traj_more", at=5)
    write_hook(server, "update", f'case $1 in {DATA}) echo "no more data"; exit 1 ;; esac')
    before = refs(server)
    assert be(ann).fails("push") == "origin: [remote rejected] (hook declined): no more data"
    assert refs(server) == before, "no record is pushed without its segments"


@pytest.mark.parametrize("hook", ["pre-receive", "update"])
def test_a_refusal_by_a_hook_on_the_server_is_reported(server: Git, ann: Git, be: Be, hook: str) -> None:
    write_hook(server, hook, "printf 'no notes \\033[2Jhere\\n' >&2; exit 1")
    tell(ann, ann.head(), "traj_ann")
    why = "pre-receive hook declined" if hook == "pre-receive" else "hook declined"
    assert be(ann).fails("push") == f"origin: [remote rejected] ({why}): no notes ^[[2Jhere"
    assert refs(server) == {}


def test_a_push_updates_all_refs_or_none(server: Git, ann: Git, be: Be) -> None:
    write_hook(server, "update", f"case $1 in {DATA}) exit 1 ;; esac")
    tell(ann, ann.head(), "traj_ann")
    assert be(ann).fails("push") == "origin: [remote rejected] (hook declined)"
    assert refs(server) == {}


@pytest.fixture
def daemon(server: Git) -> Iterator[str]:
    """Start git's own server, from which anybody can read and to which nobody can write."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["git", "daemon", "--export-all", f"--base-path={server.root.parent}", f"--port={port}"]
    with subprocess.Popen([*command, "--listen=127.0.0.1"], stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: _listens(port), "git's server")
        yield f"git://127.0.0.1:{port}/server.git"
        process.terminate()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def test_a_read_only_remote_is_fetched_but_not_pushed_to(daemon: str, ann: Git, bob: Git, be: Be) -> None:
    tell(bob, bob.head(), "traj_bob")
    be(bob)("push")
    ann("remote", "set-url", "origin", daemon)
    assert be(ann).json("fetch")["fetched"] == 1
    tell(ann, ann.head(), "traj_ann")
    assert (
        be(ann).fails("push") == "origin: remote error: access denied or repository not exported: /server.git"
    )
    assert told(ann) == {ann.head(): {"traj_ann", "traj_bob"}}


def test_a_server_that_wants_a_password_is_an_error_without_a_prompt(ann: Git, be: Be) -> None:
    """The password is not requested: the command ends within a moment, also on a terminal."""
    code = (
        "import http.server as h\n"
        "class W(h.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        self.send_response(401)\n"
        "        self.send_header('WWW-Authenticate', 'Basic realm=x')\n"
        "        self.end_headers()\n"
        "    def log_message(self, *a): pass\n"
        "s = h.HTTPServer(('127.0.0.1', 0), W)\n"
        "print(s.server_port, flush=True)\n"
        "s.serve_forever()\n"
    )
    tell(ann, ann.head(), "traj_ann")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        url = f"http://127.0.0.1:{port}/x.git"
        ann("remote", "set-url", "origin", url)
        try:
            said = [be(ann).fails(command) for command in ("fetch", "push", "sync")]
            status, shown = at_terminal(ann.root, "push")
        finally:
            server.terminate()
    if any("remote-http' is not a git command" in line or "remote helper" in line for line in said):
        pytest.skip("this git was built without HTTP")
    assert said == [f"origin: Authentication failed for '{url}/'"] * 3
    assert status == 1
    assert "Password" not in shown
    assert "Username" not in shown


def test_a_server_that_never_answers_is_given_up(ann: Git, be: Be, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "ANSWER", 0.5)
    monkeypatch.setattr(network, "TRANSFER", 0.5)
    tell(ann, ann.head(), "traj_ann")
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        ann("remote", "set-url", "origin", f"git://127.0.0.1:{deaf.getsockname()[1]}/x.git")
        assert be(ann).fails("fetch") == "origin: git ls-remote did not end within 0.5 seconds"
        assert be(ann).fails("push") == "origin: git push did not end within 0.5 seconds"


def test_events_of_a_remote_that_does_not_answer(ann: Git, bob: Git, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push")
    be(bob)("fetch")
    bob("remote", "set-url", "origin", "/nowhere/x.git")
    out, err = be(bob)("show")
    assert "traj_ann" in out
    assert err.startswith(f"events are left out: {DATA}:s/")
    assert err.splitlines()[1:] == ["hint: origin: '/nowhere/x.git' does not appear to be a git repository"]


# ---------------------------------------------------------------- invalid content of a remote's refs


def test_garbage_on_the_records_ref_is_reported_and_kept(server: Git, ann: Git, be: Be) -> None:
    blob = server("hash-object", "-w", "--stdin", input="garbage")
    server("update-ref", RECORDS, blob)
    tell(ann, ann.head(), "traj_ann")
    before = told(ann)
    for command in ("fetch", "push", "sync"):
        assert be(ann).fails(command) == f"origin: its {RECORDS} is not a notes ref"
    assert told(ann) == before
    assert server("rev-parse", RECORDS) == blob


def test_an_unrelated_history_with_foreign_entries_is_joined(server: Git, ann: Git, be: Be) -> None:
    tree = server(
        "mktree",
        input=f"100644 blob {server('hash-object', '-w', '--stdin', input='hello')}\treadme\n",
    )
    server("update-ref", RECORDS, server("commit-tree", tree, "-m", "strange"))
    tell(ann, ann.head(), "traj_ann")
    be(ann)("sync")
    assert told(server) == {ann.head(): {"traj_ann"}}
    assert server("cat-file", "blob", f"{RECORDS}:readme") == "hello"


def test_a_month_that_was_retired_on_the_remote_stays_retired(server: Git, ann: Git, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push")
    epoch = server("hash-object", "-w", "--stdin", input="1\n")
    retired = server("commit-tree", server("mktree", input=f"100644 blob {epoch}\tepoch\n"), "-m", "retired")
    server("update-ref", DATA, retired)
    tell(ann, ann.head(), "traj_more", at=5)
    be(ann)("push")
    assert told(server) == told(ann)
    assert server("rev-parse", DATA) == ann("rev-parse", DATA) == retired


@pytest.mark.parametrize("command", ["fetch", "push", "sync"])
@pytest.mark.parametrize("body", ['{"v":2,"epoch":1}\n', '{"v":1,"epoch":1e999}\n', "[" * 100_000])
def test_a_purge_that_this_version_does_not_understand_stops_sharing(
    server: Git, ann: Git, be: Be, command: str, body: str
) -> None:
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push")
    blob = server("hash-object", "-w", "--stdin", input=body)
    tree = server("mktree", input=f"100644 blob {blob}\tepoch\n100644 blob {blob}\tother\n")
    purged = server("commit-tree", tree, "-m", "purged")
    server("update-ref", RECORDS, purged)
    tell(ann, ann.head(), "traj_more", at=5)
    before = told(ann)
    assert be(ann).fails(command) == "a ref was purged in a way that this version does not understand"
    assert told(ann) == before
    assert server("rev-parse", RECORDS) == purged
    ann("update-ref", RECORDS, purged)
    assert "wrong: a ref was purged in a way" in be(ann)("doctor", status=1)[0]


def test_records_that_a_remote_lost_are_pushed_again(server: Git, ann: Git, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push")
    server("update-ref", "-d", DATA)
    server("update-ref", "-d", RECORDS)
    assert be(ann).json("sync")["records"] == 1
    assert refs(server) == refs(ann)


# ---------------------------------------------------------------- clones and repositories of all kinds


def test_sha256_repositories_share_records(tmp_path: Path, be: Be) -> None:
    server = bare(tmp_path / "server.git", "--object-format=sha256")
    ann, bob = (Git.init(tmp_path / name, "--object-format=sha256") for name in ("ann", "bob"))
    for git in (ann, bob):
        git("remote", "add", "origin", str(server.root))
        git("config", "traj.push", "auto")
    one = ann.commit({"file": "1\n"})
    ann("push", "-q", "origin", "main")
    tell(ann, one, "traj_ann")
    tell(bob, one, "traj_bob")
    for git in (ann, bob, ann):
        be(git)("sync")
    assert told(ann) == told(bob) == told(server) == {one: {"traj_ann", "traj_bob"}}
    server("fsck", "--strict")


def test_a_remote_of_another_object_format(ann: Git, tmp_path: Path, be: Be) -> None:
    other = bare(tmp_path / "other.git", "--object-format=sha256")
    tell(ann, ann.head(), "traj_ann")
    assert be(ann).fails("push", str(other.root)).endswith("not support this repository's hash algorithm")


@in_turn(
    *("option", "after_fetch"),
    {name: name for name in ("--depth=1", "--filter=blob:none", "--filter=tree:0")},
    {"at once": False, "after git fetch": True},
)
def test_shallow_and_partial_clones(
    server: Git, ann: Git, tmp_path: Path, be: Be, option: str, after_fetch: bool
) -> None:
    """Nothing calls ``git notes prune``: notes of absent commits stay."""
    server("config", "uploadpack.allowFilter", "true")
    server("config", "uploadpack.allowAnySHA1InWant", "true")
    commits = [ann.commit({"file": f"{n}\n"}) for n in range(5)]
    ann("push", "-q", "origin", "main")
    for n, commit in enumerate(commits):
        tell(ann, commit, f"traj_{n}")
    be(ann)("push")
    Git(tmp_path)("clone", "-q", option, f"file://{server.root}", "part")
    part = Git(tmp_path / "part")
    part("config", "traj.push", "auto")
    if after_fetch:
        be(part)("install")
        part("fetch", "-q")
    tell(part, commits[-1], "traj_part")
    be(part)("sync")
    both = {c: {f"traj_{n}"} | ({"traj_part"} if n == 4 else set()) for n, c in enumerate(commits)}
    assert told(part) == told(server) == both
    tell(ann, commits[0], "traj_late")
    be(ann)("sync")
    assert be(part).json("sync")["fetched"] == 1
    assert told(part) == told(ann) == told(server)
    server("fsck", "--strict")


def test_a_partial_clone_fetches_missing_objects_in_a_few_batches(
    server: Git, ann: Git, tmp_path: Path, be: Be
) -> None:
    server("config", "uploadpack.allowFilter", "true")
    server("config", "uploadpack.allowAnySHA1InWant", "true")
    with ann.open() as repository:
        Story(repository).notes({f"{n:040x}": record(f"traj_{n}") for n in range(1, 200)})
    be(ann)("push")
    Git(tmp_path)("clone", "-q", "--filter=blob:none", f"file://{server.root}", "part")
    part = Git(tmp_path / "part")
    be(part)("install")
    part("fetch", "-q")
    trace = tmp_path / "trace"
    be(part).monkeypatch.setenv("GIT_TRACE", str(trace))
    be(part)("fetch")
    assert len(told(part)) == 199
    calls = [line for line in trace.read_text().splitlines() if "built-in: git fetch" in line]
    assert len(calls) <= 3


def test_a_bare_repository_shares_records(server: Git, ann: Git, tmp_path: Path, be: Be) -> None:
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push")
    Git(tmp_path)("clone", "-q", "--mirror", str(server.root), "mirror.git")
    mirror = Git(tmp_path / "mirror.git")
    mirror("config", "traj.push", "auto")
    tell(mirror, ann.head(), "traj_mirror")
    server("update-ref", "refs/heads/other", ann.head())
    be(mirror)("sync")
    assert told(mirror) == told(server) == {ann.head(): {"traj_ann", "traj_mirror"}}
    assert "refs/heads/other" in refs(server, "refs/heads/"), "nothing else is pushed"


def test_a_sync_without_commits_does_nothing(tmp_path: Path, be: Be) -> None:
    server = bare(tmp_path / "server.git")
    git = clone(server, tmp_path / "empty")
    assert be(git)("sync") == ("origin: no new records\norigin has everything\n", "")
    assert refs(server) == {}


def test_a_fetch_without_records_suggests_no_useless_command(ann: Git, be: Be) -> None:
    said = "the remote has no records yet; run git traj push in the clone that recorded them"
    assert be(ann)("fetch") == ("origin: no new records\n", f"hint: {said}\n")
    _, err = be(ann)("show")
    assert "if your team shares them: git traj push where they were made, then git traj fetch" in err


def test_a_sync_outside_of_a_repository_is_refused(tmp_path: Path, be: Be) -> None:
    (tmp_path / "no").mkdir()
    assert be(Git(tmp_path / "no")).fails("sync").endswith("is not in a git repository")


# ---------------------------------------------------------------- plain git


def test_edge_8_plain_git_works_as_before(server: Git, ann: Git, bob: Git, be: Be) -> None:
    """No plain fetch destroys an unpushed note, or fails without a remote note; push works as before."""
    for person in (be(ann), be(bob)):
        person("install")
    ann("fetch", "-q")
    tell(ann, ann.head(), "traj_ann")
    mine = refs(ann)
    for args in (
        ["fetch", "-q"],
        ["fetch", "-q", "--prune"],
        ["-c", "fetch.prune=true", "fetch", "-q", "--all"],
    ):
        ann(*args)
        assert refs(ann) == mine
    ann.commit({"file": "2\n"})
    ann("push", "-q")
    assert refs(server) == {}
    assert server("rev-parse", "main") == ann.head()
    be(ann)("push")
    bob("fetch", "-q")
    assert refs(bob).keys() == set()
    assert refs(bob, "refs/notes-remote/").keys() == {"refs/notes-remote/origin/traj"}, "no segments"
    tell(bob, bob.head(), "traj_bob")
    mine = refs(bob)
    bob("fetch", "-q", "--prune")
    assert refs(bob) == mine
    be(bob)("sync")
    assert told(bob)[bob.head()] == {"traj_ann", "traj_bob"}


def test_our_push_runs_no_hook_and_sends_nothing_else(server: Git, ann: Git, be: Be) -> None:
    hook = ann.root / ".git" / "hooks" / "pre-push"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    ann("config", "push.followTags", "true")
    ann("config", "push.default", "matching")
    ann.commit({"file": "2\n"})
    ann("tag", "-a", "v1", "-m", "v1")
    before = refs(server, "refs/heads/")
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push")
    assert refs(server, "refs/heads/", "refs/tags/") == before
    assert not (ann.root / "ran").exists()


# ---------------------------------------------------------------- next to the user's own push


def test_no_push_hook_without_the_setting(ann: Git, be: Be) -> None:
    ann("config", "traj.push", "ask")
    be(ann)("install")
    assert not (ann.root / ".git/hooks/pre-push").exists()


def test_records_are_pushed_next_to_the_users_push(server: Git, ann: Git, be: Be, tmp_path: Path) -> None:
    hook = ann.root / ".git" / "hooks" / "pre-push"
    kept = f'#!/bin/sh\necho "$0 $*" >"{tmp_path}/args"\ncat >"{tmp_path}/lines"\n'
    hook.write_text(kept)
    hook.chmod(0o755)
    be(ann)("install")
    tell(ann, ann.head(), "traj_ann")
    commit = ann.commit({"file": "2\n"})
    before = server("rev-parse", "main")
    ann("push", "-q")
    assert (tmp_path / "lines").read_text() == f"refs/heads/main {commit} refs/heads/main {before}\n"
    assert (tmp_path / "args").read_text().split()[1:] == ["origin", str(server.root)]
    wait_until(lambda: RECORDS in refs(server))
    assert told(server) == told(ann)
    with ann.open() as repository:
        hooks = inspect_hooks(repository, find_hooks_folder(repository))
    assert (hooks[-1].name, hooks[-1].state) == ("pre-push", "installed")
    be(ann)("uninstall")
    assert hook.read_text() == kept


def test_a_push_hook_that_refuses_still_stops_the_push(server: Git, ann: Git, be: Be) -> None:
    hook = ann.root / ".git" / "hooks" / "pre-push"
    hook.write_text("#!/bin/sh\nexit 3\n")
    hook.chmod(0o755)
    be(ann)("install")
    tell(ann, ann.head(), "traj_ann")
    ann.commit({"file": "2\n"})
    assert not ann.succeeds("push", "-q")
    assert refs(server) == {}


def test_the_users_push_waits_for_nothing_and_never_fails(server: Git, ann: Git, be: Be) -> None:
    """The records' own push hangs, as its server does not answer."""
    be(ann)("install")
    ann.commit({"file": "2\n"})
    tell(ann, ann.head(), "traj_ann")
    hangs = f"{BUSY.format(server.root)}; exit 1"
    write_hook(server, "pre-receive", f"while read -r o n r; do case $r in {RECORDS}) {hangs};; esac; done")
    ann("push", "-q")
    assert not (server.root / "done").exists()
    (server.root / "go").touch()
    assert server("rev-parse", "main") == ann.head()
    ann("config", "traj.push", "never")
    ann.commit({"file": "3\n"})
    ann("push", "-q")
    assert RECORDS not in refs(server)


# ---------------------------------------------------------------- edge-cases.md, "Notes"


def test_edge_2_notes_of_commits_that_are_not_here(ann: Git, bob: Git, be: Be) -> None:
    absent = "ab" * 20
    with ann.open() as repository:
        Story(repository).note(absent, record("traj_absent"))
    tell(bob, bob.head(), "traj_bob")
    be(ann)("push")
    be(bob)("sync")
    assert told(bob) == {absent: {"traj_absent"}, bob.head(): {"traj_bob"}}


def test_edge_1_a_note_flat_on_one_side_and_fanned_on_the_other(ann: Git, bob: Git, be: Be) -> None:
    head = ann.head()
    tell(ann, head, "traj_ann")
    blob = bob("hash-object", "-w", "--stdin", input=b"foreign\n")
    deep = f"{head[:2]}/{head[2:4]}/{head[4:]}"
    for path in (head, deep):
        index = {"GIT_INDEX_FILE": str(bob.root / ".git/i")}
        bob("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=index)
    bob("update-ref", RECORDS, bob("commit-tree", bob("write-tree", env=index), "-m", "flat and fanned"))
    be(bob)("push")
    be(ann)("sync")
    be(bob)("sync")
    assert told(ann) == told(bob) == {head: {"traj_ann"}}
    assert ann("ls-tree", "-r", "--name-only", RECORDS) == f"{head[:2]}/{head[2:]}"
    assert "foreign" in ann("notes", "--ref=traj", "show", head)


def test_edge_4_a_corrupt_note_is_kept_and_reported(ann: Git, bob: Git, be: Be) -> None:
    head = ann.head()
    tell(ann, head, "traj_ann")
    junk = bob("hash-object", "-w", "--stdin", input=b'{"id":"traj_half","v":1,"ran\n\xff\xfe\x00\n')
    bob("notes", "--ref=traj", "add", "-C", junk, head)
    be(bob)("push")
    be(ann)("sync")
    body = ann.raw("notes", "--ref=traj", "show", head)
    assert b'{"id":"traj_half","v":1,"ran\n' in body
    assert b"\xff\xfe\x00\n" in body
    assert "claude-code" in be(ann)("log")[0]
    assert "is damaged, or not ours" in be(ann)("doctor", status=1)[0]


def test_edge_5_a_dangling_segment(ann: Git, bob: Git, be: Be) -> None:
    lost = SegmentRef(name="000000-0badc0de", month="2019-12", bytes=1, sha256="0" * 64)
    strange = SegmentRef(name="x", month="../../heads/main", bytes=1, sha256="0" * 64)
    with ann.open() as repository:
        line = record("traj_ann", segments=[lost, strange], prompt="Still here", ruleset=RULESET)
        Story(repository).note(ann.head(), line)
    assert "of 2019-12, named on" in be(ann)("doctor", status=1)[0]
    be(ann)("push")
    be(bob)("fetch")
    out, err = be(bob)("show")
    assert "Still here" in out
    assert err.splitlines()[0].endswith(" and 1 more are not here")


def test_edge_9_records_without_segments_and_carried_ones(ann: Git, bob: Git, be: Be) -> None:
    old, new = ann.head(), ann.commit({"file": "2\n"})
    own = record("traj_one", rev=1, prompt="own")
    own = replace(own, origin=Origin(commit=new, tree="1" * 40))
    carried = replace(
        own, origin=Origin(commit=old, tree="1" * 40), link=Link(evidence="agent", carried_from=(old,))
    )
    with ann.open() as repository:
        Story(repository).note(new, own)
    with bob.open() as repository:
        Story(repository).note(new, carried, record("traj_two"))
    be(ann)("push")
    for git in (bob, ann, bob):
        be(git)("sync")
    for git in (ann, bob):
        with git.open() as repository:
            lines = decode_note(NotesRef(repository).read(new) or b"")
        (one,) = (line for line in lines if isinstance(line, Record) and line.id == "traj_one")
        assert one.origin == own.origin
        assert one.link.carried_from == (old,)
        assert told(git)[new] == {"traj_one", "traj_two"}


def test_edge_7_a_note_larger_than_a_command_line(ann: Git, bob: Git, be: Be) -> None:
    head = ann.head()
    with ann.open() as repository:
        Story(repository).note(head, *(record(f"traj_{n}", prompt="long " * 2000) for n in range(25)))
    tell(bob, head, "traj_bob")
    be(ann)("push")
    be(bob)("sync")
    assert len(bob.raw("notes", "--ref=traj", "show", head)) > 200_000
    assert len(told(bob)[head]) == 26


def test_absence_deletes_nothing_between_clones(server: Git, ann: Git, bob: Git, be: Be) -> None:
    """Otherwise ``git notes prune`` in a shallow clone would delete everybody's records."""
    tell(ann, ann.head(), "traj_ann")
    be(ann)("push")
    be(bob)("fetch")
    bob("notes", "--ref=traj", "remove", bob.head())
    bob("push", "-q", "origin", RECORDS)
    be(ann)("sync")
    assert told(ann) == told(server) == {ann.head(): {"traj_ann"}}


@pytest.mark.parametrize("command", ["sync", "fetch", "push"])
def test_edge_9_a_note_removed_by_hand_comes_back_only_by_a_sync(
    server: Git, ann: Git, be: Be, command: str
) -> None:
    """The reflog does not bring the note back, and ``doctor`` reports that; no push removes the note from the
    remote."""
    tell(ann, ann.head(), "traj_ann")
    be(ann)("install")
    be(ann)("push")
    before = told(ann)
    ann("notes", "--ref=traj", "remove", "HEAD")
    be(ann)("log")
    assert told(ann) == {}
    found = json.loads(be(ann)("doctor", "--json")[0])["findings"]
    (said,) = [f for f in found if f["code"] == "removed"]
    assert "still on origin: 1 note, such as that of commit " in said["text"]
    assert said["remedy"].startswith("git traj sync brings them back")
    be(ann)(command)
    assert told(ann) == told(server) == before
    assert [f for f in json.loads(be(ann)("doctor", "--json")[0])["findings"] if f["code"] == "removed"] == []


def test_the_default_remote_follows_gits_configuration(ann: Git, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        ann("remote", "add", name, str(tmp_path / name))

    def chosen(*, pushing: bool) -> str:
        with ann.open() as repository:
            return find_remote(repository, None, pushing=pushing).name

    assert chosen(pushing=True) == "origin"
    ann("config", "branch.main.remote", "one")
    ann("config", "remote.pushDefault", "two")
    assert (chosen(pushing=True), chosen(pushing=False)) == ("two", "one")
    ann("config", "branch.main.pushRemote", "three")
    assert chosen(pushing=True) == "three"


def test_a_lock_that_a_killed_fetch_left_is_removed(be: Be, ann: Git, bob: Git) -> None:
    """git never removes it, and every later fetch would fail."""
    lock = ann.root / ".git/refs/notes-remote/origin/traj.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    os.utime(lock, (1, 1))
    tell(bob, bob.head(), "traj_bob")
    be(bob)("sync")
    assert be(ann)("fetch") == ("origin: new records on 1 commit\n", "")
    assert not lock.exists()
