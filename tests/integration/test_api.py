"""``gittraj.Trajectories``: the example of docs/exchange.md runs, and returns what the commands print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import gittraj
from gittraj.errors import TrajError, UsageError
from gittraj.model.values import Message, Prompt
from tests.conftest import ROOT
from tests.e2e.scenario import turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.past import begin
from tests.integration.records import traj
from tests.integration.repository import Git


def test_the_example_and_the_commands_agree(git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    begin(git)
    session = ClaudeSession(git.root)
    session.run([turn(say="Done")], prompt="Say so")
    with gittraj.Trajectories(git.root) as recorded:
        assert recorded.trajectories() == []
        assert recorded.export("csv") == {}
        (row,) = recorded.import_files(session.log, commit="HEAD")
        assert [each["trajectory"] for each in recorded.take_in(session.log, commit="HEAD")] == [
            row["trajectory"]
        ]
        (header,) = recorded.trajectories(row["trajectory"])
        (shown,) = json.loads(traj(git, "show", row["trajectory"], "--json"))["trajectories"]
        assert header == {key: value for key, value in shown.items() if key != "also"}
        assert [type(event) for event in recorded.events(header)] == [Prompt, Message]
        ((commit, record),) = recorded.records()
        assert (commit, record.id) == (git.head(), row["trajectory"])
        (body,) = recorded.export("atif", row["trajectory"]).values()
        assert body.decode() == traj(git, "export", "--format", "atif", row["trajectory"])
        with pytest.raises(UsageError, match="unknown format 'pdf'"):
            recorded.export("pdf")
        with pytest.raises(TrajError, match=r"nothing.*not a revision"):
            recorded.trajectories("nothing")
        with pytest.raises(TrajError, match="README"):
            recorded.import_files(git.root / "README")
    (example,) = re.findall(
        r"```python\n(import gittraj\n.*?)```", (ROOT / "docs" / "exchange.md").read_text(), re.S
    )
    exec(compile(example.replace("path/to/repository", str(git.root)), "exchange.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        f"{header['id']} Say so []",
        f"{header['id']}.atif.json {len(recorded_atif(git))}",
    ]


def recorded_atif(git: Git) -> bytes:
    return traj(git, "export", "--format", "atif", "HEAD").encode()


def test_importing_the_package_imports_nothing() -> None:
    assert not hasattr(gittraj, "nothing_of_the_kind")
    assert gittraj.Trajectories.__module__ == "gittraj.api"
    assert Path(gittraj.__file__).name == "__init__.py"
