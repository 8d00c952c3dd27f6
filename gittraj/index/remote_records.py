"""Reads remotes' records together with the clone's own, for every command that reads.

A remote's records may not be redacted: they are *vetted*, that is, the present rules are applied to each
before it is shown. The results are kept in a database next to the index, because loading the rules takes
longer than an answer.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from gittraj import limits
from gittraj.errors import FormatError, GitError, RedactionError
from gittraj.git import Repository
from gittraj.index import file
from gittraj.model.codec import encode_note
from gittraj.model.values import Line, Record
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.notes.unjoined import find_unjoined
from gittraj.query.notes import Notes, NotesInMemory, name_over
from gittraj.query.records import Recorded
from gittraj.startup import sha256

if TYPE_CHECKING:
    from gittraj.notes.remotes import Ours

VETTED = file.Database(
    "beside.db",
    1,
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;"
    "CREATE TABLE vetted (note BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;",
    "beside-",
)
_KEPT = 4 * limits.REMOTE_COMMITS
"""The number of vetted notes after which all are dropped."""
Tell = Callable[[str], object]


def read_records(
    repository: Repository,
    notes: Notes | None = None,
    *,
    commits: Collection[str] | None = None,
    unjoined: Mapping[str, str] | None = None,
    tell: Tell = lambda _: None,
) -> Recorded:
    """Read the clone's own records on ``commits`` (None: on all), and those that only remotes have. ``notes``
    are the clone's notes if they are already read, ``unjoined`` is the result of ``find_unjoined`` if it is
    known. ``tell`` gets messages about what is left out."""
    if notes is None:
        ref, too_large = NotesRef(repository), list[str]()
        own = ref.items(over=too_large) if commits is None else ref.pick(commits, over=too_large)
        notes = NotesInMemory(own, too_large)
    if notes.over:  # commits whose notes are too large
        tell(name_over(notes.over))
    unjoined = find_unjoined(repository) if unjoined is None else unjoined
    return _read_beside(repository, Recorded(notes), unjoined, commits, tell) if unjoined else Recorded(notes)


def _read_beside(
    repository: Repository,
    recorded: Recorded,
    unjoined: Mapping[str, str],
    commits: Collection[str] | None,
    tell: Tell,
) -> Recorded:
    from gittraj.notes.remotes import Ours  # only needed for remotes that are not joined
    from gittraj.query.remote_records import RecordedBeside, RemoteNotesInMemory
    from gittraj.state.cursors import load_suspension
    from gittraj.state.folder import LocalState

    try:
        ours = Ours.read(repository, load_suspension(LocalState.of(repository).folder).forgotten)
    except FormatError as error:  # it is unknown which trajectories were forgotten
        tell(f"records of remotes are not shown: {error.message}")
        return recorded
    vetting = _Vetting(repository, ours, tell)
    remotes: dict[str, Notes] = {}
    seen: set[tuple[str, bytes]] = set()
    for name, theirs in _read_remotes(repository, unjoined, commits, tell):
        bodies = {c: _without(seen, c, body) for c, body in theirs.items()}
        shown = {c: body for c, body in bodies.items() if body and vetting.shows(c, body)}
        seen.update((c, line) for c, body in shown.items() for line in body.splitlines())
        if shown:
            remotes[name] = RemoteNotesInMemory(shown.items(), partial(vetting.vet, name))
    return RecordedBeside(recorded, remotes) if remotes else recorded


def _read_remotes(
    repository: Repository, unjoined: Mapping[str, str], commits: Collection[str] | None, tell: Tell
) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """Yield the notes of each remote that can be read."""
    from gittraj.notes.remotes import read_remote

    for name, tip in unjoined.items():
        try:
            theirs, left_out, too_large = read_remote(repository, name, tip, commits=commits)
        except GitError as error:
            tell(f"the records of {name} cannot be read: {error.message}")
            continue
        if left_out:
            tell(f"{name}: records of {left_out} commits are left out; git traj fetch {name} joins all")
        if too_large:
            tell(f"{name}: {name_over(too_large)}")
        yield name, theirs


def count_unjoined(repository: Repository) -> dict[str, int]:
    """Map each remote to the number of commits for which it has records that are not joined."""
    from gittraj.query.remote_records import RecordedBeside

    recorded = read_records(repository, NotesInMemory(()))
    return recorded.count_commits() if isinstance(recorded, RecordedBeside) else {}


def _without(seen: Collection[tuple[str, bytes]], commit: str, body: bytes) -> bytes:
    """Return a note without the records that were seen in an earlier remote; deletions are kept."""
    lines = [line for line in body.splitlines() if (commit, line) not in seen or b'"deleted"' in line]
    return b"\n".join(lines)


class _Vetting:
    """Vets the notes of remotes one by one, and stores the results when the object is no longer used.
    ``ours`` is the clone's own data (notes, forgotten trajectories, purges); its ``keep`` returns the lines
    of a remote's note that are shown, too, and how many records are over the limit."""

    def __init__(self, repository: Repository, ours: Ours, tell: Tell) -> None:
        self._repository = repository
        self._ours = ours
        self._tell = tell
        self._reported: set[str] = set()
        self._rules: list[str] = []
        self._fresh: dict[bytes, bytes] = {}
        weakref.finalize(self, _remember, repository.common_dir, self._rules, self._fresh)

    def shows(self, commit: str, body: bytes) -> bool:
        """Whether anything of a note may be shown. Most notes need not be decoded to decide that."""
        from gittraj.notes.epoch import Epoch

        try:
            ours = self._ours
            must_decode = (
                ours.lines(commit) or ours.forgotten or ours.epoch != Epoch() or b'"deleted"' in body
            )
            # ``standing``: the records that no tombstone among the lines deletes
            return not must_decode or bool(standing(commit, ours.keep(commit, body)[0]))
        except GitError:
            return False  # the clone's own note cannot be read: git traj doctor reports that

    def vet(self, name: str, commit: str, body: bytes) -> bytes:
        lines, left_out = self._ours.keep(commit, body)
        if left_out:
            self._say(
                name, f"{name} has more records on {commit[:7]} than are shown: {left_out} are left out"
            )
        raw = encode_note(lines)
        key = sha256(raw).digest()
        if key not in self._known:
            clean = [redacted for line in lines if (redacted := self._clean(name, line)) is not None]
            self._known[key] = self._fresh[key] = encode_note(clean)
        return self._known[key]

    def _clean(self, name: str, line: Line) -> Line | None:
        if not isinstance(line, Record):
            return line
        try:
            return self._redact(line)
        except (RedactionError, RecursionError):
            self._say(name, f"a record of {name} cannot be redacted, and is left out")
            return None

    def _say(self, name: str, text: str) -> None:
        """Report the first fault of each remote."""
        if name not in self._reported:
            self._reported.add(name)
            self._tell(text)

    @cached_property
    def _known(self) -> dict[bytes, bytes]:
        self._rules.append(_find_rules(self._repository))
        try:
            with file.reading(self._repository.common_dir, VETTED) as connection:
                if file.read_source(connection).get("rules") != self._rules[0]:
                    return {}
                return dict(connection.execute("SELECT note, body FROM vetted"))
        except (file.UnusableError, sqlite3.Error):
            return {}

    @cached_property
    def _redact(self) -> Callable[[Record], Record]:
        from gittraj.config import read_config, stamp
        from gittraj.record.drain.redactor import redactors
        from gittraj.record.rewrite_segments import clean_record
        from gittraj.redact import LiveValues
        from gittraj.state.folder import LocalState

        config, local = read_config(self._repository), LocalState.of(self._repository)
        key = local.folder / "redact.key"
        live = LiveValues((), hashes=local.hashes())
        make = redactors(config, key=key.read_bytes() if key.exists() else os.urandom(32), live=live)
        return partial(clean_record, make(), stamp(config), {})


def _find_rules(repository: Repository) -> str:
    """Return a hash of the rules, settings and known secrets that records are vetted with, without loading
    them."""
    from gittraj.state.folder import LocalState

    package = Path(__file__).parents[1] / "redact"
    team = (repository.work_tree or repository.common_dir) / ".gittraj.yml"
    rules = sorted(path for path in package.rglob("*") if path.suffix in (".py", ".toml", ".txt"))
    files = [*rules, team, LocalState.of(repository).folder / "live.json"]
    settings = repository.run("config", "-z", "--get-regexp", r"^traj\.", check=False).out
    versions = repr((settings, [file.read_stamp(path) for path in files]))
    return sha256(versions.encode()).hexdigest()


def _remember(common_dir: Path, rules: Sequence[str], fresh: Mapping[bytes, bytes]) -> None:
    """Store the vetted notes; never fails."""
    if not fresh:
        return
    try:
        with file.writing(common_dir, VETTED, wait=0) as connection:
            (number,) = connection.execute("SELECT count(*) FROM vetted").fetchone()
            if file.read_source(connection).get("rules") != rules[0] or number > _KEPT:
                connection.execute("DELETE FROM vetted")
            connection.executemany("INSERT OR REPLACE INTO vetted VALUES (?, ?)", fresh.items())
            file.write_source(connection, rules=rules[0])
    except file.UnusableError:
        pass
