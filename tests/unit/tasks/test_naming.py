"""Task names in texts, and which task system they belong to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.model.values import TaskRef
from gittraj.tasks.naming import detect, from_branch, from_trailers
from gittraj.tasks.system import TASKS, Site

LINEAR = {"LINEAR_API_KEY": "k"}
JIRA = {"JIRA_URL": "https://jira.example.com/base/"}
GITHUB = ("git@github.com:acme/app.git",)
ISSUES = "https://github.com/acme/app/issues/"


@pytest.fixture
def beads(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    (folder / ".beads").mkdir(parents=True)
    (folder / ".beads" / "issues.jsonl").write_text(
        '{"id":"app-x7","title":"t"}\n{"id":"app-web","title":"t"}\n'
    )
    return folder


def named(task: TaskRef | None) -> str | None:
    assert task is None or task.source
    return f"{task.source.system}:{task.source.id}" if task and task.source else None


def addressed(task: TaskRef | None) -> str | None:
    assert task
    assert task.source
    return task.source.url


@pytest.mark.parametrize(
    ("text", "id_", "url"),
    [
        ("#123", "123", ISSUES + "123"),
        ("GH-123", "123", ISSUES + "123"),
        ("github:123", "123", ISSUES + "123"),
        ("github:#123", "123", ISSUES + "123"),
        ("acme/app#123", "123", ISSUES + "123"),
        ("acme/lib#7", "acme/lib#7", "https://github.com/acme/lib/issues/7"),
        (ISSUES + "123?x=1#comment", "123", ISSUES + "123"),
        ("https://github.com/acme/app/pull/9/files", "9", "https://github.com/acme/app/pull/9"),
    ],
)
def test_names_of_github_issues_are_read(text: str, id_: str, url: str) -> None:
    task = detect(text, Site(remotes=GITHUB))
    assert (named(task), addressed(task)) == (f"github:{id_}", url)


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/acme/app",
        "https://someone:word@github.com/acme/app.git",
        "ssh://git@ssh.github.com:443/acme/app.git",
        "git@github.com:acme/app",
        "git://GitHub.com/acme/app.git/",
    ],
)
def test_github_repositories_are_recognized_by_their_remote(remote: str) -> None:
    assert addressed(detect("#1", Site(remotes=("/srv/other.git", remote)))) == ISSUES + "1"


def test_names_of_a_github_enterprise_server_are_read() -> None:
    remotes = ("https://git.example.com/acme/app",)
    assert named(detect("#1", Site(remotes=remotes))) == "plain:#1"
    site = Site(remotes=remotes, environ={"GH_HOST": "git.example.com"})
    assert addressed(detect("#1", site)) == "https://git.example.com/acme/app/issues/1"


@pytest.mark.parametrize(
    ("environ", "preferred", "expected"),
    [
        ({}, None, "plain"),
        (LINEAR, None, "linear"),
        (JIRA, None, "jira"),
        (LINEAR | JIRA, None, "plain"),
        (LINEAR | JIRA, "jira", "jira"),
        (LINEAR | JIRA, "linear", "linear"),
        ({}, "linear", "linear"),
        (LINEAR, "plain", "plain"),
        ({"LINEAR_API_KEY": ""}, None, "plain"),
    ],
)
def test_a_key_belongs_to_the_configured_system(
    environ: dict[str, str], preferred: str | None, expected: str
) -> None:
    site = Site(environ=environ, preferred=preferred)
    assert named(detect("ENG-456", site)) == f"{expected}:ENG-456"
    assert named(from_branch("feature/ENG-456-auth", site)) == (
        None if expected == "plain" else f"{expected}:ENG-456"
    )


def test_addresses_of_tasks_are_read() -> None:
    site = Site(environ=JIRA)
    assert addressed(detect("ENG-4", site)) == "https://jira.example.com/base/browse/ENG-4"
    assert named(detect("https://jira.example.com/base/browse/ENG-4?a=b", site)) == "jira:ENG-4"
    assert named(detect("https://acme.atlassian.net/browse/ENG-4", Site())) == "jira:ENG-4"
    issue = detect("https://linear.app/acme/issue/ENG-4/the-title", Site())
    assert (named(issue), addressed(issue)) == ("linear:ENG-4", "https://linear.app/acme/issue/ENG-4")
    elsewhere = "https://evil.example.com/browse/ENG-4"
    assert named(detect(elsewhere, site)) == f"plain:{elsewhere}"


def test_names_of_beads_tasks_are_read(beads: Path) -> None:
    site = Site(folders=(beads,), environ=LINEAR)
    assert named(detect("app-x7", site)) == "beads:app-x7"
    assert named(detect("bd-a1b2.3", site)) == "beads:bd-a1b2.3"
    assert named(detect("other-x7", site)) == "plain:other-x7"
    assert named(detect("beads:other-x7", site)) == "beads:other-x7"
    assert named(detect("bd-a1b2", Site())) == "plain:bd-a1b2"
    assert named(from_branch("me/app-x7-login", site)) == "beads:app-x7"
    assert named(from_branch("app-web", site)) == "beads:app-web"
    assert from_branch("fix/app-startup", site) is None


def test_beads_is_found_in_the_main_work_tree_and_by_its_variable(beads: Path, tmp_path: Path) -> None:
    assert named(detect("app-x7", Site(folders=(tmp_path / "linked", beads)))) == "beads:app-x7"
    assert named(detect("app-x7", Site(environ={"BEADS_DIR": str(beads / ".beads")}))) == "beads:app-x7"
    (beads / ".beads" / "config.yaml").write_text('# issue-prefix: "no"\nissue-prefix: "ENG"\n')
    assert named(detect("ENG-456", Site(folders=(beads,), environ=LINEAR))) == "beads:ENG-456"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write the docs", "plain:write the docs"),
        ("fix: the docs", "plain:fix: the docs"),
        ("plain:ENG-456", "plain:ENG-456"),
        ("gitlab:12", "gitlab:12"),
        ("linear:eng-456", "linear:ENG-456"),
        ("jira:not a key", "jira:not a key"),
        ("github:12", "github:12"),
        ("UTF-8", "plain:UTF-8"),
        ("ENG-4\u0665", "plain:ENG-4\u0665"),
        ("#1\u0665", "plain:#1\u0665"),
        ("acme/..#1", "plain:acme/..#1"),
        ("https://github.com/acme/../issues/1", "plain:https://github.com/acme/../issues/1"),
        ("\x1b[31mred\u202e\n", "plain:[31mred"),
    ],
)
def test_other_names_are_plain_or_belong_to_the_system_of_their_prefix(text: str, expected: str) -> None:
    assert named(detect(text, Site(environ=LINEAR))) == expected
    if not expected.startswith("github"):
        assert named(detect(text, Site(environ=LINEAR, remotes=GITHUB))) == expected


def test_an_empty_name_is_not_a_task() -> None:
    assert detect(" \n\u200b", Site()) is None


def test_a_task_without_a_title_is_titled_as_people_write_it() -> None:
    assert (detect("GH-12", Site(remotes=GITHUB)) or TaskRef(title="")).title == "#12"
    assert (detect("ENG-4", Site(environ=LINEAR)) or TaskRef(title="")).title == "ENG-4"
    long = detect("x" * 999, Site())
    assert long
    assert long.source
    assert (len(long.title), len(long.source.id)) == (500, 200)


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        ("12-the-title", "github:12"),
        ("issue-12", "github:12"),
        ("fix/#12", "github:12"),
        ("feature/gh-12-auth", "github:12"),
        ("issues/12", "github:12"),
        ("feature/ENG-456-auth", "linear:ENG-456"),
        ("ENG-456", "linear:ENG-456"),
        ("refs/heads/feature/ENG-456", "linear:ENG-456"),
        ("ada/eng-456-add-login", "linear:ENG-456"),
        ("eng-456", "linear:ENG-456"),
        ("main", None),
        ("release/2", None),
        ("release/2-hotfix", None),
        ("2024", None),
        ("2026-01-02", None),
        ("v1-2", None),
        ("fix/utf-8-names", None),
        ("UTF-8", None),
        ("issue-12.5", None),
        ("fix-CVE-2024-1234", None),
    ],
)
def test_a_task_is_read_from_a_branch_name(branch: str, expected: str | None) -> None:
    assert named(from_branch(branch, Site(remotes=GITHUB, environ=LINEAR))) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Add it\n\nFixes: #12\n", ["github:12"]),
        ("Add it, fixes #12 and closes acme/lib#3.", ["github:12", "github:acme/lib#3"]),
        (
            "Add it\n\nRefs: #1, ENG-2\nCloses: #3\nSigned-off-by: A <a@b>\n",
            ["github:3", "github:1", "linear:ENG-2"],
        ),
        ("Fix ENG-456: it was late", ["linear:ENG-456"]),
        ("Part of ENG-9", ["linear:ENG-9"]),
        ("Add it\n\nJira: proj-12", ["jira:PROJ-12"]),
        ("Add it\n\nTask: linear:eng-3", ["linear:ENG-3"]),
        ("Add it\n\nTask: write the docs", ["plain:write the docs"]),
        (f"Add it\n\nIssue: {ISSUES}7", ["github:7"]),
        ('Add it\n\nFixes: 1a2b3c4d5e6f ("Old")\n', []),
        ("Fixes 2 bugs, fixes UTF-8 names, closes std::vector", []),
        ("Add it\n\nRefs: std::vector\nBug: none", []),
        ("Task: #5\n\nBut this is the text, not a trailer", []),
        ("", []),
    ],
)
def test_tasks_are_read_from_a_commit_message(message: str, expected: list[str]) -> None:
    tasks = from_trailers(message, Site(remotes=GITHUB, environ=LINEAR))
    assert [named(task) for task in tasks] == expected


def test_a_long_message_is_read_quickly() -> None:
    assert from_trailers("fixes " * 100_000 + "-" * 100_000, Site(remotes=GITHUB, environ=LINEAR)) == ()


@given(st.text())
def test_any_text_is_read_and_its_name_can_be_read_again(text: str) -> None:
    site = Site(remotes=GITHUB, environ=LINEAR | JIRA)
    from_branch(text, site)
    from_trailers(f"x\n\nTask: {text}", site)
    task = detect(text, site)
    if task:
        assert task.source
        assert task.title
        assert task.title == " ".join(task.title.split())
        assert named(detect(named(task) or "", site)) == named(task) or task.source.system not in TASKS


@given(st.from_regex(re.compile(r"[A-Z]{2,5}-[1-9][0-9]{0,4}"), fullmatch=True))
def test_a_key_in_a_branch_equals_the_one_that_a_person_names(key: str) -> None:
    site = Site(environ=LINEAR)
    assert from_branch(f"feature/{key}-x", site) in (None, detect(key, site))
