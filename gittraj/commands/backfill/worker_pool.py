"""Runs log tasks in a pool of processes when there is enough to do, else in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from gittraj.commands.backfill.log_digest import LogDigest
from gittraj.commands.backfill.log_task import DraftRequest, DraftResult, LogTask, Source
from gittraj.errors import TrajError
from gittraj.record.worker_process import end_with_parent

T = TypeVar("T")
J = TypeVar("J")

WORTH = 8 * 1024 * 1024
"""Starting processes is worth the time if there are at least this many bytes of logs."""
_MOST = 4


class WorkerPool:
    """Runs log tasks. ``own`` does the work in this process if ``pool`` is None."""

    def __init__(self, own: LogTask, pool: ProcessPoolExecutor | None) -> None:
        self.own, self._pool = own, pool

    def digests(self, sources: Sequence[Source]) -> Iterator[tuple[Source, LogDigest | str]]:
        return self._each(_digest, self.own.digest, sources)

    def drafts(self, requests: Sequence[DraftRequest]) -> Iterator[tuple[DraftRequest, DraftResult]]:
        return self._each(_draft, self.own.draft, requests)

    def _each(
        self, in_worker: Callable[[J], T], in_process: Callable[[J], T], jobs: Sequence[J]
    ) -> Iterator[tuple[J, T]]:
        """Yield each job with its result. Raises TrajError when a process died."""
        try:
            results = map(in_process, jobs) if self._pool is None else self._pool.map(in_worker, jobs)
            yield from zip(jobs, results, strict=True)
        except BrokenProcessPool:
            raise TrajError(
                "a process that reads logs was killed", "what was stored is kept; run the command again"
            ) from None


@contextmanager
def open_worker_pool(log_task: LogTask, size: int) -> Iterator[WorkerPool]:
    """Yield a pool of as many processes as ``size`` bytes of logs need."""
    processes = min(os.cpu_count() or 1, _MOST)
    if size < WORTH or processes < 2:
        yield WorkerPool(log_task, None)
        return
    # fork would copy an open object database and its locks
    with ProcessPoolExecutor(
        processes,
        get_context("spawn"),
        initializer=_begin,
        initargs=(log_task.start, dict(log_task.raw)),
    ) as pool:
        try:
            yield WorkerPool(log_task, pool)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_log_task: LogTask


def _begin(start: Path, raw: Mapping[str, str]) -> None:
    global _log_task  # noqa: PLW0603 - how a pool's initialiser reaches its jobs
    end_with_parent()
    _log_task = LogTask(start, raw)


def _digest(source: Source) -> LogDigest | str:
    return _log_task.digest(source)


def _draft(request: DraftRequest) -> DraftResult:
    return _log_task.draft(request)
