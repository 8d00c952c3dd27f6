"""We report when changed-path filters would make git faster, but never write them."""

from __future__ import annotations

import pytest

from gittraj.commands.doctor.facts import gather
from gittraj.commands.doctor.findings import examine
from gittraj.config import Environ
from gittraj.git import commit_graph
from gittraj.git.commit_graph import WRITE, lacks_filters
from tests.integration.repository import Git


def test_filters_are_suggested_for_long_histories(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        git.commit({"a.py": f"{number}\n"})
    with git.open() as repository:
        assert not lacks_filters(repository)  # the history is too short
        monkeypatch.setattr(commit_graph, "LONG", 3)
        assert lacks_filters(repository)
        found = {f.code: f for f in examine(repository, gather(repository, Environ.of({})))}
        assert (found["no-path-filters"].severity, found["no-path-filters"].remedy) == ("note", WRITE)

        git("commit-graph", "write", "--reachable")
        assert lacks_filters(repository)
        git("commit-graph", "write", "--reachable", "--changed-paths")
        assert not lacks_filters(repository)
        (git.root / ".git/objects/info/commit-graph").unlink()
        git("commit-graph", "write", "--reachable", "--changed-paths", "--split")
        assert not lacks_filters(repository)
        (chain,) = (git.root / ".git/objects/info/commit-graphs").glob("*.graph")
        chain.chmod(0o644)
        chain.write_bytes(chain.read_bytes()[:11])
        assert lacks_filters(repository)
        git("config", "core.commitGraph", "false")
        repository.forget_settings()
        assert not lacks_filters(repository)
