"""Which fields a trajectory has, and which are missing. Pure."""

from __future__ import annotations

from gittraj.query.account import STATED, Header

PARTS = ("retrospective", "decisions", "summary", "tests", "task")


def complete(whole: Header) -> Header:
    """``present`` and ``missing``, each some of ``PARTS`` in that order, of a HEADER of the whole trajectory.

    ``decisions`` means stated ones, not inferred ones; ``tests`` that some were run.
    """
    contents = {
        "retrospective": whole["retrospective"],
        "decisions": [decision for decision in whole["decisions"] if decision["by"] in STATED],
        "summary": whole["summary"] or (whole["retrospective"] or {}).get("summary"),
        "tests": whole["tests"] and whole["tests"]["runs"],
        "task": whole["task"],
    }
    return {
        "present": [part for part in PARTS if contents[part]],
        "missing": [part for part in PARTS if not contents[part]],
    }
