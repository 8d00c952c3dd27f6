"""Filters trajectories by their headers: agent, model, task, tag and more. Pure; quick to import, for
searches."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from gittraj.errors import UsageError
from gittraj.frozen import dataclass
from gittraj.model.header import Header


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Conditions on a trajectory: an agent's name, part of a model's name, a name of the task, a tag. None
    means no condition."""

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
    """Return the agents, models, statuses, tasks (by id, else title) and tags of ``headers``, each once,
    sorted."""
    labels: dict[str, set[str]] = {name: set() for name in ("agent", "model", "status", "task", "tag")}
    for header in headers:
        labels["status"].add(header["status"] or "unknown")
        labels["agent"].add(header["agent"])
        labels["model"].update(header["models"])
        labels["tag"].update(header["tags"])
        if task := header["task"]:
            source = task["source"]
            labels["task"].add(f"{source['system']}:{source['id']}" if source else task["title"])
    return {name: sorted(filter(None, values)) for name, values in labels.items()}


def task_names(title: str, source: tuple[str, str] | None) -> list[str]:
    """Return the names of a task: its title, its id, ``system:id``. ``source``: its system and its id
    there."""
    return [title, source[1], ":".join(source)] if source else [title]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(Labels):
    """All conditions must be met; None (or false) means no condition. Costs are in US dollars."""

    grep: re.Pattern[str] | None = None
    run: str | None = None
    status: str | None = None
    decisions: bool = False
    min_confidence: float | None = None
    max_confidence: float | None = None
    min_cost: float | None = None

    def words(self) -> list[str]:
        """Return the values that a wanted trajectory has, each as it is in the header."""
        status = None if self.status == "unknown" else self.status
        return [word for word in (self.agent, self.tag, self.run, status) if word is not None]

    def accepts(self, header: Header, subject: str | None = None) -> bool:
        """Whether the trajectory of ``header`` is wanted, on a commit with that subject."""
        words = (self.agent, header["agent"]), (self.status, header["status"] or "unknown")
        return (
            all(wanted in (None, word) for wanted, word in words)
            and self.fit(models=header["models"], tasks=names_of_task(header["task"]), tags=header["tags"])
            and self.run in (None, *run_names(header["run"]))
            and bool(header["decisions"] or not self.decisions)
            and _in_range(header["confidence"], self.min_confidence, self.max_confidence)
            and _in_range(header["part"]["costUsd"], self.min_cost, None)
            and (self.grep is None or any(map(self.grep.search, _words(header, subject))))
        )


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a Python regular expression, case-sensitive. Raises UsageError if it is invalid."""
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(
            f"'{pattern}' is not a valid regular expression: {error}",
            hint="put \\ before a character to match it literally",
        ) from None


def run_names(run: Header | None) -> list[str]:
    """Return the names of a benchmark's run: its id, the solve's, the instance's."""
    return [name for name in (run["id"], run["solve"], run["instance"]) if name] if run else []


def _in_range(value: float | None, least: float | None, most: float | None) -> bool:
    if least is None and most is None:
        return True
    return value is not None and (least is None or value >= least) and (most is None or value <= most)


def names_of_task(task: Header | None) -> list[str]:
    if task is None:
        return []
    source = task["source"]
    return task_names(task["title"], (source["system"], source["id"]) if source else None)


def _words(header: Header, subject: str | None) -> Iterator[str]:
    retrospective = header["retrospective"] or {}
    texts = [subject, header["title"], header["prompt"], header["summary"], retrospective.get("summary")]
    for decision in header["decisions"]:
        texts += [decision["question"], decision["chosen"], *decision["alternatives"], decision["reasoning"]]
    yield from (text for text in texts if text)
