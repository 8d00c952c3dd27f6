"""The changes of a commit, however odd the names, the content or the user's configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from gittraj.errors import GitError
from gittraj.git import (
    Backend,
    CommitChanges,
    PathChange,
    Repository,
    open_repository,
    patch_ids,
    read_changes,
)
from tests.integration.repository import Git


def changes(repository: Repository, commit: str) -> CommitChanges:
    return read_changes(repository, [commit])[commit]


def blob(git: Git, path: str) -> str:
    return git("rev-parse", f"HEAD:{path}")


def test_add_update_delete_rename(each_git: Git, repository: Repository) -> None:
    lines = "".join(f"line {n}\n" for n in range(20))
    first = each_git.commit({"stays": "a\nb\nc\n", "moves": lines, "goes": "x\n"}, "the first\n\nbody")
    second = each_git.commit(
        {
            "stays": "a\nB\nc\nd",
            "moves": None,
            "moved": lines + "more\n",
            "goes": None,
            "new": "1\n\n2\n",
            "empty": "",
        },
        "the second",
    )
    found = read_changes(repository, [second, first])
    assert list(found) == [second, first]
    assert found[second] == CommitChanges(
        commit=second,
        parents=(first,),
        subject="the second",
        paths=(
            PathChange("empty", "add", None, blob(each_git, "empty"), ()),
            PathChange("goes", "delete", None, None, ()),
            PathChange("moved", "rename", "moves", blob(each_git, "moved"), ("more",)),
            PathChange("new", "add", None, blob(each_git, "new"), ("1", "", "2")),
            PathChange("stays", "update", None, blob(each_git, "stays"), ("B", "d")),
        ),
        time=repository.objects.commit(second).time,
    )
    assert (found[first].parents, found[first].subject) == ((), "the first")
    assert [(p.path, p.kind, len(p.added)) for p in found[first].paths] == [
        ("goes", "add", 1),
        ("moves", "add", 20),
        ("stays", "add", 3),
    ]


def test_empty_commit_and_no_commits(each_git: Git, repository: Repository) -> None:
    first = each_git.commit({"f": "1"})
    empty = each_git.commit()
    time = repository.objects.commit(empty).time
    assert changes(repository, empty) == CommitChanges(empty, (first,), "change", (), time)
    assert read_changes(repository, []) == {}


def test_merges_are_compared_with_their_first_parent(each_git: Git, repository: Repository) -> None:
    base = each_git.commit({"f": "1\n"})
    each_git("switch", "--quiet", "--create", "side")
    side = each_git.commit({"side": "s\n"})
    each_git("switch", "--quiet", "--create", "other", base)
    other = each_git.commit({"other": "o\n"})
    each_git("switch", "--quiet", "main")
    main = each_git.commit({"main": "m\n"})
    each_git("merge", "--quiet", "--no-edit", "side", "other")
    octopus = each_git.head()
    found = changes(repository, octopus)
    assert found.parents == (main, side, other)
    assert [(p.path, p.kind, p.added) for p in found.paths] == [
        ("other", "add", ("o",)),
        ("side", "add", ("s",)),
    ]
    assert patch_ids(repository, [octopus]) == {}


ODD = [
    b"new\nline",
    b'quo"te',
    b"tab\there",
    b"---",
    b"+++ b",
    b"sp ace ",
    "\u202ertl".encode(),
    "🙂".encode(),
    "ü".encode(),
    "u\u0308".encode(),
    "中文".encode(),
    b"latin-\xe9",
    b":100644 100644",
    b"back\\slash",
]


def test_odd_names(each_git: Git, repository: Repository) -> None:
    commit = each_git.commit({name: b"line of %d\n" % n for n, name in enumerate(ODD)})
    found = changes(repository, commit).paths
    assert {p.path.encode("utf-8", "surrogateescape"): p.added for p in found} == {
        name: (f"line of {n}",) for n, name in enumerate(ODD)
    }
    each_git.write(dict.fromkeys(ODD))
    moved = each_git.commit({b"to/" + name: b"line of %d\n" % n for n, name in enumerate(ODD)})
    pairs = {(p.old_path, p.path, p.kind) for p in changes(repository, moved).paths}
    assert {(f"to/{old}", kind) for old, _, kind in pairs} == {(new, "rename") for _, new, _ in pairs}


def test_lines_that_look_like_a_diff(each_git: Git, repository: Repository) -> None:
    trap = [
        "diff --git a/x b/x",
        "+++ b/x",
        "--- a/x",
        "@@ -1,5 +1,5 @@",
        "\\ No newline at end of file",
        "0" * 40,
        ":100644 100644 0 0 M",
        "nul \0 far behind the start",
        "",
        "carriage\rreturn\r",
        "form\ffeed \u2028 separator",
    ]
    far = [f"line {n}" for n in range(1000)]  # git calls a file binary for a NUL in its first 8,000 bytes
    before = each_git.commit({"a": "\n".join(far), "b": "- old\n-- old\n"})
    after = each_git.commit({"a": "\n".join([*far, *trap]), "b": "+ new\n++ new\n", "c": "c\n"})
    found = read_changes(repository, [before, after])
    assert [p.added for p in found[after].paths] == [("line 999", *trap), ("+ new", "++ new"), ("c",)]


def test_binary_links_modes_types_and_submodules(git: Git, tmp_path: Path) -> None:
    git.commit({"binary": b"\0\1", "mode": "x\n", "now-module": "x\n", "type": "file\n"})
    (git.root / "mode").chmod(0o755)
    git.write({"binary": b"\0\2", "type": None, "utf-16": "text\n".encode("utf-16")})
    (git.root / "type").symlink_to("target")
    inner = Git.init(git.root / "module").commit({"f": "1"})
    (git.root / "now-module").unlink()
    Git.init(git.root / "now-module").commit({"f": "1"})
    commit = git.commit({"z": "last\n"})
    with git.open() as repository:
        found = changes(repository, commit).paths
    assert [(p.path, p.kind, p.blob is None, p.added) for p in found] == [
        ("binary", "update", False, ()),
        ("mode", "update", False, ()),
        ("module", "add", True, ()),
        ("now-module", "update", True, ()),
        ("type", "update", False, ("target",)),
        ("utf-16", "add", False, ()),
        ("z", "add", False, ("last",)),
    ]
    assert inner not in {p.blob for p in found}


def test_undecodable_content(git: Git) -> None:
    commit = git.commit({"f": b"caf\xe9\nna\xc3\xafve\n"})
    with git.open() as repository:
        (path,) = changes(repository, commit).paths
    assert path.added == ("caf\udce9", "naïve")


def test_over_two_megabytes_of_added_lines_are_left_out(git: Git) -> None:
    line = b"x" * 1023 + b"\n"
    commit = git.commit({"a-big": line * 2049, "b-most": line * 2048, "c": "c\n"})
    with git.open() as repository:
        assert [(p.path, len(p.added)) for p in changes(repository, commit).paths] == [
            ("a-big", 0),
            ("b-most", 2048),
            ("c", 1),
        ]


HOSTILE = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.external": "false",
    "diff.renames": "false",
    "diff.suppressBlankEmpty": "true",
    "diff.context": "9",
    "diff.interHunkContext": "50",
    "diff.algorithm": "patience",
    "diff.submodule": "log",
    "diff.relative": "true",
    "diff.ignoreSubmodules": "all",
    "diff.wordRegex": ".",
    "diff.upper.textconv": "tr a-z A-Z <",
    "diff.orderFile": "order",
    "color.ui": "always",
    "color.diff": "always",
    "core.quotePath": "true",
    "core.pager": "false",
    "log.showSignature": "true",
    "log.showRoot": "false",
}


def test_the_user_s_configuration_changes_nothing(each_git: Git, repository: Repository) -> None:
    lines = "\n".join(f"line {n}" for n in range(30))
    root = each_git.commit({"ü/f": f"{lines}\n\nend\n", "x": "x\n", "order": "x\n"})
    commit = each_git.commit({"ü/f": None, "ü/g": f"first\n{lines}\n\nEND\n", "x": "y\n"})
    plain = read_changes(repository, [root, commit])
    identity = patch_ids(repository, [commit])
    for key, value in HOSTILE.items():
        each_git("config", key, value)
    (each_git.root / ".git" / "info" / "attributes").write_text("* diff=upper\n")
    with open_repository(each_git.root / "ü", environ=None, backend=repository.backend) as again:
        assert read_changes(again, [root, commit]) == plain
        assert patch_ids(again, [commit]) == identity != {}
    assert [(p.path, p.kind, p.added) for p in plain[commit].paths] == [
        ("x", "update", ("y",)),
        ("ü/g", "rename", ("first", "END")),
    ]


def test_the_edge_of_a_shallow_clone(git: Git, tmp_path: Path) -> None:
    git.commit({"f": "1"})
    edge = git.commit({"f": "2"})
    tip = git.commit({"f": "3"})
    Git(tmp_path)("clone", "--quiet", "--depth=2", f"file://{git.root}", "shallow")
    backends: list[Backend] = ["libgit2", "plumbing"]
    for backend in backends:
        with open_repository(tmp_path / "shallow", backend=backend) as repository:
            found = read_changes(repository, [edge, tip])
        assert (len(found[edge].parents), found[edge].paths) == (1, ())
        assert [p.added for p in found[tip].paths] == [("3",)]


def test_a_missing_blob_hides_only_its_commit(git: Git) -> None:
    commits = [git.commit({f"f{n}": f"{n}\n"}) for n in range(5)]
    lost = blob(git, "f3")
    (git.root / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    git("rm", "--quiet", "f3")  # git reads a clean file of the work tree instead of its blob
    with git.open() as repository:
        found = read_changes(repository, commits)
    assert [len(found[c].paths) for c in commits] == [1, 1, 1, 0, 1]


def test_a_missing_commit_is_an_error(repository: Repository) -> None:
    absent = "0" * (40 if repository.object_format == "sha1" else 64)
    with pytest.raises(GitError, match=f"^commit {absent} is missing$"):
        read_changes(repository, [absent])


def test_more_commits_than_one_process_takes(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gittraj.git.changes._BATCH", 3)
    commits = [git.commit({f"f{n}": f"{n}\n"}) for n in range(10)]
    with git.open() as repository:
        found = read_changes(repository, commits)
    assert [found[c].paths[0].added for c in commits] == [(str(n),) for n in range(10)]


def test_patch_id_is_the_documented_command_s(git: Git) -> None:
    git.commit({"f": "1\n"})
    commit = git.commit({"f": "1\n\n 2\n"})
    options = ("-p", "--no-renames", "--full-index", "--no-ext-diff", "--no-textconv")
    patch = git.raw("-c", "diff.suppressBlankEmpty=false", "diff-tree", *options, commit)
    with git.open() as repository:
        assert patch_ids(repository, [commit]) == {
            commit: git("patch-id", "--verbatim", input=patch).split()[0]
        }


def test_patch_id_survives_another_parent(git: Git) -> None:
    root = git.commit({"f": "1\n"})
    original = git.commit({"g": "2\n"})
    git("switch", "--quiet", "--create", "side", root)
    git.commit({"h": "3\n"})
    git("cherry-pick", original)
    with git.open() as repository:
        ids = patch_ids(repository, [git.head(), original, root])
    assert ids[git.head()] == ids[original]
    assert root not in ids


def test_an_empty_or_huge_commit_has_no_patch_id(git: Git) -> None:
    git.commit({"f": "1"})
    empty = git.commit()
    huge = git.commit({"big": "x" * 1023 + "\n"})
    line = "y" * 1023 + "\n"
    over = git.commit({"big": line * 20_500})
    with git.open() as repository:
        assert patch_ids(repository, [empty, huge, over]).keys() == {huge}
