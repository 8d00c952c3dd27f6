"""The Python API for what a repository has recorded: read it, import sessions, write it in other formats.

It does what the commands do, without printing: its JSON is described in docs/json.md, and imported sessions
pass the same redaction. It does not first record running sessions: call ``git traj status`` for that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from gittraj.errors import TrajError, UsageError
from gittraj.git import open_repository
from gittraj.model.header import Header
from gittraj.model.values import AnyEvent, Record
from gittraj.plugins import consult


class Trajectories:
    """The records of one repository. Use it as a context manager, or ``close`` it.

    Args:
        path: a folder in the repository, or its git directory.
        environ: the environment that git and the redactor see; this process's own by default.

    Raises:
        NotARepository: ``path`` is not in a repository.
    """

    def __init__(self, path: Path | str = ".", *, environ: Mapping[str, str] | None = None) -> None:
        self._environ = dict(os.environ if environ is None else environ)
        self._repository = open_repository(Path(path), environ=self._environ)
        consult(self._repository)

    def __enter__(self) -> Trajectories:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._repository.close()

    def records(self) -> Iterator[tuple[str, Record]]:
        """Every record that is not deleted, with the full id of its commit."""
        from gittraj.notes.merge import iter_records
        from gittraj.notes.store import NotesRef

        return iter_records(NotesRef(self._repository).items())

    def trajectories(self, *names: str) -> list[Header]:
        """The trajectories of revisions, ranges (``A..B``) and trajectory ids (by default of ``HEAD``), as
        ``git traj show --json`` prints them, each once with its events. Events that are not in this clone are
        left out. A trajectory with a ``remote`` was fetched from there and is not in this clone's own refs.

        Raises TrajError for an unknown name.
        """
        return [*self._gather(names).trajectories]

    def events(self, trajectory: Header) -> Iterator[AnyEvent]:
        """The events of one of the ``trajectories()``, as objects of ``gittraj.model.values``."""
        from gittraj.formats.base.carried import plain_event, to_event

        for chapter in trajectory["chapters"]:
            for value in chapter["events"]:
                if (event := to_event(plain_event(value, trajectory["agent"]))) is not None:
                    yield event

    def export(self, form: str, *names: str) -> dict[str, bytes]:
        """The documents that ``git traj export --format FORM`` writes for other tools, by file name.

        Raises TrajError for an unknown name, UsageError for an unknown format.
        """
        from gittraj.commands.export import EXCHANGES, documents

        if form not in EXCHANGES:
            raise UsageError(f"unknown format '{form}'", f"known: {', '.join(EXCHANGES)}")
        exported = self._gather(names)
        if not exported.trajectories:
            return {}
        return dict(documents(EXCHANGES[form], exported))

    def import_files(
        self, *paths: Path | str, commit: str | None = None, link: bool = False, form: str | None = None
    ) -> list[Header]:
        """Import sessions, as ``git traj import --json`` does: onto ``commit``; or, with ``link``, onto the
        commits that the sessions made; else as work without a commit. Safe to repeat.

        Returns:
            One row per session, with its trajectory, its commits and the number of parts written.

        Raises:
            TrajError: a file could not be imported; all others were.
        """
        from gittraj.commands.backfill.importer import import_files
        from gittraj.commands.backfill.report import taken_to_json
        from gittraj.commands.link import find_commit

        onto = find_commit(self._repository, commit) if commit is not None else None
        files: Sequence[Path] = [Path(path) for path in paths]
        reports, refused = import_files(
            self._repository, self._environ, files, form=form, commit=onto, link=link
        )
        rows = [row for report in reports for row in taken_to_json(report, {})]
        failed = [f"{path}: {why}" for path, why in refused]
        failed += [f"{row['path']}: {row['why']}" for row in rows if row["why"]]
        if failed:
            raise TrajError("; ".join(failed))
        return rows

    take_in = import_files  # the method's earlier name

    def _gather(self, names: Sequence[str]) -> Any:
        from gittraj.index.remote_records import read_records
        from gittraj.query.show.chapters import Segments
        from gittraj.query.show.selection import gather

        return gather(
            self._repository, read_records(self._repository), names or ("HEAD",), Segments(self._repository)
        )
