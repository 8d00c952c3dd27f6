"""Runs the steps of ``action.yml`` as GitHub's runner does: expressions, bash, the files that it reads."""

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
    """What a run of the action left."""

    status: int
    log: str
    outputs: dict[str, str]
    summary: str


@dataclass
class Runner:
    """``folder`` is the runner's; ``server`` is GITHUB_SERVER_URL, ``api`` GITHUB_API_URL. Without
    ``installs`` what the first step would install is taken from this interpreter, and unless a ``process`` is
    asked for the Action runs in this one, by day: at the same time only processes may. ``extra``: more of the
    environment; ``workspace``: the files that were checked out."""

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
            made = {} if step["id"] != "install" or self.installs else _INSTALLED
            if not made:
                ended, said, made = self._step(step, known, environ, place)
                log, status = log + said, status or ended
            known |= {f"steps.{step['id']}.outputs.{name}": value for name, value in made.items()}
        left = {path.name for path in (place / "work").iterdir()}
        assert left == self.workspace.keys(), "nothing is written to the workspace"
        outputs = {name: _expand(o["value"], known) for name, o in _ACTION["outputs"].items()}
        told = {name.rpartition(".")[2] for name in known if name.startswith("steps.run.")}
        assert told <= outputs.keys(), f"outputs that are not declared: {told - outputs.keys()}"
        return Step(status, log, outputs, summary.read_text("utf-8") if summary.exists() else "")

    def _step(
        self, step: Mapping[str, Any], known: Mapping[str, str], environ: Mapping[str, str], place: Path
    ) -> tuple[int, str, dict[str, str]]:
        """Status, log and outputs of a step; in a workspace that is empty."""
        assert step["shell"] == "bash"
        script, output = _expand(step["run"], known), place / f"{step['id']}.out"
        output.touch()
        own = {name: _expand(value, known) for name, value in step.get("env", {}).items()}
        told = {**environ, **own, "GITHUB_OUTPUT": str(output)}
        here = not (self.installs or self.process)
        status, log = within(told) if here else execute(script, told, place)
        return status, log, _pairs(output)

    def _inputs(self, given: Mapping[str, str]) -> dict[str, str]:
        github = {"github.token": self.token}
        known = {name: _expand(told["default"], github) for name, told in _ACTION["inputs"].items()}
        known |= {name.replace("_", "-"): value for name, value in given.items()}
        unknown = known.keys() - _ACTION["inputs"].keys()
        assert not unknown, f"the action has no input {unknown}"
        return github | {f"inputs.{name}": value for name, value in known.items()}


def within(environ: Mapping[str, str]) -> tuple[int, str]:
    """Status and log of the Action in this process: without pauses, and without an end of the process after
    its minute."""
    log = io.StringIO()
    with redirect_stdout(log):
        status = main(environ, RetryBudget(between_writes=0, granted=3600))
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
    """Of an output that no step wrote the runner makes nothing; any other name must be known."""
    return _EXPRESSION.sub(
        lambda found: known.get(found[1], "") if found[1].startswith("steps.") else known[found[1]], text
    )


def _pairs(path: Path) -> dict[str, str]:
    """``NAME=value``, or ``NAME<<word``, lines, ``word``."""
    found: dict[str, str] = {}
    lines = iter(path.read_text("utf-8").splitlines())
    for line in lines:
        name, sign, word = line.partition("<<")
        if sign and "=" not in name:
            value: list[str] = []
            for part in lines:
                if part == word:
                    break
                value.append(part)
            found[name] = "\n".join(value)
        else:
            name, _, value_ = line.partition("=")
            found[name] = value_
    return found
