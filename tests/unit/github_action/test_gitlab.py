"""GitLab's variables of a merge request's pipeline, translated to those of a GitHub job."""

from __future__ import annotations

import pytest

from github_action.errors import EventError
from github_action.gitlab import as_github
from github_action.settings import read_settings

HEAD, MERGED = "a" * 40, "b" * 40
PIPELINE = {
    "GITLAB_CI": "true",
    "CI_API_V4_URL": "https://gitlab.example/api/v4",
    "CI_SERVER_URL": "https://gitlab.example",
    "CI_PROJECT_PATH": "group/sub/app",
    "CI_PROJECT_ID": "1",
    "CI_PIPELINE_ID": "12",
    "CI_PIPELINE_SOURCE": "merge_request_event",
    "CI_JOB_NAME": "git-traj",
    "CI_JOB_TOKEN": "job",
    "CI_JOB_URL": "https://gitlab.example/group/sub/app/-/jobs/5",
    "CI_COMMIT_SHA": HEAD,
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_PROJECT_ID": "1",
    "CI_MERGE_REQUEST_PROJECT_PATH": "group/sub/app",
    "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "group/sub/app",
    "GIT_TRAJ_TOKEN": "project",
    "GIT_TRAJ_REQUIRE": "warn",
    "RUNNER_TEMP": "/temp",
}


def test_a_merge_request_is_translated_to_a_pull_request() -> None:
    environ, event = as_github(PIPELINE)
    settings = read_settings(environ)
    assert (settings.host, settings.repository, settings.require) == ("gitlab", "group/sub/app", "warn")
    assert settings.page == "https://gitlab.example/group/sub/app/-/jobs/5"
    assert (settings.token.reveal(), settings.git_user) == ("project", "gitlab-ci-token")
    assert settings.git_token is not None
    assert settings.git_token.reveal() == "job"
    assert environ["GITHUB_EVENT_NAME"] == "pull_request_target", "no fork: it has our token"
    assert event["pull_request"]["head"] == {"sha": HEAD, "repo": {"full_name": "group/sub/app"}}


def test_the_head_of_a_merged_result_is_the_source_branchs() -> None:
    _, event = as_github(PIPELINE | {"CI_COMMIT_SHA": MERGED, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": HEAD})
    assert event["pull_request"]["head"]["sha"] == HEAD


def test_a_forks_pipeline_in_its_own_project_has_none_of_our_tokens() -> None:
    fork = {"CI_PROJECT_ID": "2", "CI_PROJECT_PATH": "mallory/app", "GIT_TRAJ_TOKEN": ""}
    environ, _ = as_github(PIPELINE | fork | {"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "mallory/app"})
    settings = read_settings(environ)
    assert environ["GITHUB_EVENT_NAME"] == "pull_request"
    assert settings.git_token is not None
    assert not settings.git_token, "a job's token is for its own project only"


def test_a_branch_pipeline_is_not_reported_on() -> None:
    others = {name: "" for name in PIPELINE if "MERGE_REQUEST" in name}
    environ, event = as_github(PIPELINE | others | {"CI_PIPELINE_SOURCE": "push"})
    assert (environ["GITHUB_EVENT_NAME"], event) == ("push pipeline", {})


@pytest.mark.parametrize("name", ["CI_API_V4_URL", "CI_SERVER_URL", "CI_PROJECT_PATH", "CI_COMMIT_SHA"])
def test_a_missing_variable_of_gitlab_is_an_error(name: str) -> None:
    with pytest.raises(EventError, match=name):
        as_github(PIPELINE | {name: ""})


def test_a_page_of_another_host_is_not_linked() -> None:
    environ, _ = as_github(PIPELINE | {"CI_JOB_URL": "https://evil.example/x"})
    assert read_settings(environ).page == ""
