"""The Action fetches the records of the given commits, and little else."""

from __future__ import annotations

import base64
import os
from functools import partial
from pathlib import Path

import pytest

from github_action.fetching import Fetched, Source
from gittraj.errors import TrajError
from gittraj.notes.store import DataRefs, NotesRef
from tests.integration.git_host import GitHost
from tests.integration.repository import Git
from tests.integration.story import Story, record


@pytest.fixture
def server(tmp_path: Path) -> Git:
    """Make a bare repository like a host's."""
    there = Git.init(tmp_path / "there.git", "--bare")
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        there("config", key, "true")
    return there


def make_fetched(tmp_path: Path, server: Git) -> Fetched:
    return Fetched(
        tmp_path / "runner", Source(url=f"file://{server.root}", protocols=("file",)), environ=os.environ
    )


def size(folder: Path) -> int:
    return sum(f.stat().st_size for f in (folder / "objects").rglob("*") if f.is_file())


def _text(body: bytes, _: bytes) -> bytes:
    return body + b"\n"


def fill(git: Git, number: int, *, letters: int) -> list[str]:
    """Write ``number`` notes of ``letters`` letters on absent commits, and records on five new ones."""
    commits = [git.commit({"file": f"{n}\n"}) for n in range(5)]
    others = {f"{n:040x}": os.urandom(letters // 2).hex().encode() for n in range(1, number + 1)}
    with git.open() as repository:
        NotesRef(repository).write({c: partial(_text, body) for c, body in others.items()}, message="others")
        for n, commit in enumerate(commits):
            Story(repository).note(commit, record(f"traj_{n}", prompt=f"Asked {n}"))
    return commits


def test_the_records_of_a_branch_out_of_many(git: Git, server: Git, tmp_path: Path) -> None:
    commits = fill(git, 3_000, letters=2_000)
    git("push", "-q", str(server.root), "HEAD:refs/heads/topic", "refs/notes/traj:refs/notes/traj")
    found = make_fetched(tmp_path, server)
    tip = found.fetch_notes(commits)
    server.root.rename(tmp_path / "gone")  # whatever is read now was fetched
    assert tip == git("rev-parse", "refs/notes/traj")
    for n, commit in enumerate(commits):
        assert f"Asked {n}".encode() in (found.notes.read(commit) or b"")
    assert size(tmp_path / "runner") < 60_000
    assert size(tmp_path / "gone") > 2_000_000
    found.close()


def test_each_level_of_the_tree_is_fetched_in_one_request(git: Git, tmp_path: Path) -> None:
    """The host speaks HTTP and filters no more than GitHub; unneeded segments are not fetched."""
    commits = fill(git, 2_000, letters=1_000)
    with git.open() as repository:
        DataRefs(repository).write("2026-01", {"s/00/t/1": os.urandom(1_000_000)})
    token = "-".join(("a", "job", "s", "token"))
    requests = {}
    with GitHost(tmp_path / "host").running() as host:
        git("push", "-q", str(host.found("acme/app").root), "refs/notes/*:refs/notes/*")
        for number in (1, len(commits)):
            host.exchanges.clear()
            source = Source(url=f"{host.url}/acme/app.git", token=token, protocols=("http",))
            found = Fetched(tmp_path / f"runner{number}", source, environ=os.environ)
            found.fetch_notes(commits[:number])
            assert all(found.notes.read(commit) for commit in commits[:number])
            found.close()
            requests[number] = len(host.exchanges)
            assert host.moved < 60_000
            basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
            assert {each.authorization for each in host.exchanges} == {f"basic {basic}"}
    assert requests[1] == requests[len(commits)] <= 11


def test_notes_at_any_depth(git: Git, server: Git, tmp_path: Path) -> None:
    commits = [git.commit({"file": f"{n}\n"}) for n in range(3)]
    one, two, three = commits
    head = git.head()
    paths = (one, f"{two[:2]}/{two[2:]}", f"{three[:2]}/{three[2:4]}/{three[4:]}")
    git("checkout", "-q", "--orphan", "notes")
    git("rm", "-rfq", ".")
    git("update-ref", "refs/notes/traj", git.commit(dict.fromkeys(paths, "told\n")))
    git("checkout", "-q", "--detach", head)
    git("push", "-q", str(server.root), "refs/notes/traj")
    found = make_fetched(tmp_path, server)
    found.fetch_notes(commits)
    assert [found.notes.read(commit) for commit in commits] == [b"told\n"] * 3
    found.close()


def test_without_a_notes_ref_nothing_is_fetched(git: Git, server: Git, tmp_path: Path) -> None:
    commit = git.commit({"file": "1\n"})
    found = make_fetched(tmp_path, server)
    assert found.fetch_notes([commit]) is None
    found.close()


def test_commits_without_a_record(git: Git, server: Git, tmp_path: Path) -> None:
    fill(git, 10, letters=20)
    git("push", "-q", str(server.root), "refs/notes/traj:refs/notes/traj")
    found = make_fetched(tmp_path, server)
    assert found.fetch_notes(["f" * 40]) is not None
    assert found.notes.read("f" * 40) is None
    found.close()


def test_the_error_of_a_missing_source_does_not_show_the_token(tmp_path: Path, server: Git) -> None:
    source = Source(url=f"file://{tmp_path}/nowhere", token="t" * 8, protocols=("file",))
    found = Fetched(tmp_path / "runner", source, environ=os.environ)
    with pytest.raises(TrajError) as raised:
        found.fetch_notes(["f" * 40])
    assert "t" * 8 not in str(raised.value)
    assert "t" * 8 not in repr(source)
    found.close()


def test_other_protocols_are_refused(tmp_path: Path, server: Git) -> None:
    found = Fetched(tmp_path / "runner", Source(url=f"file://{server.root}"), environ=os.environ)
    with pytest.raises(TrajError, match="not allowed"):
        found.fetch_notes(["f" * 40])
    found.close()
