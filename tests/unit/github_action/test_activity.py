"""Events as GitHub sends them, and what the Action does for each."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from github_action.activity import Activity, Idle, OnPull, OnPush, OnRun, decide
from github_action.errors import EventError
from github_action.payload import Payload

DATA = Path(__file__).parents[2] / "github" / "data" / "events.json"
EVENTS: dict[str, Any] = json.loads(DATA.read_text("utf-8"))
PULLS = [name.partition("/")[2] for name in EVENTS if name.startswith("pull_request/")]
HOME = "Codertocat/Hello-World"
HEAD = EVENTS["pull_request/opened"]["pull_request"]["head"]["sha"]
BEFORE, AFTER = "1" * 40, "2" * 40
SAME = OnPull(repository=HOME, number=2, head=HEAD)


def event(name: str, **changes: Any) -> dict[str, Any]:
    """Return one of GitHub's examples; ``a__b=1`` sets the value at ``a.b``."""
    value: dict[str, Any] = copy.deepcopy(EVENTS[name])
    for path, new in changes.items():
        *above, last = path.split("__")
        place = value
        for part in above:
            place = place[part]
        place[last] = new
    return value


def decided(name: str, value: dict[str, Any], **inputs: str) -> Activity:
    return decide(name, Payload(value), **{"repository": HOME, **inputs})


def why(activity: Activity) -> str:
    assert isinstance(activity, Idle), activity
    return activity.why


@pytest.mark.parametrize("action", PULLS)
def test_a_pull_request_of_the_same_repository_is_reported_on(action: str) -> None:
    value = event(f"pull_request/{action}")
    assert decided("pull_request", value) == SAME
    assert decided("pull_request_target", value) == SAME


def test_a_forks_token_is_read_only_except_under_pull_request_target() -> None:
    value = event("pull_request/opened", pull_request__head__repo__full_name="mallory/Hello-World")
    activity = decided("pull_request", value)
    assert isinstance(activity, OnPull)
    assert activity.fork
    assert activity.read_only
    assert "fork" in activity.read_only
    target = decided("pull_request_target", value)
    assert isinstance(target, OnPull)
    assert (target.fork, target.read_only) == (True, None)


def test_a_deleted_fork_counts_as_a_fork() -> None:
    activity = decided("pull_request", event("pull_request/opened", pull_request__head__repo=None))
    assert isinstance(activity, OnPull)
    assert activity.fork


@pytest.mark.parametrize("who", ["actor", "sender"])
def test_dependabots_token_is_read_only(who: str) -> None:
    """A person who runs the job again is the sender, not the actor."""
    value = event("pull_request/opened", sender__login="dependabot[bot]" if who == "sender" else "alice")
    activity = decided("pull_request", value, actor="dependabot[bot]" if who == "actor" else "alice")
    assert isinstance(activity, OnPull)
    assert not activity.fork
    assert "Dependabot" in str(activity.read_only)


def test_a_workflow_run_names_a_head_and_never_a_number() -> None:
    forged = [{"id": 1, "number": 99, "head": {"sha": HEAD}}]
    value = event(
        "workflow_run/completed", workflow_run__event="pull_request", workflow_run__pull_requests=forged
    )
    assert decided("workflow_run", value) == OnRun(
        repository=HOME,
        head="5779607b49aab1200488439f02372c57b4f75444",
        head_repository="octo-org/octo-repo",
        branch="main",
        fork=True,
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},  # it ran by hand
        {"workflow_run__event": "push"},
        {"workflow_run__event": "pull_request", "workflow_run__head_repository": None},
        {"workflow_run__event": "pull_request", "workflow_run__head_branch": None},
    ],
)
def test_other_workflow_runs_are_not_reported_on(changes: dict[str, Any]) -> None:
    why(decided("workflow_run", event("workflow_run/completed", **changes)))


def test_a_push_to_the_default_branch_carries_records() -> None:
    value = event("push", ref="refs/heads/master", before=BEFORE, after=AFTER)
    carried = OnPush(repository=HOME, branch="master", before=BEFORE, after=AFTER)
    assert decided("push", value) == carried
    assert decided("push", value, mode="carry") == carried


def test_a_push_to_another_branch_carries_records_only_if_configured() -> None:
    value = event("push", ref="refs/heads/release/1.0", before=BEFORE, after=AFTER)
    assert "mode: carry" in why(decided("push", value))
    activity = decided("push", value, mode="carry", pr="12")
    assert activity == OnPush(repository=HOME, branch="release/1.0", before=BEFORE, after=AFTER)


@pytest.mark.parametrize(
    "changes",
    [
        {},  # a tag
        {"ref": "refs/heads/master"},  # the branch is new
        {"ref": "refs/heads/master", "before": BEFORE, "deleted": True},
    ],
)
@pytest.mark.parametrize("mode", ["auto", "carry"])
def test_pushes_of_tags_and_new_or_deleted_branches_are_ignored(changes: dict[str, Any], mode: str) -> None:
    why(decided("push", event("push", **changes), mode=mode))


def test_a_manual_run_needs_a_pull_requests_number() -> None:
    value = event("workflow_dispatch")
    assert decided("workflow_dispatch", value, pr="12") == OnPull(repository=HOME, number=12)
    assert decided("workflow_dispatch", value, pr=" #12 ") == OnPull(repository=HOME, number=12)
    assert "'pr'" in why(decided("workflow_dispatch", value))


def test_the_events_own_number_as_input_changes_nothing() -> None:
    assert decided("pull_request", event("pull_request/opened"), pr="2") == SAME
    assert decided("pull_request", event("pull_request/opened"), pr="3") == OnPull(repository=HOME, number=3)


def test_mode_check_only_counts() -> None:
    activity = decided("pull_request", event("pull_request/opened"), mode="check")
    assert isinstance(activity, OnPull)
    assert activity.check


def test_an_event_without_a_report_gives_the_reason() -> None:
    assert "queue" in why(decided("merge_group", event("merge_group/checks_requested")))
    assert "schedule" in why(decided("schedule", {}))
    assert why(decided("", {}))
    assert "base branch" in why(decided("pull_request", event("pull_request/opened"), mode="carry"))
    assert "comment" in why(decided("push", event("push"), mode="comment"))


@pytest.mark.parametrize("inputs", [{"mode": "carrry"}, {"pr": "main"}, {"pr": "0"}, {"pr": "12 13"}])
def test_invalid_inputs_are_refused(inputs: dict[str, str]) -> None:
    with pytest.raises(EventError):
        decided("workflow_dispatch", event("workflow_dispatch"), **inputs)


@pytest.mark.parametrize(
    "changes",
    [
        {"pull_request__head__sha": "--upload-pack=x"},
        {"pull_request__head__sha": 7},
        {"pull_request__head__sha": None},
        {"pull_request__number": "2"},
        {"pull_request__number": True},
        {"pull_request__head__repo__full_name": "a/b\n::error::"},
        {"pull_request": None},
    ],
)
def test_invalid_payloads_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(EventError) as caught:
        decided("pull_request", event("pull_request/opened", **changes))
    assert "::" not in caught.value.message


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_file_without_an_event_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(content)
    with pytest.raises(EventError):
        Payload.read(path)


def test_a_file_with_an_event_is_read(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event("pull_request/opened")), "utf-8")
    assert decide("pull_request", Payload.read(path), repository=HOME) == SAME
    with pytest.raises(EventError):
        Payload.read(tmp_path / "absent")
