"""Texts are scanned in several processes where there are many: what is found in one depends on it alone."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import active_count
from typing import TypeVar

T = TypeVar("T")
_WORTH = 50_000  # characters: less is scanned sooner than a process is started and heard
_MOST = 4
_SHARE = 16_000  # characters that a process takes at once
_MOST_SHARES = 200  # a byte says which


def spread(texts: Sequence[str], find: Callable[[Sequence[str]], Sequence[T]]) -> Iterator[tuple[str, T]]:
    """What ``find`` says of each text, given some of them, in any order. Of those that a process took and
    died with nothing is said."""
    size = sum(map(len, texts))
    shares = _shares(texts, max(_SHARE, size // _MOST_SHARES))
    turns, end = os.pipe()  # who reads a byte from it takes that share, so whoever is done sooner takes more
    os.write(end, bytes(range(len(shares))))
    os.close(end)
    helpers = [_start(turns, shares, find) for _ in range(1, _processes(size))]
    for n in _taken(turns):
        yield from zip(shares[n], find(shares[n]), strict=True)
    os.close(turns)
    for process, answer in helpers:
        with os.fdopen(answer, "rb") as stream, suppress(EOFError, pickle.UnpicklingError):
            for n, found in pickle.load(stream):  # noqa: S301 - what this program wrote
                yield from zip(shares[n], found, strict=True)
        os.waitpid(process, 0)


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


def _start(
    turns: int, shares: Sequence[Sequence[str]], find: Callable[[Sequence[str]], object]
) -> tuple[int, int]:
    """A process, and the end of a pipe from which its answer can be read."""
    answer, end = os.pipe()
    if process := os.fork():
        os.close(end)
        return process, answer
    try:
        with suppress(BaseException), os.fdopen(end, "wb") as stream:  # a trace would quote the text
            pickle.dump([(n, find(shares[n])) for n in _taken(turns)], stream)
    finally:
        os._exit(0)


def _taken(turns: int) -> Iterator[int]:
    while turn := os.read(turns, 1):
        yield turn[0]
