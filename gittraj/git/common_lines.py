"""Finds lines that are in many files of a repository: imports, licence headers, test boilerplate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from gittraj.git.repository import Repository

MANY = 3
"""A line counts as common if it is in this many other files."""
_MOST = 20
"""The maximum number of lines to search for: more lines in one place are not boilerplate."""


def find_common(repository: Repository, commit: str, path: str, lines: Collection[str]) -> set[str]:
    """Which of ``lines`` were, before ``commit``, in many files other than ``path``; white space around them
    does not count. Takes one process; empty for more lines than boilerplate has."""
    wanted = {line.strip() for line in lines}
    parent = repository.find_commit(f"{commit}^")
    if parent is None or not wanted or len(wanted) > _MOST:
        return set()
    matches = repository.run(
        *("grep", "-I", "-F", "-z", "--no-color", "--no-line-number", "--no-column", "--full-name"),
        *("-f", "-", parent, "--", _similar_files(path)),
        input="".join(f"{line}\n" for line in sorted(wanted)).encode("utf-8", "surrogateescape"),
        check=False,
    )
    files: defaultdict[str, set[str]] = defaultdict(set)
    for match in matches.text.split("\n"):
        name, _, text = match.partition("\0")
        if text.strip() in wanted and name != f"{parent}:{path}":
            files[text.strip()].add(name)
    return {line for line, names in files.items() if len(names) >= MANY}


def _similar_files(path: str) -> str:
    """The pathspec of the files with the extension of ``path``; of all files if it has none."""
    extension = path.rpartition("/")[2].rpartition(".")[2] if "." in path else ""
    return f":(top,glob)**/*.{extension}" if extension.isalnum() else ":(top)"
