"""Villages: seeded random histories made by agents and people together, with the truth about them.

The truth is kept by line: whoever writes a line owns it, in that file and that text, and keeps it when git
moves it. Git's own diff says what a commit introduces, and git's own ``post-rewrite`` what a commit
became. None of it is read from a log, and nothing here knows git-traj.
"""

from __future__ import annotations

import difflib
import json
import os
import random
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from tests.e2e.scenario import Shell, Step, turn
from tests.integration import claude_session, codex_session
from tests.integration.claude_session import ClaudeSession
from tests.integration.codex_session import CodexSession
from tests.integration.session_writer import Json, SessionWriter

PERSON = "a person"
Pair = tuple[str, str]
"""A commit and a session that has a part in it."""
Owners = tuple[frozenset[str], ...]
"""The writers of each line of a text."""
_START = 1_772_360_000.0
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Clock:
    """The village's time, in seconds since 1970. ``pending_times``: times for the next records, which are
    written to a log later than they happened."""

    def __init__(self, *, dense: bool, random: random.Random) -> None:
        self.time = _START + random.random()
        self.dense = dense
        self.random = random
        self.pending_times: list[float] = []

    def now(self) -> str:
        if self.pending_times:
            return _stamp(self.pending_times.pop(0))
        self.time += self.random.uniform(0.001, 0.02)
        return _stamp(self.time)

    def pass_by(self) -> None:
        """Let time pass between two actions: if ``dense``, mostly almost no time, else seconds to hours."""
        kinds = [(0.0, 0.1), (0.0, 0.1), (0.5, 2.5)] if self.dense else [(1, 4), (5, 90), (200, 9000)]
        self.time += self.random.uniform(*self.random.choice(kinds))

    def dates(self) -> dict[str, str]:
        return dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{int(self.time)} +0000")

    @contextmanager
    def told(self) -> Iterator[None]:
        """Make agents write their logs by this clock."""
        fake = SimpleNamespace(time=lambda: self.time, monotonic=time.monotonic, sleep=time.sleep)
        with (
            patch.object(claude_session, "now", self.now),
            patch.object(codex_session, "now", self.now),
            patch.object(codex_session, "time", fake),
        ):
            yield


def _stamp(time: float) -> str:
    text = datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


@dataclass
class Ledger:
    """Records who wrote, and who removed, which line of which path."""

    texts: dict[tuple[str, str], Owners] = field(default_factory=dict)
    lines: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    removed: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def owners(self, path: str, text: str) -> Owners:
        """The owners of a text's lines; if git merged the text, all who wrote such a line in that file."""
        known = self.texts.get((path, text))
        if known is not None:
            return known
        return tuple(frozenset(self.lines.get((path, line.strip()), ())) for line in text.splitlines())

    def change(self, path: str, before: str | None, after: str | None, who: str) -> None:
        """Record that ``who`` changed a file's text."""
        old, new = (before or "").splitlines(), (after or "").splitlines()
        had = self.owners(path, before or "")
        has: list[frozenset[str]] = []
        was, is_now = ([line.strip() for line in side] for side in (old, new))
        for tag, a, b, c, d in difflib.SequenceMatcher(None, was, is_now, autojunk=False).get_opcodes():
            if tag == "equal":
                has += had[a:b]
                continue
            for line in was[a:b]:
                self.removed.setdefault((path, line), set()).add(who)
            has += [frozenset({who})] * (d - c)
        if after is not None:
            self.know(path, after, tuple(has))

    def know(self, path: str, text: str, owners: Owners) -> None:
        known = self.texts.get((path, text))
        merged = tuple(a | b for a, b in zip(known, owners, strict=True)) if known else owners
        self.texts[path, text] = merged
        for line, whose in zip(text.splitlines(), owners, strict=True):
            self.lines.setdefault((path, line.strip()), set()).update(whose)


@dataclass
class Deed:
    """The sessions with a part in a commit. ``made``: their calls made it; ``wrote``: they have lines or
    removals in it; ``owed``: they must be credited: they made it, or wrote half of what it adds to a file."""

    made: set[str] = field(default_factory=set)
    wrote: set[str] = field(default_factory=set)
    owed: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Added:
    """A line that a commit introduces, and its owners."""

    path: str
    line: str
    owners: frozenset[str]


class Village:
    """A repository, its people and its agents; ``story`` is a log of what happened, for debugging."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.clock = Clock(dense=self.random.random() < 0.5, random=self.random)
        self.ledger = Ledger()
        self.deeds: dict[str, Deed] = {}
        self.origins: dict[str, set[str]] = {}
        self.story: list[str] = []
        self.deed_count = 0
        self.sessions: list[SessionWriter] = []
        self._introduced: set[tuple[str, str]] = set()
        self._rewritten = root.parent / f"{root.name}.rewritten"
        root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        hooks = {
            "post-rewrite": f"#!/bin/sh\ncat >>'{self._rewritten}'\n",
            "pre-commit": '#!/bin/sh\n[ ! -e "$(git rev-parse --git-dir)/refuse" ]\n',
        }
        for name, body in hooks.items():
            hook = root / ".git" / "hooks" / name
            hook.write_text(body)
            hook.chmod(0o755)

    # ------------------------------------------------------------ git and files

    def git(self, *arguments: str, env: Mapping[str, str] | None = None, given: str | None = None) -> str:
        done = self.tried(*arguments, env=env, given=given)
        assert done.returncode == 0, f"git {arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def tried(
        self, *arguments: str, env: Mapping[str, str] | None = None, given: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**os.environ, **self.clock.dates(), "GIT_EDITOR": "true", **(env or {})},
            input=given or "",
            capture_output=True,
            text=True,
            check=False,
        )

    def files(self) -> list[str]:
        found = (p.relative_to(self.root) for p in self.root.rglob("*") if p.is_file())
        return sorted(str(p) for p in found if p.parts[0] not in (".git", "tools"))

    def read(self, path: str) -> str | None:
        file = self.root / path
        return file.read_text() if file.is_file() else None

    def clean(self) -> bool:
        return not self.git("status", "--porcelain", "-uno").strip()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    # ------------------------------------------------------------ deeds

    def write(self, path: str, text: str, who: str = PERSON) -> None:
        """Let a person (or an agent's shell) write a file."""
        self.ledger.change(path, self.read(path), text, who)
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def delete(self, path: str, who: str = PERSON) -> None:
        self.ledger.change(path, self.read(path), None, who)
        (self.root / path).unlink()

    def move(self, old: str, new: str) -> None:
        """Record that a file is about to be renamed: its lines do not count as new."""
        text = self.read(old) or ""
        self.ledger.know(new, text, self.ledger.owners(old, text))
        self._introduced |= {(new, line.strip()) for line in text.splitlines()}

    def by_hand(self, what: str, *commands: Sequence[str], env: Mapping[str, str] | None = None) -> bool:
        """Let a person run git; return whether all commands succeeded."""
        self.clock.pass_by()
        ok = all(self.tried(*command, env=env).returncode == 0 for command in commands)
        self.record_deed(f"person: {what}{'' if ok else ' (failed)'}")
        return ok

    def by_agent(
        self,
        agent: SessionWriter,
        steps: Sequence[Step],
        *,
        sources: Iterable[str] = (),
        remade: str | None = None,
    ) -> None:
        """Play an agent's response with its calls; ``sources``: the commits that its command copies;
        ``remade``: the one that it recreates, which within a second may be identical."""
        known = len(self.deeds)
        self.clock.pass_by()
        agent.folder.mkdir(parents=True, exist_ok=True)  # git removes empty folders
        with self.clock.told():
            if not agent.facts or self.random.random() < 0.3:
                if agent.facts:
                    agent.finish()
                agent.prompt(f"Do something about {self.random.random()}")
            before = {path: self.read(path) for path in self.files()}
            for step in steps:
                agent.respond(turn(step))
                if not isinstance(step, Shell):
                    path = str((agent.folder / step.path).relative_to(self.root))
                    after = self.read(path)
                    self.ledger.change(path, before.get(path), after, agent.session)
                    before[path] = after
        calls = [f"$ {s.command}" if isinstance(s, Shell) else f"{type(s).__name__} {s.path}" for s in steps]
        self.record_deed(
            f"{agent.agent} {agent.session[:8]}: {'; '.join(calls)}", agent.session, sources=sources
        )
        if remade is not None and len(self.deeds) == known:
            self.deeds[remade].wrote.add(agent.session)

    def record_deed(self, what: str, session: str | None = None, *, sources: Iterable[str] = ()) -> None:
        """Record what a step did to the history; the new commits contain the work of ``sources``."""
        self.deed_count += 1
        every = self.git("rev-list", "--all", "--reflog", "--topo-order", "--reverse").split()
        news = [c for c in every if c not in self.deeds]
        made = self.git("show", "-s", "--format=%h '%s'", *news).splitlines() if news else []
        if made or what:
            self.story.append(f"{self.clock.time:.1f} {what} -> {', '.join(made)}")
        pairs = [(old, new) for old in sources for new in news]
        if self._rewritten.exists():
            lines = self._rewritten.read_text().splitlines()
            pairs += [(words[0], words[1]) for words in map(str.split, lines)]
            self._rewritten.unlink()
        for old, new in pairs:
            self.origins.setdefault(new, set()).add(old)
        carried = {new for _, new in pairs}
        for commit in news:
            self.deeds[commit] = self._deed(commit, session, fresh=commit not in carried)

    def _deed(self, commit: str, session: str | None, *, fresh: bool) -> Deed:
        deed = Deed()
        parents = len(self.git("rev-list", "--parents", "-1", commit).split()) - 1
        added, removed = self._changes(commit)
        if session is not None:
            deed.made.add(session)
            deed.owed.add(session)
        for each in added:
            deed.wrote |= each.owners
        for path, line in removed:
            deed.wrote |= self.ledger.removed.get((path, line), set())
        if fresh and parents < 2:
            for path in {line.path for line in added}:
                meaningful = [a for a in added if a.path == path and any(map(str.isalnum, a.line))]
                for who in {next(iter(a.owners)) for a in meaningful if len(a.owners) == 1}:
                    theirs = [
                        a for a in meaningful if a.owners == {who} and (path, a.line) not in self._introduced
                    ]
                    if theirs and len(theirs) * 2 >= len(meaningful):
                        deed.owed.add(who)
        self._introduced |= {(a.path, a.line) for a in added}
        deed.wrote.discard(PERSON)
        deed.owed.discard(PERSON)
        return deed

    def _changes(self, commit: str) -> tuple[list[Added], list[tuple[str, str]]]:
        """The lines that a commit adds and removes, by git's diff."""
        asked = ("diff-tree", "-r", "-m", "--root", "--no-commit-id", "--no-renames", "-p", "-U0", commit)
        added: list[Added] = []
        removed: list[tuple[str, str]] = []
        path, at = "", 0
        owners: Owners = ()
        body = False
        for line in self.git(*asked).splitlines():
            if line.startswith("diff --git "):
                path, body = line.partition(" b/")[2], False
                text = self.tried("show", f"{commit}:{path}")
                owners = self.ledger.owners(path, text.stdout) if text.returncode == 0 else ()
            elif found := _HUNK.match(line):
                at, body = int(found[1]) - 1, True
            elif body and line.startswith("+"):
                added.append(Added(path, line[1:].strip(), owners[at]))
                at += 1
            elif body and line.startswith("-"):
                removed.append((path, line[1:].strip()))
        return added, removed

    # ------------------------------------------------------------ the truth

    def allowed(self) -> set[Pair]:
        """The pairs that may be found: the session has a part in the commit, or in a source of it."""
        return {(c, s) for c in self.deeds for d in self._all(c) for s in (*d.made, *d.wrote)}

    def required(self) -> set[Pair]:
        """The pairs that should be found, of commits that a branch reaches."""
        found: set[Pair] = set()
        for commit in self.git("rev-list", "--branches").split():
            found |= {(commit, s) for deed in self._all(commit) for s in deed.owed}
        return found

    def _all(self, commit: str) -> Iterator[Deed]:  # the deeds of a commit and of all its origins
        seen: set[str] = set()
        queue = [commit]
        while queue:
            at = queue.pop()
            if at not in seen and at in self.deeds:
                seen.add(at)
                yield self.deeds[at]
                queue += self.origins.get(at, ())

    # ------------------------------------------------------------ agents

    def hire(self, kind: str, folder: Path) -> SessionWriter:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{self.random.random()}"
        with self.clock.told():
            agent = (_Claude if kind == "claude" else _Codex)(folder, name=name)
        agent.clock = self.clock
        self.sessions.append(agent)
        return agent

    def fork(self, parent: SessionWriter) -> SessionWriter | None:
        """Begin a new session with a copy of another's log."""
        if not isinstance(parent, _Claude) or not parent.facts:
            return None
        agent = self.hire("claude", parent.folder)
        assert isinstance(agent, _Claude)
        records = [json.loads(line) for line in parent.log.read_text().splitlines()]
        newer = self.random.random() < 0.7
        if not newer:  # in older versions, a resumed session continued only in the copy
            self.sessions.remove(parent)
        for record in records:
            origin = {"sessionId": parent.session, "messageUuid": record.get("uuid")}
            more = {"forkedFrom": origin} if newer and "uuid" in record else {}
            agent.append({**record, "sessionId": agent.session, **more})
        agent.continue_from(parent)
        self.story.append(f"fork of {parent.session[:8]}: {agent.session[:8]}")
        return agent

    def rest(self) -> None:
        """End all sessions, and make their logs old."""
        for agent in self.sessions:
            if agent.facts:
                with self.clock.told():
                    agent.finish()
                os.utime(agent.log, (self.clock.time, self.clock.time))


class _Timed:
    clock: Clock

    def take_time(self, env: Mapping[str, str]) -> dict[str, str]:
        """Let a command take some time; git uses the village's clock."""
        self.clock.time += self.clock.random.choice([0.01, 0.05, 0.3, 1.2])
        found = {**env, **self.clock.dates(), "GIT_EDITOR": "true"}
        self.clock.time += self.clock.random.choice([0.01, 0.05, 0.6])
        return found


class _Claude(_Timed, ClaudeSession):
    lag = 0.0  # seconds until the message of a running call is in the log

    @contextmanager
    def running(self, step: Shell, env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
        begun = self.clock.time
        env = self.take_time(env)
        self.clock.pending_times.append(begun)  # the message is logged while its call runs
        with super().running(step, env) as process:
            yield process

    def continue_from(self, parent: _Claude) -> None:
        self._last, self._prompt, self._prompt_id = parent._last, parent._prompt, parent._prompt_id
        self.facts = list(parent.facts)
        self.responses = parent.responses


class _Codex(_Timed, CodexSession):
    @contextmanager
    def running(self, step: Shell, env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
        with super().running(step, self.take_time(env)) as process:
            yield process

    def _meta(self) -> Json:
        asked = ["git", "rev-parse", "HEAD"]
        head = subprocess.run(asked, cwd=self.folder, capture_output=True, text=True, check=True).stdout
        meta = super()._meta()
        return meta | {"git": {"commit_hash": head.strip(), **meta["git"]}}
