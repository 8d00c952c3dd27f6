"""Figures in words: how long, how much, how long ago, on what evidence. Pure."""

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
    """What is known of a commit that has link stubs alone."""
    return f"made in a shell that {names} opened; who made it is not known"


def model_of(by: str | None) -> str | None:
    """The model that wrote a summary or inferred a statement; None for anybody else."""
    return by.removeprefix("model:") if by and by.startswith("model:") else None


def own_words(header: Header) -> str | None:
    """The summary that the agent itself wrote: its last words."""
    return None if model_of(header["summaryBy"]) else header["summary"]


def duration(seconds: float | None) -> str | None:
    """``42s``, ``4m``, ``2h 5m``, ``3d 4h``."""
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
    """``950``, ``12.3k``, ``4.5M``."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)


def size_of(number: int) -> str:
    """Bytes as people write them: ``950 B``, ``39 kB``, ``4.5 MB``."""
    short = short_number(number)
    return f"{short[:-1]} {short[-1]}B" if short[-1] in "kM" else f"{short} B"


def tokens(usage: Header) -> str | None:
    """``12.3k in + 98k cached / 1.2k out``: read anew, read from the cache, written."""
    if usage["outputTokens"] is None:
        return None
    fresh = usage["inputTokens"] + usage["cacheWriteTokens"]
    cached = f" + {short_number(usage['cacheReadTokens'])} cached" if usage["cacheReadTokens"] else ""
    return f"{short_number(fresh)} in{cached} / {short_number(usage['outputTokens'])} out"


def money(part: Header) -> str | None:
    """``$0.04``; ``~`` before what was estimated from prices."""
    cost = part["costUsd"]
    if cost is None:
        return None
    about = "~" if part["costSource"] == "estimated" else ""
    return f"{about}${cost:.2f}" if cost >= 0.01 or cost == 0 else f"{about}$<0.01"


def share(confidence: float | None) -> float | None:
    """``confidence`` where it is one, from 0 to 1; anybody may write another number."""
    return confidence if confidence is not None and 0 <= confidence <= 1 else None


def sure(confidence: float | None) -> str | None:
    known = share(confidence)
    return None if known is None else f"{known * 100:.0f}% sure"


def taken_back(told: Mapping[str, Any]) -> str | None:
    """Of a commit, or of a decision on one."""
    by = told.get("revertedBy")
    return f"reverted by {by[:7]}" if by else None


_STRUCTURE = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t].*|\|.*|[-=*_]{3,}[ \t]*|(?:```|~~~).*|\*\*[^*\n]+\*\*:?[ \t]*)$", re.M
)


def unstructured(text: str) -> str:
    """A text in Markdown without headings, tables, rules and fences, which say nothing on one line; the whole
    text where it has nothing else."""
    rest = _STRUCTURE.sub("", text)
    return unmarked(rest if rest.strip() else text)


def count(number: int, noun: str) -> str:
    """``1 commit``, ``3 commits``, ``2 trajectories``."""
    several = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{number} {noun if number == 1 else several}"


def tests(found: Header | None) -> str | None:
    """``12 passed, 1 failed (last of 3 runs, 1 failed before)``, ``lint failed``, ``ran, result unknown``,
    ``3 passed (before the commit was rewritten)``."""
    if found is None or not found["runs"]:
        return None
    kind = {"test": "", "typecheck": "type check "}.get(found["kind"], f"{found['kind']} ")
    about = [f"last of {found['runs']} runs"] * (found["runs"] > 1)
    about += [f"{found['failedBefore']} failed before"] * bool(found.get("failedBefore"))
    about += ["before the commit was rewritten"] * bool(found.get("carried"))
    return kind + _outcome(found) + (f" ({', '.join(about)})" if about else "")


def _outcome(run: Header) -> str:
    if run["outcome"] == "unknown":
        return "ran, result unknown"
    if run["outcome"] == "none":
        return "ran no tests"
    if not run["ran"]:
        return "did not start"
    counted = ((run["lastPassed"], "passed"), (run["lastFailed"], "failed"), (run["lastSkipped"], "skipped"))
    counts = [f"{number} {word}" for number, word in counted if number]
    if run["lastErrors"]:
        counts.append(count(run["lastErrors"], "error"))
    telling = {"passed": "lastPassed", "failed": "lastFailed", "error": "lastErrors"}[run["outcome"]]
    outcome = "no result" if run["outcome"] == "error" else run["outcome"]
    return ", ".join(counts if run[telling] else [outcome, *counts])


def edited(file: Header) -> str:
    """``3 edits, 1 revert``."""
    back = f", {count(file['reverts'], 'revert')}" if file.get("reverts") else ""
    return count(file["edits"], "edit") + back


def is_bad(run: Header) -> bool:
    """Whether a run failed, or came to no verdict."""
    return run["outcome"] in ("failed", "error")


def facts(header: Header) -> list[str | None]:
    """Who, how long, how much, how sure, how we know: the line of small print; None for the unknown."""
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
    """Who, how long, how much, how sure."""
    part = header["part"]
    return [who(header), duration(part["durationSeconds"]), money(part), sure(header["confidence"])]


def who(header: Header) -> str | None:
    """The agent; and the remote, of a record that a fetch brought and nobody joined with ours."""
    source = f"from {header['remote']}" if header.get("remote") else None
    return ", ".join(filter(None, (header["agent"], source))) or None


def task(header: Header) -> str | None:
    """``Limit the rate (beads:bd-1)``."""
    found = header["task"]
    source = found and found["source"]
    if not source:
        return str(found["title"]) if found else None
    name = f"{source['system']}:{source['id']}"
    return name if found["title"] in (source["id"], name) else f"{found['title']} ({name})"


def run(header: Header) -> str | None:
    """The run of a benchmark: its id, solve and instance."""
    found = header["run"]
    return " · ".join(filter(None, (found["id"], found["solve"], found["instance"]))) if found else None


def participants(header: Header) -> str | None:
    """``ann (lead), bob``."""
    found = header["participants"]
    return ", ".join(f"{p['name']} ({p['role']})" if p["role"] else p["name"] for p in found) or None


def evidence(link: Header) -> str | None:
    """On what evidence this very commit is linked. None if every record was carried from earlier commits:
    their evidence does not show who made this one."""
    return None if link["carried"] else EVIDENCE.get(link["evidence"])


NO_COMMIT = "counts for no commit"
"""Of work that led to none, and of what is no evidence for the commit that it is kept on."""


def marks(header: Header) -> list[str]:
    """What a reader must know before believing the rest."""
    part, link = header["part"], header["link"]
    found = []
    if link["role"] == "explored":
        found.append(f"{NO_COMMIT}, {header['id']}")
    if part["number"] is not None and part["of"] > 1:
        found.append(f"part {part['number']} of {part['of']}")
    if link["carriedFrom"]:
        found.append(f"carried from {sources(link)}")
    if header["incomplete"]:
        found.append("incomplete: no log of it was read")
    if header["thinking"] in ("sealed", "dropped"):
        found.append(f"thinking {header['thinking']}")
    if header["redactions"]:
        shared = " (parts may share some)" * header["redactionsAtMost"]
        found.append(f"{redactions(header)} redacted{shared}")
    if outputs := part["counts"]["outside"]:
        found.append(f"{count(outputs, 'output')} left out")
    return found


def sources(link: Header) -> str:
    """The commits that records were carried from; of a great many the first."""
    first = ", ".join(old[:7] for old in link["carriedFrom"][:_SOURCES])
    more = len(link["carriedFrom"]) - _SOURCES
    return f"{first} and {more} more" if more > 0 else first


def one_line(text: str) -> str:
    """``text`` with all white space collapsed to single spaces."""
    return " ".join(text.split())


def unmarked(text: str) -> str:
    """A quotation from a message, without Markdown's signs for bold; it may begin or end within them."""
    if "**" not in text:  # a tenth of what a list of 10,000 takes
        return text
    text = re.sub(r"(?<!\*)\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\*)", r"\1", text)
    return re.sub(r"\A\*\*(?=\w)|(?<=[\w.!?])\*\*\Z", "", text)


def left_out(header: Header) -> str | None:
    """``output of 3 calls that may have read outside this repository``."""
    number = header["part"]["counts"]["outside"]
    return f"output of {count(number, 'call')} that may have read outside this repository" if number else None


def redactions(header: Header) -> str | None:
    """``2 secrets``; of several parts ``at most 5 secrets``."""
    number = header["redactions"]
    return f"{'at most ' * header['redactionsAtMost']}{count(number, 'secret')}" if number else None


_MAIN = (
    *("command", "cmd", "file_path", "notebook_path", "path", "filePath", "pattern", "query", "url"),
    *("prompt", "description", "plan"),
)


def main_argument(arguments: Any) -> str:
    """A call's main argument, or else all of them; empty if there is none."""
    if isinstance(arguments, dict):
        for key in _MAIN:
            if value := arguments.get(key):
                return " ".join(map(str, value)) if isinstance(value, list) else str(value)
    if isinstance(arguments, str) or not arguments:
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)
