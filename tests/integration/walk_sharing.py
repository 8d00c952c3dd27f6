"""Deeds of a walk between clones."""

from __future__ import annotations

from tests.integration.walk_place import Place
from tests.integration.walk_rewrites import run_rebase

REMOTES = ("origin", "backup")


def push(place: Place) -> None:
    options = ["--force"] if place.chance(0.3) else []
    if place.branch():
        place.git("push", "--quiet", *options, place.pick(REMOTES), "HEAD")


def fetch(place: Place) -> None:
    place.git("fetch", "--quiet", "--prune", place.pick(REMOTES))


def take_a_branch(place: Place) -> None:
    """Check out another clone's branch, to work on it here."""
    place.git("fetch", "--quiet", "origin")
    theirs = [ref for ref in place.others("refs/remotes/origin") if not ref.endswith("HEAD")]
    if theirs:
        place.git("checkout", "--quiet", "-b", f"b-{place.names.other()}", "--no-track", place.pick(theirs))


def pull_rebase(place: Place) -> None:
    place.git("fetch", "--quiet", "origin")
    theirs = [ref for ref in place.others("refs/remotes/origin") if not ref.endswith("HEAD")]
    if theirs:
        branch = place.pick(theirs).removeprefix("origin/")
        run_rebase(place, ["origin", branch], command=("pull", "--quiet", "--rebase"))


def sync(place: Place) -> None:
    place.recorder.share(place.world.ours / place.clone, place.pick(REMOTES))
