"""Which trajectories are wanted by what they are labelled with: the same for a listing, which has their
headers, and for a search, which has less. Pure, and light: a search imports it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """All that is not None is asked for: an agent's name, a part of a model's, what a task is called, a
    tag."""

    agent: str | None = None
    model: str | None = None
    task: str | None = None
    tag: str | None = None

    def fit(self, *, models: Iterable[str], tasks: Collection[str], tags: Collection[str]) -> bool:
        """Whether model, task and tag are as asked. ``tasks``: all that a task is called."""
        return (
            (self.model is None or any(self.model.lower() in model.lower() for model in models))
            and (self.task is None or self.task in tasks)
            and (self.tag is None or self.tag in tags)
        )


def task_names(title: str, source: tuple[str, str] | None) -> list[str]:
    """What a task is called: its title, its id, ``system:id``. ``source``: its system and its id there."""
    return [title, source[1], ":".join(source)] if source else [title]
