"""Compares two sides: prompts, steps, files, decisions and outcomes. Pure; nothing is escaped.

Messages are shown side by side, but only a different prompt, call or decision counts as the point where the
two sides diverge: no two models word a message alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from operator import itemgetter

from gittraj.model.header import Header
from gittraj.model.sides import decided
from gittraj.query.compare.metrics import measure
from gittraj.query.compare.sides import Side

_SHOWN = ("id", "title", "agent", "models", "status", "run", "task", "summary", "part", "tests")
_STEPS = ("prompt", "message", "tool_call", "decision", "error", "message_sent")
_MOST = 400
"""How many steps of each side are matched; the others are paired by position."""
_TEXT = 400
"""The maximum number of characters of a step's text."""
_WORDED = ("message",)
"""The types of steps that no two models word alike."""

_words = itemgetter("type", "name", "text")

Describe = Callable[[Header], tuple[str, str, bool]]
"""Returns a step's name, its text, and whether it failed."""


def compare(a: Side, b: Side, shown: Sequence[Header] | None, describe: Describe) -> Header:
    """Compare two sides. ``shown`` are the two trajectories with their chapters, if each side is only one."""
    steps = list(_pair_steps(*(_steps(each, describe) for each in shown))) if shown else None
    return {
        "version": 1,
        "sides": [_side(a), _side(b)],
        "prompts": _pair(_prompts(a), _prompts(b)),
        "files": list(_files(a, b)),
        "decisions": _pair(_decisions(a), _decisions(b)),
        "instances": list(_instances(a, b)) if max(len(a.headers), len(b.headers)) > 1 else [],
        "steps": steps,
        "parted": next((at for at, row in enumerate(steps or ()) if _diverges(row)), None),
    }


def _side(side: Side) -> Header:
    return {
        "name": side.name,
        "commit": side.commit,
        "trajectories": [{key: header[key] for key in _SHOWN} for header in side.headers],
        "metrics": measure(side.headers),
    }


def _prompts(side: Side) -> list[str]:
    return list(dict.fromkeys(h["prompt"] or h["title"] for h in side.headers if h["prompt"] or h["title"]))


def _decisions(side: Side) -> list[str]:
    decisions = (decision for header in side.headers for decision in header["decisions"])
    return list(dict.fromkeys(map(decided, decisions)))


def _pair(left: Sequence[str], right: Sequence[str]) -> list[Header]:
    """Pair the texts: first the texts that both sides have, then those that only one side has."""
    both = [{"a": text, "b": text, "same": True} for text in left if text in right]
    others = zip_longest((t for t in left if t not in right), (t for t in right if t not in left))
    return [*both, *({"a": one, "b": other, "same": False} for one, other in others)]


def _files(a: Side, b: Side) -> Iterator[Header]:
    sides = [
        {f["path"]: {"kind": f["kind"], "edits": f["edits"]} for h in s.headers for f in h["filesChanged"]}
        for s in (a, b)
    ]
    for path in sorted(sides[0].keys() | sides[1].keys()):
        yield {"path": path, "a": sides[0].get(path), "b": sides[1].get(path)}


def _instances(a: Side, b: Side) -> Iterator[Header]:
    """Yield each side's metrics on each instance of a benchmark, or each task."""
    one, other = _by_instance(a), _by_instance(b)
    for name in sorted(one.keys() | other.keys()):
        both = {key: each.get(name) for key, each in (("a", one), ("b", other))}
        yield {"name": name or None, **{key: measure(some) if some else None for key, some in both.items()}}


def _by_instance(side: Side) -> dict[str, list[Header]]:
    instances: dict[str, list[Header]] = {}
    for header in side.headers:
        run, task = header["run"] or {}, header["task"] or {}
        instances.setdefault(run.get("instance") or task.get("title") or "", []).append(header)
    return instances


# ---------------------------------------------------------------- steps


def _steps(header: Header, describe: Describe) -> list[Header]:
    events = [event for chapter in header["chapters"] for event in chapter["events"]]
    failed = {e["result"]["callId"] for e in events if "result" in e and describe(e)[2]} - {None}
    steps = []
    for event in events:
        if event["type"] in _STEPS:
            name, text, bad = describe(event)
            called = event["tool"]["callId"] if "tool" in event else None
            shown = {"name": name, "text": " ".join(text[: 8 * _TEXT].split())[:_TEXT]}
            steps.append(
                {"event": event["id"], "type": event["type"], **shown, "failed": bad or called in failed}
            )
    return steps


def _key(step: Header) -> Hashable:
    return (step["type"],) if step["type"] in _WORDED else _words(step)


def _pair_steps(left: list[Header], right: list[Header]) -> Iterator[Header]:
    """Pair equal steps; the different ones between them are paired in order."""
    one, other = ([_key(step) for step in steps[:_MOST]] for steps in (left, right))
    for _, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        yield from _pair_in_order(left[a:b], right[c:d])
    yield from _pair_in_order(left[_MOST:], right[_MOST:])


def _pair_in_order(left: Sequence[Header], right: Sequence[Header]) -> Iterator[Header]:
    for one, other in zip_longest(left, right):
        same = bool(one and other) and _words(one) == _words(other)
        yield {"a": one, "b": other, "same": same}


def _diverges(row: Header) -> bool:
    """Whether the two sides diverge in this row."""
    kinds = {step["type"] for step in (row["a"], row["b"]) if step}
    return not row["same"] and not kinds <= {*_WORDED}
