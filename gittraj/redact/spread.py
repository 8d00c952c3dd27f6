"""Texts are scanned in several processes where there are many: what is found in one depends on it alone."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from threading import active_count
from typing import Any, BinaryIO, NoReturn, Self, TypeVar

T = TypeVar("T")
_WORTH = 50_000  # characters: less is scanned sooner than a process is started and heard
_MOST = 4
_SHARE = 16_000  # characters that a process takes at once
_MOST_SHARES = 200  # a byte says which
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


def spread(texts: Sequence[str], find: Callable[[Sequence[str]], Sequence[T]]) -> Iterator[tuple[str, T]]:
    """What ``find`` says of each text, given some of them, in any order. Of those that a process took and
    died with nothing is said."""
    size = sum(map(len, texts))
    shares = _shares(texts, max(_SHARE, size // _MOST_SHARES))
    with _Helpers(shares, find, _processes(size) - 1) as helpers:
        for n in helpers.turns():
            yield from zip(shares[n], find(shares[n]), strict=True)
        for n, found in helpers.answers():
            yield from zip(shares[n], found, strict=True)


class _Helpers:
    """Other processes, or fewer if no more are to be had. All take turns: whoever reads a byte from the pipe
    of turns takes the share of that number, so who is done sooner takes more."""

    def __init__(self, shares: Sequence[Sequence[str]], find: Callable[..., object], number: int) -> None:
        self._turns, end = os.pipe()
        os.write(end, bytes(range(len(shares))))
        os.close(end)
        self._started: list[tuple[int, BinaryIO]] = []
        with suppress(OSError):
            for _ in range(number):
                self._start(shares, find)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        deque(self.turns(), maxlen=0)  # after an error none is left to take
        os.close(self._turns)
        for process, answer in self._started:
            answer.close()
            os.waitpid(process, 0)

    def turns(self) -> Iterator[int]:
        while turn := os.read(self._turns, 1):
            yield turn[0]

    def _helping(self, parent: int) -> Iterator[int]:
        """The turns of a helper: none when nobody waits for it, as it has the parent's locks open."""
        return takewhile(lambda _: os.getppid() == parent, self.turns())

    def answers(self) -> Iterator[tuple[int, Sequence[Any]]]:
        for _, answer in self._started:
            with suppress(EOFError, pickle.UnpicklingError):
                yield from pickle.load(answer)  # noqa: S301 - what this program wrote

    def _start(self, shares: Sequence[Sequence[str]], find: Callable[..., object]) -> None:
        answer, end = os.pipe()
        parent = os.getpid()
        # an interrupt between fork and the child's try would have the child go on as the parent
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
        try:
            process = os.fork()
            if not process:
                self._help(end, find, shares, parent)
        except OSError:
            os.close(answer)
            os.close(end)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(end)
        self._started.append((process, os.fdopen(answer, "rb")))

    def _help(
        self, end: int, find: Callable[..., object], shares: Sequence[Sequence[str]], parent: int
    ) -> NoReturn:
        try:
            for interrupt in _INTERRUPTS:
                signal.signal(interrupt, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
            with suppress(BaseException), os.fdopen(end, "wb") as stream:  # a trace would quote the text
                pickle.dump([(n, find(shares[n])) for n in self._helping(parent)], stream)
        finally:
            os._exit(0)


def _processes(size: int) -> int:
    if sys.platform != "linux" or active_count() > 1:  # only there fork is quick, and safe without threads
        return 1
    return min(_MOST, len(os.sched_getaffinity(0)), size // _WORTH)


def _shares(texts: Sequence[str], most: int) -> list[list[str]]:
    """Texts that follow each other stay together: they have lines in common."""
    shares: list[list[str]] = [[]]
    size = 0
    for text in texts:
        if size >= most:
            shares.append([])
            size = 0
        shares[-1].append(text)
        size += len(text)
    return shares
