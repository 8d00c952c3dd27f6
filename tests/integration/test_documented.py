"""Every command line of README and the documentation runs as it is written: status 0, and some output."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import traj
from tests.integration.desk import Desk
from tests.integration.repository import Git
from tests.integration.sharing import bare

PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if page.name != "team.md"  # gather/test_page.py runs it
]
NOT_HERE = {
    "pipx install": "installs this checkout: .ci/wheel and .ci/installers do",
    "cd your/repository": "where the test is",
    ".ci/": "the project's own scripts, which CI runs",
    "pip install your-package": "a plug-in: test_plugins.py",
    "git config --global --add traj.plugin NAME": "the same",
    "git traj install --agent NAME": "the same",
    "git traj recipients add github:alice": "asks GitHub",
    "git traj export --seal NAME": "needs age",
    "{ header; payload; }": "needs age",
}
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
SILENT = ("git traj rewrap", "git traj redact --audit")


def lines(page: Path) -> Iterator[str]:
    """The command lines of a page, without comments and those that cannot run here."""
    for block in _BLOCK.findall(page.read_text("utf-8")):
        for line in block.splitlines():
            if line.startswith("git traj") and not line.startswith(tuple(NOT_HERE)):
                yield line


def scripts(page: Path) -> Iterator[str]:
    """The shell blocks of a page."""
    for block in _BLOCK.findall(page.read_text("utf-8")):
        if "git traj" not in block and not block.startswith(tuple(NOT_HERE)):
            yield block


@pytest.fixture
def shop(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A branch on which an agent wrote src/api.py, of 12 lines, with a server to share records with."""
    git = desk.git
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "0")
    git("remote", "add", "origin", str(bare(tmp_path / "server").root))
    git("checkout", "-q", "-b", "topic")
    script = [
        turn(Write("src/api.py", "limit = 1\n" * 12), say="I'll use one limit rather than a table: few ask."),
        turn(Shell("git add -A && git commit -m 'Limit requests'")),
        turn(say="Requests are limited."),
    ]
    ClaudeSession(git.root).run(script, prompt="A rate limit of requests, please")
    desk.drain()
    key = traj(git.root, "keys", "init").stdout.split()[-1]
    assert traj(git.root, "recipients", "add", key).returncode == 0
    git("config", "traj.push", "auto")  # there is no terminal to confirm a push on
    return git


@pytest.mark.parametrize("page", [p for p in PAGES if any(lines(p))], ids=lambda page: page.stem)
def test_commands_of_a_page(shop: Git, page: Path) -> None:
    for line in lines(page):
        words = shlex.split(line, comments=True)
        done = traj(shop.root, *words[2:])
        assert done.returncode == 0, (line, done)
        assert done.stdout or line.startswith(SILENT) or "-o" in words, (line, done)
        assert not re.search(r"no record|no matching|nothing recorded", done.stderr), (line, done)


def test_the_format_in_plain_git(shop: Git) -> None:
    """Each shell block of docs/format.md runs with the output of the one before it."""
    first, event, patch, *rest = scripts(ROOT / "docs" / "format.md")
    assert rest == []

    def run(script: str) -> str:
        done = subprocess.run(
            ["bash", "-c", script], cwd=shop.root, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), script
        return done.stdout

    commit, printed = shop("rev-parse", "HEAD").strip(), run(first.replace("src/parser.py", "src/api.py"))
    (evidence, trajectory, prompt), *rows = (line.split(None, 2) for line in printed.splitlines())
    assert (evidence, prompt) == ("agent", "A rate limit of requests, please")
    shown = ""
    for data, name in (row for row in rows if row[0].startswith("refs/")):
        month = data.removeprefix("refs/notes/traj-data-")
        shown += run(f"month={month} trajectory={trajectory} name={name}\n{event}")
    assert '"content":"A rate limit of requests, please"' in shown
    assert run(patch.replace("COMMIT", commit)).split()[1] == commit


def test_each_exception_is_still_in_a_page() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert [start for start in NOT_HERE if f"\n{start}" not in text] == []
