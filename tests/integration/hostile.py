"""Data that an attacker may have written: notes, segments, trees, refs, settings and local files, made by
random changes of valid ones. Nothing here depends on what git-traj makes of it."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.integration.repository import Git

RECORDS = "refs/notes/traj"
TRACKED = "refs/notes-remote/origin/traj"
_ODD: Sequence[bytes] = (
    *(
        b"",
        b"\0",
        b"\xff\xfe",
        b"\n",
        b"\r\n",
        b'"',
        b"\\",
        b"{",
        b"}",
        b"[" * 70,
        b"9" * 400,
        b"-1",
        b"1e999",
    ),
    *(
        b"null",
        b"true",
        b"[]",
        b"{}",
        b'""',
        b"../../../x",
        b"refs/heads/main",
        b"\xed\xa0\x80",
        b"\x1b]0;x\x07",
    ),
    *(b"\xe2\x80\xae", b"NaN", b"&a *a", b"!!python/object/apply:os.system [id]", b"2026-13-99", b" " * 3000),
)
_NAMES: Sequence[bytes] = (
    b"..",
    b".git",
    b".",
    b"s",
    b"00",
    b"zz",
    b"a" * 38,
    b"a" * 40,
    b"epoch",
    b"x\ny",
    b"\xff",
)
_MODES: Sequence[bytes] = (b"100644", b"40000", b"120000", b"160000", b"0", b"100644x", b"77777777")
SETTINGS: Sequence[str] = (
    *("thinking", "push", "share", "retrospective", "exclude", "tasks", "paranoid", "pii", "maxSegmentBytes"),
    *(
        "maxSessionBytes",
        "redact.names",
        "redact.shapes",
        "redact.allow",
        "redact.strict",
        "sessions.path",
        "identity",
    ),
)


@dataclass
class Hostile:
    """Changes a repository at random, and restores its original ``files`` and ``refs``."""

    git: Git
    random: random.Random
    refs: Mapping[str, str] = field(init=False)
    files: dict[Path, bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.refs = self._refs()
        state = self.git.root / ".git" / "traj"
        found = [*state.glob("*"), *state.glob("active/*"), self.git.root / ".git" / "config"]
        self.files = {path: path.read_bytes() for path in found if path.is_file()}
        self.files[self.git.root / ".gittraj.yml"] = (
            b"thinking: seal\nexclude: [codex]\nredact:\n  names: [a-name]\n"
        )
        self.files[self.git.root / ".gittraj/recipients"] = b"# readers\nage1x\n"

    def restore(self) -> None:
        for place in ("notes", "notes-remote"):
            shutil.rmtree(self.git.root / ".git/refs" / place, ignore_errors=True)
        for ref, oid in self.refs.items():
            self.point(ref, oid)
        for path, body in self.files.items():
            if path.is_relative_to(self.git.root / ".git"):
                path.write_bytes(body)
            else:
                path.unlink(missing_ok=True)

    def change(self) -> str:
        """Make a random change; return what was changed."""
        kind = self.random.choice(KINDS)
        return f"{kind.__name__}: {kind(self)}"

    # ------------------------------------------------------------ bytes

    def garble(self, body: bytes) -> bytes:
        """``body`` with a few changes: cut, doubled, flipped, and with odd words inserted."""
        text = bytearray(body)
        for _ in range(self.random.choice([1, 1, 2, 5])):
            at = self.random.randrange(len(text) + 1)
            end = min(len(text), at + self.random.choice([0, 1, 4, 40]))
            match self.random.randrange(5):
                case 0:
                    del text[at:end]
                case 1:
                    text[at:at] = text[at:end] * self.random.choice([1, 50])
                case 2 if at < len(text):
                    text[at] ^= 1 << self.random.randrange(8)
                case 3:
                    text = text[:at]
                case _:
                    text[at:end] = self.random.choice(_ODD)
        return bytes(text)

    def reword(self, body: bytes) -> bytes:
        """``body`` with a value in a line of JSON replaced by one of another type."""
        lines = body.splitlines()
        try:
            value = json.loads(lines[0])
        except (ValueError, IndexError):
            return self.garble(body)
        container, key = value, self.random.choice([*value]) if isinstance(value, dict) and value else None
        while (
            key is not None
            and isinstance(container[key], dict | list)
            and container[key]
            and self.random.random() < 0.7
        ):
            container = container[key]
            key = self.random.choice(
                [*container] if isinstance(container, dict) else [*range(len(container))]
            )
        if key is not None:
            container[key] = self.random.choice(
                [
                    None,
                    True,
                    -1,
                    0,
                    10**30,
                    1e308,
                    "",
                    "\0",
                    "../x",
                    "\ud800",
                    [],
                    {},
                    [[]],
                    {"a": {}},
                    ["x"] * 3000,
                ]
            )
        return b"\n".join([json.dumps(value).encode(), *lines[1:]]) + b"\n"

    def changed(self, body: bytes) -> bytes:
        return self.random.choice([self.garble, self.reword])(body)

    # ------------------------------------------------------------ objects and refs

    def object(self, kind: str, body: bytes) -> str:
        """Write an object of that kind, however invalid; return its id."""
        done = subprocess.run(
            ["git", "hash-object", "-w", "--literally", "-t", kind, "--stdin"],
            cwd=self.git.root,
            input=body,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def tree(self, rows: Sequence[tuple[bytes, bytes, str]]) -> str:
        return self.object("tree", b"".join(m + b" " + n + b"\0" + bytes.fromhex(o) for m, n, o in rows))

    def commit(self, tree: str) -> str:
        return self.object(
            "commit", b"tree %b\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n" % tree.encode()
        )

    def rows(self, tree: str) -> list[tuple[bytes, bytes, str]]:
        found = []
        for row in self.git.raw("ls-tree", "-z", tree).split(b"\0"):
            head, _, name = row.partition(b"\t")
            if head:
                mode, _, oid = head.split()
                found.append((mode.lstrip(b"0"), name, oid.decode()))
        return found

    def point(self, ref: str, oid: str) -> None:
        """Set the ref as an unchecked fetch would: also to an object that is not a commit, or missing."""
        path = self.git.root / ".git" / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{oid}\n")

    def replace(self, ref: str, replacement: Callable[[str], str | None]) -> str:
        """Replace a random blob in the ref's tree by ``replacement(id)`` (None: do not); return its path."""
        rows = [
            row.split() for row in self.git("ls-tree", "-r", "-z", ref).replace("\t", " ").split("\0") if row
        ]
        _, _, oid, path = self.random.choice(rows)
        blob = replacement(oid)
        if blob is not None:
            self.point(ref, self.commit(self._with(f"{ref}^{{tree}}", path.encode().split(b"/"), blob)))
        return path

    def _with(self, tree: str, path: Sequence[bytes], blob: str) -> str:
        rows = []
        for mode, name, oid in self.rows(tree):
            found = name == path[0]
            rows.append(
                (mode, name, (self._with(oid, path[1:], blob) if path[1:] else blob) if found else oid)
            )
        return self.tree(rows)

    def some_ref(self) -> str:
        ours = [ref for ref in self.refs if ref.startswith("refs/notes")]
        return self.random.choice(ours)

    def _refs(self) -> dict[str, str]:
        listed = self.git("for-each-ref", "--format=%(refname) %(objectname)")
        return dict(row.split(" ") for row in listed.splitlines())


def a_body(hostile: Hostile) -> str:
    """Change a note or a segment."""
    git = hostile.git
    return hostile.replace(
        hostile.some_ref(),
        lambda oid: hostile.object("blob", hostile.changed(git.raw("cat-file", "blob", oid))),
    )


def a_missing_blob(hostile: Hostile) -> str:
    return hostile.replace(hostile.some_ref(), lambda oid: oid[::-1])


def a_tree(hostile: Hostile) -> str:
    """Add entries of any name and mode, twice, in any order, or trees that contain one tree many times."""
    ref = hostile.some_ref()
    rows = hostile.rows(f"{ref}^{{tree}}")
    for _ in range(hostile.random.choice([1, 3, 400])):
        _, name, oid = hostile.random.choice(rows)
        name = hostile.random.choice([name, hostile.random.choice(_NAMES)])
        rows.insert(hostile.random.randrange(len(rows) + 1), (hostile.random.choice(_MODES), name, oid))
    tree = hostile.tree(rows)
    for _ in range(hostile.random.choice([0, 0, 30])):
        tree = hostile.tree([(b"40000", b"%02x" % n, tree) for n in range(hostile.random.choice([2, 256]))])
    hostile.point(ref, hostile.commit(tree))
    return ref


def a_raw_object(hostile: Hostile) -> str:
    """Replace a tree or a commit with an invalid one."""
    ref = hostile.some_ref()
    kind = hostile.random.choice(["tree", "commit"])
    oid = hostile.git("rev-parse", f"{ref}^{{{kind}}}")
    made = hostile.object(kind, hostile.garble(hostile.git.raw("cat-file", kind, oid)))
    hostile.point(ref, made if kind == "commit" else hostile.commit(made))
    return f"{ref} {kind}"


def a_ref(hostile: Hostile) -> str:
    """Create a ref that does not point to a commit of notes, or has an odd name."""
    odd = (
        "refs/notes/traj-data-0000-00",
        "refs/notes/traj-data-2026-99",
        "refs/notes/traj/x",
        "refs/notes/traj-x",
    )
    ref = hostile.random.choice([hostile.some_ref(), *odd])
    head = hostile.git("rev-parse", "HEAD")
    tag = hostile.object("tag", b"object %b\ntype commit\ntag x\ntagger a <a> 1 +0000\n\nx\n" % head.encode())
    others = [
        head,
        f"{head[::-1]}",
        tag,
        hostile.object("blob", b"x"),
        hostile.git("rev-parse", "HEAD^{tree}"),
    ]
    if ref == "refs/notes/traj/x":  # a folder where our ref's file is
        return ref
    hostile.point(
        ref, hostile.random.choice([*others, "", "ref: refs/notes/traj", "ref: refs/heads/none", "x"])
    )
    return ref


def a_setting(hostile: Hostile) -> str:
    name = hostile.random.choice(SETTINGS)
    value = hostile.random.choice(_ODD).replace(b"\0", b"").replace(b"\n", b" ")
    hostile.git("config", "--add", f"traj.{name}", os.fsdecode(value))
    return name


def a_file(hostile: Hostile) -> str:
    """Change a file of the team's settings or of the local state."""
    path = hostile.random.choice([p for p in hostile.files if p.name != "config"])
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(hostile.changed(hostile.files[path]))
    return path.name


KINDS = (a_body, a_body, a_missing_blob, a_tree, a_raw_object, a_ref, a_setting, a_file)
