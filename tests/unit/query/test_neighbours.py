"""Which commits are near a path, and by which file."""

from __future__ import annotations

from gittraj.query.context.neighbours import Near, find_near


def near(
    changed: dict[str, list[str]],
    touching: set[str],
    paths: tuple[str, ...] = ("src/a.py",),
    beside: tuple[str, ...] = ("src/a.py",),
) -> dict[str, Near]:
    return {found.commit: found for found in find_near(changed, touching, paths, beside)}


def test_who_touched_it_is_nearest_and_the_fewer_files_the_nearer() -> None:
    found = near(
        {"few": ["src/a.py"], "many": ["src/a.py", "x", "y"], "beside": ["src/b.py"]}, {"few", "many"}
    )
    assert [(n.path, n.neighbour) for n in found.values()] == [
        ("src/a.py", False),
        ("src/a.py", False),
        ("src/b.py", True),
    ]
    assert 1 == found["few"].weight > found["many"].weight > found["beside"].weight > 0


def test_what_changed_together_is_nearer_the_more_often_it_did() -> None:
    together = {f"t{i}": ["src/a.py", "often"] for i in range(5)}
    found = near({**together, "t5": ["src/a.py", "once"], "o": ["once"], "f": ["often"]}, {*together, "t5"})
    assert found["f"].weight > found["o"].weight > 0
    assert (found["f"].path, found["f"].neighbour) == ("often", True)


def test_a_commit_of_many_files_makes_no_neighbours() -> None:
    import_ = ["src/a.py", *(f"f{i}" for i in range(40))]
    assert list(near({"import": import_, "x": ["f1"], "y": ["src/b", *import_[1:]]}, {"import"})) == [
        "import"
    ]


def test_a_former_name_and_folders() -> None:
    assert near({"c": ["old.py"]}, {"c"})["c"] == Near("c", 1.0, "src/a.py", False, ["src/a.py"])
    found = near({"c": ["src/deep/x"], "d": ["lib"]}, {"c"}, ("top", "src"), beside=("src",))
    assert (found["c"].path, found["d"].path) == ("src", "lib")
    assert near({"c": ["anything"]}, {"c"}, (".",))["c"].path == "."


def test_nothing_is_beside_a_path_that_is_not_there() -> None:
    assert near({"c": ["src/b.py"]}, set(), beside=()) == {}
