"""Deeds of a walk between clones."""

from __future__ import annotations

from tests.integration.walk_place import Worktree
from tests.integration.walk_rewrites import run_rebase

REMOTES = ("origin", "backup")


def push(tree: Worktree) -> None:
    options = ["--force"] if tree.chance(0.3) else []
    if tree.branch():
        tree.git("push", "--quiet", *options, tree.pick(REMOTES), "HEAD")


def fetch(tree: Worktree) -> None:
    tree.git("fetch", "--quiet", "--prune", tree.pick(REMOTES))


def take_a_branch(tree: Worktree) -> None:
    """Check out another clone's branch, to work on it here."""
    tree.git("fetch", "--quiet", "origin")
    theirs = [ref for ref in tree.others("refs/remotes/origin") if not ref.endswith("HEAD")]
    if theirs:
        tree.git("checkout", "--quiet", "-b", f"b-{tree.names.other()}", "--no-track", tree.pick(theirs))


def pull_rebase(tree: Worktree) -> None:
    tree.git("fetch", "--quiet", "origin")
    theirs = [ref for ref in tree.others("refs/remotes/origin") if not ref.endswith("HEAD")]
    if theirs:
        branch = tree.pick(theirs).removeprefix("origin/")
        run_rebase(tree, ["origin", branch], command=("pull", "--quiet", "--rebase"))


def sync(tree: Worktree) -> None:
    tree.recorder.share(tree.world.ours / tree.clone, tree.pick(REMOTES))
