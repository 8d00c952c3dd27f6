"""Recorders of random walks, which put plain notes onto commits: the pieces of work that the notes named at
any time, and those that they name at the end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.integration.repository import Git
from tests.integration.session_writer import SessionWriter
from tests.integration.walk_recorder import Carried, Ours, Quick

_HOOK = """#!/bin/sh
[ -z "$WALK_WORK" ] || git notes --ref=walk append -m "$WALK_WORK" 2>/dev/null
"""


class Noted:
    """Records nothing; subclasses set where their notes are and how to read them. ``ever`` collects the notes
    that a commit had at any time: it is updated before each command."""

    ref = "refs/notes/none"
    agents = Ours.agents
    """Keeps the random choices the same as in git-traj's walk, whichever agents are used."""

    def __init__(self) -> None:
        self.works: dict[str, set[str]] = {}
        self.ever = Carried()

    def read(self, note: str) -> list[frozenset[str]]:
        """Return the pieces of work that each part of a note names."""
        raise NotImplementedError

    def install(self, root: Path) -> None: ...

    def hire(self, agent: str, folder: Path, name: str) -> SessionWriter:
        return Quick(folder, name=name)

    def before(self, root: Path) -> None:
        self._look(root, self.ever)

    def record(self, root: Path) -> None: ...

    def share(self, root: Path, remote: str) -> None: ...

    def finish(self, roots: Mapping[str, Path]) -> list[str]:
        return []

    def carried(self, roots: Mapping[str, Path], born: Mapping[str, set[str]]) -> Carried:
        found = Carried()
        for root in roots.values():
            self._look(root, found)
            self._look(root, self.ever)
        return found

    def _look(self, root: Path, into: Carried) -> None:
        """Add to ``into`` the works that the notes in ``root`` name."""
        git = Git(root)
        if not git.succeeds("rev-parse", "--verify", "--quiet", self.ref):
            return
        for line in git("notes", f"--ref={self.ref}", "list").splitlines():
            note, commit = line.split()
            parts = self.read(git("cat-file", "blob", note))
            into.parts.setdefault(commit, set()).update(parts)
            into.whole.setdefault(commit, set()).update(*parts)


class Rewritten(Noted):
    """Notes written by a hook, and ``notes.rewriteRef``: what git alone can do."""

    ref = "refs/notes/walk"

    def install(self, root: Path) -> None:
        git = Git(root)
        git("config", "notes.rewriteRef", self.ref)
        git("config", "notes.rewriteMode", "concatenate")
        hook = root / ".git" / "hooks" / "post-commit"
        hook.write_text(_HOOK)
        hook.chmod(0o755)

    def read(self, note: str) -> list[frozenset[str]]:
        return [frozenset(line.replace(" and ", " ").split()) for line in note.splitlines() if line]
