"""Runs the steps of ``action.yml`` as GitHub's runner does: it expands expressions, starts bash and reads the
files that a step wrote."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from github_action.__main__ import main
from github_action.retry import RetryBudget
from tests.sizes import NIGHTLY

ROOT = Path(__file__).resolve().parents[2]
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
_ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
_INSTALLED = {"python": sys.executable, "path": f"{ROOT}{os.pathsep}{sysconfig.get_path('purelib')}"}


@dataclass
class Step:
    """The results of a run of the action."""

    status: int
    log: str
    outputs: dict[str, str]
    summary: str


@dataclass
class Runner:
    """``folder`` is the runner's; ``server`` is GITHUB_SERVER_URL, ``api`` GITHUB_API_URL. Without
    ``installs``, this interpreter provides what the first step would install. Without ``process``, the Action
    runs in this process; Actions that run at the same time need processes. ``extra`` has more variables of
    the environment, ``workspace`` the files that were checked out."""

    folder: Path
    api: str
    server: str
    token: str
    repository: str = "acme/app"
    installs: bool = False
    process: bool = NIGHTLY
    extra: dict[str, str] = field(default_factory=dict)
    workspace: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(101))

    def run(self, event: str, payload: Mapping[str, Any], **inputs: str) -> Step:
        number = next(self._numbers)
        place = self.folder / str(number)
        for name in ("temp", "work"):
            (place / name).mkdir(parents=True)
        for name, text in self.workspace.items():
            (place / "work" / name).write_text(text, "utf-8")
        (place / "event.json").write_text(json.dumps(payload), "utf-8")
        summary = place / "summary"
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(place),
            "RUNNER_TEMP": str(place / "temp"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(place / "event.json"),
            "GITHUB_REPOSITORY": self.repository,
            "GITHUB_ACTOR": "octocat",
            "GITHUB_API_URL": self.api,
            "GITHUB_SERVER_URL": self.server,
            "GITHUB_RUN_ID": str(number),
            "GITHUB_STEP_SUMMARY": str(summary),
            **self.extra,
        }
        known = self._inputs(inputs)
        log, status = "", 0
        for step in _ACTION["runs"]["steps"]:
            if status and step.get("if") != "${{ !cancelled() }}":
                continue
            written = {} if step["id"] != "install" or self.installs else _INSTALLED
            if not written:
                step_status, step_log, written = self._step(step, known, environ, place)
                log, status = log + step_log, status or step_status
            known |= {f"steps.{step['id']}.outputs.{name}": value for name, value in written.items()}
        left = {path.name for path in (place / "work").iterdir()}
        assert left == self.workspace.keys(), "a step wrote to the workspace"
        outputs = {name: _expand(o["value"], known) for name, o in _ACTION["outputs"].items()}
        names = {name.rpartition(".")[2] for name in known if name.startswith("steps.run.")}
        assert names <= outputs.keys(), f"outputs that are not declared: {names - outputs.keys()}"
        return Step(status, log, outputs, summary.read_text("utf-8") if summary.exists() else "")

    def _step(
        self, step: Mapping[str, Any], known: Mapping[str, str], environ: Mapping[str, str], place: Path
    ) -> tuple[int, str, dict[str, str]]:
        """Run a step; returns its status, log and outputs."""
        assert step["shell"] == "bash"
        script, output = _expand(step["run"], known), place / f"{step['id']}.out"
        output.touch()
        own = {name: _expand(value, known) for name, value in step.get("env", {}).items()}
        variables = {**environ, **own, "GITHUB_OUTPUT": str(output)}
        in_process = not (self.installs or self.process)
        status, log = within(variables) if in_process else execute(script, variables, place)
        return status, log, _pairs(output)

    def _inputs(self, given: Mapping[str, str]) -> dict[str, str]:
        github = {"github.token": self.token}
        known = {name: _expand(entry["default"], github) for name, entry in _ACTION["inputs"].items()}
        known |= {name.replace("_", "-"): value for name, value in given.items()}
        unknown = known.keys() - _ACTION["inputs"].keys()
        assert not unknown, f"the action has no input {unknown}"
        return github | {f"inputs.{name}": value for name, value in known.items()}


def within(environ: Mapping[str, str]) -> tuple[int, str]:
    """Run the Action in this process; returns its status and log. There are no pauses between writes, and the
    time limit, which would end this process, is an hour later."""
    log = io.StringIO()
    with redirect_stdout(log):
        status = main(environ, RetryBudget(between_writes=0, rate_limit_wait=3600))
    return status, log.getvalue()


def execute(script: str, environ: Mapping[str, str], place: Path, *, folder: str = "work") -> tuple[int, str]:
    path = place / "step.sh"
    path.write_text(script, "utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(path)],
        cwd=place / folder,
        env=dict(environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def _expand(text: str, known: Mapping[str, str]) -> str:
    """Replace the expressions. An output that no step wrote is empty, as on the runner; any other name must
    be known."""
    return _EXPRESSION.sub(
        lambda match: known.get(match[1], "") if match[1].startswith("steps.") else known[match[1]], text
    )


def _pairs(path: Path) -> dict[str, str]:
    """Read a file of ``NAME=value`` lines and of ``NAME<<word``, the lines of the value, ``word``."""
    pairs: dict[str, str] = {}
    lines = iter(path.read_text("utf-8").splitlines())
    for line in lines:
        name, sign, word = line.partition("<<")
        if sign and "=" not in name:
            value: list[str] = []
            for part in lines:
                if part == word:
                    break
                value.append(part)
            pairs[name] = "\n".join(value)
        else:
            name, _, value_ = line.partition("=")
            pairs[name] = value_
    return pairs
