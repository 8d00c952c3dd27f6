"""Deeds of a walk that rewrite or copy commits. Each one records in the model what a commit was made of, and
whether the design has evidence of it; git's reports by ``post-rewrite`` reach the model by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.integration.walk_place import Worktree

_MAX_STOPS = 8


def amend(tree: Worktree) -> None:
    if not tree.rewritable(1):
        return
    way = tree.pick(("message", "content", "partial"))
    if way == "message":
        tree.git("commit", "--quiet", "--amend", "--message", f"{tree.names.other()}: said better")
        return
    tree.git("add", tree.scribble())
    if way == "partial":
        rest = f"{tree.names.other()}.py"
        tree.world.write(tree.name, rest, tree.lines(rest.removesuffix(".py")))
    tree.git("commit", "--quiet", "--amend", "--no-edit")
    if way == "partial":
        tree.git("add", "--all")
        tree.git("commit", "--quiet", "--message", f"{tree.names.other()}: the rest")


# ---------------------------------------------------------------- rebase


def rebase(tree: Worktree) -> None:
    others = tree.others("refs/heads", "refs/remotes")
    mine = tree.rewritable(4)
    if not others:
        return
    onto = tree.pick(others)
    way = tree.pick(("--merge", "--merge", "--apply", "--rebase-merges", "--onto"))
    if way == "--onto" and mine:
        run_rebase(tree, ["--onto", onto, f"{mine[0]}^"])
    elif way != "--onto":
        run_rebase(tree, [way, onto])


def rebase_by_hand(tree: Worktree) -> None:
    """``rebase --interactive``: change one line of its list."""
    mine = tree.rewritable(4)
    if len(mine) < 2:
        return
    tree.random.choice((_reorder, _join, _drop, _reword, _edit, _autosquash))(tree, mine)


def _reorder(tree: Worktree, mine: Sequence[str]) -> None:
    run_rebase(tree, [f"{mine[0]}^"], todo="1{h;d};2{G}")


def _join(tree: Worktree, mine: Sequence[str]) -> None:
    line = tree.random.randint(2, len(mine))
    run_rebase(tree, [f"{mine[0]}^"], todo=f"{line}s/^pick/{tree.pick(('squash', 'fixup', 'fixup'))}/")


def _drop(tree: Worktree, mine: Sequence[str]) -> None:
    run_rebase(tree, [f"{mine[0]}^"], todo=f"{tree.random.randint(1, len(mine))}s/^pick/drop/")


def _reword(tree: Worktree, mine: Sequence[str]) -> None:
    editor = f"sed -i '1s/^/{tree.names.other()}: /'"
    run_rebase(tree, [f"{mine[0]}^"], todo="1s/^pick/reword/", editor=editor)


def _edit(tree: Worktree, mine: Sequence[str]) -> None:
    run_rebase(tree, [f"{mine[0]}^"], todo="1s/^pick/edit/", stop=tree.random.choice((_amend_here, split)))


def _amend_here(tree: Worktree) -> None:
    tree.git("add", tree.scribble())
    tree.git("commit", "--quiet", "--amend", "--no-edit")


def _autosquash(tree: Worktree, mine: Sequence[str]) -> None:
    tree.git("add", tree.scribble())
    tree.git("commit", "--quiet", f"--{tree.pick(('fixup', 'squash'))}={tree.pick(mine)}", "--no-edit")
    run_rebase(tree, ["--autosquash", f"{mine[0]}^"], todo="")


def run_rebase(
    tree: Worktree,
    arguments: Sequence[str],
    *,
    todo: str | None = None,
    editor: str = "true",
    stop: Callable[[Worktree], None] | None = None,
    command: Sequence[str] = ("rebase", "--quiet"),
) -> None:
    """Rebase; with ``todo``, a sed expression, interactively; ``stop`` runs at the first stop for an edit."""
    hooks = tree.chance(0.88)
    env = {"GIT_EDITOR": editor}
    interactive = []
    if todo is not None:
        env["GIT_SEQUENCE_EDITOR"] = f"sed -i '{todo}'"
        interactive = ["--interactive"]
    tree.upstream = frozenset(tree.ask("rev-list", "--all", "HEAD").split())
    try:
        tree.git(*command, *interactive, *arguments, env=env, hooks=hooks)
        _go_on(tree, stop, editor=editor, hooks=hooks)
    finally:
        tree.upstream = frozenset()


def _go_on(tree: Worktree, stop: Callable[[Worktree], None] | None, *, editor: str, hooks: bool) -> None:
    for _ in range(_MAX_STOPS):
        if not _rebasing(tree):
            return
        conflict = tree.ask("diff", "--name-only", "--diff-filter=U")
        if not conflict and stop is not None:
            stop(tree)
            stop = None
        elif tree.chance(0.12):
            break
        elif conflict and tree.chance(0.15):
            tree.git("rebase", "--skip", hooks=hooks)
            continue
        elif conflict:
            tree.world.settle(tree.name)
            if tree.chance(0.1) and tree.ask("diff", "--cached", "--name-only"):
                tree.git("commit", "--quiet", "--no-edit", hooks=hooks)
        tree.git("rebase", "--continue", env={"GIT_EDITOR": editor}, hooks=hooks)
    if _rebasing(tree):
        tree.git("rebase", "--abort", hooks=hooks)


def _rebasing(tree: Worktree) -> bool:
    return tree.is_unfinished("rebase-merge") or tree.is_unfinished("rebase-apply")


# ---------------------------------------------------------------- copies


def cherry_pick(tree: Worktree) -> None:
    others = tree.others("refs/heads", "refs/remotes")
    candidates = tree.commits(f"HEAD..{tree.pick(others)}") if others else []
    if not candidates:
        return
    at = tree.random.randrange(len(candidates))
    some = candidates[at : at + tree.random.randint(1, 2)]
    before = tree.head()
    tree.git("cherry-pick", *(["-x"] if tree.chance(0.2) else []), *some)
    for _ in range(_MAX_STOPS):
        if not tree.is_unfinished("CHERRY_PICK_HEAD"):
            break
        if tree.chance(0.2):
            tree.git("cherry-pick", "--abort")
            return
        if tree.chance(0.15):
            tree.git("cherry-pick", "--skip")
            continue
        tree.world.settle(tree.name)
        if not tree.ask("diff", "--cached", "--name-only"):
            tree.git("cherry-pick", "--skip")
        elif tree.chance(0.3):
            tree.git("commit", "--quiet", "--no-edit")
        else:
            tree.git("cherry-pick", "--continue")
    _copied(tree, some, tree.commits(f"{before}..HEAD"))


def _copied(tree: Worktree, olds: Sequence[str], news: Sequence[str]) -> None:
    """Record which commit became which, by their subjects."""
    subjects = {tree.ask("log", "-1", "--format=%s", old): old for old in olds}
    for new in news:
        old = subjects.get(tree.ask("log", "-1", "--format=%s", new))
        if old is not None:
            tree.model.copy(old, new, reported=True)


def cherry_pick_by_hand(tree: Worktree) -> None:
    """Pick with ``--no-commit``, then commit by hand: reason 2 in ``walk_model``."""
    others = tree.others("refs/heads")
    candidates = tree.commits(f"HEAD..{tree.pick(others)}") if others else []
    if not candidates:
        return
    old = tree.pick(candidates)
    if tree.git("cherry-pick", "--no-commit", old):
        name = tree.names.other()
        if tree.git("commit", "--quiet", "--message", f"{name}: by hand"):
            tree.model.copy(old, tree.head(), sure=False)
    else:
        tree.git("reset", "--quiet", "--hard")


def merge_squash(tree: Worktree) -> None:
    others = tree.others("refs/heads", "refs/remotes")
    if not others:
        return
    other = tree.pick(others)
    some, merges = (
        tree.commits(f"HEAD..{other}"),
        tree.ask("rev-list", "--merges", f"HEAD..{other}").split(),
    )
    hooks, keeps_message = tree.chance(0.88), tree.chance(0.5)
    if not tree.git("merge", "--quiet", "--squash", other):
        if tree.chance(0.3):
            tree.git("reset", "--quiet", "--hard")
            return
        tree.world.settle(tree.name)
    message = ["--no-edit"] if keeps_message else ["--message", f"{tree.names.other()}: squashed"]
    before = tree.head()
    if tree.git("commit", "--quiet", *message, hooks=hooks) and tree.head() != before:
        for old in (*some, *merges):
            tree.model.copy(
                old, tree.head(), sure=(hooks or keeps_message) and old in some, reported=old in merges
            )


def revert(tree: Worktree) -> None:
    mine = tree.rewritable(5)
    if mine and not tree.git("revert", "--no-edit", tree.pick(mine)):
        tree.git("revert", "--abort")


# ---------------------------------------------------------------- reset


def recommit(tree: Worktree) -> None:
    """Squash commits by ``reset --soft`` and a new commit."""
    mine = tree.rewritable(4)
    if not mine:
        return
    some = mine[-tree.random.randint(1, len(mine)) :]
    tree.git("reset", "--quiet", "--soft", f"{some[0]}^")
    if tree.git("commit", "--quiet", "--message", f"{tree.names.other()}: once more"):
        for old in some:
            tree.model.copy(old, tree.head())


def reset_and_split(tree: Worktree) -> None:
    if tree.rewritable(1):
        split(tree)


def split(tree: Worktree) -> None:
    """Split HEAD into a commit for each of its files."""
    old = tree.head()
    paths = tree.ask("diff-tree", "-r", "--no-commit-id", "--name-only", old).splitlines()
    if len(paths) < 2 or not tree.git("reset", "--quiet", "HEAD^"):
        return
    made = []
    for path in paths:
        tree.git("add", path)
        if tree.git("commit", "--quiet", "--message", f"{tree.names.other()}: {path}"):
            made.append(tree.head())
    still_reached = tree.ask("for-each-ref", "--contains", old)
    for new in made:
        tree.model.copy(old, new, sure=not still_reached)  # reason 3 in ``walk_model``


def throw_away(tree: Worktree) -> None:
    mine = tree.rewritable(2)
    if len(mine) > 1:
        tree.git("reset", "--quiet", tree.pick(("--hard", "--keep")), f"{tree.pick(mine)}^")
