"""Records follow when the host merges a pull request: the Action's own steps on the resulting push,
against a real git server."""

from __future__ import annotations

import pytest

from gittraj.model.codec import decode_note
from gittraj.model.values import Decision
from gittraj.notes.carry import carry_note
from gittraj.notes.store import NotesRef
from tests.github.host import NOTES, Host
from tests.github.runner import Step
from tests.github.shapes import REPOSITORY
from tests.integration.story import Story
from tests.integration.test_action import extend


def merge(host: Host, *, squash: bool) -> str:
    """Merge as the host's button does; return the base branch's previous commit."""
    before = host.bare("rev-parse", "main")
    host.clone("checkout", "-q", "-B", "base", before)
    host.clone.commit({"other": "1\n"}, "In between")
    if squash:
        host.clone("merge", "-q", "--squash", host.pull.head)
        host.clone("commit", "-qm", "Limit the rate (#7)")
    else:
        host.clone("cherry-pick", *host.commits)
    host.clone("push", "-q", str(host.bare.root), "HEAD:refs/heads/main")
    host.pull.state, host.pull.merged_as = "closed", host.clone.head()
    return before


def run_on_push(host: Host, before: str, **inputs: str) -> Step:
    payload = {
        "ref": "refs/heads/main",
        "before": before,
        "after": host.clone.head(),
        "repository": {"default_branch": "main"},
    }
    step = host.start("push", payload, **inputs)
    assert (step.status, step.outputs["result"]) == (0, "skipped"), step.log
    return step


def record_both(host: Host) -> None:
    host.note(host.commits[0], "traj_one")
    host.note(host.commits[1], "traj_two")
    host.push(NOTES)


def assert_carried(host: Host, ref: str = NOTES, *, squash: bool) -> None:
    new = host.clone("rev-parse", "HEAD", "HEAD~1").split()
    if squash:
        assert sorted(host.carrying(new[0], ref)) == ["traj_one", "traj_two"]
    else:
        assert [host.carrying(commit, ref) for commit in new] == [["traj_two"], ["traj_one"]]
    assert "missing" not in host.bare("fsck", "--full", "--strict")


MERGES = pytest.mark.parametrize("squash", [True, False], ids=["squash", "rebase"])


@MERGES
def test_records_follow_a_merge_on_the_host(host: Host, squash: bool) -> None:
    host.over_http()
    record_both(host)
    before = merge(host, squash=squash)
    done = run_on_push(host, before)
    assert "::warning" not in done.log
    assert_carried(host, squash=squash)
    tip = host.bare("rev-parse", NOTES)
    assert "records carried to 0 commits" in run_on_push(host, before).log
    assert host.bare("rev-parse", NOTES) == tip, "records are carried only once"


@MERGES
def test_a_push_that_loses_a_race_is_retried(host: Host, squash: bool) -> None:
    """Another push arrives between our fetch and push: twice, the second one carrying the same records."""
    record_both(host)
    old = host.commits[0 if squash else 1]
    before = merge(host, squash=squash)
    new = host.clone.head()
    host.note(before, "traj_other")
    host.clone("push", "-q", str(host.bare.root), f"{NOTES}:refs/tests/other")
    with host.clone.open() as repository:
        Story(repository).note(new, *carry_note(old, decode_note(NotesRef(repository).read(old) or b"")))
    host.clone("push", "-q", str(host.bare.root), f"{NOTES}:refs/tests/same")
    hook = host.bare.root / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = {NOTES} ] || exit 0\n'
        "for other in refs/tests/other refs/tests/same; do\n"
        "  git rev-parse -q --verify $other >/dev/null || continue\n"
        "  git update-ref $1 $other && git update-ref -d $other && echo lost >>lost\n"
        "  exit 0\n"
        "done\n"
    )
    hook.chmod(0o755)
    done = run_on_push(host, before)
    assert (host.bare.root / "lost").read_text() == "lost\n" * 2
    assert "::warning" not in done.log
    assert host.carrying(before) == ["traj_other"]
    assert_carried(host, squash=squash)
    with host.bare.open() as repository:
        lines = decode_note(NotesRef(repository).read(new) or b"")
    assert len(lines) == (2 if squash else 1), "no line is in the note twice"
    assert host.bare("merge-base", "--is-ancestor", host.clone("rev-parse", NOTES), NOTES) == ""


def test_a_race_that_is_always_lost_is_reported(host: Host) -> None:
    record_both(host)
    before = merge(host, squash=True)
    tip = host.bare("rev-parse", NOTES)
    hook = host.bare.root / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\n[ "$1" != {NOTES} ] || {{ echo x >>tried; exit 1; }}\n')
    hook.chmod(0o755)
    payload = {"ref": "refs/heads/main", "before": before, "after": host.clone.head(),
               "repository": {"default_branch": "main"}}  # fmt: skip
    done = host.start("push", payload)
    assert (done.status, "::warning title=git-traj::the records cannot be pushed" in done.log) == (
        0,
        True,
    )
    assert (host.bare.root / "tried").read_text() == "x\n" * 5
    assert host.bare("rev-parse", NOTES) == tip


def test_a_forks_records_follow_too(host: Host) -> None:
    host.over_http()
    host.note(host.commits[0], "traj_one")
    host.note(host.commits[1], "traj_two")
    host.fork()
    before = merge(host, squash=True)
    run_on_push(host, before)
    assert host.bare("for-each-ref", NOTES) == "", "records of a fork are carried only on request"
    run_on_push(host, before, carry_forks="true")
    assert_carried(host, squash=True)
    assert [each.extra["fork"] for each in host.records(host.clone.head())] == ["mallory/app"] * 2
    assert {token for name, token in host.asked if name != REPOSITORY} == {None}


def test_a_forks_secret_is_not_carried(host: Host) -> None:
    key = f"ghp_{'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'}"
    for number, commit in enumerate(host.commits):
        host.note(
            commit, f"traj_{number}", prompt=f"use {key}", decisions=(Decision(chosen=key, by="agent"),)
        )
    host.note(host.commits[0], f"traj_{key}")
    host.fork()
    before = merge(host, squash=True)
    run_on_push(host, before, carry_forks="true")
    stored = host.bare("notes", f"--ref={NOTES}", "show", host.clone.head())
    assert "traj_0" in stored
    assert key[:12] not in stored


def test_a_fork_that_is_gone_delays_nothing(host: Host) -> None:
    record_both(host)
    host.pull.head_repository = "mallory/gone"
    before = merge(host, squash=True)
    run_on_push(host, before, carry_forks="true")
    assert_carried(host, squash=True)


def test_records_in_another_notes_ref_are_carried(host: Host) -> None:
    host.note(host.commits[0], "traj_one")
    host.note(host.commits[1], "traj_two")
    host.push(f"{NOTES}:refs/notes/elsewhere")
    before = merge(host, squash=True)
    run_on_push(host, before, notes_ref="refs/notes/elsewhere")
    assert_carried(host, "refs/notes/elsewhere", squash=True)
    assert host.bare("for-each-ref", NOTES) == ""


def test_50_commits_that_were_rebased(host: Host) -> None:
    extend(host, 50)
    host.push(NOTES)
    before = merge(host, squash=False)
    done = run_on_push(host, before)
    assert "records carried to 50 commits" in done.log
    assert "more commits than were examined" in done.log, "with the one in between there are 51"
    for at, new in enumerate(host.clone("rev-list", "--reverse", "--max-count=50", "HEAD").split()):
        assert [each.range and each.range.at for each in host.records(new)] == [at]
