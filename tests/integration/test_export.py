"""``git traj export``: documents, and a site that needs no server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gittraj.cli.common.group import call
from gittraj.commands.export import FOLDERS, FORMATS, load
from gittraj.model.values import (
    AnyEvent,
    Decision,
    FileTouched,
    Message,
    Prompt,
    SegmentRef,
    SessionInfo,
    Summary,
    Thinking,
    ToolCall,
    ToolResult,
)
from tests.integration.repository import Git
from tests.integration.story import Story, record
from tests.unit.render.html.parsed import Element, parse

FIRST: list[AnyEvent] = [
    Prompt(id="p1", content="Greet people", ts="2026-01-01T10:00:00.000Z"),
    Thinking(id="t1", content="A table would be too much."),
    Message(id="m1", content="I write a `hello`."),
    ToolCall(id="c1", name="Write", call_id="w1", files=(FileTouched(path="hello.py", kind="add"),)),
    ToolResult(id="r1", call_id="w1", content="written"),
]
SECOND: list[AnyEvent] = [
    Prompt(id="p2", content="And the <b>farewell</b>?", ts="2026-01-02T10:02:00.000Z"),
    ToolCall(id="c2", name="Bash", arguments={"command": "git mv hello.py 'ü b.py'"}, call_id="g2"),
]


@dataclass(frozen=True, slots=True)
class Scene:
    first: str
    second: str
    by_hand: str
    story: Story
    folder: Path


@pytest.fixture
def scene(git: Git, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """A session of two commits, the second renaming the first one's file; then a commit by hand."""
    monkeypatch.chdir(git.root)
    first = git.commit({"hello.py": "hello\n" * 9}, "Hello <script>")
    git("mv", "hello.py", "ü b.py")
    second = git.commit({}, "Bye")
    by_hand = git.commit({"other.py": "2\n"}, "By hand")
    with git.open() as repository:
        story = Story(repository)
        whole = SessionInfo(title="Greetings", agent="claude-code", session="s1")
        one, two = story.segment("traj_one", 0, FIRST), story.segment("traj_one", 5, SECOND)
        decided = Decision(chosen="a function", alternatives=("a table",), by="agent", confidence=0.8)
        said = Summary(text="People are greeted now.", by="agent")
        part = record(n=5, whole=whole, segments=[one], summary=said, decisions=(decided,), thinking="clear")
        story.note(first, part)
        story.note(second, record(at=5, n=2, whole=whole, segments=[two], prompt="And the <b>farewell</b>?"))
        yield Scene(first, second, by_hand, story, git.root)


def export(capsys: pytest.CaptureFixture[str], *args: str, said: str = "") -> str:
    assert call(["export", *args]) == 0
    out, err = capsys.readouterr()
    assert err == said
    return out


def test_each_format_contains_the_session(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    for form in FORMATS:
        text = export(capsys, "--format", form, "--all" if form != "html" else "traj_one")
        assert "Greet people" in text
        assert "table would be too much" not in text or form == "json"
    both = json.loads(export(capsys, "--format", "json", "HEAD~2..", "traj_one", scene.first))
    assert [commit["commit"] for commit in both["commits"]] == [scene.second, scene.first]
    assert both["commits"][1]["files"] == ["hello.py"]
    for commit in both["commits"]:
        call(["show", "--json", commit["commit"]])
        assert json.loads(capsys.readouterr().out)["trajectories"] == commit["trajectories"]
    assert [each["part"]["of"] for each in both["trajectories"]] == [2]
    assert export(capsys, "--format", "markdown", scene.second, "-o", "page.md") == ""
    assert (scene.folder / "page.md").read_text("utf-8").startswith("# Bye\n")


def test_the_default_format_is_that_of_the_file_name_or_markdown(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(capsys, scene.second).startswith("# Bye\n")
    for name, start in (("a.html", "<!DOCTYPE html>"), ("a.json", '{"version": 1'), ("a.md", "# Bye\n")):
        assert export(capsys, scene.second, "-o", name) == ""
        assert (scene.folder / name).read_text("utf-8").lower().startswith(start.lower())
    assert export(capsys, scene.second, "-o", "site") == ""
    assert (scene.folder / "site" / "index.html").is_file()


def test_exports_without_results_and_invalid_arguments(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["export", "--format", "html"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("no matching commits (records of 2 commits are here)")
    for args, said in (
        (["--format", "html", "--seal", "x"], "error: choose --format or --seal\n"),
        (["--format", "html", "--all", "HEAD"], "error: --all cannot be combined with names\n"),
        (
            ["--format", "html", "nowhere"],
            "error: 'nowhere' is not a revision, trajectory, task or run here\n",
        ),
        (
            ["--format", "html", "nowhere..HEAD"],
            "error: 'nowhere..HEAD' is not a revision of this repository\n",
        ),
    ):
        assert call(["export", *args]) in (1, 2)
        assert capsys.readouterr().err.startswith(said)


def test_missing_events_are_reported(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    lost = SegmentRef(name="000000-0badc0de", month="2019-12", bytes=1, sha256="0" * 64)
    scene.story.note(scene.by_hand, record("traj_two", segments=[lost], prompt="Still here"))
    assert call(["export", "--format", "html", "--no-fetch"]) == 0
    out, err = capsys.readouterr()
    assert "Still here" in out
    assert err.startswith("events are left out: refs/notes/traj-data-2019-12:s/")
    assert "without --no-fetch" in err


def pages(folder: Path) -> dict[str, Element]:
    return {str(path.relative_to(folder)): parse(path.read_text("utf-8")) for path in folder.rglob("*.html")}


def test_a_site(scene: Scene, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert export(capsys, "--format", "html", "-o", str(site)) == ""
    found = pages(site)
    commits = [f"commit/{scene.first}.html", f"commit/{scene.second}.html"]
    files = sorted(name for name in found if name.startswith("file/"))
    assert found.keys() == {
        *("index.html", "trajectories.html", "files.html", "trajectory/traj_one.html", *commits, *files)
    }
    assert [found[name].one("h1").text for name in files] == ["ü b.py", "hello.py"]
    rows = found["index.html"].all("ol", "rows")[-1].all("li")
    assert [row.one("a").text for row in rows] == ["Bye", "Hello <script>"]
    assert "80% sure" not in rows[0].text
    assert "1 decision" in rows[1].text
    for name, page in found.items():
        _check_links(site, name, page, found)
        assert "too much" not in page.text
    _check_search(site, scene)

    page = found["trajectory/traj_one.html"]
    timeline = page.one("section", "timeline")
    assert [h.text for h in timeline.all("h3")] == ["Hello <script>", "Bye"]
    assert [row.text for row in timeline.all("li")] == [
        *("2026-01-01", "10:00:00askedGreet people", "saidI write a hello.", "Writehello.py"),
        *("2026-01-02", "10:02:00askedAnd the <b>farewell</b>?", "Bashgit mv hello.py 'ü b.py'"),
    ]


def _check_links(site: Path, name: str, page: Element, found: dict[str, Element]) -> None:
    """Check that each link leads to a page or an element of the site, or to one of its two files."""
    for each in page.all():
        for key in ("href", "src"):
            link = each.attributes.get(key)
            if link is None:
                continue
            path, _, target = link.partition("#")
            assert re.fullmatch(r"(?:\.\./)?[\w./-]*", path), link
            there = (site / name).parent.joinpath(path).resolve() if path else site / name
            assert there.is_file(), link
            if target:
                ids = {e.attributes.get("id") for e in found[str(there.relative_to(site))].all()}
                assert target in ids, link


def _check_search(site: Path, scene: Scene) -> None:
    data = (site / "data.js").read_text("ascii")
    rows = json.loads(data.removeprefix("window.gitTraj = ").removesuffix(";\n"))
    assert [row[0] for row in rows] == [scene.second, scene.first]
    assert all(word in rows[1][3] for word in ("Greet people", "People are greeted", "a table", "hello.py"))
    assert "too much" not in data


def test_a_second_export_removes_pages_that_are_gone(
    scene: Scene, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    site = tmp_path / "site"
    export(capsys, "--format", "html", "-o", str(site))
    (site / "commit" / "mine.html").write_text("<p>mine")
    (site / "CNAME").write_text("traj.example\n")
    export(capsys, "--format", "html", "-o", str(site), scene.second)
    assert {path.name for path in (site / "commit").iterdir()} == {f"{scene.second}.html", "mine.html"}
    assert len([*(site / "file").iterdir()]) == 1
    assert (site / "CNAME").exists()


def test_a_trajectory_that_was_named_has_a_page_of_its_own(
    scene: Scene, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scene.story.note(scene.by_hand, record("Traj-Two", role="explored", prompt="Look around"))
    site = tmp_path / "site"
    export(capsys, "--format", "html", "-o", str(site), "traj_one", "HEAD")
    found = pages(site)
    assert len(found["trajectory/traj_one.html"].all("li", "event")) == 6
    (other,) = (page for name, page in found.items() if name.startswith("trajectory/traj-two-"))
    assert "Counts for no commit" in other.text
    for name, page in found.items():
        _check_links(site, name, page, found)


@pytest.mark.parametrize("name", [*FORMATS.values(), *FOLDERS.values()])
def test_the_table_names_functions_that_exist(name: str) -> None:
    assert callable(load(name))
