"""Changing paths of a tree, compared with a dictionary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hypothesis import example, given
from hypothesis import strategies as st

from gittraj.git import BLOB, TREE, Entry, Objects
from gittraj.git.encoding import object_id
from gittraj.notes.tree import TreePath, changed_notes, iter_notes, note_paths, update_paths


class MemoryObjects(Objects):
    """An object database in a dictionary; ``read_ids`` are the objects that were read."""

    def __init__(self) -> None:
        super().__init__(object_format="sha1", identity=lambda: "N <e> 0 +0000")
        self.stored: dict[str, tuple[str, bytes]] = {}
        self.read_ids: list[str] = []

    def resolve(self, ref: str) -> str | None:
        raise NotImplementedError

    def kind(self, oid: str) -> str | None:
        return self.stored[oid][0]

    def fits(self, oid: str, limit: int) -> bool:
        return True

    def read(self, oid: str, limit: int = 0) -> tuple[str, bytes] | None:
        self.read_ids.append(oid)
        return self.stored.get(oid)

    def write(self, kind: str, data: bytes) -> str:
        oid = object_id(kind, data, "sha1")
        self.stored[oid] = (kind, data)
        return oid

    def swap_ref(self, ref: str, *, new: str, old: str | None, message: str) -> bool:
        raise NotImplementedError

    def close(self) -> None:
        pass


def flatten(objects: Objects, root: str, above: TreePath = ()) -> Iterator[tuple[TreePath, str]]:
    for entry in objects.read_tree(root):
        path = (*above, entry.name)
        if entry.is_tree:
            inside = list(flatten(objects, entry.oid, path))
            assert inside, "an empty folder was left"
            yield from inside
        else:
            yield path, entry.oid


# names of two lengths: a name is either always a folder or always a file, so that the dictionary is a tree
PATHS = st.tuples(st.lists(st.sampled_from([b"a", b"b"]), max_size=3), st.sampled_from([b"f.1", b"f.2"])).map(
    lambda parts: (*parts[0], parts[1])
)
BLOBS = st.integers(0, 3).map(lambda n: f"{n:040x}")
CHANGES = st.lists(st.dictionaries(PATHS, st.none() | BLOBS, max_size=6), max_size=6)


@example([{(b"a", b"f.1"): "0" * 40}, {(b"a", b"f.1"): None}])  # a folder that becomes empty
@given(CHANGES)
def test_update_paths_equals_updating_a_dictionary(batches: list[dict[TreePath, str | None]]) -> None:
    objects = MemoryObjects()
    root: str | None = None
    model: dict[TreePath, str] = {}
    for changes in batches:
        root = update_paths(objects, root, changes)
        for path, blob in changes.items():
            if blob is None:
                model.pop(path, None)
            else:
                model[path] = blob
        assert dict(flatten(objects, root)) == model
    if root is not None:
        assert (
            update_paths(objects, None, dict(model)) == root
        )  # the tree depends on the content, not on the order of changes


def test_untouched_folders_are_not_read() -> None:
    objects = MemoryObjects()
    blob = objects.write_blob(b"x")
    root = update_paths(objects, None, {(b"a", b"1"): blob, (b"b", b"1"): blob, (b"b", b"c", b"1"): blob})
    fresh = MemoryObjects()
    fresh.stored = dict(objects.stored)
    update_paths(fresh, root, {(b"a", b"2"): blob})
    assert len(fresh.read_ids) == 2  # the root and a/


def test_modes_of_other_entries_stay_and_a_folder_replaces_a_file() -> None:
    objects = MemoryObjects()
    blob = objects.write_blob(b"x")
    root = objects.write_tree([Entry(0o100755, b"tool", blob), Entry(BLOB, b"ab", blob)])
    removed = update_paths(objects, root, {(b"ab", b"nothing"): None})
    assert removed == root
    changed = objects.read_tree(update_paths(objects, root, {(b"ab", b"n"): blob}))
    assert [(entry.mode, entry.name) for entry in changed] == [(TREE, b"ab"), (0o100755, b"tool")]


COMMITS = st.integers(0, 5).map(lambda n: f"{n % 2:02x}{n % 3:02x}{n:036x}")


def cut(commit: str, depth: int) -> TreePath:
    ends = [0, 2, 4, 6][: depth + 1]
    return tuple(commit[a:b].encode() for a, b in zip(ends, [*ends[1:], None], strict=True))


NOTE_PATHS = st.builds(cut, COMMITS, st.integers(0, 3))
NOTES = st.dictionaries(NOTE_PATHS, BLOBS)


def commit_of(path: TreePath) -> str:
    return b"".join(path).decode()


@given(NOTES)
def test_notes_are_found_at_every_depth(notes: dict[TreePath, str]) -> None:
    objects = MemoryObjects()
    root = update_paths(objects, None, dict(notes))
    assert sorted(iter_notes(objects, root)) == sorted(
        (commit_of(path), blob) for path, blob in notes.items()
    )
    for commit in map(commit_of, notes):
        expected = sorted(
            ((p, b) for p, b in notes.items() if commit_of(p) == commit), key=lambda n: len(n[0])
        )
        assert note_paths(objects, root, commit) == expected
        assert [blob for c, blob in iter_notes(objects, root) if c == commit] == [
            blob for _, blob in expected
        ]


@given(NOTES, NOTES)
def test_changed_notes_are_those_whose_blobs_differ(
    old: dict[TreePath, str], new: dict[TreePath, str]
) -> None:
    objects = MemoryObjects()
    roots = [update_paths(objects, None, dict(notes)) for notes in (old, new)]
    before, after = (Counter((commit_of(path), blob) for path, blob in notes.items()) for notes in (old, new))
    differing = (before - after) + (after - before)
    assert changed_notes(objects, *roots) == sorted({commit for commit, _ in differing})
