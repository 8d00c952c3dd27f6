"""Linking the commits of a worktree to calls or edits of several sessions."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from gittraj.capture.link import Links, link
from gittraj.capture.own import Anchor
from gittraj.capture.session import Commit, Entry, Log
from gittraj.model.times import seconds
from tests.unit.capture.logs import ME, changed, commit, index, log, oid, ran, wrote

OTHER = "codex:t"


def linked(logs: list[Log], commits: list[Commit], **given: Any) -> Links:
    return link(logs, [commits], **{"known": {}, **given})


def anchors(links: Links, of: Log) -> list[tuple[str, tuple[str, ...], str]]:
    """Return the name of each linked call of a log, its commits and the evidence."""
    return [
        (of.entries[a.call].event.id, a.commits, a.evidence) for a in links.anchors.get(of.trajectory, [])
    ]


def test_an_agents_commit_is_linked_to_its_call() -> None:
    of = log(wrote("w", "f", "x"), ran("c", "git commit -qm x"))
    links = linked([of], [commit("A", changed("f", "x"), subject="x", by=ME)])
    assert anchors(links, of) == [("c", (oid("A"),), "agent")]
    assert links.unowned == links.unfound == []


def test_a_humans_commit_of_an_agents_edits_is_linked_by_content() -> None:
    of = log(wrote("w", "f", "x"), wrote("v", "g", "y"), wrote("u", "h", "z"))
    made = commit("A", changed("f", "x"), changed("g", "y"))
    links = linked([of], [made])
    assert anchors(links, of) == [("v", (oid("A"),), "content")]
    assert links.unowned == [made]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(changed("f", "mine"), id="the same file"),
        pytest.param(changed("f", "x\nmine\nmine"), id="less than half"),
        pytest.param(changed("other", "x"), id="another file"),
    ],
)
def test_a_commit_of_a_humans_own_lines_is_not_linked(change: Any) -> None:
    of = log(wrote("w", "f", "x"))
    links = linked([of], [commit("A", change)])
    assert anchors(links, of) == []
    assert links.aliases == {}


def test_a_humans_commit_after_an_agents_is_not_linked() -> None:
    of = log(wrote("w", "f", "x"), ran("c", "git commit -qam x"))
    commits = [commit("A", changed("f", "x"), subject="x", by=ME), commit("B", changed("f", "x\nmine"))]
    assert anchors(linked([of], commits), of) == [("c", (oid("A"),), "agent")]


def test_a_terminal_inside_an_agent_counts_as_human() -> None:
    """The environment names the session, and no call of it could have made the commit."""
    of = log(wrote("w", "f", "x"), ran("r", "ls"))
    made = commit("A", changed("f", "x"), by=ME)
    links = linked([of], [made])
    assert anchors(links, of) == [("w", (oid("A"),), "content")]
    assert links.unfound == [made]


def test_a_commit_waits_for_a_call_that_may_still_be_logged() -> None:
    of = log(wrote("w", "f", "x"))
    made = commit("A", changed("f", "x"), by=ME)
    links = linked([of], [made], may_still_appear=lambda _: True)
    assert anchors(links, of) == []
    assert (links.unfound, links.unowned) == ([made], [])


def test_a_commit_whose_hook_named_no_session_does_not_wait() -> None:
    of = log(wrote("w", "f", "x"))
    made = commit("A", changed("f", "x"))
    links = linked([of], [made], may_still_appear=lambda _: True)
    assert anchors(links, of) == [("w", (oid("A"),), "content")]
    assert (links.unfound, links.unowned) == ([], [made])


def test_a_script_is_not_linked_while_a_likelier_call_may_still_be_logged() -> None:
    of = log(wrote("w", "f", "x"), ran("c", "./release.sh"))
    made = commit("A", changed("f", "x"), by=ME)
    assert anchors(linked([of], [made]), of) == [("c", (oid("A"),), "agent")]
    links = linked([of], [made], may_still_appear=lambda _: True)
    assert anchors(links, of) == []
    assert links.unfound == [made]


@pytest.mark.parametrize(
    ("went_on", "found"), [("10:00:01", []), ("10:03:00", [("c", (oid("A"),), "agent")])]
)
def test_once_the_session_went_on_for_long_a_script_is_linked(
    went_on: str, found: list[tuple[str, tuple[str, ...], str]]
) -> None:
    """Otherwise the session's next commit would get the events that led to this one."""
    wrote_it = at("10:00:00", wrote("w", "f", "x"), ran("c", "./release.sh"))
    of = log(wrote_it, at(went_on, ran("d", "make")))
    made = commit("A", changed("f", "x"), by=ME, time=int(seconds("2026-01-02T10:00:00Z") or 0))
    assert anchors(linked([of], [made], may_still_appear=lambda _: True), of) == found


def test_once_the_session_went_on_without_a_call_the_commit_is_a_persons() -> None:
    """A person made it in the agent's bash mode. Otherwise the session's next commit would get the events."""
    of = log(at("10:00:00", wrote("w", "f", "x")), at("10:03:00", ran("d", "make")))
    made = commit("A", changed("f", "x"), by=ME, time=int(seconds("2026-01-02T10:01:00Z") or 0))
    links = linked([of], [made], may_still_appear=lambda _: True)
    assert anchors(links, of) == [("w", (oid("A"),), "content")]
    helper = replace(log(at("10:00:00", wrote("v", "g", "y"))), subagent="a1")
    links = linked([of, helper], [made], may_still_appear=lambda _: True)
    assert anchors(links, of) == [], "a call of its subagent may still be logged"


def at(time: str, *items: list[Entry]) -> list[Entry]:
    return [replace(e, event=replace(e.event, ts=f"2026-01-02T{time}Z")) for part in items for e in part]


def test_a_commit_with_lines_of_an_earlier_part_is_an_alias_of_it() -> None:
    """Two edits, then two commits of one edit each: the second is explained by events already stored."""
    of = log(wrote("w", "f", "x"), wrote("v", "g", "y"))
    links = linked([of], [commit("A", changed("g", "y")), commit("B", changed("f", "x"))])
    assert anchors(links, of) == [("v", (oid("A"),), "content")]
    assert links.aliases == {of.trajectory: [(oid("B"), (index(of, "w"),))]}


def test_a_session_with_lines_that_the_committing_one_did_not_write_is_linked_too() -> None:
    mine = log(wrote("w", "f", "x"), ran("c", "git commit -qam x"))
    guest = log(wrote("v", "f", "their line"), name=OTHER)
    both = linked([mine, guest], [commit("A", changed("f", "x\ntheir line"), by=ME)])
    assert anchors(both, mine) == [("c", (oid("A"),), "agent")]
    assert anchors(both, guest) == [("v", (oid("A"),), "content")]
    only = linked([mine, guest], [commit("A", changed("f", "x"), by=ME)])
    assert anchors(only, guest) == []
    assert only.writings[guest.trajectory].paths() == {"f"}


@pytest.mark.parametrize("command", ["git show", "git commit -qm y"])
def test_the_environment_is_stronger_than_an_id_in_a_result(command: str) -> None:
    shows = log(ran("c", command, commits=["A"]), name=OTHER)
    made = log(ran("c", "git commit -qm x"))
    links = linked([shows, made], [commit("A", by=ME)])
    assert anchors(links, made) == [("c", (oid("A"),), "agent")]
    assert anchors(links, shows) == []


def test_two_sessions_that_used_the_same_message_at_once_are_both_not_linked() -> None:
    logs = [log(at("10:00:00", ran("c", "git commit -qm 'tidy up'")), name=name) for name in (ME, OTHER)]
    made = commit("A", subject="tidy up", time=int(seconds("2026-01-02T10:00:00Z") or 0))
    assert linked(logs, [made]).anchors == {}
    assert anchors(linked(logs[1:], [made]), logs[1]) == [("c", (oid("A"),), "order")]


def test_lines_written_again_after_a_commit_are_linked_to_the_next_commit() -> None:
    of = log(wrote("w", "f", "x"), ran("c", "git commit -qm x"), wrote("v", "f", "x"))
    commits = [commit("A", changed("f", "x"), by=ME), commit("B", changed("f", "x"))]
    assert anchors(linked([of], commits), of) == [
        ("c", (oid("A"),), "agent"),
        ("v", (oid("B"),), "content"),
    ]


def test_two_commits_of_one_call_share_it() -> None:
    of = log(ran("c", "git commit -qm a; git commit -qm b"))
    links = linked([of], [commit(n, subject=n.lower(), by=ME) for n in "AB"])
    assert anchors(links, of) == [("c", (oid("A"),), "agent"), ("c", (oid("B"),), "agent")]


def test_changes_that_a_merge_brings_in_are_not_linked_to_it() -> None:
    of = log(wrote("w", "f", "x"))
    links = linked([of], [commit("M", changed("f", "x"), kind="merge", parents=2)])
    assert anchors(links, of) == []


def test_a_commit_that_is_not_stored_is_linked_to_its_lines_all_the_same() -> None:
    of = log(wrote("w", "f", "x"))
    links = linked([of], [commit("A", changed("f", "x"), stored=False), commit("B", changed("f", "x"))])
    assert anchors(links, of) == [("w", (oid("A"),), "content")]


def test_lines_taken_before_this_drain_explain_nothing() -> None:
    of = log(wrote("w", "f", "x"))
    before = commit("A", changed("f", "x")).changes
    links = linked([of], [commit("B", changed("f", "x"))], past={of.trajectory: [(before, None)]})
    assert anchors(links, of) == []


def test_an_amend_after_a_drain_is_not_linked_to_the_first_commits_call() -> None:
    of = log(ran("c", "git commit -qm x"), ran("d", "git commit -q --amend --no-edit"))
    made = commit("B", subject="x", kind="amend", by=ME)
    links = linked([of], [made], known={of.trajectory: [Anchor(call=0, commits=(oid("A"),))]})
    assert anchors(links, of) == [("d", (oid("B"),), "agent")]


def test_a_commit_without_known_changes_is_not_linked() -> None:
    of = log(wrote("w", "f", "x"))
    made = Commit(id=oid("A"))
    assert linked([of], [made]).unowned == [made]


def test_a_session_is_not_linked_to_commits_it_need_not_consider() -> None:
    of = log(wrote("w", "f", "x"), ran("c", "git commit -m x", commits=["B"]))
    commits = [commit("A", changed("f", "x")), commit("B", by=ME)]
    assert anchors(linked([of], commits, is_unchecked=lambda *_: False), of) == []


@pytest.mark.nightly
def test_many_logs_and_commits_are_matched_quickly() -> None:
    """The commits change files that the logs wrote, but have no line in common with them."""

    def lines(*name: object) -> str:
        return "\n".join(f"line {n} of {name}" for n in range(20))

    names = [f"f{n}" for n in range(40)]
    logs = [log(*(wrote(f, f, lines(n, f)) for f in names), name=f"codex:s{n}") for n in range(25)]
    commits = [commit(f"A{n}", changed(names[n % 40], lines("mine", n))) for n in range(1000)]
    start = time.process_time()
    links = linked(logs, commits)
    assert time.process_time() - start < 5.0
    assert (links.anchors, len(links.unowned)) == ({}, 1000)


def test_a_squash_of_another_worktrees_commit_comes_after_that_commit() -> None:
    """Both were made since the last drain; the worktrees' streams come in any order."""
    of = log(wrote("w", "f", "x"))
    early, late = (commit(name, changed("f", "x"), time=time) for name, time in (("A", 1), ("B", 2)))
    links = link([of], [[late], [early]], known={})
    assert anchors(links, of) == [("w", (oid("A"),), "content")]


def test_a_merge_in_the_same_second_comes_after_the_commit_it_merges() -> None:
    of = log(wrote("w", "f", "x"))
    made, merge = commit("A", changed("f", "x")), commit("M", changed("f", "x"), kind="merge", parents=2)
    assert merge.changes is not None
    merge = replace(merge, changes=replace(merge.changes, parents=(oid("p"), made.id)))
    links = link([of], [[merge], [made]], known={})
    assert anchors(links, of) == [("w", (oid("A"),), "content")]


def test_a_cherry_pick_in_the_same_second_comes_after_its_source() -> None:
    of = log(wrote("w", "f", "x"), ran("c", "git commit -qm x"))
    made, picked = commit("A", changed("f", "x"), by=ME), commit("B", changed("f", "x"), kind="cherry-pick")
    links = link([of], [[picked], [made]], known={})
    assert anchors(links, of) == [("c", (oid("A"),), "agent")]


def test_a_persons_commit_amended_by_an_agent_in_the_same_second_stays_theirs() -> None:
    """The agent's edit in the person's commit is linked to that commit, although the amend has it, too."""
    of = log(wrote("w", "f", "x"), wrote("v", "f", "y"), ran("c", "git commit -qa --amend --no-edit"))
    taken = commit("A", changed("f", "x"))
    amended = commit("B", changed("f", "x\ny"), kind="amend", by=ME)
    assert anchors(linked([of], [taken, amended]), of) == [
        ("w", (oid("A"),), "content"),
        ("c", (oid("B"),), "agent"),
    ]


def test_the_order_within_a_worktree_counts_more_than_times() -> None:
    of = log(wrote("w", "f", "x"))
    first, second = (commit(name, changed("f", "x"), time=time) for name, time in (("A", 9), ("B", 2)))
    links = link([of], [[first, second]], known={})
    assert anchors(links, of) == [("w", (oid("A"),), "content")]


def test_an_agents_merge_is_not_linked_to_the_session_whose_lines_it_merges() -> None:
    of, other = log(ran("c", "git commit -qm merge")), log(wrote("w", "f", "x"), name=OTHER)
    merge = commit("A", changed("f", "x"), subject="merge", by=ME, parents=2)
    links = linked([of, other], [merge])
    assert anchors(links, of) == [("c", (oid("A"),), "agent")]
    assert anchors(links, other) == []
