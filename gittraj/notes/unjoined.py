"""Finds remotes whose records are not joined with ours. Every reader runs it: it must import little."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gittraj.git import Repository
    from gittraj.notes.store import NotesRef

COPIES = "refs/notes-remote/"
"""The prefix of refs to which remotes' records are fetched; the remote's name follows."""
_OURS = "refs/notes/traj"


def may_have_copies(repository: Repository) -> bool:
    """Whether remotes' records may be here, without a git process; true if refs are not in files."""
    common = repository.common_dir
    if (common / "reftable").is_dir() or (common / COPIES).is_dir():
        return True
    try:
        return COPIES.encode() in (common / "packed-refs").read_bytes()
    except OSError:
        return False


def find_unjoined(repository: Repository) -> dict[str, str]:
    """The remotes whose records are not all in ours, with the tips of their copies; no git process if nothing
    was ever fetched. git leaves the copy of a remote that was removed: it is skipped."""
    if not may_have_copies(repository):
        return {}
    asked = ("for-each-ref", "--format=%(refname) %(objectname)", f"{COPIES}**/traj")
    found = repository.run(*asked, f"--no-merged={_OURS}", check=False)
    if found.code:  # we have no records ref
        found = repository.run(*asked)
    rows = (line.split(" ") for line in found.text.splitlines())
    names = {ref.removeprefix(COPIES).removesuffix("/traj"): tip for ref, tip in rows}
    listed = repository.run("remote").text.split("\n") if names else ()
    return {name: names[name] for name in sorted(names, key=lambda n: (n != "origin", n)) if name in listed}


def find_hint(repository: Repository, has: Callable[[NotesRef], object], otherwise: str) -> str:
    """The hint when no record of ours matches: to join those of a remote that does, else ``otherwise``."""
    from gittraj.notes.store import NotesRef  # noqa: PLC0415

    for remote in find_unjoined(repository):
        if has(NotesRef(repository, f"{COPIES}{remote}/traj")):
            return f"its records came from {remote} and are not joined yet: git traj fetch {remote}"
    return otherwise
