"""Renders values as short texts: durations, amounts, ages, evidence. No I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from gittraj.model.header import Header

_SOURCES = 20
EVIDENCE = {
    "agent": "committed by the agent",
    "output": "commit named in its log",
    "order": "matched to a commit command in its log",
    "content": "matched by content, not seen to commit",
    "manual": "by hand",
    "imported": "imported",
    "environment": "made in a shell that the agent opened; who made it is not known",
}


def opened_by(names: str) -> str:
    """Render who may have made a commit that only has link stubs."""
    return f"made in a shell that {names} opened; who made it is not known"


def model_of(by: str | None) -> str | None:
    """The model that wrote a summary or inferred a statement; None for any other source."""
    return by.removeprefix("model:") if by and by.startswith("model:") else None


def own_words(header: Header) -> str | None:
    """The summary in the agent's own words; None if a model wrote it."""
    return None if model_of(header["summaryBy"]) else header["summary"]


def duration(seconds: float | None) -> str | None:
    """Render a duration as ``42s``, ``4m``, ``2h 5m`` or ``3d 4h``; None if it is unknown."""
    if seconds is None or seconds < 0:
        return None
    if seconds < 60:
        return f"{seconds:.0f}s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes}m"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours}h {minutes}m" if minutes else f"{hours}h"
    days, hours = divmod(hours, 24)
    return f"{days}d {hours}h" if hours else f"{days}d"


def short_number(number: int) -> str:
    """Render a number as ``950``, ``12.3k`` or ``4.5M``."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)


def size_of(number: int) -> str:
    """Render a number of bytes as ``950 B``, ``39 kB`` or ``4.5 MB``."""
    short = short_number(number)
    return f"{short[:-1]} {short[-1]}B" if short[-1] in "kM" else f"{short} B"


def tokens(usage: Header) -> str | None:
    """Render tokens as ``12.3k in + 98k cached / 1.2k out``: new input, input from the cache, output."""
    if usage["outputTokens"] is None:
        return None
    fresh = usage["inputTokens"] + usage["cacheWriteTokens"]
    cached = f" + {short_number(usage['cacheReadTokens'])} cached" if usage["cacheReadTokens"] else ""
    return f"{short_number(fresh)} in{cached} / {short_number(usage['outputTokens'])} out"


def money(part: Header) -> str | None:
    """Render a part's cost as ``$0.04``, with ``~`` if it was estimated from prices."""
    cost = part["costUsd"]
    if cost is None:
        return None
    about = "~" if part["costSource"] == "estimated" else ""
    return f"{about}${cost:.2f}" if cost >= 0.01 or cost == 0 else f"{about}$<0.01"


def share(confidence: float | None) -> float | None:
    """Return ``confidence`` if it is from 0 to 1, else None: anyone may have written another number."""
    return confidence if confidence is not None and 0 <= confidence <= 1 else None


def sure(confidence: float | None) -> str | None:
    known = share(confidence)
    return None if known is None else f"{known * 100:.0f}% sure"


def taken_back(item: Mapping[str, Any]) -> str | None:
    """Render what reverted a commit, or the commit of a decision, as ``reverted by 1f442bd``; None if nothing
    did."""
    by = item.get("revertedBy")
    return f"reverted by {by[:7]}" if by else None


_STRUCTURE = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t].*|\|.*|[-=*_]{3,}[ \t]*|(?:```|~~~).*|\*\*[^*\n]+\*\*:?[ \t]*)$", re.M
)


def unstructured(text: str) -> str:
    """Remove headings, tables, rules and fences from Markdown, because they say nothing on one line. A text
    that has nothing else is kept."""
    prose = _STRUCTURE.sub("", text)
    return unmarked(prose if prose.strip() else text)


def count(number: int, noun: str) -> str:
    """Render a count as ``1 commit``, ``3 commits`` or ``2 trajectories``."""
    several = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{number} {noun if number == 1 else several}"


def edited(file: Header) -> str:
    """Render how often a file was edited: ``3 edits, 1 revert``."""
    reverts = f", {count(file['reverts'], 'revert')}" if file.get("reverts") else ""
    return count(file["edits"], "edit") + reverts


def facts(header: Header) -> list[str | None]:
    """Render a trajectory's agent, models, duration, tokens, cost, confidence and evidence, for a line in
    small print; each is None if it is unknown."""
    part = header["part"]
    return [
        who(header),
        ", ".join(header["models"]) or None,
        duration(part["durationSeconds"]),
        tokens(part["usage"]),
        money(part),
        sure(header["confidence"]),
        evidence(header["link"]),
    ]


def brief(header: Header) -> list[str | None]:
    """Render a trajectory's agent, duration, cost and confidence; each is None if it is unknown."""
    part = header["part"]
    return [who(header), duration(part["durationSeconds"]), money(part), sure(header["confidence"])]


def who(header: Header) -> str | None:
    """Render the agent, and the remote of a record that was fetched but not joined."""
    source = f"from {header['remote']}" if header.get("remote") else None
    return ", ".join(filter(None, (header["agent"], source))) or None


def task(header: Header) -> str | None:
    """Render a trajectory's task as ``Limit the rate (beads:bd-1)``; None without one."""
    ref = header["task"]
    source = ref and ref["source"]
    if not source:
        return str(ref["title"]) if ref else None
    name = f"{source['system']}:{source['id']}"
    return name if ref["title"] in (source["id"], name) else f"{ref['title']} ({name})"


def run(header: Header) -> str | None:
    """Render the run of a benchmark: its id, solve and instance."""
    ids = header["run"]
    return " · ".join(filter(None, (ids["id"], ids["solve"], ids["instance"]))) if ids else None


def participants(header: Header) -> str | None:
    """Render a trajectory's participants as ``ann (lead), bob``."""
    people = header["participants"]
    return ", ".join(f"{p['name']} ({p['role']})" if p["role"] else p["name"] for p in people) or None


def evidence(link: Header) -> str | None:
    """Render the evidence that links a trajectory to its commit. None if every record was carried from
    earlier commits, because their evidence does not show who made this one, or if the work is explored: it is
    on the commit that was HEAD when the session was over, and was not matched with the commit's content."""
    nothing = link["carried"] or (link["role"], link["evidence"]) == ("explored", "content")
    return None if nothing else EVIDENCE.get(link["evidence"])


NO_COMMIT = "counts for no commit"
"""The text for work that led to no commit, and for records that prove nothing about their commit."""


def marks(header: Header) -> list[str]:
    """Render the remarks that a reader must know before believing everything else."""
    part, link = header["part"], header["link"]
    remarks = []
    if link["role"] == "explored":
        remarks.append(f"{NO_COMMIT}, {header['id']}")
    if part["number"] is not None and part["of"] > 1:
        remarks.append(f"part {part['number']} of {part['of']}")
    if link["carriedFrom"]:
        remarks.append(f"carried from {sources(link)}")
    if header["incomplete"]:
        remarks.append("incomplete: no log of it was read")
    if header["thinking"] in ("sealed", "dropped"):
        remarks.append(f"thinking {header['thinking']}")
    if header["redactions"]:
        shared = " (parts may share some)" * header["redactionsAtMost"]
        remarks.append(f"{redactions(header)} redacted{shared}")
    if outputs := part["counts"]["outside"]:
        remarks.append(f"{count(outputs, 'output')} left out")
    return remarks


def sources(link: Header) -> str:
    """Render the commits that records were carried from; of very many only the first."""
    first = ", ".join(old[:7] for old in link["carriedFrom"][:_SOURCES])
    more = len(link["carriedFrom"]) - _SOURCES
    return f"{first} and {more} more" if more > 0 else first


def one_line(text: str) -> str:
    """Replace all white space in ``text`` by single spaces."""
    return " ".join(text.split())


def unmarked(text: str) -> str:
    """Remove Markdown's bold markers from a quotation, which may begin or end between two of them."""
    if "**" not in text:  # saves a tenth of the time of a listing of 10,000 commits
        return text
    text = re.sub(r"(?<!\*)\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\*)", r"\1", text)
    return re.sub(r"\A\*\*(?=[^\Wa-z])|(?<=[\w.!?])\*\*\Z", "", text)


def left_out(header: Header) -> str | None:
    """Render ``output of 3 calls that may have read outside this repository``; None if none was left out."""
    number = header["part"]["counts"]["outside"]
    return f"output of {count(number, 'call')} that may have read outside this repository" if number else None


def redactions(header: Header) -> str | None:
    """Render the number of redactions as ``2 secrets``; of several parts as ``at most 5 secrets``."""
    number = header["redactions"]
    return f"{'at most ' * header['redactionsAtMost']}{count(number, 'secret')}" if number else None


_MAIN = (
    *("command", "cmd", "file_path", "notebook_path", "path", "filePath", "pattern", "query", "url"),
    *("prompt", "description", "plan"),
)


def main_argument(arguments: Any) -> str:
    """Render a call's main argument, or all arguments if none is the main one; empty without arguments."""
    if isinstance(arguments, dict):
        for key in _MAIN:
            if value := arguments.get(key):
                return " ".join(map(str, value)) if isinstance(value, list) else str(value)
    if isinstance(arguments, str) or not arguments:
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)
