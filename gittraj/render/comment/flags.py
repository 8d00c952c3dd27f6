"""Where a reviewer should look first, and why: counted or quoted, never guessed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from gittraj.frozen import dataclass
from gittraj.model.words import count, unmarked
from gittraj.query.change import Change, Header, Reviewed, decisions

UNSURE = 0.7
"""A stated confidence below this is flagged."""
CHURN = 5
"""Edits of one file in one change that count as many."""
MOST = 5
_RUNS = {"test": "test run", "build": "build", "typecheck": "type check", "lint": "linter run"}


@dataclass(frozen=True, slots=True)
class Flag:
    """``why`` is our wording, ``quoted`` somebody else's; ``commits`` are those concerned."""

    icon: str
    path: str | None
    why: str
    quoted: str = ""
    commits: tuple[str, ...] = ()


def find_flags(change: Change) -> list[Flag]:
    """At most five: caveats, unrecorded commits, churn, tests, files edited by several agents. No flags does
    not mean that all is well."""
    found: dict[tuple[str, str | None, str], Flag] = {}
    for flag in _find_all(change):
        found.setdefault((flag.why, flag.path, flag.quoted), flag)
    return list(islice(found.values(), MOST))


def _find_all(change: Change) -> Iterator[Flag]:
    yield from _unsure(change)
    yield from _caveats(change)
    yield from _unrecorded(change)
    yield from _churn(change)
    yield from _tests(change)
    yield from _shared(change)


def _unsure(change: Change) -> Iterator[Flag]:
    shown = [d for d in decisions(change) if d["confidence"] is not None and d["confidence"] < UNSURE]
    for decision in sorted(shown, key=lambda d: float(d["confidence"])):
        commit, header = next(
            (c, t) for c in change.recorded for t in c.trajectories if decision in t["decisions"]
        )
        who = "A person" if decision["by"] == "human" else "Agent"
        about = f"{who} was unsure ({decision['confidence'] * 100:.0f}\u00a0%)"
        yield Flag("⚠️", _path(decision["chosen"], commit, header, change), about, decision["chosen"])


def _caveats(change: Change) -> Iterator[Flag]:
    for commit in change.recorded:
        for header in commit.trajectories:
            for text in header["caveats"]:
                yield Flag("⚠️", _path(text, commit, header, change), "Agent was unsure", unmarked(text))


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
    for last in ran:
        what = _RUNS.get(last["kind"], "check")
        if last["outcome"] == "failed":
            failed = f": {last['lastFailed']} failed" if last["lastFailed"] else ""
            yield Flag("❌", None, f"The last {what} of a session failed{failed}")
        elif last["outcome"] == "error":
            yield Flag("❌", None, f"The last {what} of a session came to no result")
        elif last["outcome"] == "unknown":
            yield Flag("🧪", None, f"How the last {what} of a session ended is unknown")
    tested = any(last["kind"] == "test" and last["outcome"] != "none" for last in ran)
    if not tested and any(header["part"]["counts"]["toolCalls"] for header in change.sessions):
        yield Flag("🧪", None, "No test was run in these sessions")


def _shared(change: Change) -> Iterator[Flag]:
    agents, churned = _agents(change), {flag.path for flag in _churn(change)}
    for path in change.files:
        if len(agents.get(path, ())) > 1 and path not in churned:
            yield Flag("👥", path, f"{len(agents[path])} agents worked on it")


def _agents(change: Change) -> dict[str, set[str]]:
    """The agents that edited each file."""
    found: dict[str, set[str]] = {}
    for header in change.sessions:
        for file in header["filesChanged"]:
            found.setdefault(file["path"], set()).add(header["agent"] or "")
    return found


def _path(text: str, commit: Reviewed, header: Header, change: Change) -> str | None:
    """The file that a caveat is about: one that it names, else the most edited one."""
    named = [p for p in change.files if re.search(rf"(?<!\w){re.escape(p.rpartition('/')[2])}(?!\w)", text)]
    if named:
        return max(named, key=len)
    edited = {f["path"]: f["edits"] for f in header["filesChanged"] if f["path"] in commit.files}
    return max(edited, key=lambda p: edited[p]) if edited else next(iter(commit.files), None)
