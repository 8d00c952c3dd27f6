"""Lets real agents make a pull request, for the screenshots of the comment.

Claude Code and Codex run as people run them, with a model that follows a script; the comment shows what
git-traj recorded.
"""

from __future__ import annotations

from pathlib import Path

from tests.e2e.agents import ClaudeCode, Codex
from tests.e2e.scenario import Edit, Shell, Write, turn
from tests.e2e.workshop import Workshop

TITLE = "Retry in the client, with jitter"
_PLAIN = '''"""Retries of requests that a server refused for now."""

import time


def retry(send, attempts=5):
    for n in range(attempts):
        answer = send()
        if answer.status != 429:
            return answer
        time.sleep(1)
    return answer
'''
_JITTER = "        time.sleep(random.uniform(0, min(30, 2**n)))\n"
_TEST = """import unittest
from types import SimpleNamespace
from unittest.mock import patch

from src.http.retry import retry


class Retries(unittest.TestCase):
    def test_it_stops_when_the_server_answers(self):
        answers = [SimpleNamespace(status=429), SimpleNamespace(status=200)]
        with patch("time.sleep"):
            self.assertEqual(retry(lambda: answers.pop(0)).status, 200)
"""


def make_branch(folder: Path, programs: Path) -> Workshop:
    """Make a repository whose branch ``retry`` is five commits ahead of ``main``, four of them by agents."""
    workshop = Workshop.create(folder)
    workshop.traj("install", "--agent", "claude-code")
    workshop.traj("install", "--agent", "codex")
    workshop.git("config", "traj.thinking", "seal")
    for path in ("src/http", "src/db", "tests"):
        (folder / path).mkdir(parents=True)
    workshop.commit(".gitignore", "__pycache__/\n")
    workshop.commit("src/db/pool.py", "SIZE = 5\n")
    workshop.git("checkout", "-q", "-b", "retry")
    _claude(workshop, ClaudeCode(programs))
    (folder / "src/db/pool.py").write_text("SIZE = 10\n")
    workshop.git("commit", "-qam", "Ten connections in the pool")
    _codex(workshop, Codex(programs))
    return workshop


def _decide(chosen: str, **details: str | float) -> str:
    options = " ".join(f"--{name} '{value}'" for name, value in details.items())
    return f"git traj decision '{chosen}' {options}"


def _claude(workshop: Workshop, agent: ClaudeCode) -> None:
    queue = _decide(
        "Retry in the client",
        alternative="A queue and a worker",
        reasoning="No worker process runs beside this service",
        confidence=0.8,
    )
    jitter = _decide(
        "Full jitter between the attempts",
        alternative="A fixed delay of a second",
        reasoning="Fixed delays bring the bursts back in step",
        confidence=0.9,
    )
    seconds = _decide(
        "Retry-After is read as seconds only",
        alternative="Dates of HTTP too",
        reasoning="The gateway sends seconds today",
        confidence=0.55,
    )
    why = (
        "The 429s came in bursts, so the retries are spread out in the HTTP client itself. A queue was tried "
        "first and dropped: it needs a worker process that this service does not have."
    )
    path = "src/http/retry.py"
    first = agent.run(
        [
            turn(Shell(queue), think="A queue would be more robust.", say="A burst at the gateway."),
            turn(Write(path, _PLAIN), say="First a plain loop."),
            turn(Shell("git add -A && git commit -qm 'Retry what the gateway refuses with 429'")),
            turn(Edit(path, "        time.sleep(1)\n", _JITTER), Shell(jitter)),
            turn(Edit(path, "import time\n", "import random\nimport time\n")),
            turn(Shell("python3 -c 'import src.http.retry' && git commit -qam 'Spread the retries out'")),
            turn(
                Shell(seconds),
                Edit(path, "attempts=5", "attempts=8"),
                Edit(path, "attempts=8", "attempts=5"),
                say="I haven't tested Retry-After as an HTTP date.",
            ),
            turn(Edit(path, "def retry", "# Retry-After: seconds\ndef retry")),
            turn(
                Shell(
                    "git commit -qam 'Honour Retry-After'"
                    f" && git traj complete --summary '{why}' --confidence 0.8"
                )
            ),
            turn(say="The client survives the bursts. I haven't tested Retry-After as an HTTP date."),
        ],
        folder=workshop.path,
        prompt="The gateway answers 429 in bursts. Make the client survive it.",
    )
    workshop.settle(first)


def _codex(workshop: Workshop, agent: Codex) -> None:
    run = agent.run(
        [
            turn(
                Write("tests/test_retry.py", _TEST),
                say="I used unittest rather than pytest, because nothing else is installed here.",
            ),
            turn(Shell("python3 -m unittest tests.test_retry"), say="It runs."),
            turn(Edit("src/http/retry.py", "    return answer\n", "    return answer  # the last refusal\n")),
            turn(Shell("git add -A && git commit -qm 'Test the retries'")),
            turn(say="The loop is tested; the waits themselves are not."),
        ],
        folder=workshop.path,
        prompt="Write a test for src/http/retry.py",
    )
    workshop.settle(run)
