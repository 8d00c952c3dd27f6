"""Collects what the report on a change says first: the requests, the reason, the outcome, by whom. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from gittraj.model.words import count, duration, model_of, money, own_words, tests, unmarked
from gittraj.query.change import Change
from gittraj.render.comment.flags import own_reason
from gittraj.render.comment.tables import agents_of


def find_heading(change: Change) -> str | None:
    """The change's title, else its only commit's, else that of its sessions if they have the same."""
    if change.title:
        return change.title
    if len(change.own) == 1:
        return change.own[0].subject
    titles = {t["title"] for t in change.sessions if t["title"]}
    return titles.pop() if len(titles) == 1 else None


def find_requests(change: Change) -> tuple[list[str], list[str]]:
    """The sessions' titles, except the heading: those that are the beginning of the first prompt, and those
    that nobody is known to have typed."""
    heading = find_heading(change)
    asked: dict[str, bool] = {}
    for each in change.sessions:
        if (title := each["title"]) and title != heading:
            begins = " ".join((change.begun.get(each["id"]) or each["prompt"] or "").split())
            asked.setdefault(title, begins.startswith(" ".join(title.removesuffix("…").split())))
    return [t for t, typed in asked.items() if typed], [t for t, typed in asked.items() if not typed]


def find_outcome(change: Change) -> list[tuple[str, str]]:
    """The stated reason (``why``), and the outcome: retrospectives (``summed up``), else a model's summary
    (``by MODEL``), a stated ``result``, or the agent's last words (``done``); of several sessions the last
    one's, which the label says."""
    recorded = [t for c in change.recorded for t in c.trajectories]
    whose = [(t["id"], own_reason(t), t["result"], own_words(t)) for t in recorded]
    found = _last("why", ((name, why) for name, why, _, _ in whose))
    summed = [(t["retrospective"] or {}).get("summary") for t in change.sessions]
    ways = (
        [("summed up", text) for text in summed if text][-2:],
        [(f"by {by}", t["summary"]) for t in recorded if (by := model_of(t["summaryBy"]))][-1:],
        _last("result", ((name, result) for name, _, result, _ in whose)),
        _last("done", ((name, done) for name, _, _, done in whose)),
    )
    return found + next(filter(None, ways), [])


def _last(label: str, texts: Iterable[tuple[str, str | None]]) -> list[tuple[str, str]]:
    """The last text, if there is one, with a label that says whether other sessions have one, too."""
    stated = [(name, text) for name, text in texts if text]
    of = " of the last session that states one" if len({name for name, _ in stated}) > 1 else ""
    return [(f"{label}{of}", unmarked(text)) for _, text in stated][-1:]


def state_facts(change: Change, *, cost: bool) -> list[str]:
    """How many commits have a trajectory, whose, in how many sessions, how long and for how much."""
    sessions = change.sessions
    lasted = [t["part"]["durationSeconds"] for t in sessions if t["part"]["durationSeconds"] is not None]
    facts = [
        f"{share(change)} {'have' if len(change.own) != 1 else 'has'} {_whose(change)}",
        agents_of(sessions, " + "),
        count(len(sessions), "session"),
        duration(sum(lasted)) or "" if lasted else "",
        _cost(change) if cost else "",
        _tested(change),
    ]
    return [fact for fact in facts if fact]


def _whose(change: Change) -> str:
    """The noun for the sessions: a record that a person made is not an agent's."""
    return "an agent trajectory" if all(session["agent"] for session in change.sessions) else "a trajectory"


def _tested(change: Change) -> str:
    """The last tests of the sessions, if all passed: any other outcome is a flag."""
    ran = [t["tests"] for t in change.sessions if t["tests"]]
    passed = bool(ran) and all(last["outcome"] == "passed" for last in ran)
    if not passed:
        return ""
    outcome = (tests(ran[-1]) or "").partition(" (")[0]
    return f"last tests: {outcome}{' before the commit was rewritten' * bool(ran[-1].get('carried'))}"


def share(change: Change) -> str:
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
