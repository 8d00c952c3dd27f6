"""Finding Gemini CLI's logs, and which project and session they belong to."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from gittraj.agents import SessionFile, all_agents
from gittraj.agents.gemini import Gemini
from gittraj.config import Environ

ID = "a2c9c27d-2f5d-4a38-b64a-1c85f1e5ccfc"
STEM = "session-2026-11-20T15-18-a2c9c27d"
ROOT = Path("/home/ann/tree")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / ".gemini"


@pytest.fixture
def environ(place: Path) -> Environ:
    return Environ(home=place.parent)


def log(place: Path, project: str, name: str = f"{STEM}.jsonl", *, session: str = ID, more: str = "") -> Path:
    path = place / "tmp" / project / "chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"sessionId": session, "projectHash": "h"}) + "\n" + more)
    return path


def marked(place: Path, project: str, folder: Path) -> None:
    (place / "tmp" / project).mkdir(parents=True, exist_ok=True)
    (place / "tmp" / project / ".project_root").write_text(str(folder))


def near(environ: Environ, *, since: float = 0) -> list[SessionFile]:
    return list(Gemini().sessions(environ, [ROOT], since=since))


def test_gemini_cli_is_one_of_the_agents() -> None:
    assert all_agents()["gemini-cli"].name == "gemini-cli"


def test_commands_of_gemini_cli_do_not_know_their_session() -> None:
    assert Gemini().current(Environ.of({"HOME": "/h", "GEMINI_CLI": "1"})) is None


@pytest.mark.parametrize("folder", [ROOT, ROOT / "below", ROOT.parent])
def test_a_session_is_found_by_its_projects_root_file(environ: Environ, place: Path, folder: Path) -> None:
    path = log(place, "tree")
    marked(place, "tree", folder)
    log(place, "other", session="elsewhere")
    marked(place, "other", Path("/home/ann/another"))
    log(place, "unmarked", session="unknown")
    assert near(environ) == [SessionFile(agent="gemini-cli", session=ID, path=path)]


def test_a_session_is_found_by_its_projects_registered_name(environ: Environ, place: Path) -> None:
    path = log(place, "tree")
    (place / "projects.json").write_text(json.dumps({"projects": {str(ROOT): "tree", "/home/ann/x": 7}}))
    assert [file.path for file in near(environ)] == [path]


@pytest.mark.parametrize("folder", [ROOT, ROOT.parent])
def test_a_session_is_found_by_the_hash_of_its_folder(environ: Environ, place: Path, folder: Path) -> None:
    path = log(place, hashlib.sha256(str(folder).encode()).hexdigest(), f"{STEM}.json")
    assert [file.path for file in near(environ)] == [path]


def test_a_log_that_did_not_change_since_is_left_out(environ: Environ, place: Path) -> None:
    path = log(place, "tree")
    marked(place, "tree", ROOT)
    os.utime(path, (1000, 1000))
    assert near(environ, since=999)
    assert not near(environ, since=1001)


def test_a_resumed_session_has_one_log(environ: Environ, place: Path) -> None:
    path = log(place, "tree", more="{}\n" * 9)
    log(place, "tree", "session-2026-11-20T16-40-a2c9c27d.jsonl")
    log(place, "tree", f"{STEM}.json", more="{}\n" * 20)
    log(place, "tree", f"{STEM}.jsonl.unreadable-1", more="{}\n" * 30)
    log(place, hashlib.sha256(str(ROOT).encode()).hexdigest(), more="{}\n" * 5)
    marked(place, "tree", ROOT)
    assert [file.path for file in near(environ)] == [path]
    assert Gemini().find(environ, ID) == path


def test_a_session_is_found_by_its_id(environ: Environ, place: Path) -> None:
    path = log(place, "anywhere", f"{STEM}.json")
    assert Gemini().find(environ, ID) == path
    assert Gemini().find(environ, ID[:-1] + "0") is None
    assert Gemini().find(environ, "../" + ID) is None
    assert Gemini().find(Environ(home=None), ID) is None
    assert not list(Gemini().sessions(Environ(home=None), [ROOT], since=0))


def test_an_id_at_the_end_of_a_document_is_found(environ: Environ, place: Path) -> None:
    path = log(place, "tree", f"{STEM}.json")
    path.write_text(json.dumps({"messages": ["x" * 100_000], "sessionId": ID}, indent=2))
    assert Gemini().find(environ, ID) == path


def test_subagents_are_found_in_the_folder_named_after_their_session(environ: Environ, place: Path) -> None:
    path = log(place, "tree")
    helper = log(place, "tree", f"{ID}/helper-1.jsonl", session="helper-1")
    (file,) = Gemini().subagents(SessionFile(agent="gemini-cli", session=ID, path=path))
    assert file == SessionFile(agent="gemini-cli", session=ID, path=helper, subagent="helper-1")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"projects": []}', '{"projects": {"/a": {}}}'])
def test_a_damaged_register_of_projects_is_ignored(environ: Environ, place: Path, text: str) -> None:
    log(place, "tree")
    (place / "projects.json").write_text(text)
    (place / "tmp" / "a-file").write_text("")
    assert near(environ) == []
