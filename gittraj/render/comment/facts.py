"""Collects what the report on a change says first: the requests, the reason, the outcome, by whom. Pure."""

from __future__ import annotations

from collections.abc import Callable

from gittraj.model.header import Header
from gittraj.model.words import count, duration, model_of, money, own_words, unmarked
from gittraj.model.words_of_tests import before, tests
from gittraj.query.change import Change
from gittraj.render.comment.flags import own_reason
from gittraj.render.comment.tables import agents_of


def find_heading(change: Change) -> str | None:
    """The change's title, else the subject of its only commit, else the title that all its sessions have."""
    if change.title:
        return change.title
    if len(change.own) == 1:
        return change.own[0].subject
    titles = {t["title"] for t in change.sessions if t["title"]}
    return titles.pop() if len(titles) == 1 else None


def find_requests(change: Change) -> tuple[list[str], list[str]]:
    """The sessions' titles, except the heading: those that begin the session's first prompt, so that a person
    typed them, and the others."""
    heading = find_heading(change)
    titles: dict[str, bool] = {}
    for each in change.sessions:
        if (title := each["title"]) and title != heading:
            prompt = " ".join((change.begun.get(each["id"]) or each["prompt"] or "").split())
            titles.setdefault(title, prompt.startswith(" ".join(title.removesuffix("…").split())))
    return [t for t, typed in titles.items() if typed], [t for t, typed in titles.items() if not typed]


def find_outcome(change: Change) -> list[tuple[str, str]]:
    """Labels and texts: the stated reason (``why``), and the outcome, which is the retrospectives (``summed
    up``), else a model's summary (``by MODEL``), a stated ``result``, or the agent's last words (``done``).
    If several commits have a record, the labels of ``why``, ``result`` and ``done`` name the commit of the
    text, which is the last one that has such a text."""
    recorded = [t for c in change.recorded for t in c.trajectories]
    retrospectives = ((t["retrospective"] or {}).get("summary") for t in change.sessions)
    outcomes = (
        [("summed up", text) for text in retrospectives if text][-2:],
        [(f"by {by}", t["summary"]) for t in recorded if (by := model_of(t["summaryBy"]))][-1:],
        _last("result", change, lambda header: header["result"]),
        _last("done", change, own_words),
    )
    return _last("why", change, own_reason) + next(filter(None, outcomes), [])


def said(text: str, shown: str) -> str:
    """Return what is ``shown`` of an outcome as a quotation; ``Abandoned`` is the word of git-traj."""
    return shown if text.startswith("Abandoned: ") else f"“{shown}”"


def _last(label: str, change: Change, read: Callable[[Header], str | None]) -> list[tuple[str, str]]:
    """The last text that ``read`` finds, if any, with a label that names its commit if there are several."""
    stated = [(c.commit, text) for c in change.recorded for t in c.trajectories if (text := read(t))]
    several = len(change.recorded) > 1
    return [(f"{label} ({commit[:7]})" if several else label, unmarked(text)) for commit, text in stated][-1:]


def state_facts(change: Change, *, cost: bool) -> list[str]:
    """How many commits have a trajectory, the agents, how many sessions, the time, the cost, the tests."""
    sessions = change.sessions
    lasted = [t["part"]["durationSeconds"] for t in sessions if t["part"]["durationSeconds"] is not None]
    facts = [
        f"{share(change)} {'have' if len(change.own) != 1 else 'has'} {_kind(change)}",
        agents_of(sessions, " + "),
        count(len(sessions), "session"),
        duration(sum(lasted)) or "" if lasted else "",
        _cost(change) if cost else "",
        _tested(change),
    ]
    return [fact for fact in facts if fact]


def _kind(change: Change) -> str:
    """The noun for the sessions: a record that a person made is not an agent's."""
    return "an agent trajectory" if all(session["agent"] for session in change.sessions) else "a trajectory"


def _tested(change: Change) -> str:
    """The last tests of the sessions, if all passed: any other outcome is a flag."""
    runs = [t["tests"] for t in change.sessions if t["tests"]]
    passed = bool(runs) and all(last["outcome"] == "passed" for last in runs)
    if not passed:
        return ""
    outcome = (tests(runs[-1]) or "").partition(" (")[0]
    return " ".join(filter(None, ("last tests of a session:", outcome, before(runs[-1]))))


def share(change: Change) -> str:
    """How many of the change's commits have a record: ``3 of 5 commits``."""
    least = "at least " if change.unknown else ""
    return f"{least}{len(change.recorded)} of {count(len(change.own), 'commit')}"


def _cost(change: Change) -> str:
    """The total cost, with ``≥`` if some sessions have no recorded cost."""
    parts = [t["part"] for t in change.sessions]
    known = [part for part in parts if part["costUsd"] is not None]
    if not known:
        return ""
    estimated = any(part["costSource"] == "estimated" for part in known)
    total = {
        "costUsd": sum(p["costUsd"] for p in known),
        "costSource": "estimated" if estimated else "reported",
    }
    return ("≥ " if len(known) < len(parts) else "") + (money(total) or "")
