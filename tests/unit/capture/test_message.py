"""Linking a commit by the message in a command that ran at the time, if no environment and no id links it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

import pytest

from gittraj.capture.anchor import match_commits
from gittraj.capture.session import Commit, Kind, Log
from gittraj.git import CommitChanges
from gittraj.model.session_items import Entry
from tests.unit.capture.logs import Items, changed, commit, log, oid, ran, wrote

NOON = 1_772_366_400


def at(second: int, items: Items) -> Items:
    stamp = datetime.fromtimestamp(NOON + second, UTC).isoformat()
    entries = (cast(Entry, item) for item in items)
    return [replace(e, event=replace(e.event, ts=stamp)) for e in entries]


def made(name: str, subject: str, *paths: str, second: int = 0, parents: int = 1) -> Commit:
    one = commit(name, *(changed(path, "x") for path in paths), subject=subject, parents=parents)
    changes = cast(CommitChanges, one.changes)
    return replace(one, changes=replace(changes, time=NOON + second))


def calls(of: Log, commits: Sequence[Commit]) -> dict[str, str]:
    found = match_commits(of, commits)
    assert all(match.evidence == "order" for match in found)
    return {match.commit: of.entries[match.call].event.id for match in found}


def test_a_quiet_commit_is_linked_by_its_message_and_time() -> None:
    of = log(at(0, ran("c", "git add f && git commit -qm 'Add f'")))
    assert calls(of, [made("A", "Add f", "f")]) == {oid("A"): "c"}
    assert calls(of, [made("A", "Add f", "f", second=9)]) == {}
    assert calls(of, [made("A", "Add g", "f")]) == {}


def test_a_commit_is_not_linked_by_a_line_of_another_message() -> None:
    """Once, a person's commit was linked to a call that gave its subject as a paragraph of another one's."""
    for message in ("-m 'Add f and g' -m 'Add f'", "-F - <<E\nAdd f and g\n\nAdd f\nE", "-m 'Add f \"g\"'"):
        assert (
            calls(log(at(0, ran("c", f"git add f && git commit -q {message}"))), [made("A", "Add f", "f")])
            == {}
        )


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param("git commit -m 'Add f' -- f || true", "", id="the commit would have printed its id"),
        pytest.param("git add f; git commit -m 'Add f' | tail -1", "nothing to commit", id="output says so"),
        pytest.param("git add f; git commit -qm 'Add f' | cat", None, id="of files that nobody named"),
    ],
)
def test_a_commit_command_that_may_have_failed_is_not_linked_to_a_persons_commit(
    command: str, output: str | None
) -> None:
    of = log(at(0, ran("c", command, output or "")))
    assert calls(of, [made("A", "Add f", "f" if output is not None else "other")]) == {}


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git stash -q -u && git stash pop -q; git add f; git commit -q -m 'Add f'", "Already up to date."),
        ("git add f; git commit -qm 'Add f'; git status", "nothing to commit, working tree clean"),
    ],
)
def test_output_of_a_stash_or_status_next_to_a_commit_is_not_read_as_its_failure(
    command: str, output: str
) -> None:
    of = log(at(0, ran("c", command, output)))
    assert calls(of, [made("A", "Add f", "f")]) == {oid("A"): "c"}
    assert calls(of, [made("A", "Add f", "f", second=9)]) == {}


def test_a_commit_of_a_file_that_the_session_wrote_or_named_before_is_linked() -> None:
    commit_all = at(0, ran("c", "git add -A; git commit -qm 'Do it' | cat"))
    assert calls(log(at(0, wrote("w", "src/f", "x")), commit_all), [made("A", "Do it", "src/f")])
    assert calls(log(at(0, ran("s", "touch src/f")), commit_all), [made("A", "Do it", "src/f")])
    assert not calls(log(commit_all, at(0, wrote("w", "src/f", "x"))), [made("A", "Do it", "src/f")])


def test_a_call_that_succeeds_only_if_it_commits_is_linked_whatever_the_files() -> None:
    take_all = at(0, ran("c", "git add -A && git commit -qm 'Do it'"))
    assert calls(log(take_all), [made("A", "Do it", "src/f")]) == {oid("A"): "c"}
    assert calls(log(at(0, ran("c", "git commit -qm 'Do it' &"))), [made("A", "Do it", "src/f")]) == {}


AMEND = "git add f && git commit -q --amend --no-edit"


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (AMEND, "amend"),
        ("git add f && git commit -qF message", "commit"),
        (f"git commit -qF message; {AMEND}", "commit"),
    ],
)
def test_an_agents_variable_in_the_hook_replaces_the_subject(command: str, kind: Kind) -> None:
    """Once, a commit that OpenCode amended without a message had no link, or counted as a person's."""
    of = log(at(0, wrote("w", "f", "x")), at(0, ran("c", command)), name="opencode:s")
    theirs = replace(made("A", "Said before", "f"), hooked=True, kind=kind)
    assert calls(of, [replace(theirs, mark="opencode")]) == {oid("A"): "c"}
    assert calls(of, [replace(made("A", "Said before", "f", second=9), mark="opencode", kind=kind)]) == {}
    assert calls(of, [theirs]) == {}
    assert calls(of, [replace(theirs, mark="pi")]) == {}
    assert calls(of, [replace(theirs, mark="opencode", terminal=True)]) == {}, "a person may have typed it"


@pytest.mark.parametrize("command", [AMEND, "git commit -qam 'Another'", "git status"])
def test_an_agents_variable_does_not_link_a_commit_that_the_call_cannot_have_made(command: str) -> None:
    of = log(at(0, wrote("w", "f", "x")), at(0, ran("c", command)), name="opencode:s")
    assert calls(of, [replace(made("A", "By hand", "f"), hooked=True, mark="opencode")]) == {}


def test_a_short_subject_does_not_matter_if_an_agents_variable_replaces_it() -> None:
    """Once, an amended commit was not linked, because its subject was "up"."""
    of = log(at(0, wrote("w", "f", "x")), at(0, ran("c", AMEND)), name="opencode:s")
    amended = replace(made("A", "up", "f"), kind="amend", hooked=True, mark="opencode")
    assert calls(of, [amended]) == {oid("A"): "c"}
    assert calls(of, [replace(amended, mark=None)]) == {}
    of = log(at(0, wrote("w", "f", "x")), at(0, ran("c", "git commit -qm up f")), name="opencode:s")
    assert calls(of, [replace(amended, kind="commit")]) == {}, "a subject too short to be searched for"


def test_a_variable_that_configures_an_agent_does_not_link_a_commit() -> None:
    of = log(at(0, wrote("w", "f", "x")), at(0, ran("c", AMEND)), name="mini-swe-agent:s")
    amended = replace(made("A", "Said before", "f"), kind="amend", hooked=True, mark="mini-swe-agent")
    assert calls(of, [amended]) == {}


def test_a_cherry_pick_is_not_linked_by_its_subject() -> None:
    """A person may pick at once what an agent committed in another worktree."""
    of = log(at(0, ran("c", "git add f && git commit -qm 'Add f'")))
    assert calls(of, [replace(made("A", "Add f", "f"), kind="cherry-pick")]) == {}


def test_a_call_makes_no_more_commits_than_it_can() -> None:
    of = log(at(0, ran("c", "git add f && git commit -qm 'Add f'")))
    assert calls(of, [made("A", "Add f", "f"), made("B", "Add f", "f")]) == {}
    of = log(at(0, ran("c", "git commit -qm 'Add f' f")), at(0, ran("d", "git commit -qm 'Add f' f")))
    assert calls(of, [made("A", "Add f", "f"), made("B", "Add f", "f")]) == {oid("A"): "c", oid("B"): "d"}


def test_a_commit_whose_id_the_call_printed_counts_towards_its_commits() -> None:
    two = "git commit -m 'Add f' f && git commit -qm 'Add g' g"
    of = log(at(0, ran("c", two, commits=["gone"])))
    assert calls(of, [made("B", "Add g", "g")]) == {oid("B"): "c"}
    of = log(at(0, ran("c", "git commit -m 'Add f' f | cat", commits=["gone"])))
    assert calls(of, [made("A", "Add f", "f")]) == {}


def test_a_merge_is_linked_by_its_branch() -> None:
    of = log(at(0, ran("c", "git merge --no-edit topic", "Merge made by the 'ort' strategy.")))
    assert calls(of, [made("A", "Merge branch 'topic'", "f", parents=2)]) == {oid("A"): "c"}
    assert calls(of, [made("A", "Merge branch 'top'", "f", parents=2)]) == {}
    of = log(at(0, ran("c", "git merge --no-edit topic", "Already up to date.")))
    assert calls(of, [made("A", "Merge branch 'topic'", "f", parents=2)]) == {}
