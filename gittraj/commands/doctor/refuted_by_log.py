"""Links by content that a session's log refutes: by today's rules, what it wrote does not explain the commit.

A log that is gone, too long, or not as it was when the record was made, says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from gittraj.agents import SessionFile
from gittraj.capture.content import Changed, Writings
from gittraj.capture.session import Commit, Log
from gittraj.commands.doctor.refuted import Linked
from gittraj.config import Environ, read_config
from gittraj.errors import TrajError
from gittraj.git import Repository, find_common
from gittraj.model.session_items import Cursor
from gittraj.model.values import Record
from gittraj.record.drain.context import Context, Installed
from gittraj.record.drain.reading import read_log
from gittraj.state.cursors import State, Suspension, load_state, load_suspension

_MOST = 16_000_000
"""Bytes of logs that are read in all."""


def find_refuted_by_log(repository: Repository, linked: Sequence[Linked]) -> Iterator[Linked]:
    """Raises GitError."""
    environ, since = Environ.of(repository.environ), Installed(time=0.0, reflogs={})
    context = Context.of(repository, read_config(repository), environ, installed=since)
    logs = _Logs(context)
    changes = {
        c.id: c.changes for c in context.load_changes([[Commit(id=each.commit) for each in linked]])[0]
    }
    for each in sorted(linked, key=lambda each: each.records[0].id):
        change, log = changes.get(each.commit), logs.read(each.records[0])
        if change is None or log is None or len(change.parents) > 1:
            continue
        writings = Writings.of(log)
        if not _is_as_it_was(log, writings, each.records):
            continue
        changed = Changed(change, partial(find_common, repository))
        if not (writings.explain(changed) if each.alone else writings.beside(changed, Writings())):
            yield each


def _is_as_it_was(log: Log, writings: Writings, records: Sequence[Record]) -> bool:
    """Whether the records' events and edits are in it: not so where it was cut, or a folder moved since."""
    ids = {entry.event.id for entry in log.entries}
    ends = {end for r in records if r.range for end in (r.range.first, r.range.last)}
    files = {file.path for record in records for file in record.figures.files}
    return ends <= ids and bool(files) and files <= writings.by_path.keys()


class _Logs:
    """The logs of records, the last one kept. Nothing is read while recording is paused."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._left = _MOST
        self._last: tuple[str, Log | None] = ("", None)
        self._state = load_state(context.folder) or State()
        self._off: Suspension | None = None
        try:
            off = load_suspension(context.folder)
            self._off = off if off.paused is None and not context.environ.off else None
        except TrajError:
            pass  # doctor tells of it

    def read(self, record: Record) -> Log | None:
        if self._last[0] != record.id:
            try:
                self._last = (record.id, self._read(record))
            except (OSError, TrajError):
                self._last = (record.id, None)
        return self._last[1]

    def _read(self, record: Record) -> Log | None:
        file = self._find(record)
        if file is None or self._off is None:
            return None
        self._left -= max(file.path.stat().st_size, 0)
        if self._left < 0:
            return None
        log, _, _ = read_log(
            file,
            Cursor(),
            facts={},
            territory=self._context.territory,
            config=self._context.config,
            off=self._off.away(file.name, subagent=file.subagent),
            now=self._context.now,
        )
        return log

    def _find(self, record: Record) -> SessionFile | None:
        agent, session, sessions = record.whole.agent, record.whole.session, self._context.sessions
        path = sessions.find(f"{agent}:{session}", self._state) if agent and session else None
        if path is None or agent is None or session is None:
            return None
        file = SessionFile(agent=agent, session=session, path=path)
        logs = (file, *sessions.agents[agent].subagents(file))
        return next((log for log in logs if log.trajectory == record.id), None)
