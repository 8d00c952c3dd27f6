"""Calls of a plug-in's object: which results are accepted, and which faults leave the plug-in out."""

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


def test_an_object_that_keeps_the_contract_is_used() -> None:
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
def test_a_plug_in_is_left_out_after_its_first_fault(
    one: Any, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin, plugged = plug(one=one)
    assert [plugged.one(), plugged.one(), *plugged.each()] == [0, 0]
    assert reason(plugin) == why
    assert capsys.readouterr().err == f"git-traj: plug-in {plugin} is left out: {why}\n"
    with pytest.raises(FormatError, match=why):
        plugged.read()


@pytest.mark.parametrize("error", [FormatError("cut"), OSError("gone")])
def test_an_error_about_one_log_does_not_disable_the_plug_in(error: Exception) -> None:
    plugin, plugged = plug(read=lambda: fail(error))
    with pytest.raises(type(error)):
        plugged.read()
    assert reason(plugin) is None


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a signal in a destructor
def test_an_endless_call_that_catches_exceptions_is_stopped() -> None:
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
def test_a_result_after_a_swallowed_timeout_is_discarded(times: int) -> None:
    """The late result of a plug-in that catches the timer's error, even twice, must not be used."""
    plugin, plugged = plug(read=lambda: late(times))
    began = time.monotonic()
    with pytest.raises(FormatError):
        plugged.read()
    assert reason(plugin) == "read: it takes more than 0.2 seconds"
    assert time.monotonic() - began < 3


def test_nested_calls_do_not_extend_the_time() -> None:
    """The outer time limit must also apply during the inner call."""

    def wait() -> Any:
        return attempt(lambda: time.sleep(9), 0.15)

    began = time.monotonic()
    _, why = attempt(lambda: [wait() for _ in range(99)], 0.4)
    assert why == "it takes more than 0.4 seconds"
    assert time.monotonic() - began < 5  # and not 99 * 0.15
    assert attempt(lambda: attempt(lambda: time.sleep(9), 5.0), 0.1)[1] == "it takes more than 0.1 seconds"


def test_a_result_of_another_plug_in_is_refused() -> None:
    plugin, plugged = plug(own=lambda: iter(["another"]))
    assert [*plugged.own()] == []
    assert reason(plugin) == "own: it returned 'another'"


def test_output_of_a_plug_in_is_discarded(capsys: pytest.CaptureFixture[str]) -> None:
    _, plugged = plug(one=lambda: print("noise") or 1)
    assert plugged.one() == 1
    assert capsys.readouterr().out == ""


def test_an_object_without_the_required_methods_is_refused() -> None:
    with pytest.raises(TrajError, match="its name is 7"):
        guard("p", type("P", (Honest,), {"name": 7})(), SHAPE)
    with pytest.raises(TrajError, match=r"its name is 'a\.\./b'"):
        guard("p", type("P", (Honest,), {"name": "a../b"})(), SHAPE)
    with pytest.raises(TrajError, match="it has no one and no each"):
        guard("p", type("P", (Honest,), {"one": None, "each": 3})(), SHAPE)
