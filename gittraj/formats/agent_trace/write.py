"""Writes agent-trace 0.1.0 (https://agent-trace.dev) as JSON Lines: one record per commit, which names the
trajectory that wrote each line. Also checks a record against the schema.

Only lines that the commit added are listed, by their numbers in the commit's version of the file. Lines that
no recorded session wrote have an unknown contributor.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from gittraj import __version__
from gittraj.formats.base.exported import Exported, Run, line
from gittraj.formats.base.shapes import faults, load
from gittraj.model.times import to_stamp

VERSION = "0.1.0"
_SPACE = uuid.UUID("6f1d8a4e-6c1b-5a0e-9f57-3a1d6b2c9e10")
"""The UUID namespace for ids of records, so that a commit's record always has the same id."""
_MODEL_LIMIT = 250
_PROVIDERS = {"claude": "anthropic", "gpt": "openai", "codex": "openai", "o1": "openai", "o3": "openai",
              "o4": "openai", "gemini": "google", "grok": "xai", "deepseek": "deepseek",
              "mistral": "mistral"}  # fmt: skip
"""Providers, as models.dev calls them, by the beginning of a model's name."""


def write(exported: Exported) -> Iterator[str]:
    trajectories = {item["id"]: item for item in exported.trajectories}
    commits = {c["commit"]: c for listed in exported.commits.values() for c in listed}
    for commit in sorted(commits.values(), key=lambda item: str(item["date"])):
        runs = exported.runs(commit["commit"])
        if runs:
            yield line(_record(commit, runs, trajectories))


def _record(
    commit: Mapping[str, Any], runs: Sequence[Run], trajectories: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "version": VERSION,
        "id": str(uuid.uuid5(_SPACE, commit["commit"])),
        "timestamp": to_stamp(commit["date"]),
        "vcs": {"type": "git", "revision": commit["commit"]},
        "tool": {"name": "git-traj", "version": __version__},
        "files": [
            {
                "path": path.encode("utf-8", "replace").decode(),
                "conversations": _conversations([*group], trajectories),
            }
            for path, group in groupby(runs, key=lambda run: run.path)
        ],
        "metadata": {"io.github.git-traj": {"trajectories": _trajectories(runs, trajectories)}},
    }


def _conversations(runs: Sequence[Run], trajectories: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One conversation per trajectory that wrote lines of the file; then one for unknown writers."""
    writers = dict.fromkeys(run.trajectory for run in runs if run.trajectory)
    return [
        {
            **({"url": f"git-traj:{writer}"} if writer else {}),
            "contributor": _contributor(trajectories[writer]) if writer else {"type": "unknown"},
            "ranges": [
                {"start_line": r.first, "end_line": r.last, "content_hash": f"sha256:{r.sha256}"}
                for r in written
            ],
        }
        for writer in (*writers, None)
        if (written := [run for run in runs if run.trajectory == writer])
    ]


def _contributor(trajectory: Mapping[str, Any]) -> dict[str, Any]:
    """The contributor, without a model if the session had several: any of them may have written the lines."""
    models = trajectory["models"]
    return {"type": "ai", **({"model_id": _model(models[0])} if len(models) == 1 else {})}


def _model(name: str) -> str:
    """The model as ``provider/model`` if the provider is known, else its name alone."""
    known = next((p for start, p in _PROVIDERS.items() if name.startswith(start)), None)
    return (f"{known}/{name}" if known and "/" not in name else name)[:_MODEL_LIMIT]


def _trajectories(runs: Sequence[Run], trajectories: Mapping[str, Any]) -> list[dict[str, Any]]:
    writers = dict.fromkeys(run.trajectory for run in runs if run.trajectory)
    return [
        {
            key: trajectories[writer][key]
            for key in ("id", "agent", "agentVersion", "session")
            if trajectories[writer][key]
        }
        for writer in writers
    ]


def record_faults(record: Any) -> Iterator[tuple[str, str]]:
    """Yield where a record does not fit the schema, and why."""
    return faults(record, load(__file__)["record"])
