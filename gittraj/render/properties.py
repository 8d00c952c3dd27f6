"""What is known of a trajectory at a glance: names and values, for every page. Pure; nothing is escaped."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.model.times import parse_time
from gittraj.model.words import EVIDENCE, Header, count, duration, money, sure, tests, tokens


def properties(told: Header) -> Iterator[tuple[str, str]]:
    """Those that are known, the most asked for first."""
    return ((name, value) for name, value in _properties(told) if value)


def _properties(told: Header) -> Iterator[tuple[str, str | None]]:
    part = told["part"]
    yield "Status", told["status"]
    yield "Agent", " ".join(filter(None, (told["agent"], told["agentVersion"])))
    yield "Model", ", ".join(told["models"])
    yield "When", _when(part)
    yield "Task", _task(told["task"])
    yield "Tags", " ".join(told["tags"])
    yield "Tokens", tokens(part["usage"])
    yield "Cost", money(part)
    yield "Confidence", sure(told["confidence"])
    yield "Tests", tests(told["tests"])
    yield "Thinking", _thinking(told)
    if part["of"] > 1:
        yield (
            "Part",
            f"Part {part['number']} of {part['of']}" if part["number"] else count(part["of"], "commit"),
        )
    yield "Link", _link(told["link"])
    yield "Redacted", count(told["redactions"], "secret") if told["redactions"] else None
    yield (
        "Ended",
        ", ".join(filter(None, (told["exit"]["status"], told["exit"]["error"]))) if told["exit"] else None,
    )
    yield "Id", told["id"]


def _when(part: Header) -> str | None:
    moment = parse_time(part["startedAt"])
    if moment is None:
        return None
    return " · ".join(
        filter(None, (moment.strftime("%Y-%m-%d %H:%M UTC"), duration(part["durationSeconds"])))
    )


def _task(task: Header | None) -> str | None:
    if task is None:
        return None
    source = task["source"]
    return f"{task['title']} ({source['system']}:{source['id']})" if source else str(task["title"])


def _thinking(told: Header) -> str | None:
    number = count(told["part"]["counts"]["thinking"], "piece")
    match told["thinking"]:
        case "sealed":
            return f"{number}, sealed for {count(told['readers'] or 0, 'reader')}"
        case "dropped":
            return f"{number}, not stored"
        case "clear":
            return number
        case _:
            return None


def _link(link: Header) -> str:
    if link["role"] == "explored":
        return "Explored here, no commit"
    shown = [EVIDENCE.get(link["evidence"], "").capitalize()]
    shown += [f"from {old[:7]}" for old in link["carriedFrom"][:3]]
    return ", ".join(filter(None, shown))
