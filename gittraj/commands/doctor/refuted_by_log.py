"""Finds links by content that a session's log refutes: by the present rules, the session's edits do not
explain the commit.

A log that was deleted, is too long, or is not as it was when the record was made refutes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby

from gittraj.agents import SessionFile
from gittraj.capture.content import Changed, Writings
from gittraj.capture.session import Commit, Log
from gittraj.commands.doctor.refuted import Linked
from gittraj.config import Environ, read_config
from gittraj.errors import FormatError
from gittraj.git import Repository, find_common
from gittraj.model.values import Record
from gittraj.record.drain.context import Context, Installed
from gittraj.record.drain.logs import ResumingReader
from gittraj.record.drain.sessions import Wanted
from gittraj.state.cursors import State, load_state, load_suspension

_MOST = 16_000_000
"""The maximum number of bytes of logs that are read in all."""


def find_refuted_by_log(repository: Repository, linked: Iterable[Linked]) -> Iterator[Linked]:
    """Yield the refuted links. Reads no log while recording is paused. Raises GitError."""
    context = Context(
        repository=repository,
        config=read_config(repository),
        environ=Environ.of(repository.environ),
        installed=Installed(time=0.0, reflogs={}),
    )
    try:
        off = load_suspension(context.folder)
    except FormatError:
        return  # doctor reports the damaged file
    if context.environ.off or off.paused is not None:
        return
    state = load_state(context.folder) or State()
    reader = ResumingReader(context=context, state=state, off=off, ended=frozenset(), recorded={})
    budget = _MOST
    for _, each in groupby(sorted(linked, key=_trajectory), key=_trajectory):
        group = list(each)
        file = _find_log(context, state, group[0].records[0])
        if file is None or file.path.stat().st_size > budget:
            continue
        budget -= file.path.stat().st_size
        for reading in reader.read([Wanted(file=file, whole=True)]):
            yield from _find_refuted(context, reading.log, group)


def _trajectory(linked: Linked) -> str:
    return linked.records[0].id


def _find_log(context: Context, state: State, record: Record) -> SessionFile | None:
    agent, session = record.whole.agent or "", record.whole.session or ""
    path = context.sessions.find(f"{agent}:{session}", state)
    if path is None:
        return None
    file = SessionFile(agent=agent, session=session, path=path)
    logs = (file, *context.sessions.agents[agent].subagents(file))
    return next((log for log in logs if log.trajectory == record.id), None)


def _find_refuted(context: Context, log: Log, linked: Sequence[Linked]) -> Iterator[Linked]:
    writings = Writings.of(log)
    (commits,) = context.load_changes([[Commit(id=each.commit) for each in linked]])
    changes = {commit.id: commit.changes for commit in commits}
    for each in linked:
        change = changes.get(each.commit)
        if change is None or len(change.parents) > 1 or not _is_as_it_was(log, writings, each.records):
            continue
        changed = Changed(change, partial(find_common, context.repository))
        # if the note had another session, that may have written the rest of the commit
        if not (writings.explain(changed) if each.alone else writings.explain_rest(changed, Writings())):
            yield each


def _is_as_it_was(log: Log, writings: Writings, records: Sequence[Record]) -> bool:
    """Return whether the log still has all events and edits of the records."""
    ids = {entry.event.id for entry in log.entries}
    ends = {end for r in records if r.range for end in (r.range.first, r.range.last)}
    files = {file.path for record in records for file in record.figures.files}
    return ends <= ids and bool(files) and files <= writings.by_path.keys()
