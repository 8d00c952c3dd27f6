"""A work tree of a walk: its files, the agents that work there, and what every deed needs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.e2e.scenario import Edit, Shell, Step, Write, turn
from tests.integration.session_writer import SessionWriter
from tests.integration.walk_model import Model
from tests.integration.walk_recorder import Recorder
from tests.integration.walk_world import World


@dataclass(slots=True)
class Names:
    """Makes unique names for works and for other lines."""

    works: int = 0
    others: int = 0

    def work(self) -> str:
        self.works += 1
        return f"w{self.works}"

    def other(self) -> str:
        self.others += 1
        return f"p{self.others}"


@dataclass(slots=True)
class Worktree:
    """A work tree. ``name`` is its folder in both worlds, ``clone`` that of its repository."""

    name: str
    clone: str
    world: World
    model: Model
    recorder: Recorder
    random: random.Random
    names: Names
    sessions: list[SessionWriter] = field(default_factory=list)
    git_dir: str = ""
    last_agent: SessionWriter | None = None
    """The agent that worked last."""
    upstream: frozenset[str] = frozenset()
    """The commits that existed before the current rebase: reason 5 in ``walk_model``."""

    # ------------------------------------------------------------ git

    def git(self, *arguments: str, env: dict[str, str] | None = None, hooks: bool | None = None) -> bool:
        """Run a person's git command in both worlds, mostly with hooks."""
        self.recorder.before(self.world.ours / self.clone)
        alive = self.chance(0.88) if hooks is None else hooks
        done = self.world.git(self.name, *arguments, env=env, hooks=alive)
        for old, new in self.world.pairs():
            self.model.copy(old, new, sure=new not in self.upstream, reported=True, heard=alive)
        return done

    def ask(self, *arguments: str) -> str:
        return self.world.ask(self.name, *arguments)

    def head(self) -> str:
        return self.ask("rev-parse", "HEAD")

    def commits(self, *revisions: str) -> list[str]:
        """The commits of ``revisions``, the oldest first, without merges."""
        return self.ask("rev-list", "--reverse", "--topo-order", "--no-merges", *revisions).split()

    def rewritable(self, most: int = 5) -> list[str]:
        """The commits at the tip that may be rewritten: no merges, and not the root."""
        listed = self.ask("log", "--first-parent", f"-{most + 1}", "--format=%H %P").splitlines()
        found: list[str] = []
        for commit, *parents in (line.split() for line in listed):
            if len(parents) != 1:
                break
            found.append(commit)
        return found[::-1]

    def branch(self) -> str:
        return self.ask("branch", "--show-current")

    def others(self, *patterns: str) -> list[str]:
        """Refs at other commits than HEAD."""
        listed = self.ask(
            "for-each-ref", "--format=%(objectname) %(refname:short)", *(patterns or ("refs/heads",))
        )
        head = self.head()
        return [line.partition(" ")[2] for line in listed.splitlines() if not line.startswith(head)]

    def is_unfinished(self, what: str) -> bool:
        """Whether an operation is unfinished: ``rebase-merge``, ``CHERRY_PICK_HEAD``."""
        return (self.world.plain / self.git_dir / what).exists()

    # ------------------------------------------------------------ chance

    def chance(self, likely: float) -> bool:
        return self.random.random() < likely

    def pick(self, some: Sequence[str]) -> str:
        return self.random.choice(some)

    # ------------------------------------------------------------ files and people

    def files(self) -> list[str]:
        return sorted(p.name for p in (self.world.plain / self.name).glob("*.py"))

    def lines(self, name: str) -> str:
        return "".join(
            f"{name}x{n} = {self.random.randrange(1000)}\n" for n in range(self.random.randint(1, 4))
        )

    def insert(self, path: str, lines: str) -> None:
        old = self.world.read(self.name, path).splitlines(keepends=True)
        at = self.random.randint(0, len(old))
        self.world.write(self.name, path, "".join([*old[:at], lines, *old[at:]]))

    def scribble(self) -> str:
        """Let a person write lines of their own, into an existing file or a new one."""
        name = self.names.other()
        files = self.files()
        if files and self.chance(0.6):
            path = self.pick(files)
            self.insert(path, self.lines(name))
        else:
            path = f"{name}.py"
            self.world.write(self.name, path, self.lines(name))
        return path

    # ------------------------------------------------------------ agents

    def agent(self) -> SessionWriter:
        if not self.sessions or self.chance(0.2):
            kind = self.pick(self.recorder.agents)
            name = f"{self.name} {len(self.sessions)}"
            self.sessions.append(self.recorder.hire(kind, self.world.ours / self.name, name))
        return self.random.choice(self.sessions[-3:])

    def is_named(self) -> bool:
        """Return whether the last agent's environment names its session to the hooks of its commands. If
        not, only the committed content shows whose it is."""
        return self.last_agent is not None and self.last_agent.agent in ("claude-code", "codex")

    def plan(self, work: str, taken: Sequence[str] = ()) -> Write | Edit:
        """Choose an agent's step: lines next to an existing one, or a new file."""
        lines = self.lines(work)
        self.model.lines.add(work)
        files = [f for f in self.files() if f not in taken]
        path = self.pick(files) if files and self.chance(0.6) else f"{work}_{len(taken)}.py"
        if path in files:
            text = self.world.read(self.name, path).splitlines()
            old = self.pick(text) if text else ""
            if old and text.count(old) == 1:
                return Edit(path, old, f"{old}\n{lines.rstrip()}")
            path = f"{work}_{len(taken)}.py"
        return Write(path, lines)

    def work(self, works: Sequence[str], *steps: Step) -> bool:
        """Let an agent do ``steps`` in our world, repeat them in the plain one; return whether HEAD moved."""
        agent, named = self.agent(), " and ".join(works)
        self.last_agent = agent
        before = self.head()
        self.recorder.before(self.world.ours / self.clone)
        turns = [turn(*steps, say=f"I do {named}."), turn(say=f"Done: {named}.")]
        self.world.log(f"  {self.name}: {named} by {agent.agent}: {' '.join(map(str, steps))}")
        dates = self.world.clock.dates()  # the session's own records let time pass
        ran = agent.run(turns, prompt=f"Do {named}", env=dates | {"WALK_WORK": named})
        for call in (c for served in ran.served for c in served.call_ids):
            self.recorder.works[call] = {*works}
        for step in steps if not self.world.alone else ():
            match step:
                case Write(path, text):
                    (self.world.plain / self.name / path).write_text(text)
                case Edit(path, old, new):
                    file = self.world.plain / self.name / path
                    file.write_text(file.read_text().replace(old, new, 1))
                case Shell(command):
                    self.world.shell(self.name, command, dates)
        for old, new in self.world.pairs():
            self.model.copy(old, new, reported=True)
        return self.head() != before
