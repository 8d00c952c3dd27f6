"""The start of every command: opens its repository, records what is new, and reads the records and events
that it needs, ours and remotes'; missing events are fetched first.

Only a command that the user runs may use the network; no hook and no drain does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from gittraj.cli.common.output import say
from gittraj.errors import NotARepository, TrajError
from gittraj.git import Backend, Repository, open_repository
from gittraj.plugins import consult

if TYPE_CHECKING:
    from gittraj.config import Environ
    from gittraj.query.notes import Notes
    from gittraj.query.records import Recorded
    from gittraj.query.show.chapters import Segments
    from gittraj.seal.events import Opener


def environment() -> Mapping[str, str]:
    return dict(os.environ)


def read_environ() -> Environ:
    """What the environment says about git-traj."""
    from gittraj.config import Environ

    return Environ.of(environment())


def find_repository(backend: Backend = "auto") -> Repository:
    """The repository that the command was called in. Plug-ins are named by the user's git configuration, as
    git reports it there. ``GIT_DIR`` is honoured, as in git. Raises NotARepository."""
    git_dir = os.environ.get("GIT_DIR")
    start = Path(git_dir) if git_dir else Path.cwd()
    repository = open_repository(start, environ=environment(), backend=backend)
    consult(repository)
    return repository


def find_if_any(backend: Backend = "auto") -> AbstractContextManager[Repository | None]:
    """The repository that the command was called in, or None outside of one."""
    try:
        return find_repository(backend)
    except NotARepository:
        return nullcontext()


def find_to_read() -> Repository:
    """The repository for a command that only reads. It runs git: importing libgit2 takes longer than that."""
    return find_repository("plumbing")


def find_drained(*, to_read: bool = False, follow: bool = True) -> Repository:
    """The repository, after recording what is new as far as possible: see ``drain_first``. ``follow``: also
    update, from Beads' exports, the tasks that are worked on here."""
    repository = find_to_read() if to_read else find_repository()
    drain_first(repository)
    if follow:
        _follow_beads(repository)
    return repository


def _follow_beads(repository: Repository) -> None:
    """Update tasks of Beads. If no active trajectory has one, this only lists a folder that may be empty."""
    try:
        active = (repository.common_dir / "traj" / "active").glob("traj_*.json")
        if not any(b'"beads"' in path.read_bytes() for path in active):
            return
    except OSError:
        return  # a trajectory just ended
    from gittraj.tasks import beads
    from gittraj.tasks.lookup import survey_exports

    raw, seen = environment(), repository.common_dir / "traj" / f"beads-{repository.git_dir.name}"
    written = str(beads.changed_at(survey_exports(repository, raw)))
    with suppress(OSError):
        if seen.read_text() == written:
            return
    from gittraj.commands.tasks import follow_exports

    with replace(repository, backend="auto") as to_write:
        followed = follow_exports(to_write, raw)
    with suppress(OSError):  # a read-only folder
        seen.write_text(written)
    for each in followed:
        if each.change == "ended" and (source := each.found.task.source):
            add = f"add its result: git traj complete {each.trajectory} --summary S"
            say(f"{source.id} is closed in beads, so its trajectory ended; {add}")
    if followed:
        drain_first(repository, always=True)


def is_installed(repository: Repository) -> bool:
    from gittraj.state.changed import INSTALLED

    return (repository.common_dir / "traj" / INSTALLED).exists()


def drain_first(repository: Repository, *, always: bool = False) -> TrajError | None:
    """Record what is new, so that a command sees a consistent state; unless ``always``, drain only if
    something is new. An error is reported on one line and returned; the command continues with the existing
    records."""
    from gittraj.index.file import has_nothing_new

    if not is_installed(repository):
        _hint_at_installing(repository)
        return None
    if not always and has_nothing_new(repository.common_dir):
        return None
    from gittraj.state.changed import has_news

    try:
        if always or has_news(repository):
            _drain(repository)
    except TrajError as error:
        failure = error
    except OSError as error:
        failure = TrajError(f"{error.filename}: {error.strerror}")
    else:
        return None
    sys.stderr.write(f"git-traj: not up to date: {failure.one_line}\n")
    return failure


def _drain(repository: Repository) -> None:
    """Drain, and print the drain's remarks. Raises TrajError."""
    from gittraj.record.drain.composition import drain  # the redactor's rules take 70 ms
    from gittraj.state.folder import busy

    environ = read_environ()
    with replace(repository, backend="auto") as to_write:
        report = drain(to_write, environ=environ, live=environment())
    if report is None:
        if not environ.off:
            raise busy()
        return
    say_remark(report.remark)
    if report.exposed:
        say("a secret that was already pushed became known: rotate it (git traj doctor)")


def _hint_at_installing(repository: Repository) -> None:
    """Print a hint to run ``git traj install``, on a terminal, in a clone of a project that records."""
    top = repository.work_tree
    if sys.stderr.isatty() and top is not None and (top / ".gittraj.yml").is_file():
        sys.stderr.write(
            "hint: this project records agents' work, but this clone does not; run git traj install\n"
        )


def say_remark(remark: str | None) -> None:
    """Print a drain's remark on how thinking was sealed."""
    if remark:
        sys.stderr.write(f"git-traj: {remark}\n")


def current_session(environ: Environ) -> str:
    """The agent session (``agent:session``) that runs this command. Raises TrajError outside of one."""
    from gittraj.agents import all_agents

    for agent in all_agents().values():
        session = agent.current(environ)
        if session is not None:
            return f"{agent.name}:{session}"
    raise TrajError(
        "this shell does not belong to an agent's session", "leave out --session to pause everything"
    )


T = TypeVar("T")


def read_records(
    repository: Repository,
    notes: Notes | None = None,
    *,
    commits: Collection[str] | None = None,
    unjoined: Mapping[str, str] | None = None,
) -> Recorded:
    """Call ``gittraj.index.remote_records.read_records``, and say on stderr what is left out."""
    from gittraj.index.remote_records import read_records as read

    return read(repository, notes, commits=commits, unjoined=unjoined, tell=say_once)


def say_once(text: str) -> None:
    """Print a remark, but only once per command."""
    context = click.get_current_context(silent=True)
    printed = context.find_root().meta.setdefault(__name__, set()) if context else set()
    if text not in printed:
        printed.add(text)
        say(text)


def read_events(
    repository: Repository,
    read: Callable[[Segments], T],
    *,
    command: str,
    fetch: bool,
    opener: Opener | None = None,
) -> T:
    """Return what ``read`` returns for the recorded events. With ``fetch``, fetch missing events and call
    ``read`` again. Events that are still missing are reported, with a hint for ``command``."""
    from gittraj.query.show.chapters import Segments

    segments = Segments(repository, opener)
    result = read(segments)
    why: str | None = f"git traj {command} without --no-fetch asks the remotes"
    if segments.months and fetch:
        why = fetch_missing(repository, segments.months)
        segments = Segments(repository, opener)
        result = read(segments)
    if segments.missing:
        from gittraj.cli.common.no_match import say_missing

        say_missing(segments.missing, why)
    return result


def fetch_missing(repository: Repository, months: Collection[str]) -> str | None:
    """Fetch the segments of these months. Returns why that failed, on one line, or None."""
    from gittraj.model.words import count
    from gittraj.sync.transfer import fetch_segments

    shows_progress = sys.stderr.isatty()
    if shows_progress:
        sys.stderr.write(f"fetching the events of {count(len(months), 'month')} …")
        sys.stderr.flush()
    try:
        return "; ".join(fetch_segments(repository, months)) or None
    finally:
        if shows_progress:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
