"""Runs the job of ``templates/git-traj.yml`` as GitLab's runner does, with inputs, variables and artifacts.

https://docs.gitlab.com/ci/inputs, https://docs.gitlab.com/ci/variables/predefined_variables
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.github.runner import ROOT, Runner, Step, execute, within
from tests.integration.repository import Git

_SPEC, _JOBS = (ROOT / "templates" / "git-traj.yml").read_text("utf-8").split("\n---\n")
_INPUTS: dict[str, Any] = yaml.safe_load(_SPEC)["spec"]["inputs"]
_TEMPLATE_INPUTS = ("require", "min-coverage", "labels", "source", "commit", "stage", "image")
HOSTED = ("PATH", "HOME")


@functools.cache
def source() -> tuple[str, str]:
    """Make a repository with the modules of this work tree; returns its address and its commit."""
    folder = Path(tempfile.mkdtemp(prefix="git-traj-source-"))
    git = Git.init(folder)
    for name in ("gittraj", "github_action"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    git("add", "-A")
    git("commit", "-qm", "All of it")
    return f"file://{folder}", git.head()


@dataclass
class GitLabRunner(Runner):
    """A runner whose ``run`` translates an event of GitHub's into the variables of a GitLab job."""

    def run(self, event: str, payload: Mapping[str, Any], **inputs: str) -> Step:
        number = next(self._numbers)
        folder_of_job = self.folder / str(number)
        (folder_of_job / "builds").mkdir(parents=True)
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        job = self._job({name: value for name, value in given.items() if name in _TEMPLATE_INPUTS})
        variables = {name: str(value) for name, value in job["variables"].items()}
        variables |= {f"GIT_TRAJ_{name.upper().replace('-', '_')}": value for name, value in given.items()}
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder_of_job),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            **variables,
            **self._predefined(event, payload, number, folder_of_job / "builds"),
            **self.extra,
        }
        if not self.installs:
            environ["GIT_TRAJ_PYTHON"] = sys.executable
        if self.installs or self.process:
            script = "set +o noclobber\n" + "\n".join(job["script"]) + "\n"
            status, log = execute(script, environ, folder_of_job, folder="builds")
        else:
            status, log = self._within(environ, folder_of_job)
        left = {path.name: path.read_text("utf-8") for path in (folder_of_job / "builds").iterdir()}
        reports = {*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()}
        assert left.keys() <= reports, "nothing else is left in the job's folder"
        lines = [line.partition("=") for line in left["git-traj.env"].splitlines()]
        outputs = {
            name.removeprefix("GIT_TRAJ_").lower().replace("_", "-"): value for name, _, value in lines
        }
        self.quality = left.get("git-traj-code-quality.json", "[]")
        return Step(status, log, outputs, left.get("git-traj.md", ""))

    def _within(self, environ: Mapping[str, str], folder_of_job: Path) -> tuple[int, str]:
        """Do what ``github_action/gitlab.sh`` does, in this process."""
        temp, builds = folder_of_job / "temp", folder_of_job / "builds"
        temp.mkdir()
        files = {"GITHUB_STEP_SUMMARY": "git-traj.md", "GITHUB_OUTPUT": "git-traj.env"}
        strict = {"INPUT_REQUIRE": "off", "INPUT_FAIL_ON_ERROR": "false"}
        status, log = within(
            {
                **environ,
                "RUNNER_TEMP": str(temp),
                **{name: str(builds / file) for name, file in files.items()},
                **{name: environ.get(f"GIT_TRAJ_{name[6:]}") or usual for name, usual in strict.items()},
            }
        )
        quality = temp / "code-quality.json"
        if quality.exists():
            shutil.copy(quality, builds / "git-traj-code-quality.json")
        return status, log

    def _job(self, given: Mapping[str, str]) -> Any:
        url, commit = source()
        known = {name: entry.get("default") for name, entry in _INPUTS.items()}
        known |= {"source": url, "commit": commit, **given}
        assert re.fullmatch(_INPUTS["commit"]["regex"], known["commit"])
        words = {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in known.items()
        }
        text = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda match: words[match[1]], _JOBS)
        assert "$[[" not in text
        job = yaml.safe_load(text)["git-traj"]
        assert job["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]
        assert job["variables"]["GIT_STRATEGY"] == "empty", "no file of the merge request is checked out"
        return job

    def _predefined(
        self, event: str, payload: Mapping[str, Any], number: int, folder: Path
    ) -> dict[str, str]:
        """Return GitLab's predefined variables. A fork's pipeline runs in its own project, unless a member of
        the parent project started it (``pull_request_target``)."""
        request = payload.get("pull_request")
        home = (request["head"]["repo"] or {}).get("full_name", "") if request else self.repository
        here = self.repository if event != "pull_request" or not home else home
        variables = {
            "CI": "true",
            "GITLAB_CI": "true",
            "CI_API_V4_URL": self.api,
            "CI_SERVER_URL": self.server,
            "CI_PROJECT_DIR": str(folder),
            "CI_PROJECT_PATH": here,
            "CI_PROJECT_ID": "1" if here == self.repository else "2",
            "CI_PIPELINE_ID": str(number),
            "CI_PIPELINE_SOURCE": "merge_request_event" if request else "push",
            "CI_JOB_NAME": "git-traj",
            "CI_JOB_URL": f"{self.server}/{here}/-/jobs/{number}",
            "CI_JOB_TOKEN": self.token,
        }
        if here == self.repository:
            variables["GIT_TRAJ_TOKEN"] = self.token
        if request:
            variables |= {
                "CI_COMMIT_SHA": request["head"]["sha"],
                "CI_MERGE_REQUEST_IID": str(request["number"]),
                "CI_MERGE_REQUEST_PROJECT_ID": "1",
                "CI_MERGE_REQUEST_PROJECT_PATH": self.repository,
                "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": home,
                "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            }
        return variables
