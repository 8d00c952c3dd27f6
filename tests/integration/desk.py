"""A desk: a repository with our hooks, an agent that works there, and a check of where its work is recorded.

A test names each piece of work; the result is read directly from the notes, not by a command, and compared
completely: everything of a piece of work must be on the commits that the test names, and on no others.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gittraj.commands.install.install import install
from gittraj.commands.repair import repair
from gittraj.config import Environ
from gittraj.model.codec import decode_note
from gittraj.model.values import Record
from gittraj.notes.merge import standing
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.record.drain.composition import drain
from tests.e2e.scenario import Fact, Shell, Step, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.records import age_configuration, hold_workers, read_facts, read_records
from tests.integration.repository import Git, copy_repository
from tests.integration.session_writer import SessionWriter
from tests.sizes import NIGHTLY

Expected = Mapping[str, Collection[str]]


@dataclass
class Desk:
    """``works`` has the facts of each piece of work; ``sessions``, each agent's session by its name;
    ``waits``: nothing is drained before the end."""

    git: Git
    waits: bool = False
    works: dict[str, list[Fact]] = field(default_factory=dict)
    sessions: dict[str, SessionWriter] = field(default_factory=dict)

    def install(self) -> Desk:
        """Install the real hooks. They spool, but wake no worker, as if one were running, and do not check
        the configuration again."""
        self.git("config", "traj.thinking", "clear")
        with self.git.open() as repository:
            install(repository)
            hold_workers(repository.common_dir / "traj")
        return self

    def copy(self, first: Path) -> Desk:
        """Make this desk a copy of ``first``, a repository with a desk where nothing was done yet."""
        copy_repository(first, self.git.root)
        path = self.git.root / ".git" / "traj" / "installed.json"
        installed = json.loads(path.read_text())
        path.write_text(json.dumps(installed | {"time": time.time()}))
        hold_workers(path.parent)
        return self

    def work(self, name: str, *steps: Step, by: str = "one", git: Git | None = None) -> None:
        """Play a prompt, the steps of the agent ``by``, and its last message."""
        here = git or self.git
        age_configuration(self.git.root / ".git")
        session = self.sessions.get(by)
        if session is None:
            session = self.sessions[by] = ClaudeSession(here.root, name=by)
        before = len(session.facts)
        session.run([turn(*steps), turn(say=f"{name} is done")], prompt=f"Please do {name}")
        self.works[name] = session.facts[before:]
        if not self.waits:
            self.drain()

    def commit(self, name: str, text: str = "", *, path: str = "", by: str = "one") -> None:
        """Let the agent write a file, a new one if no ``path`` is given, and commit it as ``name``."""
        written = Write(path or name, text or f"{name}\n" * 3)
        self.work(name, written, Shell(f"git add -A && git commit -m '{name}'"), by=by)

    def branch_off(self, *names: str) -> Desk:
        """Let the agent commit ``names`` on ``topic``, which stays checked out, and a person on ``main``."""
        self.git("checkout", "-q", "-b", "topic")
        waits, self.waits = self.waits, True  # one drain for all, as if the agent were quick
        for name in names:
            self.commit(name)
        self.waits = waits
        if not waits:
            self.drain()
        self.git("checkout", "-q", "main")
        self.git.commit({"upstream": "theirs\n"}, "upstream")
        self.git("checkout", "-q", "topic")
        return self

    def run_git(self, *command: str, git: Git | None = None, env: Mapping[str, str] | None = None) -> int:
        """Run git as a person; return its status."""
        done = subprocess.run(
            ["git", *command],
            cwd=(git or self.git).root,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert b"traj" not in done.stderr, done.stderr
        return done.returncode

    def drain(self, git: Git | None = None) -> None:
        with (git or self.git).open() as repository:
            drain(repository, environ=Environ.of(os.environ), live={})

    def recorded(self, *revisions: str) -> dict[str, set[str]]:
        """The works on the commits of branches, tags and HEAD (or of ``revisions``), by the commit's subject,
        or its id if two have the same. A commit that has some of a work's events must have all of them."""
        listed = self.git("log", "--format=%H %s", *(revisions or ("HEAD", "--branches", "--tags")), "--")
        commits = dict(line.split(" ", 1) for line in listed.splitlines())
        subjects = [*commits.values()]
        found: dict[str, set[str]] = {}
        for commit, facts in self._facts():
            if commit in commits:
                names = {name for name, own in self.works.items() if not set(own).isdisjoint(facts)}
                whole = sorted(fact for name in names for fact in self.works[name])
                assert sorted(facts) == whole, f"{commits[commit]} has {facts}"
                if names:
                    unique = subjects.count(commits[commit]) == 1
                    found[commits[commit] if unique else commit] = names
        return found

    def check(
        self, expected: Expected, *revisions: str, repaired: bool = False, waiting: Collection[str] = ()
    ) -> None:
        """The records are as expected (``repaired``: after a repair); nothing is lost or recorded twice,
        except that works ``waiting`` are on no commit yet; another drain finds nothing to do, nor does
        another repair, which by day is tried only if ``repaired``."""
        self.drain()
        if repaired:
            assert self.repair() > 0
        assert self.recorded(*revisions) == {commit: {*names} for commit, names in expected.items()}
        stored = [fact for each in read_records(self.git).values() for fact in each.facts]
        assert sorted(stored) == sorted(f for n, own in self.works.items() if n not in waiting for f in own)
        self.git("fsck", "--full", "--strict")
        before = self.git("for-each-ref", "refs/notes")
        self.drain()
        if repaired or NIGHTLY:
            assert self.repair() == 0
        assert self.git("for-each-ref", "refs/notes") == before

    def repair(self) -> int:
        """Repair; return how many copies of commits were found that a drain had missed."""
        with self.git.open() as repository:
            return len(repair(repository, environ=Environ.of(os.environ)).carried)

    def _facts(self) -> Iterator[tuple[str, list[Fact]]]:
        with self.git.open() as repository:
            data = DataRefs(repository)
            for commit, body in NotesRef(repository).items():
                lines = standing(commit, decode_note(body))
                records = [r for r in lines if isinstance(r, Record) and r.role == "produced"]
                yield commit, [fact for record in records for fact in read_facts(data, record)]
