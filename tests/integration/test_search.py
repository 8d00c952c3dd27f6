"""``git traj search``: what it finds in real segments, and that a damaged index never matters."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.commands.purge.search import PurgeTarget
from gittraj.commands.purge.work import purge
from gittraj.git import open_repository
from gittraj.index import file, update_text
from gittraj.index.file import LISTINGS
from gittraj.index.language import parse_query
from gittraj.index.ref_tips import is_current, read_refs
from gittraj.index.schema import FOLDER
from gittraj.index.search import Conditions, keep_text, search
from gittraj.index.text import TEXTS, WEIGHTS
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    FileChanged,
    Link,
    Message,
    Prompt,
    Retrospective,
    RetrospectiveEvent,
    SessionInfo,
    Summary,
    TaskRef,
    TaskSource,
    Thinking,
    Tombstone,
    ToolCall,
    ToolResult,
)
from gittraj.notes.store import NotesRef
from tests.integration.command import traj
from tests.integration.repository import Git
from tests.integration.searched import indexed, place
from tests.integration.story import MONTH, Story, record
from tests.integration.waiting import LONG

Find = Callable[..., list[dict[str, Any]]]
NOTHING = (
    "nothing recorded here matches\n"
    "hint: try fewer words, word* for its beginning, or git traj search --similar\n"
)


@pytest.fixture(autouse=True)
def inside(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(git.root)


@pytest.fixture
def find(capsys: pytest.CaptureFixture[str]) -> Find:
    """A function that returns the results of ``git traj search … --json``; if any, stderr must be empty."""

    def run(*words: str) -> list[dict[str, Any]]:
        assert call(["search", "--json", *words]) == 0
        said = capsys.readouterr()
        results: list[dict[str, Any]] = json.loads(said.out)["results"]
        assert said.err == ("" if results else NOTHING)
        return results

    return run


def commits(results: list[dict[str, Any]]) -> list[str]:
    return [result["commit"] for result in results]


def record_events(story: Story, commit: str, name: str, *events: AnyEvent, **fields: Any) -> None:
    segment = story.segment(name, 0, events)
    story.note(commit, record(name, n=len(events), segments=[segment], **fields))


def test_a_caveat_is_labelled_and_nothing_is_shown_twice(git: Git, story: Story, find: Find) -> None:
    doubt = "I have not tried herons on Windows."
    said = f"Counted. {doubt}"
    record_events(
        story,
        git.commit({"a": "1"}),
        "traj_one",
        Message(id="e0", content=said),
        summary=Summary(text=said, by="agent"),
        caveats=(doubt,),
    )
    shown = traj(git.root, "search", "herons").stdout
    assert "  said     Counted. I have not tried herons" in shown
    assert shown.count("not tried herons") == 1
    assert "  doubt    I have not tried herons" in traj(git.root, "search", "herons", "--in", "doubt").stdout


def test_every_kind_of_recorded_text_is_found(git: Git, story: Story, find: Find) -> None:
    decision = Decision(
        chosen="a token bucket", alternatives=("a fixed window",), reasoning="bursts", by="agent"
    )
    limits = git.commit({"src/limits.py": "1\n"}, "Limit requests")
    record_events(
        story,
        limits,
        "traj_limits",
        Prompt(id="e0", content="Limit how many requests a key may make"),
        Thinking(id="e1", content="perhaps a leaky barrel"),
        Message(id="e2", content="The RateLimiter answers 429 now"),
        ToolCall(id="e3", name="Bash", arguments={"command": "pytest tests/test_limits.py"}, call_id="1"),
        ToolResult(id="e4", content="collected 4 items\n" + "." * 5000 + "\n4 passed", call_id="1"),
        Decided(id="e5", content="", decision=decision),
        RetrospectiveEvent(
            id="e6", retrospective=Retrospective(by="agent", learnings=("the proxy retries at once",))
        ),
        prompt="Limit how many requests a key may make",
        started_at="2026-01-05T10:00:00Z",
        ended_at="2026-01-05T11:00:00Z",
        files=(FileChanged(path="src/limits.py"),),
        whole=SessionInfo(
            agent="codex",
            models=("gpt-5",),
            title="Rate limits",
            tags=("api",),
            task=TaskRef(title="Hammering", source=TaskSource(system="github", id="#12")),
        ),
    )
    mail = git.commit({"src/mail.py": "1\n"}, "Send once")
    record_events(
        story,
        mail,
        "traj_mail",
        Prompt(id="e0", content="Customers receive the same invoice twice, at any rate"),
        Message(id="e1", content="An idempotency key is stored first"),
        started_at="2026-02-01T10:00:00Z",
        ended_at="2026-02-01T10:05:00Z",
    )
    story.note(mail, record("traj_tried", role="explored", prompt="Look whether a broker could do it"))

    (found,) = find("rate", "limit")
    assert (found["commit"], found["commits"], found["subject"]) == (limits, [limits], "Limit requests")
    assert found["trajectory"]["id"] == "traj_limits"
    assert found["trajectory"]["decisions"] == []
    assert {match["in"] for match in found["matches"]} <= {*WEIGHTS}
    (match,) = [m for m in find("rate_limit*")[0]["matches"] if m["in"] == "message"]
    assert (match["event"], match["text"]) == ("e2", "The RateLimiter answers 429 now")
    assert "".join(match["marked"][1::2]) == "RateLimiter"

    for query in (
        "barrel",
        "bucket",
        "fixed window",
        "proxy",
        "pytest",
        "4 passed",
        "limits.py",
        "#12",
        "api",
    ):
        assert commits(find(query)) == [limits], query
    assert {*commits(find("rate"))} == {limits, mail}
    assert commits(find("rate -limit")) == [mail]
    assert {*commits(find('"rate limits" OR broker'))} == {limits, mail}
    for words in (["barrel", "--in", "message"], ["rate", "--agent", "gemini"], ["rate", "--tag", "x"]):
        assert find(*words) == [], words
    for words in (
        *(["barrel", "--in", "thinking"], ["rate", "--agent", "codex"], ["rate", "--tag", "api"]),
        *(["rate", "--task", "github:#12"], ["rate", "--model", "GPT"], ["rate", "--until", "2026-01-20"]),
        *(["rate", "--file", "src/limits.py"], ["rate", "--rev", "HEAD~1"]),
    ):
        assert commits(find(*words)) == [limits], words
    assert commits(find("rate", "--since", "2026-01-20")) == [mail]
    assert commits(find("rate", "--rev", "HEAD~1..HEAD")) == [mail]
    assert find("rate", "--author", "nobody") == []
    assert len(find("rate", "-n", "1")) == 1
    assert commits(find("--similar", "duplicate", "bills", "go", "out")) == [mail]
    assert commits(find("--similar", "How do we throttle our API?"))[0] == limits


def test_the_text_output(git: Git, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    def run_search(*words: str) -> tuple[int, str, str]:
        status = call(["search", *words])
        return (status, *capsys.readouterr())

    assert run_search("x") == (
        0,
        "",
        "no trajectories are recorded here\nhint: git traj install starts recording\n",
    )
    evil = "\x1b]0;owned\x07 the heron \u202e waits"
    commit = git.commit({"a": "1\n"}, "Herons")
    record_events(
        story,
        commit,
        "traj_one",
        Message(id="e0", content=f"{evil} again"),
        whole=SessionInfo(agent="codex", title=evil.replace("waits", "wades")),
    )
    status, out, err = run_search("heron")
    lines = out.splitlines()
    assert (status, err, lines[0].split()[:2]) == (0, "", [commit[:7], "Herons"])
    assert lines[1] == "  named    ]0;owned the heron <U+202E> wades"
    assert lines[2] == "  said     ]0;owned the heron <U+202E> waits again"
    assert lines[3].startswith("  codex · traj_one · ^[]0;owned")
    assert run_search("cormorant") == (0, "", NOTHING)
    for query in ('"heron', "(heron", "-heron", "→", "heron OR", "\udcff"):
        status, out, err = run_search("--", query)
        assert (status, out) == (2, "")
        assert err.startswith("error: invalid query: ")
        assert len(err.splitlines()) == 2
    assert run_search("--since", "gestern", "heron")[0] == 2
    assert run_search("--similar", "→")[0] == 2


def test_the_index_follows_the_refs(git: Git, story: Story, find: Find, tmp_path: Path) -> None:
    one = git.commit({"a": "1\n"}, "One")
    record_events(story, one, "traj_one", Message(id="e0", content="the heron waits"))
    assert commits(find("heron")) == [one]

    two = git.commit({"a": "2\n"}, "Two")  # more of the same trajectory, and a copy of its first part
    line = record(
        "traj_one", segments=[story.segment("traj_one", 0, [Message(id="e0", content="the heron waits")])]
    )
    more = record(
        "traj_one", at=1, segments=[story.segment("traj_one", 1, [Message(id="e1", content="and strikes")])]
    )
    story.note(two, replace(line, link=Link(evidence="agent", carried_from=(one,))), more)
    assert commits(find("strikes")) == [two]
    (found,) = find("heron")
    assert found["commits"] == sorted([one, two])
    git("checkout", "-q", "--orphan", "other")
    git.commit({"b": "1\n"}, "Other")
    git("branch", "-q", "-D", "main")
    record_events(story, git("rev-parse", "HEAD"), "traj_two", Message(id="e0", content="another heron"))
    assert len(find("heron")) == 2

    story.note(one, Tombstone(id="traj_one", deleted="forget", scope="all", rev=9))
    story.note(two, Tombstone(id="traj_one", deleted="forget", scope="all", rev=9))
    assert find("strikes") == []
    assert [r["trajectory"]["id"] for r in find("heron")] == ["traj_two"]
    assert "strike" not in indexed(git.root / ".git")
    with file.reading(git.root / ".git", TEXTS) as connection:
        assert is_current(connection, read_refs(story.repository)), "nothing is left to be done"
    story.note("ab" * 20, record("traj_three", prompt="a heron of a commit that is not here"))
    assert sorted(commits(find("heron")), key=bool) == [None, git("rev-parse", "HEAD")]
    git("update-ref", "-d", "refs/notes/traj")
    git("update-ref", "-d", f"refs/notes/traj-data-{MONTH}")
    call(["search", "heron"])
    assert "heron" not in indexed(git.root / ".git")


def test_an_unlinked_record_is_removed_from_the_index_at_once(git: Git, story: Story, find: Find) -> None:
    for name, word in (("one", "heron"), ("two", "egret"), ("three", "bittern")):
        record_events(
            story,
            git.commit({name: "1\n"}, name),
            f"traj_{name}",
            Message(id="e0", content=word),
            prompt=word,
        )
    assert len(find("heron OR egret OR bittern")) == 3
    listed = git.root / ".git" / FOLDER / LISTINGS.name
    assert call(["log"]) == 0
    assert call(["unlink", "HEAD~1"]) == 0
    assert "egret" not in indexed(git.root / ".git")
    assert b"egret" not in listed.read_bytes()
    assert call(["forget", "traj_one"]) == 0
    assert "heron" not in indexed(git.root / ".git")
    place(git.root / ".git").unlink()
    assert call(["forget", "traj_three"]) == 0
    assert b"bittern" not in listed.read_bytes()
    assert not place(git.root / ".git").exists(), "no index is made for that alone"


@pytest.mark.parametrize("moment", range(3))
def test_a_reader_that_began_before_a_purge_does_not_undo_it(
    git: Git, story: Story, moment: int, find: Find
) -> None:
    """``moment``: how often the reader has written when the purge comes."""
    commit = git.commit({"a": "1\n"}, "One")
    record_events(story, commit, "traj_one", Message(id="e0", content="it waits"), prompt="the heron waits")
    record_events(
        story, git.commit({"a": "2\n"}, "Two"), "traj_two", Message(id="e0", content="the egret too")
    )

    index, times = update_text.on_disk(git.root / ".git"), count()

    def write_later() -> AbstractContextManager[sqlite3.Connection]:
        if next(times) == moment:
            with open_repository(git.root) as other:
                purge(other, PurgeTarget(forgotten=frozenset({"traj_one"})))
        return index.writing()

    with open_repository(git.root) as repository:
        update_text.update_text(repository, replace(index, writing=write_later), seconds=60)
    assert next(times) > moment
    assert "heron" not in indexed(git.root / ".git")
    assert len(find("egret")) == 1
    assert "heron" not in indexed(git.root / ".git")


def test_a_broken_record_hides_no_other(git: Git, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    commit = git.commit({"a": "1\n"}, "One")
    record_events(story, commit, "traj_one", Message(id="e0", content="the heron waits"))
    half = b'"\\ud800 heron \\u001b[2J"'
    evil = (
        b'{"v":1,"id":"traj_evil","rev":1,"range":{"first":%b,"last":%b,"n":1,"at":0},"link":{"evidence":"agent"},'
        b'"agent":%b,"title":%b,"prompt":%b,"segments":[{"name":%b,"month":%b,"bytes":1,"sha256":%b}]}\n'
    ) % ((half,) * 8)
    NotesRef(story.repository).write({commit: lambda old: old + evil}, message="a test")
    assert call(["search", "heron", "--agent", "\udcff"]) == 0
    found = search(story.repository, parse_query("heron"), Conditions(), limit=9)
    assert {hit.trajectory for hit in found.hits} == {"traj_one", "traj_evil"}
    with file.reading(git.root / ".git", TEXTS) as connection:
        assert is_current(connection, read_refs(story.repository))
    capsys.readouterr()
    for words in (["search", "heron"], ["log"], ["stats", "--by", "agent"], ["show"]):
        assert call([*words, "--json"]) == 0, words
        said = capsys.readouterr()
        assert "\ud800 heron" in json.dumps(json.loads(said.out), ensure_ascii=False), words
        assert "\x1b" not in said.err, words


def test_absent_events_are_reported_and_fetched_on_request(
    git: Git,
    story: Story,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commit = git.commit({"a": "1\n"}, "One")
    record_events(story, commit, "traj_one", Message(id="e0", content="the heron waits"), prompt="Birds")
    clone = Git(tmp_path / "clone")
    git("clone", "-q", str(git.root), str(clone.root))
    clone("fetch", "-q", "origin", "+refs/notes/traj:refs/notes/traj")
    monkeypatch.chdir(clone.root)
    call(["search", "--json", "birds"])
    said = capsys.readouterr()
    assert json.loads(said.out)["away"] == [MONTH]
    assert said.err == (
        f"the events of {MONTH} are not here: only their records were searched\n"
        "hint: git traj search --fetch gets them from the remotes\n"
    )
    clone("remote", "set-url", "origin", str(tmp_path / "gone"))
    call(["search", "--json", "birds", "--fetch"])
    assert "gone" in capsys.readouterr().err.splitlines()[1]
    clone("remote", "remove", "origin")
    call(["search", "--json", "birds", "--fetch"])
    assert capsys.readouterr().err.endswith("hint: no remote has them\n")
    clone("remote", "add", "origin", str(git.root))
    call(["search", "--json", "heron", "--fetch"])
    said = capsys.readouterr()
    assert commits(json.loads(said.out)["results"]) == [commit]
    assert said.err == ""


# ---------------------------------------------------------------- damage to the index


@pytest.fixture
def birds(git: Git, story: Story) -> list[str]:
    """Write a trajectory about each bird; return their commits."""
    made = []
    for number, bird in enumerate(("heron", "cormorant", "gull", "egret", "bittern")):
        made.append(git.commit({"a": f"{number}\n"}, bird))
        record_events(
            story,
            made[-1],
            f"traj_{bird}",
            Message(id="e0", content=f"the {bird} waits " + "for fish " * 900),
        )
    return made


def _spoil(path: Path, page: int) -> None:
    """Overwrite pages of a file that still looks untouched."""
    with path.open("r+b") as stream:
        stream.seek(4096 * page)
        stream.write(b"\xff" * (path.stat().st_size - 4096 * page))
    _stamp(path)


def _stamp(path: Path) -> None:
    found = path.stat()
    (path.parent / "text-stamp").write_text(f"{found.st_size} {found.st_mtime_ns} {found.st_ino}")


def _set_other_version(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 12345")
    connection.close()
    _stamp(path)


def _set_other_maker(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE meta SET value = 'x' WHERE name = 'made_by'")
    connection.commit()
    connection.close()
    _stamp(path)


def test_a_damaged_index_is_rebuilt_silently(git: Git, birds: list[str], find: Find) -> None:
    path = place(git.root / ".git")
    rng = random.Random(3)

    def scribble() -> None:
        with path.open("r+b") as stream:
            for at in range(0, path.stat().st_size, 2048):
                stream.seek(at + 700)
                stream.write(rng.randbytes(90))

    harms: list[Callable[[], object]] = [
        path.unlink,
        lambda: os.truncate(path, path.stat().st_size // 2),
        scribble,
        lambda: _set_other_version(path),
        lambda: _set_other_maker(path),
        *(lambda page=page: _spoil(path, page) for page in (1, 2, 4, 7, 10)),
        lambda: path.write_bytes(b""),
        lambda: path.write_bytes(b"no database"),
        (path.parent / "text-stamp").unlink,
        lambda: (path.parent / "text.db-journal").write_bytes(
            b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"x" * 600
        ),
        lambda: shutil.rmtree(path.parent),
    ]
    expected = birds[1:2]
    assert commits(find("cormorant waits")) == expected
    for number, harm in enumerate(harms):
        harm()
        assert commits(find("cormorant waits")) == expected, number
        assert commits(find("waits", "-n", "9"))[:5] == commits(find("waits", "-n", "5")), number


def test_without_a_writable_index_one_is_made_for_the_query(git: Git, birds: list[str], find: Find) -> None:
    shutil.rmtree(git.root / ".git" / FOLDER, ignore_errors=True)
    (git.root / ".git" / FOLDER).write_text("in the way")
    assert commits(find("cormorant")) == birds[1:2]


def test_equally_good_results_have_a_fixed_order(git: Git, story: Story, find: Find) -> None:
    """The order is the same with an index, which stores records in the order of reading, and without one."""
    for number in range(9):
        record_events(
            story,
            git.commit({"a": f"{number}\n"}),
            f"traj_{number * 7 % 9}",
            Message(id="e0", content="prompt"),
        )
    asked = (("prompt",), ("prompt", "-n", "3"), ("prompt", "--similar"), ("prompt", "--in", "message"))
    kept = [find(*words) for words in asked]
    shutil.rmtree(git.root / ".git" / FOLDER)
    (git.root / ".git" / FOLDER).write_text("in the way")
    assert [find(*words) for words in asked] == kept


def test_a_sqlite_without_full_text_search_is_reported(
    git: Git, birds: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    without = replace(TEXTS, tables=TEXTS.tables.replace("USING fts5", "USING nowhere"))
    monkeypatch.setattr(update_text, "TEXTS", without)
    assert call(["search", "heron"]) == 1
    assert capsys.readouterr().err == (
        "error: nothing can be searched: no such module: nowhere\n"
        "hint: Python's SQLite needs FTS5, and some memory\n"
    )


def test_the_index_is_built_in_steps(
    git: Git,
    story: Story,
    birds: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(update_text, "_BATCH", 1)
    repository = story.repository
    keep_text(repository, seconds=0)
    asked = parse_query("waits")
    found = search(repository, asked, Conditions(), limit=9, seconds=0)
    assert (found.hits, found.parts, found.waiting) == ([], 0, 5)
    progress: list[tuple[str, int, int]] = []
    found = search(repository, asked, Conditions(), limit=9, tell=lambda *t: progress.append(t))
    assert (len(found.hits), found.waiting) == (5, 0)
    assert [done for _, done, _ in progress] == [0, 1, 2, 3, 4]


_BUILDER = """
import sys
from pathlib import Path
from gittraj.git import open_repository
from gittraj.index import update_text
from gittraj.index.search import keep_text
update_text._BATCH = 3
with open_repository(Path(sys.argv[1])) as repository: keep_text(repository, seconds=60)
"""


@pytest.mark.nightly
def test_killed_and_simultaneous_builders_lose_nothing(git: Git, story: Story, find: Find) -> None:
    """The work of a killed builder remains; in the end each record is in the index once."""
    commit = git.commit({"a": "1\n"}, "Many")
    lines = []
    for number in range(60):
        name = f"traj_{number}"
        events = [Message(id="e0", content=f"bird{number} waits " + "for fish " * 2_000)]
        lines.append(record(name, segments=[story.segment(name, 0, events)]))
    story.note(commit, *lines)
    command = [sys.executable, "-c", _BUILDER, str(git.root)]
    rng = random.Random(5)
    for _ in range(3):
        builder = subprocess.Popen(command, cwd=git.root)
        time.sleep(rng.uniform(0.3, 0.9))
        builder.send_signal(signal.SIGKILL)
        builder.wait()
    together = [subprocess.Popen(command, cwd=git.root, stderr=subprocess.PIPE) for _ in range(3)]
    for builder in together:
        assert builder.communicate(timeout=LONG)[1] == b""
    assert len(find("waits", "-n", "100")) == 60
    for number in (0, 17, 59):
        assert [r["trajectory"]["id"] for r in find(f"bird{number}")] == [f"traj_{number}"]


_FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
from gittraj.cli.common.group import run
run(["search", "cormorant", "--json"])
"""


def test_a_full_disk_is_not_an_error(git: Git, birds: list[str], find: Find) -> None:
    for size in (0, 40_000, 90_000):
        command = [sys.executable, "-c", _FULL, str(git.root), str(size)]
        done = subprocess.run(command, cwd=git.root, capture_output=True, check=True)
        assert commits(json.loads(done.stdout)["results"]) == birds[1:2], size
        assert done.stderr == b""
    assert commits(find("cormorant")) == birds[1:2]
