"""Imports real session files, and checks their records and what is shown of them.

An ordinary run imports only some of them; ``tests/unit/formats`` checks how each of them is read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from tests.integration.past import refs
from tests.integration.repository import Git
from tests.sizes import size

pytestmark = pytest.mark.shared

NO_SESSION = (
    "agent-trace",
    "agent-trajectories",
    "atif",
    "atif-reference",
    "opencode-storage",
    "derived/any--empty",
)
"""Folders without an agent's own sessions."""
OTHERS = ("agent-trace", "agent-trajectories", "atif", "atif-reference")
"""Folders of sessions that other tools converted."""
FAMILIES = (
    "claude-code",
    "codex-rollout",
    "codex-exec",
    "gemini",
    "mini-swe-agent-v1",
    "mini-swe-agent-v2",
    "swe-agent",
)


@dataclass(frozen=True, slots=True)
class Desk:
    """Runs commands in one process, in any repository."""

    git: Git
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        self.monkeypatch.chdir(self.git.root)
        status = call([*arguments])
        return status, *self.capsys.readouterr()

    def take(self, *paths: Path, options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        """Import, which must succeed; return what it prints of each session."""
        status, out, errors = self("import", "--json", *options, *map(str, paths))
        assert (status, errors) == (0, ""), paths
        rows: list[dict[str, Any]] = json.loads(out)["imported"]
        return rows

    def show(self, trajectory: str) -> dict[str, Any]:
        status, out, _ = self("show", trajectory, "--json")
        assert status == 0
        (shown,) = json.loads(out)["trajectories"]
        return dict(shown)


@pytest.fixture
def desk(git: Git, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    git.commit({"README": "here\n"}, "Begin")
    git("config", "traj.thinking", "clear")
    return Desk(git, monkeypatch, capsys)


@pytest.fixture
def fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[], Desk]:
    """A function that makes another repository, as different samples may be of the same session."""
    made: list[Git] = []

    def make() -> Desk:
        made.append(Git.init(tmp_path / f"fresh{len(made)}"))
        made[-1].commit({"README": "here\n"}, "Begin")
        made[-1]("config", "traj.thinking", "clear")
        return Desk(made[-1], monkeypatch, capsys)

    return make


def sessions(samples: Path) -> list[Path]:
    """The files of agents' own sessions."""
    found = [p for p in sorted(samples.rglob("*")) if p.is_file() and p.parent != samples]
    return [p for p in found if not any(name in str(p.relative_to(samples)) for name in NO_SESSION)]


def counted(shown: dict[str, Any]) -> Counter[str]:
    return Counter(event["type"] for chapter in shown["chapters"] for event in chapter["events"])


def tokens(shown: dict[str, Any]) -> tuple[int, int, int, int]:
    usage = shown["total"]["usage"] or {}
    names = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens")
    return tuple(usage.get(name) or 0 for name in names)  # type: ignore[return-value]


def test_converted_sessions_are_imported_or_refused_with_a_reason(desk: Desk, samples: Path) -> None:
    found = [path for name in OTHERS for path in sorted((samples / name).rglob("*")) if path.is_file()]
    found = found[:: size(6, 1)]
    taken = [path for path in found if desk("import", str(path))[0] == 0]
    refused = {path.name for path in found} - {path.name for path in taken}
    unusable = {"legacy-index.json", "compaction.json"} & {path.name for path in found}
    assert {name for name in refused if not name.endswith((".md", ".trace.json"))} == unusable
    assert {row["parts"] for row in desk.take(*taken)} == {0}


def test_every_file_is_imported_or_refused_and_a_second_import_changes_nothing(
    desk: Desk, samples: Path
) -> None:
    own = sessions(samples)
    assert len(own) > 80
    others = {path for name in OTHERS for path in (samples / name).rglob("*")}
    others |= {*samples.rglob("agent-trace--*")}
    tried = [p for p in sorted(samples.rglob("*")) if p.is_file() and p not in others][:: size(8, 1)]
    own = [path for path in own if path in tried]
    for path in tried:
        status, out, errors = desk("import", str(path))
        if path in own:
            assert (status, errors) == (0, ""), path
            assert out.startswith(f"{path}: "), path
        else:
            assert (status, out) == (1, ""), path
            assert errors.count("\n") == 1, path
            start = f"error: {path}: not imported: "
            assert errors.startswith(start), path
            assert len(errors) > len(start) + 4, path
    before = refs(desk.git)
    assert {row["parts"] for row in desk.take(*reversed(own))} == {0}
    assert refs(desk.git) == before
    (desk.git.root / ".git" / "traj" / "cursors.json").unlink()
    assert {row["parts"] for row in desk.take(*own)} == {0}
    assert refs(desk.git) == before
    assert "missing" not in desk.git("fsck", "--full", "--strict")


def test_shown_numbers_agree_with_an_independent_count(fresh: Callable[[], Desk], samples: Path) -> None:
    facts = json.loads((samples / "FACTS.json").read_text())
    wrong = {}
    for name, count in [*facts.items()][:: size(5, 1)]:
        family = name.partition("/")[0]
        if family not in FAMILIES:
            continue
        desk = fresh()
        row = desk.take(samples / name)[0]
        shown = desk.show(row["trajectory"])
        found, expected = expect(family, count, shown)
        if found != expected:
            wrong[name] = (found, expected)
        assert sum(counted(shown).values()) == len({e["id"] for c in shown["chapters"] for e in c["events"]})
    assert wrong == {}


RESTARTED = "01a1f988-bd06-7181-8a78-ca012e03f7c6", "0199812e-64f0-7f73-91fc"
"""Threads whose last total is not their own: one continues its parent's, one began again from zero."""


def expect(
    family: str, count: dict[str, Any], shown: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the shown values and the expected ones, by their names."""
    events = counted(shown)
    shown_events = [event for chapter in shown["chapters"] for event in chapter["events"]]
    calls = [event for event in shown_events if event["type"] == "tool_call"]
    found: dict[str, Any] = {"calls": len(calls), "results": events["tool_result"]}
    if family == "claude-code":
        usage = count["usage_last_line_per_message_id"]
        found |= {"thinking": events["thinking"], "tokens": tokens(shown), "models": sorted(shown["models"])}
        return found, {
            "calls": count["tool_calls"],
            "results": count["tool_results"],
            "thinking": count["thinking_blocks"],
            "tokens": (
                usage.get("input_tokens", 0),
                usage.get("cache_read_input_tokens", 0),
                usage.get("cache_creation_input_tokens", 0),
                usage.get("output_tokens", 0),
            ),
            "models": sorted(count["models"]),
        }
    if family == "codex-rollout":
        found["calls"] = len({e["tool"]["callId"] for e in calls if e["tool"]["name"] != "web_search"})
        expected: dict[str, Any] = {"calls": count["calls"], "results": count["outputs"]}
        last = count["last_total_token_usage"]
        if last and not shown["session"].startswith(RESTARTED):
            fresh_input = last["input_tokens"] - last["cached_input_tokens"]
            found["tokens"] = tokens(shown)
            expected["tokens"] = (fresh_input, last["cached_input_tokens"], 0, last["output_tokens"])
        return found, expected
    if family == "codex-exec":
        last = count["usages"][-1]
        fresh_input = last["input_tokens"] - last["cached_input_tokens"]
        return {"tokens": tokens(shown)}, {
            "tokens": (fresh_input, last["cached_input_tokens"], 0, last["output_tokens"])
        }
    if family == "gemini":
        sums = count["token_sums"]
        cached = sums.get("cached", 0)
        # a file may have the usage of a message several times; only the last one counts
        found = {"calls": len(calls), "thinking": events["thinking"]}
        found["tokens"] = tokens(shown)
        return found, {
            "calls": count["tool_calls"],
            "thinking": count["thoughts"],
            "tokens": (
                sums.get("input", 0) - cached,
                cached,
                0,
                sums.get("output", 0) + sums.get("thoughts", 0),
            ),
        }
    if "exit_status" not in count:  # only messages
        return {}, {}
    exits = shown["exit"] or {}
    # the header cuts a long submission; its event has all of it
    submitted = max((len(e["content"]) for e in shown_events if e["id"] == "submission:0"), default=0)
    assert (exits.get("submission") or "")[:90] in {(e["content"] or "")[:90] for e in shown_events} | {""}
    return {
        "exit": exits.get("status"),
        "submission": submitted,
        "cost": shown["total"]["costUsd"],
        "apiCalls": shown["total"]["counts"]["apiCalls"],
    }, {
        "exit": count["exit_status"],
        "submission": count["submission_chars"],
        "cost": (count["model_stats"] or {}).get("instance_cost"),
        "apiCalls": (count["model_stats"] or {}).get("api_calls") or None,  # 0 with steps is not known
    }
