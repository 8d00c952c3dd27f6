"""A desk: a repository with the hooks in, an agent that works there, and where its work stands afterwards.

A test names each piece of work; what comes of it is read in the notes, underneath every command, and compared
whole: all that was said and done for it stands on the commits that the test says, and on no other.
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

Told = Mapping[str, Collection[str]]


@dataclass
class Desk:
    """``session`` is who does a piece of work if a test does not say; ``waits``: nothing is drained before
    the end."""

    git: Git
    waits: bool = False
    works: dict[str, list[Fact]] = field(default_factory=dict)
    sessions: dict[str, SessionWriter] = field(default_factory=dict)

    def install(self) -> Desk:
        """The real hooks. They spool, and wake no worker: to them one runs already, and it has looked at the
        configuration."""
        self.git("config", "traj.thinking", "clear")
        with self.git.open() as repository:
            install(repository)
            hold_workers(repository.common_dir / "traj")
        return self

    def copy(self, first: Path) -> Desk:
        """As ``first``, a repository with a desk where nothing was done yet."""
        copy_repository(first, self.git.root)
        path = self.git.root / ".git" / "traj" / "installed.json"
        installed = json.loads(path.read_text())
        path.write_text(json.dumps(installed | {"time": time.time()}))
        hold_workers(path.parent)
        return self

    def work(self, name: str, *steps: Step, by: str = "one", git: Git | None = None) -> None:
        """A prompt, what the agent ``by`` does about it, and its last words."""
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
        """The agent writes a file, of its own if no ``path`` is given, and commits it as ``name``."""
        written = Write(path or name, text or f"{name}\n" * 3)
        self.work(name, written, Shell(f"git add -A && git commit -m '{name}'"), by=by)

    def branch_off(self, *names: str) -> Desk:
        """The agent's commits on ``topic``, which is checked out; ``main`` went on with ``upstream``."""
        self.git("checkout", "-q", "-b", "topic")
        waits, self.waits = self.waits, True  # one drain for all, as of a quick agent
        for name in names:
            self.commit(name)
        self.waits = waits
        if not waits:
            self.drain()
        self.git("checkout", "-q", "main")
        self.git.commit({"upstream": "theirs\n"}, "upstream")
        self.git("checkout", "-q", "topic")
        return self

    def ends(self, *command: str, git: Git | None = None, env: Mapping[str, str] | None = None) -> int:
        """The status of a person's git."""
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

    def told(self, *revisions: str) -> dict[str, set[str]]:
        """The works that stand on the commits of branches, tags and HEAD (or of ``revisions``), by subject,
        or by id where two have the same one. A commit that has some of a work's events has all of them."""
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
                    alone = subjects.count(commits[commit]) == 1
                    found[commits[commit] if alone else commit] = names
        return found

    def check(
        self, expected: Told, *revisions: str, repaired: bool = False, waiting: Collection[str] = ()
    ) -> None:
        """The records stand as expected (``repaired``: after a repair); nothing is lost or told twice but
        that the works ``waiting`` are on no commit yet; another drain and a repair find nothing to do."""
        self.drain()
        if repaired:
            assert self.repair() > 0
        assert self.told(*revisions) == {commit: {*names} for commit, names in expected.items()}
        stored = [fact for told in read_records(self.git).values() for fact in told.facts]
        assert sorted(stored) == sorted(f for n, own in self.works.items() if n not in waiting for f in own)
        self.git("fsck", "--full", "--strict")
        before = self.git("for-each-ref", "refs/notes")
        self.drain()
        assert self.repair() == 0
        assert self.git("for-each-ref", "refs/notes") == before

    def repair(self) -> int:
        """How many copies of commits a repair found that a drain had not."""
        with self.git.open() as repository:
            return len(repair(repository, environ=Environ.of(os.environ)).carried)

    def _facts(self) -> Iterator[tuple[str, list[Fact]]]:
        with self.git.open() as repository:
            data = DataRefs(repository)
            for commit, body in NotesRef(repository).items():
                lines = standing(commit, decode_note(body))
                records = [r for r in lines if isinstance(r, Record) and r.role == "produced"]
                yield commit, [fact for record in records for fact in read_facts(data, record)]
