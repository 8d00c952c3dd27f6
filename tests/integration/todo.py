"""Interactive rebases without a person: the test writes the to-do list."""

from __future__ import annotations

import sys

from tests.integration.repository import Git

_EDITOR = """import sys
todo, path = sys.argv[1:]
picks = [line.split() for line in open(path) if line.startswith(('pick', 'fixup', 'squash'))]
given = {' '.join(words[2:]).removeprefix('# '): words[1] for words in picks}  # '# ': since git 2.50
rows = [row.rsplit(' ', 1) for row in todo.split(',')]
open(path, 'w').writelines(f'{verb} {given.get(subject, subject)}\\n' for verb, subject in rows)
"""


def edit_todo(git: Git, base: str, todo: str, **env: str) -> None:
    """Rebase interactively with the list ``todo``: ``verb subject`` lines, or whole lines (``exec …``)."""
    script = git.root.parent / "todo.py"
    script.write_text(_EDITOR)
    git(
        *("rebase", "--interactive", base),
        env={"GIT_SEQUENCE_EDITOR": f"'{sys.executable}' '{script}' '{todo}'", "GIT_EDITOR": "true", **env},
    )
