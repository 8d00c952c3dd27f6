"""Our ``dataclass`` behaves like the standard library's, but defines a class faster."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from gittraj import frozen


def define(decorate: Any, **options: bool) -> Any:
    @decorate(frozen=True, slots=True, **options)
    class Base:
        name: str
        number: int = 0

    @decorate(frozen=True, slots=True, **options)
    class Value(Base):
        number: int = 3
        words: tuple[str, ...] = ()
        extra: dict[str, int] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    Value.__qualname__ = "Value"
    return Value


PAIRS = [
    pytest.param(define(frozen.dataclass, **o), define(dataclasses.dataclass, **o), id=str(o))
    for o in ({}, {"kw_only": True})
]


@frozen.dataclass(frozen=True, slots=True)
class Pickled:
    name: str
    words: tuple[str, ...] = ()


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize(
    "make",
    [
        lambda cls: repr(cls(name="a", words=("b",))),
        lambda cls: cls(name="a") == cls(name="a", extra={"x": 1}),
        lambda cls: cls(name="a") == cls(name="b"),
        lambda cls: cls(name="a") == ("a", 3, ()),
        lambda cls: len({cls(name="a"), cls(name="a"), cls(name="b")}),
        lambda cls: cls(name="a").extra is cls(name="a").extra,
        lambda cls: dataclasses.replace(cls(name="a"), number=4).number,
        lambda cls: [(f.name, f.default) for f in dataclasses.fields(cls)],
        lambda cls: repr(copy.copy(cls(name="a", number=2))),
        lambda cls: cls.__match_args__,
        lambda cls: cls("a", 2).number,
        lambda cls: cls("a", name="b"),
        lambda cls: cls("a", 1, (), {}, 5),
        lambda cls: cls(),
        lambda cls: cls(name="a", unknown=1),
        lambda cls: setattr(cls(name="a"), "name", "b"),
        lambda cls: delattr(cls(name="a"), "name"),
    ],
)
def test_our_dataclass_behaves_like_the_standard_librarys(
    make: Callable[[Any], Any], ours: Any, theirs: Any
) -> None:
    def outcome(cls: Any) -> Any:
        try:
            return make(cls)
        except (TypeError, dataclasses.FrozenInstanceError) as error:
            return type(error)

    assert outcome(ours) == outcome(theirs)


def test_a_value_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Pickled("a", ("b",)))) == Pickled("a", ("b",))


def test_a_class_that_is_not_frozen_is_mutable_and_has_no_hash() -> None:
    @frozen.dataclass
    class Open:
        name: str
        number: int = 1

    value = Open("a")
    value.name = "b"
    assert (value, Open.__match_args__) == (Open("b"), ("name", "number"))
    with pytest.raises(TypeError):
        hash(value)


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_that_need_the_fields_at_the_same_time_get_them(hasty_threads: None) -> None:
    """The fields of a class are determined once."""
    for _ in range(50):
        cls = define(frozen.dataclass)
        start = threading.Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(_ask, cls, start) for _ in range(4)]
        assert [each.result() for each in futures] == [["name", "number", "words", "extra"]] * 4


def _ask(cls: Any, start: threading.Barrier) -> list[str]:
    start.wait()
    return [f.name for f in dataclasses.fields(cls)]


def test_a_value_has_no_dictionary() -> None:
    """A log may have very many events, and each is such a value."""
    value = Pickled(name="a")
    assert not [each for each in gc.get_referents(value) if isinstance(each, dict)]
