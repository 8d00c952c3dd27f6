"""Finding the former path of a working tree by the paths that a session names."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from gittraj.capture.session import assemble
from gittraj.commands.backfill.log_task import guess_root, named_paths
from gittraj.model.session_items import Edit, Entry
from gittraj.model.values import ToolCall

KNOWN = frozenset(("README", "src/a.py", "src/b/c.py", "doc/a.py"))


def test_the_root_is_the_folder_below_which_most_paths_are_known() -> None:
    named = ["/home/ann/project/src/a.py", "/home/ann/project/README", "/home/ann/notes/src/a.py"]
    assert guess_root("/home/ann/project", named, KNOWN) == Path("/home/ann/project")
    assert guess_root("/home/ann/project/src/b", named, KNOWN) == Path("/home/ann/project")


def test_of_equally_good_folders_the_nearest_is_the_root() -> None:
    assert guess_root("/w/project/src", [], KNOWN) == Path("/w/project/src")
    assert guess_root("/w/src/src", ["/w/src/src/a.py"], frozenset(("a.py", "src/a.py"))) == Path(
        "/w/src/src"
    )


def test_a_path_that_is_named_often_counts_once() -> None:
    named = ["/w/src/a.py"] * 5 + ["/w/tree/README", "/w/tree/doc/a.py"]
    assert guess_root("/w/tree", named, KNOWN) == Path("/w/tree")


def test_the_root_directory_is_never_the_answer() -> None:
    assert guess_root("/src", ["/src/a.py"], KNOWN) == Path("/src")


NAMES = st.text("abcdefgh", min_size=1, max_size=6)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(st.sets(PATHS, min_size=1), st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=2))
def test_the_guessed_folder_explains_all_known_paths(
    known: set[str], above: list[str], below: list[str]
) -> None:
    root = PurePosixPath("/", "home", *above)
    work = root.joinpath(*below)
    found = guess_root(str(work), [str(root / path) for path in sorted(known)], known)
    assert work.is_relative_to(found)

    def explained(folder: PurePosixPath) -> int:
        paths = [root / path for path in known]
        return sum(p.is_relative_to(folder) and str(p.relative_to(folder)) in known for p in paths)

    assert explained(PurePosixPath(found)) >= explained(root) == len(known)


def test_absolute_paths_of_calls_and_edits_are_named() -> None:
    one = Entry(event=ToolCall(id="1", name="sh"), end=0, paths=("/w/a", "b"), folder="/w/sub")
    two = Entry(
        event=ToolCall(id="2", name="edit"),
        end=0,
        edits=(Edit(path="/w/c", kind="add"), Edit(path="d", kind="add")),
    )
    log = assemble([one, two], agent="codex", session="s", trajectory="t")
    assert list(named_paths(log)) == ["/w/a", "/w/sub/b", "/w/c"]
