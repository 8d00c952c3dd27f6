"""``git traj gather``: finds changed remotes, collects several at once, and writes them as they arrive."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from gittraj import limits
from gittraj.config import read_config, stamp
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.gather.collect import Gathered, Job, collect
from gittraj.gather.fetching import Listed, list_tips, new_repository
from gittraj.gather.remotes import AT_ONCE, Source
from gittraj.gather.schema import VERSION
from gittraj.gather.store import Known, Store, spell_tips
from gittraj.git import Repository
from gittraj.notes.store import RECORDS_REF

_AHEAD = 2
"""Jobs submitted per process: none idles, and few results are in memory."""
_BATCH_ROWS = 20_000
"""About how many rows are written in one transaction, and so are in memory at once, …"""
_BATCH = 24
"""… and of how many repositories, at most."""
Progress = Callable[[str, int, int], None]
Tell = Callable[[str], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How many repositories were written, unchanged, or ``without`` records; a line for each failure."""

    gathered: int
    unchanged: int
    without: int
    failed: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """``jobs``: processes that fetch and scan."""

    prompts: bool = False
    events: bool = False
    jobs: int = 2


def gather(
    store: Store,
    sources: Sequence[Source],
    wanted: Wanted,
    *,
    environ: Mapping[str, str],
    progress: Progress = lambda *_: None,
    tell: Tell = lambda _: None,
) -> Report:
    """Bring the engine up to date. Raises TrajError if the engine fails; a remote that fails is reported."""
    store.prepare()
    known = store.known()
    failed: list[str] = []
    jobs, unchanged, without = [], 0, 0
    with TemporaryDirectory(prefix="git-traj-gather-") as folder:
        repository = new_repository(Path(folder), environ)
        ruleset = stamp(read_config(repository))
        for source, listed in list_all(repository, sources, progress):
            before = known.get(source.project_id)
            if isinstance(listed, str):
                failed.append(listed)
            elif RECORDS_REF not in listed.tips:
                without += 1
                if before is not None:
                    tell(
                        f"{source.name} has no records any more; git traj gather --forget takes out its rows"
                    )
            else:
                job = _job(source, listed, wanted, before.epoch if before else "")
                if before is not None and _is_current(before, job, ruleset):
                    unchanged += 1
                else:
                    jobs.append(job)
    done = gathered = 0
    for batch in _batches(collect_all(jobs, wanted.jobs, environ)):
        found = [each for each in batch if isinstance(each, Gathered)]
        failed += [each for each in batch if isinstance(each, str)]
        if found:
            store.replace(found)
        gathered += len(found)
        for each in found:
            for text in each.left_out:
                tell(f"{each.source.name}: {text}")
        done += len(batch)
        progress("gathering", done, len(jobs))
    store.sweep()
    return Report(gathered=gathered, unchanged=unchanged, without=without, failed=failed)


def _job(source: Source, listed: Listed, wanted: Wanted, epoch: str) -> Job:
    if not wanted.events:
        listed = Listed({RECORDS_REF: listed.tips[RECORDS_REF]}, listed.head, listed.filters)
    return Job(source=source, listed=listed, epoch=epoch, prompts=wanted.prompts, events=wanted.events)


def _is_current(known: Known, job: Job, ruleset: str) -> bool:
    same = (spell_tips(job.listed.seen), job.contents, ruleset, VERSION)
    return (known.tips, known.contents, known.ruleset, known.version) == same


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
        min(processes, len(jobs)), get_context("spawn"), initializer=_end_with_parent
    ) as pool:
        try:
            left = iter(jobs)
            running: set[Future[Gathered | str]] = set()
            while True:
                room = processes * _AHEAD - len(running)
                running |= {pool.submit(_collect, job, dict(environ)) for job in islice(left, room)}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        except BrokenProcessPool:
            raise TrajError(
                "a process that fetches was killed", "run it again: what was gathered is kept"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _end_with_parent() -> None:
    def wait_for_it() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)  # the only exit that does not wait

    Thread(target=wait_for_it, daemon=True).start()


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
