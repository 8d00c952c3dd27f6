"""What is pushed was redacted by today's rules: what older ones made is scanned again first."""

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
    """Scan again what ``remote`` would get and older rules redacted; returns how many parts that were.
    ``live`` is the environment whose values are secrets.

    Raises TrajError when a part cannot be scanned, since its events are nowhere here: it must not go out.
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
            f"redacted by older rules, and the events are not here: {', '.join(sorted(left)[:3])}",
            "git traj fetch brings them; git traj forget takes them out",
        )
    return len(old)
