"""Filters by agent, model, task and tag, shared by listings and search. Pure, and light: a search imports
it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from gittraj.frozen import dataclass

Header = Mapping[str, Any]


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


def known_labels(headers: Iterable[Header]) -> dict[str, list[str]]:
    """The agents, models, tasks (by id, else title) and tags of ``headers``, each once, sorted."""
    found: dict[str, set[str]] = {name: set() for name in ("agent", "model", "task", "tag")}
    for header in headers:
        found["agent"].add(header["agent"])
        found["model"].update(header["models"])
        found["tag"].update(header["tags"])
        if task := header["task"]:
            source = task["source"]
            found["task"].add(f"{source['system']}:{source['id']}" if source else task["title"])
    return {name: sorted(filter(None, values)) for name, values in found.items()}


def task_names(title: str, source: tuple[str, str] | None) -> list[str]:
    """The names of a task: its title, its id, ``system:id``. ``source``: its system and its id there."""
    return [title, source[1], ":".join(source)] if source else [title]
