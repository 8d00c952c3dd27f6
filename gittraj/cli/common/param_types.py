"""Click parameter types."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A range of floats that rejects NaN, which every comparison lets through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number
