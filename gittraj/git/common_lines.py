"""Finds lines that are in many files of a repository: imports, licence headers, test boilerplate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from gittraj.git.repository import Repository

MANY = 3
"""In this many files, besides the one in question, a line counts as common."""
_MOST = 20
"""The most lines to search for: more of them at once are not boilerplate."""


def find_common(repository: Repository, commit: str, path: str, lines: Collection[str]) -> set[str]:
    """Which of these lines (ignoring white space around them) were in many files, other than ``path``, before
    a commit. One process; empty for more lines than boilerplate has."""
    wanted = {line.strip() for line in lines}
    parent = repository.find_commit(f"{commit}^")
    if parent is None or not wanted or len(wanted) > _MOST:
        return set()
    kind = path.rpartition("/")[2].rpartition(".")[2] if "." in path else ""
    found = repository.run(
        *("grep", "-I", "-F", "-z", "--no-color", "--no-line-number", "--no-column", "--full-name"),
        *("-f", "-", parent, "--", f":(top,glob)**/*.{kind}" if kind.isalnum() else ":(top)"),
        input="".join(f"{line}\n" for line in sorted(wanted)).encode("utf-8", "surrogateescape"),
        check=False,
    )
    files: defaultdict[str, set[str]] = defaultdict(set)
    for each in found.text.split("\n"):
        name, _, text = each.partition("\0")
        if text.strip() in wanted and name != f"{parent}:{path}":
            files[text.strip()].add(name)
    return {line for line, names in files.items() if len(names) >= MANY}
