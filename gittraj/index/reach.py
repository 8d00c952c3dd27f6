"""The commits that a commit reaches, as numbers, and how paths' names are handed down through them.

A commit has a *height* below a tip: 1 for the one that is listed last, N for the tip itself, in the order in
which git lists them. So when new commits are added on top of a tip, every height stays the same. It must
import next to nothing: see ``fast_open``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

_UNIT = "I"


class Reach:
    """``heights`` are by a commit's number (0: not reached); ``numbers`` and ``links``, the height of the
    first parent (0: none), by height. ``more``: height, which parent, its height, for all other parents.

    ``joints`` are the heights, sorted, where history is not just one commit below the other: the names at a
    joint are handed down unchanged until above the next lower one, except for renames.
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

    @classmethod
    def read(cls, row: Sequence[bytes]) -> Reach:
        """The inverse of ``write``."""
        return cls(_unpack(row[0]), *_unpack_rest(row[1:]))

    def write(self) -> tuple[bytes, ...]:
        from array import array

        def pack(field: Sequence[int]) -> bytes:
            whole = array(_UNIT, field)
            counts = len(whole) > 1 and whole == array(_UNIT, range(len(whole)))
            return (array(_UNIT, [len(whole)]) if counts else whole).tobytes()

        plain = (array(_UNIT, field).tobytes() for field in (self.links, self.more, self.joints))
        return pack(self.heights), pack(self.numbers), *plain

    def parents(self, height: int) -> list[int]:
        """The heights of all parents, in their order."""
        found = [self.links[height]] if self.links[height] else []
        forks = self.more[::3]  # sorted
        rows = range(bisect_left(forks, height), bisect_right(forks, height))
        return [*found, *(self.more[3 * row + 2] for row in rows)]

    def height(self, number: int) -> int:
        return self.heights[number] if number < len(self.heights) else 0

    def hand_down(
        self, names: frozenset[str], steps: Mapping[int, Sequence[tuple[int, str, str]]]
    ) -> NamesByHeight:
        """The names at every height of ``names`` at the tip. ``steps``: by height, renames towards a
        parent."""
        links, more = self.links, list(self.more)
        forks, numbers, others = more[::3], more[1::3], more[2::3]
        keys = self._keys(steps)
        # nothing changes from a key down to the next, so its last commit hands down the same names
        held, index = {keys[-1]: names}, len(keys) - 1
        waiting = {keys[-1]}  # heights that have names still to hand down
        while index >= 0:
            distinct = {held[key] for key in waiting} if len(waiting) < _FEW or not index % _FEW else ()
            if len(distinct) == 1:  # all have the same names until the next rename: may skip 10,000 keys
                step = max((height for height in steps if height <= keys[index]), default=0)
                low = bisect_left(keys, step) if step else -1
                (same,) = distinct
                held.update(dict.fromkeys(keys[low + 1 : index + 1], same))
                if low < 0:
                    break
                waiting.update(links[key + 1] for key in keys[low:index])
                waiting.update(others[bisect_right(forks, keys[low]) : bisect_right(forks, keys[index])])
                waiting = {key for key in waiting if 0 < key <= keys[low]}
                held.update(dict.fromkeys(waiting, same))
                index = low
            here, bottom = held[keys[index]], keys[index - 1] + 1 if index else 1
            waiting.discard(keys[index])
            rows = range(bisect_left(forks, bottom), bisect_right(forks, bottom))
            for number, parent in ((0, links[bottom]), *((numbers[row], others[row]) for row in rows)):
                theirs = here
                if bottom in steps:
                    theirs = _rename_towards(number, steps[bottom], here)
                if parent:
                    held[parent] = held[parent] | theirs if parent in held else theirs
                    waiting.add(parent)
            index -= 1
        return NamesByHeight(keys, held)

    def _keys(self, renamed: Iterable[int]) -> list[int]:
        """The joints, and the first parents of the heights with renames, sorted."""
        keys = list(self.joints)
        for parent in {self.links[height] for height in renamed} - {0}:
            if keys[at := bisect_left(keys, parent)] != parent:
                keys.insert(at, parent)
        return keys


def _rename_towards(
    parent: int, renames: Sequence[tuple[int, str, str]], names: frozenset[str]
) -> frozenset[str]:
    """The names that ``names`` have in that parent of a commit."""
    table = {new: old for step, new, old in renames if step == parent}
    return frozenset(table.get(name, name) for name in names)


_FEW = 64


class Stored(Reach):
    """A Reach that reads only ``heights`` until more is needed: the rest is a megabyte at 100,000 commits,
    and a file that was never renamed needs none of it. ``rest`` returns the other fields of ``write``."""

    __slots__ = ("_rest",)

    def __init__(self, heights: bytes, rest: Callable[[], Sequence[bytes]]) -> None:
        self.heights = _unpack(heights)
        self._rest = rest

    def __getattr__(self, name: str) -> Any:  # a slot that is not set yet
        if name not in Reach.__slots__:
            raise AttributeError(name)
        self.numbers, self.links, self.more, self.joints = _unpack_rest(self._rest())
        return getattr(self, name)


def _unpack(data: bytes) -> Sequence[int]:
    """The range 0, 1, 2 … (usual, as each commit's number is mostly its height) is stored as its length.
    Fields begin with 0, so a single number other than 0 is such a length."""
    field = memoryview(data).cast("I")
    return range(field[0]) if len(field) == 1 and field[0] else field


def _unpack_rest(row: Sequence[bytes]) -> tuple[Sequence[int], ...]:
    return _unpack(row[0]), *(memoryview(data).cast("I") for data in row[1:])


class NamesByHeight:
    """The names at each height."""

    __slots__ = ("_held", "_keys")

    def __init__(self, keys: Sequence[int], held: Mapping[int, frozenset[str]]) -> None:
        self._keys = keys
        self._held = held

    def at(self, height: int) -> frozenset[str]:
        return self._held[self._keys[bisect_left(self._keys, height)]]


# ---------------------------------------------------------------- making one


def reach_of(parents: Mapping[str, Sequence[str]], numbers: Mapping[str, int]) -> Reach:
    """Build a Reach from the ``parents`` of all commits that the first one reaches, in git's order."""
    height = {commit: len(parents) - at for at, commit in enumerate(parents)}
    return _stack(Reach((), (0,), (0,), (), ()), parents, numbers, height)


def raised(
    below: Reach,
    parents: Mapping[str, Sequence[str]],
    numbers: Mapping[str, int],
    heights: Mapping[str, int],
) -> Reach:
    """A Reach with new commits on top of ``below``; ``heights`` are those of their parents there."""
    size = len(below.links) - 1 + len(parents)
    height = {**heights, **{commit: size - at for at, commit in enumerate(parents)}}
    return _stack(below, parents, numbers, height)


def _stack(
    below: Reach,
    parents: Mapping[str, Sequence[str]],
    numbers: Mapping[str, int],
    height: Mapping[str, int],
) -> Reach:
    from array import array

    def copy(field: Sequence[int]) -> array[int]:
        return array(_UNIT, field)

    heights, order, links, more = map(copy, (below.heights, below.numbers, below.links, below.more))
    missing = max((numbers[commit] for commit in parents), default=0) + 1 - len(heights)
    heights.frombytes(bytes(max(missing, 0) * heights.itemsize))
    first = len(links)
    joints = {*below.joints}
    for commit in reversed([*parents]):
        here = height[commit]
        heights[numbers[commit]] = here
        order.append(numbers[commit])
        above = parents[commit]
        links.append(height[above[0]] if above else 0)
        if len(above) != 1 or links[here] != here - 1 or here == first:
            # its parent is not the next commit, or the next has other children already
            joints.update(height[parent] for parent in above)
            joints.add(here - 1)
        for number, parent in enumerate(above[1:], 1):
            more.extend((here, number, height[parent]))
    joints.add(len(links) - 1)
    return Reach(heights, order, links, more, sorted(joints - {0}))
