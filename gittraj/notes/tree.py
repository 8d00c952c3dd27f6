"""Changes paths in a tree, and finds a commit's note in a notes tree.

These functions depend on the object database alone, and must not know of refs, nor of a note's content.

The path of a note is its commit's hex id, split into folders of two characters at any depth (git's
``notes.c``): flat, ``2/38``, ``2/2/36`` … Everything else in the tree belongs to other tools and stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from gittraj.git import BLOB, TREE, Entry, Objects

TreePath = tuple[bytes, ...]
_TRAJECTORIES = 2
"""The number of folders above that of a trajectory, ``s/XX/TRAJECTORY``."""
_HEX = frozenset(b"0123456789abcdef")
_WIDTHS = {"sha1": 40, "sha256": 64}


def update_paths(objects: Objects, root: str | None, changes: Mapping[TreePath, str | None]) -> str:
    """Return the id of ``root`` (None: the empty tree) with each path set to a blob's id, or removed (None).

    Only trees on a changed path are read and written; a folder that becomes empty disappears. A path that
    leads through a file replaces the file.
    """
    return objects.write_tree(_entries_after(objects, root, changes))


def note_paths(objects: Objects, root: str | None, commit: str) -> list[tuple[TreePath, str]]:
    """The path and the blob of the note of ``commit``. If it has a note at several depths, all of these are
    returned, nearest the root first."""
    notes: list[tuple[TreePath, str]] = []
    folders: TreePath = ()
    digits = commit.encode()
    while root is not None:
        entries, root = objects.read_tree(root), None
        for entry in entries:
            if entry.name == digits and _is_file(entry):
                notes.append(((*folders, digits), entry.oid))
            elif entry.name == digits[:2] and entry.is_tree:
                root = entry.oid
        folders, digits = (*folders, digits[:2]), digits[2:]
    return notes


def replace_note(
    objects: Objects,
    root: str | None,
    commit: str,
    blob: str | None,
    *,
    known: Iterable[tuple[TreePath, str]],
) -> dict[TreePath, str | None]:
    """The changes to a notes tree that replace every note of ``commit`` by ``blob`` (None: by no note).
    ``known`` are its ``note_paths``."""
    changes: dict[TreePath, str | None] = {path: None for path, _ in known}
    if blob is not None:
        changes[_path_for_note(objects, root, commit)] = blob
    return changes


def _path_for_note(objects: Objects, root: str | None, commit: str) -> TreePath:
    """The path to which the note of ``commit`` is written: 2/38 (2/62), because git's own fan-out adapts, and
    at about 50,000 notes rewrites tens of thousands of trees at once. It is flat only if another tool's file
    has the name of the folder: that must not be replaced."""
    name = commit.encode()
    entries = objects.read_tree(root) if root else ()
    blocked = any(entry.name == name[:2] and not entry.is_tree for entry in entries)
    return (name,) if blocked else (name[:2], name[2:])


def list_folder(objects: Objects, root: str, path: TreePath) -> tuple[Entry, ...]:
    """The entries of a folder below the tree ``root``; empty if there is no such folder."""
    entries = objects.read_tree(root)
    for name in path:
        folder = next((entry for entry in entries if entry.name == name and entry.is_tree), None)
        if folder is None:
            return ()
        entries = objects.read_tree(folder.oid)
    return entries


def find_file(objects: Objects, root: str, path: TreePath) -> str | None:
    """The blob at ``path`` below the tree ``root``; None if it is missing."""
    entries = list_folder(objects, root, path[:-1])
    return next((entry.oid for entry in entries if entry.name == path[-1] and not entry.is_tree), None)


def iter_notes(objects: Objects, root: str | None) -> Iterator[tuple[str, str]]:
    """Yield every (commit, blob) of a notes tree, nearest the root first. A commit with notes at several
    depths comes several times. In a real tree no two folders are equal, because the names in them complete
    the ids of commits. So a folder that comes again is skipped: else a few objects could unfold forever."""
    if root is not None:
        yield from _iter_notes(objects, root, b"", set())


def iter_segments(objects: Objects, root: str) -> Iterator[tuple[str, str]]:
    """Yield every (path, blob) of a tree of segments, ``s/XX/TRAJECTORY/NAME``. A folder that comes again is
    skipped, because no two trajectories are equal."""
    seen: set[str] = set()
    level: list[tuple[str, str]] = [(root, "")]
    for depth in range(4):
        below: list[tuple[str, str]] = []
        for oid, path in level:
            for entry in objects.read_tree(oid):
                name = path + entry.name.decode("utf-8", "surrogateescape")
                if depth == 3 and _is_file(entry):
                    yield name, entry.oid
                elif depth < 3 and entry.is_tree and entry.oid not in seen and (depth or name == "s"):
                    seen.add(entry.oid)
                    below.append((entry.oid, f"{name}/"))
        level = below


def changed_trajectories(objects: Objects, old: str | None, new: str | None) -> list[str]:
    """The trajectories whose folders differ between two trees of segments, sorted. Equal folders are not
    read, and no two folders are compared twice."""
    pairs = {(old, new)}
    names: set[bytes] = set()
    for depth in range(_TRAJECTORIES + 1):
        below: set[tuple[str | None, str | None]] = set()
        for old_tree, new_tree in pairs:
            before, after = _folders(objects, old_tree), _folders(objects, new_tree)
            differing = {
                name: (before.get(name), after.get(name))
                for name in before.keys() | after.keys()
                if before.get(name) != after.get(name) and (depth or name == b"s")
            }
            below |= {*differing.values()}
            if depth == _TRAJECTORIES:
                names |= differing.keys()
        pairs = below
    return sorted(name.decode("utf-8", "surrogateescape") for name in names)


def _entries(objects: Objects, root: str | None) -> dict[bytes, Entry]:
    return {entry.name: entry for entry in objects.read_tree(root)} if root else {}


def _folders(objects: Objects, root: str | None) -> dict[bytes, str]:
    return {entry.name: entry.oid for entry in objects.read_tree(root) if entry.is_tree} if root else {}


def changed_notes(objects: Objects, old: str | None, new: str | None) -> list[str]:
    """The commits whose note differs between two notes trees, sorted. A note that only moved to another depth
    does not differ. Equal subtrees are not read."""
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    _compare(objects, (old, new), b"", (before, after), set())
    return sorted(c for c in before.keys() | after.keys() if sorted(before[c]) != sorted(after[c]))


def _entries_after(objects: Objects, root: str | None, changes: Mapping[TreePath, str | None]) -> list[Entry]:
    entries = _entries(objects, root)
    below: dict[bytes, dict[TreePath, str | None]] = defaultdict(dict)
    for (name, *rest), blob in changes.items():
        if rest:
            below[name][tuple(rest)] = blob
        elif blob is None:
            entries.pop(name, None)
        else:
            entries[name] = Entry(BLOB, name, blob)
    for name, inner in below.items():
        old = entries.get(name)
        inside = _entries_after(objects, old.oid if old and old.is_tree else None, inner)
        if inside:
            entries[name] = Entry(TREE, name, objects.write_tree(inside))
        elif old and old.is_tree:
            del entries[name]
    return list(entries.values())


def _iter_notes(objects: Objects, root: str, prefix: bytes, seen: set[str]) -> Iterator[tuple[str, str]]:
    seen.add(root)
    length = _WIDTHS[objects.object_format] - len(prefix)
    folders = []
    for entry in objects.read_tree(root):
        if _is_note(entry, length):
            yield (prefix + entry.name).decode(), entry.oid
        elif _is_fanout(entry, length):
            folders.append(entry)
    for folder in folders:
        if folder.oid not in seen:
            yield from _iter_notes(objects, folder.oid, prefix + folder.name, seen)


def _compare(
    objects: Objects,
    roots: tuple[str | None, str | None],
    prefix: bytes,
    notes: tuple[dict[str, list[str]], dict[str, list[str]]],
    seen: set[tuple[str | None, str | None]],
) -> None:
    """Add to ``notes`` (before, after) the notes that are in only one of ``roots``."""
    seen.add(roots)
    length = _WIDTHS[objects.object_format] - len(prefix)
    sides = [frozenset(objects.read_tree(root)) if root else frozenset[Entry]() for root in roots]
    folders: dict[bytes, list[str | None]] = defaultdict(lambda: [None, None])
    for side, other in ((0, 1), (1, 0)):
        for entry in sides[side] - sides[other]:
            if _is_note(entry, length):
                notes[side][(prefix + entry.name).decode()].append(entry.oid)
            elif _is_fanout(entry, length):
                folders[entry.name][side] = entry.oid
    for name, (old, new) in folders.items():
        if (old, new) not in seen:
            _compare(objects, (old, new), prefix + name, notes, seen)


def _is_file(entry: Entry) -> bool:
    return entry.mode & 0o170000 == 0o100000


def _is_note(entry: Entry, length: int) -> bool:
    return len(entry.name) == length and _is_file(entry) and _HEX.issuperset(entry.name)


def _is_fanout(entry: Entry, length: int) -> bool:
    return len(entry.name) == 2 < length and entry.is_tree and _HEX.issuperset(entry.name)
