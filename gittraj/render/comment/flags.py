"""Finds where a reviewer should look first, and why; reasons are counted or quoted, never guessed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.words import count, model_of, unmarked
from gittraj.model.words_of_tests import how_bad, is_bad
from gittraj.query.account import STATED
from gittraj.query.change import Change, Reviewed, decisions, each_decision, find_tested, unexplained
from gittraj.query.diff import Diff

UNSURE = 0.7
"""A stated confidence below this is flagged."""
CHURN = 5
"""A file with at least this many edits in one change is flagged."""
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
    """Something for a reviewer to look at. ``why`` is our wording, ``who`` and ``quoted`` are others' text.
    ``commits`` are those concerned; ``line`` is a line that the diff shows. ``later`` is a later commit that
    may have settled the matter, and ``since`` says how: ``changed again in``."""

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
        """The reason with its author, such as ``Claude Code was unsure``. It is not escaped."""
        return f"{self.who} {self.why}" if self.who else self.why

    def after(self, spell: Callable[[str], str] = lambda commit: commit[:7]) -> str:
        """A note on what a later commit did, whose id ``spell`` writes; empty without a later commit."""
        return f" ({self.since} {spell(self.later)})" if self.later else ""


def find_flags(change: Change) -> list[Flag]:
    """All flags, the worst first: failed runs, doubts and warnings, then failures and doubts that a later
    commit settled, unrecorded commits, churn, files edited by several agents or by none. A change without
    flags is not proved to be good."""
    flags: dict[tuple[str, str | None, str], Flag] = {}
    for flag in _find_all(change):
        flags.setdefault((flag.reason, flag.path, flag.quoted), flag)
    return [*flags.values()]


def omissions(change: Change) -> list[str]:
    """What was not done or is not known, and does not belong to a line."""
    runs = [header["tests"] for header in change.sessions if header["tests"]]
    unknown = (_RUNS.get(last["kind"], "check") for last in runs if last["outcome"] == "unknown")
    lines = [f"how the last {what} of a session ended is unknown" for what in dict.fromkeys(unknown)]
    return [*lines, "no test run is recorded for these commits"] if _lacks_tests(change, runs) else lines


def _lacks_tests(change: Change, runs: Sequence[Header]) -> bool:
    """Whether the calls in these commits' parts ran no test although not only prose was changed."""
    tested = any(last["kind"] == "test" and last["outcome"] != "none" for last in runs)
    only_prose = all(path.lower().endswith(_PROSE) for path in change.files or ("",))
    called = any(header["part"]["counts"]["toolCalls"] for header in change.sessions)
    return called and not (tested or only_prose)


@dataclass(frozen=True, slots=True)
class _History:
    """The change's diff; ``order``: each commit's position; ``last``: the last commit that changed each
    file; ``only``: the only file of each commit that is the only one of its sessions."""

    diff: Diff
    order: Mapping[str, int]
    last: Mapping[str, str]
    only: Mapping[str, str]

    @classmethod
    def of(cls, change: Change) -> _History:
        order = {commit.commit: at for at, commit in enumerate(change.own)}
        last = {path: commit.commit for commit in change.own for path in commit.files}
        single = (c for c in change.own if all(t["part"]["of"] <= 1 for t in c.trajectories))
        only = {
            commit.commit: commit.files[0] for commit in single if commit.known and len(commit.files) == 1
        }
        return cls(change.diff or Diff.of(change.files), order, last, only)

    def after(self, commit: str, later: str | None) -> bool:
        """Whether ``later`` is a commit that comes after ``commit``."""
        return later is not None and self.order[later] > self.order[commit]


def _find_all(change: Change) -> Iterator[Flag]:
    history = _History.of(change)
    failed = list(_failed(change, history.diff))
    yield from (flag for flag in failed if not flag.commits)
    doubts = [*_unsure(change, history), *_caveats(change, history)]
    yield from (flag for flag in doubts if flag.since != _ANSWERED)
    yield from (flag for flag in failed if flag.commits)
    yield from (flag for flag in doubts if flag.since == _ANSWERED)
    yield from _unrecorded(change)
    yield from _churn(change)
    yield from _shared(change)
    yield from (Flag("❔", path, why) for path, why in unexplained(change))


def _unsure(change: Change, history: _History) -> Iterator[Flag]:
    """Yield flags for unsure decisions, with ``✔️`` if the question was answered later: after all doubts about
    it, by the agent of a later commit or by a person, and without a new doubt."""
    decisions = list(each_decision(change))
    unsure = [decision for decision in decisions if is_unsure(decision)]
    commits = {commit.commit: commit for commit in change.recorded}
    doubted = {d["question"]: d["commit"] for d in unsure}
    answered = _find_answers(decisions)
    for decision in sorted(_without_copies(unsure), key=lambda d: float(d["confidence"])):
        why = f"was unsure ({decision['confidence'] * 100:.0f}\u00a0%)"
        path, line = find_location(decision, history.diff)
        who = _who(decision["by"], decision["agent"])
        flag = Flag("⚠️", path, why, titled(decision), line=line, who=who)
        flag = _locate(flag, commits[decision["commit"]], history)
        question = decision["question"]
        if question and history.after(doubted[question], later := answered.get(question)):
            flag = replace(flag, icon="✔️", since=_ANSWERED, later=later)
        yield flag


def _find_answers(decisions: Sequence[Header]) -> dict[str | None, str]:
    """The last commit with a sure, stated decision on each question."""
    return {d["question"]: d["commit"] for d in decisions if d["by"] in STATED and not is_unsure(d)}


def _without_copies(decisions: Sequence[Header]) -> list[Header]:
    """The last decision of each author on each question and choice; of decisions that differ only in their
    commit, the first: a part's record may be on several commits."""
    distinct: dict[tuple[str | None, ...], Header] = {}
    for decision in decisions:
        key = decision["question"], decision["chosen"], decision["by"]
        if {**distinct.get(key, {}), "commit": decision["commit"]} != decision:
            distinct[key] = decision
    return [*distinct.values()]


def _caveats(change: Change, history: _History) -> list[Flag]:
    """Flags for caveats. Those whose file a later commit changed come last: they may no longer apply."""
    flags = []
    for commit in change.recorded:
        for header in commit.trajectories:
            for text, source in zip(header["caveats"], header["caveatSources"], strict=True):
                origin = source or {}
                path, line = history.diff.find(text, origin.get("path"), origin.get("line"))
                who = _who(origin.get("by") or "", header["agent"])
                flag = Flag("⚠️", path, "warned", unmarked(text), line=line, who=who)
                flags.append(_locate(flag, commit, history))
    return sorted(flags, key=lambda flag: bool(flag.since))


def find_location(decision: Header, diff: Diff) -> tuple[str | None, int | None]:
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
    """The author to show: a person, a model, or the agent, even if rules found the statement in the agent's
    prose."""
    if by == "human":
        return "A person"
    return "A model" if model_of(by) else AGENTS.get(agent or "", agent or "An agent")


def _locate(flag: Flag, commit: Reviewed, history: _History) -> Flag:
    """Put the flag at the file that it names, else at the only file of its session's only commit, else at the
    commit; note whether a later commit changed that file. A session of several commits may speak of any
    of them."""
    path = flag.path or history.only.get(commit.commit)
    flag = replace(flag, path=path, commits=() if path else (commit.commit,))
    later = history.last.get(path or "")
    changed = history.after(commit.commit, later)
    return replace(flag, since="changed again in", later=later) if changed else flag


def _unrecorded(change: Change) -> Iterator[Flag]:
    """Yield flags for commits without a record, one for each file that they change first."""
    if not change.recorded:
        return
    unrecorded: dict[str | None, list[str]] = {}
    for commit in change.own:
        if not commit.trajectories and commit.commit not in change.left:
            unrecorded.setdefault(next(iter(commit.files), None), []).append(commit.commit)
    for path, commits in unrecorded.items():
        yield Flag("✍️", path, "No trajectory for", commits=tuple(commits))


def _churn(change: Change) -> Iterator[Flag]:
    """Yield flags for files that were edited often, or whose edits were reverted."""
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
        by = f" by {len(agents[path])} agents" if len(agents.get(path, ())) > 1 else ""
        yield Flag("↩️", path, f"Edited {count(edits, 'time')}{by}{back}")


def _failed(change: Change, diff: Diff) -> Iterator[Flag]:
    """Yield flags for sessions whose last run failed or has no result; with ``commits`` if a later session's
    run passed."""
    for header in (each for each in change.sessions if each["tests"] and is_bad(each["tests"])):
        last = header["tests"]
        what, how = _RUNS.get(last["kind"], "check"), how_bad(last)
        icon = "❌" if last["outcome"] == "failed" or last["lastErrors"] else "❔"
        path = _run_on(header, change)
        line = min(diff.lines.get(path or "", ()), default=None)
        later = _passed_later(header, change)
        tested = find_tested(change, header)
        where = f" (recorded on {tested[:7]})" if tested else ""
        more = "; that of a later commit's session passed" if later else ""
        yield Flag(icon, path, f"The last {what} of a session {how}{where}{more}", commits=later, line=line)


def _passed_later(header: Header, change: Change) -> tuple[str, ...]:
    """The first commit after a session's last one whose session's last run, of the same kind, passed."""
    has_session = [any(other["id"] == header["id"] for other in commit.trajectories) for commit in change.own]
    later = change.own[len(has_session) - has_session[::-1].index(True) :] if any(has_session) else ()
    wanted = (header["tests"]["kind"], "passed")
    passed = (
        commit.commit
        for commit in later
        for other in commit.trajectories
        if other["tests"] and (other["tests"]["kind"], other["tests"]["outcome"]) == wanted
    )
    return (*islice(passed, 1),)


def _run_on(header: Header, change: Change) -> str | None:
    """The only test file that a session edited, else the only file; None if there are several."""
    edited = [file["path"] for file in header["filesChanged"] if file["path"] in change.files]
    candidates = [path for path in edited if "test" in path.lower()] or edited
    return candidates[0] if len(candidates) == 1 else None


def _shared(change: Change) -> Iterator[Flag]:
    agents, churned = _agents(change), {flag.path for flag in _churn(change)}
    for path in change.files:
        if len(agents.get(path, ())) > 1 and path not in churned:
            yield Flag("👥", path, f"{len(agents[path])} agents worked on it")


def _agents(change: Change) -> dict[str, set[str]]:
    """The agents that edited each file."""
    return {path: {s["agent"] or "" for s, _ in edits} for path, edits in change.edits.items()}
