"""``action.yml`` and the workflows to copy: inputs, packages, permissions, no foreign text in scripts."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from github_action.settings import INPUTS, Settings

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((ROOT / "docs" / "workflows").glob("*.yml"))


def load(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return value


ACTION = load(ROOT / "action.yml")
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


def test_steps_use_no_foreign_actions_or_expressions() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS:
        assert step.keys() <= {"id", "if", "shell", "run", "env"}
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "no value of a workflow becomes a part of a script"


def test_each_input_is_passed_on_and_described() -> None:
    given = {value for step in STEPS for value in step.get("env", {}).values() if "inputs" in value}
    assert given == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    defaults = {name: each["default"] for name, each in ACTION["inputs"].items()}
    assert defaults.pop("token") == "${{ github.token }}"
    assert defaults.keys() == INPUTS.keys()
    ours = {field.name: field.default for field in fields(Settings)}
    for name, (field, read) in INPUTS.items():
        assert read(name, defaults[name]) == ours[field], name
    for name, entry in (*ACTION["inputs"].items(), *ACTION["outputs"].items()):
        assert entry["description"], name


def test_installed_packages_are_locked_by_hash() -> None:
    lock = (ROOT / "github_action" / "requirements.txt").read_text("utf-8")
    named = [line for line in lock.splitlines() if line and line[0] not in "# "]
    assert named
    for line in named:
        assert re.match(r"[a-z0-9-]+==[\w.]+ .*\\$", line), line
    assert "index-url" not in lock
    assert "--require-hashes" in (ROOT / "github_action" / "install.sh").read_text("utf-8")


def test_the_action_runs_without_cryptography() -> None:
    """The package is large, and the Action does not use what PyGithub needs it for."""
    assert "cryptography==" not in (ROOT / "github_action" / "requirements.txt").read_text("utf-8")
    script = """if True:
        import sys
        class Without:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == "cryptography":
                    raise ModuleNotFoundError(name, name=name)
        sys.meta_path.insert(0, Without())
        import github_action.__main__, github_action.carrying
        """
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_few_permissions(path: Path) -> None:
    flow = load(path)
    assert flow["permissions"] == {}
    assert flow["concurrency"]["group"].startswith("git-traj")
    for job in flow["jobs"].values():
        assert job["timeout-minutes"] <= 5
        (step,) = job["steps"]
        assert step["uses"].startswith("OWNER/git-traj@")
        assert set(step.get("with", {})) <= set(ACTION["inputs"])
        writes = {name for name, what in job["permissions"].items() if what == "write"}
        assert writes <= {"contents" if path.stem == "carry" else "pull-requests"}
