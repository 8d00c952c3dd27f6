"""Calls plug-ins' code: with a time limit, discarding what it prints, and catching whatever it raises."""

from __future__ import annotations

import contextlib
import io
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from gittraj.errors import TrajError
from gittraj.plugins import NAME, VARIABLE, Returns, Shape, leave_out, reason, shorten

_NAMES = {"name": NAME, "option": NAME, "session": VARIABLE}
_ITEMS_LIMIT = 1_000_000
"""The maximum number of items that one call may yield."""


def guard(plugin: str, plugged: Any, shape: Shape | Callable[[Any], Shape]) -> Guarded:
    """Wrap an object of the plug-in ``plugin``. Raises TrajError if it does not have the shape."""
    shape = shape if isinstance(shape, Shape) else shape(plugged)
    fields: dict[str, Any] = {name: getattr(plugged, name, None) for name in shape.fields}
    for name, wanted in shape.fields.items():
        value, pattern = fields[name], _NAMES.get(name) if fields[name] is not None else None
        if not isinstance(value, wanted) or (pattern and not pattern.fullmatch(value)):
            raise TrajError(f"its {name} is {shorten(repr(fields[name]))}")
    missing = [name for name in shape.methods if not callable(getattr(plugged, name, None))]
    if missing:
        raise TrajError(f"it has no {' and no '.join(missing)}")
    if why := shape.wrong(fields):
        raise TrajError(why)
    return Guarded(plugin, plugged, fields, shape.methods)


class Guarded:
    """A proxy for a plugged-in object: an error in a method leaves the plug-in out."""

    def __init__(
        self, plugin: str, plugged: Any, fields: Mapping[str, Any], methods: Mapping[str, Returns]
    ) -> None:
        self._plugin, self._plugged, self._fields, self._methods = plugin, plugged, fields, methods
        vars(self).update(fields)

    def __getattr__(self, name: str) -> Any:
        returns = self._methods.get(name)
        if returns is None:
            raise AttributeError(name)

        def guarded(*arguments: Any, **named: Any) -> Any:
            def work() -> Any:
                try:
                    return _check(getattr(self._plugged, name)(*arguments, **named), returns, self._fields)
                except (TrajError, OSError) as error:
                    if returns.fails is None:
                        raise
                    return error  # it is about this log or task: the caller handles it like an error of ours

            why = reason(self._plugin)
            if why is None:
                result, why = attempt(work, returns.seconds)
                if isinstance(result, Exception):
                    raise result
                if why is None:
                    return result
                leave_out(self._plugin, f"{name}: {why}")
            if returns.fails:
                raise returns.fails(f"plug-in {self._plugin} is left out: {why}")
            return returns.otherwise

        return guarded


class _WrongError(Exception):
    """A method returned a wrong value."""


def _check(result: Any, returns: Returns, fields: Mapping[str, Any]) -> Any:
    """Check a method's result and return it. Raises _WrongError."""
    if returns.each is None:
        if returns.one is not None and not isinstance(result, returns.one):
            raise _WrongError(f"it returned {shorten(repr(result))}")
        return result
    items = list(islice(result, _ITEMS_LIMIT + 1))
    if len(items) > _ITEMS_LIMIT:
        raise _WrongError(f"it returned more than {_ITEMS_LIMIT:,} items")
    for item in items:
        if not isinstance(item, returns.each) or not returns.right(item, fields):
            raise _WrongError(f"it returned {shorten(repr(item))}")
    return iter(items)


def attempt(work: Callable[[], Any], limit: float) -> tuple[Any, str | None]:
    """Return the result of ``work``, or None and why it failed; ``limit`` is in seconds."""
    start = time.monotonic()
    try:
        with _within(limit), contextlib.redirect_stdout(io.StringIO()):
            result = work()
        if time.monotonic() - start > limit:  # the code swallowed the signal's error
            raise _LateError
        return result, None
    except _LateError:
        return None, f"it takes more than {limit:g} seconds"
    except (TrajError, _WrongError) as error:
        return None, shorten(str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - no error may stop anything but the plug-in
        return None, shorten(f"{type(error).__name__}: {error}")


class _LateError(BaseException):
    """The time limit was reached. Not an Exception, which a plug-in may catch by mistake."""


@contextlib.contextmanager
def _within(limit: float) -> Iterator[None]:
    """Raise _LateError in the block after ``limit`` seconds or when an outer timer would end, and then each
    second. Has no effect outside the main thread and on Windows, where no signal can do that."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    over = False

    def late(_signal: int, _frame: object) -> None:
        if not over:
            raise _LateError

    outer_left, interval = signal.getitimer(signal.ITIMER_REAL)
    start = time.monotonic()
    handler = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, min(limit, outer_left or limit), 1.0)
    try:
        yield
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if outer_left:  # the outer timer continues
            outer_left = max(outer_left - (time.monotonic() - start), 0.001)
        signal.setitimer(signal.ITIMER_REAL, outer_left, interval)
