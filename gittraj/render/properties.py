"""A trajectory's properties as names and values, for every page. Pure; nothing is escaped."""

from __future__ import annotations

from collections.abc import Iterator

from gittraj.model.header import Header
from gittraj.model.times import parse_time
from gittraj.model.words import (
    NO_COMMIT,
    count,
    duration,
    evidence,
    left_out,
    model_of,
    money,
    participants,
    redactions,
    run,
    sources,
    sure,
    task,
    tokens,
)
from gittraj.model.words_of_tests import tests


def properties(header: Header) -> Iterator[tuple[str, str]]:
    """The names and values of the properties that are known, most useful first."""
    return ((name, value) for name, value in _properties(header) if value)


def _properties(header: Header) -> Iterator[tuple[str, str | None]]:
    part = header["part"]
    yield "Status", header["status"]
    yield "Agent", " ".join(filter(None, (header["agent"], header["agentVersion"])))
    yield "From", header.get("remote")
    yield "Model", ", ".join(header["models"])
    yield "When", _when(part)
    yield "Task", task(header)
    yield "Run", run(header)
    yield "Participants", participants(header)
    yield "Tags", " ".join(header["tags"])
    yield "Tokens", tokens(part["usage"])
    yield "Cost", money(part)
    yield "Confidence", sure(header["confidence"])
    yield "Tests", tests(header["tests"])
    yield "Thinking", _thinking(header)
    if part["of"] > 1:
        yield (
            "Part",
            f"Part {part['number']} of {part['of']}" if part["number"] else count(part["of"], "commit"),
        )
    yield "Link", _link(header["link"])
    yield "Redacted", redactions(header)
    yield "Left out", left_out(header)
    yield (
        "Ended",
        ", ".join(filter(None, (header["exit"]["status"], header["exit"]["error"])))
        if header["exit"]
        else None,
    )
    yield "Id", header["id"]


def account(header: Header) -> Iterator[tuple[str, str]]:
    """The prompt, the reason and the outcome, as headings and texts. A model's summary replaces the agent's
    last words, which are shown only if no result is stated and they are not the reason. A reason that is
    also the result is left out."""
    by_model = model_of(header["summaryBy"])
    last_words = None if by_model or header["result"] else header["summary"]
    texts = {
        "Asked": header["prompt"],
        "Why": header["why"] if header["why"] != header["result"] else None,
        "Result": header["result"],
        "Summary": header["summary"] if by_model else None,
        "Last words": last_words if last_words != header["why"] else None,
    }
    return ((name, text) for name, text in texts.items() if text)


def _when(part: Header) -> str | None:
    moment = parse_time(part["startedAt"])
    if moment is None:
        return None
    return " · ".join(
        filter(None, (moment.strftime("%Y-%m-%d %H:%M UTC"), duration(part["durationSeconds"])))
    )


def _thinking(header: Header) -> str | None:
    number = count(header["part"]["counts"]["thinking"], "piece")
    match header["thinking"]:
        case "sealed":
            return f"{number}, sealed for {count(header['readers'] or 0, 'reader')}"
        case "dropped":
            return f"{number}, not stored"
        case "clear":
            return number
        case _:
            return None


def _link(link: Header) -> str:
    if link["role"] == "explored":
        return NO_COMMIT.capitalize()
    facts = [evidence(link), f"carried from {sources(link)}" if link["carriedFrom"] else None]
    text = ", ".join(filter(None, facts))
    return text[:1].upper() + text[1:]
