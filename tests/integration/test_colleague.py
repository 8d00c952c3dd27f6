"""Fetched records of others are shown next to ours, with their remote's name, and change nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gittraj import limits
from gittraj.index import remote_records
from gittraj.model.codec import encode_note
from gittraj.model.values import Decision, Line, Record, SessionInfo, Tombstone
from gittraj.notes.store import NotesRef
from gittraj.query.account import statements
from tests.integration.repository import Git
from tests.integration.sharing import RECORDS, Be, bare, clone, refs, told
from tests.integration.story import Story, record

WHOLE = SessionInfo(agent="claude-code", session="s1", models=("sonnet",))
COPIES = ("+refs/notes/traj*:refs/notes-remote/{0}/traj*", "^refs/notes/traj-data*")
SECRET = "ghp_" + "".join(chr(97 + (7 * n) % 26) for n in range(36))


@pytest.fixture
def server(tmp_path: Path) -> Git:
    """A server with a history of three commits."""
    server = bare(tmp_path / "server")
    first = Git.init(tmp_path / "first")
    for name in ("one", "two", "three"):
        first.commit({name: f"{name}\n"}, name)
    first("push", "--quiet", str(server.root), "main")
    return server


def note(git: Git, commit: str, *lines: Line) -> None:
    with git.open() as repository:
        Story(repository).note(git("rev-parse", commit), *lines)


def part(trajectory: str, prompt: str, *, at: int = 0, rev: int = 1, **figures: object) -> Record:
    return record(trajectory, at=at, rev=rev, whole=replace(WHOLE, title=prompt), prompt=prompt, **figures)


def push(git: Git, server: Git) -> None:
    git("push", "--quiet", "--force", str(server.root), f"{RECORDS}:{RECORDS}")


def fetch(git: Git, remote: str = "origin") -> None:
    """A plain fetch, with the refspecs that ``install`` adds."""
    git("fetch", "--quiet", remote, *(refspec.format(remote) for refspec in COPIES))


def fork_of(server: Git, ann: Git) -> Git:
    """Another user's copy of the server, which ann has as a remote."""
    fork = bare(server.root.with_name("fork"))
    ann("push", "--quiet", str(fork.root), "main")
    ann("remote", "add", "fork", str(fork.root))
    return clone(fork, server.root.with_name("mallory"))


def without_ages(text: str) -> str:
    return re.sub(r"  (just now|\d+ \w+ ago)", "  AGO", text)


def files(git: Git) -> dict[str, bytes]:
    """All files of the git directory, except the index, which is derived."""
    kept = (p for p in sorted((git.root / ".git").rglob("*")) if p.is_file() and "traj-index" not in p.parts)
    return {str(path): path.read_bytes() for path in kept}


READERS = [
    ("log", "--oneline"), ("log",), ("log", "--file", "two"), ("log", "--json"), ("show", "HEAD~1"),
    ("why", "two:1"), ("search", "limit"), ("context", "two"), ("stats",), ("status",), ("doctor",),
    ("pr", "--base", "HEAD~2"), ("export", "--format", "markdown", "HEAD~1"),
    ("export", "--format", "atif", "HEAD~1"), ("export", "--format", "html", "--all"),
]  # fmt: skip


def test_a_colleagues_records_before_and_after_they_are_joined(
    server: Git, ann: Git, bob: Git, be: Be
) -> None:
    """Bob recorded and pushed; Ann fetches with plain git, every command shows it; then she joins it."""
    decision = Decision(chosen="a bucket", alternatives=("a window",), reasoning="bursts", by="agent")
    note(bob, "HEAD~1", part("traj_b", "Limit the rate", decisions=(decision,)))
    push(bob, server)
    nothing = "No records here; if your team shares them: git traj fetch\n"
    nothing += "hint: git traj install starts recording\n"
    assert be(ann)("log") == ("", nothing)
    fetch(ann)
    short = ann("rev-parse", "--short", "HEAD~1")
    listed = f"{short} two  claude-code, from origin · 1 decision\n"
    shown = (
        f"{short} two  AGO by A U Thor\n"
        "  asked    Limit the rate\n"
        "  decided  a bucket over a window, because bursts\n"
        "  claude-code, from origin · sonnet · committed by the agent\n"
    )
    assert be(ann)("log", "--oneline") == (listed, "")
    for asked in (["log"], ["log", "--file", "two"]):
        out, err = be(ann)(*asked)
        assert (without_ages(out), err) == (shown, "")
    [entry] = be(ann).json("log")["commits"]
    assert [(t["id"], t["remote"]) for t in entry["trajectories"]] == [("traj_b", "origin")]
    assert be(ann)("log", "--oneline", "--file", "three") == (
        "",
        "no matching commits (1 commit here has a record)\n"
        "hint: git traj log --all lists all of them; git traj status shows what is not recorded yet\n",
    )
    assert without_ages(be(ann)("show", "HEAD~1")[0]) == (
        f"{short} two  AGO by A U Thor\n\ntraj_b\n"
        "  asked    Limit the rate\n"
        "  decided  a bucket over a window, because bursts\n"
        "  claude-code, from origin · sonnet · committed by the agent\n"
        "  git fetch brings the record, not its events: git traj fetch origin\n"
    )
    assert without_ages(be(ann)("why", "two:1")[0]) == (
        f"1  two\n{short} two  AGO by A U Thor\n"
        "  written  git fetch brings the record, not its events: git traj fetch origin\n"
        "  the commit also has:\n"
        "  asked    Limit the rate\n"
        "  claude-code, from origin · sonnet · committed by the agent\n"
        f"  git traj show {short} has more\n"
    )
    assert without_ages(be(ann)("search", "limit")[0]) == (
        f"{short} two  AGO by A U Thor\n  named    Limit the rate\n"
        "  claude-code, from origin · traj_b · Limit the rate\n"
    )
    assert (
        f'{short} 2026-01-02 rejected "a window" for "a bucket" because "bursts" (agent, from "origin")\n'
        in be(ann)("context", "two")[0]
    )
    assert "from        origin: 1 commit, not joined (git traj fetch origin)\n" in be(ann)("stats")[0]
    assert be(ann).json("stats")["total"]["remotes"] == {"origin": 1}
    status = be(ann)("status")[0]
    assert "Recorded: trajectories of origin on 1 commit (git traj fetch origin joins them)\n" in status
    assert "0 commits" not in status and "to join" not in status and "Beside" not in status
    assert (
        "**1 of 2 commits** have an agent trajectory · Claude Code from origin"
        in be(ann)("pr", "--base", "HEAD~2")[0]
    )
    assert be(ann)("fetch") == ("origin: new records on 1 commit\n", "")
    assert be(ann)("log", "--oneline") == (listed.replace(", from origin", ""), "")
    assert ann("config", "remote.origin.trajFetch") == str(server.root)


@pytest.mark.parametrize("asked", READERS, ids=" ".join)
def test_no_reader_writes_or_says_that_nothing_is_there(
    server: Git, ann: Git, bob: Git, be: Be, asked: Sequence[str]
) -> None:
    note(bob, "HEAD~1", part("traj_b", "Limit the rate"))
    push(bob, server)
    fetch(ann)
    before = refs(ann, "refs/"), files(ann)
    out, err = be(ann)(*asked)
    assert (refs(ann, "refs/"), files(ann)) == before
    assert "No records here" not in err
    assert "origin" in out + err or asked[0] == "export"


((STATEMENT, _),) = statements(record("traj_b", caveats=("Not tried.",)))
WRITERS = [
    ("complete", "traj_b", "--summary", "x"), ("strike", "HEAD~1", STATEMENT), ("unlink", "HEAD~1"),
    ("forget", "traj_b"), ("carry", "--from", "HEAD~1", "--onto", "HEAD"),
]  # fmt: skip


@pytest.mark.parametrize("asked", WRITERS, ids=" ".join)
def test_a_writer_says_that_a_record_is_not_joined(
    server: Git, ann: Git, bob: Git, be: Be, asked: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_CLI", "AI_AGENT"):
        monkeypatch.delenv(name, raising=False)
    hint = "hint: its records came from origin and are not joined yet: git traj fetch origin\n"
    assert hint not in be(ann)(*asked, status=int(asked[0] != "carry"))[1]
    note(bob, "HEAD~1", part("traj_b", "Limit the rate", caveats=("Not tried.",)))
    push(bob, server)
    fetch(ann)
    assert hint in be(ann)(*asked, status=1)[1]


@pytest.mark.parametrize(
    "asked",
    [
        ("complete", "raj_b"),
        ("strike", "HEAD~1", "zzzz"),
        ("unlink", "HEAD~1", "zzzz"),
        ("forget", "claude"),
        ("forget", ".gitignore"),
        ("unlink", "HEAD"),
    ],
)
def test_a_writer_says_so_only_of_a_record_that_it_would_find(
    server: Git, ann: Git, bob: Git, be: Be, asked: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_CLI", "AI_AGENT"):
        monkeypatch.delenv(name, raising=False)
    note(bob, "HEAD~1", part("traj_b", "Limit the rate", caveats=("Not tried.",)))
    note(bob, "HEAD", part("traj_c", "Limit the size"))
    note(ann, "HEAD", part("traj_c", "Limit the size"), Tombstone(id="traj_c", rev=1, deleted="by hand"))
    push(bob, server)
    fetch(ann)
    assert "not joined" not in be(ann)(*asked, status=1)[1]


def test_search_finds_what_remotes_have(server: Git, ann: Git, bob: Git, be: Be) -> None:
    note(ann, "HEAD", part("traj_a", "Limit the size"))
    note(bob, "HEAD~1", part("traj_b", f"Limit the rate, with {SECRET}"))
    note(bob, "HEAD", part("traj_a", "Limit the depth", at=9))
    push(bob, server)
    fetch(ann)

    def search(*words: str) -> list[tuple[str, str | None]]:
        found = json.loads(be(ann)("search", "--json", *words)[0])
        assert found["beside"] == {"origin": 2}
        return [(hit["trajectory"]["id"], hit["trajectory"].get("remote")) for hit in found["results"]]

    assert search("limit")[0] == ("traj_a", None), "our own result comes first"
    assert sorted(search("limit")) == [("traj_a", None), ("traj_a.origin", "origin"), ("traj_b", "origin")]
    assert search("rate") == [("traj_b", "origin")]
    assert ("traj_b", "origin") in search("--similar", "throttle the rate")
    assert search("limit", "--file", "two") == search("limit", "--rev", "HEAD~1") == [("traj_b", "origin")]
    assert search("limit", "--agent", "codex") == search(SECRET) == []
    assert len(search("limit", "-n", "1")) == 1


def test_fork_that_deletes_replaces_and_floods(server: Git, ann: Git, be: Be) -> None:
    """A fork's fetched records are shown next to ours, named and limited in number; ours stay as they are."""
    mallory = fork_of(server, ann)
    head, ours = ann.head(), part("traj_a", "Ours", caveats=("not tested",))
    note(ann, "HEAD", ours)
    before = be(ann)("log", "--oneline"), be(ann).json("show"), be(ann)("context", "three")
    evil = replace(ours, rev=9, figures=replace(ours.figures, prompt="Replaced", caveats=()))
    stones = [
        Tombstone(id="traj_a", first=None, rev=99, deleted="gone", scope=scope) for scope in ("all", "commit")
    ]
    late = part("traj_a", "Added", at=50, rev=9)
    flood = [part(f"traj_{n:03}", f"Flood {n}", caveats=("not tested",)) for n in range(400)]
    note(mallory, "HEAD", evil, *stones, late, *flood)
    with mallory.open() as repository:
        junk = b'{"id":"traj_a","rev":"x"}\nno json\n' + b"[" * 10_000 + b"\n"
        NotesRef(repository).write({head: lambda body: body + junk}, message="junk")
    push(mallory, Git(Path(ann("remote", "get-url", "fork"))))
    fetch(ann, "fork")
    out, err = be(ann)("log", "--oneline")
    assert err == f"git-traj: fork has more records on {head[:7]} than are shown: 381 are left out\n"
    small = before[0][0].removesuffix("\n")
    assert out.startswith(small + " + claude-code, from fork + ")
    assert out.count("from fork") == 20
    shown = be(ann)("show", "--json")[0]
    assert json.loads(shown)["trajectories"][0] == before[1]["trajectories"][0]
    assert {t["remote"] for t in json.loads(shown)["trajectories"][1:]} == {"fork"}
    assert be(ann)("context", "three")[0].splitlines()[2] == before[2][0].splitlines()[2]
    assert "Replaced" not in be(ann)("log", "--json")[0]
    assert be(ann)("why", "three:1")[0].splitlines()[3:5] == ["  the commit also has:", "  asked    Ours"]
    assert told(ann) == {head: {"traj_a"}}
    assert be(ann)("fetch", "fork")[0] == "fork: new records on 1 commit\n", "ann joins them on request"
    assert "Ours" not in be(ann)("log", "--json", "-n1")[0]


def test_records_that_a_fork_withdrew_are_not_shown(server: Git, ann: Git, be: Be) -> None:
    mallory = fork_of(server, ann)
    kept, gone = part("traj_k", "Kept"), part("traj_g", "Gone")
    note(mallory, "HEAD", kept, gone, Tombstone(id="traj_g", rev=1, deleted="wrong"))
    push(mallory, Git(Path(ann("remote", "get-url", "fork"))))
    fetch(ann, "fork")
    [entry] = be(ann).json("log")["commits"]
    assert [t["prompt"] for t in entry["trajectories"]] == ["Kept"]


def test_a_remotes_note_without_visible_records_does_not_count(server: Git, ann: Git, be: Be) -> None:
    """All records of the notes were withdrawn there, or forgotten here."""
    mallory = fork_of(server, ann)
    note(ann, "HEAD~2", part("traj_f", "Forgotten"))
    be(ann)("forget", "traj_f")
    note(mallory, "HEAD", part("traj_g", "Gone"), Tombstone(id="traj_g", rev=1, deleted="wrong"))
    note(mallory, "HEAD~1", part("traj_f", "Forgotten"))
    push(mallory, Git(Path(ann("remote", "get-url", "fork"))))
    fetch(ann, "fork")
    assert "Beside" not in be(ann)("doctor", status=1)[0]
    assert "from" not in be(ann)("stats")[0]
    assert be(ann)("log")[0] == ""


def test_the_same_records_of_two_remotes_are_shown_once(server: Git, ann: Git, bob: Git, be: Be) -> None:
    """Records of a remote that we have ourselves are not shown again."""
    note(bob, "HEAD", part("traj_b", "Bob's"))
    push(bob, server)
    mallory = fork_of(server, ann)
    note(mallory, "HEAD", part("traj_b", "Bob's"), part("traj_m", "Mallory's"))
    push(mallory, Git(Path(ann("remote", "get-url", "fork"))))
    fetch(ann)
    fetch(ann, "fork")

    def shown() -> list[tuple[str, str | None]]:
        return [
            (t["prompt"], t.get("remote")) for c in be(ann).json("log")["commits"] for t in c["trajectories"]
        ]

    assert shown() == [("Bob's", "origin"), ("Mallory's", "fork")]
    be(ann)("fetch")
    assert shown() == [("Bob's", None), ("Mallory's", "fork")]


def test_a_trajectory_that_went_on_elsewhere(server: Git, ann: Git, bob: Git, be: Be) -> None:
    """Our parts and the remote's are shown separately; each has an id that ``show`` accepts."""
    note(ann, "HEAD~1", part("traj_x", "Begun here"))
    note(bob, "HEAD", part("traj_x", "Gone on there", at=9))
    push(bob, server)
    fetch(ann)
    found = [t for c in be(ann).json("log")["commits"] for t in c["trajectories"]]
    assert [(t["id"], t["prompt"], t["part"]["of"]) for t in found] == [
        ("traj_x.origin", "Gone on there", 1),
        ("traj_x", "Begun here", 1),
    ]
    for each in found:
        [shown] = be(ann).json("show", each["id"])["trajectories"]
        assert shown["prompt"] == each["prompt"]
    out = be(ann)("export", "--format", "trajectory", "HEAD~2..HEAD", "-o", str(ann.root / "out"))
    assert out == ("", "")
    assert len(list((ann.root / "out").iterdir())) == 2


@pytest.mark.parametrize("indexed", [True, False])
def test_the_order_of_commits_with_and_without_an_index(
    server: Git, ann: Git, bob: Git, be: Be, indexed: bool
) -> None:
    note(bob, "HEAD", part("traj_b", "third"))
    note(bob, "HEAD~2", part("traj_b", "first", at=1))
    push(bob, server)
    note(ann, "HEAD~1", part("traj_a", "second"))
    if indexed:
        be(ann)("log")
    fetch(ann)
    out = be(ann)("log", "--oneline")[0]
    assert [line.split()[1] for line in out.splitlines()] == ["three", "two", "one"]
    assert [line.split()[1] for line in be(ann)("log", "--oneline", "--file", "one")[0].splitlines()] == [
        "one"
    ]
    found = be(ann)("log", "--oneline", "--file", "*o*")[0]
    assert [line.split()[1] for line in found.splitlines()] == ["two", "one"]


def test_the_ruleset_that_a_remote_claims_is_not_trusted(server: Git, ann: Git, bob: Git, be: Be) -> None:
    """A remote's records are redacted by today's rules before they are shown; only the result is cached."""
    from gittraj.redact import RULESET

    note(bob, "HEAD", part("traj_b", f"Use {SECRET} to push", ruleset=RULESET))
    push(bob, server)
    fetch(ann)
    for asked in (("log",), ("show",), ("why", "three:1"), ("context", "three"), ("log", "--json")):
        for _ in range(2):
            out, err = be(ann)(*asked)
            assert SECRET not in out + err
            assert "REDACTED-" in out
    kept = [path for path in (ann.root / ".git/traj-index").iterdir() if SECRET.encode() in path.read_bytes()]
    assert kept == []


def test_rules_are_loaded_once(server: Git, ann: Git, bob: Git) -> None:
    """Loading them takes longer than any answer: the redacted record is cached."""
    note(bob, "HEAD", part("traj_b", "Bob's"))
    push(bob, server)
    fetch(ann)
    ask = "import sys; from gittraj.cli.common.group import call; call(['log', '--json']);"
    ask += "print('gittraj.redact.scan' in sys.modules)"
    said = [subprocess.check_output([sys.executable, "-c", ask], cwd=ann.root, text=True) for _ in range(2)]
    assert [lines.splitlines()[-1] for lines in said] == ["True", "False"]
    assert said[0].splitlines()[0] == said[1].splitlines()[0]


@pytest.mark.parametrize("name", ["engine.py", "data/lines.toml", "data/words.txt", ".gittraj.yml"])
def test_records_redacted_by_other_rules_are_redacted_again(
    ann: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rules = tmp_path / "redact"
    (rules / "data").mkdir(parents=True)
    monkeypatch.setattr(remote_records, "__file__", str(tmp_path / "index" / "beside.py"))
    with ann.open() as repository:
        before = remote_records._find_rules(repository)
        assert remote_records._find_rules(repository) == before
        place = ann.root if name.startswith(".") else rules
        (place / name).write_text("changed")
        assert remote_records._find_rules(repository) != before


def test_a_record_withdrawn_here_is_not_shown_from_a_remote(server: Git, ann: Git, bob: Git, be: Be) -> None:
    both = (part("traj_b", "Withdrawn"), part("traj_c", "Kept"))
    for git in (ann, bob):
        note(git, "HEAD", *both)
    push(bob, server)
    fetch(ann)
    be(ann)("unlink", "HEAD", "traj_b")
    [entry] = be(ann).json("log")["commits"]
    assert [(t["prompt"], t.get("remote")) for t in entry["trajectories"]] == [("Kept", None)]


def test_notes_that_are_too_large_are_skipped(server: Git, ann: Git, bob: Git, be: Be) -> None:
    note(bob, "HEAD~1", part("traj_b", "Small"))
    with bob.open() as repository:
        body = encode_note([part("traj_l", "Large")]) + b"x" * 2_000_000 + b"\n"
        NotesRef(repository).write({bob.head(): lambda _: body}, message="large")
    push(bob, server)
    fetch(ann)
    out, said = be(ann)("log", "--json")
    assert [t["prompt"] for c in json.loads(out)["commits"] for t in c["trajectories"]] == ["Small"]
    assert f"origin: not read, being too large: the note of {bob.head()[:12]} (" in said


def test_records_of_a_removed_remote_are_not_shown(server: Git, ann: Git, bob: Git, be: Be) -> None:
    """git leaves its copy of the notes behind."""
    note(bob, "HEAD", part("traj_b", "Bob's"))
    push(bob, server)
    fetch(ann)
    ann("remote", "rename", "origin", "there")
    assert be(ann)("log")[0] == ""
    fetch(ann, "there")
    assert [t["remote"] for t in be(ann).json("show")["trajectories"]] == ["there"]
    ann("remote", "remove", "there")
    assert be(ann)("log")[0] == ""


@pytest.mark.nightly
def test_a_remote_with_too_many_commits_is_shown_in_part(ann: Git, be: Be) -> None:
    """Records that are left out are reported, even if none of them is on a listed commit."""
    note(ann, "HEAD", part("traj_a", "Ours"))
    body = encode_note([part("traj_f", "Flood")])
    files = (
        b"M 100644 inline %02x/%038x\ndata %d\n%s\n" % (n % 256, n, len(body), body)
        for n in range(limits.REMOTE_COMMITS + 50)
    )
    start = b"commit refs/notes-remote/fork/traj\ncommitter F <f@x> 0 +0000\ndata 0\n"
    ann("remote", "add", "fork", "/nowhere")
    ann("fast-import", "--quiet", input=start + b"".join(files))
    out, err = be(ann)("log", "--oneline")
    assert out == f"{ann('rev-parse', '--short', 'HEAD')} three  claude-code\n"
    assert err == "git-traj: fork: records of 50 commits are left out; git traj fetch fork joins all\n"


def test_a_bare_server_reads_its_own_records(server: Git, bob: Git, be: Be) -> None:
    """On a server the records are not a remote's; a mirror of it also has them in its own refs."""
    note(bob, "HEAD", part("traj_b", "Bob's"))
    push(bob, server)
    short = server("rev-parse", "--short", "main")
    assert be(server)("log", "--oneline", "main") == (f"{short} three  claude-code\n", "")
    server("clone", "--quiet", "--mirror", ".", "../mirror")
    mirror = Git(server.root.with_name("mirror"))
    assert be(mirror)("log", "--oneline", "main") == (f"{short} three  claude-code\n", "")
    before = refs(mirror, "refs/")
    out, err = be(mirror)("uninstall")
    assert "the records here" in out and err == "nothing to remove\n"
    assert refs(mirror, "refs/") == before


def test_purge_joins_no_remote_unasked(server: Git, ann: Git, be: Be) -> None:
    """A purge fetches remotes' records to search them, but joins no remote that was never joined."""
    mallory = fork_of(server, ann)
    note(ann, "HEAD", part("traj_a", "Ours"))
    note(mallory, "HEAD", Tombstone(id="traj_a", rev=9, deleted="gone", scope="all"))
    push(mallory, Git(Path(ann("remote", "get-url", "fork"))))
    ann("config", "--unset", "traj.push")
    err = be(ann)("redact", "--purge", "nothing-like-it")[1]
    assert "fork was never joined here (git traj fetch fork): what only this remote has was not" in err
    assert told(ann) == {ann.head(): {"traj_a"}}
    assert "gone" not in ann("notes", "--ref=traj", "show", "HEAD")
