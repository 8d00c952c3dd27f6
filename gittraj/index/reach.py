"""The commits that a commit reaches, as numbers, and the names that files had in each of them.

Every commit below a tip has a *height*: git lists the tip first, and the commit that it lists last has height
1, the one before it 2, and so on. So when new commits are added on top of a tip, every height stays the same.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

_UNIT = "I"


class Reach:
    """All commits that one commit reaches.

    ``heights[number]`` is the height of a commit, 0 if it is not reached. ``numbers[height]`` is the inverse;
    ``links[height]`` is the height of the commit's first parent, 0 without one. ``more`` has three integers
    for each further parent: the commit's height, which parent it is, and the parent's height.

    ``joints`` are the heights, sorted, at which history is not just one commit below the other. Between a
    joint and the next lower one, the names of files do not change except by renames.
    """

    __slots__ = ("heights", "joints", "links", "more", "numbers")

    def __init__(
        self,
        heights: Sequence[int],
        numbers: Sequence[int],
        links: Sequence[int],
        more: Sequence[int],
        joints: Sequence[int],
    ) -> None:
        self.heights = heights
        self.numbers = numbers
        self.links = links
        self.more = more
        self.joints = joints

    def write(self) -> tuple[bytes, ...]:
        def pack(field: Sequence[int]) -> bytes:
            values = array(_UNIT, field)
            is_range = len(values) > 1 and values == array(_UNIT, range(len(values)))
            return (array(_UNIT, [len(values)]) if is_range else values).tobytes()

        plain = (array(_UNIT, field).tobytes() for field in (self.links, self.more, self.joints))
        return pack(self.heights), pack(self.numbers), *plain

    def parents(self, height: int) -> list[int]:
        """The heights of all parents of the commit at ``height``, in their order."""
        first = [self.links[height]] if self.links[height] else []
        forks = self.more[::3]  # sorted
        rows = range(bisect_left(forks, height), bisect_right(forks, height))
        return [*first, *(self.more[3 * row + 2] for row in rows)]

    def height(self, number: int) -> int:
        return self.heights[number] if number < len(self.heights) else 0

    def keys(self, renamed: Iterable[int]) -> list[int]:
        """The joints, and the first parents of the heights with renames, sorted."""
        keys = list(self.joints)
        for parent in {self.links[height] for height in renamed} - {0}:
            if keys[at := bisect_left(keys, parent)] != parent:
                keys.insert(at, parent)
        return keys


class NamesByHeight:
    """The names at every height of the files that have these ``names`` at the tip. ``steps`` maps the height
    of a commit to its renames: which parent, the new name, the name in that parent.

    Names are handed down from the tip, from key to key. From a key down to the next one nothing changes, so
    the lowest commit above the next key hands down the names at the key.
    """

    __slots__ = ("_forks", "_keys", "_links", "_names_at", "_numbers", "_others", "_steps", "_waiting")

    def __init__(
        self, reach: Reach, names: frozenset[str], steps: Mapping[int, Sequence[tuple[int, str, str]]]
    ) -> None:
        more = list(reach.more)
        self._links, self._steps = reach.links, steps
        self._forks, self._numbers, self._others = more[::3], more[1::3], more[2::3]
        self._keys = reach.keys(steps)
        self._names_at = {self._keys[-1]: names}
        self._waiting = {self._keys[-1]}  # heights whose names are still to be handed down
        self._hand_down()

    def at(self, height: int) -> frozenset[str]:
        return self._names_at[self._keys[bisect_left(self._keys, height)]]

    def _hand_down(self) -> None:
        index = len(self._keys) - 1
        while index >= 0:
            names = self._names_of_all(index)
            if names is not None:
                index = self._skip(index, names)
                if index < 0:
                    break
            self._hand_to_parents(index)
            index -= 1

    def _names_of_all(self, index: int) -> frozenset[str] | None:
        """The names of all waiting heights; None if they differ. To compare many is slow, so that is done
        only at some keys."""
        if len(self._waiting) >= _FEW and index % _FEW:
            return None
        distinct = {self._names_at[key] for key in self._waiting}
        return distinct.pop() if len(distinct) == 1 else None

    def _skip(self, index: int, names: frozenset[str]) -> int:
        """Give ``names`` to all keys (perhaps 10,000) until the next rename. Returns the index of the key
        with that rename, or -1 if there is no further one."""
        keys = self._keys
        step = max((height for height in self._steps if height <= keys[index]), default=0)
        low = bisect_left(keys, step) if step else -1
        self._names_at.update(dict.fromkeys(keys[low + 1 : index + 1], names))
        if low < 0:
            return low
        others = self._others[bisect_right(self._forks, keys[low]) : bisect_right(self._forks, keys[index])]
        reached = {*self._waiting, *(self._links[key + 1] for key in keys[low:index]), *others}
        self._waiting = {key for key in reached if 0 < key <= keys[low]}
        self._names_at.update(dict.fromkeys(self._waiting, names))
        return low

    def _hand_to_parents(self, index: int) -> None:
        """Hand the names at a key to the parents of the lowest commit above the next key."""
        names, bottom = self._names_at[self._keys[index]], self._keys[index - 1] + 1 if index else 1
        self._waiting.discard(self._keys[index])
        rows = range(bisect_left(self._forks, bottom), bisect_right(self._forks, bottom))
        further = ((self._numbers[row], self._others[row]) for row in rows)
        for number, parent in ((0, self._links[bottom]), *further):
            if parent:
                earlier = _names_in_parent(number, self._steps.get(bottom, ()), names)
                known = self._names_at.get(parent)
                self._names_at[parent] = earlier if known is None else known | earlier
                self._waiting.add(parent)


def _names_in_parent(
    parent: int, renames: Sequence[tuple[int, str, str]], names: frozenset[str]
) -> frozenset[str]:
    """The names that files with ``names`` in a commit have in that ``parent`` of it."""
    if not renames:
        return names
    table = {new: old for step, new, old in renames if step == parent}
    return frozenset(table.get(name, name) for name in names)


_FEW = 64


class Stored(Reach):
    """A Reach as ``write`` stored it. It has only ``heights`` until another field is needed: at 100,000
    commits the others are a megabyte, and for a file that was never renamed they are not needed. ``rest``
    returns them as ``write`` does."""

    __slots__ = ("_rest",)

    def __init__(self, heights: bytes, rest: Callable[[], Sequence[bytes]]) -> None:
        self.heights = _unpack(heights)
        self._rest = rest

    def __getattr__(self, name: str) -> Any:  # a slot that is not set yet
        if name not in Reach.__slots__:
            raise AttributeError(name)
        numbers, *fields = self._rest()
        self.numbers = _unpack(numbers)
        self.links, self.more, self.joints = (memoryview(field).cast("I") for field in fields)
        return getattr(self, name)


def _unpack(data: bytes) -> Sequence[int]:
    """Decode a field. The range 0, 1, 2 … is stored as its length, because it is usual: mostly a commit's
    number is its height. All fields begin with 0, so a single number other than 0 is such a length."""
    field = memoryview(data).cast("I")
    return range(field[0]) if len(field) == 1 and field[0] else field


# ---------------------------------------------------------------- making a Reach


def build_reach(parents: Mapping[str, Sequence[str]], numbers: Mapping[str, int]) -> Reach:
    """Build a Reach from the ``parents`` of all commits that the first of them reaches, in git's order."""
    height = {commit: len(parents) - at for at, commit in enumerate(parents)}
    return _stack(Reach((), (0,), (0,), (), ()), parents, numbers, height)


def extend_reach(
    below: Reach,
    parents: Mapping[str, Sequence[str]],
    numbers: Mapping[str, int],
    heights: Mapping[str, int],
) -> Reach:
    """Build a Reach with new commits on top of ``below``; ``heights`` are those of their parents in it."""
    size = len(below.links) - 1 + len(parents)
    height = {**heights, **{commit: size - at for at, commit in enumerate(parents)}}
    return _stack(below, parents, numbers, height)


def _stack(
    below: Reach,
    parents: Mapping[str, Sequence[str]],
    numbers: Mapping[str, int],
    height: Mapping[str, int],
) -> Reach:
    def copy(field: Sequence[int]) -> array[int]:
        return array(_UNIT, field)

    heights, order, links, more = map(copy, (below.heights, below.numbers, below.links, below.more))
    missing = max((numbers[commit] for commit in parents), default=0) + 1 - len(heights)
    heights.frombytes(bytes(max(missing, 0) * heights.itemsize))
    first = len(links)
    joints = {*below.joints}
    for commit in reversed([*parents]):
        at = height[commit]
        heights[numbers[commit]] = at
        order.append(numbers[commit])
        own = parents[commit]
        links.append(height[own[0]] if own else 0)
        if len(own) != 1 or links[at] != at - 1 or at == first:
            # its parent is not the next commit, or the next commit already has other children
            joints.update(height[parent] for parent in own)
            joints.add(at - 1)
        for number, parent in enumerate(own[1:], 1):
            more.extend((at, number, height[parent]))
    joints.add(len(links) - 1)
    return Reach(heights, order, links, more, sorted(joints - {0}))
