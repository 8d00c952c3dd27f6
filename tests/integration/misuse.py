"""Days of two agents and a person misusing one work tree, with the truth about who made each commit.

A history is several stories at once, a step of one and then a step of another. A story writes its own files,
with lines that are nowhere else, so it knows by construction who made its commits: ``mine`` are the sessions
that may be credited with a commit, ``owed`` the sessions that must be: they made it or wrote most of it.
git-traj runs only to record during the day.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gittraj.commands.backfill.local_sessions import backfill
from gittraj.commands.install.install import install
from gittraj.config import Environ
from gittraj.git import open_repository
from gittraj.model.codec import decode_note
from gittraj.notes.merge import standing
from gittraj.notes.store import DataRefs, NotesRef
from gittraj.record.drain.composition import drain
from tests.e2e.scenario import Edit, Fact, Shell, Step, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.records import hold_workers, read_facts
from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter
from tests.integration.village import Village


@dataclass(slots=True)
class Part:
    """A session's record on a commit: how it is linked, and by which calls."""

    calls: set[str] = field(default_factory=set)
    facts: set[Fact] = field(default_factory=set)


Recorded = dict[tuple[str, str], Part]
"""The recorded parts, by commit and session."""
LICENCE = "# Copyright of the Example Company, all rights reserved\nimport os\nimport sys\n"
_SCRIPT = '#!/bin/sh\ngit commit -qm "$1" -- "$2"\n'
_CONTINUOUS_INTEGRATION = "#!/bin/sh\nprintf '[main %s] Release\\n' \"$1\"\n"


@dataclass(frozen=True, slots=True)
class Truth:
    """The ``kind`` of story that made a commit, and the sessions that may (``mine``) and must (``owed``) be
    credited with it."""

    kind: str
    mine: frozenset[str]
    owed: frozenset[str]


class Misuse(Village):
    """A day of the agents and the person. ``truth`` says who made each commit; ``drains``, whether to record
    after about every second step."""

    def __init__(self, root: Path, seed: int, *, drains: bool = True) -> None:
        super().__init__(root, seed)
        self.clock.dense = False
        shutil.rmtree(root / ".git" / "hooks")
        self.drains = drains
        self.truth: dict[str, Truth] = {}
        self._number = 0
        self._create_repository()
        self.agents = [self.hire(self.random.choice(["claude", "codex"]), root) for _ in range(2)]

    def live(self, stories: int) -> None:
        open_ones = [self._pace(each) for each in self.random.choices(STORIES, k=stories)]
        while open_ones:
            story = self.random.choice(open_ones[:3])
            if next(story, self) is self:
                open_ones.remove(story)
            if self.drains and self.random.random() < 0.5:
                self._age_logs()
                record(self.root, patience=self.random.choice([0, 0, 60]))
        self.rest()
        if self.drains:
            record(self.root)

    def _age_logs(self) -> None:
        """Every other time, make the logs look old, as if the agents were thinking and wrote nothing."""
        modified = time.time() - 60 * (int(self.clock.time) % 2)
        for agent in self.agents:
            if agent.facts:
                os.utime(agent.log, (modified, modified))

    def _create_repository(self) -> None:
        for name, text in (("release", _SCRIPT), ("ci", _CONTINUOUS_INTEGRATION)):
            (self.root / name).write_text(text)
            (self.root / name).chmod(0o755)
        (self.root / "Makefile").write_text('ship:\n\t@git commit -qm "$(S)" -- "$(F)"\n')
        for n in range(4):
            (self.root / f"old_{n}.py").write_text(f"{LICENCE}old = {n}\n")
        self.git("config", "alias.ci", "commit")
        self.git("config", "traj.thinking", "clear")
        self.git("add", "-A")
        self.git("commit", "-qm", "Begin")
        with open_repository(self.root, environ=os.environ) as repository:
            install(repository)
        state = self.root / ".git" / "traj"
        hold_workers(state)
        installed = json.loads((state / "installed.json").read_text())
        (state / "installed.json").write_text(json.dumps(installed | {"time": self.clock.time}))

    def _pace(self, story: Story) -> Iterator[None]:
        for _ in story(self):
            self.clock.time += 4 + self.random.choice([0, 1, 60, 3000]) * self.random.random()
            yield

    # ------------------------------------------------------------ building blocks of stories

    def agent(self) -> SessionWriter:
        return self.random.choice(self.agents)

    def path(self) -> str:
        self._number += 1
        return f"file_{self._number}.py"

    def subject(self) -> str:
        return self.random.choice(["wip", "Fix it", f"Add part {self.random.randrange(1000)}"])

    def lines(self, count: int = 6) -> str:
        self._number += 1
        return "".join(f"value_{self._number}_{n} = {self.random.random()}\n" for n in range(count))

    def put(self, path: str, text: str) -> None:
        """Let a person write a file."""
        (self.root / path).write_text(text)

    def does(self, agent: SessionWriter, *steps: Step, say: str = "") -> None:
        """Play a response of an agent, with the results of its calls."""
        with self.clock.told():
            if not agent.facts or self.random.random() < 0.2:
                agent.prompt(f"Go on with {self.random.random()}")
            agent.respond(turn(*steps, say=say), last=not steps)

    def commits(self, kind: str, agent: SessionWriter, *steps: Step) -> None:
        """Let an agent's call make a commit."""
        with self.made(kind, {agent.session}, {agent.session}):
            self.does(agent, *steps)

    def commit_as_person(
        self, kind: str, path: str, *, owed: Collection[str] = (), env: dict[str, str] | None = None
    ) -> None:
        """Let a person commit a file."""
        with self.made(kind, owed, owed):
            self.tried("add", "--", path)
            way = self.random.choice((("commit",), ("ci",)))
            self.tried(*way, "-qm", self.subject(), "--", path, env=env)

    def made(self, kind: str, mine: Collection[str], owed: Collection[str]) -> _Made:
        return _Made(self, Truth(kind, frozenset(mine), frozenset(owed)))


@dataclass(slots=True)
class _Made:
    """Notes who made the commits of a step, and sets the times of their hooks to the history's clock."""

    day: Misuse
    truth: Truth
    _before: str = ""

    def __enter__(self) -> None:
        self._before = self.day.head()

    def __exit__(self, *_: object) -> None:
        for commit in self.day.git("rev-list", f"{self._before}..HEAD").split():
            self.day.truth[commit] = self.truth
            moment = self.day.root / ".git" / "traj" / "at" / commit
            if moment.exists():
                time = int(self.day.git("show", "-s", "--format=%ct", commit))
                os.utime(moment, (time, time))


Story = Callable[[Misuse], Iterator[None]]


# ---------------------------------------------------------------- agents' commits


def plain(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    day.does(agent, Write(path, day.lines()))
    yield
    quiet = day.random.choice(["", "-q "])
    day.commits(
        "agent: git commit", agent, Shell(f"git add {path} && git commit {quiet}-m '{day.subject()}' {path}")
    )
    yield
    day.does(agent, say="It is done")


def together(day: Misuse) -> Iterator[None]:
    """Write and commit in one response."""
    agent, path = day.agent(), day.path()
    command = f"git add {path} && git commit -m '{day.subject()}' {path}"
    day.commits("agent: git commit", agent, Write(path, day.lines()), Shell(command))
    yield


def by_something_else(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    day.does(agent, Write(path, day.lines()))
    yield
    subject = day.subject()
    kind, command = day.random.choice(
        [
            ("script", f"./release '{subject}' {path}"),
            ("make", f"make ship S='{subject}' F={path}"),
            ("alias", f"git ci -qm '{subject}' {path}"),
            ("env", f"env X=y git commit -qm '{subject}' {path}"),
        ]
    )
    day.commits(f"agent: by {kind}", agent, Shell(f"git add {path}; {command}"))
    yield


def nothing_in_it(day: Misuse) -> Iterator[None]:
    agent = day.agent()
    day.commits("agent: empty commit", agent, Shell(f"git commit --allow-empty -m '{day.subject()}'"))
    yield


def other_people_s_file(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    day.put(path, day.lines())
    yield
    day.commits(
        "agent: a person's file", agent, Shell(f"git add {path} && git commit -qm '{day.subject()}' {path}")
    )
    yield


def formatted_by_the_agent(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    day.does(agent, Write(path, day.lines()))
    yield
    command = f"sed -i 's/ = /=/' {path} && git add {path} && git commit -qm '{day.subject()}' {path}"
    day.commits("agent: formatted", agent, Shell(command))
    yield


def both_at_once(day: Misuse) -> Iterator[None]:
    """Two agents make commits with the same subject within a second."""
    paths = [day.path() for _ in day.agents]
    for agent, path in zip(day.agents, paths, strict=True):
        day.does(agent, Write(path, day.lines()))
    yield
    for agent, path in zip(day.agents, paths, strict=True):
        day.commits("agent: both at once", agent, Shell(f"git add {path} && git commit -qm wip {path}"))
    yield


def amended(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    command = f"git add {path} && git commit -m '{day.subject()}' {path}"
    day.commits("agent: amended", agent, Write(path, day.lines()), Shell(command))
    same = day.head()
    yield
    if day.head() == same:
        day.commits("agent: amended", agent, Shell("git commit -q --amend --allow-empty -m 'Said again'"))
    yield


# ---------------------------------------------------------------- a person's commits of an agent's work


def left_uncommitted(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    day.does(agent, Write(path, day.lines()))
    yield
    day.does(agent, say="It is yours to commit")
    yield
    day.commit_as_person("person: an agent's work", path, owed={agent.session})
    yield


def edited_by_both(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    mine, theirs = day.lines(3), day.lines(8)
    day.put(path, mine)
    day.commit_as_person("person: own", path)
    yield
    day.does(agent, Shell(f"cat {path}"))
    day.does(agent, Edit(path, mine, mine + theirs))
    yield
    day.put(path, mine + theirs + day.lines(2))
    yield
    day.commit_as_person("person: most is an agent's", path, owed={agent.session})
    yield


def formatted(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    text = day.lines()
    day.does(agent, Write(path, text))
    yield
    day.put(path, "\t" + text.replace(" = ", "=").replace("\n", "\n\t"))
    day.commit_as_person("person: formatted", path, owed={agent.session})
    yield


def renamed(day: Misuse) -> Iterator[None]:
    agent, path, other = day.agent(), day.path(), day.path()
    day.does(agent, Write(path, day.lines()))
    yield
    (day.root / path).rename(day.root / other)
    yield
    day.commit_as_person("person: renamed", other, owed={agent.session})
    yield


def typed_into_the_agent(day: Misuse) -> Iterator[None]:
    """Claude Code's bash mode: a person's own file, or the agent's."""
    agent, path = day.agent(), day.path()
    if not isinstance(agent, ClaudeSession):
        return
    own = day.random.random() < 0.5
    if own:
        day.does(agent, Shell("ls"))
        day.put(path, day.lines())
    else:
        day.does(agent, Write(path, day.lines()))
    yield
    owed = set() if own else {agent.session}
    kind = "person: bash mode" if own else "person: bash mode, an agent's work"
    day.git("add", path)
    with day.made(kind, owed, owed), day.clock.told():
        agent.bash_mode(f"git commit -m '{day.subject()}' {path}")
    yield


# ---------------------------------------------------------------- a person's own commits


def own(day: Misuse) -> Iterator[None]:
    path = day.path()
    day.put(path, day.lines())
    yield
    if day.random.random() < 0.5:
        day.commit_as_person("person: own", path)
    else:
        day.git("add", path)
        with day.made("person: own", (), ()):
            env = {**os.environ, **day.clock.dates()}
            subprocess.run(["./release", day.subject(), path], cwd=day.root, env=env, check=False)
    yield


def terminal(day: Misuse) -> Iterator[None]:
    """A person commits in a terminal that was opened under a call of an agent."""
    agent, path = day.agent(), day.path()
    day.does(agent, Shell("true"))
    day.put(path, day.lines())
    yield
    call = [name for kind, name in agent.facts if kind == "tool_call"][-1]
    claude = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": agent.session}
    codex = {"CODEX_THREAD_ID": agent.session, "CODEX_TOOL_CALL_ID": call}
    env = claude if isinstance(agent, ClaudeSession) else codex
    day.commit_as_person("person: in an agent's terminal", path, env=env)
    yield


def typed_again(day: Misuse) -> Iterator[None]:
    """A person types again what the agent reverted."""
    agent, path = day.agent(), day.path()
    day.put(path, f"nothing_{path} = 0\n")
    day.commit_as_person("person: own", path)
    yield
    text = day.lines()
    day.does(agent, Shell(f"cat {path}"))
    day.does(agent, Write(path, text))
    yield
    undo = day.random.choice(
        [f"git checkout -- {path}", f"git restore {path}", f"git checkout HEAD -- {path}"]
    )
    day.does(agent, Shell(undo))
    yield
    day.put(path, text)
    yield
    day.commit_as_person("person: typed again", path)
    yield


def before_the_agent(day: Misuse) -> Iterator[None]:
    """A person commits; later the agent writes the same text, which does not explain the commit."""
    agent, path = day.agent(), day.path()
    text = day.lines()
    day.put(path, text)
    day.commit_as_person("person: before the agent", path)
    yield
    day.does(agent, Shell(f"cat {path}"))
    day.does(agent, Write(path, text))
    yield


def a_line_among_many(day: Misuse) -> Iterator[None]:
    """The agent rewrites a file and adds a line; a person removes the line and commits the rest."""
    agent, path = day.agent(), day.path()
    mine = day.lines(30)
    day.put(path, mine)
    day.does(agent, Shell(f"cat {path}"))
    day.does(agent, Write(path, mine + day.lines(1)))
    yield
    day.put(path, mine + day.lines(1))
    day.commit_as_person("person: a line among many", path)
    yield


def boilerplate(day: Misuse) -> Iterator[None]:
    agent, path = day.agent(), day.path()
    day.does(agent, Write(path, LICENCE + day.lines(2)))
    yield
    day.put(path, LICENCE + day.lines(2))
    yield
    day.commit_as_person("person: boilerplate", path)
    yield


def seen_elsewhere(day: Misuse) -> Iterator[None]:
    """A colleague's commit, whose id a call of the agent printed."""
    agent, path = day.agent(), day.path()
    with day.made("colleague: in an output", (), ()):
        tree = Git(day.root)
        blob = tree("hash-object", "-w", "--stdin", input=day.lines())
        index = {"GIT_INDEX_FILE": str(day.root / ".git" / "theirs")}
        tree("read-tree", "HEAD", env=index)
        tree("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=index)
        written = tree("write-tree", env=index)
        made = tree("commit-tree", written, "-p", "HEAD", "-m", "Release", env=day.clock.dates())
        day.tried("pull", "-q", ".", made)
        day.tried("update-ref", "-m", "pull: Fast-forward", "HEAD", made)
        day.tried("reset", "-q", "--", path)
        day.tried("checkout", "-q", "--", path)
    yield
    command = day.random.choice(
        [f"./ci {made[:7]}", f"git log -1 --format='[main %h] %s' {made}; git commit --dry-run"]
    )
    day.does(agent, Shell(command))
    yield


STORIES: Sequence[Story] = (
    *(plain, plain, plain, together, by_something_else, by_something_else, nothing_in_it),
    *(other_people_s_file, formatted_by_the_agent, both_at_once, amended),
    *(left_uncommitted, edited_by_both, formatted, renamed, typed_into_the_agent, typed_into_the_agent),
    *(own, terminal, typed_again, before_the_agent, a_line_among_many, boilerplate, seen_elsewhere),
)

# ---------------------------------------------------------------- ways of capture


def record(root: Path, *, patience: float = 0) -> None:
    """Drain as any command does; a worker that a hook started waits ``patience`` seconds for a call."""
    with open_repository(root, environ=os.environ) as repository:
        drain(repository, environ=Environ.of(os.environ), live={}, patience=patience)


def read_recorded(root: Path) -> Recorded:
    recorded: Recorded = {}
    with open_repository(root, environ=os.environ) as repository:
        data = DataRefs(repository)
        for commit, body in NotesRef(repository).items():
            for each in standing(commit, decode_note(body)):
                if each.role == "produced" and not each.incomplete:
                    part = recorded.setdefault((commit, each.whole.session or ""), Part())
                    part.calls.add(each.link.call or "")
                    part.facts |= {*read_facts(data, each)}
    return recorded


def late(day: Misuse) -> Recorded:
    """Capture afterwards, as if no hook had run and nothing had been drained."""
    git = Git(day.root)
    for ref in git("for-each-ref", "--format=%(refname)", "refs/notes").split():
        git("update-ref", "-d", ref)
    state = day.root / ".git" / "traj"
    for name in ("cursors.json", "spool"):
        (state / name).unlink(missing_ok=True)
    for moment in (state / "at").glob("*"):
        moment.unlink()
    record(day.root)
    return read_recorded(day.root)


def imported(day: Misuse) -> Recorded:
    """Backfill in a fresh clone, after the repository of the sessions is gone."""
    fresh = Git.init(day.root.parent / "elsewhere" / day.root.name)
    fresh("fetch", "--quiet", str(day.root), "+refs/heads/*:refs/heads/*", "--update-head-ok")
    shutil.rmtree(day.root)
    with open_repository(fresh.root, environ=os.environ) as repository:
        backfill(repository, os.environ)
    return read_recorded(fresh.root)
