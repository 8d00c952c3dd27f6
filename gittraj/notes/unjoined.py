"""Finds remotes whose records are not joined with this clone's. It must import little, because every command
that reads records runs it."""

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
    """Whether this clone may have copies of remotes' records. Starts no git process, so the answer is true if
    refs are not in files."""
    common = repository.common_dir
    if (common / "reftable").is_dir() or (common / COPIES).is_dir():
        return True
    try:
        return COPIES.encode() in (common / "packed-refs").read_bytes()
    except OSError:
        return False


def find_unjoined(repository: Repository) -> dict[str, str]:
    """The remotes that have records which are not joined, with the tips of their copies. Starts no git
    process if nothing was ever fetched. The copy of a remote that the user removed is skipped: git keeps it.
    """
    if not may_have_copies(repository):
        return {}
    query = ("for-each-ref", "--format=%(refname) %(objectname)", f"{COPIES}**/traj")
    refs = repository.run(*query, f"--no-merged={_OURS}", check=False)
    if refs.code:  # this clone has no records ref
        refs = repository.run(*query)
    rows = (line.split(" ") for line in refs.text.splitlines())
    tips = {ref.removeprefix(COPIES).removesuffix("/traj"): tip for ref, tip in rows}
    remotes = repository.run("remote").text.split("\n") if tips else ()
    return {name: tips[name] for name in sorted(tips, key=lambda n: (n != "origin", n)) if name in remotes}


def find_hint(repository: Repository, has: Callable[[NotesRef], object], otherwise: str) -> str:
    """The hint when no record of this clone matches: to join those of a remote for whose records ``has`` is
    true; without such a remote, ``otherwise``."""
    from gittraj.notes.store import NotesRef  # noqa: PLC0415

    for remote in find_unjoined(repository):
        if has(NotesRef(repository, f"{COPIES}{remote}/traj")):
            return f"its records came from {remote} and are not joined yet: git traj fetch {remote}"
    return otherwise
