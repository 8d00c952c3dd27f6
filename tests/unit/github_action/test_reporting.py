"""The Action's report on a pull request's commits and their notes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from github_action.pull_request import Commit, Pull, PullDetails
from github_action.reporting import Notes, as_json, find_labels, make_report, outputs, read_change
from github_action.settings import Settings
from github_action.token import Token
from gittraj.model.codec import encode_note
from gittraj.model.values import Decision, FileChanged, SessionInfo
from gittraj.query.change import Change
from gittraj.render.comment import flags
from gittraj.render.comment.tables import Location, files_table
from tests.integration.story import record

A, B = "a1" * 20, "b2" * 20
FILES = {A: ("src/a.py",), B: ("src/b.py",)}
SETTINGS = Settings(
    token=Token(""),
    foreign_token=False,
    event="pull_request",
    payload=Path("event.json"),
    repository="acme/app",
    actor="octocat",
    api="https://api.github.example",
    server="https://github.example",
    run=1,
    folder=Path(),
    summary=None,
    output=None,
)


def details(*commits: str, fork: bool = False) -> PullDetails:
    home = "mallory/app" if fork else "acme/app"
    pull = Pull(
        number=7,
        title="Limit",
        head=commits[-1],
        head_repository=home,
        head_url=None,
        base="0" * 40,
        fork=fork,
        merged_as=None,
        labels=(),
        commit_count=len(commits),
        file_count=len(commits),
    )
    files = [path for commit in commits for path in FILES[commit]]
    return PullDetails(
        pull=pull,
        commits=tuple(Commit(sha=sha, parents=("0" * 40,), message="Begin") for sha in commits),
        files=dict.fromkeys(files, ""),
    )


def noted(*commits: str, files: tuple[FileChanged, ...] = (), agent: str = "claude-code") -> Notes:
    one = record(whole=SessionInfo(agent=agent, session="s"), files=files)
    return Notes(tip="d" * 40, bodies={commit: encode_note([one]) for commit in commits})


def test_a_file_that_no_record_names_has_its_commit_but_no_agent() -> None:
    """A shell command or a person may have written the file; ``git traj pr`` gets its name from git, too."""
    for commits in ((A, B), (A,)):
        change = read_change(details(*commits), [noted(*commits)], SETTINGS, files_of=FILES.get)
        rows = files_table(change.files, change, Location()).splitlines()[2:]
        assert rows == [f"| `{FILES[commit][0]}` | `{commit[:7]}` |" for commit in commits]


def test_files_that_records_name_are_not_requested_from_the_host() -> None:
    files = tuple(FileChanged(path=path, edits=1) for path in ("src/a.py", "src/b.py"))
    asked: list[str] = []
    read_change(details(A, B), [noted(A, B, files=files)], SETTINGS, files_of=lambda c: asked.append(c) or ())
    assert asked == []


def test_an_answered_doubt_is_answered_in_every_output_and_flags_are_searched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Decision(chosen="seconds", by="agent", question="Which unit?", confidence=0.5)
    records = (
        record("traj_a", decisions=(asked,)),
        record("traj_b", decisions=(replace(asked, confidence=1.0),)),
    )
    bodies = {commit: encode_note([each]) for commit, each in zip((A, B), records, strict=True)}
    searched, find_all = list[Change](), flags._find_all

    def find(change: Change) -> Iterator[flags.Flag]:
        searched.append(change)
        return find_all(change)

    monkeypatch.setattr(flags, "_find_all", find)
    scanned = make_report(
        read_change(details(A, B), [Notes(tip="d" * 40, bodies=bodies)], SETTINGS), SETTINGS, number=7
    )
    (flag, *_) = json.loads(as_json(scanned))["flags"]
    assert (flag["said"], flag["since"], flag["later"]) == ("Which unit? seconds", "answered in", B)
    assert outputs(scanned)["unsure"] == "0" and not find_labels(scanned)["traj:unsure"]
    assert len(searched) == 1


def test_a_forks_pull_request_also_shows_the_repositorys_own_records() -> None:
    own = noted(B, agent="codex")
    both = read_change(details(A, B, fork=True), [noted(A), own], SETTINGS)
    assert [bool(commit.trajectories) for commit in both.commits] == [True, True]
    assert both.fork == "mallory/app"
    alone = read_change(details(A, B, fork=True), [Notes(tip=None, bodies={}), own], SETTINGS)
    assert [bool(commit.trajectories) for commit in alone.commits] == [False, True]
    assert alone.fork is None, "no record comes from the fork"


def test_commits_since_the_last_push_are_new() -> None:
    assert read_change(details(A, B), [noted(A)], SETTINGS, before=A).new == (B,)
    assert read_change(details(A, B), [noted(A)], SETTINGS, before="9" * 40).new == ()


def test_a_partly_damaged_note_is_named() -> None:
    """The commit counts as recorded, and is named as not read in full."""
    whole = noted(A, B)
    half = Notes(tip=whole.tip, bodies=whole.bodies | {A: whole.bodies[A] + b'{"v": 1, "id": 5}\n'})
    change = read_change(details(A, B), [half], SETTINGS)
    assert (change.left, change.unknown) == ((A,), ())
    values = outputs(make_report(change, SETTINGS, number=7))
    assert (values["coverage"], values["unsure"], values["cost"]) == ("100", "unknown", "unknown")


def test_all_commits_but_one_are_less_than_100_percent() -> None:
    commits = [f"{n:040x}" for n in range(250)]
    FILES.update(dict.fromkeys(commits, ()))
    change = read_change(details(*commits), [noted(*commits[1:])], SETTINGS)
    assert outputs(make_report(change, SETTINGS, number=7))["coverage"] == "99"
