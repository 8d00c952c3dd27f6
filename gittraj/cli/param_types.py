"""Click parameter types."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any

import click

from gittraj.cli.repository import find_repository
from gittraj.errors import TrajError


class Number(click.FloatRange):
    """A range of floats that rejects NaN, which every comparison lets through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Plugged(click.Choice[str]):
    """A choice to which plug-ins may add: what it does not know is looked for among ``more`` of them."""

    def __init__(self, choices: Sequence[str], more: Callable[[], Collection[str]]) -> None:
        super().__init__(choices)
        self._more = more

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices:
            with suppress(TrajError), find_repository():
                if value in self._more():
                    return value
        return super().convert(value, param, ctx)
