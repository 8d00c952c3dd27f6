"""The diagram in ``gittraj/__init__.py`` is true: imports go down only, and heavy ones are lazy.

A *room* is a package or a module in the root folder, a *floor* a layer of them.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import gittraj
from gittraj.index.records import _RENDERERS
from tests.floors import FLOORS, picture

PACKAGE = Path(gittraj.__file__).parent
ONLY = {  # where a library may be imported
    "pygit2": ("git/",),
    "github": ("github_action/", "tasks/github.py", "gather/remotes.py"),
    "duckdb": ("gather/",),
    "psycopg": ("gather/",),
    "pyarrow": ("gather/",),
    "fsspec": ("gather/",),
    "yaml": ("config/",),
    "cryptography": ("seal/",),
    "click": ("cli/",),
    "markdown_it": ("events/prose/markdown.py",),
}
ENVIRON = {  # what may read the environment, and which one it reads
    "config/": "what a user set",
    "cli/": "the process that a user started",
    "api.py": "the process that a user wrote",
    "worker/__main__.py": "the process that a hook started",
    "asking/__main__.py": "the process that an agent waits for",
    "precommit/__main__.py": "the process that a hook waits for",
    "git/process.py": "git must not get the variables that hooks export",
}


def sources() -> Iterator[tuple[str, Path]]:
    """Yield every module by its path in the package; the Action's are next to the package."""
    for root, prefix in ((PACKAGE, ""), (PACKAGE.parent / "github_action", "github_action/")):
        for path in sorted(root.rglob("*.py")):
            yield prefix + path.relative_to(root).as_posix(), path


SOURCES = dict(sources())


@cache
def nodes(name: str) -> list[ast.AST]:
    """Return the syntax tree of a module; parsed only when a test needs it, not during collection."""
    return [*ast.walk(ast.parse(SOURCES[name].read_bytes()))]


def imported(name: str) -> Iterator[str]:
    """Yield the full names that a module imports anywhere, with relative ones resolved."""
    package = ["gittraj", *name.split("/")[:-1]]
    for node in nodes(name):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def room(name: str) -> str:
    return name.partition("/")[0].removesuffix(".py")


def floor(of: str) -> int:
    """Return the number of a room's floor, counted from the top."""
    numbers = [number for number, rooms in enumerate(FLOORS) if of in rooms]
    assert numbers, f"{of} is on no floor: add it to tests/floors.py"
    return numbers[0]


def upward(name: str) -> Iterator[str]:
    """Yield the names that a module imports from a floor that is not below its own."""
    here = room(name)
    for target in imported(name):
        package, _, rest = target.partition(".")
        there = "github_action" if package == "github_action" else rest.split(".")[0]
        inside = package in ("gittraj", "github_action") and there not in ("", "__version__", here)
        if inside and floor(there) <= floor(here):
            yield f"{name} imports {target}"


def test_imports_go_down() -> None:
    assert [
        bad for name in SOURCES if name not in ("__init__.py", "__main__.py") for bad in upward(name)
    ] == []


def test_every_room_is_in_the_diagram() -> None:
    assert {room(name) for name in SOURCES} - {"__init__", "__main__"} == {
        r for rooms in FLOORS for r in rooms
    }


def test_only_seven_files_are_in_the_root_folder() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == {
        *("__init__", "__main__", "api", "errors", "frozen", "limits", "startup"),
    }


@pytest.mark.parametrize("document", ["gittraj/__init__.py", "CONTRIBUTING.md"])
def test_the_diagram_is_the_same_everywhere(document: str) -> None:
    text = (PACKAGE.parent / document).read_text("utf-8")
    lines = "\n".join(line.strip() for line in text.splitlines())
    assert picture() in lines, f"{document} is out of date: python -m tests.floors prints the picture"


@pytest.mark.parametrize("library", ONLY)
def test_a_library_is_imported_in_one_module_only(library: str) -> None:
    users = {name for name in SOURCES if any(t.split(".")[0] == library for t in imported(name))}
    assert {name for name in users if not name.startswith(ONLY[library])} == set()


def calls(name: str, function: str) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
        for node in nodes(name)
    )


def test_only_the_command_line_prints() -> None:
    assert [
        name for name in SOURCES if calls(name, "print") and not name.startswith(("cli/", "github_"))
    ] == []


REF_WRITERS = {
    "move_ref": {"notes/store.py", "notes/recovery.py", "sync/join.py", "sync/purge_merge.py"},
    "set_ref": {"sync/transfer.py", "commands/doctor/leftovers.py"},
    "delete_ref": {"commands/install/uninstall.py", "sync/transfer.py", "sync/traces.py"},
    "expire_reflog": {"notes/store.py", "sync/traces.py"},
}
"""The callers of each function of ``notes/refs``: ``gittraj.notes`` gives the reasons."""


def test_one_file_moves_refs() -> None:
    """Neither git's commands for it nor the object database's ``swap_ref`` are used anywhere else."""

    def moves(name: str) -> bool:
        return any(
            (isinstance(node, ast.Constant) and node.value in ("update-ref", "--expire=all"))
            or (
                isinstance(node, ast.Attribute)
                and node.attr in ("swap_ref", "create_note", "create_reference")
            )
            for node in nodes(name)
        )

    assert {name for name in SOURCES if moves(name) and not name.startswith("git/")} == {"notes/refs.py"}


@pytest.mark.parametrize("function", REF_WRITERS)
def test_only_these_move_refs(function: str) -> None:
    users = {name for name in SOURCES if f"gittraj.notes.refs.{function}" in imported(name)}
    assert users == REF_WRITERS[function]


def test_the_ref_writer_is_imported_in_no_other_way() -> None:
    """``imported`` sees names: so no module may import it as a whole, or its names from somewhere else."""
    for name in SOURCES:
        for target in imported(name):
            assert target != "gittraj.notes.refs", name
            if target.rpartition(".")[2] in REF_WRITERS:
                assert target.startswith("gittraj.notes.refs."), name


def test_only_these_read_the_environment() -> None:
    def reads(name: str) -> bool:
        words = {"environ", "environb", "getenv"}
        return any(
            isinstance(node, ast.Attribute)
            and node.attr in words
            and isinstance(node.value, ast.Name)
            and node.value.id == "os"
            for node in nodes(name)
        ) or any(target in {f"os.{word}" for word in words} for target in imported(name))

    users = {name for name in SOURCES if reads(name)}
    assert {n for n in users if not n.startswith((*ENVIRON, "github_action/"))} == set()


@pytest.mark.parametrize("module", ["gittraj.cli", "gittraj.worker.__main__"])
def test_a_fresh_interpreter_imports_only_what_it_uses(module: str) -> None:
    """Every import delays a hook and ``--help``."""
    heavy = [
        "pygit2",
        "github",
        "yaml",
        "cryptography",
        "click",
        "sqlite3",
        "subprocess",
        "asyncio",
        "requests",
    ]
    code = f"import {module}, sys; print(*[m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


def test_the_workers_entry_imports_only_the_standard_library() -> None:
    code = "import gittraj.worker.__main__, sys; print(*[m for m in sys.modules if m.startswith('gittraj.')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["gittraj.worker", "gittraj.worker.__main__"]


def test_the_code_that_gathers_repositories_is_imported_only_by_its_commands() -> None:
    users = {n for n in SOURCES if any(i.startswith("gittraj.gather") for i in imported(n))}
    assert {name for name in users if not name.startswith("gather/")} == {
        "cli/gather.py",
        "cli/common/team.py",
    }


SHAPE_NOTHING = {"errors.py", "frozen.py", "git/encoding.py", "model/header.py", "startup.py"} | {
    "notes/run_keys.py",  # which notes are for runs; the keys never change
    "query/notes.py",  # reads the notes; what the index takes from it is in its tables
}
"""Files that the text of a listing does not depend on, although the code that makes it imports them."""


def modules(name: str) -> Iterator[str]:
    """Yield the files of the package that a module imports."""
    for target in imported(name):
        parts = target.split(".")[1:]
        paths = ("/".join(parts[:end]) for end in (len(parts), len(parts) - 1))
        yield from [
            file for path in paths for file in (f"{path}.py", f"{path}/__init__.py") if file in SOURCES
        ][:1]


def test_the_index_knows_all_files_that_shape_its_text() -> None:
    """Its text is dropped when one of these files changes: with a missing one, old text would be shown."""
    shaping: set[str] = set()
    queue = ["render/text/log.py", "render/text/terminal.py", "query/records.py"]
    while queue:
        shaping.add(name := queue.pop())
        queue += {*modules(name)} - shaping
    assert {*_RENDERERS} == shaping - SHAPE_NOTHING
