"""Life in a village: what agents and people do to each other's files and to the history.

Each deed is a method; a seed chooses them. A deed that is not possible at the moment does nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from tests.e2e.scenario import Edit, Shell, Step, Write
from tests.integration.session_writer import SessionWriter
from tests.integration.village import Village

_BOILERPLATE = [
    "import os",
    "import sys",
    "# Copyright 2026 The Village",
    "}",
    "    return None",
    "def main():",
]
_SCRIPT = '#!/bin/sh\ngit add -A && git commit -qm "${1:-Save the work}"\n'


class Life:
    """Chooses and runs the deeds of one village."""

    def __init__(self, root: Path, seed: int) -> None:
        self.village = Village(root, seed)
        self.random = self.village.random
        self.number = 0
        self.messages: list[str] = []
        self.other = root.parent / f"{root.name}.other"
        self.lines_of_agents: list[str] = []  # all lines that agents wrote
        self._create_repository()

    def live(self, deeds: int) -> None:
        agents = self.village.sessions
        for _ in range(self.random.randint(2, 4)):
            self._hire()
        agent_deeds = [*_methods(self, "agent_"), *[self.agent_commit] * 10]
        people_deeds = [*_methods(self, "person_"), *[self.person_commit] * 3]
        for _ in range(deeds):
            if self.random.random() < 0.6:
                agent = self.random.choice(agents)
                # a person may have switched to another branch before the agent's next deed
                self.random.choice(agent_deeds)(agent)
            else:
                self.random.choice(people_deeds)()
            self._recover()
        self.village.rest()

    # ------------------------------------------------------------ what agents do

    def agent_commit(self, agent: SessionWriter) -> None:
        paths = [self._agent_edits(agent) for _ in range(self.random.choice([1, 1, 2, 3]))]
        steps = [step for _, step in paths]
        self.village.by_agent(agent, [*steps, Shell(self._commit([path for path, _ in paths]))])

    def agent_leave(self, agent: SessionWriter) -> None:
        """Leave edits that somebody else may commit."""
        self.village.by_agent(agent, [self._agent_edits(agent)[1] for _ in range(self.random.choice([1, 2]))])

    def agent_take_all(self, agent: SessionWriter) -> None:
        """Commit all uncommitted changes, whoever wrote them."""
        quiet = self.random.choice(["", "-q "])
        self.village.by_agent(agent, [Shell(f"git add -A && git commit {quiet}-m {self._quoted()}")])

    def agent_two(self, agent: SessionWriter) -> None:
        (one, first), (two, second) = self._agent_edits(agent), self._agent_edits(agent)
        quiet = self.random.choice(["", "q"])
        command = (
            f"git add {one} && git commit -{quiet}m {self._quoted()}"
            f" && git add {two} && git commit -qm {self._quoted()}"
        )
        self.village.by_agent(agent, [first, second, Shell(command)])

    def agent_amend(self, agent: SessionWriter) -> None:
        steps: list[Step] = []
        command = self.random.choice(
            [
                "git commit -q --amend --no-edit",
                f"git commit --amend -m {self._quoted()}",
                "git commit --amend",
            ]
        )
        if self.random.random() < 0.6:
            path, step = self._agent_edits(agent)
            steps.append(step)
            command = f"git add {path} && {command}"
        self.village.by_agent(agent, [*steps, Shell(command)], remade=self.village.head())

    def agent_fail(self, agent: SessionWriter) -> None:
        """Let a commit fail; a person may commit with the same message a moment later."""
        message = self._message()
        end = self.random.choice(
            ["", " || true", " | tail -3", "; git log --oneline -3", "; git show --stat"]
        )
        if self.random.random() < 0.5:
            (self.village.root / ".git" / "refuse").touch()
            steps = [self._agent_edits(agent)[1]] if self.random.random() < 0.5 else []
            self.village.by_agent(agent, [*steps, Shell(f"git add -A; git commit -m '{message}'{end}")])
            (self.village.root / ".git" / "refuse").unlink()
        elif not self.village.git("diff", "--cached", "--name-only"):
            self.village.by_agent(agent, [Shell(f"git commit -m '{message}'{end}")])
        if self.random.random() < 0.7:
            self.person_commit(message)

    def agent_look(self, agent: SessionWriter) -> None:
        """Print other people's commits, next to a command that can commit."""
        shown = self.village.git("log", "-1", "--format=[main %h] %s").strip()
        command = self.random.choice(
            [
                "git log --oneline -5",
                f"git commit --dry-run; echo {shlex.quote(shown)}",
                "git reflog | head",
                "git show --stat HEAD",
                "git pull || git log -2",
            ]
        )
        self.village.by_agent(agent, [Shell(command)])

    def agent_elsewhere(self, agent: SessionWriter) -> None:
        """Commit in another repository; then a person commits here with the same message."""
        message = self._message()
        way = self.random.choice([f"cd {self.other} && git", f"git -C {self.other}"])
        self.village.by_agent(agent, [Shell(f"{way} commit --allow-empty -m '{message}'")])
        if self.random.random() < 0.5:
            self.person_commit(message)

    def agent_below(self, agent: SessionWriter) -> None:
        path, step = self._agent_edits(agent)
        folder = self.village.root / "lib"
        folder.mkdir(exist_ok=True)
        change_folder = self.random.choice(["cd lib", f"cd {folder}"])
        if agent.folder != self.village.root:
            change_folder = f"cd {folder}"
        full = (agent.folder / path).resolve()
        self.village.by_agent(
            agent, [step, Shell(f"{change_folder} && git add {full} && git commit -m {self._quoted()}")]
        )

    def agent_script(self, agent: SessionWriter) -> None:
        steps = [self._agent_edits(agent)[1] for _ in range(2)]
        words = self.random.choice([f" {self._quoted()}", ""])
        script = self.village.root / "tools" / "commit.sh"
        self.village.by_agent(agent, [*steps, Shell(f"sh {script}{words}")])

    def agent_stash(self, agent: SessionWriter) -> None:
        steps = [self._agent_edits(agent)[1]]
        self.village.by_agent(agent, [*steps, Shell("git stash -q && git stash pop")])

    def agent_revert(self, agent: SessionWriter) -> None:
        mine = [c for c in self._recent() if agent.session in self.village.deeds[c].made]
        if mine and self.village.clean():
            commit = self.random.choice(mine)
            command = f"git revert --no-edit {commit[:9]} || git revert --abort"
            self.village.by_agent(agent, [Shell(command)])

    def agent_pick(self, agent: SessionWriter) -> None:
        branch = self._branch()
        commits = self._recent()
        if branch and commits and self.village.clean():
            commit = self.random.choice(commits)
            back = self.village.git("branch", "--show-current").strip() or "main"
            pick = f"(git cherry-pick {commit[:10]} || git cherry-pick --abort)"
            command = f"git checkout -q {branch} && {pick}; git checkout -q {back}"
            self.village.by_agent(agent, [Shell(command)], sources=[commit], remade=commit)

    def agent_again(self, agent: SessionWriter) -> None:
        head = self.village.head()
        if len(self._recent()) > 2:
            command = (
                f"git reset -q --soft HEAD~1 && git commit -{self.random.choice(['', 'q'])}m {self._quoted()}"
            )
            self.village.by_agent(agent, [Shell(command)], sources=[head])

    def agent_merge(self, agent: SessionWriter) -> None:
        branch = self._branch()
        if branch and self.village.clean():
            settle = f"git checkout -q --ours . && git add -A && git commit -qm {self._quoted()}"
            self.village.by_agent(agent, [Shell(f"git merge --no-edit {branch} || ({settle})")])

    def agent_move(self, agent: SessionWriter) -> None:
        path = self._tracked()
        if path:
            new = str(Path(path).parent / f"moved{self._count()}.py")
            self.village.move(path, new)
            end = self.random.choice([f" && git commit -qm {self._quoted()}", ""])
            root = self.village.root
            self.village.by_agent(agent, [Shell(f"git mv {root / path} {root / new}{end}")])

    def agent_remove(self, agent: SessionWriter) -> None:
        path = self._tracked()
        if path and self.village.clean():
            self.village.ledger.change(path, self.village.read(path), None, agent.session)
            command = f"git rm -q {self.village.root / path} && git commit -m {self._quoted()}"
            self.village.by_agent(agent, [Shell(command)])

    def agent_branch(self, agent: SessionWriter) -> None:
        path, step = self._agent_edits(agent)
        command = (
            f"git checkout -q -b topic{self._count()} && git add {path} && git commit -m {self._quoted()}"
        )
        self.village.by_agent(agent, [step, Shell(command)])

    def agent_fork(self, agent: SessionWriter) -> None:
        fork = self.village.fork(agent)
        if fork is not None:
            self.agent_commit(fork)

    # ------------------------------------------------------------ what people do

    def person_commit(self, message: str | None = None) -> None:
        """Commit a person's own file, or lines in somebody else's; sometimes with all uncommitted changes."""
        path = self._touch()
        everything = self.random.random() < 0.3
        text = message or self._message()
        if everything:
            self.village.by_hand("commits everything", ["add", "-A"], ["commit", "-qm", text])
        else:
            self.village.by_hand(f"commits {path}", ["add", path], ["commit", "-qm", text, "--only", path])

    def person_same_message(self) -> None:
        if self.messages:
            self.person_commit(self.random.choice(self.messages[-4:]))

    def person_take(self) -> None:
        """Commit what agents left."""
        self.village.by_hand("takes all", ["add", "-A"], ["commit", "-qm", self._message()])

    def person_take_part(self) -> None:
        """Commit some of a file's changed lines, as by ``git add -p``."""
        village = self.village
        waiting = (
            village.git("diff", "--name-only").split()
            + village.git("ls-files", "-o", "--exclude-standard").split()
        )
        waiting = [p for p in waiting if village.read(p)]
        if not waiting or village.git("diff", "--cached", "--name-only"):
            return
        path = self.random.choice(waiting)
        text = village.read(path) or ""
        before = village.tried("show", f"HEAD:{path}").stdout
        owners = village.ledger.owners(path, text)
        old = set(before.splitlines())
        rows = [
            (line, whose)
            for line, whose in zip(text.splitlines(), owners, strict=True)
            if line in old or self.random.random() < 0.5
        ]
        part = "".join(f"{line}\n" for line, _ in rows)
        if part == before:
            return
        village.ledger.know(path, part, tuple(whose for _, whose in rows))
        blob = village.git("hash-object", "-w", "--stdin", given=part).strip()
        index = ["update-index", "--add", "--cacheinfo", f"100644,{blob},{path}"]
        village.by_hand(f"takes part of {path}", index, ["commit", "-qm", self._message()])

    def person_retype(self) -> None:
        """Type an agent's lines again, in another file."""
        if self.lines_of_agents:
            path = f"typed{self._count()}.py"
            lines = self.random.sample(self.lines_of_agents, min(3, len(self.lines_of_agents)))
            self.village.write(path, "".join(f"{line}\n" for line in lines))
            self.village.by_hand(
                f"types {path}", ["add", path], ["commit", "-qm", self._message(), "--only", path]
            )

    def person_revert(self) -> None:
        commits = self._recent()
        if commits and self.village.clean():
            commit = self.random.choice(commits)
            if not self.village.by_hand(f"reverts {commit[:7]}", ["revert", "--no-edit", commit]):
                self.village.tried("revert", "--abort")

    def person_amend(self) -> None:
        commands = [
            ["commit", "-q", "--amend", *self.random.choice([["--no-edit"], ["-m", self._message()]])]
        ]
        if self.random.random() < 0.6:
            commands.insert(0, ["add", self._touch()])
        self.village.by_hand("amends", *commands)

    def person_branch(self) -> None:
        start = self.random.choice(["HEAD", "HEAD~1", "HEAD~2"])
        self.village.by_hand("branches", ["checkout", "-q", "-b", f"topic{self._count()}", start])

    def person_switch(self) -> None:
        branch = self._branch()
        if branch:
            self.village.by_hand(f"goes to {branch}", ["checkout", "-q", branch])

    def person_rebase(self) -> None:
        branch = self._branch()
        if branch and self.village.clean():
            self._rebase(f"rebases onto {branch}", [branch])

    def person_interactive(self) -> None:
        """Reorder, squash, fix up, drop or reword the last few commits."""
        count = min(len(self._recent()) - 1, self.random.choice([2, 2, 3]))
        if count < 2 or not self.village.clean():
            return
        edit = self.random.choice(
            [
                "1{h;d};2G",
                "2s/^pick/squash/",
                "2s/^pick/fixup/",
                "1s/^pick/drop/",
                "2s/^pick/drop/",
                "1s/^pick/reword/",
            ]
        )
        editor = f"sed -i -e '{edit}'" if edit != "1{h;d};2G" else "sed -i -e '1{h;d}' -e '2G'"
        self._rebase(f"rebases -i {edit}", ["-i", f"HEAD~{count}"], editor=editor)

    def person_squash(self) -> None:
        branch = self._branch()
        if branch and self.village.clean():
            village = self.village
            brought = village.git("rev-list", f"HEAD..{branch}").split()
            done = village.by_hand(f"squashes {branch}", ["merge", "-q", "--squash", branch])
            if not done or not village.git("diff", "--cached", "--name-only"):
                village.tried("reset", "-q", "--hard")
                return
            options = self.random.choice([["-m", self._message()], ["--no-edit"]])
            village.clock.pass_by()
            village.tried("commit", "-q", *options)
            village.record_deed(
                f"person: commits the squash of {' '.join(c[:7] for c in brought)}", sources=brought
            )

    def person_pick(self) -> None:
        branch = self._branch()
        if branch and self.village.clean():
            commits = self.village.git("rev-list", "--no-merges", f"HEAD..{branch}").split()
            if commits:
                commit = self.random.choice(commits)
                more = self.random.choice([[], ["-x"]])
                self.village.clock.pass_by()
                if self.village.tried("cherry-pick", *more, commit).returncode:
                    self.village.tried("cherry-pick", "--abort")
                self.village.record_deed(f"person: picks {commit[:7]}", sources=[commit])

    def person_reset(self) -> None:
        if len(self._recent()) > 2:
            self.village.by_hand("throws away", ["reset", "-q", "--hard", "HEAD~1"])

    def person_delete(self) -> None:
        path = self._tracked()
        if path:
            self.village.delete(path)
            self.village.by_hand(f"deletes {path}", ["commit", "-qm", self._message(), "--only", path])

    def person_reformat(self) -> None:
        """Let a formatter run over a file before it is committed."""
        files = self.village.files()
        if files:
            path = self.random.choice(files)
            text = self.village.read(path) or ""
            owners = self.village.ledger.owners(path, text)
            moved = "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())
            self.village.ledger.know(path, moved, owners)
            (self.village.root / path).write_text(moved)
            self.village.by_hand(
                f"formats {path}", ["add", path], ["commit", "-qm", self._message(), "--only", path]
            )

    def person_merge(self) -> None:
        branch = self._branch()
        if not branch or not self.village.clean():
            return
        if not self.village.by_hand(f"merges {branch}", ["merge", "-q", "--no-edit", branch]):
            theirs = ["checkout", "-q", "--theirs", "."]
            self.village.by_hand("settles it", theirs, ["add", "-A"], ["commit", "-q", "--no-edit"])

    # ------------------------------------------------------------ helpers

    def _create_repository(self) -> None:
        village = self.village
        for path in ("README.py", "lib/base.py"):
            village.write(path, "".join(f"{self._line()}\n" for _ in range(4)))
        script = village.root / "tools" / "commit.sh"
        script.parent.mkdir()
        script.write_text(_SCRIPT)
        village.by_hand("begins", ["add", "-A"], ["commit", "-qm", "Begin"])
        self.other.mkdir()
        for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "Other"]):
            village.git("-C", str(self.other), *command)

    def _hire(self) -> None:
        folder = self.village.root / self.random.choice(["", "", "", "sub"])
        self.village.hire(self.random.choice(["claude", "codex"]), folder)

    def _rebase(self, what: str, arguments: list[str], editor: str = "true") -> None:
        village = self.village
        village.clock.pass_by()
        done = village.tried("rebase", "-q", *arguments, env={"GIT_SEQUENCE_EDITOR": editor})
        for _ in range(4):
            if done.returncode == 0:
                break
            village.tried("checkout", "-q", "--theirs", ".")
            village.tried("add", "-A")
            done = village.tried("rebase", "--continue")
        if done.returncode:
            village.tried("rebase", "--abort")
        village.record_deed(f"person: {what}")

    def _recover(self) -> None:
        """Abort whatever a deed left half done."""
        git = self.village.tried
        for command in ("rebase", "merge", "cherry-pick", "revert"):
            git(command, "--abort")
        if git("ls-files", "-u").stdout:
            git("reset", "-q", "--hard")
        if not git("branch", "--show-current").stdout.strip():
            git("checkout", "-q", "main")
        self.village.record_deed("")

    def _count(self) -> int:
        self.number += 1
        return self.number

    def _line(self) -> str:
        return f"value_{self._count()} = call_{self.random.randrange(10_000)}({self.number})"

    def _lines(self, count: int) -> list[str]:
        found = [self._line() for _ in range(count)]
        if self.random.random() < 0.5:
            found.insert(self.random.randrange(count + 1), self.random.choice(_BOILERPLATE))
        return found

    def _message(self) -> str:
        verb = self.random.choice(["Add", "Fix", "Change"])
        same = self.random.random() < 0.1
        self.messages.append("Fix it" if same else f"{verb} thing {self._count()}")
        return self.messages[-1]

    def _quoted(self) -> str:
        return f"'{self._message()}'"

    def _recent(self) -> list[str]:
        return self.village.git("rev-list", "--first-parent", "--no-merges", "-6", "HEAD").split()[:-1]

    def _branch(self) -> str | None:
        now = self.village.git("branch", "--show-current").strip()
        others = self.village.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        others = [b for b in others if b != now]
        return self.random.choice(others) if others else None

    def _tracked(self) -> str | None:
        files = [f for f in self.village.git("ls-files", "*.py").split() if self.village.read(f)]
        return self.random.choice(files) if len(files) > 2 else None

    def _touch(self) -> str:
        """Let a person write a new file, or lines into anybody's."""
        files = self.village.files()
        if self.random.random() < 0.5 or not files:
            path = f"own{self._count()}.py"
            self.village.write(path, "".join(f"{line}\n" for line in self._lines(3)))
            return path
        path = self.random.choice(files)
        lines = (self.village.read(path) or "").splitlines()
        at = self.random.randrange(len(lines) + 1)
        lines[at : at + self.random.choice([0, 0, 1])] = self._lines(self.random.choice([1, 2, 5]))
        self.village.write(path, "".join(f"{line}\n" for line in lines))
        return path

    def _agent_edits(self, agent: SessionWriter) -> tuple[str, Step]:
        """Return a file's path in the agent's folder, and the step that changes it."""
        inside = [f for f in self.village.files() if (self.village.root / f).is_relative_to(agent.folder)]
        new = self._lines(self.random.choice([2, 4, 7]))
        self.lines_of_agents += new
        path = self.random.choice(inside) if inside and self.random.random() < 0.5 else ""
        text = (self.village.read(path) or "") if path else ""
        relative = str((self.village.root / path).relative_to(agent.folder)) if path else ""
        lines = [line for line in text.splitlines() if line.strip() and text.count(line) == 1]
        if lines and path not in self._planned:
            old = self.random.choice(lines)
            kept = self.random.choice([[old], [old], []])
            self._planned.add(path)
            return relative, Edit(relative, old, "\n".join([*kept, *new]))
        relative = f"{self.random.choice(['', 'src/'])}file{self._count()}.py"
        return relative, Write(relative, "".join(f"{line}\n" for line in new))

    @property
    def _planned(self) -> set[str]:
        """Files with a planned edit: each is edited once per deed."""
        key = self.village.deed_count
        if getattr(self, "_plan", (None, set()))[0] != key:
            self._plan: tuple[int, set[str]] = (key, set())
        return self._plan[1]

    def _commit(self, paths: list[str]) -> str:
        message = self._message()
        add = f"git add {' '.join(shlex.quote(p) for p in dict.fromkeys(paths))}"
        file = '"$(git rev-parse --git-dir)/MESSAGE"'
        return self.random.choice(
            [
                f"{add} && git commit -m '{message}'",
                f"{add} && git commit -qm '{message}'",
                f"{add} && git commit -q -m '{message}' && git log --oneline -2",
                f"{add} && git commit -q -F - <<'END'\n{message}\n\nMore words.\nEND",
                f"{add} && git commit -m \"$(cat <<'END'\n{message}\n\nMore words.\nEND\n)\"",
                f"printf '%s\\n' '{message}' > {file} && {add} && git commit -q -F {file}",
                f"git add -A && git commit -qam '{message}'",
                f"{add}; git commit -am '{message}' | cat",
            ]
        )


def _methods(life: Life, prefix: str) -> list[Callable[..., None]]:
    return [getattr(life, name) for name in sorted(dir(life)) if name.startswith(prefix)]
