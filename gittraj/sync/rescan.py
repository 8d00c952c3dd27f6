"""Before a push, parts that older rules redacted are scanned again by today's rules."""

from __future__ import annotations

from collections.abc import Mapping

from gittraj.config import Environ, read_config, stamp
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.notes.store import RECORDS_REF, NotesRef
from gittraj.notes.unstamped import unstamped
from gittraj.record.drain.composition import make_pipeline
from gittraj.state.folder import LocalState
from gittraj.sync import Remote
from gittraj.sync.ruleset_version import restamp


def vet(repository: Repository, remote: Remote, *, environ: Environ, live: Mapping[str, str]) -> int:
    """Scan again the parts that ``remote`` would get and that older rules redacted; return their number.
    ``live`` is the environment whose values are secrets.

    Raises TrajError when a part cannot be scanned because its events are not here: it must not be pushed.
    """
    objects, notes = repository.objects, NotesRef(repository)
    changed = list(notes.changed(objects.resolve(remote.tracking(RECORDS_REF)), notes.tip()))
    config = read_config(repository)
    ruleset = stamp(config)
    old = {record.key for _, record in unstamped(repository, ruleset, commits=changed)}
    if not old:
        return 0
    with LocalState.of(repository).writing():
        restamp(repository, make_pipeline(repository, config, environ, live=live), commits=changed)
    left = {record.id for _, record in unstamped(repository, ruleset, commits=changed)}
    if left:
        raise TrajError(
            "nothing was pushed: redacted by older rules, and the events are not here: "
            + ", ".join(sorted(left)[:3]),
            "git traj fetch downloads the events; git traj forget deletes the trajectories",
        )
    return len(old)
