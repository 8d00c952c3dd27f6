"""Deeds of a walk that rewrite or copy commits. Each one tells the model what a commit was made of, and
whether the design has evidence of it; git's reports by ``post-rewrite`` reach the model by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.integration.walk_place import Place

_MAX_STOPS = 8


def amend(place: Place) -> None:
    if not place.mine(1):
        return
    way = place.pick(("message", "content", "partial"))
    if way == "message":
        place.git("commit", "--quiet", "--amend", "--message", f"{place.names.other()}: said better")
        return
    place.git("add", place.scribble())
    if way == "partial":
        rest = f"{place.names.other()}.py"
        place.world.write(place.name, rest, place.lines(rest.removesuffix(".py")))
    place.git("commit", "--quiet", "--amend", "--no-edit")
    if way == "partial":
        place.git("add", "--all")
        place.git("commit", "--quiet", "--message", f"{place.names.other()}: the rest")


# ---------------------------------------------------------------- rebase


def rebase(place: Place) -> None:
    others = place.others("refs/heads", "refs/remotes")
    mine = place.mine(4)
    if not others:
        return
    onto = place.pick(others)
    way = place.pick(("--merge", "--merge", "--apply", "--rebase-merges", "--onto"))
    if way == "--onto" and mine:
        run_rebase(place, ["--onto", onto, f"{mine[0]}^"])
    elif way != "--onto":
        run_rebase(place, [way, onto])


def rebase_by_hand(place: Place) -> None:
    """``rebase --interactive``: change one line of its list."""
    mine = place.mine(4)
    if len(mine) < 2:
        return
    place.random.choice((_reorder, _join, _drop, _reword, _edit, _autosquash))(place, mine)


def _reorder(place: Place, mine: Sequence[str]) -> None:
    run_rebase(place, [f"{mine[0]}^"], todo="1{h;d};2{G}")


def _join(place: Place, mine: Sequence[str]) -> None:
    line = place.random.randint(2, len(mine))
    run_rebase(place, [f"{mine[0]}^"], todo=f"{line}s/^pick/{place.pick(('squash', 'fixup', 'fixup'))}/")


def _drop(place: Place, mine: Sequence[str]) -> None:
    run_rebase(place, [f"{mine[0]}^"], todo=f"{place.random.randint(1, len(mine))}s/^pick/drop/")


def _reword(place: Place, mine: Sequence[str]) -> None:
    editor = f"sed -i '1s/^/{place.names.other()}: /'"
    run_rebase(place, [f"{mine[0]}^"], todo="1s/^pick/reword/", editor=editor)


def _edit(place: Place, mine: Sequence[str]) -> None:
    run_rebase(place, [f"{mine[0]}^"], todo="1s/^pick/edit/", stop=place.random.choice((_amend_here, split)))


def _amend_here(place: Place) -> None:
    place.git("add", place.scribble())
    place.git("commit", "--quiet", "--amend", "--no-edit")


def _autosquash(place: Place, mine: Sequence[str]) -> None:
    place.git("add", place.scribble())
    place.git("commit", "--quiet", f"--{place.pick(('fixup', 'squash'))}={place.pick(mine)}", "--no-edit")
    run_rebase(place, ["--autosquash", f"{mine[0]}^"], todo="")


def run_rebase(
    place: Place,
    arguments: Sequence[str],
    *,
    todo: str | None = None,
    editor: str = "true",
    stop: Callable[[Place], None] | None = None,
    command: Sequence[str] = ("rebase", "--quiet"),
) -> None:
    """Rebase; with ``todo``, a sed expression, interactively; ``stop`` runs at the first stop for an edit."""
    hooks = place.chance(0.88)
    env = {"GIT_EDITOR": editor}
    interactive = []
    if todo is not None:
        env["GIT_SEQUENCE_EDITOR"] = f"sed -i '{todo}'"
        interactive = ["--interactive"]
    place.upstream = frozenset(place.ask("rev-list", "--all", "HEAD").split())
    try:
        place.git(*command, *interactive, *arguments, env=env, hooks=hooks)
        _go_on(place, stop, editor=editor, hooks=hooks)
    finally:
        place.upstream = frozenset()


def _go_on(place: Place, stop: Callable[[Place], None] | None, *, editor: str, hooks: bool) -> None:
    for _ in range(_MAX_STOPS):
        if not _rebasing(place):
            return
        conflict = place.ask("diff", "--name-only", "--diff-filter=U")
        if not conflict and stop is not None:
            stop(place)
            stop = None
        elif place.chance(0.12):
            break
        elif conflict and place.chance(0.15):
            place.git("rebase", "--skip", hooks=hooks)
            continue
        elif conflict:
            place.world.settle(place.name)
            if place.chance(0.1) and place.ask("diff", "--cached", "--name-only"):
                place.git("commit", "--quiet", "--no-edit", hooks=hooks)
        place.git("rebase", "--continue", env={"GIT_EDITOR": editor}, hooks=hooks)
    if _rebasing(place):
        place.git("rebase", "--abort", hooks=hooks)


def _rebasing(place: Place) -> bool:
    return place.goes_on("rebase-merge") or place.goes_on("rebase-apply")


# ---------------------------------------------------------------- copies


def cherry_pick(place: Place) -> None:
    others = place.others("refs/heads", "refs/remotes")
    there = place.commits(f"HEAD..{place.pick(others)}") if others else []
    if not there:
        return
    at = place.random.randrange(len(there))
    some = there[at : at + place.random.randint(1, 2)]
    before = place.head()
    place.git("cherry-pick", *(["-x"] if place.chance(0.2) else []), *some)
    for _ in range(_MAX_STOPS):
        if not place.goes_on("CHERRY_PICK_HEAD"):
            break
        if place.chance(0.2):
            place.git("cherry-pick", "--abort")
            return
        if place.chance(0.15):
            place.git("cherry-pick", "--skip")
            continue
        place.world.settle(place.name)
        if not place.ask("diff", "--cached", "--name-only"):
            place.git("cherry-pick", "--skip")
        elif place.chance(0.3):
            place.git("commit", "--quiet", "--no-edit")
        else:
            place.git("cherry-pick", "--continue")
    _copied(place, some, place.commits(f"{before}..HEAD"))


def _copied(place: Place, olds: Sequence[str], news: Sequence[str]) -> None:
    """Record which commit became which, by their subjects."""
    subjects = {place.ask("log", "-1", "--format=%s", old): old for old in olds}
    for new in news:
        old = subjects.get(place.ask("log", "-1", "--format=%s", new))
        if old is not None:
            place.model.copy(old, new, said=True)


def cherry_pick_by_hand(place: Place) -> None:
    """Pick with ``--no-commit``, then commit by hand: rule 2 of the model."""
    others = place.others("refs/heads")
    there = place.commits(f"HEAD..{place.pick(others)}") if others else []
    if not there:
        return
    old = place.pick(there)
    if place.git("cherry-pick", "--no-commit", old):
        name = place.names.other()
        if place.git("commit", "--quiet", "--message", f"{name}: by hand"):
            place.model.copy(old, place.head(), sure=False)
    else:
        place.git("reset", "--quiet", "--hard")


def merge_squash(place: Place) -> None:
    others = place.others("refs/heads", "refs/remotes")
    if not others:
        return
    other = place.pick(others)
    some, merges = (
        place.commits(f"HEAD..{other}"),
        place.ask("rev-list", "--merges", f"HEAD..{other}").split(),
    )
    hooks, said = place.chance(0.88), place.chance(0.5)
    if not place.git("merge", "--quiet", "--squash", other):
        if place.chance(0.3):
            place.git("reset", "--quiet", "--hard")
            return
        place.world.settle(place.name)
    message = ["--no-edit"] if said else ["--message", f"{place.names.other()}: squashed"]
    before = place.head()
    if place.git("commit", "--quiet", *message, hooks=hooks) and place.head() != before:
        for old in (*some, *merges):
            place.model.copy(old, place.head(), sure=(hooks or said) and old in some, said=old in merges)


def revert(place: Place) -> None:
    mine = place.mine(5)
    if mine and not place.git("revert", "--no-edit", place.pick(mine)):
        place.git("revert", "--abort")


# ---------------------------------------------------------------- reset


def recommit(place: Place) -> None:
    """Squash commits by ``reset --soft`` and a new commit."""
    mine = place.mine(4)
    if not mine:
        return
    some = mine[-place.random.randint(1, len(mine)) :]
    place.git("reset", "--quiet", "--soft", f"{some[0]}^")
    if place.git("commit", "--quiet", "--message", f"{place.names.other()}: once more"):
        for old in some:
            place.model.copy(old, place.head())


def reset_and_split(place: Place) -> None:
    if place.mine(1):
        split(place)


def split(place: Place) -> None:
    """Split HEAD into a commit for each of its files."""
    old = place.head()
    paths = place.ask("diff-tree", "-r", "--no-commit-id", "--name-only", old).splitlines()
    if len(paths) < 2 or not place.git("reset", "--quiet", "HEAD^"):
        return
    made = []
    for path in paths:
        place.git("add", path)
        if place.git("commit", "--quiet", "--message", f"{place.names.other()}: {path}"):
            made.append(place.head())
    stands = place.ask("for-each-ref", "--contains", old)
    for new in made:
        place.model.copy(old, new, sure=not stands)  # rule 3 of the model


def throw_away(place: Place) -> None:
    mine = place.mine(2)
    if len(mine) > 1:
        place.git("reset", "--quiet", place.pick(("--hard", "--keep")), f"{place.pick(mine)}^")
