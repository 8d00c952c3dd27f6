"""Three runs at once on one GitHub: a single comment is left, the newest head's.

``GIT_TRAJ_TRIALS`` is the number of trials; each has its own delays; every third loses the answer to a POST.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from github_action.api import connect
from github_action.forge import GitHub as Host
from github_action.retry import RetryBudget
from github_action.token import Token
from github_action.upsert_comment import Marker, Upserted, post
from tests.github.faults import Fault, Lost
from tests.github.server import BOT, TOKEN, GitHub
from tests.github.shapes import PullState
from tests.sizes import size

TRIALS = size(3, 9, "GIT_TRAJ_TRIALS")
HEADS = ("1" * 40, "2" * 40, "3" * 40)
SPEED = 10
"""How many times faster than real time: GitHub's answers take 0 to 100 ms here, writes are 0.1 s apart."""


@pytest.mark.parametrize("trial", range(TRIALS))
def test_a_run_for_each_of_three_pushes(trial: int) -> None:
    rng = random.Random(trial)
    github = a_github(rng, trial)

    def push_and_run(number: int) -> Upserted:
        time.sleep(number * rng.random() / SPEED / 3)
        github.pulls[7].head = max(HEADS[number], github.pulls[7].head)
        return run(github, number, HEADS[number])

    settled = race(github, push_and_run)
    assert github.bodies() == [f"{Marker(key='default', head=HEADS[2], run=102)}\nreport 2"]
    assert settled[2].result in ("created", "updated")


@pytest.mark.parametrize("trial", range(TRIALS))
def test_three_runs_for_one_push(trial: int) -> None:
    """The pull request is opened, labelled and made ready at once; each run has a different text."""
    rng = random.Random(trial)
    github = a_github(rng, trial)

    def run_late(number: int) -> Upserted:
        time.sleep(rng.random() / SPEED / 3)
        return run(github, number, HEADS[0])

    settled = race(github, run_late)
    [body] = github.bodies()
    assert body in [f"{Marker(key='default', head=HEADS[0], run=100 + n)}\nreport {n}" for n in range(3)]
    assert {one.comment.id for one in settled if one.comment} == {*ours(github)}


def a_github(rng: random.Random, trial: int) -> GitHub:
    github = GitHub(pulls={7: PullState(head=HEADS[0])})
    github.pause = lambda: time.sleep(rng.random() / SPEED / 20)
    if trial % 3 == 0:
        github.faults.append(Fault("POST .*/comments", Lost(200), after=True))
    if trial % 4 == 1:
        github.add_comment(f"{Marker(key='default', head='0' * 40, run=1)}\nold")
    github.add_comment(f"{Marker(key='default', head=HEADS[2], run=9)}\nforged", author="mallory")
    return github


def race(github: GitHub, one: Callable[[int], Upserted]) -> list[Upserted]:
    with github.running(), ThreadPoolExecutor(3) as pool:
        settled = list(pool.map(one, range(3)))
    assert github.violations == []
    [forged] = github.bodies("mallory")
    assert forged.endswith("forged")
    return settled


def ours(github: GitHub) -> list[int]:
    return [number for number, comment in github.comments.items() if comment["user"]["login"] == BOT]


def run(github: GitHub, number: int, head: str) -> Upserted:
    budget = RetryBudget(sleep=lambda seconds: time.sleep(seconds / SPEED))
    marker = Marker(key="default", head=head, run=100 + number)
    with connect(Token(TOKEN), repository="acme/app", url=github.url, budget=budget) as api:
        return post(Host(api), f"report {number}", number=7, marker=marker)
