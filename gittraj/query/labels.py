"""Filters by agent, model, task and tag, shared by listings and search. Pure, and light: a search imports
it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gittraj.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Conditions that are not None must hold: an agent's name, part of a model's name, a name of the task, a
    tag."""

    agent: str | None = None
    model: str | None = None
    task: str | None = None
    tag: str | None = None

    def fit(self, *, models: Iterable[str], tasks: Collection[str], tags: Collection[str]) -> bool:
        """Whether model, task and tag match. ``tasks``: all names of the task."""
        return (
            (self.model is None or any(self.model.lower() in model.lower() for model in models))
            and (self.task is None or self.task in tasks)
            and (self.tag is None or self.tag in tags)
        )


def task_names(title: str, source: tuple[str, str] | None) -> list[str]:
    """The names of a task: its title, its id, ``system:id``. ``source``: its system and its id there."""
    return [title, source[1], ":".join(source)] if source else [title]
