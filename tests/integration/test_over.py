"""Sessions that are over: what led to no commit is kept, once, on the commit that is HEAD a day later."""

from __future__ import annotations

import os
import time
from functools import partial

import pytest

from gittraj.model.codec import decode_note
from gittraj.model.values import Record
from gittraj.notes.merge import standing
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.record.drain import composition
from gittraj.state.changed import has_news
from tests.e2e.scenario import Shell, Step, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.desk import Desk
from tests.integration.opencode_session import OpenCodeSession
from tests.integration.past import DAY, age
from tests.integration.records import read_facts, read_records, traj
from tests.integration.repository import Git

A, B = Write("a", "alpha one\nalpha two\n"), Write("b", "beta one\nbeta two\n")


def explored(desk: Desk) -> dict[str, set[str]]:
    """The works of which something is explored, by the subject of the commit."""
    found: dict[str, set[str]] = {}
    with desk.git.open() as repository:
        data = DataRefs(repository)
        for commit, body in NotesRef(repository).items():
            for line in standing(commit, decode_note(body)):
                if isinstance(line, Record) and line.role == "explored":
                    facts = read_facts(data, line)
                    works = {name for name, own in desk.works.items() if not set(own).isdisjoint(facts)}
                    found.setdefault(desk.git("log", "-1", "--format=%s", commit), set()).update(works)
    return found


def commit_by_hand(desk: Desk, *paths: str) -> None:
    """Let a person commit these files, or nothing, as ``mine``."""
    if paths:
        desk.git("add", *paths)
    desk.git("commit", "-q", "--allow-empty", "-m", "mine")


def produced(desk: Desk, **more: set[str]) -> dict[str, set[str]]:
    return ({"done": {"done"}} if "done" in desk.works else {}) | more


def report_end(desk: Desk) -> None:
    """Let the agent's own hook report the end of the session."""
    log, git_dir = desk.sessions["one"].log, desk.git.root / ".git"
    with (git_dir / "traj/spool").open("a") as spool:
        spool.write(f"session\tclaude-code\t{log.stem}\tSessionEnd\t{log}\t{git_dir}\n")


@pytest.fixture(params=["after a commit", "without a commit"])
def left(desk: Desk, request: pytest.FixtureRequest) -> Desk:
    """A session that left two files uncommitted, perhaps after a commit; no drain has read that."""
    if request.param == "after a commit":
        desk.commit("done")
    desk.waits = True
    desk.work("left", A, B)
    return desk


@pytest.fixture
def over(left: Desk) -> Desk:
    """The same session, a day later: what it left is explored."""
    commit_by_hand(left)
    age(*left.sessions.values())
    left.drain()
    assert explored(left) == {"mine": {"left"}}
    return left


@pytest.mark.parametrize("ended", [False, True], ids=["no end is known", "its end was reported"])
def test_a_session_that_no_drain_read_in_time(left: Desk, ended: bool) -> None:
    if ended:
        report_end(left)
    age(*left.sessions.values())
    commit_by_hand(left)
    left.drain()
    assert explored(left) == {"mine": {"left"}}
    left.check(produced(left))


@pytest.mark.parametrize("ended", [False, True], ids=["no end is known", "its end was reported"])
@pytest.mark.parametrize("committed", [False, True], ids=["nothing new", "a person commits"])
def test_a_session_that_was_read_before_it_was_over(left: Desk, ended: bool, committed: bool) -> None:
    if ended:
        report_end(left)
    commit_by_hand(left)
    left.drain()
    age(*left.sessions.values(), days=0.9)
    left.drain()
    assert explored(left) == {}
    age(*left.sessions.values())
    if committed:
        left.git("commit", "-q", "--allow-empty", "-m", "later")
    left.drain()
    assert explored(left) == {"later" if committed else "mine": {"left"}}
    left.check(produced(left))


def test_a_command_that_reads_drains_once_a_session_is_over(left: Desk) -> None:
    commit_by_hand(left)
    left.drain()
    age(*left.sessions.values(), days=1.1)
    cursors = left.git.root / ".git/traj/cursors.json"
    for drained, news in ((0.05, False), (0.5, True)):  # days ago; the session has been over for 0.1
        then = time.time() - drained * DAY
        os.utime(cursors, (then, then))
        with left.git.open() as repository:
            assert has_news(repository) is news
    traj(left.git, "status")
    assert explored(left) == {"mine": {"left"}}


def test_a_session_that_goes_on_and_commits_has_nothing_twice(over: Desk) -> None:
    over.work("end", Shell("git add -A && git commit -qm end"))
    over.check(produced(over, end={"left", "end"}))
    assert explored(over) == {}


def test_a_session_that_goes_on_without_a_commit_has_nothing_twice(over: Desk) -> None:
    over.work("more", Write("c", "gamma\n"))
    age(*over.sessions.values())
    over.git("commit", "-q", "--allow-empty", "-m", "later")
    over.drain()
    assert explored(over) == {"mine": {"left"}, "later": {"more"}}
    over.check(produced(over))


def test_a_session_of_a_store_is_over_though_another_goes_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = desk.sessions["one"] = OpenCodeSession(desk.git.root)
    desk.waits = True
    desk.work("left", A, B)
    commit_by_hand(desk)
    desk.drain()
    later = time.time() + 1.5 * DAY
    monkeypatch.setattr(time, "time", lambda: later)
    monkeypatch.setattr(composition, "Context", partial(composition.Context, now=later))
    os.utime(session.log, (later, later))
    desk.drain()
    assert explored(desk) == {"mine": {"left"}}
    desk.check({})


@pytest.mark.parametrize(
    ("paths", "rest"), [(("a",), {"after all": {"left"}}), (("b",), {}), (("a", "b"), {})]
)
def test_files_that_a_person_commits_after_all(
    over: Desk, paths: tuple[str, ...], rest: dict[str, set[str]]
) -> None:
    """What came before the last matching edit is the commit's; a later edit is still explored."""
    over.git("add", *paths)
    over.git("commit", "-qm", "after all")
    over.drain()
    assert explored(over) == rest
    over.git("commit", "-q", "--allow-empty", "-m", "later")
    over.drain()
    assert explored(over) == rest
    (stored,) = read_records(over.git).values()
    assert sorted(stored.facts) == sorted(fact for work in over.works.values() for fact in work)


def test_words_about_another_repository_are_not_explored_here(desk: Desk) -> None:
    """A session in the folder above left an edit here, and committed there: only what certainly worked here
    is kept, and prompts next to it."""
    other = Git(desk.git.root.parent / "other")
    desk.git("init", "-q", str(other.root))
    above = ClaudeSession(desk.git.root.parent, name="above")
    here = f"{desk.git.root.name}/a"
    above.run([turn(Write(here, "alpha\n")), turn(say="Wrote a")], prompt="Write a")
    there = "cd other && git add -A && git commit -qm There"
    step = turn(Write("other/b", "beta\n"), Shell(there), say="Now the other one")
    above.run([step, turn(say="The other one is done")], prompt="And the other one")
    age(above)
    commit_by_hand(desk)
    desk.drain()
    assert explored(desk) == {"mine": set()}
    (stored,) = read_records(desk.git).values()
    assert [text for kind, text in stored.facts if kind in ("prompt", "message")] == [
        "Write a",
        "And the other one",
    ]


@pytest.mark.parametrize("read", [False, True], ids=["not read", "read before"])
@pytest.mark.parametrize(
    ("then", "more", "rest"),
    [
        ([], {}, {}),
        ([Write("c", "gamma\n")], {}, {"later": {"more"}}),
        ([Write("c", "gamma\n"), Shell("git add c && git commit -qm more")], {"more": {"more"}}, {}),
    ],
    ids=["it is over", "it goes on", "it commits"],
)
def test_what_was_linked_by_hand_is_not_stored_again(
    left: Desk, read: bool, then: list[Step], more: dict[str, set[str]], rest: dict[str, set[str]]
) -> None:
    if read:
        commit_by_hand(left)
    (session,) = left.sessions.values()
    traj(left.git, "link", "HEAD", "--session", str(session.log))
    linked = {left.git("log", "-1", "--format=%s"): {*left.works}}
    if then:
        left.work("more", *then)
    age(session)
    left.git("commit", "-q", "--allow-empty", "-m", "later")
    left.drain()
    assert explored(left) == rest
    left.check(produced(left, **more) | linked)


@pytest.mark.parametrize("same", [False, True], ids=["another commit", "the same commit"])
def test_explored_work_that_is_linked_is_moved(over: Desk, same: bool) -> None:
    if not same:
        over.git("commit", "-q", "--allow-empty", "-m", "later")
    said = traj(over.git, "link", "HEAD", "--session", over.sessions["one"].session)
    assert ("(4 parts)" if "done" in over.works else "(1 part)") in said
    assert explored(over) == {}
    linked = {"mine" if same else "later": {*over.works}}
    over.check(produced(over) | linked)
    over.work("more", Shell("git add -A && git commit -qm more"))
    over.check(produced(over) | linked | {"more": {"more"}})


def test_linked_work_that_a_person_commits_is_recorded_there_too(left: Desk) -> None:
    commit_by_hand(left)
    traj(left.git, "link", "HEAD", "--session", left.sessions["one"].session)
    left.git("add", "a", "b")
    left.git("commit", "-qm", "both")
    left.check(produced(left, mine={*left.works}, both={"left"}))


@pytest.mark.parametrize("again", ["done", "mine"])
def test_a_session_that_was_linked_to_the_wrong_commit(desk: Desk, again: str) -> None:
    desk.waits = True
    commit_by_hand(desk)
    desk.git("commit", "-q", "--allow-empty", "-m", "done")
    desk.work("left", A)
    commits = {"done": "HEAD", "mine": "HEAD^"}
    traj(desk.git, "link", commits["mine"], "--session", desk.sessions["one"].session)
    traj(desk.git, "unlink", commits["mine"])
    traj(desk.git, "link", commits[again], "--session", desk.sessions["one"].session)
    desk.check({again: {"left"}})


@pytest.mark.parametrize("read", [False, True], ids=["not read", "read before"])
def test_what_was_unlinked_waits_again(left: Desk, read: bool) -> None:
    if read:
        commit_by_hand(left)
        left.drain()
    traj(left.git, "link", "HEAD", "--session", left.sessions["one"].session)
    traj(left.git, "unlink", "HEAD")
    age(*left.sessions.values())
    left.git("commit", "-q", "--allow-empty", "-m", "later")
    left.drain()
    assert explored(left) == {"later": {"left"}}
    left.work("more", Shell("git add -A && git commit -qm more"))
    kept = produced(left) if read else {}
    left.check(kept | {"more": {"left", "more"}}, waiting=() if kept else {*left.works} - {"left", "more"})
    assert explored(left) == {}


def test_explored_work_is_not_said_to_match_a_commit(over: Desk) -> None:
    said = traj(over.git, "log", "--all", "-1")
    assert "counts for no commit" in said
    assert "content" not in said
