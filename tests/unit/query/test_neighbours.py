"""Commits that are related to a path, and the file that relates them."""

from __future__ import annotations

from gittraj.query.context.neighbours import Near, find_near


def near(
    changed: dict[str, list[str]],
    touching: set[str],
    paths: tuple[str, ...] = ("src/a.py",),
    beside: tuple[str, ...] = ("src/a.py",),
) -> dict[str, Near]:
    """Return the near commits by id; ``beside`` are the paths whose folders' other files count."""
    return {commits.commit: commits for commits in find_near(changed, touching, paths, beside)}


def test_commits_that_changed_the_path_are_nearest_and_fewer_files_count_more() -> None:
    commits = near(
        {"few": ["src/a.py"], "many": ["src/a.py", "x", "y"], "beside": ["src/b.py"]}, {"few", "many"}
    )
    assert [(n.path, n.neighbour) for n in commits.values()] == [
        ("src/a.py", False),
        ("src/a.py", False),
        ("src/b.py", True),
    ]
    assert 1 == commits["few"].weight > commits["many"].weight > commits["beside"].weight > 0


def test_files_that_changed_together_more_often_are_nearer() -> None:
    together = {f"t{i}": ["src/a.py", "often"] for i in range(5)}
    commits = near({**together, "t5": ["src/a.py", "once"], "o": ["once"], "f": ["often"]}, {*together, "t5"})
    assert commits["f"].weight > commits["o"].weight > 0
    assert (commits["f"].path, commits["f"].neighbour) == ("often", True)


def test_a_commit_of_many_files_does_not_relate_them() -> None:
    import_ = ["src/a.py", *(f"f{i}" for i in range(40))]
    assert list(near({"import": import_, "x": ["f1"], "y": ["src/b", *import_[1:]]}, {"import"})) == [
        "import"
    ]


def test_former_names_and_folders_of_a_path_count() -> None:
    assert near({"c": ["old.py"]}, {"c"})["c"] == Near("c", 1.0, "src/a.py", False, ["src/a.py"])
    several = near({"c": ["old.py", "x"]}, {"c"}, ("README", "src/a.py"))["c"]
    assert (several.path, several.paths) == ("old.py", [])  # which of the two it was is not known
    commits = near({"c": ["src/deep/x"], "d": ["lib"]}, {"c"}, ("top", "src"), beside=("src",))
    assert (commits["c"].path, commits["d"].path) == ("src", "lib")
    assert near({"c": ["anything"]}, {"c"}, (".",))["c"].path == "."


def test_a_path_that_does_not_exist_has_no_neighbours() -> None:
    assert near({"c": ["src/b.py"]}, set(), beside=()) == {}
