"""Changes paths in a tree, and finds a commit's note in a notes tree.

Pure functions over an object database. They must not know of refs, nor of a note's content.

The path of a note is its commit's hex id, split into folders of two characters at any depth (git's
``notes.c``): flat, ``2/38``, ``2/2/36`` … Everything else in the tree is somebody else's and stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

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
    """The path of the note of ``commit``, and its blob: all of them if several depths have one, nearest the
    root first."""
    found: list[tuple[TreePath, str]] = []
    folders: TreePath = ()
    rest = commit.encode()
    while root is not None:
        entries, root = objects.read_tree(root), None
        for entry in entries:
            if entry.name == rest and _is_file(entry):
                found.append(((*folders, rest), entry.oid))
            elif entry.name == rest[:2] and entry.is_tree:
                root = entry.oid
        folders, rest = (*folders, rest[:2]), rest[2:]
    return found


def note_place(objects: Objects, root: str | None, commit: str) -> TreePath:
    """The path to write a note of ``commit`` to: 2/38 (2/62), whatever git's adaptive fan-out would choose.

    Flat only if a foreign file has the name of the folder: it is not ours to replace.
    """
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


def iter_notes(objects: Objects, root: str | None) -> Iterator[tuple[str, str]]:
    """Yield every (commit, blob) of a notes tree, nearest the root first; a commit comes once per depth.

    No two folders of such a tree are equal, as the names below them are the rest of their commits' ids: one
    that comes again is skipped, or a few objects could unfold forever.
    """
    if root is not None:
        yield from _iter_notes(objects, root, b"", set())


def iter_segments(objects: Objects, root: str) -> Iterator[tuple[str, str]]:
    """Yield every (path, blob) of a tree of segments, ``s/XX/TRAJECTORY/NAME``. A folder that comes again is
    skipped: no two trajectories are equal."""
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
    read, nor are two folders compared again."""
    pairs = {(old, new)}
    names: set[bytes] = set()
    for depth in range(_TRAJECTORIES + 1):
        below: set[tuple[str | None, str | None]] = set()
        for pair in pairs:
            sides = [{e.name: e.oid for e in objects.read_tree(t) if e.is_tree} if t else {} for t in pair]
            found = {name: (sides[0].get(name), sides[1].get(name)) for name in {*sides[0], *sides[1]}}
            differ = {
                name: two for name, two in found.items() if two[0] != two[1] and (depth or name == b"s")
            }
            below |= {*differ.values()}
            if depth == _TRAJECTORIES:
                names |= differ.keys()
        pairs = below
    return sorted(name.decode("utf-8", "surrogateescape") for name in names)


def changed_notes(objects: Objects, old: str | None, new: str | None) -> list[str]:
    """The commits whose note differs between two notes trees, sorted. Equal subtrees are not read.

    A note that only moved to another depth is not a change.
    """
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    _compare(objects, (old, new), b"", (before, after), set())
    return sorted(c for c in before.keys() | after.keys() if sorted(before[c]) != sorted(after[c]))


def _entries_after(objects: Objects, root: str | None, changes: Mapping[TreePath, str | None]) -> list[Entry]:
    entries = {e.name: e for e in objects.read_tree(root)} if root else {}
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
    rest = _WIDTHS[objects.object_format] - len(prefix)
    folders = []
    for entry in objects.read_tree(root):
        if _is_note(entry, rest):
            yield (prefix + entry.name).decode(), entry.oid
        elif _is_fanout(entry, rest):
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
    """Add to ``notes`` (before, after) what is in only one of ``roots``."""
    seen.add(roots)
    rest = _WIDTHS[objects.object_format] - len(prefix)
    sides = [frozenset(objects.read_tree(root)) if root else frozenset[Entry]() for root in roots]
    folders: dict[bytes, list[str | None]] = defaultdict(lambda: [None, None])
    for side, other in ((0, 1), (1, 0)):
        for entry in sides[side] - sides[other]:
            if _is_note(entry, rest):
                notes[side][(prefix + entry.name).decode()].append(entry.oid)
            elif _is_fanout(entry, rest):
                folders[entry.name][side] = entry.oid
    for name, (old, new) in folders.items():
        if (old, new) not in seen:
            _compare(objects, (old, new), prefix + name, notes, seen)


def _is_file(entry: Entry) -> bool:
    return entry.mode & 0o170000 == 0o100000


def _is_note(entry: Entry, rest: int) -> bool:
    return len(entry.name) == rest and _is_file(entry) and _HEX.issuperset(entry.name)


def _is_fanout(entry: Entry, rest: int) -> bool:
    return len(entry.name) == 2 < rest and entry.is_tree and _HEX.issuperset(entry.name)
