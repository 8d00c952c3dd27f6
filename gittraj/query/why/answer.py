"""The answer of ``git traj why``: what explains the lines, as far as it is known here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from gittraj.git import Blame, BlamedLine, Repository
from gittraj.model.header import Header
from gittraj.query.log.reverted import Reverts
from gittraj.query.show.chapters import Segments
from gittraj.query.why.lines import Read, explain

Ask = Callable[[Callable[[Segments], list[Header]]], list[Header]]
"""What somebody reads in segments, which may have to be fetched."""


def answer(
    repository: Repository,
    blame: Blame,
    blamed: Sequence[BlamedLine],
    lines: Sequence[str],
    *,
    ask: Ask,
    read: Read,
    find_noted: Callable[[Collection[str]], Collection[str] | None],
    later: bool,
) -> list[Header]:
    """As :func:`explain`. Where one line has no record git is asked once more, with its neighbours, which
    takes longer. ``later``: what was reverted since is told, which does not stand in the work tree."""

    def tell(blamed: Sequence[BlamedLine]) -> list[Header]:
        told = partial(explain, repository, blamed, lines, read=read, find_noted=find_noted)
        return ask(partial(told, respaced=blame.find_respaced(blamed, lines)))

    entries = tell(blamed)
    if len(entries) == 1 and entries[0]["commit"] and not entries[0]["trajectory"]:
        around = blame.read_around(blamed)
        entries = entries if around == blamed else tell(around)
    if later:
        Reverts(repository).mark(entry for entry in entries if entry["commit"])
    _leave_unknown(entries, repository.edge)
    return entries


def _leave_unknown(entries: Sequence[Header], edge: Collection[str]) -> None:
    """Of the ``edge`` of a shallow clone, which git blames for all that is older, only known edits are
    told, and what was decided about just these lines."""
    for entry in entries:
        places, old = entry.pop("places"), entry["commit"] in edge and not entry["events"]
        pinned = [decision for decision in entry["decisions"] if decision["line"] in places]
        entry["shallow"] = old and not pinned
        if old or (entry["nearest"] and entry["nearest"]["commit"] in edge):
            entry["nearest"] = None
        if old:
            told = entry["trajectory"] if pinned else None
            entry.update(trajectory=told, prompt=None, decisions=pinned, doubts=[], beside=[])
