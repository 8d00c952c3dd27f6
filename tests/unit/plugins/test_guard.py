"""What a plugged-in object may do, and what leaves its plug-in out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from gittraj.errors import FormatError, TrajError
from gittraj.plugins import Returns, Shape, reason
from gittraj.plugins.guard import attempt, guard

SHAPE = Shape(
    fields={"name": str},
    methods={
        "one": Returns(one=int, otherwise=0),
        "each": Returns(each=str, otherwise=()),
        "read": Returns(each=str, fails=FormatError, seconds=0.2),
        "own": Returns(each=str, right=lambda thing, fields: thing == fields["name"], otherwise=()),
    },
)
NUMBERS = count()


class Honest:
    name = "honest"

    def one(self) -> int:
        return 1

    def each(self) -> Iterator[str]:
        yield "a"

    def read(self) -> Iterator[str]:
        yield "b"

    def own(self) -> Iterator[str]:
        yield self.name


def plug(**methods: Any) -> tuple[str, Any]:
    plugin = f"plugin-{next(NUMBERS)}"
    kind = type("Plugged", (Honest,), {name: lambda _, f=each: f() for name, each in methods.items()})
    return plugin, guard(plugin, kind(), SHAPE)


def fail(error: BaseException) -> Any:
    raise error


def endless() -> Any:
    while True:
        try:
            fail(ValueError())
        except Exception:  # noqa: BLE001
            continue


def test_one_that_keeps_the_contract() -> None:
    plugin, plugged = plug()
    assert (plugged.name, plugged.one(), [*plugged.each()], [*plugged.read()]) == ("honest", 1, ["a"], ["b"])
    assert reason(plugin) is None
    assert not hasattr(plugged, "other")


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (lambda: fail(KeyError("x")), "one: KeyError: 'x'"),
        (lambda: fail(TrajError("no")), "one: no"),
        (lambda: fail(SystemExit(3)), "one: SystemExit: 3"),
        (lambda: "1", "one: it returned '1'"),
    ],
)
def test_the_first_fault_leaves_it_out(one: Any, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    plugin, plugged = plug(one=one)
    assert [plugged.one(), plugged.one(), *plugged.each()] == [0, 0]
    assert reason(plugin) == why
    assert capsys.readouterr().err == f"git-traj: plug-in {plugin} is left out: {why}\n"
    with pytest.raises(FormatError, match=why):
        plugged.read()


@pytest.mark.parametrize("error", [FormatError("cut"), OSError("gone")])
def test_what_it_says_of_one_log_is_of_that_log_alone(error: Exception) -> None:
    plugin, plugged = plug(read=lambda: fail(error))
    with pytest.raises(type(error)):
        plugged.read()
    assert reason(plugin) is None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the signal, in a destructor
def test_one_that_does_not_end_and_catches_what_it_can() -> None:
    plugin, plugged = plug(read=endless)
    with pytest.raises(FormatError, match=r"read: it takes more than 0\.2 seconds|is left out"):
        plugged.read()
    assert reason(plugin) == "read: it takes more than 0.2 seconds"


def late(times: int) -> Iterator[str]:
    for _ in range(times):
        try:
            time.sleep(3)
        except BaseException:  # noqa: BLE001 - as some do
            pass
    return iter(["late"])


@pytest.mark.parametrize("times", [1, 2])
def test_one_that_swallows_the_signal_gives_nothing(times: int) -> None:
    """The timer fired once, and what came after was taken."""
    plugin, plugged = plug(read=lambda: late(times))
    began = time.monotonic()
    with pytest.raises(FormatError):
        plugged.read()
    assert reason(plugin) == "read: it takes more than 0.2 seconds"
    assert time.monotonic() - began < 3


def test_one_call_in_another_does_not_give_it_more_time() -> None:
    """The outer timer stood still, so the times added up."""

    def wait() -> Any:
        return attempt(lambda: time.sleep(9), 0.15)

    began = time.monotonic()
    _, why = attempt(lambda: [wait() for _ in range(99)], 0.4)
    assert why == "it takes more than 0.4 seconds"
    assert time.monotonic() - began < 5  # and not 99 * 0.15
    assert attempt(lambda: attempt(lambda: time.sleep(9), 5.0), 0.1)[1] == "it takes more than 0.1 seconds"


def test_a_thing_that_is_not_its_own() -> None:
    plugin, plugged = plug(own=lambda: iter(["another"]))
    assert [*plugged.own()] == []
    assert reason(plugin) == "own: it returned 'another'"


def test_what_it_prints_goes_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    _, plugged = plug(one=lambda: print("noise") or 1)
    assert plugged.one() == 1
    assert capsys.readouterr().out == ""


def test_what_has_not_the_shape() -> None:
    with pytest.raises(TrajError, match="its name is 7"):
        guard("p", type("P", (Honest,), {"name": 7})(), SHAPE)
    with pytest.raises(TrajError, match=r"its name is 'a\.\./b'"):
        guard("p", type("P", (Honest,), {"name": "a../b"})(), SHAPE)
    with pytest.raises(TrajError, match="it has no one and no each"):
        guard("p", type("P", (Honest,), {"one": None, "each": 3})(), SHAPE)
