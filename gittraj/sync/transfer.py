"""Fetches and pushes our refs: joined, atomic, not forced except after a purge, with a limit of tries."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.notes.epoch import find_epoch, read_epoch
from gittraj.notes.recovery import is_ancestor, restore_deleted
from gittraj.notes.refs import delete_ref, set_ref
from gittraj.notes.store import DATA_PREFIX, MONTH, RECORDS_REF, DataRefs
from gittraj.state.cursors import load_state
from gittraj.state.folder import LocalState
from gittraj.sync.consent import may_join
from gittraj.sync.join import join_records, join_segments
from gittraj.sync.network import Refused, complete, fetch_refs, list_refs, push_refs
from gittraj.sync.outgoing import find_tips
from gittraj.sync.purge_merge import is_purge_applied, merge_purged_segments
from gittraj.sync.remote import Remote, find_remote, list_remotes
from gittraj.sync.traces import clear_traces, read_replaced

_TRIES = 100
_PATIENCE = 60.0
"""The seconds in which a push is tried again while others push at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """The ``refs`` that were pushed; ``replaced`` are those of them whose history was replaced."""

    refs: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()


def fetch(
    repository: Repository,
    remote: Remote,
    *,
    months: Collection[str] = (),
    tell: Callable[[str], object] = lambda _: None,
) -> int:
    """Fetch a remote's records, and join them with ours; return how many of our commits' notes changed.

    Segments are fetched only on request: those of ``months`` are joined, too, since a push of these months
    needs the remote's segments. What was purged there is removed here, too, and ``tell`` is called with a
    remark. Raises TrajError.
    """
    local = LocalState.of(repository)
    if state := load_state(local.folder):
        restore_deleted(repository, state.tips)  # before a join starts a new reflog
    theirs = _list(repository, remote)
    wanted = [RECORDS_REF, *(DATA_PREFIX + month for month in sorted(months))]
    tips = _bring(repository, remote, {ref: theirs[ref] for ref in wanted if ref in theirs})
    _forget(repository, remote, theirs)
    records = tips.pop(RECORDS_REF, None)
    if not local.is_purging and not (records and _brings_purge(repository, records)):
        _join_months(repository, remote, tips)
        changed = join_records(repository, records, remote.name, tell=tell) if records else 0
        if records and _is_stale(repository, records):
            tell(f"{remote.name} still has purged data: git traj push --replace removes it")
        return changed
    with local.writing(), local.purging():
        changed = join_records(repository, records, remote.name) if records else 0
        _join_months(repository, remote, tips)
        _settle_months(repository, remote, theirs)
        clear_traces(repository)
    tell(
        f"{remote.name} was purged; the same data was removed here. "
        "git gc --prune=now deletes the old objects and everything else that is unreachable"
    )
    return changed


def fetch_all(repository: Repository) -> list[str]:
    """Fetch all records and segments of all remotes. Return the reason for each remote that failed, a line
    each."""
    complaints = []
    for name in list_remotes(repository):
        try:
            remote = find_remote(repository, name, pushing=False)
            if not may_join(repository, remote):
                complaints.append(f"{name} was never joined here (git traj fetch {name})")
                continue
            fetch(repository, remote, months=_months(_list(repository, remote)))
        except TrajError as error:
            complaints.append(error.message)
    return complaints


def push(
    repository: Repository,
    remote: Remote,
    *,
    records_only: bool = False,
    replace: bool = False,
    tell: Callable[[str], object] = lambda _: None,
) -> Pushed:
    """Push our records, and the segments of every month that changed, all or none if the remote can do that.
    If somebody else was faster, join what they pushed and try again.

    Refs of the remote from before a purge are replaced only with ``replace``, and only after everything else
    in them was joined. Raises TrajError.
    """
    _join_known(repository, remote)
    if replace:
        months = () if records_only else _months(_list(repository, remote))
        fetch(repository, remote, months=months, tell=tell)
    refused = Refused(why="")
    end = time.monotonic() + _PATIENCE
    for tried in range(_TRIES):
        tips = find_tips(repository, remote, records_only=records_only)
        if not tips:
            return Pushed()
        instead = _from_before(repository, remote, tips) if replace else {}
        answer = _push(repository, remote, tips, instead)
        if answer is None:
            return Pushed(refs=tuple(tips), replaced=tuple(instead))
        refused = answer
        if not refused.moved:
            raise TrajError(
                f"{remote.name}: {refused.why}", "check with git push whether you may write there"
            )
        if time.monotonic() > end:
            break
        time.sleep(random.uniform(0.0, 0.02) * min(tried, 10))  # noqa: S311 - keeps the pushers apart, not a secret
        fetch(repository, remote, months=_months(tips), tell=tell)
        if not replace and _from_before(repository, remote, tips):
            raise TrajError(
                f"{remote.name} still has purged data",
                "git traj push --replace replaces its history",
            )
    raise TrajError(
        f"{remote.name}: still rejected after several tries, because others push ({refused.why})",
        "try again later",
    )


def _join_known(repository: Repository, remote: Remote) -> None:
    """Join the records that the remote is known to have: else a removal by hand would be pushed, too."""
    known, ours = map(repository.objects.resolve, (remote.tracking(RECORDS_REF), RECORDS_REF))
    if known and ours and is_ancestor(repository, known, ours):
        join_records(repository, known, remote.name)


def fetch_segments(repository: Repository, months: Iterable[str]) -> list[str]:
    """Fetch the segments of these months from every remote that has them. Return a line for each remote that
    failed, with the reason."""
    wanted = {month for month in months if MONTH.fullmatch(month)}  # from records, which are not trusted
    complaints = []
    for name in list_remotes(repository) if wanted else ():
        try:
            remote = find_remote(repository, name)
            theirs = _list(repository, remote)
            months = {ref: oid for ref, oid in theirs.items() if ref.removeprefix(DATA_PREFIX) in wanted}
            _join_months(repository, remote, _bring(repository, remote, months))
        except TrajError as error:
            complaints.append(error.message)
    return complaints


def _push(
    repository: Repository, remote: Remote, tips: Mapping[str, str], instead: Mapping[str, str]
) -> Refused | None:
    refused = push_refs(repository, remote, tips, instead=instead)
    if refused is None or not refused.atomic:
        _remember(repository, remote, {} if refused else tips)
        return refused
    # a remote without atomic pushes gets the segments before the records that name them
    data = {ref: tip for ref, tip in tips.items() if ref != RECORDS_REF}
    for part in (data, {ref: tip for ref, tip in tips.items() if ref not in data}):
        refused = push_refs(repository, remote, part, atomic=False, instead=instead) if part else None
        if refused is not None:
            return refused
        _remember(repository, remote, part)
    return None


def _list(repository: Repository, remote: Remote) -> dict[str, str]:
    """List the remote's copies of our refs, without tips that were replaced here for good."""
    replaced = read_replaced(repository)
    return {ref: oid for ref, oid in _list_all(repository, remote).items() if oid not in replaced}


def _list_all(repository: Repository, remote: Remote) -> dict[str, str]:
    refs = list_refs(repository, remote, RECORDS_REF, f"{DATA_PREFIX}*")
    return {ref: oid for ref, oid in refs.items() if ref == RECORDS_REF or ref.startswith(DATA_PREFIX)}


def _months(theirs: Iterable[str]) -> list[str]:
    months = (ref.removeprefix(DATA_PREFIX) for ref in theirs)
    return [month for month in months if MONTH.fullmatch(month)]


def _is_stale(repository: Repository, theirs: str) -> bool:
    """Whether the remote's history could not be joined, because ours was purged."""
    ours = repository.objects.resolve(RECORDS_REF)
    return bool(ours and find_epoch(repository.objects, ours) and not is_ancestor(repository, theirs, ours))


def _brings_purge(repository: Repository, theirs: str) -> bool:
    objects = repository.objects
    ours = objects.resolve(RECORDS_REF)
    return ours is not None and not read_epoch(objects, ours).covers(read_epoch(objects, theirs))


def _settle_months(repository: Repository, remote: Remote, theirs: Mapping[str, str]) -> None:
    """Remove what was purged from the months that are here, and join what the remote has instead."""
    for month in DataRefs(repository).months():
        ref = DATA_PREFIX + month
        tip = repository.objects.resolve(ref)
        if tip is not None and not is_purge_applied(repository, month, tip):
            _join_months(
                repository, remote, _bring(repository, remote, {ref: theirs[ref]} if ref in theirs else {})
            )
            merge_purged_segments(repository, month, message="git-traj: take out what was purged")


def _from_before(repository: Repository, remote: Remote, tips: Mapping[str, str]) -> dict[str, str]:
    """The remote's tips of our purged refs that are still from before the purge; everything else in them was
    joined. A tip that somebody pushed since does not count."""
    objects = repository.objects
    replaced = read_replaced(repository)

    def is_old(ref: str, oid: str) -> bool:
        ours = objects.resolve(ref)
        known = oid == objects.resolve(remote.tracking(ref)) and ours is not None
        return oid in replaced or (known and not is_ancestor(repository, oid, ours or oid))

    there = _list_all(repository, remote)
    return {
        r: there[r]
        for r, tip in tips.items()
        if r in there and find_epoch(objects, tip) and is_old(r, there[r])
    }


def _bring(repository: Repository, remote: Remote, theirs: Mapping[str, str]) -> dict[str, str]:
    """Fetch the remote's tips with everything in them. Raises TrajError if one of them is not a commit."""
    objects = repository.objects
    stale = [
        r for r in theirs if objects.resolve(remote.tracking(r)) != theirs[r] or not objects.exists(theirs[r])
    ]
    if stale:
        fetch_refs(repository, remote, stale)
    tips = {ref: objects.resolve(remote.tracking(ref)) or theirs[ref] for ref in theirs}
    for ref, tip in tips.items():
        if objects.kind(tip) != "commit":
            delete_ref(repository, remote.tracking(ref), check=False)
            raise TrajError(
                f"{remote.name}: its {ref} is not a notes ref", f"git ls-remote {remote.name} lists its refs"
            )
        complete(repository, remote, tip)
    return tips


def _join_months(repository: Repository, remote: Remote, tips: Mapping[str, str]) -> None:
    for ref, tip in tips.items():
        join_segments(repository, ref.removeprefix(DATA_PREFIX), tip, remote.name)


def _forget(repository: Repository, remote: Remote, theirs: Mapping[str, str]) -> None:
    """Drop copies of refs that the remote no longer has, so that our refs are pushed again: that a ref is
    missing there does not delete ours."""
    prefix = remote.tracking(RECORDS_REF)
    listed = repository.run("for-each-ref", "--format=%(refname)", prefix, f"{prefix}-data-*").text
    for kept in listed.splitlines():
        ref = "refs/notes/" + kept.removeprefix(prefix.removesuffix("traj"))
        if ref not in theirs:
            delete_ref(repository, kept, check=False)


def _remember(repository: Repository, remote: Remote, tips: Mapping[str, str]) -> None:
    for ref, tip in tips.items():
        set_ref(repository, remote.tracking(ref), tip, message="git-traj: pushed", check=False)
