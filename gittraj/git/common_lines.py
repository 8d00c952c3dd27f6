"""Lines that stand in many files of a repository: imports, licence heads, the frame of every test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from gittraj.git.repository import Repository

MANY = 3
"""Files, besides the one that is asked about, in which a line counts as everybody's."""
_MOST = 20
"""Lines that are looked for: more of them at once are no frame any more."""


def find_common(repository: Repository, commit: str, path: str, lines: Collection[str]) -> set[str]:
    """Which of these lines (without the blanks around them) stood in many files, other than ``path``, before
    a commit. One process; none for more lines than a frame has."""
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
