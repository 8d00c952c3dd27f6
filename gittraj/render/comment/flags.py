"""Finds where a reviewer should look first, and why: counted or quoted, never guessed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.words import count, model_of, unmarked
from gittraj.query.account import STATED
from gittraj.query.change import Change, Reviewed, decisions, each_decision, unexplained
from gittraj.query.diff import Diff

UNSURE = 0.7
"""A stated confidence below this is flagged."""
CHURN = 5
"""So many edits of one file in one change are flagged."""
AGENTS = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "opencode": "OpenCode",
    "kilo": "Kilo",
    "unknown": "an agent",
}
_PROSE = (".md", ".rst", ".adoc", ".txt")
"""The extensions of files that need no tests."""
_ANSWERED = "answered in"
_RUNS = {"test": "test run", "build": "build", "typecheck": "type check", "lint": "linter run"}


@dataclass(frozen=True, slots=True)
class Flag:
    """``why`` is our wording, ``who`` and ``quoted`` are others' text; ``commits`` are those concerned;
    ``line`` is one that the diff shows; ``later``: a later commit, with ``since``: what it did."""

    icon: str
    path: str | None
    why: str
    quoted: str = ""
    commits: tuple[str, ...] = ()
    line: int | None = None
    who: str = ""
    since: str = ""
    later: str | None = None

    @property
    def reason(self) -> str:
        """``Claude Code was unsure``: not escaped."""
        return f"{self.who} {self.why}" if self.who else self.why

    def after(self, spell: Callable[[str], str] = lambda commit: commit[:7]) -> str:
        """A note on what a later commit did, which ``spell`` writes; empty without one."""
        return f" ({self.since} {spell(self.later)})" if self.later else ""


def find_flags(change: Change) -> list[Flag]:
    """All flags, the worst first: failed runs, doubts and warnings, those of them that a later commit
    settled, unrecorded commits, churn, files edited by several agents or by none. No flags does not mean
    that all is well."""
    found: dict[tuple[str, str | None, str], Flag] = {}
    for flag in _find_all(change):
        found.setdefault((flag.reason, flag.path, flag.quoted), flag)
    return [*found.values()]


def omissions(change: Change) -> list[str]:
    """Things that were not done or are not known, and that belong to no line."""
    ran = [header["tests"] for header in change.sessions if header["tests"]]
    unknown = (_RUNS.get(last["kind"], "check") for last in ran if last["outcome"] == "unknown")
    found = [f"how the last {what} of a session ended is unknown" for what in dict.fromkeys(unknown)]
    tested = any(last["kind"] == "test" and last["outcome"] != "none" for last in ran)
    called = any(header["part"]["counts"]["toolCalls"] for header in change.sessions)
    prose = all(path.lower().endswith(_PROSE) for path in change.files or ("",))
    return found if tested or prose or not called else [*found, "no test was run in these sessions"]


@dataclass(frozen=True, slots=True)
class _Course:
    """``order``: each commit's position; ``last``: the commit that changed each file last."""

    diff: Diff
    order: Mapping[str, int]
    last: Mapping[str, str]

    @classmethod
    def of(cls, change: Change) -> _Course:
        order = {commit.commit: at for at, commit in enumerate(change.own)}
        last = {path: commit.commit for commit in change.own for path in commit.files}
        return cls(change.diff or Diff.of(change.files), order, last)

    def after(self, commit: str, later: str | None) -> bool:
        return later is not None and self.order[later] > self.order[commit]


def _find_all(change: Change) -> Iterator[Flag]:
    course = _Course.of(change)
    failed = list(_failed(change, course.diff))
    yield from (flag for flag in failed if not flag.commits)
    doubts = [*_unsure(change, course), *_caveats(change, course)]
    yield from (flag for flag in doubts if flag.since != _ANSWERED)
    yield from (flag for flag in failed if flag.commits)
    yield from (flag for flag in doubts if flag.since == _ANSWERED)
    yield from _unrecorded(change)
    yield from _churn(change)
    yield from _shared(change)
    yield from (Flag("❔", path, why) for path, why in unexplained(change))


def _unsure(change: Change, course: _Course) -> Iterator[Flag]:
    """Flags for unsure decisions, the last of equal ones, as a part's record may be on several commits.
    ``✔️`` if after all doubts about a question the agent of a later commit, or a person, answered it without
    one."""
    found = list(each_decision(change))
    unsure = [decision for decision in found if is_unsure(decision)]
    sure = (decision for decision in found if not is_unsure(decision))
    commits = {commit.commit: commit for commit in change.recorded}
    doubted = {d["question"]: d["commit"] for d in unsure}
    answered = {d["question"]: d["commit"] for d in sure if d["by"] in STATED}
    shown: dict[tuple[str | None, ...], Header] = {}
    for said in unsure:
        what = said["question"], said["chosen"], said["by"]
        if {**shown.get(what, {}), "commit": said["commit"]} != said:
            shown[what] = said
    for decision in sorted(shown.values(), key=lambda d: float(d["confidence"])):
        about = f"was unsure ({decision['confidence'] * 100:.0f}\u00a0%)"
        who, place = _who(decision["by"], decision["agent"]), find_place(decision, course.diff)
        flag = Flag("⚠️", place[0], about, titled(decision), line=place[1], who=who)
        flag = _placed(flag, commits[decision["commit"]], course)
        asked = decision["question"]
        if asked and course.after(doubted[asked], later := answered.get(asked)):
            flag = replace(flag, icon="✔️", since=_ANSWERED, later=later)
        yield flag


def _caveats(change: Change, course: _Course) -> list[Flag]:
    """Flags for caveats, those first whose file no later commit changed: the others may no longer apply."""
    found = []
    for commit in change.recorded:
        for header in commit.trajectories:
            for text, source in zip(header["caveats"], header["caveatSources"], strict=True):
                origin = source or {}
                place = course.diff.find(text, origin.get("path"), origin.get("line"))
                who = _who(origin.get("by") or "", header["agent"])
                flag = Flag("⚠️", place[0], "warned", unmarked(text), line=place[1], who=who)
                found.append(_placed(flag, commit, course))
    return sorted(found, key=lambda flag: bool(flag.since))


def find_place(decision: Header, diff: Diff) -> tuple[str | None, int | None]:
    """The file and the line that a decision is about, as far as it names them."""
    text = " ".join(filter(None, (decision["chosen"], decision["reasoning"], decision["quote"])))
    return diff.find(text, decision["path"], decision["line"])


def own_reason(header: Header) -> str | None:
    """The stated reason for a commit; None if it includes the reasoning of one of its decisions, which
    answers another question."""
    why: str = header["why"] or ""
    reasons = [decision["reasoning"] for decision in header["decisions"] if decision["reasoning"]]
    return None if any(reasoning in why for reasoning in reasons) else why or None


def is_unsure(decision: Header) -> bool:
    return decision["confidence"] is not None and decision["confidence"] < UNSURE


def by_doubt(change: Change) -> list[Header]:
    """The decisions, the least sure ones first."""
    return sorted(decisions(change), key=lambda d: d["confidence"] if is_unsure(d) else 1.0)


def titled(decision: Header) -> str:
    """The choice, after the question that it answers."""
    question, chosen = decision["question"], decision["chosen"]
    return chosen if not question else f"{question}{'' if question.endswith('?') else ':'} {chosen}"


def _who(by: str, agent: str | None) -> str:
    """The author to show: a person, a model, or the agent, also if rules found the statement in its words."""
    if by == "human":
        return "A person"
    return "A model" if model_of(by) else AGENTS.get(agent or "", agent or "An agent")


def _placed(flag: Flag, commit: Reviewed, course: _Course) -> Flag:
    """Put the flag at the file that it names, else at the only one that the commit changed, else at the
    commit; note whether a later commit changed that file."""
    path = flag.path
    if path is None and commit.known and len(commit.files) == 1:
        path = commit.files[0]
    flag = replace(flag, path=path, commits=() if path else (commit.commit,))
    later = course.last.get(path or "")
    changed = course.after(commit.commit, later)
    return replace(flag, since="changed again in", later=later) if changed else flag


def _unrecorded(change: Change) -> Iterator[Flag]:
    if not change.recorded:
        return
    bare: dict[str | None, list[str]] = {}
    for commit in change.own:
        if not commit.trajectories and commit.commit not in change.left:
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
    files = frozenset(change.files)
    churned = [(r, e, p) for p, (e, r) in totals.items() if p in files and (r or e >= CHURN)]
    for reverts, edits, path in sorted(churned, key=lambda each: (-each[0], -each[1], each[2])):
        times = {1: "once", 2: "twice"}.get(reverts, f"{reverts} times")
        back = f", reverted {times}" if reverts else ""
        by = f" by {len(agents[path])} agents" if len(agents[path]) > 1 else ""
        yield Flag("↩️", path, f"Edited {count(edits, 'time')}{by}{back}")


def _failed(change: Change, diff: Diff) -> Iterator[Flag]:
    for header in change.sessions:
        last = header["tests"] or {"outcome": None, "kind": None}
        what = _RUNS.get(last["kind"], "check")
        if last["outcome"] == "failed":
            how = f"failed: {last['lastFailed']} failed" if last["lastFailed"] else "failed"
        elif last["outcome"] == "error":
            how = f"ended in {count(last['lastErrors'], 'error') if last['lastErrors'] else 'an error'}"
        else:
            continue
        path = _run_on(header, change)
        line = min(diff.lines.get(path or "", ()), default=None)
        later = _passed_later(header, change)
        more = "; that of a later commit's session passed" if later else ""
        yield Flag("❌", path, f"The last {what} of a session {how}{more}", commits=later, line=line)


def _passed_later(header: Header, change: Change) -> tuple[str, ...]:
    """The first commit after a session's last one whose session's last run, of the same kind, passed."""
    worked = [any(other["id"] == header["id"] for other in commit.trajectories) for commit in change.own]
    after = change.own[len(worked) - worked[::-1].index(True) :] if any(worked) else ()
    wanted = (header["tests"]["kind"], "passed")
    passed = (
        commit.commit
        for commit in after
        for other in commit.trajectories
        if other["tests"] and (other["tests"]["kind"], other["tests"]["outcome"]) == wanted
    )
    return (*islice(passed, 1),)


def _run_on(header: Header, change: Change) -> str | None:
    """The only test file that a session edited, else the only file; None if there are several."""
    edited = [file["path"] for file in header["filesChanged"] if file["path"] in change.files]
    about = [path for path in edited if "test" in path.lower()] or edited
    return about[0] if len(about) == 1 else None


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
