"""Backfills of random villages, which were not used for writing the backfill's rules.

Precision must be 1, recall is counted over all villages. ``GIT_TRAJ_E2E_VILLAGES=N`` plays N of them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from gittraj.commands.backfill.local_sessions import backfill
from gittraj.git import open_repository
from gittraj.model.codec import decode_note
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from tests.e2e.scenario import Edit, Shell, Write
from tests.integration.repository import Git
from tests.integration.village import Pair, Village
from tests.integration.village_life import Life
from tests.sizes import size

SEEDS = range(1, 1 + size(3, 12, "GIT_TRAJ_E2E_VILLAGES"))
RECALL = 0.95 if len(SEEDS) >= 12 else 0.8  # with few villages, a hard one weighs much


def backfilled(root: Path) -> set[Pair]:
    """Return the pairs that a backfill of the repository finds, and delete its refs and state again."""
    with open_repository(root, environ=os.environ) as repository:
        backfill(repository, os.environ)
        found = {
            (commit, record.whole.session or "")
            for commit, body in NotesRef(repository).items()
            for record in standing(commit, decode_note(body))
            if record.role == "produced" and record.whole
        }
    git = Git(root)
    for ref in git("for-each-ref", "--format=%(refname)", "refs/notes").split():
        git("update-ref", "-d", ref)
    shutil.rmtree(root / ".git" / "traj")
    return found


def variants(village: Village) -> Iterator[tuple[str, set[Pair]]]:
    """Yield the pairs found with reflogs, without them, and in a clone when the original is gone."""
    root = village.root
    yield "with reflogs", backfilled(root)
    village.git("reflog", "expire", "--expire=now", "--all")
    yield "without reflogs", backfilled(root)
    fresh = Git.init(root.parent / "elsewhere" / "fresh")
    fresh("fetch", "--quiet", str(root), "+refs/heads/*:refs/heads/*", "--update-head-ok")
    shutil.rmtree(root)
    yield "a clone", backfilled(fresh.root)


def test_nothing_false_and_hardly_anything_missed(tmp_path: Path, empty_home: Path) -> None:
    false: list[str] = []
    missed: list[str] = []
    required_count = 0
    for seed in SEEDS:
        home = empty_home / str(seed)  # each village has its own logs
        home.mkdir()
        os.environ["HOME"] = str(home)
        life = Life(tmp_path / str(seed) / "village", seed)
        life.live(14)
        allowed, required = life.village.allowed(), life.village.required()
        for name, found in variants(life.village):
            required_count += len(required)
            false += [f"seed {seed}, {name}: {c[:7]} {s[:8]}" for c, s in sorted(found - allowed)]
            missed += [f"seed {seed}, {name}: {c[:7]} {s[:8]}" for c, s in sorted(required - found)]
    assert false == []
    assert required_count > 8 * len(SEEDS)
    assert len(missed) <= (1 - RECALL) * required_count, missed


def test_a_village_knows_who_wrote_each_line(tmp_path: Path) -> None:
    """Check the village's own truth, on a history of a few deeds."""
    village = Village(tmp_path / "village", 1)
    village.write("f", "mine\n")
    village.by_hand("begins", ["add", "f"], ["commit", "-qm", "Begin"])
    agent = village.hire("claude", village.root)
    village.by_agent(agent, [Edit("f", "mine", "mine\nits own")])
    village.write("f", (village.read("f") or "") + "mine too\n")
    village.by_hand("takes it", ["commit", "-qam", "Take"])
    taken = village.head()
    village.by_agent(agent, [Shell("git commit -q --allow-empty -m Nothing")])
    made = village.head()
    assert village.allowed() == village.required() == {(taken, agent.session), (made, agent.session)}
    village.by_hand("rewords", ["commit", "-q", "--amend", "--allow-empty", "-m", "Said by hand"])
    assert village.required() == {(taken, agent.session), (village.head(), agent.session)}
    village.write("f", "mine\nmine too\n")
    village.by_hand("takes it away", ["commit", "-qam", "Away"])
    assert (village.head(), agent.session) not in village.allowed()


def test_a_fork_is_not_credited_with_its_parents_commits(tmp_path: Path) -> None:
    """When the sessions' folder is gone, only the fork shows that both worked here."""
    village = Village(tmp_path / "village", 1)
    village.write("f", "mine\n")
    village.by_hand("begins", ["add", "f"], ["commit", "-qm", "Begin"])
    agent = village.hire("claude", village.root)
    village.by_agent(agent, [Write("a", "x\n"), Shell("git add a && git commit -qm 'Add a'")])
    first = village.head()
    fork = village.fork(agent)
    assert fork is not None
    village.by_agent(fork, [Write("b", "y\n"), Shell("git add b && git commit -m 'Add b'")])
    village.rest()
    expected = {(first, agent.session), (village.head(), fork.session)}
    assert dict(variants(village))["a clone"] == expected
