"""``git traj gather``: finds changed remotes, collects several at once, and writes them as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from gittraj import limits
from gittraj.config import read_config, stamp
from gittraj.errors import TrajError
from gittraj.gather.collect import Gathered, Job, collect, make_job, spell_tips
from gittraj.gather.fetching import Listed, list_tips, new_repository
from gittraj.gather.remotes import AT_ONCE, Source
from gittraj.gather.schema import VERSION
from gittraj.gather.store import Known, Store
from gittraj.git import Repository
from gittraj.notes.store import RECORDS_REF
from gittraj.record.worker_process import end_with_parent

_AHEAD = 6
"""How many more jobs than processes are submitted: no process idles while a batch is written, and few results
are in memory."""
_BATCH_ROWS = 20_000
"""About how many rows are written in one transaction, and so are in memory at once, …"""
_BATCH = 24
"""… and of how many repositories, at most."""
Progress = Callable[[str, int, int], None]
"""Called with the name of the step, the number of repositories done, and the number of all."""


@dataclass(slots=True, kw_only=True)
class Report:
    """How many repositories were written, were unchanged, or are without records; a line for each failure."""

    gathered: int = 0
    unchanged: int = 0
    without: int = 0
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """Brings an engine up to date with repositories. ``contents`` is that of a ``Job``. Raises TrajError if
    the engine fails; a remote that fails is named in ``report``."""

    store: Store
    contents: str
    environ: Mapping[str, str]
    progress: Progress
    tell: Callable[[str], object]
    report: Report = field(default_factory=Report)

    def run(self, sources: Sequence[Source], processes: int) -> Report:
        """Gather what has changed; ``processes`` is the number of processes that fetch and scan at once."""
        self.store.prepare()
        jobs = self._find_changed(sources)
        done = 0
        for batch in _batches(collect_all(jobs, processes, self.environ)):
            self._write(batch)
            done += len(batch)
            self.progress("gathering", done, len(jobs))
        self.store.sweep()
        return self.report

    def _find_changed(self, sources: Sequence[Source]) -> list[Job]:
        known = self.store.known()
        jobs = []
        with TemporaryDirectory(prefix="git-traj-gather-") as folder:
            repository = new_repository(Path(folder), self.environ)
            ruleset = stamp(read_config(repository))
            for source, listed in list_all(repository, sources, self.progress):
                if isinstance(listed, str):
                    self.report.failed.append(listed)
                elif RECORDS_REF not in listed.tips:
                    self._skip(source, is_known=source.project_id in known)
                else:
                    before = known.get(source.project_id)
                    job = make_job(source, listed, self.contents, before)
                    if before and _is_current(before, job, ruleset):
                        self.report.unchanged += 1
                    else:
                        jobs.append(job)
        return jobs

    def _skip(self, source: Source, *, is_known: bool) -> None:
        self.report.without += 1
        if is_known:
            self.tell(f"{source.name} has no records any more; git traj gather --forget takes out its rows")

    def _write(self, batch: Sequence[Gathered | str]) -> None:
        found = [each for each in batch if isinstance(each, Gathered)]
        self.report.failed += [each for each in batch if isinstance(each, str)]
        if found:
            self.store.replace(found)
        self.report.gathered += len(found)
        for each in found:
            for text in each.left_out:
                self.tell(f"{each.source.name}: {text}")


def _is_current(known: Known, job: Job, ruleset: str) -> bool:
    now = (spell_tips(job.listed.seen), job.contents, ruleset, VERSION)
    return (known.tips, known.contents, known.ruleset, known.version) == now


def list_all(
    repository: Repository, sources: Sequence[Source], progress: Progress
) -> Iterator[tuple[Source, Listed | str]]:
    """Yield the tips of each remote, or its error."""

    def ask(source: Source) -> Listed | str:
        try:
            return list_tips(repository, source)
        except TrajError as error:
            return error.message

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for number, (source, listed) in enumerate(zip(sources, pool.map(ask, sources), strict=True), 1):
            progress("asking remotes", number, len(sources))
            yield source, listed


def _batches(found: Iterator[Gathered | str]) -> Iterator[list[Gathered | str]]:
    batch: list[Gathered | str] = []
    rows = 0
    for each in found:
        batch.append(each)
        rows += sum(map(len, each.rows.values())) if isinstance(each, Gathered) else 0
        if rows > _BATCH_ROWS or len(batch) == _BATCH:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch


# ---------------------------------------------------------------- processes


def collect_all(jobs: Sequence[Job], processes: int, environ: Mapping[str, str]) -> Iterator[Gathered | str]:
    """Yield results as they are done, or the error of a failed job. Raises TrajError if a process died."""
    if processes == 1 or not jobs:
        yield from (_collect(job, environ) for job in jobs)
        return
    # fork would copy an open connection, and libgit2's state
    with ProcessPoolExecutor(
        min(processes, len(jobs)), get_context("spawn"), initializer=end_with_parent
    ) as pool:
        try:
            left = iter(jobs)
            running: set[Future[Gathered | str]] = set()
            while True:
                room = processes + _AHEAD - len(running)
                running |= {pool.submit(_collect, job, dict(environ)) for job in islice(left, room)}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        except BrokenProcessPool:
            raise TrajError(
                "a process that fetches was killed", "run the command again: what was gathered is kept"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _collect(job: Job, environ: Mapping[str, str]) -> Gathered | str:
    try:
        with _bounded_files():
            return collect(job, environ)
    except TrajError as error:
        return error.message
    except RecursionError:
        return f"{job.source.name}: nested too deeply"


@contextmanager
def _bounded_files() -> Iterator[None]:
    """Limit the size of files that git writes, such as a remote's pack, if the system has such limits."""
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    bounds = [limits.GATHER_BYTES, *(each for each in (soft, hard) if each != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (min(bounds), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
