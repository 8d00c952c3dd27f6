"""Where a reviewer should look first, and why: counted or quoted, never guessed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from gittraj.model.words import count
from gittraj.query.change import Change, Header, Reviewed, decisions

UNSURE = 0.7
"""A stated confidence below this is a doubt."""
CHURN = 5
"""Edits of one file in one change that are many."""
MOST = 5


@dataclass(frozen=True, slots=True)
class Flag:
    """``why`` in our words, ``said`` in somebody else's; ``commits`` that it is about."""

    sign: str
    path: str | None
    why: str
    said: str = ""
    commits: tuple[str, ...] = ()


def find_flags(change: Change) -> list[Flag]:
    """At most five: doubts, what has no record, churn, tests, files of several agents. None is no verdict."""
    found: dict[tuple[str, str | None, str], Flag] = {}
    for flag in _all(change):
        found.setdefault((flag.why, flag.path, flag.said), flag)
    return list(islice(found.values(), MOST))


def _all(change: Change) -> Iterator[Flag]:
    yield from _unsure(change)
    yield from _doubts(change)
    yield from _unrecorded(change)
    yield from _churn(change)
    yield from _tests(change)
    yield from _shared(change)


def _unsure(change: Change) -> Iterator[Flag]:
    shown = [d for d in decisions(change) if d["confidence"] is not None and d["confidence"] < UNSURE]
    for told in sorted(shown, key=lambda d: float(d["confidence"])):
        commit, header = next(
            (c, t) for c in change.recorded for t in c.trajectories if told in t["decisions"]
        )
        who = "A person" if told["by"] == "human" else "Agent"
        about = f"{who} was unsure ({told['confidence'] * 100:.0f}\u00a0%)"
        yield Flag("⚠️", _path(told["chosen"], commit, header, change), about, told["chosen"])


def _doubts(change: Change) -> Iterator[Flag]:
    for commit in change.recorded:
        for header in commit.trajectories:
            for text in header["caveats"]:
                yield Flag("⚠️", _path(text, commit, header, change), "Agent was unsure", text)


def _unrecorded(change: Change) -> Iterator[Flag]:
    if not change.recorded:
        return
    bare: dict[str | None, list[str]] = {}
    for commit in change.own:
        if not commit.trajectories:
            bare.setdefault(next(iter(commit.files), None), []).append(commit.commit)
    for path, commits in bare.items():
        yield Flag("✍️", path, "No trajectory for", commits=tuple(commits))


def _churn(change: Change) -> Iterator[Flag]:
    totals: dict[str, tuple[int, int]] = {}
    for header in change.sessions:
        for file in header["filesChanged"]:
            edits, reverts = totals.get(file["path"], (0, 0))
            totals[file["path"]] = edits + file["edits"], reverts + file.get("reverts", 0)
    agents = _agents(change)
    churned = [(r, e, p) for p, (e, r) in totals.items() if p in change.files and (r or e >= CHURN)]
    for reverts, edits, path in sorted(churned, key=lambda each: (-each[0], -each[1], each[2])):
        back = (
            f", reverted {'once' if reverts == 1 else 'twice' if reverts == 2 else f'{reverts} times'}"
            if reverts
            else ""
        )
        by = f" by {len(agents[path])} agents" if len(agents[path]) > 1 else ""
        yield Flag("↩️", path, f"Edited {count(edits, 'time')}{by}{back}")


def _tests(change: Change) -> Iterator[Flag]:
    ran = [header["tests"] for header in change.sessions if header["tests"]]
    for tests in ran:
        if tests["lastFailed"] or tests["lastExit"]:
            failed = f": {tests['lastFailed']} failed" if tests["lastFailed"] else ""
            yield Flag("❌", None, f"The last test run of a session failed{failed}")
    if not ran and any(header["part"]["counts"]["toolCalls"] for header in change.sessions):
        yield Flag("🧪", None, "No test was run in these sessions")


def _shared(change: Change) -> Iterator[Flag]:
    agents, told = _agents(change), {flag.path for flag in _churn(change)}
    for path in change.files:
        if len(agents.get(path, ())) > 1 and path not in told:
            yield Flag("👥", path, f"{len(agents[path])} agents worked on it")


def _agents(change: Change) -> dict[str, set[str]]:
    """Those that edited each file."""
    found: dict[str, set[str]] = {}
    for header in change.sessions:
        for file in header["filesChanged"]:
            found.setdefault(file["path"], set()).add(header["agent"] or "")
    return found


def _path(text: str, commit: Reviewed, header: Header, change: Change) -> str | None:
    """The file that a doubt is about: one that it names, else the one that was edited most."""
    named = [p for p in change.files if re.search(rf"(?<!\w){re.escape(p.rpartition('/')[2])}(?!\w)", text)]
    if named:
        return max(named, key=len)
    edited = {f["path"]: f["edits"] for f in header["filesChanged"] if f["path"] in commit.files}
    return max(edited, key=lambda p: edited[p]) if edited else next(iter(commit.files), None)
