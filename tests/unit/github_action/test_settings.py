"""Settings that a workflow's author may give, and invalid ones."""

from __future__ import annotations

from typing import Any

import pytest

from github_action.errors import EventError
from github_action.settings import Settings, is_strict, read_settings
from github_action.token import Token

RUNNER = {
    "GITHUB_SERVER_URL": "https://github.example/",
    "GITHUB_REPOSITORY": "acme/app",
    "GITHUB_RUN_ID": "12",
    "GITHUB_EVENT_NAME": "push",
    "GITHUB_EVENT_PATH": "/event.json",
    "GITHUB_API_URL": "https://github.example/api/v3",
    "RUNNER_TEMP": "/temp",
}


def read(**inputs: str) -> Settings:
    return read_settings(RUNNER | {f"INPUT_{name}": value for name, value in inputs.items()})


def test_the_defaults_of_all_settings() -> None:
    found = read()
    assert (found.server, found.run) == ("https://github.example", 12)
    assert (found.mode, found.notes, found.comment, found.missing) == (
        "auto",
        "refs/notes/traj",
        "auto",
        "quiet",
    )
    assert (found.require, found.coverage, found.strict, found.prompts) == ("off", 100, False, False)
    assert (found.summary, found.output, found.foreign_token) == (None, None, False)


@pytest.mark.parametrize(
    ("name", "value", "field", "read_as"),
    [
        ("MIN_COVERAGE", "80%", "coverage", 80.0),
        ("SHOW_COST", " False ", "cost", False),
        ("REQUIRE", "fail", "require", "fail"),
        ("NOTES_REF", "refs/notes/other", "notes", "refs/notes/other"),
        ("MAX_WAIT_NOTES", "300", "wait", 300.0),
        ("KEY", "docs-2", "key", "docs-2"),
    ],
)
def test_a_given_setting_is_read(name: str, value: str, field: str, read_as: Any) -> None:
    assert getattr(read(**{name: value}), field) == read_as


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SHOW_COST", "2"),
        ("SHOW_PROMPTS", "yes"),
        ("MIN_COVERAGE", "200"),
        ("MIN_COVERAGE", "nan"),
        ("MAX_WAIT_NOTES", "301"),
        ("MAX_WAIT_NOTES", "-1"),
        ("NOTES_REF", "refs/heads/x"),
        ("NOTES_REF", "refs/notes/*"),
        ("NOTES_REF", "refs/notes/a:refs/heads/main"),
        ("NOTES_REF", "refs/notes/a\nb"),
        ("NOTES_REF", "refs/notes/../heads/main"),
        ("KEY", "a b"),
        ("KEY", "x --><b>"),
    ],
)
def test_an_invalid_value_is_refused_and_not_repeated(name: str, value: str) -> None:
    with pytest.raises(EventError) as error:
        read(**{name: value})
    assert value not in error.value.message


@pytest.mark.parametrize("name", ["REQUIRE", "COMMENT", "WHEN_MISSING"])
def test_an_unknown_word_is_named_with_the_valid_ones(name: str) -> None:
    with pytest.raises(EventError, match=r"is not one of \w+, .*: fial$"):
        read(**{name: "fial"})


@pytest.mark.parametrize("word", ["fail", "Fail", " FAIL ", "fial", "yes"])
def test_an_unknown_value_of_the_gate_makes_it_strict(word: str) -> None:
    assert is_strict({"INPUT_REQUIRE": word})
    assert not any(is_strict({"INPUT_REQUIRE": word}) for word in ("", "off", "Warn"))


def test_a_comment_belongs_to_a_repositorys_workflow_even_after_a_rename() -> None:
    def owner(name: str, path: str, repository: str = "7") -> str:
        variables = {
            "GITHUB_REPOSITORY_ID": repository,
            "GITHUB_WORKFLOW_REF": f"{name}/.github/{path}@refs/heads/x",
        }
        return read_settings(RUNNER | variables).owner

    ours = owner("acme/app", "workflows/traj.yml")
    assert ours == owner("acme/renamed", "workflows/traj.yml")
    assert ours != owner("acme/app", "workflows/other.yml")
    assert ours != owner("acme/app", "workflows/traj.yml", "8")


def test_outside_of_a_runner_the_missing_variable_is_named() -> None:
    with pytest.raises(EventError, match="GITHUB_SERVER_URL is not set"):
        read_settings({})


def test_a_token_other_than_the_jobs_own_is_recognized() -> None:
    both = RUNNER | {"DEFAULT_TOKEN": "one"}
    assert not read_settings(both | {"INPUT_TOKEN": "one"}).foreign_token
    assert not read_settings(both).foreign_token
    assert read_settings(both | {"INPUT_TOKEN": "two"}).foreign_token
    assert str(Token("one")) == "***"
