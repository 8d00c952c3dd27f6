"""Other tools read our exports: their own validators, and ``trail``, agent-trajectories' program.

``GIT_TRAJ_E2E_TRAIL`` is a folder in which npm installed agent-trajectories 0.6.1, ``GIT_TRAJ_E2E_ATIF`` a
Python that has the package ``atif``, ``GIT_TRAJ_E2E_A3S`` a Python 3.11 that has ``a3s-code`` 3.1.0,
``GIT_TRAJ_E2E_TRACE`` agent-trace's ``schemas/trace-record.json``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.e2e.scenario import Shell, Write, turn
from tests.integration import command
from tests.integration.claude_session import ClaudeSession
from tests.integration.past import begin
from tests.integration.records import traj
from tests.integration.repository import Git

pytestmark = pytest.mark.e2e
_ATIF = (
    "import json, sys, atif\nfor name in sys.argv[1:]: atif.Trajectory.model_validate(json.load(open(name)))"
)
_TRAIL = """
import { validateTrajectory } from process.argv[2];
import fs from 'fs';
for (const name of process.argv.slice(3)) {
  const found = validateTrajectory(JSON.parse(fs.readFileSync(name)));
  if (!found.success) { console.log(name, JSON.stringify(found.errors.issues)); process.exitCode = 1; }
}
"""

_A3S = """
import json, pathlib, sys
import a3s_code

store = pathlib.Path(sys.argv[1])
pathlib.Path("agent.acl").write_text('''default_model = "x/x"
providers "x" {
  apiKey = "x"
  models "x" {
    name = "x"
  }
}
''')
agent = a3s_code.Agent.create("agent.acl")
found, refused = {}, {}

def look(*_):  # a store can be opened only inside the runtime, which runs this command
    for file in store.glob("*.json"):
        own = json.loads(file.read_text())["id"]
        options = a3s_code.SessionOptions()
        options.session_store = a3s_code.FileSessionStore(str(store))
        try:
            found[own] = len(json.loads(file.read_text())["messages"]), agent.resume_session(own, options)
        except BaseException as error:
            refused[own] = str(error)

session = agent.session(".")
session.register_command("look", "look", look)
session.send("/look")
assert found and not [why for why in refused.values() if "not found in config" not in why], refused
for own, (messages, read) in found.items():
    assert len(read.history()) == messages, own
print(len(found))
"""


def path_named_by(name: str, what: str) -> Path:
    named = os.environ.get(name)
    if not named:
        pytest.skip(f"{name} does not name {what}")
    return Path(named)


@pytest.fixture
def recorded(git: Git, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository with a session that decided, wrote, thought and committed."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name, raising=False)
    begin(git)
    session = ClaudeSession(git.root)
    block = json.dumps({"question": "Q?", "chosen": "this", "alternatives": ["that"], "reasoning": "so"})
    said = f"[[TRAJECTORY:decision]]{block}[[/TRAJECTORY]]"
    end = {"summary": "Done", "approach": "By hand", "confidence": 0.8, "learnings": ["x"]}
    session.run(
        [
            turn(Write("a", "one\n"), think="How?", say=said),
            turn(Shell("exit 3")),
            turn(Shell("git add -A && git commit -m 'Add a'")),
            turn(say=f"[[RETROSPECTIVE]]{json.dumps(end)}[[/RETROSPECTIVE]]"),
        ],
        prompt="Write a",
    )
    traj(git, "import", "--auto", str(session.log))
    return git


def export_files(git: Git, folder: Path, form: str, *names: str) -> list[str]:
    folder.mkdir(exist_ok=True)
    traj(git, "export", "--format", form, "-o", str(folder), *names)
    return [str(path) for path in sorted(folder.rglob("*.json*"))]


def sampled(git: Git, request: pytest.FixtureRequest, *folders: str) -> Git:
    """``git`` with the real sessions of some formats, too, if they are available."""
    try:
        samples: Path = request.getfixturevalue("samples")
    except pytest.skip.Exception:
        return git
    for folder in folders:
        for path in sorted((samples / folder).iterdir()):
            if path.stat().st_size < 100_000:
                command.traj(git.root, "import", str(path))  # a file without a session only causes a message
    return git


def run(*program: str | Path, cwd: Path, **env: str) -> str:
    done = subprocess.run(
        [*map(str, program)], cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_models_of_atif_accept_it(recorded: Git, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    python = path_named_by("GIT_TRAJ_E2E_ATIF", "a Python that has the package atif")
    sampled(recorded, request, "claude-code", "codex-rollout", "gemini", "atif", "atif-reference")
    found = export_files(recorded, tmp_path / "out", "atif", "HEAD", "HEAD~")
    assert found
    run(python, "-c", _ATIF, *found, cwd=tmp_path)


def test_a3s_code_reads_the_store(recorded: Git, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    python = path_named_by("GIT_TRAJ_E2E_A3S", "a Python that has the package a3s-code")
    sampled(recorded, request, "claude-code", "codex-rollout", "gemini", "swe-agent", "agent-trajectories")
    export_files(recorded, tmp_path / "out", "a3s", "--all")
    assert int(run(python, "-c", _A3S, tmp_path / "out", cwd=tmp_path)) > 1


def test_the_schema_of_trail_accepts_it_and_trail_reads_the_tree(
    recorded: Git, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = path_named_by("GIT_TRAJ_E2E_TRAIL", "a folder with npm's agent-trajectories")
    package = folder / "node_modules" / "agent-trajectories"
    if shutil.which("node") is None:
        pytest.skip("no node here")
    assert json.loads((package / "package.json").read_text())["version"] == "0.6.1"
    sampled(recorded, request, "agent-trajectories", "codex-rollout", "gemini", "atif")
    script = tmp_path / "validate.mjs"
    script.write_text(_TRAIL.replace("process.argv[2]", f"'{package / 'dist' / 'index.js'}'"))
    written = export_files(recorded, tmp_path / "out", "trajectory", "HEAD", "HEAD~")
    documents = {name: json.loads(Path(name).read_text()) for name in written}
    theirs = [name for name, document in documents.items() if document.get("type") != "compacted"]
    assert theirs
    run("node", script, "-", *theirs, cwd=tmp_path)

    tree = recorded.root / ".agentworkforce" / "trajectories"
    traj(recorded, "export", "--format", "trajectory-tree", "-o", str(tree))
    program = package / "dist" / "cli" / "index.js"
    on_head = json.loads(traj(recorded, "show", "--json"))["trajectories"]
    (name,) = (each["id"] for each in on_head if each["link"]["role"] == "produced")
    assert name in run("node", program, "list", cwd=recorded.root)
    shown = run("node", program, "show", name, "--decisions", cwd=recorded.root)
    assert "Q?" in shown
    copy = tmp_path / "copy.md"
    run("node", program, "export", name, "--format", "md", "-o", copy, cwd=recorded.root, TZ="UTC")
    (summary,) = tree.glob(f"completed/*/{name}/summary.md")
    assert copy.read_text().rstrip() == summary.read_text().rstrip()


def test_the_schema_of_agent_trace_accepts_it(recorded: Git) -> None:
    schema: Any = json.loads(
        path_named_by("GIT_TRAJ_E2E_TRACE", "agent-trace's trace-record.json").read_text()
    )
    # the schema asks for two numbers in a version; the specification and the examples have three
    schema["properties"]["version"]["pattern"] = r"^[0-9]+\.[0-9]+\.[0-9]+$"
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    records = traj(recorded, "export", "--format", "agent-trace").splitlines()
    assert records
    for line in records:
        jsonschema.validate(json.loads(line), schema, jsonschema.Draft202012Validator, format_checker=checker)
