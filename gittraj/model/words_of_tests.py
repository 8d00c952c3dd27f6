"""Renders runs of tests as short texts: how the last one ended, and what it did not test. No I/O."""

from __future__ import annotations

from gittraj.model.header import Header
from gittraj.model.words import count


def tests(runs: Header | None) -> str | None:
    """Render test runs as ``12 passed, 1 failed (last of 3 runs, 1 failed before)``, ``lint failed``, ``ran,
    result unknown``, ``3 passed (before the last edit)`` or ``3 passed (before the commit was rewritten)``;
    None without a run."""
    if runs is None or not runs["runs"]:
        return None
    kind = {"test": "", "typecheck": "type check "}.get(runs["kind"], f"{runs['kind']} ")
    about = [f"last of {runs['runs']} runs"] * (runs["runs"] > 1)
    about += [f"{runs['failedBefore']} failed before"] * bool(runs.get("failedBefore"))
    about += filter(None, [before(runs)])
    return kind + _outcome(runs) + (f" ({', '.join(about)})" if about else "")


def before(run: Header) -> str | None:
    """Render why a run did not test the commit's files, if that is known."""
    rewritten = "before the commit was rewritten" if run.get("carried") else None
    return "before the last edit" if run.get("editedAfter") else rewritten


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
    decisive = {"passed": "lastPassed", "failed": "lastFailed", "error": "lastErrors"}[run["outcome"]]
    outcome = "no result" if run["outcome"] == "error" else run["outcome"]
    return ", ".join(counts if run[decisive] else [outcome, *counts])


def is_bad(run: Header) -> bool:
    """Whether a test run failed, or ended without a verdict."""
    return run["outcome"] in ("failed", "error")


def how_bad(run: Header) -> str:
    """Render how a bad run ended, as far as that is known: ``failed: 2 failed``, ``gave no result, before the
    last edit``."""
    return ", ".join(filter(None, (_how_bad(run), before(run))))


def _how_bad(run: Header) -> str:
    if run["outcome"] == "failed":
        return f"failed: {run['lastFailed']} failed" if run["lastFailed"] else "failed"
    if run["lastErrors"]:
        return f"ended in {count(run['lastErrors'], 'error')}"
    return "gave no result" if run["ran"] else "did not start"
