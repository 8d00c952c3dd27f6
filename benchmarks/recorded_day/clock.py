# ruff: noqa: PTH102, PTH120
"""Fixes the clock at RECORDED_NOW and derives entropy from RECORDED_STEP: the recorded day's Python runs this
as its ``sitecustomize``, before any module of git-traj; it imports next to nothing. Never imported here."""

import _datetime
import datetime
import itertools
import os
import sys
import time

PLACE = os.path.dirname(sys.prefix)
sys.pycache_prefix = f"{PLACE}/pycache"
NOW = float(os.environ.get("RECORDED_NOW", "0"))
DRAWS = itertools.count()
PROCESS = []


class Frozen(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(NOW, tz)

    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(NOW, datetime.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls):
        return cls.fromtimestamp(NOW)


def urandom(size):
    """Hash the step, this process's number among those of the step that draw, and the count of its draws."""
    import hashlib  # noqa: PLC0415

    step = os.environ.get("RECORDED_STEP", "none")
    number = 0
    while not PROCESS:
        try:
            os.mkdir(f"{PLACE}/draws/{step}-{number}")
            PROCESS.append(number)
        except FileExistsError:
            number += 1
    return hashlib.shake_256(f"{step} {PROCESS[0]} {next(DRAWS)}".encode()).digest(size)


_datetime.datetime = datetime.datetime = Frozen
time.time = lambda: NOW
time.time_ns = lambda: int(NOW * 1_000_000_000)
os.urandom = urandom
