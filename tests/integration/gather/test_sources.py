"""Which repositories are gathered: how they are addressed, named and listed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gittraj.errors import UsageError
from gittraj.gather.remotes import find_source, find_sources, show_names
from tests.integration import command
from tests.integration.gather.team import Team, full_record

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path, "team.duckdb")


def test_another_port_is_another_repository_and_duplicates_are_reported() -> None:
    said: list[str] = []
    spelt = ("https://x.org/a/b", "ssh://git@x.org:22/a/b", "https://x.org:8443/a/b", "https://x.org:443/a/b")
    found, _ = find_sources(spelt, environ={}, organisation=lambda _: (), tell=said.append)
    assert [source.address for source in found] == [spelt[0], spelt[2]]
    assert len(said) == 2
    assert "https://x.org:443/a/b is the same repository as https://x.org/a/b" in said[1]
    known = {"1": ("a/b", spelt[0]), "2": ("a/b", spelt[2]), "3": ("a/c", "https://x.org/a/c")}
    assert show_names(known) == {"1": "x.org/a/b", "2": "x.org:8443/a/b", "3": "a/c"}


def test_a_remote_that_fails_does_not_stop_the_others(team: Team) -> None:
    team.repository("api", [[full_record("one")]])
    (team.root / "list").write_text("# ours\nclones/api\n/nowhere/at/all\n")
    said = command.traj(team.root, "gather", "list", "--into", team.url, "--jobs", "1", "--json")
    found = json.loads(said.stdout)
    assert (said.returncode, found["gathered"], len(found["failed"])) == (1, 1, 1)


def test_a_bad_address_does_not_stop_the_others(team: Team) -> None:
    team.repository("api", [[full_record("one")]])
    (team.root / "empty").mkdir()
    (team.root / "list").write_text(f"https://me:pw@x.org/a/b\nclones/api\n{'x' * 300}/{'y' * 300}\n")
    said = command.traj(team.root, "gather", "empty", "list", "--into", team.url, "--jobs", "1", "--json")
    found = json.loads(said.stdout)
    assert (said.returncode, found["gathered"], len(found["failed"])) == (1, 1, 3)
    assert "pw" not in said.stdout + said.stderr


def test_github_without_a_network_is_reported_in_one_line(team: Team) -> None:
    unreachable = {"GITHUB_API_URL": "http://127.0.0.1:9"}
    said = command.traj(team.root, "gather", "github:acme", "--into", team.url, env=unreachable)
    assert said.returncode == 1
    assert "github:acme: GitHub could not be reached" in said.stderr


def test_one_repository_has_one_id_however_it_is_addressed() -> None:
    spelt = (
        "https://github.com/Acme/API.git",
        "git@github.com:acme/api",
        "ssh://git@github.com/acme/api/",
    )
    assert len({find_source(address, {}).project_id for address in spelt}) == 1
    assert find_source("https://github.com/acme/api2", {}).project_id != find_source(spelt[0], {}).project_id
    names, _ = find_sources(
        ["github:acme"], environ={}, organisation=lambda name: [*spelt, f"https://x.org/{name}/y"]
    )
    assert [source.name for source in names] == ["acme/api", "acme/y"]


@pytest.mark.parametrize(
    "address", ["https://me:pw@x.org/a/b", "https://token@x.org/a/b", "ssh://me:pw@x.org/a"]
)
def test_an_address_with_a_password_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="password"):
        find_source(address, {})


def test_an_engine_with_a_password_is_refused(team: Team) -> None:
    said = command.traj(team.root, "gather", ".", "--into", "postgresql://me:pw@h/db")
    assert said.returncode == 2
    assert "pw" not in said.stderr


def test_listing_an_organisation() -> None:
    from gittraj.gather.remotes import list_organisation

    class Listed:
        def __init__(self, name: str, *, archived: bool) -> None:
            self.clone_url, self.archived = f"https://github.com/acme/{name}.git", archived

    class Fake:
        def get_organization(self, name: str) -> Fake:
            assert name == "acme"
            return self

        def get_repos(self) -> Iterator[Listed]:
            yield from (Listed("api", archived=False), Listed("old", archived=True))

    assert list(list_organisation("acme", {}, api=Fake())) == ["https://github.com/acme/api.git"]  # type: ignore[arg-type]
