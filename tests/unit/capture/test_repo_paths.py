"""Whether a call worked here or in another repository, as far as its paths show."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.capture.repo_paths import RepoPaths
from gittraj.git import Repository, Worktree
from gittraj.model.session_items import Edit, Entry
from gittraj.model.values import ToolCall
from tests.conftest import SHARING
from tests.sizes import some


class Trees(Repository):
    """A repository reduced to what ``RepoPaths`` uses: its working trees."""

    def __init__(self, *paths: Path) -> None:
        object.__setattr__(self, "paths", paths)

    def worktrees(self) -> tuple[Worktree, ...]:
        paths: tuple[Path, ...] = self.__dict__["paths"]
        return tuple(Worktree(p / ".git", p, present=True) for p in paths)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Create ``/here`` with a worktree inside, ``/git/private`` next to it, a clone in ``/here/vendor``."""
    for name in ("here", "here/.claude/worktrees/w", "git/private", "here/vendor/lib"):
        (tmp_path / name / ".git").mkdir(parents=True)
    for name in ("here/src", "git/private/src", "home/notes"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "here/link").symlink_to(tmp_path / "git/private")
    (tmp_path / "alias").symlink_to(tmp_path / "here")
    return tmp_path


@pytest.fixture
def repo_paths(root: Path) -> RepoPaths:
    trees = Trees(root / "here", root / "here/.claude/worktrees/w")
    return RepoPaths(trees, home=root / "home")


def entry(command: str = "", *, folder: Path | None = None, paths: tuple[str, ...] = ()) -> Entry:
    event = ToolCall(id="e", name="sh")
    return Entry(event=event, end=0, command=command, folder=str(folder) if folder else None, paths=paths)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cat src/a", "src/a"),
        ("cat own.pem", "own.pem"),
        ("cat own*", "own.pem"),
        ("cat *.pem", "*.pem"),
        ("cat gone.pem && rm gone.pem", "gone.pem"),
        ("cd src && cat b", "src"),
        ("cd src && cat b", "src/b"),
        ("cd src; cat ../own.pem", "own.pem"),
        ("cd / && cd {0}/here/src && cat b", "src/b"),
        ("git -C src show HEAD:b", "src/b"),
        ("git show HEAD:src/b", "src/b"),
        ("cat src/* ./own.pem", "src/*"),
        ("git commit -qm x; cat > a <<'X'\ncat own.pem\nX\nsh a", "own.pem"),
        ("python3 - <<'X' && git commit -qm x\nopen('own.pem')\nX", "own.pem"),
        ("grep -rn needle src", "src"),
        ("grep -fown.pem a", "own.pem"),
        ("curl -d@own.pem x", "own.pem"),
        ("curl --data=@own.pem x", "own.pem"),
        ("python3 -c \"print(open('own.pem').read())\"", "own.pem"),
        ("git commit -m 'a b' && cat own.pem", "own.pem"),
        ("git commit -m x own.pem", "own.pem"),
        ("sort -m own.pem", "own.pem"),
        ('git commit -m "$(cat own.pem)"', "own.pem"),
        ('git commit -m "a `cat own.pem`"', "own.pem"),
        ("git log -p -m own.pem", "own.pem"),
        ("sh <<'X'\ncat own.pem\nX", "own.pem"),
        ("cat <<X | sh\ncat own.pem\nX", "own.pem"),
        ("cat > a <<'X'\nwords\nX\ncat own.pem", "own.pem"),
        ("cat a; echo $((1 << n))\ncat own.pem", "own.pem"),
    ],
)
def test_files_named_in_a_command_are_found(
    root: Path, repo_paths: RepoPaths, command: str, path: str
) -> None:
    (root / "here/own.pem").touch()
    assert path in {*repo_paths.touched(entry(command.replace("{0}", str(root)), folder=root / "here"))}


@pytest.mark.parametrize(
    ("folder", "most"), [("/usr/*", 0), ("{0}/git/private/*/*", 0), ("{0}/here/*/*", 10_000)]
)
def test_patterns_list_few_folders_and_none_that_lead_elsewhere(
    root: Path, repo_paths: RepoPaths, monkeypatch: pytest.MonkeyPatch, folder: str, most: int
) -> None:
    for repository in ("here", "git/private"):
        for number in range(100):
            (root / repository / f"src/{number}").mkdir()
    listed: list[object] = []
    scan = os.scandir

    def list_folder(path: Path) -> object:
        listed.append(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", list_folder)
    words = " ".join(f"{folder.replace('{0}', str(root))}/z{number}*" for number in range(200))
    assert "cat" in {*repo_paths.touched(entry(f"cat {words}", folder=root / "here"))}
    assert len(listed) <= most


@pytest.mark.parametrize(
    "command",
    [
        "git add -A && git commit -m 'fix the src bug in own.pem'",
        'git commit -qam "say \\"src\\" of own.pem" -m "and src/a"',
        "git commit --message='src' --message src",
        "git commit -msrc",
        "git commit -m \"$(cat <<'EOF'\nmend src\n\nown.pem and src/a\nEOF\n)\"",
        "git commit -F - <<EOF\nmend src\nEOF",
        "cat ../git/private/src",
    ],
)
def test_file_names_in_a_commit_message_are_ignored(root: Path, repo_paths: RepoPaths, command: str) -> None:
    (root / "here/own.pem").touch()
    assert not {"src", "src/a", "own.pem"} & {*repo_paths.touched(entry(command, folder=root / "here"))}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("ls", "here", id="the call's folder"),
        pytest.param("cat src/a", "here", id="a relative path"),
        pytest.param("cat {0}/here/src/a", "here", id="an absolute path"),
        pytest.param("cd /usr/include && ls", "here", id="a folder of no repository"),
        pytest.param("cat {0}/git/private/a", "elsewhere", id="another repository's file"),
        pytest.param("cp {0}/git/private/a {0}/here/a", "elsewhere", id="both"),
        pytest.param("cd ../git/private && ls", "elsewhere", id="cd"),
        pytest.param("cd '{0}/git/private' && ls", "elsewhere", id="cd, quoted"),
        pytest.param(
            "cd {0}/git && cd private && ls", "elsewhere", id="cd after cd, below a folder named git"
        ),
        pytest.param("set -e\n\n  cd ../git/private\nls", "elsewhere", id="cd on a later line"),
        pytest.param("git -C ../git/private log", "elsewhere", id="git -C"),
        pytest.param("git -C src log && cd ../git/private", "elsewhere", id="git -C does not stay"),
        pytest.param("cat link/a; cd link", "elsewhere", id="a link to another repository"),
        pytest.param("cd vendor/lib && make", "elsewhere", id="a clone inside"),
        pytest.param("cd .claude/worktrees/w && make", "here", id="a worktree inside"),
        pytest.param("cd ~/notes && ls", "here", id="home is no repository"),
        pytest.param("cd ~ && cd ../git/private", "elsewhere", id="from home"),
        pytest.param("cat {0}/alias/src/a", "here", id="a link to this repository"),
        pytest.param(
            "{0}/git/private/.venv/bin/python -m pytest", "here", id="a program of another repository"
        ),
        pytest.param("cd src && A=b env '../../git/private/.venv/bin/x' a", "here", id="a program, relative"),
        pytest.param("sh -c '{0}/git/private/node_modules/.bin/tsc'", "here", id="a program in a shell"),
        pytest.param("{0}/git/private/.venv/bin/python {0}/git/private/a", "elsewhere", id="its argument"),
        pytest.param("cat {0}/git/private/.venv/a", "elsewhere", id="a file beside a program"),
        pytest.param("{0}/git/private/bin/dump", "elsewhere", id="another repository's own script"),
        pytest.param(
            "cd ../git/private && {0}/here/.venv/bin/python a", "elsewhere", id="a program of this repository"
        ),
        pytest.param("curl https://x.org{0}/git/private/a", "here", id="an address"),
    ],
)
def test_a_command_is_placed_by_its_paths_and_folder_changes(
    root: Path, repo_paths: RepoPaths, command: str, expected: str
) -> None:
    assert repo_paths.place(entry(command.replace("{0}", str(root)), folder=root / "here")) == expected


def test_named_paths_count_more_than_the_folder(root: Path, repo_paths: RepoPaths) -> None:
    away = str(root / "git/private/a")
    assert repo_paths.place(entry(folder=root / "here", paths=(away,))) == "elsewhere"
    assert repo_paths.place(entry(folder=root / "git/private", paths=("../../here/src/a",))) == "here"
    assert repo_paths.place(entry(folder=root / "git/private")) == "elsewhere"
    assert repo_paths.place(entry(folder=root)) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("{0}/here/src/a", "src/a"),
        ("src/../b c", "b c"),
        ("{0}/alias/src/new/a", "src/new/a"),
        ("{0}/here/.claude/worktrees/w/src/a", "src/a"),
        ("{0}/git/private/a", None),
        ("{0}/here", None),
        ("../outside", None),
        ("~/notes/a", None),
        (".git/COMMIT_MESSAGE", None),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
    ],
)
def test_an_edits_path_is_made_relative_as_git_writes_it(
    root: Path, repo_paths: RepoPaths, path: str, expected: str | None
) -> None:
    edit = Edit(path=path.replace("{0}", str(root)))
    assert repo_paths.relative(entry(folder=root / "here"), edit) == expected


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("/" + "A" * 5_000, id="longer than a name can be"),
        pytest.param("/a" * 10_000, id="deeper than a path can be"),
        pytest.param("/a\0b", id="a NUL"),
        pytest.param("/\ud800", id="half a surrogate pair"),
    ],
)
def test_an_impossible_path_raises_nothing(root: Path, repo_paths: RepoPaths, name: str) -> None:
    """A command that contains base64 must not stop the reading of its session."""
    command = f"cat {name}; cd {name}; git -C {name} log"
    assert repo_paths.place(entry(command, folder=root / "here", paths=(name,))) == "here"
    assert repo_paths.relative(entry(folder=root / "here"), Edit(path=name)) is None
    inside = Edit(path=str(root / "here") + name)
    repo_paths.relative(entry(), inside)
    [*repo_paths.touched(entry(f"{command} {name[1:]}/b {name[1:300]}", folder=root / "here"))]


def test_a_folder_without_read_permission_is_ignored(
    root: Path, repo_paths: RepoPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[..., object] = os.stat

    def refuse(path: str, **how: bool) -> object:
        if "locked" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **how)

    monkeypatch.setattr(os, "stat", refuse)
    assert repo_paths.place(entry("cat /locked/secret", folder=root / "here")) == "here"


@SHARING
@given(st.text(max_size=40))
def test_no_command_raises(repo_paths: RepoPaths, root: Path, command: str) -> None:
    for given_ in (command, f"cd {command}", f"git -C '{command}'"):
        call = entry(given_, folder=root / "here", paths=(command,))
        assert repo_paths.place(call) in ("here", "elsewhere")
        [*repo_paths.touched(call)]


UNITS = [
    *("\n", "cd ", ";cd '", 'cd "', "git -C ", "/a", "/a ", "; ", "\ncd a", "("),
    *(
        "git '",
        'git "\\',
        "git -m",
        "git commit -m '",
        "git commit <<a\n",
        "git commit << ",
        "* ",
        "a*/",
        "-a",
        "git ",
    ),
]


@pytest.mark.parametrize("unit", some(UNITS, 7))
def test_a_hostile_command_is_read_quickly(root: Path, repo_paths: RepoPaths, unit: str) -> None:
    command = unit * (100_000 // len(unit))
    start = time.process_time()
    repo_paths.place(entry(command, folder=root / "here"))
    [*repo_paths.touched(entry(command, folder=root / "here"))]
    assert time.process_time() - start < 10.0
