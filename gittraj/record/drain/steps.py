"""A log as ``own()`` sees it, and the parts of what no anchor explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gittraj.capture.own import Anchor, Part, Step
from gittraj.capture.session import Log
from gittraj.model.values import Prompt


def to_steps(log: Log) -> list[Step]:
    """The log as ``own()`` sees it."""
    return [
        Step(
            prompt=isinstance(entry.event, Prompt),
            edit=bool(log.edits(index)),
            here=log.places[index] == "here",
            elsewhere=log.places[index] == "elsewhere",
            ends_turn=index in log.turn_ends,
            result=log.result_of(index),
        )
        for index, entry in enumerate(log.entries)
    ]


def rest_parts(steps: Sequence[Step], first: int, anchor: Anchor) -> list[Part]:
    """The steps from ``first`` on, all to one anchor, cut before each prompt."""
    starts = [i for i in range(first, len(steps)) if i == first or steps[i].prompt]
    return [
        Part(
            first=start,
            last=end - 1,
            anchor=replace(anchor, call=-1, name=None),
            dropped=frozenset(i for i in range(start, end) if steps[i].elsewhere),
        )
        for start, end in zip(starts, [*starts, len(steps)][1:], strict=True)
    ]
